//! Fair runs on the command line: what fairness means, and the wrong answers that other checkers are known to give about
//! it. The letters are those of `docs/differences.md`.

mod common;

use common::{Folder, json, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

const WEAK: [&[&str]; 2] = [&["--fair"], &["--fair", "weak", "--engine", "scc"]];
const STRONG: [&[&str]; 1] = [&["--fair", "strong"]];
const NONE: [&[&str]; 2] = [&[], &["--engine", "scc"]];

fn own(report: &Value, name: &str) -> Value {
    let properties = report["properties"].as_array().unwrap_or_else(|| panic!("{report}"));
    properties.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("no {name}: {report}")).clone()
}

/// Checks one property; a trail is replayed.
fn ask(model: &str, what: &[&str], name: &str, options: &[&str]) -> Value {
    let line: Vec<&str> = [&["check", "--json"], what, options, &[model]].concat();
    let ran = run(&line);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{line:?}: {e}: {ran:?}"));
    let property = own(&report, name);
    if property["outcome"] == "violated" {
        let trail = property["findings"][0]["trail"].as_str().unwrap_or_else(|| panic!("no trail: {report}"));
        let replayed = run(&["replay", model, trail]);
        assert_eq!(replayed.status, 0, "{line:?}: {replayed:?}");
    }
    property
}

/// The verdict that every search must give.
fn expect(model: &str, what: &[&str], name: &str, options: &[&[&str]], verdict: &str) {
    for options in options {
        let property = ask(model, what, name, options);
        assert_eq!(property["outcome"], verdict, "{model} {name} {options:?}");
    }
}

/// The verdicts on the formula `p`: all runs, weakly fair ones, strongly fair ones.
fn verdicts(text: &str, [all, weak, strong]: [&str; 3]) {
    let f = Folder::new();
    let model = f.file("m.pml", text);
    for (options, verdict) in [(&NONE[..], all), (&WEAK, weak), (&STRONG, strong)] {
        expect(&model, &["--ltl", "p"], "p", options, verdict);
    }
}

#[test]
fn a_process_that_can_always_move_is_not_forgotten() {
    let text = "bool x; active proctype P() { do :: skip od } active proctype Q() { x = true } ltl p { <> x }";
    verdicts(text, ["violated", "holds", "holds"]);
}

#[test]
fn a_process_that_can_move_again_and_again_is_not_forgotten_by_strong_fairness() {
    let text = "bool free = true, in; active proctype P() { do :: atomic { free -> free = false }; free = true od } \
                active proctype Q() { atomic { free -> free = false }; in = true; free = true } ltl p { <> in }";
    verdicts(text, ["violated", "violated", "holds"]);
}

#[test]
fn fairness_is_about_processes_and_not_about_choices() {
    let text = "bool x; active proctype P() { do :: skip :: x = true od } ltl p { <> x }";
    verdicts(text, ["violated"; 3]);
}

#[test]
fn a_handshake_is_a_move_of_both() {
    // The receiver can always move, but with whom is open.
    let text = "chan c = [0] of { bit }; bool x; active proctype P() { do :: c!0 od } \
                active proctype Q() { do :: c?_ -> x = true od } active proctype R() { do :: skip od } ltl p { <> x }";
    verdicts(text, ["violated", "holds", "holds"]);
    // Two senders compete, and the receiver is not always ready.
    let text = "chan line = [0] of { bit }; bool raised; active proctype low() { do :: line!0 od } \
                active proctype high() { do :: line!1; raised = true od } \
                active proctype sink() { bit x; do :: line?x; x = 0 od } ltl p { <> raised }";
    verdicts(text, ["violated", "violated", "holds"]);
}

#[test]
fn nobody_is_kept_from_moving_by_an_atomic_sequence() {
    let text = "bool x; byte a; active proctype P() { do :: atomic { a = 1; a = 2; a = 0 } od } \
                active proctype Q() { x = true } ltl p { <> x }";
    verdicts(text, ["violated", "holds", "holds"]);
}

#[test]
fn a_process_that_waits_for_a_timeout_can_move_only_then() {
    let text =
        "bool x; active proctype P() { do :: skip od } active proctype Q() { timeout -> x = true } ltl p { <> x }";
    verdicts(text, ["violated"; 3]);
    let text = "bool x; byte a; active proctype P() { do :: a < 3 -> a++ od } \
                active proctype Q() { timeout -> x = true } ltl p { <> x }";
    verdicts(text, ["holds"; 3]);
}

#[test]
fn processes_that_come_and_go_count_while_they_exist() {
    // The number of the child is given again and again; the process beside it must not be forgotten for that.
    let text = "bool x; proctype child() { skip } active proctype Q() { x = true; false } \
                init { do :: _nr_pr < 3 -> run child() od } ltl p { <> x }";
    verdicts(text, ["violated", "holds", "holds"]);
    // A child that can move does so before its parent has had enough.
    let text = "bool x; proctype child() { x = true } init { run child(); do :: skip od } ltl p { <> x }";
    verdicts(text, ["violated", "holds", "holds"]);
}

