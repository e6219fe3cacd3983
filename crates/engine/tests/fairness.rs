//! The searches for fair cycles against a check of the whole graph, on random tables.

mod common;

use common::Table;
use common::fair::Graph;
use common::naive::Naive;
use starwheel_engine::{Fairness, Gap, Goal, Job, Limits, Mismatch, Order, Outcome, Report, Silent, Store};
use starwheel_engine::{confirm_cycle, confirm_fair, run};

/// Every fairness and the searches that know it.
const KINDS: [(Option<Fairness>, &[Order]); 3] = [
    (None, &[Order::Ndfs, Order::Scc]),
    (Some(Fairness::Weak), &[Order::Ndfs, Order::Scc]),
    (Some(Fairness::Strong), &[Order::Scc]),
];

/// The exact stores.
const STORES: [Store; 3] = [Store::Tree, Store::Flat, Store::Dfa];

/// Every search that knows a fairness, with every store.
fn means(orders: &[Order]) -> impl Iterator<Item = (Order, Store)> {
    orders.iter().flat_map(|&order| STORES.map(|store| (order, store)))
}

/// Mostly processes side by side, some random graphs.
fn table(seed: u64) -> Table {
    match seed % 4 {
        0 => Table::random(seed, 0).accept(seed).processes(1 + (seed / 4 % 12) as u8, seed),
        _ => Table::product(seed),
    }
}

fn search(
    table: &Table,
    (search, store): (Order, Store),
    fairness: Option<Fairness>,
    stutter: bool,
    limits: Limits,
) -> Report {
    let goal = Goal { stutter, ..Goal::default() };
    run(&Job { search, store, goal, limits, fairness, ..Job::new(table) }, &Silent)
}

/// Every lasso is followed once more.
fn check_lassos(table: &Table, report: &Report, fairness: Option<Fairness>, stutter: bool) {
    for finding in &report.findings {
        let start = finding.cycle_start.expect("nothing else goes wrong");
        assert_eq!(confirm_cycle(table, &finding.trail, start, stutter), Ok(()));
        for kind in [Fairness::Weak, Fairness::Strong] {
            // What is strongly fair is weakly fair.
            if fairness == Some(kind) || fairness == Some(Fairness::Strong) {
                assert_eq!(confirm_fair(table, &finding.trail, start, kind), Ok(()));
            }
        }
    }
}

#[test]
fn all_searches_find_a_fair_cycle_exactly_if_there_is_one() {
    let mut found = [0; 3];
    for seed in 0..10000 {
        println!("seed {seed}");
        let table = table(seed);
        let graph = Graph::build(&table, 1000).expect("tables are small");
        let endless = Naive::search(&table).round;
        for stutter in [true, false] {
            for (kind, (fairness, orders)) in KINDS.into_iter().enumerate() {
                let expected = graph.fair_cycle(fairness, stutter);
                found[kind] += u32::from(expected);
                for order in means(orders) {
                    let report = search(&table, order, fairness, stutter, Limits::default());
                    assert_eq!(report.outcome == Outcome::Violated, expected, "{order:?}, {fairness:?}, {stutter}");
                    // A run that stays among transient states is neither proved nor refuted.
                    let holds = match &report.outcome {
                        Outcome::Unrefuted(Gap::EndlessAtomic) => endless,
                        outcome => !endless && matches!(outcome, Outcome::Holds(_)),
                    };
                    assert_eq!(holds, !expected, "{order:?}, {fairness:?}: {:?}", report.outcome);
                    check_lassos(&table, &report, fairness, stutter);
                }
            }
        }
    }
    let [all, weak, strong] = found;
    assert!(all > weak + 1000 && weak > strong + 100 && strong > 1000, "the tables are one-sided: {found:?}");
}

#[test]
fn complete_fair_searches_visit_all_states() {
    for seed in 0..2000 {
        println!("seed {seed}");
        let table = table(seed);
        let plain = run(&Job { all_errors: true, ..Job::new(&table) }, &Silent);
        for (fairness, orders) in KINDS {
            for (search, store) in means(orders) {
                let report = run(&Job { search, store, fairness, all_errors: true, ..Job::new(&table) }, &Silent);
                assert_eq!(report.stats.states_stored, plain.stats.states_stored, "{search:?}, {fairness:?}");
                assert_eq!(report.stats.state_bytes, plain.stats.state_bytes, "{search:?}, {fairness:?}");
            }
        }
    }
}

#[test]
fn a_limit_never_proves_anything_wrong() {
    for seed in 0..1000 {
        println!("seed {seed}");
        let table = table(seed);
        let graph = Graph::build(&table, 1000).expect("tables are small");
        for (fairness, orders) in KINDS {
            let expected = graph.fair_cycle(fairness, true);
            for (order, depth) in means(orders).flat_map(|o| [1, 3, 7, 20].map(|d| (o, d))) {
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let report = search(&table, order, fairness, true, limits);
                assert!(!matches!(report.outcome, Outcome::Holds(_)) || !expected, "{order:?}, depth {depth}");
                assert!(report.outcome != Outcome::Violated || expected, "{order:?}, depth {depth}");
                check_lassos(&table, &report, fairness, true);
            }
        }
    }
}

#[test]
fn hidden_bytes_never_confuse_a_fair_search() {
    for seed in 0..1000 {
        println!("seed {seed}");
        let mut table = Table::random(seed, 50).accept(seed).processes(3, seed);
        table.hidden_matters = true;
        for (fairness, orders) in KINDS {
            for (search, store) in means(orders) {
                let report = run(&Job { search, store, fairness, all_errors: true, ..Job::new(&table) }, &Silent);
                assert!(!matches!(report.outcome, Outcome::Stopped(_)), "{search:?}: {:?}", report.outcome);
            }
        }
    }
}

#[test]
fn a_cycle_that_forgets_a_process_is_not_confirmed() {
    // Node 0 goes round by process 0; process 1 could leave it, and in the second table only sometimes.
    let mut always = Table::with_nodes(2);
    let round = always.edge(0, 0);
    always.edge(0, 1);
    let forgets = |table: &Table, trail: &[usize], kind| {
        let trail: Vec<_> = trail.iter().map(|&edge| table.step(edge)).collect();
        confirm_fair(table, &trail, 0, kind)
    };
    let unfair = Err(Mismatch::Unfair(starwheel_model::Pid(1)));
    assert_eq!(forgets(&always, &[round], Fairness::Weak), unfair);
    assert_eq!(forgets(&always, &[round], Fairness::Strong), unfair);
    let mut sometimes = Table::with_nodes(3);
    let there = sometimes.edge(0, 1);
    sometimes.edge(0, 2);
    let back = sometimes.edge(1, 0);
    assert_eq!(forgets(&sometimes, &[there, back], Fairness::Weak), Ok(()));
    assert_eq!(forgets(&sometimes, &[there, back], Fairness::Strong), unfair);
}
