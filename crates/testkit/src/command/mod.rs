//! The subcommands of `testkit`.

pub mod bench;
pub mod coverage;
pub mod random;
pub mod truth;

use crate::args::Args;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` for every number below `count`, on `jobs` threads; results come back in order.
pub(crate) fn in_parallel<T: Send>(count: usize, jobs: usize, work: impl Fn(usize) -> Option<T> + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let Some(result) = work(index) else { return };
                    if let Ok(mut all) = results.lock() {
                        all.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The binary under test, which must exist.
pub(crate) fn binary(args: &Args) -> Result<Option<PathBuf>, String> {
    match args.path("starwheel")? {
        Some(path) if !path.is_file() => Err(format!("`{}` does not exist; build it first", path.display())),
        other => Ok(other),
    }
}

/// The last line of an error of the system, for commands that cannot go on.
pub(crate) fn failed(e: std::io::Error) -> String {
    format!("cannot run a program or write a file: {e}")
}
