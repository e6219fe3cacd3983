//! A system whose states also tell who has moved and who could have, since the last stored state.
//!
//! The marks lie behind the bytes of a state. In a stored state they are those of the way that led there, and the store
//! ([`Trailing`]) does not see them.

use super::carried::{Carried, Carrier, Trailer};
use super::{Listed, PidSet};
use starwheel_model::{Behind, Step, Stepper, System};
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

around!(Marked, Marks);

impl Trailer for Marks {
    fn cut(state: &[u8]) -> &[u8] {
        split(state).0
    }

    fn restore(out: &mut Vec<u8>) {
        Marks::NONE.write(out);
    }
}

impl Carried for Marks {
    /// Behind a stored state are the marks of the way to it; those of the way from it begin anew.
    fn before(inner: &mut dyn Stepper, at: &[u8]) -> Marks {
        if inner.transient(split(at).0) { Marks::of(at) } else { Marks::NONE }
    }

    fn after(mut self, step: Step, _passes: bool, able: impl FnOnce() -> PidSet, out: &mut Vec<u8>) {
        if !step.actor.is_claim() && !self.chosen {
            self.able = able();
            self.chosen = true;
        }
        self.moved.add_movers(step);
        self.write(out);
    }

    fn accepting(inner: &mut dyn Stepper, _listed: &mut Listed, at: &[u8]) -> bool {
        inner.accepting(split(at).0)
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
