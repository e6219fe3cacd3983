//! A notice of a shard's layout, for threads that only want to know where a key belongs.
//!
//! A shard is used under its lock, and a lock that two threads take in turn moves from one processor's cache to the other's each
//! time. Where a key will be looked for can be said without it: layouts change seldom, so a notice of the present one is
//! read by all. A notice that is being changed is not believed: its stamp is zero meanwhile, or differs when it is read
//! again (a sequence lock: H. Boehm, Can Seqlocks Get Along With Programming Language Memory Models?, 2012). What was read
//! is a hint in any case; the shard compares the stamp.

use crate::prefetch::prefetch_address;
use crate::shape::{PACKED, Shape};
use crate::shard::{AHEAD, Hint, Shard};
use crate::sync::{AtomicU64, Ordering, fence};

/// The notice of one shard, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Notice {
    /// Zero while there is no layout or while it is being changed.
    stamp: AtomicU64,
    /// The address of the first slot.
    start: AtomicU64,
    shape: [AtomicU64; PACKED],
}

impl Notice {
    /// Tells the present layout of a shard, whose lock the caller holds.
    #[inline(always)]
    pub fn tell(&self, shard: &Shard) {
        if self.stamp.load(Ordering::Relaxed) != u64::from(shard.stamp()) {
            self.change(shard);
        }
    }

    #[cold]
    #[inline(never)]
    fn change(&self, shard: &Shard) {
        self.stamp.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(shard.address(), Ordering::Relaxed);
        for (cell, word) in self.shape.iter().zip(shard.shape().packed()) {
            cell.store(word, Ordering::Relaxed);
        }
        self.stamp.store(shard.stamp().into(), Ordering::Release);
    }

    /// Mixes a key and asks the processor to fetch its slot.
    #[inline(always)]
    pub fn prefetch(&self, low: u32, high: u32) -> Hint {
        let stamp = self.stamp.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let shape = Shape::unpacked(std::array::from_fn(|at| self.shape[at].load(Ordering::Relaxed)));
        fence(Ordering::Acquire);
        if stamp == 0 || self.stamp.load(Ordering::Relaxed) != stamp {
            return Hint::default();
        }
        let Some(mixed) = shape.mix(low, high) else { return Hint::default() };
        let (place, word) = shape.cut(mixed);
        let slot = start + place as u64 * u64::from(shape.width);
        prefetch_address(slot);
        prefetch_address(slot + AHEAD as u64);
        Hint::new(place, word, stamp as u32)
    }
}
