//! From formulas to small Büchi automata: tableau, reduction, accepting states, reduction again.

mod alternatives;
pub(crate) mod degeneralise;
pub(crate) mod graph;
pub(crate) mod marks;
mod merge;
mod recurring;
pub(crate) mod simulate;
mod tableau;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::automaton::{Buchi, StateId, Tgba};
use crate::bdd::Bdd;
use crate::ltl::Formula;
use crate::ltl::pool::{Id, Pool};
use crate::words::{Letter, Prop};
use degeneralise::{Reuse, degeneralise};
use graph::{Graph, label};
use marks::{renumber, saturate};
use merge::merge_checked;
use simulate::{Keep, reduce_across, reduce_backward, reduce_forward};
use starwheel_base::cancel::Token;
use tableau::{Style, Tableau};

/// The automaton of a formula would be too large to be of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the automaton of this formula is too large; split the formula into several properties")
    }
}

impl std::error::Error for TooLarge {}

/// States of a tableau.
const STATES: usize = 5000;
/// Nodes of decision diagrams.
const NODES: usize = 1 << 20;
/// Pairs of edges that are compared in all reductions of one automaton together.
const EFFORT: usize = 4_000_000;
/// States of automata with more states are not joined with the help of the negation.
const MERGED: usize = 40;
/// Automata with more marks are not tried in all orders of marks.
const ALL_ORDERS: u32 = 3;

/// A small Büchi automaton that accepts the words on which the formula holds.
pub fn translate(formula: &Formula) -> Result<Buchi, TooLarge> {
    translate_within(formula, &Token::NEVER)
}

/// As [`translate`]; too large, too, if the token says stop.
pub fn translate_within(formula: &Formula, token: &Token) -> Result<Buchi, TooLarge> {
    let recurring = recurring::translate_recurring(formula, token);
    let automaton = recurring.map_or_else(|| whole(formula, token), Ok);
    let automaton = automaton.or_else(|TooLarge| alternatives::translate_apart(formula, token));
    // Whoever was stopped may have left something half done.
    if token.stopped() { Err(TooLarge) } else { automaton }
}

fn whole(formula: &Formula, token: &Token) -> Result<Buchi, TooLarge> {
    let (mut work, graph) = Workshop::best(formula, token, Workshop::state_based)?;
    work.bdd.lift_limit();
    work.export_buchi(&graph)
}

/// A small generalised Büchi automaton that accepts the words on which the formula holds.
pub fn translate_generalised(formula: &Formula) -> Result<Tgba, TooLarge> {
    translate_generalised_within(formula, &Token::NEVER)
}

/// As [`translate_generalised`]; too large, too, if the token says stop.
pub fn translate_generalised_within(formula: &Formula, token: &Token) -> Result<Tgba, TooLarge> {
    let (mut work, graph) = Workshop::best(formula, token, Workshop::edge_based)?;
    work.bdd.lift_limit();
    let automaton = graph.export(&mut work.bdd, &work.props);
    if token.stopped() { Err(TooLarge) } else { automaton }
}

/// A Büchi automaton with accepting states that accepts the same words, made small.
pub fn to_buchi(automaton: &Tgba) -> Result<Buchi, TooLarge> {
    to_buchi_within(automaton, &Token::NEVER)
}

/// As [`to_buchi`]; too large, too, if the token says stop.
pub fn to_buchi_within(automaton: &Tgba, token: &Token) -> Result<Buchi, TooLarge> {
    let (mut work, graph) = Workshop::import(automaton, token)?;
    let graph = work.state_based(graph);
    work.bdd.lift_limit();
    let automaton = work.export_buchi(&graph);
    if token.stopped() { Err(TooLarge) } else { automaton }
}

/// A generalised Büchi automaton that accepts the same words, made small.
pub fn reduced(automaton: &Tgba) -> Result<Tgba, TooLarge> {
    let (mut work, graph) = Workshop::import(automaton, &Token::NEVER)?;
    let graph = work.with_edge_marks(&graph);
    work.bdd.lift_limit();
    graph.export(&mut work.bdd, &work.props)
}

