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
use crate::pages::filled;
use crate::prefetch::prefetch;
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
    /// A power of two of slots.
    slots: Box<[AtomicU32]>,
    bits: u32,
    /// The upper bits of a hash, shifted down by so much, are its first slot.
    shift: u32,
    /// The table before this one, where readers may still be, or null. No box: that would have to be its only user.
    older: *mut Table,
}

impl<L> Default for Index<L> {
    fn default() -> Index<L> {
        let table = Table::of((0..1 << FIRST).map(|_| AtomicU32::new(0)).collect());
        Index { table: AtomicPtr::new(Box::into_raw(Box::new(table))), lock: PhantomData }
    }
}

impl<L: Lock> Index<L> {
    /// The number of an entry with this hash for which `same` is true.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        // SAFETY: see `table`; the reference ends with this function, and `same` only reads entries.
        unsafe { self.table() }.find(hash, same)
    }

    /// Asks for the memory in which an entry with this hash would be looked for first.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        // SAFETY: see `table`; the reference ends with this function.
        let table = unsafe { self.table() };
        prefetch(&table.slots, (hash >> table.shift) as usize);
    }

    /// Makes sure that entry number `count` can be added, where `hash_of` tells the hashes of those before it; false if
    /// there is no memory. Only one thread at a time may call this or `add`.
    pub fn make_room(&self, count: u32, hash_of: impl Fn(u32) -> u64, budget: &Budget) -> bool {
        // SAFETY: see `table`; the reference ends before `replace`.
        let bits = unsafe { self.table() }.bits;
        let slots = 1u64 << bits;
        if u64::from(count) < slots / 8 * 5 {
            return true;
        }
        if bits < LAST && self.grow(bits + 1, count, hash_of, budget) {
            return true;
        }
        // If the table may not grow, it is still of use until almost full.
        u64::from(count) < slots / 16 * 15
    }

    /// Adds an entry, for which there is room.
    pub fn add(&self, hash: u64, number: u32) {
        // SAFETY: see `table`; the reference ends with this function.
        unsafe { self.table() }.add(hash, number);
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
        if !L::ALONE {
            table.older = old;
            self.table.store(Box::into_raw(table), Ordering::Release);
            return 0;
        }
        self.table.store(Box::into_raw(table), Ordering::Release);
        // SAFETY: it came from `Box::into_raw`, here or in `default`; there is one thread, and it has no reference (`table`).
        bytes(unsafe { Box::from_raw(old) }.bits)
    }

    /// The present table.
    ///
    /// # Safety
    ///
    /// The caller must not keep the reference while it calls `replace`. Then it stays valid: with one thread nobody else
    /// frees the table, with many it is kept as `older` until the index is dropped.
    #[inline(always)]
    unsafe fn table(&self) -> &Table {
        // SAFETY: it came from `Box::into_raw` and is not freed, as said above.
        unsafe { &*self.table.load(Ordering::Acquire) }
    }
}

impl<L> Drop for Index<L> {
    fn drop(&mut self) {
        let mut table = self.table.load(Ordering::Relaxed);
        while !table.is_null() {
            // SAFETY: all tables came from `Box::into_raw`, each is in the list once, and no borrow of `self` is left.
            table = unsafe { Box::from_raw(table) }.older;
        }
    }
}

impl Table {
    fn new(bits: u32) -> Option<Table> {
        Some(Table::of(filled(1 << bits, || AtomicU32::new(0))?.into_boxed_slice()))
    }

    /// A table of so many slots, which are a power of two.
    fn of(slots: Box<[AtomicU32]>) -> Table {
        let bits = slots.len().ilog2();
        Table { slots, bits, shift: u64::BITS - bits, older: null_mut() }
    }

    #[inline(always)]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let numbers = self.numbers();
        let tag = hash as u32 & !numbers;
        let mut place = (hash >> self.shift) as usize;
        loop {
            let slot = self.slot(place).load(Ordering::Acquire);
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
        let mut place = (hash >> self.shift) as usize;
        while self.slot(place).load(Ordering::Relaxed) != 0 {
            place += 1;
        }
        self.slot(place).store(hash as u32 & !self.numbers() | (number + 1), Ordering::Release);
    }

    /// A slot; after the last one comes the first.
    #[inline(always)]
    fn slot(&self, place: usize) -> &AtomicU32 {
        let mask = self.slots.len() - 1;
        // SAFETY: there is at least one slot, and the mask is the index of the last.
        unsafe { self.slots.get_unchecked(place & mask) }
    }

    /// The bits of a slot that hold a number plus one.
    #[inline(always)]
    fn numbers(&self) -> u32 {
        (self.slots.len() - 1) as u32
    }
}

fn bytes(bits: u32) -> u64 {
    (size_of::<u32>() as u64) << bits
}
