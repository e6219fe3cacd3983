//! Where workers wait until a search is worth the while of several, and how all are told to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// States that one worker stores before the others begin. Short searches are done by one alone, so that they go the same
/// way each time.
const WARM: u64 = 1 << 15;

/// The gate.
#[derive(Debug, Default)]
pub struct Gate {
    /// None while it is shut; then whether there is work behind it.
    open: Mutex<Option<bool>>,
    bell: Condvar,
    opened: AtomicBool,
    stopped: AtomicBool,
    /// States stored so far; a little behind.
    stored: AtomicU64,
}

impl Gate {
    /// A gate that opens when the search gets long, or is open.
    pub fn new(open: bool) -> Gate {
        let gate = Gate::default();
        if open {
            gate.decide(true);
        }
        gate
    }

    /// Counts states; opens the gate if they are enough.
    pub fn count(&self, stored: u64) -> u64 {
        let all = self.stored.fetch_add(stored, Ordering::Relaxed) + stored;
        if all >= WARM && !self.opened.load(Ordering::Relaxed) {
            self.decide(true);
        }
        all
    }

    /// Waits before the gate; false if there is nothing left to do.
    pub fn pass(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *open {
                Some(work) => return work && !self.stopped(),
                None => open = self.bell.wait(open).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Those who have not begun need not begin.
    pub fn finish(&self) {
        self.decide(false);
    }

    /// Tells all workers to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.decide(false);
    }

    /// True if all should stop.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Opens the gate, unless it is open.
    fn decide(&self, work: bool) {
        self.opened.store(true, Ordering::Relaxed);
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(work);
        self.bell.notify_all();
    }
}

/// Stops all workers if the thread that holds it fails, so that nobody waits for it.
pub struct Alarm<'a>(pub &'a Gate);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
