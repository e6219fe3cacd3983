//! The parts that searches are made of: books, walks, frontiers, caches. [`crate::method`] puts them together.

pub mod batch_cache;
pub mod chain;
pub mod checkpoint;
pub mod components;
pub mod course;
pub mod expander;
pub mod flags;
pub mod frontier;
pub mod ledger;
pub mod lift;
pub mod link;
pub mod pace;
pub mod passed;
pub mod scout;
pub mod scratch;
pub mod shorten;
pub mod stack;
pub mod state_cache;
pub mod walk;
