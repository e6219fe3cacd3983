//! A tree store, written down and read: all parts, pairs and sides in the order of their numbers, then the names of states.

use super::{PrivateTree, SharedTree, Tables, Tree};
use crate::archive::{LoadError, Save, get_bytes, put_bytes};
use crate::lock::Lock;
use crate::split::Split;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;

impl<L: Lock> Tables<L> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let sides: Vec<u8> = self.split.sides().iter().map(|&side| side as u8).collect();
        put_bytes(out, &sides)?;
        self.parts.save(out)?;
        self.nodes.save(out)?;
        self.sides.iter().try_for_each(|side| side.save(out))?;
        self.root.save(out)
    }

    fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<Tables<L>, LoadError> {
        let mut sides = Vec::new();
        get_bytes(from, &mut sides)?;
        let split: Split = sides.iter().map(|side| usize::from(side & 1)).collect();
        let tables = Tables::new(limit, marks, split);
        tables.parts.load(from, &tables.budget)?;
        tables.nodes.load(from, &tables.budget)?;
        tables.sides.iter().try_for_each(|side| side.load(from, &tables.budget))?;
        tables.root.load(from, &tables.budget)?;
        Ok(tables)
    }
}

impl<T: Deref<Target = Tables<L>>, L: Lock> Save for Tree<T, L> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.save(out)
    }
}

impl PrivateTree {
    /// The store that was saved; names of states stay what they were.
    pub fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<PrivateTree, LoadError> {
        Ok(Tree::of(Box::new(Tables::load(limit, marks, from)?)))
    }
}

impl SharedTree {
    /// The store that was saved; names of states stay what they were.
    pub fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<SharedTree, LoadError> {
        Ok(Tree::of(Arc::new(Tables::load(limit, marks, from)?)))
    }
}
