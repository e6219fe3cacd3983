//! Machine code against the interpreter: every successor of every state, bit for bit.

mod common;

use common::compare;
use common::read::model;
use starwheel_jit::{JitClaimSystem, JitSystem};
use starwheel_model::{
    ClaimSystem, Expr, Model, ModelSystem, Pace, ProctypeId, ProctypeKind, Stmt, Transition, add_progress_claim,
};
use starwheel_testkit::generate::timed::{Style, program};
use std::path::PathBuf;

/// States of one model that are compared; fewer without optimisation, where the verifier of generated code runs, too.
const STATES: usize = if cfg!(debug_assertions) { 2_000 } else { 20_000 };
/// Random programs that are compared, unless the environment says how many.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 100 } else { 300 };

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
    let seen = compare(&ModelSystem(model), &jit, limit).unwrap_or_else(|why| panic!("{name}: {why}"));
    show(name, jit.counts());
    seen.steps + check_settled(name, model, limit / 4, 8).0
}

/// Compares the code that is made for the processes of a state after so many alike; whether there was any.
fn check_settled(name: &str, model: &Model, limit: usize, patience: usize) -> (usize, bool) {
    let changes = |t: &Transition| {
        let mut runs = false;
        t.stmt.walk(&mut |e| runs |= matches!(e, Expr::Run(_)));
        runs || t.stmt == Stmt::End
    };
    if !model.transitions.iter().any(changes) {
        return (0, false);
    }
    let jit = JitSystem::compile(model).unwrap_or_else(|why| panic!("{name}: {why}")).settling_after(patience);
    let seen = compare(&ModelSystem(model), &jit, limit);
    let seen = seen.unwrap_or_else(|why| panic!("{name}, settled after {patience}: {why}"));
    (seen.steps, jit.settled())
}

/// Models whose processes are started by others.
const STARTED: [&str; 6] = [
    // All of them soon, and nobody ends.
    "byte x; proctype P(byte n) { do :: x = (x + n) % 7 :: x == n -> x = 0 od }
     init { atomic { run P(1); run P(2); run P(3) } }",
    // One after the other, and the first goes on.
    "byte x, y; proctype P(byte n) { do :: x = (x + n) % 7 :: atomic { x == n -> x = 0; y = n } od }
     init { run P(1); run P(2); do :: x == 3 -> atomic { x = 5; y++ } :: d_step { y > 2 -> y = 0 } od }",
    // The youngest comes and goes.
    "byte x; proctype W(byte n) { byte l = n; x = (x + l) % 3 } proctype P() { do :: x = (x + 2) % 5 od }
     init { run P(); do :: _nr_pr < 5 -> run W(x) :: x == 4 -> break od }",
    // Other processes in states of the same length.
    "byte x; proctype A() { do :: x = (x + 1) % 4 od } proctype B() { do :: x == 2 -> x = 0 od }
     init { if :: run A() :: run B() fi; if :: run A() :: run B() fi; run B() }",
    // Handshakes, `timeout`, and control that is given up.
    "chan c = [0] of { byte }; chan d = [2] of { byte, bit }; byte x;
     proctype S() { do :: c!x; x = (x + 1) % 3 :: timeout -> x = 0 :: d!x(1) od }
     proctype R() { byte y; do :: atomic { c?y -> x = y; d?y(_); x = 2 } :: x == 2 -> d?y(1) :: x == 1 -> break od }
     init { run S(); run R(); x = 1; atomic { run R(); c!2; x = 0 } }",
    // Somebody runs wild: values out of bounds, an assertion, `provided`, `_last` and `_pid`.
    "byte a[3], x; proctype P(byte n) provided (x < 5) { do :: a[x] = n; x++ :: assert(x != 3) :: x = _pid + _last od }
     init { atomic { run P(1); run P(2) } x = 4; x = 1 }",
];

#[test]
fn settled_processes_have_the_interpreters_successors() {
    for (number, text) in STARTED.iter().enumerate() {
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let m = model("started.pml", text.to_string(), dead_vars, merge, &[]).expect("a model");
            let name = format!("started {number} dead_vars={dead_vars} merge={merge}");
            let mut made = false;
            for patience in [1, 2, 7, 30] {
                let (steps, settled) = check_settled(&name, &m, STATES, patience);
                assert!(steps > 20, "{name}: {steps} steps");
                made |= settled;
            }
            assert!(made, "{name}: no code was made");
            let never = model("never.pml", format!("{text}{CLAIM}"), dead_vars, merge, &[]).expect("a model");
            let claim = never.proctypes.iter().position(|p| p.kind == ProctypeKind::Never).expect("a claim");
            let system = ClaimSystem::new(&never, ProctypeId(claim as u8));
            for patience in [1, 5] {
                let jit = JitClaimSystem::compile(system).expect("machine code").settling_after(patience);
                let seen = compare(&system, &jit, STATES / 4);
                seen.unwrap_or_else(|why| panic!("started {number} with a claim, settled after {patience}: {why}"));
            }
        }
    }
}

/// A claim for models that have none.
const CLAIM: &str =
    "\nnever { do :: true :: _nr_pr > 1 -> accept: do :: _last == 0 || timeout :: else od :: !np_ -> skip od }\n";

