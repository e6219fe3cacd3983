//! Checks a model: runs the search, writes the trail and puts the report together.

use crate::attic::Loft;
use crate::checkpoint::Bookmark;
use crate::coverage::{Coverage, Unvisited};
use crate::decouple;
use crate::guard::MemoryGuard;
use crate::open::Opened;
use crate::performed::{self, Performed, Way};
use crate::plan::{Engine, Plan, Search};
use crate::problem::{Failure, Problem};
use crate::record::{Path, halves, walk_plainly};
use crate::reduction::{Applied, wish};
use crate::report::{FORMAT, Finding, Property, PropertyKind, Report, Stats, TOOL, Unreached, Verdict, Visited};
use crate::target::{Target, targets};
use crate::walk::Walk;
use crate::watched::Watched;
use crate::{quantity, rss, trails};
use starwheel_base::Span;
use starwheel_engine::{Attic, Checks, Fairness, Job, Limits, Monitor, Order, Outcome, Stop, Store, run};
use starwheel_jit::{JitClaimSystem, JitSystem, LazySystem};
use starwheel_model::{ClaimSystem, ModelSystem, System, ViolationKind};
use starwheel_reduce::{Audit, Reduced, Reducer, Wish};
use starwheel_star::Request;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

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
    let loft = plan.spill.as_deref().map(Loft::new).transpose()?;
    let book =
        Bookmark::new(opened, plan, wanted == [None] && wishes.iter().all(Option::is_none) && by_groups(plan, true))?;
    let mut runs = Vec::new();
    for ((target, wish), decoupled) in wanted.iter().cloned().zip(wishes).zip(decoupled) {
        // A long search must not leave the others without time.
        let left = plan.time.map(|t| t.saturating_sub(started.elapsed()) / (wanted.len() - runs.len()) as u32);
        runs.push(match decoupled {
            Some(request) => run_decoupled(opened, plan, target, request, monitor, left),
            None => run_one(opened, plan, target, wish, monitor, left, (&book, loft.as_ref())),
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

/// One search and what came of it.
pub(crate) struct Run {
    /// What was looked for; `None` for the search of the system alone.
    pub target: Option<Target>,
    /// What was found.
    pub found: starwheel_engine::Report,
    /// By finding: where its trail is.
    pub trails: Vec<Option<PathBuf>>,
    /// What was left out.
    pub reduction: Option<Applied>,
    /// How it was done.
    pub way: Way,
}

impl Run {
    /// The trail of a finding, ready to be followed.
    pub fn path<'a>(&self, f: &'a starwheel_engine::Finding) -> Path<'a> {
        Path { steps: &f.trail, claim: self.target.as_ref().and_then(|t| t.claim), cycle_start: f.cycle_start }
    }
}

fn run_one(
    opened: &Opened,
    plan: &Plan,
    target: Option<Target>,
    wish: Option<Wish>,
    monitor: &dyn Monitor,
    time: Option<Duration>,
    (book, loft): (&Bookmark, Option<&Loft>),
) -> Run {
    let alone = ModelSystem(&opened.model);
    let product = target.as_ref().and_then(|t| {
        let system = ClaimSystem::new(&opened.model, t.claim?);
        // Accept labels of processes have nothing to say about a formula or about progress.
        let own = matches!(t.kind, PropertyKind::Progress | PropertyKind::Formula | PropertyKind::Automaton);
        Some(if own { system.own_labels() } else { system })
    });
    let memory = plan.memory.or_else(rss::default_limit);
    let cycles = target.is_some() && !plan.pan.no_cycles;
    let search = match (cycles, plan.search) {
        (true, _) if plan.scc || plan.fair == Some(Fairness::Strong) => Order::Scc,
        (true, _) if all_at_once(plan) => Order::Cndfs,
        (true, _) => Order::Ndfs,
        (false, Search::Bfs) => Order::Bfs,
        (false, Search::Dfs) if by_groups(plan, target.is_none()) => Order::Groups,
        (false, Search::Dfs) if plan.within() && wish.is_none() => Order::Within,
        (false, Search::Dfs) => Order::Dfs,
    };
    let lazy = product.map_or_else(|| LazySystem::new(&opened.model), LazySystem::with_claim);
    let machine = (plan.engine == Engine::MachineCode).then(|| compile(opened, product)).flatten();
    let whole = match (&product, &machine, plan.engine) {
        (_, Some(machine), _) => &**machine,
        (_, None, Engine::Automatic) => &lazy as &dyn System,
        (Some(product), None, _) => product,
        (None, None, _) => &alone,
    };
    let notes = plan.explain.then(Mutex::default);
    let reduction = wish.map(|wish| starwheel_reduce::Plan { model: &opened.model, wish, notes });
    let audit = reduction.as_ref().filter(|_| plan.audit).map(|r| Audit::new(r, &opened.model));
    let reducer = match &audit {
        Some(audit) => Some(audit as &dyn Reducer),
        None => reduction.as_ref().map(|r| r as &dyn Reducer),
    };
    // Searches for cycles see one fixed reduced system; the others help to choose its steps.
    let watches = reduction.as_ref().is_some_and(|r| r.wish.search_watches);
    let fixed = reducer.filter(|_| !watches).map(|r| Reduced::new(whole, r));
    // What goes wrong in the system itself was looked for already, if there is a search for that.
    let system = target.is_none() || plan.pan.alone;
    // Who wants to know what was chosen in each state wants no state to be visited twice.
    let counted = reduction.is_some() && (plan.explain || plan.audit);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let usual = Job::new(whole);
    let patience = if counted { 0 } else { usual.patience };
    let job = Job {
        patience,
        plain: usual.plain,
        started: None,
        system: fixed.as_ref().map_or(whole, |r| r),
        reducer: reducer.filter(|_| watches),
        search,
        store: plan.store.unwrap_or_default(),
        workers: plan.workers.unwrap_or_else(|| if counted { 1 } else { cores() }),
        checks: Checks {
            assertions: !plan.no_assert && (system || product.is_some()),
            end_states: !plan.no_deadlock && system,
            run_time: system || product.is_some(),
        },
        all_errors: plan.all_errors,
        every_error: plan.pan.every_error,
        limits: Limits { depth: plan.depth, time, memory, errors: plan.pan.errors },
        goal: target.as_ref().map(|t| t.goal(opened, plan.fair)).unwrap_or_default(),
        fairness: plan.fair,
        resident: Some(rss::current_rss),
        attic: loft.map(|loft| loft as &dyn Attic),
        save: book.vault(),
        resume: book.saved(),
    };
    let store = job.store;
    let mut found = run(&job, &MemoryGuard::new(monitor, memory));
    let record = audit.as_ref().map(Audit::record);
    if let Some(fault) = record.as_ref().and_then(|r| r.fault.clone()) {
        // A reduction that breaks its promise proves nothing.
        let stop = Stop::Internal(format!("the audit of the reduction failed: {fault}"));
        (found.outcome, found.complete) = (Outcome::Stopped(stop.clone()), false);
        found.stop = Some(stop);
    }
    // A reduction that chooses step by step asks the interpreter.
    let stepwise = reducer.is_some() && matches!(search, Order::Dfs | Order::Bfs);
    let way = Way::Plain { order: found.search, store, machine: (machine.is_some() || lazy.compiled()) && !stepwise };
    let choices = record.filter(|r| r.fault.is_none()).map(|r| r.choices);
    let reduction = reduction.as_ref().map(|r| Applied::new(opened, target.as_ref(), r, choices));
    Run { target, found, trails: Vec::new(), reduction, way }
}

/// True if it matters which error is the n-th one.
fn counts_errors(plan: &Plan) -> bool {
    plan.pan.every_error || plan.pan.errors.is_some()
}

/// True if states may be visited by groups. Only an order that is truly depth first knows what depth is, which error is the
/// n-th one, and what pan finds first.
fn by_groups(plan: &Plan, system: bool) -> bool {
    system && !counts_errors(plan) && !like_pan(plan) && plan.depth.is_none()
}

/// True if the search for cycles may take all steps of a state at once, for the same reasons.
fn all_at_once(plan: &Plan) -> bool {
    let tree = plan.store.is_none_or(|store| store == Store::Tree);
    tree && plan.fair.is_none() && !counts_errors(plan) && !like_pan(plan) && plan.depth.is_none()
}

/// True if nothing was asked for that pan would not do in its own order.
fn like_pan(plan: &Plan) -> bool {
    plan.pan.spin_trails && plan.store.is_none() && plan.workers.is_none()
}

/// The model, or the product with a claim, as machine code; none if this machine cannot have it.
fn compile<'m>(opened: &'m Opened, product: Option<ClaimSystem<'m>>) -> Option<Box<dyn System + 'm>> {
    match product {
        None => JitSystem::compile(&opened.model).ok().map(|system| Box::new(system) as Box<dyn System>),
        Some(product) => JitClaimSystem::compile(product).ok().map(|system| Box::new(system) as Box<dyn System>),
    }
}

fn run_decoupled(
    opened: &Opened,
    plan: &Plan,
    target: Option<Target>,
    request: &Request,
    monitor: &dyn Monitor,
    time: Option<Duration>,
) -> Run {
    let memory = plan.memory.or_else(rss::default_limit);
    let request = Request { limits: Limits { depth: plan.depth, time, memory, errors: None }, ..*request };
    let (model, guard) = (&opened.model, MemoryGuard::new(monitor, memory));
    let found = match target.as_ref().and_then(|t| Some((t.goal(opened, None), t.claim?))) {
        Some((goal, claim)) => starwheel_star::find_run(model, claim, goal, &request, &guard),
        None => starwheel_star::run(model, &request, &guard),
    };
    let workers = if target.is_some() { found.workers } else { request.workers };
    let way = Way::Decoupled { breadth_first: request.breadth_first, workers };
    Run { target, found, trails: Vec::new(), reduction: None, way }
}

fn report(opened: &Opened, plan: &Plan, runs: &[Run], warnings: Vec<Problem>) -> Report {
    let plain = &runs[0];
    let system = plain.target.is_none().then(|| properties(opened, plan, &plain.found, &findings(opened, plain)));
    let mut properties = system.unwrap_or_default();
    properties.extend(runs.iter().filter_map(|run| own_property(opened, plan, run)));
    let worst = properties.iter().map(|p| p.outcome).max().unwrap_or(Verdict::Stopped);
    let checked = |name: &str| runs.iter().flat_map(|r| &r.target).any(|t| t.name == name);
    let unchecked = opened.model.properties.iter().map(|p| p.name.to_string()).filter(|name| !checked(name));
    Report {
        version: FORMAT,
        tool: TOOL,
        model: opened.path.display().to_string(),
        outcome: worst,
        errors: runs.iter().map(|r| r.found.errors).sum(),
        complete: runs.iter().all(|r| r.found.complete),
        visited: visited(runs),
        stopped_because: runs.iter().find_map(|r| r.found.stop.as_ref()).map(because),
        findings: runs.iter().flat_map(|r| findings(opened, r)).collect(),
        properties,
        unchecked: unchecked.collect(),
        stats: stats(plain),
        unreached: unreached(opened, plain),
        trail: runs.iter().flat_map(|r| &r.trails).flatten().next().map(|t| t.display().to_string()),
        reductions: runs.iter().filter_map(|r| r.reduction.clone()).collect(),
        searches: runs.iter().map(Performed::new).collect(),
        options: performed::options(plan, plain),
        warnings,
    }
}

fn visited(runs: &[Run]) -> Visited {
    let whole = |r: &Run| r.found.complete && !matches!(r.found.outcome, Outcome::Unrefuted(_));
    match (runs.iter().all(whole), runs.iter().any(|r| r.reduction.is_some())) {
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
    match &found.outcome {
        Outcome::Holds(_) => Verdict::Holds,
        Outcome::Violated if found.complete => Verdict::Holds,
        Outcome::Unrefuted(_) => Verdict::Unrefuted,
        Outcome::Violated | Outcome::Stopped(_) => Verdict::Stopped,
    }
}

/// The verdict on a property that has a search of its own.
fn own_property(opened: &Opened, plan: &Plan, run: &Run) -> Option<Property> {
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
        findings: findings(opened, run),
        stats: Some(stats(run)),
        stopped_because: run.found.stop.as_ref().map(because),
    })
}

