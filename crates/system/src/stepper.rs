//! What a system is and how one thread walks through it, with all the laws that searches rely on.

use crate::batch::Batch;
use crate::quotient::Behind;
use crate::step::Step;
use crate::violation::Violation;

/// What came of a step.
#[derive(Clone, Debug, Default)]
pub struct Fired {
    /// False if the path ends here, because what follows has no meaning (an index out of bounds, a division by zero).
    /// The successor must then not be looked at.
    pub broken: bool,
    /// What went wrong on the way, in order; an assertion that fails does not end the path.
    pub violations: Vec<Violation>,
}

/// A system: shared by all threads of a search.
///
/// No method has a default: whoever wraps a system must say what becomes of each.
pub trait System: Sync {
    /// The number of leading bytes of a state that do not count when states are compared. No state is shorter.
    fn hidden_bytes(&self) -> usize;

    /// The number of actions; [`crate::Action`] runs below it.
    fn transitions(&self) -> usize;

    /// A stepper for one thread. All steppers of a system give the same answers.
    fn stepper(&self) -> Box<dyn Stepper + '_>;

    /// If states of another system are renamed here: that system, in whose steps a trail has to be told. None if states and
    /// steps are what they are.
    fn behind(&self) -> Option<Behind<'_>>;
}

/// One thread's way to walk through a system; owns all scratch memory.
///
/// # Laws
///
/// - **`out` is replaced.** Whatever a method writes to, it makes empty first; what was there does not matter. Memory that is
///   used again costs no allocation.
/// - **Answers depend on the state alone**: not on the stepper, nor on what it was asked before. `at` is a state that
///   [`Stepper::initial`], [`Stepper::fire`] or [`Stepper::expand`] gave, or one that has the same bytes but for hidden ones
///   that another way gave; never the successor of a step that broke.
/// - **Transient states** are passed through and never stored: somebody holds control there, and others cannot move. Each has
///   at least one step. The initial state is not transient, and [`Stepper::accepting`] is asked of stored states only.
/// - **The order** of steps is fixed for each state, and each is listed once.
/// - **Omitted steps**: a layer may leave out steps that need not be taken. Then neither [`Stepper::enabled`] nor
///   [`Stepper::expand`] nor [`Stepper::lists`] knows them; [`Stepper::omitted`] does, and together they are all that the
///   system can do. A state without steps has none omitted.
/// - **`expand` is `enabled` and `fire`**: the same steps in the same order with the same results.
///
/// No method has a default, so that no wrapper can lose one unnoticed. A wrapper that passes most of them on is a
/// [`crate::Layer`]; a plain stepper uses [`listed`] and [`Batch::fill`]. [`crate::laws`] checks all of this.
pub trait Stepper: Send {
    /// Replaces `out` by the initial state.
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired;

    /// Replaces `out` by the steps that are possible. Every one may be fired; a step that cannot be given a meaning is
    /// listed, too, and breaks when fired.
    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>);

    /// True if [`Stepper::enabled`] lists a step for this state. The step may be any, also one of another state.
    fn lists(&mut self, at: &[u8], step: Step) -> bool;

    /// Replaces `out` by the steps that are possible but left out of [`Stepper::enabled`], because they need not be taken.
    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>);

    /// Executes one step that is possible in this state, and replaces `out` by the successor.
    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired;

    /// Replaces `out` by all steps that [`Stepper::enabled`] lists and what [`Stepper::fire`] makes of each.
    fn expand(&mut self, at: &[u8], out: &mut Batch);

    /// True if [`Stepper::expand`] is much faster than to list the steps and to execute them one after the other. This may
    /// change in the course of a search.
    fn expands_fast(&self) -> bool;

    /// True if the state is passed through and never stored.
    fn transient(&self, at: &[u8]) -> bool;

    /// For a state without steps: what is wrong with it, if anything is.
    fn stuck(&mut self, at: &[u8]) -> Option<Violation>;

    /// True if a run that comes to this state again and again is one of those that are looked for.
    fn accepting(&mut self, at: &[u8]) -> bool;
}

/// [`Stepper::lists`] for a stepper that knows no faster way than to list all steps.
pub fn listed<S: Stepper + ?Sized>(stepper: &mut S, at: &[u8], step: Step) -> bool {
    let mut steps = Vec::new();
    stepper.enabled(at, &mut steps);
    steps.contains(&step)
}
