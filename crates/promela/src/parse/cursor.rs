//! The parser's place in the tokens: looking ahead, moving on, and line ends that stand for semicolons.

use super::FormulaOptions;
use super::inline::Inlines;
use super::keyword::Kw;
use super::ltl::Mode;
use super::recover::Opener;
use crate::ast::Ident;
use crate::token::{Punct, Token, TokenKind};
use starwheel_base::cancel::Watch;
use starwheel_base::{Diagnostic, FileId, SourceMap, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// How deeply parentheses may be nested, and half as deeply statements; keeps within a stack of two megabytes.
const MAX_NESTING: u32 = 500;

/// A token with reserved words told apart from names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tk {
    Kw(Kw),
    Ident(Arc<str>),
    Number(i64),
    Str(Arc<str>),
    Punct(Punct),
    Eof,
}

/// A [`Tk`] and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Tok {
    pub kind: Tk,
    pub span: Span,
    pub starts_line: bool,
}

impl From<&Token> for Tok {
    fn from(t: &Token) -> Tok {
        let kind = match &t.kind {
            TokenKind::Ident(s) => Kw::from_text(s).map_or_else(|| Tk::Ident(s.clone()), Tk::Kw),
            TokenKind::Number(n) => Tk::Number(*n),
            TokenKind::Str(s) => Tk::Str(s.clone()),
            TokenKind::Punct(p) => Tk::Punct(*p),
            TokenKind::Eof => Tk::Eof,
        };
        Tok { kind, span: t.span, starts_line: t.starts_line }
    }
}

/// What the token in front of the current one means for implied semicolons.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Last {
    /// A closing brace: a semicolon follows unless a few words do.
    Brace,
    /// `else`: a semicolon follows always.
    Else,
    /// A token that may end a statement: a semicolon follows if the line ends.
    MayEnd,
    /// Any other token.
    Other,
}

/// One list of tokens: the model, or the body of an inline at one call.
pub(super) struct Stream {
    /// Ends in [`Tk::Eof`].
    pub tokens: Vec<Tok>,
    /// The current token.
    pub pos: usize,
    pub last: Last,
    pub last_span: Span,
    /// The semicolon implied in front of the current token has been consumed.
    pub implied_taken: bool,
    /// Open parentheses; within them line ends mean nothing.
    pub parens: u32,
    /// True for the body of an inline.
    pub inlining: bool,
}

impl Stream {
    pub(super) fn new(mut tokens: Vec<Tok>, inlining: bool, at: Span) -> Stream {
        if tokens.last().is_none_or(|t| t.kind != Tk::Eof) {
            tokens.push(Tok { kind: Tk::Eof, span: at, starts_line: false });
        }
        Stream { tokens, pos: 0, last: Last::Other, last_span: at, implied_taken: false, parens: 0, inlining }
    }
}

/// An error has been reported already; the caller only has to find a place to go on.
#[derive(Debug)]
pub(super) struct Failed;

/// What parsing functions return.
pub(super) type Parse<T> = Result<T, Failed>;

/// The parser: tokens in, tree and diagnostics out.
pub(super) struct Parser<'m> {
    pub map: &'m mut SourceMap,
    pub stream: Stream,
    /// True inside a body or a typedef, where line ends may stand for semicolons.
    pub in_seq: bool,
    /// Set while a formula is parsed.
    pub ltl: Option<Mode>,
    /// How formulas are read.
    pub formulas: FormulaOptions,
    pub names: Names,
    pub inlines: Inlines,
    /// What is open around the current token, within the current stream.
    pub openers: Vec<Opener>,
    /// In the middle part of `( _ -> _ : _ )`, where a colon is no part of an operand.
    pub before_colon: bool,
    /// Depth of the tree of the expression that was parsed last.
    pub tree_depth: u32,
    pub diagnostics: Vec<Diagnostic>,
    pub(super) reported: HashSet<(FileId, u32, &'static str)>,
    pub(super) error_at: Option<(usize, usize)>,
    /// Says when to give up: then all tokens that are left are passed over.
    pub watch: Watch,
    depth: u32,
    too_deep: bool,
}

