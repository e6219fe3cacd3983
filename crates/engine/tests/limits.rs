//! A limit is kept wherever a search spends its time: where single steps are slow, and inside one endless step.
//!
//! Nothing here measures time: a machine that is slower gets less far before its time is over.

mod common;

use common::{Table, assertion};
use starwheel_engine::{Finding, Goal, Job, Limits, Monitor, Order, Outcome, Report, Silent, Stop, Store, Tick, run};
use starwheel_model::{Fired, Step, Stepper, System, Violation};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ORDERS: [Order; 6] = [Order::Dfs, Order::Bfs, Order::Groups, Order::Ndfs, Order::Cndfs, Order::Scc];
const TIME: Duration = Duration::from_millis(60);
const PAUSE: Duration = Duration::from_millis(3);

/// A system in which listing the steps of a state takes its time.
struct Slow(Table);

struct SlowStepper<'a>(Box<dyn Stepper + 'a>);

impl System for Slow {
    fn hidden_bytes(&self) -> usize {
        self.0.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.0.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(SlowStepper(self.0.stepper()))
    }
}

impl Stepper for SlowStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.0.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        std::thread::sleep(PAUSE);
        self.0.enabled(at, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.0.fire(at, step, out)
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.0.transient(at)
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.0.stuck(at)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.0.accepting(at)
    }
}

/// A line of states, all but the first and the last of which are transient if `transient`.
fn line(last: usize, transient: bool) -> Table {
    let mut table = Table::with_nodes(last + 1);
    for node in 0..last {
        table.edge(node, node + 1);
        table.nodes[node].transient = transient && node > 0;
    }
    table
}

fn timed(system: &dyn System, search: Order) -> Report {
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    run(&Job { search, limits, goal: Goal::default(), ..Job::new(system) }, &Silent)
}

#[test]
fn slow_steps_do_not_outrun_the_clock() {
    let system = Slow(line(3000, false));
    for order in ORDERS {
        let report = timed(&system, order);
        assert_eq!(report.outcome, Outcome::Stopped(Stop::Time(TIME)), "{order:?}");
        // Twenty states fit into the time; some are on their way when it is over.
        assert!(report.stats.states_stored < 200, "{order:?}: {}", report.stats.states_stored);
    }
}

#[test]
fn slow_steps_of_a_chain_do_not_outrun_the_clock() {
    let system = Slow(line(3000, true));
    for order in ORDERS {
        let report = timed(&system, order);
        assert_eq!(report.outcome, Outcome::Stopped(Stop::Time(TIME)), "{order:?}");
        // Some searches look at the clock at certain places of a chain only.
        assert!(report.stats.atomic_steps < 1000, "{order:?}: {}", report.stats.atomic_steps);
    }
}

/// Says stop when it is asked for the fourth time, and counts what it is told.
#[derive(Default)]
struct Fourth {
    asked: AtomicU64,
    found: AtomicU64,
}

impl Monitor for Fourth {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        match self.asked.fetch_add(1, Ordering::Relaxed) {
            3 => ControlFlow::Break(Stop::Interrupted),
            _ => ControlFlow::Continue(()),
        }
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        self.found.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_long_chain_can_be_interrupted() {
    let table = line(100_000, true);
    for order in ORDERS {
        let report = run(&Job { search: order, ..Job::new(&table) }, &Fourth::default());
        assert_eq!(report.outcome, Outcome::Stopped(Stop::Interrupted), "{order:?}");
        assert_eq!(report.stats.states_stored, 1, "{order:?}");
    }
}

#[test]
fn a_long_chain_takes_no_more_memory_than_it_may() {
    let table = line(100_000, true);
    let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
    // As soon as the search has begun, the program is said to hold two gigabytes.
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let resident: fn() -> u64 = || if ASKED.fetch_add(1, Ordering::Relaxed) == 0 { 0 } else { 2 << 30 };
    for order in ORDERS {
        ASKED.store(0, Ordering::Relaxed);
        let report = run(&Job { search: order, limits, resident: Some(resident), ..Job::new(&table) }, &Silent);
        assert_eq!(report.outcome, Outcome::Stopped(Stop::Memory(1 << 30)), "{order:?}");
    }
}

#[test]
fn a_chain_that_was_interrupted_comes_to_the_same_end() {
    // Long enough to be broken off several times, with a branch and an error at every hundredth place.
    let mut table = line(20_000, true);
    for node in (100..20_000).step_by(100) {
        table.edge(node, 20_000);
        table.edges[node].violations.push(assertion(node as u32));
    }
    let expected = run(&Job { search: Order::Dfs, all_errors: true, ..Job::new(&table) }, &Silent);
    for store in [Store::Tree, Store::Flat, Store::Compact] {
        let found = run(&Job { search: Order::Groups, all_errors: true, store, ..Job::new(&table) }, &Silent);
        assert_eq!((found.errors, found.findings.len()), (199, 199), "{store:?}");
        assert_eq!((expected.errors, expected.findings.len()), (199, 199));
        let counts = |r: &Report| (r.stats.states_stored, r.stats.states_matched, r.stats.atomic_steps);
        assert_eq!(counts(&found), counts(&expected), "{store:?}");
    }
}
