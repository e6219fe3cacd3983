//! `check --automaton FILE.hoa`: verdicts, propositions over the model, and errors that point into the file.

mod common;

use common::{Folder, json, run};

const MODEL: &str = "\
#define two (x == 2)
#define lost (gone == 2)
byte x, X;
active proctype P() { byte mine; do :: x < 3 -> x++; mine = 1 - mine :: x == 3 -> here: x = 0; X = 1 - X od }
";

fn hoa(props: &str, acceptance: &str, body: &str) -> String {
    format!("HOA: v1\nStart: 0\nAP: {props}\nAcceptance: {acceptance}\n--BODY--\n{body}\n--END--\n")
}

/// The verdict on an automaton.
fn verdict(props: &str, acceptance: &str, body: &str) -> String {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let file = f.file("a.hoa", &hoa(props, acceptance, body));
    let ran = run(&["check", "--json", &model, "--automaton", &file]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(ran.status <= 1, "{}", ran.stdout);
    let properties = report["properties"].as_array().unwrap();
    let own = properties.iter().find(|p| p["name"] == "automaton").unwrap();
    if own["outcome"] == "violated" {
        let replayed = run(&["replay", &model]);
        assert_eq!(replayed.status, 0, "{}", replayed.stderr);
    }
    own["outcome"].as_str().unwrap().to_string()
}

#[test]
fn what_the_automaton_accepts_must_not_happen() {
    let again_and_again = "State: 0\n[0] 1\n[!0] 0\nState: 1 {0}\n[0] 1\n[!0] 0";
    assert_eq!(verdict("1 \"x == 2\"", "1 Inf(0)", again_and_again), "violated");
    assert_eq!(verdict("1 \"x == 4\"", "1 Inf(0)", again_and_again), "holds");
    let for_ever = "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1";
    assert_eq!(verdict("1 \"x == 2\"", "1 Inf(0)", for_ever), "holds");
    assert_eq!(verdict("1 \"x < 4\"", "1 Inf(0)", for_ever), "violated");
}

#[test]
fn acceptance_may_be_on_edges_generalised_or_absent() {
    assert_eq!(verdict("1 \"two\"", "1 Inf(0)", "State: 0\n[0] 0 {0}\n[!0] 0"), "violated");
    let both = "State: 0\n[0] 0 {0}\n[1] 0 {1}\n[!0 & !1] 0";
    assert_eq!(verdict("2 \"x == 1\" \"x == 2\"", "2 Inf(0) & Inf(1)", both), "violated");
    assert_eq!(verdict("2 \"x == 1\" \"x == 9\"", "2 Inf(0) & Inf(1)", both), "holds");
    // Without acceptance sets every run that never gets stuck is accepted.
    assert_eq!(verdict("1 \"x < 4\"", "0 t", "State: 0\n[0] 0"), "violated");
    assert_eq!(verdict("1 \"x < 3\"", "0 t", "State: 0\n[0] 0"), "holds");
    assert_eq!(verdict("0", "1 Inf(0)", "State: 0 {0}\n[t] 0"), "violated");
}

#[test]
fn propositions_are_conditions_of_the_language() {
    let some_time = "State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1";
    for (prop, expected) in [
        ("two && X == 1", "violated"),
        ("X > 1", "holds"),
        ("P@here", "violated"),
        ("P[0]:mine == 1", "violated"),
        ("P[0]:mine == 2", "holds"),
        ("!x == 2", "holds"),
        ("(x > 2 -> X : 1) == 3", "holds"),
        ("x == 2 // a comment", "violated"),
        ("timeout", "holds"),
    ] {
        assert_eq!(verdict(&format!("1 \"{prop}\""), "1 Inf(0)", some_time), expected, "{prop}");
    }
}

#[test]
fn aliases_and_letters_in_order_are_understood() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let text = "HOA: v1\nStart: 0\nAP: 2 \"two\" \"X\"\nAlias: @both 0 & 1\nAcceptance: 1 Inf(0)\n--BODY--\n\
                State: 0\n[@both] 0 {0}\n[!@both] 0\n--END--\n";
    assert_eq!(run(&["check", &model, "--automaton", &f.file("a.hoa", text)]).status, 1);
    let text = hoa("1 \"x == 9\"", "1 Inf(0)", "State: 0\n0 1\nState: 1 {0}\n1 1");
    assert_eq!(run(&["check", &model, "--automaton", &f.file("b.hoa", &text)]).status, 0);
}

#[test]
fn variables_that_only_the_automaton_reads_are_kept() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte seen; active proctype P() { do :: seen = 1 :: seen = 0 od }");
    let file = f.file("a.hoa", &hoa("1 \"seen\"", "1 Inf(0)", "State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1"));
    assert_eq!(run(&["check", &model, "--dead-vars", "--automaton", &file]).status, 1);
    assert_eq!(run(&["replay", &model]).status, 0);
}

#[test]
fn accept_labels_of_processes_do_not_count() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active proctype P() { accept: do :: x = 1 - x od }");
    let file = f.file("a.hoa", &hoa("1 \"x\"", "1 Inf(0)", "State: 0\n[t] 0"));
    let report = json(&["check", "--json", &model, "--automaton", &file], 0);
    assert_eq!(report["outcome"], "holds");
    let report = json(&["check", "--json", &model, "--automaton", &file, "--accept"], 1);
    let outcomes: Vec<_> = report["properties"].as_array().unwrap().iter().map(|p| p["name"].clone()).collect();
    assert!(outcomes.contains(&"acceptance".into()) && outcomes.contains(&"automaton".into()), "{outcomes:?}");
}