struct Workshop {
    bdd: Bdd,
    props: Vec<Prop>,
    /// The automaton of the negated formula, if it is not too large.
    negation: Option<Graph>,
    /// How many pairs of edges may still be compared.
    effort: usize,
}

impl Workshop {
    /// Builds the automaton in every style and keeps the smallest one, after `finish`.
    fn best(
        formula: &Formula,
        token: &Token,
        finish: impl Fn(&mut Workshop, Graph) -> Graph,
    ) -> Result<(Workshop, Graph), TooLarge> {
        // Labels cannot speak of propositions beyond the limit; to leave them out would be wrong.
        if formula.props().iter().any(|prop| prop.0 >= Prop::LIMIT) {
            return Err(TooLarge);
        }
        let mut best: Option<(Workshop, Graph)> = None;
        for style in [Style::Choose, Style::PutOff] {
            let (mut pool, bdd) = (Pool::new(token.watch()), Bdd::new(NODES, token.watch()));
            let id = pool.insert(formula);
            let props = formula.props().into_iter().collect();
            let mut work = Workshop { bdd, props, negation: None, effort: EFFORT };
            let Ok(graph) = work.build(&mut pool, id, style) else { continue };
            let not_id = pool.negate(id);
            if graph.len() <= MERGED {
                work.negation = work.build(&mut pool, not_id, Style::Choose).ok();
            }
            let graph = work.merge(graph, Keep::EdgeMarks);
            let graph = finish(&mut work, graph);
            if best.as_ref().is_none_or(|(_, known)| cost(&graph) < cost(known)) {
                best = Some((work, graph));
            }
        }
        best.ok_or(TooLarge)
    }

    fn import(automaton: &Tgba, token: &Token) -> Result<(Workshop, Graph), TooLarge> {
        let cubes = automaton.edges().flat_map(|edge| edge.label.cubes());
        let used = cubes.fold(Letter::default(), |used, cube| Letter(used.0 | cube.holds.0 | cube.fails.0));
        let props: Vec<Prop> = (0..Prop::LIMIT).map(Prop).filter(|&prop| used.has(prop)).collect();
        let mut work = Workshop { bdd: Bdd::new(NODES, token.watch()), props, negation: None, effort: EFFORT };
        let mut graph = Graph::import(automaton, &mut work.bdd, &work.props);
        if work.bdd.is_full() {
            return Err(TooLarge);
        }
        graph.trim();
        Ok((work, graph))
    }

    fn build(&mut self, pool: &mut Pool, id: Id, style: Style) -> Result<Graph, TooLarge> {
        let mut graph = Tableau::new(pool, &mut self.bdd, &self.props).build(id, style, STATES)?;
        self.reduce(&mut graph, Keep::EdgeMarks);
        Ok(graph)
    }

    /// Joins states with the help of the negation.
    fn merge(&mut self, graph: Graph, keep: Keep) -> Graph {
        let Some(negation) = self.negation.take() else { return graph };
        let (mut merged, mut effort) = (graph.clone(), self.effort / 8);
        self.effort -= effort;
        self.step(&mut merged, |bdd, merged| merge_checked(bdd, merged, &negation, keep, &mut effort));
        self.effort += effort;
        self.negation = Some(negation);
        self.reduce(&mut merged, keep);
        if cost(&merged) < cost(&graph) { merged } else { graph }
    }

    fn reduce(&mut self, graph: &mut Graph, keep: Keep) {
        graph.trim();
        self.step(graph, |bdd, graph| graph.join_parallel(bdd));
        let mut before = None;
        while before != Some(cost(graph)) && !self.bdd.is_full() {
            before = Some(cost(graph));
            normalise(graph, keep);
            self.step(graph, reduce_forward);
            self.step(graph, |bdd, graph| reduce_backward(bdd, graph, keep));
            complete(graph, keep);
            self.step(graph, reduce_forward);
            self.step(graph, |bdd, graph| reduce_backward(bdd, graph, keep));
            self.step(graph, reduce_across);
        }
        normalise(graph, keep);
    }

