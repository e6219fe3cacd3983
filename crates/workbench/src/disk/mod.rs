//! Files that a long search needs: the one in which it is saved, and room for what memory does not hold.

pub mod checkpoint;
pub mod output;
pub mod scratch;
pub mod sealed;
