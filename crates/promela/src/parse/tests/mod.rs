//! Tests of the parser: a table for each part of the language, errors, and damaged models.

mod dump;
mod errors;
mod expressions;
mod formulas;
mod inlines;
mod lexer;
mod mutation;
mod printing;
mod semicolons;
mod statements;
mod units;

use super::{Parsed, parse};
use starwheel_base::{Diagnostic, SourceMap};

/// Parses a text as a file of its own.
fn parse_text(text: &str) -> (Parsed, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml", text);
    let tokens = lexer::tokens(text, file);
    let parsed = parse(&tokens, &mut map);
    (parsed, map)
}

/// The units of a text without errors, one line each.
fn units(text: &str) -> Vec<String> {
    let (parsed, map) = parse_text(text);
    assert_eq!(messages(&parsed.diagnostics, &map), Vec::<String>::new(), "in {text}");
    parsed.program.units.iter().map(dump::unit).collect()
}

/// The steps of a body without errors.
fn body(text: &str) -> String {
    let model = format!("init {{ {text} }}");
    let unit = units(&model).pop().unwrap_or_default();
    let steps = unit.strip_prefix("init [").and_then(|u| u.strip_suffix(']'));
    steps.unwrap_or(&unit).to_string()
}

/// `line code message` for each diagnostic.
fn messages(diagnostics: &[Diagnostic], map: &SourceMap) -> Vec<String> {
    diagnostics.iter().map(|d| format!("{} {} {}", map.line(d.span()), d.code, d.message)).collect()
}

/// What is said about a text.
fn said(text: &str) -> Vec<String> {
    let (parsed, map) = parse_text(text);
    messages(&parsed.diagnostics, &map)
}
