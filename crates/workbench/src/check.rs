//! Checks a model: decides which searches there are, runs them, and writes their trails.

use crate::ask::plan::Plan;
use crate::assemble;
use crate::decouple;
use crate::disk::checkpoint::Checkpoints;
use crate::disk::scratch::ScratchFolder;
use crate::open::Opened;
use crate::problem::{Failure, Problem};
use crate::property::target::{Target, targets};
use crate::property::time;
use crate::reduction::wish;
use crate::report::coverage::{Coverage, Unvisited};
use crate::report::summary::report;
use crate::report::{PropertyKind, Report};
use crate::run::{run_decoupled, run_one};
use crate::symmetry;
use crate::trail::record::walk_plainly;
use crate::trail::trails;
use crate::trail::walk::Walk;
use starwheel_engine::{Assembly, Axis, Monitor};
use starwheel_reduce::Wish;
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
    let started = opened.reading.until.started().unwrap_or_else(Instant::now);
    if let Some(problem) = assemble::refusal(plan, opened.reading.merge) {
        return Err(problem.into());
    }
    let mut warnings = opened.warnings.clone();
    let lean = symmetry::without_named_resets(opened, plan, &mut warnings);
    let opened = lean.as_ref().unwrap_or(opened);
    let targets = targets(opened, plan)?;
    targets.iter().try_for_each(|target| time::may_jump(opened, target))?;
    warnings.extend(time::abstraction(opened, plan)?);
    warnings.extend(time::remark(opened));
    let decoupling = decouple::decide(opened, plan, &mut warnings)?;
    let system = (!plan.pan.alone || targets.is_empty()).then_some(None);
    let wanted: Vec<_> = system.into_iter().chain(targets.into_iter().map(Some)).collect();
    let mut searches = Vec::new();
    for target in wanted {
        let decoupled = match (&decoupling, &target) {
            (None, _) => None,
            (Some(request), None) => Some(request),
            (Some(request), Some(target)) => {
                decouple::decide_property(opened, plan, target, &mut warnings)?.then_some(request)
            }
        };
        let symmetry = match plan.symmetry.filter(|_| decoupled.is_none()) {
            Some(strategy) => symmetry::find(opened, target.as_ref(), strategy, &mut warnings)?,
            None => None,
        };
        let form = (decoupled.is_some(), symmetry.is_some());
        let (assembly, reduction) = assembled(opened, plan, target.as_ref(), form, &mut warnings)?;
        searches.push((target, (assembly, reduction, symmetry), decoupled));
    }
    if let Some(why) = opened.reading.until.why() {
        return Err(Failure::stopped(why));
    }
    let scratch = plan.spill.as_deref().map(ScratchFolder::new).transpose()?;
    let checkpoints = Checkpoints::new(opened, plan)?;
    let (mut runs, count) = (Vec::new(), searches.len());
    for (target, search, decoupled) in searches {
        // A long search must not leave the others without time.
        let left = plan.time.map(|t| t.saturating_sub(started.elapsed()) / (count - runs.len()) as u32);
        runs.push(match decoupled {
            Some(request) => run_decoupled(opened, plan, target, (request, &search.0), monitor, left),
            None => run_one(opened, plan, target, search, monitor, left, (&checkpoints, scratch.as_ref()))?,
        });
    }
    let whole = runs.iter().find(|run| run.target.is_none() && run.found.complete);
    warnings.extend(whole.and_then(|run| time::advice(opened, &run.found.stats)));
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

/// The search for a target and its reduction; what was typed and cannot be done is an error, what is only a default is left
/// out and told among the warnings.
fn assembled(
    opened: &Opened,
    plan: &Plan,
    target: Option<&Target>,
    (decoupled, renamed): (bool, bool),
    warnings: &mut Vec<Problem>,
) -> Result<(Assembly, Option<Wish>), Failure> {
    let assembly = assemble::assembly(opened, plan, target, decoupled, (true, renamed))?;
    if let (Some(target), Some(_), Some(2..)) = (target, assembly.missing(Axis::Workers), plan.workers) {
        let message = format!("the decoupled search for `{}` has one worker", target.name);
        warnings.push(Problem::warning("decouple", message));
    }
    let Some(proviso) = assembly.proviso() else { return Ok((assembly, None)) };
    match wish(opened, plan, target, proviso)? {
        Ok(reduction) => Ok((assembly, Some(reduction))),
        Err(warning) => {
            warnings.push(warning);
            Ok((assemble::assembly(opened, plan, target, decoupled, (false, renamed))?, None))
        }
    }
}

/// How many steps of a trail are shown: of a run without end the whole cycle, unless it is very long.
fn excerpt_of(f: &starwheel_engine::Finding) -> usize {
    let cycle = f.cycle_start.map_or(0, |start| f.trail.len() - start);
    if cycle + BEFORE_CYCLE <= LONG_EXCERPT { EXCERPT.max(cycle + BEFORE_CYCLE) } else { EXCERPT }
}
