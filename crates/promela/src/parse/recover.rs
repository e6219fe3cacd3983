//! Reporting syntax errors, and finding a place to go on after one.

use super::cursor::{Failed, Parser, Tk};
use super::keyword::Kw;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

/// More errors than this help nobody.
const MAX_DIAGNOSTICS: usize = 200;

/// What closes something that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closer {
    Fi,
    Od,
    Brace,
}

impl Closer {
    /// The closer that a token is.
    fn of(t: &Tk) -> Option<Closer> {
        match t {
            Tk::Kw(Kw::Fi) => Some(Closer::Fi),
            Tk::Kw(Kw::Od) => Some(Closer::Od),
            Tk::Punct(Punct::RightBrace) => Some(Closer::Brace),
            _ => None,
        }
    }

    /// The closer that a token waits for.
    fn wanted_by(t: &Tk) -> Option<Closer> {
        match t {
            Tk::Kw(Kw::If) => Some(Closer::Fi),
            Tk::Kw(Kw::Do) => Some(Closer::Od),
            Tk::Punct(Punct::LeftBrace) => Some(Closer::Brace),
            _ => None,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Closer::Fi => "fi",
            Closer::Od => "od",
            Closer::Brace => "}",
        }
    }
}

/// Something that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opener {
    pub closer: Closer,
    pub span: Span,
    /// Such as "this `if`".
    pub what: &'static str,
}

