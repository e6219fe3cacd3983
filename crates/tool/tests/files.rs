//! No file is lost: what a run writes takes the place of files of its own kind only.

mod common;

use common::{Folder, run};
use std::fs;

const BROKEN: &str = "init { assert(false) }";

#[test]
fn a_trail_never_takes_the_place_of_something_else() {
    let f = Folder::new();
    let model = f.file("m.pml", BROKEN);
    let notes = f.file("notes.txt", "years of work");
    for trail in [&notes, &model] {
        let before = fs::read_to_string(trail).unwrap();
        let ran = run(&["check", &model, "--trail", trail]);
        assert_eq!(ran.status, 1, "the verdict stays: {ran:?}");
        assert!(ran.stderr.contains("--force"), "{ran:?}");
        assert_eq!(fs::read_to_string(trail).unwrap(), before);
    }
    let ran = run(&["check", &model, "--trail", &notes, "--force"]);
    assert!(ran.status == 1 && !ran.stderr.contains("--force"), "{ran:?}");
    assert!(fs::read_to_string(&notes).unwrap().contains("starwheel-trail"));
    assert_eq!(run(&["check", &model, "--trail", &notes]).status, 1);
    assert_eq!(run(&["replay", &model, &notes]).status, 0, "a trail replaces a trail");
}

#[test]
fn nothing_is_put_beside_a_device() {
    let f = Folder::new();
    let model = f.file(
        "two.pml",
        "byte x; active proctype P() { x = 1; assert(x == 0) } ltl a { [] (x == 0) } ltl b { <> (x == 2) }",
    );
    let ran = run(&["check", &model, "--trail", "/dev/null"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    for name in ["a", "b"] {
        assert!(!std::path::Path::new(&format!("/dev/null.{name}.json")).exists(), "{name}");
    }
}

#[test]
fn pictures_automata_and_checkpoints_are_as_careful() {
    let f = Folder::new();
    let model = f.file("m.pml", BROKEN);
    let notes = f.file("notes.txt", "years of work");
    assert_eq!(run(&["check", &model]).status, 1);
    for line in [
        &["replay", &model, "--svg", &notes][..],
        &["generate", "nba", "ring", "3", "--output", &notes],
        &["check", &model, "--checkpoint", &notes],
    ] {
        let ran = run(line);
        assert!(ran.status == 2 && ran.stderr.contains("--force"), "{line:?}: {ran:?}");
        assert_eq!(fs::read_to_string(&notes).unwrap(), "years of work");
        assert!(run(&[line, &["--force"]].concat()).status < 2, "{line:?}");
        fs::write(&notes, "years of work").unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let f = Folder::new();
    let model = f.file("m.pml", BROKEN);
    let target = f.file("target.json", "");
    std::os::unix::fs::symlink(&target, f.path("m.pml.trail.json")).unwrap();
    let ran = run(&["check", &model]);
    assert!(ran.status == 1 && ran.stderr.contains("link"), "{ran:?}");
    assert_eq!(fs::read_to_string(&target).unwrap(), "");
}
