//! Work that workers hand to each other, and how they notice that there is none left.

use crate::swift::frontier::Frontier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where workers meet.
pub struct Pool {
    state: Mutex<State>,
    bell: Condvar,
    /// Workers that wait for work which nobody has promised yet; a hint.
    hungry: AtomicUsize,
    stopped: AtomicBool,
    workers: usize,
}

struct State {
    offers: Vec<Frontier>,
    idle: usize,
}

impl Pool {
    /// A pool for so many workers, and the work to begin with.
    pub fn new(workers: usize, first: Frontier) -> Pool {
        Pool {
            state: Mutex::new(State { offers: vec![first], idle: 0 }),
            bell: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            workers,
        }
    }

    /// True if somebody would like to have work.
    pub fn hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// True if all should stop.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Tells all workers to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _guard = self.lock();
        self.bell.notify_all();
    }

    /// Gives work away.
    pub fn give(&self, part: Frontier) {
        let mut state = self.lock();
        state.offers.push(part);
        self.count(&state);
        self.bell.notify_one();
    }

    /// Waits for work; `None` if all work is done or all should stop.
    pub fn wait(&self) -> Option<Frontier> {
        let mut state = self.lock();
        state.idle += 1;
        loop {
            if self.stopped() || (state.offers.is_empty() && state.idle == self.workers) {
                self.bell.notify_all();
                return None;
            }
            if let Some(part) = state.offers.pop() {
                state.idle -= 1;
                self.count(&state);
                return Some(part);
            }
            self.count(&state);
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self, state: &State) {
        self.hungry.store(state.idle.saturating_sub(state.offers.len()), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
