//! Automata of formulas that only say what happens again and again, and what from some time on: `[]<>p`, `<>[]p`, and
//! whatever `&&`, `||`, `->`, `<->` and `!` make of them.
//!
//! Fairness assumptions come in dozens, and a tableau of `([]<>p && []<>q && …) -> ([]<>r && …)` has a state for each set of
//! them. But the truth of such a formula is the same at all positions of a word. So we write it as a disjunction of clauses,
//! each of which asks for something from some time on and for other things again and again. The automaton waits in its first
//! state, then decides for a clause and counts what it has met, in a fixed order, as in the usual way from generalised to
//! plain Büchi automata (Y. Choueka, "Theories of automata on ω-tapes", 1974). It grows with the number of clauses times
//! their length. Short formulas are left to the tableau, whose automata are smaller.

use super::graph::label;
use super::{NODES, TooLarge};
use crate::automaton::{Buchi, StateId};
use crate::bdd::{Bdd, Func, Var};
use crate::ltl::{Binary, Formula, Unary};
use crate::words::Prop;
use starwheel_base::cancel::Token;

/// Formulas with fewer different parts are left to the tableau.
const LEAST_PARTS: usize = 7;
/// More clauses than this are not worked on.
const CLAUSES: usize = 512;

/// The automaton of a formula that is of this kind and long enough; none if it is not, or has too many clauses.
pub(super) fn translate_recurring(formula: &Formula, token: &Token) -> Option<Buchi> {
    translate_with(formula, token, LEAST_PARTS)
}

fn translate_with(formula: &Formula, token: &Token, least: usize) -> Option<Buchi> {
    let props: Vec<Prop> = formula.props().into_iter().collect();
    if props.iter().any(|prop| prop.0 >= Prop::LIMIT) {
        return None;
    }
    let mut reader = Reader { bdd: Bdd::new(NODES, token.watch()), props, parts: Vec::new() };
    let clauses = reader.clauses(formula, true)?;
    if reader.parts.len() < least || reader.bdd.is_full() {
        return None;
    }
    reader.automaton(&clauses).ok()
}

/// What a run must do: something from some time on, and each of these again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    lasting: Func,
    recurring: Vec<Func>,
}

impl Clause {
    /// True if whatever satisfies this one satisfies the other.
    fn implies(&self, other: &Clause, bdd: &mut Bdd) -> bool {
        bdd.implies(self.lasting, other.lasting) && other.recurring.iter().all(|r| self.recurring.contains(r))
    }
}

struct Reader {
    bdd: Bdd,
    props: Vec<Prop>,
    /// What is asked for again and again, or not, anywhere in the formula.
    parts: Vec<Func>,
}

impl Reader {
    /// The clauses of a formula, or of its negation; none if it is not of this kind, or there are too many.
    fn clauses(&mut self, formula: &Formula, positive: bool) -> Option<Vec<Clause>> {
        match formula {
            Formula::Constant(value) if *value == positive => {
                Some(vec![Clause { lasting: Bdd::TRUE, recurring: Vec::new() }])
            }
            Formula::Constant(_) => Some(Vec::new()),
            Formula::Unary(Unary::Not, inner) => self.clauses(inner, !positive),
            Formula::Unary(Unary::Always, inner) => match &**inner {
                Formula::Unary(Unary::Eventually, state) if plain(state) => self.part(state, true, positive),
                // The truth of the operand is the same at all positions.
                _ => self.clauses(inner, positive),
            },
            Formula::Unary(Unary::Eventually, inner) => match &**inner {
                Formula::Unary(Unary::Always, state) if plain(state) => self.part(state, false, positive),
                _ => self.clauses(inner, positive),
            },
            Formula::Unary(Unary::Next, inner) => self.clauses(inner, positive),
            Formula::Binary(op, a, b) => self.both(*op, a, b, positive),
            Formula::Prop(_) => None,
        }
    }

    fn both(&mut self, op: Binary, a: &Formula, b: &Formula, positive: bool) -> Option<Vec<Clause>> {
        match (op, positive) {
            (Binary::And, true) => self.all((a, true), (b, true)),
            (Binary::And, false) => self.any((a, false), (b, false)),
            (Binary::Or, true) => self.any((a, true), (b, true)),
            (Binary::Or, false) => self.all((a, false), (b, false)),
            (Binary::Implies, true) => self.any((a, false), (b, true)),
            (Binary::Implies, false) => self.all((a, true), (b, false)),
            (Binary::Equiv, _) => {
                let yes = self.all((a, true), (b, positive))?;
                let no = self.all((a, false), (b, !positive))?;
                self.few([yes, no].concat())
            }
            _ => None,
        }
    }

