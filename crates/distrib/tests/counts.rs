//! Whatever the number of processes and whatever travels: the counts, the verdict and the errors of one process.
//!
//! The processes are threads here, each with connections of its own, so that small models are enough to go through everything.
//! `STARWHEEL_SEEDS=FROM..TO` tries other random programs than the usual ones.

mod common;

use common::{leaked, model, narrow, seeds, shared};
use starwheel_distrib::{Crew, Links, Wire, run};
use starwheel_engine::facts::Axis;
use starwheel_engine::{Fairness, Job, Limits, Order, Outcome, Report, Silent, Stop, Store};
use starwheel_model::ModelSystem;
use starwheel_testkit::{generate, print};
use std::collections::BTreeMap;
use std::time::Duration;

/// What must not depend on the number of processes.
#[derive(Debug, PartialEq)]
struct Facts {
    counts: [u64; 5],
    outcome: &'static str,
    findings: BTreeMap<String, u64>,
    reached: Vec<bool>,
}

fn facts(report: &Report, all: bool) -> Facts {
    let s = &report.stats;
    let outcome = match &report.outcome {
        Outcome::Holds(_) => "holds",
        Outcome::Violated => "violated",
        other => panic!("{other:?}"),
    };
    if !all {
        return Facts { counts: [0; 5], outcome, findings: BTreeMap::new(), reached: Vec::new() };
    }
    let findings = report.findings.iter().map(|f| (format!("{:?} {:?}", f.violation.kind, f.violation.span), f.events));
    Facts {
        counts: [s.states_stored, s.states_matched, s.transitions, s.atomic_steps, report.errors],
        outcome,
        findings: findings.collect(),
        reached: report.reached.clone(),
    }
}

fn compare(text: &str, name: &str, processes: &[usize], wires: &[Wire]) -> bool {
    let Some(model) = model(text) else { return false };
    let system = leaked(ModelSystem(leaked(model)));
    for all_errors in [true, false] {
        let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
        let job = move || Job { all_errors, search: Order::Groups, limits, ..Job::new(system) };
        let soon = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
        let alone = starwheel_engine::run(&Job { limits: soon, ..job() }, &Silent).expect("it fits");
        if alone.stats.states_stored > 20_000 || alone.stop.is_some() {
            return false;
        }
        let expected = facts(&alone, all_errors);
        for &count in processes {
            for &wire in wires {
                // With one packet at a time everybody waits for everybody all the time.
                let window = if count % 2 == 0 { 1 } else { 64 };
                let together = narrow(&job, count, wire, window);
                assert_eq!(facts(&together, all_errors), expected, "{name}, {count} processes, {wire:?}\n{text}");
                assert_eq!(together.stats.net.map(|n| n.processes), Some(count as u64));
            }
        }
    }
    true
}

const WIRES: [Wire; 5] = [Wire::Vector, Wire::Local, Wire::Tree, Wire::Global, Wire::Auto];

const MODELS: [(&str, &str); 7] = [
    ("counter", "byte x; active [3] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }"),
    (
        "handshake",
        "chan c = [0] of { byte }; active proctype A() { do :: c!1 :: c!2 od } active proctype B() { byte v; end: do :: c?v od }",
    ),
    (
        "atomic",
        "byte x; active [3] proctype P() { byte i; atomic { if :: i = 1 :: i = 2 :: i = 2 fi; x = (x + i) % 4; i = 0 }; x = 0 }",
    ),
    ("hidden", "hidden byte h; byte x; active [2] proctype P() { h = _pid; x++; h = 0; x-- }"),
    ("assert", "byte x; active [2] proctype P() { do :: x < 5 -> x++; assert(x < 4) :: x > 2 -> x = 0 od }"),
    ("stuck", "chan c = [2] of { byte }; active [2] proctype P() { byte v; c!1; c?v; c!2; c?v; c?v }"),
    ("broken", "byte a[3]; byte i; active [2] proctype P() { do :: i < 5 -> a[i] = 1; i++ :: else -> break od }"),
];

