//! What can go wrong in a step or in a state.

use crate::step::Actor;
use starwheel_base::Span;

/// Something that went wrong in a step or in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// One sentence for people.
    pub message: String,
    /// Where in the source.
    pub span: Span,
    /// Whose fault it is, if it is somebody's.
    pub actor: Option<Actor>,
}

/// The kinds of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// An assertion failed.
    Assertion,
    /// No step is possible, and the system should not end here.
    InvalidEndState,
    /// A step has no meaning: an index out of bounds, a division by zero and the like.
    RuntimeError,
    /// The system does something, or leaves it undone, that an assertion about its events forbids.
    Trace,
    /// A claim has come to its end.
    Claim,
    /// A run passes an accepting state again and again.
    AcceptanceCycle,
    /// A run goes on for ever and makes no progress any more.
    NonProgressCycle,
    /// A run goes on for ever, and time stands still in it.
    TimeStops,
}

impl ViolationKind {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::RuntimeError => "runtime-error",
            ViolationKind::Trace => "trace",
            ViolationKind::Claim => "claim",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::TimeStops => "time-stops",
        }
    }
}
