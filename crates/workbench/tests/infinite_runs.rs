//! Random programs with formulas, claims, accept labels and progress labels: all searches for cycles against a naive check
//! of the whole product, with and without fairness, machine code and many workers, and formulas against a direct reading of
//! them on single runs. The same for formulas with conditions that have no value in some states.

#[path = "../../engine/tests/common/fair.rs"]
mod fair;
mod infinite;

use infinite::{formula, graph::Graph, guarded};
use starwheel_engine::{
    Checks, Fairness, Gap, Goal, Job, Order, Outcome, Random, Report, Silent, Stats, Store, confirm_cycle, run,
};
use starwheel_jit::{JitClaimSystem, JitSystem};
use starwheel_model::{ClaimSystem, ModelSystem, PropertyKind as Property, System};
use starwheel_reduce::{Plan as Reduction, Proviso, Reduced, Wish};
use starwheel_testkit::generate::claims;
use starwheel_testkit::{ast::Program, print, shrink::shrink};
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::plan::Por;
use starwheel_workbench::reduction::wish;
use starwheel_workbench::report::PropertyKind;
use starwheel_workbench::target::{Target, targets};
use starwheel_workbench::{Plan, Reading};
use std::path::Path;

/// Programs that are tried, and the least number of questions that have to come of them.
const PROGRAMS: u64 = 1200;
const QUESTIONS: u32 = 2000;
/// Larger products are left out.
const MOST_STATES: usize = 600;
/// How many runs of a system a formula that holds is read on.
const RUNS: u64 = 20;

/// All searches for cycles, and the fairness with which they are tried.
const SEARCHES: [(Order, Option<Fairness>); 5] = [
    (Order::Ndfs, None),
    (Order::Scc, None),
    (Order::Ndfs, Some(Fairness::Weak)),
    (Order::Scc, Some(Fairness::Weak)),
    (Order::Scc, Some(Fairness::Strong)),
];

/// The exact stores; each search uses another one in each program.
const STORES: [Store; 3] = [Store::Tree, Store::Flat, Store::Dfa];

/// What came of the questions of a program: how many properties hold and are violated, or what is wrong.
type Tally = Result<[u32; 2], String>;

#[test]
fn searches_formulas_and_naive_checks_agree() {
    let mut sum = [0; 2];
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("RUNS_SEED", 0), number("RUNS_COUNT", PROGRAMS));
    for seed in first..first + count {
        let program = claims::program(seed, claims::features_of(seed));
        match examine(&program, seed) {
            Ok(counts) => (0..2).for_each(|i| sum[i] += counts[i]),
            Err(what) => {
                let small = shrink(&program, 2000, |p| examine(p, seed).is_err());
                let now = examine(&small, seed).err().unwrap_or_default();
                panic!("seed {seed}: {what}\nshrunk ({now}):\n{}", print::program(&small));
            }
        }
    }
    println!("{} properties hold, {} are violated", sum[0], sum[1]);
    let least = (u64::from(QUESTIONS) * count / PROGRAMS) as u32;
    assert!(sum.iter().all(|n| *n > least / 3) && sum[0] + sum[1] > least, "too few questions: {sum:?}");
}

/// Models with conditions that have no value in some states.
const GUARDED: u64 = 250;

