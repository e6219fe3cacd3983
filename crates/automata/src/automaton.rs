//! Büchi automata: with marks on edges (generalised), and the plain kind with accepting states.

use crate::label::Label;

/// The number of a state in its automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> StateId {
        StateId(index as u32)
    }
}

/// The acceptance sets that an edge belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(pub u64);

impl Marks {
    /// An automaton has at most this many acceptance sets.
    pub const LIMIT: u32 = 64;
    /// No set.
    pub const NONE: Marks = Marks(0);

    /// The sets numbered below `count`.
    pub fn all(count: u32) -> Marks {
        Marks(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }

    /// True if the set of this number is among them.
    pub fn has(self, mark: u32) -> bool {
        mark < Marks::LIMIT && self.0 >> mark & 1 == 1
    }

    /// The sets of both.
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// True if all sets of `other` are among them.
    pub fn contains(self, other: Marks) -> bool {
        other.0 & !self.0 == 0
    }

    /// The numbers of the sets.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Marks::LIMIT).filter(move |&mark| self.has(mark))
    }
}

/// An edge: it may be taken with any letter of its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: StateId,
    /// The letters with which it may be taken.
    pub label: Label,
    /// Where it leads.
    pub to: StateId,
    /// The acceptance sets it belongs to.
    pub marks: Marks,
}

/// A transition-based generalised Büchi automaton: a run is accepting if it meets every acceptance set infinitely often.
/// With no acceptance set every infinite run is accepting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tgba {
    edges: Vec<Vec<Edge>>,
    initial: Vec<StateId>,
    mark_count: u32,
}

impl Tgba {
    /// An automaton without states and with this many acceptance sets (at most [`Marks::LIMIT`]).
    pub fn new(mark_count: u32) -> Tgba {
        Tgba { mark_count: mark_count.min(Marks::LIMIT), ..Tgba::default() }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> StateId {
        self.edges.push(Vec::new());
        StateId::new(self.edges.len() - 1)
    }

    /// Adds an edge between states that are there; an edge with an empty label is left out.
    pub fn add_edge(&mut self, from: StateId, label: Label, to: StateId, marks: Marks) {
        debug_assert!(to.index() < self.edges.len());
        if !label.is_empty() {
            let marks = Marks(marks.0 & Marks::all(self.mark_count).0);
            self.edges[from.index()].push(Edge { from, label, to, marks });
        }
    }

    /// Lets runs start in a state.
    pub fn add_initial(&mut self, state: StateId) {
        if !self.initial.contains(&state) {
            self.initial.push(state);
        }
    }

    /// The states in which runs start.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len()).map(StateId::new)
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, state: StateId) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// All edges.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().flatten()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The number of acceptance sets.
    pub fn mark_count(&self) -> u32 {
        self.mark_count
    }

    /// For each state the marks that all its edges share, if it has edges and all have the same marks.
    pub fn state_marks(&self) -> Option<Vec<Marks>> {
        let same = |edges: &Vec<Edge>| match edges.split_first() {
            None => Some(Marks::NONE),
            Some((first, rest)) => rest.iter().all(|edge| edge.marks == first.marks).then_some(first.marks),
        };
        self.edges.iter().map(same).collect()
    }
}

/// A Büchi automaton with accepting states and one initial state: a run is accepting if it visits accepting states infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    automaton: Tgba,
    accepting: Vec<bool>,
}

impl Buchi {
    /// An automaton with these states (true for an accepting one) and no edges. There is one state at least, the initial one.
    pub fn new(accepting: Vec<bool>, initial: StateId) -> Buchi {
        let accepting = if accepting.is_empty() { vec![false] } else { accepting };
        let mut automaton = Tgba::new(1);
        for _ in &accepting {
            automaton.add_state();
        }
        automaton.add_initial(StateId(initial.0.min(accepting.len() as u32 - 1)));
        Buchi { automaton, accepting }
    }

    /// Adds an edge between states that are there; an edge with an empty label is left out.
    pub fn add_edge(&mut self, from: StateId, label: Label, to: StateId) {
        let marks = if self.accepting[from.index()] { Marks(1) } else { Marks::NONE };
        self.automaton.add_edge(from, label, to, marks);
    }

    /// The state in which runs start.
    pub fn initial(&self) -> StateId {
        self.automaton.initial()[0]
    }

    /// True for an accepting state.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        self.automaton.states()
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.automaton.state_count()
    }

    /// The edges that leave a state; those of accepting states carry mark 0.
    pub fn edges_from(&self, state: StateId) -> &[Edge] {
        self.automaton.edges_from(state)
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.automaton.edge_count()
    }

    /// The same automaton with one acceptance set: the edges that leave accepting states.
    pub fn as_tgba(&self) -> &Tgba {
        &self.automaton
    }
}
