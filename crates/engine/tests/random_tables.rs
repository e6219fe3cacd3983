//! The searches against naive ones, on random tables.

mod common;

use common::Table;
use common::naive::{Naive, distances, shortest};
use common::run;
use starwheel_engine::{Job, Limits, Order, Outcome, Report, Silent, Stop, Store, replay};

const ORDERS: [Order; 3] = [Order::Dfs, Order::Bfs, Order::Groups];
const WARNING: &str = "an atomic sequence can go on for ever";

fn job(table: &Table, search: Order, all_errors: bool, limits: Limits) -> Job<'_> {
    Job { search, all_errors, limits, ..Job::new(table) }
}

fn search(table: &Table, search: Order, all_errors: bool) -> Report {
    run(&job(table, search, all_errors, Limits::default()), &Silent)
}

/// Tables of all sorts: most without errors, some with a few, some full of them.
fn tables() -> impl Iterator<Item = Table> {
    (0..3000).map(|seed| {
        println!("seed {seed}");
        Table::random(seed, [0, 20, 150][seed as usize % 3])
    })
}

#[test]
fn complete_searches_count_what_a_naive_one_counts() {
    for table in tables() {
        let naive = Naive::search(&table);
        for order in ORDERS {
            let report = search(&table, order, true);
            let stats = &report.stats;
            let stored = naive.stored.len() as u64;
            assert_eq!(stats.states_stored, stored, "stored, {order:?}");
            assert_eq!(stats.states_matched, naive.matched, "matched, {order:?}");
            assert_eq!(stats.transitions, stored + naive.matched, "transitions, {order:?}");
            assert_eq!(stats.atomic_steps, naive.atomic_steps, "atomic steps, {order:?}");
            assert_eq!(report.errors, naive.errors, "errors, {order:?}");
            let reached: Vec<bool> = (0..table.edges.len()).map(|edge| naive.reached.contains(&edge)).collect();
            assert_eq!(report.reached, reached, "reached, {order:?}");
            let warnings = if naive.round { vec![WARNING] } else { Vec::new() };
            assert_eq!(report.warnings, warnings, "{order:?}");
            assert_eq!(matches!(report.outcome, Outcome::Holds(_)), naive.errors == 0, "outcome, {order:?}");
            assert_eq!(report.outcome == Outcome::Violated, naive.errors > 0, "outcome, {order:?}");
        }
        assert_eq!(search(&table, Order::Dfs, true).stats.max_depth, naive.max_depth, "depth");
        for store in [Store::Flat, Store::Dfa] {
            let report = run(&Job { all_errors: true, store, ..Job::new(&table) }, &Silent);
            let counts = (report.stats.states_stored, report.stats.states_matched, report.errors);
            assert_eq!(counts, (naive.stored.len() as u64, naive.matched, naive.errors), "{store:?}");
            assert_eq!(report.stats.max_depth, naive.max_depth, "{store:?}");
        }
    }
}

#[test]
fn a_store_that_becomes_a_tree_loses_nothing() {
    for table in tables().step_by(3) {
        let naive = Naive::search(&table);
        for (plain, workers) in [(1, 1), (5, 1), (40, 1), (3, 2), (17, 2)] {
            let groups = job(&table, Order::Groups, true, Limits::default());
            let report = run(&Job { plain, workers, patience: 9, ..groups }, &Silent);
            let counts = (report.stats.states_stored, report.stats.states_matched, report.stats.atomic_steps);
            assert_eq!(counts, (naive.stored.len() as u64, naive.matched, naive.atomic_steps), "{plain} {workers}");
            assert_eq!((report.errors, report.stop), (naive.errors, None), "{plain} {workers}");
            for finding in &report.findings {
                assert_eq!(replay(&table, &finding.trail, &mut |_| {}), Ok(()));
            }
        }
    }
}

#[test]
fn each_distinct_error_is_found_once_with_its_events() {
    for table in tables() {
        let naive = Naive::search(&table);
        for order in ORDERS {
            let report = search(&table, order, true);
            assert_eq!(report.findings.len(), naive.events.len(), "{order:?}");
            for finding in &report.findings {
                let key = (finding.violation.kind, finding.violation.span);
                assert_eq!(Some(&finding.events), naive.events.get(&key), "{order:?}");
            }
        }
    }
}

