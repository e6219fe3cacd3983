//! Negation normal form: negations stand before propositions only, and `->` and `<->` are gone.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Binary, Formula, Unary};

impl Formula {
    /// The equivalent formula in negation normal form, without any simplification; parts are shared.
    pub fn negation_normal(&self) -> Formula {
        (*Normaliser::default().walk(self, false)).clone()
    }
}

/// Results for parts (by address) and their negations, so that nested `<->` cost linear time.
#[derive(Default)]
struct Normaliser {
    known: HashMap<(*const Formula, bool), Arc<Formula>>,
}

impl Normaliser {
    fn walk(&mut self, formula: &Formula, negated: bool) -> Arc<Formula> {
        let key = (std::ptr::from_ref(formula), negated);
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let result = match formula {
            Formula::Constant(value) => Arc::new(Formula::Constant(*value != negated)),
            Formula::Prop(_) if negated => Arc::new(formula.negated()),
            Formula::Prop(_) => Arc::new(formula.clone()),
            Formula::Unary(Unary::Not, inner) => self.walk(inner, !negated),
            Formula::Unary(op, inner) => {
                let op = if negated { dual_unary(*op) } else { *op };
                Arc::new(Formula::Unary(op, self.walk(inner, negated)))
            }
            Formula::Binary(op, left, right) => self.binary(*op, left, right, negated),
        };
        self.known.insert(key, result.clone());
        result
    }

    fn binary(&mut self, op: Binary, left: &Formula, right: &Formula, negated: bool) -> Arc<Formula> {
        let op = match op {
            Binary::Equiv => {
                // a <-> b is (a && b) || (!a && !b); its negation swaps the truth of one side.
                let yes = self.pair(Binary::And, (left, false), (right, negated));
                let no = self.pair(Binary::And, (left, true), (right, !negated));
                return Arc::new(Formula::Binary(Binary::Or, yes, no));
            }
            Binary::Implies => {
                let op = if negated { Binary::And } else { Binary::Or };
                return self.pair(op, (left, !negated), (right, negated));
            }
            op if negated => dual_binary(op),
            op => op,
        };
        self.pair(op, (left, negated), (right, negated))
    }

    fn pair(&mut self, op: Binary, left: (&Formula, bool), right: (&Formula, bool)) -> Arc<Formula> {
        let (left, right) = (self.walk(left.0, left.1), self.walk(right.0, right.1));
        Arc::new(Formula::Binary(op, left, right))
    }
}

fn dual_unary(op: Unary) -> Unary {
    match op {
        Unary::Not | Unary::Next => op,
        Unary::Always => Unary::Eventually,
        Unary::Eventually => Unary::Always,
    }
}

fn dual_binary(op: Binary) -> Binary {
    match op {
        Binary::And => Binary::Or,
        Binary::Or => Binary::And,
        Binary::Until => Binary::Release,
        Binary::Release => Binary::Until,
        Binary::WeakUntil => Binary::StrongRelease,
        Binary::StrongRelease => Binary::WeakUntil,
        Binary::Implies | Binary::Equiv => op,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, formula, lasso};
    use crate::words::holds;

    fn is_normal(formula: &Formula) -> bool {
        match formula {
            Formula::Constant(_) | Formula::Prop(_) => true,
            Formula::Unary(Unary::Not, inner) => matches!(**inner, Formula::Prop(_)),
            Formula::Unary(_, inner) => is_normal(inner),
            Formula::Binary(Binary::Implies | Binary::Equiv, ..) => false,
            Formula::Binary(_, left, right) => is_normal(left) && is_normal(right),
        }
    }

    /// The form is normal and means the same.
    #[test]
    fn normal_and_equivalent() {
        let mut rng = Rng::new(11);
        for _ in 0..1000 {
            let formula = formula(&mut rng, 15, 3);
            let normal = formula.negation_normal();
            assert!(is_normal(&normal), "{normal:?}");
            for _ in 0..10 {
                let word = lasso(&mut rng, 4, 4, 3);
                assert_eq!(holds(&formula, &word), holds(&normal, &word), "{formula:?} on {word:?}");
            }
        }
    }

    /// Sharing keeps nested equivalences small in memory: this would need 2^100 nodes as a tree.
    #[test]
    fn nested_equivalences() {
        let mut formula = Formula::Prop(crate::Prop(0));
        for n in 1..100 {
            formula = Formula::binary(Binary::Equiv, formula, Formula::Prop(crate::Prop(n)));
        }
        let word = lasso(&mut Rng::new(1), 2, 2, 100);
        assert_eq!(holds(&formula.negation_normal(), &word), holds(&formula, &word));
    }
}
