//! Checks a model: decides which searches there are, runs them, and writes their trails.

use crate::ask::automata;
use crate::ask::plan::{Pan, Plan, Por, Reading, Timers};
use crate::assemble;
use crate::crew;
use crate::decouple;
use crate::disk::archive::Archive;
use crate::disk::checkpoint::Checkpoints;
use crate::disk::scratch::ScratchFolder;
use crate::explain::{self, Asked};
use crate::memory::cpu::{Worked, worked_in_all};
use crate::open::Opened;
use crate::prefer;
use crate::problem::{Code, Failure, Problem};
use crate::property::target::{Target, targets};
use crate::property::time;
use crate::reduction::wish;
use crate::report::coverage::{Coverage, Unvisited};
use crate::report::summary::report;
use crate::report::{PropertyKind, Report, Verdict};
use crate::run::{Run, Search, run_decoupled, run_one};
use crate::shorter;
use crate::symmetry;
use crate::trail::shown::{self, Excerpt};
use crate::trail::trails;
use crate::turns::{self, Rules};
use crate::watch::{About, Quiet, Subject, Watch};
use starwheel_decouple::Request;
use starwheel_distrib::Crew;
use starwheel_engine::{Assembly, Axis, Monitor, Outcome, Silent, Stop};
use starwheel_reduce::{NoStepFails, Wish, no_step_fails};
use std::time::{Duration, Instant};

/// The answer to `check`.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The report.
    pub report: Report,
    /// The first trail, for the screen.
    pub excerpt: Option<Excerpt>,
    /// States that no process entered, as pan lists them.
    pub unvisited: Vec<Unvisited>,
}

/// Searches the states of a model, and then once more for each property that needs a search of its own.
pub fn check(opened: &Opened, plan: &Plan, watch: &dyn Watch) -> Result<Checked, Failure> {
    let started = opened.reading.until.started().unwrap_or_else(Instant::now);
    if let Some(problem) = assemble::refusal(plan, opened.reading.merge) {
        return Err(problem.into());
    }
    let mut warnings = opened.warnings.clone();
    let lean = symmetry::without_named_resets(opened, plan, &mut warnings);
    let opened = lean.as_ref().unwrap_or(opened);
    let targets = symmetry::enough(opened, plan, targets(opened, plan)?, &mut warnings);
    warnings.extend(time::abstraction(opened, plan)?);
    warnings.extend(time::remark(opened));
    let decoupling = decouple::decide(opened, plan, &mut warnings)?;
    let merged = automata::for_the_system(opened, plan);
    let system = merged.as_ref().unwrap_or(opened);
    let mut searches = Vec::new();
    let spared = if targets.is_empty() { None } else { spared(system, plan) };
    if targets.is_empty() || !(plan.pan.alone || spared.is_some()) {
        searches.push(search(system, plan, None, decoupling.as_ref(), &mut warnings)?);
    }
    for target in targets {
        let (name, kept) = (target.name.clone(), warnings.len());
        let asked = search(opened, plan, Some(target.clone()), decoupling.as_ref(), &mut warnings);
        let found = match asked {
            // Nobody asked for this one, and so it is no reason to refuse anything else.
            Err(_) if plan.reading.own => {
                warnings.truncate(kept);
                let soft = assemble::softened(plan);
                search(opened, &soft, Some(target), decoupling.as_ref(), &mut warnings)
            }
            asked => asked,
        };
        match found {
            Ok(found) => searches.push(found),
            Err(failure) if plan.reading.own => {
                warnings.truncate(kept);
                let why = failure.problems.first().map_or("", |p| &p.message);
                let problem = Problem::warning(Code::NotChecked, format!("`{name}` is not checked: {why}"));
                warnings.push(problem.advise("`--no-ltl` leaves the model's formulas and claims out"));
            }
            Err(failure) => return Err(failure),
        }
    }
    if plan.reading.own && searches.iter().all(|s| s.target.is_none()) {
        // What is said about runs without end has nothing to act on after all.
        let alone = Plan { reading: Reading { own: false, ..plan.reading.clone() }, ..plan.clone() };
        if let Some(problem) = assemble::refusal(&alone, opened.reading.merge) {
            return Err(problem.into());
        }
    }
    if let Some(why) = opened.reading.until.why() {
        return Err(Failure::stopped(why));
    }
    let scratch = plan.spill.as_deref().map(ScratchFolder::new).transpose()?;
    let alone = !plan.is_shared();
    let checkpoints = if alone { Checkpoints::new(opened, plan)? } else { Checkpoints::default() };
    let archive = if alone { None } else { Archive::open(opened, plan)? };
    let rules = Rules {
        first: plan.first,
        // Who asks for nothing that only a search of the system can tell wants to know about the formulas.
        system_last: plan.no_assert && plan.no_deadlock && searches.len() > 1 && searches[0].target.is_none(),
        memory: plan.memory_limit(),
        until: plan.time.map(|time| (started + time, time)),
    };
    let mut runs = match crew::join(opened, plan)? {
        Some(mut crew) => one_by_one(opened, &searches, rules, watch, (&checkpoints, archive.as_ref()), &mut crew)?,
        None => {
            let mut runs = together((system, opened), &searches, rules, watch, (&checkpoints, scratch.as_ref()))?;
            explain((system, opened), &searches, &mut runs, (rules.until, watch, &checkpoints), &mut warnings);
            runs
        }
    };
    let stopped = runs.iter().any(|run| run.target.is_none() && run.found.stop.is_some());
    let advice = archive.as_ref().filter(|_| stopped).and_then(Archive::advice);
    warnings.extend(advice.map(|advice| Problem::warning(Code::Search, advice)));
    let whole = runs.iter().find(|run| run.target.is_none() && run.found.complete.is_some());
    warnings.extend(whole.and_then(|run| time::advice(opened, &run.found.stats)));
    let mut first = true;
    for run in &mut runs {
        if run.target.is_none() && run.told.is_none() {
            run.told = merged.as_ref().and_then(|merged| merged.again(&merged.reading));
        }
        // What was SDL has transitions, and no atomic sequences.
        let said = |w: &String| match opened.translated && w == starwheel_engine::ENDLESS_ATOMIC {
            true => "a transition can go on for ever, if its choices are always made so".to_string(),
            false => w.clone(),
        };
        warnings.extend(run.found.warnings.iter().map(|w| Problem::warning(Code::Search, said(w))));
        run.trails = trails::write(opened, plan, run, first, &mut warnings);
        first &= run.found.findings.is_empty();
    }
    let with_finding = runs.iter().find_map(|run| run.found.findings.first().map(|f| (run, f)));
    let excerpt = with_finding.filter(|_| !plan.json && !plan.pan.spin_trails).and_then(|(run, f)| {
        let hide = run.target.as_ref().is_some_and(|t| t.kind.watches_unseen()) && !plan.claim_steps;
        shown::excerpt(run.told_in(opened), run.path(f), hide).ok()
    });
    let claim = runs[0].target.as_ref().filter(|t| t.kind == PropertyKind::Claim).and_then(|t| t.claim);
    let searched = if runs[0].target.is_none() { system } else { opened };
    let unvisited = Coverage::new(searched, &runs[0].found.reached).unvisited(claim);
    let mut report = report((searched, opened), plan, &runs, spared, warnings);
    let limited = |stop: &Stop| matches!(stop, Stop::Time(_) | Stop::Memory(_) | Stop::StoreFull | Stop::Interrupted);
    if report.head.outcome == Verdict::Stopped && runs.iter().filter_map(|r| r.found.stop.as_ref()).any(limited) {
        let (growth, states) = explain::growth(opened);
        (report.growth, report.growth_states) = (growth, Some(states));
    }
    Ok(Checked { report, excerpt, unvisited })
}

