//! The last step: raw tokens become tokens of the language, and what has no meaning there is reported.

use super::{PpToken, Preprocessor};
use crate::lex::Kind;
use crate::token::{Punct, Token, TokenKind};
use starwheel_base::{Diagnostic, FileId, Span};
use std::collections::HashSet;

/// Where the tokens are relative to embedded C, whose lexical rules are not ours to check.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Embedded {
    /// Outside.
    #[default]
    No,
    /// Behind `c_code` and its like, before the brace.
    Announced,
    /// Inside this many braces.
    Braces(u32),
}

/// Collects the tokens for the parser.
#[derive(Default)]
pub(super) struct Emitter {
    pub tokens: Vec<Token>,
    line_begins: bool,
    last_line: u32,
    embedded: Embedded,
    complaints: HashSet<(&'static str, FileId, u32)>,
}

impl Emitter {
    /// The next token is the first of its line.
    pub fn begin_line(&mut self) {
        self.line_begins = true;
    }

    /// The last token.
    pub fn end(&mut self, span: Span) {
        self.tokens.push(Token { kind: TokenKind::Eof, span, starts_line: true });
    }

    fn push(&mut self, kind: TokenKind, span: Span, line: u32) {
        // A token that stands on another line than the one before it begins a line, even if the line end between them
        // is in a comment, in the arguments of a macro or behind a backslash: that is how GCC prints it for SPIN.
        let starts_line = self.line_begins || line != self.last_line;
        self.line_begins = false;
        self.last_line = line;
        self.tokens.push(Token { kind, span, starts_line });
    }

    fn follow_embedded(&mut self, kind: &TokenKind) {
        use Embedded::*;
        self.embedded = match (self.embedded, kind) {
            (No, TokenKind::Ident(name)) if matches!(&**name, "c_code" | "c_expr" | "c_decl") => Announced,
            (Announced, TokenKind::Punct(Punct::LeftBrace)) => Braces(1),
            (Announced, TokenKind::Punct(Punct::Semicolon)) => No,
            (Braces(n), TokenKind::Punct(Punct::LeftBrace)) => Braces(n + 1),
            (Braces(1), TokenKind::Punct(Punct::RightBrace)) => No,
            (Braces(n), TokenKind::Punct(Punct::RightBrace)) => Braces(n - 1),
            (same, _) => same,
        };
    }
}

impl Preprocessor<'_> {
    /// Hands a token on to the parser.
    pub(super) fn emit(&mut self, token: PpToken) {
        if self.emitter.tokens.len() >= super::MAX_TOKENS {
            let message = format!("this model has more than {} tokens once its macros are expanded", super::MAX_TOKENS);
            return self.stop(Diagnostic::error("model-size", token.span, message));
        }
        let kind = match token.kind {
            Kind::Ident => TokenKind::Ident(self.names.text(token.text).clone()),
            Kind::Number => return self.emit_number(token),
            Kind::Char => TokenKind::Number(self.character(token)),
            Kind::Str => self.string(token),
            Kind::Punct(Punct::Slash) if self.ends_no_comment(token) => return self.drop_comment_end(token),
            Kind::Punct(punct) => {
                self.check_arrow(token);
                TokenKind::Punct(punct)
            }
            Kind::Ellipsis => {
                self.push(TokenKind::Punct(Punct::DotDot), token, token.span);
                TokenKind::Punct(Punct::Dot)
            }
            Kind::Broken => return self.broken(token),
            Kind::Hash | Kind::HashHash | Kind::Other => return self.meaningless(token),
            Kind::End | Kind::Empty => return,
        };
        self.push(kind, token, token.span);
    }

    fn push(&mut self, kind: TokenKind, token: PpToken, span: Span) {
        self.emitter.follow_embedded(&kind);
        self.emitter.push(kind, span, token.line);
    }

    /// Reports something about a token, unless it is in embedded C. What is wrong in a macro is said once, not at each
    /// of its uses.
    fn complain(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.span();
        if self.emitter.embedded == Embedded::No
            && self.emitter.complaints.insert((diagnostic.code, span.file, span.start))
        {
            self.report(diagnostic);
        }
    }

    /// True for the second half of `*/` where no comment is open. A `/` behind a `*` has no other meaning.
    fn ends_no_comment(&self, token: PpToken) -> bool {
        let star = self.emitter.tokens.last().filter(|t| t.kind == TokenKind::Punct(Punct::Star));
        let touches = |star: &Token| star.span.file == token.span.file && star.span.end == token.span.start;
        self.emitter.embedded == Embedded::No && star.is_some_and(touches)
    }

    /// SPIN leaves out a `*/` that closes nothing, so that `/* /* */ */` is a comment with a blank behind it.
    fn drop_comment_end(&mut self, token: PpToken) {
        let Some(star) = self.emitter.tokens.pop() else { return };
        self.emitter.line_begins |= star.starts_line;
        let warning = Diagnostic::warning("comment-end", star.span.to(token.span), "this */ closes no comment");
        self.complain(warning.advise("a comment ends at its first */; remove this one"));
    }

