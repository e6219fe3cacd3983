//! The tokens of a Promela text, each with its place, so that a text can be changed without being printed anew.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A string or a character.
    Text,
    /// An operator, a bracket or a separator.
    Sign,
}

/// A token and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

/// The signs that are longer than a character, longest first.
const LONG: [&str; 22] = [
    "<->", "::", "->", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", "!!", "??", "[]", "<>", "/\\",
    "\\/", "**", "/*",
];

/// The tokens of a text; comments and lines for the preprocessor are left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    let mut fresh = true;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte == b'\n' || byte.is_ascii_whitespace() {
            fresh |= byte == b'\n';
            at += 1;
            continue;
        }
        if (fresh && byte == b'#') || bytes[at..].starts_with(b"//") {
            at = run(bytes, at, |b| b != b'\n');
            continue;
        }
        if bytes[at..].starts_with(b"/*") {
            let end = bytes[at + 2..].windows(2).position(|w| w == b"*/");
            at = end.map_or(bytes.len(), |end| at + 2 + end + 2);
            continue;
        }
        fresh = false;
        let kind = if byte.is_ascii_digit() {
            at = run(bytes, at, |b| b.is_ascii_alphanumeric());
            Kind::Number
        } else if byte == b'_' || byte.is_ascii_alphabetic() {
            at = run(bytes, at, |b| b == b'_' || b.is_ascii_alphanumeric());
            Kind::Word
        } else if byte == b'"' || byte == b'\'' {
            at = end_of_text(bytes, at);
            Kind::Text
        } else {
            at += LONG.iter().find(|s| bytes[at..].starts_with(s.as_bytes())).map_or(1, |s| s.len());
            Kind::Sign
        };
        // A byte of a longer character goes with those that follow it.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        all.push(Token { kind, at: start..at });
    }
    all
}

fn run(bytes: &[u8], from: usize, inside: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|b| !inside(*b)).map_or(bytes.len(), |n| from + n)
}

fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != bytes[start] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|t| &text[t.at]).collect()
    }

    #[test]
    fn a_text_is_cut_into_tokens() {
        let text = "#define x 1\nq??a, 3; /* no */ do :: [] (x<->y) // no\n od \"a;b\"";
        let expected = ["q", "??", "a", ",", "3", ";", "do", "::", "[]", "(", "x", "<->", "y", ")", "od", "\"a;b\""];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn no_text_is_too_strange() {
        for text in ["\"", "'\\", "é€", "/*", "/* *", "a\"é"] {
            words(text);
        }
    }
}
