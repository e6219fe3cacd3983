//! Checks a model: runs the search, writes the trail and puts the report together.

use crate::coverage::{Coverage, Unvisited};
use crate::open::Opened;
use crate::plan::{Plan, Search};
use crate::problem::Problem;
use crate::record::{halves, trail_steps, walk_plainly};
use crate::report::{FORMAT, Finding, Property, Report, Stats, TOOL, Verdict};
use crate::trailfile::{self, TrailFile, TrailFinding};
use crate::walk::Walk;
use crate::{quantity, rss};
use starwheel_engine::{Checks, Job, Limits, Monitor, Order, Outcome, Stop, Tick, run};
use starwheel_model::ViolationKind;
use starwheel_model::interp::ModelSystem;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// How many moves of a trail are kept for the screen.
const EXCERPT: usize = 10;

/// The answer to `check`.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The report.
    pub report: Report,
    /// The end of the first trail, for the screen.
    pub excerpt: Option<Walk>,
    /// States that no process entered, as pan lists them.
    pub unvisited: Vec<Unvisited>,
}

/// Searches the states of a model.
pub fn check(opened: &Opened, plan: &Plan, monitor: &dyn Monitor) -> Checked {
    let system = ModelSystem(&opened.model);
    let memory = plan.memory.or_else(rss::default_limit);
    let job = Job {
        system: &system,
        search: if plan.search == Search::Bfs { Order::Bfs } else { Order::Dfs },
        checks: Checks { assertions: !plan.no_assert, end_states: !plan.no_deadlock },
        all_errors: plan.all_errors,
        limits: Limits { depth: plan.depth, time: plan.time, memory },
    };
    let found = run(&job, &MemoryGuard::new(monitor, memory));
    let mut warnings = opened.warnings.clone();
    warnings.extend(found.warnings.iter().map(|w| Problem::warning("search", w.clone())));
    let trail = write_trail(opened, plan, &found, &mut warnings);
    let excerpt = found.findings.first().and_then(|f| walk_plainly(opened, &f.trail, Some(EXCERPT)).ok());
    let unvisited = Coverage::new(opened, &found.reached).unvisited();
    Checked { report: report(opened, plan, &found, trail, warnings), excerpt, unvisited }
}

/// Time between two looks at the memory of the whole program.
const LOOK: Duration = Duration::from_millis(50);

/// Keeps to the memory limit with everything that a search needs, not only with its store.
struct MemoryGuard<'a> {
    monitor: &'a dyn Monitor,
    limit: Option<u64>,
    /// What the program held before the search.
    before: u64,
    looked: Mutex<Duration>,
}

impl<'a> MemoryGuard<'a> {
    fn new(monitor: &'a dyn Monitor, limit: Option<u64>) -> MemoryGuard<'a> {
        MemoryGuard { monitor, limit, before: rss::current_rss(), looked: Mutex::new(Duration::ZERO) }
    }

    fn exceeded(&self, tick: &Tick) -> Option<Stop> {
        let limit = self.limit?;
        let mut looked = self.looked.lock().ok()?;
        if tick.elapsed < *looked + LOOK {
            return None;
        }
        *looked = tick.elapsed;
        (rss::current_rss().saturating_sub(self.before) > limit).then_some(Stop::Memory(limit))
    }
}

impl Monitor for MemoryGuard<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        match self.exceeded(tick) {
            Some(stop) => ControlFlow::Break(stop),
            None => self.monitor.progress(tick),
        }
    }

    fn found(&self, finding: &starwheel_engine::Finding) -> ControlFlow<Stop> {
        self.monitor.found(finding)
    }
}

fn report(
    opened: &Opened,
    plan: &Plan,
    found: &starwheel_engine::Report,
    trail: Option<PathBuf>,
    warnings: Vec<Problem>,
) -> Report {
    let findings: Vec<_> = found.findings.iter().map(|f| finding(opened, f)).collect();
    let properties = properties(opened, plan, found, &findings);
    let worst = properties.iter().map(|p| p.outcome).max().unwrap_or(Verdict::Stopped);
    Report {
        version: FORMAT,
        tool: TOOL,
        model: opened.path.display().to_string(),
        outcome: worst,
        errors: found.errors,
        complete: found.complete,
        stopped_because: found.stop.as_ref().map(because),
        findings,
        properties,
        unchecked: opened.model.properties.iter().map(|p| p.name.to_string()).collect(),
        stats: stats(&found.stats),
        unreached: Coverage::new(opened, &found.reached).unreached(),
        trail: trail.map(|t| t.display().to_string()),
        options: plan.options.clone(),
        warnings,
    }
}

