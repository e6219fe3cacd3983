//! Searches that take all steps of a group of states at once, so that memory is fetched for many of them together.

mod direct;
mod dive;
mod flat_first;
mod memory;
mod moving;
mod pool;
mod reaches_full;
mod reduced;
mod save;
mod worker;

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, StoreKind};
use crate::job::{Job, Order, Store};
use crate::monitor::Monitor;
use crate::parts::checkpoint::CheckpointSource;
use crate::parts::expander::Expander;
use crate::parts::frontier::Frontier;
use crate::parts::ledger::{Flow, Ledger, worse};
use crate::report::Report;
use dive::Deeper;
use memory::{Arrived, Exact, Loose, Memory};
use pool::Pool;
use reaches_full::Ladder;
use save::{CheckpointBytes, Saver, store};
use starwheel_reduce::Proviso;
use starwheel_store::{
    Dfa, Exactness, FlatSet, Fork, LoadError, PrivateBitstate, PrivateCompact, PrivateTree, SharedBitstate,
    SharedCompact, SharedTree, Usage,
};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use worker::{Shared, Worker};

/// It visits all states with any store, in no order that anybody could count on: so it knows neither depths nor which error
/// is the n-th one. Its cycle proviso is proved in [`reduced`]; marks are not saved.
pub const GROUPS: Method = Method {
    name: "groups",
    title: "the search by groups",
    order: Some(Order::Groups),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        sequences: &[Sequence::DepthFirst],
        stores: &[
            (StoreKind::Tree, Crew::Many),
            (StoreKind::Compact, Crew::Many),
            (StoreKind::Bitstate, Crew::Many),
            (StoreKind::Flat, Crew::One),
            (StoreKind::Dfa, Crew::One),
        ],
        provisos: &[Proviso::Unmarked, Proviso::LookingAhead, Proviso::ByChoice],
        resumes: true,
        machine_code: true,
        not_together: &[
            Exclusion::hard(Axis::Reduction, Axis::Save, UNMARKED),
            Exclusion::hard(Axis::Reduction, Axis::Resume, UNMARKED),
        ],
        ..Facts::NONE
    },
};

const UNMARKED: &str = "the marks of a reduction are not saved";

/// Visits all states, roughly depth first, with the store that was asked for.
pub fn groups(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let started = Instant::now();
    if let Some(report) = dive::first(job, watch) {
        return report;
    }
    let from = job.resume.map(CheckpointSource::open).transpose().map_err(LoadError::Io);
    let found = match (job.store, from) {
        (Store::Auto | Store::Tree, Ok(None)) if flat_first::suits(job) => Ok(flat_first::search(job, watch, started)),
        (_, from) => from.and_then(|from| with_store(job, watch, started, from)),
    };
    found.unwrap_or_else(|error| cannot_begin(job, watch, error))
}

