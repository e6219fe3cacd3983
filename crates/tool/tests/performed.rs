//! A report says how its searches were done in the end, and not only what was typed.

mod common;

use common::Folder;
use serde_json::{Value, json};

const SMALL: &str = "byte x; active [2] proctype P() { byte t; t = 1; x = x + t } ltl p { X (x < 2) }";
/// 71³ states and more, none of which is wrong.
const LARGE: &str = "byte x, y, z; active proctype P() { do :: x < 70 -> x++ :: else -> break od }
    active proctype Q() { do :: y < 70 -> y++ :: else -> break od }
    active proctype R() { do :: z < 70 -> z++ :: else -> break od }";

/// The report of a check of this text.
fn report(text: &str, options: &[&str]) -> Value {
    let f = Folder::new();
    let model = f.file("m.pml", text);
    let line: Vec<_> = ["check", "--json", &model].into_iter().chain(options.iter().copied()).collect();
    common::json(&line, if options.contains(&"2") && options.contains(&"--depth") { 3 } else { 0 })
}

fn options(report: &Value) -> [&Value; 5] {
    ["search", "engine", "store", "workers", "por"].map(|name| &report["options"][name])
}

#[test]
fn options_show_what_was_done() {
    for (typed, done) in [
        (&[][..], ["dfs", "interp", "tree", "ample"]),
        (&["--workers", "2"], ["dfs", "interp", "tree", "ample"]),
        (&["--por", "off", "--engine", "jit"], ["dfs", "jit", "tree", "off"]),
        (&["--search", "bfs"], ["bfs", "interp", "tree", "off"]),
        (&["--depth", "50"], ["dfs", "interp", "tree", "off"]),
        (&["--depth", "2", "--all-errors"], ["bfs", "interp", "tree", "off"]),
        (&["--depth", "2", "--search", "dfs"], ["dfs", "interp", "tree", "off"]),
        (&["--spill"], ["bfs", "interp", "tree", "off"]),
        (&["--store", "dfa", "--por", "cluster"], ["dfs", "interp", "dfa", "cluster"]),
        (&["--decouple"], ["dfs", "interp", "decoupled", "off"]),
    ] {
        let report = report(SMALL, typed);
        let [search, engine, store, por] = done;
        assert_eq!(
            options(&report),
            [&json!(search), &json!(engine), &json!(store), &json!(1), &json!(por)],
            "{typed:?}"
        );
    }
}

#[test]
fn each_search_says_how_it_was_done() {
    let report = report(SMALL, &["--ltl", "p"]);
    let expected = json!([
        { "search": "groups", "engine": "interp", "store": "tree", "workers": 1, "por": "ample" },
        { "property": "p", "search": "cndfs", "engine": "interp", "store": "tree", "workers": 1, "por": "off" },
    ]);
    assert_eq!(report["searches"], expected);
}

#[test]
fn a_long_search_has_machine_code_and_workers() {
    let report = report(LARGE, &["--workers", "2", "--por", "off"]);
    assert_eq!(options(&report), [&json!("dfs"), &json!("jit"), &json!("packed"), &json!(2), &json!("off")]);
}
