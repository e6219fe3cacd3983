//! Codes for the parts of states: each different string of bytes has one code of 32 bits, for good.
//!
//! The leaf database of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007). We differ in that a code says itself whether it stands for a part or for a pair of codes, so
//! that a tree over codes can be unfolded without a plan.

mod archive;

use crate::budget::Budget;
use crate::index::Index;
use crate::lock::{Guarded, Lock};
use crate::segments::Segments;
use crate::sync::{AtomicU64, Ordering};
use crate::words::fold;

/// The code of a part, or of a node above parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Code(pub u32);

/// What a code stands for, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pair of codes.
    Node(u32),
    /// A part.
    Part(u32),
}

impl Code {
    /// No part at all.
    pub const NONE: Code = Code(u32::MAX);
    /// Two times no part: the top of a side without parts.
    pub const NOTHING: u64 = u32::MAX as u64;
    /// All numbers are smaller; [`crate::words::Words`] gives no greater ones either.
    pub const NUMBERS: u32 = 1 << 30;

    /// The code of a node.
    #[inline(always)]
    pub fn node(number: u32) -> Code {
        Code(number << 1)
    }

    /// The code of a part.
    #[inline(always)]
    fn part(number: u32) -> Code {
        Code(number << 1 | 1)
    }

    /// What it stands for.
    #[inline(always)]
    pub fn kind(self) -> Kind {
        if self.0 & 1 == 0 { Kind::Node(self.0 >> 1) } else { Kind::Part(self.0 >> 1) }
    }

    /// Two codes as one word.
    #[inline(always)]
    pub fn pair(self, right: Code) -> u64 {
        u64::from(self.0) | u64::from(right.0) << 32
    }

    /// The two codes of a word.
    #[inline(always)]
    pub fn split(pair: u64) -> (Code, Code) {
        (Code(pair as u32), Code((pair >> 32) as u32))
    }
}

/// Parts and their codes. Readers take no lock.
///
/// A part is given and kept as words; the last of them is filled up with zeros.
#[derive(Debug, Default)]
pub(crate) struct Parts<L> {
    index: Index<L>,
    /// By number: the first word, then the length plus one; zero if there is no such part yet.
    places: Segments,
    words: Segments,
    size: Guarded<Size, L>,
}

/// How many parts there are, and words of them.
#[derive(Debug, Default)]
struct Size {
    parts: u32,
    words: u64,
}

/// A part: its words and its length in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub words: &'a [u64],
    pub len: usize,
}

/// Bits of a place that hold the length.
const LENGTH: u32 = 24;

impl<L: Lock> Parts<L> {
    /// The code of a part, a new one if it has none; none if there is no memory.
    #[inline(never)]
    pub fn intern(&self, part: Part<'_>, budget: &Budget) -> Option<Code> {
        let hash = hash(part.len, part.words.iter().copied());
        let number = match self.find(part, hash) {
            None => self.add(part, hash, budget),
            found => found,
        };
        number.map(Code::part)
    }

    #[inline(always)]
    fn find(&self, part: Part<'_>, hash: u64) -> Option<u32> {
        self.index.find(hash, |number| {
            let (length, words) = self.get(number);
            length == Some(part.len) && part.words.iter().zip(words).all(|(&a, b)| a == b.load(Ordering::Relaxed))
        })
    }

    /// Length and words of a part.
    #[inline(always)]
    fn get(&self, number: u32) -> (Option<usize>, &[AtomicU64]) {
        let place = self.places.load(number as usize);
        let length = (place as usize & ((1 << LENGTH) - 1)).checked_sub(1);
        let words = self.words.slice((place >> LENGTH) as usize, count_words(length.unwrap_or(0)));
        (length, words.unwrap_or_default())
    }

    #[cold]
    #[inline(never)]
    fn add(&self, part: Part<'_>, hash_of_part: u64, budget: &Budget) -> Option<u32> {
        let mut size = self.size.lock();
        // Another thread may have added it since we looked.
        if let Some(number) = self.find(part, hash_of_part) {
            return Some(number);
        }
        let count = count_words(part.len);
        let (number, start) = (size.parts, Segments::fit(size.words as usize, count));
        if part.len + 1 >= 1 << LENGTH || (start + count) as u64 >= 1 << (u64::BITS - LENGTH) || number >= Code::NUMBERS
        {
            return None;
        }
        let hash_of = |number| hash(self.get(number).0.unwrap_or(0), loaded(self.get(number).1));
        if !self.index.make_room(number, hash_of, budget)
            || !self.places.extend(number as usize + 1, budget)
            || !self.words.extend(start + count, budget)
        {
            return None;
        }
        // A part without bytes has no cell, and there need be no segment where it would lie.
        if count > 0 {
            for (cell, &word) in self.words.slice(start, count)?.iter().zip(part.words) {
                cell.store(word, Ordering::Relaxed);
            }
        }
        let place = (start as u64) << LENGTH | (part.len as u64 + 1);
        self.places.get(number as usize)?.store(place, Ordering::Release);
        self.index.add(hash_of_part, number);
        *size = Size { parts: number + 1, words: (start + count) as u64 };
        Some(number)
    }

    /// The length of the part with this code, and its words; none if there is none.
    #[inline]
    pub fn read(&self, code: Code) -> Option<(usize, impl Iterator<Item = u64> + '_)> {
        let Kind::Part(number) = code.kind() else { return None };
        let (length, words) = self.get(number);
        Some((length?, loaded(words)))
    }
}

fn loaded(words: &[AtomicU64]) -> impl Iterator<Item = u64> + '_ {
    words.iter().map(|word| word.load(Ordering::Relaxed))
}

fn count_words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// Fewer than eight bytes as a word.
#[inline(always)]
pub(crate) fn short(bytes: &[u8]) -> u64 {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return u64::from(u32::from_le_bytes(bytes));
    }
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[inline(always)]
fn hash(length: usize, words: impl Iterator<Item = u64>) -> u64 {
    words.fold(length as u64 ^ 0x2545_f491_4f6c_dd1d, |sum, word| fold(sum ^ word, 0x9e37_79b9_7f4a_7c15))
}
