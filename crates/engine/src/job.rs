//! What is asked of a search, in the terms of a program. Which combinations there are, the searches say themselves
//! ([`crate::facts`]), and [`crate::run`] refuses all others ([`crate::fit()`]).

use crate::parts::checkpoint::{CheckpointSink, CheckpointSource};
use crate::parts::scratch::ScratchDisk;
use starwheel_base::Span;
use starwheel_model::{System, Violation, ViolationKind};
use starwheel_reduce::Reducer;
use std::time::{Duration, Instant};

/// A system, what to look for in it, and how.
pub struct Job<'a> {
    /// The system to search.
    pub system: &'a dyn System,
    /// In which order to visit its states.
    pub search: Order,
    /// How many threads work on it.
    pub workers: usize,
    /// States that one worker stores before it shares the work: a short search is done by one alone, so that it goes the
    /// same way each time.
    pub patience: u64,
    /// How states are remembered.
    pub store: Store,
    /// States that [`Store::Auto`] and [`Store::Tree`] keep as they are before they move elsewhere, for [`Order::Groups`]; none
    /// if there is a tree from the beginning.
    pub plain: u64,
    /// States of a depth-first search, step by step, that comes before one by [`Order::Groups`]: an error that lies at the end
    /// of a long path is met soon by going deep, and late by going wide. If it ends by itself, it is the whole search; else
    /// the search begins anew. None if it is 0.
    pub dive: u64,
    /// What counts as an error.
    pub checks: Checks,
    /// True to go on after the first error and count them all.
    pub all_errors: bool,
    /// True to make each error a finding of its own, also if it is at the same place as one before.
    pub every_error: bool,
    /// True if lassos are made shorter; nobody reads those of a search that is asked for its verdict only.
    pub shortens: bool,
    /// When to give up.
    pub limits: Limits,
    /// What a cycle through an accepting state means, for the searches that look for one.
    pub goal: Goal,
    /// Says which steps need not be taken, for the searches that pay its cycle proviso.
    pub reducer: Option<&'a dyn Reducer>,
    /// When the search began, if it goes on with what another one found out.
    pub started: Option<Instant>,
    /// Which runs without end count, for the searches that look for cycles; `None` for all.
    pub fairness: Option<Fairness>,
    /// Tells how many bytes of memory the whole program holds; with it, the limit of memory is for all of them.
    pub resident: Option<fn() -> u64>,
    /// Room on the disk for what memory does not hold; a search by [`Order::Bfs`] then goes level by level.
    pub scratch: Option<&'a dyn ScratchDisk>,
    /// Where to save the search now and then, and when it ends early.
    pub save: Option<&'a dyn CheckpointSink>,
    /// The search to go on with, which must be one of the same system, store and checks.
    pub resume: Option<&'a dyn CheckpointSource>,
}

/// Which runs without end count: those in which no process is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// A process that can move in all states from some point on moves again and again.
    Weak,
    /// A process that can move again and again moves again and again.
    Strong,
}

/// What the searches for cycles look for, and what they say when they find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The kind of violation.
    pub kind: ViolationKind,
    /// One sentence for people.
    pub message: String,
    /// Where in the source.
    pub span: Span,
    /// True if an accepting state without steps counts as a cycle: the system stays there for ever.
    pub stutter: bool,
}

impl Default for Goal {
    fn default() -> Goal {
        let message = "a run can pass an accepting state again and again".to_string();
        Goal { kind: ViolationKind::AcceptanceCycle, message, span: Span::default(), stutter: true }
    }
}

impl Goal {
    /// The goal as a violation.
    pub fn violation(&self) -> Violation {
        Violation { kind: self.kind, message: self.message.clone(), span: self.span, actor: None }
    }
}

impl<'a> Job<'a> {
    /// A depth-first search for every kind of error, without limits, that ends at the first one.
    pub fn new(system: &'a dyn System) -> Job<'a> {
        Job {
            system,
            search: Order::Dfs,
            workers: 1,
            patience: 1 << 15,
            store: Store::Auto,
            plain: 1 << 18,
            dive: 0,
            checks: Checks::default(),
            all_errors: false,
            every_error: false,
            shortens: true,
            limits: Limits::default(),
            goal: Goal::default(),
            reducer: None,
            started: None,
            fairness: None,
            resident: None,
            scratch: None,
            save: None,
            resume: None,
        }
    }
}

/// How states are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Store {
    /// As suits the search, always exact: as packed numbers by [`Order::Groups`] where states pack, else as trees.
    #[default]
    Auto,
    /// As trees of parts: exact and small.
    Tree,
    /// As they are: exact and simple; one worker.
    Flat,
    /// As 64 bits of a hash: two states may be taken for one.
    Compact,
    /// As a few bits of an array of so many bytes: states may be taken for known ones.
    Bitstate {
        /// Size of the array.
        bytes: u64,
    },
    /// As the words of a minimised automaton: exact, very small, slow; one worker. It cannot give states back.
    Dfa,
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Depth first: little memory beside the store, trails as they come.
    #[default]
    Dfs,
    /// Depth first, but breadth first once a path was cut at the limit of depth, so that nothing within it is left out.
    Within,
    /// Breadth first: the first trail is a shortest one, counted in single steps.
    Bfs,
    /// By groups of states, roughly depth first: the fastest, and the one for several workers.
    Groups,
    /// Nested depth first: also looks for cycles through an accepting state.
    Ndfs,
    /// The same with all steps of a state at once: faster, and for several workers.
    Cndfs,
    /// Depth first by strongly connected components: also looks for cycles through an accepting state.
    Scc,
}

/// What counts as an error; the end of a claim and the cycles that are looked for always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Assertions that fail.
    pub assertions: bool,
    /// States without a step that are no valid end.
    pub end_states: bool,
    /// Run-time errors and violated traces; what follows them is not visited in any case.
    pub run_time: bool,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks { assertions: true, end_states: true, run_time: true }
    }
}

impl Checks {
    /// True if a violation of this kind is an error.
    pub fn counts(&self, kind: ViolationKind) -> bool {
        match kind {
            ViolationKind::Assertion => self.assertions,
            ViolationKind::InvalidEndState => self.end_states,
            ViolationKind::RuntimeError | ViolationKind::Trace => self.run_time,
            ViolationKind::Claim | ViolationKind::AcceptanceCycle => true,
            ViolationKind::NonProgressCycle | ViolationKind::TimeStops => true,
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
    /// The number of errors that are enough; it counts only if the search goes on after the first one.
    pub errors: Option<u64>,
}
