//! A lossy set that sets a few bits of one big array for each state: a state all of whose bits are set counts as known.
//!
//! Bitstate hashing, also called supertrace: G. Holzmann, An Analysis of Bitstate Hashing (1998); the bits of a state are
//! computed from two hashes as in P. Dillinger, P. Manolios, Bloom Filters in Probabilistic Verification (2004). The array
//! never grows, so the set is never full; it only gets less honest, and says so.

mod archive;
mod first;

use crate::lock::{Lock, Private, Spin};
use crate::pages::untouched;
use crate::prefetch::prefetch;
use crate::set::{Exactness, Fork, Usage, Visit, Visited};
use crate::sync::{AtomicU64, Ordering};
use first::{First, Put};
use rapidhash::v3::rapidhash_v3;
use std::ops::Deref;
use std::sync::Arc;

/// Bits set for each state, if nothing else is said.
pub const FUNCTIONS: u32 = 3;
/// Handles add what they counted to the common counters after so many new states.
const TOGETHER: u64 = 256;

/// The array, which many handles may share.
#[derive(Debug)]
pub struct Bits<L> {
    words: Box<[AtomicU64]>,
    first: First,
    functions: u32,
    states: AtomicU64,
    set: AtomicU64,
    /// Expected number of states that were taken for known ones, in millionths.
    omitted: AtomicU64,
    /// Keeps an array for one thread from being shared.
    _lock: L,
}

/// A set of states in an array of bits; `T` is what holds it.
#[derive(Debug)]
pub struct Bitstate<T: Deref<Target = Bits<L>>, L: Lock> {
    bits: T,
    /// Counted here and not yet in the common counters.
    states: u64,
    set: u64,
}

/// A set in an array of bits for one thread.
pub type PrivateBitstate = Bitstate<Box<Bits<Private>>, Private>;
/// A handle of a set in an array of bits that many threads share; each has its own.
pub type SharedBitstate = Bitstate<Arc<Bits<Spin>>, Spin>;

impl PrivateBitstate {
    /// An array of at most so many bytes, and so many bits for each state, at least one; none if there is no memory.
    pub fn new(bytes: u64, functions: u32) -> Option<PrivateBitstate> {
        Some(Bitstate { bits: Box::new(Bits::new(bytes, functions)?), states: 0, set: 0 })
    }
}

impl SharedBitstate {
    /// An array of at most so many bytes, and so many bits for each state, at least one; none if there is no memory.
    pub fn new(bytes: u64, functions: u32) -> Option<SharedBitstate> {
        Some(Bitstate { bits: Arc::new(Bits::new(bytes, functions)?), states: 0, set: 0 })
    }
}

impl Fork for SharedBitstate {
    fn fork(&self) -> SharedBitstate {
        Bitstate { bits: Arc::clone(&self.bits), states: 0, set: 0 }
    }
}

impl<L: Lock> Bits<L> {
    fn new(bytes: u64, functions: u32) -> Option<Bits<L>> {
        let count = usize::try_from(bytes / 8).ok()?.max(1);
        let zero = || AtomicU64::new(0);
        let (words, functions) = (untouched(count)?, functions.clamp(1, 64));
        let (states, set, omitted) = (zero(), zero(), zero());
        Some(Bits { first: First::beside(count), words, functions, states, set, omitted, _lock: L::default() })
    }