#[test]
fn z_a_run_that_ends_is_fair() {
    let two = "byte n; active proctype P() { n = 1 } active proctype Q() { n = 2 } ltl p { <> [] (n == 1) }";
    let three = "byte a, b; active proctype P() { byte x; a = x } active proctype Q() { b = 0; b = 0 } \
                 ltl p { <> ! <> (b == 0) }";
    let stuck =
        "byte n; active proctype P() { n = 1; false } active proctype Q() { n = 2; n == 3 } ltl p { [] <> (n == 1) }";
    for text in [two, three, stuck] {
        verdicts(text, ["violated"; 3]);
    }
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active proctype P() { x = 1; accept_here: x == 2 }");
    for options in WEAK.into_iter().chain(STRONG) {
        assert_eq!(ask(&model, &["--accept"], "acceptance", options)["outcome"], "violated", "{options:?}");
    }
}

#[test]
fn z_a_receiver_can_move_whoever_sends() {
    let text = "chan d[2] = [0] of { bit }; bit t; bool got; active proctype R() { d[0]?_; got = true } \
                active proctype A() { do :: d[t]!0 od } active proctype B() { do :: d[1 - t]!0 od } \
                active proctype T() { do :: t = 1 - t od } ltl p { <> got }";
    verdicts(text, ["violated", "holds", "holds"]);
}

#[test]
fn z_small_models_stay_small() {
    let first = "byte b; active proctype P() { byte x; x = 1 - x; skip } active proctype Q() { do :: b = 1; skip od } \
                 active proctype R() { byte x; do :: (b == 1) :: atomic { skip; x = 1 - x }; b = x od } \
                 ltl p { <> [] (b == 1) }";
    let second = "byte a, b; active proctype P() { byte x; x = 1 - x; skip } active proctype Q() { do :: b = 1; skip od } \
                  active proctype R() { byte x; end: do :: (b == 1) :: atomic { skip; skip; x = 1 - x }; a = 0; b = x od } \
                  ltl p { (<> (b == 1) U [] (b == 1)) || (b == 1) }";
    for text in [first, second] {
        let f = Folder::new();
        let model = f.file("m.pml", text);
        let ask = |options: &[&str]| ask(&model, &["--ltl", "p", "--all-errors"], "p", options);
        let plain = ask(&[]);
        for options in WEAK.into_iter().chain(STRONG) {
            let fair = ask(options);
            assert_eq!(fair["outcome"], "violated", "{options:?}");
            assert_eq!(fair["stats"]["states_stored"], plain["stats"]["states_stored"], "{options:?}");
            assert!(fair["stats"]["max_depth"].as_u64().is_some_and(|depth| depth < 1000), "{options:?}");
        }
    }
}

/// The first cycle that a search closes forgets somebody; there is a fair one, or there is none.
#[test]
fn an_unfair_cycle_on_the_way_does_not_end_the_search() {
    let process = |back: &str| {
        format!(
            "byte x; active proctype P() {{ do :: x < 2 :: x > 2 -> x = 3 od }} \
             active proctype Q() {{ do :: x < 3 -> x++ {back} od }} ltl p {{ <> (x == 3) }}"
        )
    };
    verdicts(&process(""), ["violated", "holds", "holds"]);
    verdicts(&process(":: x == 2 -> x = 0"), ["violated"; 3]);
}

#[test]
fn k_o_formulas_mean_the_same_with_fairness() {
    verdicts("byte x; init { x = 1 } ltl p { [] x != 1 }", ["violated"; 3]);
    let next =
        "byte x; active proctype B() { x = 1 } active proctype A() { byte l; l = 1; l = 2 } ltl p { X (x == 0) }";
    verdicts(next, ["violated"; 3]);
}

#[test]
fn m_q_fairness_hides_neither_deadlocks_nor_assertions() {
    let f = Folder::new();
    let escape = "chan sig = [0] of { bit }; active proctype taker() { skip; sig?1 } \
                  active proctype guarded() { assert(false) unless sig!1 } ltl p { [] true }";
    let model = f.file("escape.pml", escape);
    let stuck = f.file("stuck.pml", "active proctype P() { false } ltl p { [] true }");
    for options in NONE.into_iter().chain(WEAK).chain(STRONG) {
        let line = |model| [&["check", "--json", "--ltl", "p"][..], options, &[model]].concat();
        assert_eq!(own(&json(&line(&model), 1), "assertions")["outcome"], "violated", "{options:?}");
        assert_eq!(own(&json(&line(&stuck), 1), "invalid-end-states")["outcome"], "violated", "{options:?}");
    }
}

