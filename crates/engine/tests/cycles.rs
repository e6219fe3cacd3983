//! The searches for cycles against a naive graph check, on random tables.

mod common;

use common::Table;
use common::naive::{Naive, accepting_cycle};
use common::run;
use starwheel_engine::{Gap, Goal, Job, Limits, Order, Outcome, Report, Silent, Stats, Store, confirm_cycle};
use starwheel_model::ViolationKind;

/// Those that know a depth limit.
const LIMITED: [Order; 2] = [Order::Ndfs, Order::Scc];
/// The exact stores, with each search.
const MEANS: [(Order, Store); 7] = [
    (Order::Cndfs, Store::Tree),
    (Order::Ndfs, Store::Tree),
    (Order::Ndfs, Store::Flat),
    (Order::Ndfs, Store::Dfa),
    (Order::Scc, Store::Tree),
    (Order::Scc, Store::Flat),
    (Order::Scc, Store::Dfa),
];

fn search(table: &Table, search: Order, all_errors: bool, stutter: bool, limits: Limits) -> Report {
    ask(table, (search, Store::Tree), all_errors, stutter, limits)
}

fn ask(table: &Table, means: (Order, Store), all_errors: bool, stutter: bool, limits: Limits) -> Report {
    let goal = Goal { stutter, ..Goal::default() };
    let (search, store) = means;
    run(&Job { search, store, all_errors, goal, limits, ..Job::new(table) }, &Silent)
}

fn has_cycle(report: &Report) -> bool {
    report.findings.iter().any(|finding| finding.violation.kind == ViolationKind::AcceptanceCycle)
}

/// Every lasso is followed once more, with the checks of a replay.
fn check_lassos(table: &Table, report: &Report, stutter: bool) {
    for finding in &report.findings {
        let cycle = finding.violation.kind == ViolationKind::AcceptanceCycle;
        assert_eq!(cycle, finding.cycle_start.is_some());
        if let Some(start) = finding.cycle_start {
            assert!(start <= finding.trail.len());
            assert_eq!(confirm_cycle(table, &finding.trail, start, stutter), Ok(()));
        }
    }
}

#[test]
fn both_searches_find_a_cycle_exactly_if_there_is_one() {
    let mut found = 0;
    for seed in 0..6000 {
        println!("seed {seed}");
        let table = Table::random(seed, 0).accept(seed);
        for stutter in [true, false] {
            let expected = accepting_cycle(&table, stutter);
            let endless = Naive::search(&table).round;
            found += u32::from(expected);
            for means in MEANS {
                let report = ask(&table, means, false, stutter, Limits::default());
                assert_eq!(has_cycle(&report), expected, "{means:?}, {stutter}");
                let right = match &report.outcome {
                    Outcome::Holds(_) => !expected && !endless,
                    Outcome::Unrefuted(gap) => !expected && endless && *gap == Gap::EndlessAtomic,
                    outcome => expected && *outcome == Outcome::Violated,
                };
                assert!(right, "{means:?}: {:?}", report.outcome);
                check_lassos(&table, &report, stutter);
            }
        }
    }
    assert!((2000..10000).contains(&found), "the tables are one-sided: {found}");
}

/// Many workers at once find what there is, and count every state and every step once if there is nothing.
#[test]
fn many_workers_find_a_cycle_exactly_if_there_is_one() {
    let mut found = 0;
    for seed in 0..3000 {
        println!("seed {seed}");
        let table = Table::random(seed, 0).accept(seed);
        let expected = accepting_cycle(&table, true);
        found += u32::from(expected);
        let alone = search(&table, Order::Ndfs, true, true, Limits::default()).stats;
        for workers in [2, 4, 7] {
            let report = run(&Job { search: Order::Cndfs, workers, patience: 0, ..Job::new(&table) }, &Silent);
            assert_eq!(has_cycle(&report), expected, "{workers} workers: {:?}", report.outcome);
            assert_eq!(report.outcome == Outcome::Violated, expected, "{workers} workers: {:?}", report.outcome);
            check_lassos(&table, &report, true);
            if !expected {
                let stats = report.stats;
                assert_eq!(stats.states_stored, alone.states_stored, "{workers} workers");
                assert_eq!(stats.states_matched, alone.states_matched, "{workers} workers");
                assert_eq!(stats.atomic_steps, alone.atomic_steps, "{workers} workers");
            }
        }
    }
    assert!((500..2500).contains(&found), "the tables are one-sided: {found}");
}

