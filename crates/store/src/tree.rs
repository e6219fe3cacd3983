//! An exact store of states as trees: parts have codes, codes are folded pairwise, and a state is a pair of two numbers.
//!
//! Tree compression of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007), section 3.3. The root table is quotiented as in S. van der Vegt, A. Laarman: A Parallel Compact Hash Table
//! (2011). We differ:
//!
//! - Parts are words of eight bytes, whatever they mean: a step changes one or two of them, and they are found by comparing
//!   words. The last one may be shorter.
//! - The shape follows from the number of words: some of them are folded on the left ([`Split`]), the others on the right,
//!   each side level by level, where an odd one goes up as it is. Short and long states live side by side; a code says
//!   whether it is a part or a pair, so nothing else is needed to unfold it.
//! - All pairs below the two children of the root share one table. The two children have tables of their own, so that their
//!   numbers are small, and the root table keeps only the bits that these numbers need.
//! - The name of a state is the pair at the root. It never changes and says what the state is.
//! - Words that a step did not change are not looked up: the codes of the state before it are at hand. Nor are changes
//!   that were made lately (`memo.rs`).

mod archive;

use crate::budget::Budget;
use crate::lock::{Lock, Private, Spin};
use crate::memo::{Change, Memo};
use crate::parts::{Code, Kind, Parts, WORD, short};
use crate::path::{Path, Side};
use crate::root::{Root, Sought};
use crate::set::{Decode, Exactness, Fork, Marked, Usage, Visit, Visited};
use crate::shard::Put;
use crate::split::Split;
use crate::words::Words;
use std::ops::Deref;
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
    scratch: [Vec<Code>; 2],
    changes: Changes,
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

    /// The code of a pair, or of one alone.
    #[inline(always)]
    pub(crate) fn node(&self, left: Code, right: Code) -> Option<Code> {
        if right == Code::NONE {
            return Some(left);
        }
        Some(Code::node(self.nodes.intern(left.pair(right), &self.budget)?))
    }

    /// The two codes of a node.
    fn children(&self, code: Code) -> Option<(Code, Code)> {
        match code.kind() {
            Kind::Node(number) => self.nodes.get(number).map(Code::split),
            _ => None,
        }
    }

    /// The code of a part.
    pub(crate) fn part(&self, part: &[u8]) -> Option<Code> {
        self.parts.intern(part, &self.budget)
    }

    /// The number of a name.
    pub(crate) fn number(&self, numbers: &Words<L>, name: u64) -> Option<u32> {
        numbers.intern(name, &self.budget)
    }

    /// Says how many bytes others use.
    pub(crate) fn set_besides(&self, bytes: u64) {
        self.budget.set_besides(bytes);
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.budget.used()
    }

    /// The name of a state whose parts have these codes, which are overwritten.
    pub(crate) fn fold_codes(&self, codes: &mut [Code]) -> Option<u64> {
        let (left, right) = codes.split_at_mut(codes.len().div_ceil(2));
        Some(name([self.fold_all(&self.sides[0], left)?, self.fold_all(&self.sides[1], right)?]))
    }

    /// The number of a side whose codes at the top are these, at most two.
    pub(crate) fn top(&self, side: usize, codes: &[Code]) -> Option<u32> {
        let mut pair = [Code::NONE; 2];
        let pair = pair.get_mut(..codes.len())?;
        pair.copy_from_slice(codes);
        self.fold_all(&self.sides[side], pair)
    }

    /// Appends the state with this name.
    pub(crate) fn spell(&self, name: u64, out: &mut Vec<u8>) {
        for (side, number) in [(name >> 32) as u32, name as u32].into_iter().enumerate() {
            if let Some(top) = self.sides[side].get(number)
                && top != Side::EMPTY
            {
                let (left, right) = Code::split(top);
                self.spell_code(left, out);
                self.spell_code(right, out);
            }
        }
    }

    fn spell_code(&self, code: Code, out: &mut Vec<u8>) {
        match self.children(code) {
            Some((left, right)) => {
                self.spell_code(left, out);
                self.spell_code(right, out);
            }
            None => drop(self.parts.decode(code, out)),
        }
    }

    /// The number of a side whose codes these are; they are overwritten.
    fn fold_all(&self, sides: &Words<L>, codes: &mut [Code]) -> Option<u32> {
        let mut size = codes.len();
        while size > 2 {
            for at in 0..size.div_ceil(2) {
                let right = if 2 * at + 1 < size { codes[2 * at + 1] } else { Code::NONE };
                codes[at] = self.node(codes[2 * at], right)?;
            }
            size = size.div_ceil(2);
        }
        let pair = match codes[..size] {
            [] => Side::EMPTY,
            [one] => one.pair(Code::NONE),
            [left, right, ..] => left.pair(right),
        };
        sides.intern(pair, &self.budget)
    }

    /// Fills a side of a path from its number; false if there is no such side.
    fn unfold(&self, side: usize, path: &mut Path) -> bool {
        let top = self.sides[side].get(path.root[side]);
        path.unfolded[side] = top.is_some();
        top.inspect(|&top| path.sides[side].unfold(top, |code| self.children(code))).is_some()
    }

    /// The number of a side whose changed words these are.
    #[inline(never)]
    fn refold(&self, side: usize, path: &Path, state: &[u8], changed: &[Changed]) -> Option<u32> {
        let code = |it: &Changed| self.parts.intern(part(state, it.word as usize)?, &self.budget);
        if let [it] = changed {
            let top = path.sides[side].climb(it.at as usize, code(it)?, |left, right| self.node(left, right))?;
            return self.sides[side].intern(top, &self.budget);
        }
        let mut codes = [(0, Code::NONE); MANY];
        for (slot, it) in codes.iter_mut().zip(changed) {
            *slot = (it.at, code(it)?);
        }
        self.fold_changed(&self.sides[side], &path.sides[side], codes.get_mut(..changed.len())?)
    }

    /// The number of a side some of whose codes have changed, given with their positions in rising order.
    fn fold_changed(&self, sides: &Words<L>, side: &Side, changed: &mut [(u32, Code)]) -> Option<u32> {
        let mut count = changed.len();
        for level in side.levels() {
            let (mut from, mut to) = (0, 0);
            if level.len() <= 2 {
                let mut pair = [level[0], level.get(1).copied().unwrap_or(Code::NONE)];
                for &(at, code) in &changed[..count] {
                    pair[at as usize & 1] = code;
                }
                return sides.intern(pair[0].pair(pair[1]), &self.budget);
            }
            while from < count {
                let (at, code) = changed[from];
                from += 1;
                let (mut left, mut right) = (code, code);
                if at & 1 == 1 {
                    left = level[at as usize - 1];
                } else if from < count && changed[from].0 == at + 1 {
                    right = changed[from].1;
                    from += 1;
                } else {
                    right = level.get(at as usize + 1).copied().unwrap_or(Code::NONE);
                }
                changed[to] = (at / 2, self.node(left, right)?);
                to += 1;
            }
            count = to;
        }
        None
    }
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Tree<T, L> {
    fn of(tables: T) -> Tree<T, L> {
        Tree { tables, scratch: Default::default(), changes: Changes::default(), memo: Memo::default() }
    }

    /// The name of a state all of whose words are looked up.
    fn fold(&mut self, state: &[u8]) -> Option<u64> {
        let (tables, codes) = (&*self.tables, &mut self.scratch);
        for side in codes.iter_mut() {
            side.clear();
            side.try_reserve(state.len() / WORD + 1).ok()?;
        }
        for (at, part) in state.chunks(WORD).enumerate() {
            codes[tables.split.place(at).0].push(tables.parts.intern(part, &tables.budget)?);
        }
        let [left, right] = codes;
        Some(name([tables.fold_all(&tables.sides[0], left)?, tables.fold_all(&tables.sides[1], right)?]))
    }

    /// The name of a state of which only the words are looked up that differ from those of another.
    #[inline(always)]
    fn refold(&mut self, state: &[u8], path: &mut Path, before: &[u8]) -> Option<u64> {
        self.changes.find(before, state, &self.tables.split);
        let mut root = path.root;
        for (side, number) in root.iter_mut().enumerate() {
            match self.changes.counts[side] {
                0 => {}
                count if count <= MANY => *number = self.refold_side(side, path, state)?,
                _ => return self.fold(state),
            }
        }
        Some(name(root))
    }

    /// The number of a changed side, remembered or computed.
    #[inline(always)]
    fn refold_side(&mut self, side: usize, path: &mut Path, state: &[u8]) -> Option<u32> {
        let number = path.root[side];
        let change = match self.changes.of(side) {
            [one] => Change::one(side, number, (one.at, one.value)),
            [one, two] => Change::two(side, number, (one.at, one.value), (two.at, two.value)),
            _ => None,
        };
        match change.as_ref().and_then(|change| self.memo.get(change)) {
            None => self.refold_anew(side, path, state, change),
            found => found,
        }
    }

    /// The number of a changed side, computed; it is remembered as what came of this change.
    #[inline(never)]
    fn refold_anew(&mut self, side: usize, path: &mut Path, state: &[u8], change: Option<Change>) -> Option<u32> {
        let tables = &*self.tables;
        if !path.unfolded[side] && !tables.unfold(side, path) {
            return None;
        }
        let number = tables.refold(side, path, state, self.changes.of(side))?;
        if let Some(change) = change {
            self.memo.put(&change, number, &tables.budget);
        }
        Some(number)
    }
}

