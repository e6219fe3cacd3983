//! Random programs with formulas: the decoupled search for runs without end against the search of all states.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other programs than the usual ones.

#[path = "infinite/guarded.rs"]
mod guarded;

use starwheel_decouple::{Request, find_run, refusal};
use starwheel_engine::{Checks, Job, Limits, Order, Outcome, Report, Silent, Stop, run};
use starwheel_model::{ClaimSystem, ProctypeId};
use starwheel_testkit::generate::claims;
use starwheel_testkit::rng::seeds;
use starwheel_testkit::{ast::Program, print, shrink::shrink};
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::target::{Target, targets};
use starwheel_workbench::{Plan, Reading, decouple};
use std::path::Path;
use std::time::Duration;

/// Larger products are left out.
const TIME: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    holds: u32,
    violated: u32,
    /// Programs and formulas that cannot be decoupled.
    refused: u32,
    /// No verdict, because of a run-time error or an endless atomic sequence.
    open: u32,
    big: u32,
}

#[test]
fn decoupled_and_plain_searches_agree_on_formulas() {
    let mut tally = Tally::default();
    for seed in seeds(0..1500) {
        let program = claims::program(seed, claims::features_of(seed));
        if let Err(what) = examine(&program, seed, &mut tally) {
            let small = shrink(&program, 2000, |p| examine(p, seed, &mut Tally::default()).is_err());
            let now = examine(&small, seed, &mut Tally::default()).err().unwrap_or_default();
            panic!("seed {seed}: {what}\nshrunk ({now}):\n{}", print::program(&small));
        }
    }
    println!("{tally:?}");
    assert!(tally.holds > 100 && tally.violated > 100, "too few questions: {tally:?}");
}

