//! The codes of one state's tree, level by level, so that its successors look up only what they change.

use crate::parts::{Code, Kind};
use crate::set::Vector;

/// Levels of a side: far more parts than any state has.
const LEVELS: usize = 32;

/// The codes of a state; only [`crate::set::Decode::decode`] fills it.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Where each part ends.
    pub(crate) ends: Vec<u32>,
    /// The numbers of the two sides.
    pub(crate) root: (u32, u32),
    pub(crate) left: Side,
    pub(crate) right: Side,
}

impl Path {
    /// Where each part of the state ends.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }
}

/// The codes of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// Levels from the top, which has two codes or fewer, to the parts.
    codes: Vec<Code>,
    /// Where levels start in `codes`, and where the last one ends.
    starts: [u32; LEVELS],
    depth: usize,
}

impl Side {
    /// The pair of a side without parts.
    pub const EMPTY: u64 = Code::NONE.0 as u64;

    /// How many of so many parts are on the left.
    #[inline(always)]
    pub fn left(parts: usize) -> usize {
        parts.div_ceil(2)
    }

    /// Levels from the parts to the top.
    #[inline(always)]
    pub fn levels(&self) -> impl Iterator<Item = &[Code]> {
        (0..self.depth).rev().map(|level| &self.codes[self.starts[level] as usize..self.starts[level + 1] as usize])
    }

    /// The codes of the parts.
    pub fn parts(&self) -> &[Code] {
        self.levels().next().unwrap_or_default()
    }

    /// Fills this side from the pair at its top.
    pub fn unfold(&mut self, top: u64, children: impl Fn(Code) -> Option<(Code, Code)>) {
        let (left, right) = Code::split(top);
        self.codes.clear();
        self.codes.extend([left, right].into_iter().filter(|&code| code != Code::NONE && top != Side::EMPTY));
        (self.depth, self.starts[0], self.starts[1]) = (1, 0, self.codes.len() as u32);
        // Going down along first children never meets an odd one, so it gives the number of levels.
        let height = self.codes.first().map_or(0, |&first| height(first, &children));
        for below in (0..height).rev() {
            if self.depth + 1 < LEVELS {
                self.unfold_level(below, &children);
            }
        }
    }

    /// Adds the level whose codes stand `below` levels above the parts.
    fn unfold_level(&mut self, below: usize, children: &impl Fn(Code) -> Option<(Code, Code)>) {
        let (start, end) = (self.starts[self.depth - 1] as usize, self.starts[self.depth] as usize);
        for at in start..end {
            let code = self.codes[at];
            // The last one may be an odd one that came up as it is.
            let odd = at + 1 == end && height(code, children) <= below;
            match children(code).filter(|_| !odd) {
                Some((left, right)) => self.codes.extend([left, right]),
                None => self.codes.push(code),
            }
        }
        self.depth += 1;
        self.starts[self.depth] = self.codes.len() as u32;
    }
}

/// How many levels of pairs a code stands above its first part.
fn height(mut code: Code, children: &impl Fn(Code) -> Option<(Code, Code)>) -> usize {
    let mut height = 0;
    while let Kind::Node(_) = code.kind()
        && let Some((left, _)) = children(code)
    {
        (code, height) = (left, height + 1);
    }
    height
}

/// The parts of a state that differ from those of another one with the same ends, with their numbers.
#[inline(always)]
pub(crate) fn changes<'a>(before: &'a [u8], state: Vector<'a>) -> impl Iterator<Item = (u32, &'a [u8])> {
    let (mut from, mut number, mut start) = (0, 0, 0);
    std::iter::from_fn(move || {
        let different = difference(before, state.bytes, from)?;
        while let Some(&end) = state.ends.get(number) {
            let part = start..end as usize;
            (number, start) = (number + 1, end as usize);
            if different < start {
                from = start;
                return Some((number as u32 - 1, state.bytes.get(part)?));
            }
        }
        None
    })
}

/// The first byte from `from` on in which two strings of the same length differ.
#[inline(always)]
fn difference(a: &[u8], b: &[u8], from: usize) -> Option<usize> {
    let (a, b) = (a.get(from..)?, b.get(from..)?);
    let (words_a, rest_a) = a.as_chunks::<8>();
    let (words_b, rest_b) = b.as_chunks::<8>();
    for (at, (x, y)) in words_a.iter().zip(words_b).enumerate() {
        let difference = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if difference != 0 {
            return Some(from + at * 8 + difference.trailing_zeros() as usize / 8);
        }
    }
    let rest = rest_a.iter().zip(rest_b).position(|(x, y)| x != y)?;
    Some(from + words_a.len() * 8 + rest)
}
