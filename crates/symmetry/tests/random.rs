//! Random programs with like processes: names stand for exactly the states that can be reached, and every verdict is that of
//! the search without symmetry. `SYMMETRIC_SEED` and `SYMMETRIC_COUNT` make other and longer rounds.

mod common;

use starwheel_engine::Silent;
use starwheel_model::ModelSystem;
use starwheel_symmetry::{Audited, Renaming, Strategy, infer};
use starwheel_system::{Normaliser, Quotient};
use starwheel_testkit::symmetric::{Symmetric, symmetric};
use starwheel_workbench::check::check;
use starwheel_workbench::open::open_text;
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Typed;
use std::collections::HashSet;
use std::path::Path;

fn seeds(count: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let first = number("SYMMETRIC_SEED").unwrap_or(1);
    first..first + number("SYMMETRIC_COUNT").unwrap_or(count)
}

#[test]
fn names_stand_for_what_can_be_reached() {
    let (mut symmetric_ones, mut whole, mut fewer) = (0, 0, (0, 0));
    for seed in seeds(400) {
        let Symmetric { text, .. } = symmetric(seed);
        let read = common::read(&text, &[]);
        let found = infer(&read.model, None);
        let Some(symmetry) = found.symmetry else { continue };
        symmetric_ones += 1;
        whole += usize::from(symmetry.families.iter().all(|f| f.blocks.len() == 1));
        let system = ModelSystem(&read.model);
        let Some((all, wrong)) = common::explore(&system, 6_000) else { continue };
        let canonical = Renaming::new(&symmetry, Strategy::Full).unwrap();
        let class = |state: &Vec<u8>| {
            let mut class = state.clone();
            canonical.normalise(&mut class);
            class
        };
        let classes: HashSet<Vec<u8>> = all.iter().map(class).collect();
        for (word, strategy) in Strategy::ALL {
            let Ok(renaming) = Renaming::new(&symmetry, strategy) else { continue };
            let (names, found) = common::explore(&Quotient::new(&system, &renaming), 20_000).unwrap();
            let stood_for: HashSet<Vec<u8>> = names.iter().map(class).collect();
            assert_eq!(stood_for, classes, "seed {seed}, {word}\n{text}");
            assert_eq!(found, wrong, "seed {seed}, {word}\n{text}");
            if strategy.canonical() {
                assert_eq!(names.len(), classes.len(), "seed {seed}, {word}\n{text}");
            }
        }
        fewer = (fewer.0 + all.len(), fewer.1 + classes.len());
        let audited = Audited::new(&system, &symmetry.plan);
        common::explore(&audited, 6_000);
        let fault = audited.record().fault;
        assert!(fault.is_none(), "seed {seed}: {fault:?}\n{text}");
    }
    println!("{symmetric_ones} symmetric, {whole} wholly; {} states in {} classes", fewer.0, fewer.1);
    assert!(symmetric_ones > 0);
}

/// The verdicts on all properties; none if there is no answer.
fn verdicts(text: &str, options: &[(&str, &str)]) -> Option<Vec<(String, &'static str)>> {
    let mut typed = Typed::default();
    for (name, value) in options {
        typed.push(name, (!value.is_empty()).then(|| value.to_string()));
    }
    typed.push("trail", Some("/dev/null".to_string()));
    typed.push("time", Some("4s".to_string()));
    let plan = typed.plan(Commands::CHECK).unwrap_or_else(|f| panic!("{options:?}: {f:?}"));
    let opened = open_text(Path::new("test.pml"), text.to_string(), &plan.reading).ok()?;
    let report = check(&opened, &plan, &Silent).unwrap_or_else(|f| panic!("{options:?}: {f:?}\n{text}")).report;
    let internal = report.stopped_because.as_deref().is_some_and(|why| !why.contains("limit"));
    assert!(!internal, "{options:?}: {:?}\n{text}", report.stopped_because);
    let all: Vec<_> = report.properties.iter().map(|p| (p.name.clone(), p.outcome.name())).collect();
    report.head.complete.then_some(all)
}

