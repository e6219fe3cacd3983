//! Where a long search is saved, as the search sees it: it only writes and reads bytes.

use std::io::{self, Read, Write};
use std::time::Duration;

/// A place for what a search needs in order to go on another day.
pub trait CheckpointSink: Sync {
    /// The time between two savings.
    fn every(&self) -> Duration;

    /// Calls `write`, which writes everything, and then replaces what was saved before, all at once.
    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()>;

    /// How a user goes on with what was saved: one sentence.
    fn advice(&self) -> String;
}

/// A search that was saved. What it gives has been checked to be what was written.
pub trait CheckpointSource: Sync {
    /// The bytes from the first on.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
}
