//! Searches on small systems made by hand: stops, limits, endless chains, deep stacks, replayed trails.

mod common;

use common::run;
use common::{Table, assertion, violation};
use starwheel_engine::{Checks, Finding, Job, Limits, Monitor, Order, Outcome, Report, Silent, Stop, Tick};
use starwheel_model::{Batch, Behind, Fired, Layer, Step, Stepper, System, ViolationKind};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const ORDERS: [Order; 3] = [Order::Dfs, Order::Bfs, Order::Groups];

fn search(system: &dyn System, search: Order, all_errors: bool) -> Report {
    run(&Job { search, all_errors, ..Job::new(system) }, &Silent)
}

/// A line of states 0 → 1 → … → `last`, which ends well.
fn line(last: usize) -> Table {
    let mut table = Table::with_nodes(last + 1);
    for node in 0..last {
        table.edge(node, node + 1);
    }
    table
}

/// A line whose inner states are all transient.
fn tunnel(last: usize) -> Table {
    let mut table = line(last);
    table.nodes[1..last].iter_mut().for_each(|node| node.transient = true);
    table
}

#[test]
fn a_deep_stack_is_no_problem() {
    let table = line(300_000);
    for order in ORDERS {
        let report = search(&table, order, false);
        assert!(matches!(report.outcome, Outcome::Holds(_)));
        assert_eq!((report.stats.states_stored, report.stats.max_depth), (300_001, 300_000));
        assert_eq!(report.stats.state_bytes, 2 + 4 + 4, "hidden bytes, number, padding of the longest state");
    }
}

#[test]
fn an_endless_chain_is_cut_and_told_once() {
    // The last but one state leads back to the first transient one: far enough for all ways of finding it.
    for length in [2, 3, 31, 32, 33, 34, 35, 100, 20_000] {
        let mut table = tunnel(length);
        table.edge(length - 1, 1);
        for order in ORDERS {
            let report = search(&table, order, true);
            assert!(matches!(report.outcome, Outcome::Holds(_)), "{:?}", report.outcome);
            assert_eq!(report.warnings, ["an atomic sequence can go on for ever"]);
            let stats = report.stats;
            assert_eq!((stats.states_stored, stats.states_matched, stats.atomic_steps), (2, 0, length as u64));
        }
    }
}

#[test]
fn an_atomic_sequence_with_very_many_ends_does_not_keep_a_search_from_going_deep() {
    // A tree of transient states, and something wrong behind the first of its leaves.
    let (inner, all) = ((1 << 19) - 1, (1 << 20) - 1);
    let mut table = Table::with_nodes(all);
    for node in 0..inner {
        table.edge(node, 2 * node + 1);
        table.edge(node, 2 * node + 2);
    }
    table.nodes[1..inner].iter_mut().for_each(|node| node.transient = true);
    let wrong = table.edge(inner, inner);
    table.edges[wrong].violations.push(assertion(1));
    // The first look goes too short a way to find it; without any, all leaves are put down first.
    let found = |dive| {
        let report = run(&Job { search: Order::Groups, dive, ..Job::new(&table) }, &Silent);
        assert!(matches!(report.outcome, Outcome::Violated), "{:?}", report.outcome);
        report.stats.states_stored
    };
    assert_eq!(found(1), 2);
    assert!(found(0) > 1000);
}

#[test]
fn each_way_through_a_chain_is_an_edge() {
    // 0 goes to 3 by way of 1, which has two edges to 2, which has two edges to 3: four chains.
    let mut table = tunnel(3);
    table.edge(1, 2);
    table.edge(2, 3);
    for order in ORDERS {
        let stats = search(&table, order, false).stats;
        assert_eq!((stats.states_stored, stats.states_matched, stats.transitions), (2, 3, 5));
        assert_eq!(stats.atomic_steps, 3);
    }
}

