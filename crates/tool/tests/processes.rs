//! Several processes of one machine: the counts of one, trails that replay, and a clear word when one is lost.

mod common;

use common::{Folder, finish, json, run, start};
use serde_json::Value;
use starwheel_testkit::family::{children, used};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn counts(report: &Value) -> Vec<&Value> {
    let stats = ["states_stored", "states_matched", "transitions", "atomic_steps", "state_bytes"];
    stats.iter().map(|name| &report["stats"][*name]).chain([&report["outcome"], &report["errors"]]).collect()
}

/// A model with so many states that a search takes a while.
const LONG: &str = "int x, y; active [4] proctype P() { do :: x++ :: y = x + _pid od }";

fn report(path: &str, more: &[&str]) -> Value {
    let folder = Folder::new();
    let trail = folder.path("trail").display().to_string();
    let ran = run(
        &[&["check", path, "--json", "--no-ltl", "--por", "off", "--all-errors", "--trail", &trail], more].concat()
    );
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{path} {more:?}: {e}: {ran:?}"))
}

#[test]
fn the_examples_count_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|f| f.path()).collect();
    files.sort();
    let mut seen = 0;
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "pml")) {
        let path = path.display().to_string();
        let alone = report(&path, &["--time", "2s", "--search", "dfs", "--workers", "1"]);
        if alone.get("stopped_because").is_some_and(|why| !why.is_null()) || alone["outcome"] == "error" {
            continue;
        }
        let wire = ["vector", "local", "tree"][seen % 3];
        let shared = report(&path, &["--processes", &(2 + seen % 3).to_string(), "--wire", wire]);
        assert_eq!(counts(&shared), counts(&alone), "{path}, {wire}");
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} examples are small enough");
}

#[test]
fn the_first_error_is_found_and_its_trail_replays() {
    let folder = Folder::new();
    let text = "byte x; active [3] proctype P() { do :: x < 60 -> x++ :: x > 50 -> assert(x != 55); x = 0 od }";
    let path = folder.file("m.pml", text);
    for processes in ["1", "2", "4"] {
        let report = json(&["check", &path, "--json", "--processes", processes], 1);
        assert_eq!(report["outcome"], "violated");
        assert_eq!(report["stats"]["net"]["processes"].to_string(), processes);
        assert_eq!(report["searches"][0]["search"], "distributed");
        let replayed = run(&["replay", &path]);
        assert!(replayed.status <= 1 && replayed.stdout.contains("assert"), "{replayed:?}");
    }
}

/// The two processes that a third one has started, when they have met and search.
fn others(parent: u32) -> Vec<u32> {
    let until = Instant::now() + Duration::from_secs(30);
    while children(parent).len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(2));
    children(parent)
}

#[test]
fn one_that_is_stopped_for_a_while_costs_no_memory() {
    let folder = Folder::new();
    let path = folder.file("m.pml", LONG);
    let running = start(&["check", &path, "--json", "--processes", "3", "--time", "12s"]);
    let all = others(running.id());
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &all[0].to_string()]).status().unwrap().success());
    let memory = || used(running.id()).memory;
    signal("-STOP");
    // Until the others have sent what they may.
    std::thread::sleep(Duration::from_millis(1_500));
    let before = memory();
    std::thread::sleep(Duration::from_secs(3));
    let grown = memory().saturating_sub(before);
    signal("-CONT");
    let ran = finish(running);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(report["stopped_because"].as_str().unwrap().contains("time limit"), "{report}");
    // For each of two processes: three times 64 packets of 32 KB, there and back, and a tenth.
    assert!(grown <= 2 * 2 * 3 * 64 * (32 << 10) * 11 / 10, "{grown} bytes");
}