/// The length of a trail, in which a handshake counts two.
fn length(trail: &[starwheel_model::Step]) -> u64 {
    trail.iter().map(|step| step.length()).sum()
}

#[test]
fn breadth_first_trails_are_shortest() {
    for table in tables() {
        let lengths = shortest(&table);
        for finding in search(&table, Order::Bfs, true).findings {
            let key = (finding.violation.kind, finding.violation.span);
            assert_eq!(length(&finding.trail), lengths[&key], "of all errors");
        }
        let report = search(&table, Order::Bfs, false);
        let found = report.findings.first().map(|finding| length(&finding.trail));
        assert_eq!(found, lengths.values().min().copied(), "the first error");
    }
}

#[test]
fn one_error_is_enough() {
    for table in tables() {
        let lengths = shortest(&table);
        for order in ORDERS {
            let report = search(&table, order, false);
            let expected = u64::from(!lengths.is_empty());
            assert_eq!((report.errors, report.findings.len() as u64), (expected, expected), "{order:?}");
            assert!(report.findings.iter().all(|finding| finding.events == 1));
            for finding in &report.findings {
                let mut last = None;
                assert_eq!(replay(&table, &finding.trail, &mut |taken| last = Some(taken.step)), Ok(()));
                assert_eq!(last, finding.trail.last().copied(), "the replay shows another trail");
            }
        }
    }
}

#[test]
fn trails_are_right_even_if_hidden_bytes_matter() {
    for mut table in tables() {
        table.hidden_matters = true;
        for order in ORDERS {
            let report = search(&table, order, true);
            assert!(!matches!(report.outcome, Outcome::Stopped(_)), "{order:?}: {:?}", report.outcome);
        }
    }
}

#[test]
fn a_small_store_never_proves_anything_wrong() {
    for table in tables().step_by(5) {
        let naive = Naive::search(&table);
        let needed = search(&table, Order::Dfs, true).stats.store_bytes;
        for (order, memory) in
            ORDERS.into_iter().flat_map(|order| (0..needed + 99).step_by(97).map(move |m| (order, m)))
        {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            let report = run(&job(&table, order, true, limits), &Silent);
            assert!(report.stats.store_bytes <= memory);
            match report.outcome {
                Outcome::Holds(_) => {
                    assert_eq!(naive.errors, 0);
                    assert_eq!(report.stats.states_stored, naive.stored.len() as u64);
                }
                Outcome::Violated => assert!(naive.errors > 0 && !report.findings.is_empty()),
                outcome => assert_eq!(outcome, Outcome::Stopped(Stop::Memory(memory))),
            }
        }
    }
}

/// What must not depend on the order of a search.
fn counts(report: &Report) -> (u64, u64, u64, u64, Option<Stop>) {
    let s = &report.stats;
    (s.states_stored, s.states_matched, s.atomic_steps, report.errors, report.stop.clone())
}

#[test]
fn a_depth_limit_cuts_exactly_there() {
    for table in tables().step_by(5) {
        let deepest = search(&table, Order::Dfs, true).stats.max_depth;
        let distances = distances(&table);
        let farthest = distances.values().copied().max().unwrap_or(0);
        for depth in 0..deepest.max(farthest) + 2 {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let report = run(&job(&table, Order::Dfs, true, limits), &Silent);
            assert!(report.stats.max_depth <= depth);
            if report.stats.max_depth < depth && report.findings.is_empty() && deepest < depth {
                assert!(matches!(report.outcome, Outcome::Holds(_)), "nothing was cut");
            }
            let report = run(&job(&table, Order::Bfs, true, limits), &Silent);
            let near = distances.iter().filter(|&(&node, &d)| d <= depth && !table.nodes[node].transient);
            let near = near.count() as u64;
            assert_eq!(report.stats.states_stored, near, "breadth first to distance {depth}");
            for store in [Store::Tree, Store::Flat] {
                let other = run(&Job { store, ..job(&table, Order::Within, true, limits) }, &Silent);
                assert_eq!(counts(&other), counts(&report), "within {depth}, {store:?}");
                assert_eq!(other.reached, report.reached, "within {depth}, {store:?}");
                let order = if depth < deepest { Order::Bfs } else { Order::Dfs };
                assert!(other.search == order || depth == deepest, "within {depth}");
            }
            if report.findings.is_empty() && depth < farthest {
                assert_eq!(report.outcome, Outcome::Stopped(Stop::Depth(depth)));
            }
        }
    }
}
