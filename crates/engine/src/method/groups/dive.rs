//! Short depth-first searches, step by step: before a search by groups, and beside it where it does not get on.
//!
//! A search by groups takes all steps of a state before it enters any successor, and follows atomic sequences to all their ends.
//! Where one state has an atomic sequence with very many ends (an environment that chooses ten numbers among ten thousand), it
//! would never enter any of them, while a depth-first search is at the first one at once. So whoever has followed many steps
//! behind one state looks deep again, by as many steps and some more, and then goes on; each time with four times as many of
//! both. What a depth-first search finds after n steps is found after some n steps in this way, and what the search by groups
//! finds, too.

use crate::job::{Job, Store};
use crate::method::depth_first::{self, Few};
use crate::monitor::Monitor;
use crate::parts::ledger::{Flow, Ledger};
use crate::report::Report;
use starwheel_store::FlatSet;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Steps for each of the states that are still few, if not many of them lead to new ones.
const STEPS: u64 = 16;
/// The most bytes of states that are still few.
const BYTES: u64 = 64 << 20;
/// Steps behind one state after which another look goes deep, for the first time.
const PATIENCE: u64 = 1 << 18;
/// Steps of such a look for each of those.
const SHARE: u64 = 4;

/// The report of a short depth-first search, if that was asked for and there is no more to visit or to look for; its cycle
/// proviso is the one of [`depth_first`]. It is for an exact store, in which nothing was saved.
pub fn first(job: &Job<'_>, watch: &dyn Monitor) -> Option<Report> {
    let few = Few { states: job.dive, bytes: BYTES, steps: STEPS.saturating_mul(job.dive) };
    if suits(job) { depth_first::few(job, FlatSet::new(job.limits.memory), watch, few) } else { None }
}

fn suits(job: &Job<'_>) -> bool {
    let alone = matches!(job.store, Store::Auto | Store::Tree) && job.resume.is_none() && job.save.is_none();
    job.dive != 0 && alone
}

/// Further looks, each deeper than the one before, and what they found.
pub struct Deeper<'a> {
    job: &'a Job<'a>,
    watch: &'a dyn Monitor,
    started: Instant,
    /// Nobody else works, so that nobody waits for what is being done here.
    alone: bool,
    state: Mutex<State>,
}

struct State {
    /// Steps behind one state after which it is time for the next look.
    after: u64,
    answer: Option<Box<Report>>,
}

impl<'a> Deeper<'a> {
    /// None was taken so far; so many workers share the search.
    pub fn new(job: &'a Job<'a>, books: &Ledger<'a>, workers: usize) -> Deeper<'a> {
        let state = Mutex::new(State { after: PATIENCE, answer: None });
        Deeper { job, watch: books.watch(), started: books.started, alone: workers == 1, state }
    }

    /// Looks deep if that is due after so many steps behind one state; the search ends if that is the answer.
    pub fn look(&self, steps: u64) -> Flow {
        if steps < PATIENCE || !self.alone || !suits(self.job) {
            return Flow::Continue(());
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if steps < state.after {
            return Flow::Continue(());
        }
        let times = state.after / PATIENCE;
        let steps = SHARE.saturating_mul(state.after);
        state.after = state.after.saturating_mul(4);
        let few = Few { states: steps / STEPS, bytes: BYTES.saturating_mul(times), steps };
        // The clock goes on.
        let job = Job { started: Some(self.started), goal: self.job.goal.clone(), ..*self.job };
        let report = depth_first::few(&job, FlatSet::new(job.limits.memory), self.watch, few);
        // One that was broken off says less than the search that goes on, and that one notices the same limit.
        match report.filter(|report| report.stop.is_none() || !report.findings.is_empty()) {
            Some(report) => {
                state.answer = Some(Box::new(report));
                Flow::Break(None)
            }
            None => Flow::Continue(()),
        }
    }

    /// The answer, if one of the looks had it.
    pub fn answer(self) -> Option<Box<Report>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).answer
    }
}
