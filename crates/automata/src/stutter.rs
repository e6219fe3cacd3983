//! Decides whether a formula can tell a word from the same word with letters repeated.
//!
//! T. Michaud and A. Duret-Lutz, "Practical stutter-invariance checks for ω-regular languages" (SPIN 2015). We let the
//! automata of the formula and of its negation read a common word, where each may wait while a letter is repeated (their
//! construction `sl`, on the fly). A common word means that the formula is not invariant, and gives two words to show it.
//! Letters that no label tells apart are treated as one.

use std::collections::{BTreeSet, HashMap};

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::bdd::{Bdd, Func, Var};
use crate::cycles::{Arrows, Step, accepting_round};
use crate::label::Label;
use crate::ltl::Formula;
use crate::translate::graph::function;
use crate::translate::{TooLarge, translate_generalised_within};
use crate::words::{Lasso, Letter, Prop};
use starwheel_base::cancel::{Token, Watch};

/// What repeated letters do to a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stutter {
    /// The truth of the formula never depends on how often letters are repeated.
    Invariant,
    /// The formula tells two words apart that differ in repeated letters only.
    Sensitive {
        /// It holds on this one.
        holds: Lasso,
        /// It does not hold on this one.
        fails: Lasso,
    },
}

/// More combined states than this are not worked on.
const NODES: usize = 1_000_000;
/// More classes of letters than this are not worked on.
const CLASSES: usize = 4096;

/// Decides whether the formula is invariant under repeated letters.
pub fn stutter(formula: &Formula) -> Result<Stutter, TooLarge> {
    stutter_within(formula, &Token::NEVER)
}

/// As [`stutter`]; too large, too, if the token says stop.
pub fn stutter_within(formula: &Formula, token: &Token) -> Result<Stutter, TooLarge> {
    if !formula.has_next() {
        return Ok(Stutter::Invariant);
    }
    let simple = formula.simplified_within(token);
    if !simple.has_next() && !token.stopped() {
        return Ok(Stutter::Invariant);
    }
    let yes = translate_generalised_within(&simple, token)?;
    let no = translate_generalised_within(&simple.negated(), token)?;
    let classes = classes(&[&yes, &no], &simple.props(), token)?;
    let mut search = Search::new(&yes, &no, &classes)?;
    search.explore(&token.watch())?;
    Ok(search.answer().unwrap_or(Stutter::Invariant))
}

/// One letter of each class of letters that the labels tell apart.
pub(crate) fn classes(automata: &[&Tgba], props: &BTreeSet<Prop>, token: &Token) -> Result<Vec<Letter>, TooLarge> {
    let mut bdd = Bdd::new(1 << 20, token.watch());
    let props: Vec<Prop> = props.iter().copied().collect();
    let labels: BTreeSet<&Label> =
        automata.iter().flat_map(|automaton| automaton.edges().map(|edge| &edge.label)).collect();
    let mut cells = vec![Bdd::TRUE];
    for label in labels {
        let func = function(&mut bdd, label, &props);
        let halves = |cell: Func, bdd: &mut Bdd| [bdd.and(cell, func), bdd.minus(cell, func)];
        cells = cells.into_iter().flat_map(|cell| halves(cell, &mut bdd)).filter(|&cell| cell != Bdd::FALSE).collect();
        if cells.len() > CLASSES || bdd.is_full() {
            return Err(TooLarge);
        }
    }
    let letter = |vars: Vec<Var>| vars.iter().fold(Letter::default(), |letter, &var| letter.with(props[var as usize]));
    Ok(cells.into_iter().filter_map(|cell| bdd.witness(cell)).map(letter).collect())
}

/// The states of both automata and the class of the last letter.
type Node = (StateId, StateId, Option<usize>);

/// What a combined edge does: its letter's class, and which of the automata move.
#[derive(Clone, Copy)]
struct Move {
    class: usize,
    yes: bool,
    no: bool,
}

struct Search<'a> {
    yes: &'a Tgba,
    no: &'a Tgba,
    classes: &'a [Letter],
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    arrows: Arrows,
    moves: Vec<Vec<Move>>,
}

impl<'a> Search<'a> {
    fn new(yes: &'a Tgba, no: &'a Tgba, classes: &'a [Letter]) -> Result<Search<'a>, TooLarge> {
        // Two more marks say that each of them moves infinitely often.
        if yes.mark_count() + no.mark_count() + 2 > Marks::LIMIT {
            return Err(TooLarge);
        }
        let (nodes, arrows, moves) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Search { yes, no, classes, nodes, numbers: HashMap::new(), arrows, moves })
    }

    fn all_marks(&self) -> u64 {
        Marks::all(self.yes.mark_count() + self.no.mark_count() + 2).0
    }