/// More changed words of a side than this are not handled one by one.
const MANY: usize = 8;

/// A word that a step has changed.
#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    /// Its position on its side.
    at: u32,
    /// Its position in the state.
    word: u32,
    /// What it is now. The length of a short one need not be told: it is that of the old one, which the side's number implies.
    value: u64,
}

/// The words that a step has changed, by side; a side with more than [`MANY`] counts more.
#[derive(Debug, Default)]
struct Changes {
    list: [[Changed; MANY]; 2],
    counts: [usize; 2],
}

impl Changes {
    /// The changed words of a side.
    #[inline(always)]
    fn of(&self, side: usize) -> &[Changed] {
        self.list[side].get(..self.counts[side]).unwrap_or_default()
    }

    /// Compares two states of the same length.
    #[inline(always)]
    fn find(&mut self, before: &[u8], state: &[u8], split: &Split) {
        self.counts = [0; 2];
        let ((words, rest), (old_words, old_rest)) = (state.as_chunks::<WORD>(), before.as_chunks::<WORD>());
        for (word, (new, old)) in words.iter().zip(old_words).enumerate() {
            let value = u64::from_le_bytes(*new);
            if value != u64::from_le_bytes(*old) {
                self.push(word, value, split);
            }
        }
        let value = short(rest);
        if value != short(old_rest) {
            self.push(words.len(), value, split);
        }
    }

