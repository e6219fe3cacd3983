//! Which search answers which question: a plan as wishes, the layers of the search that fits, and misfits in the user's words.

use crate::ask::options::{self, Commands};
use crate::ask::plan::{Decouple, Engine, Plan, Por, Search, Timers, reducing};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::target::Target;
use crate::report::PropertyKind as Kind;
use starwheel_engine::Store;
use starwheel_engine::facts::{Axis, Method, Sequence, Sought};
use starwheel_engine::fit::{Assembly, LeftOut, Misfit, Reduction, Shared, Wanted, Wish, fit};
use starwheel_jit::{JitClaimSystem, JitSystem, LazySystem};
use starwheel_model::returns::Returning;
use starwheel_model::{ClaimSystem, ModelSystem, System, Whole};
use starwheel_reduce::{Audit, Reduced, Reducer};
use starwheel_symmetry::{Audited, Record, Renaming, Strategy};
use starwheel_system::Quotient;

/// All searches for models: the state by state ones, the decoupled ones, and those of several processes.
pub fn methods() -> Vec<&'static Method> {
    starwheel_engine::METHODS.into_iter().chain(starwheel_decouple::METHODS).chain(starwheel_distrib::METHODS).collect()
}

/// What is put together for one search, from the outside in.
pub struct Stack<'a> {
    /// What is searched: the system with all its layers.
    pub system: &'a dyn System,
    /// Says which steps are enough, if the search pays the cycle proviso.
    pub reducer: Option<&'a dyn Reducer>,
    /// True if steps were executed by machine code.
    pub compiled: &'a dyn Fn() -> bool,
    /// What the audit of renamings has found, if there is one.
    pub renamings: &'a dyn Fn() -> Option<Record>,
}

/// Puts the layers of a search on each other and searches:
///
/// | layer | what it does |
/// | --- | --- |
/// | model | the interpreter |
/// | claim | moves in step with the system |
/// | machine code | the same steps, faster |
/// | returns | in what was SDL or IF, a transition that never ends is an error |
/// | symmetry | states get the name of their class; only right below it are the states in which trails are told |
/// | reduction | fewer steps; as a system of its own if the choice pays the cycle proviso, else with the search's help |
/// | fairness | who has moved and who could have (`engine/src/method/mod.rs`) |
/// | store | remembers states (`engine/src/method/mod.rs`) |
pub fn stacked<R>(
    opened: &Opened,
    plan: &Plan,
    target: Option<&Target>,
    reduction: Option<&starwheel_reduce::Plan<'_>>,
    audit: Option<&Audit<'_>>,
    renaming: Option<&Renaming<'_>>,
    search: impl FnOnce(Stack<'_>) -> R,
) -> R {
    let alone = ModelSystem(&opened.model);
    let product = target.and_then(|t| product(opened, t));
    let lazy = product.map_or_else(|| LazySystem::new(&opened.model), LazySystem::with_claim);
    let lazy = lazy.until(opened.reading.until.clone());
    let machine = (plan.engine == Engine::MachineCode).then(|| compile(opened, product)).flatten();
    let whole = match (&product, &machine, plan.engine) {
        (_, Some(machine), _) => &**machine,
        (_, None, Engine::Automatic) => &lazy as &dyn Whole,
        (Some(product), None, _) => product,
        (None, None, _) => &alone,
    };
    let returning = match product {
        None => Returning::around(whole, &opened.model, !plan.no_assert, opened.reading.until.clone()),
        Some(_) => None,
    };
    let whole = returning.as_ref().map_or(whole, |r| r);
    let compared = renaming.filter(|_| plan.audit).map(|r| Audited::new(whole, r.plan()));
    let whole = compared.as_ref().map_or(whole, |c| c);
    let quotient = renaming.map(|r| Quotient::new(whole, r));
    let whole = quotient.as_ref().map_or(whole as &dyn System, |q| q);
    let chooser = audit.map(|a| a as &dyn Reducer).or(reduction.map(|r| r as &dyn Reducer));
    // Searches for cycles see one fixed reduced system; the others help to choose its steps.
    let fixed = reduction.is_some_and(|r| r.wish.proviso.by_choice());
    let reduced = chooser.filter(|_| fixed).map(|chooser| Reduced::new(whole, chooser));
    search(Stack {
        system: reduced.as_ref().map_or(whole, |r| r),
        reducer: chooser.filter(|_| !fixed),
        compiled: &|| machine.is_some() || lazy.compiled(),
        renamings: &|| compared.as_ref().map(Audited::record),
    })
}

/// The model in step with the claim of a target, if it has one.
fn product<'m>(opened: &'m Opened, target: &Target) -> Option<ClaimSystem<'m>> {
    let system = ClaimSystem::new(&opened.model, target.claim?);
    // Accept labels of processes have nothing to say about a formula or about progress.
    let own = matches!(target.kind, Kind::Progress | Kind::Time | Kind::Formula | Kind::Automaton);
    Some(if own { system.own_labels() } else { system })
}

