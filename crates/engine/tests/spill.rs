//! Breadth-first searches that go on on the disk: they count what a search in memory counts.

mod common;

use common::Table;
use common::naive::Naive;
use starwheel_engine::{
    Job, Limits, Order, Outcome, Report, ScratchDisk, ScratchFile, Silent, Stop, Store, replay, run,
};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives so many files, then fails.
struct Paper(AtomicU64);

impl Paper {
    fn new(files: u64) -> Paper {
        Paper(AtomicU64::new(files))
    }
}

impl ScratchDisk for Paper {
    fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(io::Error::other("no paper left")),
            _ => Ok(Box::new(io::Cursor::new(Vec::new()))),
        }
    }
}

fn search(table: &Table, store: Store, memory: u64, all_errors: bool, paper: &Paper) -> Report {
    let limits = Limits { memory: Some(memory), ..Limits::default() };
    let job = Job { search: Order::Bfs, all_errors, store, limits, scratch: Some(paper), ..Job::new(table) };
    run(&job, &Silent)
}

#[test]
fn with_any_memory_all_states_are_found() {
    let mut used = 0;
    for seed in 0..600 {
        println!("seed {seed}");
        let table = Table::random(seed, [0, 20, 150][seed as usize % 3]);
        let naive = Naive::search(&table);
        for (store, memory) in
            [(Store::Tree, 0), (Store::Tree, 9_000), (Store::Flat, 0), (Store::Flat, 1_500), (Store::Flat, 1 << 20)]
        {
            let paper = Paper::new(u64::MAX / 2);
            let report = search(&table, store, memory, true, &paper);
            used += u64::MAX / 2 - paper.0.load(Ordering::Relaxed);
            assert_eq!(report.stats.states_stored, naive.stored.len() as u64, "stored, {store:?} {memory}");
            assert_eq!(report.stats.states_matched, naive.matched, "matched, {store:?} {memory}");
            assert_eq!(report.stats.atomic_steps, naive.atomic_steps, "atomic steps, {store:?} {memory}");
            assert_eq!(report.errors, naive.errors, "errors, {store:?} {memory}");
            assert_eq!(report.findings.len(), naive.events.len(), "{store:?} {memory}");
            assert_eq!(matches!(report.outcome, Outcome::Holds(_)), naive.errors == 0, "{store:?} {memory}");
            for finding in &report.findings {
                replay(&table, &finding.trail, &mut |_| ()).expect("a trail that can be followed");
            }
            let first = search(&table, store, memory, false, &Paper::new(u64::MAX / 2));
            assert_eq!(first.outcome == Outcome::Violated, naive.errors > 0, "{store:?} {memory}");
            assert_eq!(first.errors, naive.errors.min(1));
        }
    }
    assert!(used > 10_000, "the disk was hardly used");
}

#[test]
fn a_full_disk_proves_nothing() {
    let table = Table::random(3, 0);
    for files in 0..8 {
        let report = search(&table, Store::Flat, 0, true, &Paper::new(files));
        match report.outcome {
            Outcome::Holds(_) => assert_eq!(report.stats.states_stored, Naive::search(&table).stored.len() as u64),
            outcome => assert!(matches!(outcome, Outcome::Stopped(Stop::Disk(_))), "{outcome:?}"),
        }
    }
}
