//! An exact set of byte strings: the strings lie one after the other, and an open hash table finds them.
//!
//! Linear probing over a power of two of slots, as in Knuth, The Art of Computer Programming 3, 6.4, algorithm L. A slot
//! holds the number of a state and the upper half of its hash, so that a string is compared only if it is very
//! probably the right one. Hashes are computed again when the table grows: this reads the strings in order and saves
//! eight bytes a state.

use crate::prefetch::prefetch;
use crate::set::{Decode, Exactness, Inserted, Marked, StateId, StateSet, StateStore, Usage, Visit, Visited};
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
    /// By state: its marks, unless they have no bits.
    marks: Vec<u8>,
    mark_bits: u32,
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
        FlatSet::with_marks(limit, 0)
    }

    /// The same, with so many bits for the marks of each state, at most eight.
    pub fn with_marks(limit: Option<u64>, bits: u32) -> FlatSet {
        FlatSet {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: Vec::new(),
            marks: Vec::new(),
            mark_bits: bits.min(u8::BITS),
            limit: limit.unwrap_or(u64::MAX),
        }
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
        self.total().saturating_add(bytes as u64 + END_BYTES + 1) <= self.limit
            && self.bytes.try_reserve(bytes).is_ok()
            && self.marks.try_reserve(1).is_ok()
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
        let lists = self.bytes.len() as u64 + self.marks.len() as u64 + self.ends.len() as u64 * END_BYTES;
        lists + self.table.len() as u64 * SLOT_BYTES
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
        self.insert_hashed(state, rapidhash_v3(state), 0)
    }
}

impl FlatSet {
    fn insert_hashed(&mut self, state: &[u8], hash: u64, marks: u8) -> Inserted {
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
        if self.mark_bits > 0 {
            self.marks.push(marks & self.mark_mask());
        }
        self.table[place] = Slot { tag: tag(hash), state: id.0 };
        Inserted::New(id)
    }

    fn lookup_hashed(&self, state: &[u8], hash: u64) -> Option<StateId> {
        if self.table.is_empty() {
            return None;
        }
        let slot = self.table[self.find(state, hash)];
        (!slot.is_free()).then_some(StateId(slot.state))
    }

    fn mark_mask(&self) -> u8 {
        ((1u32 << self.mark_bits) - 1) as u8
    }

    fn marks_of(&self, id: StateId) -> u8 {
        self.marks.get(id.index()).copied().unwrap_or(0)
    }
}

impl StateStore for FlatSet {
    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        self.lookup_hashed(state, rapidhash_v3(state))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get(id));
    }
}

/// A state and its hash.
#[derive(Clone, Copy, Debug)]
pub struct FlatKey(u64);

impl Visited for FlatSet {
    type Key = FlatKey;
    type Ref = StateId;
    type Path = ();

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        StateSet::usage(self)
    }

    fn prepare(&mut self, state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<FlatKey> {
        Some(FlatKey(rapidhash_v3(state)))
    }

    fn prefetch(&mut self, key: &mut FlatKey) {
        if !self.table.is_empty() {
            prefetch(&self.table, key.0 as usize & (self.table.len() - 1));
        }
    }

    fn insert(&mut self, key: &FlatKey, state: &[u8], marks: u8) -> Visit<StateId> {
        match self.insert_hashed(state, key.0, marks) {
            Inserted::New(id) => Visit::New(id),
            Inserted::Known(id) => Visit::Known(id, self.marks_of(id)),
            Inserted::Full => Visit::Full,
        }
    }

    fn lookup(&mut self, key: &FlatKey, state: &[u8]) -> Option<(StateId, u8)> {
        self.lookup_hashed(state, key.0).map(|id| (id, self.marks_of(id)))
    }
}

impl Marked for FlatSet {
    fn mark_bits(&self) -> u32 {
        self.mark_bits
    }

    fn marks(&mut self, at: StateId) -> Option<u8> {
        (at.index() < self.ends.len()).then(|| self.marks_of(at))
    }

    fn change_marks(&mut self, at: StateId, keep: u8, set: u8) -> Option<u8> {
        let (old, mask) = (Marked::marks(self, at)?, self.mark_mask());
        if let Some(marks) = self.marks.get_mut(at.index()) {
            *marks = (old & keep | set) & mask;
        }
        Some(old)
    }
}

impl Decode for FlatSet {
    fn resume(&mut self, _at: StateId, _path: &mut ()) {}

    fn decode(&mut self, at: StateId, state: &mut Vec<u8>, _path: &mut ()) -> bool {
        state.clear();
        state.extend_from_slice(self.get(at));
        at.index() < self.ends.len()
    }
}
