//! Room on the disk for what memory does not hold, as a search sees it.

use std::io::{Read, Seek, Write};

/// Something to write on and to read from, which nobody else knows and which vanishes with it.
pub trait Sheet: Read + Write + Seek + Send {}

impl<T: Read + Write + Seek + Send> Sheet for T {}

/// Gives as many sheets as a search needs.
pub trait Attic: Sync {
    /// An empty one.
    fn sheet(&self) -> std::io::Result<Box<dyn Sheet>>;
}
