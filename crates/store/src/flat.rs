//! An exact set of byte strings: the strings lie one after the other, and an open hash table finds them.
//!
//! Linear probing over a power of two of slots, as in Knuth, The Art of Computer Programming 3, 6.4, algorithm L. A slot
//! holds the number of a state and half of its hash, so that a string is compared only if it is very probably the right one.
//! The upper bits of that half are also the place where the search for it begins. So a table grows without a look at the
//! strings, and its slots move in order. At most half of them are used, so that most searches end at once.

#![allow(unsafe_code)]

mod archive;
mod keyed;
mod room;

use crate::set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use crate::strings::{Short, hash};
pub use keyed::FlatKey;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

/// States that are looked for together.
const TOGETHER: usize = 16;
/// Strings of any length.
const ANY: Short<0> = Short::any();

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

    /// Changes the limit; one that is below what is used already only ends growth.
    pub(crate) fn set_limit(&mut self, limit: u64) {
        // What is sure was so under the limit before.
        (self.limit, self.sure) = (limit, 0);
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
        // SAFETY: a slot that is not free has the number of a state that is there.
        self.find_by(tag, |number| short.same(unsafe { self.get_unchecked(number) }, state))
    }

    /// The same, given what says whether it is the state with some number.
    #[inline(always)]
    fn find_by(&self, tag: u32, same: impl Fn(u32) -> bool) -> Result<StateId, usize> {
        let (table, last) = (&self.table[..], self.table.len() - 1);
        let mut place = self.home(tag);
        loop {
            debug_assert!(place <= last);
            // SAFETY: there are 2^(32 - shift) slots, so that no tag belongs behind the last one, and the next place is masked.
            let slot = unsafe { *table.get_unchecked(place) };
            if slot.is_free() {
                return Err(place);
            }
            if slot.tag == tag && same(slot.state) {
                return Ok(StateId(slot.state));
            }
            place = (place + 1) & last;
        }
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

    /// The length of all states, as long as they have the same; zero if there is none.
    #[inline(always)]
    pub fn common_length(&self) -> usize {
        if self.ends.is_none() { self.width } else { 0 }
    }

    /// Inserts states of one length, which is not zero, that lie one behind the other, and tells the number of each new one. How
    /// many were new; none if there was no room for one of them.
    #[inline(always)]
    pub fn insert_all(&mut self, states: &[u8], len: usize, new: impl FnMut(StateId)) -> Option<u64> {
        match len.div_ceil(16) {
            _ if len != self.common_length() => self.insert_pieces::<0>(states, len, new),
            2 => self.insert_pieces::<2>(states, len, new),
            3 => self.insert_pieces::<3>(states, len, new),
            4 => self.insert_pieces::<4>(states, len, new),
            5 => self.insert_pieces::<5>(states, len, new),
            6 => self.insert_pieces::<6>(states, len, new),
            _ => self.insert_pieces::<0>(states, len, new),
        }
    }

    /// The same; if so many pieces are known, all states that are there have this length.
    #[inline(never)]
    fn insert_pieces<const P: usize>(
        &mut self,
        mut states: &[u8],
        len: usize,
        mut new: impl FnMut(StateId),
    ) -> Option<u64> {
        let (short, before) = (Short::<P>::of(len)?, self.count);
        debug_assert!(len > 0 && states.len().is_multiple_of(len) && (P == 0 || self.common_length() == len));
        let mut keys = [const { MaybeUninit::<u64>::uninit() }; TOGETHER];
        while states.len() >= len {
            let (mut ahead, mut count) = (states, 0);
            while count < TOGETHER && ahead.len() >= len {
                // SAFETY: it is as long.
                let (state, behind) = unsafe { ahead.split_at_unchecked(len) };
                let key = short.hash(state);
                self.prefetch_slot(&FlatKey(key));
                keys[count].write(key);
                (ahead, count) = (behind, count + 1);
            }
            for key in &keys[..count] {
                // SAFETY: as above, for as many states and keys.
                let (state, behind, key) = unsafe {
                    let (state, behind) = states.split_at_unchecked(len);
                    (state, behind, key.assume_init())
                };
                states = behind;
                let found = match P {
                    0 => self.find(state, tag(key), short),
                    // SAFETY: there is a state with the number of a slot that is not free, and all of them have this length.
                    _ => self.find_by(tag(key), |number| short.same(unsafe { self.get_even(number, len) }, state)),
                };
                if let Err(place) = found {
                    match self.add(place, state, (key, 0), short) {
                        Inserted::New(id) => new(id),
                        _ => return None,
                    }
                }
            }
        }
        Some((self.count - before) as u64)
    }

    /// The state with this number.
    ///
    /// # Safety
    /// There is one, and all states have this length.
    #[inline(always)]
    unsafe fn get_even(&self, number: u32, len: usize) -> &[u8] {
        debug_assert!((number as usize) < self.count && self.common_length() == len);
        // SAFETY: as many strings of this length lie there as there are states.
        unsafe { self.bytes.get_unchecked(number as usize * len..).get_unchecked(..len) }
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
    const READS: bool = true;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        self.lookup_hashed(state, hash(state))
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get(id));
    }
}