    fn check_arrow(&mut self, token: PpToken) {
        if self.text(token) == "-->" {
            let warning = Diagnostic::warning("long-arrow", token.span, "--> is read as ->");
            self.complain(warning.advise("write ->, or -- > if a decrement is meant"));
        }
    }

    fn emit_number(&mut self, token: PpToken) {
        let text = self.names.text(token.text).clone();
        if let Some(value) = hexadecimal(&text) {
            let message = format!("{text} is not a number of this language, which has decimal numbers only");
            self.complain(Diagnostic::error("hex-number", token.span, message).advise(format!("write {value}")));
            return self.push(TokenKind::Number(value), token, token.span);
        }
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        // A name that follows without a blank is a token of its own, as for SPIN.
        let whole = (token.span.end - token.span.start) as usize == text.len();
        let middle = if whole { token.span.start + digits as u32 } else { token.span.end };
        let span = Span { end: middle, ..token.span };
        let value = self.number(&text[..digits], span);
        self.push(TokenKind::Number(value), token, span);
        if digits < text.len() {
            let start = if whole { middle } else { token.span.start };
            let name = TokenKind::Ident(text[digits..].into());
            self.push(name, token, Span { start, ..token.span });
        }
    }

    /// The value of decimal digits. SPIN reads 64 bits and keeps the lower 32 of them.
    fn number(&mut self, digits: &str, span: Span) -> i64 {
        let exact = digits.parse::<i64>();
        let value = exact.clone().unwrap_or(i64::MAX) as i32;
        let negated = self.emitter.tokens.last().is_some_and(|t| t.kind == TokenKind::Punct(Punct::Minus));
        if exact != Ok(i64::from(value)) && !(negated && digits == "2147483648") {
            let message = format!("{digits} does not fit into 32 bits and is read as {value}");
            self.complain(Diagnostic::warning("big-number", span, message).advise("use numbers up to 2147483647"));
        } else if digits.starts_with('0') && value > 7 {
            let message = format!("{digits} is read as the decimal number {value}");
            self.complain(Diagnostic::warning("leading-zero", span, message).advise("leave out the 0 in front"));
        }
        i64::from(value)
    }

    fn character(&mut self, token: PpToken) -> i64 {
        let text = self.names.text(token.text).clone();
        let Some(character) = character(&text) else {
            let message = format!("{text} is not a single character");
            let advice =
                "write one character, or one of '\\n', '\\t', '\\r', '\\f', '\\\\' and '\\'', between the quotes";
            self.complain(Diagnostic::error("bad-character", token.span, message).advise(advice));
            return 0;
        };
        if character.surprising {
            let message = format!("{text} is read as the character {} behind the backslash", &text[2..3]);
            let advice = match &*text {
                "'\\0'" => "write 0 for the value zero",
                _ => "leave out the backslash, or write the value as a number",
            };
            self.complain(Diagnostic::warning("odd-escape", token.span, message).advise(advice));
        }
        character.value
    }

    fn string(&self, token: PpToken) -> TokenKind {
        let text = self.text(token);
        TokenKind::Str(text.get(1..text.len() - 1).unwrap_or("").into())
    }

    fn broken(&mut self, token: PpToken) {
        let text = self.names.text(token.text).clone();
        let first = Span { end: token.span.start + 1, ..token.span };
        if let Some(inside) = text.strip_prefix('"') {
            let error = Diagnostic::error("unclosed-string", first, "this string does not end on its line");
            self.complain(error.advise("add a \" at its end; \\n stands for a line end in a string"));
            return self.push(TokenKind::Str(inside.trim_end().into()), token, token.span);
        }
        let error = Diagnostic::error("unclosed-character", first, "this quote is not closed on its line");
        self.complain(error.advise("write a single character between two quotes, as in 'a'"));
        self.push(TokenKind::Number(0), token, token.span);
    }

    fn meaningless(&mut self, token: PpToken) {
        let text = self.text(token);
        let shown =
            if text.chars().all(|c| c.is_control()) { text.escape_debug().to_string() } else { text.to_string() };
        let error = Diagnostic::error("bad-text", token.span, format!("{shown} has no meaning here"));
        self.complain(match token.kind {
            Kind::Hash => error.advise("a directive must be the first thing on its line"),
            Kind::HashHash => error.advise("## is used in the bodies of macros only"),
            _ if text == "\\" => error.advise("use /\\ for and, \\/ for or"),
            _ => error.advise("remove it, or put it into a comment or a string"),
        });
    }
}

/// A character constant.
pub(super) struct Character {
    pub value: i64,
    /// A backslash in front of a character for which it means something in C, but nothing here.
    surprising: bool,
}

/// Reads a character constant with its quotes; `None` if there is not exactly one character.
pub(super) fn character(text: &str) -> Option<Character> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let (value, surprising) = match *inner.as_bytes() {
        [c] => (c, false),
        [b'\\', b'n'] => (b'\n', false),
        [b'\\', b'r'] => (b'\r', false),
        [b'\\', b't'] => (b'\t', false),
        [b'\\', b'f'] => (0x0c, false),
        [b'\\', c] => (c, c.is_ascii_alphanumeric()),
        _ => return None,
    };
    Some(Character { value: i64::from(value), surprising })
}

fn hexadecimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    i64::from_str_radix(digits, 16).ok()
}