/// One verdict for each property that was looked at; the others are silent, so the worst of them is the whole verdict.
fn properties(opened: &Opened, plan: &Plan, found: &starwheel_engine::Report, findings: &[Finding]) -> Vec<Property> {
    let rest = match &found.outcome {
        Outcome::Holds(_) => Verdict::Holds,
        Outcome::Violated if found.complete => Verdict::Holds,
        Outcome::Unrefuted(_) => Verdict::Unrefuted,
        Outcome::Violated | Outcome::Stopped(_) => Verdict::Stopped,
    };
    let all = [
        ("assertions", ViolationKind::Assertion, !plan.no_assert),
        ("invalid-end-states", ViolationKind::InvalidEndState, !plan.no_deadlock),
        ("runtime-errors", ViolationKind::RuntimeError, true),
        ("trace", ViolationKind::Trace, opened.model.trace.is_some()),
    ];
    let property = |(name, kind, _): (&str, ViolationKind, bool)| {
        let own: Vec<_> = findings.iter().filter(|f| f.kind == kind.name()).cloned().collect();
        // A search that contradicts itself proves nothing, not even what it found.
        let doubt = matches!(found.outcome, Outcome::Stopped(_));
        let outcome = if own.is_empty() || doubt { rest } else { Verdict::Violated };
        Property { name: name.to_string(), outcome, findings: own }
    };
    all.into_iter().filter(|p| p.2).map(property).collect()
}

fn finding(opened: &Opened, f: &starwheel_engine::Finding) -> Finding {
    let (file, at) = opened.map.locate(f.violation.span);
    Finding {
        kind: f.violation.kind.name(),
        message: f.violation.message.clone(),
        file: file.to_string(),
        line: at.line,
        trail_length: f.trail.iter().map(|&s| halves(s)).sum(),
        events: f.events,
    }
}

fn because(stop: &Stop) -> String {
    match stop {
        Stop::Memory(bytes) => format!("the memory limit of {} was reached", quantity::show_bytes(*bytes)),
        Stop::Time(time) => format!("the time limit of {} was reached", quantity::show_seconds(time.as_secs_f64())),
        other => other.to_string(),
    }
}

fn stats(s: &starwheel_engine::Stats) -> Stats {
    Stats {
        states_stored: s.states_stored,
        states_matched: s.states_matched,
        transitions: s.transitions,
        atomic_steps: s.atomic_steps,
        max_depth: s.max_depth,
        state_bytes: s.state_bytes,
        store_bytes: s.store_bytes,
        seconds: s.seconds,
        peak_rss_bytes: rss::peak_rss(),
    }
}

/// Where the trail goes if nobody says so.
pub fn default_trail(model: &std::path::Path) -> PathBuf {
    let mut name = model.as_os_str().to_os_string();
    name.push(".trail.json");
    PathBuf::from(name)
}

/// Writes the trail of the first finding; failing to do so is a warning and changes no verdict.
fn write_trail(
    opened: &Opened,
    plan: &Plan,
    found: &starwheel_engine::Report,
    warnings: &mut Vec<Problem>,
) -> Option<PathBuf> {
    let first = found.findings.first()?;
    let path = plan.trail.clone().unwrap_or_else(|| default_trail(&opened.path));
    match trail_file(opened, first).write(&path) {
        Ok(()) => Some(path),
        Err(failure) => {
            warnings.extend(failure.problems);
            None
        }
    }
}

/// The trail of a finding as a file.
pub fn trail_file(opened: &Opened, f: &starwheel_engine::Finding) -> TrailFile {
    let Finding { kind, message, file, line, .. } = finding(opened, f);
    let reading = &opened.reading;
    TrailFile {
        kind: trailfile::KIND.to_string(),
        version: trailfile::VERSION,
        tool: TOOL.to_string(),
        model: opened.path.display().to_string(),
        hash: opened.hash.clone(),
        defines: reading.defines.clone(),
        undefines: reading.undefines.clone(),
        include: reading.include.clone(),
        merge: reading.merge,
        dead_vars: reading.dead_vars,
        finding: TrailFinding { kind: kind.to_string(), message, file, line },
        steps: trail_steps(opened, &f.trail),
    }
}
