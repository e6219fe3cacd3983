//! How a store is written down, so that a later run of the program can go on with it: numbers and strings in the order in
//! which they came, and no word of how tables lie in memory. Reading puts everything into an empty store again.

use crate::budget::Budget;
use crate::lock::Lock;
use crate::words::Words;
use std::fmt;
use std::io::{self, Read, Write};

/// A store that can be written down. Nobody may change it meanwhile.
pub trait Save {
    /// Writes everything.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Why a store cannot be read.
#[derive(Debug)]
pub enum LoadError {
    /// There is no memory for it.
    Full,
    /// What was read is not what a store writes.
    Broken(&'static str),
    /// Nothing can be read.
    Io(io::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Full => write!(f, "there is not enough memory for the states that were saved"),
            LoadError::Broken(what) => write!(f, "the saved search contradicts itself: {what}"),
            LoadError::Io(error) => write!(f, "the saved search cannot be read: {error}"),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Io(error)
    }
}

/// Writes a number.
pub fn put_number(out: &mut dyn Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

/// Reads a number.
pub fn get_number(from: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Writes a string with its length.
pub fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put_number(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Replaces `bytes` by the next string; a length that cannot be true ends with an error, not with all memory in use.
pub fn get_bytes(from: &mut dyn Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let length = get_number(from)?;
    bytes.clear();
    if from.take(length).read_to_end(bytes)? as u64 == length {
        return Ok(());
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

impl<L: Lock> Words<L> {
    /// Writes all words in the order of their numbers.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.len();
        put_number(out, count.into())?;
        (0..count).try_for_each(|number| put_number(out, self.get(number).unwrap_or_default()))
    }

    /// Gives words the numbers that they had.
    pub fn load(&self, from: &mut dyn Read, budget: &Budget) -> Result<(), LoadError> {
        for number in 0..get_number(from)? {
            let word = get_number(from)?;
            match self.intern(word, budget) {
                None => return Err(LoadError::Full),
                Some(given) if u64::from(given) != number => return Err(LoadError::Broken("a word came twice")),
                Some(_) => {}
            }
        }
        Ok(())
    }
}
