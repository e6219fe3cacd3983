//! The first states of a set in an array of bits, by their hashes: a small search need not touch the whole array.
//!
//! Each state sets bits all over the array, and the first touch of a big page clears two megabytes. So the hashes of the first
//! states lie in a small table, and their bits are set all together once it is full. A state's bits follow from its hash, so the array is then
//! what it would have been.

use crate::pages::filled;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Slots of the table, at most: half a megabyte.
const MOST: usize = 1 << 16;
/// Arrays are so many times as large as their tables, at least.
const SHARE: usize = 256;
/// Below so many slots there is no table.
const LEAST: usize = 64;

/// The table of hashes.
#[derive(Debug)]
pub(super) struct First {
    /// Zero is a free slot; a state whose hash is zero goes to the array at once.
    slots: Box<[AtomicU64]>,
    held: AtomicU64,
    /// The array is used instead.
    over: AtomicBool,
}

/// What became of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    New,
    Known,
    /// The table takes no more, or not this one.
    Not,
}

impl First {
    /// A table for an array of so many words.
    pub(super) fn beside(words: usize) -> First {
        let slots = (words / SHARE).checked_ilog2().map_or(0, |log| 1 << log).min(MOST);
        let slots = if slots < LEAST { None } else { filled(slots, || AtomicU64::new(0)) };
        let over = AtomicBool::new(slots.is_none());
        First { slots: slots.unwrap_or_default().into_boxed_slice(), held: AtomicU64::new(0), over }
    }

    /// True once the array is used.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The array has all that the table has.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// Bytes of the table.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.slots) as u64
    }

    /// Puts a hash into the table, which takes no more than half of its slots.
    pub(super) fn put(&self, hash: u64) -> Put {
        if hash == 0 {
            return Put::Not;
        }
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let cell = &self.slots[at];
            let mut there = cell.load(Ordering::Relaxed);
            if there == 0 {
                if self.held.load(Ordering::Relaxed) >= self.slots.len() as u64 / 2 {
                    return Put::Not;
                }
                match cell.compare_exchange(0, hash, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => {
                        self.held.fetch_add(1, Ordering::Relaxed);
                        return Put::New;
                    }
                    Err(other) => there = other,
                }
            }
            if there == hash {
                return Put::Known;
            }
            at = (at + 1) & mask;
        }
    }

    /// True if the table holds a hash.
    pub(super) fn holds(&self, hash: u64) -> bool {
        let mask = self.slots.len().wrapping_sub(1);
        let from = (hash >> 32) as usize;
        let chain = (0..self.slots.len()).map(|step| self.slots[(from + step) & mask].load(Ordering::Relaxed));
        chain.take_while(|&there| there != 0).any(|there| there == hash)
    }

    /// All hashes.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|cell| cell.load(Ordering::Acquire)).filter(|&hash| hash != 0)
    }
}
