//! SDL and IF on the command line: translated, checked directly, and told in their own lines.

mod common;

use common::{Folder, json, run};
use std::fs;
use std::path::PathBuf;

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/sdl");
    root.join(name).display().to_string()
}

/// The lines `-- word: …` of a text.
fn head(text: &str, word: &str) -> Vec<String> {
    let of =
        |line: &str| Some(line.trim().strip_prefix("-- ")?.strip_prefix(word)?.strip_prefix(':')?.trim().to_string());
    text.lines().filter_map(of).collect()
}

#[test]
fn the_examples_are_what_their_heads_say() {
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    for entry in fs::read_dir(example("")).expect("a folder").flatten() {
        let (path, text) = (entry.path(), fs::read_to_string(entry.path()).expect("a text"));
        let (path, options) = (path.display().to_string(), head(&text, "options").join(" "));
        let also = head(&text, "also").into_iter().map(|line| {
            let (more, verdict) = line.split_once('=').expect("options = verdict");
            (format!("{options} {more}"), verdict.trim().to_string())
        });
        let expected = head(&text, "expect").into_iter().map(|verdict| (options.clone(), verdict)).chain(also);
        for (options, verdict) in expected {
            let mut line = vec!["check", "--json", "--plain", &path, "--trail", &trail];
            line.extend(options.split_whitespace());
            let mut words = verdict.split_whitespace();
            let report = json(&line, i32::from(words.next() != Some("holds")));
            if let Some((states, transitions)) = words.next().and_then(|counts| counts.split_once('/')) {
                let stats = &report["stats"];
                let counts = (stats["states_stored"].to_string(), stats["transitions"].to_string());
                assert_eq!(counts, (states.to_string(), transitions.to_string()), "{line:?}");
            }
        }
    }
}

#[test]
fn findings_speak_of_lines_of_the_source() {
    let f = Folder::new();
    let (path, trail) = (example("light-broken.pr"), f.path("t.json").display().to_string());
    let report = json(&["check", "--json", &path, "--trail", &trail], 1);
    let finding = &report["findings"][0];
    let text = fs::read_to_string(&path).expect("a text");
    let line = finding["line"].as_u64().expect("a line") as usize;
    assert!(finding["file"].as_str().is_some_and(|file| file.ends_with("light-broken.pr")), "{finding}");
    assert!(line >= 1 && line <= text.lines().count(), "{finding}");
    let out = run(&["replay", &path, &trail]);
    assert!(out.status == 0 && out.stdout.contains("light-broken.pr"), "{out:?}");
}

#[test]
fn a_translation_is_written_with_its_header_and_checks_the_same() {
    let f = Folder::new();
    let (path, out) = (example("light.pr"), f.path("light.pml").display().to_string());
    assert_eq!(run(&["translate", &path, "-o", &out]).status, 0);
    assert!(f.path("dtime.h").exists());
    let states = |model: &str| json(&["check", "--json", "--plain", model], 0)["stats"]["states_stored"].clone();
    assert_eq!(states(&out), states(&path));
    // Again, over its own; but not over somebody else's.
    assert_eq!(run(&["translate", &path, "-o", &out]).status, 0);
    let other = f.file("mine.pml", "active proctype P() { skip }");
    assert_eq!(run(&["translate", &path, "-o", &other]).status, 2);
    assert!(run(&["translate", &path]).stdout.contains("proctype"));
}

#[test]
fn a_folder_is_one_system_and_promela_is_no_sdl() {
    let f = Folder::new();
    let text = fs::read_to_string(example("light.pr")).expect("a text");
    fs::create_dir(f.path("system")).expect("a folder");
    fs::write(f.path("system/light.pr"), text).expect("a file");
    let folder = f.path("system").display().to_string();
    json(&["check", "--json", &folder], 0);
    let promela = f.file("m.pml", "active proctype P() { skip }");
    let refused = |line: &[&str]| json(line, 2)["diagnostics"][0]["code"].clone();
    assert_eq!(refused(&["check", "--json", &promela, "--queue", "2"]), "only-for-sdl");
    assert_eq!(refused(&["check", "--json", &example("light.pr"), &promela]), "too-many-files");
    assert_eq!(run(&["translate", &promela]).status, 2);
}

#[test]
fn formulas_name_processes_states_and_variables_of_the_text() {
    let (light, watch) = (example("light.pr"), example("watch.pr"));
    for (path, formula, status) in [
        (&light, "[] (CONTROL@ns -> <> Control@EW)", 0),
        (&light, "[] !control@Ew", 1),
        // An observer has no label to stand at, and a variable that it reads is no local one.
        (&watch, "[] !Guard@Flooded", 0),
        (&watch, "[] (Operator:Rounds < 2)", 1),
    ] {
        let f = Folder::new();
        let trail = f.path("t.json").display().to_string();
        let report = json(&["check", "--json", path, "--ltl", formula, "--trail", &trail], status);
        if status == 1 {
            assert_eq!(run(&["replay", path, &trail]).status, 0, "{report}");
        }
    }
}

#[test]
fn trails_and_unreached_statements_are_told_in_words_of_the_text() {
    let f = Folder::new();
    let (path, trail) = (example("light-broken.pr"), f.path("t.json").display().to_string());
    run(&["check", &path, "--trail", &trail]);
    let shown = run(&["replay", &path, &trail]).stdout;
    assert!(shown.contains("Control in ns: timer phase -> "), "{shown}");
    let report = run(&["check", &example("watch.pr")]).stdout;
    assert!(report.contains("pump in idle: input halt (discarded)"), "{report}");
}
