//! Long runs on the command line: saved, killed at any moment, gone on with; and what is refused.

mod common;

use common::{Folder, Ran, finish, json, run, start};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Some thirty thousand states, a few of which are stuck, and an assertion that fails now and then.
const MODEL: &str = "byte x, y; chan c = [3] of { byte };
active [2] proctype P() { byte i; do :: i < 6 -> i++; x = x + 1; c!i :: i == 6 -> break od }
active proctype Q() { byte m, n; do :: c?m -> n = n + m; y = (y + n) % 7; assert(y != 6 || x < 8) :: n > 40 -> break od }";

/// What must not depend on interruptions.
fn figures(report: &Value) -> [&Value; 6] {
    let stats = &report["stats"];
    [
        &report["outcome"],
        &report["errors"],
        &stats["states_stored"],
        &stats["transitions"],
        &stats["atomic_steps"],
        &report["unreached"],
    ]
}

fn line<'a>(model: &'a str, trail: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["check", model, "--plain", "--json", "--trail", trail, "--all-errors"];
    fixed.into_iter().chain(more.iter().copied()).collect()
}

/// A small random number generator.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Starts a run and kills it after a random time, until one comes to its end before; tells how many were killed.
fn until_done(args: &[&str], file: &std::path::Path, longest: u64, seed: &mut u64) -> (Ran, u32) {
    let mut killed = 0;
    loop {
        let saved = file.display().to_string();
        let resume = ["--resume", &saved];
        let args: Vec<_> = args.iter().chain(resume.iter().filter(|_| file.exists())).copied().collect();
        let mut child = start(&args);
        let end = Instant::now() + Duration::from_micros(random(seed) % longest);
        while Instant::now() < end && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_some() {
            return (finish(child), killed);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
    }
}

#[test]
fn killed_at_any_moment_a_search_goes_on() {
    let f = Folder::new();
    let (model, trail) = (f.file("m.pml", MODEL), f.path("t.json").display().to_string());
    let whole = json(&line(&model, &trail, &[]), 1);
    let mut seed = 1;
    println!("seed {seed}");
    let mut kills = 0;
    for options in [&["--workers", "1"][..], &["--workers", "3"], &["--store", "compact", "--workers", "2"]] {
        let file = f.path("saved");
        let saved = file.display().to_string();
        let begun = Instant::now();
        let more: Vec<_> = options.iter().copied().chain(["--checkpoint", &saved, "--every", "0s"]).collect();
        run(&line(&model, &trail, &more));
        let _ = std::fs::remove_file(&file);
        let longest = begun.elapsed().as_micros() as u64;
        let (ran, killed) = until_done(&line(&model, &trail, &more), &file, longest, &mut seed);
        kills += killed;
        assert_eq!(ran.status, 1, "{options:?}: {ran:?}");
        let mut report: Value = serde_json::from_str(&ran.stdout).unwrap();
        if options.contains(&"compact") {
            // A store that may take two states for one cannot say what is never executed.
            assert_eq!(report["unreached"], Value::Null);
            report["unreached"] = whole["unreached"].clone();
        }
        assert_eq!(figures(&report), figures(&whole), "{options:?}, {killed} times killed");
        let replayed = run(&["replay", &model, &trail]);
        assert_eq!(replayed.status, 0, "{replayed:?}");
        std::fs::remove_file(&file).unwrap();
    }
    assert!(kills > 0, "nothing was killed");
}

#[test]
fn limits_save_the_search_and_say_how_to_go_on() {
    let f = Folder::new();
    let (model, trail) = (f.file("m.pml", MODEL), f.path("t.json").display().to_string());
    let whole = json(&line(&model, &trail, &[]), 1);
    let saved = f.path("saved").display().to_string();
    let limits = [["--time", "0s"], ["--memory", "1K"]];
    for limit in limits {
        let report = json(&line(&model, &trail, &[limit[0], limit[1], "--checkpoint", &saved]), 3);
        // A search that stops at once has nothing to save, and then nothing is said.
        let said = report["warnings"].to_string().contains("--resume");
        assert_eq!(said, f.path("saved").exists(), "{report}");
    }
    // In small pieces; each begins where the one before was stopped. What counts is not how long a piece took, but whether it got
    // any further than the last one: then it must have saved that, and say so. One that did not gets more time.
    let (mut pieces, mut before, mut millis) = (0, 0, 60u64);
    let report = loop {
        let time = format!("{millis}ms");
        let mut more = vec!["--time", &time, "--workers", "1", "--engine", "interp", "--checkpoint", &saved];
        if f.path("saved").exists() {
            more.extend(["--resume", &saved]);
        }
        let ran = run(&line(&model, &trail, &more));
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        if report["complete"] == true {
            break report;
        }
        let said = report["warnings"].to_string().contains("--resume");
        let stored = report["stats"]["states_stored"].as_u64().unwrap_or(0);
        if stored > before {
            assert!(said && f.path("saved").exists(), "{stored} states after {before}: {report}");
            before = stored;
        } else {
            millis *= 2;
        }
        pieces += 1;
        assert!(millis < 60 << 10, "the search does not get on");
    };
    assert_eq!(figures(&report), figures(&whole), "{pieces} pieces");
}

/// The message of a refusal.
fn refused(args: &[&str]) -> String {
    let report = json(args, 2);
    assert_eq!(report["outcome"], "error", "{report}");
    report["diagnostics"][0]["message"].as_str().unwrap_or_default().to_string()
}

/// A file with a search that is not done: the last one that was written on the way.
fn stopped(f: &Folder, model: &str, trail: &str, more: &[&str]) -> String {
    let saved = f.path("saved").display().to_string();
    let fixed = ["--checkpoint", &saved, "--every", "0s", "--workers", "1"];
    let more: Vec<_> = fixed.iter().chain(more).copied().collect();
    run(&line(model, trail, &more));
    assert!(f.path("saved").exists());
    saved
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let f = Folder::new();
    let (model, trail) = (f.file("m.pml", MODEL), f.path("t.json").display().to_string());
    let saved = stopped(&f, &model, &trail, &[]);
    let bytes = std::fs::read(&saved).unwrap();
    let refusal = |name: &str, bytes: &[u8]| {
        let path = f.path(name);
        std::fs::write(&path, bytes).unwrap();
        refused(&line(&model, &trail, &["--resume", &path.display().to_string()]))
    };
    for cut in [0, 5, 40, bytes.len() / 2, bytes.len() - 1] {
        let message = refusal("cut", &bytes[..cut]);
        assert!(message.contains("not complete"), "{cut}: {message}");
    }
    for at in [60, bytes.len() / 3, bytes.len() / 2, bytes.len() - 9] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let message = refusal("changed", &changed);
        assert!(message.contains("damaged") || message.contains("not complete"), "{at}: {message}");
    }
    assert!(refusal("foreign", &[b'x'; 4000]).contains("no checkpoint"));
    let nowhere = f.path("nowhere/file").display().to_string();
    assert!(refused(&line(&model, &trail, &["--resume", &nowhere])).contains("cannot go on"));
    assert!(refused(&line(&model, &trail, &["--checkpoint", &nowhere])).contains("cannot be saved"));
}