/// Evidence that there is nothing to be found by a search of the system itself: whoever asks for formulas alone wants to know nothing else but
/// whether steps go wrong. Who wants all states to be visited has them visited.
fn spared(system: &Opened, plan: &Plan) -> Option<NoStepFails> {
    let alone = plan.no_assert && plan.no_deadlock && !plan.reading.own && plan.por != Por::Off;
    let kept = plan.save.is_some() || plan.resume.is_some() || plan.is_shared();
    (alone && !kept).then(|| no_step_fails(&system.model)).flatten()
}

/// Works out what people would ask next, as far as it is cheap: a shorter run, who was forgotten in a cycle, whether fairness would help,
/// whether abstract timers gave a false alarm, and whether a formula holds for no good reason.
fn explain(
    (system, whole): (&Opened, &Opened),
    searches: &[Search],
    runs: &mut [Run],
    (until, watch, checkpoints): (Option<(Instant, Duration)>, &dyn Watch, &Checkpoints),
    warnings: &mut Vec<Problem>,
) {
    for (search, run) in searches.iter().zip(runs) {
        let plan = &search.plan;
        let opened = if search.target.is_none() { system } else { whole };
        if plan.pan != Pan::default() || plan.save.is_some() || plan.resume.is_some() {
            continue;
        }
        let property = search.target.as_ref().map(|t| &*t.name);
        // What is found here is no news.
        let monitor =
            About { watch: &Quiet(watch), subject: Subject { property, searches: searches.len() }, gate: &Silent };
        let left = until.map_or(Duration::MAX, |(end, _)| end.saturating_duration_since(Instant::now()));
        let own = Duration::try_from_secs_f64(run.found.stats.seconds).unwrap_or_default();
        // One purse for all further questions. While it waits for a busy machine, a search costs nothing.
        let cost = own.min(worked_in_all().unwrap_or(own));
        let purse = Worked::new(&monitor, cost.max(explain::LEAST).min(left));
        let chosen = plan.few_switches && prefer::choose(opened, search, run, &monitor, left);
        if !chosen {
            shorter::shorten(opened, search, run, &monitor, ((cost / 2).max(explain::SHORTER).min(left), left));
        }
        if plan.few_switches && !chosen && shorter::of_a_state(search, run) {
            prefer::count(run);
        }
        let asked = Asked { opened, plan, monitor: &monitor, checkpoints };
        shorter::close_sooner(&asked, search, run, purse.unspent());
        if opened.reading.timers == Timers::Abstract && !run.found.findings.is_empty() {
            warnings
                .push(asked.with_exact_timers(search.target.as_ref(), purse.unspent().max(explain::ALARM).min(left)));
        }
        let Some(target) = &search.target else { continue };
        match run.found.findings.first() {
            Some(f) if plan.fair.is_none() => {
                run.forgotten = explain::forgotten(opened, run.path(f));
                if !run.forgotten.is_empty() {
                    run.with_fairness = asked.with_fairness(target, purse.unspent());
                }
            }
            None if target.kind == PropertyKind::Formula && matches!(run.found.outcome, Outcome::Holds(_)) => {
                for never in asked.vacuous(target, purse.unspent()) {
                    let message = format!("`{}` holds, but `{never}` is never true: it says nothing", target.name);
                    let problem = Problem::warning(Code::Vacuous, message);
                    warnings.push(
                        problem.advise(format!("--ltl '<> ({never})' shows a run in which it does not come true")),
                    );
                }
            }
            _ => {}
        }
    }
}

