//! A tree store whose states have numbers in the order of arrival, for searches that keep tables by state.
//!
//! Only what has changed since the state before is folded (`last.rs`). Instead of a root table there is one that gives a
//! number to each pair at the root.

use crate::last::Last;
use crate::lock::Private;
use crate::parts::Code;
use crate::parts::WORD;
use crate::set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use crate::split::Split;
use crate::tree::Tables;
use crate::words::Words;

/// An exact set of states in the memory of one thread.
#[derive(Debug)]
pub struct NumberedTree {
    tables: Box<Tables<Private>>,
    numbers: Words<Private>,
    last: Last,
}

impl NumberedTree {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> NumberedTree {
        NumberedTree {
            tables: Box::new(Tables::new(limit, 0, Split::default())),
            numbers: Words::default(),
            last: Last::default(),
        }
    }

    /// The pair at the root of a state; none if there is no memory.
    fn name(tables: &Tables<Private>, state: &[u8], codes: &mut Vec<Code>) -> Option<u64> {
        codes.clear();
        codes.try_reserve(state.len().div_ceil(WORD)).ok()?;
        for part in state.chunks(WORD) {
            codes.push(tables.part(part)?);
        }
        tables.fold_codes(codes)
    }
}

impl StateSet for NumberedTree {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.numbers.len().into(), bytes: self.tables.used() }
    }

    fn besides(&self, bytes: u64) {
        self.tables.set_besides(bytes);
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        let Some(name) = self.last.fold(&self.tables, state) else { return Inserted::Full };
        debug_assert_eq!(Some(name), NumberedTree::name(&self.tables, state, &mut Vec::new()));
        let before = self.numbers.len();
        match self.tables.number(&self.numbers, name) {
            None => Inserted::Full,
            Some(number) if number == before => Inserted::New(StateId(number)),
            Some(number) => Inserted::Known(StateId(number)),
        }
    }
}

impl StateStore for NumberedTree {
    fn lookup(&self, state: &[u8]) -> Option<StateId> {
        let name = NumberedTree::name(&self.tables, state, &mut Vec::new())?;
        self.numbers.lookup(name).map(StateId)
    }

    fn read(&self, id: StateId, out: &mut Vec<u8>) {
        if let Some(name) = self.numbers.get(id.0) {
            self.tables.spell(name, out);
        }
    }
}