#[test]
fn breadth_first_counts_single_steps_and_not_edges() {
    // Two edges by way of 1, or one long chain, lead to the error; the chain is the longer way.
    let mut table = tunnel(5);
    let wrong = table.edge(5, 5);
    table.edges[wrong].violations.push(assertion(1));
    let side = table.nodes.len();
    table.nodes.push(common::Node::default());
    table.edge(0, side);
    table.edge(side, 5);
    let report = search(&table, Order::Bfs, false);
    assert_eq!(report.findings[0].trail.len(), 3);
    assert_eq!(search(&table, Order::Dfs, false).findings[0].trail.len(), 6, "depth first takes the first way");
}

#[test]
fn handshakes_count_two() {
    let mut table = line(4);
    table.edges[0].handshake = true;
    table.edges[3].handshake = true;
    assert_eq!(search(&table, Order::Dfs, false).stats.max_depth, 6);
    assert_eq!(search(&table, Order::Bfs, false).stats.max_depth, 6);
}

#[test]
fn checks_choose_what_counts() {
    let mut table = line(2);
    table.edges[0].violations.push(assertion(1));
    table.nodes[2].stuck = Some(violation(ViolationKind::InvalidEndState, 2));
    for order in ORDERS {
        for (assertions, end_states) in [(false, false), (false, true), (true, false), (true, true)] {
            let checks = Checks { assertions, end_states, ..Checks::default() };
            let report = run(&Job { search: order, checks, all_errors: true, ..Job::new(&table) }, &Silent);
            assert_eq!(report.errors, u64::from(assertions) + u64::from(end_states));
            assert_eq!(report.stats.states_stored, 3, "a failed assertion does not end the path");
        }
    }
}

#[test]
fn run_time_errors_always_count_and_end_the_path() {
    let mut table = line(2);
    table.edges[0].broken = true;
    table.edges[0].violations.push(violation(ViolationKind::RuntimeError, 1));
    for order in ORDERS {
        let checks = Checks { assertions: false, end_states: false, ..Checks::default() };
        let report = run(&Job { search: order, checks, all_errors: true, ..Job::new(&table) }, &Silent);
        assert_eq!((report.errors, report.stats.states_stored), (1, 1));
        assert_eq!(report.outcome, Outcome::Violated);
        assert_eq!(report.reached, [true, false]);
    }
}

#[test]
fn the_initial_state_may_be_wrong() {
    let mut table = line(1);
    table.opening.push(violation(ViolationKind::RuntimeError, 0));
    for order in ORDERS {
        let report = search(&table, order, false);
        assert_eq!((report.outcome, report.errors), (Outcome::Violated, 1));
        assert!(report.findings[0].trail.is_empty());
    }
}

#[test]
fn an_initial_state_without_steps_is_a_trail_of_no_steps() {
    let mut table = Table::with_nodes(1);
    table.nodes[0].stuck = Some(violation(ViolationKind::InvalidEndState, 0));
    for order in ORDERS {
        let report = search(&table, order, false);
        assert_eq!((report.outcome, report.errors, report.stats.states_stored), (Outcome::Violated, 1, 1));
        assert!(report.findings[0].trail.is_empty());
    }
}

/// Stops a search at a certain tick or at the first finding.
#[derive(Default)]
struct Stopper {
    ticks: AtomicU64,
    last: u64,
    at_finding: bool,
    found: AtomicU64,
}

