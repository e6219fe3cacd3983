//! The tree of shortest ways that a breadth-first search builds, and trails found again in it.
//!
//! Only the parent of a state is kept. The chain of steps between the two is found by walking from the parent once more,
//! in the same order, up to the first chain of the right length: it is the one that set the parent.

use crate::parts::walk::{Arrival, Led, Walk};
use starwheel_model::{Actor, Step, System};
use starwheel_store::{StateId, StateStore};

/// By state: how it was reached on the shortest way so far.
pub struct Tree {
    distance: Vec<u64>,
    /// How far a tick goes, besides being a step.
    slice: u64,
    /// The state before; the initial state is its own parent.
    parent: Vec<StateId>,
    /// The hidden bytes with which it was reached, `width` of them for each state.
    hidden: Vec<u8>,
    width: usize,
}

impl Tree {
    /// An empty tree for states with so many hidden bytes; a tick is that much longer than a step.
    pub fn new(width: usize, slice: u64) -> Tree {
        Tree { slice, distance: Vec::new(), parent: Vec::new(), hidden: Vec::new(), width }
    }

    /// Adds the next state.
    pub fn add(&mut self, parent: StateId, distance: u64, hidden: &[u8]) {
        self.distance.push(distance);
        self.parent.push(parent);
        self.hidden.extend_from_slice(hidden);
    }

    /// Notes a shorter way to a state that has not been expanded yet.
    pub fn shorten(&mut self, id: StateId, parent: StateId, distance: u64, hidden: &[u8]) {
        self.distance[id.index()] = distance;
        self.parent[id.index()] = parent;
        self.hidden[id.index() * self.width..][..self.width].copy_from_slice(hidden);
    }

    /// The length of the shortest way so far.
    pub fn distance(&self, id: StateId) -> u64 {
        self.distance[id.index()]
    }

    /// How far it is to where a step has led.
    pub fn far(&self, arrival: &Arrival) -> u64 {
        arrival.depth + if arrival.step.actor == Actor::Clock { self.slice } else { 0 }
    }

    /// The hidden bytes at the end of that way.
    pub fn hidden(&self, id: StateId) -> &[u8] {
        &self.hidden[id.index() * self.width..][..self.width]
    }

    /// The steps from the initial state to a state that was expanded; `None` if they cannot be found again.
    pub fn trail(&self, system: &dyn System, store: &impl StateStore, to: StateId) -> Option<Vec<Step>> {
        let mut states = vec![to];
        let mut id = to;
        while self.parent[id.index()] != id {
            id = self.parent[id.index()];
            states.push(id);
        }
        let mut walk = Walk::new(system, 0);
        let mut trail = Vec::new();
        for pair in states.windows(2).rev() {
            trail.extend(self.hop(&mut walk, store, pair[1], pair[0])?);
        }
        Some(trail)
    }

    /// The chain of steps from a state to its child.
    fn hop(&self, walk: &mut Walk<'_>, store: &impl StateStore, from: StateId, to: StateId) -> Option<Vec<Step>> {
        let distance = self.distance(to);
        walk.limit = distance;
        walk.begin(from, self.hidden(from), store, self.distance(from));
        let mut end = Vec::new();
        store.read(to, &mut end);
        while let Some(arrival) = walk.advance(store) {
            if arrival.led == Led::Stored && self.far(&arrival) == distance && walk.visible() == end {
                return Some(walk.trail());
            }
        }
        None
    }
}
