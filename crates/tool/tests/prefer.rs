//! `check --prefer switches`, `check --events` and `check --report`: which counterexample is told, and to whom.

mod common;

use common::{Folder, json, run};
use serde_json::Value;

/// An update is lost if one process is interrupted between its read and its write: it, the other, it again, and the judge.
const LOST: &str = "\
byte n, done;
active [2] proctype inc() { byte t; t = n; t++; n = t; done++ }
active proctype judge() { do :: done == 2 -> assert(n == 2); break od }
ltl never_three { [] (n < 3) }
ltl ends { <> (n == 2) }
";

const BUFFER: &str = include_str!("models/buffer.pml");

#[test]
fn the_fewest_switches_are_proved() {
    let folder = Folder::new();
    let model = folder.file("lost.pml", LOST);
    let report = json(&["check", "--json", "--no-ltl", "--prefer", "switches", &model], 1);
    let finding = &report["findings"][0];
    assert_eq!((&finding["switches"], &finding["fewest_switches"]), (&Value::from(3), &Value::Bool(true)), "{finding}");
    let ran = run(&["check", "--no-ltl", "--prefer", "switches", &model]);
    assert!(ran.stdout.contains("3 context switches; no run to such an error has fewer"), "{}", ran.stdout);
    assert_eq!(run(&["replay", &model]).status, 0);
}

#[test]
fn merged_steps_and_reduction_change_nothing() {
    let folder = Folder::new();
    let model = folder.file("buffer.pml", BUFFER);
    let switches = |more: &[&str]| {
        let args = [&["check", "--json", "--no-ltl", "--prefer", "switches", &model][..], more].concat();
        let finding = json(&args, 1)["findings"][0].clone();
        assert_eq!(finding["fewest_switches"], Value::Bool(true), "{finding}");
        finding["switches"].as_u64().expect("a number")
    };
    let plain = switches(&["--plain"]);
    assert!(plain <= 8, "{plain}");
    assert_eq!([switches(&[]), switches(&["--search", "bfs"])], [plain, plain]);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let folder = Folder::new();
    let model = folder.file("lost.pml", LOST);
    for other in [&["--all-errors"][..], &["--different", "2"], &["--processes", "2"], &["--spill"]] {
        let ran = run(&[&["check", &model, "--prefer", "switches"][..], other].concat());
        assert!(ran.status == 2 && ran.stderr.contains("--prefer"), "{ran:?}");
    }
    assert_eq!(run(&["check", &model, "--prefer", "sleep"]).status, 2);
}

#[test]
fn events_are_lines_of_json() {
    let folder = Folder::new();
    let model = folder.file("lost.pml", LOST);
    let ran = run(&["check", &model, "--events"]);
    let events: Vec<Value> = ran.stderr.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect();
    let of = |kind: &str| events.iter().filter(|e| e["event"] == kind).collect::<Vec<_>>();
    assert!(of("found").iter().any(|e| e["property"] == "safety" && e["kind"] == "assertion"), "{events:?}");
    assert!(of("found").iter().any(|e| e["property"] == "ends"), "{events:?}");
    let last = events.last().expect("an end");
    assert_eq!((&last["event"], &last["outcome"]), (&Value::from("done"), &Value::from("violated")));
    assert_eq!(last["properties"]["never_three"], "holds", "{last}");
    assert!(ran.stdout.starts_with("VIOLATED"), "people are told, too: {}", ran.stdout);
}

#[test]
fn verdicts_are_test_cases() {
    let folder = Folder::new();
    let (model, junit, sarif) = (folder.file("lost.pml", LOST), folder.path("r.xml"), folder.path("r.sarif"));
    let (junit, sarif) = (junit.display().to_string(), sarif.display().to_string());
    let (one, other) = (format!("junit={junit}"), format!("sarif={sarif}"));
    let ran = run(&["check", &model, "--report", &one, "--report", &other, "--report", "github"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("::error file=") && ran.stdout.contains("title=assertions does not hold"), "{ran:?}");
    let xml = std::fs::read_to_string(junit).unwrap();
    assert!(xml.contains("tests=\"5\"") && xml.contains("name=\"never_three\""), "{xml}");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(sarif).unwrap()).unwrap();
    let results = results["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().all(|r| r["ruleId"] == "property"), "{results:?}");
    assert_eq!(run(&["check", &model, "--json", "--report", "github"]).status, 2);
    assert_eq!(run(&["check", &model, "--report", "html=x"]).status, 2);
}
