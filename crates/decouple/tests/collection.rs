//! All models of `examples/` and `corpus/`: the same states, the same errors.

mod common;

use common::{Compared, compare, model};
use std::path::Path;

/// Compares all small models of a folder; the number that were compared.
fn compare_all(folder: &str, limit: usize) -> usize {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(dir).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|x| x == "pml"));
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a model");
        for dead_vars in [false, true] {
            let Some(model) = model(&text, dead_vars, false) else { continue };
            match compare(&model, limit) {
                Ok(Compared::Same(..)) => compared += 1,
                Ok(Compared::Refused(_) | Compared::TooBig) => {}
                Err(why) => panic!("{}: {why}", path.display()),
            }
        }
    }
    compared
}

#[test]
fn examples_have_the_same_states_and_errors() {
    let compared = compare_all("examples", 8000);
    assert!(compared >= 80, "only {compared}");
}

#[test]
fn the_corpus_has_the_same_states_and_errors() {
    let compared = compare_all("corpus", 8000);
    assert!(compared >= 100, "only {compared}");
}
