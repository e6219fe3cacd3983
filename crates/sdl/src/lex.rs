//! Characters of SDL/PR to tokens: names are kept as written, comments and CIF graphics vanish.
//!
//! `--` starts a comment that ends with its line (the habit of TASTE's tools); strings may span lines, as the
//! standard allows. Bit and hexadecimal strings (`'00FF'H`) become numbers here, because nothing else is done with them.

use starwheel_base::{Diagnostic, ExpansionId, FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A name or a keyword; SDL has no difference between upper and lower case.
    Name,
    /// A whole number.
    Int(i64),
    /// A bit or hexadecimal string: its octets, and its value if that is not too large.
    Octets(Vec<u8>, Option<i64>),
    /// A number with a point.
    Real,
    /// A text in quotes.
    Text(String),
    /// An operator or a bracket.
    Mark(&'static str),
    /// The end of the file.
    End,
}

/// One token.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    /// Lower-case text of a name; empty for all others.
    pub word: String,
    pub span: Span,
}

/// Longest first, so that the first fit is the right one.
const MARKS: &[&str] = &[
    ":=", "=>", "/=", "//", "<=", ">=", "<<", ">>", "->", "(.", ".)", "==", "..", "(", ")", "{", "}", "[", "]", ",",
    ";", ":", ".", "!", "=", "<", ">", "+", "-", "*", "/", "^", "#", "|", "&", "?",
];

/// All tokens of a text; the last one is [`Kind::End`].
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), diagnostics: Vec::new(), strange: false };
    while lexer.step() {}
    let end = lexer.span(text.len());
    lexer.tokens.push(Token { kind: Kind::End, word: String::new(), span: end });
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    /// Strange characters are reported once: a binary file would give thousands of messages.
    strange: bool,
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    /// The span from a place up to where we are; the place may also be the end of the text.
    fn span(&self, start: usize) -> Span {
        let end = self.at.max(start);
        Span { file: self.file, start: start as u32, end: end as u32, expansion: ExpansionId::NONE }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let word = match kind {
            Kind::Name => self.text.get(start..self.at).unwrap_or("").to_lowercase(),
            _ => String::new(),
        };
        let span = self.span(start);
        self.tokens.push(Token { kind, word, span });
    }

    /// Reads one token or one piece of nothing; false at the end.
    fn step(&mut self) -> bool {
        let start = self.at;
        let Some(c) = self.rest().chars().next() else { return false };
        if c.is_whitespace() || c == '\u{feff}' {
            self.at += c.len_utf8();
        } else if self.rest().starts_with("/*") {
            self.comment(start);
        } else if self.rest().starts_with("--") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        } else if c.is_ascii_digit() {
            self.number(start);
        } else if starts_name(c) {
            self.name(start);
        } else if c == '\'' || c == '"' {
            self.quoted(start, c);
        } else if let Some(mark) = MARKS.iter().find(|m| self.rest().starts_with(**m)) {
            self.at += mark.len();
            self.push(Kind::Mark(mark), start);
        } else {
            self.at += c.len_utf8();
            if !self.strange {
                let text = format!("`{}` has no meaning in SDL", c.escape_default());
                self.diagnostics.push(Diagnostic::error("strange-character", self.span(start), text));
            }
            self.strange = true;
        }
        true
    }

    /// A name; an underscore at the end of a line is none of it: the name goes on in the next line.
    fn name(&mut self, start: usize) {
        let end = |s: &str| s.find(|c| !in_name(c)).unwrap_or(s.len());
        self.at += end(self.rest());
        let mut word = self.text[start..self.at].to_string();
        loop {
            let next = self.rest().trim_start();
            let gap = self.rest().len() - next.len();
            let goes_on = self.rest()[..gap].contains('\n') && next.starts_with(starts_name);
            let Some(first) = word.strip_suffix('_').filter(|w| goes_on && !w.is_empty()) else { break };
            let more = &next[..end(next)];
            word = format!("{first}{more}");
            self.at += gap + more.len();
        }
        let span = self.span(start);
        self.tokens.push(Token { kind: Kind::Name, word: word.to_lowercase(), span });
    }

    fn comment(&mut self, start: usize) {
        match self.rest().find("*/") {
            Some(n) => self.at += n + 2,
            None => {
                self.at = self.text.len();
                let end = self.at;
                self.at = start + 2;
                self.diagnostics.push(Diagnostic::error("open-comment", self.span(start), "this comment has no end"));
                self.at = end;
            }
        }
    }

    fn number(&mut self, start: usize) {
        let digits = |s: &str| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        self.at += digits(self.rest());
        if self.rest().starts_with(starts_name) {
            // A word of SDL may begin with digits (`2msl`).
            self.at += self.rest().find(|c| !in_name(c)).unwrap_or(self.rest().len());
            return self.push(Kind::Name, start);
        }
        let after = self.rest();
        let fraction = after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
        if fraction {
            self.at += 1;
            self.at += digits(self.rest());
            return self.push(Kind::Real, start);
        }
        match self.text[start..self.at].parse() {
            Ok(n) => self.push(Kind::Int(n), start),
            Err(_) => {
                self.diagnostics.push(Diagnostic::error("large-number", self.span(start), "this number is too large"));
                self.push(Kind::Int(0), start);
            }
        }
    }

    /// A text between quotes; a doubled quote stands for itself.
    fn quoted(&mut self, start: usize, quote: char) {
        let mut text = String::new();
        self.at += 1;
        loop {
            let Some(c) = self.rest().chars().next() else {
                let end = self.at;
                self.at = start + 1;
                self.diagnostics.push(Diagnostic::error(
                    "open-text",
                    self.span(start),
                    "this text has no closing quote",
                ));
                self.at = end;
                break;
            };
            self.at += c.len_utf8();
            if c != quote {
                text.push(c);
            } else if self.rest().starts_with(quote) {
                self.at += 1;
                text.push(quote);
            } else {
                break;
            }
        }
        match self.radix(&text) {
            Some((octets, n)) => self.push(Kind::Octets(octets, n), start),
            None => self.push(Kind::Text(text), start),
        }
    }

    /// The value of a bit or hexadecimal string whose letter comes next.
    fn radix(&mut self, text: &str) -> Option<(Vec<u8>, Option<i64>)> {
        let mut next = self.rest().chars();
        let radix = match next.next()?.to_ascii_lowercase() {
            'b' => 2,
            'h' => 16,
            _ => return None,
        };
        if next.next().is_some_and(in_name) {
            return None;
        }
        let octets = octets(text, radix)?;
        self.at += 1;
        Some((octets, i64::from_str_radix(text, radix).ok()))
    }
}