impl Parser<'_> {
    /// Files an error about the current token, unless there is one already.
    pub(super) fn report(&mut self, d: Diagnostic) -> Failed {
        let here = (self.inlines.depth(), self.stream.pos);
        if self.error_at != Some(here) {
            self.error_at = Some(here);
            self.file(d);
        }
        Failed
    }

    /// Files a diagnostic; one that was filed for the same text before (an inline is parsed at each call) is dropped.
    pub(super) fn file(&mut self, d: Diagnostic) {
        let at = d.span();
        if self.diagnostics.len() < MAX_DIAGNOSTICS && self.reported.insert((at.file, at.start, d.code)) {
            self.diagnostics.push(d);
        }
    }

    /// Reports that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let d = Diagnostic::error("syntax", self.span(), format!("expected {what}, found {}", self.found()));
        let d = self.advise_operator(d);
        self.report(d)
    }

    /// Adds advice for operators that Promela does not have or that follow a line end.
    fn advise_operator(&self, d: Diagnostic) -> Diagnostic {
        use Punct::*;
        let Tk::Punct(p) = self.raw().kind else { return d };
        match p {
            Assign => d.advise("`=` assigns and `==` compares; an assignment cannot be part of an expression"),
            Increment | Decrement => d.advise("`++` and `--` stand behind a variable, as a statement of their own"),
            Query | QueryQuery => d.advise(QUERY_ADVICE),
            BangBang => d.advise("`!!` sends to a sorted channel; write `!(!x)` to negate twice"),
            _ if self.raw().starts_line && is_infix(p) => d.advise(LINE_END_ADVICE),
            _ => d,
        }
    }

    /// Reports a reserved word in the place of a name.
    pub(super) fn reserved(&mut self, kw: Kw, what: &str) -> Failed {
        let message = format!("expected {what}, but `{}` is a reserved word", kw.text());
        let d = Diagnostic::error("reserved-word", self.span(), message);
        let d = d.advise(format!("choose another name, such as `{}_1`", kw.text().trim_end_matches('_')));
        let failed = self.report(d);
        // Where it was clearly meant as a name, it must not be taken for the beginning of something.
        use Punct::*;
        if matches!(self.nth(1), Tk::Punct(Semicolon | Assign | Comma | RightParen | LeftBracket | Colon)) {
            self.bump_raw();
        }
        failed
    }

    /// The current token in words.
    pub(super) fn found(&self) -> String {
        if self.implied() && self.raw().starts_line {
            return "the end of the line".into();
        }
        self.describe(self.peek())
    }

    /// A token in words.
    pub(super) fn describe(&self, t: &Tk) -> String {
        match t {
            Tk::Kw(k) => format!("`{}`", k.text()),
            Tk::Ident(n) => format!("`{n}`"),
            Tk::Number(n) => format!("the number {n}"),
            Tk::Str(_) => "a string".into(),
            Tk::Punct(p) => format!("`{}`", p.text()),
            Tk::Eof if self.stream.inlining => "the end of the inline".into(),
            Tk::Eof => "the end of the file".into(),
        }
    }

    /// True where a sequence cannot go on, given what is open around it.
    pub(super) fn at_sequence_end(&self) -> bool {
        let open = |c| self.openers.iter().any(|o| o.closer == c);
        let innermost = self.openers.last().map(|o| o.closer);
        match &self.raw().kind {
            Tk::Eof => true,
            Tk::Kw(k) if k.starts_unit() => true,
            Tk::Kw(Kw::Fi) => open(Closer::Fi) || innermost == Some(Closer::Od),
            Tk::Kw(Kw::Od) => open(Closer::Od) || innermost == Some(Closer::Fi),
            Tk::Punct(Punct::RightBrace) => true,
            Tk::Punct(Punct::ColonColon) => open(Closer::Fi) || open(Closer::Od),
            _ => false,
        }
    }

    /// Consumes the end of something that is open, or says that it is missing.
    pub(super) fn close(&mut self, opener: Opener) {
        self.openers.pop();
        let here = Closer::of(&self.raw().kind);
        if here == Some(opener.closer) {
            self.bump_raw();
            return;
        }
        let message = format!("{} is not closed by `{}`", opener.what, opener.closer.text());
        let d = Diagnostic::error("unclosed", opener.span, message).here("opened here");
        let d = d.also(self.raw().span, format!("{} comes first", self.describe(&self.raw().kind)));
        self.report(d);
        // A closer that nobody else waits for is a slip of the pen for the right one.
        let wanted = |c| self.openers.iter().any(|o| o.closer == c);
        if here.is_some_and(|c| !wanted(c)) {
            self.bump_raw();
        }
    }

    /// Skips to the end of the current statement: a separator, `::`, a closer or the next unit.
    pub(super) fn skip_statement(&mut self) {
        self.stream.parens = 0;
        let mut nest: Vec<Closer> = Vec::new();
        loop {
            let t = &self.raw().kind;
            match t {
                Tk::Eof => break,
                Tk::Kw(k) if k.starts_unit() => break,
                _ => {}
            }
            if let Some(c) = Closer::of(t) {
                let Some(i) = nest.iter().rposition(|&n| n == c) else { break };
                nest.truncate(i);
            } else if let Some(c) = Closer::wanted_by(t) {
                nest.push(c);
            } else if nest.is_empty() && (self.at_separator() || self.at_sequence_end()) {
                break;
            }
            self.bump_raw();
            self.stream.parens = 0;
        }
    }

    /// Skips to the next thing that can be a top-level unit. Consumes at least one token.
    pub(super) fn skip_unit(&mut self) {
        let mut braces = 0_usize;
        loop {
            match self.raw().kind {
                Tk::Punct(Punct::LeftBrace) => braces += 1,
                Tk::Punct(Punct::RightBrace) => braces = braces.saturating_sub(1),
                Tk::Eof => break,
                _ => {}
            }
            self.bump_raw();
            let starts = match self.raw().kind {
                Tk::Kw(k) if k.starts_unit() => true,
                Tk::Kw(k) => braces == 0 && self.raw().starts_line && k.starts_decl(),
                Tk::Punct(Punct::Semicolon) => braces == 0,
                _ => false,
            };
            if starts {
                break;
            }
        }
        self.stream.parens = 0;
    }
}

/// Advice for `?` where it cannot be.
pub(super) const QUERY_ADVICE: &str =
    "a receive is a statement; `c?[x]` asks whether one is possible, and `(c -> a : b)` chooses between two values";

/// Advice for an operator at the beginning of a line.
pub(super) const LINE_END_ADVICE: &str = "a line end behind a complete statement stands for `;`: put the operator at the end of the line before, or the whole expression in parentheses";

/// True for operators that stand between two operands.
pub(super) fn is_infix(p: Punct) -> bool {
    use Punct::*;
    let logic = matches!(p, AndAnd | OrOr | EqEq | NotEq | LessEq | GreaterEq | Less | Greater);
    let bits = matches!(p, ShiftLeft | ShiftRight | Ampersand | Bar | Caret);
    logic || bits || matches!(p, Plus | Minus | Star | Slash | Percent | Comma | Query | QueryQuery | Dot)
}
