//! Limits of memory, and lossy stores, on the command line.

mod common;

use common::{Folder, json, run};
use serde_json::Value;

/// 101³ states: three counters.
const COUNTERS: &str = "byte a, b, c; active proctype A() { do :: a < 100 -> a++ :: else -> break od }
active proctype B() { do :: b < 100 -> b++ :: else -> break od }
active proctype C() { do :: c < 100 -> c++ :: else -> break od }";

fn check(model: &str, more: &[&str]) -> (i32, Value) {
    let line: Vec<_> = ["check", "--json", "--plain", model].iter().chain(more).copied().collect();
    let ran = run(&line);
    (ran.status, serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{line:?}: {e}: {ran:?}")))
}

#[test]
fn the_whole_program_keeps_to_the_limit_of_memory() {
    let f = Folder::new();
    let model = f.file("m.pml", COUNTERS);
    for (options, limit) in [
        (&["--workers", "1"][..], 18u64),
        (&["--workers", "2"], 19),
        (&["--workers", "1", "--store", "flat"], 40),
        (&["--workers", "1", "--store", "compact"], 24),
        (&["--workers", "1", "--store", "bitstate"], 40),
        (&["--search", "bfs"], 40),
    ] {
        let amount = format!("{limit}M");
        let more: Vec<_> = options.iter().copied().chain(["--memory", &amount]).collect();
        let (status, report) = check(&model, &more);
        let peak = report["stats"]["peak_rss_bytes"].as_u64().unwrap_or(u64::MAX);
        println!("{options:?} {amount}: {peak} bytes, {}", report["stats"]["states_stored"]);
        assert!(peak <= (limit << 20) / 100 * 105, "{options:?}: {peak} bytes with a limit of {amount}");
        match report["complete"].as_bool() {
            Some(true) => assert_eq!(status, 0),
            _ => assert_eq!(status, 3, "{report}"),
        }
    }
}

/// SPIN's `-DHC4` keeps 32 bits of a weak hash in truth, and loses states of a model of this size without a word.
#[test]
fn fingerprints_lose_no_state_and_prove_nothing() {
    let f = Folder::new();
    let model = f.file("m.pml", COUNTERS);
    let exact = json(&["check", "--json", "--plain", &model], 0);
    for workers in ["1", "2"] {
        let (status, report) = check(&model, &["--store", "compact", "--workers", workers]);
        assert_eq!((status, &report["outcome"]), (3, &Value::from("unrefuted")));
        assert_eq!(report["stats"]["states_stored"], exact["stats"]["states_stored"]);
        assert_eq!(report["stats"]["transitions"], exact["stats"]["transitions"]);
        assert!(report["warnings"].to_string().contains("probability"), "{}", report["warnings"]);
    }
    let (status, report) = check(&model, &["--store", "bitstate", "--workers", "1"]);
    assert_eq!((status, &report["outcome"]), (3, &Value::from("unrefuted")));
    let said = report["warnings"].to_string();
    assert!(said.contains("% of all bits") && said.contains("missed by chance"), "{said}");
}

#[test]
fn what_has_no_room_in_memory_goes_to_the_disk() {
    let f = Folder::new();
    let text = COUNTERS.replace("< 100", "< 40").replace("break od }", "break od; assert(a + b + c < 120) }");
    let model = f.file("m.pml", &text);
    let whole = json(&["check", "--json", "--plain", "--all-errors", "--search", "bfs", &model], 1);
    let folder = f.path("").display().to_string();
    let spill = format!("--spill={folder}");
    // What the program itself needs, machine code included, depends on how it was built; all states would need 13 MB more as a
    // tree, and twice that as they are.
    let small = f.file("small.pml", &text.replace("< 40", "< 5").replace("< 120", "< 15"));
    let alone = check(&small, &["--all-errors", "--search", "bfs", "--store", "flat", &spill]).1;
    let own = alone["stats"]["peak_rss_bytes"].as_u64().expect("a number");
    let little = format!("{}M", (own >> 20) + 7);
    for (memory, store) in [(&little[..], "tree"), (&little, "flat"), ("1G", "tree")] {
        let more = ["--all-errors", "--search", "bfs", "--memory", memory, "--store", store, &spill];
        let (status, report) = check(&model, &more);
        assert_eq!(status, 1, "{report}");
        for figure in ["states_stored", "transitions", "atomic_steps"] {
            assert_eq!(report["stats"][figure], whole["stats"][figure], "{figure}, {memory}, {store}");
        }
        assert_eq!(report["errors"], whole["errors"]);
        assert_eq!(run(&["replay", &model]).status, 0);
    }
    let names = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    assert_eq!(names.filter(|n| n.extension().is_some_and(|x| x == "states")).count(), 0, "files were left behind");
    // The folder may stand behind a blank, and may be left out.
    assert_eq!(check(&model, &["--spill", &folder]).0, 1);
    assert_eq!(check(&model, &["--spill"]).0, 1);
    assert_eq!(check(&model, &["--spill", "on"]).0, 1);
}

#[test]
fn what_excludes_the_disk_is_refused_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active proctype P() { x = 1 } ltl p { [] (x < 2) }");
    for more in [
        &["--search", "dfs"][..],
        &["--depth", "10"],
        &["--por", "ample"],
        &["--ltl", "p"],
        &["--workers", "2"],
        &["--store", "compact"],
        &["--checkpoint", "x"],
        &["--decouple"],
    ] {
        let line: Vec<_> = ["check", "--json", &model, "--spill"].iter().chain(more).copied().collect();
        let message = json(&line, 2)["diagnostics"][0]["message"].to_string();
        assert!(message.contains("--spill") && message.contains(more[0]), "{line:?}: {message}");
    }
    let (status, report) = check(&model, &["--spill=/nowhere/at/all"]);
    assert_eq!(status, 2, "{report}");
}