    fn any(&mut self, a: (&Formula, bool), b: (&Formula, bool)) -> Option<Vec<Clause>> {
        let (a, b) = (self.clauses(a.0, a.1)?, self.clauses(b.0, b.1)?);
        self.few([a, b].concat())
    }

    fn all(&mut self, a: (&Formula, bool), b: (&Formula, bool)) -> Option<Vec<Clause>> {
        let (a, b) = (self.clauses(a.0, a.1)?, self.clauses(b.0, b.1)?);
        if a.len() * b.len() > CLAUSES {
            return None;
        }
        let mut out = Vec::new();
        for one in &a {
            for two in &b {
                let mut recurring = one.recurring.clone();
                recurring.extend(two.recurring.iter().filter(|r| !one.recurring.contains(r)));
                out.push(Clause { lasting: self.bdd.and(one.lasting, two.lasting), recurring });
            }
        }
        self.few(out)
    }

    /// The clauses without those that others make superfluous or that nothing satisfies.
    fn few(&mut self, clauses: Vec<Clause>) -> Option<Vec<Clause>> {
        let mut kept: Vec<Clause> = Vec::new();
        for clause in clauses {
            let possible = |r: &Func, bdd: &mut Bdd| bdd.and(*r, clause.lasting) != Bdd::FALSE;
            if clause.lasting == Bdd::FALSE || !clause.recurring.iter().all(|r| possible(r, &mut self.bdd)) {
                continue;
            }
            if !kept.iter().any(|known| clause.implies(known, &mut self.bdd)) {
                kept.retain(|known| !known.implies(&clause, &mut self.bdd));
                kept.push(clause);
            }
        }
        (kept.len() <= CLAUSES).then_some(kept)
    }

    /// `[]<>state` or `<>[]state`, or its negation.
    fn part(&mut self, state: &Formula, recurs: bool, positive: bool) -> Option<Vec<Clause>> {
        let func = self.function(state)?;
        // <>[]p is the negation of []<>!p.
        let plain = if recurs { func } else { self.bdd.not(func) };
        if !self.parts.contains(&plain) {
            self.parts.push(plain);
        }
        let clause = match (recurs == positive, positive) {
            (true, _) => Clause { lasting: Bdd::TRUE, recurring: vec![plain] },
            (false, true) => Clause { lasting: func, recurring: Vec::new() },
            (false, false) => Clause { lasting: self.bdd.not(func), recurring: Vec::new() },
        };
        self.few(vec![clause])
    }

    /// A formula without temporal operators.
    fn function(&mut self, formula: &Formula) -> Option<Func> {
        Some(match formula {
            Formula::Constant(value) => {
                if *value {
                    Bdd::TRUE
                } else {
                    Bdd::FALSE
                }
            }
            Formula::Prop(prop) => {
                let var = self.props.iter().position(|known| known == prop)?;
                self.bdd.literal(var as Var, true)
            }
            Formula::Unary(Unary::Not, inner) => {
                let inner = self.function(inner)?;
                self.bdd.not(inner)
            }
            Formula::Binary(op, a, b) => {
                let (a, b) = (self.function(a)?, self.function(b)?);
                match op {
                    Binary::And => self.bdd.and(a, b),
                    Binary::Or => self.bdd.or(a, b),
                    Binary::Implies => {
                        let not_a = self.bdd.not(a);
                        self.bdd.or(not_a, b)
                    }
                    Binary::Equiv => {
                        let (both, either) = (self.bdd.and(a, b), self.bdd.or(a, b));
                        let neither = self.bdd.not(either);
                        self.bdd.or(both, neither)
                    }
                    Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => return None,
                }
            }
            Formula::Unary(..) => return None,
        })
    }