/// The model, or the product with a claim, as machine code; none if this machine cannot have it.
fn compile<'m>(opened: &'m Opened, product: Option<ClaimSystem<'m>>) -> Option<Box<dyn Whole + 'm>> {
    match product {
        None => JitSystem::compile_within(&opened.model, &opened.reading.until)
            .ok()
            .map(|system| Box::new(system) as Box<dyn Whole>),
        Some(product) => JitClaimSystem::compile_within(product, &opened.reading.until)
            .ok()
            .map(|system| Box::new(system) as Box<dyn Whole>),
    }
}

/// What is looked for in a search for a target, or in the system alone.
pub fn sought(plan: &Plan, target: Option<&Target>) -> Sought {
    match target.map(|t| t.kind) {
        None => Sought::Errors,
        Some(_) if plan.pan.no_cycles => Sought::ClaimErrors,
        Some(Kind::Formula) => Sought::Formula,
        Some(Kind::Automaton) => Sought::Automaton,
        Some(Kind::Progress | Kind::Time) => Sought::Progress,
        Some(Kind::Acceptance | Kind::Safety) => Sought::Acceptance,
        Some(Kind::Claim) => Sought::Claim,
    }
}

/// The option that asks for runs without end, and which ones.
fn cycles(plan: &Plan) -> impl Iterator<Item = (&'static str, Sought)> {
    let asked = [
        ("--claim", !plan.claims.is_empty(), Sought::Claim),
        ("--never", plan.reading.never.is_some(), Sought::Claim),
        ("--accept", plan.accept, Sought::Acceptance),
        ("--progress", plan.reading.progress, Sought::Progress),
        ("--zeno", plan.reading.zeno, Sought::Progress),
        ("--ltl", !plan.reading.ltl.is_empty(), Sought::Formula),
        ("--automaton", plan.reading.automaton.is_some(), Sought::Automaton),
    ];
    let moment = plan.pan.no_cycles;
    asked.into_iter().filter(|a| a.1).map(move |a| (a.0, if moment { Sought::ClaimErrors } else { a.2 }))
}

/// True if runs without end were asked for.
pub fn asks_for_cycles(plan: &Plan) -> bool {
    cycles(plan).next().is_some()
}

/// A plan for properties that nobody asked for by name: what was said about the search is a default for them.
pub fn softened(plan: &Plan) -> Plan {
    Plan {
        search_typed: false,
        por_typed: false,
        audit: false,
        explain: false,
        workers: plan.workers.map(|_| 1),
        decouple: plan.decouple.map(|d| Decouple { auto: true, ..d }),
        symmetry: plan.symmetry.map(|_| Strategy::Auto),
        ..plan.clone()
    }
}

/// True if the model's own formulas are checked only if steps are not merged.
pub fn own_unmerged(plan: &Plan) -> bool {
    let (soft, methods) = (softened(plan), methods());
    let fits = |merged| fit(&wish(&soft, Sought::Formula, false, merged), &methods).is_ok();
    plan.reading.own && fits(false) && !fits(true)
}

