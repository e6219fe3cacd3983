//! The tree of shortest ways that a breadth-first search builds, and trails found again in it.
//!
//! Only the parent of a state is kept. The chain of steps between the two is found by walking from the parent once more,
//! in the same order, up to the first chain of the right length: it is the one that set the parent.

use super::SLICE;
use super::switches::{NOBODY, after, last};
use crate::parts::walk::{Arrival, Led, Walk};
use starwheel_model::{Actor, Step, System};
use starwheel_store::{StateId, StateStore};

/// What is further than all the steps that come without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Nothing: only steps count.
    Nothing,
    /// A slice of time.
    Ticks,
    /// A step of another process than the one that moved last.
    Switches,
}

/// By state: how it was reached on the shortest way so far.
pub struct Tree {
    distance: Vec<u64>,
    weight: Weight,
    /// The state before; the initial state is its own parent.
    parent: Vec<StateId>,
    /// The hidden bytes with which it was reached, `width` of them for each state.
    hidden: Vec<u8>,
    width: usize,
}

impl Tree {
    /// An empty tree for states with so many hidden bytes.
    pub fn new(width: usize, weight: Weight) -> Tree {
        Tree { weight, distance: Vec::new(), parent: Vec::new(), hidden: Vec::new(), width }
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

    /// What has to be remembered of the state in which a walk begins: who moved last before it, if that counts.
    pub fn before(&self, state: &[u8]) -> u8 {
        if self.weight == Weight::Switches { last(state) } else { NOBODY }
    }

    /// How far it is to where a walk has just arrived; this one moved last before it began.
    pub fn far(&self, before: u8, walk: &Walk<'_>, arrival: &Arrival) -> u64 {
        let slices = match self.weight {
            Weight::Nothing => 0,
            Weight::Ticks => u64::from(arrival.step.actor == Actor::Clock),
            Weight::Switches => after(before, &walk.trail()).0,
        };
        arrival.depth + slices * SLICE
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
        let before = self.before(walk.topmost());
        let mut end = Vec::new();
        store.read(to, &mut end);
        while let Some(arrival) = walk.advance(store) {
            if arrival.led == Led::Stored && self.far(before, walk, &arrival) == distance && walk.visible() == end {
                return Some(walk.trail());
            }
        }
        None
    }
}