/// Conditions that have no value in some states: errors are found where the claim asks for them, and only there.
#[test]
fn decoupled_and_plain_searches_agree_on_conditions_without_a_value() {
    let mut tally = Tally::default();
    let seeds = seeds(0..1500);
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) / 5 {
        let text = guarded::model(seed);
        if let Err(what) = examine_text(text.clone(), seed, &mut tally) {
            panic!("seed {seed}: {what}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(tally.holds > 100 && tally.violated > 100, "too few questions: {tally:?}");
    assert!(tally.open < tally.violated / 10, "too few answers: {tally:?}");
}

fn examine(program: &Program, seed: u64, tally: &mut Tally) -> Result<(), String> {
    examine_text(print::program(program), seed, tally)
}

fn examine_text(text: String, seed: u64, tally: &mut Tally) -> Result<(), String> {
    if !text.lines().any(|l| l.starts_with("ltl ")) {
        return Ok(());
    }
    let reading = Reading { ltl: vec!["all".to_string()], dead_vars: seed % 2 == 1, ..Reading::default() };
    let Ok(opened) = open_text(Path::new("random.pml"), text, &reading) else { return Ok(()) };
    let Ok(all) = targets(&opened, &Plan { reading, ..Plan::plain() }) else { return Ok(()) };
    for target in all {
        match (target.claim, refusal(&opened.model).or(decouple::property(&opened, &target))) {
            (Some(claim), None) => ask(&opened, &target, claim, tally).map_err(|e| format!("{}: {e}", target.name))?,
            _ => tally.refused += 1,
        }
    }
    Ok(())
}

fn ask(opened: &Opened, target: &Target, claim: ProctypeId, tally: &mut Tally) -> Result<(), String> {
    let system = ClaimSystem::new(&opened.model, claim).own_labels();
    let checks = Checks { assertions: true, end_states: false, run_time: true };
    let goal = target.goal(opened, None);
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    let job = Job { search: Order::Scc, checks, goal: goal.clone(), limits, ..Job::new(&system) };
    let plain = run(&job, &Silent).unwrap();
    for dominance in [false, true] {
        let request = Request { dominance, checks, limits, ..Request::default() };
        let found = find_run(&opened.model, claim, goal.clone(), &request, &Silent).expect("it fits");
        compare(&plain, &found, tally).map_err(|e| format!("dominance {dominance}: {e}"))?;
    }
    Ok(())
}

fn compare(plain: &Report, found: &Report, tally: &mut Tally) -> Result<(), String> {
    let in_time = |r: &Report| !matches!(r.outcome, Outcome::Stopped(Stop::Time(_)));
    if !in_time(plain) || !in_time(found) {
        tally.big += 1;
        return Ok(());
    }
    match (&plain.outcome, &found.outcome) {
        (Outcome::Holds(_), Outcome::Holds(_)) => tally.holds += 1,
        (Outcome::Violated, Outcome::Violated) => tally.violated += 1,
        (_, Outcome::Unrefuted(_)) => tally.open += 1,
        (plain, found) => return Err(format!("{found:?}, not {plain:?}")),
    }
    Ok(())
}

/// Asks one formula about a text: true if it holds. Both searches must say the same.
fn holds(text: &str, formula: &str) -> bool {
    let text = format!("{text}\nltl q {{ {formula} }}\n");
    let reading = Reading { ltl: vec!["all".to_string()], ..Reading::default() };
    let opened = open_text(Path::new("m.pml"), text, &reading).expect("a model");
    let all = targets(&opened, &Plan { reading, ..Plan::plain() }).expect("a target");
    let target = &all[0];
    assert!(refusal(&opened.model).is_none() && decouple::property(&opened, target).is_none(), "{formula}");
    let mut tally = Tally::default();
    ask(&opened, target, target.claim.expect("a claim"), &mut tally).unwrap_or_else(|e| panic!("{formula}: {e}"));
    assert_eq!(tally.holds + tally.violated, 2, "{formula}: {tally:?}");
    tally.holds > 0
}

#[test]
fn runs_of_one_leaf_alone_count() {
    let text = "bool done; active proctype A() { byte i; do :: i = 1 - i od } active proctype B() { done = true }";
    assert!(!holds(text, "<> done"), "A can go on for ever without B");
    let text = "bool done; active proctype A() { do :: !done -> skip :: done -> break od } active proctype B() { done = true }";
    assert!(!holds(text, "<> done"));
    assert!(holds(text, "[] (done -> [] done)"));
}

#[test]
fn runs_that_end_show_their_last_state_for_ever() {
    let text = "byte n; active proctype A() { n = 1; n = 2 }";
    assert!(holds(text, "<> [] (n == 2)"));
    assert!(!holds(text, "[] <> (n == 1)"));
    // A deadlock that only two leaves together are in.
    let text = "chan a = [0] of { byte }, b = [0] of { byte }; bool ok;
        active proctype P() { byte x; if :: x = 1 :: x = 2 fi; if :: x == 1 -> a!1 :: x == 2 -> b!1 fi; ok = true }
        active proctype Q() { byte y; if :: y = 1 :: y = 2 fi; if :: y == 1 -> a?y :: y == 2 -> b?y fi }";
    assert!(!holds(text, "<> ok"));
    assert!(holds(
        &text.replace(":: y = 1 :: y = 2 fi; if :: y == 1 -> a?y :: y == 2 -> b?y fi", ":: a?y :: b?y fi"),
        "<> ok"
    ));
}

#[test]
fn what_a_formula_sees_of_a_leaf_is_no_secret() {
    let text =
        "byte g; active [2] proctype P() { byte i; do :: i < 2 -> i++; here: skip :: i == 2 -> i = 0; g = 1 - g od }";
    assert!(holds(text, "[] (P[0]:i <= 2)"));
    assert!(!holds(text, "[] (P[0]:i <= 1)"));
    assert!(!holds(text, "[] !(P[0]@here && P[1]@here)"));
    assert!(!holds(text, "[] <> (P[0]:i == 2)"), "the other one can go on alone");
    assert!(!holds(text, "[] (P[0]@here -> <> !P[0]@here)"));
}

#[test]
fn a_step_without_meaning_is_never_got_over() {
    let text = "byte a[2], i, g; active proctype P() { byte k; k = 1; i = 2; a[i] = 1; g = 1 }";
    assert!(!holds(text, "<> (g == 1)"));
    assert!(holds(text, "<> (i == 2)"));
}

#[test]
fn timeouts_go_on() {
    let text = "byte g; active proctype P() { byte k; k = 1; (g == 1) } active proctype Q() { timeout -> g = 1 }";
    assert!(holds(text, "<> (g == 1)"));
    assert!(holds(text, "<> [] (g == 1)"));
}
