//! A place for searches that are saved, in memory.

use starwheel_engine::{CheckpointSink, CheckpointSource};
use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::time::Duration;

/// Keeps what was saved.
pub struct Shelf {
    every: Duration,
    kept: Mutex<Vec<u8>>,
}

impl Shelf {
    /// Asks for what there is so often.
    pub fn every(every: Duration) -> Shelf {
        Shelf { every, kept: Mutex::default() }
    }

    /// What was saved last.
    pub fn taken(self) -> Saved {
        Saved(self.kept.into_inner().expect("nobody panics"))
    }
}

impl CheckpointSink for Shelf {
    fn every(&self) -> Duration {
        self.every
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        *self.kept.lock().expect("nobody panics") = bytes;
        Ok(())
    }

    fn advice(&self) -> String {
        "go on".into()
    }
}

/// A search that was saved.
pub struct Saved(pub Vec<u8>);

impl CheckpointSource for Saved {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&self.0[..]))
    }
}
