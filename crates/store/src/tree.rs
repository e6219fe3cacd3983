//! An exact store of states as trees: parts have codes, codes are folded pairwise, and a state is a pair of two numbers.
//!
//! Tree compression of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007), section 3.3. The root table is quotiented as in S. van der Vegt, A. Laarman: A Parallel Compact Hash Table
//! (2011). We differ:
//!
//! - The shape follows from the number of parts: some of them are folded on the left ([`Split`]), the others on the right,
//!   each side level by level, where an odd one goes up as it is. States with few and with many parts
//!   live side by side; a code says whether it is a part or a pair, so nothing else is needed to unfold it.
//! - All pairs below the two children of the root share one table. The two children have tables of their own, so that their
//!   numbers are small, and the root table keeps only the bits that these numbers need.
//! - The name of a state is the pair at the root. It never changes and says what the state is.
//! - Parts that a step did not change are not looked up: the codes of the state before it are at hand.

use crate::budget::Budget;
use crate::lock::{Lock, Private, Spin};
use crate::memo::{Change, Memo};
use crate::parts::{Code, Kind, Parts, short};
use crate::path::{MANY, Path, Side, differing};
use crate::root::{Root, Sought};
use crate::set::{Decode, Exactness, Fork, Marked, Usage, Vector, Visit, Visited};
use crate::shard::Put;
use crate::split::{Place, Split};
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

    /// Fills the sides of a path from its root; false if there is no such state.
    fn unfold(&self, path: &mut Path) -> bool {
        path.unfolded = (0..2).all(|side| {
            let top = self.sides[side].get(path.root[side]);
            top.inspect(|&top| path.sides[side].unfold(top, |code| self.children(code))).is_some()
        });
        path.unfolded
    }

    /// The number of a side whose changed parts these are, by number.
    #[inline(never)]
    fn refold(&self, side: usize, path: &Path, state: Vector<'_>, changed: &[u32], place: Place) -> Option<u32> {
        if let [at] = *changed {
            let code = self.parts.intern(part(state, at)?, &self.budget)?;
            let top = path.sides[side].climb(place.of(at) as usize, code, |left, right| self.node(left, right))?;
            return self.sides[side].intern(top, &self.budget);
        }
        let mut codes = [(0, Code::NONE); MANY];
        for (slot, &at) in codes.iter_mut().zip(changed) {
            *slot = (place.of(at), self.parts.intern(part(state, at)?, &self.budget)?);
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
        Tree { tables, scratch: Default::default(), memo: Memo::default() }
    }

    /// The name of a state all of whose parts are looked up.
    fn fold(&mut self, state: Vector<'_>) -> Option<u64> {
        let (tables, codes, count) = (&*self.tables, &mut self.scratch, state.ends.len());
        for side in codes.iter_mut() {
            side.clear();
            side.try_reserve(count).ok()?;
        }
        let mut start = 0;
        for (at, &end) in state.ends.iter().enumerate() {
            let code = tables.parts.intern(state.bytes.get(start..end as usize)?, &tables.budget)?;
            codes[tables.split.side(at as u32, count as u32)].push(code);
            start = end as usize;
        }
        let [left, right] = codes;
        Some(name([tables.fold_all(&tables.sides[0], left)?, tables.fold_all(&tables.sides[1], right)?]))
    }

    /// The name of a state of which only the parts are looked up that differ from those of another.
    #[inline(always)]
    fn refold(&mut self, state: Vector<'_>, path: &mut Path, before: &[u8]) -> Option<u64> {
        let mut changed = [0; MANY];
        let count = differing(Vector { bytes: before, ends: &path.ends }, state, &mut changed);
        let Some(changed) = changed.get(..count) else { return self.fold(state) };
        let (split, parts) = (self.tables.split, state.ends.len() as u32);
        let (mut sides, mut counts) = ([[0; MANY]; 2], [0; 2]);
        for &at in changed {
            let side = split.side(at, parts);
            *sides[side].get_mut(counts[side])? = at;
            counts[side] += 1;
        }
        let mut root = path.root;
        for side in 0..2 {
            if counts[side] > 0 {
                let changed = sides[side].get(..counts[side])?;
                root[side] = self.refold_side(side, path, state, changed, split.place(side, parts))?;
            }
        }
        Some(name(root))
    }

    /// The number of a changed side, remembered or computed.
    #[inline(never)]
    fn refold_side(
        &mut self,
        side: usize,
        path: &mut Path,
        state: Vector<'_>,
        changed: &[u32],
        place: Place,
    ) -> Option<u32> {
        let change = describe(side, path, state, changed, place);
        if let Some(number) = change.and_then(|change| self.memo.get(&change)) {
            return Some(number);
        }
        let tables = &*self.tables;
        if !path.unfolded && !tables.unfold(path) {
            return None;
        }
        let number = tables.refold(side, path, state, changed, place)?;
        if let Some(change) = change {
            self.memo.put(&change, number, &tables.budget);
        }
        Some(number)
    }
}

