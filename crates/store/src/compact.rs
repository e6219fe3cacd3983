//! A lossy set that keeps only a hash of each state: two states with the same 64 bits are taken for one.
//!
//! Hash compaction: P. Wolper, D. Leroy, Reliable Hashing without Collision Detection (1993). All 64 bits of the hash
//! discriminate; they lie in the quotiented table of [`crate::tree`], so that a state costs less than eight bytes once there
//! are many.

mod archive;

use crate::budget::Budget;
use crate::lock::{Lock, Private, Spin};
use crate::root::{Root, Sought};
use crate::set::{Exactness, Fork, Marked, Usage, Visit, Visited};
use crate::shard::Put;
use rapidhash::v3::rapidhash_v3;
use std::ops::Deref;
use std::sync::Arc;

/// The hash of a state, which is all that is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

/// A state ready to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct CompactKey(Sought);

/// The hashes, which many handles may share.
#[derive(Debug)]
pub struct Hashes<L> {
    budget: Budget,
    root: Root<L>,
}

/// A set of hashes; `T` is what holds them.
#[derive(Debug)]
pub struct Compact<T> {
    hashes: T,
}

/// A set of hashes for one thread.
pub type PrivateCompact = Compact<Box<Hashes<Private>>>;
/// A handle of a set of hashes that many threads share; each has its own.
pub type SharedCompact = Compact<Arc<Hashes<Spin>>>;

impl PrivateCompact {
    /// An empty set that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight.
    pub fn new(limit: Option<u64>, marks: u32) -> PrivateCompact {
        Compact { hashes: Box::new(Hashes::new(limit, marks)) }
    }
}

impl SharedCompact {
    /// An empty set that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight.
    pub fn new(limit: Option<u64>, marks: u32) -> SharedCompact {
        Compact { hashes: Arc::new(Hashes::new(limit, marks)) }
    }
}

impl Fork for SharedCompact {
    fn fork(&self) -> SharedCompact {
        Compact { hashes: Arc::clone(&self.hashes) }
    }
}

impl<L: Lock> Hashes<L> {
    fn new(limit: Option<u64>, marks: u32) -> Hashes<L> {
        let budget = Budget::new(limit);
        Hashes { root: Root::new(marks, &budget), budget }
    }
}

impl<L: Lock, T: Deref<Target = Hashes<L>>> Compact<T> {
    /// An estimate of the probability that at least one state was taken for another and thus omitted, if hashes are as good
    /// as random: with `n` states, `n²/2⁶⁵`.
    pub fn omission_probability(&self) -> f64 {
        let states = self.usage().states as f64;
        -(-states * (states - 1.0).max(0.0) / 2f64.powi(65)).exp_m1()
    }
}

impl<L: Lock, T: Deref<Target = Hashes<L>>> Visited for Compact<T> {
    type Key = CompactKey;
    type Ref = Fingerprint;
    type Path = ();

    fn exactness(&self) -> Exactness {
        Exactness::Lossy
    }

    fn usage(&self) -> Usage {
        Usage { states: self.hashes.root.len(), bytes: self.hashes.budget.used() }
    }

    fn besides(&self, bytes: u64) {
        self.hashes.budget.set_besides(bytes);
    }

    #[inline]
    fn prepare(&mut self, state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<CompactKey> {
        Some(CompactKey(Sought::new(rapidhash_v3(state))))
    }

    #[inline]
    fn prefetch(&mut self, key: &mut CompactKey) {
        self.hashes.root.prefetch(&mut key.0);
    }

    #[inline]
    fn insert(&mut self, key: &CompactKey, _state: &[u8], marks: u8) -> Visit<Fingerprint> {
        let at = Fingerprint(key.0.name);
        match self.hashes.root.put(&key.0, marks, &self.hashes.budget) {
            Put::New => Visit::New(at),
            Put::Known(marks) => Visit::Known(at, marks),
            Put::Full => Visit::Full,
        }
    }

    #[inline]
    fn lookup(&mut self, key: &CompactKey, _state: &[u8]) -> Option<(Fingerprint, u8)> {
        self.hashes.root.get(&key.0).map(|marks| (Fingerprint(key.0.name), marks))
    }
}

impl<L: Lock, T: Deref<Target = Hashes<L>>> Marked for Compact<T> {
    fn mark_bits(&self) -> u32 {
        self.hashes.root.marks()
    }

    fn marks(&mut self, at: Fingerprint) -> Option<u8> {
        self.hashes.root.get(&Sought::new(at.0))
    }

    fn change_marks(&mut self, at: Fingerprint, keep: u8, set: u8) -> Option<u8> {
        self.hashes.root.change(at.0, keep, set)
    }
}
