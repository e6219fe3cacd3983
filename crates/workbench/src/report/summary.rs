//! Puts the report together from what the searches found.

use crate::ask::plan::Plan;
use crate::memory::rss;
use crate::open::Opened;
use crate::problem::{self, Code, Problem};
use crate::property::half_seen::half_seen;
use crate::property::watched::Watched;
use crate::report::coverage::Coverage;
use crate::report::performed::{self, Performed, Way};
use crate::report::waiting::{self, Waiting};
use crate::report::{
    FORMAT, Finding, Head, Net, Property, PropertyKind, Report, Stats, TOOL, Unreached, Verdict, Visited,
};
use crate::run::Run;
use crate::trail::record::{halves, length};
use crate::written::{self, Source, Where};
use starwheel_base::Span;
use starwheel_base::cancel::Cancelled;
use starwheel_engine::{Order, Outcome, Stop};
use starwheel_model::ViolationKind;
use starwheel_reduce::NoStepFails;
use std::path::PathBuf;

/// Puts the report together. The first search may have been in another model than the others; if there was none of the system itself,
/// there may be evidence that it was not needed.
pub fn report(
    (first, opened): (&Opened, &Opened),
    plan: &Plan,
    runs: &[Run],
    spared: Option<NoStepFails>,
    mut warnings: Vec<Problem>,
) -> Report {
    let plain = &runs[0];
    let told: Vec<Vec<Finding>> = runs.iter().map(|run| findings(opened, plan, run)).collect();
    let system = plain.target.is_none().then(|| properties(opened, plan, &plain.found, &told[0]));
    let spared_property = |proof: NoStepFails| safety(RUNTIME_ERRORS, Verdict::Holds(proof.into()), Vec::new());
    let mut properties = system.unwrap_or_else(|| spared.map(spared_property).into_iter().collect());
    let sound = |p: &Property| p.name != RUNTIME_ERRORS || matches!(p.outcome, Verdict::Holds(_));
    let sound = properties.iter().all(sound);
    for (run, told) in runs.iter().zip(&told) {
        let Some(mut property) = own_property(opened, plan, run, told) else { continue };
        if !sound && matches!(property.outcome, Verdict::Holds(_)) && merged_away(opened, run) {
            property.outcome = Verdict::Unrefuted;
            let said = format!(
                "`{}` is not refuted, but runs that end by an error were not followed to the end",
                property.name
            );
            let advice =
                "the error may be in the middle of merged statements that the property looks at: `--merge off`";
            warnings.push(Problem::warning(Code::NotRefuted, said).advise(advice));
        }
        properties.push(property);
    }
    let worst = properties.iter().map(|p| p.outcome).max().unwrap_or(Verdict::Stopped);
    let checked = |name: &str| runs.iter().flat_map(|r| &r.target).any(|t| t.name == name);
    let unchecked = opened.model.properties.iter().map(|p| p.name.to_string()).filter(|name| !checked(name));
    let stops = || runs.iter().filter_map(|r| r.found.stop.as_ref());
    Report {
        head: Head {
            version: FORMAT,
            tool: TOOL,
            model: opened.path.display().to_string(),
            outcome: worst,
            errors: runs.iter().map(|r| r.found.errors).sum(),
            complete: runs.iter().all(|r| r.found.complete.is_some()),
        },
        visited: visited(runs),
        stopped_because: stops().find(|s| **s != Stop::Settled).or_else(|| stops().next()).map(because),
        findings: told.into_iter().flatten().collect(),
        properties,
        unchecked: unchecked.collect(),
        stats: stats(first, plain),
        sdl: opened.original.clone(),
        // A claim need not go everywhere.
        unreached: (spared.is_none() && runs.iter().all(|r| r.found.complete.is_some()))
            .then(|| unreached(first, plain)),
        growth: Vec::new(),
        growth_states: None,
        trail: runs.iter().flat_map(|r| &r.trails).flatten().next().map(|t| t.display().to_string()),
        reductions: runs.iter().filter_map(|r| r.reduction.clone()).collect(),
        symmetry: runs.iter().filter_map(|r| r.symmetry.clone()).collect(),
        no_step_fails: spared.is_some(),
        searches: runs.iter().map(Performed::new).collect(),
        options: performed::options(plan, plain),
        warnings,
    }
}

