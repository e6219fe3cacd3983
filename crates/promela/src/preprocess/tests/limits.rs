//! Tests of the limits: no text may keep the preprocessor busy for long, use up the memory or break it.

use super::{Run, run, run_with};
use crate::preprocess::Options;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Preprocesses a text that must be given up on, soon and with one error.
fn gives_up(text: &str, code: &str) -> Run {
    let started = Instant::now();
    let run = run(text);
    assert_eq!(run.codes, [code]);
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
    run
}

/// Macros of which each uses the one before in this way.
fn tower(height: usize, params: &str, body: impl Fn(usize) -> String) -> String {
    let mut text = format!("#define A0{params} x\n");
    for i in 1..=height {
        writeln!(text, "#define A{i}{params} {}", body(i - 1)).unwrap();
    }
    text
}

#[test]
fn macros_that_double_their_text() {
    gives_up(&(tower(60, "", |i| format!("A{i} A{i}")) + "A60\n"), "macro-size");
    gives_up(&(tower(60, "(a)", |i| format!("A{i}(a) A{i}(a a)")) + "A60(y)\n"), "macro-size");
    gives_up(&(tower(60, "(a)", |i| format!("A{i}(A{i}(a))")) + "A60(y)\n"), "macro-size");
    gives_up(&(tower(60, "(a)", |i| format!("A{i}(a##a)")) + "A60(y)\n"), "macro-size");
    gives_up(&(tower(60, "(a)", |i| format!("A{i}(#a #a)")) + "A60(y)\n"), "macro-size");
}

#[test]
fn doubling_in_a_condition_and_in_an_argument() {
    let tower = tower(60, "", |i| format!("A{i} A{i}"));
    gives_up(&format!("{tower}#if A60\n#endif\nx"), "macro-size");
    gives_up(&format!("{tower}#define F(x) y\nF(x) A60"), "macro-size");
}

#[test]
fn a_long_chain_of_macros_is_no_problem() {
    let run = run(&(tower(5000, "", |i| format!("A{i}")) + "A5000\n"));
    assert_eq!(run.codes, [""; 0]);
    assert_eq!(run.text(), "x");
}

#[test]
fn an_endless_chain_of_macros_is_given_up() {
    gives_up(&(tower(60_000, "", |i| format!("A{i}")) + "A60000\n"), "macro-size");
}

#[test]
fn uses_nested_in_arguments() {
    let nested = |n: usize| format!("#define F(x) x\n{}y{}", "F(".repeat(n), ")".repeat(n));
    assert_eq!(run(&nested(100)).text(), "y");
    gives_up(&nested(2000), "macro-depth");
    gives_up(&nested(50_000), "macro-size");
}

#[test]
fn files_that_include_themselves() {
    let started = Instant::now();
    let files = [("once", "#include \"once\"\n"), ("twice", "#include \"twice\"\n#include \"twice\"\n")];
    assert_eq!(run_with("#include \"once\"", &files, &Options::default()).codes, ["include-depth"]);
    assert_eq!(run_with("#include \"twice\"", &files, &Options::default()).codes, ["include-depth"]);
    let flat = "#define N\n#include \"none\"\n".repeat(20_000);
    let many = run_with(&flat, &[("none", "")], &Options::default());
    assert_eq!(many.codes, ["include-count"]);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn long_texts_take_time_in_proportion() {
    let started = Instant::now();
    let long = 200_000;
    assert_eq!(run(&"x ".repeat(long)).tokens.len(), long + 1);
    run(&"(".repeat(long));
    run(&"\\\n".repeat(long));
    run(&"\\ ".repeat(long));
    run(&"#if 1\n".repeat(long));
    run(&"/*".repeat(long));
    run(&"\"".repeat(long));
    run(&format!("#define F(x) x\nF({})", "a,(b),".repeat(long / 10)));
    run(&format!("#define F(x) #x\nF({})", "a ".repeat(long)));
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
}

#[test]
fn errors_beyond_counting_are_not_kept() {
    assert_eq!(run(&"`".repeat(100_000)).codes.len(), super::super::MAX_DIAGNOSTICS);
}
