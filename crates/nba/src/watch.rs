//! Looks at the clock and at the monitor while a search runs.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use starwheel_engine::{Monitor, Pace, Stop, Tick};

use crate::question::Counts;

/// Steps between two looks, at the most.
const PERIOD: u64 = 64;

/// Ends a search when its time is over or its monitor says so.
pub(crate) struct Watch<'a> {
    monitor: &'a dyn Monitor,
    started: Instant,
    time: Option<Duration>,
    pace: Pace,
}

impl<'a> Watch<'a> {
    pub fn new(monitor: &'a dyn Monitor, time: Option<Duration>) -> Watch<'a> {
        Watch { monitor, started: Instant::now(), time, pace: Pace::new(PERIOD) }
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// One step was made at this depth.
    pub fn step(&mut self, counts: &mut Counts, depth: usize) -> Result<(), Stop> {
        counts.depth = counts.depth.max(depth as u64);
        if self.pace.due() { self.look(counts, depth) } else { Ok(()) }
    }

    fn look(&mut self, counts: &Counts, depth: usize) -> Result<(), Stop> {
        let elapsed = self.started.elapsed();
        if let Some(time) = self.time.filter(|&time| elapsed >= time) {
            return Err(Stop::Time(time));
        }
        let (stored, matched, store_bytes) = (counts.stored, counts.matched, counts.store_bytes);
        match self.monitor.progress(&Tick { stored, matched, depth: depth as u64, store_bytes, waiting: None, elapsed })
        {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stop) => Err(stop),
        }
    }
}