/// Compares the products of a model with its claims, or with one that looks at many things.
fn check_claims(name: &str, text: &str, limit: usize) -> usize {
    let never = |m: &Model| {
        let found = m.proctypes.iter().position(|p| p.kind == ProctypeKind::Never);
        found.map(|i| ProctypeId(i as u8))
    };
    let mut steps = 0;
    let own = model(name, text.to_string(), false, false, &[]).filter(|m| never(m).is_some());
    let other = model(name, format!("{text}{CLAIM}"), false, false, &[]);
    // What goes wrong inside a chain leaves the rest of it undone.
    let merged = model(name, format!("{text}{CLAIM}"), true, true, &[]);
    let progress = model(name, text.to_string(), true, true, &[]).and_then(|mut m| {
        let id = add_progress_claim(&mut m)?;
        Some((m, id))
    });
    let nevers = [own, other, merged].into_iter().flatten().filter_map(|m| never(&m).map(|id| (m, id)));
    for (m, id) in nevers.chain(progress) {
        let system = ClaimSystem::new(&m, id);
        let jit = JitClaimSystem::compile(system).unwrap_or_else(|why| panic!("{name}: {why}"));
        match compare(&system, &jit, limit) {
            Ok(seen) => steps += seen.steps,
            Err(why) => panic!("{name} with {}: {why}", m.proctype(id).name),
        }
        show(&format!("{name} with {}", m.proctype(id).name), jit.counts());
    }
    steps
}

fn show(name: &str, (generated, interpreted): (u64, u64)) {
    if std::env::var("STARWHEEL_SHOW").is_ok() {
        println!("{generated:7} {interpreted:7} {name}");
    }
}

#[test]
fn claims_have_the_interpreters_successors() {
    let mut steps = 0;
    // What goes wrong inside an atomic sequence leaves somebody in control while the claim moves on.
    steps += check_claims(
        "control",
        "byte x, y, a[2]; active proctype P() { do :: atomic { x = (x + 1) % 3; y = a[x] } :: y = 1 - y od }
         active proctype Q() { do :: x == 1 -> skip od } never { do :: true od }",
        STATES,
    );
    for path in models("examples").into_iter().chain(models("corpus")) {
        let text = std::fs::read_to_string(&path).expect("the model's text");
        steps += check_claims(&path.display().to_string(), &text, STATES / 4);
    }
    for seed in 1..=PROGRAMS / 3 {
        let text = starwheel_testkit::print::program(&starwheel_testkit::generate::program(seed));
        steps += check_claims(&format!("seed {seed}"), &text, STATES / 10);
    }
    assert!(steps > 1000, "hardly anything was compared");
}

/// Timers of processes that come and go, beside `timeout`, with a state in which somebody keeps control.
const TIMED: &str = "#include \"dtime.h\"
timer g = OFF; byte x;
proctype W(byte n) { timer mine = OFF; set(mine, n); do :: expire(mine) -> x++; break :: timeout -> x = x / 2; break od }
active proctype M() { timer t[2] = OFF;
  do :: x < 5 -> atomic { run W(x % 3); set(t[x % 2], 2); set(g, 1) }
     :: expire(t[0]) -> reset(g); x++
     :: atomic { expire(t[1]) && on(g) -> x = 0; expire(t[0]) }
  od }";

/// Lazy steps beside urgent ones, beside `timeout`, at the start of atomic sequences, and with a jump of more than one slice.
const LAZY: &str = "#include \"dtime.h\"
timer t = OFF, u = OFF; byte x; chan c = [0] of { byte };
active proctype P() { set(t, 4);
  do :: lazy x < 3 -> x++
     :: atomic { lazy on(t) -> x = 0; set(u, 3) }
     :: expire(t) -> set(t, 4)
     :: timeout -> x = 1
  od }
active proctype Q() { do :: d_step { lazy x == 2 -> reset(u) } :: expire(u) -> c!x :: x == 5 -> skip od }
active proctype R() { end: do :: c?_ -> set(u, 2) :: lazy x == 1 -> skip od }";

#[test]
fn timed_programs_have_the_interpreters_successors() {
    let style = |seed| [Style::Local, Style::Shared, Style::Lazy][seed as usize % 3];
    let programs = (1..=PROGRAMS).map(|seed| program(seed, style(seed)));
    let texts: Vec<String> = [TIMED, LAZY].map(String::from).into_iter().chain(programs).collect();
    let (mut steps, mut generated, mut interpreted) = (0, 0, 0);
    for (number, text) in texts.iter().enumerate() {
        let name = format!("timed {number}");
        for pace in [Pace::Slice, Pace::Jump] {
            // Dead timers are switched off in every second program.
            let mut m =
                model(&name, text.clone(), number % 2 == 0, false, &[]).unwrap_or_else(|| panic!("{name} has errors"));
            m.pace = pace;
            assert!(m.timed());
            let jit = JitSystem::compile(&m).unwrap_or_else(|why| panic!("{name}: {why}"));
            steps += compare(&ModelSystem(&m), &jit, STATES / 6).unwrap_or_else(|why| panic!("{name}: {why}")).steps;
            let counts = jit.counts();
            (generated, interpreted) = (generated + counts.0, interpreted + counts.1);
        }
        steps += check_claims(&name, text, STATES / 10);
    }
    assert!(steps > 1000, "hardly anything was compared");
    // Only what goes wrong is left to the interpreter, never a tick.
    assert!(interpreted * 100 < generated, "{interpreted} states of {} were interpreted", generated + interpreted);
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
    let (first, count) = (setting("STARWHEEL_SEED", 1u64), setting("STARWHEEL_COUNT", PROGRAMS));
    let mut steps = 0;
    for seed in first..first + count {
        let text = starwheel_testkit::print::program(&starwheel_testkit::generate::program(seed));
        for (dead_vars, merge) in [(false, false), (true, true)] {
            if let Some(m) = model("random.pml", text.clone(), dead_vars, merge, &[]) {
                steps += check(&format!("seed {seed} dead_vars={dead_vars} merge={merge}"), &m, STATES / 6);
            }
        }
    }
    assert!(steps > 1000, "hardly anything was compared");
}