/// Carries out all searches one after the other, in the order in which all processes of a crew do.
fn one_by_one(
    opened: &Opened,
    searches: &[Search],
    rules: Rules,
    watch: &dyn Watch,
    (checkpoints, archive): (&Checkpoints, Option<&Archive>),
    crew: &mut Crew,
) -> Result<Vec<Run>, Failure> {
    let mut runs = Vec::new();
    for search in searches {
        let property = search.target.as_ref().map(|t| &*t.name);
        let about = About { watch, subject: Subject { property, searches: searches.len() }, gate: &Silent };
        let left = rules.left(searches.len() - runs.len());
        runs.push(run_one(opened, search, &about, left, (checkpoints, None, Some((&mut *crew, archive))))?);
    }
    Ok(runs)
}

/// Carries out all searches in turns: that of the system itself in one model, the others in another.
fn together(
    (system, whole): (&Opened, &Opened),
    searches: &[Search],
    rules: Rules,
    watch: &dyn Watch,
    disk: (&Checkpoints, Option<&ScratchFolder>),
) -> Result<Vec<Run>, Failure> {
    let one = |search: &Search, gate: &dyn Monitor, time: Option<Duration>| {
        let opened = if search.target.is_none() { system } else { whole };
        let property = search.target.as_ref().map(|t| &*t.name);
        let about = About { watch, subject: Subject { property, searches: searches.len() }, gate };
        match search.decoupled {
            Some(request) => run_decoupled(opened, search, request, &about, time),
            None => run_one(opened, search, &about, time, (disk.0, disk.1, None)),
        }
    };
    let each: Vec<_> = searches
        .iter()
        .map(|search| {
            let one = &one;
            move |gate: &dyn Monitor, time: Option<Duration>| one(search, gate, time)
        })
        .collect();
    let each: Vec<_> = each.iter().map(|e| e as &turns::Search<'_, Result<Run, Failure>>).collect();
    let ended = turns::take(&each, rules);
    let run = |(run, had): (Result<Run, Failure>, Duration)| {
        let mut run = run?;
        // The time in which others had their turns is not its own.
        run.found.stats.seconds = run.found.stats.seconds.min(had.as_secs_f64());
        Ok(run)
    };
    ended.into_iter().map(run).collect()
}

/// How the search for a target is done, or that of the system alone.
pub(crate) fn search(
    opened: &Opened,
    plan: &Plan,
    target: Option<Target>,
    decoupling: Option<&Request>,
    warnings: &mut Vec<Problem>,
) -> Result<Search, Failure> {
    if let Some(target) = &target {
        time::may_jump(opened, target)?;
        time::may_abstract(opened, plan, target)?;
    }
    let decoupled = match (decoupling, &target) {
        (None, _) => None,
        (Some(request), None) => Some(*request),
        (Some(request), Some(target)) => decouple::decide_property(opened, plan, target, warnings)?.then_some(*request),
    };
    let symmetry = match plan.symmetry {
        Some(strategy) => symmetry::find(opened, plan, target.as_ref(), strategy, warnings)?,
        None => None,
    };
    let mut symmetry = symmetry;
    let kept = warnings.len();
    let mut found = assembled(opened, plan, target.as_ref(), (decoupled.is_some(), symmetry.is_some()), warnings);
    if found.is_err() && symmetry.is_some() && !plan.symmetry_typed {
        warnings.truncate(kept);
        symmetry = None;
        found = assembled(opened, plan, target.as_ref(), (decoupled.is_some(), false), warnings);
    }
    let (assembly, reduction) = found?;
    Ok(Search { plan: plan.clone(), target, assembly, reduction, symmetry, decoupled })
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
        warnings.push(Problem::warning(Code::Decouple, message));
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
