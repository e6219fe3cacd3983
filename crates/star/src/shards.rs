//! The decoupled states that several workers have seen: as in `space`, but in pieces, each behind a lock of its own.
//!
//! States with the same center lie in the same piece, so that one look is enough to know whether one of them is larger.

use crate::core::Flow;
use crate::names::Name;
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::Stop;
use starwheel_store::{FlatSet, Inserted, StateId, StateSet, Usage};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A decoupled state: its piece, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    shard: u32,
    number: u32,
}

/// A decoupled state as all workers understand it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// The types of its processes, and its center.
    pub center: Vec<u8>,
    /// By process.
    pub sets: Vec<Name>,
}

/// No number.
const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Shard {
    centers: FlatSet,
    /// The number of the center, and the names of the sets.
    nodes: FlatSet,
    /// By node: where it was reached from, and the number of steps to it.
    origins: Vec<(Option<Place>, u32)>,
    /// By node: the node with the same center that came before it.
    older: Vec<u32>,
    /// By center: its youngest node.
    youngest: Vec<u32>,
}

/// All pieces.
#[derive(Debug)]
pub struct Shards {
    all: Vec<Mutex<Shard>>,
    dominance: bool,
}

impl Shards {
    /// Nothing yet, for so many workers.
    pub fn new(dominance: bool, workers: usize) -> Shards {
        let count = (workers * 16).next_power_of_two();
        Shards { all: (0..count).map(|_| Mutex::default()).collect(), dominance }
    }

    fn lock(&self, shard: u32) -> MutexGuard<'_, Shard> {
        self.all[shard as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a state; its place if it is new. `within` says whether the first set lies within the second.
    pub fn add(
        &self,
        card: &Card,
        from: Option<(Place, u32)>,
        mut within: impl FnMut(Name, Name) -> Flow<bool>,
    ) -> Flow<Option<Place>> {
        // The lower half of the hash finds the slot inside.
        let number = (rapidhash_v3(&card.center) >> 40) as usize & (self.all.len() - 1);
        let mut shard = self.lock(number as u32);
        let center = shard.center(&card.center)?;
        if self.dominance && shard.dominated(center, &card.sets, &mut within)? {
            return Flow::Continue(None);
        }
        let origin = (from.map(|f| f.0), from.map_or(0, |f| f.1 + 1));
        let new = shard.insert(center, &card.sets, origin)?;
        Flow::Continue(new.map(|n| Place { shard: number as u32, number: n }))
    }

    /// A state, and the number of steps to it.
    pub fn get(&self, at: Place, out: &mut Card) -> u32 {
        let shard = self.lock(at.shard);
        let mut numbers = words(shard.nodes.get(StateId(at.number)));
        out.center.clear();
        out.center.extend_from_slice(shard.centers.get(StateId(numbers.next().unwrap_or(NONE))));
        out.sets.clear();
        out.sets.extend(numbers.map(Name));
        shard.origins[at.number as usize].1
    }

    /// The states from the first one to this one, by which it was reached.
    pub fn path(&self, at: Place) -> Vec<Place> {
        let origin = |&at: &Place| self.lock(at.shard).origins[at.number as usize].0;
        let mut path: Vec<Place> = std::iter::successors(Some(at), origin).collect();
        path.reverse();
        path
    }

    /// How much there is.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage { states: 0, bytes: 0 };
        for shard in 0..self.all.len() as u32 {
            let shard = self.lock(shard);
            let lists = 16 * shard.origins.len() + 4 * (shard.older.len() + shard.youngest.len());
            sum.states += shard.origins.len() as u64;
            sum.bytes += shard.centers.usage().bytes + shard.nodes.usage().bytes + lists as u64;
        }
        sum
    }
}

impl Shard {
    fn center(&mut self, bytes: &[u8]) -> Flow<u32> {
        match self.centers.insert(bytes) {
            Inserted::New(id) => {
                self.youngest.push(NONE);
                Flow::Continue(id.0)
            }
            Inserted::Known(id) => Flow::Continue(id.0),
            Inserted::Full => Flow::Break(Some(Stop::StoreFull)),
        }
    }

    /// True if a node with the same center has larger sets or the same.
    fn dominated(&self, center: u32, sets: &[Name], within: &mut impl FnMut(Name, Name) -> Flow<bool>) -> Flow<bool> {
        let mut node = self.youngest[center as usize];
        while node != NONE {
            let mut all = true;
            for (&small, large) in sets.iter().zip(words(self.nodes.get(StateId(node))).skip(1)) {
                if small.0 != large && !within(small, Name(large))? {
                    all = false;
                    break;
                }
            }
            if all {
                return Flow::Continue(true);
            }
            node = self.older[node as usize];
        }
        Flow::Continue(false)
    }

    fn insert(&mut self, center: u32, sets: &[Name], origin: (Option<Place>, u32)) -> Flow<Option<u32>> {
        let mut key = Vec::with_capacity(4 * sets.len() + 4);
        crate::sets::pack(std::iter::once(center).chain(sets.iter().map(|n| n.0)), &mut key);
        match self.nodes.insert(&key) {
            Inserted::Known(_) => Flow::Continue(None),
            Inserted::Full => Flow::Break(Some(Stop::StoreFull)),
            Inserted::New(id) => {
                self.origins.push(origin);
                self.older.push(std::mem::replace(&mut self.youngest[center as usize], id.0));
                Flow::Continue(Some(id.0))
            }
        }
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}
