//! Random programs and formulas: a formula that is false in the reduced system is false in the whole, and the other way
//! round; the same for accept labels and progress labels.

use starwheel_engine::Silent;
use starwheel_testkit::{generate, print};
use starwheel_workbench::check::check;
use starwheel_workbench::open::open_text;
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Typed;
use starwheel_workbench::report::Verdict;
use std::path::Path;

const FORMULAS: [&str; 10] = [
    "[] <> (A)",
    "<> [] (A)",
    "[] ((A) -> <> (B))",
    "(A) U (B)",
    "<> ((A) && <> (B))",
    "[] (A)",
    "<> (A)",
    "[] ((A) || [] (B))",
    "([] <> (A)) -> ([] <> (B))",
    "((A) U (B)) || [] <> (B)",
];

/// A formula about the globals of a program.
fn formula(text: &str, seed: u64) -> Option<String> {
    let globals: Vec<&str> = ["g0", "g1", "g2"].into_iter().filter(|g| text.contains(&format!(" {g}"))).collect();
    let first = *globals.first()?;
    let second = globals[(seed / 7) as usize % globals.len()];
    let conditions =
        [format!("{first} == 0"), format!("{second} > 0"), format!("{first} == {second}"), format!("{second} == 2")];
    let pick = |n: u64| &conditions[n as usize % conditions.len()];
    let shape = FORMULAS[seed as usize % FORMULAS.len()];
    Some(shape.replace('A', pick(seed / 10)).replace('B', pick(seed / 3)))
}

/// The verdict on the property that has a search of its own, and its number of states.
fn verdict(text: &str, options: &[(&str, &str)]) -> Option<(Verdict, u64)> {
    let mut typed = Typed::default();
    for (name, value) in options {
        typed.push(name, (!value.is_empty()).then(|| value.to_string()));
    }
    typed.push("trail", Some("/dev/null".to_string()));
    // All tests of this program share the limit.
    typed.push("memory", Some("1G".to_string()));
    // What a formula that counts steps means is not changed here for it.
    typed.push("merge", Some("off".to_string()));
    // Some random programs are large; what has no verdict by then is not compared.
    typed.push("time", Some("4s".to_string()));
    let plan = typed.plan(Commands::CHECK).ok()?;
    let opened = open_text(Path::new("test.pml"), text.to_string(), &plan.reading).ok()?;
    let checked = check(&opened, &plan, &Silent).ok()?;
    let own = checked.report.properties.iter().find(|p| p.stats.is_some())?;
    let states = own.stats.as_ref()?.states_stored;
    matches!(own.outcome, Verdict::Holds(_) | Verdict::Violated).then_some((own.outcome, states))
}

#[test]
fn a_fair_run_with_handshakes_is_not_lost() {
    // Dennis Dams: `x = 0` makes the other sender able to move, so that it may not be put first.
    let text = "chan c = [0] of { bit }; bool b; active proctype A() { s: c!0; goto s }
                active proctype B() { s: c!1; b = true; goto s } active proctype C() { bit x; s: c?x; x = 0; goto s }";
    for engine in ["interp", "scc"] {
        for por in ["off", "ample"] {
            let found = verdict(text, &[("ltl", "<> b"), ("fair", "weak"), ("engine", engine), ("por", por)]);
            assert_eq!(found.map(|f| f.0), Some(Verdict::Violated), "{engine} {por}");
        }
    }
    assert_eq!(verdict(text, &[("ltl", "<> b"), ("fair", "weak"), ("por", "cluster")]), None, "it is refused");
}

#[test]
fn a_local_step_without_meaning_hides_no_run() {
    // The run ends there; what others do before it must not be lost.
    let text = "byte x; active proctype A() { byte a[2]; byte i = 5; byte l; l = 1; a[i] = 1; l = 2 }
                active proctype B() { byte k; k = 1; x = 1; k = 2; x = 0 }";
    for por in ["off", "ample", "cluster", "stubborn"] {
        for engine in ["interp", "jit", "scc"] {
            let found = verdict(text, &[("ltl", "[] (x == 0)"), ("por", por), ("engine", engine)]);
            assert_eq!(found.map(|f| f.0), Some(Verdict::Violated), "{por} {engine}");
        }
    }
}

