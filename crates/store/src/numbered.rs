//! A tree store whose states have numbers in the order of arrival, for searches that keep tables by state.
//!
//! Only what has changed since the state before is folded. Instead of a root table there is one that gives a
//! number to each pair at the root.

use crate::lock::Private;
use crate::path::Path;
use crate::set::{Decode, Exactness, Inserted, StateId, StateSet, StateStore, Usage, Visited};
use crate::split::Split;
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
    /// The state that came last.
    last: Vec<u8>,
    path: Path,
    /// What others use, as long as there is no tree.
    besides: Cell<u64>,
}

impl NumberedTree {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> NumberedTree {
        let (numbers, path, besides) = (Words::default(), Path::default(), Cell::new(0));
        NumberedTree { limit, tree: None, numbers, last: Vec::new(), path, besides }
    }

    /// The name of a state in the tree; none if there is no memory.
    fn name(&mut self, state: &[u8]) -> Option<StateRef> {
        let fresh = self.tree.is_none();
        let (limit, besides) = (self.limit, self.besides.get());
        let tree = self.tree.get_or_insert_with(|| {
            let tree = PrivateTree::with_split(limit, 0, Split::halves(state.len()));
            tree.besides(besides);
            tree
        });
        let from = (!fresh).then_some((&mut self.path, &self.last[..]));
        let name = StateRef::from(tree.prepare(state, from)?);
        // A list that cannot grow would be of no state at all.
        self.last.try_reserve(state.len().saturating_sub(self.last.len())).ok()?;
        self.last.clear();
        self.last.extend_from_slice(state);
        tree.resume(name, &mut self.path);
        Some(name)
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
        let Some(name) = self.name(state) else { return Inserted::Full };
        let before = self.numbers.len();
        let number = self.tree.as_ref().and_then(|tree| tree.tables().number(&self.numbers, name.0));
        match number {
            None => Inserted::Full,
            Some(number) if number == before => Inserted::New(StateId(number)),
            Some(number) => Inserted::Known(StateId(number)),
        }
    }
}

impl StateStore for NumberedTree {
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
