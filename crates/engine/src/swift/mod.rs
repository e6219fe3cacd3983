//! Searches that take all steps of a group of states at once, so that memory is fetched for many of them together.

pub(crate) mod expander;
mod frontier;
pub(crate) mod link;
mod memory;
mod pool;
pub(crate) mod recent;
pub(crate) mod scout;
mod worker;

use crate::job::{Job, Store};
use crate::monitor::Monitor;
use crate::report::Report;
use crate::search::ledger::{Flow, Ledger};
use expander::Expander;
use frontier::Frontier;
use memory::{Arrived, Exact, Loose, Memory};
use pool::Pool;
use scout::{Once, scout};
use starwheel_store::{
    Dfa, Exactness, FlatSet, Fork, PrivateBitstate, PrivateCompact, PrivateTree, SharedBitstate, SharedCompact,
    SharedTree, Usage,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use worker::{Shared, Worker};

/// Visits all states, roughly depth first, with the store that was asked for.
pub fn swift(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let started = Instant::now();
    let (limit, hidden, workers) = (job.limits.memory, job.system.hidden_bytes(), job.workers.max(1));
    match (job.store, workers) {
        (Store::Tree, _) => {
            let mut watch = Once::new(watch);
            match (scout(job, &mut watch), workers) {
                (Ok(report), _) => report,
                (Err(split), 1) => {
                    let store = PrivateTree::with_split(limit, 0, split);
                    search(job, vec![Exact::new(store, hidden)], &watch, started)
                }
                (Err(split), _) => {
                    let store = SharedTree::with_split(limit, 0, split);
                    search(job, (0..workers).map(|_| Exact::new(store.fork(), hidden)).collect(), &watch, started)
                }
            }
        }
        (Store::Compact, 1) => {
            let remark = |store: &PrivateCompact| Some(missed_by_hashes(store.omission_probability()));
            search(job, vec![Loose::new(PrivateCompact::new(limit, 0), hidden, remark)], watch, started)
        }
        (Store::Compact, _) => {
            let remark = |store: &SharedCompact| Some(missed_by_hashes(store.omission_probability()));
            let store = SharedCompact::new(limit, 0);
            search(job, (0..workers).map(|_| Loose::new(store.fork(), hidden, remark)).collect(), watch, started)
        }
        (Store::Bitstate { bytes }, 1) => match PrivateBitstate::new(bytes, HASHES) {
            None => no_room(job, watch),
            Some(store) => {
                let remark = |s: &PrivateBitstate| Some(missed_by_bits(s.coverage(), s.expected_omissions()));
                search(job, vec![Loose::new(store, hidden, remark)], watch, started)
            }
        },
        (Store::Bitstate { bytes }, _) => match SharedBitstate::new(bytes, HASHES) {
            None => no_room(job, watch),
            Some(store) => {
                let remark = |s: &SharedBitstate| Some(missed_by_bits(s.coverage(), s.expected_omissions()));
                search(job, (0..workers).map(|_| Loose::new(store.fork(), hidden, remark)).collect(), watch, started)
            }
        },
        // These two are for one thread.
        (Store::Flat, _) => search(job, vec![Exact::new(FlatSet::new(limit), hidden)], watch, started),
        (Store::Dfa, _) => search(job, vec![Loose::new(Dfa::new(limit), hidden, |_| None)], watch, started),
    }
}

/// Hash functions of a bitstate store.
const HASHES: u32 = 3;

fn missed_by_hashes(probability: f64) -> String {
    format!("states were told apart by 64 bits: the probability that one was missed is about {probability:.1e}")
}

fn missed_by_bits(coverage: f64, missed: f64) -> String {
    format!("{:.2} % of all bits are set; about {missed:.1} states were missed by chance", 100.0 * coverage)
}

/// The report of a search that could not begin.
fn no_room(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let books = Ledger::new(job, watch);
    let flow = books.full();
    books.conclude(flow, None, Exactness::Lossy, Usage::default())
}

/// Visits all states with one worker for each handle of a store.
fn search<M: Memory>(job: &Job<'_>, mut memories: Vec<M>, watch: &dyn Monitor, started: Instant) -> Report {
    let mut books = Ledger::new(job, watch);
    books.started = started;
    let mut frontier = Frontier::default();
    let mut first = Expander::new(job.system);
    let opened = open(&mut first, &mut books, &mut memories[0], &mut frontier);
    let (exactness, mut usage) = (memories[0].exactness(), memories[0].usage());
    if opened.is_break() {
        return books.conclude(opened, None, exactness, usage);
    }
    let shared = Shared {
        system: job.system,
        pool: Pool::new(memories.len(), frontier),
        stored: AtomicU64::new(books.stats.states_stored),
        matched: AtomicU64::new(0),
        books: Mutex::new(books),
    };
    let (mut flow, mut remark) = (Flow::Continue(()), None);
    let others = memories.split_off(1);
    std::thread::scope(|scope| {
        let work = |memory| Worker::new(&shared, memory, Expander::new(job.system)).run();
        let handles: Vec<_> = others.into_iter().map(|memory| scope.spawn(move || work(memory))).collect();
        for memory in memories {
            let first = std::mem::replace(&mut first, Expander::new(job.system));
            let (own, memory) = Worker::new(&shared, memory, first).run();
            (flow, usage, remark) = (own, memory.usage(), memory.remark());
        }
        for handle in handles {
            match handle.join() {
                Ok((own, memory)) => {
                    (flow, usage, remark) = (worse(flow.clone(), own), memory.usage(), memory.remark());
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let Shared { books, stored, matched, .. } = shared;
    let mut books = books.into_inner().unwrap_or_else(PoisonError::into_inner);
    books.stats.states_stored = stored.load(Ordering::Relaxed);
    books.stats.states_matched = matched.load(Ordering::Relaxed);
    books.warnings.extend(remark);
    books.conclude(flow, None, exactness, usage)
}

/// Enters the initial state.
fn open<M: Memory>(
    expander: &mut Expander<'_>,
    books: &mut Ledger<'_>,
    memory: &mut M,
    frontier: &mut Frontier,
) -> Flow {
    books.look(0, memory.usage())?;
    let opening = expander.initial();
    for violation in &opening.violations {
        books.event(violation, Vec::new)?;
    }
    expander.each(|state| memory.stage(state));
    books.stats.state_bytes = expander.longest as u64;
    if !opening.broken {
        let mut record = Vec::new();
        match memory.settle(0, &mut record) {
            Arrived::New => books.stats.states_stored = 1,
            Arrived::Known | Arrived::Full => return books.full(),
        }
        frontier.push(&record, 0);
    }
    Flow::Continue(())
}

/// The flow that says more: a reason to stop early, then something found.
pub(crate) fn worse(a: Flow, b: Flow) -> Flow {
    match (a, b) {
        (Flow::Break(Some(stop)), _) | (_, Flow::Break(Some(stop))) => Flow::Break(Some(stop)),
        (Flow::Break(None), _) | (_, Flow::Break(None)) => Flow::Break(None),
        _ => Flow::Continue(()),
    }
}
