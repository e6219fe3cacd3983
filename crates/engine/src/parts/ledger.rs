//! The books of a search: what was counted and found, and when to stop.

mod archive;

use crate::job::{Job, Order};
use crate::monitor::{Monitor, Tick};
use crate::parts::lift::lift;
use crate::parts::pace::Pace;
use crate::parts::shorten::{Lasso, Terms, shorten};
use crate::parts::walk::{Arrival, Led};
use crate::replay::{Mismatch, confirm, confirm_cycle, confirm_fair};
use crate::report::{Complete, Finding, Gap, Report, Stats, Stop};
use starwheel_base::Span;
use starwheel_model::{Action, Actor, Step, System, Violation, ViolationKind};
use starwheel_store::{Exactness, StateSet, Usage};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// The warning that a chain of transient states came round.
pub const ENDLESS_ATOMIC: &str = "an atomic sequence can go on for ever";

/// Steps between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 14;
/// Steps that the shortening of a lasso may take, at least and at most: in between, as many as the search took.
const LEAST_EFFORT: u64 = 1 << 13;
const MOST_EFFORT: u64 = 1 << 20;

/// Time that it may take in any case.
const GRACE: Duration = Duration::from_millis(500);

/// Findings that are looked through one after the other.
const FEW: usize = 8;

/// Time between two looks at the memory of the whole program.
const WEIGHING: Duration = Duration::from_millis(10);

/// How a search goes on. It breaks with a reason if it must stop early, without one if it has found enough.
pub type Flow<T = ()> = ControlFlow<Option<Stop>, T>;

/// The flow that says more: a reason to stop early, then something found.
pub fn worse(a: Flow, b: Flow) -> Flow {
    match (a, b) {
        (Flow::Break(Some(stop)), _) | (_, Flow::Break(Some(stop))) => Flow::Break(Some(stop)),
        (Flow::Break(None), _) | (_, Flow::Break(None)) => Flow::Break(None),
        _ => Flow::Continue(()),
    }
}

/// What makes two errors the same one.
pub type Key = (ViolationKind, Span);

/// The key of a violation.
pub fn key(violation: &Violation) -> Key {
    (violation.kind, violation.span)
}

/// The books.
pub struct Ledger<'a> {
    job: &'a Job<'a>,
    watch: &'a dyn Monitor,
    /// When the search began.
    pub started: Instant,
    /// Seconds that earlier runs took of which this one is the continuation.
    before: f64,
    /// When to look at the memory of the whole program again.
    weighed: Duration,
    /// What it was then.
    resident: u64,
    steps: u64,
    pace: Pace,
    round: bool,
    missed: Option<Gap>,
    reached: Vec<bool>,
    /// The threads that have executed steps, if they say so.
    threads: HashSet<ThreadId>,
    index: HashMap<Key, usize>,
    findings: Vec<Finding>,
    /// What they were found as, which may be something else where states are renamed.
    keys: Vec<Key>,
    /// How often something went wrong.
    pub errors: u64,
    /// What was counted.
    pub stats: Stats,
    /// States that wait to be expanded, as far as the search knows.
    pub waiting: Option<u64>,
    /// For the user.
    pub warnings: Vec<String>,
}

impl<'a> Ledger<'a> {
    /// Empty books; the clock starts.
    pub fn new(job: &'a Job<'a>, watch: &'a dyn Monitor) -> Ledger<'a> {
        Ledger {
            job,
            watch,
            started: job.started.unwrap_or_else(Instant::now),
            before: 0.0,
            weighed: Duration::ZERO,
            resident: 0,
            steps: 0,
            pace: Pace::new(PERIOD),
            round: false,
            missed: None,
            reached: vec![false; job.system.transitions()],
            threads: HashSet::new(),
            index: HashMap::new(),
            findings: Vec::new(),
            keys: Vec::new(),
            errors: 0,
            stats: Stats::default(),
            waiting: None,
            warnings: Vec::new(),
        }
    }

    /// Who watches the search.
    pub fn watch(&self) -> &'a dyn Monitor {
        self.watch
    }

