//! A stepper around another one that changes little of it.

use crate::batch::Batch;
use crate::step::Step;
use crate::stepper::{Fired, Stepper};
use crate::violation::Violation;

/// A stepper that asks another one wherever it has no answer of its own: every method is passed on, and whoever is a layer is
/// a [`Stepper`].
///
/// The laws of [`Stepper`] tie methods together, so a layer that changes one has to change others:
///
/// | own | then also own |
/// | --- | --- |
/// | `enabled` | `lists`, `omitted`, `expand` |
/// | `fire` | `expand`, mostly `initial` |
/// | `expand` | `expands_fast`, if it is faster or slower |
/// | a form of states of its own | all: it had better be no layer |
pub trait Layer: Send {
    /// The other one.
    fn inner(&self) -> &dyn Stepper;

    /// The other one, to be asked.
    fn inner_mut(&mut self) -> &mut dyn Stepper;

    /// [`Stepper::initial`].
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.inner_mut().initial(out)
    }

    /// [`Stepper::enabled`].
    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner_mut().enabled(at, out);
    }

    /// [`Stepper::lists`].
    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner_mut().lists(at, step)
    }

    /// [`Stepper::omitted`].
    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner_mut().omitted(at, out);
    }

    /// [`Stepper::fire`].
    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.inner_mut().fire(at, step, out)
    }

    /// [`Stepper::expand`].
    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.inner_mut().expand(at, out);
    }

    /// [`Stepper::expands_fast`].
    fn expands_fast(&self) -> bool {
        self.inner().expands_fast()
    }

    /// [`Stepper::transient`].
    fn transient(&self, at: &[u8]) -> bool {
        self.inner().transient(at)
    }

    /// [`Stepper::stuck`].
    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner_mut().stuck(at)
    }

    /// [`Stepper::accepting`].
    fn accepting(&mut self, at: &[u8]) -> bool {
        self.inner_mut().accepting(at)
    }
}

impl<L: Layer> Stepper for L {
    #[inline]
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        Layer::initial(self, out)
    }

    #[inline]
    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        Layer::enabled(self, at, out);
    }

    #[inline]
    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        Layer::lists(self, at, step)
    }

    #[inline]
    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        Layer::omitted(self, at, out);
    }

    #[inline]
    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        Layer::fire(self, at, step, out)
    }

    #[inline]
    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        Layer::expand(self, at, out);
    }

    #[inline]
    fn expands_fast(&self) -> bool {
        Layer::expands_fast(self)
    }

    #[inline]
    fn transient(&self, at: &[u8]) -> bool {
        Layer::transient(self, at)
    }

    #[inline]
    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        Layer::stuck(self, at)
    }

    #[inline]
    fn accepting(&mut self, at: &[u8]) -> bool {
        Layer::accepting(self, at)
    }
}
