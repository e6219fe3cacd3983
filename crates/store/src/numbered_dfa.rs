//! A minimised automaton whose states have numbers in the order of arrival, for searches that keep tables by state.
//!
//! The automaton says exactly whether a state is there, and it cannot give states back. The numbers are in a side table of
//! about ten bytes a state that knows only 32 bits of a hash, and is exact all the same: a new state whose hash is taken
//! already goes with its bytes into a second table. So whoever is in the automaton and not in the second table is the only
//! owner of its hash. Of ten million states about one in a thousand is there.

use crate::dfa::Dfa;
use crate::set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage, Visit, Visited};
use rapidhash::v3::rapidhash_v3;
use std::collections::HashMap;

/// Bytes of an entry of the table by hash, with the room that it leaves free.
const ENTRY: u64 = 10;
/// Bytes of an entry of the second table, besides the state.
const TWIN: u64 = 48;
/// The table by hash grows at least by so many entries.
const LEAST: usize = 64;

/// An exact set of states in the memory of one thread; it does not give its states back.
#[derive(Debug)]
pub struct NumberedDfa {
    states: Dfa,
    numbers: HashMap<u32, u32>,
    /// States whose hash belongs to an earlier one.
    twins: HashMap<Box<[u8]>, u32>,
    hash: fn(&[u8]) -> u32,
}

impl NumberedDfa {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> NumberedDfa {
        NumberedDfa::with_hash(limit, |state| rapidhash_v3(state) as u32)
    }

    /// The same with another hash: a bad one costs memory, and changes no answer.
    pub fn with_hash(limit: Option<u64>, hash: fn(&[u8]) -> u32) -> NumberedDfa {
        NumberedDfa { states: Dfa::new(limit), numbers: HashMap::new(), twins: HashMap::new(), hash }
    }

    /// The number of a state that is in the automaton.
    fn number(&self, state: &[u8]) -> Option<StateId> {
        let twin = if self.twins.is_empty() { None } else { self.twins.get(state) };
        twin.or_else(|| self.numbers.get(&(self.hash)(state))).copied().map(StateId)
    }

    /// Makes sure that there is room for one more number; false if there is none.
    fn make_room(&mut self) -> bool {
        if self.numbers.len() + self.twins.len() >= u32::MAX as usize {
            return false;
        }
        if self.numbers.len() == self.numbers.capacity() {
            let more = self.numbers.capacity().max(LEAST);
            if !self.states.take(more as u64 * ENTRY) || self.numbers.try_reserve(more).is_err() {
                return false;
            }
        }
        self.twins.try_reserve(1).is_ok()
    }

    /// Gives the next number to a state that is new.
    fn give(&mut self, state: &[u8]) -> StateId {
        let number = (self.numbers.len() + self.twins.len()) as u32;
        let first = *self.numbers.entry((self.hash)(state)).or_insert(number);
        if first != number {
            self.twins.insert(state.into(), number);
        }
        StateId(number)
    }
}

impl StateSet for NumberedDfa {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Visited::usage(&self.states)
    }

    fn besides(&self, bytes: u64) {
        self.states.besides(bytes);
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        // A twin is paid for before it is known whether there will be one, and paid back.
        let twin = state.len() as u64 + TWIN;
        if !self.make_room() || !self.states.take(twin) {
            return StateStore::lookup(self, state).map_or(Inserted::Full, Inserted::Known);
        }
        let twins = self.twins.len();
        let inserted = match Visited::insert(&mut self.states, &(), state, 0) {
            Visit::Full => Inserted::Full,
            Visit::Known(..) => self.number(state).map_or(Inserted::Full, Inserted::Known),
            Visit::New(()) => Inserted::New(self.give(state)),
        };
        if self.twins.len() == twins {
            self.states.give_back(twin);
        }
        inserted
    }
}

impl StateStore for NumberedDfa {
    const READS: bool = false;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        if self.states.contains(state) { self.number(state) } else { None }
    }

    fn read(&self, _id: StateId, _out: &mut Vec<u8>) {}
}
