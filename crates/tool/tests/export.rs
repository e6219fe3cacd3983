//! Graphs of states: as many states and transitions as are counted, and nothing of a graph that is not whole.

mod common;

use common::{Folder, json, run};
use starwheel_testkit::aut::Aut;
use std::path::Path;

/// A few models with handshakes, atomic sequences, hidden variables, choices, timeouts and errors.
const MODELS: [&str; 6] = [
    "byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }",
    "chan c = [0] of { byte }; active proctype A() { do :: c!1 :: c!2 od } active proctype B() { byte v; end: do :: c?v od }",
    "byte x; active [2] proctype P() { byte i; atomic { if :: i = 1 :: i = 2 :: i = 2 fi; x = (x + i) % 4; i = 0 }; x = 0 }",
    "hidden byte h; byte x; active [2] proctype P() { h = _pid; x++; h = 0; x-- }",
    "byte x; active proctype P() { do :: x < 2 -> x++; assert(x < 2) :: timeout -> break od }",
    "byte a[2]; byte i; active proctype P() { do :: i < 3 -> a[i] = 1; i++ :: else -> break od }",
];

fn counts(path: &str) -> (u64, u64) {
    let folder = Folder::new();
    let trail = folder.path("trail").display().to_string();
    let ran = run(&["check", path, "--json", "--plain", "--all-errors", "--workers", "1", "--trail", &trail]);
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{path}: {e}: {ran:?}"));
    let of = |name: &str| report["stats"][name].as_u64().unwrap_or_else(|| panic!("{path}: {report}"));
    (of("states_stored"), of("transitions") - 1)
}

fn aut(path: &str, more: &[&str]) -> Aut {
    let ran = run(&[&["graph", path, "--states", "aut"], more].concat());
    assert_eq!(ran.status, 0, "{path}: {ran:?}");
    Aut::read(&ran.stdout).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn a_graph_has_the_states_and_transitions_that_are_counted() {
    let folder = Folder::new();
    for (number, text) in MODELS.iter().enumerate() {
        let path = folder.file(&format!("m{number}.pml"), text);
        let graph = aut(&path, &[]);
        assert_eq!((graph.states as u64, graph.edges.len() as u64), counts(&path), "{text}");
        let file = folder.path("out.aut").display().to_string();
        let ran = run(&["graph", &path, "--states", "aut", "-o", &file]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(Aut::read(&std::fs::read_to_string(&file).unwrap()).unwrap(), graph);
        assert!(graph.bisimilar(&graph));
    }
}

#[test]
fn models_of_the_corpus_have_the_counts_of_a_search() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    let mut files: Vec<_> = std::fs::read_dir(corpus).unwrap().flatten().map(|f| f.path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "pml")) {
        let path = path.display().to_string();
        let ran = run(&["graph", &path, "--states", "aut", "--limit", "3000", "--labels", "statement"]);
        if ran.status != 0 {
            continue;
        }
        let graph = Aut::read(&ran.stdout).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_eq!((graph.states as u64, graph.edges.len() as u64), counts(&path), "{path}");
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} examples are small enough");
}

#[test]
fn labels_name_who_moves_what_and_where() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODELS[1]);
    let labels = |how: &str| aut(&path, &["--labels", how]).edges[0].1.clone();
    assert_eq!(labels("process"), "A(0)!B(1)");
    assert_eq!(labels("statement"), "A(0)!B(1): c!1");
    assert_eq!(labels("line"), "A(0)!B(1): c!1 @1");
}

#[test]
fn a_graph_that_is_not_whole_leaves_nothing() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODELS[0]);
    let out = folder.path("out.aut");
    let file = out.display().to_string();
    for form in ["aut", "dot", "json"] {
        let ran = run(&["graph", &path, "--states", form, "--limit", "3", "-o", &file]);
        assert_eq!(ran.status, 3, "{ran:?}");
        assert!(ran.stderr.contains("more than 3 states") && !out.exists(), "{ran:?}");
    }
    assert_eq!(run(&["graph", &path, "--states", "aut", "--limit", "3"]).stdout, "");
    assert!(run(&["graph", &path, "--states", "json", "--limit", "3"]).stdout.contains("\"whole\":false"));
    std::fs::write(&out, "something else").unwrap();
    assert_eq!(run(&["graph", &path, "--states", "aut", "-o", &file]).status, 2);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "something else");
}

