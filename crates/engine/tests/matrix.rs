//! Every combination of wishes is an assembly or a sentence, and what fits finds what a naive search finds.
//!
//! Wishes are put together from [`AXES`]; a new dimension is one more row there. `MATRIX=all` asks for every combination and
//! runs all that fit. Without it, five dimensions are asked for at once and three are run, and larger combinations are drawn at
//! random. What other crates carry out ([`ELSEWHERE`]) is asked for only.

mod common;

use common::fair::Graph;
use common::shelf::Shelf;
use starwheel_base::cancel::Token;
use starwheel_engine::facts::{Axis, Sequence, Sought};
use starwheel_engine::fit::{Assembly, Reduction, Shared, Wanted, Wish, fit};
use starwheel_engine::{
    CheckpointSink, Checks, Fairness, Finding, Goal, Job, Limits, METHODS, Monitor, Outcome, Random, Report,
    ScratchDisk, ScratchFile, Silent, Stop, Store, Tick, run,
};
use starwheel_model::{ClaimSystem, Model, ModelSystem, ProctypeId, ProctypeKind, System};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_reduce::{Method, Plan, Property, Proviso, Reduced, Reducer, watched};
use starwheel_symmetry::{Renaming, Strategy, infer};
use starwheel_system::{Quotient, Whole};
use std::collections::HashSet;
use std::io::{self, Cursor};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Longer than any of these searches takes.
const HOUR: Duration = Duration::from_secs(3600);

type Change = fn(&mut Wish);

/// What can be asked for, dimension by dimension; each can also be left alone.
const AXES: &[(Axis, &[Change])] = &[
    (Axis::Sequence, &[|w| w.sequence = Some(Sequence::DepthFirst), |w| w.sequence = Some(Sequence::ShortestFirst)]),
    (
        Axis::Store,
        &[
            |w| w.store = Wanted::asked(Store::Tree),
            |w| w.store = Wanted::asked(Store::Flat),
            |w| w.store = Wanted::asked(Store::Dfa),
            |w| w.store = Wanted::asked(Store::Compact),
            |w| w.store = Wanted::asked(Store::Bitstate { bytes: 1 << 20 }),
        ],
    ),
    (
        Axis::Reduction,
        &[
            |w| w.reduction = Wanted::default(Reduction::One),
            |w| w.reduction = Wanted::asked(Reduction::One),
            |w| w.reduction = Wanted::asked(Reduction::Several),
        ],
    ),
    (Axis::Fairness, &[|w| w.fairness = Some(Fairness::Weak), |w| w.fairness = Some(Fairness::Strong)]),
    (Axis::Workers, &[|w| w.workers = Wanted::default(3), |w| w.workers = Wanted::asked(3)]),
    (Axis::Depth, &[|w| w.depth = true]),
    (Axis::Spill, &[|w| w.spill = true]),
    (Axis::Save, &[|w| w.save = true]),
    (Axis::Resume, &[|w| w.resume = true]),
    (Axis::AllErrors, &[|w| w.all_errors = true]),
    (Axis::Counting, &[|w| w.counts_nth = true]),
    (Axis::Components, &[|w| w.components = true]),
    (Axis::PanOrder, &[|w| w.pan_order = true]),
    (Axis::Renaming, &[|w| w.renamed = true]),
];

/// What can be asked for besides, and is not carried out here: it needs another crate, a model that is read in another way, or
/// comes after the search.
const ELSEWHERE: &[(Axis, &[Change])] = &[
    (Axis::Decoupling, &[|w| w.decoupled = true]),
    (Axis::Processes, &[|w| w.shared = Shared::Processes]),
    (Axis::Machines, &[|w| w.shared = Shared::Machines]),
    (Axis::Switches, &[|w| w.switches = true]),
    (Axis::Audit, &[|w| w.audited = true]),
    (Axis::Code, &[|w| w.machine_code = true]),
    (Axis::Merging, &[|w| w.merged = true]),
    (Axis::Jump, &[|w| w.jump = true]),
];