    /// Improves a graph, if that is not too much work; the old one stays if the store becomes full.
    fn step(&mut self, graph: &mut Graph, improve: impl FnOnce(&mut Bdd, &mut Graph)) {
        let effort = graph.arrow_count().pow(2);
        if effort > self.effort || self.bdd.is_full() {
            return;
        }
        self.effort -= effort;
        let saved = graph.clone();
        improve(&mut self.bdd, graph);
        if self.bdd.is_full() {
            *graph = saved;
        }
    }

    /// The smallest automaton with accepting states; as long as it becomes smaller it is taken as one with marks again.
    fn state_based(&mut self, graph: Graph) -> Graph {
        let mut best = self.with_accepting_states(&graph);
        loop {
            let graph = self.with_edge_marks(&best);
            let next = self.with_accepting_states(&graph);
            if cost(&next) >= cost(&best) {
                return best;
            }
            best = next;
        }
    }

    /// The smaller one of the automaton and what becomes of it by way of accepting states.
    fn edge_based(&mut self, graph: Graph) -> Graph {
        let plain = self.state_based(graph.clone());
        let other = self.with_edge_marks(&plain);
        if cost(&other) < cost(&graph) { other } else { graph }
    }

    /// The smallest automaton with accepting states over several orders of marks.
    fn with_accepting_states(&mut self, graph: &Graph) -> Graph {
        let mut best: Option<Graph> = None;
        for order in orders(graph.mark_count) {
            for reuse in [Reuse::Once, Reuse::Again] {
                if self.bdd.is_full() && best.is_some() {
                    break;
                }
                let mut plain = degeneralise(graph, &order, reuse);
                self.reduce(&mut plain, Keep::StateMarks);
                let plain = self.merge(plain, Keep::StateMarks);
                if best.as_ref().is_none_or(|known| cost(&plain) < cost(known)) {
                    best = Some(plain);
                }
            }
        }
        best.unwrap_or_else(|| graph.clone())
    }

    fn with_edge_marks(&mut self, graph: &Graph) -> Graph {
        let mut graph = graph.clone();
        self.reduce(&mut graph, Keep::EdgeMarks);
        self.merge(graph, Keep::EdgeMarks)
    }

    fn export_buchi(&mut self, graph: &Graph) -> Result<Buchi, TooLarge> {
        let accepting = |arrows: &Vec<graph::Arrow>| arrows.first().is_some_and(|arrow| arrow.marks == 1);
        let flags = graph.arrows.iter().map(accepting).collect();
        let mut automaton = Buchi::new(flags, StateId::new(graph.initial));
        for (from, arrows) in graph.arrows.iter().enumerate() {
            for arrow in arrows {
                let label = label(&mut self.bdd, arrow.label, &self.props)?;
                automaton.add_edge(StateId::new(from), label, StateId::new(arrow.to));
            }
        }
        Ok(automaton)
    }
}

/// What makes an automaton better than another one.
fn cost(graph: &Graph) -> (usize, usize, u32) {
    (graph.len(), graph.arrow_count(), graph.mark_count)
}

/// As few marks as possible, but all that are possible on accepting cycles.
fn normalise(graph: &mut Graph, keep: Keep) {
    match keep {
        Keep::EdgeMarks => renumber(graph),
        Keep::StateMarks => {
            marks::saturate_states(graph);
            marks::strip_states(graph);
        }
    }
}

/// All marks that are possible.
fn complete(graph: &mut Graph, keep: Keep) {
    match keep {
        Keep::EdgeMarks => saturate(graph),
        Keep::StateMarks => marks::saturate_states(graph),
    }
}

/// The orders in which marks are to be met: all, or the rotations of the first if there are too many.
fn orders(count: u32) -> Vec<Vec<u32>> {
    if count > ALL_ORDERS {
        return (0..count).map(|shift| (0..count).map(|mark| (mark + shift) % count).collect()).collect();
    }
    let mut orders = vec![Vec::new()];
    for mark in 0..count {
        let insert = |order: &Vec<u32>, place: usize| [&order[..place], &[mark], &order[place..]].concat();
        orders = orders.iter().flat_map(|order| (0..=order.len()).map(move |place| insert(order, place))).collect();
    }
    orders
}
