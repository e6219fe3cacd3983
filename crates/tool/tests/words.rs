//! Places and words: statements are shown as they were written and where they were written, with the uses that brought them in.

mod common;

use common::{Folder, json, run};
use serde_json::Value;

const LIB: &str = "inline lock() {\n  atomic { m == 0 ->\n    m = 1 }\n}\n#define FREE (m == 0)\n#define TWICE x++; x++\ninline bump() {\n  x = x + 1;\n  assert(x < LIM)\n}\n";
const MAIN: &str =
    "byte m, x;\n#define LIM 3\n#include \"lib.pml\"\nactive [3] proctype P() {\n  lock(); bump();\n  m = 0\n}\n";

fn library() -> (Folder, String) {
    let f = Folder::new();
    f.file("lib.pml", LIB);
    let model = f.file("main.pml", MAIN);
    (f, model)
}

fn via(value: &Value) -> Vec<(String, u64)> {
    let list = value["via"].as_array().cloned().unwrap_or_default();
    list.iter().map(|v| (v["name"].as_str().unwrap().to_string(), v["line"].as_u64().unwrap())).collect()
}

#[test]
fn a_finding_in_an_inline_points_to_the_statement() {
    let (_f, model) = library();
    let report = json(&["check", "--json", &model], 1);
    let finding = &report["findings"][0];
    assert!(finding["file"].as_str().unwrap().ends_with("lib.pml"), "{finding}");
    let at = &finding["at"];
    let range: Vec<_> = ["line", "column", "end_line", "end_column"].iter().map(|k| at[k].as_u64().unwrap()).collect();
    assert_eq!((finding["line"].as_u64(), range), (Some(9), vec![9, 3, 9, 18]), "{finding}");
    assert_eq!(via(finding), [("bump".to_string(), 5)]);
    assert_eq!(finding["message"], "the assertion `x < LIM` does not hold: x = 3");
    let out = run(&["check", &model]).stdout;
    assert!(out.contains("lib.pml:9 in bump, from main.pml:5"), "{out}");
    assert!(!out.contains("(x<3)") && out.contains("x = x + 1"), "{out}");
}

#[test]
fn steps_say_both_spellings_and_the_chain() {
    let (_f, model) = library();
    run(&["check", "--plain", &model]);
    let replayed = json(&["replay", "--json", &model], 0);
    let moves = replayed["moves"].as_array().unwrap();
    let bump = moves.iter().find(|m| m["text"] == "x = x + 1").unwrap();
    assert_eq!((bump["spin_text"].as_str(), bump["line"].as_u64()), (Some("x = (x+1)"), Some(8)), "{bump}");
    assert_eq!(via(bump), [("bump".to_string(), 5)]);
    assert!(moves.iter().any(|m| m["text"] == "m = 0" && m["line"] == 6 && m.get("via").is_none()), "{moves:?}");
}

#[test]
fn macros_are_shown_as_they_were_written() {
    let f = Folder::new();
    f.file("lib.pml", LIB);
    let model = f.file(
        "m.pml",
        "byte m, x;\n#define LIM 3\n#include \"lib.pml\"\ninit {\n  FREE;\n  TWICE;\n  x = LIM;\n  assert(x != LIM)\n}\n",
    );
    let out = run(&["check", "--plain", &model]).stdout;
    // A macro that is one statement is meant where it is used; of one that is several each is shown where it stands.
    for line in ["m.pml:5    FREE", "lib.pml:6  x++", "in TWICE, from m.pml:6", "m.pml:7    x = LIM"] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(out.starts_with("VIOLATED: the assertion `x != LIM` does not hold: x = 3"), "{out}");
}

#[test]
fn loops_are_shown_without_their_bookkeeping() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte i, n;\ninit { for (i : 1 .. 3) { n = n + i }; assert(n != 6) }\n");
    let out = run(&["check", "--plain", &model]).stdout;
    assert!(!out.contains("for (i : 1 .. 3)") && out.matches("n = n + i").count() == 3, "{out}");
    assert!(
        out.contains("i = 2, n = 3") || out.contains("n = 3, i = 2"),
        "what is hidden is told with the next: {out}"
    );
    let all = run(&["check", "--plain", "--verbose", &model]).stdout;
    assert!(all.contains("for (i : 1 .. 3)"), "{all}");
    let spin = run(&["spin", "-run", &model]).stdout;
    assert!(spin.contains("assertion violated ((n!=6))") || spin.contains("assertion violated (n!=6)"), "{spin}");
}

