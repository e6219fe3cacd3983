//! `starwheel test`, several models at once, standard input, and help for those who come from other tools.

mod common;

use common::{Folder, finish, json, run, start};
use std::io::Write;

const GOOD: &str = "// A good one\n// expect: holds\n// ltl p: violated\n// states: 3\nbyte x;\nactive proctype P() { x = 1 }\nltl p { [] (x == 0) }\n";
const WRONG: &str = "// Not as it says\n// expect: holds\nbyte x;\nactive proctype P() { x = 1; assert(x == 0) }\n";

#[test]
fn models_are_held_to_their_heads() {
    let f = Folder::new();
    let good = f.file("sub/good.pml", GOOD);
    f.file("sub/plain.pml", "init { skip }\n");
    let out = run(&["test", &good]);
    assert_eq!(out.status, 0, "{out:?}");
    f.file("sub/deep/wrong.pml", WRONG);
    let out = run(&["test", &f.path("sub").display().to_string()]);
    assert_eq!(out.status, 1, "{out:?}");
    assert!(
        out.stdout.contains("expect: violated, not holds") && out.stdout.contains("1 of 4 expectations"),
        "{out:?}"
    );
    assert!(out.stdout.contains("1 model in folders without a head"), "{out:?}");
    assert!(!f.path("sub/deep/wrong.pml.trail.json").exists(), "a test writes no trail");
    // Whoever names a model wants it to be tested.
    assert_eq!(run(&["test", &f.path("sub/plain.pml").display().to_string()]).status, 1);
    assert_eq!(run(&["test", &f.path("nowhere").display().to_string()]).status, 2);
    let empty = f.file("empty/x.txt", "");
    assert_eq!(run(&["test", empty.trim_end_matches("/x.txt")]).status, 2);
}

#[test]
fn reports_are_written_for_other_programs() {
    let f = Folder::new();
    let model = f.file("wrong.pml", WRONG);
    let (junit, sarif) = (f.path("r.xml"), f.path("r.json"));
    let (a, b) = (format!("junit={}", junit.display()), format!("sarif={}", sarif.display()));
    let out = run(&["test", &model, "--report", &a, "--report", &b, "--report", "github"]);
    assert_eq!(out.status, 1, "{out:?}");
    assert!(out.stdout.lines().any(|l| l.starts_with("::error file=") && l.contains(",line=4,")), "{out:?}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains("tests=\"1\" failures=\"1\"") && xml.contains("<failure message=\"violated, not holds\""),
        "{xml}"
    );
    let text: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&sarif).unwrap()).unwrap();
    assert_eq!(text["version"], "2.1.0");
    let region = &text["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((region["startLine"].as_u64(), region["startColumn"].as_u64()), (Some(4), Some(30)), "{text}");
    // A report takes the place of a report, and of nothing else.
    assert_eq!(run(&["test", &model, "--report", &a]).status, 1);
    assert_eq!(run(&["test", &model, "--report", &format!("junit={model}")]).status, 2);
    assert_eq!(std::fs::read_to_string(&model).unwrap(), WRONG);
    assert_eq!(run(&["test", &model, "--report", "pdf=x"]).status, 2);
}

#[test]
fn several_models_are_checked_and_the_worst_status_counts() {
    let f = Folder::new();
    let (good, wrong, broken) = (f.file("a.pml", GOOD), f.file("b.pml", WRONG), f.file("c.pml", "init { y = 1 }\n"));
    assert_eq!(run(&["check", &good, &good]).status, 1, "its formula is violated, as its head says");
    let good = f.file("d.pml", "byte x;\nactive proctype P() { x = 1 }\n");
    assert_eq!(run(&["check", &good, &good]).status, 0);
    assert_eq!(run(&["check", &good, &wrong]).status, 1);
    assert_eq!(run(&["check", &broken, &wrong, &good]).status, 2);
    let report = json(&["check", "--json", &good, &wrong], 1);
    let outcomes: Vec<_> = report["models"].as_array().unwrap().iter().map(|m| m["outcome"].clone()).collect();
    assert_eq!(outcomes, ["holds", "violated"]);
    assert_eq!(run(&["check", &good, &wrong, "--trail", "t.json"]).status, 2);
}

#[test]
fn a_model_is_read_from_standard_input() {
    let f = Folder::new();
    let feed = |args: &[&str]| {
        let mut child = start(args);
        child.stdin.take().unwrap().write_all(WRONG.as_bytes()).unwrap();
        finish(child)
    };
    let out = feed(&["check", "-"]);
    assert_eq!(out.status, 1, "{out:?}");
    assert!(!out.stdout.contains("trail.json"), "{out:?}");
    let trail = f.path("t.json").display().to_string();
    let out = feed(&["check", "-", "--trail", &trail]);
    assert!(out.status == 1 && f.path("t.json").exists(), "{out:?}");
}

#[test]
fn guesses_are_answered_with_what_there_is() {
    let f = Folder::new();
    let model = f.file("m.pml", GOOD);
    for (args, tip) in [
        (vec![model.as_str()], "starwheel check"),
        (vec!["check", "--bfs", &model], "--search bfs"),
        (vec!["check", "--max-depth", "5", &model], "--depth N"),
        (vec!["check", "--quiet", &model], "--json"),
        (vec!["check", "-a", &model], "starwheel spin"),
        (vec!["check", "--threads=4", &model], "--workers"),
    ] {
        let out = run(&args);
        assert!(out.status == 2 && out.stderr.contains(tip), "{args:?}: {out:?}");
    }
}

#[test]
fn a_trail_of_yesterday_is_named_as_such() {
    let f = Folder::new();
    let model = f.file("m.pml", WRONG);
    assert_eq!(run(&["check", &model]).status, 1);
    let good = WRONG.replace("x == 0", "x == 1");
    f.file("m.pml", &good);
    let out = run(&["check", &model]);
    assert!(out.status == 0 && out.stdout.contains("is of an earlier check"), "{out:?}");
}

#[test]
fn completions_and_manual_pages_are_made() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let out = run(&["completions", shell]);
        assert!(out.status == 0 && out.stdout.contains("dead-vars"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).status, 2);
    let folder = f.path("man").display().to_string();
    assert_eq!(run(&["man", &folder]).status, 0);
    let page = std::fs::read_to_string(f.path("man/starwheel-check.1")).unwrap();
    assert!(page.contains("\\-\\-dead\\-vars"), "{page}");
}

/// Two checks of one model at the same time: each trail is whole, whoever comes last.
#[test]
fn two_runs_at_once_do_not_spoil_each_other() {
    let f = Folder::new();
    let model = f.file("m.pml", WRONG);
    for _ in 0..5 {
        let runs: Vec<_> = (0..4).map(|_| start(&["check", &model])).collect();
        runs.into_iter().for_each(|r| assert_eq!(finish(r).status, 1));
        assert_eq!(run(&["replay", &model]).status, 0);
    }
    let left =
        std::fs::read_dir(f.path("")).unwrap().flatten().filter(|e| e.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0, "nothing is left beside the trail");
}
