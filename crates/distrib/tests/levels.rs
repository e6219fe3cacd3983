//! The search shortest first by several processes: its trails are as long as those of one process, and each number of
//! processes finds the same error first.

mod common;

use common::{leaked, model, seeds, shared};
use starwheel_distrib::Wire;
use starwheel_engine::{Job, Limits, Order, Outcome, Report, Silent, replay};
use starwheel_model::ModelSystem;
use starwheel_testkit::{generate, print};
use std::collections::BTreeMap;
use std::time::Duration;

type Lengths = BTreeMap<String, usize>;

fn lengths(report: &Report) -> Lengths {
    assert!(matches!(report.outcome, Outcome::Holds(_) | Outcome::Violated), "{:?}", report.outcome);
    let name = |f: &starwheel_engine::Finding| format!("{:?} {:?}", f.violation.kind, f.violation.span);
    report.findings.iter().map(|f| (name(f), f.trail.len())).collect()
}

fn counts(report: &Report) -> [u64; 6] {
    let s = &report.stats;
    [s.states_stored, s.states_matched, s.transitions, s.atomic_steps, report.errors, s.max_depth]
}

/// False if the text is no model, or one with too many states.
fn compare(text: &str, name: &str) -> bool {
    let Some(model) = model(text) else { return false };
    let system = leaked(ModelSystem(leaked(model)));
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    for all_errors in [true, false] {
        let job = move || Job { all_errors, search: Order::Bfs, limits, ..Job::new(system) };
        let soon = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
        let alone = starwheel_engine::run(&Job { limits: soon, ..job() }, &Silent).expect("it fits");
        if alone.stats.states_stored > 5_000 || alone.stats.max_depth > 300 || alone.stop.is_some() {
            return false;
        }
        let mut first = None;
        for processes in [1, 2, 3] {
            let together = shared(&job, processes, Wire::Tree);
            let found = lengths(&together);
            let what = format!("{name}, {processes} processes, all: {all_errors}\n{text}");
            if all_errors {
                assert_eq!((counts(&together), &found), (counts(&alone), &lengths(&alone)), "{what}");
                assert_eq!(together.reached, alone.reached, "{what}");
            } else {
                assert_eq!(found.values().max(), lengths(&alone).values().max(), "{what}");
                assert_eq!(first.get_or_insert(found.clone()), &found, "{what}");
            }
            for finding in &together.findings {
                assert!(replay(system, &finding.trail, &mut |_| ()).is_ok(), "{what}");
            }
        }
    }
    true
}

const MODELS: [(&str, &str); 5] = [
    ("assert", "byte x; active [2] proctype P() { do :: x < 20 -> x++; assert(x < 14) :: x > 2 -> x = 0 od }"),
    ("stuck", "chan c = [2] of { byte }; active [2] proctype P() { byte v; c!1; c?v; c!2; c?v; c?v }"),
    (
        "chains",
        "byte x, y; active [2] proctype P() { do :: atomic { if :: skip; skip; skip; x++ :: x++ fi; x < 9 -> y = 0 } \
         :: atomic { x > 4 -> skip; assert(x != 7) } od }",
    ),
    (
        "handshake",
        "chan c = [0] of { byte }; byte n; active proctype A() { do :: c!1 :: c!2 od } \
         active proctype B() { byte v; do :: n < 9 -> c?v; n = n + v; assert(n < 8) od }",
    ),
    ("fine", "byte x; active [3] proctype P() { do :: atomic { x < 9 -> x++ } :: atomic { x > 0 -> x-- } od }"),
];

#[test]
fn trails_are_as_short_as_those_of_one_process() {
    for (name, text) in MODELS {
        assert!(compare(text, name), "{name}");
    }
}

#[test]
fn random_programs_have_the_same_shortest_trails() {
    let mut compared = 0;
    for seed in seeds(300..340) {
        let text = print::program(&generate::program(seed));
        compared += u32::from(compare(&text, &format!("seed {seed}")));
    }
    assert!(compared > 10, "only {compared} programs were compared");
}