    /// Counts one step, and from time to time looks at the clock and asks the monitor.
    pub fn step(&mut self, arrival: &Arrival, depth: u64, set: &impl StateSet) -> Flow {
        self.mark(arrival.step.action);
        if let Some(action) = arrival.step.second_action() {
            self.mark(action);
        }
        self.stats.state_bytes = self.stats.state_bytes.max(arrival.bytes as u64);
        // After a step of a claim it is the system's turn, which is no atomic sequence.
        let inside = u64::from(!arrival.step.actor.is_claim());
        self.stats.ticks += u64::from(arrival.step.actor == Actor::Clock);
        match arrival.led {
            Led::Transient => self.stats.atomic_steps += inside,
            Led::Round => {
                self.stats.atomic_steps += inside;
                self.round = true;
            }
            Led::Stored | Led::Nowhere => {}
        }
        self.steps += 1;
        if !self.pace.due() {
            return Flow::Continue(());
        }
        self.tick(depth, set)?;
        // A chain takes memory, but puts nothing in a store that would notice.
        if arrival.led == Led::Transient { self.check_resident() } else { Flow::Continue(()) }
    }

    /// Looks at the clock now and then during steps that were counted already.
    pub fn tick_uncounted(&mut self, depth: u64, set: &impl StateSet) -> Flow {
        self.steps += 1;
        if self.pace.due() { self.tick(depth, set) } else { Flow::Continue(()) }
    }

    /// By transition: whether it was executed; and whether a chain came round.
    pub fn seen(&self) -> (&[bool], bool) {
        (&self.reached, self.round)
    }

    /// Takes over what a worker has seen: the transitions that it executed, and whether a chain came round.
    /// To be called by the worker itself, which is then one of those that took part.
    pub fn absorb(&mut self, executed: &[bool], round: bool) {
        if executed.contains(&true) {
            self.threads.insert(thread::current().id());
        }
        self.reached.iter_mut().zip(executed).for_each(|(reached, executed)| *reached |= executed);
        self.round |= round;
    }

    /// Notes that something may have been missed.
    pub fn missed(&mut self, gap: Gap) {
        self.missed = Some(gap);
    }

    /// Notes that workers have taken so many steps.
    pub fn add_steps(&mut self, steps: u64) {
        self.steps += steps;
    }

    fn mark(&mut self, action: Action) {
        if let Some(reached) = self.reached.get_mut(action.index()) {
            *reached = true;
        }
    }

    /// Looks at the clock and asks the monitor.
    pub fn tick(&mut self, depth: u64, set: &impl StateSet) -> Flow {
        let usage = set.usage();
        if let Some(bytes) = self.usage_elsewhere(usage) {
            set.besides(bytes);
        }
        self.check_limits(depth, usage)
    }

    /// What the whole program holds besides a store, if there is a limit and it is time to look again.
    pub fn usage_elsewhere(&mut self, usage: Usage) -> Option<u64> {
        let (resident, _) = self.job.resident.zip(self.job.limits.memory)?;
        let elapsed = self.started.elapsed();
        if elapsed < self.weighed {
            return None;
        }
        self.weighed = elapsed + WEIGHING;
        self.resident = resident();
        Some(self.resident.saturating_sub(usage.bytes))
    }

    /// Ends the search if the whole program held more than it may when [`Ledger::usage_elsewhere`] looked at it: for work
    /// that puts nothing in the store.
    pub fn check_resident(&self) -> Flow {
        let crowded = self.job.limits.memory.is_some_and(|most| self.resident > most);
        if crowded { self.full() } else { Flow::Continue(()) }
    }

    /// Looks at the clock and asks the monitor, given what the store holds.
    pub fn check_limits(&mut self, depth: u64, usage: Usage) -> Flow {
        let elapsed = self.started.elapsed();
        if let Some(limit) = self.job.limits.time
            && elapsed >= limit
        {
            return Flow::Break(Some(Stop::Time(limit)));
        }
        let tick = Tick {
            stored: self.stats.states_stored,
            matched: self.stats.states_matched,
            depth,
            store_bytes: usage.bytes,
            waiting: self.waiting,
            elapsed,
        };
        self.watch.progress(&tick).map_break(Some)
    }

