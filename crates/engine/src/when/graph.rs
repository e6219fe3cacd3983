//! The graph of the states in which the moment has not come, as it was explored, and the ways in it.
//!
//! All runs to the moment pass only such states, so the moment itself is one node, [`MOMENT`]. An edge is a chain of steps between
//! two stored states; what is kept of it is where it leads, the slices that pass, and its length, from which the walk finds
//! its steps again.

use crate::parts::ledger::Flow;
use std::collections::BTreeMap;

/// The moment, as the end of an edge.
pub const MOMENT: u32 = u32::MAX;

/// How much further a slice of time is than a step: no way has so many steps.
const SLICE: u64 = 1 << 32;

/// A chain of steps from one stored state to another one or to the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Where it leads.
    pub to: u32,
    /// How many slices pass.
    pub slices: u32,
    /// How many steps it has, a handshake counts two.
    pub steps: u32,
}

impl Edge {
    fn length(self) -> u64 {
        u64::from(self.slices) * SLICE + u64::from(self.steps)
    }
}

/// A way in which a run can end without the moment, in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All that have not ended may stay where they are.
    Final,
    /// Nobody can move, and somebody should.
    Deadlock,
    /// A step has no meaning, or the condition has none in the state that it leads to.
    Error,
    /// It never comes out of an atomic sequence.
    Inside,
}

impl Ending {
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The graph: node 0 is the initial state, and all nodes are reached from it.
#[derive(Debug, Default)]
pub struct Graph {
    /// Where the edges of each node begin.
    starts: Vec<usize>,
    edges: Vec<Edge>,
    endings: Vec<u8>,
}

impl Graph {
    /// Adds the next node. Of edges that differ in length only, the shortest is kept.
    pub fn add(&mut self, mut edges: Vec<Edge>, endings: &[Ending]) {
        edges.sort_unstable();
        edges.dedup_by_key(|e| (e.to, e.slices));
        self.starts.push(self.edges.len());
        self.edges.extend(edges);
        self.endings.push(endings.iter().fold(0, |bits, ending| bits | ending.bit()));
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// What leads out of a node.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let (first, end) = (self.starts[node as usize], self.starts.get(node as usize + 1));
        &self.edges[first..end.copied().unwrap_or(self.edges.len())]
    }

    /// Whether a run can end in a node in this way.
    pub fn ends(&self, node: u32, ending: Ending) -> bool {
        self.endings[node as usize] & ending.bit() != 0
    }

    /// The node that an edge leads out of.
    fn from(&self, edge: usize) -> u32 {
        // Nodes without edges begin where the next one does.
        (self.starts.partition_point(|&start| start <= edge) - 1) as u32
    }

    fn place(&self, node: u32) -> usize {
        self.starts[node as usize]
    }
}

/// An edge of a way, and the node that it leads out of.
pub type Hop = (u32, Edge);

/// The shortest ways from one node, over some of the edges: least time first, then fewest steps (E. Dijkstra, 1959).
pub struct Ways<'g> {
    graph: &'g Graph,
    start: u32,
    /// By node: how far it is, or [`FAR`]; behind them the moment.
    distance: Vec<u64>,
    /// The same for the last edge of the way.
    last: Vec<usize>,
}

/// There is no way.
const FAR: u64 = u64::MAX;

impl<'g> Ways<'g> {
    /// The ways over the edges that are kept; `beat` says whether to go on.
    pub fn new(
        graph: &'g Graph,
        start: u32,
        keep: &dyn Fn(u32, &Edge) -> bool,
        beat: &mut dyn FnMut() -> Flow,
    ) -> Flow<Ways<'g>> {
        let count = graph.len() + 1;
        let mut ways = Ways { graph, start, distance: vec![FAR; count], last: vec![0; count] };
        let mut queue: BTreeMap<u64, Vec<u32>> = BTreeMap::from([(0, vec![start])]);
        ways.distance[start as usize] = 0;
        while let Some((distance, nodes)) = queue.pop_first() {
            for node in nodes {
                beat()?;
                if ways.distance[node as usize] != distance {
                    continue;
                }
                for (number, edge) in graph.edges(node).iter().enumerate().filter(|(_, e)| keep(node, e)) {
                    let (to, far) = (ways.index(edge.to), distance.saturating_add(edge.length()));
                    if far < ways.distance[to] {
                        (ways.distance[to], ways.last[to]) = (far, graph.place(node) + number);
                        if edge.to != MOMENT {
                            queue.entry(far).or_default().push(edge.to);
                        }
                    }
                }
            }
        }
        Flow::Continue(ways)
    }

    fn index(&self, node: u32) -> usize {
        if node == MOMENT { self.graph.len() } else { node as usize }
    }

    /// How far it is to a node; none if there is no way.
    pub fn distance(&self, node: u32) -> Option<u64> {
        Some(self.distance[self.index(node)]).filter(|&far| far != FAR)
    }

    /// The slices that pass on the way to a node.
    pub fn slices(&self, node: u32) -> Option<u64> {
        self.distance(node).map(|far| far / SLICE)
    }

    /// The most steps of a way to a state.
    pub fn deepest(&self) -> u64 {
        let states = self.distance.iter().take(self.graph.len()).filter(|&&far| far != FAR);
        states.map(|far| far % SLICE).max().unwrap_or(0)
    }

    /// The nearest of some nodes.
    pub fn nearest(&self, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let reached = (0..self.graph.len() as u32).filter(|&n| self.distance(n).is_some() && wanted(n));
        reached.min_by_key(|&n| self.distance[n as usize])
    }

    /// The edges of the way to a node; empty if there is none.
    pub fn to(&self, node: u32) -> Vec<Hop> {
        let (mut hops, mut at) = (Vec::new(), node);
        while at != self.start && self.distance(at).is_some() {
            let last = self.last[self.index(at)];
            at = self.graph.from(last);
            hops.push((at, self.graph.edges[last]));
        }
        hops.reverse();
        hops
    }
}
