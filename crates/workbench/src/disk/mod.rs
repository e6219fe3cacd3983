//! Files: what is read, what a search is saved in, what it writes, and room for what memory does not hold.

pub mod archive;
pub mod checkpoint;
pub(crate) mod input;
pub mod output;
pub mod scratch;
pub mod sealed;
