//! A tree store, written down and read: all parts, pairs and sides in the order of their numbers, then the names of states.

use super::{PrivateTree, SharedTree, Tree};
use crate::archive::{LoadError, Save, get_bytes, put_bytes};
use crate::lock::Lock;
use crate::split::Split;
use crate::tables::Tables;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;

impl<L: Lock> Tables<L> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.split.save(out)?;
        self.parts.save(out)?;
        self.nodes.save(out)?;
        self.sides.iter().try_for_each(|side| side.save(out))?;
        self.root.save(out)
    }

    fn load(limit: Option<u64>, marks: u32, from: &mut dyn Read) -> Result<Tables<L>, LoadError> {
        let tables = Tables::new(limit, marks, Split::load(from)?);
        tables.parts.load(from, &tables.budget)?;
        tables.nodes.load(from, &tables.budget)?;
        tables.sides.iter().try_for_each(|side| side.load(from, &tables.budget))?;
        tables.root.load(from, &tables.budget)?;
        Ok(tables)
    }
}

impl Split {
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let pieces: Vec<u8> = self.known().iter().flat_map(|piece| piece.to_le_bytes()).collect();
        put_bytes(out, &pieces)?;
        put_bytes(out, &self.known_sides().iter().map(|&side| side as u8).collect::<Vec<_>>())
    }

    pub(crate) fn load(from: &mut dyn Read) -> Result<Split, LoadError> {
        let (mut pieces, mut sides) = (Vec::new(), Vec::new());
        get_bytes(from, &mut pieces)?;
        get_bytes(from, &mut sides)?;
        let (numbers, rest) = pieces.as_chunks();
        let pieces: Vec<usize> = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize).collect();
        if !rest.is_empty() || pieces.iter().any(|&piece| piece >= sides.len()) {
            return Err(LoadError::Broken("a unit is in no piece"));
        }
        Ok(Split::of(&pieces, &sides.iter().map(|&side| usize::from(side)).collect::<Vec<_>>()))
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