/// The name of the property that no step goes wrong.
const RUNTIME_ERRORS: &str = "runtime-errors";

/// True if a run that ends by an error may have been taken for one that ended before: only a decoupled search does so.
fn merged_away(opened: &Opened, run: &Run) -> bool {
    let claim = run.target.as_ref().and_then(|t| t.claim);
    let decoupled = matches!(run.way, Way::Decoupled { .. });
    decoupled && opened.reading.merge && claim.is_some_and(|claim| half_seen(&opened.model, claim))
}

fn visited(runs: &[Run]) -> Visited {
    let whole = |r: &Run| r.found.complete.is_some() && !matches!(r.found.outcome, Outcome::Unrefuted(_));
    match (runs.iter().all(whole), runs.iter().any(|r| r.reduction.is_some() || r.symmetry.is_some())) {
        (false, _) => Visited::Part,
        (true, true) => Visited::Enough,
        (true, false) => Visited::All,
    }
}

/// Statements that a search did not reach; none if it may have left out some that can be reached.
fn unreached(opened: &Opened, run: &Run) -> Vec<Unreached> {
    match &run.reduction {
        Some(r) if r.deadlocks_only => Vec::new(),
        reduction => Coverage::new(opened, &run.found.reached).reduced(reduction.is_some()).unreached(),
    }
}

/// What is known about something that a search did not find.
fn rest(found: &starwheel_engine::Report) -> Verdict {
    match (&found.outcome, found.complete) {
        (Outcome::Holds(complete), _) => Verdict::Holds((*complete).into()),
        (Outcome::Violated, Some(complete)) => Verdict::Holds(complete.into()),
        (Outcome::Unrefuted(_), _) => Verdict::Unrefuted,
        (Outcome::Violated | Outcome::Stopped(_), _) => Verdict::Stopped,
    }
}

/// The verdict on a property that has a search of its own.
fn own_property(opened: &Opened, plan: &Plan, run: &Run, told: &[Finding]) -> Option<Property> {
    let target = run.target.as_ref()?;
    let outcome = match run.found.outcome {
        Outcome::Violated => Verdict::Violated,
        _ => rest(&run.found),
    };
    let watched = target.claim.map(|claim| Watched::by(opened, claim));
    Some(Property {
        name: target.name.clone(),
        kind: target.kind,
        automaton: watched.as_ref().map(|w| w.automaton),
        formula: watched.and_then(|w| w.formula),
        outcome,
        fairness: plan.fair.map(Into::into),
        findings: told.to_vec(),
        stats: Some(stats(opened, run)),
        stopped_because: run.found.stop.as_ref().map(because),
        forgotten: run.forgotten.clone(),
        with_fairness: run.with_fairness,
    })
}

/// One verdict for each property that the search of the system alone looks at.
fn properties(opened: &Opened, plan: &Plan, found: &starwheel_engine::Report, findings: &[Finding]) -> Vec<Property> {
    let rest = rest(found);
    let all = [
        ("assertions", ViolationKind::Assertion, !plan.no_assert),
        ("invalid-end-states", ViolationKind::InvalidEndState, !plan.no_deadlock),
        (RUNTIME_ERRORS, ViolationKind::RuntimeError, true),
        ("trace", ViolationKind::Trace, opened.model.trace.is_some()),
    ];
    let property = |(name, kind, _): (&str, ViolationKind, bool)| {
        let own: Vec<_> = findings.iter().filter(|f| f.kind == kind.name()).cloned().collect();
        // A search that contradicts itself proves nothing, not even what it found.
        let doubt = matches!(found.outcome, Outcome::Stopped(_));
        let outcome = if own.is_empty() || doubt { rest } else { Verdict::Violated };
        safety(name, outcome, own)
    };
    all.into_iter().filter(|p| p.2).map(property).collect()
}

