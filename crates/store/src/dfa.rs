//! An exact set as a minimised automaton: it accepts, letter by letter, the states that were inserted and no others.
//!
//! G. Holzmann, A. Puri: A Minimized Automaton Representation of Reachable States (1999). We differ in how it is changed: the
//! path of a new state is built anew from its end to its start, each node being looked up among all nodes before it is made,
//! and then the old path is given up. The automaton is minimal after each insertion, and one that fails changes nothing.
//!
//! A state is read from its last byte to its first, with zeros in front up to the length of the longest one and its length
//! behind: a longer state then only needs more nodes in front of the root.

use crate::budget::Budget;
use crate::nodes::{Edge, NodeId, Nodes};
use crate::set::{Exactness, Usage, Visit, Visited};

/// Letters that tell the length.
const LENGTH: usize = 3;

/// An exact set of states that needs least memory, and most time.
#[derive(Debug)]
pub struct Dfa {
    budget: Budget,
    /// None if there was no memory for a single node.
    nodes: Option<Nodes>,
    /// None if there is no state.
    root: Option<NodeId>,
    /// Bytes of the longest state.
    longest: usize,
    states: u64,
    /// The letters of a state and the nodes that they lead through; kept for their memory.
    word: Vec<u8>,
    path: Vec<NodeId>,
}

impl Dfa {
    /// An empty set that never uses more than `limit` bytes.
    pub fn new(limit: Option<u64>) -> Dfa {
        let budget = Budget::new(limit);
        let nodes = Nodes::new(&budget);
        Dfa { budget, nodes, root: None, longest: 0, states: 0, word: Vec::new(), path: Vec::new() }
    }

    /// Reads a state as far as the automaton knows it; true if that is all of it.
    fn walk(&mut self, state: &[u8]) -> bool {
        self.path.clear();
        self.word.clear();
        let padding = self.longest.saturating_sub(state.len());
        self.word.resize(padding, 0);
        self.word.extend(state.iter().rev());
        self.word.extend_from_slice(&(state.len() as u64).to_le_bytes()[..LENGTH]);
        let (Some(nodes), Some(root)) = (&self.nodes, self.root) else { return false };
        let mut at = root;
        for &letter in &self.word {
            self.path.push(at);
            match nodes.follow(at, letter) {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    }

    /// Adds the state that was read last and is not there; false if there is no memory.
    fn add(&mut self) -> bool {
        let (budget, Some(nodes)) = (&self.budget, &mut self.nodes) else { return false };
        let mut below = Nodes::LAST;
        let mut edges = Vec::new();
        for (at, &letter) in self.word.iter().enumerate().rev() {
            edges.clear();
            let old = self.path.get(at);
            edges.extend(old.into_iter().flat_map(|&old| nodes.edges(old)).filter(|edge| edge.letter() != letter));
            let place = edges.partition_point(|edge| edge.letter() < letter);
            edges.insert(place, Edge::new(letter, below));
            // The first node is used by nobody yet.
            if below == Nodes::LAST {
                nodes.keep(below);
            }
            match nodes.make(&edges, below, budget) {
                Some(node) => below = node,
                None => return false,
            }
        }
        if let Some(old) = self.root.replace(below) {
            nodes.release(old);
        }
        self.states += 1;
        true
    }

    /// Makes room in front for longer states; false if there is no memory.
    fn lengthen(&mut self, bytes: usize) -> bool {
        while self.longest < bytes {
            if let (Some(nodes), Some(root)) = (&mut self.nodes, self.root) {
                nodes.keep(root);
                match nodes.make(&[Edge::new(0, root)], root, &self.budget) {
                    Some(node) => self.root = Some(node),
                    None => return false,
                }
                nodes.release(root);
            }
            self.longest += 1;
        }
        true
    }
}

impl Visited for Dfa {
    type Key = ();
    type Ref = ();
    type Path = ();

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        Usage { states: self.states, bytes: self.budget.used() }
    }

    fn prepare(&mut self, _state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<()> {
        Some(())
    }

    fn prefetch(&mut self, _key: &mut ()) {}

    fn insert(&mut self, _key: &(), state: &[u8], _marks: u8) -> Visit<()> {
        if state.len() >= 1 << (8 * LENGTH) || !self.lengthen(state.len()) {
            return Visit::Full;
        }
        if self.walk(state) {
            return Visit::Known((), 0);
        }
        if self.add() { Visit::New(()) } else { Visit::Full }
    }

    fn lookup(&mut self, _key: &(), state: &[u8]) -> Option<((), u8)> {
        (state.len() <= self.longest && self.walk(state)).then_some(((), 0))
    }
}
