//! A system whose states also tell who has moved and who could have, since the last stored state.
//!
//! The marks lie behind the bytes of a state. In a stored state they are those of the way that led there, and the store
//! ([`Trailing`]) does not see them.

use super::{Listed, PidSet};
use starwheel_model::{Batch, Behind, Fired, Step, Stepper, System, Violation};
use starwheel_store::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use std::marker::PhantomData;

/// The number of bytes behind a state.
pub const TRAILER: usize = 2 * PidSet::BYTES + 1;

/// The fairness of a way between two stored states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marks {
    /// The processes that moved.
    pub moved: PidSet,
    /// Those that could, where all might choose.
    pub able: PidSet,
    /// True once they have chosen.
    chosen: bool,
}

impl Marks {
    const NONE: Marks = Marks { moved: PidSet::EMPTY, able: PidSet::EMPTY, chosen: false };

    /// The marks behind a state.
    pub fn of(state: &[u8]) -> Marks {
        let (_, trailer) = split(state);
        let (moved, rest) = trailer.split_at(PidSet::BYTES.min(trailer.len()));
        let (able, chosen) = rest.split_at(PidSet::BYTES.min(rest.len()));
        Marks { moved: PidSet::from_bytes(moved), able: PidSet::from_bytes(able), chosen: chosen == [1] }
    }

    /// Those to whom a run that takes this way again and again is weakly fair.
    pub fn satisfied(self) -> PidSet {
        self.moved.or(PidSet::ALL.without(self.able))
    }

    /// The marks after one more step. `able` are the processes that can move before it. Behind a stored state are the
    /// marks of the way to it; those begin anew.
    fn after(mut self, step: Step, able: impl FnOnce() -> PidSet) -> Marks {
        if !step.actor.is_claim() && !self.chosen {
            self.able = able();
            self.chosen = true;
        }
        self.moved.add_movers(step);
        self
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.moved.to_bytes());
        out.extend_from_slice(&self.able.to_bytes());
        out.push(u8::from(self.chosen));
    }
}

/// The state itself and what lies behind it.
fn split(state: &[u8]) -> (&[u8], &[u8]) {
    state.split_at(state.len().saturating_sub(TRAILER))
}

/// A system with marks.
#[derive(Clone, Copy)]
pub struct Marked<'a>(pub &'a dyn System);

around!(Marked, Marker);

struct Marker<'a> {
    inner: Box<dyn Stepper + 'a>,
    listed: Listed,
    /// Scratch memory.
    next: Vec<u8>,
}

impl Stepper for Marker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.initial(out);
        Marks::NONE.write(out);
        fired
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        out.clear();
        out.extend_from_slice(self.listed.steps(&mut *self.inner, split(at).0));
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner.lists(split(at).0, step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.omitted(split(at).0, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let state = split(at).0;
        let fired = self.inner.fire(state, step, out);
        let marks = if self.inner.transient(state) { Marks::of(at) } else { Marks::NONE };
        marks.after(step, || self.listed.movers(&mut *self.inner, state)).write(out);
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.inner.expands_fast() {
            return out.fill(self, at);
        }
        out.clear();
        let state = split(at).0;
        let marks = if self.inner.transient(state) { Marks::of(at) } else { Marks::NONE };
        let able = self.listed.movers(&mut *self.inner, state);
        for (step, fired, state, passes) in self.listed.successors() {
            self.next.clear();
            self.next.extend_from_slice(state);
            marks.after(step, || able).write(&mut self.next);
            out.push(step, fired, &self.next, passes);
        }
    }

    fn expands_fast(&self) -> bool {
        self.inner.expands_fast()
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.inner.transient(split(at).0)
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner.stuck(split(at).0)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.inner.accepting(split(at).0)
    }
}

/// What lies behind the states of a system, and a store does not see.
pub trait Trailer {
    /// The state itself.
    fn cut(state: &[u8]) -> &[u8];

    /// Puts behind a state what lies there if nothing is known.
    fn restore(out: &mut Vec<u8>);
}

impl Trailer for Marks {
    fn cut(state: &[u8]) -> &[u8] {
        split(state).0
    }

    fn restore(out: &mut Vec<u8>) {
        Marks::NONE.write(out);
    }
}

/// A store that does not see what lies behind a state.
#[derive(Debug)]
pub struct Trailing<S, T = Marks>(pub S, PhantomData<T>);

impl<S, T> Trailing<S, T> {
    /// Around a store.
    pub fn around(store: S) -> Trailing<S, T> {
        Trailing(store, PhantomData)
    }
}

impl<S> Trailing<S> {
    /// A store that does not see marks.
    pub fn new(store: S) -> Trailing<S> {
        Trailing::around(store)
    }
}

impl<S: StateSet, T: Trailer> StateSet for Trailing<S, T> {
    fn exactness(&self) -> Exactness {
        self.0.exactness()
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }

    fn besides(&self, bytes: u64) {
        self.0.besides(bytes);
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.0.insert(T::cut(state))
    }
}

impl<S: StateStore, T: Trailer> StateStore for Trailing<S, T> {
    const READS: bool = S::READS;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        self.0.lookup(T::cut(state))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        self.0.read(id, out);
        T::restore(out);
    }
}
