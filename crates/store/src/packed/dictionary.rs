//! The numbers of the values that one word takes: small ones, given in the order in which the values come.
//!
//! There is room for a fixed number of values, so nothing ever moves: a reader needs no lock, and sees a value with its number or
//! not at all. Whoever misses one asks again under the lock of the writers. A value gets its number when it is first asked
//! for, or never: once the list is full it stays full. So whether a value has a number does not change while anybody who
//! asked for it remembers the answer.

#![allow(unsafe_code)]

use crate::budget::Budget;
use crate::lock::{Guarded, Lock};
use crate::pages::filled;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Most values, as a power of two.
pub(crate) const MOST: u32 = 18;

/// A list of values without gaps, and a table to find them in: linear probing (Knuth, The Art of Computer Programming 3,
/// 6.4, algorithm L), at most half full.
#[derive(Debug)]
pub(crate) struct Dictionary<L> {
    /// A power of two of slots: one more than the number of a value, and the value below it; zero if free.
    slots: Box<[AtomicU64]>,
    /// The upper bits of a hash, shifted down by so much, are its first slot.
    shift: u32,
    /// By number.
    values: Box<[AtomicU32]>,
    /// How many there are; apart, so that what is read again and again lies together.
    count: Box<Guarded<u32, L>>,
}

impl<L: Lock> Dictionary<L> {
    /// Room for 2^bits values, with these already there; none if there is no memory, or if these are too many.
    pub fn new(bits: u32, values: &[u32], budget: &Budget) -> Option<Dictionary<L>> {
        if bits > MOST || values.len() > 1 << bits || !budget.take(bytes(bits)) {
            return None;
        }
        let made = || {
            Some(Dictionary {
                slots: filled(2 << bits, || AtomicU64::new(0))?.into_boxed_slice(),
                shift: u32::BITS - bits - 1,
                values: filled(1 << bits, || AtomicU32::new(0))?.into_boxed_slice(),
                count: Box::new(Guarded::new(0)),
            })
        };
        let Some(dictionary) = made() else {
            budget.give_back(bytes(bits));
            return None;
        };
        values.iter().for_each(|&value| _ = dictionary.number(value));
        Some(dictionary)
    }

    /// Bytes of all lists.
    pub fn bytes(&self) -> u64 {
        bytes(self.values.len().ilog2())
    }

    /// The number of a value, which gets one if there is room; none if it has none and never will.
    #[inline(always)]
    pub fn number(&self, value: u32) -> Option<u32> {
        match self.find(value) {
            Ok(number) => Some(number),
            Err(_) => self.add(value),
        }
    }

    /// The value with a number; one that is too great is cut.
    #[inline(always)]
    pub fn value(&self, number: u32) -> u32 {
        let last = self.values.len() - 1;
        // SAFETY: there is a power of two of values, at least one, and the mask is the index of the last.
        unsafe { self.values.get_unchecked(number as usize & last) }.load(Ordering::Relaxed)
    }

    /// All values in the order of their numbers.
    pub fn values(&self) -> Vec<u32> {
        let count = *self.count.lock();
        (0..count).map(|number| self.value(number)).collect()
    }

    /// The number of a value, or the free slot where it belongs.
    #[inline(always)]
    fn find(&self, value: u32) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut place = (value.wrapping_mul(0x9e37_79b1) >> self.shift) as usize;
        loop {
            // SAFETY: there is at least one slot, and the mask is the index of the last.
            let slot = unsafe { self.slots.get_unchecked(place & mask) }.load(Ordering::Acquire);
            if slot == 0 {
                return Err(place & mask);
            }
            if slot as u32 == value {
                return Ok((slot >> u32::BITS) as u32 - 1);
            }
            place += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, value: u32) -> Option<u32> {
        let mut count = self.count.lock();
        match self.find(value) {
            Ok(number) => Some(number),
            Err(_) if *count as usize == self.values.len() => None,
            Err(place) => {
                let number = *count;
                self.values[number as usize].store(value, Ordering::Relaxed);
                // Whoever sees the slot sees the value in the list as well.
                self.slots[place].store(u64::from(number + 1) << u32::BITS | u64::from(value), Ordering::Release);
                *count += 1;
                Some(number)
            }
        }
    }
}

/// Bytes of all lists with room for 2^bits values.
fn bytes(bits: u32) -> u64 {
    ((2 * size_of::<u64>() + size_of::<u32>()) as u64) << bits
}
