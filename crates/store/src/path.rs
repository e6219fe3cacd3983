//! The codes of one state's tree, level by level, so that its successors look up only what they change.

use crate::parts::{Code, Kind, short};
use crate::set::Vector;

/// Levels of a side: far more parts than any state has.
const LEVELS: usize = 32;

/// The codes of a state; only the store fills it, and the codes below the root only when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Where each part ends.
    pub(crate) ends: Vec<u32>,
    /// The numbers of the two sides.
    pub(crate) root: [u32; 2],
    pub(crate) sides: [Side; 2],
    /// True if the sides are those of the root.
    pub(crate) unfolded: bool,
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

    /// Levels from the parts to the top.
    #[inline(always)]
    pub fn levels(&self) -> impl Iterator<Item = &[Code]> {
        (0..self.depth).rev().map(|level| &self.codes[self.starts[level] as usize..self.starts[level + 1] as usize])
    }

    /// The pairs above one part that has a new code: `fold` gives the code of a pair. The result is the pair at the top.
    #[inline(always)]
    pub fn climb(&self, mut at: usize, mut code: Code, fold: impl Fn(Code, Code) -> Option<Code>) -> Option<u64> {
        for level in (1..self.depth).rev() {
            let (start, end) = (self.starts[level] as usize, self.starts[level + 1] as usize);
            // An odd one goes up as it is.
            if let Some(&other) = self.codes.get(start..end)?.get(at ^ 1) {
                code = if at & 1 == 0 { fold(code, other)? } else { fold(other, code)? };
            }
            at /= 2;
        }
        let other = self.codes.get(at ^ 1).filter(|_| self.starts[1] > 1).copied().unwrap_or(Code::NONE);
        Some(if at & 1 == 0 { code.pair(other) } else { other.pair(code) })
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

/// More parts than this are not handled one by one.
pub(crate) const MANY: usize = 8;

/// Writes down which parts of a state differ from those of another one, and tells how many; more than [`MANY`] if there are
/// too many or the parts of the other state end elsewhere.
///
/// Most bytes are the same, so words of both are compared first; parts are asked for only where a word differs.
// A function of its own keeps everything in registers.
#[inline(never)]
pub(crate) fn differing(before: Vector<'_>, state: Vector<'_>, out: &mut [u32; MANY]) -> usize {
    let (a, b) = (before.bytes, state.bytes);
    if a.len() != b.len() || before.ends != state.ends {
        return MANY + 1;
    }
    let mut found = Found { out, count: 0, part: 0, known: 0 };
    let ((words_a, rest_a), (words_b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (at, (a, b)) in words_a.iter().zip(words_b).enumerate() {
        let bits = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if bits != 0 {
            found.word(at * 8, bits, state.ends);
        }
    }
    if rest_a != rest_b {
        let bits = short(rest_a) ^ short(rest_b);
        found.word(words_a.len() * 8, bits, state.ends);
    }
    found.count
}

/// The parts that are known to differ.
struct Found<'a> {
    out: &'a mut [u32; MANY],
    count: usize,
    /// The part where the search goes on.
    part: usize,
    /// All bytes before this one belong to parts that were dealt with.
    known: usize,
}

impl Found<'_> {
    /// Notes the parts of a word that differs in these bits.
    #[inline(always)]
    fn word(&mut self, start: usize, mut bits: u64, ends: &[u32]) {
        while bits != 0 {
            let zeros = bits.trailing_zeros();
            let byte = start + zeros as usize / 8;
            bits &= !(0xff << (zeros & !7));
            if byte < self.known {
                continue;
            }
            while ends.get(self.part).is_some_and(|&end| end as usize <= byte) {
                self.part += 1;
            }
            self.known = ends.get(self.part).map_or(usize::MAX, |&end| end as usize);
            if let Some(slot) = self.out.get_mut(self.count) {
                *slot = self.part as u32;
            }
            self.count = (self.count + 1).min(MANY + 1);
        }
    }
}
