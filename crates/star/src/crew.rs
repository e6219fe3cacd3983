//! A search for errors by several workers. Each has its own working parts; they share the decoupled states, which they know
//! by the names of their sets, and take states from each other when they run out.
//!
//! Which worker expands which state, and in which order, is left to chance: by equality the states are the same in any
//! order, with dominance their number may differ a little. The verdict does not.

use crate::core::{Core, Flow};
use crate::decompose::Decomposition;
use crate::expand::expand;
use crate::explorer::Explorer;
use crate::names::{Dictionary, Names};
use crate::product::Product;
use crate::pulse::Pulse;
use crate::search::Request;
use crate::shards::{Card, Place, Shards};
use crate::space::Space;
use crate::trail::{Last, along, first};
use starwheel_engine::{Finding, Job, Ledger, Monitor, Order, Report, Stop, Tick};
use starwheel_model::{Model, ModelSystem, Pid, Step, Stepper, Violation};
use starwheel_store::Exactness;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// States between two looks at the clock.
const PERIOD: u32 = 256;
/// How long a worker without work waits before it asks the others again.
const PAUSE: Duration = Duration::from_micros(100);

/// What all workers share.
struct Shared<'a> {
    request: &'a Request,
    names: Names,
    shards: Shards,
    ledger: Mutex<Ledger<'a>>,
    /// By worker: the states that it has to expand.
    todo: Vec<Mutex<VecDeque<Place>>>,
    /// States that are not expanded yet.
    open: AtomicUsize,
    stored: AtomicU64,
    matched: AtomicU64,
    depth: AtomicU64,
    /// By worker: bytes of its working parts.
    working: Vec<AtomicU64>,
    cut: AtomicBool,
    halt: &'a Halt<'a>,
}

/// Passes on what the monitor says, and ends the work of all when one has a reason to.
struct Halt<'a> {
    watch: &'a dyn Monitor,
    ended: AtomicBool,
    /// Why, if not because enough was found.
    why: Mutex<Option<Option<Stop>>>,
}

impl Halt<'_> {
    /// The first reason counts.
    fn end(&self, why: Option<Stop>) {
        self.ended.store(true, Ordering::Relaxed);
        lock(&self.why).get_or_insert(why);
    }
}

impl Monitor for Halt<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if self.ended.load(Ordering::Relaxed) {
            return ControlFlow::Break(Stop::Interrupted);
        }
        self.watch.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        self.watch.found(finding)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches with as many workers as are asked for.
