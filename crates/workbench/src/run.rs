//! Carries out one search: puts system, reduction, store and limits together for the engine that is right for it.

use crate::ask::plan::{Engine, Plan};
use crate::assemble::{Stack, stacked};
use crate::disk::archive::Archive;
use crate::disk::checkpoint::Checkpoints;
use crate::disk::scratch::ScratchFolder;
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::prefer::Switches;
use crate::problem::{Code, Failure, Problem};
use crate::property::target::Target;
use crate::reduction::Applied;
use crate::report::Verdict;
use crate::report::performed::Way;
use crate::shorter::Shortened;
use crate::symmetry::{Found, Interchange};
use crate::trail::different::{TRIES, different};
use crate::trail::record::Path;
use starwheel_base::cancel::Cancelled;
use starwheel_decouple::Request;
use starwheel_distrib::Crew;
use starwheel_engine::{Assembly, Checks, Job, Limits, Monitor, Outcome, ScratchDisk, Stop, run};
use starwheel_reduce::{Audit, Wish};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// One search and what came of it.
pub struct Run {
    /// What was looked for; `None` for the search of the system alone.
    pub target: Option<Target>,
    /// What was found.
    pub found: starwheel_engine::Report,
    /// By finding: where its trail is.
    pub trails: Vec<Option<PathBuf>>,
    /// What was left out.
    pub reduction: Option<Applied>,
    /// Which processes were interchangeable.
    pub symmetry: Option<Interchange>,
    /// How it was done.
    pub way: Way,
    /// The model in which its trails are told, if it is not the one that was searched.
    pub told: Option<Opened>,
    /// What became of its trail afterwards.
    pub shortened: Option<Shortened>,
    /// Its context switches, if somebody asked for few.
    pub switches: Option<Switches>,
    /// Processes that are forgotten in the cycle that was found.
    pub forgotten: Vec<String>,
    /// What is known if only weakly fair runs count.
    pub with_fairness: Option<Verdict>,
}

impl Run {
    /// A search that has ended, and nothing else to say about it.
    fn new(target: Option<Target>, found: starwheel_engine::Report, way: Way) -> Run {
        Run {
            target,
            found,
            trails: Vec::new(),
            reduction: None,
            symmetry: None,
            way,
            told: None,
            shortened: None,
            switches: None,
            forgotten: Vec::new(),
            with_fairness: None,
        }
    }

    /// The model in which its trails are told, given the one that was searched.
    pub fn told_in<'a>(&'a self, opened: &'a Opened) -> &'a Opened {
        self.told.as_ref().unwrap_or(opened)
    }

    /// The trail of a finding, ready to be followed.
    pub fn path<'a>(&self, f: &'a starwheel_engine::Finding) -> Path<'a> {
        Path { steps: &f.trail, claim: self.target.as_ref().and_then(|t| t.claim), cycle_start: f.cycle_start }
    }
}

/// One search that is to be done.
pub struct Search {
    /// What was asked for, as far as this search can obey.
    pub plan: Plan,
    /// What is looked for; `None` for the search of the system alone.
    pub target: Option<Target>,
    /// How it is searched.
    pub assembly: Assembly,
    /// What is left out.
    pub reduction: Option<Wish>,
    /// Which processes are interchangeable.
    pub symmetry: Option<Found>,
    /// If states are decoupled: how.
    pub decoupled: Option<Request>,
}

/// States that a search goes deep first, step by step: few enough not to matter for a long search.
const DIVE: u64 = 1 << 14;

/// True if nothing was said that a short depth-first search of its own would not obey, and the first error is what counts.
fn dives(plan: &Plan) -> bool {
    let said = plan.search_typed || plan.workers.is_some() || plan.store.is_some() || plan.engine != Engine::Automatic;
    !(said || plan.all_errors || plan.explain || plan.audit)
}

/// Those who share a search, and where they save it.
pub type Shared<'a> = (&'a mut Crew, Option<&'a Archive>);

