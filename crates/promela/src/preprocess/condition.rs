//! Conditions of `#if` and `#elif`: integer arithmetic of 64 bits as the C preprocessor has it.

use super::names::Symbol;
use super::{PpToken, Preprocessor};
use crate::lex::Kind;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

/// How deeply a condition may be nested.
const MAX_DEPTH: usize = 200;

/// A value: 64 bits and how to read them.
#[derive(Clone, Copy, Debug)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn int(bits: i64) -> Value {
        Value { bits, unsigned: false }
    }

    fn bool(b: bool) -> Value {
        Value::int(i64::from(b))
    }

    fn holds(self) -> bool {
        self.bits != 0
    }
}

struct Reader<'a, 'b> {
    preprocessor: &'a Preprocessor<'b>,
    tokens: &'a [PpToken],
    next: usize,
    /// Where to point at when the condition ends too early.
    end: Span,
    depth: usize,
}

type Outcome = Result<Value, Diagnostic>;

impl Preprocessor<'_> {
    /// Reads and evaluates the condition on the current line; an error counts as false.
    pub(super) fn condition(&mut self, keyword: PpToken) -> bool {
        let line = self.line_tokens();
        self.in_condition = true;
        let tokens = self.expand_all(line);
        self.in_condition = false;
        let end = tokens.last().map_or(keyword.span, |t| t.span);
        let mut reader = Reader { preprocessor: self, tokens: &tokens, next: 0, end, depth: 0 };
        let outcome = reader.whole();
        match outcome {
            Ok(value) => value.holds(),
            Err(_) if self.stopped => false,
            Err(diagnostic) => {
                self.report(diagnostic);
                false
            }
        }
    }
}

impl Reader<'_, '_> {
    fn whole(&mut self) -> Outcome {
        let value = self.conditional(true)?;
        match self.tokens.get(self.next) {
            None => Ok(value),
            Some(&extra) => Err(self.unexpected(extra)),
        }
    }

    fn unexpected(&self, token: PpToken) -> Diagnostic {
        let message = format!("{} has no meaning at this place of a condition", self.preprocessor.text(token));
        Diagnostic::error("bad-condition", token.span, message)
            .advise("a condition has integers, names of macros, defined(NAME), operators and parentheses")
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.tokens.get(self.next).is_some_and(|t| t.kind == Kind::Punct(punct));
        self.next += usize::from(found);
        found
    }