/// What is looked for in the runs.
const SOUGHT: [Sought; 4] = [Sought::Errors, Sought::ClaimErrors, Sought::Claim, Sought::Acceptance];

/// By what is looked for: models that have it, or do not.
const ERRORS: &[&str] = &[
    "byte x; active [2] proctype P() { byte y; y = 1; y = 2; atomic { x++; x-- }; y = 0 }",
    "byte x, done; active [2] proctype P() { byte t; t = x; x = t + 1; done++ }
     active proctype M() { done == 2; assert(x == 2) }",
    "bool a, b; active proctype P() { byte t; atomic { !a -> a = true }; t = 1; atomic { !b -> b = true }; a = false; b = false }
     active proctype Q() { byte t; atomic { !b -> b = true }; t = 1; atomic { !a -> a = true }; b = false; a = false }",
    "chan c = [0] of { byte }; active proctype S() { c!1; c!2 }
     active proctype R() { byte v; c?v; c?v; assert(v == 2) } active [2] proctype L() { byte z; z = 1; z = 2 }",
    // What a reduction must not ignore: the assertion fails whatever the others do for ever.
    "byte x; active proctype A() { end: do :: x = 1 - x od } active proctype B() { byte y; y = 1; assert(y == 0) }",
    // Like processes: a lock that is kept, and one that is not.
    "byte x; bool l; active [3] proctype P() { do :: atomic { !l -> l = true }; x++; assert(x == 1); x--; l = false od }",
    "byte x; bool l; active [3] proctype P() { do :: !l; l = true; x++; assert(x < 3); x--; l = false od }",
];
const CLAIM_ERRORS: &[&str] = &[
    "byte x; active [2] proctype P() { byte t; t = x; x = t + 1 } never { do :: x == 2 -> break :: else od }",
    "byte x; active [2] proctype P() { byte t; t = x; x = t + 1 } never { do :: x == 3 -> break :: else od }",
];
const CLAIMS: &[&str] = &[
    "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { byte y; do :: y = 1 - y od }
     never { accept_all: do :: x == 0 od }",
    "bool lock, got; active proctype B() { do :: atomic { !lock -> lock = true }; lock = false od }
     active proctype C() { atomic { !lock -> got = true } } never { accept_all: do :: !got od }",
    "byte x; active [2] proctype A() { byte y; do :: y = 1 - y; x = 1 od }
     never { do :: x == 2 -> break :: else od; accept_all: do :: true od }",
    "byte x; active [3] proctype A() { do :: atomic { x < 2 -> x++ }; x-- od } never { accept_all: do :: x > 0 od }",
    "byte x; active [3] proctype A() { do :: atomic { x < 2 -> x++ }; x-- od } never { accept_all: do :: x > 2 od }",
];
const LABELS: &[&str] = &[
    "active proctype A() { byte y; do :: y = 1; accept_here: y = 0 od } active proctype B() { byte z; do :: z = 1 - z od }",
    "active proctype A() { byte y; y = 1; accept_here: y = 0; y = 2; do :: y = 1 - y od }
     active proctype B() { byte z; do :: z = 1 - z od }",
    "byte x; active [2] proctype A() { do :: atomic { !x -> x = 1 }; accept_here: x = 0 od }",
    "byte x; active [2] proctype A() { do :: atomic { !x -> x = 1 }; if :: x = 0 :: x == 2 -> accept_here: x = 0 fi od }",
];

