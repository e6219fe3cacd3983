//! What is said when something around the program is wrong, and that it helps.

mod common;

use common::{Folder, run};

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let f = Folder::new();
    let model = f.file("m.pml", "init { skip }");
    for line in [&["check", &model][..], &["check", "--json", &model], &["graph", &model], &["help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_starwheel"));
        let out = command.args(line).stdout(full).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{line:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.starts_with("error: the answer could not be written"), "{line:?}: {said}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    let f = Folder::new();
    let model = f.file("m.pml", "init { assert(false) }");
    let mut child = common::start(&["check", &model]);
    drop(child.stdout.take());
    assert_eq!(common::finish(child).status, 1);
}

#[test]
fn the_help_that_is_named_is_that_of_the_command() {
    let f = Folder::new();
    let model = f.file("m.pml", "init { skip }");
    for (command, wrong) in [("check", ["--time", "x"]), ("simulate", ["--seed", "x"])] {
        let out = run(&[&[command, &model][..], &wrong].concat());
        assert!(out.status == 2 && out.stderr.contains(&format!("`starwheel help {command}`")), "{out:?}");
    }
}

#[test]
fn a_formula_ends_where_a_formula_ends() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; init { x = 1 }");
    for line in [&["ltl", "[] ("][..], &["check", &model, "--ltl", "[] ("]] {
        let out = run(line);
        assert!(out.status == 2 && out.stderr.contains("found the end of the formula"), "{out:?}");
    }
}

#[test]
fn one_is_no_plural() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x; init { x = 1 }");
    let out = run(&["check", "--memory", "1", &model]);
    assert!(out.status == 3 && out.stdout.contains("the memory limit of 1 byte was reached"), "{out:?}");
}

#[test]
fn a_comment_keeps_a_warning_quiet() {
    let f = Folder::new();
    let text = "byte x;\nactive proctype P() { x = 1 }\n";
    let loud = run(&["check", &f.file("loud.pml", text)]);
    assert!(loud.stderr.contains("never read: `x`"), "{loud:?}");
    let quiet = f.file("quiet.pml", &format!("// starwheel: allow(unread-variable)\n{text}"));
    assert_eq!(run(&["check", &quiet]).stderr, "");
    let other = f.file("other.pml", &format!("// starwheel: allow(unraed-variable)\n{text}"));
    let other = run(&["check", &other]).stderr;
    assert!(other.contains("never read") && other.contains("nothing here is called `unraed-variable`"), "{other}");
    assert!(other.contains("other.pml:1:21"), "{other}");
    let both = f.file("both.pml", &format!("// starwheel: allow(unread-variable, label, unused-allow)\n{text}"));
    assert_eq!(run(&["check", &both]).stderr, "");
    let head = format!("// A title\n// expect: holds\n// starwheel: allow(unread-variable)\n{text}");
    assert_eq!(run(&["test", &f.file("head.pml", &head)]).status, 0);
    let wrong = f.file("wrong.pml", "// starwheel: allow(syntax)\ninit { x = }\n");
    assert_eq!(run(&["check", &wrong]).status, 2, "errors cannot be allowed");
}
