//! `check` checks a whole model: safety, every formula, every never claim, each with its verdict, and none waits for another.

mod collection;
mod common;

use collection::{models, stem};
use common::{Folder, json, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Safety holds, `never_two` does not, `at_once` does not, `back` does.
const MODEL: &str = "byte x;\nactive proctype P() { do :: x < 2 -> x++ :: x > 0 -> x-- od }\n\
                     ltl never_two { [] (x != 2) }\nltl at_once { <> [] (x == 1) }\nltl back { [] (x <= 2) }\n";

/// The outcome of each property.
fn outcomes(report: &Value) -> BTreeMap<String, String> {
    let text = |v: &Value| v.as_str().unwrap_or("").to_string();
    let all = report["properties"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().map(|p| (text(&p["name"]), text(&p["outcome"]))).collect()
}

fn outcome(report: &Value, name: &str) -> String {
    outcomes(report).remove(name).unwrap_or_else(|| panic!("no property {name}: {report}"))
}

#[test]
fn all_that_is_written_in_the_model_is_checked() {
    let folder = Folder::new();
    let model = folder.file("m.pml", MODEL);
    let report = json(&["check", "--json", &model], 1);
    assert_eq!(outcome(&report, "assertions"), "holds");
    assert_eq!(outcome(&report, "never_two"), "violated");
    assert_eq!(outcome(&report, "at_once"), "violated");
    assert_eq!(outcome(&report, "back"), "holds");
    assert_eq!(report["unchecked"].as_array().map(Vec::len), Some(0));
    let text = run(&["check", &model]);
    assert_eq!(text.status, 1);
    assert!(!text.stdout.contains("Not checked"), "{}", text.stdout);
    // The trail of a formula that nobody named can be replayed.
    for (name, replayed) in [("", 0), (".at_once", 0)] {
        let trail = folder.path(&format!("m.pml.trail{name}.json")).display().to_string();
        assert_eq!(run(&["replay", &model, &trail]).status, replayed, "{trail}");
    }
}

#[test]
fn formulas_can_be_left_out_or_named() {
    let folder = Folder::new();
    let model = folder.file("m.pml", MODEL);
    let report = json(&["check", "--json", "--no-ltl", &model], 0);
    assert_eq!(report["unchecked"], serde_json::json!(["never_two", "at_once", "back"]));
    assert!(run(&["check", "--no-ltl", &model]).stdout.contains("Not checked: never_two, at_once, back"));
    let report = json(&["check", "--json", "--ltl", "back", "--ltl", "[] (x < 3)", "--ltl", "[] (x < 2)", &model], 1);
    assert_eq!(outcome(&report, "back"), "holds");
    assert_eq!(outcome(&report, "formula"), "holds");
    assert_eq!(outcome(&report, "formula_2"), "violated");
    assert_eq!(report["unchecked"], serde_json::json!(["never_two", "at_once"]));
    let trail = report["trail"].as_str().expect("a trail");
    assert_eq!(run(&["replay", &model, trail]).status, 0);
    let report = json(&["check", "--json", "--no-ltl", "--ltl", "back", &model], 2);
    assert_eq!(report["diagnostics"][0]["code"], "contradiction");
    assert_eq!(
        json(&["check", "--json", "--ltl", "back", "--ltl", "none", &model], 2)["diagnostics"][0]["code"],
        "no-formula"
    );
}

#[test]
fn never_claims_are_checked_too() {
    let folder = Folder::new();
    let text = "byte x;\nactive proctype P() { do :: x = 1 - x od }\nnever { T0: do :: x == 1 -> break :: else od }\n";
    let model = folder.file("n.pml", text);
    let report = json(&["check", "--json", &model], 1);
    assert_eq!(outcome(&report, "never_0"), "violated");
    assert_eq!(json(&["check", "--json", "--no-ltl", &model], 0)["unchecked"], serde_json::json!(["never_0"]));
}

#[test]
fn what_nobody_asked_for_refuses_nothing() {
    let folder = Folder::new();
    let model = folder.file("m.pml", MODEL);
    for options in [&["--store", "bitstate"][..], &["--spill"]] {
        let line = [&["check", "--json", &model][..], options].concat();
        let ran = run(&line);
        let report: Value = serde_json::from_str(&ran.stdout).expect("a report");
        assert!(ran.status == 0 || ran.status == 3, "{ran:?}");
        assert_eq!(report["unchecked"], serde_json::json!(["never_two", "at_once", "back"]), "{options:?}");
        let codes: Vec<_> = report["warnings"].as_array().unwrap().iter().map(|w| w["code"].clone()).collect();
        assert!(codes.iter().any(|c| c == "not-checked"), "{options:?}: {codes:?}");
    }
    for options in [
        &["--search", "bfs"][..],
        &["--workers", "2", "--all-errors"],
        &["--por", "cluster"],
        &["--audit"],
        &["--decouple"],
    ] {
        let report = json(&[&["check", "--json", &model][..], options].concat(), 1);
        assert_eq!(outcome(&report, "at_once"), "violated", "{options:?}");
        assert_eq!(outcome(&report, "back"), "holds", "{options:?}");
    }
}

#[test]
fn fairness_needs_a_property_that_it_can_act_on() {
    let folder = Folder::new();
    let model = folder.file("m.pml", MODEL);
    assert_eq!(outcome(&json(&["check", "--json", "--fair", &model], 1), "back"), "holds");
    let none = folder.file("none.pml", "byte x;\nactive proctype P() { do :: x = 1 - x od }\n");
    for option in [&["--fair"][..], &["--engine", "scc"]] {
        let report = json(&[&["check", "--json", &none][..], option].concat(), 2);
        assert_eq!(report["diagnostics"][0]["code"], "contradiction");
    }
}

#[test]
fn one_violated_property_may_be_enough() {
    let folder = Folder::new();
    // Some sixteen million states, and a formula that is violated at once.
    let text = "byte a, b, c, d; bool e;\n#define step(v) do :: v = (v + 1) % 64 od\n\
                active proctype A() { step(a) }\nactive proctype B() { step(b) }\nactive proctype C() { step(c) }\n\
                active proctype D() { step(d) }\nltl soon { [] !(d == 1) }\nltl sum { [] (a + b + c + d < 255) }\n";
    let model = folder.file("big.pml", text);
    let started = Instant::now();
    let report = json(&["check", "--json", "--first", "--por", "off", &model], 1);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(outcome(&report, "soon"), "violated");
    assert_eq!(outcome(&report, "sum"), "stopped");
    assert_eq!(outcome(&report, "assertions"), "stopped");
    let why = report["properties"][0]["stopped_because"].as_str().or(report["stopped_because"].as_str());
    assert!(why.is_some_and(|why| why.contains("another property")), "{why:?}");
}

/// The verdicts of a model's properties, each from a run of its own.
fn apart(model: &Path, all: &BTreeMap<String, String>, kinds: &Value) -> BTreeMap<String, String> {
    let path = model.display().to_string();
    let mut out = outcomes(&report_of(&["check", "--json", "--no-ltl", "--workers", "1", &path]));
    for name in all.keys() {
        let kind = kinds.as_array().and_then(|k| k.iter().find(|p| p["name"] == **name)).map(|p| p["kind"].clone());
        let option = match kind.as_ref().and_then(Value::as_str) {
            Some("formula") => "--ltl",
            Some("claim") => "--claim",
            _ => continue,
        };
        let alone = report_of(&["check", "--json", option, name, "--workers", "1", &path]);
        out.extend(outcomes(&alone).into_iter().filter(|(n, _)| n == name));
    }
    out
}

fn report_of(line: &[&str]) -> Value {
    let folder = Folder::new();
    let trail = folder.path("t.json").display().to_string();
    serde_json::from_str(&run(&[line, &["--trail", &trail, "--time", "60s"]].concat()).stdout).expect("a report")
}

#[test]
fn verdicts_of_a_shared_run_are_those_of_separate_runs() {
    let mut compared = 0;
    let small = |model: &PathBuf| !stem(model).starts_with("benchmark-");
    for model in models("examples").into_iter().chain(models("corpus")).filter(small) {
        let text = std::fs::read_to_string(&model).expect("a text");
        if !text.contains("ltl") && !text.contains("never") {
            continue;
        }
        let report = report_of(&["check", "--json", "--workers", "1", &model.display().to_string()]);
        if report["outcome"] == "error" {
            continue;
        }
        let shared = outcomes(&report);
        let apart = apart(&model, &shared, &report["properties"]);
        assert_eq!(shared, apart, "{}", stem(&model));
        compared +=
            usize::from(report["properties"].as_array().is_some_and(|p| p.iter().any(|p| p["kind"] != "safety")));
    }
    assert!(compared >= 20, "only {compared} models had claims");
}
