//! Remembers what came of changing words of a side, so that the same change need not be folded again.
//!
//! The number of a side says everything about it. So a change of one or two of its words leads to the same
//! number whenever it happens, which is once for each different other side. A direct-mapped cache of such changes saves
//! most look-ups in the tables. Each handle has its own; it starts small and grows with the store
//! to the size of a second-level cache.

use crate::budget::Budget;
use crate::words::fold;

/// Entries at first and at most, as powers of two.
const FIRST: u32 = 4;
const LAST: u32 = 14;
/// One part in so many of all memory.
const SHARE: u64 = 4;

/// Which words of a side change to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Change {
    /// The side's number, which side it is, the positions of one or two words; never zero.
    what: u64,
    words: [u64; 2],
}

/// The cache.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// A power of two of entries, or none.
    entries: Vec<(Change, u32)>,
    misses: usize,
}

/// All positions are smaller.
const POSITIONS: u32 = 1 << 15;

impl Change {
    /// A change of one word, given by its position. `side` is zero or one. None if it is too far from the front.
    #[inline(always)]
    pub fn one(side: usize, number: u32, (at, word): (u32, u64)) -> Option<Change> {
        let what = u64::from(number) | (side as u64) << 31 | u64::from(at | POSITIONS) << 32;
        (at < POSITIONS).then_some(Change { what, words: [word, 0] })
    }

    /// A change of two words.
    #[inline(always)]
    pub fn two(side: usize, number: u32, first: (u32, u64), second: (u32, u64)) -> Option<Change> {
        let what = Change::one(side, number, first)?.what | u64::from(second.0 | POSITIONS) << 48;
        (second.0 < POSITIONS).then_some(Change { what, words: [first.1, second.1] })
    }
}

impl Memo {
    /// The number of the changed side, if this change was seen lately.
    #[inline(always)]
    pub fn get(&self, change: &Change) -> Option<u32> {
        let (known, number) = self.entries.get(self.place(change))?;
        (known == change).then_some(*number)
    }

    /// Remembers the number of a changed side.
    #[cold]
    pub fn put(&mut self, change: &Change, number: u32, budget: &Budget) {
        self.misses += 1;
        if self.misses > self.entries.len() && self.entries.len() < 1 << LAST {
            self.grow(budget);
        }
        let place = self.place(change);
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = (*change, number);
        }
    }

    /// Gives its memory back.
    pub fn clear(&mut self, budget: &Budget) {
        budget.give_back(bytes(self.entries.len()));
        *self = Memo::default();
    }

    /// Forgets everything and has twice the room, if there is memory.
    fn grow(&mut self, budget: &Budget) {
        let (old, size) = (self.entries.len(), (self.entries.len() * 2).max(1 << FIRST));
        self.misses = 0;
        // A small store should stay small.
        if bytes(size) > budget.used() / SHARE || !budget.take(bytes(size)) {
            return;
        }
        let mut entries = Vec::new();
        if entries.try_reserve_exact(size).is_err() {
            budget.give_back(bytes(size));
            return;
        }
        entries.resize(size, (Change::default(), 0));
        self.entries = entries;
        budget.give_back(bytes(old));
    }

    #[inline(always)]
    fn place(&self, change: &Change) -> usize {
        let [first, second] = change.words;
        let hash = fold(change.what ^ first, 0x9e37_79b9_7f4a_7c15 ^ second.wrapping_mul(0xd6e8_feb8_6659_fd93));
        (hash ^ hash >> 32) as usize & self.entries.len().wrapping_sub(1)
    }
}

fn bytes(entries: usize) -> u64 {
    (entries * size_of::<(Change, u32)>()) as u64
}
