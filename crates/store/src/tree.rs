//! An exact store of states as trees: pieces have codes, codes are folded pairwise, and a state is a pair of two numbers.
//!
//! Tree compression of S. Blom, B. Lisser, J. van de Pol, M. Weber: A Database Approach to Distributed State Space
//! Generation (2007), section 3.3; only what a step changed is looked up, as in A. Laarman, J. van de Pol, M. Weber: Parallel
//! Recursive State Compression for Free (SPIN 2011). The root table is quotiented as in S. van der Vegt, A. Laarman: A Parallel
//! Compact Hash Table (2011). We differ:
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

use crate::differing::{Differing, Few, differing, unit};
use crate::lock::{Lock, Private, Spin};
use crate::memo::{BY_NUMBER, Memo};
use crate::path::Path;
use crate::root::Sought;
use crate::set::{Decode, Exactness, Fork, Marked, Usage, Visit, Visited};
use crate::shard::Put;
use crate::split::{MASKED, Split, UNIT};
use crate::tables::{Tables, name, numbers};
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
            return self.refold_long(state, root, before);
        }
        let units = differing(before, state);
        let mut root = root;
        for (side, number) in root.iter_mut().enumerate() {
            let to = Differing::in_units(units & self.tables.split.mask(side), state);
            *number = self.refold_side(side, *number, to, state)?;
        }
        Some(name(root))
    }

    /// The same for a state that is too long for a bit for each unit.
    #[inline(never)]
    fn refold_long(&mut self, state: &[u8], mut root: [u32; 2], before: &[u8]) -> Option<u64> {
        let (tables, memo) = (&*self.tables, &mut self.memo);
        let mut changed = [Few::default(); 2];
        let stretches = state.chunks(MASKED * UNIT).zip(before.chunks(MASKED * UNIT));
        for (number, (new, old)) in stretches.enumerate() {
            let mut units = differing(old, new);
            while units != 0 {
                let at = number * MASKED + units.trailing_zeros() as usize;
                changed[tables.split.side(tables.split.piece_of(at))].push(at, unit(state, at));
                units &= units - 1;
            }
        }
        if !changed.iter().all(Few::is_few) {
            return tables.refold_all(root, before, state);
        }
        for (side, few) in changed.iter().enumerate().filter(|(_, few)| few.packed().count > 0) {
            let number = root[side] | BY_NUMBER;
            root[side] = match memo.get(side, number, few.packed()) {
                Some(after) => after,
                None => {
                    let met = |piece| few.units().any(|unit| tables.split.piece_of(unit) == piece);
                    let after = tables.refold(side, root[side], state, &met)?;
                    memo.put(side, number, few.packed(), after, &tables.budget);
                    after
                }
            };
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
        path.root = numbers(at.0);
        state.clear();
        self.tables.spell(at.0, state)
    }

    #[inline]
    fn resume(&mut self, at: StateRef, path: &mut Path) {
        path.root = numbers(at.0);
    }
}
