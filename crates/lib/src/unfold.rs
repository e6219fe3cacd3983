//! Systems that show all steps of a state with what comes of them, as the searches see them.
//!
//! A user's action has to be done to know whether it is refused, so listing steps costs as much as taking them: one function that
//! shows them all is what [`crate::adapter`] and [`crate::product`] have, and everything that a [`Stepper`] has to answer follows.

use starwheel_base::Span;
use starwheel_system::{Batch, Fired, Partners, Step, Stepper, Violation, ViolationKind, listed};

/// What came of a step.
pub struct Made<'a> {
    pub step: Step,
    pub fired: Fired,
    /// The successor; empty if the step broke.
    pub state: &'a [u8],
    /// The words that may differ, as in [`starwheel_system::Entry::changed`].
    pub changed: u64,
}

/// One thread's way through a system that shows all steps of a state at once.
pub trait Unfold: Send {
    /// Replaces `out` by the initial state.
    fn first(&mut self, out: &mut Vec<u8>) -> Fired;

    /// Shows what comes of each step of a state, or of one step alone. Refused ones are not shown.
    fn each(&mut self, at: &[u8], only: Option<Step>, show: impl FnMut(Made<'_>));

    /// For a state without steps: what is wrong with it.
    fn stuck(&mut self, at: &[u8]) -> Option<Violation>;

    /// True if a run that comes to this state again and again is one of those that are looked for.
    fn accepting(&mut self, at: &[u8]) -> bool;
}

/// Such a system's stepper.
pub struct Unfolded<T>(pub T);

impl<T: Unfold> Stepper for Unfolded<T> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.0.first(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        out.clear();
        self.0.each(at, None, |made| out.push(made.step));
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        listed(self, at, step)
    }

    fn omitted(&mut self, _at: &[u8], out: &mut Vec<Step>) {
        out.clear();
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        out.clear();
        let mut fired = None;
        self.0.each(at, Some(step), |made| {
            out.extend_from_slice(made.state);
            fired = Some(made.fired);
        });
        fired.unwrap_or_else(|| {
            let (kind, message) = (ViolationKind::RuntimeError, "no such step".to_string());
            let violations = vec![Violation { kind, message, span: Span::default(), actor: Some(step.actor) }];
            Fired { broken: true, violations }
        })
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.clear();
        let mut plain = true;
        self.0.each(at, None, |made| {
            let alone = made.step.actor.agent().is_some() && made.step.partners == Partners::None && !made.step.timeout;
            let fine = !made.fired.broken && made.fired.violations.is_empty();
            plain &= alone && fine && made.state.len() == at.len();
            let changed = made.changed;
            out.push(made.step, made.fired, made.state, false);
            if let Some(entry) = out.entries.last_mut() {
                entry.changed = changed;
            }
        });
        out.uniform = if plain && !out.is_empty() { at.len() as u32 } else { 0 };
    }

    fn expands_fast(&self) -> bool {
        true
    }

    fn transient(&self, _at: &[u8]) -> bool {
        false
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.0.stuck(at)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.0.accepting(at)
    }
}
