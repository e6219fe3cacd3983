//! What is asked of a search.

use starwheel_model::{System, ViolationKind};
use std::time::Duration;

/// A system, what to look for in it, and how.
pub struct Job<'a> {
    /// The system to search.
    pub system: &'a dyn System,
    /// In which order to visit its states.
    pub search: Order,
    /// What counts as an error.
    pub checks: Checks,
    /// True to go on after the first error and count them all.
    pub all_errors: bool,
    /// When to give up.
    pub limits: Limits,
}

impl<'a> Job<'a> {
    /// A depth-first search for every kind of error, without limits, that ends at the first one.
    pub fn new(system: &'a dyn System) -> Job<'a> {
        Job { system, search: Order::Dfs, checks: Checks::default(), all_errors: false, limits: Limits::default() }
    }
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Depth first: little memory beside the store, trails as they come.
    #[default]
    Dfs,
    /// Breadth first: the first trail is a shortest one, counted in single steps.
    Bfs,
}

/// What counts as an error; run-time errors and violated traces always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Assertions that fail.
    pub assertions: bool,
    /// States without a step that are no valid end.
    pub end_states: bool,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks { assertions: true, end_states: true }
    }
}

impl Checks {
    /// True if a violation of this kind is an error.
    pub fn counts(&self, kind: ViolationKind) -> bool {
        match kind {
            ViolationKind::Assertion => self.assertions,
            ViolationKind::InvalidEndState => self.end_states,
            ViolationKind::RuntimeError | ViolationKind::Trace | ViolationKind::Claim => true,
            ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle => true,
        }
    }
}

/// When a search gives up; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Longest path that is followed, in steps; depth first, a handshake counts two.
    pub depth: Option<u64>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Most bytes that the store of states may use.
    pub memory: Option<u64>,
}
