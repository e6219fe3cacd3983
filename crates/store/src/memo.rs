//! Remembers what came of changing units of a side, so that the same change need not be folded again.
//!
//! The number of a side says everything about it. So a change of a few of its units leads to the same
//! number whenever it happens, which is once for each different other side. A direct-mapped cache of such changes saves
//! most look-ups in the tables. Each handle has its own; it starts small and grows with the store
//! to the size of a second-level cache.

use crate::budget::Budget;
use crate::differing::Differing;
use crate::words::fold;

/// Entries at first and at most, as powers of two.
const FIRST: u32 = 4;
const LAST: u32 = 15;
/// One part in so many of all memory.
const SHARE: u64 = 8;

/// A change and what came of it. The length of a short unit need not be told: it is that of the old one, which the side's
/// number implies.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    units: u64,
    values: [u64; 2],
    /// The number of the side before the change, and which side it is in the highest bit.
    before: u32,
    after: u32,
}

/// Most units of a change that is remembered: as many as [`Differing`] has values for.
const FEW: u32 = 4;
/// Added to a side's number where units are told by their numbers ([`crate::differing::Few`]) and not by bits.
pub(crate) const BY_NUMBER: u32 = 1 << 30;

/// The cache.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// A power of two of entries, or none.
    entries: Vec<Entry>,
    misses: usize,
}

impl Memo {
    /// The number of a changed side, if this change was seen lately: of which side, what its number was, and its units now.
    #[inline(always)]
    pub fn get(&self, side: usize, number: u32, to: &Differing) -> Option<u32> {
        let before = number | (side as u32) << 31;
        let known = self.entries.get(self.place(before, to))?;
        let ([a, b], [c, d]) = (known.values, to.values);
        let same = a ^ c | b ^ d | known.units ^ to.units | u64::from(known.before ^ before);
        (same == 0 && to.count <= FEW).then_some(known.after)
    }

    /// Remembers the number of a changed side.
    #[cold]
    pub fn put(&mut self, side: usize, number: u32, to: &Differing, after: u32, budget: &Budget) {
        if to.count > FEW {
            return;
        }
        self.misses += 1;
        if self.misses > self.entries.len() && self.entries.len() < 1 << LAST {
            self.grow(budget);
        }
        let before = number | (side as u32) << 31;
        let place = self.place(before, to);
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = Entry { units: to.units, values: to.values, before, after };
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
        entries.resize(size, Entry::default());
        self.entries = entries;
        budget.give_back(bytes(old));
    }

    #[inline(always)]
    fn place(&self, before: u32, to: &Differing) -> usize {
        let [first, second] = to.values;
        let what = to.units.rotate_left(32) ^ u64::from(before);
        let hash = fold(what ^ first, 0x9e37_79b9_7f4a_7c15 ^ second.wrapping_mul(0xd6e8_feb8_6659_fd93));
        (hash ^ hash >> 32) as usize & self.entries.len().wrapping_sub(1)
    }
}

fn bytes(entries: usize) -> u64 {
    (entries * size_of::<Entry>()) as u64
}
