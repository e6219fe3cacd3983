//! The latest time at which the moment comes, for each part of the graph of the states in which it has not.
//!
//! # Proof
//!
//! Let `latest(s)` be the supremum, over all ways from `s` to the moment, of the slices that pass on them; *never* if there is
//! no way. Two states of a strongly connected component reach each other, so it is *never* for all of them or for none.
//!
//! 1. If a component has an edge inside on which time passes, and a way to the moment, the cycle through this edge can be taken
//!    as often as one likes before: there is no bound.
//! 2. Otherwise no time passes on edges inside, so all of its states have the same value. Each way to the moment leaves the
//!    component by a last edge `s -> t`; it takes the slices of this edge and what comes behind, at most `latest(t)`. And
//!    each such edge can be taken first. So the value is the maximum over the leaving edges of their slices plus the value of where
//!    they lead, the moment itself being worth zero, and edges to where it never comes being left out. It is reached by some way,
//!    unless there is no bound: there are finitely many edges.
//!
//! Components are complete behind those that they lead to, so each edge is looked at once.

use super::graph::{Edge, Graph, MOMENT};
use crate::parts::components::each_component;
use crate::parts::ledger::Flow;
use std::cell::RefCell;
use std::ops::ControlFlow;

/// The supremum of the slices on the ways to the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Latest {
    /// There is no way.
    Never,
    /// As many, and some way has them.
    At(u64),
    /// There is a way with more than any number.
    NoBound,
}

impl Latest {
    /// With so many slices before.
    fn after(self, slices: u32) -> Latest {
        match self {
            Latest::At(time) => Latest::At(time + u64::from(slices)),
            other => other,
        }
    }
}

/// A strongly connected component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The value of each of its states.
    pub latest: Latest,
    /// Whether it has a cycle.
    pub cyclic: bool,
    /// Whether time passes on one of its edges.
    pub ticks: bool,
}

/// The components of a graph.
#[derive(Debug, Default)]
pub struct Parts {
    of: Vec<u32>,
    all: Vec<Part>,
}

impl Parts {
    /// The components over the edges that are kept; `beat` says whether to go on.
    pub fn new(graph: &Graph, keep: &dyn Fn(&Edge) -> bool, beat: &mut dyn FnMut() -> Flow) -> Flow<Parts> {
        let mut parts = Parts { of: vec![u32::MAX; graph.len()], all: Vec::new() };
        // The loops below cannot be left; without successors they are soon over.
        let (flow, beat) = (RefCell::new(Flow::Continue(())), RefCell::new(beat));
        let go_on = || {
            let mut flow = flow.borrow_mut();
            if flow.is_continue() {
                *flow = beat.borrow_mut()();
            }
            flow.is_continue()
        };
        let successor = |node: u32, next: usize| {
            let edge = graph.edges(node).get(next)?;
            // An edge that is left out leads back to its own node, which changes no component.
            let to = if edge.to == MOMENT || !keep(edge) { node } else { edge.to };
            go_on().then_some(to)
        };
        each_component(graph.len(), successor, |members| {
            let number = parts.all.len() as u32;
            members.iter().for_each(|&node| parts.of[node as usize] = number);
            let mut part = Part { latest: Latest::Never, cyclic: false, ticks: false };
            for edge in members.iter().flat_map(|&node| graph.edges(node)).filter(|e| keep(e)) {
                if edge.to == MOMENT {
                    part.latest = part.latest.max(Latest::At(u64::from(edge.slices)));
                } else if parts.of[edge.to as usize] == number {
                    (part.cyclic, part.ticks) = (true, part.ticks || edge.slices > 0);
                } else if let Some(below) = parts.all.get(parts.of[edge.to as usize] as usize) {
                    part.latest = part.latest.max(below.latest.after(edge.slices));
                }
            }
            if part.ticks && part.latest != Latest::Never {
                part.latest = Latest::NoBound;
            }
            parts.all.push(part);
        });
        match flow.into_inner() {
            ControlFlow::Continue(()) => Flow::Continue(parts),
            ControlFlow::Break(why) => Flow::Break(why),
        }
    }

    /// The component of a node.
    pub fn part(&self, node: u32) -> Part {
        self.all[self.of[node as usize] as usize]
    }

    /// Whether an edge out of a node stays in its component.
    pub fn inside(&self, node: u32, edge: &Edge) -> bool {
        edge.to != MOMENT && self.of[edge.to as usize] == self.of[node as usize]
    }

    /// Whether an edge out of a node lies on a way that takes the longest time to the moment.
    pub fn tight(&self, node: u32, edge: &Edge) -> bool {
        let behind = if edge.to == MOMENT { Latest::At(0) } else { self.part(edge.to).latest };
        let own = self.part(node).latest;
        matches!(own, Latest::At(_)) && own == behind.after(edge.slices)
    }
}