    fn size(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// The word and the bit of each function.
    #[inline(always)]
    fn places(&self, key: BitKey) -> impl Iterator<Item = (usize, u64)> {
        let size = u128::from(self.size());
        (0..u64::from(self.functions)).map(move |function| {
            // The square keeps functions apart even where steps are small.
            let hash = key.first.wrapping_add(key.second.wrapping_mul(function)).wrapping_add(function * function);
            let bit = ((u128::from(hash) * size) >> 64) as u64;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// Sets a bit; true if it was not set.
    #[inline(always)]
    fn set(&self, word: usize, bit: u64) -> bool {
        let cell = &self.words[word];
        let old = cell.load(Ordering::Relaxed);
        if old & bit != 0 {
            return false;
        }
        if L::ALONE {
            cell.store(old | bit, Ordering::Relaxed);
            return true;
        }
        cell.fetch_or(bit, Ordering::AcqRel) & bit == 0
    }

    /// Sets the bits of the first states, which the table has held until now. Whoever puts a state into the table while this
    /// goes on may find it forgotten, and then it is new once more.
    #[cold]
    fn leave_first(&self) {
        if self.first.is_over() {
            return;
        }
        let places = self.first.hashes().flat_map(|hash| self.places(BitKey::of(hash)));
        let fresh: u64 = places.map(|(word, bit)| u64::from(self.set(word, bit))).sum();
        self.set.fetch_add(fresh, Ordering::Relaxed);
        self.first.end();
    }
}

/// The two hashes of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitKey {
    first: u64,
    second: u64,
}

impl BitKey {
    fn of(first: u64) -> BitKey {
        // An even step would visit few bits.
        BitKey { first, second: crate::words::hash(first) | 1 }
    }
}

impl<T: Deref<Target = Bits<L>>, L: Lock> Bitstate<T, L> {
    /// The share of bits that are set, from zero to one.
    pub fn coverage(&self) -> f64 {
        (self.bits.set.load(Ordering::Relaxed) + self.set) as f64 / self.bits.size() as f64
    }

    /// SPIN's hash factor: bits for each state. From a hundred on, most states of a search have been seen.
    pub fn hash_factor(&self) -> f64 {
        self.bits.size() as f64 / self.usage().states.max(1) as f64
    }

    /// An estimate of how many states were taken for known ones and thus omitted, not counting those behind them: for each
    /// state that was new, so many others were not as follow from the chance that all of their bits were set.
    pub fn expected_omissions(&self) -> f64 {
        let open = self.states as f64 * self.odds();
        self.bits.omitted.load(Ordering::Relaxed) as f64 / 1e6 + open
    }

    /// An estimate of the probability that at least one state was omitted.
    pub fn omission_probability(&self) -> f64 {
        -(-self.expected_omissions()).exp_m1()
    }

    /// How many states that were never seen count as known, for one that does not.
    fn odds(&self) -> f64 {
        let chance = self.coverage().powi(self.bits.functions as i32);
        // An array without a free bit knows nothing any more.
        chance / (1.0 - chance).max(1e-6)
    }

    /// Adds what was counted to the common counters.
    fn report(&mut self) {
        let omitted = self.states as f64 * self.odds() * 1e6;
        self.bits.omitted.fetch_add(omitted as u64, Ordering::Relaxed);
        self.bits.states.fetch_add(std::mem::take(&mut self.states), Ordering::Relaxed);
        self.bits.set.fetch_add(std::mem::take(&mut self.set), Ordering::Relaxed);
    }
}

impl<T: Deref<Target = Bits<L>>, L: Lock> Drop for Bitstate<T, L> {
    fn drop(&mut self) {
        self.report();
    }
}

impl<T: Deref<Target = Bits<L>>, L: Lock> Visited for Bitstate<T, L> {
    type Key = BitKey;
    type Ref = BitKey;
    type Path = ();

    fn exactness(&self) -> Exactness {
        Exactness::Lossy
    }

    /// Of other handles, up to 255 states each may not be counted yet.
    fn usage(&self) -> Usage {
        let states = self.bits.states.load(Ordering::Relaxed) + self.states;
        let bytes =
            if self.bits.first.is_over() { size_of_val(&*self.bits.words) as u64 } else { self.bits.first.bytes() };
        Usage { states, bytes }
    }

    /// All its memory is there from the beginning.
    fn besides(&self, _bytes: u64) {}

    #[inline]
    fn prepare(&mut self, state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<BitKey> {
        Some(BitKey::of(rapidhash_v3(state)))
    }

    #[inline]
    fn prefetch(&mut self, key: &mut BitKey) {
        if !self.bits.first.is_over() {
            return;
        }
        for (word, _) in self.bits.places(*key) {
            prefetch(&self.bits.words, word);
        }
    }

    /// Of threads that insert the same state at the same time, each may be the first to set one of its bits, and then more
    /// than one is told `New`.
    #[inline]
    fn insert(&mut self, key: &BitKey, _state: &[u8], _marks: u8) -> Visit<BitKey> {
        let held = if self.bits.first.is_over() { Put::Not } else { self.bits.first.put(key.first) };
        let fresh = match held {
            Put::New => 0,
            Put::Known => return Visit::Known(*key, 0),
            Put::Not => {
                self.bits.leave_first();
                let fresh = self.bits.places(*key).map(|(word, bit)| u64::from(self.bits.set(word, bit))).sum();
                if fresh == 0 {
                    return Visit::Known(*key, 0);
                }
                fresh
            }
        };
        (self.states, self.set) = (self.states + 1, self.set + fresh);
        if self.states >= TOGETHER {
            self.report();
        }
        Visit::New(*key)
    }

    #[inline]
    fn lookup(&mut self, key: &BitKey, _state: &[u8]) -> Option<(BitKey, u8)> {
        if !self.bits.first.is_over() {
            return self.bits.first.holds(key.first).then_some((*key, 0));
        }
        let known = self.bits.places(*key).all(|(word, bit)| self.bits.words[word].load(Ordering::Relaxed) & bit != 0);
        known.then_some((*key, 0))
    }
}