#[test]
fn claims_that_do_not_count_steps_are_reduced() {
    let text = "byte x; active proctype B() { x = 1; x = 2 } active proctype A() { byte l; l = 1; l = 2; l = 3 }";
    // There is a state in which x is 1, and later it is 2 for ever.
    let good =
        "never { do :: x != 1 :: x == 1 -> break od; do :: x != 2 :: x == 2 -> break od; accept: do :: x == 2 od }";
    // The same if x is 1 in the very next state, or in two states, one after the other.
    let next = "never { true; x == 1 }";
    let twice = "never { do :: true :: x == 1 -> break od; x == 1 }";
    for method in ["ample", "cluster", "stubborn"] {
        let claim = |claim: &str, por| verdict(&format!("{text} {claim}"), &[("claim", "0"), ("por", por)]);
        let (whole, reduced) = (claim(good, "off").expect("it is asked"), claim(good, method).expect("it is reduced"));
        assert!(whole.0 == Verdict::Violated && reduced.0 == Verdict::Violated, "{method}: {whole:?}, {reduced:?}");
        assert_eq!(claim(next, method), None, "{method} is refused");
        assert_eq!(claim(twice, method), None, "{method} is refused");
        // What never happens is looked for in fewer states.
        let never = "never { do :: x < 3 :: x == 3 -> break od }";
        let (whole, reduced) =
            (claim(never, "off").expect("it is asked"), claim(never, method).expect("it is reduced"));
        assert!(whole.0.holds() && reduced.0.holds() && reduced.1 < whole.1, "{whole:?} {reduced:?}");
    }
    // An accept label of a process counts beside the claim's own: the claim lets every run pass.
    let labels = "byte x; active proctype B() { byte k; accept: k = 1 - k; goto accept } never { do :: true od }";
    for por in ["off", "ample"] {
        assert_eq!(verdict(labels, &[("claim", "0"), ("por", por)]).map(|f| f.0), Some(Verdict::Violated), "{por}");
    }
}

#[test]
fn many_workers_and_machine_code_see_the_same_reduced_system() {
    let text = "byte x, y; active [2] proctype A() { byte l; do :: l = 1 - l; x = (x + l) % 3 :: break od; l = 7 }
                active proctype B() { byte k; do :: k = (k + 1) % 5 :: k == 0 -> y = 1 - y od }";
    for method in ["ample", "cluster", "stubborn"] {
        let ask = |more: (&str, &str)| verdict(text, &[("ltl", "[] (y < 2)"), ("por", method), more]);
        let alone = ask(("engine", "interp")).expect("it is asked");
        assert!(alone.0.holds());
        for more in [("engine", "jit"), ("engine", "scc"), ("workers", "2"), ("workers", "4"), ("store", "dfa")] {
            assert_eq!(ask(more), Some(alone), "{method}, {more:?}");
        }
    }
}

#[test]
fn formulas_that_count_steps_are_refused() {
    let text = "byte x; active proctype B() { x = 1 } active proctype A() { byte l; l = 1; l = 2 }";
    assert_eq!(verdict(text, &[("ltl", "X (x == 0)"), ("por", "off")]).map(|f| f.0), Some(Verdict::Violated));
    assert_eq!(verdict(text, &[("ltl", "X (x == 0)"), ("por", "ample")]), None);
    let claim = format!("{text} never {{ x == 0; x == 1 }}");
    assert_eq!(verdict(&claim, &[("claim", "0"), ("por", "ample")]), None);
}

#[test]
fn formulas_and_labels_have_the_same_truth_in_the_reduced_system() {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    let (first, count): (u64, u64) = (number("REDUCE_SEED", 1), number("REDUCE_COUNT", 100));
    let (mut looked, mut others, mut violated, mut whole, mut least) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let text = print::program(&generate::program(seed));
        let formula = formula(&text, seed);
        let wished = match (seed % 5, &formula) {
            (0, _) if text.contains("accept") => ("accept", ""),
            (1, _) if text.contains("progress") => ("progress", ""),
            (_, Some(formula)) => ("ltl", formula.as_str()),
            _ => continue,
        };
        let engine = ("engine", if seed % 3 == 0 { "scc" } else { "interp" });
        let fair = [("fair", "weak"), ("fair", "strong"), engine, engine][seed as usize % 4];
        let Some((expected, states)) = verdict(&text, &[wished, engine, fair, ("por", "off")]) else { continue };
        for (number, method) in (seed as usize..).zip(["ample", "cluster", "stubborn"]) {
            let Some((found, fewer)) = verdict(&text, &[wished, engine, fair, ("por", method)]) else { continue };
            assert_eq!(found, expected, "seed {seed}: {wished:?} with {method}, {fair:?}\n{text}");
            // The same with machine code, many workers, or another store.
            let how = [("engine", "jit"), ("workers", "3"), ("store", "dfa"), ("store", "flat")][number % 4];
            if let Some(other) = verdict(&text, &[wished, ("por", method), how]) {
                let Some((plain, states)) = verdict(&text, &[wished, ("engine", "interp"), ("por", "off")]) else {
                    continue;
                };
                assert_eq!(other.0, plain, "seed {seed}: {wished:?} with {method}, {how:?}\n{text}");
                assert!(!plain.holds() || other.1 <= states, "seed {seed}: {other:?} of {states} states");
                others += 1;
            }
            looked += 1;
            violated += u64::from(found == Verdict::Violated);
            if found.holds() {
                whole += states;
                least += fewer;
            }
        }
    }
    println!("{looked} searches, {violated} of them violated; {least} states of {whole} where nothing is");
    println!("{others} more with machine code, many workers or another store");
    assert!(looked > count / 2 && others > count / 2, "only {looked} and {others} searches were compared");
}
