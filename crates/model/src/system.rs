//! The narrow waist: a system of states and steps, as searches, stores and reductions see it.
//!
//! A state is a string of bytes whose meaning only its system knows. Some states are *transient*: one process holds
//! control (it is inside `atomic`), so they are passed through and never stored.

use crate::batch::Batch;
use crate::ir::{Pid, TransId};
use starwheel_base::Span;

/// One step: who moves, by which transition, and with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The process that moves; the sender of a handshake; [`Pid::CLAIM`] for a step of a claim.
    pub pid: Pid,
    /// Its transition.
    pub trans: TransId,
    /// The receiver of a handshake and its transition.
    pub partner: Option<(Pid, TransId)>,
    /// True if the step is possible only because nothing else is.
    pub timeout: bool,
}

/// What came of a step.
#[derive(Clone, Debug, Default)]
pub struct Fired {
    /// False if the path ends here, because what follows has no meaning (an index out of bounds, a division by zero).
    /// The successor must then not be looked at.
    pub broken: bool,
    /// What went wrong on the way, in order; an assertion that fails does not end the path.
    pub violations: Vec<Violation>,
}

/// Something that went wrong in a step or in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// One sentence for people.
    pub message: String,
    /// Where in the source.
    pub span: Span,
    /// The process, if it is the fault of one.
    pub pid: Option<Pid>,
}

/// The kinds of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// An assertion failed.
    Assertion,
    /// No step is possible and some process is not at a valid end.
    InvalidEndState,
    /// A step has no meaning: an index out of bounds, a division by zero, a bad channel and the like.
    RuntimeError,
    /// The `trace` or `notrace` assertion of the model.
    Trace,
    /// A claim has come to its end.
    Claim,
    /// A run passes an accepting state again and again.
    AcceptanceCycle,
    /// A run goes on for ever and never passes a progress label again.
    NonProgressCycle,
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
        }
    }
}

/// A system: shared by all threads of a search.
pub trait System: Sync {
    /// The number of leading bytes of a state that do not count when states are compared.
    fn hidden_bytes(&self) -> usize;
    /// The number of transitions; [`TransId`] runs below it.
    fn transitions(&self) -> usize;
    /// A stepper for one thread.
    fn stepper(&self) -> Box<dyn Stepper + '_>;
}

/// One thread's way to walk through a system; owns all scratch memory.
pub trait Stepper: Send {
    /// Writes the initial state.
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired;

    /// Lists the steps that are possible, in an order that depends on the state alone, without duplicates. Every
    /// listed step may be fired (a step that cannot be given a meaning is listed, too, and breaks when fired).
    /// A transient state always has at least one.
    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>);

    /// True if [`Stepper::enabled`] lists a step for this state.
    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        let mut steps = Vec::new();
        self.enabled(at, &mut steps);
        steps.contains(&step)
    }

    /// Appends the steps that are possible but left out of [`Stepper::enabled`], because they need not be taken.
    fn omitted(&mut self, _at: &[u8], _out: &mut Vec<Step>) {}

    /// Executes one step that [`Stepper::enabled`] listed for this state, and writes the successor.
    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired;

    /// Lists the steps and executes all of them: the same steps in the same order with the same successors as
    /// [`Stepper::enabled`] and [`Stepper::fire`] give.
    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    /// True if [`Stepper::expand`] is much faster than to list the steps and to execute them one after the other.
    fn expands_fast(&self) -> bool {
        false
    }

    /// True if the state is passed through and never stored.
    fn transient(&self, at: &[u8]) -> bool;

    /// For a state without steps: what is wrong with it, if anything is.
    fn stuck(&mut self, at: &[u8]) -> Option<Violation>;

    /// True if a run that comes to this state again and again is one of those that are looked for.
    fn accepting(&mut self, _at: &[u8]) -> bool {
        false
    }
}
