//! What a model looks like as a star: which processes are leaves, what a property sees of them, and where their bytes lie.

pub mod decompose;
pub mod seen;
pub mod shape;
pub mod visible;
