//! Runs without end, by several processes: the verdicts of the search by components, and lassos that were replayed.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other random programs than the usual ones.

mod common;

use common::{leaked, model, shared};
use starwheel_distrib::Wire;
use starwheel_engine::{Checks, Job, Limits, Order, Outcome, Silent, Stop};
use starwheel_model::{ClaimSystem, Model, ModelSystem, ProctypeId, ProctypeKind, System};
use starwheel_testkit::generate::claims;
use starwheel_testkit::print;
use std::time::Duration;

/// What both searches say; none if one of them has too much to do.
fn compare(system: &'static dyn System, processes: usize, wire: Wire, name: &str) -> Option<bool> {
    let checks = Checks { assertions: false, end_states: false, run_time: false };
    let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let alone = starwheel_engine::run(&Job { search: Order::Scc, checks, limits, ..Job::new(system) }, &Silent).ok()?;
    if alone.stop.is_some() || alone.stats.states_stored > 5_000 {
        return None;
    }
    let limits = Limits { time: Some(Duration::from_secs(8)), ..Limits::default() };
    let together = shared(&move || Job { search: Order::Cndfs, checks, limits, ..Job::new(system) }, processes, wire);
    if let Outcome::Stopped(Stop::Time(_)) = together.outcome {
        // It visits all states before it looks for cycles; who goes deep first may find one early.
        assert!(!matches!(alone.outcome, Outcome::Holds(_)), "{name}, {processes} processes, {wire:?}");
        return None;
    }
    let said = |outcome: &Outcome| match outcome {
        Outcome::Holds(_) => 0,
        Outcome::Violated => 1,
        Outcome::Unrefuted(_) => 2,
        Outcome::Stopped(why) => panic!("{name}: {why}"),
    };
    assert_eq!(said(&together.outcome), said(&alone.outcome), "{name}, {processes} processes, {wire:?}");
    let found = said(&together.outcome) == 1;
    assert_eq!(together.findings.len(), usize::from(found), "{name}");
    if !found {
        assert_eq!(together.stats.states_stored, alone.stats.states_stored, "{name}");
    }
    Some(found)
}

fn claims_of(model: &'static Model) -> Vec<ProctypeId> {
    let is_claim = |id: &ProctypeId| model.proctype(*id).kind == ProctypeKind::Never;
    (0..model.proctypes.len()).map(|i| ProctypeId(i as u8)).filter(is_claim).collect()
}

const MODELS: [(&str, &str, bool); 7] = [
    ("no label", "byte x; active proctype P() { do :: x = 1 - x od }", false),
    ("round", "byte x; active proctype P() { do :: x = 1 - x; accept: skip od }", true),
    ("stays", "byte x; active proctype P() { x = 1; accept: x == 2 }", true),
    ("once", "byte x; active proctype P() { accept: x = 1; do :: x = 3 - x od }", false),
    ("self", "byte x; active proctype P() { accept: do :: skip od }", true),
    (
        "before a cycle without",
        "byte x; active proctype P() { do :: x < 200 -> accept: x++ :: else -> break od; do :: x = 255 - x od }",
        false,
    ),
    ("several", "byte x; active [3] proctype P() { do :: x < 4 -> x++ :: x == 4 -> accept: x = 0 od }", true),
];

#[test]
fn small_models_have_the_cycles_that_they_have() {
    for (name, text, cycle) in MODELS {
        let system = leaked(ModelSystem(leaked(model(text).expect("a model"))));
        for processes in 1..=4 {
            for (_, wire) in Wire::ALL {
                assert_eq!(compare(system, processes, wire, name), Some(cycle), "{name}, {processes}");
            }
        }
    }
}

#[test]
fn random_programs_have_the_same_verdicts() {
    let (mut holds, mut violated) = (0, 0);
    for seed in common::seeds(0..100) {
        let text = print::program(&claims::program(seed, claims::features_of(seed)));
        let Some(model) = model(&text) else { continue };
        let model: &'static Model = leaked(model);
        let mut systems: Vec<&'static dyn System> = vec![leaked(ModelSystem(model))];
        systems.extend(claims_of(model).into_iter().map(|c| leaked(ClaimSystem::new(model, c)) as &'static dyn System));
        for system in systems {
            let wire = Wire::ALL[seed as usize % 3].1;
            match compare(system, 1 + seed as usize % 4, wire, &format!("seed {seed}\n{text}")) {
                Some(true) => violated += 1,
                Some(false) => holds += 1,
                None => {}
            }
        }
    }
    println!("{holds} hold, {violated} violated");
    assert!(holds > 20 && violated > 20, "{holds} hold, {violated} violated");
}
