//! Looks for the shortest lasso in a graph that lies in memory.

use super::graph::{Edge, FAR, Node, Ways};
use crate::parts::components::components;

/// The stored states along a lasso.
pub struct Shape {
    /// Those before the cycle, from the initial state to the cycle's first.
    pub before: Vec<u32>,
    /// Those of the cycle, which ends where it begins; a single one if the system stays there.
    pub cycle: Vec<u32>,
}

/// The lassos that are shorter than `bound`, each one shorter than the one before; the last one is the shortest, unless
/// more than `effort` edges would have to be looked at.
pub fn hunt(nodes: &[Node], stutter: bool, bound: u32, effort: u64) -> Vec<(u32, Shape)> {
    let mut hunt = Hunt {
        nodes,
        back: turned(nodes),
        component: component(nodes),
        from: Ways::new(nodes.len()),
        to: Ways::new(nodes.len()),
        best: bound,
        found: Vec::new(),
    };
    let near = |n: &u32| nodes[*n as usize].accepting && nodes[*n as usize].distance < FAR;
    let mut accepting: Vec<u32> = (0..nodes.len() as u32).filter(near).collect();
    accepting.sort_by_key(|n| nodes[*n as usize].distance);
    for a in accepting {
        // A lasso is at least as long as the way to its accepting state.
        if nodes[a as usize].distance >= hunt.best || hunt.from.work + hunt.to.work > effort {
            break;
        }
        if stutter && nodes[a as usize].end {
            hunt.note(nodes[a as usize].distance, a, vec![a]);
        } else {
            hunt.rounds(a);
        }
    }
    hunt.shapes()
}

/// By state: the number of its strongly connected component.
fn component(nodes: &[Node]) -> Vec<u32> {
    let mut of = vec![0; nodes.len()];
    let all = components(nodes.len(), |node, next| nodes[node as usize].edges.get(next).map(|edge| edge.to));
    for (number, members) in all.iter().enumerate() {
        members.iter().for_each(|&member| of[member as usize] = number as u32);
    }
    of
}

/// All edges, from their ends.
fn turned(nodes: &[Node]) -> Vec<Vec<Edge>> {
    let mut out = vec![Vec::new(); nodes.len()];
    for (from, node) in nodes.iter().enumerate() {
        for edge in &node.edges {
            out[edge.to as usize].push(Edge { to: from as u32, length: edge.length });
        }
    }
    out
}

struct Hunt<'a> {
    nodes: &'a [Node],
    back: Vec<Vec<Edge>>,
    component: Vec<u32>,
    /// From the accepting state at hand.
    from: Ways,
    /// To it.
    to: Ways,
    best: u32,
    /// Length, first state of the cycle, states of the cycle.
    found: Vec<(u32, u32, Vec<u32>)>,
}

impl Hunt<'_> {
    /// Looks for cycles through an accepting state.
    fn rounds(&mut self, a: u32) {
        let reached = self.nodes[a as usize].distance;
        let Hunt { nodes, component, back, from, to, best, .. } = self;
        let inside = |e: &&Edge| component[e.to as usize] == component[a as usize];
        from.spread(a, *best - reached, |n, visit| {
            nodes[n as usize].edges.iter().filter(inside).for_each(|e| visit(e.to, e.length))
        });
        if from.reached().len() > 1 {
            to.spread(a, *best, |n, visit| back[n as usize].iter().filter(inside).for_each(|e| visit(e.to, e.length)));
        }
        if let Some((length, last)) = self.closing(a)
            && let Some(total) = reached.checked_add(length).filter(|total| *total < self.best)
        {
            let mut cycle = self.from.way(last);
            cycle.push(a);
            self.note(total, a, cycle);
        }
        self.entries(a);
    }

    /// The length of the shortest way of at least one step from a state back to it, and the state before its end.
    fn closing(&self, a: u32) -> Option<(u32, u32)> {
        let from = &self.from;
        let closing = |edge: &Edge| (from.length(edge.to).saturating_add(edge.length), edge.to);
        self.back[a as usize].iter().map(closing).filter(|c| c.0 < FAR).min()
    }

    /// Looks for a better state to enter a cycle through an accepting state.
    fn entries(&mut self, a: u32) {
        let total = |e: u32| {
            let lengths = [self.nodes[e as usize].distance, self.to.length(e), self.from.length(e)];
            lengths.into_iter().fold(0, u32::saturating_add)
        };
        let others = self.from.reached().iter().filter(|&&e| e != a);
        let Some((best, e)) = others.map(|&e| (total(e), e)).min() else { return };
        if best < self.best {
            let mut cycle = self.to.way(e);
            cycle.reverse();
            cycle.extend(&self.from.way(e)[1..]);
            self.note(best, e, cycle);
        }
    }

    fn note(&mut self, length: u32, entry: u32, cycle: Vec<u32>) {
        self.best = length;
        self.found.push((length, entry, cycle));
    }

    fn shapes(mut self) -> Vec<(u32, Shape)> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let nodes = self.nodes;
        self.from.spread(0, FAR, |n, visit| nodes[n as usize].edges.iter().for_each(|e| visit(e.to, e.length)));
        let ways = &self.from;
        let shape = |(length, entry, cycle)| (length, Shape { before: ways.way(entry), cycle });
        self.found.into_iter().map(shape).collect()
    }
}
