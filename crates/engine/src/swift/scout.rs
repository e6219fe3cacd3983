//! A short search ahead of a long one, from which the tree store learns how to split states.
//!
//! Most searches are over before the scout stops; its report is the answer then. Otherwise it has seen enough states to tell
//! which words vary together, and the search starts again, with a store made for this model. The states that are
//! visited twice are few compared to those that follow.

use crate::job::Job;
use crate::monitor::{Monitor, Tick};
use crate::report::{Finding, Report, Stop};
use crate::search::ledger::{Flow, Key, key};
use crate::swift::expander::Expander;
use crate::swift::memory::{Arrived, Exact, Memory};
use crate::swift::{marks, search};
use starwheel_model::System;
use starwheel_store::{Exactness, PrivateTree, Split, Usage};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// States that a scout stores at most.
pub const FAR: usize = 1 << 13;
/// Steps into states that are only passed through, for each step of a walk; where chains are longer, the walk is shorter.
const PASSING: u64 = 64;
/// The pauses of a chain that a walk waits for.
const PAUSES: u32 = 8;
/// One of so many is kept.
pub const SHARE: usize = 4;

/// The report of the search, if it is short; else the rule to split its states by. The monitor is then ready for the search
/// to come. Nobody is sent ahead if the work is to be shared from the first state on.
pub fn scout(job: &Job<'_>, watch: &mut Once<'_>) -> Result<Report, Split> {
    if job.patience == 0 {
        return Err(Split::default());
    }
    let (limit, hidden) = (job.limits.memory, job.system.hidden_bytes());
    let sample = Arc::new(Mutex::new(Sample::default()));
    let inner = Exact::new(PrivateTree::new(limit, marks(job)), hidden);
    let memory = Scout { inner, hidden, sample: Arc::clone(&sample) };
    let report = search(job, vec![memory], watch, Instant::now(), None);
    let sample = sample.lock().unwrap_or_else(PoisonError::into_inner);
    if sample.stored <= FAR {
        return Ok(report);
    }
    watch.begin_again();
    Err(learn(job.system, &sample.states))
}

/// A rule to split the states of a system by, learned from some that were seen and from a random walk.
pub fn learn(system: &dyn System, seen: &[Vec<u8>]) -> Split {
    let walked = stroll(system, FAR, SHARE);
    Split::choose(&seen.iter().chain(&walked).map(|state| &state[..]).collect::<Vec<_>>())
}

/// States on a random walk of so many steps, one of each `share`, without their hidden bytes. It starts again at each end.
/// The first states of a depth-first search are much alike; those of a walk come from everywhere.
fn stroll(system: &dyn System, steps: usize, share: usize) -> Vec<Vec<u8>> {
    let (mut expander, mut states) = (Expander::new(system), Vec::new());
    let (mut at, mut next, mut random) = (Vec::new(), Vec::new(), 1u64);
    for step in 0..steps {
        if at.is_empty() {
            _ = expander.initial();
        } else {
            let mut pauses = 0..PAUSES;
            let flow = expander.expand(&at, |_| pauses.next().map_or(Flow::Break(None), |_| Flow::Continue(())));
            if flow.is_break() || expander.atomic_steps > PASSING * steps as u64 {
                break;
            }
        }
        next.clear();
        let mut count = 0;
        expander.each(|state| {
            // Each of them is the one with the same probability.
            count += 1;
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (random >> 33) % count == 0 {
                next.clear();
                next.extend_from_slice(state);
            }
        });
        std::mem::swap(&mut at, &mut next);
        if step % share == 0 && !at.is_empty() {
            states.push(at[system.hidden_bytes()..].to_vec());
        }
    }
    states
}

/// A monitor of two searches that is told of each error once.
pub struct Once<'a> {
    watch: &'a dyn Monitor,
    /// The errors that were told and not found again yet, while the second search goes on.
    told: Mutex<Vec<Key>>,
    again: bool,
}

impl<'a> Once<'a> {
    /// Nothing has been told.
    pub fn new(watch: &'a dyn Monitor) -> Once<'a> {
        Once { watch, told: Mutex::default(), again: false }
    }

    /// The second search begins.
    pub fn begin_again(&mut self) {
        self.again = true;
    }
}

impl Monitor for Once<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        self.watch.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(&finding.violation);
        if !self.again {
            told.push(key);
        } else if let Some(known) = told.iter().position(|it| *it == key) {
            told.swap_remove(known);
            return ControlFlow::Continue(());
        }
        self.watch.found(finding)
    }
}

#[derive(Default)]
struct Sample {
    stored: usize,
    states: Vec<Vec<u8>>,
}

/// A store that keeps some of its states aside and is full early.
struct Scout {
    inner: Exact<PrivateTree>,
    hidden: usize,
    sample: Arc<Mutex<Sample>>,
}

impl Memory for Scout {
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>) {
        self.inner.open(record, at);
    }

    fn stage(&mut self, state: &[u8], at: &[u8], changed: u64) {
        self.inner.stage(state, at, changed);
    }

    fn settle<'s>(&mut self, number: usize, state: impl Fn() -> &'s [u8], record: &mut Vec<u8>) -> Arrived {
        let arrived = self.inner.settle(number, &state, record);
        if arrived != Arrived::New {
            return arrived;
        }
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        if sample.stored.is_multiple_of(SHARE) {
            sample.states.push(state()[self.hidden..].to_vec());
        }
        sample.stored += 1;
        if sample.stored > FAR { Arrived::Full } else { Arrived::New }
    }

    fn clear(&mut self) {
        self.inner.clear();
    }

    fn mark(&mut self, record: &[u8], on: bool) {
        self.inner.mark(record, on);
    }

    fn exactness(&self) -> Exactness {
        self.inner.exactness()
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }

    fn besides(&self, bytes: u64) {
        self.inner.besides(bytes);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.inner.save(out)
    }

    fn lasting(&self) -> bool {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).stored <= FAR
    }
}