fn model(text: &str) -> Model {
    let compiled = compile_text(text, &CompileOptions::default());
    compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

fn models(sought: Sought) -> Vec<Model> {
    let texts = match sought {
        Sought::Errors => ERRORS,
        Sought::ClaimErrors => CLAIM_ERRORS,
        Sought::Claim => CLAIMS,
        _ => LABELS,
    };
    texts.iter().map(|text| model(text)).collect()
}

fn claim(model: &Model) -> Option<ProctypeId> {
    let place = model.proctypes.iter().position(|p| p.kind == ProctypeKind::Never)?;
    Some(ProctypeId(place as u8))
}

/// Whether anything goes wrong in a system, found by visiting all its states one by one.
fn wrong(system: &dyn System) -> bool {
    let mut stepper = system.stepper();
    let (mut first, mut steps, mut found) = (Vec::new(), Vec::new(), false);
    found |= !stepper.initial(&mut first).violations.is_empty();
    let (mut known, mut todo) = (HashSet::from([first.clone()]), vec![first]);
    while let Some(state) = todo.pop() {
        steps.clear();
        stepper.enabled(&state, &mut steps);
        found |= steps.is_empty() && stepper.stuck(&state).is_some();
        for &step in &steps {
            let mut next = Vec::new();
            let fired = stepper.fire(&state, step, &mut next);
            found |= !fired.violations.is_empty();
            if !fired.broken && known.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    found
}

/// A disk in memory.
struct Paper;

impl ScratchDisk for Paper {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Cursor::new(Vec::new())))
    }
}

/// Stops a search when it is asked for the second time.
#[derive(Default)]
struct Second(AtomicU64);

impl Monitor for Second {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Stop::Interrupted),
        }
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Carries out an assembly; none if states are to be renamed and no two processes are alike.
fn search(
    wish: &Wish,
    assembly: &Assembly,
    whole: &dyn Whole,
    model: &Model,
    claim: Option<ProctypeId>,
) -> Option<Report> {
    let symmetry = if wish.renamed { Some(infer(model, claim).symmetry?) } else { None };
    let renaming = symmetry.as_ref().map(|s| Renaming::new(s, Strategy::Auto).expect("few processes"));
    let quotient = renaming.as_ref().map(|r| Quotient::new(whole, r));
    let system = quotient.as_ref().map_or(whole as &dyn System, |q| q);
    let cycles = Sought::CYCLES.contains(&wish.sought);
    let property = match (cycles, claim) {
        (_, Some(id)) => Property::ClaimAndLabels(id),
        (true, None) => Property::AcceptLabels,
        (false, None) => Property::Safety,
    };
    let plan = assembly.proviso().map(|proviso| {
        let method = if assembly.reduction() == Reduction::One { Method::Ample } else { Method::Stubborn };
        let watched = watched(model, property).expect("a model that can be reduced");
        let wish =
            starwheel_reduce::Wish { method, watched, proviso, fair: wish.fairness.is_some(), until: Token::NEVER };
        Plan { model, wish, notes: None }
    });
    let fixed = plan.as_ref().filter(|p| p.wish.proviso.by_choice()).map(|p| Reduced::new(system, p));
    let system = fixed.as_ref().map_or(system, |f| f);
    let looks = !cycles;
    let (paper, shelf) = (Paper, Shelf::every(HOUR));
    let job = || Job {
        search: assembly.order().expect("a search of this crate"),
        store: assembly.store(),
        workers: assembly.workers(),
        patience: 0,
        plain: 20,
        checks: Checks { assertions: looks, end_states: looks, run_time: looks },
        all_errors: wish.all_errors,
        every_error: wish.counts_nth,
        limits: Limits { depth: wish.depth.then_some(10_000), ..Limits::default() },
        goal: Goal { stutter: claim.is_none(), ..Goal::default() },
        reducer: plan.as_ref().filter(|p| !p.wish.proviso.by_choice()).map(|p| p as &dyn Reducer),
        fairness: assembly.fairness(),
        scratch: wish.spill.then_some(&paper as &dyn ScratchDisk),
        save: wish.save.then_some(&shelf as &dyn CheckpointSink),
        ..Job::new(system)
    };
    if wish.resume {
        let part = Shelf::every(HOUR);
        run(&Job { save: Some(&part), ..job() }, &Second::default()).expect("a job that fits");
        let saved = part.taken();
        if !saved.0.is_empty() {
            return Some(run(&Job { resume: Some(&saved), ..job() }, &Silent).expect("a job that fits"));
        }
    }
    Some(run(&job(), &Silent).expect("a job that fits"))
}