/// Carries out a search, reduced if that is wished for.
pub fn run_one(
    opened: &Opened,
    search: &Search,
    monitor: &dyn Monitor,
    time: Option<Duration>,
    (checkpoints, scratch, crew): (&Checkpoints, Option<&ScratchFolder>, Option<Shared<'_>>),
) -> Result<Run, Failure> {
    let Search { plan, target, assembly, reduction: wish, symmetry, .. } = search;
    let target = target.clone();
    let memory = plan.memory_limit();
    let real = opened;
    let opened = symmetry.as_ref().and_then(Found::instead).unwrap_or(opened);
    let notes = plan.explain.then(Mutex::default);
    let reduction = wish.clone().map(|wish| starwheel_reduce::Plan { model: &opened.model, wish, notes });
    let audit = reduction.as_ref().filter(|_| plan.audit).map(|r| Audit::new(r, &opened.model));
    // What goes wrong in the system itself was looked for already, if there is a search for that.
    let system = target.is_none() || plan.pan.alone;
    let several = plan.different.filter(|_| target.is_none()).map(|most| most.saturating_mul(TRIES));
    let claimed = target.as_ref().is_some_and(|t| t.claim.is_some());
    // Who wants to know what was chosen in each state wants no state to be visited twice.
    let counted = reduction.is_some() && (plan.explain || plan.audit);
    let renaming = symmetry.as_ref().map(Found::renaming).transpose()?;
    let shared = crew.is_some();
    let order = assembly.order().ok_or_else(|| misfit(format!("{} takes no jobs", assembly.method().title)))?;
    let (found, compiled, renamings) = stacked(
        opened,
        plan,
        target.as_ref(),
        reduction.as_ref(),
        audit.as_ref(),
        renaming.as_ref(),
        |stack: Stack<'_>| {
            let usual = Job::new(stack.system);
            let job = Job {
                patience: if counted { 0 } else { usual.patience },
                reducer: stack.reducer,
                search: order,
                store: assembly.store(),
                dive: if dives(plan) { DIVE } else { 0 },
                workers: assembly.workers(),
                checks: Checks {
                    assertions: !plan.no_assert && (system || claimed),
                    end_states: !plan.no_deadlock && system,
                    run_time: system || claimed,
                },
                all_errors: plan.all_errors || several.is_some(),
                shortens: !plan.verdict_only,
                every_error: plan.pan.every_error || several.is_some(),
                limits: Limits { depth: plan.depth, time, memory, errors: plan.pan.errors.or(several) },
                goal: target.as_ref().map(|t| t.goal(opened, plan.fair)).unwrap_or_default(),
                fairness: assembly.fairness(),
                resident: Some(rss::current_rss),
                scratch: scratch.map(|scratch| scratch as &dyn ScratchDisk),
                save: checkpoints.sink(),
                resume: checkpoints.source(),
                ..usual
            };
            let guard = MemoryGuard::new(monitor, memory);
            let found = match crew {
                Some((crew, archive)) => {
                    let archive = archive.filter(|_| system).map(|archive| archive as &dyn starwheel_distrib::Archive);
                    starwheel_distrib::run(&job, crew, plan.wire, archive, &guard)
                }
                None => run(&job, &guard),
            };
            (found, (stack.compiled)(), (stack.renamings)())
        },
    );
    let mut found = found.map_err(misfit)?;
    keep_to_limits(&mut found, opened, plan);
    if let (Some(most), Some(_)) = (plan.different, several) {
        different(&mut found.findings, most);
    }
    if let Some(symmetry) = symmetry {
        symmetry.spread(&mut found.reached);
        if let Err(why) = symmetry.in_reality(real, &mut found) {
            (found.outcome, found.complete) = (Outcome::Stopped(Stop::Internal(why.clone())), None);
            (found.stop, found.findings) = (Some(Stop::Internal(why)), Vec::new());
        }
    }
    let record = audit.as_ref().map(Audit::record);
    if let Some(fault) = record.as_ref().and_then(|r| r.fault.clone()) {
        // A reduction that breaks its promise proves nothing.
        let stop = Stop::Internal(format!("the audit of the reduction failed: {fault}"));
        (found.outcome, found.complete) = (Outcome::Stopped(stop.clone()), None);
        found.stop = Some(stop);
    }
    if let Some(fault) = renamings.as_ref().and_then(|r| r.fault.clone()) {
        let stop = Stop::Internal(format!("the audit of the symmetry failed: {fault}"));
        (found.outcome, found.complete) = (Outcome::Stopped(stop.clone()), None);
        found.stop = Some(stop);
    }
    let machine = compiled && !assembly.interprets();
    let way = match shared {
        true => Way::Shared { store: assembly.store(), machine },
        false => Way::Plain { order: found.search, store: assembly.store(), machine },
    };
    let choices = record.filter(|r| r.fault.is_none()).map(|r| r.choices);
    let reduction = reduction.as_ref().map(|r| Applied::new(opened, target.as_ref(), r, choices));
    let symmetry = symmetry
        .as_ref()
        .zip(renaming.as_ref())
        .map(|(s, r)| s.told(opened, target.as_ref(), r, renamings.map(|r| r.compared)));
    Ok(Run { reduction, symmetry, ..Run::new(target, found, way) })
}

