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
use starwheel_store::{Exactness, FlatKey, FlatSet, Inserted, StateId, StateSet, Usage};
use std::ops::Range;

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
    /// Products that are about to be added: their keys, and the numbers of their centers.
    ready: Vec<Ready>,
    keys: Vec<u8>,
    numbers: Vec<u32>,
    /// Bytes that the working parts use.
    pub working: u64,
}

/// A key that is about to be looked up.
#[derive(Clone, Debug)]
struct Ready {
    key: FlatKey,
    /// Where its bytes lie.
    bytes: Range<usize>,
}

impl Ready {
    /// The key of the bytes from a place on; the memory that it will need is asked for.
    fn new(set: &mut FlatSet, keys: &[u8], first: usize) -> Ready {
        let mut key = FlatKey::of(&keys[first..]);
        starwheel_store::Visited::prefetch(set, &mut key);
        Ready { key, bytes: first..keys.len() }
    }
}

impl Space {
    /// Nothing yet.
    pub fn new(dominance: bool) -> Space {
        Space { dominance, ..Space::default() }
    }

    /// Gets closed products ready to be added, by their place in the list.
    pub fn prepare(&mut self, list: &[Product]) -> Flow {
        self.ready.clear();
        self.keys.clear();
        for at in list {
            let first = self.keys.len();
            pack(std::iter::once(at.shape.0), &mut self.keys);
            self.keys.extend_from_slice(&at.center);
            self.ready.push(Ready::new(&mut self.centers, &self.keys, first));
        }
        self.ready.iter().for_each(|r| self.centers.prefetch_bytes(&r.key));
        let mut centers = std::mem::take(&mut self.numbers);
        centers.clear();
        for ready in &self.ready {
            let center = room(number(self.centers.insert_keyed(&ready.key, &self.keys[ready.bytes.clone()])))?;
            if center as usize == self.youngest.len() {
                self.youngest.push(NONE);
            }
            centers.push(center);
        }
        self.ready.clear();
        self.keys.clear();
        for (at, &center) in list.iter().zip(&centers) {
            let first = self.keys.len();
            pack(std::iter::once(center).chain(at.parties.iter().map(|p| p.0)), &mut self.keys);
            self.ready.push(Ready::new(&mut self.nodes, &self.keys, first));
        }
        self.ready.iter().for_each(|r| self.nodes.prefetch_bytes(&r.key));
        self.numbers = centers;
        Flow::Continue(())
    }

    /// Adds a product that was made ready; its number if it is new.
    pub fn add(&mut self, core: &Core<'_>, number: usize, from: Option<NodeId>) -> Flow<Option<NodeId>> {
        let (ready, center) = (self.ready[number].clone(), self.numbers[number]);
        let key = &self.keys[ready.bytes];
        // Most states that are not new are there as they are; only for the others a larger one has to be looked for.
        if self.dominance && (self.nodes.lookup_keyed(&ready.key, key).is_some() || self.dominated(core, center, key)) {
            return Flow::Continue(None);
        }
        let id = match self.nodes.insert_keyed(&ready.key, key) {
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
    fn dominated(&self, core: &Core<'_>, center: u32, key: &[u8]) -> bool {
        let mut node = self.youngest[center as usize];
        while node != NONE {
            let mut pairs = words(key).zip(words(self.nodes.get(StateId(node)))).skip(1);
            if pairs.all(|(p, q)| core.within(PartyId(p), PartyId(q))) {
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
