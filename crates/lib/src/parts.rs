//! The database of parts: every value that a part of a state has had, each once, under a small number.
//!
//! The leaf database of S. Blom, B. Lisser, J. van de Pol and M. Weber, "A database approach to distributed state-space
//! generation" (2011), with values of any type. It is only ever added to. Reading needs no lock: a value lies where its number
//! says, in one of a few long arrays of which each is twice as long as the one before, and never moves.

use rapidhash::fast::RapidHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of a value.
pub type Code = u32;

/// Values in the first array.
const FIRST: usize = 1 << 10;
const ARRAYS: usize = 23;
const SHARDS: usize = 64;
/// No value has this number, nor one above it.
pub const LIMIT: Code = u32::MAX - 1;

/// A hash of what a value is, the same in every process of one program.
#[inline]
pub fn content_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = RapidHasher::new(0);
    value.hash(&mut hasher);
    // The fast hasher leaves its last multiplication out, and the high bits choose a shard.
    let hash = hasher.finish();
    let wide = u128::from(hash ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9;
    (wide as u64) ^ (wide >> 64) as u64
}

/// The values.
pub struct Parts<P> {
    arrays: [OnceLock<Box<[OnceLock<P>]>>; ARRAYS],
    shards: Box<[Mutex<Shard>]>,
    next: AtomicU32,
}

/// Numbers by the hash of their values: open addressing, at most three quarters full.
#[derive(Default)]
struct Shard {
    /// Half of the hash, and one more than the number; zero where there is nothing.
    slots: Vec<u64>,
    len: usize,
}

/// Where the value with a number lies: in which array, and where there.
#[inline]
fn locate(code: Code) -> (usize, usize) {
    let number = code as usize + FIRST;
    let array = (number.ilog2() - FIRST.ilog2()) as usize;
    (array, number - (FIRST << array))
}

impl Shard {
    /// Where a hash is looked for first: the half of it that is stored, so that slots can be moved without their values.
    fn home(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; (old.len() * 2).max(16)];
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.home(slot);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

impl<P: Eq> Parts<P> {
    /// An empty database.
    pub fn new() -> Parts<P> {
        Parts {
            arrays: [const { OnceLock::new() }; ARRAYS],
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            next: AtomicU32::new(0),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }

    /// The value with a number that [`Parts::intern`] gave.
    ///
    /// # Panics
    /// If nobody has this number.
    #[inline]
    pub fn get(&self, code: Code) -> &P {
        let (array, place) = locate(code);
        let value = self.arrays[array].get().and_then(|array| array[place].get());
        value.expect("every number in a state is that of a value")
    }

    /// The number of a value, if it has one.
    pub fn find(&self, value: &P, hash: u64) -> Option<Code> {
        let shard = self.shards[(hash >> 58) as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if shard.slots.is_empty() {
            return None;
        }
        let mut at = shard.home(hash);
        while shard.slots[at] != 0 {
            let slot = shard.slots[at];
            let code = slot as u32 - 1;
            if slot >> 32 == hash >> 32 && self.get(code) == value {
                return Some(code);
            }
            at = (at + 1) & (shard.slots.len() - 1);
        }
        None
    }

    /// The number of a value, which gets one if it has none; `None` if there are no more numbers.
    pub fn intern(&self, value: P, hash: u64) -> Option<Code> {
        let mut shard = self.shards[(hash >> 58) as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if shard.len * 4 >= shard.slots.len() * 3 {
            shard.grow();
        }
        let mut at = shard.home(hash);
        while shard.slots[at] != 0 {
            let slot = shard.slots[at];
            let code = slot as u32 - 1;
            if slot >> 32 == hash >> 32 && *self.get(code) == value {
                return Some(code);
            }
            at = (at + 1) & (shard.slots.len() - 1);
        }
        let code = self.add(value)?;
        shard.slots[at] = (hash >> 32 << 32) | u64::from(code + 1);
        shard.len += 1;
        Some(code)
    }

    /// Puts a new value under the next number.
    fn add(&self, value: P) -> Option<Code> {
        let code = self.next.fetch_add(1, Ordering::Relaxed);
        if code >= LIMIT {
            self.next.store(LIMIT, Ordering::Relaxed);
            return None;
        }
        let (array, place) = locate(code);
        let array = self.arrays[array].get_or_init(|| (0..FIRST << array).map(|_| OnceLock::new()).collect());
        let fresh = array[place].set(value).is_ok();
        debug_assert!(fresh, "a number is given once");
        Some(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number_whoever_asks() {
        let parts = Parts::new();
        let value = |i: u64| vec![i % 5_000, i / 7 % 3];
        let codes: Vec<Vec<Option<Code>>> = std::thread::scope(|scope| {
            let ask = |i| parts.intern(value(i), content_hash(&value(i)));
            let threads: Vec<_> = (0..3)
                .map(|t| scope.spawn(move || (0..20_000).map(|i| ask((i * (t + 1)) % 20_000)).collect()))
                .collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect()
        });
        for (t, codes) in codes.iter().enumerate() {
            for (i, code) in codes.iter().enumerate() {
                let i = (i * (t + 1)) as u64 % 20_000;
                assert_eq!(parts.get(code.expect("room")), &value(i));
            }
        }
        let distinct: std::collections::HashSet<_> = (0..20_000).map(value).collect();
        assert_eq!(parts.len(), distinct.len());
    }

    #[test]
    fn every_number_has_a_place_of_its_own() {
        assert_eq!((locate(0), locate(1023), locate(1024), locate(3071)), ((0, 0), (0, 1023), (1, 0), (1, 2047)));
        assert_eq!(locate(3072), (2, 0));
        assert!(locate(LIMIT).0 < ARRAYS);
    }
}
