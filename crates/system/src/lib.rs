//! The narrow waist: a system of states and steps, as searches, stores and reductions see it.
//!
//! A *state* is a string of bytes whose meaning only its system knows. A *step* says who moves and by which action
//! ([`Step`]). A [`System`] is shared by all threads; each of them walks through it with a [`Stepper`] of its own, whose laws
//! are written at the trait and can be checked ([`laws`]). A [`Layer`] is a stepper around another one that changes little of
//! it; a [`Quotient`] is a system whose states are renamed before anybody stores them.
//!
//! Nothing here knows what a model is written in. A system of your own needs this crate only.

pub mod batch;
pub mod laws;
pub mod layer;
pub mod quotient;
pub mod step;
pub mod stepper;
pub mod violation;

pub use batch::{Batch, Entry};
pub use layer::Layer;
pub use quotient::{Behind, Normaliser, Quotient, Whole, changed, one_by_one};
pub use step::{Action, Actor, Partners, Step};
pub use stepper::{Fired, Stepper, System, listed};
pub use violation::{Violation, ViolationKind};
