//! The decoupled states that several workers have seen: as in `space`, but in pieces, each behind a lock of its own.
//!
//! States with the same center lie in the same piece, so that one look is enough to know whether one of them is larger.

use crate::leaves::sets;
use crate::states::center_cache::CenterCache;
use crate::states::centers::Centers;
use crate::states::dominated::Dominated;
use crate::states::names::Name;
use crate::steps::core::{Flow, room};
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::Stop;
use starwheel_store::{FlatSet, Inserted, StateId, StateSet, StateStore, Usage};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A decoupled state: its piece, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardPlace {
    shard: u32,
    number: u32,
}

#[cfg(test)]
impl ShardPlace {
    /// Some place.
    pub fn test(number: u32) -> ShardPlace {
        ShardPlace { shard: 0, number }
    }
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

#[derive(Debug)]
struct Shard {
    centers: Centers,
    /// The number of the center, and the names of the sets.
    nodes: FlatSet,
    /// By node: where it was reached from, and the number of steps to it.
    origins: Vec<(Option<ShardPlace>, u32)>,
    dominated: Dominated,
    key: Vec<u8>,
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
        Shards { all: (0..count).map(|_| Mutex::new(Shard::new())).collect(), dominance }
    }

    fn lock(&self, shard: u32) -> MutexGuard<'_, Shard> {
        self.all[shard as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a state; its place if it is new. `within` says whether the first set lies within the second.
    pub fn add(
        &self,
        recent_centers: &mut CenterCache,
        card: &Card,
        from: Option<(ShardPlace, u32)>,
        within: impl FnMut(Name, Name) -> Flow<bool>,
    ) -> Flow<Option<ShardPlace>> {
        let hash = rapidhash_v3(&card.center);
        // The lower half of the hash finds slots.
        let number = (hash >> 40) as usize & (self.all.len() - 1);
        let mut shard = self.lock(number as u32);
        let center = match recent_centers.find(hash, &card.center) {
            Some(center) => center,
            None => {
                let center = room(sets::number(shard.centers.insert(&card.center)))?;
                recent_centers.note(hash, &card.center, center);
                center
            }
        };
        let origin = (from.map(|f| f.0), from.map_or(0, |f| f.1 + 1));
        let new = shard.add(center, &card.sets, origin, self.dominance.then_some(within))?;
        Flow::Continue(new.map(|n| ShardPlace { shard: number as u32, number: n }))
    }

    /// A state, and the number of steps to it.
    pub fn get(&self, at: ShardPlace, out: &mut Card) -> u32 {
        let shard = self.lock(at.shard);
        let mut numbers = words(shard.nodes.get(StateId(at.number)));
        out.center.clear();
        shard.centers.read(numbers.next().unwrap_or(NONE), &mut out.center);
        out.sets.clear();
        out.sets.extend(numbers.map(Name));
        shard.origins[at.number as usize].1
    }

    /// The states from the first one to this one, by which it was reached.
    pub fn path(&self, at: ShardPlace) -> Vec<ShardPlace> {
        let origin = |&at: &ShardPlace| self.lock(at.shard).origins[at.number as usize].0;
        let mut path: Vec<ShardPlace> = std::iter::successors(Some(at), origin).collect();
        path.reverse();
        path
    }

    /// How much there is.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage { states: 0, bytes: 0 };
        for shard in 0..self.all.len() as u32 {
            let shard = self.lock(shard);
            let lists = 16 * shard.origins.len() as u64 + shard.dominated.usage();
            sum.states += shard.origins.len() as u64;
            sum.bytes += shard.centers.usage() + shard.nodes.usage().bytes + lists;
        }
        sum
    }
}

impl Shard {
    fn new() -> Shard {
        let (centers, dominated) = (Centers::default(), Dominated::default());
        Shard { centers, nodes: FlatSet::default(), origins: Vec::new(), dominated, key: Vec::new() }
    }

    /// True if a node with the same center has larger sets or the same.
    fn covered(&self, center: u32, sets: &[u32], within: impl FnMut(Name, Name) -> Flow<bool>) -> Flow<bool> {
        let (within, stop) = (RefCell::new(within), RefCell::new(None));
        let inside = |small: u32, large: u32| {
            small == large
                || match within.borrow_mut()(Name(small), Name(large)) {
                    Flow::Continue(inside) => inside,
                    Flow::Break(why) => {
                        *stop.borrow_mut() = Some(why);
                        false
                    }
                }
        };
        let covered = self.dominated.covered(center, sets, |n| row(&self.nodes, n), inside);
        stop.into_inner().map_or(Flow::Continue(covered), Flow::Break)
    }

    /// Adds a state unless it is there, or a larger one if that is asked for.
    fn add(
        &mut self,
        center: u32,
        names: &[Name],
        origin: (Option<ShardPlace>, u32),
        within: Option<impl FnMut(Name, Name) -> Flow<bool>>,
    ) -> Flow<Option<u32>> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        sets::pack(std::iter::once(center).chain(names.iter().map(|n| n.0)), &mut key);
        let flow = self.add_key(center, &key, origin, within);
        self.key = key;
        flow
    }

    fn add_key(
        &mut self,
        center: u32,
        key: &[u8],
        origin: (Option<ShardPlace>, u32),
        within: Option<impl FnMut(Name, Name) -> Flow<bool>>,
    ) -> Flow<Option<u32>> {
        let compared: Option<Vec<u32>> = within.is_some().then(|| words(key).skip(1).collect());
        if let (Some(within), Some(sets)) = (within, &compared)
            && (self.nodes.lookup(key).is_some() || self.covered(center, sets, within)?)
        {
            return Flow::Continue(None);
        }
        match self.nodes.insert(key) {
            Inserted::Known(_) => Flow::Continue(None),
            Inserted::Full => Flow::Break(Some(Stop::StoreFull)),
            Inserted::New(id) => {
                self.origins.push(origin);
                if let Some(sets) = compared {
                    self.dominated.add(center, &sets, |n| row(&self.nodes, n));
                }
                Flow::Continue(Some(id.0))
            }
        }
    }
}

/// The names of the sets of a node.
fn row(nodes: &FlatSet, node: u32) -> impl Iterator<Item = u32> {
    words(nodes.get(StateId(node))).skip(1)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}