#[test]
fn json_and_pictures_have_every_state() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODELS[4]);
    let (states, transitions) = counts(&path);
    let lines = run(&["graph", &path, "--states", "json"]).stdout;
    let lines: Vec<serde_json::Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.iter().filter(|l| l.get("state").is_some()).count() as u64, states);
    assert_eq!(lines.iter().filter(|l| l.get("from").is_some()).count() as u64, transitions);
    assert!(lines.iter().any(|l| l["wrong"] == true), "the assertion fails");
    assert_eq!(lines.last().unwrap()["whole"], true);
    let dot = run(&["graph", &path, "--states", "dot"]).stdout;
    assert_eq!(dot.matches(" -> ").count() as u64 - dot.matches("x < 2 -> ").count() as u64, transitions);
    assert!(dot.contains("color=red"));
}

#[test]
fn a_kripke_structure_is_read_back() {
    let folder = Folder::new();
    let path = folder.file("m.pml", "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0; break od }");
    let file = folder.path("k.hoa").display().to_string();
    let ran = run(&["graph", &path, "--states", "kripke", "--ltl", "[] (x < 3)", "-o", &file]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("AP: 1 \"x<3\"") && text.ends_with("--END--\n"), "{text}");
    assert_eq!(text.matches("State: ").count() as u64, counts(&path).0);
    // All its runs are accepting, so the model has one of them.
    assert_eq!(json(&["check", &path, "--automaton", &file, "--json"], 1)["outcome"], "violated");
    let none = run(&["graph", &path, "--states", "kripke"]);
    assert!(none.status == 2 && none.stderr.contains("--ltl"), "{none:?}");
}

#[test]
fn options_about_a_graph_need_one() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODELS[0]);
    for options in [
        &["--limit", "3"][..],
        &["--labels", "line"],
        &["-o", "x"],
        &["--states", "aut", "--dot"],
        &["--states", "aut", "--json"],
        &["--states", "dot", "--proctype", "P"],
        &["--states", "json", "--ltl", "[] (x < 3)"],
    ] {
        assert_eq!(run(&[&["graph", &path], options].concat()).status, 2, "{options:?}");
    }
}

#[test]
fn several_processes_write_the_same_graph() {
    let folder = Folder::new();
    for (number, text) in MODELS.iter().enumerate() {
        let path = folder.file(&format!("m{number}.pml"), text);
        let alone = aut(&path, &[]);
        for (processes, wire) in [("1", "tree"), ("4", "tree"), ("3", "global")] {
            let shared = aut(&path, &["--processes", processes, "--wire", wire]);
            assert_eq!((shared.states, shared.edges.len()), (alone.states, alone.edges.len()), "{text}");
            assert!(shared.bisimilar(&alone), "{processes} processes, {wire}: {text}");
        }
    }
    let path = folder.file("m.pml", MODELS[0]);
    for form in ["dot", "json", "kripke"] {
        let ltl: &[&str] = if form == "kripke" { &["--ltl", "[] (x < 4)"] } else { &[] };
        let lines = |more: &[&str]| {
            let ran = run(&[&["graph", &path, "--states", form, "--limit", "3000"], ltl, more].concat());
            assert_eq!(ran.status, 0, "{form}: {ran:?}");
            // One process alone meets states in another order than several; as many lines tell of them.
            ran.stdout.lines().count()
        };
        assert_eq!(lines(&["--processes", "3"]), lines(&[]), "{form}");
    }
    let file = folder.path("out.aut").display().to_string();
    let ran = run(&["graph", &path, "--states", "aut", "--processes", "2", "-o", &file]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(Aut::read(&std::fs::read_to_string(&file).unwrap()).unwrap().bisimilar(&aut(&path, &[])));
}

#[test]
fn a_graph_of_several_processes_is_whole_or_not_there() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODELS[0]);
    let file = folder.path("out.aut");
    let ran = run(&[
        "graph",
        &path,
        "--states",
        "aut",
        "--processes",
        "2",
        "--limit",
        "3",
        "-o",
        &file.display().to_string(),
    ]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.stderr.contains("there are more than 3 states") && !file.exists(), "{ran:?}");
    let ran = run(&["graph", &path, "--processes", "2"]);
    assert_eq!(ran.status, 2, "{ran:?}");
}
