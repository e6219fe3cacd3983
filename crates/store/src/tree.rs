//! An exact store of states as trees: pieces have codes, codes are folded pairwise, and a state is a pair of two numbers.
//!
//! Tree compression of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007), section 3.3. The root table is quotiented as in S. van der Vegt, A. Laarman: A Parallel Compact Hash Table
//! (2011). We differ:
//!
//! - Pieces are units of four bytes, whatever they mean, that a rule puts together ([`Split`]). The rule is learned
//!   from some states, so that both sides of the tree have few values. Then two pieces on each side are enough for all but long
//!   states, and a tree has two levels.
//! - Each side is folded level by level, where an odd one goes up as it is. So a tree over `n` codes has the
//!   greatest power of two below `n` on its left. Short and long states live side by side; a code says whether it is a piece or
//!   a pair, so nothing else is needed to unfold it.
//! - All pairs below the two children of the root share one table. The two children have tables of their own, so that their
//!   numbers are small, and the root table keeps only the bits that these numbers need.
//! - The name of a state is the pair at the root. It never changes and says what the state is.
//! - Pieces that a step did not change are not looked up: the numbers of the state before it are at hand. Nor are changes
//!   that were made lately (`memo.rs`).

#![allow(unsafe_code)]

mod archive;

use crate::budget::Budget;
use crate::differing::{Differing, differing, unit};
use crate::lock::{Lock, Private, Spin};
use crate::memo::Memo;
use crate::parts::{Code, Kind, Part, Parts};
use crate::path::Path;
use crate::root::{Root, Sought};
use crate::set::{Decode, Exactness, Fork, Marked, Usage, Visit, Visited};
use crate::shard::Put;
use crate::split::{MASKED, Split, UNIT, WIDEST};
use crate::words::Words;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The name of a state in a tree: its two numbers at the root. It stays valid as long as the store lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateRef(pub u64);

/// A state whose parts are in the tables already, ready to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct TreeKey(Sought);

impl From<StateRef> for TreeKey {
    fn from(at: StateRef) -> TreeKey {
        TreeKey(Sought::new(at.0))
    }
}

impl From<TreeKey> for StateRef {
    fn from(key: TreeKey) -> StateRef {
        StateRef(key.0.name)
    }
}

/// The tables, which many handles may share.
#[derive(Debug)]
pub struct Tables<L> {
    budget: Budget,
    split: Split,
    parts: Parts<L>,
    nodes: Words<L>,
    /// The pairs at the top of the left sides and of the right sides.
    sides: [Words<L>; 2],
    root: Root<L>,
}

/// A tree store; `T` is what holds the tables.
#[derive(Debug)]
pub struct Tree<T: Deref<Target = Tables<L>>, L: Lock> {
    tables: T,
    memo: Memo,
}

/// A tree store for one thread.
pub type PrivateTree = Tree<Box<Tables<Private>>, Private>;
/// A handle of a tree store that many threads share; each has its own.
pub type SharedTree = Tree<Arc<Tables<Spin>>, Spin>;

impl PrivateTree {
    /// An empty store that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight.
    pub fn new(limit: Option<u64>, marks: u32) -> PrivateTree {
        PrivateTree::with_split(limit, marks, Split::default())
    }

    /// The same, with another rule for the two sides.
    pub fn with_split(limit: Option<u64>, marks: u32, split: Split) -> PrivateTree {
        Tree::of(Box::new(Tables::new(limit, marks, split)))
    }
}

impl SharedTree {
    /// An empty store that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight.
    pub fn new(limit: Option<u64>, marks: u32) -> SharedTree {
        SharedTree::with_split(limit, marks, Split::default())
    }

    /// The same, with another rule for the two sides.
    pub fn with_split(limit: Option<u64>, marks: u32, split: Split) -> SharedTree {
        Tree::of(Arc::new(Tables::new(limit, marks, split)))
    }
}