/// What a plan asks of a search.
pub fn wish(plan: &Plan, sought: Sought, decoupled: bool, merged: bool) -> Wish {
    // What is said about runs without end does not concern the search for errors beside it.
    let concerned = Sought::CYCLES.contains(&sought) || !(plan.reading.own || asks_for_cycles(plan));
    let order = match plan.search {
        Search::Dfs => Sequence::DepthFirst,
        Search::Bfs => Sequence::ShortestFirst,
    };
    let reduction = match plan.por {
        Por::Off => Reduction::Off,
        Por::Ample => Reduction::One,
        Por::Cluster | Por::Stubborn => Reduction::Several,
    };
    // Who wants to know what was chosen in each state wants no state to be visited twice.
    let alone = decoupled || reducing(plan).is_some();
    let cores = || options::preset(Commands::CHECK, "workers").amount().map_or(1, |n| n as usize);
    let mut workers = Wanted::or(plan.workers, if alone { 1 } else { cores() });
    if decoupled && Sought::CYCLES.contains(&sought) {
        // The workers are for the search of the system beside it.
        workers = Wanted::default(workers.value);
    }
    let reduce = plan.por_typed || reducing(plan).is_some();
    let several = plan.different.is_some() && sought == Sought::Errors;
    Wish {
        sought,
        sequence: plan.search_typed.then_some(order),
        components: plan.scc && concerned,
        store: Wanted::or(plan.store, Store::Auto),
        workers,
        reduction: if reduce { Wanted::asked(reduction) } else { Wanted::default(reduction) },
        // A reduction that is asked for may choose by itself.
        asks_search: false,
        audited: plan.audit || plan.explain,
        fairness: plan.fair.filter(|_| concerned),
        depth: plan.depth.is_some(),
        save: plan.save.is_some(),
        resume: plan.resume.is_some(),
        spill: plan.spill.is_some(),
        decoupled,
        shared: match (plan.hosts.is_some(), plan.is_shared()) {
            (true, _) => Shared::Machines,
            (false, true) => Shared::Processes,
            (false, false) => Shared::Alone,
        },
        // Preferred are counterexamples to safety.
        switches: plan.few_switches && sought == Sought::Errors,
        machine_code: plan.engine == Engine::MachineCode,
        all_errors: plan.all_errors || several,
        counts_nth: plan.pan.every_error || plan.pan.errors.is_some() || several,
        // Nothing was asked for that pan would not do in its own order.
        pan_order: plan.pan.spin_trails && plan.store.is_none() && plan.workers.is_none(),
        merged,
        // What is only a default is judged once it is known whether there is anything to rename.
        renamed: plan.symmetry.is_some() && plan.symmetry_typed,
        jump: plan.reading.timers == Timers::Jump,
        besides: &[],
    }
}

/// All wishes of a plan as far as they are known without the model: a decoupled search must fit, and so must what `auto` may
/// take instead.
fn wishes(plan: &Plan, merged: bool) -> Vec<Wish> {
    let ways: &[bool] = match plan.decouple {
        None => &[false],
        Some(d) if d.auto => &[false, true],
        Some(_) => &[true],
    };
    let sought: Vec<Sought> = cycles(plan).map(|c| c.1).chain([Sought::Errors]).collect();
    ways.iter().flat_map(|&way| sought.iter().map(move |&s| wish(plan, s, way, merged))).collect()
}

/// What a plan asks for and cannot have together, whatever the model. Reductions to several processes are judged by target.
pub fn refusal(plan: &Plan, merged: bool) -> Option<Problem> {
    let methods = methods();
    wishes(plan, merged).into_iter().find_map(|mut wish| {
        if wish.reduction.value == Reduction::Several {
            wish.reduction.value = Reduction::One;
        }
        fit(&wish, &methods).err().map(|misfit| problem(plan, &wish, &misfit))
    })
}

/// The search for a target, or of the system alone.
pub fn assembly(
    opened: &Opened,
    plan: &Plan,
    target: Option<&Target>,
    decoupled: bool,
    (reducible, renamed): (bool, bool),
) -> Result<Assembly, Failure> {
    let mut wish = wish(plan, sought(plan, target), decoupled, opened.reading.merge);
    wish.renamed = renamed;
    if !reducible {
        wish.reduction = Wanted::default(Reduction::Off);
    }
    fit(&wish, &methods()).map_err(|misfit| match (misfit.left, target) {
        (Axis::Several, Some(target)) => {
            let option = option(plan, &wish, Axis::Several);
            let message = format!("`{option}` cannot be used for `{}`, because {SEVERAL}", target.name);
            Problem::error(Code::NoReduction, message).advise("use --por ample or --por off").into()
        }
        _ => problem(plan, &wish, &misfit).into(),
    })
}

const SEVERAL: &str = "with `--fair` the steps of one process alone may be enough, not those of several";

