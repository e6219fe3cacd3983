//! Parts of states, written down and read.

use super::{Parts, Texts};
use crate::archive::{LoadError, get_bytes, get_number, put_bytes, put_number};
use crate::budget::Budget;
use crate::lock::Lock;
use std::io::{self, Read, Write};

impl<L: Lock> Parts<L> {
    /// Writes all parts in the order of their numbers.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.words.save(out)?;
        self.texts.save(out)
    }

    /// Gives parts the codes that they had.
    pub fn load(&self, from: &mut dyn Read, budget: &Budget) -> Result<(), LoadError> {
        self.words.load(from, budget)?;
        self.texts.load(from, budget)
    }
}

impl<L: Lock> Texts<L> {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.size.lock().texts;
        put_number(out, count.into())?;
        let mut text = Vec::new();
        for number in 0..count {
            text.clear();
            self.decode(number, &mut text);
            put_bytes(out, &text)?;
        }
        Ok(())
    }

    fn load(&self, from: &mut dyn Read, budget: &Budget) -> Result<(), LoadError> {
        let mut text = Vec::new();
        for number in 0..get_number(from)? {
            get_bytes(from, &mut text)?;
            match self.intern(&text, budget) {
                None => return Err(LoadError::Full),
                Some(given) if u64::from(given) != number => return Err(LoadError::Broken("a part came twice")),
                Some(_) => {}
            }
        }
        Ok(())
    }
}
