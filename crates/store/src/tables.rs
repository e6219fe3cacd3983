//! The tables of a tree store, which many handles may share: how a state is folded to a pair of numbers and unfolded again.

use crate::budget::Budget;
use crate::differing::unit;
use crate::lock::Lock;
use crate::parts::{Code, Kind, Part, Parts};
use crate::root::Root;
use crate::split::{Split, UNIT, WIDEST};
use crate::words::Words;
use std::ops::Range;

/// The tables, which many handles may share.
#[derive(Debug)]
pub struct Tables<L> {
    pub(crate) budget: Budget,
    pub(crate) split: Split,
    pub(crate) parts: Parts<L>,
    pub(crate) nodes: Words<L>,
    /// The pairs at the top of the left sides and of the right sides.
    pub(crate) sides: [Words<L>; 2],
    pub(crate) root: Root<L>,
}

impl<L: Lock> Tables<L> {
    pub(crate) fn new(limit: Option<u64>, marks: u32, split: Split) -> Tables<L> {
        let budget = Budget::new(limit);
        let root = Root::new(marks, &budget);
        Tables { budget, split, parts: Parts::default(), nodes: Words::default(), sides: Default::default(), root }
    }

    /// The number of a name.
    pub(crate) fn number(&self, numbers: &Words<L>, name: u64) -> Option<u32> {
        numbers.intern(name, &self.budget)
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.budget.used()
    }

    /// The code of a pair.
    fn node(&self, left: Code, right: Code) -> Option<Code> {
        Some(Code::node(self.nodes.intern(left.pair(right), &self.budget)?))
    }

    /// The two codes of a node.
    fn children(&self, code: Code) -> Option<(Code, Code)> {
        match code.kind() {
            Kind::Node(number) => self.nodes.get(number).map(Code::split),
            Kind::Part(_) => None,
        }
    }

    /// The code of a piece of a state.
    #[inline]
    fn piece(&self, piece: usize, state: &[u8]) -> Option<Code> {
        let mut words = [0; WIDEST / 2];
        let len = self.split.gather(piece, state, &mut words);
        self.parts.intern(Part { words: &words[..len.div_ceil(8)], len }, &self.budget)
    }

    /// The name of a state all of whose pieces are looked up.
    pub(crate) fn fold(&self, state: &[u8]) -> Option<u64> {
        let units = state.len().div_ceil(UNIT);
        let mut root = [0; 2];
        for (side, number) in root.iter_mut().enumerate() {
            let fold = |range| self.fold_range(side, range, state);
            let top = match self.split.count_on(side, units) {
                0 => Code::NOTHING,
                1 => fold(0..1)?.pair(Code::NONE),
                count => fold(0..half(count))?.pair(fold(half(count)..count)?),
            };
            *number = self.sides[side].intern(top, &self.budget)?;
        }
        Some(name(root))
    }

    /// The number of a side whose pieces have these codes, so many.
    pub(crate) fn join(&self, side: usize, count: usize, code: &impl Fn(usize) -> Code) -> Option<u32> {
        let top = match count {
            0 => Code::NOTHING,
            1 => code(0).pair(Code::NONE),
            _ => self.join_range(0..half(count), code)?.pair(self.join_range(half(count)..count, code)?),
        };
        self.sides[side].intern(top, &self.budget)
    }

    /// The code of a range of pieces with these codes.
    fn join_range(&self, range: Range<usize>, code: &impl Fn(usize) -> Code) -> Option<Code> {
        let Range { start, end } = range;
        if end - start == 1 {
            return Some(code(start));
        }
        let middle = start + half(end - start);
        self.node(self.join_range(start..middle, code)?, self.join_range(middle..end, code)?)
    }

    /// Shows the codes of the pieces of a side in their order; none if there is no such side.
    pub(crate) fn leaves(&self, side: usize, number: u32, show: &mut impl FnMut(Code)) -> Option<()> {
        let top = self.sides[side].get(number)?;
        let (left, right) = Code::split(top);
        if top != Code::NOTHING {
            self.leaves_of(left, show);
            if right != Code::NONE {
                self.leaves_of(right, show);
            }
        }
        Some(())
    }

    fn leaves_of(&self, code: Code, show: &mut impl FnMut(Code)) {
        match self.children(code) {
            Some((left, right)) => {
                self.leaves_of(left, show);
                self.leaves_of(right, show);
            }
            None => show(code),
        }
    }

    /// The code of a range of pieces of a side.
    fn fold_range(&self, side: usize, range: Range<usize>, state: &[u8]) -> Option<Code> {
        let Range { start, end } = range;
        if end - start == 1 {
            return self.piece(self.split.piece_at(side, start), state);
        }
        let middle = start + half(end - start);
        self.node(self.fold_range(side, start..middle, state)?, self.fold_range(side, middle..end, state)?)
    }

