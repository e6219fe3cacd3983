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
    /// What was counted at the last look.
    counts: Counts,
    /// Why work that is no search had to end.
    stopped: Option<Stop>,
}

impl<'a> Watch<'a> {
    pub fn new(monitor: &'a dyn Monitor, time: Option<Duration>) -> Watch<'a> {
        let (started, pace) = (Instant::now(), Pace::new(PERIOD));
        Watch { monitor, started, time, pace, counts: Counts::default(), stopped: None }
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// One step was made at this depth.
    pub fn step(&mut self, counts: &mut Counts, depth: usize) -> Result<(), Stop> {
        counts.depth = counts.depth.max(depth as u64);
        if self.pace.due() { self.look(counts, depth) } else { Ok(()) }
    }

    /// True if work behind a search, whose result is a run, has to end; it is then given up and [`Watch::why`] knows why.
    pub fn over(&mut self) -> bool {
        if self.stopped.is_none() && self.pace.due() {
            let counts = self.counts;
            self.stopped = self.look(&counts, counts.depth as usize).err();
        }
        self.stopped.is_some()
    }

    /// Why something was given up, if it was.
    pub fn why(&mut self) -> Option<Stop> {
        self.stopped.take()
    }

    fn look(&mut self, counts: &Counts, depth: usize) -> Result<(), Stop> {
        self.counts = *counts;
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
