//! What one can ask for: the options, the plan made from what was typed, and amounts as people type them.

pub mod options;
pub mod plan;
pub mod quantity;
