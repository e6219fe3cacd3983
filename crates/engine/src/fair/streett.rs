//! Strong fairness: looks inside a strongly connected component for a part of it that is fair to all.
//!
//! The decomposition of Emerson and Lei (1987) for Streett conditions: a component in which some process can move and
//! never does is fair only without the ways on which it could, so these are taken away and the components of what is
//! left are looked at. Each round takes away at least one process, so there is an end.

use super::{Marks, PidSet};
use crate::parts::components::components;
use starwheel_store::StateId;
use std::collections::HashMap;

/// The ways between stored states that a depth-first search has walked and not forgotten yet.
#[derive(Debug, Default)]
pub struct Edges {
    /// The stored states on the stack.
    path: Vec<StateId>,
    /// In the order of their arrival, so those that begin in a component are the last ones when it is complete.
    list: Vec<Edge>,
    kinds: Vec<Marks>,
    /// Where in `kinds`.
    index: HashMap<Marks, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: StateId,
    to: StateId,
    kind: u32,
}

/// A strongly connected part of the graph that is fair to all.
#[derive(Debug, PartialEq, Eq)]
pub struct Region {
    /// Its states, in order.
    pub states: Vec<StateId>,
    /// No way on which one of these could move belongs to it.
    pub barred: PidSet,
    /// These can move, and move.
    pub needed: PidSet,
}

impl Region {
    /// True if a way to this state belongs to it.
    pub fn has(&self, to: StateId, marks: Marks) -> bool {
        self.states.binary_search(&to).is_ok() && marks.able.and(self.barred).is_empty()
    }
}

/// A part of the graph that is still to be looked at.
struct Part {
    /// In order.
    states: Vec<StateId>,
    edges: Vec<Edge>,
    barred: PidSet,
}

impl Edges {
    /// The search has come to a state.
    pub fn arrive(&mut self, to: StateId, marks: Marks) {
        let Some(&from) = self.path.last() else { return };
        let kind = *self.index.entry(marks).or_insert_with(|| {
            self.kinds.push(marks);
            self.kinds.len() as u32 - 1
        });
        self.list.push(Edge { from, to, kind });
    }

    /// The search enters a state.
    pub fn enter(&mut self, id: StateId) {
        self.path.push(id);
    }

    /// The search leaves a state.
    pub fn leave(&mut self) {
        self.path.pop();
    }

    /// Forgets the ways that begin in this state or later ones.
    pub fn forget(&mut self, root: StateId) {
        self.list.truncate(self.start(root));
    }

    fn start(&self, root: StateId) -> usize {
        self.list.partition_point(|edge| edge.from < root)
    }

    /// A fair part with an accepting state among the states from `root` on, which are `members`, in order.
    pub fn region(&self, root: StateId, members: &[StateId], accepts: &dyn Fn(StateId) -> bool) -> Option<Region> {
        let edges = self.list[self.start(root)..].to_vec();
        let mut parts = vec![Part { states: members.to_vec(), edges, barred: PidSet::EMPTY }];
        while let Some(part) = parts.pop() {
            for inner in split(&part) {
                let (moved, able) = self.marks(&inner.edges);
                let forgotten = able.without(moved);
                if inner.edges.is_empty() || !inner.states.iter().any(|&id| accepts(id)) {
                    continue;
                }
                if forgotten.is_empty() {
                    return Some(Region { states: inner.states, barred: inner.barred, needed: able });
                }
                parts.push(self.bar(inner, forgotten));
            }
        }
        None
    }

    /// Who moves on one of these ways, and who could.
    fn marks(&self, edges: &[Edge]) -> (PidSet, PidSet) {
        let kinds = edges.iter().map(|edge| self.kinds[edge.kind as usize]);
        kinds.fold((PidSet::EMPTY, PidSet::EMPTY), |(moved, able), m| (moved.or(m.moved), able.or(m.able)))
    }

    /// Takes the ways away on which these could move.
    fn bar(&self, mut part: Part, forgotten: PidSet) -> Part {
        part.edges.retain(|edge| self.kinds[edge.kind as usize].able.and(forgotten).is_empty());
        Part { barred: part.barred.or(forgotten), ..part }
    }
}

/// The components of a part, with the ways inside them.
fn split(part: &Part) -> Vec<Part> {
    let number = |id: StateId| part.states.binary_search(&id).ok();
    let mut successors = vec![Vec::new(); part.states.len()];
    for edge in &part.edges {
        if let (Some(from), Some(to)) = (number(edge.from), number(edge.to)) {
            successors[from].push(to as u32);
        }
    }
    let mut of = vec![0; part.states.len()];
    let mut out = Vec::new();
    for mut members in components(successors.len(), |node, next| successors[node as usize].get(next).copied()) {
        members.sort_unstable();
        members.iter().for_each(|&m| of[m as usize] = out.len());
        let states = members.iter().map(|&m| part.states[m as usize]).collect();
        out.push(Part { states, edges: Vec::new(), barred: part.barred });
    }
    for &edge in &part.edges {
        if let (Some(from), Some(to)) = (number(edge.from), number(edge.to))
            && of[from] == of[to]
        {
            out[of[from]].edges.push(edge);
        }
    }
    out
}
