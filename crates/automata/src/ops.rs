//! Questions about automata: which words they accept, whether they accept any, and what two of them have in common.

use std::collections::HashMap;

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::cycles::{Arrows, Step, accepting_round};
use crate::words::{Lasso, Letter};

/// An accepting run: a path and a cycle that starts where the path ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The edges before the cycle.
    pub prefix: Vec<Edge>,
    /// The edges of the cycle, at least one.
    pub cycle: Vec<Edge>,
}

impl Run {
    /// A word on which the run can go.
    pub fn word(&self) -> Option<Lasso> {
        let letters = |edges: &[Edge]| edges.iter().map(|edge| edge.label.letter()).collect::<Option<Vec<Letter>>>();
        Lasso::new(&letters(&self.prefix)?, &letters(&self.cycle)?)
    }
}

/// The product has more acceptance sets than an automaton can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyMarks;

impl std::fmt::Display for TooManyMarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the product of these automata needs more than {} acceptance sets", Marks::LIMIT)
    }
}

impl std::error::Error for TooManyMarks {}

impl Tgba {
    /// True if the automaton accepts the word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        let positions = word.letters().len();
        let node = |state: StateId, position: usize| state.index() * positions + position;
        let mut arrows: Arrows = vec![Vec::new(); self.state_count() * positions];
        for edge in self.edges() {
            for (position, &letter) in word.letters().iter().enumerate() {
                if edge.label.admits(letter) {
                    let to = node(edge.to, word.next(position));
                    arrows[node(edge.from, position)].push((to, edge.marks.0));
                }
            }
        }
        let initial: Vec<usize> = self.initial().iter().map(|&state| node(state, 0)).collect();
        reachable_round(&arrows, &initial, Marks::all(self.mark_count()).0)
    }

    /// An accepting run with a short path and a short cycle, if the automaton accepts any word.
    pub fn accepting_run(&self) -> Option<Run> {
        let arrow = |edge: &Edge| (edge.to.index(), edge.marks.0);
        let arrows: Arrows = self.states().map(|state| self.edges_from(state).iter().map(arrow).collect()).collect();
        let initial: Vec<usize> = self.initial().iter().map(|state| state.index()).collect();
        let round = accepting_round(&arrows, &initial, Marks::all(self.mark_count()).0)?;
        let edge = |&(state, place): &Step| self.edges_from(StateId::new(state))[place].clone();
        Some(Run { prefix: round.prefix.iter().map(edge).collect(), cycle: round.cycle.iter().map(edge).collect() })
    }

    /// True if the automaton accepts no word.
    pub fn is_empty(&self) -> bool {
        self.accepting_run().is_none()
    }

    /// The automaton that accepts the words that both accept. The marks of `other` come after those of this automaton.
    pub fn product(&self, other: &Tgba) -> Result<Tgba, TooManyMarks> {
        let shift = self.mark_count();
        if shift + other.mark_count() > Marks::LIMIT {
            return Err(TooManyMarks);
        }
        let mut product = Product::new(shift + other.mark_count());
        for &a in self.initial() {
            for &b in other.initial() {
                let state = product.state(a, b);
                product.automaton.add_initial(state);
            }
        }
        let mut at = 0;
        while let Some(&(a, b)) = product.pairs.get(at) {
            for first in self.edges_from(a) {
                for second in other.edges_from(b) {
                    let label = first.label.and(&second.label);
                    if label.is_empty() {
                        continue;
                    }
                    let to = product.state(first.to, second.to);
                    let shifted = if shift < Marks::LIMIT { second.marks.0 << shift } else { 0 };
                    product.automaton.add_edge(StateId::new(at), label, to, first.marks.union(Marks(shifted)));
                }
            }
            at += 1;
        }
        Ok(product.automaton)
    }
}

struct Product {
    automaton: Tgba,
    pairs: Vec<(StateId, StateId)>,
    numbers: HashMap<(StateId, StateId), StateId>,
}

impl Product {
    fn new(mark_count: u32) -> Product {
        Product { automaton: Tgba::new(mark_count), pairs: Vec::new(), numbers: HashMap::new() }
    }

    fn state(&mut self, a: StateId, b: StateId) -> StateId {
        *self.numbers.entry((a, b)).or_insert_with(|| {
            self.pairs.push((a, b));
            self.automaton.add_state()
        })
    }
}

fn reachable_round(arrows: &Arrows, initial: &[usize], all: u64) -> bool {
    accepting_round(arrows, initial, all).is_some()
}
