//! What all workers of a search share: the decoupled states, the names of their sets, what is still to do, and the books.

use crate::lock;
use crate::search::Request;
use crate::search::agenda::Agenda;
use crate::search::halt::Halt;
use crate::states::names::Names;
use crate::states::shards::Shards;
use crate::steps::core::Flow;
use starwheel_engine::{Job, Ledger, Monitor, Report, Stop};
use starwheel_store::Exactness;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What all workers share.
pub struct Shared<'a> {
    /// What is asked for.
    pub request: &'a Request,
    /// The names of sets.
    pub names: Names,
    /// The decoupled states.
    pub shards: Shards,
    /// What was found.
    pub ledger: Mutex<Ledger<'a>>,
    /// What is still to do.
    pub agenda: Agenda,
    /// New states.
    pub stored: AtomicU64,
    /// States that were not new.
    pub matched: AtomicU64,
    /// The greatest depth.
    pub depth: AtomicU64,
    /// By worker: bytes of its working parts.
    pub working: Vec<AtomicU64>,
    /// True if states were too deep.
    pub cut: AtomicBool,
    /// Whether the search has ended.
    pub halt: &'a Halt<'a>,
}

/// The transitions that a worker has executed, and whether an atomic sequence came round.
pub type Executed = (Vec<bool>, bool);

impl<'a> Shared<'a> {
    /// Nothing yet. With a depth limit the workers go level by level: each state must be reached by a shortest way.
    pub fn new(request: &'a Request, job: &'a Job<'a>, watch: &'a dyn Monitor, halt: &'a Halt<'a>) -> Shared<'a> {
        let workers = request.workers;
        Shared {
            request,
            names: Names::default(),
            shards: Shards::new(request.dominance, workers),
            ledger: Mutex::new(Ledger::new(job, watch)),
            agenda: Agenda::new(workers, request.breadth_first || request.limits.depth.is_some()),
            stored: AtomicU64::new(0),
            matched: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            working: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            cut: AtomicBool::new(false),
            halt,
        }
    }

    /// Ends the search if there is a reason to.
    pub fn note(&self, flow: Flow) {
        if let Flow::Break(why) = flow {
            self.halt.end(why);
        }
    }

    /// The report of all workers together.
    pub fn close(self, executed: Vec<Executed>, halt: &Halt<'_>) -> Report {
        let usage = self.usage();
        let mut ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        executed.iter().for_each(|(marks, round)| ledger.absorb(marks, *round));
        ledger.stats.states_stored = self.stored.into_inner();
        ledger.stats.states_matched = self.matched.into_inner();
        ledger.stats.max_depth = self.depth.into_inner();
        ledger.stats.decoupled_states = Some(ledger.stats.states_stored);
        let flow = halt.why().map_or(Flow::Continue(()), Flow::Break);
        let cut = self.request.limits.depth.filter(|_| self.cut.into_inner());
        ledger.conclude(flow, cut, Exactness::Exact, usage)
    }

    fn usage(&self) -> starwheel_store::Usage {
        let mut usage = self.shards.usage();
        usage.bytes += self.names.usage();
        usage.bytes += self.working.iter().map(|w| w.load(Ordering::Relaxed)).sum::<u64>();
        usage
    }

    /// Looks at the clock, at the memory and asks the monitor.
    pub fn look(&self, depth: u64) -> Flow {
        let usage = self.usage();
        if let Some(limit) = self.request.limits.memory.filter(|&limit| usage.bytes > limit) {
            return Flow::Break(Some(Stop::Memory(limit)));
        }
        let mut ledger = lock(&self.ledger);
        ledger.stats.states_stored = self.stored.load(Ordering::Relaxed);
        ledger.stats.states_matched = self.matched.load(Ordering::Relaxed);
        ledger.check_limits(depth, usage)
    }
}
