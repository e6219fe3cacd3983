//! Strong fairness: looks inside a strongly connected component for a part of it that is fair to all.
//!
//! The decomposition of Emerson and Lei (1987) for Streett conditions: a component in which some process can move and
//! never does is fair only without the ways on which it could, so these are taken away and the components of what is
//! left are looked at. Each round takes away at least one process, so there is an end.

use super::{Marks, PidSet};
use crate::parts::components::components;
use starwheel_store::StateId;
use std::collections::HashMap;
use std::hash::Hash;

/// The ways between stored states that a depth-first search has walked and not forgotten yet.
#[derive(Debug)]
pub struct Edges<K = Marks> {
    /// The stored states on the stack.
    path: Vec<StateId>,
    /// In the order of their arrival, so those that begin in a component are the last ones when it is complete.
    pub(super) list: Vec<Edge>,
    pub(super) kinds: Vec<K>,
    /// Where in `kinds`.
    index: HashMap<K, u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: StateId,
    pub(super) to: StateId,
    pub(super) kind: u32,
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
pub(super) struct Part {
    /// In order.
    pub(super) states: Vec<StateId>,
    pub(super) edges: Vec<Edge>,
    pub(super) barred: PidSet,
}

impl<K> Default for Edges<K> {
    fn default() -> Edges<K> {
        Edges { path: Vec::new(), list: Vec::new(), kinds: Vec::new(), index: HashMap::new() }
    }
}

impl<K: Clone + Eq + Hash> Edges<K> {
    /// The search has come to a state.
    pub fn arrive(&mut self, to: StateId, how: K) {
        let Some(&from) = self.path.last() else { return };
        let kind = *self.index.entry(how).or_insert_with_key(|how| {
            self.kinds.push(how.clone());
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

    pub(super) fn start(&self, root: StateId) -> usize {
        self.list.partition_point(|edge| edge.from < root)
    }
}

impl Edges<Marks> {
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
pub(super) fn split(part: &Part) -> Vec<Part> {
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
