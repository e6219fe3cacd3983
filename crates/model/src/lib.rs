//! What a model is, what one step does to one state, and what that step may touch; the interpreter here *is* our semantics.

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
pub mod returns;
pub mod step;
pub mod stmt;
pub mod text;
pub mod time;
pub mod touch;
pub mod verify;

pub use expr::{BinaryOp, ChannelQuery, Expr, UnaryOp};
pub use footprint::{Footprint, footprints};
pub use interp::claim::{ClaimInterp, ClaimSystem};
pub use interp::solo::{Choice, Handover};
pub use interp::{Interp, ModelSystem};
pub use ir::*;
pub use layout::{FrameLayout, Layout};
pub use observer::{Observer, add_observer};
pub use place::{Dim, Place, Region, Ty};
pub use progress::{add_progress_claim, add_time_claim};
pub use starwheel_system::{
    Action, Actor, Batch, Behind, Entry, Fired, Layer, Partners, Step, Stepper, System, Violation, ViolationKind,
    Whole, listed,
};
pub use step::ProcessStep;
pub use stmt::{DStep, DTrans, RecvArg, SkipKind, Stmt};
pub use time::Pace;
pub use verify::verify;