/// A guard in a condition is enough: a formula is as true as the one whose expressions always have a value. Where there is
/// no guard, all searches find the same errors.
#[test]
fn conditions_without_a_value_are_errors_only_where_they_are_asked_for() {
    let (mut sum, mut errors) = ([0; 2], 0);
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    let first = number("RUNS_SEED", 0);
    for seed in first..first + number("RUNS_COUNT", GUARDED) {
        let text = guarded::model(seed);
        let answers = answers(&text, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let of = |name: String| answers.iter().find(|(known, _)| *known == name).map(|(_, answer)| *answer);
        for n in 0..guarded::FORMULAS {
            let (Some(plain), Some(total)) = (of(format!("f{n}")), of(format!("t{n}"))) else {
                panic!("seed {seed}: no answer to f{n} or t{n}\n{text}");
            };
            // One of the two may be too large for the naive check.
            if let (Some(plain), Some(total)) = (plain, total) {
                assert_eq!(plain, total, "seed {seed}: f{n} and t{n}\n{text}");
                sum[usize::from(plain)] += 1;
            }
            errors += u32::from(of(format!("u{n}")).flatten().unwrap_or(false));
        }
    }
    println!("{} formulas with guards hold, {} are violated; {errors} without are violated", sum[0], sum[1]);
    assert!(sum.iter().all(|n| *n > 0), "both answers must be seen: {sum:?}");
}

/// Asks everything that a program asks. One that is refused asks nothing.
fn examine(program: &Program, seed: u64) -> Tally {
    let mut sum = [0; 2];
    let answers = answers(&print::program(program), seed)?;
    answers.into_iter().filter_map(|(_, answer)| answer).for_each(|violated| sum[usize::from(violated)] += 1);
    Ok(sum)
}

/// By name of a property: whether it is violated, if that could be told.
fn answers(text: &str, seed: u64) -> Result<Vec<(String, Option<bool>)>, String> {
    let Some((opened, plan)) = open(text) else { return Ok(Vec::new()) };
    let Ok(all) = targets(&opened, &plan) else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for target in all {
        let answer = ask(&opened, &target, seed).map_err(|why| format!("{}: {why}", target.name))?;
        out.push((target.name, answer));
    }
    Ok(out)
}

fn open(text: &str) -> Option<(Opened, Plan)> {
    let has = |word: &str| text.lines().any(|l| l.trim_start().starts_with(word));
    let reading = Reading {
        ltl: has("ltl ").then(|| "all".to_string()).into_iter().collect(),
        progress: has("progress"),
        ..Reading::default()
    };
    let opened = open_text(Path::new("random.pml"), text.to_string(), &reading).ok()?;
    let never = opened.model.properties.iter().filter(|p| matches!(p.kind, Property::Never(_)));
    let claims: Vec<String> = never.map(|p| p.name.to_string()).collect();
    let accept = claims.is_empty() && has("accept");
    Some((opened, Plan { reading, claims, accept, ..Plan::plain() }))
}

/// True if the property is violated; nothing if the product is too large for the naive check.
fn ask(opened: &Opened, target: &Target, seed: u64) -> Result<Option<bool>, String> {
    let alone = ModelSystem(&opened.model);
    let own = matches!(target.kind, PropertyKind::Progress | PropertyKind::Formula);
    let product = target.claim.map(|id| ClaimSystem::new(&opened.model, id));
    let product = product.map(|p| if own { p.own_labels() } else { p });
    let system = product.as_ref().map_or(&alone as &dyn System, |p| p);
    let with_claim = product.is_some();
    let checks = Checks { assertions: with_claim, end_states: false, run_time: with_claim };
    let goal = target.goal(opened, None);
    let Some(graph) = Graph::build(system, checks, MOST_STATES) else { return Ok(None) };
    let Some(all_steps) = fair::Graph::build(system, MOST_STATES * 10) else { return Ok(None) };
    let expected = graph.violated || graph.accepting_cycle(goal.stutter);
    // Compiling takes a while.
    let machine = seed.is_multiple_of(5).then(|| compile(opened, product)).transpose()?;
    let whole = machine.as_deref().unwrap_or(system);
    for (number, (search, fairness)) in (seed as usize..).zip(SEARCHES) {
        let store = STORES[number % STORES.len()];
        let expected = match fairness {
            None => expected,
            kind => graph.violated || all_steps.fair_cycle(kind, goal.stutter),
        };
        let job = Job { search, store, checks, fairness, goal: goal.clone(), ..Job::new(whole) };
        let report = run(&job, &Silent).unwrap();
        judge(&report, system, expected, graph.endless, goal.stutter).map_err(|why| {
            format!("{search:?}, {store:?}, {fairness:?}, machine code: {}: {why}", machine.is_some())
        })?;
    }
    let alone = Job { search: Order::Ndfs, checks, all_errors: true, ..Job::new(system) };
    let alone = run(&alone, &Silent).unwrap().stats;
    for workers in [1, 2, 4] {
        let search = Order::Cndfs;
        let job = Job { search, workers, patience: 0, checks, goal: goal.clone(), ..Job::new(whole) };
        let report = run(&job, &Silent).unwrap();
        let with = format!("{workers} workers, machine code: {}", machine.is_some());
        judge(&report, system, expected, graph.endless, goal.stutter).map_err(|why| format!("{with}: {why}"))?;
        let figures = |s: &Stats| (s.states_stored, s.states_matched, s.atomic_steps);
        if !expected && figures(&report.stats) != figures(&alone) {
            return Err(format!("{with}: {:?} is not {alone:?}", report.stats));
        }
    }
    if !graph.endless && seed % 3 == 1 {
        let fair_expected = |kind| graph.violated || all_steps.fair_cycle(Some(kind), goal.stutter);
        let terms = Terms { opened, target, system, whole, checks, goal: &goal };
        terms
            .reduced(seed, expected, &fair_expected)
            .map_err(|why| format!("{why} (machine code: {})", machine.is_some()))?;
    }
    if !expected && !graph.endless {
        read_on_runs(opened, &target.name, seed)?;
    }
    Ok(Some(expected))
}

/// What is asked of a program.
struct Terms<'a> {
    opened: &'a Opened,
    target: &'a Target,
    /// As it is interpreted, and as it is searched.
    system: &'a dyn System,
    whole: &'a dyn System,
    checks: Checks,
    goal: &'a Goal,
}

