//! Nested depth-first search by one worker or many, with all steps of a state at once.
//!
//! The algorithm CNDFS of S. Evangelista, A. Laarman, L. Petrucci and J. van de Pol: Improved Multi-Core Nested Depth-First
//! Search (ATVA 2012). Each worker searches the whole graph in an order of its own, and all see each other's marks:
//!
//! | colour | meaning |
//! | --- | --- |
//! | cyan | on the first stack of one worker, which alone knows it |
//! | blue | the first search of some worker has left the state: the others need not enter it |
//! | pink | seen by the second search that one worker is doing |
//! | red | the second search of some worker has seen the state and found nothing |
//!
//! - First search, a step from `s` to `t` that is cyan: if one of the two is accepting, the stack from `t` to `s` is a cycle.
//! - First search leaves `s`: it turns blue. If it is accepting, the second search goes from there over all that is not red,
//!   and what it sees is pink. A step to a cyan state closes a cycle. Else the worker waits until all *other* accepting
//!   states among the pink ones are red; others search from these. Then all pink states turn red.
//!
//! Where we differ: cycles are found in the first search, too, and a state all of whose successors are red turns red without
//! a second search, as in A. Gaiser, S. Schwoon: Comparison of Algorithms for Checking Emptiness on Büchi Automata (2009).
//! This is right with many workers as well. Call a state *settled* if it is red or is about to turn red after the wait. A
//! settled state has settled successors only: a second search goes on until what it meets is pink or red. If there is a cycle
//! with accepting states, look at the moment when the first state of it is settled: then all of it is, at once. It cannot
//! be by the new rule, which needs a red successor. So it is by a second search from `s`, and by the wait no other
//! accepting state is on the cycle: `s` is, and the search has met `s`, which was cyan.
//!
//! A worker that is alone needs no wait, and pink is red: this is the search of [`crate::method`]`::nested`, and visits states
//! in the same order. Successors are names of states in the store, so a stack holds eight bytes for each that waits, and
//! steps are looked for again only along a trail. A successor that is blue already does not wait at all.

mod gate;
mod graph_view;
#[cfg(test)]
mod interleavings;
mod nested;
mod own;
mod stack;
mod worker;

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, StoreKind};
use crate::job::{Job, Order};
use crate::monitor::Monitor;
use crate::parts::expander::Expander;
use crate::parts::ledger::{Flow, Ledger, worse};
use crate::parts::scout::{FAR, Once, learn};
use crate::report::Report;
use gate::{Alarm, Gate};
use graph_view::SHARED;
use nested::Nested;
use own::Cyan;
use starwheel_reduce::Proviso;
use starwheel_store::{Exactness, Fork, PrivateTree, SharedTree, Split, StateRef, Usage};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use worker::{Names, Shared, View};

/// Its stacks hold names of states in a tree. Who counts errors wants each of them once, and many workers may meet one twice.
/// All workers see one fixed reduced system: its cycle proviso is paid by the choice.
pub const CNDFS: Method = Method {
    name: "cndfs",
    title: "the nested search by many workers",
    order: Some(Order::Cndfs),
    facts: Facts {
        looks_for: Sought::CYCLES,
        sequences: &[Sequence::DepthFirst],
        stores: &[(StoreKind::Tree, Crew::Many)],
        provisos: &[Proviso::LookingAhead, Proviso::ByChoice],
        machine_code: true,
        not_together: &[Exclusion::hard(Axis::Workers, Axis::AllErrors, "many workers may count one cycle twice")],
        ..Facts::NONE
    },
};

/// Searches all states and cycles of accepting states.
pub fn cndfs(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let workers = job.workers.max(1);
    let (limit, started, mut watch) = (job.limits.memory, Instant::now(), Once::new(watch));
    let marks = |workers| SHARED + Cyan::bits(workers);
    let mut split = Split::default();
    if job.patience > 0 {
        // As in the search by groups: most searches are short, and the others begin again with what was learned.
        match search(job, vec![PrivateTree::new(limit, marks(1))], &watch, started, FAR as u64) {
            (report, None) => return report,
            (_, Some(seen)) => split = learn(job.system, &seen),
        }
        watch.begin_again();
    }
    if workers == 1 {
        return search(job, vec![PrivateTree::with_split(limit, marks(1), split)], &watch, started, u64::MAX).0;
    }
    let store = SharedTree::with_split(limit, marks(workers), split);
    search(job, (0..workers).map(|_| store.fork()).collect(), &watch, started, u64::MAX).0
}

