//! The published numbers of decoupled states, and what dominance and dead variables make of them.
//!
//! Gnad, Dubbert, Lluch Lafuente, Hoffmann: Star-Topology Decoupling in SPIN (SPIN 2018), figure 3. Peterson's algorithm is
//! theirs; the client-server and the transport model are reconstructions that have the published numbers of states.

mod common;

use common::model;
use starwheel_decouple::Request;
use starwheel_engine::{Outcome, Silent};

const PETERSON: &str = include_str!("peterson.pml");

const CLIENTS: &str = "
mtype = { grant, deny };
chan request = [1] of { byte };
chan reply = [0] of { byte, mtype };
active [N] proctype client() {
    byte x;
    do
    :: true ->
        WORK
        request!_pid;
        skip;
        if
        :: reply?eval(_pid),grant -> skip
        :: reply?eval(_pid),deny -> skip
        fi
    od
}
active proctype server() {
    byte who;
    do
    :: request?who -> if :: reply!who,grant :: reply!who,deny fi
    od
}";

const TRANSPORT: &str = "
byte truck = 0;
active proctype driver() {
    do
    :: truck == 0 -> truck = 1
    :: truck == 1 -> truck = 0
    :: truck == 1 -> truck = 2
    :: truck == 2 -> truck = 1
    od
}
active [N] proctype package() {
    byte at = 0;
    do
    :: truck == 0 && at == 0 -> at = 3
    :: truck == 1 && at == 1 -> at = 3
    :: truck == 2 && at == 2 -> at = 3
    :: truck == 0 && at == 3 -> at = 0
    :: truck == 1 && at == 3 -> at = 1
    :: truck == 2 && at == 3 -> at = 2
    :: at == 2 -> break
    od
}";

fn states(text: &str, n: usize, work: &str, dead_vars: bool, request: Request) -> u64 {
    let text = format!("#define N {n}\n#define WORK {work}\n{text}");
    let model = model(&text, dead_vars, false).expect("a model");
    let report = starwheel_decouple::run(&model, &request, &Silent).expect("it fits");
    assert!(matches!(report.outcome, Outcome::Holds(_)), "{:?}", report.outcome);
    report.stats.decoupled_states.expect("a decoupled search")
}

const BY_EQUALITY: Request = Request {
    breadth_first: false,
    dominance: false,
    checks: starwheel_engine::Checks { assertions: true, end_states: true, run_time: true },
    all_errors: false,
    limits: starwheel_engine::Limits { depth: None, time: None, memory: None, errors: None },
    workers: 1,
};

#[test]
fn peterson() {
    let dominance = Request { dominance: true, ..BY_EQUALITY };
    let breadth_first = Request { breadth_first: true, ..BY_EQUALITY };
    assert_eq!(states(PETERSON, 3, "", true, BY_EQUALITY), 274);
    assert_eq!(states(PETERSON, 3, "", true, breadth_first), 274);
    assert_eq!(states(PETERSON, 3, "", true, dominance), 270);
    assert_eq!(states(PETERSON, 3, "", false, BY_EQUALITY), 691);
    assert_eq!(states(PETERSON, 4, "", true, BY_EQUALITY), 6698);
    assert!(states(PETERSON, 4, "", true, dominance) <= 6698);
}

#[test]
fn clients_and_server() {
    // EmptyC and NonEmptyC have the same numbers: what a client does alone costs nothing.
    let work = "x = 0; do :: x < 1 -> x++ :: x == 1 -> break od;";
    for (n, expected) in [(5, 3245), (6, 13128)] {
        assert_eq!(states(CLIENTS, n, "", true, BY_EQUALITY), expected);
        assert_eq!(states(CLIENTS, n, work, true, BY_EQUALITY), expected);
    }
}

#[test]
fn transport() {
    for n in [4, 5, 6, 7, 8, 50] {
        assert_eq!(states(TRANSPORT, n, "", true, BY_EQUALITY), 3 * n as u64 + 6);
    }
}