#[test]
fn claims_labels_and_progress_know_fairness() {
    let f = Folder::new();
    let text = "byte x; active proctype P() { do :: x = x od } active proctype Q() { x = 1 }\n\
                never stays { accept: do :: x == 0 od }";
    let model = f.file("claim.pml", text);
    let file = f.file("never.pml", "never other { accept: do :: x == 0 od }");
    let labels = f.file(
        "labels.pml",
        "bool x; active proctype P() { do :: !x -> accept: skip :: x od } active proctype Q() { x = true }",
    );
    let progress = f.file(
        "progress.pml",
        "active proctype P() { do :: skip od } active proctype Q() { do :: skip; progress: skip od }",
    );
    let cases = [
        (&model, &["--claim", "stays"][..], "stays"),
        (&model, &["--never", &file], "other"),
        (&labels, &["--accept"], "acceptance"),
        (&progress, &["--progress"], "progress"),
    ];
    for (model, what, name) in cases {
        for (options, verdict) in [(&NONE[..], "violated"), (&WEAK, "holds"), (&STRONG, "holds")] {
            expect(model, what, name, options, verdict);
        }
    }
}

#[test]
fn the_report_names_the_fairness() {
    let f = Folder::new();
    let text = "bool x; active proctype P() { do :: skip od } active proctype Q() { x = true }\n\
                ltl p { <> x } ltl q { [] x }";
    let model = f.file("m.pml", text);
    for (word, adjective) in [("weak", "weakly"), ("strong", "strongly")] {
        let report = json(&["check", "--json", "--ltl", "p", "--fair", word, &model], 0);
        assert_eq!((&own(&report, "p")["fairness"], &report["options"]["fair"]), (&word.into(), &word.into()));
        assert_eq!(own(&report, "assertions")["fairness"], Value::Null);
        let holds = run(&["check", "--ltl", "p", "--fair", word, &model]);
        assert!(holds.stdout.contains(&format!("true of every {adjective} fair run")), "{holds:?}");
        let violated = run(&["check", "--ltl", "q", "--fair", word, &model]);
        assert!(violated.stdout.contains(&format!("there is a {adjective} fair run")), "{violated:?}");
    }
    assert_eq!(json(&["check", "--json", "--ltl", "p", "--fair", &model], 0)["options"]["fair"], "weak");
}

#[test]
fn wishes_that_make_no_sense_are_refused() {
    let f = Folder::new();
    let model = f.file("m.pml", "active proctype P() { do :: skip od }");
    for line in [&["--fair"][..], &["--fair", "strong"], &["--fair", "--accept", "--merge"]] {
        let line = [&["check", "--json"][..], line, &[&model]].concat();
        assert_eq!(json(&line, 2)["diagnostics"][0]["code"], "contradiction", "{line:?}");
    }
}

/// The `NAME fair` and `progress fair` lines in the heads of the examples.
fn expectations() -> Vec<(PathBuf, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let models = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut out = Vec::new();
    for model in models.filter(|p| p.extension().is_some_and(|e| e == "pml")) {
        let text = std::fs::read_to_string(&model).unwrap();
        for line in text.lines().filter_map(|l| l.strip_prefix("// ")) {
            let Some((key, verdict)) = line.split_once(" fair: ") else { continue };
            if key != "progress" && !key.starts_with("ltl ") {
                continue;
            }
            let verdict = verdict.split_whitespace().next().unwrap_or_default();
            out.push((model.clone(), key.to_string(), verdict.to_string()));
        }
    }
    out
}

#[test]
fn examples_get_the_verdicts_of_their_heads() {
    let all = expectations();
    assert!(all.len() >= 14, "only {} lines were found", all.len());
    let f = Folder::new();
    for (model, key, verdict) in all {
        // The trail goes beside the model.
        let name = model.file_name().unwrap().to_string_lossy().into_owned();
        let copy = f.file(&name, &std::fs::read_to_string(&model).unwrap());
        match key.strip_prefix("ltl ") {
            Some(formula) => expect(&copy, &["--ltl", formula], formula, &WEAK, &verdict),
            None => expect(&copy, &["--progress"], "progress", &WEAK, &verdict),
        }
    }
}

#[test]
fn a_replay_checks_the_fairness_that_a_trail_names() {
    let f = Folder::new();
    let text = "bool t, n;\nactive proctype A() { do :: t = !t od }\nactive proctype B() { do :: n = !n od }\n
ltl never_t { <> t }\nltl settles { <> [] !n }\n";
    let model = f.file("m.pml", text);
    let trail = f.path("t.json").display().to_string();
    assert_eq!(run(&["check", &model, "--ltl", "settles", "--fair", "strong", "--trail", &trail]).status, 1);
    let read = |path: &str| serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(read(&trail)["fairness"], "strong");
    let ran = run(&["replay", &model, &trail, "--json"]);
    let replayed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(replayed["fairness"], "strong");

    assert_eq!(run(&["check", &model, "--ltl", "never_t", "--trail", &trail]).status, 1);
    let mut forged = read(&trail);
    assert_eq!(forged["fairness"], Value::Null);
    forged["fairness"] = "weak".into();
    let forged = f.file("forged.json", &forged.to_string());
    let ran = run(&["replay", &model, &forged]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.contains("unfair to process 0"), "{ran:?}");
    // The cycle has to pass an accepting state, too.
    let mut forged = read(&trail);
    forged["cycle_start"] = (forged["steps"].as_array().unwrap().len() + 1).into();
    let forged = f.file("forged.json", &forged.to_string());
    assert_eq!(run(&["replay", &model, &forged]).status, 2);
}