/// The verdict on something that can go wrong in the system itself.
fn safety(name: &str, outcome: Verdict, findings: Vec<Finding>) -> Property {
    Property {
        name: name.to_string(),
        kind: PropertyKind::Safety,
        formula: None,
        automaton: None,
        outcome,
        fairness: None,
        findings,
        stats: None,
        stopped_because: None,
        forgotten: Vec::new(),
        with_fairness: None,
    }
}

/// The findings of a search, with their trails.
fn findings(opened: &Opened, plan: &Plan, run: &Run) -> Vec<Finding> {
    let opened = run.told_in(opened);
    let trails = run.trails.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let all = run.reduction.is_none() && run.symmetry.is_none() && !opened.reading.merge;
    let by_breadth = all && matches!(run.way, Way::Plain { order: Order::Bfs, .. }) && !plan.all_errors;
    let by_breadth = by_breadth && run.switches.is_none();
    // A limit of depth is one of steps, and then time counts nothing.
    let by_time = by_breadth && opened.model.timed() && plan.depth.is_none();
    let with_trail = |(f, trail): (&starwheel_engine::Finding, Option<&PathBuf>)| {
        let told = finding(opened, f);
        // pan counts merged steps.
        let single = |steps: usize| length(opened, &f.trail[..steps]);
        let pan = plan.pan.spin_trails;
        Finding {
            trail: trail.map(|t| t.display().to_string()),
            trail_length: if pan { told.trail_length } else { single(f.trail.len()) },
            cycle_start: if pan { told.cycle_start } else { f.cycle_start.map(single) },
            shortened_from: run.shortened.map(|s| s.from).filter(|&from| from > single(f.trail.len())),
            switches: run.switches.map(|s| s.count),
            switches_from: run.switches.filter(|s| s.from > s.count).map(|s| s.from),
            fewest_switches: run.switches.is_some_and(|s| s.fewest),
            shortest: (by_breadth && !by_time) || run.shortened.is_some_and(|s| s.shortest),
            fastest: by_time,
            ..told
        }
    };
    run.found.findings.iter().zip(trails).map(with_trail).collect()
}

/// What is most important about a finding.
pub struct Headline {
    /// Its kind.
    pub kind: &'static str,
    /// It in one sentence.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line, from one; zero if there is none.
    pub line: u32,
}

/// The headline of a finding.
pub fn headline(opened: &Opened, f: &starwheel_engine::Finding) -> Headline {
    let stuck = if deadlocked(f) { waiting::stuck_at_end(opened, &f.trail) } else { Vec::new() };
    let (at, line) = place(opened, f, &stuck);
    let who: Vec<String> = stuck.iter().map(Waiting::who).collect();
    Headline { kind: f.violation.kind.name(), message: message(opened, f, &who), file: at.at.file, line }
}

/// True if a finding is a state in which somebody waits.
fn deadlocked(f: &starwheel_engine::Finding) -> bool {
    f.violation.kind == ViolationKind::InvalidEndState && f.violation.actor.is_some()
}

/// Where a finding is in the source, and the line that is told: that of the statement at which the first one waits, if some do.
fn place(opened: &Opened, f: &starwheel_engine::Finding, waiting: &[Waiting]) -> (Where, u32) {
    if let Some(w) = waiting.iter().find(|w| !w.valid_end && w.at.line > 0) {
        return (Where { at: w.at.clone(), via: w.via.clone() }, w.at.line);
    }
    let place = Where::always(&opened.map, f.violation.span);
    let unknown = f.violation.span == Span::default() && f.cycle_start.is_some();
    let line = if unknown { 0 } else { place.at.line };
    (place, line)
}

