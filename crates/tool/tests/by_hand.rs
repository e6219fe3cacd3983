//! Runs by hand and runs as pages: the commands of `--interactive`, going on from a trail, and `replay --html`.

mod common;

use common::{Folder, finish, run, start};
use std::io::Write;

const MODEL: &str = "byte x;\nchan q = [1] of { byte };\nactive proctype P() { byte i; do :: x < 9 -> x++; i++ :: x == 9 -> break od; q!1; q!2 }\n";

fn talk(args: &[&str], words: &str) -> String {
    let mut child = start(args);
    child.stdin.take().unwrap().write_all(words.as_bytes()).unwrap();
    let out = finish(child);
    assert_eq!(out.status, 0, "{out:?}");
    out.stdout
}

#[test]
fn a_run_can_be_steered() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    let trail = f.path("run.json").display().to_string();
    let said = talk(
        &["simulate", "--interactive", &model],
        &format!("c x == 3\np x * 2\np P[0]:i\nb 100\np x\ng 2\ng\nl\ns\nw {trail}\np nothing\nq\n"),
    );
    for part in ["it holds here", "x * 2 = 6", "x = 0", "q is full (1 of 1)", "stuck", "wrote"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let shown = run(&["replay", &model, &trail]);
    assert!(shown.status == 0 && shown.stdout.contains("made by hand"), "{shown:?}");
    let again = talk(&["replay", "--interactive", &model, &trail], "b 1\nl\nh\nq\n");
    assert!(again.contains("steps of the trail were taken") && again.contains("q!1"), "{again}");
}

#[test]
fn a_run_becomes_a_page_of_its_own() {
    let f = Folder::new();
    let model = f.file("m.pml", &format!("/* </script> */\n{MODEL}"));
    assert_eq!(run(&["check", &model]).status, 1);
    let page = f.path("run.html");
    let out = run(&["replay", &model, "--html", &page.display().to_string()]);
    assert_eq!(out.status, 0, "{out:?}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text.matches("</script>").count(), 1, "the model cannot end the script");
    assert!(!text.contains("http") && text.contains("deadlock: P(0) waits for ever"), "it needs nothing else");
    assert_eq!(run(&["replay", &model, "--html", &page.display().to_string()]).status, 0, "a page replaces a page");
    assert_eq!(run(&["replay", &model, "--html", &model]).status, 2, "and nothing else");
}

#[test]
fn a_chart_shows_who_waits_and_what_changes() {
    let f = Folder::new();
    let text = "bool crashed;\nchan q = [1] of { byte };\nactive proctype A() { byte v; q?v; q?v }\nactive proctype B() { q!7; crashed = true }\nactive proctype C() { end: false }\n";
    let model = f.file("m.pml", text);
    assert_eq!(run(&["check", &model]).status, 1);
    let chart = run(&["replay", &model, "--chart", "--watch", "crashed"]).stdout;
    let head = chart.lines().next().unwrap();
    assert!(head.find("A(0)") < head.find("B(1)") && head.contains("C(2)"), "{chart}");
    assert!(chart.contains("crashed = 1") && chart.contains("■ waits at q?v"), "{chart}");
    let svg = f.path("c.svg");
    let out = run(&["replay", &model, "--svg", &svg.display().to_string()]);
    assert!(out.stdout.is_empty() && out.stderr.contains("wrote"), "{out:?}");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert_eq!(drawn.matches(">q!7<").count(), 1, "one name for each message: {drawn}");
    assert!(drawn.contains("waits at q?v"), "{drawn}");
}

/// What a page knows of its run.
fn data(page: &std::path::Path) -> serde_json::Value {
    let text = std::fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once("const D=").unwrap();
    serde_json::Deserializer::from_str(rest).into_iter().next().unwrap().unwrap()
}

#[test]
fn a_page_counts_the_steps_that_the_text_counts() {
    let f = Folder::new();
    let lasso = "bool p, q;\nactive proctype A() { do :: p = !p; q = !q od }\nltl live { <> [] p }\n";
    let decided =
        "byte x;\nactive proctype A() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }\nltl small { [] (x < 3) }\n";
    let stopped = "bool p; active proctype A() { skip }\nltl f { <> p }\n";
    for (name, text) in [("lasso.pml", lasso), ("decided.pml", decided), ("stopped.pml", stopped)] {
        let model = f.file(name, text);
        let answer = run(&["check", &model]).stdout;
        let told = answer.split_once("How it comes to that (").unwrap().1.split(' ').next().unwrap().to_string();
        let page = f.path(name).with_extension("html");
        let file = page.display().to_string();
        assert_eq!(run(&["replay", &model, "--html", &file]).status, 0);
        let shown = data(&page);
        let frames = shown["frames"].as_array().unwrap().clone();
        assert_eq!(frames.last().unwrap()["n"].to_string(), told, "{name}");
        assert!(frames.iter().all(|frame| frame["p"] != -1), "nobody wrote the automaton: {name}");
        let seen = |changes: &serde_json::Value| changes.as_array().unwrap().iter().any(|c| c[0] == "formula");
        assert!(seen(&shown["first"]), "what the formula sees is told: {name}");
        assert_eq!(frames.last().unwrap()["decides"] == true, name == "decided.pml");
        assert_eq!(shown["cycle"] == frames.len(), name == "stopped.pml");
        // Who wants to see the automaton can.
        assert_eq!(run(&["replay", &model, "--html", &file, "--claim-steps"]).status, 0);
        assert!(data(&page)["frames"].as_array().unwrap().iter().any(|frame| frame["p"] == -1), "{name}");
    }
}

#[test]
fn going_on_from_a_trail_shows_what_was_written() {
    let f = Folder::new();
    let text = "chan q = [1] of { byte }; byte sum;\nactive proctype P() { byte v; q!5; q?v; sum = sum + v; atomic { sum == 5; sum = 6; sum = 7 }; assert(sum == 0) }\nactive proctype Q() { sum == 9 }\n";
    let model = f.file("m.pml", text);
    assert_eq!(run(&["check", &model]).status, 1);
    let said = talk(&["replay", "--interactive", &model], "h\nb 2\nl\nq\n");
    assert!(
        said.contains("v = 5") && !said.contains("v = 0"),
        "that dead variables are reset is nobody's business: {said}"
    );
    let said = talk(&["simulate", "--interactive", &model], "c sum == 6\nl\nq\n");
    assert!(said.contains("P(0) is inside `atomic`: the others wait"), "{said}");
    // A line of the menu or of the help is no wider than a small terminal.
    let said = talk(&["simulate", "--interactive", &model], "?\ng\nq\n");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}
