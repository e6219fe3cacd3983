//! Checks a model: decides which searches there are, runs them, and writes their trails.

use crate::ask::plan::Plan;
use crate::decouple;
use crate::disk::checkpoint::Checkpoints;
use crate::disk::scratch::ScratchFolder;
use crate::open::Opened;
use crate::problem::{Failure, Problem};
use crate::property::target::targets;
use crate::reduction::wish;
use crate::report::coverage::{Coverage, Unvisited};
use crate::report::summary::report;
use crate::report::{PropertyKind, Report};
use crate::run::{by_groups, counts_errors, run_decoupled, run_one};
use crate::trail::record::walk_plainly;
use crate::trail::trails;
use crate::trail::walk::Walk;
use starwheel_engine::Monitor;
use std::time::Instant;

/// How many moves of a trail are kept for the screen.
const EXCERPT: usize = 10;
/// How many moves before a cycle are kept with it.
const BEFORE_CYCLE: usize = 6;
/// The most moves that are kept to show a whole cycle.
const LONG_EXCERPT: usize = 40;

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

/// Searches the states of a model, and then once more for each property that needs a search of its own.
pub fn check(opened: &Opened, plan: &Plan, monitor: &dyn Monitor) -> Result<Checked, Failure> {
    let started = Instant::now();
    if plan.fair.is_some() && opened.reading.merge {
        // A merged step skips states in which a partner has to wait for a handshake, so it can make a run unfair.
        let problem = Problem::error("contradiction", "`--fair` and `--merge` exclude each other");
        return Err(problem.advise("leave one of them out").into());
    }
    if let (Some(store), true) = (plan.lossy(), counts_errors(plan)) {
        // Errors are counted in the order of a depth-first search, which needs its states back.
        let problem = Problem::error("contradiction", format!("`{store}` and `-e` or `-cN` exclude each other"));
        return Err(problem.advise("leave one of them out").into());
    }
    let targets = targets(opened, plan)?;
    if let (Some(2..), true, true) = (plan.workers, counts_errors(plan), !targets.is_empty() && !plan.pan.no_cycles) {
        let problem = Problem::error("contradiction", "`--workers` and `-e` or `-cN` exclude each other with cycles");
        return Err(problem.advise("leave one of them out").into());
    }
    let mut warnings = opened.warnings.clone();
    let decoupling = decouple::decide(opened, plan, &mut warnings)?;
    let system = (!plan.pan.alone || targets.is_empty()).then_some(None);
    let wanted: Vec<_> = system.into_iter().chain(targets.into_iter().map(Some)).collect();
    let mut wishes = Vec::new();
    let mut decoupled = Vec::new();
    for target in &wanted {
        decoupled.push(match (&decoupling, target) {
            (None, _) => None,
            (Some(request), None) => Some(request),
            (Some(request), Some(target)) => {
                decouple::decide_property(opened, plan, target, &mut warnings)?.then_some(request)
            }
        });
        let wish = wish(opened, plan, target.as_ref())?;
        warnings.extend(wish.as_ref().err().cloned());
        wishes.push(wish.unwrap_or_default());
    }
    let scratch = plan.spill.as_deref().map(ScratchFolder::new).transpose()?;
    let checkpoints = Checkpoints::new(
        opened,
        plan,
        wanted == [None] && wishes.iter().all(Option::is_none) && by_groups(plan, true),
    )?;
    let mut runs = Vec::new();
    for ((target, wish), decoupled) in wanted.iter().cloned().zip(wishes).zip(decoupled) {
        // A long search must not leave the others without time.
        let left = plan.time.map(|t| t.saturating_sub(started.elapsed()) / (wanted.len() - runs.len()) as u32);
        runs.push(match decoupled {
            Some(request) => run_decoupled(opened, plan, target, request, monitor, left),
            None => run_one(opened, plan, target, wish, monitor, left, (&checkpoints, scratch.as_ref())),
        });
    }
    let mut first = true;
    for run in &mut runs {
        warnings.extend(run.found.warnings.iter().map(|w| Problem::warning("search", w.clone())));
        run.trails = trails::write(opened, plan, run, first, &mut warnings);
        first &= run.found.findings.is_empty();
    }
    let with_finding = runs.iter().find_map(|run| run.found.findings.first().map(|f| (run, f)));
    let excerpt = with_finding.and_then(|(run, f)| walk_plainly(opened, run.path(f), Some(excerpt_of(f))).ok());
    let claim = runs[0].target.as_ref().filter(|t| t.kind == PropertyKind::Claim).and_then(|t| t.claim);
    let unvisited = Coverage::new(opened, &runs[0].found.reached).unvisited(claim);
    Ok(Checked { report: report(opened, plan, &runs, warnings), excerpt, unvisited })
}

/// How many steps of a trail are shown: of a run without end the whole cycle, unless it is very long.
fn excerpt_of(f: &starwheel_engine::Finding) -> usize {
    let cycle = f.cycle_start.map_or(0, |start| f.trail.len() - start);
    if cycle + BEFORE_CYCLE <= LONG_EXCERPT { EXCERPT.max(cycle + BEFORE_CYCLE) } else { EXCERPT }
}