    fn number(&mut self, node: Node) -> usize {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn explore(&mut self, watch: &Watch) -> Result<(), TooLarge> {
        for &a in self.yes.initial() {
            for &b in self.no.initial() {
                self.number((a, b, None));
            }
        }
        let mut at = 0;
        while at < self.nodes.len() {
            let (arrows, moves) = self.edges(self.nodes[at]);
            self.arrows.push(arrows);
            self.moves.push(moves);
            at += 1;
            if self.nodes.len() > NODES || watch.stopped() {
                return Err(TooLarge);
            }
        }
        Ok(())
    }

    fn edges(&mut self, (a, b, last): Node) -> (Vec<(usize, u64)>, Vec<Move>) {
        let (yes, no) = (self.yes, self.no);
        let shift = yes.mark_count() + 1;
        let (mut arrows, mut moves) = (Vec::new(), Vec::new());
        for (class, &letter) in self.classes.iter().enumerate() {
            let repeated = last == Some(class);
            let first = options(yes, a, letter, repeated);
            let second = options(no, b, letter, repeated);
            for &(to_a, marks_a, moved_a) in &first {
                for &(to_b, marks_b, moved_b) in second.iter().filter(|option| moved_a || option.2) {
                    let to = self.number((to_a, to_b, Some(class)));
                    arrows.push((to, marks_a | marks_b << shift));
                    moves.push(Move { class, yes: moved_a, no: moved_b });
                }
            }
        }
        (arrows, moves)
    }

    /// The two words of a common run, if there is one.
    fn answer(&self) -> Option<Stutter> {
        let initial: Vec<usize> = (0..self.nodes.len()).take_while(|&node| self.nodes[node].2.is_none()).collect();
        let round = accepting_round(&self.arrows, &initial, self.all_marks())?;
        let read = |steps: &[Step], moved: fn(&Move) -> bool| -> Vec<Letter> {
            let moves = steps.iter().map(|&(node, place)| &self.moves[node][place]);
            moves.filter(|step| moved(step)).map(|step| self.classes[step.class]).collect()
        };
        let word = |moved: fn(&Move) -> bool| Lasso::new(&read(&round.prefix, moved), &read(&round.cycle, moved));
        Some(Stutter::Sensitive { holds: word(|step| step.yes)?, fails: word(|step| step.no)? })
    }
}

/// Where an automaton can be after a letter, with marks, the last of which says that it moved; it may wait if the letter is a repeated one.
fn options(automaton: &Tgba, state: StateId, letter: Letter, repeated: bool) -> Vec<(StateId, u64, bool)> {
    let moved = 1 << automaton.mark_count();
    let edges = automaton.edges_from(state).iter().filter(|edge| edge.label.admits(letter));
    let mut options: Vec<(StateId, u64, bool)> =
        edges.map(|edge: &Edge| (edge.to, edge.marks.0 | moved, true)).collect();
    if repeated {
        options.push((state, 0, false));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, formula, lasso};
    use crate::words::holds;
    use crate::{Names, ltl};

    fn decide(text: &str) -> Stutter {
        stutter(&ltl::parse(text, &mut Names::new()).unwrap()).unwrap()
    }

    /// Formulas with X that are invariant all the same, and others that are not.
    #[test]
    fn known_formulas() {
        for text in ["[]<>p", "X []<>p", "<>(p && X <>!p)", "[](p -> X (p U q) || q)", "X true", "<>(p && X !p)"] {
            assert_eq!(decide(text), Stutter::Invariant, "{text}");
        }
        for text in ["X p", "[](p -> X q)", "<>(p && X p)", "X X <>[]p && X p"] {
            assert!(matches!(decide(text), Stutter::Sensitive { .. }), "{text}");
        }
    }

    /// The word without repeated letters: what all words that differ in repetition have in common.
    fn essence(word: &Lasso) -> Vec<Letter> {
        let mut letters: Vec<Letter> = word.prefix().to_vec();
        // Long enough to tell apart all words of this test.
        for _ in 0..80 {
            letters.extend(word.cycle());
        }
        letters.dedup();
        letters.truncate(30);
        letters
    }

    /// The word with some letters repeated.
    fn repeated(word: &Lasso, rng: &mut Rng) -> Lasso {
        let mut repeat = |letters: &[Letter]| -> Vec<Letter> {
            letters.iter().flat_map(|&letter| vec![letter; 1 + rng.below(3) as usize]).collect()
        };
        let (prefix, cycle) = (repeat(word.prefix()), repeat(word.cycle()));
        Lasso::new(&prefix, &cycle).unwrap()
    }

    /// Words that repeat letters show no difference where invariance is claimed; where it is denied, the two words prove it.
    #[test]
    fn random_formulas() {
        let mut sensitive = 0;
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let formula = formula(&mut rng, 9, 2);
            match stutter(&formula).unwrap() {
                Stutter::Invariant => {
                    for _ in 0..60 {
                        let word = lasso(&mut rng, 4, 3, 2);
                        let longer = repeated(&word, &mut rng);
                        assert_eq!(
                            holds(&formula, &word),
                            holds(&formula, &longer),
                            "seed {seed}: {formula:?} {word:?}"
                        );
                    }
                }
                Stutter::Sensitive { holds: good, fails: bad } => {
                    sensitive += 1;
                    assert!(holds(&formula, &good) && !holds(&formula, &bad), "seed {seed}: {formula:?}");
                    assert_eq!(essence(&good), essence(&bad), "seed {seed}: {formula:?}");
                }
            }
        }
        assert!((100..500).contains(&sensitive), "both answers must be seen, not {sensitive} of 600");
    }
}