    /// True if a violation is one of those that were asked for.
    pub fn counts(&self, violation: &Violation) -> bool {
        self.job.checks.counts(violation.kind)
    }

    /// Counts something that went wrong; the trail is asked for only if it is the first of its kind and place.
    pub fn event(&mut self, violation: &Violation, trail: impl FnOnce() -> Vec<Step>) -> Flow {
        if !self.counts(violation) {
            return Flow::Continue(());
        }
        self.errors += 1;
        if !self.repeated(violation) {
            self.find(Finding { violation: violation.clone(), trail: trail(), cycle_start: None, events: 1 })?;
        }
        self.go_on()
    }

    /// Counts an error that is a finding already, if it is.
    fn repeated(&mut self, violation: &Violation) -> bool {
        if self.job.every_error {
            return false;
        }
        // Most searches have few findings, and meet one of the first again and again.
        let own = key(violation);
        let known = self.keys.iter().take(FEW).position(|k| *k == own);
        let known = known.or_else(|| if self.findings.len() > FEW { self.index.get(&own).copied() } else { None });
        if let Some(known) = known {
            self.findings[known].events += 1;
        }
        known.is_some()
    }

    /// Ends the search if it has found enough.
    fn go_on(&self) -> Flow {
        if self.enough() { Flow::Break(None) } else { Flow::Continue(()) }
    }

    /// True if no more errors are asked for.
    pub fn enough(&self) -> bool {
        let wanted = if self.job.all_errors { self.job.limits.errors } else { Some(1) };
        wanted.is_some_and(|n| self.errors >= n)
    }

    /// Counts a cycle through an accepting state; the steps to its start and its own steps are asked for only if it is
    /// the first.
    pub fn cycle(&mut self, lasso: impl FnOnce() -> Option<(Vec<Step>, usize)>) -> Flow {
        let violation = self.job.goal.violation();
        self.errors += 1;
        if self.repeated(&violation) {
            return self.go_on();
        }
        let Some((trail, start)) = lasso() else {
            return Flow::Break(Some(Stop::Internal("a cycle cannot be found again".to_string())));
        };
        // Whether a lasso of names is fair cannot be judged by names.
        let told = self.job.shortens && (self.job.fairness.is_none() || self.job.system.behind().is_none());
        let (trail, start) = if told { self.shortened(trail, start) } else { (trail, start) };
        self.find(Finding { violation, trail, cycle_start: Some(start), events: 1 })?;
        self.go_on()
    }

    /// A lasso made as short as the search so far is worth.
    fn shortened(&self, trail: Vec<Step>, start: usize) -> (Vec<Step>, usize) {
        let (system, stutter) = (self.job.system, self.stutters());
        let confirm = |lasso: &Lasso| self.confirm_lasso(system, &lasso.trail, lasso.start).is_ok();
        let effort = self.steps.clamp(LEAST_EFFORT, MOST_EFFORT);
        let mut lasso = Lasso { trail, start };
        // One that is wrong must come to light as it is.
        if confirm(&lasso) {
            lasso = shorten(&Terms { system, stutter, effort, until: self.until(), confirm: &confirm }, lasso);
        }
        (lasso.trail, lasso.start)
    }

    /// When the shortening of a lasso has to end, which gets a little time even at the very end of a search.
    fn until(&self) -> Option<Instant> {
        let until = self.started.checked_add(self.job.limits.time?)?;
        Some(until.max(Instant::now() + GRACE))
    }

    /// Checks that a lasso is one of those that are looked for.
    fn confirm_lasso(&self, system: &dyn System, trail: &[Step], start: usize) -> Result<(), Mismatch> {
        confirm_cycle(system, trail, start, self.stutters())?;
        self.job.fairness.map_or(Ok(()), |fairness| confirm_fair(system, trail, start, fairness))
    }