impl Fork for SharedTree {
    fn fork(&self) -> SharedTree {
        Tree::of(Arc::clone(&self.tables))
    }
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
    fn refold(&self, side: usize, number: u32, state: &[u8], changed: &impl Fn(usize) -> bool) -> Option<u32> {
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
        numbers(StateRef(name)).into_iter().enumerate().all(|(side, number)| {
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

impl<T: Deref<Target = Tables<L>>, L: Lock> Tree<T, L> {
    fn of(tables: T) -> Tree<T, L> {
        Tree { tables, memo: Memo::default() }
    }

    /// The tables.
    pub(crate) fn tables(&self) -> &Tables<L> {
        &self.tables
    }

    /// The name of a state of which only that is looked up which differs from another of the same length.
    #[inline]
    fn refold(&mut self, state: &[u8], root: [u32; 2], before: &[u8]) -> Option<u64> {
        if state.len() > MASKED * UNIT {
            return self.tables.refold_all(root, before, state);
        }
        let units = differing(before, state);
        let mut root = root;
        for (side, number) in root.iter_mut().enumerate() {
            let to = Differing::in_units(units & self.tables.split.mask(side), state);
            *number = self.refold_side(side, *number, to, state)?;
        }
        Some(name(root))
    }

    /// The number of a side some of whose units may have changed, remembered or computed.
    #[inline(always)]
    fn refold_side(&mut self, side: usize, number: u32, to: Differing, state: &[u8]) -> Option<u32> {
        if to.units == 0 {
            return Some(number);
        }
        match self.memo.get(side, number, &to) {
            None => self.refold_anew(side, number, &to, state),
            found => found,
        }
    }

    /// The number of a changed side, computed; it is remembered as what came of this change.
    #[inline(never)]
    fn refold_anew(&mut self, side: usize, number: u32, to: &Differing, state: &[u8]) -> Option<u32> {
        let tables = &*self.tables;
        let after = tables.refold(side, number, state, &|piece| tables.split.meets(piece, to.units))?;
        self.memo.put(side, number, to, after, &tables.budget);
        Some(after)
    }
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Drop for Tree<T, L> {
    fn drop(&mut self) {
        self.memo.clear(&self.tables.budget);
    }
}

/// The name of a state: the number of its left side is the upper half.
#[inline(always)]
pub(crate) fn name([left, right]: [u32; 2]) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The numbers of the two sides of a state.
#[inline(always)]
fn numbers(at: StateRef) -> [u32; 2] {
    [(at.0 >> 32) as u32, at.0 as u32]
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Visited for Tree<T, L> {
    type Key = TreeKey;
    type Ref = StateRef;
    type Path = Path;
    const LOOKS: bool = false;

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.tables.root.len(), bytes: self.tables.budget.used() }
    }

    fn besides(&self, bytes: u64) {
        self.tables.budget.set_besides(bytes);
    }

    #[inline]
    fn prepare(&mut self, state: &[u8], from: Option<(&mut Path, &[u8])>) -> Option<TreeKey> {
        let name = match from {
            Some((path, before)) if before.len() == state.len() => self.refold(state, path.root, before)?,
            _ => self.tables.fold(state)?,
        };
        debug_assert_eq!(Some(name), self.tables.fold(state), "the path and the bytes are not of the same state");
        Some(TreeKey(Sought::new(name)))
    }

    #[inline(always)]
    fn prepare_changed(&mut self, state: &[u8], (path, before): (&mut Path, &[u8]), changed: u64) -> Option<TreeKey> {
        let (len, mut root) = (state.len(), path.root);
        if changed == u64::MAX
            || len != before.len()
            || len.wrapping_sub(1) >= MASKED * UNIT
            || !len.is_multiple_of(UNIT)
        {
            return self.prepare(state, Some((path, before)));
        }
        // Nobody need be believed who says that a unit behind the last one has changed.
        let changed = changed & u64::MAX >> (MASKED - len / UNIT);
        debug_assert_eq!(differing(before, state) & !changed, 0, "a unit has changed that should not have");
        for (side, number) in root.iter_mut().enumerate() {
            // SAFETY: both states have all units up to the last one, four bytes each.
            let to = unsafe { Differing::among(changed & self.tables.split.mask(side), state, before) };
            *number = self.refold_side(side, *number, to, state)?;
        }
        Some(TreeKey(Sought::new(name(root))))
    }

    #[inline(always)]
    fn prefetch(&mut self, key: &mut TreeKey) {
        self.tables.root.prefetch(&mut key.0);
    }

    #[inline(always)]
    fn insert(&mut self, key: &TreeKey, _state: &[u8], marks: u8) -> Visit<StateRef> {
        let at = StateRef(key.0.name);
        match self.tables.root.put(&key.0, marks, &self.tables.budget) {
            Put::New => Visit::New(at),
            Put::Known(marks) => Visit::Known(at, marks),
            Put::Full => Visit::Full,
        }
    }

    #[inline]
    fn lookup(&mut self, key: &TreeKey, _state: &[u8]) -> Option<(StateRef, u8)> {
        self.tables.root.get(&key.0).map(|marks| (StateRef(key.0.name), marks))
    }
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Marked for Tree<T, L> {
    fn mark_bits(&self) -> u32 {
        self.tables.root.marks()
    }

    fn marks(&mut self, at: StateRef) -> Option<u8> {
        self.tables.root.get(&Sought::new(at.0))
    }

    fn change_marks(&mut self, at: StateRef, keep: u8, set: u8) -> Option<u8> {
        self.tables.root.change(at.0, keep, set)
    }
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Decode for Tree<T, L> {
    fn decode(&mut self, at: StateRef, state: &mut Vec<u8>, path: &mut Path) -> bool {
        path.root = numbers(at);
        state.clear();
        self.tables.spell(at.0, state)
    }

    #[inline]
    fn resume(&mut self, at: StateRef, path: &mut Path) {
        path.root = numbers(at);
    }
}