/// Makes the store, or reads the one that was saved, and searches with it.
fn with_store(
    job: &Job<'_>,
    watch: &dyn Monitor,
    started: Instant,
    mut from: Option<CheckpointBytes<'_>>,
) -> Result<Report, LoadError> {
    let (limit, hidden, workers) = (job.limits.memory, job.system.hidden_bytes(), job.workers.max(1));
    let (marks, saved) = (marks(job), &mut from);
    Ok(match (job.store, workers) {
        (Store::Auto | Store::Tree, 1) => {
            let fresh = || Ok(PrivateTree::new(limit, marks));
            let store = store(saved, fresh, |from| PrivateTree::load(limit, marks, from))?;
            search(job, vec![Exact::new(store, hidden)], watch, started, from)
        }
        (Store::Auto | Store::Tree, _) => {
            let fresh = || Ok(SharedTree::new(limit, marks));
            let store = store(saved, fresh, |from| SharedTree::load(limit, marks, from))?;
            search(job, (0..workers).map(|_| Exact::new(store.fork(), hidden)).collect(), watch, started, from)
        }
        (Store::Compact, 1) => {
            let remark = |store: &PrivateCompact| Some(missed_by_hashes(store.omission_probability()));
            let store = store(saved, || Ok(PrivateCompact::new(limit, 0)), |f| PrivateCompact::load(limit, 0, f))?;
            search(job, vec![Loose::new(store, hidden, remark)], watch, started, from)
        }
        (Store::Compact, _) => {
            let remark = |store: &SharedCompact| Some(missed_by_hashes(store.omission_probability()));
            let store = store(saved, || Ok(SharedCompact::new(limit, 0)), |f| SharedCompact::load(limit, 0, f))?;
            search(job, (0..workers).map(|_| Loose::new(store.fork(), hidden, remark)).collect(), watch, started, from)
        }
        (Store::Bitstate { bytes }, 1) => {
            let remark = |s: &PrivateBitstate| Some(missed_by_bits(s.coverage(), s.expected_omissions()));
            let fresh = || PrivateBitstate::new(bytes, HASHES).ok_or(LoadError::Full);
            let store = store(saved, fresh, |from| PrivateBitstate::load(bytes, HASHES, from))?;
            search(job, vec![Loose::new(store, hidden, remark)], watch, started, from)
        }
        (Store::Bitstate { bytes }, _) => {
            let remark = |s: &SharedBitstate| Some(missed_by_bits(s.coverage(), s.expected_omissions()));
            let fresh = || SharedBitstate::new(bytes, HASHES).ok_or(LoadError::Full);
            let store = store(saved, fresh, |from| SharedBitstate::load(bytes, HASHES, from))?;
            search(job, (0..workers).map(|_| Loose::new(store.fork(), hidden, remark)).collect(), watch, started, from)
        }
        // These two are for one worker, as the facts say.
        (Store::Flat, _) => {
            let store =
                store(saved, || Ok(FlatSet::with_marks(limit, marks)), |from| FlatSet::load(limit, marks, from))?;
            search(job, vec![Exact::new(store, hidden)], watch, started, from)
        }
        (Store::Dfa, _) => {
            let store = store(saved, || Ok(Dfa::new(limit)), |from| Dfa::load(limit, from))?;
            search(job, vec![Loose::new(store, hidden, |_| None)], watch, started, from)
        }
    })
}

/// The bits that a search needs with each state: a reduction marks some, see [`reduced`].
fn marks(job: &Job<'_>) -> u32 {
    u32::from(job.reducer.is_some())
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
fn cannot_begin(job: &Job<'_>, watch: &dyn Monitor, error: LoadError) -> Report {
    let books = Ledger::new(job, watch);
    let flow = save::failed(error, &books);
    books.conclude(flow, None, Exactness::Lossy, Usage::default())
}

/// Visits all states with one worker for each handle of a store; those that were saved first, if there are such.
fn search<M: Memory>(
    job: &Job<'_>,
    mut memories: Vec<M>,
    watch: &dyn Monitor,
    started: Instant,
    from: Option<CheckpointBytes<'_>>,
) -> Report {
    match begin(job, &mut memories[0], watch, started, from) {
        Ok(begun) => run(job, begun, memories).conclude(),
        Err(report) => *report,
    }
}

/// A search that has begun, with all that waits.
struct Begun<'a> {
    /// For the first worker.
    expander: Expander<'a>,
    books: Ledger<'a>,
    offers: Vec<Frontier>,
    ladder: Ladder,
    saver: Option<Saver<'a>>,
}

/// Enters the initial state, or what was saved; the report if that is the end already.
fn begin<'a, M: Memory>(
    job: &'a Job<'a>,
    memory: &mut M,
    watch: &'a dyn Monitor,
    started: Instant,
    from: Option<CheckpointBytes<'_>>,
) -> Result<Begun<'a>, Box<Report>> {
    let (mut books, mut expander) = (Ledger::new(job, watch), Expander::new(job.system));
    books.started = started;
    let begun = match from {
        Some(mut from) => save::rest(&mut from, &mut books).map_err(|error| save::failed(error, &books)),
        None => open(&mut expander, &mut books, memory),
    };
    match begun {
        Ok(offers) => Ok(Begun { expander, books, offers, ladder: Ladder::default(), saver: Saver::new(job) }),
        Err(flow) => Err(Box::new(books.conclude(flow, None, memory.exactness(), memory.usage()))),
    }
}

/// What the user is told if a search ends where it cannot be saved.
const UNSAVED: &str = "the search ended in the middle of an atomic sequence or of a change of its store, where it cannot be saved; \
                       what was saved before is still there";

/// A search that has ended, early or not.
struct Ended<'a, M> {
    flow: Flow,
    books: Ledger<'a>,
    memory: M,
    /// What still waits; none if somebody was in the middle of a group, and has nothing to give.
    left: Option<Vec<Frontier>>,
    ladder: Ladder,
    saver: Option<Saver<'a>>,
    /// The whole answer, if another search had it first.
    answer: Option<Box<Report>>,
}

