//! Every property that the head of a model speaks of gets its verdict, from both engines, with a trail that replays.

mod common;

use common::{Folder, json, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line of a model's head about infinite runs: `// ltl NAME: verdict`, `// progress fair: verdict` and so on.
struct Expectation {
    model: PathBuf,
    /// What is asked: `ltl NAME`, `never`, `accept` or `progress`.
    question: String,
    fair: bool,
    verdict: String,
}

impl Expectation {
    fn read(model: &Path, line: &str) -> Option<Expectation> {
        let (question, verdict) = line.strip_prefix("// ")?.split_once(": ")?;
        let (question, fair) = question.strip_suffix(" fair").map_or((question, false), |q| (q, true));
        let known = ["never", "accept", "progress"].contains(&question) || question.starts_with("ltl ");
        let verdict = verdict.split_whitespace().next()?.to_string();
        known.then(|| Expectation { model: model.to_path_buf(), question: question.to_string(), fair, verdict })
    }

    fn options(&self) -> Vec<&str> {
        let mut options = match self.question.as_str() {
            "never" | "accept" => vec!["--accept"],
            "progress" => vec!["--progress"],
            ltl => vec!["--ltl", ltl.strip_prefix("ltl ").unwrap_or(ltl)],
        };
        options.extend(self.fair.then_some("--fair"));
        options
    }
}

fn expectations() -> Vec<Expectation> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models: Vec<PathBuf> = Vec::new();
    for folder in ["examples", "corpus"] {
        models.extend(std::fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()));
    }
    models.retain(|p| p.extension().is_some_and(|e| e == "pml"));
    models.sort();
    let mut out = Vec::new();
    for model in models {
        let text = std::fs::read_to_string(&model).unwrap();
        // A model that is refused says by its head that it is.
        let head = text.lines().take_while(|l| l.starts_with("// "));
        out.extend(head.filter_map(|line| Expectation::read(&model, line)));
    }
    out
}

/// What is wrong with the answer of an engine, if anything is.
fn complaints(e: &Expectation, engine: &str, trail: &Path) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_starwheel"))
        .args(["check", "--json", "--engine", engine, "--trail"])
        .args([trail, &e.model])
        .args(e.options())
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    let own: Vec<_> = properties.iter().filter(|p| p["kind"] != "safety").collect();
    let mut wrong = Vec::new();
    let got = own.first().and_then(|p| p["outcome"].as_str()).unwrap_or("nothing");
    if got != e.verdict || own.len() != 1 {
        wrong.push(format!("{got}, not {}", e.verdict));
    }
    if got == "violated" {
        let trail = report["trail"].as_str().map_or(trail.display().to_string(), String::from);
        let replayed = run(&["replay", &e.model.display().to_string(), &trail]);
        if replayed.status != 0 {
            wrong.push(replayed.stderr);
        }
    }
    let name = format!("{} {} fair={} ({engine})", e.model.display(), e.question, e.fair);
    wrong.into_iter().map(|w| format!("{name}: {w}")).collect()
}