    /// True if an accepting state without steps counts as a cycle.
    pub fn stutters(&self) -> bool {
        self.job.goal.stutter
    }

    /// The system in whose steps trails are told.
    fn real(&self) -> &'a dyn System {
        self.job.system.behind().map_or(self.job.system, |behind| behind.system)
    }

    /// Puts down a new finding after having replayed its trail.
    pub fn find(&mut self, finding: Finding) -> Flow {
        let found_as = key(&finding.violation);
        let told = match self.job.system.behind() {
            None => Some(finding),
            Some(behind) => lift(self.job.system, behind, &finding),
        };
        let Some(finding) = told else {
            let why = "what was found among renamed states cannot be told in real ones".to_string();
            return Flow::Break(Some(Stop::Internal(why)));
        };
        let Finding { trail, violation, .. } = &finding;
        let confirmed = match finding.cycle_start {
            None => confirm(self.real(), trail, violation),
            Some(start) => self.confirm_lasso(self.real(), trail, start),
        };
        if let Err(mismatch) = confirmed {
            return Flow::Break(Some(Stop::Internal(format!("{mismatch}: {}", finding.violation.message))));
        }
        let flow = self.watch.found(&finding);
        self.put_down(finding, found_as);
        flow.map_break(Some)
    }

    fn put_down(&mut self, finding: Finding, found_as: Key) {
        self.index.insert(found_as, self.findings.len());
        self.keys.push(found_as);
        self.findings.push(finding);
    }

    /// Sets the number of events of an error that was found; it is one if one is enough.
    pub fn recount(&mut self, violation: &Violation, events: u64) {
        if let Some(&known) = self.index.get(&key(violation)) {
            self.findings[known].events = if self.job.all_errors { events } else { 1 };
        }
    }

    /// The time that the search took, earlier runs included.
    fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// Why a full store ends the search.
    pub fn full(&self) -> Flow {
        Flow::Break(Some(self.job.limits.memory.map_or(Stop::StoreFull, Stop::Memory)))
    }

    /// Closes the books. `cut` is the depth at which paths were cut, if any were.
    pub fn close(self, flow: Flow, cut: Option<u64>, set: &impl StateSet) -> Report {
        self.conclude(flow, cut, set.exactness(), set.usage())
    }

    /// Closes the books, given how far the store can be believed and what it holds.
    pub fn conclude(mut self, flow: Flow, cut: Option<u64>, exactness: Exactness, usage: Usage) -> Report {
        let finished = flow.is_continue();
        let mut stop = flow.break_value().flatten().or(cut.map(Stop::Depth));
        if !finished && stop.is_none() && self.findings.is_empty() {
            // Whoever has found enough has found something; nothing is proven by a search that did not end.
            stop = Some(Stop::Internal("the search ended early without a reason".to_string()));
        }
        let lossy = (exactness == Exactness::Lossy).then_some(Gap::LossyStore);
        let blind = self.round && matches!(self.job.search, Order::Ndfs | Order::Cndfs | Order::Scc);
        let gap = lossy.or(blind.then_some(Gap::EndlessAtomic)).or(self.missed);
        if self.round {
            self.warnings.push(ENDLESS_ATOMIC.to_string());
        }
        self.stats.transitions = self.stats.states_stored + self.stats.states_matched;
        self.stats.store_bytes = usage.bytes;
        self.stats.seconds = self.seconds();
        Report {
            outcome: Complete::conclude(!self.findings.is_empty(), stop.clone(), gap),
            complete: Complete::of(finished, stop.as_ref(), gap),
            stop,
            errors: self.errors,
            findings: self.findings,
            stats: self.stats,
            reached: self.reached,
            search: self.job.search,
            // Each move to another store begins with threads of its own.
            workers: self.threads.len().clamp(1, self.job.workers.max(1)),
            packed: false,
            warnings: self.warnings,
        }
    }
}
