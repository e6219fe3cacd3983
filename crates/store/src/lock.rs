//! Exclusive access to a value, for one thread or for many: the two variants of a store differ in this type alone.

#![allow(unsafe_code)]

use crate::sync::{AtomicBool, Ordering, pause};
use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};

/// How exclusive access is won.
///
/// # Safety
///
/// Between `acquire` and the `release` that follows it, no other call of `acquire` on the same lock may return, and what
/// was written before `release` is seen after the next `acquire`.
pub unsafe trait Lock: Default + Send + 'static {
    /// True if only one thread can ever use the lock.
    const ALONE: bool;

    /// Returns when access is won.
    fn acquire(&self);

    /// Gives access up.
    fn release(&self);
}

/// The lock of a store that belongs to one thread: it costs a plain byte and is not `Sync`.
#[derive(Debug, Default)]
pub struct Private(Cell<bool>);

// SAFETY: the type is not `Sync`, so all calls come from one thread at a time, and the flag refuses to be set twice.
unsafe impl Lock for Private {
    const ALONE: bool = true;

    #[inline(always)]
    fn acquire(&self) {
        assert!(!self.0.replace(true), "a store was entered while it was in use");
    }

    #[inline(always)]
    fn release(&self) {
        self.0.set(false);
    }
}

/// The lock of a store that many threads share: it is held for tens of nanoseconds, so waiting is spinning.
#[derive(Debug, Default)]
pub struct Spin(AtomicBool);

// SAFETY: only the thread that changes the flag from false to true goes on; `Acquire` and `Release` order what it wrote.
unsafe impl Lock for Spin {
    const ALONE: bool = false;

    #[inline(always)]
    fn acquire(&self) {
        let mut round = 0;
        while self.0.swap(true, Ordering::Acquire) {
            while self.0.load(Ordering::Relaxed) {
                pause(round);
                round = round.saturating_add(1);
            }
        }
    }

    #[inline(always)]
    fn release(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A value and its lock, on cache lines of their own; the lock is on the first of them.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Guarded<T, L> {
    lock: L,
    value: UnsafeCell<T>,
}

// SAFETY: a reference to the value exists only while the lock is held, which is one at a time; so sharing the pair between
// threads passes the value from thread to thread.
unsafe impl<T: Send, L: Lock + Sync> Sync for Guarded<T, L> {}

impl<T, L: Lock> Guarded<T, L> {
    /// A value that nobody uses yet.
    pub fn new(value: T) -> Guarded<T, L> {
        Guarded { lock: L::default(), value: UnsafeCell::new(value) }
    }

    /// Waits for exclusive access.
    #[inline(always)]
    pub fn lock(&self) -> Guard<'_, T, L> {
        self.lock.acquire();
        Guard { of: self }
    }
}

/// Exclusive access, given up when it is dropped.
pub(crate) struct Guard<'a, T, L: Lock> {
    of: &'a Guarded<T, L>,
}

impl<T, L: Lock> Deref for Guard<'_, T, L> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the guard exists, so the lock is held and nobody else has a reference.
        unsafe { &*self.of.value.get() }
    }
}

impl<T, L: Lock> DerefMut for Guard<'_, T, L> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { &mut *self.of.value.get() }
    }
}

impl<T, L: Lock> Drop for Guard<'_, T, L> {
    #[inline(always)]
    fn drop(&mut self) {
        self.of.lock.release();
    }
}
