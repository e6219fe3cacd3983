//! A flat set, written down and read: all states in the order of their numbers, with their marks.

use super::FlatSet;
use crate::archive::{LoadError, Save, get_bytes, get_number, put_bytes, put_number};
use crate::set::{Inserted, StateId};
use crate::strings::hash;
use std::io::{self, Read, Write};

impl Save for FlatSet {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.mark_bits.into())?;
        put_number(out, self.len() as u64)?;
        for id in (0..self.len() as u32).map(StateId) {
            put_bytes(out, self.get(id))?;
            if self.mark_bits > 0 {
                out.write_all(&[self.marks_of(id)])?;
            }
        }
        Ok(())
    }
}

impl FlatSet {
    /// The set that was saved; numbers of states stay what they were.
    pub fn load(limit: Option<u64>, bits: u32, from: &mut dyn Read) -> Result<FlatSet, LoadError> {
        let mut set = FlatSet::with_marks(limit, bits);
        if get_number(from)? != u64::from(set.mark_bits) {
            return Err(LoadError::Broken("states have other marks"));
        }
        let mut state = Vec::new();
        for _ in 0..get_number(from)? {
            let mut marks = [0];
            get_bytes(from, &mut state)?;
            if set.mark_bits > 0 {
                from.read_exact(&mut marks)?;
            }
            match set.insert_hashed(&state, hash(&state), marks[0]) {
                Inserted::New(_) => {}
                Inserted::Known(_) => return Err(LoadError::Broken("a state came twice")),
                Inserted::Full => return Err(LoadError::Full),
            }
        }
        Ok(set)
    }
}
