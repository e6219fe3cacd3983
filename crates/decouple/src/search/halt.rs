//! Ends the work of all workers when one of them has a reason to.

use crate::lock;
use starwheel_engine::{Finding, Monitor, Stop, Tick};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Passes on what the monitor says, and whether the search has come to an end.
pub struct Halt<'a> {
    watch: &'a dyn Monitor,
    ended: AtomicBool,
    /// Why, if not because enough was found.
    why: Mutex<Option<Option<Stop>>>,
}

impl<'a> Halt<'a> {
    /// Nothing has ended yet.
    pub fn new(watch: &'a dyn Monitor) -> Halt<'a> {
        Halt { watch, ended: AtomicBool::new(false), why: Mutex::new(None) }
    }

    /// Ends the search; the first reason counts.
    pub fn end(&self, why: Option<Stop>) {
        self.ended.store(true, Ordering::Relaxed);
        lock(&self.why).get_or_insert(why);
    }

    /// True if the search has ended.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Why the search has ended, if it has before its time.
    pub fn why(&self) -> Option<Option<Stop>> {
        lock(&self.why).take()
    }
}

impl Monitor for Halt<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if self.ended() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        self.watch.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        self.watch.found(finding)
    }
}
