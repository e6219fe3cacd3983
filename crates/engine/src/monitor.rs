//! How a search tells what it does, and how it is told to stop.

use crate::report::{Finding, Stop};
use std::ops::ControlFlow;
use std::time::Duration;

/// Watches a search and may end it.
pub trait Monitor: Sync {
    /// Called at the start and then every few thousand steps; must be cheap.
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop>;

    /// Called once for each distinct error, as soon as its trail has been replayed.
    fn found(&self, finding: &Finding) -> ControlFlow<Stop>;
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tick {
    /// Distinct states so far.
    pub stored: u64,
    /// Arrivals at states that were known already.
    pub matched: u64,
    /// Depth of the search at this moment.
    pub depth: u64,
    /// Bytes that the store uses.
    pub store_bytes: u64,
    /// States that wait to be expanded, in searches that know; of several workers, those of one.
    pub waiting: Option<u64>,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// Watches nothing and never stops a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Monitor for Silent {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}
