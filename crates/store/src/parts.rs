//! Codes for the parts of states: each different string of bytes has one code of 32 bits, for good.
//!
//! The leaf database of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007). We differ in that short parts need no string: four bytes are mostly their own code, and eight bytes
//! are one word of a table. A code says itself of which kind it is, so that a tree over codes can be unfolded without a plan.

use crate::budget::Budget;
use crate::index::Index;
use crate::lock::{Guarded, Lock};
use crate::segments::Segments;
use crate::sync::Ordering;
use crate::words::{Words, fold};

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
    /// All numbers are smaller.
    const NUMBERS: u32 = 1 << 30;

    /// The code of a node.
    #[inline(always)]
    pub fn node(number: u32) -> Option<Code> {
        Code::new(number, 0)
    }

    #[inline(always)]
    fn new(number: u32, kind: u32) -> Option<Code> {
        (number < Code::NUMBERS).then_some(Code(number << 2 | kind))
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
                return Code::new(number, 3);
            }
        }
        if let Ok(bytes) = <[u8; 8]>::try_from(part) {
            let word = u64::from_le_bytes(bytes);
            if word != u64::MAX {
                return Code::new(self.words.intern(word, budget)?, 1);
            }
        }
        Code::new(self.texts.intern(part, budget)?, 2)
    }

    /// Appends the part with this code; false if there is none.
    pub fn decode(&self, code: Code, out: &mut Vec<u8>) -> bool {
        match code.kind() {
            _ if code == Code::NONE => true,
            Kind::Inline(number) => {
                out.extend_from_slice(&number.to_le_bytes());
                true
            }
            Kind::Word(number) => self.words.get(number).map(|word| out.extend_from_slice(&word.to_le_bytes())).is_some(),
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
    #[inline]
    fn intern(&self, text: &[u8], budget: &Budget) -> Option<u32> {
        let hash = hash(text.len(), words_of(text));
        match self.find(text, hash) {
            None => self.add(text, hash, budget),
            found => found,
        }
    }

    #[inline]
    fn find(&self, text: &[u8], hash: u64) -> Option<u32> {
        self.index.find(hash, |number| {
            let (start, length) = self.place(number);
            length == Some(text.len())
                && words_of(text).enumerate().all(|(at, word)| self.words.load(start + at) == word)
        })
    }

    /// First word and length of a string.
    #[inline]
    fn place(&self, number: u32) -> (usize, Option<usize>) {
        let place = self.places.load(number as usize);
        ((place >> LENGTH) as usize, (place as usize & ((1 << LENGTH) - 1)).checked_sub(1))
    }

    #[cold]
    #[inline(never)]
    fn add(&self, text: &[u8], hash_of_text: u64, budget: &Budget) -> Option<u32> {
        let mut size = self.size.lock();
        // Another thread may have added it since we looked.
        if let Some(number) = self.find(text, hash_of_text) {
            return Some(number);
        }
        let (number, start) = (size.texts, size.words as usize);
        let end = start + count_words(text.len());
        if text.len() + 1 >= 1 << LENGTH || end as u64 >= 1 << (u64::BITS - LENGTH) {
            return None;
        }
        if !self.index.make_room(number, |number| self.hash_again(number), budget)
            || !self.places.extend(number as usize + 1, budget)
            || !self.words.extend(end, budget)
        {
            return None;
        }
        for (at, word) in words_of(text).enumerate() {
            self.words.get(start + at)?.store(word, Ordering::Relaxed);
        }
        let place = (start as u64) << LENGTH | (text.len() as u64 + 1);
        self.places.get(number as usize)?.store(place, Ordering::Release);
        self.index.add(hash_of_text, number);
        *size = Size { texts: number + 1, words: end as u64 };
        Some(number)
    }

    fn hash_again(&self, number: u32) -> u64 {
        let (start, length) = self.place(number);
        let length = length.unwrap_or(0);
        hash(length, (0..count_words(length)).map(|at| self.words.load(start + at)))
    }

    fn decode(&self, number: u32, out: &mut Vec<u8>) -> bool {
        let (start, Some(length)) = self.place(number) else { return false };
        for at in 0..count_words(length) {
            let word = self.words.load(start + at).to_le_bytes();
            let done = (at * 8).min(length.saturating_sub(8));
            out.truncate(out.len() - (at * 8 - done));
            out.extend_from_slice(&word[..length.min(8)]);
        }
        true
    }
}

fn count_words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// The words of a string, the last one overlapping.
#[inline]
fn words_of(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let last = text.len().saturating_sub(8);
    (0..count_words(text.len())).map(move |at| word(&text[(at * 8).min(last)..]))
}

/// The first eight bytes, or all if there are fewer.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

#[inline]
fn hash(length: usize, words: impl Iterator<Item = u64>) -> u64 {
    words.fold(length as u64 ^ 0x2545_f491_4f6c_dd1d, |sum, word| fold(sum ^ word, 0x9e37_79b9_7f4a_7c15 ^ sum << 1 | 1))
}
