//! Footprints against the interpreter on random programs: a step depends on nothing that it does not read, and changes nothing
//! that it does not write.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other programs than the usual ones.

use starwheel_model::touch::audit::{Map, Tried, walk};
use starwheel_model::{Footprint, Model, footprints};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_testkit::generate::any_text;
use starwheel_testkit::rng::{Rng, seeds};

#[test]
fn steps_depend_on_what_they_read_and_change_what_they_write() {
    let mut tried = Tried::default();
    for seed in seeds(0..300) {
        let text = any_text(seed);
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let options = CompileOptions { dead_vars, merge, ..CompileOptions::default() };
            let Some(model) = compile_text(&text, &options).model else { continue };
            match audit(&model, &footprints(&model), seed) {
                Ok(more) => tried.add(more),
                Err(why) => panic!("seed {seed}, dead variables {dead_vars}, merged {merge}: {why}\n{text}"),
            }
        }
    }
    println!("{tried:?}");
    assert!(tried.beside * 4 > tried.steps && tried.impossible * 20 > tried.steps, "too little: {tried:?}");
}

fn audit(model: &Model, footprints: &[Footprint], seed: u64) -> Result<Tried, String> {
    let mut rng = Rng::new(seed);
    let mut says = |state: &[u8], step| Some(Map::new(model, state).footprint(footprints, step));
    walk(model, 40, &mut |n| rng.below(n), &mut says)
}

/// What is taken out of a footprint, and how.
type Spoiled = (&'static str, fn(&mut Footprint));

#[test]
fn a_footprint_that_lacks_something_is_caught() {
    let spoil: [Spoiled; 7] = [
        ("tests", |f| f.tests = Default::default()),
        ("globals that are read", |f| f.reads.globals = Default::default()),
        ("locals that are read", |f| f.reads.locals = Default::default()),
        ("other processes that are read", |f| f.reads.remote.clear()),
        ("globals that are written", |f| f.writes.globals = Default::default()),
        ("locals that are written", |f| f.writes.locals = Default::default()),
        ("channels", |f| f.channels = Default::default()),
    ];
    for (what, spoil) in spoil {
        let caught = (0..300).any(|seed| {
            let Some(model) = compile_text(&any_text(seed), &CompileOptions::default()).model else { return false };
            let mut footprints = footprints(&model);
            footprints.iter_mut().for_each(spoil);
            audit(&model, &footprints, seed).is_err()
        });
        assert!(caught, "nobody sees that footprints lack {what}");
    }
}
