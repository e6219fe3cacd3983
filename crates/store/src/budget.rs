//! The bytes that a store may use: every table asks here before it allocates.

use crate::sync::{AtomicU64, Ordering};

/// A limit and what is used of it.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    used: AtomicU64,
    /// What others use, as far as that is known; the limit is for all together.
    besides: AtomicU64,
}

impl Budget {
    /// At most `limit` bytes; without a limit only the machine says no.
    pub fn new(limit: Option<u64>) -> Budget {
        Budget { limit: limit.unwrap_or(u64::MAX), used: AtomicU64::new(0), besides: AtomicU64::new(0) }
    }

    /// Reserves bytes; false, and nothing is reserved, if that would exceed the limit.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let others = self.besides.load(Ordering::Relaxed);
        let fits = before.saturating_add(bytes).saturating_add(others) <= self.limit;
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    /// Takes bytes that are in use already, by somebody who asked [`Budget::free`] before.
    pub fn charge(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// What nobody has reserved.
    pub fn free(&self) -> u64 {
        let others = self.besides.load(Ordering::Relaxed);
        self.limit.saturating_sub(self.used()).saturating_sub(others)
    }

    /// Gives reserved bytes back.
    pub fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Says how many bytes others use.
    pub fn set_besides(&self, bytes: u64) {
        self.besides.store(bytes, Ordering::Relaxed);
    }

    /// What is reserved.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}
