//! Lists of zeros in big pages: a random access to a large table then needs no walk through the page tables.

#![allow(unsafe_code)]

use crate::sync::AtomicU64;
#[cfg(not(test))]
use std::alloc::{Layout, alloc_zeroed};

/// Below this many bytes pages make no difference.
const LARGE: usize = 4 << 20;

/// So many zeros, each made by `zero`; none if there is no memory.
pub(crate) fn filled<T>(count: usize, zero: impl FnMut() -> T) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    if count.saturating_mul(size_of::<T>()) >= LARGE {
        advise(&mut list);
    }
    list.resize_with(count, zero);
    Some(list)
}

/// So many words of zeros, of which only those that are touched take memory and time; none if there is no memory.
#[cfg(not(test))]
pub(crate) fn untouched(count: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(count).ok().filter(|l| l.size() > 0)?;
    // SAFETY: the size is not zero.
    let start = unsafe { alloc_zeroed(layout) }.cast::<AtomicU64>();
    if start.is_null() {
        return None;
    }
    // SAFETY: the memory is the global allocator's, has the layout of a list with room for `count` words, and none of them is
    // in use yet.
    let mut list = unsafe { Vec::from_raw_parts(start, 0, count) };
    if layout.size() >= LARGE {
        advise(&mut list);
    }
    // SAFETY: there is room for them, and all bytes are zero, which is a word.
    unsafe { list.set_len(count) };
    Some(list.into_boxed_slice())
}

/// The same for the words of the scheduler that unit tests use, which are not made of zeros.
#[cfg(test)]
pub(crate) fn untouched(count: usize) -> Option<Box<[AtomicU64]>> {
    filled(count, || AtomicU64::new(0)).map(Vec::into_boxed_slice)
}

/// Tells the system that the memory behind a list, which is not touched yet, should lie in big pages. If it cannot be so,
/// nothing is lost.
#[cfg(target_os = "linux")]
fn advise<T>(list: &mut Vec<T>) {
    const PAGE: usize = 2 << 20;
    let space = list.spare_capacity_mut();
    let (start, bytes) = (space.as_mut_ptr().cast::<u8>(), size_of_val(space));
    let skip = start.align_offset(PAGE);
    let Some(bytes) = bytes.checked_sub(skip).map(|bytes| bytes / PAGE * PAGE).filter(|&bytes| bytes > 0) else {
        return;
    };
    // SAFETY: the range is inside the spare memory of the list, which we borrow mutably, and this advice changes no byte.
    let _ = unsafe { rustix::mm::madvise(start.add(skip).cast(), bytes, rustix::mm::Advice::LinuxHugepage) };
}

/// Other systems choose by themselves.
#[cfg(not(target_os = "linux"))]
fn advise<T>(_list: &mut Vec<T>) {}