/// It fits, or it would not have come here; whoever is wrong about that must not hide it.
fn misfit(why: impl std::fmt::Display) -> Problem {
    Problem::error(Code::Misfit, why.to_string())
}

/// Carries out a decoupled search.
pub fn run_decoupled(
    opened: &Opened,
    search: &Search,
    request: Request,
    monitor: &dyn Monitor,
    time: Option<Duration>,
) -> Result<Run, Failure> {
    let Search { plan, target, assembly, symmetry, .. } = search;
    let target = target.clone();
    let memory = plan.memory_limit();
    let limits = Limits { depth: plan.depth, time, memory, errors: None };
    // What was said about the order of states is about those of the system.
    let breadth_first = request.breadth_first && target.is_none();
    let request = Request { limits, workers: assembly.workers(), breadth_first, ..request };
    let (model, guard) = (&opened.model, MemoryGuard::new(monitor, memory).of_growing_tables());
    let renaming = symmetry.as_ref().map(Found::renaming).transpose()?;
    let goal = target.as_ref().and_then(|t| Some((t.goal(opened, None), t.claim?)));
    let mut found = match (goal, &renaming) {
        (Some((goal, claim)), _) => starwheel_decouple::find_run(model, claim, goal, &request, &guard),
        (None, Some(renaming)) => starwheel_decouple::run_renamed(model, &request, renaming, &guard),
        (None, None) => starwheel_decouple::run(model, &request, &guard),
    }
    .map_err(misfit)?;
    keep_to_limits(&mut found, opened, plan);
    let workers = if target.is_some() { found.workers } else { request.workers };
    let way = Way::Decoupled { breadth_first: request.breadth_first, workers };
    if let Some(symmetry) = symmetry {
        symmetry.spread(&mut found.reached);
    }
    let symmetry = symmetry.as_ref().zip(renaming.as_ref()).map(|(s, r)| s.told(opened, target.as_ref(), r, None));
    Ok(Run { symmetry, ..Run::new(target, found, way) })
}

/// A search in which something was given up because the token said stop proves nothing; and a limit that was reached is named as
/// it was typed, although this search may have had a part of the time only.
fn keep_to_limits(found: &mut starwheel_engine::Report, opened: &Opened, plan: &Plan) {
    if let (Some(why), Outcome::Holds(_) | Outcome::Unrefuted(_)) = (opened.reading.until.said(), &found.outcome) {
        let stop = stop(why);
        (found.outcome, found.complete) = (Outcome::Stopped(stop.clone()), None);
        found.stop = Some(stop);
    }
    let typed = |stop: &mut Stop| {
        if let (Stop::Time(time), Some(asked)) = (stop, plan.time) {
            *time = asked;
        }
    };
    found.stop.iter_mut().for_each(typed);
    if let Outcome::Stopped(stop) = &mut found.outcome {
        typed(stop);
    }
}

/// In the words of a search.
pub fn stop(why: Cancelled) -> Stop {
    match why {
        Cancelled::Time(time) => Stop::Time(time),
        Cancelled::Memory(bytes) => Stop::Memory(bytes),
        Cancelled::Interrupted => Stop::Interrupted,
    }
}
