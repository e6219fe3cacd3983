//! Processes that are interchangeable: found in the model, checked, and used to store one state for all that differ by names
//! only.

mod audit;
mod build;
mod classes;
mod entry;
mod forms;
mod infer;
mod moves;
mod obstacle;
mod own;
mod plan;
mod prepare;
mod quick;
mod refine;
mod sorts;
mod strategy;
mod undying;

pub use audit::{Audited, Record};
pub use entry::processes;
pub use infer::{Family, Inferred, Meaning, Symmetry, infer, infer_within, same_claims};
pub use obstacle::Obstacle;
pub use plan::{Names, Plan};
pub use strategy::{Renaming, Strategy};
pub use undying::undying;
