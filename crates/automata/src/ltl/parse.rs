//! Reads formulas in SPIN's notation, symbols and words.
//!
//! Operators from tightest to loosest: `! X [] <>`, then `U W V R M`, then `&&`, then `||`, then `->` and `<->`. All binary
//! operators group to the left, as in SPIN. A proposition is a name, or any text in braces or double quotes.

use std::fmt;
use std::ops::Range;

use super::{Binary, Formula, Unary};
use crate::names::Names;
use crate::words::Prop;

/// Formulas are not read beyond this depth, so that walking through them needs little stack.
const DEPTH: usize = 500;

/// What is wrong with a formula's text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text that are to blame.
    pub range: Range<usize>,
    /// One sentence without a full stop.
    pub message: String,
    /// What can be done about it; may be empty.
    pub advice: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.range.start + 1)?;
        if self.advice.is_empty() { Ok(()) } else { write!(f, "; {}", self.advice) }
    }
}

impl std::error::Error for ParseError {}

/// Reads a formula; its propositions get numbers from `names`, new ones are added.
pub fn parse(text: &str, names: &mut Names) -> Result<Formula, ParseError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, depth: 0, end: text.len(), names };
    let (formula, _) = parser.level(0)?;
    match parser.peek() {
        Token::End => Ok(formula),
        Token::Close => Err(parser.error("this closing parenthesis has no partner", "remove it")),
        _ => Err(parser.error("an operator is missing here", "two formulas need an operator such as && between them")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Constant(bool),
    Name(String),
    Unary(Unary),
    Binary(Binary),
    Open,
    Close,
    End,
}

/// The operator or constant that a word stands for.
pub(super) fn keyword(word: &str) -> bool {
    word_token(word).is_some()
}

fn word_token(word: &str) -> Option<Token> {
    Some(match word {
        "true" => Token::Constant(true),
        "false" => Token::Constant(false),
        "not" => Token::Unary(Unary::Not),
        "X" | "next" => Token::Unary(Unary::Next),
        "always" => Token::Unary(Unary::Always),
        "eventually" => Token::Unary(Unary::Eventually),
        "U" | "until" | "stronguntil" => Token::Binary(Binary::Until),
        "W" | "weakuntil" => Token::Binary(Binary::WeakUntil),
        "V" | "R" | "release" => Token::Binary(Binary::Release),
        "M" => Token::Binary(Binary::StrongRelease),
        "implies" => Token::Binary(Binary::Implies),
        "equivalent" => Token::Binary(Binary::Equiv),
        _ => return None,
    })
}

const SYMBOLS: [(&str, Token); 13] = [
    ("<->", Token::Binary(Binary::Equiv)),
    ("->", Token::Binary(Binary::Implies)),
    ("<>", Token::Unary(Unary::Eventually)),
    ("[]", Token::Unary(Unary::Always)),
    ("&&", Token::Binary(Binary::And)),
    ("/\\", Token::Binary(Binary::And)),
    ("||", Token::Binary(Binary::Or)),
    ("\\/", Token::Binary(Binary::Or)),
    ("!", Token::Unary(Unary::Not)),
    ("(", Token::Open),
    (")", Token::Close),
    ("1", Token::Constant(true)),
    ("0", Token::Constant(false)),
];

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ParseError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = token(text, at, c)?;
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}

/// The token at a place, and its length in bytes.
fn token(text: &str, at: usize, first: char) -> Result<(Token, usize), ParseError> {
    let rest = &text[at..];
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        return Ok((word_token(word).unwrap_or_else(|| Token::Name(word.to_owned())), length));
    }
    if first == '{' || first == '"' {
        return quoted(text, at, first);
    }
    // A digit that begins a longer number or name is no constant.
    let alone = !rest[first.len_utf8()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let symbol = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
    match symbol {
        Some((symbol, token)) if alone || !first.is_ascii_digit() => Ok((token.clone(), symbol.len())),
        _ => Err(ParseError {
            range: at..at + first.len_utf8(),
            message: format!("`{first}` is not part of a formula"),
            advice: "write an expression as a proposition in braces, such as {x == 1}".to_owned(),
        }),
    }
}

/// The text of a proposition in braces, which may be nested, or in double quotes.
fn quoted(text: &str, at: usize, open: char) -> Result<(Token, usize), ParseError> {
    let mut depth = 0;
    for (place, c) in text[at..].char_indices() {
        match c {
            '{' if open == '{' => depth += 1,
            '}' if open == '{' => depth -= 1,
            '"' if open == '"' => depth = 1 - depth,
            _ => {}
        }
        if depth == 0 {
            let inner = text[at + 1..at + place].trim();
            if inner.is_empty() {
                return Err(ParseError {
                    range: at..at + place + 1,
                    message: "this proposition is empty".to_owned(),
                    advice: "write an expression between the marks".to_owned(),
                });
            }
            return Ok((Token::Name(inner.to_owned()), place + 1));
        }
    }
    let close = if open == '{' { '}' } else { '"' };
    Err(ParseError {
        range: at..at + 1,
        message: format!("this `{open}` is not closed"),
        advice: format!("add `{close}` at the end of the proposition"),
    })
}

struct Parser<'a> {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
    end: usize,
    names: &'a mut Names,
}

