//! The searches for cycles against a naive graph check, on random tables.

mod common;

use common::Table;
use common::naive::{Naive, accepting_cycle};
use starwheel_engine::{Gap, Goal, Job, Limits, Order, Outcome, Report, Silent, Store, confirm_cycle, run};
use starwheel_model::ViolationKind;

const ORDERS: [Order; 2] = [Order::Ndfs, Order::Scc];
/// The exact stores, with each search.
const MEANS: [(Order, Store); 6] = [
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
        for order in ORDERS {
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