pub fn crew(model: &Model, parts: &Decomposition, request: &Request, watch: &dyn Monitor) -> Report {
    let system = ModelSystem(model);
    let Request { checks, all_errors, limits, workers, .. } = *request;
    let job = Job { search: Order::Dfs, checks, all_errors, limits, ..Job::new(&system) };
    let halt = Halt { watch, ended: AtomicBool::new(false), why: Mutex::new(None) };
    let shared = Shared {
        request,
        names: Names::default(),
        shards: Shards::new(request.dominance, workers),
        ledger: Mutex::new(Ledger::new(&job, watch)),
        todo: (0..workers).map(|_| Mutex::default()).collect(),
        open: AtomicUsize::new(0),
        stored: AtomicU64::new(0),
        matched: AtomicU64::new(0),
        depth: AtomicU64::new(0),
        working: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        cut: AtomicBool::new(false),
        halt: &halt,
    };
    let new = |number| Worker {
        core: Core::new(model, parts, Pulse::new(shared.halt, limits.time)),
        books: Books { shared: &shared, number, dictionary: Dictionary::default(), batch: Vec::new(), at: None },
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

/// The transitions that a worker has executed, and whether an atomic sequence came round.
type Executed = (Vec<bool>, bool);

impl Shared<'_> {
    /// Ends the search if there is a reason to.
    fn note(&self, flow: Flow) {
        if let Flow::Break(why) = flow {
            self.halt.end(why);
        }
    }

    fn close(self, executed: Vec<Executed>, halt: &Halt<'_>) -> Report {
        let usage = self.usage();
        let mut ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        executed.iter().for_each(|(marks, round)| ledger.absorb(marks, *round));
        ledger.stats.states_stored = self.stored.into_inner();
        ledger.stats.states_matched = self.matched.into_inner();
        ledger.stats.max_depth = self.depth.into_inner();
        ledger.stats.decoupled_states = Some(ledger.stats.states_stored);
        let flow = lock(&halt.why).take().map_or(Flow::Continue(()), Flow::Break);
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
    fn look(&self, depth: u64) -> Flow {
        let usage = self.usage();
        if let Some(limit) = self.request.limits.memory.filter(|&limit| usage.bytes > limit) {
            return Flow::Break(Some(Stop::Memory(limit)));
        }
        let mut ledger = lock(&self.ledger);
        ledger.stats.states_stored = self.stored.load(Ordering::Relaxed);
        ledger.stats.states_matched = self.matched.load(Ordering::Relaxed);
        ledger.look(depth, usage)
    }

    /// A state to expand: one's own youngest, or another's oldest.
    fn take(&self, own: usize) -> Option<Place> {
        if let Some(place) = lock(&self.todo[own]).pop_back() {
            return Some(place);
        }
        let others = (1..self.todo.len()).map(|i| (own + i) % self.todo.len());
        others.into_iter().find_map(|other| lock(&self.todo[other]).pop_front())
    }
}

/// One worker.
struct Worker<'s, 'a, 'm> {
    core: Core<'m>,
    books: Books<'s, 'a>,
}

/// What a worker writes down while a state is expanded.
struct Books<'s, 'a> {
    shared: &'s Shared<'a>,
    number: usize,
    dictionary: Dictionary,
    batch: Vec<Product>,
    /// The state that is being expanded, and the number of steps to it.
    at: Option<(Place, u32)>,
}

impl Worker<'_, '_, '_> {
    /// Enters the initial state.
    fn open(&mut self) -> Flow {
        let Worker { core, books } = self;
        books.shared.look(0)?;
        let mut state = Vec::new();
        let opening = core.runner.interp.initial(&mut state);
        let mut ledger = lock(&books.shared.ledger);
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
        books.batch.push(product);
        books.arrive(core)
    }

    /// Expands states until there is nothing left to do, for anybody.
    fn work(mut self) -> Executed {
        let shared = self.books.shared;
        let mut left = 0;
        while !shared.halt.ended.load(Ordering::Relaxed) {
            let Some(place) = shared.take(self.books.number) else {
                if shared.open.load(Ordering::Acquire) == 0 {
                    break;
                }
                std::thread::sleep(PAUSE);
                continue;
            };
            let flow = self.visit(place, &mut left);
            shared.open.fetch_sub(1, Ordering::Release);
            shared.note(flow);
        }
        (self.core.runner.executed, self.core.runner.round)
    }

    fn visit(&mut self, place: Place, left: &mut u32) -> Flow {
        let Worker { core, books } = self;
        let shared = books.shared;
        let mut card = Card::default();
        let depth = shared.shards.get(place, &mut card);
        shared.depth.fetch_max(u64::from(depth), Ordering::Relaxed);
        books.at = Some((place, depth));
        let product = books.product(core, &card)?;
        expand(core, &product, books)?;
        books.arrive(core)?;
        if *left == 0 {
            *left = PERIOD;
            let working = core.usage() + books.dictionary.usage();
            shared.working[books.number].store(working, Ordering::Relaxed);
            let tick = &mut core.runner.pulse.tick;
            tick.stored = shared.stored.load(Ordering::Relaxed);
            tick.matched = shared.matched.load(Ordering::Relaxed);
            tick.depth = u64::from(depth);
            shared.look(u64::from(depth))?;
        }
        *left -= 1;
        Flow::Continue(())
    }
}

