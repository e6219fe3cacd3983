//! From one decoupled state to the next: what each process can do, and how that changes the sets of all.

pub mod closing;
pub mod core;
pub mod expand;
pub mod image;
pub mod image_find;
pub mod inner_runs;
pub mod product;
pub mod pulse;
pub mod result_cache;
pub mod segment;
pub mod settle;
pub mod stuck;
