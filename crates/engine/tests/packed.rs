//! Searches whose store moves: from plain to packed, to wider layouts, and to a tree. They count what a naive search counts.

mod common;

use common::naive::Naive;
use common::{Table, run};
use starwheel_engine::{Job, Limits, Order, Outcome, Random, Report, Silent, Stop, Store, replay};

fn job(table: &Table, plain: u64, workers: usize) -> Job<'_> {
    let search = Order::Groups;
    Job { search, store: Store::Auto, all_errors: true, plain, patience: 1 + plain / 2, workers, ..Job::new(table) }
}

fn compare(table: &Table, naive: &Naive, report: &Report, what: &str) {
    assert_eq!(report.stats.states_stored, naive.stored.len() as u64, "stored, {what}");
    assert_eq!(report.stats.states_matched, naive.matched, "matched, {what}");
    assert_eq!(report.stats.atomic_steps, naive.atomic_steps, "atomic steps, {what}");
    assert_eq!(report.errors, naive.errors, "errors, {what}");
    assert_eq!(report.findings.len(), naive.events.len(), "{what}");
    for finding in &report.findings {
        replay(table, &finding.trail, &mut |_| ()).expect("a trail that can be followed");
    }
}

#[test]
fn small_searches_move_early_and_often() {
    for seed in 0..120 {
        let table = Table::random(seed, [0, 20, 150][seed as usize % 3]);
        let naive = Naive::search(&table);
        for (plain, workers) in [(1, 1), (3, 2), (9, 1), (20, 3)] {
            let report = run(&job(&table, plain, workers), &Silent);
            compare(&table, &naive, &report, &format!("seed {seed}, plain {plain}, {workers} workers"));
        }
    }
}

/// Nodes whose numbers rise slowly, so that bits are met late; now and then an error far from the beginning.
fn long(seed: u64, nodes: usize) -> Table {
    let mut random = Random::new(seed);
    let mut table = Table { fast: seed % 2 == 1, ..Table::with_nodes(nodes) };
    for node in 0..nodes {
        let near = |random: &mut Random| (node + 1 + random.below(3) as usize) % nodes;
        for _ in 0..1 + random.below(2) {
            let to = near(&mut random);
            table.edge(node, to);
        }
        let back = random.below(node as u64 + 1) as usize;
        let edge = table.edge(node, back);
        if random.below(3000) == 0 {
            table.edges[edge].violations = vec![common::assertion(node as u32)];
        }
        if node > 0 && random.below(40) == 0 {
            table.nodes[node].transient = true;
        }
    }
    table
}

#[test]
fn a_long_search_outgrows_its_layout_again_and_again() {
    for (seed, nodes) in [(1, 4_000), (2, 9_000), (3, 20_000)] {
        let table = long(seed, nodes);
        let naive = Naive::search(&table);
        for (plain, workers) in [(16, 1), (300, 1), (40, 2), (500, 3)] {
            let report = run(&job(&table, plain, workers), &Silent);
            compare(&table, &naive, &report, &format!("seed {seed}, plain {plain}, {workers} workers"));
        }
    }
}

#[test]
fn whoever_is_in_a_long_chain_while_others_wait_for_a_larger_store_comes_to_its_end() {
    let nodes = 6_000;
    let mut table = long(7, nodes + 1_000);
    for node in nodes..nodes + 1_000 {
        (table.nodes[node].transient, table.nodes[node].edges) = (true, Vec::new());
        table.edge(node, if node + 1 < nodes + 1_000 { node + 1 } else { 3 });
    }
    for node in (0..nodes).step_by(7) {
        table.edge(node, nodes);
    }
    let naive = Naive::search(&table);
    for round in 0..5 {
        for (plain, workers) in [(16, 2), (100, 3), (700, 4)] {
            let report = run(&job(&table, plain, workers), &Silent);
            assert_eq!(report.stop, None);
            compare(&table, &naive, &report, &format!("round {round}, plain {plain}, {workers} workers"));
        }
    }
}

#[test]
fn memory_may_end_at_any_moment() {
    let table = long(5, 6_000);
    let all = Naive::search(&table).stored.len() as u64;
    let mut complete = 0;
    for memory in (0..40).map(|step| (2_000u64 << (step / 4)) | (500 * step)) {
        for (plain, workers) in [(50, 1), (400, 2)] {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            let report = run(&Job { limits, ..job(&table, plain, workers) }, &Silent);
            match report.stop {
                None => {
                    complete += 1;
                    assert_eq!(report.stats.states_stored, all);
                }
                Some(Stop::Memory(_)) => assert!(!matches!(report.outcome, Outcome::Holds(..))),
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(complete > 4, "only {complete} had room");
}
