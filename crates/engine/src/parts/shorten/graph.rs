//! The part of a system's graph that the shortening of a lasso looks at, kept edge by edge.

use crate::parts::pace::Pace;
use crate::parts::walk::{Led, Walk};
use starwheel_model::{Step, System};
use starwheel_store::{FlatSet, Inserted, StateId, StateSet, StateStore};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

/// No way is known.
pub const FAR: u32 = u32::MAX;

/// A chain of steps from one stored state to another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where it leads.
    pub to: u32,
    /// Its length in single steps; a handshake counts two.
    pub length: u32,
}

/// One stored state.
#[derive(Debug)]
pub struct Node {
    /// Whether a run that comes here again and again is looked for.
    pub accepting: bool,
    /// True if it has no step at all.
    pub end: bool,
    /// The shortest way from the initial state.
    pub distance: u32,
    /// The chains that leave it; empty until it is expanded.
    pub edges: Vec<Edge>,
    expanded: bool,
}

/// What has been seen of the graph. States are numbered in the order of arrival; the initial one is 0.
pub struct Graph<'a> {
    walk: Walk<'a>,
    set: FlatSet,
    width: usize,
    /// The hidden bytes with which a state is reached, `width` of them for each.
    hidden: Vec<u8>,
    /// By number.
    pub nodes: Vec<Node>,
    /// The states to be expanded, nearest first; some have meanwhile been reached on a shorter way.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// Steps taken so far.
    pub steps: u64,
    pace: Pace,
    /// When there is no more time.
    until: Option<Instant>,
    late: bool,
}

/// Steps between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 12;

