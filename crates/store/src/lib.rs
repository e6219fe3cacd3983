//! Remembers states, which are strings of bytes here, and says honestly when it is full.

mod budget;
pub mod flat;
mod index;
pub mod lock;
mod parts;
pub mod path;
mod prefetch;
mod root;
mod segments;
pub mod set;
mod shape;
mod shard;
mod sync;
pub mod tree;
mod words;

pub use flat::FlatSet;
pub use path::Path;
pub use set::{
    Decode, Exactness, Fork, Inserted, Marked, StateId, StateSet, StateStore, Usage, Vector, Visit, Visited,
};
pub use tree::{PrivateTree, SharedTree, StateRef};
