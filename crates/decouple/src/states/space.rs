//! The memory of a decoupled search: which decoupled states were seen, and where they came from.
//!
//! By equality, or by dominance: a state is not new if one with the same center and larger sets was seen (`dominated.rs`).

use crate::leaves::leaf_set::PartyId;
use crate::leaves::sets::{number, pack};
use crate::states::center_cache::CenterCache;
use crate::states::centers::Centers;
use crate::states::dominated::Dominated;
use crate::steps::core::{Core, Flow, room};
use crate::steps::product::Product;
use crate::topology::shape::ShapeId;
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::Stop;
use starwheel_store::{Exactness, FlatKey, FlatSet, Inserted, StateId, StateSet, Usage};
use std::ops::Range;

/// A decoupled state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// Bytes of a shape before the bytes of a center.
const SHAPE: usize = 4;
/// No node.
const NONE: u32 = u32::MAX;

/// All decoupled states.
#[derive(Debug)]
pub struct Space {
    /// Shape and center.
    centers: Centers,
    recent_centers: CenterCache,
    /// The number of the center and those of the parties.
    nodes: FlatSet,
    /// By node: the node that it was reached from, and the number of steps to it.
    origins: Vec<(u32, u32)>,
    dominated: Dominated,
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
        Space {
            centers: Centers::default(),
            recent_centers: CenterCache::default(),
            nodes: FlatSet::default(),
            origins: Vec::new(),
            dominated: Dominated::default(),
            dominance,
            key: Vec::new(),
            ready: Vec::new(),
            keys: Vec::new(),
            numbers: Vec::new(),
            working: 0,
        }
    }

    /// Gets closed products ready to be added, by their place in the list.
    pub fn prepare(&mut self, list: &[Product]) -> Flow {
        self.ready.clear();
        self.keys.clear();
        self.numbers.clear();
        for at in list {
            let (center, first) = (self.center(at)?, self.keys.len());
            self.numbers.push(center);
            pack(std::iter::once(center).chain(at.parties.iter().map(|p| p.0)), &mut self.keys);
            self.ready.push(Ready::new(&mut self.nodes, &self.keys, first));
        }
        self.ready.iter().for_each(|r| self.nodes.prefetch_bytes(&r.key));
        Flow::Continue(())
    }

    /// Adds a product that was made ready; its number if it is new.
    pub fn add(&mut self, core: &Core<'_>, number: usize, from: Option<NodeId>) -> Flow<Option<NodeId>> {
        let (ready, center) = (self.ready[number].clone(), self.numbers[number]);
        let key = &self.keys[ready.bytes];
        // Most states that are not new are there as they are; only for the others a larger one has to be looked for.
        let mut sets: Vec<u32> = Vec::new();
        if self.dominance {
            sets.extend(words(key).skip(1));
            let within = |small, large| core.within(PartyId(small), PartyId(large));
            if self.nodes.lookup_keyed(&ready.key, key).is_some()
                || self.dominated.covered(center, &sets, |n| row(&self.nodes, n), within)
            {
                return Flow::Continue(None);
            }
        }
        let id = match self.nodes.insert_keyed(&ready.key, key) {
            Inserted::Known(_) => return Flow::Continue(None),
            Inserted::Full => return Flow::Break(Some(Stop::StoreFull)),
            Inserted::New(id) => id.0,
        };
        let depth = from.map_or(0, |f| self.depth(f) + 1);
        self.origins.push((from.map_or(NONE, |f| f.0), depth));
        if self.dominance {
            self.dominated.add(center, &sets, |n| row(&self.nodes, n));
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
        self.key.extend_from_slice(&at.shape.0.to_be_bytes());
        self.key.extend_from_slice(&at.center);
        let hash = rapidhash_v3(&self.key);
        if let Some(known) = self.recent_centers.find(hash, &self.key) {
            return Flow::Continue(known);
        }
        let center = room(number(self.centers.insert(&self.key)))?;
        self.recent_centers.note(hash, &self.key, center);
        Flow::Continue(center)
    }

    /// The product of a node.
    pub fn get(&self, id: NodeId, out: &mut Product) {
        let mut numbers = words(self.nodes.get(StateId(id.0)));
        out.center.clear();
        self.centers.read(numbers.next().unwrap_or(NONE), &mut out.center);
        let shape = out.center.drain(..SHAPE).fold(0, |n, byte| n << 8 | u32::from(byte));
        out.shape = ShapeId(shape);
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

/// The parties of a node.
fn row(nodes: &FlatSet, node: u32) -> impl Iterator<Item = u32> {
    words(nodes.get(StateId(node))).skip(1)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}

impl StateSet for Space {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        let lists = 8 * self.origins.len() as u64 + self.dominated.usage();
        let bytes = self.centers.usage() + self.nodes.usage().bytes + lists + self.working;
        Usage { states: self.len() as u64, bytes }
    }

    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.nodes.insert(state)
    }
}