#[test]
fn properties_get_the_verdicts_of_their_heads() {
    let all = expectations();
    assert!(all.len() > 90, "only {} lines were found", all.len());
    let dir = Folder::new();
    let mut wrong = Vec::new();
    for (i, e) in all.iter().enumerate() {
        for engine in ["auto", "scc"] {
            wrong.extend(complaints(e, engine, &dir.path(&format!("{i}-{engine}.json"))));
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
    assert!(ran.stdout.contains("`formula_2`") && ran.stdout.contains("formula_2: ! !<> (x == 1);"), "{ran:?}");
    assert_eq!(run(&["check", &model, "--ltl", "[] (x < 1)"]).status, 1);
    assert_eq!(run(&["replay", &model]).status, 0);
    assert_eq!(run(&["check", &model, "--ltl", "formula"]).status, 1);
}

#[test]
fn questions_about_channels_are_conditions_like_others() {
    let f = Folder::new();
    let model = f.file(
        "m.pml",
        "chan q = [1] of { byte };\nactive proctype P() { do :: q!1 od }\nactive proctype Q() { do :: q?_ od }\n",
    );
    for (formula, status) in [
        ("[] (full(q) -> <> empty(q))", 0),
        ("[] !full(q)", 1),
        ("[] <> (nfull(q) && !nempty(q))", 0),
        ("empty(q) U full(q)", 0),
        ("<> [] full(q)", 1),
        ("[] (len(q) == 1 <-> full(q))", 0),
    ] {
        for engine in ["auto", "scc"] {
            let ran = run(&["check", "--ltl", formula, "--engine", engine, "--por", "ample", &model]);
            assert_eq!(ran.status, status, "{formula}: {ran:?}");
        }
    }
    let wrong = run(&["check", "--ltl", "[] (full(q) == 1)", &model]);
    assert!(wrong.status == 2 && wrong.stderr.contains("use `len` here"), "{wrong:?}");
}

#[test]
fn labels_that_are_only_passed_through_are_warned_of() {
    let f = Folder::new();
    for (body, warned) in [
        ("do :: atomic { x = 1 - x; accept_p: x = 1 - x } od", true),
        ("do :: d_step { x = 1 - x; progress: x = 1 - x } od", true),
        ("do :: x = 1 - x; accept_p: atomic { x = 1 - x; x = 1 - x } od", false),
        ("accept_p: do :: atomic { x = 1 - x; here: x = 1 - x } od", false),
    ] {
        let model = f.file("m.pml", &format!("byte x; active proctype P() {{ {body} }}\nltl p {{ [] (x < 2) }}\n"));
        let ran = run(&["check", "--accept", &model]);
        assert_eq!(ran.stderr.contains("warning[label-in-atomic]"), warned, "{body}: {ran:?}");
    }
}

/// A condition keeps the guard in front of it, however the formula comes to the search.
#[test]
fn a_guard_counts_in_every_way_of_asking() {
    let f = Folder::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/formula-guards.pml");
    let text = std::fs::read_to_string(corpus).unwrap();
    let model = f.file("m.pml", &text);
    let bare = f.file("bare.pml", text.split("\nltl ").next().unwrap());
    let trail = f.path("t").display().to_string();
    for line in text.lines().filter(|l| l.starts_with("ltl ")) {
        let (name, formula) = line["ltl ".len()..].split_once(" { ").unwrap();
        let formula = formula.strip_suffix(" }").unwrap();
        let hoa = f.file("p.hoa", &run(&["ltl", name, "--model", &model, "--negate", "--hoa"]).stdout);
        let claim = f.file("p.never", &run(&["ltl", name, "--model", &model, "--negate", "--never"]).stdout);
        let expected = if ["turned", "later"].contains(&name) { (1, "violated") } else { (0, "holds") };
        for (file, more) in [
            (&model, &["--ltl", name][..]),
            (&model, &["--ltl", name, "--engine", "interp"]),
            (&model, &["--ltl", name, "--engine", "jit", "--workers", "2"]),
            (&model, &["--ltl", name, "--engine", "scc"]),
            (&model, &["--ltl", name, "--decouple"]),
            (&model, &["--ltl", name, "--plain", "--search", "dfs"]),
            (&bare, &["--ltl", formula]),
            (&bare, &["--automaton", &hoa]),
            (&bare, &["--never", &claim]),
        ] {
            let line: Vec<_> = ["check", "--json", file, "--trail", &trail].iter().chain(more).copied().collect();
            let report = json(&line, expected.0);
            assert_eq!(report["outcome"], expected.1, "{name}: {more:?}");
            if expected.0 == 1 {
                let said = report["findings"][0]["message"].to_string();
                assert!(said.contains("the index -1 of `a` is out of bounds"), "{name}: {more:?}: {said}");
            }
        }
    }
}

#[test]
fn operators_of_other_tools_are_named_in_ours() {
    let f = Folder::new();
    let model = f.file("m.pml", "bool p, q; init { p = true; q = true; assert(p && q) }");
    for (formula, advice) in [
        ("G p", "write `[]` or `always` for G"),
        ("G(p -> F q)", "write `[]` or `always` for G"),
        ("[] (p -> F q)", "write `<>` or `eventually` for F"),
        ("p => q", "write `->` for implies"),
        ("[] (p => <> q)", "write `->` for implies"),
        ("p and q", "write `&&` for and"),
        ("[] (p AND q)", "write `&&` for and"),
        ("[] (p or q)", "write `||` for or"),
    ] {
        let out = run(&["check", &model, "--ltl", formula]);
        assert!(out.status == 2 && out.stderr.contains(advice), "{formula}: {out:?}");
    }
}

/// `--ltl all` is every block, unless a block has this name; a trail of such a model finds its formula again.
#[test]
fn a_formula_may_be_called_all() {
    let folder = Folder::new();
    let text = "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\nltl all { [] (x < 4) }\nltl some { [] (x < 2) }\n";
    let model = folder.file("m.pml", text);
    let named = json(&["check", "--json", "--no-assert", "--no-deadlock", "--ltl", "all", &model], 0);
    let names = |report: &Value| -> Vec<String> {
        let list = report["properties"].as_array().expect("a list");
        list.iter().filter(|p| p["kind"] == "formula").map(|p| p["name"].to_string()).collect()
    };
    assert_eq!(names(&named), ["\"all\""]);
    let both = json(&["check", "--json", &model], 1);
    assert_eq!(names(&both), ["\"all\"", "\"some\""]);
    let replayed = run(&["replay", &model]);
    assert!(replayed.status == 0 && replayed.stdout.contains("x < 2"), "{}", replayed.stdout);
}
