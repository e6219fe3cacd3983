//! All states that were found, in the order in which they are expanded, on the disk: the queue of a breadth-first search, of
//! which nothing is thrown away, so that ways can be found again.

use crate::parts::scratch::ScratchFile;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// Bytes that are written at once.
const CHUNK: usize = 1 << 18;
/// Bytes of the length in front of a state.
const LENGTH: usize = 4;

/// The states.
pub struct History {
    file: Box<dyn ScratchFile>,
    written: u64,
    /// What is not written yet.
    tail: Vec<u8>,
}

/// A place in a part of the history.
pub struct Cursor {
    rest: Range<u64>,
    bytes: Vec<u8>,
    at: usize,
}

impl History {
    /// Nothing yet.
    pub fn new(file: Box<dyn ScratchFile>) -> History {
        History { file, written: 0, tail: Vec::new() }
    }

    /// Where the next state will be.
    pub fn end(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    /// Adds a state.
    pub fn push(&mut self, state: &[u8]) -> io::Result<()> {
        put_record(&mut self.tail, state)?;
        if self.tail.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    /// Writes everything, so that it can be read.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(&self.tail)?;
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// Replaces `state` by the next one; false at the end.
    pub fn next(&mut self, cursor: &mut Cursor, state: &mut Vec<u8>) -> io::Result<bool> {
        state.clear();
        let Some(&length) = self.ahead(cursor, LENGTH)?.first_chunk::<LENGTH>() else { return Ok(false) };
        let length = u32::from_le_bytes(length) as usize;
        state.extend_from_slice(self.ahead(cursor, LENGTH + length)?.get(LENGTH..LENGTH + length).ok_or_else(cut)?);
        cursor.at += LENGTH + length;
        Ok(true)
    }

    /// What comes next, at least so many bytes unless there are fewer.
    fn ahead<'c>(&mut self, cursor: &'c mut Cursor, count: usize) -> io::Result<&'c [u8]> {
        if cursor.bytes.len() - cursor.at < count {
            cursor.bytes.drain(..cursor.at);
            cursor.at = 0;
            let more = (cursor.rest.end - cursor.rest.start).min(CHUNK.max(count) as u64);
            self.file.seek(SeekFrom::Start(cursor.rest.start))?;
            let read = (&mut self.file).take(more).read_to_end(&mut cursor.bytes)? as u64;
            if read < more {
                return Err(cut());
            }
            cursor.rest.start += more;
        }
        Ok(&cursor.bytes[cursor.at..])
    }
}

impl Cursor {
    /// The beginning of a part.
    pub fn new(part: Range<u64>) -> Cursor {
        Cursor { rest: part, bytes: Vec::new(), at: 0 }
    }
}

/// Writes a state with its length.
pub fn put_record(out: &mut dyn Write, state: &[u8]) -> io::Result<()> {
    out.write_all(&(state.len() as u32).to_le_bytes())?;
    out.write_all(state)
}

/// Replaces `state` by the next one that was written; false at the end.
pub fn get_record(from: &mut dyn Read, state: &mut Vec<u8>) -> io::Result<bool> {
    let mut length = [0; LENGTH];
    state.clear();
    match from.read(&mut length[..1])? {
        0 => return Ok(false),
        _ => from.read_exact(&mut length[1..])?,
    }
    let length = u64::from(u32::from_le_bytes(length));
    if from.take(length).read_to_end(state)? as u64 == length { Ok(true) } else { Err(cut()) }
}

fn cut() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_while_others_are_added() {
        let mut history = History::new(Box::new(io::Cursor::new(Vec::new())));
        let state = |number: usize| vec![number as u8; number % 300];
        (0..5000).for_each(|n| history.push(&state(n)).expect("a list takes everything"));
        history.flush().expect("a list takes everything");
        let (mut cursor, mut read) = (Cursor::new(0..history.end()), Vec::new());
        for number in 0..5000 {
            assert!(history.next(&mut cursor, &mut read).expect("it is there"));
            assert_eq!(read, state(number));
            history.push(&read).expect("a list takes everything");
        }
        assert!(!history.next(&mut cursor, &mut read).expect("it is the end"));
    }
}
