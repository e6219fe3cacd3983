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
use starwheel_workbench::report::Verdict;
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
fn verdicts(text: &str, options: &[(&str, &str)]) -> Option<Vec<(String, Verdict)>> {
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
    let all: Vec<_> = report.properties.iter().map(|p| (p.name.clone(), p.outcome)).collect();
    report.complete.then_some(all)
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
        violated += plain.iter().filter(|p| p.1 == Verdict::Violated).count();
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