#[test]
fn a_changed_automaton_makes_its_trail_stale() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let body = "State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1";
    let file = f.file("a.hoa", &hoa("1 \"two\"", "1 Inf(0)", body));
    assert_eq!(run(&["check", &model, "--automaton", &file]).status, 1);
    f.file("a.hoa", &hoa("1 \"x == 3\"", "1 Inf(0)", body));
    let replayed = run(&["replay", &model]);
    assert_eq!(replayed.status, 2);
    assert!(replayed.stderr.contains("has changed"), "{}", replayed.stderr);
}

#[test]
fn claim_formula_and_automaton_may_come_together() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let file = f.file("a.hoa", &hoa("1 \"x == 9\"", "1 Inf(0)", "State: 0\n[0] 0 {0}\n[!0] 0"));
    let claim = f.file("c.pml", "never { do :: x == 8 -> break :: else od }");
    let args = ["check", "--json", &model, "--automaton", &file, "--never", &claim, "--ltl", "[] <> two"];
    let report = json(&args, 0);
    let own = report["properties"].as_array().unwrap().iter().filter(|p| p["kind"] != "safety");
    let kinds: Vec<_> = own.map(|p| p["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["claim", "formula", "automaton"]);
    assert_eq!(run(&["check", &model, "--automaton", &file, "--search", "bfs"]).status, 2);
}

#[test]
fn mistakes_are_shown_in_the_file() {
    let good = "State: 0\n[t] 0 {0}";
    let cases = [
        ("1 \"x >\"", "1 Inf(0)", good, (3, 11), "expected an expression, found the end of the proposition"),
        ("1 \"x > 1 )\"", "1 Inf(0)", good, (3, 14), "expected an operator or the end of the proposition, found `)`"),
        ("2 \"x\" \"y > 1\"", "1 Inf(0)", good, (3, 12), "`y` is not declared"),
        ("2 \"x\" \"lost\"", "1 Inf(0)", good, (3, 12), "`gone` is not declared"),
        ("1 \"[] x\"", "1 Inf(0)", good, (3, 8), "expected an expression, found `[`"),
        (
            "1 \"x }\"",
            "1 Inf(0)",
            good,
            (3, 10),
            "a proposition is a condition over the model, and `}` cannot be part of one",
        ),
        ("1 \" \"", "1 Inf(0)", good, (3, 7), "this proposition is empty"),
        ("1 \"x /* \"", "1 Inf(0)", good, (3, 10), "this comment is never closed"),
        ("0", "2 Fin(0) & Inf(1)", good, (4, 15), "acceptance with `Fin` is not supported"),
        ("0", "2 Inf(0) | Inf(1)", good, (4, 22), "acceptance with a choice (`|`) is not supported"),
        ("0", "1 Inf(0)", "State: 0\n[t] 0&1 {0}", (7, 6), "alternating automata"),
        ("0", "1 Inf(0)", "State: 0\n[2] 0", (7, 2), "proposition 2 is not declared in `AP:`"),
    ];
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    for (props, acceptance, body, (line, column), message) in cases {
        let file = f.file("a.hoa", &hoa(props, acceptance, body));
        let report = json(&["check", "--json", &model, "--automaton", &file], 2);
        let d = report["diagnostics"].as_array().unwrap().iter().find(|d| d["severity"] == "error").unwrap();
        assert!(d["message"].as_str().unwrap().starts_with(message), "{d}");
        let place = (d["file"].as_str().unwrap(), d["line"].as_u64(), d["column"].as_u64());
        assert_eq!(place, (file.as_str(), Some(line), Some(column)), "{message}");
    }
    let rabin = hoa("0", "2 Fin(0) & Inf(1)\nacc-name: Rabin 1", good);
    let ran = run(&["check", &model, "--automaton", &f.file("r.hoa", &rabin)]);
    assert!(
        ran.stderr.contains("Rabin acceptance is not supported") && ran.stderr.contains("r.hoa:4:15"),
        "{}",
        ran.stderr
    );
    for (text, part) in [("", "there is no automaton in this file"), ("no automaton", "expected `HOA:`")] {
        let ran = run(&["check", &model, "--automaton", &f.file("e.hoa", text)]);
        assert!(ran.status == 2 && ran.stderr.contains(part), "{}", ran.stderr);
    }
    let two = hoa("0", "1 Inf(0)", good).repeat(2);
    let ran = run(&["check", &model, "--automaton", &f.file("two.hoa", &two)]);
    assert!(ran.status == 2 && ran.stderr.contains("there are 2 here"), "{}", ran.stderr);
    assert_eq!(run(&["check", &model, "--automaton", "nowhere.hoa"]).status, 2);
}

#[test]
fn merging_needs_an_automaton_that_does_not_count_steps() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let text = hoa("1 \"two\"", "1 Inf(0)", "State: 0\n[0] 0 {0}\n[!0] 0");
    let file = f.file("a.hoa", &text);
    let report = json(&["check", "--json", &model, "--automaton", &file, "--merge"], 2);
    assert_eq!(report["diagnostics"].as_array().unwrap().last().unwrap()["code"], "contradiction");
    let text = text.replace("Acceptance", "properties: stutter-invariant\nAcceptance");
    assert_eq!(run(&["check", &model, "--automaton", &f.file("b.hoa", &text), "--merge"]).status, 1);
}
