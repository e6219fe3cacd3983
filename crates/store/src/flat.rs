//! An exact set of byte strings: the strings lie one after the other, and an open hash table finds them.
//!
//! Linear probing over a power of two of slots, as in Knuth, The Art of Computer Programming 3, 6.4, algorithm L. A slot
//! holds the number of a state and half of its hash, so that a string is compared only if it is very probably the right one.
//! The upper bits of that half are also the place where the search for it begins. So a table grows without a look at the
//! strings, and its slots move in order. At most half of them are used, so that most searches end at once.

#![allow(unsafe_code)]

mod archive;

use crate::pages::filled;
use crate::prefetch::prefetch;
use crate::set::{Decode, Exactness, Inserted, Marked, StateId, StateSet, StateStore, Usage, Visit, Visited};
use crate::strings::{Short, hash};
use std::sync::atomic::{AtomicU64, Ordering};

const FIRST_SLOTS: usize = 64;
/// A table grows twice as fast up to so many slots.
const LARGE: usize = 1 << 18;
const SLOT_BYTES: u64 = size_of::<Slot>() as u64;
const END_BYTES: u64 = size_of::<u64>() as u64;
/// States that are looked for together.
const TOGETHER: usize = 16;
/// Strings of any length.
const ANY: Short<0> = Short::any();
/// States between two looks at the limit.
const PERIOD: usize = 1 << 10;

/// An exact set of states in the memory of one thread.
#[derive(Debug)]
pub struct FlatSet {
    /// All strings, one after the other.
    bytes: Vec<u8>,
    /// The number of strings.
    count: usize,
    /// The length of all strings, as long as they have the same.
    width: usize,
    /// By state, once their lengths differ: where its string ends, which is where the next one starts.
    ends: Option<Vec<u64>>,
    /// A power of two of slots; at least one is free.
    table: Vec<Slot>,
    /// The bits of a tag below those that say where it belongs.
    shift: u32,
    /// So many more states of the common length fit without a look at any limit.
    sure: usize,
    /// By state: its marks, unless they have no bits.
    marks: Vec<u8>,
    mark_bits: u32,
    /// True if there are marks or ends.
    listed: bool,
    limit: u64,
    /// Bytes that the program uses besides; the limit is for all together.
    besides: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    tag: u32,
    state: u32,
}

impl Slot {
    /// No state has the greatest number.
    const FREE: Slot = Slot { tag: 0, state: u32::MAX };

    #[inline(always)]
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
            count: 0,
            width: 0,
            ends: None,
            table: vec![Slot::FREE],
            shift: u32::BITS,
            sure: 0,
            marks: Vec::new(),
            mark_bits: bits.min(u8::BITS),
            listed: bits > 0,
            limit: limit.unwrap_or(u64::MAX),
            besides: AtomicU64::new(0),
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is no state.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The state with this number, or an empty string if there is none.
    #[inline(always)]
    pub fn get(&self, id: StateId) -> &[u8] {
        match &self.ends {
            None => self.bytes.get(id.index() * self.width..(id.index() + 1) * self.width).unwrap_or(&[]),
            Some(ends) => self.between(ends, id),
        }
    }