    /// The number of a side after some of its pieces have changed.
    #[inline(never)]
    pub(crate) fn refold(
        &self,
        side: usize,
        number: u32,
        state: &[u8],
        changed: &impl Fn(usize) -> bool,
    ) -> Option<u32> {
        let count = self.split.count_on(side, state.len().div_ceil(UNIT));
        let (left, right) = Code::split(self.sides[side].get(number)?);
        let refold = |code, range| self.refold_range(side, code, range, state, changed);
        let again = |code, at| {
            let piece = self.split.piece_at(side, at);
            if changed(piece) { self.piece(piece, state) } else { Some(code) }
        };
        let top = match count {
            0 => return Some(number),
            1 => again(left, 0)?.pair(Code::NONE),
            2 => again(left, 0)?.pair(again(right, 1)?),
            _ => refold(left, 0..half(count))?.pair(refold(right, half(count)..count)?),
        };
        self.sides[side].intern(top, &self.budget)
    }

    /// The code of a range of pieces of a side, which was this one before some of them changed.
    fn refold_range(
        &self,
        side: usize,
        code: Code,
        range: Range<usize>,
        state: &[u8],
        changed: &impl Fn(usize) -> bool,
    ) -> Option<Code> {
        let Range { start, end } = range;
        if !range.clone().any(|at| changed(self.split.piece_at(side, at))) {
            return Some(code);
        }
        if end - start == 1 {
            return self.piece(self.split.piece_at(side, start), state);
        }
        let (left, right) = self.children(code)?;
        let middle = start + half(end - start);
        let left = self.refold_range(side, left, start..middle, state, changed)?;
        self.node(left, self.refold_range(side, right, middle..end, state, changed)?)
    }

    /// The name of a state that differs from another of the same length, whose numbers are given, in some pieces.
    pub(crate) fn refold_all(&self, mut root: [u32; 2], before: &[u8], state: &[u8]) -> Option<u64> {
        let units = state.len().div_ceil(UNIT);
        let mut changed = vec![false; self.split.count(units)];
        let mut sides = [false; 2];
        for at in (0..units).filter(|&at| unit(before, at) != unit(state, at)) {
            let piece = self.split.piece_of(at);
            changed[piece] = true;
            sides[self.split.side(piece)] = true;
        }
        for side in (0..2).filter(|&side| sides[side]) {
            root[side] = self.refold(side, root[side], state, &|piece| changed[piece])?;
        }
        Some(name(root))
    }

    /// Appends the state with this name; false if there is none.
    pub(crate) fn spell(&self, name: u64, out: &mut Vec<u8>) -> bool {
        let mut spelling = Spelling { start: out.len(), out, side: 0, at: 0 };
        numbers(name).into_iter().enumerate().all(|(side, number)| {
            (spelling.side, spelling.at) = (side, 0);
            let Some(top) = self.sides[side].get(number) else { return false };
            let (left, right) = Code::split(top);
            top == Code::NOTHING
                || self.spell_code(left, &mut spelling)
                    && (right == Code::NONE || self.spell_code(right, &mut spelling))
        })
    }

    /// Puts the pieces of a code into a state.
    fn spell_code(&self, code: Code, to: &mut Spelling<'_>) -> bool {
        if let Some((left, right)) = self.children(code) {
            return self.spell_code(left, to) && self.spell_code(right, to);
        }
        let piece = self.split.piece_at(to.side, to.at);
        to.at += 1;
        let Some((mut len, mut words)) = self.parts.read(code) else { return false };
        let mut word = [0; 8];
        let mut turn = 0;
        self.split.units(piece, |unit| {
            if turn % 2 == 0 {
                word = words.next().unwrap_or_default().to_le_bytes();
            }
            let size = len.min(UNIT);
            to.write(unit * UNIT, &word[turn % 2 * UNIT..][..size]);
            turn += 1;
            len -= size;
            len > 0
        });
        true
    }
}

/// A state that is being put together.
struct Spelling<'a> {
    out: &'a mut Vec<u8>,
    /// Where it starts.
    start: usize,
    side: usize,
    /// The position of the next piece on its side.
    at: usize,
}

impl Spelling<'_> {
    fn write(&mut self, at: usize, bytes: &[u8]) {
        let from = self.start + at;
        if bytes.is_empty() {
            return;
        }
        if self.out.len() < from + bytes.len() {
            self.out.resize(from + bytes.len(), 0);
        }
        self.out[from..from + bytes.len()].copy_from_slice(bytes);
    }
}

/// How many of several codes, at least two, are on the left of the pair above them.
#[inline(always)]
fn half(count: usize) -> usize {
    1 << (count - 1).ilog2()
}

/// The name of a state: the number of its left side is the upper half.
#[inline(always)]
pub(crate) fn name([left, right]: [u32; 2]) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The numbers of the two sides of a state.
#[inline(always)]
pub(crate) fn numbers(name: u64) -> [u32; 2] {
    [(name >> 32) as u32, name as u32]
}