/// A formula and its depth.
type Measured = (Formula, usize);

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).map_or(Token::End, |(token, _)| token.clone())
    }

    fn error(&self, message: &str, advice: &str) -> ParseError {
        let range = self.tokens.get(self.at).map_or(self.end..self.end, |(_, range)| range.clone());
        ParseError { range, message: message.to_owned(), advice: advice.to_owned() }
    }

    /// Binary operators of a precedence, the loosest being 0.
    fn level(&mut self, level: usize) -> Result<Measured, ParseError> {
        if level == 4 {
            return self.factor();
        }
        let (mut left, mut depth) = self.level(level + 1)?;
        while let Token::Binary(op) = self.peek() {
            if precedence(op) != level {
                break;
            }
            self.at += 1;
            let (right, right_depth) = self.level(level + 1)?;
            left = Formula::binary(op, left, right);
            depth = self.measured(1 + depth.max(right_depth))?;
        }
        Ok((left, depth))
    }

    fn measured(&self, depth: usize) -> Result<usize, ParseError> {
        if depth + self.depth <= DEPTH {
            return Ok(depth);
        }
        Err(self.error("this formula is nested too deeply", &format!("keep it within {DEPTH} levels")))
    }

    fn factor(&mut self) -> Result<Measured, ParseError> {
        self.depth += 1;
        self.measured(0)?;
        let result = self.operand();
        self.depth -= 1;
        result
    }

    fn operand(&mut self) -> Result<Measured, ParseError> {
        let result = match self.peek() {
            Token::Constant(value) => (Formula::Constant(value), 1),
            Token::Name(name) => (Formula::Prop(self.prop(&name)?), 1),
            Token::Unary(op) => {
                self.at += 1;
                let (inner, depth) = self.factor()?;
                return Ok((Formula::unary(op, inner), depth + 1));
            }
            Token::Open => {
                let open = self.at;
                self.at += 1;
                let inner = self.level(0)?;
                if self.peek() != Token::Close {
                    self.at = open;
                    return Err(self.error("this parenthesis is not closed", "add `)` after its formula"));
                }
                inner
            }
            Token::Binary(_) => {
                return Err(self.error("this operator has no left operand", "write a formula before it"));
            }
            Token::Close | Token::End => {
                return Err(self.error("a formula is missing here", "write a proposition such as p or {x > 0}"));
            }
        };
        self.at += 1;
        Ok(result)
    }

    fn prop(&mut self, name: &str) -> Result<Prop, ParseError> {
        if self.names.find(name).is_none() && self.names.len() >= Prop::LIMIT as usize {
            let advice = format!("a formula can have {} of them", Prop::LIMIT);
            return Err(self.error("there are too many propositions", &advice));
        }
        Ok(self.names.intern(name))
    }
}

fn precedence(op: Binary) -> usize {
    match op {
        Binary::Implies | Binary::Equiv => 0,
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut names = Names::new();
        parse(text, &mut names).unwrap().show(&names).to_string()
    }

    /// Words and symbols mean the same, and operators bind as the head of this file says.
    #[test]
    fn readings() {
        let cases = [
            ("always eventually p", "[]<>p"),
            ("[] p -> <> q", "[]p -> <>q"),
            ("a U b U c", "(a U b) U c"),
            ("a -> b -> c", "(a -> b) -> c"),
            ("a || b && c", "a || (b && c)"),
            ("! a U b", "!a U b"),
            ("not next a release b", "!X a V b"),
            ("a weakuntil b equivalent c", "(a W b) <-> c"),
            ("a /\\ b \\/ c", "(a && b) || c"),
            ("{ x == {1} } until \"y > 2\"", "{x == {1}} U {y > 2}"),
            ("1 U 0", "true U false"),
            ("a && b && c", "a && b && c"),
            ("a && (b && c)", "a && (b && c)"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    /// Every mistake is named at its place.
    #[test]
    fn mistakes() {
        let cases = [
            ("", 0, "a formula is missing here"),
            ("p &&", 4, "a formula is missing here"),
            ("(p", 0, "this parenthesis is not closed"),
            ("p)", 1, "this closing parenthesis has no partner"),
            ("p q", 2, "an operator is missing here"),
            ("U p", 0, "this operator has no left operand"),
            ("p == 1", 2, "`=` is not part of a formula"),
            ("p && 12", 5, "`1` is not part of a formula"),
            ("<> {x", 3, "this `{` is not closed"),
            ("<> \"x", 3, "this `\"` is not closed"),
            ("{ }", 0, "this proposition is empty"),
            ("é U ü ∧", 8, "`∧` is not part of a formula"),
        ];
        for (text, at, message) in cases {
            let error = parse(text, &mut Names::new()).unwrap_err();
            assert_eq!((error.range.start, error.message.as_str()), (at, message), "{text}");
        }
    }

    /// Random heaps of tokens give a formula or an error with a place in the text.
    #[test]
    fn any_text() {
        let pieces = [
            "p", "q1", "U", "X", "[]", "<>", "(", ")", "!", "->", "<->", "&&", "{", "}", "\"", "é", "1", " ", "\\/",
            "-",
        ];
        let mut rng = crate::random::Rng::new(9);
        for _ in 0..20_000 {
            let pick = |_| pieces[rng.below(pieces.len() as u32) as usize];
            let text: String = (0..8).map(pick).collect();
            if let Err(error) = parse(&text, &mut Names::new()) {
                assert!(text.get(error.range.clone()).is_some(), "{text}: {error:?}");
            }
        }
    }

    /// Deep and wide formulas end in an error, not in a stack overflow.
    #[test]
    fn depth_is_bounded() {
        for text in ["(".repeat(100_000), "!".repeat(100_000) + "p", "p && ".repeat(100_000) + "p"] {
            assert_eq!(parse(&text, &mut Names::new()).unwrap_err().message, "this formula is nested too deeply");
        }
    }
}