/// Lets one worker for each handle of a store work until the end.
fn run<'a, M: Memory>(job: &'a Job<'a>, begun: Begun<'a>, memories: Vec<M>) -> Ended<'a, M> {
    let Begun { expander, books, offers, ladder, saver } = begun;
    let shared = Shared {
        system: job.system,
        reducer: job.reducer,
        patience: job.patience,
        deeper: Deeper::new(job, &books, memories.len()),
        pool: Pool::new(memories.len(), offers),
        stored: AtomicU64::new(books.stats.states_stored),
        matched: AtomicU64::new(books.stats.states_matched),
        books: Mutex::new(books),
        saver,
    };
    let (first, others) = work(&shared, memories, expander, ladder);
    let mut flow = first.flow;
    let mut left = first.left.map(|part| vec![part]);
    for end in others {
        flow = worse(flow, end.flow);
        left = left.zip(end.left).map(|(mut left, part)| {
            left.push(part);
            left
        });
    }
    let Shared { books, stored, matched, pool, saver, deeper, .. } = shared;
    let mut books = books.into_inner().unwrap_or_else(PoisonError::into_inner);
    books.stats.states_stored = stored.load(Ordering::Relaxed);
    books.stats.states_matched = matched.load(Ordering::Relaxed);
    if let Some(left) = &mut left {
        left.extend(pool.left());
        left.retain(|part| !part.is_done());
    }
    Ended { flow, books, memory: first.memory, left, ladder: first.ladder, saver, answer: deeper.answer() }
}

impl<M: Memory> Ended<'_, M> {
    /// Closes the books; saves what is left before, if that was asked for.
    fn conclude(mut self) -> Report {
        if let Some(report) = self.answer {
            return *report;
        }
        match (self.saver, self.left, &self.flow) {
            (Some(saver), Some(left), Flow::Break(Some(_))) => saver.last(&self.memory, &mut self.books, &left),
            (Some(_), None, Flow::Break(Some(_))) => self.books.warnings.push(UNSAVED.to_string()),
            _ => {}
        }
        self.books.warnings.extend(self.memory.remark());
        self.books.conclude(self.flow, None, self.memory.exactness(), self.memory.usage())
    }
}

/// How a worker ended, and what it left.
struct End<M> {
    flow: Flow,
    memory: M,
    left: Option<Frontier>,
    ladder: Ladder,
}

/// Lets all workers work, one for each handle of a store; how the first one ended, and the others.
fn work<'a, M: Memory>(
    shared: &Shared<'a>,
    mut memories: Vec<M>,
    first: Expander<'a>,
    ladder: Ladder,
) -> (End<M>, Vec<End<M>>) {
    let others = memories.split_off(1);
    std::thread::scope(|scope| {
        let work = |memory| Worker::new(shared, memory, Expander::new(shared.system), Ladder::default()).run();
        let handles: Vec<_> = others.into_iter().map(|memory| scope.spawn(move || work(memory))).collect();
        let first = Worker::new(shared, memories.remove(0), first, ladder).run();
        let joined = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (first, joined.collect())
    })
}

/// Enters the initial state; the frontier with it, or why there is none.
fn open<M: Memory>(expander: &mut Expander<'_>, books: &mut Ledger<'_>, memory: &mut M) -> Result<Vec<Frontier>, Flow> {
    let mut frontier = Frontier::default();
    match enter(expander, books, memory, &mut frontier) {
        Flow::Continue(()) => Ok(vec![frontier]),
        flow => Err(flow),
    }
}

fn enter<M: Memory>(
    expander: &mut Expander<'_>,
    books: &mut Ledger<'_>,
    memory: &mut M,
    frontier: &mut Frontier,
) -> Flow {
    if let Some(bytes) = books.usage_elsewhere(memory.usage()) {
        memory.besides(bytes);
    }
    books.check_limits(0, memory.usage())?;
    let opening = expander.initial();
    for violation in &opening.violations {
        books.event(violation, Vec::new)?;
    }
    expander.each(|state| memory.stage(state, &[], u64::MAX));
    books.stats.state_bytes = expander.longest as u64;
    if !opening.broken {
        let (mut record, mut arrived) = (Vec::new(), Arrived::Full);
        expander.each(|state| arrived = memory.settle(0, || state, &mut record));
        match arrived {
            Arrived::New => books.stats.states_stored = 1,
            Arrived::Known(_) | Arrived::Full => return books.full(),
        }
        frontier.push(&record, 0);
    }
    Flow::Continue(())
}
