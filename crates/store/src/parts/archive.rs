//! Parts of states, written down and read.

use super::{Code, Kind, Part, Parts, short};
use crate::archive::{LoadError, get_bytes, get_number, put_bytes, put_number};
use crate::budget::Budget;
use crate::lock::Lock;
use std::io::{self, Read, Write};

impl<L: Lock> Parts<L> {
    /// Writes all parts in the order of their numbers.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.size.lock().parts;
        put_number(out, count.into())?;
        for number in 0..count {
            let Some((len, words)) = self.read(Code::part(number)) else { continue };
            let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            bytes.truncate(len);
            put_bytes(out, &bytes)?;
        }
        Ok(())
    }

    /// Gives parts the codes that they had.
    pub fn load(&self, from: &mut dyn Read, budget: &Budget) -> Result<(), LoadError> {
        let mut text = Vec::new();
        for number in 0..get_number(from)? {
            get_bytes(from, &mut text)?;
            let words: Vec<u64> = text.chunks(8).map(short).collect();
            match self.intern(Part { words: &words, len: text.len() }, budget).map(Code::kind) {
                None => return Err(LoadError::Full),
                Some(Kind::Part(given)) if u64::from(given) == number => {}
                Some(_) => return Err(LoadError::Broken("a part came twice")),
            }
        }
        Ok(())
    }
}