/// Why the reduction that is on by default is left out, as a remark for the screen.
pub fn left_out(plan: &Plan) -> Option<String> {
    let methods = methods();
    let plain = Plan { decouple: None, ..plan.clone() };
    let gone = wishes(&plain, false).into_iter().rev().find_map(|wish| {
        let assembly = fit(&wish, &methods).ok()?;
        let LeftOut { because, .. } = assembly.missing(Axis::Reduction)?;
        Some((option(plan, &wish, because?), Wish { reduction: Wanted::asked(wish.reduction.value), ..wish }))
    });
    let (option, asked) = gone?;
    let unless = if fit(&asked, &methods).is_ok() { ", unless `--por` asks for fewer" } else { "" };
    Some(format!("`{option}` takes all steps{unless}"))
}

/// The option that asks for something.
fn option(plan: &Plan, wish: &Wish, axis: Axis) -> String {
    let por = || plan.options.get("por").and_then(|v| v.as_str()).unwrap_or("ample").to_string();
    match axis {
        Axis::Processes if plan.hosts.is_none() => "--processes".into(),
        Axis::Processes | Axis::Machines => "--hosts".into(),
        Axis::Switches => "--prefer".into(),
        Axis::Decoupling => "--decouple".into(),
        Axis::Spill => "--spill".into(),
        Axis::Save => "--checkpoint".into(),
        Axis::Resume => "--resume".into(),
        Axis::Store => format!("--store {}", wish.store.value.kind().name()),
        Axis::Code => "--engine jit".into(),
        Axis::Workers => "--workers".into(),
        // Two flags in the quotes of one.
        Axis::Counting | Axis::AllErrors if plan.different.is_some() => "--different".into(),
        Axis::Counting => "-e` or `-cN".into(),
        Axis::AllErrors => "--all-errors".into(),
        Axis::Audit if plan.audit => "--audit".into(),
        Axis::Audit => "--explain-reduction".into(),
        Axis::Reduction if plan.por_typed => "--por".into(),
        Axis::Reduction => reducing(plan).unwrap_or("--por").into(),
        Axis::Several => format!("--por {}", por()),
        Axis::Fairness => "--fair".into(),
        Axis::Merging => "--merge".into(),
        Axis::Renaming => "--symmetry".into(),
        Axis::Jump => "--timers jump".into(),
        Axis::Components => "--engine scc".into(),
        Axis::Sequence if plan.search == Search::Bfs => "--search bfs".into(),
        Axis::Sequence => "--search dfs".into(),
        Axis::Depth => "--depth".into(),
        Axis::PanOrder => "-run".into(),
        Axis::Sought if plan.reading.own && wish.sought != Sought::Errors => "--ltl".into(),
        Axis::Sought => cycles(plan).find(|c| c.1 == wish.sought).map_or("-safety", |c| c.0).into(),
    }
}

/// A misfit in the user's words.
fn problem(plan: &Plan, wish: &Wish, misfit: &Misfit) -> Problem {
    let error = |message: String| Problem::error(Code::Contradiction, message);
    let endless = "add --ltl, --claim, --never, --automaton, --accept or --progress";
    let name = |axis| option(plan, wish, axis);
    match (misfit.left, misfit.right) {
        (Axis::Components, Axis::Sought) => {
            error("`--engine scc` looks for cycles, and none were asked for".into()).advise(endless)
        }
        (Axis::Fairness, Axis::Sought) => {
            error("`--fair` is about runs without end, and nothing that was asked for is".into()).advise(endless)
        }
        (kept @ (Axis::Save | Axis::Resume), Axis::PanOrder | Axis::Counting) => {
            let option = name(kept);
            error(format!("`{option}` is for searches that visit all states, in any order and without reduction"))
                .advise(format!("leave out `{option}`"))
        }
        (left, right) => {
            let full = left == Axis::Decoupling && right == Axis::Reduction && plan.por_typed;
            let right = if full { Axis::Several } else { right };
            let named = [left].into_iter().chain(misfit.also.iter().copied()).map(|axis| format!("`{}`", name(axis)));
            let named: Vec<String> = named.collect();
            error(format!("{} and `{}` exclude each other", named.join(", "), name(right)))
                .advise(format!("{}; leave one of them out", misfit.why))
        }
    }
}
