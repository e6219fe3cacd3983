//! A tree store whose states have numbers in the order of arrival, for searches that keep tables by state.
//!
//! Only what has changed since the state before is folded. Instead of a root table there is one that gives a
//! number to each pair at the root.

use crate::lock::Private;
use crate::path::Path;
use crate::set::{Decode, Exactness, Inserted, StateId, StateSet, StateStore, Usage, Visited};
use crate::split::Split;
use crate::tables::Tables;
use crate::tree::{PrivateTree, StateRef};
use crate::words::Words;
use std::cell::Cell;

/// An exact set of states in the memory of one thread.
#[derive(Debug)]
pub struct NumberedTree {
    limit: Option<u64>,
    /// None as long as there is no state: the first one tells how to split all.
    tree: Option<PrivateTree>,
    numbers: Words<Private>,
    /// The state that came last, unless none has come.
    last: Option<Vec<u8>>,
    path: Path,
    /// What others use, as long as there is no tree.
    besides: Cell<u64>,
}

impl NumberedTree {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> NumberedTree {
        let (numbers, path, besides) = (Words::default(), Path::default(), Cell::new(0));
        NumberedTree { limit, tree: None, numbers, last: None, path, besides }
    }

    /// The same, with a rule for the two sides of all states.
    pub fn with_split(limit: Option<u64>, split: Split) -> NumberedTree {
        let tree = PrivateTree::with_split(limit, 0, split);
        NumberedTree { tree: Some(tree), ..NumberedTree::new(limit) }
    }

    /// The name of a state, which need not be in the set, nor come into it; none if there is no memory.
    pub fn name(&mut self, state: &[u8]) -> Option<StateRef> {
        let (limit, besides) = (self.limit, self.besides.get());
        let tree = self.tree.get_or_insert_with(|| {
            let tree = PrivateTree::with_split(limit, 0, Split::halves(state.len()));
            tree.besides(besides);
            tree
        });
        let from = self.last.as_ref().map(|last| (&mut self.path, &last[..]));
        let name = StateRef::from(tree.prepare(state, from)?);
        // A list that cannot grow would be of no state at all.
        let last = self.last.get_or_insert_default();
        if last.try_reserve(state.len().saturating_sub(last.len())).is_err() {
            self.last = None;
            return None;
        }
        last.clear();
        last.extend_from_slice(state);
        tree.resume(name, &mut self.path);
        Some(name)
    }

    /// The name of a state that differs from another one, given with its name, in some units at most: see
    /// [`Visited::prepare_changed`]. None if there is no memory.
    #[inline]
    pub fn name_changed(&mut self, state: &[u8], (at, before): (StateRef, &[u8]), changed: u64) -> Option<StateRef> {
        let (tree, mut path) = (self.tree.as_mut()?, Path::default());
        tree.resume(at, &mut path);
        tree.prepare_changed(state, (&mut path, before), changed).map(StateRef::from)
    }

    /// The state with a name will be entered soon.
    #[inline(always)]
    pub fn expect(&self, StateRef(name): StateRef) {
        self.numbers.prefetch(name);
    }

    /// The same, a little later: the state that it will be compared with.
    #[inline(always)]
    pub fn expect_soon(&self, StateRef(name): StateRef) {
        self.numbers.prefetch_found(name);
    }

    /// Takes the state with a name of this tree into the set.
    #[inline]
    pub fn enter(&mut self, StateRef(name): StateRef) -> Inserted {
        let before = self.numbers.len();
        let number = self.tree.as_ref().and_then(|tree| tree.tables().number(&self.numbers, name));
        match number {
            None => Inserted::Full,
            Some(number) if number == before => Inserted::New(StateId(number)),
            Some(number) => Inserted::Known(StateId(number)),
        }
    }

    /// The number of the state with a name, if it is in the set.
    pub fn entered(&self, StateRef(name): StateRef) -> Option<StateId> {
        self.numbers.lookup(name).map(StateId)
    }

    /// The name of a state of the set.
    pub fn name_of(&self, id: StateId) -> Option<StateRef> {
        self.numbers.get(id.0).map(StateRef)
    }

    /// The tables, for those who tell others of sides; none before the first state, unless a rule was given.
    pub(crate) fn tables(&self) -> Option<&Tables<Private>> {
        self.tree.as_ref().map(PrivateTree::tables)
    }
}

impl StateSet for NumberedTree {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.numbers.len().into(), bytes: self.tree.as_ref().map_or(0, |tree| tree.tables().used()) }
    }

    fn besides(&self, bytes: u64) {
        match &self.tree {
            Some(tree) => tree.besides(bytes),
            None => self.besides.set(bytes),
        }
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.name(state).map_or(Inserted::Full, |name| self.enter(name))
    }
}

impl StateStore for NumberedTree {
    const READS: bool = true;

    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        let name = self.tree.as_ref()?.tables().fold(state)?;
        self.numbers.lookup(name).map(StateId)
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        if let (Some(name), Some(tree)) = (self.numbers.get(id.0), &self.tree) {
            tree.tables().spell(name, out);
        }
    }
}
