//! What the tests of the binary share: the heads of model files, runs of the binary, and a loop over models.

#![allow(dead_code, reason = "no test file needs all of it")]

pub mod run;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models in a folder at the root, sorted by name.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let dir = root().join(folder);
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let paths = entries.map(|e| e.expect("an entry of the folder").path());
    let mut models: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|x| x == "pml")).collect();
    models.sort();
    models
}

/// The name of a model without folder and ending.
pub fn stem(model: &Path) -> String {
    model.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Examines each model, several at a time, and fails with the list of all complaints.
pub fn for_each(models: &[PathBuf], examine: impl Fn(&Path) -> Vec<String> + Sync) {
    assert!(!models.is_empty(), "there are no models");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let work = || {
        while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = examine(model);
            let named = found.into_iter().map(|c| format!("{}: {c}", stem(model)));
            complaints.lock().expect("no examiner panics").extend(named);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let mut complaints = complaints.into_inner().expect("no examiner panics");
    complaints.sort();
    let count = complaints.len();
    assert!(complaints.is_empty(), "{count} complaints about {} models:\n{}", models.len(), complaints.join("\n"));
}