/// Searches of a reduced system: the order, the fairness and the workers.
const REDUCED: [(Order, Option<Fairness>, usize); 6] = [
    (Order::Ndfs, None, 1),
    (Order::Scc, None, 1),
    (Order::Cndfs, None, 1),
    (Order::Cndfs, None, 3),
    (Order::Ndfs, Some(Fairness::Weak), 1),
    (Order::Scc, Some(Fairness::Strong), 1),
];

impl Terms<'_> {
    /// Whether all searches of a reduced system, where there may be one, say what the naive check of the whole says.
    fn reduced(&self, seed: u64, expected: bool, fair: &dyn Fn(Fairness) -> bool) -> Result<(), String> {
        for (number, por) in (seed as usize..).zip([Por::Ample, Por::Cluster, Por::Stubborn]) {
            let plan = Plan { por, por_typed: true, ..Plan::plain() };
            let wished = wish(self.opened, &plan, Some(self.target), Proviso::LookingAhead);
            let Ok(Ok(plain)) = wished else { continue };
            for (turn, (search, fairness, workers)) in REDUCED.into_iter().enumerate() {
                // With fairness, one process alone may be enough, not several.
                if fairness.is_some() && por != Por::Ample {
                    continue;
                }
                let proviso = [Proviso::LookingAhead, Proviso::LookingAhead, Proviso::ByChoice][(turn + number) % 3];
                let wish = Wish { fair: fairness.is_some(), proviso, ..plain.clone() };
                let reduction = Reduction { model: &self.opened.model, wish, notes: None };
                let reduced = Reduced::new(self.whole, &reduction);
                let store = if search == Order::Cndfs { Store::Tree } else { STORES[number % STORES.len()] };
                let (checks, goal) = (self.checks, self.goal.clone());
                let job = Job { search, store, workers, patience: 0, checks, fairness, goal, ..Job::new(&reduced) };
                let expected = fairness.map_or(expected, fair);
                judge(&run(&job, &Silent).unwrap(), self.system, expected, false, self.goal.stutter).map_err(
                    |why| format!("reduced, {por:?}, {proviso:?}, {search:?}, {store:?}, {fairness:?}, {workers} workers: {why}"),
                )?;
            }
        }
        Ok(())
    }
}

/// Whether a search says what the naive check says, with lassos that the interpreter can follow.
fn judge(report: &Report, system: &dyn System, expected: bool, endless: bool, stutter: bool) -> Result<(), String> {
    let right = match &report.outcome {
        Outcome::Holds(_) => !expected && !endless,
        Outcome::Unrefuted(gap) => !expected && endless && *gap == Gap::EndlessAtomic,
        Outcome::Violated => expected,
        Outcome::Stopped(_) => false,
    };
    if !right {
        return Err(format!("{:?}, the naive check says {expected}", report.outcome));
    }
    for finding in &report.findings {
        if let Some(start) = finding.cycle_start {
            confirm_cycle(system, &finding.trail, start, stutter).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// Machine code of a model, or of its product with a claim.
fn compile<'m>(opened: &'m Opened, product: Option<ClaimSystem<'m>>) -> Result<Box<dyn System + 'm>, String> {
    Ok(match product {
        Some(product) => Box::new(JitClaimSystem::compile(product).map_err(|e| e.to_string())?),
        None => Box::new(JitSystem::compile(&opened.model).map_err(|e| e.to_string())?),
    })
}

/// A formula that holds is true of every run: it is read on some.
fn read_on_runs(opened: &Opened, name: &str, seed: u64) -> Result<(), String> {
    let property = opened.model.properties.iter().find(|p| *p.name == *name);
    let Some(Property::Ltl(formula)) = property.map(|p| &p.kind) else { return Ok(()) };
    for number in 0..RUNS {
        let mut random = Random::new(seed ^ (number << 32));
        let Some(run) = formula::run(opened, &mut random) else { continue };
        if formula::holds(opened, formula, &run) == Some(false) {
            return Err(format!("it holds, but is false of run {number} of {} states", run.states.len()));
        }
    }
    Ok(())
}