/// Searches with one worker for each handle of a store. If it ended because one of them has stored more than `most` states,
/// some of them are given.
fn search<V: Names + Send>(
    job: &Job<'_>,
    mut stores: Vec<V>,
    watch: &dyn Monitor,
    started: Instant,
    most: u64,
) -> (Report, Option<Vec<Vec<u8>>>) {
    let mut books = Ledger::new(job, watch);
    books.started = started;
    let mut first = Expander::new(job.system);
    let usage = stores[0].usage();
    let start = match open(&mut first, &mut books, &mut stores[0], job.system.hidden_bytes()) {
        Flow::Continue(Some(start)) => start,
        Flow::Continue(None) => return (books.conclude(Flow::Continue(()), None, Exactness::Exact, usage), None),
        Flow::Break(why) => return (books.conclude(Flow::Break(why), None, Exactness::Exact, usage), None),
    };
    let gate = Gate::new(job.patience == 0);
    let (system, goes_on, workers) = (job.system, job.all_errors, stores.len());
    let shared = Shared { system, gate, books: Mutex::new(books), goes_on, workers, most, sample: Mutex::default() };
    let (flow, counted) = std::thread::scope(|scope| {
        let (shared, start, others) = (&shared, &start, stores.split_off(1));
        let spawn =
            |(number, store)| scope.spawn(move || work(shared, start, number + 1, store, Expander::new(shared.system)));
        let handles: Vec<_> = others.into_iter().enumerate().map(spawn).collect();
        let own = stores.pop().map(|store| work(shared, start, 0, store, first));
        let others = handles.into_iter().map(|handle| match handle.join() {
            Ok(other) => other,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let nothing = (Flow::Continue(()), Counted::default());
        own.into_iter().chain(others).fold(nothing, |(flow, sum), (own, counted)| (worse(flow, own), sum.with(counted)))
    });
    let sample = shared.sample.into_inner().unwrap_or_else(PoisonError::into_inner);
    let more = counted.usage.states > most;
    let mut books = shared.books.into_inner().unwrap_or_else(PoisonError::into_inner);
    books.stats.states_stored = counted.usage.states;
    books.stats.states_matched = (counted.edges + 1).saturating_sub(counted.usage.states);
    (books.conclude(flow, None, Exactness::Exact, counted.usage), more.then_some(sample))
}

/// What workers counted.
#[derive(Default)]
struct Counted {
    /// What the store held when the last of them ended.
    usage: Usage,
    /// Edges, each counted by the worker that was the first to leave its state.
    edges: u64,
}

impl Counted {
    fn with(self, other: Counted) -> Counted {
        let usage = if other.usage.states > self.usage.states { other.usage } else { self.usage };
        Counted { usage, edges: self.edges + other.edges }
    }
}

/// Where a search begins.
struct Start {
    name: StateRef,
    hidden: Vec<u8>,
}

/// Looks at the initial state; none if it has no meaning.
fn open<V: Names>(
    expander: &mut Expander<'_>,
    books: &mut Ledger<'_>,
    store: &mut V,
    hidden: usize,
) -> Flow<Option<Start>> {
    books.check_limits(0, store.usage())?;
    let opening = expander.initial();
    for violation in &opening.violations {
        books.event(violation, Vec::new)?;
    }
    let mut start = None;
    expander.each(|state| {
        let key = store.prepare(&state[hidden..], None);
        start = key.map(|key| Start { name: key.into(), hidden: state[..hidden].to_vec() });
    });
    if start.is_none() && !opening.broken {
        books.full()?;
    }
    Flow::Continue(start)
}

/// One worker's part, and what it counted goes into the books.
fn work<'a, V: Names>(
    shared: &Shared<'a>,
    start: &Start,
    worker: usize,
    store: V,
    expander: Expander<'a>,
) -> (Flow, Counted) {
    let _alarm = Alarm(&shared.gate);
    if worker > 0 && !shared.gate.pass() {
        return (Flow::Continue(()), Counted::default());
    }
    let view = View::new(shared, store, expander);
    let mut nested = Nested::new(view, worker, shared.workers, shared.system.hidden_bytes());
    let flow = nested.search(start.name, &start.hidden);
    match flow {
        Flow::Break(_) => shared.gate.stop(),
        Flow::Continue(()) => shared.gate.finish(),
    }
    let Nested { graph: view, edges, atomic_steps, ticks, deepest, .. } = nested;
    let mut books = shared.books();
    books.absorb(&view.expander.executed, view.expander.round);
    books.stats.atomic_steps += atomic_steps;
    books.stats.ticks += ticks;
    books.stats.max_depth = books.stats.max_depth.max(deepest.saturating_sub(1) as u64);
    books.stats.state_bytes = books.stats.state_bytes.max(view.expander.longest as u64);
    drop(books);
    (flow, Counted { usage: view.store.usage(), edges })
}
