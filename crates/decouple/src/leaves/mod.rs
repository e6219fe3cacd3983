//! What a decoupled state knows of one process: the set of its frames, what matters to them, and how such sets are kept.

pub mod algebra;
pub mod bits;
pub mod frame_facts;
pub mod leaf_set;
pub mod sets;
pub mod table;
pub mod touch;
pub mod touches;
