//! Does something again whenever one of some files changes; it looks at their times now and then, which works on every disk.

use crate::interrupt::interrupted;
use crate::screen;
use starwheel_workbench::Failure;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(300);

/// Runs `work` now and after each change of the files that it names, until Ctrl-C; the status is that of the last run.
pub fn repeat(mut work: impl FnMut() -> Result<(Vec<PathBuf>, u8), Failure>) -> Result<u8, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut status = 2;
    loop {
        // What changes while it is being looked at must be looked at again.
        let before = |files: &[PathBuf]| files.iter().map(|f| changed(f)).collect::<Vec<_>>();
        let mut seen = before(&files);
        match work() {
            Ok((named, last)) => {
                if named != files {
                    files = named;
                    seen = before(&files);
                }
                status = last;
            }
            Err(failure) if files.is_empty() => return Err(failure),
            Err(failure) => screen::problems(&failure.problems),
        }
        screen::note("waiting for a change; Ctrl-C ends");
        while seen == before(&files) {
            if interrupted() {
                return Ok(status);
            }
            sleep(PAUSE);
        }
        screen::out("\n");
    }
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|m| m.modified()).ok()
}