/// What is to be changed, if it is little enough to be remembered. The lengths of parts need not be told: they are those of
/// the old parts, which the number of the side implies.
#[inline(always)]
fn describe(side: usize, path: &Path, state: Vector<'_>, changed: &[u32], place: Place) -> Option<Change> {
    let short = |at: u32| Some((place.of(at), two_words(part(state, at)?)?)).filter(|&(at, _)| at < 256);
    match *changed {
        [one] => Some(Change::one(side, path.root[side], short(one)?)),
        [one, two] => Some(Change::two(side, path.root[side], short(one)?, short(two)?)),
        _ => None,
    }
}

/// A part of at most sixteen bytes as two words, which tell it from all others of its length.
#[inline(always)]
fn two_words(part: &[u8]) -> Option<[u64; 2]> {
    match (part.first_chunk::<8>(), part.last_chunk::<8>()) {
        (Some(start), Some(end)) => {
            (part.len() <= 16).then_some([u64::from_le_bytes(*start), u64::from_le_bytes(*end)])
        }
        _ => Some([short(part), 0]),
    }
}

/// The bytes of a part.
#[inline(always)]
fn part(state: Vector<'_>, at: u32) -> Option<&[u8]> {
    let start = if at == 0 { 0 } else { *state.ends.get(at as usize - 1)? };
    state.bytes.get(start as usize..*state.ends.get(at as usize)? as usize)
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

    const NEEDS_STATE: bool = false;

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.tables.root.len(), bytes: self.tables.budget.used() }
    }

    #[inline]
    fn prepare(&mut self, state: Vector<'_>, from: Option<(&mut Path, &[u8])>) -> Option<TreeKey> {
        // Bytes behind the last part would be forgotten, and different states taken for equal ones.
        let end = state.ends.last().map_or(0, |&end| end as usize);
        assert!(end == state.bytes.len(), "the last part must end where the state ends");
        let name = match from {
            Some((path, before)) => self.refold(state, path, before)?,
            None => self.fold(state)?,
        };
        debug_assert_eq!(Some(name), self.fold(state), "the path and the bytes are not of the same state");
        Some(TreeKey(Sought::new(name)))
    }

    #[inline]
    fn prefetch(&mut self, key: &mut TreeKey) {
        self.tables.root.prefetch(&mut key.0);
    }

    #[inline]
    fn insert(&mut self, key: &TreeKey, _state: Vector<'_>, marks: u8) -> Visit<StateRef> {
        let at = StateRef(key.0.name);
        match self.tables.root.put(&key.0, marks, &self.tables.budget) {
            Put::New => Visit::New(at),
            Put::Known(marks) => Visit::Known(at, marks),
            Put::Full => Visit::Full,
        }
    }

    #[inline]
    fn lookup(&mut self, key: &TreeKey, _state: Vector<'_>) -> Option<(StateRef, u8)> {
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
        path.ends.clear();
        path.root = numbers(at);
        if !tables.unfold(path) {
            return false;
        }
        let Path { ends, sides, .. } = path;
        let mut parts = [sides[0].parts().iter(), sides[1].parts().iter()];
        let count = (parts[0].len() + parts[1].len()) as u32;
        (0..count).all(|at| {
            let part = parts[tables.split.side(at, count)].next();
            let done = part.is_some_and(|&part| tables.parts.decode(part, state));
            ends.push(state.len() as u32);
            done
        })
    }

    #[inline]
    fn resume(&mut self, at: StateRef, ends: &[u32], path: &mut Path) {
        path.root = numbers(at);
        path.unfolded = false;
        if path.ends != ends {
            path.ends.clear();
            path.ends.extend_from_slice(ends);
        }
    }
}
