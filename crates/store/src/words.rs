//! Numbers for words of 64 bits: each different word gets the next number, for good.

use crate::budget::Budget;
use crate::index::Index;
use crate::lock::{Guarded, Lock};
use crate::segments::Segments;
use crate::sync::Ordering;

/// All numbers are smaller, so that two bits are left for those who build on them.
const MOST: u32 = 1 << 30;

/// Words and their numbers. Readers take no lock.
///
/// A word that was written never changes, and the cell of one that was not is zero; so the complement of words is kept,
/// and the word that would be zero then has no number.
#[derive(Debug, Default)]
pub(crate) struct Words<L> {
    index: Index<L>,
    complements: Segments,
    /// How many there are. Held while one is added.
    count: Guarded<u32, L>,
}

impl<L: Lock> Words<L> {
    /// The number of a word, a new one if it has none; none if there is no memory.
    // A leaf function of its own keeps its few values in registers; inlined into its callers they were spilled.
    #[inline(never)]
    pub fn intern(&self, word: u64, budget: &Budget) -> Option<u32> {
        let hash = hash(word);
        match self.find(word, hash) {
            None => self.add(word, hash, budget),
            found => found,
        }
    }

    /// The word with this number.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<u64> {
        match self.complements.load(number as usize) {
            0 => None,
            complement => Some(!complement),
        }
    }

    /// The number of a word, if it has one.
    pub fn lookup(&self, word: u64) -> Option<u32> {
        self.find(word, hash(word))
    }

    /// Asks for the memory in which a word would be looked for.
    #[inline(always)]
    pub fn prefetch(&self, word: u64) {
        self.index.prefetch(hash(word));
    }

    /// Asks for the memory of the word that is compared with this one when it is looked for, if there is one. What
    /// [`Words::prefetch`] asked for should be there.
    #[inline(always)]
    pub fn prefetch_found(&self, word: u64) {
        if let Some(number) = self.index.find(hash(word), |_| true) {
            self.complements.prefetch(number as usize);
        }
    }

    /// The number of words.
    pub fn len(&self) -> u32 {
        *self.count.lock()
    }

    #[inline(always)]
    fn find(&self, word: u64, hash: u64) -> Option<u32> {
        self.index.find(hash, |number| self.complements.load(number as usize) == !word)
    }

    #[cold]
    #[inline(never)]
    fn add(&self, word: u64, hash_of_word: u64, budget: &Budget) -> Option<u32> {
        if word == u64::MAX {
            return None;
        }
        let mut count = self.count.lock();
        // Another thread may have added it since we looked.
        if let Some(number) = self.find(word, hash_of_word) {
            return Some(number);
        }
        let number = *count;
        if number >= MOST {
            return None;
        }
        let old = |number: u32| hash(!self.complements.load(number as usize));
        if !self.index.make_room(number, old, budget) || !self.complements.extend(number as usize + 1, budget) {
            return None;
        }
        self.complements.get(number as usize)?.store(!word, Ordering::Release);
        self.index.add(hash_of_word, number);
        *count += 1;
        Some(number)
    }
}

/// A hash of a word whose upper and lower half are both good.
#[inline(always)]
pub(crate) fn hash(word: u64) -> u64 {
    fold(word ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93)
}

/// Both halves of a product, as in wyhash.
#[inline(always)]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}
