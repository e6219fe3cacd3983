//! Runs without end, by several processes: the verdicts of the search by components, and lassos that were replayed.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other random programs than the usual ones.

mod common;

use common::{leaked, model, shared};
use starwheel_distrib::Wire;
use starwheel_engine::{Checks, Fairness, Job, Limits, Order, Outcome, Silent, Stop};
use starwheel_model::{ClaimSystem, Model, ModelSystem, ProctypeId, ProctypeKind, System};
use starwheel_testkit::generate::claims;
use starwheel_testkit::print;
use std::time::Duration;

/// What both searches say; none if one of them has too much to do.
fn compare(system: &'static dyn System, processes: usize, wire: Wire, name: &str) -> Option<bool> {
    compare_fair(system, processes, wire, None, name)
}

/// The same for runs that are fair.
fn compare_fair(
    system: &'static dyn System,
    processes: usize,
    wire: Wire,
    fairness: Option<Fairness>,
    name: &str,
) -> Option<bool> {
    let checks = Checks { assertions: false, end_states: false, run_time: false };
    let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let alone =
        starwheel_engine::run(&Job { search: Order::Scc, checks, limits, fairness, ..Job::new(system) }, &Silent)
            .ok()?;
    if alone.stop.is_some() || alone.stats.states_stored > 5_000 {
        return None;
    }
    let limits = Limits { time: Some(Duration::from_secs(8)), ..Limits::default() };
    let job = move || Job { search: Order::Cndfs, checks, limits, fairness, ..Job::new(system) };
    let together = shared(&job, processes, wire);
    if let Outcome::Stopped(Stop::Time(_)) = together.outcome {
        // What does not show itself early is looked for when all states were visited; who goes deep first may find it before.
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
    // With fairness one of them counts states and the other one their copies.
    if !found && fairness.is_none() {
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
            let wire = Wire::ALL[seed as usize % 5].1;
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

const FAIR: [(&str, &str, bool); 4] = [
    (
        "the other one may always stop it",
        "byte x; active proctype P() { do :: x == 0 -> accept: skip od } active proctype Q() { x = 1 }",
        false,
    ),
    ("both take part", "byte x; active [2] proctype P() { do :: x = 1 - x; accept: skip od }", true),
    (
        "now and then is not always",
        "byte x; active proctype P() { do :: x = 1 - x; accept: skip od } active proctype Q() { x == 1 -> x = 7 }",
        true,
    ),
    ("an end is fair", "byte x; active proctype P() { x = 1; accept: x == 2 } active proctype Q() { skip }", true),
];

#[test]
fn weakly_fair_runs_are_found_and_no_others() {
    for (name, text, cycle) in FAIR {
        let system = leaked(ModelSystem(leaked(model(text).expect("a model"))));
        for processes in 1..=3 {
            let found = compare_fair(system, processes, Wire::Tree, Some(Fairness::Weak), name);
            assert_eq!(found, Some(cycle), "{name}, {processes} processes");
        }
    }
}

#[test]
fn random_programs_have_the_same_fair_runs() {
    let (mut holds, mut violated) = (0, 0);
    for seed in common::seeds(200..320) {
        let text = print::program(&claims::program(seed, claims::features_of(seed)));
        let Some(model) = model(&text) else { continue };
        let model: &'static Model = leaked(model);
        let mut systems: Vec<&'static dyn System> = vec![leaked(ModelSystem(model))];
        systems.extend(claims_of(model).into_iter().map(|c| leaked(ClaimSystem::new(model, c)) as &'static dyn System));
        for system in systems {
            let wire = Wire::ALL[seed as usize % 5].1;
            let fair = Some(Fairness::Weak);
            match compare_fair(system, 1 + seed as usize % 4, wire, fair, &format!("seed {seed}\n{text}")) {
                Some(true) => violated += 1,
                Some(false) => holds += 1,
                None => {}
            }
        }
    }
    println!("{holds} hold, {violated} violated");
    assert!(holds > 10 && violated > 10, "{holds} hold, {violated} violated");
}

#[test]
fn cycles_show_themselves_before_all_states_were_visited() {
    // Nobody could visit them all. Each of these cycles is entered in its accepting state; others may be found later.
    let texts = [
        "int x; active proctype P() { do :: x++ od } active proctype Q() { accept: do :: skip od }",
        "int x; active proctype P() { do :: x++ od } \
         active proctype Q() { byte y; do :: y < 5 -> y++ :: else -> break od; accept: do :: y = 6; y = 5 od }",
        "int x; active proctype P() { do :: x < 2000000000 -> x++ :: x == 9 -> break od; accept: false }",
    ];
    for text in texts {
        let system = leaked(ModelSystem(leaked(model(text).expect("a model"))));
        let checks = Checks { assertions: false, end_states: false, run_time: false };
        for processes in [1, 3] {
            let job = move || Job { search: Order::Cndfs, checks, ..Job::new(system) };
            let report = shared(&job, processes, Wire::Tree);
            assert!(matches!(report.outcome, Outcome::Violated), "{:?}\n{text}", report.outcome);
            assert_eq!(report.findings.len(), 1);
        }
    }
}
