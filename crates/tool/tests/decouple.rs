//! `check --decouple` and `graph --star` as users meet them.

mod common;

use common::{Folder, json, run};

const TWO: &str = "byte n;
active [2] proctype P() { byte i; do :: i < 3 -> i++ :: i == 3 -> break od; n++ }
active proctype Q() { n == 2; assert(n < LIMIT) }
";

#[test]
fn the_report_counts_decoupled_states() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    let plain = json(&["check", "--json", "-DLIMIT=3", "--no-deadlock", &model], 0);
    assert!(plain["stats"].get("decoupled_states").is_none());
    for more in [&["--dominance", "off"][..], &["--search", "bfs"]] {
        let words = [&["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", &model], more].concat();
        let report = json(&words, 0);
        let count = report["stats"]["decoupled_states"].as_u64().expect("a number");
        assert!(count < plain["stats"]["states_stored"].as_u64().expect("a number"), "{count}");
    }
    let out = run(&["check", "-DLIMIT=3", "--no-deadlock", "--decouple", &model]);
    assert!(out.stdout.contains("decoupled states"), "{out:?}");
}

#[test]
fn a_trail_is_an_ordinary_one() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    let report = json(&["check", "--json", "-DLIMIT=2", "--decouple", &model], 1);
    assert_eq!(report["findings"][0]["kind"], "assertion");
    let out = run(&["replay", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.contains("n++"), "{out:?}");
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    let words = [
        &["--ltl", "[] (n < 3)", "--fair"][..],
        &["--accept"],
        &["--progress"],
        &["--claim", "0"],
        &["--engine", "scc", "--accept"],
    ];
    for more in words {
        let report = json(&[&["check", "--json", "-DLIMIT=3", "--decouple", &model], more].concat(), 2);
        let message = report["diagnostics"][0]["message"].as_str().expect("a message");
        assert!(message.contains("`--decouple`") && message.contains("exclude each other"), "{message}");
    }
    let out = run(&["check", "-DLIMIT=3", "--dominance", "off", &model]);
    assert!(out.status == 2 && out.stderr.contains("--dominance"), "{out:?}");
}

#[test]
fn formulas_are_checked_and_lassos_replayed() {
    let f = Folder::new();
    let text = "byte n; active [2] proctype P() { byte i; do :: i < 3 -> i++ :: i == 3 -> i = 0; n = 1 - n od }";
    let model = f.file("m.pml", text);
    for (formula, status) in [("[] (n < 2)", 0), ("<> [] (n == 0)", 1), ("[] <> (n == 1)", 0), ("[] (P[0]:i < 4)", 0)] {
        for more in [&[][..], &["--dominance", "off"]] {
            let words = [&["check", "--json", "--decouple", "--ltl", formula, &model], more].concat();
            let report = json(&words, status);
            let property = report["properties"].as_array().and_then(|p| p.last().cloned()).unwrap_or_default();
            assert!(property["stats"]["decoupled_states"].is_u64(), "{report}");
            assert_eq!(json(&["check", "--json", "--ltl", formula, &model], status)["outcome"], report["outcome"]);
            if status == 1 {
                json(&words, status);
                let out = run(&["replay", &model]);
                assert!(out.status == 0 && out.stdout.contains("for ever"), "{out:?}");
            }
        }
    }
}

#[test]
fn formulas_that_cannot_be_decoupled_are_refused_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    for (formula, word) in [("X (n == 0)", "how often a state is repeated"), ("<> (_last == 0)", "`_last`")] {
        let report = json(&["check", "--json", "-DLIMIT=3", "--decouple", "--ltl", formula, &model], 2);
        let message = report["diagnostics"][0]["message"].as_str().expect("a message");
        assert!(message.contains("`--decouple`") && message.contains(word), "{message}");
    }
    let words = ["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "auto", "--ltl", "X (n == 0)", &model];
    let report = json(&words, 0);
    assert!(report["warnings"].to_string().contains("is not decoupled"), "{report}");
}