    /// The state with this number.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    unsafe fn get_unchecked(&self, number: u32) -> &[u8] {
        debug_assert!((number as usize) < self.count);
        match &self.ends {
            // SAFETY: as many strings of this width lie there as there are states.
            None => unsafe { self.bytes.get_unchecked(number as usize * self.width..).get_unchecked(..self.width) },
            Some(ends) => self.between(ends, StateId(number)),
        }
    }

    fn between(&self, ends: &[u64], id: StateId) -> &[u8] {
        let Some(&end) = ends.get(id.index()) else { return &[] };
        let start = if id.0 == 0 { 0 } else { ends[id.index() - 1] };
        &self.bytes[start as usize..end as usize]
    }

    /// Where the search for a tag begins.
    #[inline(always)]
    fn home(&self, tag: u32) -> usize {
        (u64::from(tag) >> self.shift) as usize
    }

    /// The number of a state that is equal to this one, or the free slot where it belongs.
    #[inline(always)]
    fn find<const P: usize>(&self, state: &[u8], tag: u32, short: Short<P>) -> Result<StateId, usize> {
        let (table, last) = (&self.table[..], self.table.len() - 1);
        let mut place = self.home(tag);
        loop {
            debug_assert!(place <= last);
            // SAFETY: there are 2^(32 - shift) slots, so that no tag belongs behind the last one, and the next place is masked.
            let slot = unsafe { *table.get_unchecked(place) };
            if slot.is_free() {
                return Err(place);
            }
            // SAFETY: a slot that is not free has the number of a state that is there.
            if slot.tag == tag && short.same(unsafe { self.get_unchecked(slot.state) }, state) {
                return Ok(StateId(slot.state));
            }
            place = (place + 1) & last;
        }
    }

    /// Makes sure that one more state of this many bytes fits, and maybe others; false if it cannot.
    #[cold]
    fn make_room(&mut self, bytes: usize) -> bool {
        self.sure = 0;
        if self.count >= u32::MAX as usize {
            return false;
        }
        // If the table may not grow, it is still of use until almost full.
        let used = self.count + 1;
        if used > self.table.len() / 2 && !self.grow(bytes) && used > self.table.len() / 16 * 15 {
            return false;
        }
        let even = self.ends.is_none() && (self.count == 0 || bytes == self.width);
        // Where strings end is written down from now on, also for those that are there.
        let ends = if even { 0 } else { used - self.ends.as_ref().map_or(0, Vec::len) };
        let more = bytes as u64 + 1 + ends as u64 * END_BYTES;
        let Some(spare) = self.allowed().checked_sub(self.total().saturating_add(more)) else { return false };
        if self.bytes.try_reserve(bytes).is_err() || self.marks.try_reserve(1).is_err() || !even && !self.note(ends) {
            return false;
        }
        (self.width, self.sure, self.listed) = (bytes, 1, self.listed || !even);
        if even {
            let room = (self.bytes.capacity() - self.bytes.len() - bytes).checked_div(bytes).unwrap_or(0);
            let marks = if self.mark_bits > 0 { self.marks.capacity() - self.marks.len() - 1 } else { usize::MAX };
            let slots = (self.table.len() / 2).saturating_sub(used);
            let spare = usize::try_from(spare / more).unwrap_or(usize::MAX);
            self.sure += [PERIOD, room, marks, slots, spare].into_iter().min().unwrap_or(0);
        }
        true
    }

    /// Makes room in the list of ends for so many more, and writes down those of the states that are there.
    fn note(&mut self, more: usize) -> bool {
        let ends = self.ends.get_or_insert_default();
        if ends.try_reserve(more).is_err() {
            return false;
        }
        let width = self.width as u64;
        ends.extend((ends.len()..self.count).map(|state| (state as u64 + 1) * width));
        true
    }

    /// Makes the table larger; false if there is no memory for it beside the old one and `spare` bytes.
    fn grow(&mut self, spare: usize) -> bool {
        let times = if self.table.len() < LARGE { 4 } else { 2 };
        let slots = (self.table.len() * times).max(FIRST_SLOTS);
        let more = slots as u64 * SLOT_BYTES + spare as u64 + END_BYTES;
        if slots.ilog2() > u32::BITS || self.total().saturating_add(more) > self.allowed() {
            return false;
        }
        let Some(table) = filled(slots, || Slot::FREE) else { return false };
        self.shift = u32::BITS - slots.ilog2();
        for slot in std::mem::replace(&mut self.table, table) {
            if !slot.is_free() {
                let mut place = self.home(slot.tag);
                while !self.table[place].is_free() {
                    place = (place + 1) & (slots - 1);
                }
                self.table[place] = slot;
            }
        }
        true
    }

    /// What the limit leaves for this set.
    fn allowed(&self) -> u64 {
        self.limit.saturating_sub(self.besides.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn total(&self) -> u64 {
        let ends = self.ends.as_ref().map_or(0, Vec::len) as u64;
        // The one slot of an empty set does not count.
        let slots = self.table.len() as u64 & !1;
        self.bytes.len() as u64 + self.marks.len() as u64 + ends * END_BYTES + slots * SLOT_BYTES
    }
}

/// The half of a hash that a slot keeps.
#[inline(always)]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl StateSet for FlatSet {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.count as u64, bytes: self.total() }
    }

    fn besides(&self, bytes: u64) {
        self.besides.store(bytes, Ordering::Relaxed);
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.insert_hashed(state, hash(state), 0)
    }
}

impl FlatSet {
    #[inline(always)]
    fn insert_hashed(&mut self, state: &[u8], hash: u64, marks: u8) -> Inserted {
        self.insert_short(state, hash, marks, ANY)
    }

    #[inline(always)]
    fn insert_short<const P: usize>(&mut self, state: &[u8], hash: u64, marks: u8, short: Short<P>) -> Inserted {
        match self.find(state, tag(hash), short) {
            Ok(id) => Inserted::Known(id),
            Err(place) => self.add(place, state, (hash, marks), short),
        }
    }

    /// Adds a state, given the slot where it belongs.
    #[inline(always)]
    fn add<const P: usize>(
        &mut self,
        mut place: usize,
        state: &[u8],
        (hash, marks): (u64, u8),
        short: Short<P>,
    ) -> Inserted {
        if self.sure == 0 || state.len() != self.width {
            if !self.make_room(state.len()) {
                return Inserted::Full;
            }
            place = self.find(state, tag(hash), ANY).err().unwrap_or(0);
        }
        self.sure -= 1;
        let id = StateId(self.count as u32);
        self.count += 1;
        // SAFETY: `make_room` has seen to it, now or for all of the next states that are as long.
        unsafe { short.append(&mut self.bytes, state) };
        if self.listed {
            self.list(marks);
        }
        // SAFETY: `find` gave the place.
        unsafe { *self.table.get_unchecked_mut(place) = Slot { tag: tag(hash), state: id.0 } };
        Inserted::New(id)
    }

