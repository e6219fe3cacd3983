//! What a search by groups needs of a store, one handle for each worker.

use starwheel_model::Parts;
use starwheel_store::{Exactness, FlatSet, Inserted, StateId, StateSet, StateStore, Usage};

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Arrived {
    /// The state is new; its record has been written.
    New,
    /// The state was there already.
    Known,
    /// There is no room for it.
    Full,
}

/// A store as one worker sees it. Successors are staged first, then settled, so that their places in memory can be
/// fetched meanwhile. A *record* is what the frontier keeps of a state.
pub trait Memory: Send {
    /// Brings back the state of a record; the states staged next are its successors.
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>);

    /// Prepares the insertion of a state.
    fn stage(&mut self, state: &[u8], parts: &Parts);

    /// Inserts a staged state, by its number; if it is new, writes its record.
    fn settle(&mut self, number: usize, record: &mut Vec<u8>) -> Arrived;

    /// Forgets what is staged.
    fn clear(&mut self);

    /// How far the store can be believed.
    fn exactness(&self) -> Exactness;

    /// How much the store holds.
    fn usage(&self) -> Usage;
}

/// The plain store, for one worker. A record is the number of a state and its hidden bytes.
pub struct Flat {
    set: FlatSet,
    hidden: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Flat {
    /// An empty store for states with so many hidden bytes.
    pub fn new(limit: Option<u64>, hidden: usize) -> Flat {
        Flat { set: FlatSet::new(limit), hidden, bytes: Vec::new(), ends: Vec::new() }
    }
}

impl Memory for Flat {
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>) {
        at.clear();
        if let Some((id, hidden)) = record.split_first_chunk::<4>() {
            at.extend_from_slice(hidden);
            self.set.read(StateId(u32::from_le_bytes(*id)), at);
        }
    }

    fn stage(&mut self, state: &[u8], _: &Parts) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn settle(&mut self, number: usize, record: &mut Vec<u8>) -> Arrived {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let state = &self.bytes[start..self.ends[number]];
        match self.set.insert(&state[self.hidden..]) {
            Inserted::Full => Arrived::Full,
            Inserted::Known(_) => Arrived::Known,
            Inserted::New(id) => {
                record.clear();
                record.extend_from_slice(&id.0.to_le_bytes());
                record.extend_from_slice(&state[..self.hidden]);
                Arrived::New
            }
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn exactness(&self) -> Exactness {
        self.set.exactness()
    }

    fn usage(&self) -> Usage {
        self.set.usage()
    }
}