/// The octets of a string of binary or hexadecimal digits; the last one is filled up with zeros.
pub fn octets(text: &str, radix: u32) -> Option<Vec<u8>> {
    let width = if radix == 16 { 2 } else { 8 };
    let digits: Option<Vec<u32>> = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(radix)).collect();
    let octet = |c: &[u32]| {
        let value = c.iter().fold(0, |n, d| n * radix + d);
        (value * radix.pow((width - c.len()) as u32)) as u8
    };
    Some(digits?.chunks(width).map(octet).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let (tokens, problems) = lex(FileId(0), text);
        assert!(problems.is_empty(), "{problems:?}");
        tokens.into_iter().map(|t| t.kind).filter(|k| *k != Kind::End).collect()
    }

    #[test]
    fn comments_of_both_kinds_and_graphics_vanish() {
        assert_eq!(kinds("/* CIF x */ a -- b\n c"), [Kind::Name, Kind::Name]);
    }

    #[test]
    fn strings_of_digits_are_numbers_and_texts_keep_doubled_quotes() {
        assert_eq!(
            kinds("'00FF'H '101'b"),
            [Kind::Octets(vec![0, 255], Some(255)), Kind::Octets(vec![0b1010_0000], Some(5))]
        );
        assert_eq!(kinds("'it''s'"), [Kind::Text("it's".into())]);
    }

    #[test]
    fn marks_are_read_as_long_as_possible() {
        assert_eq!(kinds("a//b/=c"), [Kind::Name, Kind::Mark("//"), Kind::Name, Kind::Mark("/="), Kind::Name]);
        assert_eq!(kinds("1.5 x.y"), [Kind::Real, Kind::Name, Kind::Mark("."), Kind::Name]);
    }

    #[test]
    fn open_ends_are_reported_and_read_to_the_end() {
        assert_eq!(lex(FileId(0), "/* a").1[0].code, "open-comment");
        assert_eq!(lex(FileId(0), "'a").1[0].code, "open-text");
        assert_eq!(lex(FileId(0), "\u{1}\u{1}").1.len(), 1);
    }
}
