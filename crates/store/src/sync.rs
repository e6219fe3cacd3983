//! The atomic types of the shared stores; unit tests replace them by those of a scheduler that tries many interleavings.

#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

#[cfg(test)]
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// Waits a moment for another thread.
#[cfg(not(test))]
pub(crate) fn pause(round: u32) {
    // A holder that was descheduled is not helped by spinning.
    if round < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
}

/// Lets the scheduler of the tests choose another thread.
#[cfg(test)]
pub(crate) fn pause(_round: u32) {
    shuttle::thread::yield_now();
}
