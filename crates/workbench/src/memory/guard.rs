//! Keeps to a limit of memory with everything that the program holds, not only with the store of a search.

use crate::memory::rss;
use starwheel_engine::{Finding, Monitor, Stop, Tick};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

/// Time between two looks at the memory of the whole program.
const LOOK: Duration = Duration::from_millis(10);
/// The part of the limit by which a store may have grown since the last look: a quick machine fills a small limit in no time.
const GROWTH: u64 = 64;

/// Keeps to the memory limit with everything that a search needs, not only with its store.
pub struct MemoryGuard<'a> {
    monitor: &'a dyn Monitor,
    limit: Option<u64>,
    /// The store may need this part of its size at once, when its tables grow; zero for one that keeps to the limit itself.
    jumps: u64,
    /// When it was looked last, and what the store held then.
    looked: Mutex<(Duration, u64)>,
}

impl<'a> MemoryGuard<'a> {
    /// Passes on what a search tells, and stops it at the limit.
    pub fn new(monitor: &'a dyn Monitor, limit: Option<u64>) -> MemoryGuard<'a> {
        MemoryGuard { monitor, limit, jumps: 0, looked: Mutex::default() }
    }

    /// For a search whose tables grow without asking whether there is room: it is stopped while a third of their size is left,
    /// which is about what the largest one takes when it doubles.
    pub fn of_growing_tables(self) -> MemoryGuard<'a> {
        MemoryGuard { jumps: 3, ..self }
    }

    fn exceeded(&self, tick: &Tick) -> Option<Stop> {
        let limit = self.limit?;
        let mut looked = self.looked.lock().ok()?;
        if tick.elapsed < looked.0 + LOOK && tick.store_bytes < looked.1 + limit / GROWTH {
            return None;
        }
        *looked = (tick.elapsed, tick.store_bytes);
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
