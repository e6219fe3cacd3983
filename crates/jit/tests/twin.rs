//! Machine code against the interpreter: every successor of every state, bit for bit.

mod common;

use common::{compare, model};
use starwheel_jit::JitSystem;
use starwheel_model::{Model, ModelSystem};
use std::path::PathBuf;

/// States of one model that are compared.
const STATES: usize = 20_000;

fn models(folder: &str) -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(&root).expect("the folder of models");
    let mut list: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    list.retain(|p| p.extension().is_some_and(|e| e == "pml"));
    list.sort();
    assert!(list.len() > 20, "too few models in {}", root.display());
    list
}

fn check(name: &str, model: &Model, limit: usize) -> usize {
    let jit = JitSystem::compile(model).unwrap_or_else(|why| panic!("{name}: {why}"));
    match compare(&ModelSystem(model), &jit, limit) {
        Ok(seen) => {
            let (generated, interpreted) = jit.counts();
            if std::env::var("STARWHEEL_SHOW").is_ok() {
                println!("{generated:7} {interpreted:7} {name}");
            }
            seen.steps
        }
        Err(why) => panic!("{name}: {why}"),
    }
}

fn check_folder(folder: &str) {
    let mut steps = 0;
    for path in models(folder) {
        let text = std::fs::read_to_string(&path).expect("the model's text");
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let name = path.display().to_string();
            if let Some(m) = model(&name, text.clone(), dead_vars, merge, &[]) {
                steps += check(&format!("{name} dead_vars={dead_vars} merge={merge}"), &m, STATES);
            }
        }
    }
    assert!(steps > 1000, "hardly anything was compared");
}

#[test]
fn examples_have_the_interpreters_successors() {
    check_folder("examples");
}

#[test]
fn the_corpus_has_the_interpreters_successors() {
    check_folder("corpus");
}

#[test]
fn random_programs_have_the_interpreters_successors() {
    let setting = |name: &str, default| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (first, count) = (setting("STARWHEEL_SEED", 1u64), setting("STARWHEEL_COUNT", 300u64));
    let mut steps = 0;
    for seed in first..first + count {
        let text = starwheel_testkit::print::program(&starwheel_testkit::generate::program(seed));
        for (dead_vars, merge) in [(false, false), (true, true)] {
            if let Some(m) = model("random.pml", text.clone(), dead_vars, merge, &[]) {
                steps += check(&format!("seed {seed} dead_vars={dead_vars} merge={merge}"), &m, 3_000);
            }
        }
    }
    assert!(steps > 1000, "hardly anything was compared");
}