    /// The first state waits; behind it each clause has a state for each number of things met, the last one accepting.
    fn automaton(&mut self, clauses: &[Clause]) -> Result<Buchi, TooLarge> {
        self.bdd.lift_limit();
        let counts = |clause: &Clause| {
            let last = clause.recurring.len();
            (0..=last).map(move |met| met == last)
        };
        let flags = std::iter::once(false).chain(clauses.iter().flat_map(counts)).collect();
        let mut automaton = Buchi::new(flags, StateId(0));
        if !clauses.is_empty() {
            automaton.add_edge(StateId(0), crate::label::Label::all(), StateId(0));
        }
        let mut base = 1;
        for clause in clauses {
            let last = clause.recurring.len();
            for met in 0..=last {
                // Who has met all begins anew.
                for (func, to) in self.steps(clause, if met == last { 0 } else { met }) {
                    let label = label(&mut self.bdd, func, &self.props)?;
                    automaton.add_edge(StateId::new(base + met), label.clone(), StateId::new(base + to));
                    if met == 0 {
                        automaton.add_edge(StateId(0), label, StateId::new(base + to));
                    }
                }
            }
            base += last + 1;
        }
        Ok(automaton)
    }

    /// With which letters a clause goes on from a number of things met, and to which.
    fn steps(&mut self, clause: &Clause, met: usize) -> Vec<(Func, usize)> {
        match clause.recurring.get(met) {
            None => vec![(clause.lasting, met)],
            Some(&next) => {
                vec![(self.bdd.and(clause.lasting, next), met + 1), (self.bdd.minus(clause.lasting, next), met)]
            }
        }
    }
}

/// True if a formula speaks of one position only.
fn plain(formula: &Formula) -> bool {
    match formula {
        Formula::Constant(_) | Formula::Prop(_) => true,
        Formula::Unary(op, inner) => *op == Unary::Not && plain(inner),
        Formula::Binary(op, a, b) => {
            matches!(op, Binary::And | Binary::Or | Binary::Implies | Binary::Equiv) && plain(a) && plain(b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, lasso};
    use crate::translate::translate;
    use crate::words::holds;

    /// A random formula of this kind over three propositions.
    fn random(rng: &mut Rng, depth: u32) -> Formula {
        let state = |rng: &mut Rng| {
            let (p, q) = (Formula::Prop(Prop(rng.below(3))), Formula::Prop(Prop(rng.below(3))));
            match rng.below(4) {
                0 => p.negated(),
                1 => Formula::binary(Binary::Implies, p, q),
                2 => Formula::binary(Binary::And, p, q.negated()),
                _ => p,
            }
        };
        let twice = |outer, inner, f| Formula::unary(outer, Formula::unary(inner, f));
        if depth == 0 {
            let state = state(rng);
            return match rng.below(2) {
                0 => twice(Unary::Always, Unary::Eventually, state),
                _ => twice(Unary::Eventually, Unary::Always, state),
            };
        }
        let one = random(rng, depth - 1);
        match rng.below(9) {
            0 => one.negated(),
            1 => Formula::unary([Unary::Always, Unary::Eventually, Unary::Next][rng.below(3) as usize], one),
            n => {
                let op = [Binary::And, Binary::Or, Binary::Implies, Binary::Equiv][n as usize % 4];
                Formula::binary(op, one, random(rng, depth - 1))
            }
        }
    }

    /// The automata accept the words on which the formulas hold.
    #[test]
    fn same_words() {
        let (mut rng, mut accepted) = (Rng::new(17), [0, 0]);
        for _ in 0..1500 {
            let formula = random(&mut rng, 3);
            let automaton = translate_with(&formula, &Token::NEVER, 0).expect("a formula of this kind");
            for _ in 0..20 {
                let word = lasso(&mut rng, 3, 4, 3);
                let expected = holds(&formula, &word);
                assert_eq!(automaton.as_tgba().accepts(&word), expected, "{formula:?} {word:?}");
                accepted[usize::from(expected)] += 1;
            }
        }
        assert!(accepted.iter().all(|&n| n > 3000), "both answers must be seen: {accepted:?}");
    }

    /// Fourteen assumptions and fourteen conclusions: small, negated or not, and only what is of this kind is taken.
    #[test]
    fn many_parts() {
        let fair = |i| Formula::unary(Unary::Always, Formula::unary(Unary::Eventually, Formula::Prop(Prop(i))));
        let all =
            |from: u32| (from + 1..from + 14).map(fair).fold(fair(from), |a, b| Formula::binary(Binary::And, a, b));
        let formula = Formula::binary(Binary::Implies, all(0), all(14));
        assert_eq!(translate(&formula).expect("small").state_count(), 1 + 14 + 15);
        assert_eq!(translate(&formula.negated()).expect("small").state_count(), 1 + 14 * 15);
        let other = Formula::binary(Binary::Until, all(0), fair(20));
        assert!(translate_recurring(&other, &Token::NEVER).is_none());
        assert!(translate_recurring(&fair(0), &Token::NEVER).is_none(), "left to the tableau");
    }
}
