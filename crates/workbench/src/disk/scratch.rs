//! Files in a folder for what memory does not hold. They have no names any more once they are open, so nothing is left behind.

use crate::problem::{Code, Failure, Problem};
use starwheel_engine::{ScratchDisk, ScratchFile};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Room in a folder.
pub struct ScratchFolder {
    folder: PathBuf,
    next: AtomicU64,
}

impl ScratchFolder {
    /// Room in this folder; an error if nothing can be written there.
    pub fn new(folder: &Path) -> Result<ScratchFolder, Failure> {
        let scratch = ScratchFolder { folder: folder.to_path_buf(), next: AtomicU64::new(0) };
        match scratch.file() {
            Ok(_) => Ok(scratch),
            Err(error) => {
                let message = format!("there is no room for states in `{}`: {error}", folder.display());
                Err(Problem::error(Code::Spill, message)
                    .advise("name a folder that can be written to: --spill=DIR")
                    .into())
            }
        }
    }
}

impl ScratchDisk for ScratchFolder {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("starwheel-{}-{number}.states", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // Where open files cannot be removed, this one stays until somebody tidies up.
        let _ = fs::remove_file(path);
        Ok(Box::new(file))
    }
}
