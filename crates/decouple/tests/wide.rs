//! Leaves with many frames, whose sets are treated class by class: the same states, the same errors, and room for many more.

mod common;

use common::{Compared, compare, found, model};
use starwheel_decouple::Request;
use starwheel_engine::{Limits, Outcome, Silent};

/// Workers that walk about on a board of W times H fields of their own; some fields lead to center steps.
const BOARD: &str = "
byte phase, sum;
active [N] proctype worker() {
    short x, y;
    do
    :: x < W - 1 -> x++
    :: x > 0 && phase != 1 -> x--
    :: y < H - 1 -> y++
    :: y > 0 -> y--
    :: phase < 3 && x == W - 1 && y == H - 1 -> phase++; x = 0
    :: phase == 3 && y == 0 -> sum = (sum + 1) % 2; y = phase
    :: phase == 2 && x == 3 && y == 4 -> EVENT
    od
}
active proctype clerk() {
    byte z;
    do
    :: z < 3 -> z++
    :: z == 3 && phase > 1 -> phase--; z = 0
    od
}";

fn board(n: u32, w: u32, h: u32, event: &str) -> String {
    format!("#define N {n}\n#define W {w}\n#define H {h}\n#define EVENT {event}\n{BOARD}")
}

#[test]
fn boards_have_the_same_states_and_errors() {
    for event in ["skip", "assert(sum != 0)", "phase > 7", "timeout"] {
        let model = model(&board(1, 20, 15, event), false, false).expect("a model");
        match compare(&model, 200_000) {
            Ok(Compared::Same(states, decoupled)) => assert!(states > 3000 && decoupled < 300, "{states} {decoupled}"),
            other => panic!("{event}: {other:?}"),
        }
    }
}

#[test]
fn a_hundred_thousand_frames_have_room() {
    let model = model(&board(1, 400, 250, "skip"), false, false).expect("a model");
    let request = Request { dominance: true, ..Request::default() };
    let report = starwheel_decouple::run(&model, &request, &Silent).expect("it fits");
    assert!(matches!(report.outcome, Outcome::Holds(_)), "{:?}", report.outcome);
    assert!(report.stats.store_bytes < 80 << 20, "{}", report.stats.store_bytes);
}

#[test]
fn a_depth_limit_means_the_same_for_several_workers() {
    let model = model(&board(3, 9, 8, "assert(sum != 0)"), false, false).expect("a model");
    for depth in [0, 1, 3, 6, 9] {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let one = Request { breadth_first: true, all_errors: true, limits, ..Request::default() };
        let reports = [one, Request { workers: 3, ..one }, Request { workers: 3, breadth_first: false, ..one }]
            .map(|request| starwheel_decouple::run(&model, &request, &Silent).expect("it fits"));
        let counts = reports.each_ref().map(|r| r.stats.decoupled_states);
        assert!(counts.iter().all(|c| *c == counts[0]), "{depth}: {counts:?}");
        assert!(reports.iter().all(|r| found(r) == found(&reports[0])), "{depth}");
        let lengths = reports.each_ref().map(|r| (r.complete.is_some(), r.stats.max_depth));
        assert!(lengths.iter().all(|l| *l == lengths[0]), "{depth}: {lengths:?}");
    }
}
