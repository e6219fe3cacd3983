//! The memory of a decoupled search: which decoupled states were seen, and where they came from.
//!
//! By equality, or by dominance: a state is not new if one with the same center and larger sets was seen (Gnad and
//! Hoffmann, Star-topology decoupled state space search, AIJ 2018).

use crate::core::{Core, Flow, room};
use crate::party::PartyId;
use crate::product::Product;
use crate::sets::{number, pack};
use crate::shape::ShapeId;
use starwheel_engine::Stop;
use starwheel_store::{Exactness, FlatSet, Inserted, StateId, StateSet, Usage};

/// A decoupled state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// No node.
const NONE: u32 = u32::MAX;

/// All decoupled states.
#[derive(Debug, Default)]
pub struct Space {
    centers: FlatSet,
    /// The number of the center and those of the parties.
    nodes: FlatSet,
    /// By node: the node that it was reached from, and the number of steps to it.
    origins: Vec<(u32, u32)>,
    /// By node: the node with the same center that came before it.
    older: Vec<u32>,
    /// By center: its youngest node.
    youngest: Vec<u32>,
    dominance: bool,
    key: Vec<u8>,
    /// Bytes that the working parts use.
    pub working: u64,
}

impl Space {
    /// Nothing yet.
    pub fn new(dominance: bool) -> Space {
        Space { dominance, ..Space::default() }
    }

    /// Adds a closed product; its number if it is new.
    pub fn add(&mut self, core: &mut Core<'_>, at: &Product, from: Option<NodeId>) -> Flow<Option<NodeId>> {
        let center = self.center(at)?;
        self.key.clear();
        pack(std::iter::once(center).chain(at.parties.iter().map(|p| p.0)), &mut self.key);
        if self.dominance && self.dominated(core, center, &at.parties) {
            return Flow::Continue(None);
        }
        let id = match self.nodes.insert(&self.key) {
            Inserted::Known(_) => return Flow::Continue(None),
            Inserted::Full => return Flow::Break(Some(Stop::StoreFull)),
            Inserted::New(id) => id.0,
        };
        let depth = from.map_or(0, |f| self.depth(f) + 1);
        self.origins.push((from.map_or(NONE, |f| f.0), depth));
        if self.dominance {
            self.older.push(std::mem::replace(&mut self.youngest[center as usize], id));
        }
        Flow::Continue(Some(NodeId(id)))
    }

    /// The number of a closed product, which may be new.
    pub fn number(&mut self, at: &Product) -> Flow<NodeId> {
        let center = self.center(at)?;
        self.key.clear();
        pack(std::iter::once(center).chain(at.parties.iter().map(|p| p.0)), &mut self.key);
        let id = room(number(self.nodes.insert(&self.key)))?;
        if id as usize == self.origins.len() {
            self.origins.push((NONE, 0));
        }
        Flow::Continue(NodeId(id))
    }

    /// The number of a node's center, and its parties.
    pub fn keys(&self, id: NodeId) -> (u32, Vec<u32>) {
        let mut numbers = words(self.nodes.get(StateId(id.0)));
        (numbers.next().unwrap_or(NONE), numbers.collect())
    }

    /// The nodes from the first one to this one, by which it was reached.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(id), |&at| self.origin(at)).collect();
        path.reverse();
        path
    }

    fn center(&mut self, at: &Product) -> Flow<u32> {
        self.key.clear();
        self.key.extend_from_slice(&at.shape.0.to_le_bytes());
        self.key.extend_from_slice(&at.center);
        let id = room(number(self.centers.insert(&self.key)))?;
        if id as usize == self.youngest.len() {
            self.youngest.push(NONE);
        }
        Flow::Continue(id)
    }

    /// True if a node with the same center has larger sets or the same.
    fn dominated(&self, core: &Core<'_>, center: u32, parties: &[PartyId]) -> bool {
        let mut node = self.youngest[center as usize];
        while node != NONE {
            let numbers = words(self.nodes.get(StateId(node))).skip(1);
            if parties.iter().zip(numbers).all(|(&p, q)| core.within(p, PartyId(q))) {
                return true;
            }
            node = self.older[node as usize];
        }
        false
    }

    /// The product of a node.
    pub fn get(&self, id: NodeId, out: &mut Product) {
        let mut numbers = words(self.nodes.get(StateId(id.0)));
        let center = self.centers.get(StateId(numbers.next().unwrap_or(NONE)));
        let (shape, bytes) = center.split_at(4);
        out.shape = ShapeId(words(shape).next().unwrap_or(NONE));
        out.center.clear();
        out.center.extend_from_slice(bytes);
        out.parties.clear();
        out.parties.extend(numbers.map(PartyId));
    }

    /// Where a node was reached from.
    pub fn origin(&self, id: NodeId) -> Option<NodeId> {
        let from = self.origins[id.0 as usize].0;
        (from != NONE).then_some(NodeId(from))
    }

    /// The number of steps to a node.
    pub fn depth(&self, id: NodeId) -> u32 {
        self.origins[id.0 as usize].1
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.origins.len()
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}

impl StateSet for Space {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        let lists = 8 * self.origins.len() + 4 * (self.older.len() + self.youngest.len());
        let bytes = self.centers.usage().bytes + self.nodes.usage().bytes + lists as u64 + self.working;
        Usage { states: self.len() as u64, bytes }
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.nodes.insert(state)
    }
}