/// Names that decide how text is read.
#[derive(Default)]
pub(super) struct Names {
    /// All process types, wherever they are declared.
    pub processes: HashSet<Arc<str>>,
    /// Process types declared in front of the current token.
    pub processes_so_far: HashSet<Arc<str>>,
    /// All typedefs, wherever they are declared.
    pub types: HashSet<Arc<str>>,
    /// All inlines, wherever they are defined.
    pub inlines: HashSet<Arc<str>>,
    /// Symbolic constants declared in front of the current token.
    pub mtypes: HashSet<Arc<str>>,
}

impl Names {
    /// Looks for the words that declare such names.
    fn collect(tokens: &[Tok]) -> Names {
        let mut names = Names::default();
        for pair in tokens.windows(2) {
            let (Tk::Kw(kw), Tk::Ident(name)) = (&pair[0].kind, &pair[1].kind) else { continue };
            match kw {
                Kw::Proctype | Kw::DProctype => names.processes.insert(name.clone()),
                Kw::Typedef => names.types.insert(name.clone()),
                Kw::Inline => names.inlines.insert(name.clone()),
                _ => continue,
            };
        }
        names
    }
}

static SEMICOLON: Tk = Tk::Punct(Punct::Semicolon);

impl<'m> Parser<'m> {
    pub(super) fn new(tokens: &[Token], map: &'m mut SourceMap) -> Parser<'m> {
        let tokens: Vec<Tok> = tokens.iter().map(Tok::from).collect();
        let names = Names::collect(&tokens);
        let at = tokens.last().map_or_else(Span::default, |t| t.span);
        Parser {
            map,
            stream: Stream::new(tokens, false, at),
            in_seq: false,
            ltl: None,
            formulas: FormulaOptions::default(),
            names,
            inlines: Inlines::default(),
            openers: Vec::new(),
            before_colon: false,
            tree_depth: 0,
            diagnostics: Vec::new(),
            reported: HashSet::new(),
            error_at: None,
            watch: Watch::never(),
            depth: 0,
            too_deep: false,
        }
    }

    /// The current token as it was written.
    pub(super) fn raw(&self) -> &Tok {
        &self.stream.tokens[self.stream.pos]
    }

    /// The token `n` places on, as it was written; the end of the stream for places behind it.
    pub(super) fn nth(&self, n: usize) -> &Tk {
        let i = (self.stream.pos + n).min(self.stream.tokens.len() - 1);
        &self.stream.tokens[i].kind
    }

    /// The current token, or a semicolon if one is implied in front of it.
    pub(super) fn peek(&self) -> &Tk {
        if self.implied() { &SEMICOLON } else { &self.raw().kind }
    }

    /// True if a semicolon is implied in front of the current token.
    pub(super) fn implied(&self) -> bool {
        use Punct::*;
        let s = &self.stream;
        let next = self.raw();
        if s.implied_taken || self.ltl.is_some() {
            return false;
        }
        if matches!(next.kind, Tk::Eof | Tk::Punct(Semicolon | Arrow | RightBrace)) {
            return false;
        }
        match s.last {
            Last::Brace => {
                let word = matches!(next.kind, Tk::Kw(Kw::Proctype | Kw::Init | Kw::Never));
                let close = matches!(next.kind, Tk::Kw(Kw::Fi | Kw::Od | Kw::Unless));
                // A comma goes on with a declaration such as `chan c = [1] of { byte }, d`.
                !word && !close && !matches!(next.kind, Tk::Punct(ColonColon | Comma))
            }
            Last::Else => next.kind != Tk::Kw(Kw::Fi),
            Last::MayEnd => next.starts_line && self.in_seq && s.parens == 0,
            Last::Other => false,
        }
    }

    /// Consumes the current token or the semicolon implied in front of it.
    pub(super) fn bump(&mut self) {
        if self.implied() {
            self.stream.implied_taken = true;
        } else {
            self.bump_raw();
        }
    }

    /// Consumes the current token, and a semicolon implied in front of it with it. Stays at the end of the stream, and goes
    /// there at once when there is no more time.
    pub(super) fn bump_raw(&mut self) {
        let last = self.last_kind();
        let s = &mut self.stream;
        if self.watch.stopped() {
            s.pos = s.tokens.len() - 1;
            return;
        }
        let t = &s.tokens[s.pos];
        match t.kind {
            Tk::Eof => return,
            Tk::Punct(Punct::LeftParen) => s.parens += 1,
            Tk::Punct(Punct::RightParen) => s.parens = s.parens.saturating_sub(1),
            _ => {}
        }
        s.last_span = t.span;
        s.last = last;
        s.implied_taken = false;
        s.pos += 1;
    }

    /// What the current token will mean for a semicolon behind it.
    fn last_kind(&self) -> Last {
        use Punct::*;
        let s = &self.stream;
        match &self.raw().kind {
            Tk::Punct(RightBrace) => Last::Brace,
            Tk::Kw(Kw::Else) => Last::Else,
            Tk::Punct(RightParen | RightBracket | Increment | Decrement) | Tk::Number(_) => Last::MayEnd,
            Tk::Kw(Kw::Od | Kw::Fi | Kw::Break | Kw::True | Kw::False | Kw::Skip) => Last::MayEnd,
            // SPIN wraps this word in parentheses, but not behind one and not in an inline.
            Tk::Kw(Kw::Timeout) if !s.inlining && !self.follows_paren() => Last::MayEnd,
            Tk::Ident(n) => {
                let n: &str = n;
                let opens = self.names.types.contains(n)
                    || self.names.processes_so_far.contains(n)
                    || self.inlines.get(n).is_some();
                if opens { Last::Other } else { Last::MayEnd }
            }
            _ => Last::Other,
        }
    }

    fn follows_paren(&self) -> bool {
        let s = &self.stream;
        s.pos > 0 && s.tokens[s.pos - 1].kind == Tk::Punct(Punct::LeftParen)
    }

    /// Where the current token stands; for an implied semicolon, the token that ends the line.
    pub(super) fn span(&self) -> Span {
        if self.implied() { self.stream.last_span } else { self.raw().span }
    }

    /// From a place to the token that was consumed last.
    pub(super) fn since(&self, start: Span) -> Span {
        self.map.cover(start, self.stream.last_span)
    }

    pub(super) fn at(&self, p: Punct) -> bool {
        *self.peek() == Tk::Punct(p)
    }

    pub(super) fn at_kw(&self, k: Kw) -> bool {
        *self.peek() == Tk::Kw(k)
    }

    pub(super) fn at_eof(&self) -> bool {
        self.raw().kind == Tk::Eof
    }

    /// True at `;`, `->` and line ends that stand for a semicolon.
    pub(super) fn at_separator(&self) -> bool {
        matches!(self.peek(), Tk::Punct(Punct::Semicolon | Punct::Arrow))
    }

    pub(super) fn eat(&mut self, p: Punct) -> bool {
        let found = self.at(p);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_kw(&mut self, k: Kw) -> bool {
        let found = self.at_kw(k);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a token that must be there; `why` completes "expected `(` …".
    pub(super) fn expect(&mut self, p: Punct, why: &str) -> Parse<Span> {
        let span = self.span();
        if self.eat(p) {
            return Ok(span);
        }
        let gap = if why.is_empty() { "" } else { " " };
        Err(self.expected(&format!("`{}`{gap}{why}", p.text())))
    }

    /// Consumes a name; `what` says what the name is for.
    pub(super) fn ident(&mut self, what: &str) -> Parse<Ident> {
        match self.peek().clone() {
            Tk::Ident(name) => {
                let span = self.span();
                self.bump();
                Ok(Ident { name, span })
            }
            Tk::Kw(kw) => Err(self.reserved(kw, what)),
            _ => Err(self.expected(what)),
        }
    }

    /// Runs a function one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.deeper(1, f)
    }

    /// The same for a statement, which takes twice the room.
    pub(super) fn nested_statement<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.deeper(2, f)
    }

    fn deeper<T>(&mut self, levels: u32, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth + levels > MAX_NESTING {
            // Once is enough: what is nested so deeply will not become flat behind the next separator.
            if std::mem::replace(&mut self.too_deep, true) {
                return Err(Failed);
            }
            let d = Diagnostic::error("too-deep", self.span(), "this is nested too deeply");
            return Err(self.report(d.advise("split it into inlines or processes, or drop parentheses")));
        }
        self.depth += levels;
        let result = f(self);
        self.depth -= levels;
        result
    }
}