/// Searches that get long: the store learns, and the other workers begin in the middle.
#[test]
fn long_searches_are_searches_like_others() {
    const NODES: usize = 60_000;
    for cycle in [false, true] {
        let mut table = Table::with_nodes(NODES);
        for node in 0..NODES - 1 {
            table.edge(node, node + 1);
            table.edge(node, (node * 7 + 3).clamp(node + 1, NODES - 1));
            table.nodes[node].accepting = node % 5 == 0;
        }
        if cycle {
            table.edge(NODES - 1, NODES - 900);
        }
        let alone = search(&table, Order::Ndfs, true, false, Limits::default());
        assert_eq!(has_cycle(&alone), cycle);
        for workers in [1, 2, 3] {
            let goal = Goal { stutter: false, ..Goal::default() };
            let report = run(&Job { search: Order::Cndfs, workers, goal, ..Job::new(&table) }, &Silent);
            assert_eq!(has_cycle(&report), cycle, "{workers} workers: {:?}", report.outcome);
            check_lassos(&table, &report, false);
            let figures = |s: Stats| (s.states_stored, s.states_matched);
            assert!(cycle || figures(report.stats) == figures(alone.stats), "{workers} workers");
        }
    }
}

/// One worker goes the same way whether it takes one step after the other or all of a state at once.
#[test]
fn one_worker_goes_the_same_way() {
    for seed in 0..2000 {
        println!("seed {seed}");
        let table = Table::random(seed, 50).accept(seed);
        let [one, all] = [Order::Ndfs, Order::Cndfs].map(|order| search(&table, order, true, true, Limits::default()));
        assert_eq!(one.errors, all.errors);
        assert_eq!(one.reached, all.reached);
        assert_eq!(one.findings.len(), all.findings.len());
        let figures = |s: Stats| (s.states_stored, s.states_matched, s.transitions, s.atomic_steps, s.state_bytes);
        assert_eq!(figures(one.stats), figures(all.stats));
    }
}

#[test]
fn cycles_are_found_beside_other_errors() {
    for seed in 0..3000 {
        println!("seed {seed}");
        let table = Table::random(seed, 50).accept(seed);
        let expected = accepting_cycle(&table, true);
        let plain = run(&Job { all_errors: true, ..Job::new(&table) }, &Silent);
        for order in MEANS {
            let report = ask(&table, order, true, true, Limits::default());
            assert_eq!(has_cycle(&report), expected, "{order:?}");
            assert_eq!(report.stats.states_stored, plain.stats.states_stored, "{order:?}");
            assert_eq!(report.stats.states_matched, plain.stats.states_matched, "{order:?}");
            let others = report.findings.iter().filter(|finding| finding.cycle_start.is_none());
            let events: u64 = others.map(|finding| finding.events).sum();
            assert_eq!(events, plain.errors, "{order:?}");
            check_lassos(&table, &report, true);
        }
    }
}

#[test]
fn a_limit_never_proves_anything_wrong() {
    for seed in 0..1000 {
        println!("seed {seed}");
        let table = Table::random(seed, 0).accept(seed);
        let expected = accepting_cycle(&table, true);
        for order in LIMITED {
            for depth in [1, 3, 7, 20] {
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let report = search(&table, order, false, true, limits);
                assert!(!matches!(report.outcome, Outcome::Holds(_)) || !expected, "{order:?}, depth {depth}");
                assert!(report.outcome != Outcome::Violated || expected, "{order:?}, depth {depth}");
                check_lassos(&table, &report, true);
            }
        }
    }
}

#[test]
fn lassos_stay_true_if_hidden_bytes_matter() {
    for seed in 0..1000 {
        println!("seed {seed}");
        let mut table = Table::random(seed, 50).accept(seed);
        table.hidden_matters = true;
        for order in MEANS {
            let report = ask(&table, order, true, true, Limits::default());
            assert!(!matches!(report.outcome, Outcome::Stopped(_)), "{order:?}: {:?}", report.outcome);
        }
    }
}
