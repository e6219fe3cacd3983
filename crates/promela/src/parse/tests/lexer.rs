//! A plain lexer for the parser's own tests: no preprocessor.

use crate::token::{Punct, Token, TokenKind};
use starwheel_base::{ExpansionId, FileId, Span};

/// The tokens of a text that stands in a file of its own.
pub fn tokens(text: &str, file: FileId) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut starts_line = true;
    while at < text.len() {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        let skipped = blank(rest);
        if skipped > 0 {
            starts_line |= rest[..skipped].contains('\n');
            at += skipped;
            continue;
        }
        let (kind, length) = token(rest, first);
        let Some(kind) = kind else {
            at += length;
            continue;
        };
        let span = Span { file, start: at as u32, end: (at + length) as u32, expansion: ExpansionId::NONE };
        out.push(Token { kind, span, starts_line });
        starts_line = false;
        at += length;
    }
    let end = text.len() as u32;
    let span = Span { file, start: end, end, expansion: ExpansionId::NONE };
    out.push(Token { kind: TokenKind::Eof, span, starts_line });
    out
}

/// The length of a blank, a comment or a directive.
fn blank(rest: &str) -> usize {
    if rest.starts_with("/*") {
        return rest.find("*/").map_or(rest.len(), |n| n + 2);
    }
    if rest.starts_with("//") || rest.starts_with('#') {
        return rest.find('\n').unwrap_or(rest.len());
    }
    rest.chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
}

fn token(rest: &str, first: char) -> (Option<TokenKind>, usize) {
    let span_of = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        let n = span_of(|c| c.is_ascii_digit());
        return (rest[..n].parse().ok().map(TokenKind::Number), n);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let n = span_of(|c| c.is_ascii_alphanumeric() || c == '_');
        return (Some(TokenKind::Ident(rest[..n].into())), n);
    }
    if first == '"' {
        let n = rest[1..].find('"').map_or(rest.len(), |n| n + 2);
        return (Some(TokenKind::Str(rest[1..n.max(2) - 1].into())), n);
    }
    if first == '\'' && rest.len() > 2 && rest[2..].starts_with('\'') {
        return (Some(TokenKind::Number(rest.as_bytes()[1].into())), 3);
    }
    match Punct::ALL.iter().find(|p| rest.starts_with(p.text())) {
        Some(p) => (Some(TokenKind::Punct(*p)), p.text().len()),
        None => (None, first.len_utf8()),
    }
}