/// One verdict for each property that the search of the system alone looks at.
fn properties(opened: &Opened, plan: &Plan, found: &starwheel_engine::Report, findings: &[Finding]) -> Vec<Property> {
    let rest = rest(found);
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
        Property {
            name: name.to_string(),
            kind: PropertyKind::Safety,
            formula: None,
            automaton: None,
            outcome,
            fairness: None,
            findings: own,
            stats: None,
            stopped_because: None,
        }
    };
    all.into_iter().filter(|p| p.2).map(property).collect()
}

/// The findings of a search, with their trails.
fn findings(opened: &Opened, run: &Run) -> Vec<Finding> {
    let trails = run.trails.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let with_trail = |(f, trail): (&starwheel_engine::Finding, Option<&PathBuf>)| Finding {
        trail: trail.map(|t| t.display().to_string()),
        ..finding(opened, f)
    };
    run.found.findings.iter().zip(trails).map(with_trail).collect()
}

/// A finding as it is reported, without the name of its trail.
pub(crate) fn finding(opened: &Opened, f: &starwheel_engine::Finding) -> Finding {
    let (file, at) = opened.map.locate(f.violation.span);
    let length = |steps: usize| f.trail.iter().take(steps).map(|&s| halves(s)).sum();
    let unknown = f.violation.span == Span::default();
    Finding {
        kind: f.violation.kind.name(),
        message: f.violation.message.clone(),
        file: file.to_string(),
        line: if unknown && f.cycle_start.is_some() { 0 } else { at.line },
        trail_length: length(f.trail.len()),
        cycle_start: f.cycle_start.map(length),
        trail: None,
        events: f.events,
    }
}