/// Carries out a wish that fits on all models that it is for, and compares with what a naive search finds; says on how many.
fn carry_out(wish: &Wish, assembly: &Assembly, models: &[Model]) -> usize {
    let mut count = 0;
    for (number, model) in models.iter().enumerate() {
        let claim = claim(model);
        let (alone, product) = (ModelSystem(model), claim.map(|id| ClaimSystem::new(model, id)));
        let system = product.as_ref().map_or(&alone as &dyn Whole, |p| p);
        let expected = match Sought::CYCLES.contains(&wish.sought) {
            true => Graph::build(system, 10_000).expect("a small model").fair_cycle(wish.fairness, claim.is_none()),
            false => wrong(system),
        };
        let Some(report) = search(wish, assembly, system, model, claim) else { continue };
        assert_eq!(report.outcome == Outcome::Violated, expected, "model {number}, {wish:?}: {:?}", report.outcome);
        let lossy = matches!(assembly.store(), Store::Compact | Store::Bitstate { .. });
        let held = matches!(report.outcome, Outcome::Holds(_));
        assert_eq!(held, !expected && !lossy, "model {number}, {wish:?}: {:?}", report.outcome);
        count += 1;
    }
    count
}

/// All choices of so many dimensions, one value for each.
fn choices(axes: &[(Axis, &[Change])], size: usize) -> Vec<Vec<Change>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (i, (_, values)) in axes.iter().enumerate() {
        for rest in choices(&axes[i + 1..], size - 1) {
            out.extend(values.iter().map(|&value| [&[value][..], &rest].concat()));
        }
    }
    out
}

fn wish(sought: Sought, changes: &[Change]) -> Wish {
    let mut wish = Wish::new(sought);
    changes.iter().for_each(|change| change(&mut wish));
    wish
}

/// Some changes of so many different dimensions.
fn drawn(random: &mut Random, size: usize) -> Vec<Change> {
    let mut left: Vec<_> = AXES.iter().collect();
    let mut any = |count: usize| random.below(count as u64) as usize;
    let axes: Vec<_> = (0..size).map(|_| left.swap_remove(any(left.len()))).collect();
    axes.iter().map(|(_, values)| values[any(values.len())]).collect()
}

fn everything() -> bool {
    std::env::var("MATRIX").is_ok_and(|v| v == "all")
}

/// Asks for an assembly; what does not fit must say so in a sentence about what was asked for.
fn asked(wish: &Wish) -> Option<Assembly> {
    match fit(wish, &METHODS) {
        Ok(assembly) => {
            for axis in Axis::ALL {
                // What was asked for is there; only what was not may be left out.
                let left = assembly.left_out().iter().any(|l| l.axis == axis);
                assert!(!left || wish.wants(axis) == Some(starwheel_engine::fit::By::Default), "{axis:?} {wish:?}");
            }
            assert!(wish.store.value == assembly.store() && wish.fairness == assembly.fairness(), "{wish:?}");
            Some(assembly)
        }
        Err(misfit) => {
            for axis in [misfit.left, misfit.right].iter().chain(&misfit.also) {
                assert!(wish.wants(*axis).is_some(), "{misfit} for {wish:?}");
            }
            assert!(misfit.left != misfit.right && misfit.why.len() > 10, "{misfit} for {wish:?}");
            None
        }
    }
}

