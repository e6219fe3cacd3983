//! Claims, accept labels and progress labels on the command line.

mod common;

use common::{Folder, json, run};

const CLAIMS: &str = "\
byte x;
active proctype P() {
    do
    :: x = 1 - x
    od
}
never rises { do :: x == 0 :: x == 1 -> break od }
never stays { accept: do :: x == 0 od }
";

const STUCK: &str = "\
byte x;
active proctype P() { x = 1; accept_here: x == 2 }
";

fn outcome(report: &serde_json::Value, name: &str) -> String {
    let properties = report["properties"].as_array().unwrap();
    let found = properties.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("no {name}: {report}"));
    found["outcome"].as_str().unwrap().to_string()
}

#[test]
fn each_claim_has_its_verdict() {
    let f = Folder::new();
    let model = f.file("m.pml", CLAIMS);
    for engine in ["auto", "scc"] {
        let line = ["check", "--json", "--claim", "rises", "--claim", "1"];
        let mut line = line.to_vec();
        if engine == "scc" {
            line.extend(["--engine", "scc"]);
        }
        line.push(&model);
        let report = json(&line, 1);
        assert_eq!(outcome(&report, "rises"), "violated");
        assert_eq!(outcome(&report, "stays"), "holds");
        assert_eq!(outcome(&report, "assertions"), "holds");
        assert_eq!(report["findings"][0]["kind"], "claim");
        assert_eq!(report["unchecked"].as_array().unwrap().len(), 0);
    }
    assert_eq!(json(&["check", "--json", "--claim", "stays", &model], 0)["unchecked"][0], "rises");
}

#[test]
fn a_claim_hides_neither_deadlock_nor_assertion() {
    let f = Folder::new();
    let model = f.file("m.pml", "active proctype P() { assert(false); false }\nnever { false }\n");
    let report = json(&["check", "--json", "--accept", "--all-errors", &model], 1);
    assert_eq!(outcome(&report, "assertions"), "violated");
    assert_eq!(outcome(&report, "invalid-end-states"), "violated");
    assert_eq!(outcome(&report, "never_0"), "holds");
}

#[test]
fn a_lasso_is_shown_and_replayed() {
    let f = Folder::new();
    let model = f.file("m.pml", "active proctype P() { do :: skip; accept: skip od }\n");
    let out = run(&["check", "--accept", &model]);
    assert_eq!(out.status, 1);
    assert!(out.stdout.contains("the following 2 steps repeat for ever:"), "{out:?}");
    let report = json(&["check", "--json", "--accept", &model], 1);
    assert_eq!(report["findings"][0]["kind"], "acceptance-cycle");
    assert_eq!(report["findings"][0]["cycle_start"], 0);
    assert_eq!(report["findings"][0]["trail_length"], 2);
    assert!(run(&["replay", &model]).stdout.contains("from step 1 again"));
    let text = std::fs::read_to_string(format!("{model}.trail.json")).unwrap();
    std::fs::write(format!("{model}.trail.json"), text.replace("\"cycle_start\": 0", "\"cycle_start\": 1")).unwrap();
    assert_eq!(run(&["replay", &model]).status, 2, "the steps do not come round");
}

#[test]
fn a_system_that_stops_at_an_accept_label_stays_there() {
    let f = Folder::new();
    let model = f.file("m.pml", STUCK);
    let report = json(&["check", "--json", "--accept", "--no-deadlock", &model], 1);
    assert_eq!(outcome(&report, "acceptance"), "violated");
    assert!(run(&["replay", &model]).stdout.contains("stays here for ever"));
    assert_eq!(outcome(&json(&["check", "--json", "--progress", &model], 1), "progress"), "holds");
}

#[test]
fn progress_is_asked_for_by_labels() {
    let f = Folder::new();
    let with = f.file("with.pml", "active proctype P() { do :: skip; progress: skip od }\n");
    assert_eq!(outcome(&json(&["check", "--json", "--progress", &with], 0), "progress"), "holds");
    let without = f.file("without.pml", "active proctype P() { do :: skip; skip od }\n");
    let report = json(&["check", "--json", "--progress", &without], 1);
    assert_eq!(outcome(&report, "progress"), "violated");
    assert_eq!(report["findings"][0]["kind"], "non-progress-cycle");
    assert_eq!(run(&["replay", &without]).status, 0);
}

#[test]
fn a_claim_in_a_file_of_its_own_sees_the_model() {
    let f = Folder::new();
    let model = f.file("m.pml", "#define high (x > 1)\nbyte x; active proctype P() { x = 2 }");
    let claim = f.file("c.pml", "never {\n  do :: !high :: high -> break od\n}\n");
    let report = json(&["check", "--json", "--never", &claim, &model], 1);
    assert_eq!(outcome(&report, "never_0"), "violated");
    assert_eq!(report["findings"][0]["line"], 2);
    assert!(report["findings"][0]["file"].as_str().unwrap().ends_with("c.pml"));
    assert_eq!(run(&["replay", &model]).status, 0);
    let wrong = f.file("w.pml", "never {\n  do :: y > 1 -> break od\n}\n");
    let report = json(&["check", "--json", "--never", &wrong, &model], 2);
    assert_eq!(report["diagnostics"][0]["line"], 2);
    let empty = f.file("e.pml", "byte z;\n");
    assert_eq!(json(&["check", "--json", "--never", &empty, &model], 2)["diagnostics"][0]["code"], "no-claim");
}

#[test]
fn wishes_that_make_no_sense_are_refused() {
    let f = Folder::new();
    let model = f.file("m.pml", CLAIMS);
    let code = |line: &[&str]| {
        let line: Vec<_> = ["check", "--json"].iter().chain(line).copied().chain([model.as_str()]).collect();
        json(&line, 2)["diagnostics"][0]["code"].as_str().unwrap().to_string()
    };
    assert_eq!(code(&["--claim", "nobody"]), "no-claim");
    assert_eq!(code(&["--claim", "7"]), "no-claim");
    assert_eq!(code(&["--accept"]), "which-claim");
    assert_eq!(code(&["--never", "nowhere.pml"]), "unreadable-file");
    assert_eq!(code(&["--search", "bfs", "--claim", "0"]), "contradiction");
    assert_eq!(code(&["--engine", "scc", "--no-ltl"]), "contradiction");
}