#[test]
fn small_models_count_the_same_by_any_number_of_processes() {
    for (name, text) in MODELS {
        assert!(compare(text, name, &[1, 2, 3, 4, 8], &WIRES), "{name}");
    }
}

#[test]
fn random_programs_count_the_same() {
    let mut compared = 0;
    for seed in seeds(0..60) {
        let text = print::program(&generate::program(seed));
        let wire = WIRES[seed as usize % 5];
        compared += u32::from(compare(&text, &format!("seed {seed}"), &[[2, 3, 4, 8][seed as usize % 4]], &[wire]));
    }
    assert!(compared > 20, "only {compared} programs were compared");
}

#[test]
fn limits_end_the_search_of_all() {
    let text = "int x; active [4] proctype P() { do :: x++ od }";
    let system = leaked(ModelSystem(leaked(model(text).expect("a model"))));
    let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
    let report = shared(&move || Job { search: Order::Groups, limits, ..Job::new(system) }, 3, Wire::Tree);
    assert!(matches!(report.outcome, Outcome::Stopped(Stop::Time(_))), "{:?}", report.outcome);
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    let report = shared(&move || Job { search: Order::Groups, limits, ..Job::new(system) }, 3, Wire::Tree);
    assert!(matches!(report.outcome, Outcome::Stopped(Stop::Memory(_))), "{:?}", report.outcome);
}

#[test]
fn a_member_that_goes_away_is_named() {
    let text = "int x; active [4] proctype P() { do :: x++ od }";
    let system = leaked(ModelSystem(leaked(model(text).expect("a model"))));
    let mut links = Links::pairs(3).expect("sockets");
    // It never says a word.
    drop(links.pop());
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let member = |links: Links| {
            scope.spawn(move || {
                let mut crew = Crew::new(links).expect("a crew");
                let job = Job { search: Order::Groups, ..Job::new(system) };
                run(&job, &mut crew, Wire::Tree, None, &Silent).expect("it fits")
            })
        };
        let all: Vec<_> = links.into_iter().map(member).collect();
        all.into_iter().map(|member| member.join().expect("no panic")).collect()
    });
    for report in reports {
        let Outcome::Stopped(Stop::Lost(why)) = &report.outcome else { panic!("{:?}", report.outcome) };
        assert_eq!(why, "process 2 was lost");
    }
}

#[test]
fn a_job_that_processes_cannot_share_is_a_misfit_and_not_another_search() {
    let system = leaked(ModelSystem(leaked(model("byte x; active proctype P() { x = 1 }").expect("a model"))));
    let plain = || Job { search: Order::Groups, ..Job::new(system) };
    let bitstate = Store::Bitstate { bytes: 1 << 20 };
    let depth = Limits { depth: Some(10), ..Limits::default() };
    let jobs = [
        (Job { store: bitstate, ..plain() }, Axis::Store),
        (Job { workers: 2, ..plain() }, Axis::Workers),
        (Job { limits: depth, ..plain() }, Axis::Depth),
        (Job { every_error: true, ..plain() }, Axis::Counting),
        (Job { search: Order::Cndfs, fairness: Some(Fairness::Strong), ..plain() }, Axis::Fairness),
        (Job { search: Order::Cndfs, all_errors: true, ..plain() }, Axis::AllErrors),
        (Job { search: Order::Ndfs, ..plain() }, Axis::Sequence),
    ];
    for (job, axis) in jobs {
        let mut crew = Crew::new(Links::pairs(1).expect("sockets").remove(0)).expect("a crew");
        let misfit = run(&job, &mut crew, Wire::Tree, None, &Silent).expect_err("nobody does this");
        assert!([misfit.left, misfit.right].contains(&axis), "{axis:?}: {misfit}");
    }
}
