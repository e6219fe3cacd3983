//! Letters, lasso-shaped infinite words, and what it means that a formula holds on one of them.
//!
//! The evaluator is written straight from the definition of LTL and shares nothing with the translation into automata:
//! it is the oracle of the tests.

use std::collections::HashMap;

use crate::ltl::{Binary, Formula, Unary};

/// The number of a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prop(pub u32);

impl Prop {
    /// Letters hold the propositions numbered below this.
    pub const LIMIT: u32 = 128;
}

/// The propositions that hold at one position of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(pub u128);

impl Letter {
    /// True if the proposition holds here; a number of [`Prop::LIMIT`] or more never does.
    pub fn has(self, prop: Prop) -> bool {
        prop.0 < Prop::LIMIT && self.0 >> prop.0 & 1 == 1
    }

    /// The letter with this proposition added; a number of [`Prop::LIMIT`] or more changes nothing.
    pub fn with(self, prop: Prop) -> Letter {
        if prop.0 < Prop::LIMIT { Letter(self.0 | 1 << prop.0) } else { self }
    }
}

/// An infinite word that becomes periodic: a prefix, then a cycle for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lasso {
    letters: Vec<Letter>,
    start: usize,
}

impl Lasso {
    /// A word, or none if the cycle is empty.
    pub fn new(prefix: &[Letter], cycle: &[Letter]) -> Option<Lasso> {
        let letters = [prefix, cycle].concat();
        (!cycle.is_empty()).then_some(Lasso { letters, start: prefix.len() })
    }

    /// The letters before the cycle.
    pub fn prefix(&self) -> &[Letter] {
        &self.letters[..self.start]
    }

    /// The letters that come again and again.
    pub fn cycle(&self) -> &[Letter] {
        &self.letters[self.start..]
    }

    /// The letters of prefix and cycle, one for each position.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The position after `position`, which lies in prefix or cycle.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.start }
    }
}

/// True if the formula holds on the word.
pub fn holds(formula: &Formula, word: &Lasso) -> bool {
    Evaluation { word, known: HashMap::new() }.truth(formula)[0]
}

/// The truth of formulas at all positions of a word; `known` is keyed by address because formulas share parts.
struct Evaluation<'a> {
    word: &'a Lasso,
    known: HashMap<*const Formula, Vec<bool>>,
}

impl Evaluation<'_> {
    fn truth(&mut self, formula: &Formula) -> Vec<bool> {
        if let Some(found) = self.known.get(&std::ptr::from_ref(formula)) {
            return found.clone();
        }
        let value = match formula {
            Formula::Constant(value) => vec![*value; self.word.letters().len()],
            Formula::Prop(prop) => self.word.letters().iter().map(|letter| letter.has(*prop)).collect(),
            Formula::Unary(op, inner) => {
                let inner = self.truth(inner);
                self.unary(*op, &inner)
            }
            Formula::Binary(op, left, right) => {
                let (left, right) = (self.truth(left), self.truth(right));
                self.binary(*op, &left, &right)
            }
        };
        self.known.insert(formula, value.clone());
        value
    }

    fn unary(&self, op: Unary, inner: &[bool]) -> Vec<bool> {
        let count = inner.len();
        match op {
            Unary::Not => inner.iter().map(|value| !value).collect(),
            Unary::Next => (0..count).map(|at| inner[self.word.next(at)]).collect(),
            Unary::Always => self.fixpoint(true, |at, next| inner[at] && next),
            Unary::Eventually => self.fixpoint(false, |at, next| inner[at] || next),
        }
    }

    fn binary(&self, op: Binary, left: &[bool], right: &[bool]) -> Vec<bool> {
        let pointwise = |f: fn(bool, bool) -> bool| left.iter().zip(right).map(|(&l, &r)| f(l, r)).collect();
        match op {
            Binary::And => pointwise(|l, r| l && r),
            Binary::Or => pointwise(|l, r| l || r),
            Binary::Implies => pointwise(|l, r| !l || r),
            Binary::Equiv => pointwise(|l, r| l == r),
            Binary::Until => self.fixpoint(false, |at, next| right[at] || left[at] && next),
            Binary::WeakUntil => self.fixpoint(true, |at, next| right[at] || left[at] && next),
            Binary::Release => self.fixpoint(true, |at, next| right[at] && (left[at] || next)),
            Binary::StrongRelease => self.fixpoint(false, |at, next| right[at] && (left[at] || next)),
        }
    }

    /// The least (`start` false) or greatest (`start` true) solution of `value[at] = step(at, value[next(at)])`.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut value = vec![start; self.word.letters().len()];
        // Twice round the cycle is enough: the first time brings the truth to its start, the second time round it.
        for _ in 0..2 {
            for at in (0..value.len()).rev() {
                value[at] = step(at, value[self.word.next(at)]);
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, ltl};

    fn word(prefix: &[u128], cycle: &[u128]) -> Lasso {
        let letters = |numbers: &[u128]| numbers.iter().map(|&n| Letter(n)).collect::<Vec<_>>();
        Lasso::new(&letters(prefix), &letters(cycle)).unwrap()
    }

    /// On hand-made words each operator means what the textbook says.
    #[test]
    fn operators_on_known_words() {
        let (p, q, none, both) = (1, 2, 0, 3);
        let cases = [
            ("[]p", word(&[p], &[both]), true),
            ("[]p", word(&[p], &[both, none]), false),
            ("<>q", word(&[none, none], &[none, q]), true),
            ("<>q", word(&[p], &[p]), false),
            ("X q", word(&[p], &[q]), true),
            ("X q", word(&[q], &[p]), false),
            ("X X p", word(&[], &[p, q]), true),
            ("p U q", word(&[p, p], &[q]), true),
            ("p U q", word(&[], &[p]), false),
            ("p U q", word(&[p, none], &[q]), false),
            ("p W q", word(&[], &[p]), true),
            ("p V q", word(&[q, q], &[both, none]), true),
            ("p V q", word(&[], &[q]), true),
            ("p V q", word(&[q, p], &[both]), false),
            ("p M q", word(&[], &[q]), false),
            ("p M q", word(&[q], &[both, none]), true),
            ("[]<>p", word(&[], &[none, none, p]), true),
            ("<>[]p", word(&[], &[none, none, p]), false),
            ("p -> q", word(&[], &[p]), false),
            ("p <-> q", word(&[], &[none]), true),
        ];
        for (text, word, expected) in cases {
            let mut names = Names::new();
            names.intern("p");
            names.intern("q");
            let formula = ltl::parse(text, &mut names).unwrap();
            assert_eq!(holds(&formula, &word), expected, "{text} on {word:?}");
        }
    }

    /// A word without a cycle is no infinite word.
    #[test]
    fn a_cycle_is_needed() {
        assert!(Lasso::new(&[Letter(1)], &[]).is_none());
    }
}
