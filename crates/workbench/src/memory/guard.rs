//! Keeps to a limit of memory with everything that the program holds, not only with the store of a search.

use crate::memory::rss;
use starwheel_engine::{Finding, Monitor, Stop, Tick};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

/// Time between two looks at the memory of the whole program.
const LOOK: Duration = Duration::from_millis(10);

/// Keeps to the memory limit with everything that a search needs, not only with its store.
pub struct MemoryGuard<'a> {
    monitor: &'a dyn Monitor,
    limit: Option<u64>,
    /// The store may need this part of its size at once, when its tables grow; zero for one that keeps to the limit itself.
    jumps: u64,
    looked: Mutex<Duration>,
}

impl<'a> MemoryGuard<'a> {
    /// Passes on what a search tells, and stops it at the limit.
    pub fn new(monitor: &'a dyn Monitor, limit: Option<u64>) -> MemoryGuard<'a> {
        MemoryGuard { monitor, limit, jumps: 0, looked: Mutex::new(Duration::ZERO) }
    }

    /// For a search whose tables grow without asking whether there is room: it is stopped while a third of their size is left,
    /// which is about what the largest one takes when it doubles.
    pub fn of_growing_tables(self) -> MemoryGuard<'a> {
        MemoryGuard { jumps: 3, ..self }
    }

    fn exceeded(&self, tick: &Tick) -> Option<Stop> {
        let limit = self.limit?;
        let mut looked = self.looked.lock().ok()?;
        if tick.elapsed < *looked + LOOK {
            return None;
        }
        *looked = tick.elapsed;
        let jump = tick.store_bytes.checked_div(self.jumps).unwrap_or(0);
        (rss::current_rss() + jump > limit).then_some(Stop::Memory(limit))
    }
}

impl Monitor for MemoryGuard<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        match self.exceeded(tick) {
            Some(stop) => ControlFlow::Break(stop),
            None => self.monitor.progress(tick),
        }
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        self.monitor.found(finding)
    }
}
