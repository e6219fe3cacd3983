//! A list that grows without moving: each segment is as long as all before it together, and stays where it is until the
//! list is dropped, so readers need no lock.

#![allow(unsafe_code)]

use crate::budget::Budget;
use crate::prefetch::prefetch_address;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use std::ptr::null_mut;

/// Elements of the first segment, as a power of two.
const FIRST: u32 = 6;
/// Segments: one for each position of a highest bit, of which the first few and the last ones stay empty.
const SEGMENTS: usize = 64;
/// Most elements.
const LIMIT: usize = 1 << 40;
/// The budget is asked for this many elements at a time: memory that was never touched costs nothing, so a segment is paid
/// for as it fills.
const STRIDE: usize = 512;

/// Segments of atomic words, all zero at first.
#[derive(Debug)]
pub(crate) struct Segments {
    starts: [AtomicPtr<AtomicU64>; SEGMENTS],
    /// Elements that the budget was asked for.
    paid: AtomicU64,
}

impl Default for Segments {
    fn default() -> Segments {
        Segments { starts: std::array::from_fn(|_| AtomicPtr::new(null_mut())), paid: AtomicU64::new(0) }
    }
}

impl Segments {
    /// An element, or none if no segment reaches so far.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&AtomicU64> {
        let (segment, offset) = place(index);
        let start = self.starts[segment].load(Ordering::Acquire);
        if start.is_null() {
            return None;
        }
        // SAFETY: a segment that is not null has `length(segment)` elements, `offset` is smaller (see `place`), and it is
        // freed only in `drop`, when no borrow of `self` is left.
        Some(unsafe { &*start.add(offset) })
    }

    /// The value of an element; zero if no segment reaches so far.
    #[inline(always)]
    pub fn load(&self, index: usize) -> u64 {
        self.get(index).map_or(0, |cell| cell.load(Ordering::Acquire))
    }

    /// Asks for the memory of an element.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        if let Some(cell) = self.get(index) {
            prefetch_address(std::ptr::from_ref(cell).addr() as u64);
        }
    }

    /// `count` elements from one on, which must lie in one segment; see [`Segments::fit`]. None if they do not.
    #[inline(always)]
    pub fn slice(&self, from: usize, count: usize) -> Option<&[AtomicU64]> {
        let (segment, offset) = place(from);
        let start = self.starts[segment].load(Ordering::Acquire);
        if start.is_null() || offset + count > length(segment) {
            return None;
        }
        // SAFETY: as in `get`; the last element is inside as well.
        Some(unsafe { std::slice::from_raw_parts(start.add(offset), count) })
    }

    /// The first place from `from` on where `count` elements lie in one segment.
    pub fn fit(from: usize, count: usize) -> usize {
        let mut from = from;
        loop {
            let (segment, offset) = place(from);
            if offset + count <= length(segment) {
                return from;
            }
            from += length(segment) - offset;
        }
    }

    /// Makes sure that the first `count` elements can be written; false if there is no memory. Only one thread at a time
    /// may call this.
    pub fn extend(&self, count: usize, budget: &Budget) -> bool {
        let mut paid = self.paid.load(Ordering::Relaxed) as usize;
        while paid < count {
            if count > LIMIT || !budget.take(STRIDE as u64 * size_of::<u64>() as u64) {
                return false;
            }
            paid += STRIDE;
            self.paid.store(paid as u64, Ordering::Relaxed);
        }
        (FIRST as usize..=place(count.max(1) - 1).0).all(|segment| self.reached(segment) || self.reach(segment))
    }

    fn reached(&self, segment: usize) -> bool {
        !self.starts[segment].load(Ordering::Relaxed).is_null()
    }

    /// Allocates a segment.
    fn reach(&self, segment: usize) -> bool {
        let Some(start) = zeroed(length(segment)) else { return false };
        self.starts[segment].store(start, Ordering::Release);
        true
    }
}

impl Drop for Segments {
    fn drop(&mut self) {
        for (segment, start) in self.starts.iter_mut().enumerate() {
            let start = start.load(Ordering::Relaxed);
            if !start.is_null() {
                // SAFETY: it was made by `zeroed` with the same length, and nobody else can reach it any more.
                drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, length(segment))) });
            }
        }
    }
}

/// Segment and offset of an element. With the first segment's length added, the highest bit of the index names the segment
/// and the bits below it are the offset.
#[inline(always)]
fn place(index: usize) -> (usize, usize) {
    let biased = index + (1 << FIRST);
    let top = (biased.leading_zeros() ^ 63) as usize & (SEGMENTS - 1);
    (top, biased & !(1 << top))
}

fn length(segment: usize) -> usize {
    1 << segment
}

/// Words that are zero and cost nothing until they are touched.
#[cfg(not(test))]
fn zeroed(length: usize) -> Option<*mut AtomicU64> {
    let layout = std::alloc::Layout::array::<AtomicU64>(length).ok()?;
    // SAFETY: the layout has at least one element; zero bytes are a valid `AtomicU64`.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    (!start.is_null()).then_some(start.cast())
}

/// The same for the atomic types of the tests, for which zero bytes are no valid value.
#[cfg(test)]
fn zeroed(length: usize) -> Option<*mut AtomicU64> {
    let words: Box<[AtomicU64]> = (0..length).map(|_| AtomicU64::new(0)).collect();
    Some(Box::into_raw(words).cast())
}
