//! Every formula of the example models gets the verdict that its head says, from both engines, with a trail that replays.

mod common;

use common::{Folder, json, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One `// ltl NAME: verdict` line of a model.
struct Expectation {
    model: PathBuf,
    formula: String,
    verdict: String,
}

fn expectations() -> Vec<Expectation> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    models.retain(|p| p.extension().is_some_and(|e| e == "pml"));
    models.sort();
    let mut out = Vec::new();
    for model in models {
        let text = std::fs::read_to_string(&model).unwrap();
        for line in text.lines().filter_map(|l| l.strip_prefix("// ltl ")) {
            let Some((formula, verdict)) = line.split_once(": ") else { continue };
            // `NAME fair` is about fair runs only.
            if !formula.contains(' ') {
                let verdict = verdict.split_whitespace().next().unwrap_or_default().to_string();
                out.push(Expectation { model: model.clone(), formula: formula.to_string(), verdict });
            }
        }
    }
    out
}

#[test]
fn formulas_get_the_verdicts_of_their_heads() {
    let all = expectations();
    assert!(all.len() > 50, "only {} formulas were found", all.len());
    let dir = Folder::new();
    let mut wrong = Vec::new();
    for (i, e) in all.iter().enumerate() {
        for engine in ["auto", "scc"] {
            let trail = dir.path(&format!("{i}-{engine}.json"));
            let output = Command::new(env!("CARGO_BIN_EXE_starwheel"))
                .args(["check", "--json", "--engine", engine, "--ltl", &e.formula, "--trail"])
                .args([trail.as_path(), &e.model])
                .output()
                .unwrap();
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let properties = report["properties"].as_array().cloned().unwrap_or_default();
            let own = properties.iter().find(|p| p["name"] == e.formula.as_str());
            let got = own.and_then(|p| p["outcome"].as_str()).unwrap_or("nothing");
            if got == "violated" {
                let args = [
                    "replay",
                    &e.model.display().to_string(),
                    &report["trail"].as_str().map_or(trail.display().to_string(), String::from),
                ];
                let replayed = run(&args);
                if replayed.status != 0 {
                    wrong.push(format!("{} {} ({engine}): {}", e.model.display(), e.formula, replayed.stderr));
                }
            }
            if got != e.verdict {
                wrong.push(format!("{} {} ({engine}): {got}, not {}", e.model.display(), e.formula, e.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const MODEL: &str = "\
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl back { [] <> (x == 0) }
ltl never_two { [] (x != 2) }
";

#[test]
fn formulas_are_chosen_by_name_or_typed() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let report = json(&["check", "--json", "--ltl", "all", &model], 1);
    let outcomes: Vec<_> =
        report["properties"].as_array().unwrap().iter().map(|p| (&p["name"], &p["outcome"])).collect();
    assert!(outcomes.iter().any(|(n, o)| *n == "back" && *o == "holds"), "{outcomes:?}");
    assert!(outcomes.iter().any(|(n, o)| *n == "never_two" && *o == "violated"), "{outcomes:?}");
    assert_eq!(json(&["check", "--json", "--ltl", "back", &model], 0)["unchecked"][0], "never_two");
    assert_eq!(run(&["check", "--ltl", "<> (x == 3)", &model]).status, 0);
    assert_eq!(run(&["check", "--ltl", "X X X (x == 3)", &model]).status, 1, "two steps for each increment");
    assert_eq!(json(&["check", "--json", "--ltl", "other", &model], 2)["diagnostics"][0]["code"], "no-formula");
    assert_eq!(json(&["check", "--json", "--ltl", "[] y", &model], 2)["diagnostics"][0]["code"], "unknown-name");
    assert_eq!(json(&["check", "--json", "--ltl", "[] (x", &model], 2)["outcome"], "error");
}

#[test]
fn a_typed_formula_does_not_clash_with_a_block_of_its_name() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x;\nactive proctype P() { x = 1 }\nltl formula { [] (x == 0) }\n");
    let ran = run(&["check", &model, "--ltl", "! ! <> (x == 1)"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("`formula_2`") && ran.stdout.contains("formula_2: ! !<> (x==1);"), "{ran:?}");
    assert_eq!(run(&["check", &model, "--ltl", "[] (x < 1)"]).status, 1);
    assert_eq!(run(&["replay", &model]).status, 0);
    assert_eq!(run(&["check", &model, "--ltl", "formula"]).status, 1);
}
