//! A packed store, written down and read: its layout with all values, the states that do not pack, then the names of the others.

use super::{Packed, PrivatePacked, SharedPacked, Table};
use crate::archive::{LoadError, Save, get_bytes, get_number, put_bytes, put_number};
use crate::lock::Lock;
use crate::packed::layout::Layout;
use crate::set::{StateId, Visit};
use crate::sync::Ordering;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::sync::Arc;

impl<T: Deref<Target = Table<L>>, L: Lock> Save for Packed<T, L> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let table = &*self.table;
        table.packer.layout().save(out)?;
        let apart = table.apart.lock();
        put_number(out, apart.all().count() as u64)?;
        for (number, state) in apart.all().enumerate() {
            put_bytes(out, state)?;
            // One more than its marks if it is in the set.
            put_number(out, apart.marks(StateId(number as u32)).map_or(0, |marks| u64::from(marks) + 1))?;
        }
        table.root.save(out)
    }
}

impl<L: Lock> Table<L> {
    fn load(limit: Option<u64>, marks: u32, few: u64, from: &mut dyn Read) -> Result<Table<L>, LoadError> {
        let layout = Layout::load(from)?;
        let table = Table::new(limit, marks, &layout, few).ok_or(LoadError::Full)?;
        let mut state = Vec::new();
        for number in 0..get_number(from)? {
            get_bytes(from, &mut state)?;
            let flags = get_number(from)?;
            if table.packer.pack(&state).is_some() {
                return Err(LoadError::Broken("a state packs that did not"));
            }
            let mut apart = table.apart.lock();
            let id = apart.number(&state, &table.budget).ok_or(LoadError::Full)?;
            if u64::from(id.0) != number {
                return Err(LoadError::Broken("a state came twice"));
            }
            if let Some(marks) = flags.checked_sub(1) {
                let Visit::New(()) = apart.insert(id, marks as u8) else { return Err(LoadError::Full) };
                table.apart_count.fetch_add(1, Ordering::Relaxed);
            }
        }
        table.root.load(from, &table.budget)?;
        Ok(table)
    }
}

impl PrivatePacked {
    /// The store that was saved; names of states stay what they were.
    pub fn load(limit: Option<u64>, marks: u32, few: u64, from: &mut dyn Read) -> Result<PrivatePacked, LoadError> {
        Ok(Packed { table: Box::new(Table::load(limit, marks, few, from)?) })
    }
}

impl SharedPacked {
    /// The store that was saved; names of states stay what they were.
    pub fn load(limit: Option<u64>, marks: u32, few: u64, from: &mut dyn Read) -> Result<SharedPacked, LoadError> {
        Ok(Packed { table: Arc::new(Table::load(limit, marks, few, from)?) })
    }
}