impl Books<'_, '_> {
    /// A product as all workers understand it.
    fn card(&mut self, core: &Core<'_>, product: &Product) -> Flow<Card> {
        let types = &core.shapes.get(product.shape).types;
        let mut card = Card { center: types.iter().map(|t| t.0).collect(), sets: Vec::with_capacity(types.len()) };
        card.center.extend_from_slice(&product.center);
        for &party in &product.parties {
            card.sets.push(self.dictionary.name(&self.shared.names, core, core.parties.get(party).set)?);
        }
        Flow::Continue(card)
    }

    fn product(&mut self, core: &mut Core<'_>, card: &Card) -> Flow<Product> {
        let (types, center) = card.center.split_at(card.sets.len());
        let shape = core.shapes.with_types(types);
        let mut parties = Vec::with_capacity(types.len());
        for (i, &name) in card.sets.iter().enumerate() {
            let set = self.dictionary.set(&self.shared.names, core, name)?;
            parties.push(core.party(shape, Pid(i as u8), set)?);
        }
        Flow::Continue(Product { shape, center: center.to_vec(), parties })
    }

    /// Puts closed products down that are new.
    fn arrive(&mut self, core: &mut Core<'_>) -> Flow {
        let shared = self.shared;
        for product in std::mem::take(&mut self.batch) {
            let card = self.card(core, &product)?;
            let Books { dictionary, at, .. } = self;
            let within = |small, large| {
                let (small, large) =
                    (dictionary.set(&shared.names, core, small)?, dictionary.set(&shared.names, core, large)?);
                Flow::Continue(core.subsets.ask(&core.sets, small, large))
            };
            match shared.shards.add(&card, *at, within)? {
                Some(place) => {
                    shared.stored.fetch_add(1, Ordering::Relaxed);
                    shared.open.fetch_add(1, Ordering::Relaxed);
                    lock(&shared.todo[self.number]).push_back(place);
                }
                None => {
                    shared.matched.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Flow::Continue(())
    }

    /// The steps to what is reported.
    fn trail(&mut self, core: &mut Core<'_>, last: Last<'_>) -> Flow<Vec<Step>> {
        let Some((at, _)) = self.at else { return Flow::Continue(Vec::new()) };
        let mut space = Space::new(false);
        let (mut path, mut card) = (Vec::new(), Card::default());
        for place in self.shared.shards.path(at) {
            self.shared.shards.get(place, &mut card);
            let product = self.product(core, &card)?;
            path.push(space.number(&product)?);
        }
        along(core, &space, &path, last)
    }
}

impl Explorer for Books<'_, '_> {
    fn request(&self) -> &Request {
        self.shared.request
    }

    fn batch(&mut self) -> &mut Vec<Product> {
        &mut self.batch
    }

    fn too_deep(&mut self) -> bool {
        let depth = self.at.map_or(0, |(_, depth)| u64::from(depth));
        let deep = self.shared.request.limits.depth.is_some_and(|d| depth >= d);
        if deep {
            self.shared.cut.store(true, Ordering::Relaxed);
        }
        deep
    }

    fn report(&mut self, core: &mut Core<'_>, violation: &Violation, last: Last<'_>) -> Flow {
        let mut lost = None;
        let mut ledger = lock(&self.shared.ledger);
        if self.shared.halt.ended.load(Ordering::Relaxed) {
            return Flow::Break(Some(Stop::Interrupted));
        }
        let flow = ledger.event(violation, || match self.trail(core, last) {
            Flow::Continue(steps) => steps,
            Flow::Break(stop) => {
                lost = stop;
                Vec::new()
            }
        });
        let flow = match lost {
            Some(stop) => Flow::Break(Some(stop)),
            None => flow,
        };
        // While the books are locked, so that nobody counts another error after the last one.
        self.shared.note(flow.clone());
        flow
    }
}
