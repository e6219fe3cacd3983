//! Characters to raw tokens: comments, line continuation, quotes, names, numbers and punctuation of one file.
//!
//! Raw tokens are what the preprocessor works on. Nothing is refused here: a character that means nothing becomes
//! [`Kind::Other`] and a quote that is not closed becomes [`Kind::Broken`], because both are harmless in text that a
//! `#if` leaves out. Whoever hands a token on to the parser decides whether to complain.

use crate::token::Punct;
use std::borrow::Cow;
use std::sync::Arc;

/// What a raw token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Ident,
    /// Digits, and the letters, digits and underscores that follow them without a space.
    Number,
    /// A character in single quotes.
    Char,
    /// A string in double quotes.
    Str,
    /// Punctuation of the language.
    Punct(Punct),
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// `...`
    Ellipsis,
    /// A quote and the rest of its line, for want of the closing quote.
    Broken,
    /// A character that means nothing to the language.
    Other,
    /// The end of the text, or of the line if only a line is read.
    End,
    /// Stands for an empty argument next to `##`; never made by the scanner.
    Empty,
}

/// A token and where it stands in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawToken {
    /// What it is.
    pub kind: Kind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The line of the first byte, from one.
    pub line: u32,
    /// White space, a comment or a line end stands in front of it.
    pub space: bool,
    /// It is the first token of its line; continued lines count as one.
    pub line_start: bool,
}

/// Something odd that the scanner noticed between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A comment that is never closed.
    OpenComment,
    /// Blanks between a backslash and the line end, which continue the line all the same.
    BlanksAfterBackslash,
    /// `/\` at the end of a line is a division and a continued line.
    AndAtLineEnd,
}

#[derive(Clone, Copy, Debug)]
struct Cursor {
    pos: usize,
    line: u32,
}

/// Reads the raw tokens of one text.
#[derive(Debug)]
pub(crate) struct Scanner {
    text: Arc<str>,
    at: Cursor,
    line_start: bool,
    odd_up_to: usize,
    /// What was noticed and not yet looked at, each with its first byte and its length.
    pub oddities: Vec<(Oddity, u32, u32)>,
}

impl Scanner {
    /// A scanner at the beginning of a text.
    pub fn new(text: Arc<str>) -> Scanner {
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { text, at: Cursor { pos, line: 1 }, line_start: true, odd_up_to: 0, oddities: Vec::new() }
    }

    /// A scanner for the bytes from `start` to `end` of a text, whose places are those in the whole text.
    pub fn window(text: &Arc<str>, start: usize, end: usize) -> Scanner {
        let before = text.get(..start).unwrap_or("");
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let whole = Scanner::new(text.get(..end).unwrap_or(text).into());
        Scanner { at: Cursor { pos: before.len().max(whole.at.pos), line }, ..whole }
    }

    /// The next token; [`Kind::End`] at the end of the text, as often as it is asked for.
    pub fn next(&mut self) -> RawToken {
        let mut space = self.skip_blanks();
        while self.peek() == Some(b'\n') {
            self.bump();
            self.line_start = true;
            space = true;
            self.skip_blanks();
        }
        self.token(space)
    }

    /// The next token of the line; [`Kind::End`] at its end.
    pub fn next_on_line(&mut self) -> RawToken {
        let space = self.skip_blanks();
        match self.peek() {
            Some(b'\n') => self.end_token(space),
            _ => self.token(space),
        }
    }

    /// The file name behind `#include`, quotes included, if one stands here.
    pub fn header_name(&mut self) -> Option<RawToken> {
        let space = self.skip_blanks();
        let close = match self.peek()? {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let from = self.at;
        self.bump();
        loop {
            match self.peek() {
                None | Some(b'\n') => {
                    self.at = from;
                    return None;
                }
                Some(byte) => {
                    self.bump();
                    if byte == close {
                        return Some(self.made(Kind::Str, from, space));
                    }
                }
            }
        }
    }

    /// The characters of a token, without the line ends that continuation hides.
    pub fn text_of(&self, token: RawToken) -> Cow<'_, str> {
        let written = self.text.get(token.start as usize..token.end as usize).unwrap_or("");
        if !written.contains('\n') {
            return Cow::Borrowed(written);
        }
        let mut joined = String::new();
        let mut pos = token.start as usize;
        while pos < token.end as usize {
            if let Some(len) = self.splice(pos) {
                pos += len;
                continue;
            }
            let Some(c) = self.text[pos..].chars().next() else { break };
            joined.push(c);
            pos += c.len_utf8();
        }
        Cow::Owned(joined)
    }

    /// The rest of the line as it is written, and where it stands; nothing of it is read as tokens.
    pub fn rest_of_line(&mut self) -> RawToken {
        self.skip_blanks();
        let from = self.at;
        while !matches!(self.peek(), None | Some(b'\n')) {
            self.bump();
        }
        self.made(Kind::Other, from, true)
    }

    fn byte(&self, pos: usize) -> Option<u8> {
        self.text.as_bytes().get(pos).copied()
    }

    /// The length of a backslash and the line end behind it, if that is what stands here.
    fn splice(&self, pos: usize) -> Option<usize> {
        if self.byte(pos) != Some(b'\\') {
            return None;
        }
        let blanks = self.text.as_bytes()[pos + 1..].iter().take_while(|&&b| is_blank(b)).count();
        (self.byte(pos + 1 + blanks) == Some(b'\n')).then_some(blanks + 2)
    }

