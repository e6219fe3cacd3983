//! Tests of spans: where tokens were written, and by which macros they came.

use super::{Run, run, run_with, show};
use crate::preprocess::Options;

/// The text at a token's span, the names of the macros it came through (innermost first) and its line in the main text.
fn history(run: &Run, token: &str) -> (String, Vec<String>, u32) {
    let found = run.tokens.iter().find(|t| show(&t.kind) == token).expect("the token is there");
    let mut names = Vec::new();
    let mut at = found.span;
    while let Some(expansion) = run.map.expansion(at.expansion) {
        assert!(!expansion.inline);
        names.push(expansion.name.to_string());
        at = expansion.call;
    }
    assert_eq!(at.file, run.main, "the outermost place is in the main text");
    (run.map.text(found.span).to_string(), names, run.map.line(found.span))
}

fn entry(text: &str, names: &[&str], line: u32) -> (String, Vec<String>, u32) {
    (text.to_string(), names.iter().map(|n| n.to_string()).collect(), line)
}

#[test]
fn plain_tokens_are_where_they_stand() {
    let run = run("\n abc 'x' \"s\"");
    assert_eq!(history(&run, "abc"), entry("abc", &[], 2));
    assert_eq!(history(&run, "120"), entry("'x'", &[], 2));
    assert_eq!(history(&run, "\"s\""), entry("\"s\"", &[], 2));
}

#[test]
fn tokens_of_a_body_point_into_the_body() {
    let run = run("#define A one\n#define B A two\n\nB");
    assert_eq!(history(&run, "two"), entry("two", &["B"], 4));
    assert_eq!(history(&run, "one"), entry("one", &["A", "B"], 4));
}

#[test]
fn tokens_of_arguments_point_at_the_arguments_but_count_for_the_line_of_the_macro() {
    let run = run("#define F(x) y x\n#define A one\nF(\nz\nA)");
    assert_eq!(history(&run, "y"), entry("y", &["F"], 3));
    assert_eq!(history(&run, "z"), entry("z", &["F"], 3));
    assert_eq!(history(&run, "one"), entry("one", &["A", "F"], 3));
}

#[test]
fn arguments_that_are_passed_on_remember_all_macros() {
    let run = run("#define G(x) x g\n#define F(x) G(x)\n#define A one\n\nF(A b)");
    assert_eq!(history(&run, "one"), entry("one", &["A", "G", "F"], 5));
    assert_eq!(history(&run, "b"), entry("b", &["G", "F"], 5));
    assert_eq!(history(&run, "g"), entry("g", &["G", "F"], 5));
}

#[test]
fn a_macro_that_takes_its_arguments_from_behind_another_one() {
    let run = run("#define G(x) x g\n#define F G\n\nF\n(b)");
    assert_eq!(history(&run, "b"), entry("b", &["G", "F"], 4));
    assert_eq!(history(&run, "g"), entry("g", &["G", "F"], 4));
}

#[test]
fn no_span_reaches_from_a_body_into_an_argument() {
    let run = run("#define F(x) x + 1\nF(a)");
    let span = |i: usize| run.tokens[i].span;
    assert_eq!(run.map.text(span(0).to(span(2))), "a");
    assert_eq!(run.map.text(span(1).to(span(2))), "+ 1");
}

#[test]
fn made_tokens_point_at_what_they_were_made_of() {
    let run = run("#define F(x) x ## 1 #x __LINE__\n\nF(a)");
    assert_eq!(history(&run, "a1"), entry("a", &["F"], 3));
    assert_eq!(history(&run, "\"a\""), entry("#", &["F"], 3));
    assert_eq!(history(&run, "3"), entry("__LINE__", &["F"], 3));
}

#[test]
fn tokens_of_included_files_and_of_the_command_line_name_their_file() {
    let options = Options { defines: vec![("N".into(), Some("n".into()))], ..Options::default() };
    let run = run_with("#include \"a.h\"\n#include \"a.h\"\nN", &[("a.h", "\nx")], &options);
    let place = |i: usize| run.map.locate(run.tokens[i].span);
    assert_eq!((place(0).0, place(0).1.line), ("a.h", 2));
    assert_eq!(run.tokens[0].span, run.tokens[1].span);
    assert_eq!((place(2).0, place(2).1.line), ("main.pml", 3));
    assert_eq!(run.map.file(run.tokens[2].span.file).name, "<command line>");
}

#[test]
fn parts_of_a_number_have_their_own_places() {
    let run = run("12ab");
    assert_eq!(history(&run, "12"), entry("12", &[], 1));
    assert_eq!(history(&run, "ab"), entry("ab", &[], 1));
}