    #[inline(always)]
    fn push(&mut self, word: usize, value: u64, split: &Split) {
        let (side, at) = split.place(word);
        let count = &mut self.counts[side];
        if let Some(slot) = self.list[side].get_mut(*count) {
            *slot = Changed { at, word: word as u32, value };
        }
        *count += 1;
    }
}

/// The bytes of a word.
#[inline(always)]
fn part(state: &[u8], word: usize) -> Option<&[u8]> {
    state.get(word * WORD..).map(|rest| &rest[..rest.len().min(WORD)])
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
            Some((path, before)) if before.len() == state.len() => self.refold(state, path, before)?,
            _ => self.fold(state)?,
        };
        debug_assert_eq!(Some(name), self.fold(state), "the path and the bytes are not of the same state");
        Some(TreeKey(Sought::new(name)))
    }

    #[inline]
    fn prefetch(&mut self, key: &mut TreeKey) {
        self.tables.root.prefetch(&mut key.0);
    }

    #[inline]
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
        let tables = &*self.tables;
        state.clear();
        path.root = numbers(at);
        if !(0..2).all(|side| tables.unfold(side, path)) {
            return false;
        }
        let mut parts = [path.sides[0].parts().iter(), path.sides[1].parts().iter()];
        let count = parts[0].len() + parts[1].len();
        (0..count).all(|at| {
            let part = parts[tables.split.place(at).0].next();
            part.is_some_and(|&part| tables.parts.decode(part, state))
        })
    }

    #[inline]
    fn resume(&mut self, at: StateRef, path: &mut Path) {
        path.root = numbers(at);
        path.unfolded = [false; 2];
    }
}
