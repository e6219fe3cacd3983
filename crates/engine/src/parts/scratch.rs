//! Room on the disk for what memory does not hold, as a search sees it.

use std::io::{Read, Seek, Write};

/// Something to write on and to read from, which nobody else knows and which vanishes with it.
pub trait ScratchFile: Read + Write + Seek + Send {}

impl<T: Read + Write + Seek + Send> ScratchFile for T {}

/// Gives as many files as a search needs.
pub trait ScratchDisk: Sync {
    /// An empty one.
    fn file(&self) -> std::io::Result<Box<dyn ScratchFile>>;
}
