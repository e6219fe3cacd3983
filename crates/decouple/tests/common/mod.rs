//! Decoupled search beside plain exploration, for models given as text.
#![allow(dead_code)] // Each test file uses its own part.

use starwheel_base::Span;
use starwheel_decouple::{Request, members, refusal};
use starwheel_engine::{Job, Limits, Outcome, Report, Silent};
use starwheel_model::{Model, ModelSystem, System, ViolationKind};
use starwheel_promela::{CompileOptions, compile_text};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// A model, if the text is one.
pub fn model(text: &str, dead_vars: bool, merge: bool) -> Option<Model> {
    compile_text(text, &CompileOptions { dead_vars, merge, ..CompileOptions::default() }).model
}

/// Everything that can be asked for: both orders, both ways to recognise states.
pub fn requests() -> [Request; 4] {
    let plain = Request { all_errors: true, ..Request::default() };
    [
        plain,
        Request { dominance: true, ..plain },
        Request { breadth_first: true, ..plain },
        Request { breadth_first: true, dominance: true, ..plain },
    ]
}

/// All states that are kept, without hidden parts; none if there are too many.
pub fn reachable(model: &Model, limit: usize) -> Option<HashSet<Vec<u8>>> {
    let system = ModelSystem(model);
    let mut stepper = system.stepper();
    let hidden = system.hidden_bytes();
    let (mut first, mut next, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    if stepper.initial(&mut first).broken {
        return Some(HashSet::new());
    }
    let mut known = HashSet::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    while let Some(at) = queue.pop_front() {
        stepper.enabled(&at, &mut steps);
        for &step in &steps {
            if !stepper.fire(&at, step, &mut next).broken && known.insert(next.clone()) {
                queue.push_back(next.clone());
            }
        }
        if known.len() > limit {
            return None;
        }
    }
    Some(known.into_iter().filter(|s| !stepper.transient(s)).map(|mut s| s.split_off(hidden)).collect())
}

/// What a search found.
pub fn found(report: &Report) -> BTreeSet<(ViolationKind, u32, u32)> {
    let key = |span: Span| (span.start, span.end);
    report.findings.iter().map(|f| (f.violation.kind, key(f.violation.span).0, key(f.violation.span).1)).collect()
}

/// Whether two searches come to the same conclusion.
pub fn agree(a: &Outcome, b: &Outcome) -> bool {
    matches!((a, b), (Outcome::Holds(_), Outcome::Holds(_)) | (Outcome::Violated, Outcome::Violated))
}

/// How a comparison ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Compared {
    /// Everything is the same; this many states, and this many decoupled ones (by equality).
    Same(usize, u64),
    /// The model cannot be decoupled, because of this.
    Refused(String),
    /// The model is too big for the test.
    TooBig,
}

/// Compares decoupled search with plain exploration: verdict, errors, and the states one by one.
pub fn compare(model: &Model, limit: usize) -> Result<Compared, String> {
    if let Some(why) = refusal(model) {
        return Ok(Compared::Refused(why.what));
    }
    let Some(states) = reachable(model, limit) else { return Ok(Compared::TooBig) };
    let system = ModelSystem(model);
    let explicit = starwheel_engine::run(&Job { all_errors: true, ..Job::new(&system) }, &Silent).unwrap();
    let mut decoupled = 0;
    for request in requests() {
        let (report, all) = members(model, &request, 50 * limit);
        let name = format!("breadth first {}, dominance {}", request.breadth_first, request.dominance);
        if let Outcome::Stopped(stop) = &report.outcome {
            return Err(format!("{name}: {stop}"));
        }
        let Some(all) = all else { return Ok(Compared::TooBig) };
        if all != states {
            let (lacking, wrong) = (states.difference(&all).count(), all.difference(&states).count());
            return Err(format!("{name}: {lacking} of {} states are missing, {wrong} cannot be reached", states.len()));
        }
        if found(&report) != found(&explicit) || !agree(&report.outcome, &explicit.outcome) {
            return Err(format!("{name}: found {:?}, not {:?}", found(&report), found(&explicit)));
        }
        let executed = report.reached.iter().zip(&explicit.reached).position(|(a, b)| a != b);
        if let Some(trans) = executed {
            return Err(format!("{name}: transition {trans} is executed: {}", report.reached[trans]));
        }
        if decoupled == 0 {
            decoupled = report.stats.decoupled_states.unwrap_or(0);
        }
        let quick = Request { all_errors: false, limits: Limits::default(), ..request };
        let first = starwheel_decouple::run(model, &quick, &Silent).expect("it fits");
        if !agree(&first.outcome, &explicit.outcome) {
            return Err(format!("{name}: the first error is not found: {:?}", first.outcome));
        }
    }
    for request in requests() {
        let request = Request { workers: 3, ..request };
        let (dominance, breadth_first) = (request.dominance, request.breadth_first);
        let report = starwheel_decouple::run(model, &request, &Silent).expect("it fits");
        let name = format!("three workers, breadth first {breadth_first}, dominance {dominance}");
        if found(&report) != found(&explicit) || !agree(&report.outcome, &explicit.outcome) {
            return Err(format!("{name}: found {:?}, not {:?}", found(&report), found(&explicit)));
        }
        if report.reached != explicit.reached {
            return Err(format!("{name}: other transitions are executed"));
        }
        let count = report.stats.decoupled_states.unwrap_or(0);
        if !dominance && count != decoupled {
            return Err(format!("{name}: {count} decoupled states, not {decoupled}"));
        }
        let first =
            starwheel_decouple::run(model, &Request { all_errors: false, ..request }, &Silent).expect("it fits");
        if !agree(&first.outcome, &explicit.outcome) {
            return Err(format!("{name}: the first error is not found: {:?}", first.outcome));
        }
    }
    Ok(Compared::Same(states.len(), decoupled))
}
