//! Looks at the clock and asks the monitor during work that may take long without reaching a new state: a leaf can have
//! billions of frames.

use crate::steps::core::Flow;
use starwheel_engine::{Monitor, Pace, Stop, Tick};
use std::time::{Duration, Instant};

/// Beats between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 12;

/// The pulse of a search.
pub struct Pulse<'m> {
    watch: &'m dyn Monitor,
    limit: Option<Duration>,
    started: Instant,
    pace: Pace,
    /// How far the search has come.
    pub tick: Tick,
}

impl<'m> Pulse<'m> {
    /// Begins now.
    pub fn new(watch: &'m dyn Monitor, limit: Option<Duration>) -> Pulse<'m> {
        Pulse { watch, limit, started: Instant::now(), pace: Pace::new(PERIOD), tick: Tick::default() }
    }

    /// One small piece of work was done.
    #[inline]
    pub fn beat(&mut self) -> Flow {
        if self.pace.due() { self.look() } else { Flow::Continue(()) }
    }

    #[cold]
    fn look(&mut self) -> Flow {
        let elapsed = self.started.elapsed();
        match self.limit {
            Some(limit) if elapsed >= limit => Flow::Break(Some(Stop::Time(limit))),
            _ => self.watch.progress(&Tick { elapsed, ..self.tick }).map_break(Some),
        }
    }
}
