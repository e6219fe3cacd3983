//! The parser's place in the tokens, and what all rules share: looking, taking, complaining, skipping.

use crate::ast::Name;
use crate::lex::{Kind, Token};
use starwheel_base::{Diagnostic, Span};

/// A rule gave up; the reason is already among the diagnostics.
#[derive(Debug)]
pub struct GaveUp;

pub type Parsed<T> = Result<T, GaveUp>;

/// Brackets, decisions and composite states may be nested this deeply, each inside the others.
const DEEPEST: usize = 60;

pub struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The text is IF, whose expressions have other brackets.
    pub iff: bool,
    /// Constants and clocks of a text of IF.
    pub time: super::if_clock::Time,
    pub diagnostics: Vec<Diagnostic>,
}

/// Words that end or begin a part of a text and so are never names of things.
const RESERVED: &[&str] = &[
    "endstate",
    "endprocess",
    "endprocedure",
    "endsystem",
    "endblock",
    "enddecision",
    "endsubstructure",
    "endconnection",
    "endnewtype",
    "endsyntype",
    "endchannel",
    "endfor",
    "nextstate",
    "state",
    "input",
    "output",
    "decision",
    "task",
    "process",
    "procedure",
    "provided",
    "substructure",
];

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, tokens: Vec<Token>) -> Parser<'a> {
        Parser { text, tokens, at: 0, depth: 0, iff: false, time: Default::default(), diagnostics: Vec::new() }
    }

    pub fn token(&self) -> &Token {
        self.ahead(0)
    }

    /// The token some places further on; the last one is the end of the text.
    pub fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before.
    pub fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub fn bump(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// How far the parser is: loops that must move compare it.
    pub fn place(&self) -> usize {
        self.at
    }

    /// The words from a place up to here, as they are compared: semicolons may be there or not.
    pub fn said_since(&self, place: usize) -> String {
        let all = self.tokens[place..self.at].iter().filter(|t| t.kind != Kind::Mark(";"));
        let words = all.map(|t| match t.kind {
            Kind::Name => t.word.as_str(),
            _ => self.text.get(t.span.start as usize..t.span.end as usize).unwrap_or(""),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn is(&self, word: &str) -> bool {
        self.token().word == word
    }

    pub fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.token().word.as_str())
    }

    pub fn is_mark(&self, mark: &str) -> bool {
        self.mark_ahead(0, mark)
    }

    pub fn mark_ahead(&self, n: usize, mark: &str) -> bool {
        matches!(self.ahead(n).kind, Kind::Mark(m) if m == mark)
    }

    pub fn accept(&mut self, word: &str) -> bool {
        let yes = self.is(word);
        if yes {
            self.bump();
        }
        yes
    }

    pub fn accept_mark(&mut self, mark: &str) -> bool {
        let yes = self.is_mark(mark);
        if yes {
            self.bump();
        }
        yes
    }

    pub fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.accept(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    pub fn expect_mark(&mut self, mark: &str) -> Parsed<()> {
        if self.accept_mark(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    /// Reports that something else was expected here.
    pub fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = self.found();
        self.error("unexpected", self.span(), format!("expected {what}, found {found}"))
    }

    fn found(&self) -> String {
        let span = self.span();
        match &self.token().kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Text(_) => "a text in quotes".to_string(),
            _ => format!("`{}`", self.text.get(span.start as usize..span.end as usize).unwrap_or("")),
        }
    }

    pub fn error<T>(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        Err(GaveUp)
    }

    /// Reports something that is SDL but not supported.
    pub fn refuse<T>(&mut self, span: Span, what: &str, advice: &str) -> Parsed<T> {
        self.diagnostics.push(refusal(span, what, advice));
        Err(GaveUp)
    }

    /// Runs a rule one level deeper, or gives up where the text is nested too deeply.
    pub fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.error("deep", self.span(), "the text is nested too deeply here");
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// The value of a number with a point if nothing but zeros comes after it: durations are often written `10.0`.
    pub fn whole_number(&self) -> Option<i64> {
        let span = self.span();
        let (whole, fraction) = self.text.get(span.start as usize..span.end as usize)?.split_once('.')?;
        fraction.bytes().all(|b| b == b'0').then(|| whole.parse().ok())?
    }

    /// Something was wrong with the token that comes next.
    pub fn diagnosed(&self) -> bool {
        self.diagnostics.last().is_some_and(|d| d.span() == self.span())
    }

    pub fn is_name(&self) -> bool {
        self.token().kind == Kind::Name && !RESERVED.contains(&self.token().word.as_str())
    }

    /// A name; a path before it (`<<block b>> n`) says nothing that we need.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.accept_mark("<<") {
            while !self.is_mark(">>") && !self.is_mark(";") && !self.at_end() {
                self.bump();
            }
            self.expect_mark(">>")?;
        }
        if !self.is_name() {
            return self.unexpected(what);
        }
        Ok(self.take_name())
    }

    /// The token as a name, whatever it is.
    pub fn take_name(&mut self) -> Name {
        let span = self.span();
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let text = match text.rsplit_once(char::is_whitespace) {
            // It goes on behind an underscore at the end of a line.
            Some((_, last)) => {
                let parts = text.split_whitespace().map(|p| p.strip_suffix('_').unwrap_or(p));
                parts.take(text.split_whitespace().count() - 1).chain([last]).collect()
            }
            None => text.to_string(),
        };
        let key = self.token().word.clone();
        self.bump();
        Name { text, key, span }
    }

    pub fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut list = vec![self.name(what)?];
        while self.accept_mark(",") {
            list.push(self.name(what)?);
        }
        Ok(list)
    }

    /// The end of a part: an optional remark and the semicolon.
    pub fn end(&mut self) -> Parsed<()> {
        self.remark();
        if self.is_mark("{") {
            let span = self.span();
            self.skip_block();
            let advice = "write a semicolon, the parts behind it, and the word that ends it";
            return self.refuse(span, "a part in braces (SDL-2000)", advice);
        }
        self.expect_mark(";")
    }

    /// Skips past a part in braces that begins here.
    pub fn skip_block(&mut self) {
        self.skip_between("{", "}");
        self.accept_mark("}");
    }

    /// `comment 'text'`, which says nothing to a machine.
    pub fn remark(&mut self) {
        while self.is("comment") && matches!(self.ahead(1).kind, Kind::Text(_)) {
            self.bump();
            self.bump();
        }
    }

    /// Skips to one of the words, past the next semicolon, or to the end.
    pub fn skip_to(&mut self, words: &[&str]) {
        while !self.at_end() && !self.is_one_of(words) {
            let stop = self.is_mark(";");
            self.bump();
            if stop {
                return;
            }
        }
    }

    /// Skips what stands between two marks, others of the same kind inside included; we are in front of the first.
    pub fn skip_between(&mut self, left: &str, right: &str) {
        let mut open = 0;
        while !self.at_end() {
            open += i32::from(self.is_mark(left)) - i32::from(self.is_mark(right));
            if open <= 0 {
                return;
            }
            self.bump();
        }
    }

    /// Skips past the first of the words and its semicolon.
    pub fn skip_past(&mut self, words: &[&str]) {
        while !self.at_end() && !self.is_one_of(words) {
            self.bump();
        }
        while !self.at_end() && !self.accept_mark(";") {
            self.bump();
        }
    }
}

/// The code of everything that is SDL but not supported.
pub const NOT_SUPPORTED: &str = "not-supported";

/// The diagnostic for something that is SDL but not supported.
pub fn refusal(span: Span, what: &str, advice: &str) -> Diagnostic {
    let d = Diagnostic::error(NOT_SUPPORTED, span, format!("{what} is not supported"));
    if advice.is_empty() { d } else { d.advise(advice) }
}