/// A finding as it is reported, without the name of its trail.
fn finding(opened: &Opened, f: &starwheel_engine::Finding) -> Finding {
    let halves = |steps: usize| f.trail.iter().take(steps).map(|&s| halves(s)).sum();
    let waiting::End { waiting, besides, advice } =
        if deadlocked(f) { waiting::at_end(opened, &f.trail) } else { waiting::End::default() };
    let (place, line) = place(opened, f, &waiting);
    let values = match f.violation.kind {
        ViolationKind::RuntimeError => waiting::at_fault(opened, &f.trail),
        _ => Vec::new(),
    };
    let stuck: Vec<String> = waiting.iter().filter(|w| !w.valid_end).map(Waiting::who).collect();
    Finding {
        kind: f.violation.kind.name(),
        message: message(opened, f, &stuck),
        spin_message: f.violation.message.clone(),
        waiting,
        besides,
        advice,
        values,
        source: Source { line, ..Source::from(place) },
        trail_length: halves(f.trail.len()),
        steps: halves(f.trail.len()),
        cycle_start: f.cycle_start.map(halves),
        shortened_from: None,
        shortest: false,
        fastest: false,
        switches: None,
        switches_from: None,
        fewest_switches: false,
        trail: None,
        events: f.events,
    }
}

/// What a finding is, in one sentence, with statements as they were written.
fn message(opened: &Opened, f: &starwheel_engine::Finding, stuck: &[String]) -> String {
    match (stuck, f.violation.kind) {
        ([], ViolationKind::Assertion) => written::assertion(&opened.map, f.violation.span, &f.violation.message),
        ([], _) => f.violation.message.clone(),
        ([one], _) => format!("deadlock: {one} waits for ever"),
        ([some @ .., last], _) if some.len() < 4 => format!("deadlock: {} and {last} wait for ever", some.join(", ")),
        (all, _) => {
            format!("deadlock: {} and {} more processes wait for ever", all[..3].join(", "), all.len() - 3)
        }
    }
}

/// Why a search ended early, in words.
pub fn because(stop: &Stop) -> String {
    match stop {
        Stop::Memory(bytes) => problem::because(Cancelled::Memory(*bytes)),
        Stop::Time(time) => problem::because(Cancelled::Time(*time)),
        Stop::Settled => "another property is violated, which is enough for `--first`".to_string(),
        other => other.to_string(),
    }
}

/// The length of the longest trail, for searches that count stored states on a way instead of steps.
fn longest_trail(run: &Run) -> u64 {
    let length = |f: &starwheel_engine::Finding| f.trail.iter().map(|&step| halves(step)).sum();
    let coarse = matches!(run.way, Way::Plain { order: Order::Groups | Order::Cndfs, .. } | Way::Shared { .. });
    run.found.findings.iter().filter(|_| coarse).map(length).max().unwrap_or(0)
}

fn stats(opened: &Opened, run: &Run) -> Stats {
    let counted = counted(opened, &run.found.stats);
    Stats { max_depth: counted.max_depth.max(longest_trail(run)), ..counted }
}

/// What a search has counted, and what there is to say about the model beside it.
pub fn counted(opened: &Opened, s: &starwheel_engine::Stats) -> Stats {
    let timed = opened.model.timed();
    Stats {
        states_stored: s.states_stored,
        decoupled_states: s.decoupled_states,
        states_matched: s.states_matched,
        transitions: s.transitions,
        atomic_steps: s.atomic_steps,
        timers: timed.then(|| opened.model.timers() as u64),
        ticks: timed.then_some(s.ticks),
        tick_units: opened.words.unit().filter(|_| timed),
        max_depth: s.max_depth,
        net: s.net.map(|net| Net {
            processes: net.processes,
            messages: net.messages,
            bytes: net.bytes,
            remote: net.remote,
            bytes_per_remote: net.bytes as f64 / net.remote.max(1) as f64,
            balance: net.balance,
        }),
        state_bytes: s.state_bytes,
        store_bytes: s.store_bytes,
        seconds: s.seconds,
        peak_rss_bytes: rss::peak_rss(),
    }
}
