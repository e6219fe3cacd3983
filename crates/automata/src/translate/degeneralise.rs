//! From marks on edges to accepting states.
//!
//! Copies of states count which marks have been met, in a fixed order, as in P. Gastin and D. Oddoux, "Fast LTL to Büchi
//! automata translation" (CAV 2001), with the refinements of T. Babiak, T. Badie, A. Duret-Lutz, M. Křetínský and
//! J. Strejček, "Compositional approach to suspension and other improvements to LTL translation" (SPIN 2013): only
//! components with accepting cycles have copies, and marks that all edges of a state share count when it is entered.
//!
//! Where we differ: all copies of a state accept the same words, so instead of choosing the level of new copies with a
//! cache we build them all, keep the smallest closed part of each component's copies, and lead every edge from outside there.

use std::collections::HashMap;

use super::graph::{Arrow, Graph, Sccs};
use starwheel_base::scc::components;

/// A state with the number of marks met so far; all of them means that it is accepting.
type Copy = (usize, usize);

struct Unfolding<'a> {
    graph: &'a Graph,
    sccs: Sccs,
    order: &'a [u32],
    reuse: Reuse,
    /// For each state the marks that all its edges within its component share.
    shared: Vec<u64>,
    copies: Vec<Copy>,
    numbers: HashMap<Copy, usize>,
    arrows: Vec<Vec<Arrow>>,
}

/// Whether the marks that all edges of a state share, which count when it is entered, count again in the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    Again,
    Once,
}

/// The automaton with one mark, which all edges of a state carry or none. Marks are met in the given order.
pub(crate) fn degeneralise(graph: &Graph, order: &[u32], reuse: Reuse) -> Graph {
    let sccs = graph.sccs();
    let shared = shared_marks(graph, &sccs);
    let (copies, numbers, arrows) = (Vec::new(), HashMap::new(), Vec::new());
    let mut unfolding = Unfolding { graph, sccs, order, reuse, shared, copies, numbers, arrows };
    unfolding.run();
    unfolding.finish()
}

fn shared_marks(graph: &Graph, sccs: &Sccs) -> Vec<u64> {
    let shared = |(from, arrows): (usize, &Vec<Arrow>)| {
        let inside = arrows.iter().filter(|arrow| sccs.joins(from, arrow.to));
        inside.fold(graph.all_marks(), |marks, arrow| marks & arrow.marks)
    };
    graph.arrows.iter().enumerate().map(shared).collect()
}

impl Unfolding<'_> {
    fn run(&mut self) {
        let initial = self.entry(self.graph.initial);
        self.number(initial);
        let mut at = 0;
        while at < self.copies.len() {
            let (from, level) = self.copies[at];
            for arrow in &self.graph.arrows[from] {
                let to = if self.sccs.joins(from, arrow.to) && self.sccs.is_accepting(from) {
                    (arrow.to, self.level_after((from, level), arrow))
                } else {
                    self.entry(arrow.to)
                };
                let to = self.number(to);
                let marks = u64::from(self.is_accepting((from, level)));
                self.arrows[at].push(Arrow { label: arrow.label, marks, to });
            }
            at += 1;
        }
    }

    fn is_accepting(&self, (state, level): Copy) -> bool {
        level == self.order.len() && self.sccs.is_accepting(state)
    }

    /// The copy in which a component is entered from outside.
    fn entry(&self, state: usize) -> Copy {
        if self.sccs.is_accepting(state) { (state, self.advance(0, self.shared[state])) } else { (state, 0) }
    }

    fn level_after(&self, (from, level): Copy, arrow: &Arrow) -> usize {
        let level = if level < self.order.len() {
            self.advance(level, arrow.marks)
        } else if self.reuse == Reuse::Again {
            self.advance(0, arrow.marks)
        } else {
            self.advance(0, arrow.marks & !self.shared[from])
        };
        self.advance(level, self.shared[arrow.to])
    }

    fn advance(&self, level: usize, marks: u64) -> usize {
        level + self.order[level..].iter().take_while(|&&mark| marks >> mark & 1 == 1).count()
    }

    fn number(&mut self, copy: Copy) -> usize {
        if let Some(&number) = self.numbers.get(&copy) {
            return number;
        }
        self.copies.push(copy);
        self.arrows.push(Vec::new());
        self.numbers.insert(copy, self.copies.len() - 1);
        self.copies.len() - 1
    }

    /// Leads edges from outside into the chosen closed part of each component's copies.
    fn finish(mut self) -> Graph {
        let chosen = self.chosen_copies();
        let mut initial = 0;
        for (at, &(from, _)) in self.copies.iter().enumerate() {
            for arrow in &mut self.arrows[at] {
                let to = self.copies[arrow.to].0;
                if !self.sccs.joins(from, to) {
                    arrow.to = chosen[to].unwrap_or(arrow.to);
                }
            }
        }
        if let Some(start) = chosen[self.graph.initial] {
            initial = start;
        }
        let mut result = Graph { arrows: self.arrows, initial, mark_count: 1 };
        result.trim();
        result
    }

    /// For each state of a component with accepting cycles, its copy in the smallest closed part.
    fn chosen_copies(&self) -> Vec<Option<usize>> {
        let successors: Vec<Vec<usize>> =
            self.arrows.iter().map(|arrows| arrows.iter().map(|arrow| arrow.to).collect()).collect();
        let parts = components(&successors);
        let mut size = vec![0; parts.count];
        let mut closed = vec![true; parts.count];
        for (at, &(from, _)) in self.copies.iter().enumerate() {
            size[parts.of[at]] += 1;
            let leaves = |&&to: &&usize| self.sccs.joins(from, self.copies[to].0) && parts.of[to] != parts.of[at];
            closed[parts.of[at]] &= !successors[at].iter().any(|to| leaves(&to));
        }
        let mut best: Vec<Option<usize>> = vec![None; self.sccs.found.count];
        for (at, &(state, _)) in self.copies.iter().enumerate() {
            let (part, place) = (parts.of[at], &mut best[self.sccs.found.of[state]]);
            if closed[part] && self.sccs.is_accepting(state) && place.is_none_or(|known| size[part] < size[known]) {
                *place = Some(part);
            }
        }
        let mut chosen = vec![None; self.graph.len()];
        for (at, &(state, _)) in self.copies.iter().enumerate() {
            if best[self.sccs.found.of[state]] == Some(parts.of[at]) && chosen[state].is_none() {
                chosen[state] = Some(at);
            }
        }
        chosen
    }
}
