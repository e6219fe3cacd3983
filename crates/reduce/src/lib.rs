//! Says which steps of a state need not be taken: partial-order reduction.
//!
//! A [`Reduction`] looks at a state and its steps and puts those first that are enough. [`Reduced`] is a system with
//! fewer steps in which the same things can go wrong.

mod anonymous;
mod channels;
mod collect;
mod effect;
mod fallible;
mod fixed;
mod instance;
mod nodes;
mod property;
mod reduced;
mod reduction;
mod scene;
mod stance;
mod sticky;
mod stubborn;

pub use instance::{Unfit, Watched};
pub use property::{Obstacle, Property, only_deadlocks, watched};
pub use reduced::{Chooser, Plan, Reduced, Reducer};
pub use reduction::{Method, Reduction, Wish};
