//! What marks and copies have in common: a system whose states carry along, behind their bytes, what a search needs to know
//! about the way to them, and in which each step writes it anew.

use super::{Listed, PidSet};
use starwheel_model::{Batch, Fired, Step, Stepper, Violation};
use std::marker::PhantomData;

/// What lies behind the states of a system, and a store does not see.
pub trait Trailer {
    /// The state itself.
    fn cut(state: &[u8]) -> &[u8];

    /// Puts behind a state what lies there if nothing is known, as at the start.
    fn restore(out: &mut Vec<u8>);
}

/// The same where steps change it: what is known where a step is taken.
pub(super) trait Carried: Trailer + Copy + Send {
    /// What is known in a state, before one of its steps.
    fn before(inner: &mut dyn Stepper, at: &[u8]) -> Self;

    /// Puts behind the successor what the step leads to. `passes` says that the successor is transient; `able` are the
    /// processes that can move before the step.
    fn after(self, step: Step, passes: bool, able: impl FnOnce() -> PidSet, out: &mut Vec<u8>);

    /// Whether a run that comes here again and again is one of those that are looked for.
    fn accepting(inner: &mut dyn Stepper, listed: &mut Listed, at: &[u8]) -> bool;
}

/// The stepper of such a system.
pub(super) struct Carrier<'a, C> {
    inner: Box<dyn Stepper + 'a>,
    listed: Listed,
    /// Scratch memory.
    next: Vec<u8>,
    carried: PhantomData<C>,
}

impl<'a, C> Carrier<'a, C> {
    pub fn new(inner: Box<dyn Stepper + 'a>) -> Carrier<'a, C> {
        Carrier { inner, listed: Listed::default(), next: Vec::new(), carried: PhantomData }
    }
}

impl<C: Carried> Stepper for Carrier<'_, C> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.initial(out);
        C::restore(out);
        fired
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        out.clear();
        out.extend_from_slice(self.listed.steps(&mut *self.inner, C::cut(at)));
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner.lists(C::cut(at), step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.omitted(C::cut(at), out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let state = C::cut(at);
        let before = C::before(&mut *self.inner, at);
        let fired = self.inner.fire(state, step, out);
        if !fired.broken {
            let passes = self.inner.transient(out);
            let able = || self.listed.movers(&mut *self.inner, state);
            before.after(step, passes, able, out);
        }
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.inner.expands_fast() {
            return out.fill(self, at);
        }
        out.clear();
        let before = C::before(&mut *self.inner, at);
        let able = self.listed.movers(&mut *self.inner, C::cut(at));
        for (step, fired, state, passes) in self.listed.successors() {
            self.next.clear();
            self.next.extend_from_slice(state);
            if !fired.broken {
                before.after(step, passes, || able, &mut self.next);
            }
            out.push(step, fired, &self.next, passes);
        }
    }

    fn expands_fast(&self) -> bool {
        self.inner.expands_fast()
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.inner.transient(C::cut(at))
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner.stuck(C::cut(at))
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        C::accepting(&mut *self.inner, &mut self.listed, at)
    }
}