    /// Inserts states of one length that lie one behind the other, and tells of each new one, with its number among them. How
    /// many were new; none if there was no room for one of them.
    pub fn insert_all(&mut self, states: &[u8], len: usize, new: impl FnMut(StateId)) -> Option<u64> {
        match len.div_ceil(16) {
            2 => self.insert_pieces::<2>(states, len, new),
            3 => self.insert_pieces::<3>(states, len, new),
            4 => self.insert_pieces::<4>(states, len, new),
            5 => self.insert_pieces::<5>(states, len, new),
            6 => self.insert_pieces::<6>(states, len, new),
            _ => self.insert_pieces::<0>(states, len, new),
        }
    }

    #[inline(never)]
    fn insert_pieces<const P: usize>(
        &mut self,
        states: &[u8],
        len: usize,
        mut new: impl FnMut(StateId),
    ) -> Option<u64> {
        let (short, before) = (Short::<P>::of(len)?, self.count);
        let mut keys = [0; TOGETHER];
        for some in states.chunks(len * TOGETHER) {
            for (state, key) in some.chunks_exact(len).zip(&mut keys) {
                *key = short.hash(state);
                self.prefetch_slot(&FlatKey(*key));
            }
            for (state, key) in some.chunks_exact(len).zip(&keys) {
                match self.insert_short(state, *key, 0, short) {
                    Inserted::Known(_) => {}
                    Inserted::New(id) => new(id),
                    Inserted::Full => return None,
                }
            }
        }
        Some((self.count - before) as u64)
    }

    /// Writes down where the last state ends, and its marks.
    fn list(&mut self, marks: u8) {
        if let Some(ends) = &mut self.ends {
            ends.push(self.bytes.len() as u64);
        }
        if self.mark_bits > 0 {
            self.marks.push(marks & self.mark_mask());
        }
    }

    fn lookup_hashed(&self, state: &[u8], hash: u64) -> Option<StateId> {
        self.find(state, tag(hash), ANY).ok()
    }

    fn mark_mask(&self) -> u8 {
        ((1u32 << self.mark_bits) - 1) as u8
    }

    /// The marks of a state.
    #[inline(always)]
    pub fn marks_of(&self, id: StateId) -> u8 {
        self.marks.get(id.index()).copied().unwrap_or(0)
    }
}

impl StateStore for FlatSet {
    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        self.lookup_hashed(state, hash(state))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get(id));
    }
}

impl FlatKey {
    /// The key of a state.
    #[inline(always)]
    pub fn of(state: &[u8]) -> FlatKey {
        FlatKey(hash(state))
    }
}

impl FlatSet {
    /// As [`StateSet::insert`], with the key of the state.
    #[inline(always)]
    pub fn insert_keyed(&mut self, key: &FlatKey, state: &[u8]) -> Inserted {
        self.insert_hashed(state, key.0, 0)
    }

    /// As [`StateStore::lookup`], with the key of the state.
    pub fn lookup_keyed(&self, key: &FlatKey, state: &[u8]) -> Option<StateId> {
        self.lookup_hashed(state, key.0)
    }

    /// Asks for the slot that a key probably has.
    #[inline(always)]
    pub fn prefetch_slot(&self, key: &FlatKey) {
        prefetch(&self.table, self.home(tag(key.0)));
    }

    /// Asks for the bytes of the state that a key probably means; to be called a while after [`Visited::prefetch`].
    pub fn prefetch_bytes(&self, key: &FlatKey) {
        let slot = self.table[self.home(tag(key.0))];
        if !slot.is_free() && slot.tag == tag(key.0) && self.ends.is_none() {
            prefetch(&self.bytes, slot.state as usize * self.width);
        }
    }
}

/// The hash of a state.
#[derive(Clone, Copy, Debug)]
pub struct FlatKey(pub u64);

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

    fn besides(&self, bytes: u64) {
        self.besides.store(bytes, Ordering::Relaxed);
    }

    #[inline(always)]
    fn prepare(&mut self, state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<FlatKey> {
        Some(FlatKey(hash(state)))
    }

    #[inline(always)]
    fn prefetch(&mut self, key: &mut FlatKey) {
        self.prefetch_slot(key);
    }

    #[inline(always)]
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
        (at.index() < self.count).then(|| self.marks_of(at))
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
    const READY: bool = true;

    fn resume(&mut self, _at: StateId, _path: &mut ()) {}

    #[inline(always)]
    fn decode(&mut self, at: StateId, state: &mut Vec<u8>, _path: &mut ()) -> bool {
        state.clear();
        state.extend_from_slice(self.get(at));
        at.index() < self.count
    }
}
