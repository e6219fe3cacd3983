//! The search for the fewest context switches against a naive one, on random tables.

mod common;

use common::Table;
use common::naive::cost;
use starwheel_engine::{Checks, Limits, Outcome, Silent, Stop, fewest_switches, replay, switches};
use std::collections::HashMap;

/// Switches, then steps.
type Length = (u64, u64);

/// Who moves on an edge, one after the other.
fn movers(table: &Table, edge: usize) -> Vec<u8> {
    table.step(edge).agents().collect()
}

/// What an edge adds to the length of a way on which this one moved last, and who moved last behind it.
fn along(table: &Table, (length, last): (Length, Option<u8>), edge: usize) -> (Length, Option<u8>) {
    let (mut switches, mut last) = (length.0, last);
    for mover in movers(table, edge) {
        switches += u64::from(last.is_some_and(|last| last != mover));
        last = Some(mover);
    }
    ((switches, length.1 + cost(&table.edges[edge])), last)
}

/// The least length of a way to an error: rounds of shortening until none is left.
fn least(table: &Table) -> Option<Length> {
    let mut ways: HashMap<(usize, Option<u8>), Length> = HashMap::from([((0, None), (0, 0))]);
    let mut shortened = true;
    while std::mem::take(&mut shortened) {
        for ((node, last), length) in ways.clone() {
            for &edge in table.nodes[node].edges.iter().filter(|&&e| !table.edges[e].broken) {
                let (longer, last) = along(table, (length, last), edge);
                let known = ways.entry((table.edges[edge].to, last)).or_insert((u64::MAX, 0));
                if longer < *known {
                    (*known, shortened) = (longer, true);
                }
            }
        }
    }
    let errors = ways.iter().flat_map(|(&(node, last), &length)| {
        let stuck = table.nodes[node].edges.is_empty() && table.nodes[node].stuck.is_some();
        let wrong = table.nodes[node].edges.iter().filter(|&&e| !table.edges[e].violations.is_empty());
        wrong.map(move |&e| along(table, (length, last), e).0).chain(stuck.then_some(length)).collect::<Vec<_>>()
    });
    errors.min()
}

#[test]
fn no_run_to_an_error_has_fewer_switches_and_of_those_none_has_fewer_steps() {
    let mut found = 0;
    for seed in 0..2000 {
        println!("seed {seed}");
        let table = Table::random(seed, [0, 20, 60][seed as usize % 3]).processes(1 + seed as u8 % 5, seed);
        let report = fewest_switches(&table, Checks::default(), Limits::default(), None, &Silent).expect("it fits");
        let least = least(&table);
        assert_eq!(report.stop, None);
        assert_eq!(report.outcome == Outcome::Violated, least.is_some());
        let Some(finding) = report.findings.first() else { continue };
        assert_eq!(replay(&table, &finding.trail, &mut |_| {}), Ok(()));
        let steps = finding.trail.iter().map(|s| s.length()).sum();
        assert_eq!(Some((switches(&finding.trail), steps)), least);
        found += 1;
    }
    assert!(found > 500, "{found}");
}

#[test]
fn a_search_that_is_ended_says_so_and_proves_nothing() {
    let table = Table::random(7, 60).processes(3, 7);
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let report = fewest_switches(&table, Checks::default(), limits, None, &Silent).expect("it fits");
    assert!(matches!(report.stop, Some(Stop::Time(_))) && report.outcome != Outcome::Violated, "{report:?}");
}

#[test]
fn a_limit_of_depth_is_refused_and_not_forgotten() {
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let refused = fewest_switches(&Table::random(1, 20), Checks::default(), limits, None, &Silent);
    assert!(refused.expect_err("switches are not steps").to_string().contains("a limit of depth"));
}
