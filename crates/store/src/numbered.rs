//! A tree store whose states have numbers in the order of arrival, for searches that keep tables by state.
//!
//! States come without parts here, so they are cut every eight bytes. Instead of a root table there is one that gives a
//! number to each pair at the root.

use crate::lock::Private;
use crate::parts::Code;
use crate::set::{Exactness, Inserted, StateId, StateSet, StateStore, Usage};
use crate::split::Split;
use crate::tree::Tables;
use crate::words::Words;

/// Bytes of a part.
const PART: usize = 8;

/// An exact set of states in the memory of one thread.
#[derive(Debug)]
pub struct NumberedTree {
    tables: Box<Tables<Private>>,
    numbers: Words<Private>,
    scratch: Vec<Code>,
}

impl NumberedTree {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> NumberedTree {
        NumberedTree {
            tables: Box::new(Tables::new(limit, 0, Split::Halves)),
            numbers: Words::default(),
            scratch: Vec::new(),
        }
    }

    /// The pair at the root of a state; none if there is no memory.
    fn name(tables: &Tables<Private>, state: &[u8], codes: &mut Vec<Code>) -> Option<u64> {
        codes.clear();
        codes.try_reserve(state.len().div_ceil(PART)).ok()?;
        for part in state.chunks(PART) {
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

    fn insert(&mut self, state: &[u8]) -> Inserted {
        let Some(name) = NumberedTree::name(&self.tables, state, &mut self.scratch) else { return Inserted::Full };
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn states_are_numbered_and_found_again() {
        let (mut set, mut twin) = (NumberedTree::new(None), HashMap::new());
        let mut seed = 1u64;
        for round in 0..20_000u64 {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round | 1);
            let mut state = vec![0; (seed >> 60) as usize * 5];
            for (place, byte) in state.iter_mut().enumerate() {
                *byte = (seed >> (place % 7 * 4)) as u8 & 3;
            }
            let next = StateId(twin.len() as u32);
            match set.insert(&state) {
                Inserted::New(id) => assert!(id == next && twin.insert(state.clone(), id).is_none()),
                Inserted::Known(id) => assert_eq!(twin.get(&state), Some(&id)),
                Inserted::Full => panic!("there is no limit"),
            }
        }
        assert!(twin.len() > 100);
        for (state, &id) in &twin {
            let mut out = Vec::new();
            set.read(id, &mut out);
            assert_eq!((&out, set.lookup(state)), (state, Some(id)));
        }
        assert_eq!(set.lookup(&[9; 40]), None);
    }

    #[test]
    fn a_limit_is_kept_and_nothing_is_forgotten() {
        let mut set = NumberedTree::new(Some(40_000));
        let state = |n: u32| [n.to_le_bytes(), (n / 7).to_le_bytes(), (n % 7).to_le_bytes()].concat();
        let full = (0..100_000).find(|&n| set.insert(&state(n)) == Inserted::Full).expect("it must get full");
        assert!(full > 100 && set.usage().bytes <= 40_000);
        assert!((0..full).all(|n| set.insert(&state(n)) == Inserted::Known(StateId(n))));
    }
}