#[test]
fn verdicts_are_those_without_symmetry() {
    let (mut compared, mut violated, mut skipped) = (0, 0, 0);
    for seed in seeds(120) {
        let program = symmetric(seed);
        let (text, formula) = (&program.text, program.formula(seed));
        let accept = seed % 5 == 0 && text.contains("accept");
        let property = if accept { ("accept", "") } else { ("ltl", formula.as_str()) };
        let Some(plain) = verdicts(text, &[property, ("por", "off"), ("all-errors", "")]) else { continue };
        violated += plain.iter().filter(|p| p.1 == "violated").count();
        for options in [
            &[("symmetry", "auto"), ("por", "off")][..],
            &[("symmetry", "auto"), ("por", "ample")],
            &[("symmetry", "auto"), ("engine", "scc"), ("workers", "1")],
            &[("symmetry", "auto"), ("workers", "2"), ("engine", "jit")],
        ] {
            let stutters = !formula.contains('X') || accept;
            if options.contains(&("por", "ample")) && !stutters {
                continue;
            }
            let options: Vec<_> = options.iter().copied().chain([property]).collect();
            let single = options.iter().any(|o| o.0 == "workers" && o.1 == "2");
            let options: Vec<_> =
                if single { options } else { options.into_iter().chain([("all-errors", "")]).collect() };
            match verdicts(text, &options) {
                Some(found) => {
                    assert_eq!(found, plain, "seed {seed}, {options:?}\n{text}");
                    compared += 1;
                }
                // The first error ends a search, and so does a limit of time.
                None => skipped += 1,
            }
        }
    }
    println!("{compared} verdicts compared, {violated} violated, {skipped} without an answer");
    assert!(compared > skipped);
}

/// What a search of the system alone finds, and the length of the first trail; none if there is no answer.
fn shortest(text: &str, options: &[(&str, &str)]) -> Option<(&'static str, Option<u64>)> {
    let mut typed = Typed::default();
    let all = [("no-ltl", ""), ("trail", "/dev/null"), ("time", "4s")];
    all.iter()
        .chain(options)
        .for_each(|(name, value)| typed.push(name, (!value.is_empty()).then(|| value.to_string())));
    let plan = typed.plan(Commands::CHECK).unwrap_or_else(|f| panic!("{options:?}: {f:?}"));
    let opened = open_text(Path::new("test.pml"), text.to_string(), &plan.reading).ok()?;
    let report = check(&opened, &plan, &Silent).unwrap_or_else(|f| panic!("{options:?}: {f:?}\n{text}")).report;
    let told = report.head.outcome.name() != "stopped";
    assert!(told || report.stopped_because.as_deref().is_some_and(|why| why.contains("limit")), "{options:?}\n{text}");
    told.then(|| (report.head.outcome.name(), report.findings.first().map(|f| f.trail_length)))
}

#[test]
fn errors_are_found_by_as_short_runs_and_in_decoupled_states() {
    let (mut compared, mut violated) = (0, 0);
    for seed in seeds(120) {
        let text = symmetric(seed).text;
        let bfs = [("plain", ""), ("search", "bfs")];
        let Some(plain) = shortest(&text, &bfs) else { continue };
        violated += usize::from(plain.0 == "violated");
        if let Some(found) = shortest(&text, &[&bfs[..], &[("symmetry", "auto")]].concat()) {
            assert_eq!(found, plain, "seed {seed}\n{text}");
            compared += 1;
        }
        for others in [&[("plain", "")][..], &[("search", "bfs")], &[("dominance", "off")]] {
            let options = [&[("symmetry", "auto"), ("decouple", "auto")][..], others].concat();
            let Some(found) = shortest(&text, &options) else { continue };
            assert_eq!(found.0, plain.0, "seed {seed}, {options:?}\n{text}");
            compared += 1;
        }
    }
    println!("{compared} compared, {violated} programs with errors");
    assert!(compared > 100 && violated > 0);
}

#[test]
fn fair_verdicts_are_those_without_symmetry() {
    let (mut compared, mut violated, mut differ) = (0, 0, 0);
    for seed in seeds(40) {
        let program = symmetric(seed);
        let (text, formula) = (&program.text, program.formula(seed));
        let mut kinds = Vec::new();
        for fair in ["weak", "strong"] {
            let ask = [("ltl", formula.as_str()), ("fair", fair), ("all-errors", "")];
            let Some(plain) = verdicts(text, &[&ask[..], &[("por", "off")]].concat()) else { continue };
            violated += plain.iter().filter(|p| p.1 == "violated").count();
            for strategy in ["auto", "pc-sorted"] {
                if strategy != "auto" && infer(&common::read(text, &[]).model, None).symmetry.is_none() {
                    continue;
                }
                let options = [&ask[..], &[("symmetry", strategy)]].concat();
                let Some(found) = fair_verdicts(text, &options) else { continue };
                assert_eq!(found, plain, "seed {seed}, {options:?}\n{text}");
                compared += 1;
            }
            kinds.push(plain);
        }
        differ += usize::from(kinds.len() == 2 && kinds[0] != kinds[1]);
    }
    println!("{compared} compared, {violated} violated, {differ} programs on which weak and strong fairness differ");
    assert!(compared > 30 && violated > 0);
}

