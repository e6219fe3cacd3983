//! What a system is, what one step does to one state, and what that step may touch; the interpreter here *is* our semantics.

pub mod batch;
#[cfg(test)]
mod build;
pub mod expr;
pub mod footprint;
pub mod interp;
pub mod ir;
pub mod layout;
pub mod observer;
pub mod place;
pub mod progress;
pub mod stmt;
pub mod system;
pub mod text;
pub mod verify;

pub use batch::{Batch, Entry};
pub use expr::{BinaryOp, ChannelQuery, Expr, UnaryOp};
pub use footprint::{Footprint, footprints};
pub use interp::claim::{ClaimInterp, ClaimSystem};
pub use interp::solo::{Choice, Handover};
pub use interp::{Interp, ModelSystem};
pub use ir::*;
pub use layout::{FrameLayout, Layout};
pub use observer::{Observer, add_observer};
pub use place::{Dim, Place, Region, Ty};
pub use progress::add_progress_claim;
pub use stmt::{DStep, DTrans, RecvArg, SkipKind, Stmt};
pub use system::{Fired, Step, Stepper, System, Violation, ViolationKind};
pub use verify::verify;