#[test]
fn several_workers_find_the_same() {
    let f = Folder::new();
    let (good, bad) = (f.file("m.pml", TWO), f.file("b.pml", TWO));
    let words = ["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "--dominance", "off", "--workers"];
    let count = |n: &str| json(&[&words[..], &[n, &good]].concat(), 0)["stats"]["decoupled_states"].clone();
    assert_eq!(count("1"), count("3"));
    json(&["check", "--json", "-DLIMIT=2", "--decouple", "--workers", "3", &bad], 1);
    assert_eq!(run(&["replay", &bad]).status, 0);
    for more in [&["--search", "bfs"][..], &["--depth", "3"]] {
        let words = [&words[..], &["3", &good], more].concat();
        let alone = words.iter().map(|&w| if w == "3" && more[0] == "--search" { "1" } else { w }).collect::<Vec<_>>();
        let status = if more[0] == "--depth" { 3 } else { 0 };
        let (many, one) = (json(&words, status), json(&alone, status));
        assert_eq!(many["stats"]["decoupled_states"], one["stats"]["decoupled_states"]);
        assert_eq!(many["stats"]["max_depth"], one["stats"]["max_depth"]);
    }
    // Who does not insist on decoupling may get a search that one worker does alone.
    let words = ["check", "--json", "-DLIMIT=3", "--decouple", "auto", "--workers", "3", "--search", "bfs", &good];
    let report = json(&words, 2);
    assert!(report["diagnostics"][0]["message"].as_str().is_some_and(|m| m.contains("--workers")), "{report}");
}

#[test]
fn a_broken_lock_is_searched_to_its_end_and_within_its_time() {
    let f = Folder::new();
    let text = "#define N 3\nbyte next, serving, inside;
        active [N] proctype worker() {
            byte mine;
            do :: mine = next; next = (mine + 1) % N; (serving == mine); inside++; inside--; serving = (serving + 1) % N od
        }
        ltl mutex { [] (inside <= 1) }\n";
    let model = f.file("m.pml", text);
    let words = ["check", "--json", "--no-deadlock", "--decouple", "--ltl", "mutex", "--all-errors", &model];
    let report = json(&words, 1);
    assert!(report["complete"] == true && report["stats"]["seconds"].as_f64().is_some_and(|s| s < 60.0), "{report}");
    let model = f.file("large.pml", &text.replace("N 3", "N 6"));
    let words =
        ["check", "--json", "--no-deadlock", "--decouple", "--ltl", "mutex", "--all-errors", "--time", "2s", &model];
    let begun = std::time::Instant::now();
    json(&words, 1);
    assert!(begun.elapsed().as_secs_f64() < 12.0, "{:?}", begun.elapsed());
}

#[test]
fn the_star_shows_what_a_formula_sees() {
    let f = Folder::new();
    let text = "byte n, m;
        active [2] proctype P() { byte i; byte k; do :: i < 3 -> i++ :: k < 2 -> k++ :: n++ :: m++ od }
        ltl low { [] (n < 9 && P[0]:i < 4) }\n";
    let model = f.file("m.pml", text);
    let report = json(&["graph", "--star", "--json", "--ltl", "low", &model], 0);
    let steps = |name: &str| report["processes"][0][name].as_array().expect("a list").clone();
    let text = |list: Vec<serde_json::Value>, seen: bool| -> Vec<String> {
        let fits = |s: &&serde_json::Value| (s["seen_by"] == serde_json::json!(["low"])) == seen;
        list.iter().filter(fits).map(|s| s["text"].as_str().unwrap_or("").to_string()).collect()
    };
    // When a process ends, its variables are gone.
    assert_eq!(text(steps("center_steps"), true), ["n++", "end"]);
    assert!(text(steps("center_steps"), false).contains(&"m++".to_string()));
    assert_eq!(text(steps("seen_steps"), true), ["i++"]);
    let out = run(&["graph", "--star", "--ltl", "low", &model]);
    assert!(out.stdout.contains("(seen by low)"), "{out:?}");
    assert!(run(&["graph", "--star", "--dot", "--ltl", "low", &model]).stdout.contains("shape=diamond"));
    assert!(!run(&["graph", "--star", &model]).stdout.contains("seen by"));
}

#[test]
fn the_store_of_a_decoupled_search_may_be_named() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    json(&["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "--store", "tree", &model], 0);
    for store in ["flat", "compact", "dfa"] {
        let report = json(&["check", "--json", "-DLIMIT=3", "--decouple", "--store", store, &model], 2);
        let message = report["diagnostics"][0]["message"].as_str().expect("a message");
        assert!(message.contains("`--decouple`") && message.contains(store), "{message}");
    }
}

#[test]
fn a_count_that_dead_vars_hides_is_no_obstacle() {
    let f = Folder::new();
    let model = f.file("m.pml", &TWO.replace("byte n;", "byte n, log;").replace("n++ }", "log++; n++ }"));
    json(&["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "--dead-vars", &model], 0);
}

#[test]
fn a_construct_that_cannot_be_decoupled_is_refused_with_its_line() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x;\nactive proctype P() { x = 1;\nx = _last }\n");
    let report = json(&["check", "--json", "--decouple", &model], 2);
    assert_eq!(report["diagnostics"][0]["line"], 3);
    assert!(report["diagnostics"][0]["message"].as_str().is_some_and(|m| m.contains("`_last`")));
    // Where nobody insists, the plain search does it.
    let report = json(&["check", "--json", "--decouple", "auto", &model], 0);
    assert!(report["stats"].get("decoupled_states").is_none());
    assert!(report["warnings"].to_string().contains("could not treat `_last`"), "{report}");
}

#[test]
fn auto_decouples_where_it_pays() {
    let f = Folder::new();
    let report =
        json(&["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "auto", &f.file("m.pml", TWO)], 0);
    assert!(report["stats"]["decoupled_states"].is_u64(), "{report}");
    let words = ["check", "--json", "-DLIMIT=3", "--no-deadlock", "--decouple", "auto", "--workers", "2"];
    let report = json(&[&words[..], &[&f.file("m.pml", TWO)]].concat(), 0);
    assert!(report["stats"]["decoupled_states"].is_u64(), "{report}");
    let busy = "byte a, b, c;\nactive proctype P() { do :: a++ :: b++ :: c++ od }\n";
    let report =
        json(&["check", "--json", "--decouple", "auto", "--depth", "100", "--plain", &f.file("b.pml", busy)], 3);
    assert!(report["stats"].get("decoupled_states").is_none(), "{report}");
    let shape = f.file("c.pml", "byte a;\nactive proctype P() { a = 1; a = a + 1 }\n");
    let report = json(&["check", "--json", "--decouple", "auto", &shape], 0);
    assert!(report["warnings"].to_string().contains("its own business"), "{report}");
}

#[test]
fn a_leaf_without_end_does_not_outlive_its_time() {
    let f = Folder::new();
    for endless in ["do :: i++ od", "atomic { do :: i++ od }"] {
        let model = f.file("m.pml", &format!("byte g;\nactive proctype P() {{ int i; {endless}; g = 1 }}\n"));
        let report = json(&["check", "--json", "--decouple", "--time", "300ms", &model], 3);
        assert_eq!(report["outcome"], "stopped");
        assert!(report["stats"]["seconds"].as_f64().is_some_and(|s| s < 20.0), "{report}");
    }
}

#[test]
fn the_star_is_shown() {
    let f = Folder::new();
    let model = f.file("m.pml", TWO);
    let out = run(&["graph", "--star", "-DLIMIT=3", &model]);
    assert!(out.stdout.contains("leaf: P") && out.stdout.contains("line 2"), "{out:?}");
    assert!(run(&["graph", "--star", "--dot", "-DLIMIT=3", &model]).stdout.starts_with("digraph star"));
    let report = json(&["graph", "--star", "--json", "-DLIMIT=3", &model], 0);
    assert_eq!(report["center"]["variables"][0], "n");
    assert_eq!(run(&["graph", "--star", "--proctype", "P", "-DLIMIT=3", &model]).status, 2);
}