#[test]
fn limits_and_losses_are_told() {
    let folder = Folder::new();
    let path = folder.file("m.pml", LONG);
    let report = json(&["check", &path, "--json", "--processes", "3", "--time", "1s"], 3);
    assert!(report["stopped_because"].as_str().unwrap().contains("time limit"), "{report}");
    assert!(report["stats"]["net"]["remote"].as_u64().unwrap() > 0);
    let running = start(&["check", &path, "--json", "--processes", "3"]);
    let victim = others(running.id())[0].to_string();
    assert!(Command::new("kill").args(["-9", &victim]).status().unwrap().success());
    let killed = Instant::now();
    let ran = finish(running);
    assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
    assert_eq!(ran.status, 3, "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(report["stopped_because"].as_str().unwrap().contains("was lost"), "{report}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
}

#[test]
fn nothing_is_left_in_the_temporary_folder_by_a_first_process_that_was_killed() {
    let folder = Folder::new();
    let path = folder.file("m.pml", LONG);
    let room = folder.path("tmp");
    std::fs::create_dir(&room).unwrap();
    let mut running = Command::new(env!("CARGO_BIN_EXE_starwheel"))
        .args(["check", &path, "--processes", "3"])
        .env("TMPDIR", &room)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let left = || std::fs::read_dir(&room).unwrap().count();
    let until = Instant::now() + Duration::from_secs(60);
    let wait = |done: &dyn Fn() -> bool| {
        while !done() {
            assert!(Instant::now() < until, "it takes too long");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait(&|| left() > 0);
    // They have met, and need it no longer.
    wait(&|| left() == 0);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(left(), 0);
}

#[test]
fn weakly_fair_runs_are_told_from_others() {
    let folder = Folder::new();
    let fair = "byte x; active proctype P() { do :: x == 0 -> accept: skip od } active proctype Q() { x = 1 }";
    let path = folder.file("fair.pml", fair);
    assert_eq!(run(&["check", &path, "--accept", "--no-deadlock", "--processes", "2"]).status, 1);
    assert_eq!(run(&["check", &path, "--accept", "--no-deadlock", "--fair", "--processes", "2"]).status, 0);
}

#[test]
fn what_is_not_for_several_processes_is_refused() {
    let folder = Folder::new();
    let path = folder.file("m.pml", LONG);
    for options in [
        &["--search", "bfs", "--depth", "9"][..],
        &["--ltl", "[] (x >= 0)", "--all-errors"],
        &["--accept", "--fair=strong"],
        &["--accept", "--fair=weak", "--symmetry", "auto"],
        &["--first"],
        &["--audit"],
        &["--store", "bitstate"],
        &["--workers", "2"],
        &["--decouple"],
        &["--spill"],
        &["--depth", "9"],
    ] {
        let ran = run(&[&["check", &path, "--processes", "2"], options].concat());
        assert!(ran.status == 2 && ran.stderr.contains("--processes"), "{options:?}: {ran:?}");
    }
    assert_eq!(run(&["check", &path, "--wire", "tree"]).status, 2);
    assert_eq!(run(&["check", &path, "--processes", "1000"]).status, 2);
    assert_eq!(run(&["check", "no-such-file.pml", "--processes", "2"]).status, 2);
}

#[test]
fn level_by_level_trails_are_as_short_as_those_of_one_process() {
    let folder = Folder::new();
    let text = "byte x; chan c = [0] of { byte }; active [3] proctype P() { byte v; do :: x < 60 -> x++ \
                :: atomic { x > 20 -> v = 1; if :: c!v :: c?v fi; assert(x != 25) } od }";
    let path = folder.file("m.pml", text);
    let found = |more: &[&str]| {
        let report = json(&[&["check", &path, "--json", "--search", "bfs", "--plain"], more].concat(), 1);
        let finding = &report["findings"][0];
        (
            finding["kind"].clone(),
            finding["line"].clone(),
            finding["steps"].clone(),
            report["stats"]["max_depth"].clone(),
        )
    };
    let alone = found(&[]);
    for processes in ["1", "2", "3", "4"] {
        let shared = found(&["--processes", processes]);
        assert_eq!((&shared.0, &shared.2), (&alone.0, &alone.2), "{processes}");
        let replayed = run(&["replay", &path]);
        assert!(replayed.status <= 1, "{replayed:?}");
    }
}

#[test]
fn formulas_have_the_verdicts_of_one_process() {
    let folder = Folder::new();
    let text = "byte x; active [2] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }\n\
                ltl low { [] (x < 10) }\n ltl high { <> (x == 9) }\n ltl again { [] (x == 3 -> <> (x != 3)) }";
    let path = folder.file("m.pml", text);
    let verdicts = |more: &[&str]| -> Vec<(String, String)> {
        let ran = run(&[&["check", &path, "--json"], more].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        let word = |v: &Value| v.as_str().unwrap_or_default().to_string();
        report["properties"].as_array().unwrap().iter().map(|p| (word(&p["name"]), word(&p["outcome"]))).collect()
    };
    let alone = verdicts(&[]);
    assert!(alone.iter().any(|v| v.1 == "violated") && alone.iter().any(|v| v.1 == "holds"), "{alone:?}");
    for processes in ["1", "2", "3"] {
        assert_eq!(verdicts(&["--processes", processes]), alone, "{processes} processes");
        let replayed = run(&["replay", &path]);
        assert!(replayed.status <= 1, "{replayed:?}");
    }
}
