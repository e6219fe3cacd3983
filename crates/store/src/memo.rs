//! Remembers what came of changing units of a side, so that the same change need not be folded again.
//!
//! The number of a side says everything about it. So a change of a few of its units leads to the same
//! number whenever it happens, which is once for each different other side. A direct-mapped cache of such changes saves
//! most look-ups in the tables. Each handle has its own; it starts small and grows with the store
//! to the size of a second-level cache.

use crate::budget::Budget;
use crate::differing::unit;
use crate::words::fold;

/// Entries at first and at most, as powers of two.
const FIRST: u32 = 4;
const LAST: u32 = 13;
/// One part in so many of all memory.
const SHARE: u64 = 8;

/// Which units of a side change to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Change {
    /// The units, as bits; never none.
    units: u64,
    /// What they are now, in their order, at most four, two in a word. The length of a short one need not be told: it is that
    /// of the old one, which the side's number implies.
    values: [u64; 2],
    /// The side's number, and which side it is in the highest bit.
    side: u32,
}

/// The cache.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// A power of two of entries, or none.
    entries: Vec<(Change, u32)>,
    misses: usize,
}

impl Change {
    /// A change of some units, given as bits, to what they are in a state. `side` is zero or one. None if there are too many.
    #[inline(always)]
    pub fn new(side: usize, number: u32, units: u64, state: &[u8]) -> Option<Change> {
        let mut values = [0; 2];
        let mut rest = units;
        for value in &mut values {
            *value = u64::from(unit(state, rest.trailing_zeros() as usize));
            rest &= rest - 1;
            if rest != 0 {
                *value |= u64::from(unit(state, rest.trailing_zeros() as usize)) << 32;
                rest &= rest - 1;
            }
            if rest == 0 {
                return Some(Change { units, values, side: number | (side as u32) << 31 });
            }
        }
        None
    }
}

impl Memo {
    /// The number of the changed side, if this change was seen lately.
    #[inline(always)]
    pub fn get(&self, change: &Change) -> Option<u32> {
        let (known, number) = self.entries.get(self.place(change))?;
        let ([a, b], [c, d]) = (known.values, change.values);
        let same = a ^ c | b ^ d | known.units ^ change.units | u64::from(known.side ^ change.side);
        (same == 0).then_some(*number)
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
        let [first, second] = change.values;
        let what = change.units.rotate_left(32) ^ u64::from(change.side);
        let hash = fold(what ^ first, 0x9e37_79b9_7f4a_7c15 ^ second.wrapping_mul(0xd6e8_feb8_6659_fd93));
        (hash ^ hash >> 32) as usize & self.entries.len().wrapping_sub(1)
    }
}

fn bytes(entries: usize) -> u64 {
    (entries * size_of::<(Change, u32)>()) as u64
}