pub(crate) fn because(stop: &Stop) -> String {
    match stop {
        Stop::Memory(bytes) => format!("the memory limit of {} was reached", quantity::show_bytes(*bytes)),
        Stop::Time(time) => format!("the time limit of {} was reached", quantity::show_seconds(time.as_secs_f64())),
        other => other.to_string(),
    }
}

/// The length of the longest trail, for searches that count stored states on a way instead of steps.
fn longest_trail(run: &Run) -> u64 {
    let length = |f: &starwheel_engine::Finding| f.trail.iter().map(|&step| halves(step)).sum();
    let coarse = matches!(run.way, Way::Plain { order: Order::Groups | Order::Cndfs, .. });
    run.found.findings.iter().filter(|_| coarse).map(length).max().unwrap_or(0)
}

fn stats(run: &Run) -> Stats {
    let s = &run.found.stats;
    Stats {
        states_stored: s.states_stored,
        decoupled_states: s.decoupled_states,
        states_matched: s.states_matched,
        transitions: s.transitions,
        atomic_steps: s.atomic_steps,
        max_depth: s.max_depth.max(longest_trail(run)),
        state_bytes: s.state_bytes,
        store_bytes: s.store_bytes,
        seconds: s.seconds,
        peak_rss_bytes: rss::peak_rss(),
    }
}
