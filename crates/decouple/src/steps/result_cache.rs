//! Results that depend on a party, on how it moves and on some bytes of the center, computed once for each.

use crate::leaves::leaf_set::PartyId;
use crate::leaves::touch::Mask;
use crate::steps::segment::How;
use rapidhash::RapidHashMap;
use starwheel_store::{FlatSet, Inserted, StateId, StateSet};

/// Keys with at most so many bytes of a center are kept together with their results.
const SHORT: usize = 16;

/// A party and some bytes of a center; which ones, the party says.
type ShortKey = (PartyId, [u8; SHORT]);

/// Results by key; forgets everything when there is too much of it.
#[derive(Debug)]
pub struct ResultCache<T> {
    short: RapidHashMap<ShortKey, T>,
    keys: FlatSet,
    values: Vec<T>,
    key: Vec<u8>,
    limit: u64,
    /// Bytes of results besides their own sizes.
    bytes: u64,
}

impl<T: Clone> ResultCache<T> {
    /// Results that take about so many bytes at most.
    pub fn new(limit: u64) -> ResultCache<T> {
        ResultCache {
            short: RapidHashMap::default(),
            keys: FlatSet::default(),
            values: Vec::new(),
            key: Vec::new(),
            limit,
            bytes: 0,
        }
    }

    /// The result for this key, or the place where it belongs.
    pub fn find(&mut self, party: PartyId, mask: &Mask, center: &[u8], how: &How) -> Result<T, Hole> {
        if let (How::Free, 0..=SHORT) = (how, mask.offsets.len()) {
            let mut bytes = [0; SHORT];
            bytes.iter_mut().zip(&mask.offsets).for_each(|(b, &o)| *b = center[o as usize]);
            return self.short.get(&(party, bytes)).cloned().ok_or(Hole::Short((party, bytes)));
        }
        self.key.clear();
        self.key.extend_from_slice(&party.0.to_le_bytes());
        self.key.extend(mask.offsets.iter().map(|&o| center[o as usize]));
        match how {
            How::Free => {}
            How::Timeout => self.key.push(1),
            How::Take(offer) => {
                self.key.extend_from_slice(&[2, 0]);
                let numbers = std::iter::once(&offer.number).chain(&offer.message);
                numbers.for_each(|n| self.key.extend_from_slice(&n.to_le_bytes()));
            }
        }
        match starwheel_store::StateStore::lookup(&self.keys, &self.key) {
            Some(StateId(id)) => Ok(self.values[id as usize].clone()),
            None => Err(Hole::Long(std::mem::take(&mut self.key))),
        }
    }

    /// Remembers a result, which takes so many bytes besides its own size.
    pub fn fill(&mut self, hole: Hole, value: T, bytes: u64) {
        if self.usage() > self.limit {
            *self = ResultCache::new(self.limit);
        }
        self.bytes += bytes;
        match hole {
            Hole::Short(key) => {
                self.short.insert(key, value);
            }
            Hole::Long(key) => {
                if let Inserted::New(_) = self.keys.insert(&key) {
                    self.values.push(value);
                }
            }
        }
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.bytes + self.keys.usage().bytes + 96 * (self.values.len() + self.short.len()) as u64
    }
}

/// The key of a result that is not known yet.
pub enum Hole {
    /// A short one.
    Short(ShortKey),
    /// Any other.
    Long(Vec<u8>),
}