#[test]
fn a_deadlock_says_what_stands_in_the_way() {
    let f = Folder::new();
    let text = "mtype = { red, green };\nmtype light = red;\nchan q = [2] of { byte };\nchan r = [1] of { byte };\n\
                active proctype W() { light == green }\nactive proctype S() { q!1; q!2; q!3 }\n\
                active proctype R() { byte v; r?v }\nactive proctype E() { end: false }\n";
    let model = f.file("m.pml", text);
    let out = run(&["check", &model]).stdout;
    assert!(out.starts_with("VIOLATED: deadlock: W(0), S(1) and R(2) wait for ever\n"), "{out}");
    for part in ["light == green  light = red", "q is full (2 of 2)", "r is empty", "begins with `end`"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let report = json(&["check", "--json", &model], 1);
    let waiting = report["findings"][0]["waiting"].as_array().unwrap();
    assert_eq!(waiting.len(), 4);
    assert_eq!(
        (waiting[3]["valid_end"].as_bool(), waiting[0]["on"][0]["because"].as_str()),
        (Some(true), Some("light = red"))
    );
}

#[test]
fn colours_come_when_they_are_wanted() {
    let (_f, model) = library();
    assert!(!run(&["check", &model]).stdout.contains('\u{1b}'));
    assert!(run(&["check", "--color", "always", &model]).stdout.starts_with("\u{1b}[1;31mVIOLATED"));
    assert!(!run(&["check", "--color=never", &model]).stdout.contains('\u{1b}'));
    assert_eq!(run(&["check", "--color", "sometimes", &model]).status, 2);
}

#[test]
fn statements_of_translations_and_headers_stand_where_people_look() {
    let f = Folder::new();
    let model = f.file("m.pml", "#include \"dtime.h\"\ntimer t;\ninit { set(t, 2); expire(t); assert(false) }\n");
    let out = run(&["check", &model]).stdout;
    assert!(out.contains("m.pml:3") && !out.contains("dtime.h:"), "{out}");
    assert!(out.contains("set(t, 2)") && out.contains("expire(t)"), "{out}");
}

#[test]
fn the_conditions_of_claims_and_automata_are_shown_as_they_were_written() {
    let f = Folder::new();
    let model = "#define TOP 3\n#define ready (a || b)\nbyte n; bool a, b;\n\
                 active proctype P() { do :: n < TOP -> n++ :: n == TOP -> b = true; n = 0 od }\n";
    let never = "never { do :: n == TOP && !(ready) -> break :: true od; accept: do :: n <= TOP od }\n";
    let with_claim = f.file("claim.pml", &format!("{model}{never}"));
    let out = run(&["check", &with_claim]).stdout;
    assert!(out.contains("at first true: n <= TOP; false: a, b, n == TOP"), "{out}");
    assert!(out.contains("now true: n == TOP") && !out.contains("n==3"), "{out}");
    assert!(out.contains("n == TOP && !(ready)"), "the steps of a claim are shown: {out}");

    let plain = f.file("plain.pml", model);
    let automaton = "HOA: v1\nStart: 0\nAP: 1 \"n == TOP && ready\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
                     State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n";
    let automaton = f.file("a.hoa", automaton);
    let out = run(&["check", &plain, "--automaton", &automaton]).stdout;
    assert!(out.contains("at first false: n == TOP && ready"), "{out}");
    let own = |text: &str| text.lines().any(|l| l.contains("automaton  a.hoa"));
    assert!(out.contains("this decides it") && !own(&out), "nobody wrote the steps of an automaton: {out}");
    assert!(!own(&run(&["replay", &plain]).stdout));
    assert!(own(&run(&["check", &plain, "--automaton", &automaton, "--claim-steps"]).stdout));
}

#[test]
fn the_claim_of_progress_is_not_shown() {
    let f = Folder::new();
    let text = "bool x; active proctype P() { do :: x = true; progress: x = false :: x = !x od }";
    let model = f.file("m.pml", text);
    let out = run(&["check", "--progress", &model]).stdout;
    assert!(out.contains("the following 2 steps repeat for ever") && !out.contains("np_"), "{out}");
    assert!(run(&["check", "--progress", "--claim-steps", &model]).stdout.contains("np_"));
}

#[test]
fn a_run_time_error_comes_with_the_values_of_its_statement() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte a[3], i;\nactive proctype P() { do :: a[i] = 10 / (2 - i); i++ od }\n");
    let out = run(&["check", &model]).stdout;
    assert!(out.starts_with("VIOLATED: division by zero") && out.contains("\n    i = 2 (step 4)\n"), "{out}");
    let values = &json(&["check", "--json", &model], 1)["findings"][0]["values"];
    assert_eq!(values[0], "i = 2 (step 4)", "{values}");
}
