//! What a search says at its end.

use crate::job::Order;
use starwheel_model::{Step, Violation};
use std::fmt;
use std::time::Duration;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the search proves.
    pub outcome: Outcome,
    /// Evidence that every reachable state was visited exactly, whatever was found there.
    pub complete: Option<Complete>,
    /// Why the search ended early, if it did so for another reason than an error.
    pub stop: Option<Stop>,
    /// How often something went wrong: each failing execution, each stuck state.
    pub errors: u64,
    /// The distinct errors (by kind and place), each with its first trail.
    pub findings: Vec<Finding>,
    /// What was counted.
    pub stats: Stats,
    /// By transition: true if it was executed at least once.
    pub reached: Vec<bool>,
    /// The order in which states were visited in the end.
    pub search: Order,
    /// The number of threads that took part.
    pub workers: usize,
    /// True if its states were packed in the end.
    pub packed: bool,
    /// What the user should know besides.
    pub warnings: Vec<String>,
}

/// What a search proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every state was visited, and none of them and none of their steps is wrong.
    Holds(Complete),
    /// Something is wrong; a trail shows it, and has been replayed.
    Violated,
    /// Nothing was found, but this much may have been missed.
    Unrefuted(Gap),
    /// The search ended early and found nothing until then.
    Stopped(Stop),
}

/// Evidence of a complete and exact search; only a search can make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complete(());

impl Complete {
    /// The evidence, if a search came to its end and nothing was cut off or forgotten.
    pub(crate) fn of(finished: bool, stop: Option<&Stop>, gap: Option<Gap>) -> Option<Complete> {
        (finished && stop.is_none() && gap.is_none()).then_some(Complete(()))
    }

    /// The gate to [`Outcome::Holds`]: nothing found, nothing cut off, nothing forgotten.
    pub(crate) fn conclude(violated: bool, stop: Option<Stop>, gap: Option<Gap>) -> Outcome {
        match (stop, gap) {
            // A trail that cannot be replayed casts doubt on everything else that was found.
            (Some(stop @ Stop::Internal(_)), _) => Outcome::Stopped(stop),
            _ if violated => Outcome::Violated,
            (Some(stop), _) => Outcome::Stopped(stop),
            (None, Some(gap)) => Outcome::Unrefuted(gap),
            (None, None) => Outcome::Holds(Complete(())),
        }
    }
}

/// What a search that ran to its end may have missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The store may take two different states for the same one.
    LossyStore,
    /// A run that never leaves an atomic sequence: it is infinite, but passes no state where a cycle could be seen.
    EndlessAtomic,
    /// A run that ends with a run-time error, seen only in a search that does not follow it to the very state.
    RunTimeError,
}

/// Why a search ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Paths were cut at this depth.
    Depth(u64),
    /// The time was used up.
    Time(Duration),
    /// The store has reached the limit of this many bytes.
    Memory(u64),
    /// The store can number no more states, or the machine gives no more memory.
    StoreFull,
    /// The disk could not be used.
    Disk(String),
    /// One of several processes is gone, or cannot be understood: in words.
    Lost(String),
    /// The user stopped the search.
    Interrupted,
    /// Another search has found an error, and one is enough.
    Settled,
    /// The search contradicts itself: an error of the tool, not of the model.
    Internal(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Depth(depth) => write!(f, "paths were cut at depth {depth}"),
            Stop::Time(time) => write!(f, "the time limit of {} s was reached", time.as_secs_f64()),
            Stop::Memory(bytes) => write!(f, "the memory limit of {bytes} bytes was reached"),
            Stop::StoreFull => write!(f, "the store of states is full"),
            Stop::Disk(why) => write!(f, "the disk could not be used: {why}"),
            Stop::Lost(why) => write!(f, "{why}"),
            Stop::Interrupted => write!(f, "the search was interrupted"),
            Stop::Settled => write!(f, "another property is violated, and one is enough"),
            Stop::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}

/// One distinct error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub violation: Violation,
    /// The steps from the initial state to it; the violation happens in the last step or in the state after it.
    pub trail: Vec<Step>,
    /// For a run without end: the steps of the trail from this one on are repeated for ever. If there are none, the
    /// system stays where it is.
    pub cycle_start: Option<usize>,
    /// How often it happened.
    pub events: u64,
}

/// What a search counted.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Stats {
    /// Distinct states, the initial one included.
    pub states_stored: u64,
    /// Arrivals at states that were known already.
    pub states_matched: u64,
    /// Stored and matched together: the edges between stored states, and one for the initial state.
    pub transitions: u64,
    /// Steps into transient states.
    pub atomic_steps: u64,
    /// Steps of the clock.
    pub ticks: u64,
    /// Depth first: the longest path followed, where a handshake counts two. Breadth first: the greatest distance.
    pub max_depth: u64,
    /// In a decoupled search: the decoupled states, each of which stands for many.
    pub decoupled_states: Option<u64>,
    /// If several processes shared the search: what went between them.
    pub net: Option<Net>,
    /// Bytes of the longest state, hidden part included.
    pub state_bytes: u64,
    /// Bytes that the store used.
    pub store_bytes: u64,
    /// Time in seconds.
    pub seconds: f64,
}

/// What went between the processes of a search.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Net {
    /// How many processes there were.
    pub processes: u64,
    /// Packets that were sent.
    pub messages: u64,
    /// Bytes that were sent, with everything that surrounds them.
    pub bytes: u64,
    /// Arrivals at states from another process.
    pub remote: u64,
    /// The most states that one process holds, as a part of what each would hold if all held the same.
    pub balance: f64,
}
