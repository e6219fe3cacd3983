//! An exact set of byte strings: the strings lie one after the other, and an open hash table finds them.
//!
//! Linear probing over a power of two of slots, as in Knuth, The Art of Computer Programming 3, 6.4, algorithm L. A slot
//! holds the number of a state and the upper half of its hash, so that a string is compared only if it is very
//! probably the right one. Hashes are computed again when the table grows: this reads the strings in order and saves
//! eight bytes a state.

use crate::set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use rapidhash::v3::rapidhash_v3;

const FIRST_SLOTS: usize = 64;
const SLOT_BYTES: u64 = size_of::<Slot>() as u64;
const END_BYTES: u64 = size_of::<u64>() as u64;

/// An exact set of states in the memory of one thread.
#[derive(Debug)]
pub struct FlatSet {
    /// All strings, one after the other.
    bytes: Vec<u8>,
    /// By state: where its string ends, which is where the next one starts.
    ends: Vec<u64>,
    /// A power of two of slots, or none at all before the first insertion; at least one slot is free.
    table: Vec<Slot>,
    limit: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    tag: u32,
    state: u32,
}

impl Slot {
    /// No state has the greatest number.
    const FREE: Slot = Slot { tag: 0, state: u32::MAX };

    fn is_free(self) -> bool {
        self.state == u32::MAX
    }
}

impl Default for FlatSet {
    fn default() -> FlatSet {
        FlatSet::new(None)
    }
}

impl FlatSet {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> FlatSet {
        FlatSet { bytes: Vec::new(), ends: Vec::new(), table: Vec::new(), limit: limit.unwrap_or(u64::MAX) }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no state.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The state with this number, or an empty string if there is none.
    pub fn get(&self, id: StateId) -> &[u8] {
        let Some(&end) = self.ends.get(id.index()) else { return &[] };
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] };
        &self.bytes[start as usize..end as usize]
    }

    /// The slot of a state that is equal to this one, or the free slot where it belongs.
    fn find(&self, state: &[u8], hash: u64) -> usize {
        let (mask, tag) = (self.table.len() - 1, tag(hash));
        let mut place = hash as usize & mask;
        loop {
            let slot = self.table[place];
            if slot.is_free() || slot.tag == tag && self.get(StateId(slot.state)) == state {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// Makes sure that one more state of this many bytes fits; false if it cannot.
    fn make_room(&mut self, bytes: usize) -> bool {
        if self.ends.len() >= u32::MAX as usize {
            return false;
        }
        // Three quarters is where probing gets slow. If the table may not grow, it is still of use until almost full.
        let (slots, used) = (self.table.len(), self.ends.len() + 1);
        if used > slots / 4 * 3 && !self.grow(bytes) && used > slots / 16 * 15 {
            return false;
        }
        self.total().saturating_add(bytes as u64 + END_BYTES) <= self.limit
            && self.bytes.try_reserve(bytes).is_ok()
            && self.ends.try_reserve(1).is_ok()
    }

    /// Doubles the table; false if there is no memory for it beside the old one and `spare` bytes.
    fn grow(&mut self, spare: usize) -> bool {
        let Some(slots) = (self.table.len() * 2).max(FIRST_SLOTS).checked_next_power_of_two() else { return false };
        let more = slots as u64 * SLOT_BYTES + spare as u64 + END_BYTES;
        let mut table: Vec<Slot> = Vec::new();
        if self.total().saturating_add(more) > self.limit || table.try_reserve_exact(slots).is_err() {
            return false;
        }
        table.resize(slots, Slot::FREE);
        for state in 0..self.ends.len() as u32 {
            let hash = rapidhash_v3(self.get(StateId(state)));
            let mut place = hash as usize & (slots - 1);
            while !table[place].is_free() {
                place = (place + 1) & (slots - 1);
            }
            table[place] = Slot { tag: tag(hash), state };
        }
        self.table = table;
        true
    }

    fn total(&self) -> u64 {
        self.bytes.len() as u64 + self.ends.len() as u64 * END_BYTES + self.table.len() as u64 * SLOT_BYTES
    }
}

/// The half of a hash that a slot keeps; the other half chooses the slot.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl StateSet for FlatSet {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.ends.len() as u64, bytes: self.total() }
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        let hash = rapidhash_v3(state);
        let slots = self.table.len();
        let mut place = 0;
        if slots > 0 {
            place = self.find(state, hash);
            let slot = self.table[place];
            if !slot.is_free() {
                return Inserted::Known(StateId(slot.state));
            }
        }
        if !self.make_room(state.len()) {
            return Inserted::Full;
        }
        if self.table.len() != slots {
            place = self.find(state, hash);
        }
        let id = StateId(self.ends.len() as u32);
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len() as u64);
        self.table[place] = Slot { tag: tag(hash), state: id.0 };
        Inserted::New(id)
    }
}

impl StateStore for FlatSet {
    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        if self.table.is_empty() {
            return None;
        }
        let slot = self.table[self.find(state, rapidhash_v3(state))];
        (!slot.is_free()).then_some(StateId(slot.state))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get(id));
    }
}