impl Monitor for Stopper {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        if self.ticks.fetch_add(1, Ordering::Relaxed) == self.last {
            return ControlFlow::Break(Stop::Interrupted);
        }
        ControlFlow::Continue(())
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        assert!(finding.events > 0);
        self.found.fetch_add(1, Ordering::Relaxed);
        if self.at_finding { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_monitor_can_stop_a_search_at_any_tick() {
    let table = line(100_000);
    for order in ORDERS {
        for last in 0..6 {
            let report = run(&Job { search: order, ..Job::new(&table) }, &Stopper { last, ..Stopper::default() });
            assert_eq!(report.outcome, Outcome::Stopped(Stop::Interrupted));
            assert!(report.stats.states_stored <= 100_000, "{last}");
        }
    }
}

#[test]
fn stopping_at_a_finding_keeps_the_finding() {
    let mut table = line(50);
    table.edges[3].violations.push(assertion(3));
    table.edges[4].violations.push(assertion(4));
    for order in ORDERS {
        let stopper = Stopper { last: u64::MAX, at_finding: true, ..Stopper::default() };
        let report = run(&Job { search: order, all_errors: true, ..Job::new(&table) }, &stopper);
        assert_eq!(report.outcome, Outcome::Violated);
        assert_eq!(report.findings.len() as u64, stopper.found.into_inner(), "{order:?}");
        assert!(report.stats.states_stored < 51, "{order:?} went on");
    }
}

#[test]
fn a_search_that_is_stopped_reports_what_waits() {
    // The error is at the second step of a long chain, and the search is stopped further on, at its third look at the clock:
    // the first one comes before all steps, the second one after the first step.
    let mut table = tunnel(40_000);
    table.edges[1].violations.push(assertion(1));
    let stopper = Stopper { last: 2, ..Stopper::default() };
    let report = run(&Job { search: Order::Bfs, ..Job::new(&table) }, &stopper);
    assert_eq!((report.outcome, report.findings[0].trail.len()), (Outcome::Violated, 2));
    assert_eq!(report.warnings, ["the search was stopped, so there may be a shorter trail"]);
}

#[test]
fn no_time_is_no_proof() {
    let table = line(3);
    for order in ORDERS {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let report = run(&Job { search: order, limits, ..Job::new(&table) }, &Silent);
        assert_eq!(report.outcome, Outcome::Stopped(Stop::Time(Duration::ZERO)));
    }
}

/// A system whose steppers do not agree with each other: only the first one ever fails.
struct Liar {
    table: Table,
    asked: AtomicBool,
}

struct LiarStepper<'a> {
    inner: Box<dyn Stepper + 'a>,
    fails: bool,
}

impl System for Liar {
    fn hidden_bytes(&self) -> usize {
        self.table.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.table.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(LiarStepper { inner: self.table.stepper(), fails: !self.asked.swap(true, Ordering::Relaxed) })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl Layer for LiarStepper<'_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.inner
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let mut fired = self.inner.fire(at, step, out);
        if !self.fails {
            fired.violations.clear();
        }
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }
}

#[test]
fn a_trail_that_cannot_be_replayed_is_no_violation() {
    for order in ORDERS {
        let mut table = line(5);
        table.edges[2].violations.push(assertion(1));
        let liar = Liar { table, asked: AtomicBool::new(false) };
        let report = search(&liar, order, true);
        assert!(matches!(report.outcome, Outcome::Stopped(Stop::Internal(_))), "{:?}", report.outcome);
        assert!(report.findings.is_empty());
    }
}

#[test]
fn a_number_of_errors_may_be_enough() {
    // The same assertion fails on each of four ways, which is one finding or four.
    let mut table = Table::with_nodes(5);
    for node in 1..5 {
        let wrong = table.edge(0, node);
        table.edges[wrong].violations.push(assertion(1));
    }
    for order in ORDERS {
        for wanted in [1, 2, 3, 4, 9] {
            let limits = Limits { errors: Some(wanted), ..Limits::default() };
            let report = run(&Job { search: order, all_errors: true, limits, ..Job::new(&table) }, &Silent);
            assert_eq!((report.errors, report.findings.len()), (wanted.min(4), 1), "{order:?} {wanted}");
            assert_eq!(report.findings[0].events, wanted.min(4));
            assert_eq!(report.complete.is_some(), wanted > 4, "{order:?} {wanted}");
            assert_eq!(report.outcome, Outcome::Violated);
        }
    }
    let every = run(&Job { all_errors: true, every_error: true, ..Job::new(&table) }, &Silent);
    assert_eq!((every.errors, every.findings.len(), every.complete.is_some()), (4, 4, true));
}