    /// The next character as the language sees it, that is behind any continuation of the line.
    fn peek(&mut self) -> Option<u8> {
        while let Some(len) = self.splice(self.at.pos) {
            self.note_splice(self.at.pos, len);
            self.at = Cursor { pos: self.at.pos + len, line: self.at.line + 1 };
        }
        self.byte(self.at.pos)
    }

    fn note_splice(&mut self, pos: usize, len: usize) {
        if pos < self.odd_up_to {
            return;
        }
        self.odd_up_to = pos + len;
        let blanks = &self.text.as_bytes()[pos + 1..pos + len - 1];
        if pos > 0 && self.byte(pos - 1) == Some(b'/') && self.byte(pos.wrapping_sub(2)) != Some(b'*') {
            self.oddities.push((Oddity::AndAtLineEnd, pos as u32 - 1, 2));
        } else if blanks.iter().any(|&b| b != b'\r') {
            self.oddities.push((Oddity::BlanksAfterBackslash, pos as u32, 1));
        }
    }

    fn bump(&mut self) {
        if self.byte(self.at.pos) == Some(b'\n') {
            self.at.line += 1;
        }
        self.at.pos += 1;
    }

    /// Moves past a text if it stands here.
    fn eat(&mut self, text: &str) -> bool {
        let from = self.at;
        let found = text.bytes().all(|b| {
            let same = self.peek() == Some(b);
            if same {
                self.bump();
            }
            same
        });
        if !found {
            self.at = from;
        }
        found
    }

    /// Moves past blanks and comments, not past a line end; true if there were any.
    fn skip_blanks(&mut self) -> bool {
        let from = self.at.pos;
        loop {
            match self.peek() {
                Some(b) if is_blank(b) => self.bump(),
                Some(b'/') => {
                    let start = self.at.pos;
                    let noticed = self.oddities.len();
                    if self.eat("//") {
                        self.skip_line_comment();
                    } else if self.eat("/*") {
                        self.skip_block_comment();
                    } else {
                        break;
                    }
                    self.forget_oddities(noticed, start);
                }
                _ => break,
            }
        }
        self.at.pos > from
    }

    fn skip_line_comment(&mut self) {
        while !matches!(self.peek(), None | Some(b'\n')) {
            self.bump();
        }
    }

    fn skip_block_comment(&mut self) {
        loop {
            match self.peek() {
                None => return self.oddities.push((Oddity::OpenComment, 0, 2)),
                Some(b'*') if self.eat("*/") => return,
                Some(_) => self.bump(),
            }
        }
    }

    /// Inside a comment nothing is odd, but that it is not closed.
    fn forget_oddities(&mut self, keep: usize, start: usize) {
        let open = self.oddities.last().is_some_and(|o| o.0 == Oddity::OpenComment);
        self.oddities.truncate(keep);
        self.odd_up_to = self.odd_up_to.max(self.at.pos);
        if open && !self.oddities.iter().any(|o| o.0 == Oddity::OpenComment) {
            self.oddities.push((Oddity::OpenComment, start as u32, 2));
        }
    }

    fn token(&mut self, space: bool) -> RawToken {
        let Some(first) = self.peek() else { return self.end_token(space) };
        let from = self.at;
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(Kind::Ident),
            b'0'..=b'9' => self.word(Kind::Number),
            b'"' => self.quoted(b'"', Kind::Str),
            b'\'' => self.quoted(b'\'', Kind::Char),
            b'\n' => Kind::End,
            _ => self.punctuation(first),
        };
        self.made(kind, from, space)
    }

    fn made(&mut self, kind: Kind, from: Cursor, space: bool) -> RawToken {
        let line_start = std::mem::replace(&mut self.line_start, false);
        let (start, end) = (from.pos as u32, self.at.pos as u32);
        RawToken { kind, start, end, line: from.line, space, line_start }
    }

    fn end_token(&mut self, space: bool) -> RawToken {
        let pos = self.at.pos as u32;
        RawToken { kind: Kind::End, start: pos, end: pos, line: self.at.line, space, line_start: false }
    }

    fn word(&mut self, kind: Kind) -> Kind {
        // The position moves past a continued line only if the word goes on behind it, so that it ends where it ends.
        let mut end = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.bump();
            end = self.at;
        }
        self.at = end;
        kind
    }

    fn quoted(&mut self, quote: u8, kind: Kind) -> Kind {
        self.bump();
        loop {
            match self.peek() {
                None | Some(b'\n') => return Kind::Broken,
                Some(b'\\') => {
                    self.bump();
                    if !matches!(self.peek(), None | Some(b'\n')) {
                        self.bump();
                    }
                }
                Some(byte) => {
                    self.bump();
                    if byte == quote {
                        return kind;
                    }
                }
            }
        }
    }

    fn punctuation(&mut self, first: u8) -> Kind {
        let special = [("...", Kind::Ellipsis), ("##", Kind::HashHash), ("#", Kind::Hash)];
        // SPIN reads `-->` as an arrow.
        let arrow = [("-->", Kind::Punct(Punct::Arrow))];
        let ordinary = Punct::ALL.iter().map(|&p| (p.text(), Kind::Punct(p)));
        let fitting = special.into_iter().chain(arrow).chain(ordinary).filter(|(t, _)| t.as_bytes()[0] == first);
        for (text, kind) in fitting {
            if self.eat(text) {
                return kind;
            }
        }
        self.bump();
        while first >= 0x80 && self.byte(self.at.pos).is_some_and(|b| b >= 0x80) {
            self.bump();
        }
        Kind::Other
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}