#[test]
fn nothing_else_is_overwritten() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    for file in [&model, f.path("").to_str().unwrap()] {
        let said = refused(&["check", "--json", &model, "--checkpoint", file]);
        assert!(said.contains("cannot be saved in"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&model).unwrap(), MODEL);
    let empty = f.file("empty", "");
    assert_ne!(run(&["check", &model, "--checkpoint", &empty]).status, 2);
}

#[test]
fn more_threads_than_a_machine_can_have_are_refused() {
    let f = Folder::new();
    let said = refused(&["check", "--json", &f.file("m.pml", MODEL), "--workers", "100000"]);
    assert!(said.contains("--workers"), "{said}");
}

#[test]
fn other_models_and_other_options_are_refused() {
    let f = Folder::new();
    let (model, trail) = (f.file("m.pml", MODEL), f.path("t.json").display().to_string());
    let saved = stopped(&f, &model, &trail, &[]);
    let other = f.file("other.pml", &MODEL.replace("< 6", "< 5"));
    assert!(refused(&line(&other, &trail, &["--resume", &saved])).contains("another model"));
    for (more, word) in [
        (&["--dead-vars"][..], "--dead-vars"),
        (&["--merge"], "--merge"),
        (&["-D", "N=3"], "-D"),
        (&["--no-assert"], "--no-assert"),
        (&["--store", "flat", "--workers", "1"], "--store"),
    ] {
        let more: Vec<_> = ["--resume", &saved].iter().chain(more).copied().collect();
        let message = refused(&line(&model, &trail, &more));
        assert!(message.contains(word), "{more:?}: {message}");
    }
    assert!(refused(&["check", &model, "--json", "--plain", "--resume", &saved]).contains("--all-errors"));
}

/// Nothing can be saved inside an atomic sequence; the search goes on to its end all the same.
#[test]
fn a_long_atomic_sequence_is_no_end() {
    let f = Folder::new();
    let text = "int x; byte p; active proctype A() {
        atomic { do :: x < 20000 -> x++ :: else -> break od }; p = 1; assert(p == 0) }";
    let (model, trail) = (f.file("m.pml", text), f.path("t.json").display().to_string());
    let saved = f.path("saved").display().to_string();
    for store in ["tree", "flat"] {
        let more = ["--store", store, "--checkpoint", &saved, "--every", "1ms"];
        let run = run(&line(&model, &trail, &more));
        assert_eq!(run.status, 1, "{store}: {}", run.stdout);
        _ = std::fs::remove_file(&saved);
    }
}

#[test]
fn a_saved_bitstate_search_says_which_memory_it_needs() {
    let f = Folder::new();
    let (model, trail) = (f.file("m.pml", MODEL), f.path("t.json").display().to_string());
    for (typed, other, said) in [
        (&["--memory", "64M"][..], &[][..], "`--memory 64M`"),
        (&[], &["--memory", "64M"], "a command without `--memory`"),
        (&["--memory", "64M"], &["--memory", "65536K"], ""),
    ] {
        let store = ["--store", "bitstate"];
        let saved = stopped(&f, &model, &trail, &[&store[..], typed].concat());
        let again = line(&model, &trail, &[&store[..], other, &["--resume", &saved]].concat());
        match said {
            "" => assert_ne!(run(&again).status, 2),
            said => assert!(refused(&again).contains(said), "{typed:?} {other:?}"),
        }
    }
}

#[test]
fn what_excludes_saving_is_refused_by_name() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; active proctype P() { x = 1 } ltl p { [] (x < 2) }");
    let saved = f.path("saved").display().to_string();
    for more in [
        &["--search", "bfs"][..],
        &["--depth", "10"],
        &["--por", "ample"],
        &["--ltl", "p"],
        &["--accept"],
        &["--decouple"],
    ] {
        for option in ["--checkpoint", "--resume"] {
            let line: Vec<_> = ["check", &model, "--json", option, &saved].iter().chain(more).copied().collect();
            let message = refused(&line);
            assert!(message.contains(option) && message.contains(more[0]), "{line:?}: {message}");
        }
    }
    assert!(refused(&["check", &model, "--json", "--every", "5s"]).contains("--every"));
}
