//! Makes automata smaller with simulation relations.
//!
//! Direct simulation and its reverse, with the removal of edges that better ones cover: K. Etessami and G. Holzmann,
//! "Optimizing Büchi automata" (CONCUR 2000); F. Somenzi and R. Bloem (CAV 2000). We compare pairs of states; labels are
//! functions, so an edge may be matched by several edges together.
//!
//! [`reduce_across`] uses a coarser relation, in which marks count only where they can matter. It says something about
//! languages only, so states are replaced and edges removed just where a run can use the change but once.

use super::graph::{Arrow, Graph};
use super::marks::{saturate, strip};
use crate::bdd::Bdd;

/// Which states are simulated by which.
struct Relation {
    count: usize,
    pairs: Vec<bool>,
}

impl Relation {
    /// True if `b` can do all that `a` can.
    fn holds(&self, a: usize, b: usize) -> bool {
        self.pairs[a * self.count + b]
    }

    fn mutual(&self, a: usize, b: usize) -> bool {
        self.holds(a, b) && self.holds(b, a)
    }

    /// True if `other` can stand for `edge`, which starts at the same state.
    fn covers(&self, edge: &Arrow, other: &Arrow) -> bool {
        edge.marks & !other.marks == 0 && self.holds(edge.to, other.to)
    }
}

/// Joins states that simulate each other and removes edges that better ones cover.
pub(crate) fn reduce_forward(bdd: &mut Bdd, graph: &mut Graph) {
    let relation = simulation(bdd, graph, graph, |_, _| true);
    join_and_prune(bdd, graph, &relation);
    graph.trim();
}

/// Whether states may be joined although their edges carry different marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// They may: marks belong to edges.
    EdgeMarks,
    /// They may not: all edges of a state carry the same marks, and it must stay so.
    StateMarks,
}

/// The same as [`reduce_forward`] against the direction of edges.
pub(crate) fn reduce_backward(bdd: &mut Bdd, graph: &mut Graph, keep: Keep) {
    let own = |state: usize| graph.arrows[state].first().map_or(0, |arrow| arrow.marks);
    let fits = |a: usize, b: usize| keep == Keep::EdgeMarks || own(a) & !own(b) == 0;
    let mut turned = graph.reversed();
    let initial = graph.initial;
    let relation = simulation(bdd, &turned, &turned, |a, b| (a != initial || b == initial) && fits(a, b));
    join_and_prune(bdd, &mut turned, &relation);
    *graph = turned.reversed();
    graph.trim();
}

/// The largest relation within `start` such that every edge of `lower` from the one is matched, letter by letter, by edges
/// of `upper` from the other with at least the same marks. Both graphs have the same shape.
fn simulation(bdd: &mut Bdd, lower: &Graph, upper: &Graph, start: impl Fn(usize, usize) -> bool) -> Relation {
    let count = lower.len();
    let pairs = (0..count * count).map(|pair| start(pair / count, pair % count)).collect();
    let mut relation = Relation { count, pairs };
    let (mut changed, mut downwards) = (true, true);
    while changed {
        changed = false;
        // News travel along edges; going through the states to and fro lets them travel far in one pass.
        downwards = !downwards;
        for place in 0..count {
            // What is found now will be thrown away.
            if bdd.is_full() {
                return relation;
            }
            let a = if downwards { count - 1 - place } else { place };
            for b in 0..count {
                if a != b && relation.holds(a, b) && !matched(bdd, &relation, &lower.arrows[a], &upper.arrows[b]) {
                    relation.pairs[a * count + b] = false;
                    changed = true;
                }
            }
        }
    }
    relation
}

fn matched(bdd: &mut Bdd, relation: &Relation, edges: &[Arrow], others: &[Arrow]) -> bool {
    edges.iter().all(|edge| {
        let fitting = others.iter().filter(|other| relation.covers(edge, other));
        let cover = fitting.fold(Bdd::FALSE, |sum, other| bdd.or(sum, other.label));
        bdd.implies(edge.label, cover)
    })
}

/// Leaves one state of each group of states that simulate each other. Its own edges are enough, for the best edges of the
/// others are the same. Then removes letters from edges that strictly better edges of the same state cover.
fn join_and_prune(bdd: &mut Bdd, graph: &mut Graph, relation: &Relation) {
    let first = |state: usize| (0..=state).find(|&other| relation.mutual(state, other)).unwrap_or(state);
    let leader: Vec<usize> = (0..graph.len()).map(first).collect();
    for (state, arrows) in graph.arrows.iter_mut().enumerate() {
        if leader[state] != state {
            arrows.clear();
        }
        for arrow in arrows {
            arrow.to = leader[arrow.to];
        }
    }
    graph.initial = leader[graph.initial];
    graph.join_parallel(bdd);
    for arrows in &mut graph.arrows {
        let before = arrows.clone();
        for edge in arrows.iter_mut() {
            let old = *edge;
            for other in before.iter().filter(|other| relation.covers(&old, other) && !relation.covers(other, &old)) {
                edge.label = bdd.minus(edge.label, other.label);
            }
        }
        arrows.retain(|edge| edge.label != Bdd::FALSE);
    }
}

/// Replaces states and removes edges with the coarse relation.
pub(crate) fn reduce_across(bdd: &mut Bdd, graph: &mut Graph) {
    let (mut lower, mut upper) = (graph.clone(), graph.clone());
    strip(&mut lower);
    saturate(&mut upper);
    let relation = simulation(bdd, &lower, &upper, |_, _| true);
    merge_across(bdd, graph, &relation);
    prune_across(bdd, graph, &relation);
    graph.join_parallel(bdd);
    graph.trim();
}

/// Lets edges that lead to a state lead to another one with the same language, if no run comes back from there.
fn merge_across(bdd: &Bdd, graph: &mut Graph, relation: &Relation) {
    let mut reach = graph.reach();
    for state in 0..graph.len() {
        if bdd.is_full() {
            return;
        }
        let fits = |other: usize| other != state && relation.mutual(state, other) && !reach[other][state];
        if graph.arrows[state].is_empty() {
            continue;
        }
        let Some(other) = (0..graph.len()).find(|&other| fits(other) && !graph.arrows[other].is_empty()) else {
            continue;
        };
        for arrow in graph.arrows.iter_mut().flatten() {
            if arrow.to == state {
                arrow.to = other;
            }
        }
        if graph.initial == state {
            graph.initial = other;
        }
        graph.arrows[state].clear();
        reach = graph.reach();
    }
}

/// Removes letters from an edge if another edge of the same state leads to a state that accepts at least as much and from
/// which no run comes back.
fn prune_across(bdd: &mut Bdd, graph: &mut Graph, relation: &Relation) {
    let reach = graph.reach();
    for (state, arrows) in graph.arrows.iter_mut().enumerate() {
        for place in 0..arrows.len() {
            for other in 0..arrows.len() {
                let (edge, better) = (arrows[place], arrows[other]);
                if place != other && relation.holds(edge.to, better.to) && !reach[better.to][state] {
                    arrows[place].label = bdd.minus(edge.label, better.label);
                }
            }
        }
        arrows.retain(|edge| edge.label != Bdd::FALSE);
    }
}
