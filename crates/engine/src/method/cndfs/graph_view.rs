//! What a nested search stands on: a graph whose nodes have names, and marks on them that all workers see.

use crate::parts::ledger::Flow;
use starwheel_store::StateRef;

/// The first search of some worker has left the state.
pub const BLUE: u8 = 1;
/// No accepting cycle can be reached from here that has not been found.
pub const RED: u8 = 2;
/// The state is accepting.
pub const ACCEPTING: u8 = 4;
/// The number of marks that all workers share; a few workers have one of their own each.
pub const SHARED: u32 = 3;

/// The graph as one worker sees it.
pub trait GraphView {
    /// Writes down the successors of a state, given its hidden bytes; breaks if there is no room for them or if it is
    /// time to stop. How far the search is, is for whoever looks on.
    fn expand(
        &mut self,
        at: StateRef,
        hidden: &[u8],
        progress: impl Fn() -> Progress,
        out: &mut Successors,
    ) -> Flow<Seen>;

    /// The marks of a state; none if nobody has been there.
    fn marks(&mut self, at: StateRef) -> Option<u8>;

    /// Adds a state with marks if nobody has been there; else its marks.
    fn put(&mut self, at: StateRef, marks: u8) -> Flow<Option<u8>>;

    /// Takes marks of a state away, then sets others; the old ones.
    fn change(&mut self, at: StateRef, take: u8, set: u8) -> u8;

    /// Waits a moment for another worker, longer in later rounds.
    fn wait(&mut self, round: u32) -> Flow;

    /// Reports what went wrong when the last state of a route was expanded.
    fn report(&mut self, route: impl Fn() -> Route) -> Flow;

    /// Reports a cycle: the last state of the route leads back to the one at this place, or stays where it is if there is
    /// none.
    fn cycle(&mut self, route: impl FnOnce() -> Option<(Route, usize)>) -> Flow;
}

/// A way from the initial state: stored states, with their hidden bytes.
pub type Route = Vec<(StateRef, Vec<u8>)>;

/// The successors of a state.
#[derive(Debug, Default)]
pub struct Successors {
    /// Their names.
    pub names: Vec<StateRef>,
    /// Their hidden bytes, as many for each.
    pub hidden: Vec<u8>,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The states on its way.
    pub depth: u64,
    /// The successors of theirs that wait.
    pub waiting: u64,
}

impl Successors {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.names.clear();
        self.hidden.clear();
    }
}

/// What there is to know of a state that was expanded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// It is accepting.
    pub accepting: bool,
    /// It has no step, and a run that ends there counts as one that stays there.
    pub stays: bool,
    /// Something went wrong.
    pub wrong: bool,
    /// Steps into transient states.
    pub atomic_steps: u32,
    /// Arrivals at successors that are among the others already.
    pub repeated: u32,
    /// Steps of the clock among them.
    pub ticks: u32,
}
