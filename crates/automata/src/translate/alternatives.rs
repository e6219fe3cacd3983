//! The automaton of a disjunction from those of its parts, for formulas that are too large as a whole.
//!
//! A search looks for words of a negation, and the negation of a long conjunction is a long disjunction: a run of one
//! part after a first step that chooses the part is all that is needed.

use std::sync::Arc;

use super::{TooLarge, whole};
use crate::automaton::{Buchi, StateId};
use crate::ltl::{Binary, Formula, Unary};
use starwheel_base::cancel::Token;

/// The union of the automata of the parts; an error if there is one part only, or one of them is too large itself.
pub(super) fn translate_apart(formula: &Formula, token: &Token) -> Result<Buchi, TooLarge> {
    let mut parts = Vec::new();
    collect(formula, true, &mut parts);
    if parts.len() < 2 {
        return Err(TooLarge);
    }
    let automata = parts.iter().map(|part| whole(part, token)).collect::<Result<Vec<_>, _>>()?;
    Ok(union(&automata))
}

/// The formulas of which one must hold for the formula (or its negation) to hold.
fn collect(formula: &Formula, positive: bool, parts: &mut Vec<Formula>) {
    let mut both = |a: &Arc<Formula>, of_a: bool, b: &Arc<Formula>, of_b: bool| {
        collect(a, of_a, parts);
        collect(b, of_b, parts);
    };
    match formula {
        Formula::Unary(Unary::Not, inner) => collect(inner, !positive, parts),
        Formula::Binary(Binary::Or, a, b) if positive => both(a, true, b, true),
        Formula::Binary(Binary::Implies, a, b) if positive => both(a, false, b, true),
        Formula::Binary(Binary::And, a, b) if !positive => both(a, false, b, false),
        _ if positive => parts.push(formula.clone()),
        _ => parts.push(formula.negated()),
    }
}

/// Accepts what one of the automata accepts: a new initial state has the edges of all initial states.
fn union(automata: &[Buchi]) -> Buchi {
    let flags = automata.iter().flat_map(|a| a.states().map(|s| a.is_accepting(s)));
    let mut out = Buchi::new(std::iter::once(false).chain(flags).collect(), StateId(0));
    let mut shift = 1;
    for automaton in automata {
        let moved = |state: StateId| StateId::new(state.index() + shift);
        for edge in automaton.states().flat_map(|s| automaton.edges_from(s)) {
            out.add_edge(moved(edge.from), edge.label.clone(), moved(edge.to));
        }
        for edge in automaton.edges_from(automaton.initial()) {
            out.add_edge(StateId(0), edge.label.clone(), moved(edge.to));
        }
        shift += automaton.state_count();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, formula, lasso};
    use crate::translate::translate;
    use crate::words::{Prop, holds};

    /// The union accepts the words on which the formula holds.
    #[test]
    fn same_words() {
        let mut rng = Rng::new(11);
        let mut tried = 0;
        for _ in 0..3000 {
            let formula = formula(&mut rng, 12, 3);
            let Ok(automaton) = translate_apart(&formula, &Token::NEVER) else { continue };
            tried += 1;
            for _ in 0..10 {
                let word = lasso(&mut rng, 3, 3, 3);
                assert_eq!(automaton.as_tgba().accepts(&word), holds(&formula, &word), "{formula:?}");
            }
        }
        assert!(tried > 100, "{tried}");
    }

    /// A long conjunction of fairness conditions is too large, its negation is not.
    #[test]
    fn long_conjunctions_have_negations() {
        let fair = |i| Formula::unary(Unary::Always, Formula::unary(Unary::Eventually, Formula::Prop(Prop(i))));
        let all = (1..20).map(fair).fold(fair(0), |a, b| Formula::binary(Binary::And, a, b));
        let negation = translate(&all.negated()).expect("the union of its parts");
        assert!(negation.state_count() < 100);
    }
}
