//! The codes of one state's tree, level by level, so that its successors look up only what they change.

use crate::parts::{Code, Kind};

/// Levels of a side: far more parts than any state has.
const LEVELS: usize = 32;

/// The codes of a state; only the store fills it, and the codes below the root only when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The numbers of the two sides.
    pub(crate) root: [u32; 2],
    pub(crate) sides: [Side; 2],
    /// True if the sides are those of the root.
    pub(crate) unfolded: bool,
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
