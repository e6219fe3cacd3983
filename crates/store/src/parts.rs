//! Codes for the parts of states: each different string of bytes has one code of 32 bits, for good.
//!
//! The leaf database of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007). We differ in that short parts need no string: four bytes are mostly their own code, and eight bytes
//! are one word of a table. A code says itself of which kind it is, so that a tree over codes can be unfolded without a plan.

use crate::budget::Budget;
use crate::index::Index;
use crate::lock::{Guarded, Lock};
use crate::segments::Segments;
use crate::sync::{AtomicU64, Ordering};
use crate::words::{Words, fold};

/// Bytes of a part of a state; the last one may be shorter.
pub(crate) const WORD: usize = 8;

/// The code of a part, or of a node above parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Code(pub u32);

/// What a code stands for, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pair of codes.
    Node(u32),
    /// A part of eight bytes.
    Word(u32),
    /// A part of any other length.
    Text(u32),
    /// A part of four bytes, which are the number itself.
    Inline(u32),
}

impl Code {
    /// No part at all.
    pub const NONE: Code = Code(u32::MAX);
    /// All numbers are smaller; [`Words`] gives no greater ones either.
    pub const NUMBERS: u32 = 1 << 30;

    /// The code of a node.
    #[inline(always)]
    pub fn node(number: u32) -> Code {
        Code::new(number, 0)
    }

    #[inline(always)]
    fn new(number: u32, kind: u32) -> Code {
        debug_assert!(number < Code::NUMBERS);
        Code(number << 2 | kind)
    }

    /// What it stands for.
    #[inline(always)]
    pub fn kind(self) -> Kind {
        let number = self.0 >> 2;
        match self.0 & 3 {
            0 => Kind::Node(number),
            1 => Kind::Word(number),
            2 => Kind::Text(number),
            _ => Kind::Inline(number),
        }
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
#[derive(Debug, Default)]
pub(crate) struct Parts<L> {
    /// Parts of eight bytes.
    words: Words<L>,
    /// The part of eight bytes that `words` cannot hold is a text.
    texts: Texts<L>,
}

impl<L: Lock> Parts<L> {
    /// The code of a part, a new one if it has none; none if there is no memory.
    #[inline(always)]
    pub fn intern(&self, part: &[u8], budget: &Budget) -> Option<Code> {
        if let Ok(bytes) = <[u8; 4]>::try_from(part) {
            let number = u32::from_le_bytes(bytes);
            if number < Code::NUMBERS - 1 {
                return Some(Code::new(number, 3));
            }
        }
        if let Ok(bytes) = <[u8; 8]>::try_from(part) {
            let word = u64::from_le_bytes(bytes);
            if word != u64::MAX {
                return Some(Code::new(self.words.intern(word, budget)?, 1));
            }
        }
        Some(Code::new(self.texts.intern(part, budget)?, 2))
    }

    /// Appends the part with this code; false if there is none.
    pub fn decode(&self, code: Code, out: &mut Vec<u8>) -> bool {
        match code.kind() {
            _ if code == Code::NONE => true,
            Kind::Inline(number) => {
                out.extend_from_slice(&number.to_le_bytes());
                true
            }
            Kind::Word(number) => {
                self.words.get(number).map(|word| out.extend_from_slice(&word.to_le_bytes())).is_some()
            }
            Kind::Text(number) => self.texts.decode(number, out),
            Kind::Node(_) => false,
        }
    }
}

/// Strings and their numbers.
///
/// A string lies in whole words; the last of them overlaps the one before, so that no byte is padding unless there are
/// fewer than eight.
#[derive(Debug, Default)]
struct Texts<L> {
    index: Index<L>,
    /// By number: the first word and the length plus one ([`Place`]); zero if there is no such string yet.
    places: Segments,
    words: Segments,
    size: Guarded<Size, L>,
}

/// How many strings there are, and words of them.
#[derive(Debug, Default)]
struct Size {
    texts: u32,
    words: u64,
}

/// Bits of a place that hold the length.
const LENGTH: u32 = 24;

impl<L: Lock> Texts<L> {
    #[inline(never)]
    fn intern(&self, text: &[u8], budget: &Budget) -> Option<u32> {
        let hash = hash(text.len(), words_of(text));
        match self.find(text, hash) {
            None => self.add(text, hash, budget),
            found => found,
        }
    }

    #[inline(always)]
    fn find(&self, text: &[u8], hash: u64) -> Option<u32> {
        self.index.find(hash, |number| {
            let (length, words) = self.text(number);
            length == Some(text.len())
                && words_of(text).zip(words).all(|(word, cell)| word == cell.load(Ordering::Relaxed))
        })
    }

    /// Length and words of a string.
    #[inline(always)]
    fn text(&self, number: u32) -> (Option<usize>, &[AtomicU64]) {
        let place = self.places.load(number as usize);
        let length = (place as usize & ((1 << LENGTH) - 1)).checked_sub(1);
        let words = self.words.slice((place >> LENGTH) as usize, count_words(length.unwrap_or(0)));
        (length, words.unwrap_or_default())
    }

    #[cold]
    #[inline(never)]
    fn add(&self, text: &[u8], hash_of_text: u64, budget: &Budget) -> Option<u32> {
        let mut size = self.size.lock();
        // Another thread may have added it since we looked.
        if let Some(number) = self.find(text, hash_of_text) {
            return Some(number);
        }
        let count = count_words(text.len());
        let (number, start) = (size.texts, Segments::fit(size.words as usize, count));
        if text.len() + 1 >= 1 << LENGTH
            || (start + count) as u64 >= 1 << (u64::BITS - LENGTH)
            || number >= Code::NUMBERS
        {
            return None;
        }
        let hash_of = |number| hash(self.text(number).0.unwrap_or(0), loaded(self.text(number).1));
        if !self.index.make_room(number, hash_of, budget)
            || !self.places.extend(number as usize + 1, budget)
            || !self.words.extend(start + count, budget)
        {
            return None;
        }
        for (cell, word) in self.words.slice(start, count)?.iter().zip(words_of(text)) {
            cell.store(word, Ordering::Relaxed);
        }
        let place = (start as u64) << LENGTH | (text.len() as u64 + 1);
        self.places.get(number as usize)?.store(place, Ordering::Release);
        self.index.add(hash_of_text, number);
        *size = Size { texts: number + 1, words: (start + count) as u64 };
        Some(number)
    }

    fn decode(&self, number: u32, out: &mut Vec<u8>) -> bool {
        let (Some(length), words) = self.text(number) else { return false };
        let start = out.len();
        out.resize(start + words.len() * 8, 0);
        let text = &mut out[start..];
        for (at, word) in loaded(words).enumerate() {
            let at = (at * 8).min(length.saturating_sub(8));
            text[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        out.truncate(start + length);
        true
    }
}

fn loaded(words: &[AtomicU64]) -> impl Iterator<Item = u64> + '_ {
    words.iter().map(|word| word.load(Ordering::Relaxed))
}

fn count_words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// The words of a string, the last one overlapping.
#[inline(always)]
fn words_of(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let last = text.last_chunk::<8>().map_or_else(|| short(text), |last| u64::from_le_bytes(*last));
    let mut from = text;
    std::iter::from_fn(move || {
        if from.len() > 8 {
            let word = from.first_chunk::<8>().map_or(0, |word| u64::from_le_bytes(*word));
            from = &from[8..];
            return Some(word);
        }
        (!std::mem::take(&mut from).is_empty()).then_some(last)
    })
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
