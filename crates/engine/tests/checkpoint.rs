//! Searches that end early, are saved, and go on: in the end they have counted what one search counts.

mod common;

use common::Table;
use common::naive::Naive;
use common::run;
use common::shelf::{Saved, Shelf};
use starwheel_engine::{CheckpointSource, Job, Limits, Order, Report, Silent, Stop, Store, replay};
use std::time::Duration;

fn job<'a>(table: &'a Table, store: Store, memory: Option<u64>, workers: usize) -> Job<'a> {
    let limits = Limits { memory, ..Limits::default() };
    let plain = 25 * (table.edges.len() as u64 % 3);
    Job { search: Order::Groups, all_errors: true, store, plain, limits, workers, ..Job::new(table) }
}

/// Searches with a limit of memory that gets larger each time, until the search is complete; tells how often it went on.
fn in_pieces(table: &Table, store: Store, workers: usize, first: u64) -> (Report, u32) {
    let (mut memory, mut pieces, mut saved) = (first, 0, None);
    loop {
        let shelf = Shelf::every(Duration::ZERO);
        let resume = saved.as_ref().map(|saved: &Saved| saved as &dyn CheckpointSource);
        let report = run(&Job { save: Some(&shelf), resume, ..job(table, store, Some(memory), workers) }, &Silent);
        if report.stop.is_none() {
            return (report, pieces);
        }
        assert!(matches!(report.stop, Some(Stop::Memory(_))), "{:?}", report.stop);
        // A search that could not begin, or for which what was saved is too large already, has nothing to save.
        if report.warnings.iter().any(|w| w == "go on") {
            pieces += 1;
            saved = Some(shelf.taken());
        }
        memory += memory / 8 + 64;
    }
}

#[test]
fn a_search_in_pieces_counts_what_one_search_counts() {
    let mut pieces = 0;
    for seed in 0..450 {
        println!("seed {seed}");
        let table = Table::random(seed, [0, 20, 150][seed as usize % 3]);
        let naive = Naive::search(&table);
        for (store, workers, first) in [
            (Store::Tree, 1, 8_000),
            (Store::Tree, 2, 20_000),
            (Store::Flat, 1, 600),
            (Store::Compact, 1, 16_000),
            (Store::Dfa, 1, 600),
        ] {
            let (report, went_on) = in_pieces(&table, store, workers, first);
            pieces += went_on;
            assert_eq!(report.stats.states_stored, naive.stored.len() as u64, "stored, {store:?}");
            assert_eq!(report.stats.states_matched, naive.matched, "matched, {store:?}");
            assert_eq!(report.stats.atomic_steps, naive.atomic_steps, "atomic steps, {store:?}");
            assert_eq!(report.errors, naive.errors, "errors, {store:?}");
            assert_eq!(report.findings.len(), naive.events.len(), "{store:?}");
            let reached: Vec<bool> = (0..table.edges.len()).map(|edge| naive.reached.contains(&edge)).collect();
            assert_eq!(report.reached, reached, "reached, {store:?}");
            for finding in &report.findings {
                replay(&table, &finding.trail, &mut |_| ()).expect("a trail that can be followed");
            }
        }
    }
    assert!(pieces > 1000, "only {pieces} pieces");
}

#[test]
fn what_does_not_make_sense_is_no_search() {
    let table = Table::random(7, 20);
    for bytes in [Vec::new(), vec![0; 7], vec![0xff; 4000], vec![1; 64]] {
        let saved = Saved(bytes);
        let report = run(&Job { resume: Some(&saved), ..job(&table, Store::Tree, None, 1) }, &Silent);
        assert!(matches!(report.stop, Some(Stop::Internal(_))), "{:?}", report.stop);
    }
}