impl<'a> Graph<'a> {
    /// The initial state alone; `None` if there is none.
    pub fn new(system: &'a dyn System, until: Option<Instant>) -> Option<Graph<'a>> {
        let mut graph = Graph {
            walk: Walk::new(system, u64::from(FAR - 1)),
            set: FlatSet::new(None),
            width: system.hidden_bytes(),
            hidden: Vec::new(),
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            steps: 0,
            pace: Pace::new(PERIOD),
            until,
            late: false,
        };
        if graph.walk.initial().broken {
            return None;
        }
        graph.arrive(true)?;
        graph.nodes[0].distance = 0;
        graph.queue.push(Reverse((0, 0)));
        Some(graph)
    }

    /// Expands states in the order of their distance, until so many steps were taken or all states nearer than `bound`
    /// are expanded. Every state nearer than the result has then been expanded.
    pub fn explore(&mut self, effort: u64, bound: u32) -> u32 {
        while let Some(&Reverse((distance, node))) = self.queue.peek() {
            if distance >= bound || self.steps >= effort {
                return distance;
            }
            self.queue.pop();
            if self.nodes[node as usize].distance != distance || self.nodes[node as usize].expanded {
                continue;
            }
            // A single state may have very many chains, so even one of them may be too much.
            if !self.expand(node, true, 2 * effort) {
                return distance;
            }
            for Edge { to, length } in self.nodes[node as usize].edges.clone() {
                let far = distance.saturating_add(length);
                if far < self.nodes[to as usize].distance {
                    self.nodes[to as usize].distance = far;
                    self.queue.push(Reverse((far, to)));
                }
            }
        }
        FAR
    }

    /// Adds the states of a trail and the edges among them and the states that are here already; the numbers of the
    /// trail's stored states, with their places in the trail.
    pub fn add_trail(&mut self, system: &dyn System, trail: &[Step], effort: u64) -> Option<Vec<(usize, u32)>> {
        let mut stepper = system.stepper();
        let (mut at, mut next, mut out) = (Vec::new(), Vec::new(), vec![(0, 0)]);
        if stepper.initial(&mut at).broken {
            return None;
        }
        for (place, &step) in trail.iter().enumerate() {
            next.clear();
            if stepper.fire(&at, step, &mut next).broken {
                return None;
            }
            std::mem::swap(&mut at, &mut next);
            if !stepper.transient(&at) {
                let accepting = stepper.accepting(&at);
                out.push((place + 1, self.add(&at, accepting)?));
            }
        }
        for &(_, node) in &out {
            if !self.nodes[node as usize].expanded && !self.expand(node, false, effort) {
                return None;
            }
        }
        self.measure();
        Some(out)
    }

    /// Follows all chains from a state; only if `fresh`, states that were never seen are added. False if so many steps
    /// are not enough for it.
    fn expand(&mut self, node: u32, fresh: bool, effort: u64) -> bool {
        let hidden = &self.hidden[node as usize * self.width..][..self.width];
        self.walk.begin(StateId(node), hidden, &self.set, 0);
        self.nodes[node as usize].end = self.walk.at_end();
        while let Some(arrival) = self.walk.advance(&self.set) {
            self.steps += 1;
            if self.steps > effort || self.late() {
                self.nodes[node as usize].edges.clear();
                return false;
            }
            if arrival.led != Led::Stored {
                continue;
            }
            let (Some(to), Ok(length)) = (self.arrive(fresh), u32::try_from(arrival.depth)) else { continue };
            self.nodes[node as usize].edges.push(Edge { to, length });
        }
        self.nodes[node as usize].expanded = true;
        true
    }

    /// True once there is no more time.
    fn late(&mut self) -> bool {
        if self.pace.due() {
            self.late |= self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.late
    }

    /// The number of the state just reached.
    fn arrive(&mut self, fresh: bool) -> Option<u32> {
        if !fresh {
            return self.set.lookup(self.walk.visible()).map(|id| id.0);
        }
        let state = [self.walk.hidden(), self.walk.visible()].concat();
        let accepting = self.walk.accepting();
        self.add(&state, accepting)
    }

    fn add(&mut self, state: &[u8], accepting: bool) -> Option<u32> {
        let (hidden, visible) = state.split_at(self.width.min(state.len()));
        match self.set.insert(visible) {
            Inserted::Full => None,
            Inserted::Known(id) => Some(id.0),
            Inserted::New(id) => {
                self.hidden.extend_from_slice(hidden);
                self.nodes.push(Node { accepting, end: false, distance: FAR, edges: Vec::new(), expanded: false });
                Some(id.0)
            }
        }
    }

    fn ways(&self) -> Ways {
        let mut ways = Ways::new(self.nodes.len());
        ways.spread(0, FAR, |node, visit| self.nodes[node as usize].edges.iter().for_each(|e| visit(e.to, e.length)));
        ways
    }

    /// The states on the shortest way to a state.
    pub fn way(&self, to: u32) -> Option<Vec<u32>> {
        let ways = self.ways();
        (ways.length(to) < FAR).then(|| ways.way(to))
    }

    /// Measures all distances anew.
    fn measure(&mut self) {
        let ways = self.ways();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.distance = ways.length(number as u32);
        }
    }

    /// The steps along these states; `None` if they cannot be found again.
    pub fn steps_along(&mut self, states: &[u32]) -> Option<Vec<Step>> {
        let mut out = Vec::new();
        for pair in states.windows(2) {
            let edges = self.nodes[pair[0] as usize].edges.iter().filter(|e| e.to == pair[1]);
            let length = edges.map(|e| e.length).min()?;
            out.extend(self.hop(pair[0], pair[1], length)?);
        }
        Some(out)
    }

    /// The steps of one chain of this length.
    fn hop(&mut self, from: u32, to: u32, length: u32) -> Option<Vec<Step>> {
        let Graph { walk, set, hidden, width, .. } = self;
        walk.begin(StateId(from), &hidden[from as usize * *width..][..*width], set, 0);
        while let Some(arrival) = walk.advance(set) {
            let fits = arrival.led == Led::Stored && arrival.depth == u64::from(length);
            if fits && set.lookup(walk.visible()) == Some(StateId(to)) {
                return Some(walk.trail());
            }
        }
        None
    }
}

/// Shortest ways from one state (Dijkstra 1959), made to be used many times on one graph.
pub struct Ways {
    length: Vec<u32>,
    before: Vec<u32>,
    /// The states that have a length.
    reached: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// Edges looked at so far.
    pub work: u64,
}

impl Ways {
    /// For a graph with so many states.
    pub fn new(states: usize) -> Ways {
        Ways {
            length: vec![FAR; states],
            before: vec![FAR; states],
            reached: Vec::new(),
            queue: BinaryHeap::new(),
            work: 0,
        }
    }

    /// Finds the shortest ways from a state to all that are nearer than `bound`; `edges` calls back with each edge.
    pub fn spread(&mut self, from: u32, bound: u32, edges: impl Fn(u32, &mut dyn FnMut(u32, u32))) {
        for &node in &self.reached {
            self.length[node as usize] = FAR;
        }
        self.reached.clear();
        self.queue.clear();
        let Ways { length, before, reached, queue, work } = self;
        length[from as usize] = 0;
        reached.push(from);
        queue.push(Reverse((0, from)));
        while let Some(Reverse((far, node))) = queue.pop() {
            if length[node as usize] != far {
                continue;
            }
            edges(node, &mut |to, more| {
                *work += 1;
                let far = far.saturating_add(more);
                if far < bound && far < length[to as usize] {
                    if length[to as usize] == FAR {
                        reached.push(to);
                    }
                    length[to as usize] = far;
                    before[to as usize] = node;
                    queue.push(Reverse((far, to)));
                }
            });
        }
    }

    /// The length of the way to a state.
    pub fn length(&self, to: u32) -> u32 {
        self.length[to as usize]
    }

    /// The states that were reached.
    pub fn reached(&self) -> &[u32] {
        &self.reached
    }

    /// The states on the way to a state that was reached, the source first.
    pub fn way(&self, to: u32) -> Vec<u32> {
        let mut out = vec![to];
        let mut at = to;
        while self.length[at as usize] > 0 {
            at = self.before[at as usize];
            out.push(at);
        }
        out.reverse();
        out
    }
}