    /// `a ? b : c`. What is not `live` is read for its syntax only, so that division by zero is no error there.
    fn conditional(&mut self, live: bool) -> Outcome {
        self.enter()?;
        let condition = self.binary(1, live)?;
        let value = if self.eat(Punct::Query) {
            let yes = self.conditional(live && condition.holds())?;
            if !self.eat(Punct::Colon) {
                return Err(self.missing("a : and a value"));
            }
            let no = self.conditional(live && !condition.holds())?;
            let bits = if condition.holds() { yes.bits } else { no.bits };
            Value { bits, unsigned: yes.unsigned || no.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let span = self.tokens.get(self.next).map_or(self.end, |t| t.span);
        Err(Diagnostic::error("bad-condition", span, "this condition is nested too deeply"))
    }

    fn missing(&self, what: &str) -> Diagnostic {
        match self.tokens.get(self.next) {
            Some(&token) => self.unexpected(token),
            None => {
                Diagnostic::error("bad-condition", self.end, format!("this condition ends where {what} should follow"))
            }
        }
    }

    fn binary(&mut self, level: u8, live: bool) -> Outcome {
        let mut left = self.unary(live)?;
        while let Some(&PpToken { kind: Kind::Punct(op), span, .. }) = self.tokens.get(self.next) {
            let Some(own) = precedence(op).filter(|&p| p >= level) else { break };
            self.next += 1;
            let right_live = match op {
                Punct::AndAnd => live && left.holds(),
                Punct::OrOr => live && !left.holds(),
                _ => live,
            };
            let right = self.binary(own + 1, right_live)?;
            left = apply(op, left, right, right_live, span)?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Outcome {
        let Some(&token) = self.tokens.get(self.next) else { return Err(self.missing("a value")) };
        self.next += 1;
        let Kind::Punct(punct) = token.kind else { return self.leaf(token) };
        self.enter()?;
        let value = match punct {
            Punct::LeftParen => {
                let value = self.conditional(live)?;
                if !self.eat(Punct::RightParen) {
                    return Err(self.missing("a )"));
                }
                value
            }
            Punct::Plus => self.unary(live)?,
            Punct::Bang => Value::bool(!self.unary(live)?.holds()),
            // Two signs without a space between them are one token of the language.
            Punct::BangBang => Value::bool(self.unary(live)?.holds()),
            Punct::Minus => self.unary(live).map(|v| Value { bits: v.bits.wrapping_neg(), ..v })?,
            Punct::Tilde => self.unary(live).map(|v| Value { bits: !v.bits, ..v })?,
            _ => return Err(self.unexpected(token)),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn leaf(&self, token: PpToken) -> Outcome {
        let text = self.preprocessor.text(token);
        let value = match token.kind {
            Kind::Number => integer(text),
            Kind::Char => super::emit::character(text).map(|c| Value::int(c.value)),
            // A name that is no macro counts as 0.
            Kind::Ident if token.text != Symbol::DEFINED => Some(Value::int(0)),
            _ => None,
        };
        value.ok_or_else(|| self.unexpected(token))
    }
}

fn precedence(op: Punct) -> Option<u8> {
    Some(match op {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Bar => 3,
        Punct::Caret => 4,
        Punct::Ampersand => 5,
        Punct::EqEq | Punct::NotEq => 6,
        Punct::Less | Punct::Greater | Punct::LessEq | Punct::GreaterEq => 7,
        Punct::ShiftLeft | Punct::ShiftRight => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

fn apply(op: Punct, left: Value, right: Value, live: bool, span: Span) -> Outcome {
    let (a, b) = (left.bits, right.bits);
    let unsigned = left.unsigned || right.unsigned;
    let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
    let arithmetic = |bits| Value { bits, unsigned };
    Ok(match op {
        Punct::OrOr => Value::bool(a != 0 || b != 0),
        Punct::AndAnd => Value::bool(a != 0 && b != 0),
        Punct::EqEq => Value::bool(a == b),
        Punct::NotEq => Value::bool(a != b),
        Punct::Less => Value::bool(order.is_lt()),
        Punct::Greater => Value::bool(order.is_gt()),
        Punct::LessEq => Value::bool(order.is_le()),
        Punct::GreaterEq => Value::bool(order.is_ge()),
        Punct::ShiftLeft => shift(left, right, false),
        Punct::ShiftRight => shift(left, right, true),
        Punct::Bar => arithmetic(a | b),
        Punct::Caret => arithmetic(a ^ b),
        Punct::Ampersand => arithmetic(a & b),
        Punct::Plus => arithmetic(a.wrapping_add(b)),
        Punct::Minus => arithmetic(a.wrapping_sub(b)),
        Punct::Star => arithmetic(a.wrapping_mul(b)),
        _ if b == 0 && live => {
            return Err(Diagnostic::error("bad-condition", span, "this condition divides by zero"));
        }
        _ if b == 0 => arithmetic(0),
        Punct::Slash if unsigned => arithmetic((a as u64 / b as u64) as i64),
        Punct::Slash => arithmetic(a.wrapping_div(b)),
        _ if unsigned => arithmetic((a as u64 % b as u64) as i64),
        _ => arithmetic(a.wrapping_rem(b)),
    })
}

/// A shift by a negative number goes the other way, and one by 64 or more leaves only the sign, as with GCC.
fn shift(left: Value, right: Value, rightwards: bool) -> Value {
    let negative = !right.unsigned && right.bits < 0;
    let by = if right.unsigned { right.bits as u64 } else { right.bits.unsigned_abs() };
    let bits = match (rightwards != negative, left.unsigned) {
        (true, true) if by < 64 => (left.bits as u64 >> by) as i64,
        (true, true) => 0,
        (true, false) => left.bits >> by.min(63),
        (false, _) if by < 64 => left.bits << by,
        (false, _) => 0,
    };
    Value { bits, ..left }
}

/// An integer as C writes it.
fn integer(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let suffix = &digits[end..];
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let value = match &digits[..end] {
        // `0u` has no digits behind the 0 that says octal.
        "" if radix == 8 => 0,
        digits => u64::from_str_radix(digits, radix).ok()?,
    };
    Some(Value { bits: value as i64, unsigned: suffix.contains('u') || value > i64::MAX as u64 })
}
