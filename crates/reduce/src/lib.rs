//! Says which steps of a state need not be taken: partial-order reduction.
//!
//! A [`Reduction`] looks at a state and its steps and puts those first that are enough. [`Reduced`] is a system with
//! fewer steps in which the same things can go wrong.

mod ahead;
mod anonymous;
mod audit;
mod bits;
mod chains;
mod channels;
mod collect;
mod context;
mod effect;
mod fallible;
mod fixed;
mod futures;
mod hierarchy;
mod instance;
mod lookahead;
mod never_ample;
mod nodes;
mod notes;
mod property;
mod proviso;
mod ranges;
mod reduced;
mod reduction;
mod scene;
mod stance;
mod sticky;
mod stubborn;

pub use anonymous::anonymous;
pub use audit::{Audit, Record};
pub use hierarchy::{Cluster, hierarchy};
pub use instance::{Unfit, Watched};
pub use notes::{Because, Note, Notes};
pub use property::{NoStepFails, Obstacle, Property, may_break, no_step_fails, only_deadlocks, watched};
pub use proviso::Proviso;
pub use reduced::{Chooser, Plan, Reduced, Reducer};
pub use reduction::{Method, Reduction, Wish};
