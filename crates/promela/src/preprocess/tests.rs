//! Tests of the preprocessor on small texts; comparisons with GCC and random texts are in files of their own.

mod differential;
mod directives;
mod limits;
mod macros;
mod random;
mod spans;
mod tokens;

use super::{Loader, Options, Tokens, preprocess};
use crate::token::{Token, TokenKind};
use starwheel_base::{FileId, SourceMap};
use std::collections::HashMap;

/// Included files that are held in memory.
#[derive(Default)]
pub(super) struct Memory(pub HashMap<String, String>);

impl Loader for Memory {
    fn load(&self, name: &str, _from: &str, _quoted: bool) -> Result<(String, String), String> {
        match self.0.get(name) {
            Some(text) => Ok((name.to_string(), text.clone())),
            None => Err("there is no such file".into()),
        }
    }
}

/// A preprocessed text.
pub(super) struct Run {
    pub map: SourceMap,
    pub main: FileId,
    pub tokens: Vec<Token>,
    pub codes: Vec<&'static str>,
    pub outcome: Tokens,
}

impl Run {
    /// The tokens with a blank between each two, without the end.
    pub fn text(&self) -> String {
        let texts: Vec<String> = self.tokens.iter().map(|t| show(&t.kind)).collect();
        texts[..texts.len() - 1].join(" ")
    }

    /// As [`Run::text`], with a bar in front of each token that begins a line.
    pub fn lines(&self) -> String {
        let tokens = &self.tokens[..self.tokens.len() - 1];
        let texts: Vec<String> =
            tokens.iter().map(|t| format!("{}{}", if t.starts_line { "|" } else { "" }, show(&t.kind))).collect();
        texts.join(" ")
    }
}

/// A token as text.
pub(super) fn show(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Ident(name) => name.to_string(),
        TokenKind::Number(n) => n.to_string(),
        TokenKind::Str(text) => format!("\"{text}\""),
        TokenKind::Punct(p) => p.text().to_string(),
        TokenKind::Eof => "<end>".to_string(),
    }
}

/// Preprocesses a text with included files and options.
pub(super) fn run_with(text: &str, files: &[(&str, &str)], options: &Options) -> Run {
    let loader = Memory(files.iter().map(|(n, t)| (n.to_string(), t.to_string())).collect());
    let mut map = SourceMap::new();
    let main = map.add_file("main.pml", text);
    let outcome = preprocess(&mut map, main, options, &loader);
    let codes = outcome.diagnostics.iter().map(|d| d.code).collect();
    Run { map, main, tokens: outcome.tokens.clone(), codes, outcome }
}

/// Preprocesses a text.
pub(super) fn run(text: &str) -> Run {
    run_with(text, &[], &Options::default())
}

/// The tokens of a text that has nothing wrong with it.
pub(super) fn clean(text: &str) -> String {
    let run = run(text);
    assert!(run.codes.is_empty(), "{text:?} gave {:?}", run.outcome.diagnostics);
    run.text()
}
