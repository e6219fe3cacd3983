//! What the test of random programs compares with.

pub mod formula;
pub mod graph;
pub mod guarded;
