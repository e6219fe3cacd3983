//! Work that workers hand to each other, and how they notice that there is none left.

use crate::parts::frontier::Frontier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where workers meet.
pub struct Pool {
    state: Mutex<State>,
    bell: Condvar,
    /// Workers that wait for work which nobody has promised yet; a hint.
    hungry: AtomicUsize,
    /// All should stop between two groups; the search may go on with another store.
    stopped: AtomicBool,
    /// All should stop at once: the search is over.
    broken_off: AtomicBool,
    /// True while all workers come together, so that the search can be saved.
    resting: AtomicBool,
    workers: usize,
}

/// What a worker does next.
pub enum Turn {
    /// Exhaust this.
    Work(Box<Frontier>),
    /// Save the search, of which this waits, and give it back with [`Pool::go_on`]. All others rest.
    Save(Vec<Frontier>),
    /// Nothing: all work is done, or all should stop.
    Done,
}

struct State {
    offers: Vec<Frontier>,
    idle: usize,
}

impl Pool {
    /// A pool for so many workers, and the work to begin with.
    pub fn new(workers: usize, offers: Vec<Frontier>) -> Pool {
        Pool {
            state: Mutex::new(State { offers, idle: 0 }),
            bell: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            broken_off: AtomicBool::new(false),
            resting: AtomicBool::new(false),
            workers,
        }
    }

    /// True if somebody would like to have work.
    pub fn hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// True if all should stop between two groups.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// True if there is one worker only.
    pub fn alone(&self) -> bool {
        self.workers == 1
    }

    /// True if nobody goes on, and what anybody is in the middle of is lost.
    pub fn broken_off(&self) -> bool {
        self.broken_off.load(Ordering::Relaxed)
    }

    /// Tells all workers that the search is over.
    pub fn break_off(&self) {
        self.broken_off.store(true, Ordering::Relaxed);
        self.stop();
    }

    /// Tells all workers to stop when they are through with what they are in the middle of.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _guard = self.lock();
        self.bell.notify_all();
    }

    /// True if workers should come back to the pool with what they have.
    pub fn halted(&self) -> bool {
        self.stopped() || self.resting.load(Ordering::Relaxed)
    }

    /// Calls all workers together, so that the search can be saved.
    pub fn rest(&self) {
        self.resting.store(true, Ordering::Relaxed);
        let _guard = self.lock();
        self.bell.notify_all();
    }

    /// Ends the rest, and gives back what waits.
    pub fn go_on(&self, offers: Vec<Frontier>) {
        let mut state = self.lock();
        state.offers = offers;
        self.resting.store(false, Ordering::Relaxed);
        self.count(&state);
        self.bell.notify_all();
    }

    /// What nobody has taken, after the end.
    pub fn left(self) -> Vec<Frontier> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).offers
    }

    /// Gives work away.
    pub fn give(&self, part: Frontier) {
        let mut state = self.lock();
        state.offers.push(part);
        self.count(&state);
        self.bell.notify_one();
    }

    /// Waits for something to do.
    pub fn wait(&self) -> Turn {
        let mut state = self.lock();
        state.idle += 1;
        loop {
            if self.stopped() || (state.offers.is_empty() && state.idle == self.workers) {
                self.bell.notify_all();
                return Turn::Done;
            }
            if self.resting.load(Ordering::Relaxed) {
                if state.idle == self.workers {
                    state.idle -= 1;
                    return Turn::Save(std::mem::take(&mut state.offers));
                }
            } else if let Some(part) = state.offers.pop() {
                state.idle -= 1;
                self.count(&state);
                return Turn::Work(Box::new(part));
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
