//! Asks for memory before it is needed, so that many cache misses are waited for together.

#![allow(unsafe_code)]

/// Asks the processor to fetch the cache line of an item.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint that reads nothing the program can see; the address is inside `items` anyway.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}

/// Asks the processor to fetch the cache line of an address, whether there is memory or not.
#[inline(always)]
pub(crate) fn prefetch_address(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint that reads nothing the program can see, and that does nothing if there is no such memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address as usize)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
