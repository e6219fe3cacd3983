//! A hash table of numbers that many threads read while one of them writes: it finds the number of an entry that lies
//! elsewhere.
//!
//! Linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm L). A slot of 32 bits holds the number of an
//! entry plus one, and in the bits that numbers do not need a piece of the entry's hash, so that a wrong entry is hardly
//! ever looked at. Entries are never removed or changed. A reader may miss an entry that is being added; whoever misses one
//! asks again under the lock of the writers, so this costs time and never an answer. When the table grows, readers may
//! still be in the old one: it is kept until the end, unless the store belongs to one thread.

#![allow(unsafe_code)]

use crate::budget::Budget;
use crate::lock::Lock;
use crate::sync::{AtomicPtr, AtomicU32, Ordering};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// Slots of the first table, as a power of two.
const FIRST: u32 = 6;
/// Most slots, as a power of two: numbers need at least one bit less than a slot has.
const LAST: u32 = 31;

/// The present table and, if there may be readers in them, those before it.
#[derive(Debug)]
pub(crate) struct Index<L> {
    table: AtomicPtr<Table>,
    lock: PhantomData<fn() -> L>,
}

#[derive(Debug)]
struct Table {
    slots: Box<[AtomicU32]>,
    bits: u32,
    /// The table before this one, where readers may still be.
    older: Option<Box<Table>>,
}

impl<L> Default for Index<L> {
    fn default() -> Index<L> {
        Index { table: AtomicPtr::new(null_mut()), lock: PhantomData }
    }
}

impl<L: Lock> Index<L> {
    /// The number of an entry with this hash for which `same` is true.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        // SAFETY: see `table`; the reference ends with this function, and `same` only reads entries.
        let table = unsafe { self.table() }?;
        table.find(hash, same)
    }

    /// Makes sure that entry number `count` can be added, where `hash_of` tells the hashes of those before it; false if
    /// there is no memory. Only one thread at a time may call this or `add`.
    pub fn make_room(&self, count: u32, hash_of: impl Fn(u32) -> u64, budget: &Budget) -> bool {
        // SAFETY: see `table`; the reference ends before `replace`.
        let bits = unsafe { self.table() }.map(|table| table.bits);
        let slots = bits.map_or(0, |bits| 1u64 << bits);
        if u64::from(count) < slots / 4 * 3 {
            return true;
        }
        let grown = bits.map_or(FIRST, |bits| bits + 1);
        if grown <= LAST && self.grow(grown, count, hash_of, budget) {
            return true;
        }
        // If the table may not grow, it is still of use until almost full.
        u64::from(count) < slots / 16 * 15
    }

    /// Adds an entry, for which there is room.
    pub fn add(&self, hash: u64, number: u32) {
        // SAFETY: see `table`; the reference ends with this function.
        if let Some(table) = unsafe { self.table() } {
            table.add(hash, number);
        }
    }

    fn grow(&self, bits: u32, count: u32, hash_of: impl Fn(u32) -> u64, budget: &Budget) -> bool {
        if !budget.take(bytes(bits)) {
            return false;
        }
        let Some(table) = Table::new(bits) else {
            budget.give_back(bytes(bits));
            return false;
        };
        for number in 0..count {
            table.add(hash_of(number), number);
        }
        let freed = self.replace(Box::new(table));
        budget.give_back(freed);
        true
    }

    /// Publishes a table; tells how many bytes of older ones were freed.
    fn replace(&self, mut table: Box<Table>) -> u64 {
        let old = self.table.load(Ordering::Relaxed);
        // SAFETY: a pointer that is not null came from `Box::into_raw` below and is owned by this index alone.
        let old = (!old.is_null()).then(|| unsafe { Box::from_raw(old) });
        let freed = if L::ALONE { old.as_ref().map_or(0, |old| bytes(old.bits)) } else { 0 };
        if L::ALONE {
            drop(old);
        } else {
            table.older = old;
        }
        self.table.store(Box::into_raw(table), Ordering::Release);
        freed
    }

    /// The present table.
    ///
    /// # Safety
    ///
    /// The caller must not keep the reference while it calls `replace`. Then it stays valid: with one thread nobody else
    /// frees the table, with many it is kept as `older` until the index is dropped.
    #[inline(always)]
    unsafe fn table(&self) -> Option<&Table> {
        let table = self.table.load(Ordering::Acquire);
        // SAFETY: null, or from `Box::into_raw` and not freed, as said above.
        unsafe { table.as_ref() }
    }
}

impl<L> Drop for Index<L> {
    fn drop(&mut self) {
        let table = self.table.load(Ordering::Relaxed);
        if !table.is_null() {
            // SAFETY: it came from `Box::into_raw`, and no borrow of `self` is left.
            drop(unsafe { Box::from_raw(table) });
        }
    }
}

impl Table {
    fn new(bits: u32) -> Option<Table> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(1 << bits).ok()?;
        slots.resize_with(1 << bits, || AtomicU32::new(0));
        Some(Table { slots: slots.into_boxed_slice(), bits, older: None })
    }

    #[inline(always)]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let (numbers, tag) = (self.numbers(), hash as u32 & !self.numbers());
        let mut place = self.home(hash);
        loop {
            let slot = self.slots[place & (self.slots.len() - 1)].load(Ordering::Acquire);
            if slot == 0 {
                return None;
            }
            // A difference only in the bits of the number.
            if slot ^ tag <= numbers && same((slot & numbers) - 1) {
                return Some((slot & numbers) - 1);
            }
            place += 1;
        }
    }

    fn add(&self, hash: u64, number: u32) {
        let mut place = self.home(hash);
        while self.slots[place & (self.slots.len() - 1)].load(Ordering::Relaxed) != 0 {
            place += 1;
        }
        let slot = hash as u32 & !self.numbers() | (number + 1);
        self.slots[place & (self.slots.len() - 1)].store(slot, Ordering::Release);
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of a slot that hold a number plus one.
    #[inline(always)]
    fn numbers(&self) -> u32 {
        (1 << self.bits) - 1
    }
}

fn bytes(bits: u32) -> u64 {
    (size_of::<u32>() as u64) << bits
}
