//! Small systems for the tests: graphs given as tables, drawn at random.
#![allow(dead_code)] // Each test file uses its own part.

pub mod fair;
pub mod naive;
pub mod shelf;

use starwheel_base::Span;
use starwheel_engine::{Job, Monitor, Random, Report};
use starwheel_model::{
    Action, Actor, Batch, Behind, Fired, Partners, Step, Stepper, System, Violation, ViolationKind, listed,
};

/// Carries out a job that fits.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    starwheel_engine::run(job, watch).expect("a job that fits")
}

/// Hidden bytes of a table's states: the transition that led there, as two bytes.
pub const HIDDEN: usize = 2;

/// A graph. The transition of an edge is its number in the table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// If set, an edge fails only if the hidden bytes before it are odd.
    pub hidden_matters: bool,
    /// If set, searches are told that all successors of a state are best made at once.
    pub fast: bool,
    /// What goes wrong in the initial state, which is node 0.
    pub opening: Vec<Violation>,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub transient: bool,
    pub edges: Vec<usize>,
    pub stuck: Option<Violation>,
    pub accepting: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Edge {
    pub to: usize,
    pub handshake: bool,
    pub broken: bool,
    pub violations: Vec<Violation>,
    /// Who moves, and the receiver of a handshake; if nobody is named, the number of the edge decides.
    pub movers: Option<(u8, u8)>,
}

pub fn violation(kind: ViolationKind, place: u32) -> Violation {
    let span = Span { start: place, end: place + 1, ..Span::default() };
    Violation { kind, message: format!("{} at {place}", kind.name()), span, actor: None }
}

pub fn assertion(place: u32) -> Violation {
    violation(ViolationKind::Assertion, place)
}

impl Table {
    /// A graph with so many nodes and no edges.
    pub fn with_nodes(count: usize) -> Table {
        Table { nodes: vec![Node::default(); count], ..Table::default() }
    }

    /// Adds an edge and gives its number.
    pub fn edge(&mut self, from: usize, to: usize) -> usize {
        self.nodes[from].edges.push(self.edges.len());
        self.edges.push(Edge { to, ..Edge::default() });
        self.edges.len() - 1
    }

    /// A random graph; `errors` in a thousand is how often things go wrong.
    pub fn random(seed: u64, errors: u64) -> Table {
        let mut random = Random::new(seed);
        let count = 1 + random.below(40) as usize;
        let mut table = Table { fast: seed % 2 == 1, ..Table::with_nodes(count) };
        let transient = random.below(50);
        for node in 1..count {
            table.nodes[node].transient = random.below(100) < transient;
        }
        for node in 0..count {
            let least = u64::from(table.nodes[node].transient || random.below(10) > 0);
            for _ in 0..least + random.below(3) * least {
                let edge = table.edge(node, random.below(count as u64) as usize);
                table.edges[edge].handshake = random.below(5) == 0;
                table.spoil(edge, errors, &mut random);
            }
            if table.nodes[node].edges.is_empty() && random.below(300) < errors {
                table.nodes[node].stuck = Some(violation(ViolationKind::InvalidEndState, random.below(2) as u32));
            }
        }
        table
    }

    /// Makes some nodes accepting; a few tables get many of them.
    pub fn accept(mut self, seed: u64) -> Table {
        let mut random = Random::new(seed ^ 0x5eed);
        let rate = [2, 5, 10, 40][random.below(4) as usize];
        for node in &mut self.nodes {
            node.accepting = random.below(rate) == 0;
        }
        self
    }

    /// Gives the edges to so many processes, at random.
    pub fn processes(mut self, count: u8, seed: u64) -> Table {
        let mut random = Random::new(seed ^ 0xfa12);
        let mut pid = || random.below(u64::from(count)) as u8;
        self.edges.iter_mut().for_each(|edge| edge.movers = Some((pid(), pid())));
        self
    }

