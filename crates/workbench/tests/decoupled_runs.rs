//! Random programs with formulas: the decoupled search for runs without end against the search of all states.
//!
//! `STARWHEEL_SEEDS=FROM..TO` tries other programs than the usual ones.

use starwheel_engine::{Checks, Job, Limits, Order, Outcome, Report, Silent, Stop, run};
use starwheel_model::{ClaimSystem, ProctypeId};
use starwheel_star::{Request, find_run, refusal};
use starwheel_testkit::generate::claims;
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

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("STARWHEEL_SEEDS").ok();
    let range =
        given.as_deref().and_then(|s| s.split_once("..")).and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.unwrap_or(0..1500)
}

#[test]
fn decoupled_and_plain_searches_agree_on_formulas() {
    let mut tally = Tally::default();
    for seed in seeds() {
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

fn examine(program: &Program, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let text = print::program(program);
    if !text.lines().any(|l| l.starts_with("ltl ")) {
        return Ok(());
    }
    let reading = Reading { ltl: Some("all".to_string()), dead_vars: seed % 2 == 1, ..Reading::default() };
    let Ok(opened) = open_text(Path::new("random.pml"), text, &reading) else { return Ok(()) };
    let Ok(all) = targets(&opened, &Plan { reading, ..Plan::default() }) else { return Ok(()) };
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
    let plain = run(&job, &Silent);
    for dominance in [false, true] {
        let request = Request { dominance, checks, limits, ..Request::default() };
        let found = find_run(&opened.model, claim, goal.clone(), &request, &Silent);
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
