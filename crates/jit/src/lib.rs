//! The interpreter's twin as machine code: the same steps in the same order with the same successors, many times faster.
//!
//! [`JitSystem::compile`] turns a model into one set of functions for each process type. [`Stepper::expand`] then makes
//! all successors of a state; whatever generated code does not do itself (findings, errors, rare statements) makes it
//! leave the state to the interpreter, which is also behind all other questions. So no model is refused, and what is
//! reported always comes from the interpreter.
//!
//! [`Stepper::expand`]: starwheel_model::Stepper::expand

mod claims;
mod code;
mod context;
mod emit;
mod group;
mod help;
mod lazy;
mod pass;
mod plain;
mod plan;
mod runner;
mod settled;
mod stepper;
mod system;
mod tables;
mod time;
mod written;

pub use code::Unsupported;
pub use lazy::LazySystem;
pub use system::{JitClaimSystem, JitSystem};
