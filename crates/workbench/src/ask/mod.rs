//! What one can ask for: the options, the plan made from what was typed, the automata it needs, and amounts as people type them.

pub mod automata;
pub mod options;
pub mod plan;
mod refuse;
pub mod typed;
pub mod unasked;

pub use starwheel_base::quantity;
