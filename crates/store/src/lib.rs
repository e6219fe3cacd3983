//! Remembers states, which are strings of bytes here, and says honestly when it is full.

pub mod flat;
pub mod set;

pub use flat::FlatSet;
pub use set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
