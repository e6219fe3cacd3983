//! Writes formulas in SPIN's notation, so that reading the text gives the same formula.

use std::fmt;

use super::{Binary, Formula, Unary, parse};
use crate::names::Names;

/// A formula with its names, ready to be displayed.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    formula: &'a Formula,
    names: &'a Names,
}

impl Formula {
    /// The formula with names, to be displayed.
    pub fn show<'a>(&'a self, names: &'a Names) -> Shown<'a> {
        Shown { formula: self, names }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |formula| Shown { formula, names: self.names };
        match self.formula {
            Formula::Constant(value) => write!(f, "{value}"),
            Formula::Prop(prop) => f.write_str(&show_name(&self.names.name(*prop))),
            Formula::Unary(op, inner) => {
                f.write_str(unary_symbol(*op))?;
                // In Promela `!!` is one sign, which sends.
                let twice = *op == Unary::Not && matches!(**inner, Formula::Unary(Unary::Not, _));
                f.write_str(if twice { " " } else { "" })?;
                of(inner).operand(f, matches!(**inner, Formula::Binary(..)))
            }
            Formula::Binary(op, left, right) => {
                let chain = matches!(op, Binary::And | Binary::Or);
                let apart = |side: &Formula| matches!(side, Formula::Binary(..));
                let same = matches!(&**left, Formula::Binary(inner, ..) if inner == op);
                of(left).operand(f, apart(left) && !(chain && same))?;
                write!(f, " {} ", binary_symbol(*op))?;
                of(right).operand(f, apart(right))
            }
        }
    }
}

impl Shown<'_> {
    fn operand(&self, f: &mut fmt::Formatter<'_>, parentheses: bool) -> fmt::Result {
        if parentheses { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

/// The name as a proposition is written: as it is if it is a word, else in braces or quotes.
pub fn show_name(name: &str) -> String {
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    let word = name.chars().all(letters) && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if word && !parse::keyword(name) {
        name.to_owned()
    } else if balanced(name) {
        format!("{{{name}}}")
    } else {
        format!("\"{name}\"")
    }
}

fn balanced(name: &str) -> bool {
    let mut depth = 0i64;
    for c in name.chars() {
        depth += i64::from(c == '{') - i64::from(c == '}');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn unary_symbol(op: Unary) -> &'static str {
    match op {
        Unary::Not => "!",
        Unary::Next => "X ",
        Unary::Always => "[]",
        Unary::Eventually => "<>",
    }
}

fn binary_symbol(op: Binary) -> &'static str {
    match op {
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Implies => "->",
        Binary::Equiv => "<->",
        Binary::Until => "U",
        Binary::WeakUntil => "W",
        Binary::Release => "V",
        Binary::StrongRelease => "M",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::parse;
    use crate::random::{Rng, formula};

    /// What is printed reads back as the same formula.
    #[test]
    fn round_trip() {
        let mut rng = Rng::new(7);
        for _ in 0..2000 {
            let mut names = Names::new();
            for name in ["p", "x == {1}", "U"] {
                names.push(name);
            }
            let formula = formula(&mut rng, 20, 3);
            let text = formula.show(&names).to_string();
            assert_eq!(parse(&text, &mut names.clone()).as_ref(), Ok(&formula), "{text}");
        }
    }
}
