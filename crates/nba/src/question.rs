//! What is asked about a network, and what is answered.

use std::time::Duration;

use starwheel_engine::{Method, Stop};

use crate::lasso::Lasso;
use crate::net::{ComponentId, Local, Network};
use crate::{explicit, scc, split};

/// How accepting runs are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// State by state of the composed network.
    Explicit,
    /// Decoupled nested search with reference-state splits.
    #[default]
    Split,
    /// Decoupled search by strongly connected components.
    Scc,
}

impl Engine {
    /// The searches and what they say about themselves. Of those that fit a wish, the first is taken.
    pub const METHODS: [(&Method, Engine); 3] =
        [(&split::SPLIT, Engine::Split), (&scc::SCC, Engine::Scc), (&explicit::EXPLICIT, Engine::Explicit)];
}

/// Which runs are accepting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// Those in which all components are in accepting states at the same time again and again.
    #[default]
    Together,
    /// Those in which each component is in an accepting state again and again, each at its own times.
    Each,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question {
    /// How to search.
    pub engine: Engine,
    /// Which runs are accepting.
    pub acceptance: Acceptance,
    /// The longest time.
    pub time: Option<Duration>,
    /// The most bytes that the store of composed states may use.
    pub memory: Option<u64>,
}

/// What a search proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No run is accepting: the search was complete.
    Empty(Emptiness),
    /// This run is; it was followed step by step in the composed network.
    Run(Lasso),
    /// An accepting run exists, but its cycle is closed only after this many steps, more than anybody can check.
    TooLong(u128),
    /// The search ended early.
    Stopped(Stop),
}

/// Evidence of a search that came to its end without an accepting run; only [`crate::check`] can make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emptiness(pub(crate) ());

impl Answer {
    /// True if no run is accepting.
    pub fn is_empty(&self) -> bool {
        matches!(self, Answer::Empty(_))
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// States stored: of the composed network, or decoupled ones.
    pub stored: u64,
    /// Arrivals at states that were known already, or that others cover.
    pub matched: u64,
    /// The longest path.
    pub depth: u64,
    /// Bytes for one state; the largest one if they differ.
    pub state_bytes: u64,
    /// Bytes for the states stored.
    pub store_bytes: u64,
    /// Distinct sets of local states, all components together; none in an explicit search.
    pub leaf_sets: u64,
}

/// The answer and what it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// What was counted.
    pub counts: Counts,
    /// Time in seconds.
    pub seconds: f64,
}

/// Acceptance as a row of tests; each names the components that have to be in accepting states at one time, and a run
/// is accepting if it passes all of them again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stages(Vec<Vec<ComponentId>>);

impl Stages {
    /// The tests; there is one at least. Components all of whose states accept need none.
    pub fn new(net: &Network, acceptance: Acceptance) -> Stages {
        let ids = (0..net.components.len() as u32).map(ComponentId);
        let mut picky: Vec<ComponentId> = ids.filter(|&c| net.component(c).accepting.contains(&false)).collect();
        Stages(match acceptance {
            Acceptance::Each if picky.len() > 1 => {
                // The rarest first: nested searches start there.
                picky.sort_by_key(|&c| net.component(c).accepting.iter().filter(|a| **a).count());
                picky.into_iter().map(|c| vec![c]).collect()
            }
            _ => vec![picky],
        })
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn of(&self, stage: usize) -> &[ComponentId] {
        &self.0[stage]
    }

    /// True if a composed state passes the test.
    pub fn passes(&self, net: &Network, stage: usize, state: &[Local]) -> bool {
        self.0[stage].iter().all(|&c| net.component(c).accepting[state[c.index()].index()])
    }
}