    /// A few small processes side by side that look at one another, with some handshakes and some transient states:
    /// unlike in other graphs, most cycles forget somebody.
    pub fn product(seed: u64) -> Table {
        let mut random = Random::new(seed ^ 0x9a0d);
        let sizes: Vec<usize> = (0..2 + random.below(3)).map(|_| 2 + random.below(2) as usize).collect();
        let count = sizes.iter().product();
        let locals = |node: usize| {
            let digit =
                |(rest, out): (usize, Vec<usize>), &size: &usize| (rest / size, [out, vec![rest % size]].concat());
            sizes.iter().fold((node, Vec::new()), digit).1
        };
        let number = |locals: &[usize]| sizes.iter().zip(locals).rev().fold(0, |n, (size, l)| n * size + l);
        let mut table = Table { fast: seed % 2 == 1, ..Table::with_nodes(count) };
        for _ in 0..3 + random.below(4 * sizes.len() as u64) {
            let mut any = || random.below(sizes.len() as u64) as usize;
            let [who, partner, seen] = [any(), any(), any()];
            let mut place = |p: usize| random.below(sizes[p] as u64) as usize;
            let (from, to, its, then, guard) = (place(who), place(who), place(partner), place(partner), place(seen));
            let (handshake, guarded) = (partner != who && random.below(4) == 0, random.below(2) == 0);
            for node in 0..count {
                let mut at = locals(node);
                if at[who] != from || (guarded && at[seen] != guard) || (handshake && at[partner] != its) {
                    continue;
                }
                at[who] = to;
                at[partner] = if handshake { then } else { at[partner] };
                let edge = table.edge(node, number(&at));
                table.edges[edge].movers = Some((who as u8, partner as u8));
                table.edges[edge].handshake = handshake;
            }
        }
        let (rate, last) = (random.below(30), sizes.len() - 1);
        for number in 0..count {
            let node = &mut table.nodes[number];
            node.accepting = locals(number)[last] == 0;
            node.transient = number > 0 && !node.edges.is_empty() && random.below(100) < rate;
        }
        table
    }

    fn spoil(&mut self, edge: usize, errors: u64, random: &mut Random) {
        let edge = &mut self.edges[edge];
        while random.below(1000) < errors {
            edge.violations.push(assertion(random.below(4) as u32));
        }
        if random.below(2000) < errors {
            edge.broken = true;
            edge.violations.push(violation(ViolationKind::RuntimeError, random.below(4) as u32));
        }
    }

    pub fn step(&self, edge: usize) -> Step {
        let action = Action(edge as u32);
        let (agent, partner) = self.edges[edge].movers.unwrap_or(((edge % 255) as u8, 9));
        let handshake = Partners::One(Actor::Agent(partner), action);
        let partners = if self.edges[edge].handshake { handshake } else { Partners::None };
        Step { actor: Actor::Agent(agent), action, partners, timeout: edge.is_multiple_of(7) }
    }
}

impl System for Table {
    fn hidden_bytes(&self) -> usize {
        HIDDEN
    }

    fn transitions(&self) -> usize {
        self.edges.len()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Walker(self))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

struct Walker<'a>(&'a Table);

/// The node of a state.
pub fn node(state: &[u8]) -> usize {
    let mut number = [0; 4];
    number.copy_from_slice(&state[HIDDEN..HIDDEN + 4]);
    u32::from_le_bytes(number) as usize
}

/// Writes a state; the number of bytes depends on the node.
fn write(edge: u16, node: usize, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&edge.to_le_bytes());
    out.extend_from_slice(&(node as u32).to_le_bytes());
    out.resize(HIDDEN + 4 + node % 5, 0);
}

impl Stepper for Walker<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        write(0, 0, out);
        Fired { broken: false, violations: self.0.opening.clone() }
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        out.clear();
        out.extend(self.0.nodes[node(at)].edges.iter().map(|&edge| self.0.step(edge)));
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let edge = &self.0.edges[step.action.index()];
        // Only stored states write the hidden bytes, so that a chain of transient ones can come round.
        let hidden = if self.0.nodes[edge.to].transient { 0 } else { step.action.0 as u16 };
        write(hidden, edge.to, out);
        let quiet = self.0.hidden_matters && at[0].is_multiple_of(2);
        Fired { broken: edge.broken, violations: if quiet { Vec::new() } else { edge.violations.clone() } }
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        listed(self, at, step)
    }

    fn omitted(&mut self, _at: &[u8], out: &mut Vec<Step>) {
        out.clear();
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    fn expands_fast(&self) -> bool {
        self.0.fast
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.0.nodes[node(at)].transient
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.0.nodes[node(at)].stuck.clone()
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.0.nodes[node(at)].accepting
    }
}