#[test]
fn every_dimension_is_asked_for() {
    // Several processes of a reduction are a value of that dimension, and what is looked for is always said.
    let known = |axis| [AXES, ELSEWHERE].concat().iter().any(|a| a.0 == axis);
    let missing: Vec<Axis> =
        Axis::ALL.into_iter().filter(|&a| !known(a) && !matches!(a, Axis::Several | Axis::Sought)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_combination_is_an_assembly_or_a_sentence() {
    let most = if everything() { AXES.len() } else { 5 };
    let (mut fitting, mut refused) = (0, 0);
    let known: Vec<Sought> = METHODS.iter().flat_map(|m| m.facts.looks_for).copied().collect();
    for sought in Sought::ALL.into_iter().filter(|s| known.contains(s)) {
        // One kind of runs without end is as good as another.
        let most = if SOUGHT.contains(&sought) { most } else { 1 };
        for size in 0..=most {
            for changes in choices(AXES, size) {
                match asked(&wish(sought, &changes)) {
                    Some(_) => fitting += 1,
                    None => refused += 1,
                }
            }
        }
        for further in (1..=2).flat_map(|size| choices(ELSEWHERE, size)) {
            for own in (0..=most.min(2)).flat_map(|size| choices(AXES, size)) {
                asked(&wish(sought, &[&further[..], &own].concat()));
            }
        }
        let mut random = Random::new(7);
        for _ in 0..500 {
            let size = 4 + random.below(AXES.len() as u64 - 4) as usize;
            asked(&wish(sought, &drawn(&mut random, size)));
        }
    }
    println!("{fitting} fit, {refused} do not");
    assert!(fitting > 500 && refused > 500, "{fitting} fit, {refused} do not");
}

#[test]
fn what_fits_finds_what_a_naive_search_finds() {
    let (mut count, mut renamed) = (0, 0);
    for sought in SOUGHT {
        let models = models(sought);
        let mut wishes: Vec<Wish> = (0..=if everything() { AXES.len() } else { 3 })
            .flat_map(|size| choices(AXES, size))
            .map(|changes| wish(sought, &changes))
            .collect();
        let mut random = Random::new(11);
        let more = (0..1500).map(|_| 3 + random.below(4) as usize).collect::<Vec<_>>();
        wishes.extend(more.into_iter().map(|size| wish(sought, &drawn(&mut random, size))));
        for wish in wishes {
            if let Some(assembly) = asked(&wish) {
                let searched = carry_out(&wish, &assembly, &models);
                count += 1;
                renamed += if wish.renamed { searched } else { 0 };
            }
        }
    }
    println!("{count} combinations were carried out, {renamed} searches of renamed states");
    assert!(count > 300 && renamed > 300, "only {count} combinations and {renamed} renamed searches were carried out");
}

#[test]
fn a_job_that_does_not_fit_is_a_misfit_and_not_another_search() {
    let model = model(ERRORS[0]);
    let system = ModelSystem(&model);
    use starwheel_engine::Order;
    let bitstate = Store::Bitstate { bytes: 1 << 20 };
    let watched = watched(&model, Property::Safety).expect("a model that can be reduced");
    let wish = starwheel_reduce::Wish {
        method: Method::Ample,
        watched,
        proviso: Proviso::ByChoice,
        fair: false,
        until: Token::NEVER,
    };
    let plan = Plan { model: &model, wish, notes: None };
    let reducer = Some(&plan as &dyn Reducer);
    for (job, left, right) in [
        // Searches for cycles see one fixed system; nobody would ask the reducer.
        (Job { search: Order::Cndfs, reducer, ..Job::new(&system) }, Axis::Reduction, Axis::Sought),
        (Job { search: Order::Ndfs, reducer, ..Job::new(&system) }, Axis::Reduction, Axis::Sought),
        (Job { search: Order::Scc, reducer, ..Job::new(&system) }, Axis::Reduction, Axis::Sought),
        (Job { store: bitstate, ..Job::new(&system) }, Axis::Store, Axis::Sequence),
        (Job { workers: 2, ..Job::new(&system) }, Axis::Workers, Axis::Sequence),
        (Job { fairness: Some(Fairness::Weak), ..Job::new(&system) }, Axis::Fairness, Axis::Sought),
        (Job { search: Order::Bfs, store: Store::Dfa, ..Job::new(&system) }, Axis::Store, Axis::Sequence),
        (
            Job { search: Order::Groups, store: Store::Flat, workers: 2, ..Job::new(&system) },
            Axis::Store,
            Axis::Workers,
        ),
        (
            Job { search: Order::Ndfs, fairness: Some(Fairness::Strong), ..Job::new(&system) },
            Axis::Fairness,
            Axis::Sequence,
        ),
        (
            Job { search: Order::Cndfs, workers: 2, all_errors: true, ..Job::new(&system) },
            Axis::Workers,
            Axis::AllErrors,
        ),
    ] {
        let misfit = run(&job, &Silent).expect_err("no search does this");
        assert_eq!((misfit.left, misfit.right), (left, right), "{misfit}");
    }
}
