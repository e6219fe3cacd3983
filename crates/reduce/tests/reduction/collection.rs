//! All models of the repository: the reduced system goes wrong in the same ways as the whole.

use crate::common;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What was looked at: models, their states, and the states that are left at the least.
#[derive(Default)]
struct Sum {
    looked: u64,
    whole: u64,
    least: u64,
}

fn look(path: &Path, sum: &Mutex<Sum>) {
    let Ok(text) = std::fs::read_to_string(path) else { return };
    for merged in [false, true] {
        let Some(model) = common::model(&text, merged, merged) else { continue };
        match common::compare(&model) {
            Err(what) => panic!("{}: {what}", path.display()),
            Ok(None) => {}
            Ok(Some((whole, least))) => {
                let mut sum = sum.lock().expect("nobody has failed");
                sum.looked += 1;
                sum.whole += whole;
                sum.least += least;
            }
        }
    }
}

#[test]
fn models_of_the_repository_go_wrong_in_the_same_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |folder| std::fs::read_dir(root.join(folder)).expect("the folder is there");
    let entries = ["corpus", "examples"].into_iter().flat_map(read);
    let paths: Vec<PathBuf> = entries.map(|e| e.expect("it can be read").path()).collect();
    // Some dozen of them have many states, so all hands are needed.
    let (rest, sum) = (Mutex::new(paths.into_iter()), Mutex::default());
    let next = || rest.lock().expect("nobody has failed").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(path) = next() {
                    look(&path, &sum);
                }
            });
        }
    });
    let Sum { looked, whole, least } = sum.into_inner().expect("nobody has failed");
    println!("{looked} models, {whole} states, {least} at the least");
    assert!(looked > 100, "only {looked} models were looked at");
}
