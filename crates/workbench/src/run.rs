//! Carries out one search: puts system, reduction, store and limits together for the engine that is right for it.

use crate::ask::plan::{Engine, Plan, Search};
use crate::disk::checkpoint::Checkpoints;
use crate::disk::scratch::ScratchFolder;
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::property::target::Target;
use crate::reduction::Applied;
use crate::report::PropertyKind;
use crate::report::performed::Way;
use crate::trail::record::Path;
use starwheel_decouple::Request;
use starwheel_engine::{Checks, Fairness, Job, Limits, Monitor, Order, Outcome, ScratchDisk, Stop, Store, run};
use starwheel_jit::{JitClaimSystem, JitSystem, LazySystem};
use starwheel_model::{ClaimSystem, ModelSystem, System};
use starwheel_reduce::{Audit, Reduced, Reducer, Wish};
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
    /// How it was done.
    pub way: Way,
}

impl Run {
    /// The trail of a finding, ready to be followed.
    pub fn path<'a>(&self, f: &'a starwheel_engine::Finding) -> Path<'a> {
        Path { steps: &f.trail, claim: self.target.as_ref().and_then(|t| t.claim), cycle_start: f.cycle_start }
    }
}

/// Carries out a search, reduced if that is wished for.
pub fn run_one(
    opened: &Opened,
    plan: &Plan,
    target: Option<Target>,
    wish: Option<Wish>,
    monitor: &dyn Monitor,
    time: Option<Duration>,
    (checkpoints, scratch): (&Checkpoints, Option<&ScratchFolder>),
) -> Run {
    let alone = ModelSystem(&opened.model);
    let product = target.as_ref().and_then(|t| {
        let system = ClaimSystem::new(&opened.model, t.claim?);
        // Accept labels of processes have nothing to say about a formula or about progress.
        let own = matches!(t.kind, PropertyKind::Progress | PropertyKind::Formula | PropertyKind::Automaton);
        Some(if own { system.own_labels() } else { system })
    });
    let memory = plan.memory.or_else(rss::default_limit);
    let search = order(plan, target.as_ref(), wish.as_ref());
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
        scratch: scratch.map(|scratch| scratch as &dyn ScratchDisk),
        save: checkpoints.sink(),
        resume: checkpoints.source(),
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

/// The order of a search for a target.
fn order(plan: &Plan, target: Option<&Target>, wish: Option<&Wish>) -> Order {
    let cycles = target.is_some() && !plan.pan.no_cycles;
    match (cycles, plan.search) {
        (true, _) if plan.scc || plan.fair == Some(Fairness::Strong) => Order::Scc,
        (true, _) if all_at_once(plan) => Order::Cndfs,
        (true, _) => Order::Ndfs,
        (false, Search::Bfs) => Order::Bfs,
        (false, Search::Dfs) if by_groups(plan, target.is_none()) => Order::Groups,
        (false, Search::Dfs) if plan.within() && wish.is_none() => Order::Within,
        (false, Search::Dfs) => Order::Dfs,
    }
}

/// True if it matters which error is the n-th one.
pub fn counts_errors(plan: &Plan) -> bool {
    plan.pan.every_error || plan.pan.errors.is_some()
}

/// True if states may be visited by groups. Only an order that is truly depth first knows what depth is, which error is the
/// n-th one, and what pan finds first.
pub fn by_groups(plan: &Plan, system: bool) -> bool {
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

/// Carries out a decoupled search.
pub fn run_decoupled(
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
        Some((goal, claim)) => starwheel_decouple::find_run(model, claim, goal, &request, &guard),
        None => starwheel_decouple::run(model, &request, &guard),
    };
    let workers = if target.is_some() { found.workers } else { request.workers };
    let way = Way::Decoupled { breadth_first: request.breadth_first, workers };
    Run { target, found, trails: Vec::new(), reduction: None, way }
}
