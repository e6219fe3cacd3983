//! A search for errors by several workers. Each has its own working parts; they share the decoupled states, which they know
//! by the names of their sets, and take states from each other when they run out.
//!
//! Which worker expands which state is left to chance, and so is the order unless they go level by level: by equality the states are the same in any
//! order, with dominance their number may differ a little. The verdict does not.

use crate::lock;
use crate::search::agenda::Next;
use crate::search::halt::Halt;
use crate::search::shared::{Executed, Shared};
use crate::search::worker_log::WorkerLog;
use crate::search::{REAL_NAMES, Request};
use crate::states::shards::{Card, ShardPlace};
use crate::steps::core::{Core, Flow};
use crate::steps::expand::expand;
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use crate::trail::first;
use starwheel_engine::facts::{Crew, Facts, Method, Sequence, Sought, Stance, StoreKind};
use starwheel_engine::{Job, Monitor, Order, Pace, Report};
use starwheel_model::{Model, ModelSystem, Stepper};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// States between two looks at the clock, at the most.
const PERIOD: u64 = 256;
/// How long a worker without work waits before it asks the others again.
const PAUSE: Duration = Duration::from_micros(100);

/// It goes level by level if shorter runs are to come first or there is a limit of depth.
pub const DECOUPLED_PARALLEL: Method = Method {
    name: "decoupled-parallel",
    title: "the decoupled search by many workers",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Errors],
        sequences: &[Sequence::DepthFirst, Sequence::ShortestFirst],
        stores: &[(StoreKind::Tree, Crew::Several)],
        depth: Stance::Can,
        decoupled: Stance::Must,
        not_together: &[REAL_NAMES],
        ..Facts::NONE
    },
};

/// Searches with as many workers as are asked for.
pub fn in_parallel(model: &Model, parts: &Decomposition, request: &Request, watch: &dyn Monitor) -> Report {
    let system = ModelSystem(model);
    let Request { checks, all_errors, limits, workers, .. } = *request;
    let job = Job { search: Order::Dfs, checks, all_errors, limits, ..Job::new(&system) };
    let halt = Halt::new(watch);
    let shared = Shared::new(request, &job, watch, &halt);
    let new = |number| Worker {
        core: Core::new(model, parts, Pulse::new(shared.halt, limits.time)),
        log: WorkerLog::new(&shared, number),
    };
    let mut opener = new(0);
    let flow = opener.open();
    shared.note(flow);
    let executed = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..workers).map(|n| scope.spawn(move || new(n).work())).collect();
        let mut all = vec![opener.work()];
        for handle in handles {
            match handle.join() {
                Ok(executed) => all.push(executed),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    shared.close(executed, &halt)
}

/// One worker.
struct Worker<'s, 'a, 'm> {
    core: Core<'m>,
    log: WorkerLog<'s, 'a>,
}

impl Worker<'_, '_, '_> {
    /// Enters the initial state.
    fn open(&mut self) -> Flow {
        let Worker { core, log } = self;
        log.shared.look(0)?;
        let mut state = Vec::new();
        let opening = core.runner.interp.initial(&mut state);
        let mut ledger = lock(&log.shared.ledger);
        for violation in &opening.violations {
            ledger.event(violation, Vec::new)?;
        }
        ledger.stats.state_bytes = state.len() as u64;
        drop(ledger);
        if opening.broken {
            return Flow::Continue(());
        }
        let mut product = first(core)?;
        for party in &mut product.parties {
            *party = core.close(*party, &product.center)?;
        }
        log.batch.push(product);
        log.arrive(core)
    }

    /// Expands states until there is nothing left to do, for anybody.
    fn work(mut self) -> Executed {
        let shared = self.log.shared;
        let mut pace = Pace::new(PERIOD);
        while !shared.halt.ended() {
            match shared.agenda.next(self.log.number) {
                Next::Expand(place) => {
                    let flow = self.visit(place, &mut pace);
                    shared.agenda.done();
                    shared.note(flow);
                }
                Next::Wait => std::thread::sleep(PAUSE),
                Next::Done => break,
            }
        }
        (self.core.runner.executed, self.core.runner.round)
    }

    fn visit(&mut self, place: ShardPlace, pace: &mut Pace) -> Flow {
        let Worker { core, log } = self;
        let shared = log.shared;
        let mut card = Card::default();
        let depth = shared.shards.get(place, &mut card);
        shared.depth.fetch_max(u64::from(depth), Ordering::Relaxed);
        log.at = Some((place, depth));
        let product = log.product(core, &card)?;
        expand(core, &product, log)?;
        log.arrive(core)?;
        if pace.due() {
            let working = core.usage() + log.dictionary.usage();
            shared.working[log.number].store(working, Ordering::Relaxed);
            let tick = &mut core.runner.pulse.tick;
            tick.stored = shared.stored.load(Ordering::Relaxed);
            tick.matched = shared.matched.load(Ordering::Relaxed);
            tick.depth = u64::from(depth);
            shared.look(u64::from(depth))?;
        }
        Flow::Continue(())
    }
}