/// As [`verdicts`]; none as well if a strategy that was asked for by name has nothing to act on for the formula.
fn fair_verdicts(text: &str, options: &[(&str, &str)]) -> Option<Vec<(String, &'static str)>> {
    let mut typed = Typed::default();
    options.iter().for_each(|(name, value)| typed.push(name, (!value.is_empty()).then(|| value.to_string())));
    let plan = typed.plan(Commands::CHECK).ok()?;
    let opened = open_text(Path::new("test.pml"), text.to_string(), &plan.reading).ok()?;
    let goes = |claim| infer(&opened.model, claim).symmetry.is_some();
    let all = opened.formulas.iter().all(|f| goes(Some(f.1)));
    let auto = options.contains(&("symmetry", "auto"));
    (auto || (all && goes(None))).then(|| verdicts(text, options)).flatten()
}

#[test]
fn a_fair_run_is_found_although_its_processes_change_names() {
    // Whoever is ahead waits for the other: each cycle of names exchanges the two.
    let text = "byte turn[2]; bool odd; proctype P(byte me) { end: do :: turn[me] == 0 -> atomic { turn[me] = 1; odd = 1 - odd;
        if :: turn[0] + turn[1] == 2 -> d_step { turn[0] = 0; turn[1] = 0 } :: else fi } od }
        init { atomic { run P(0); run P(1) } }";
    for fair in ["weak", "strong"] {
        for (formula, expected) in [("<> [] odd", "violated"), ("[] <> odd", "holds")] {
            for symmetry in ["off", "auto", "full", "pc-sorted"] {
                let options =
                    [("ltl", formula), ("fair", fair), ("symmetry", symmetry), ("por", "off"), ("all-errors", "")];
                let all = verdicts(text, &options).unwrap();
                assert_eq!(all.last().unwrap().1, expected, "{options:?}: {all:?}");
            }
        }
    }
}

#[test]
fn who_can_move_now_and_then_moves_under_strong_fairness_only() {
    let text =
        "bit x; bit q; proctype P(byte me) { do :: x = 1 - x od } proctype Q(byte me) { end: do :: x == 1 -> q = 1 od }
        init { atomic { run P(0); run P(1); run Q(0); run Q(1) } }";
    for symmetry in ["off", "auto", "pc-segmented"] {
        for (fair, expected) in [("weak", "violated"), ("strong", "holds")] {
            let options = [("ltl", "<> q"), ("fair", fair), ("symmetry", symmetry), ("por", "off"), ("all-errors", "")];
            let all = verdicts(text, &options).unwrap();
            assert_eq!(all.last().unwrap().1, expected, "{options:?}: {all:?}");
        }
    }
}

#[test]
fn ends_of_processes_are_left_out_and_put_into_trails() {
    let with = |body: &str, rest: &str| {
        format!(
            "byte x; byte late; proctype P(byte me) {{ x++; {body} }} {rest}\n\
             init {{ atomic {{ run P(0); run P(1); run P(2) }} }}"
        )
    };
    for (text, expected) in [
        (with("x < 4", ""), "holds"),
        (with("assert(x < 3)", ""), "violated"),
        (with("x > 3", ""), "violated"),
        // A timeout waits until all have died.
        (with("skip", "active proctype Watch() { timeout -> assert(x < 3) }"), "violated"),
        (with("skip", "active proctype Watch() { end: do :: timeout -> late = 1 od }"), "holds"),
    ] {
        let mut typed = Typed::default();
        for (name, value) in [("symmetry", "auto"), ("trail", "/dev/null"), ("por", "off"), ("workers", "1")] {
            typed.push(name, Some(value.to_string()));
        }
        let plan = typed.plan(Commands::CHECK).unwrap();
        let opened = open_text(Path::new("test.pml"), text.clone(), &plan.reading).unwrap();
        let report = check(&opened, &plan, &Silent).unwrap().report;
        assert_eq!(report.head.outcome.name(), expected, "{text}: {:?}", report.stopped_because);
        assert!(report.symmetry.iter().any(|s| s.undying), "{text}");
        let both = ["off", "auto"].map(|s| verdicts(&text, &[("symmetry", s), ("por", "off"), ("all-errors", "")]));
        assert!(both[0].is_some() && both[0] == both[1], "{text}: {both:?}");
    }
}
