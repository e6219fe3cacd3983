//! Lassos are as short as they can be, or at least never longer than they were found, on random tables.

mod common;

use common::naive::{accepting_cycle, cost};
use common::run;
use common::{Table, node};
use starwheel_engine::{Goal, Job, Lasso, Order, Random, Silent, Terms, confirm_cycle, shorten};
use starwheel_model::{Step, System};

const FAR: u64 = u64::MAX / 8;

fn length(steps: &[Step]) -> u64 {
    steps.iter().map(|step| step.length()).sum()
}

/// Shortest ways between all nodes (Floyd 1962); a way from a node to itself has at least one step.
fn all_ways(table: &Table) -> Vec<Vec<u64>> {
    let count = table.nodes.len();
    let mut ways = vec![vec![FAR; count]; count];
    for (from, node) in table.nodes.iter().enumerate() {
        for edge in node.edges.iter().map(|&edge| &table.edges[edge]).filter(|edge| !edge.broken) {
            ways[from][edge.to] = ways[from][edge.to].min(cost(edge));
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                ways[from][to] = ways[from][to].min(ways[from][middle] + ways[middle][to]);
            }
        }
    }
    ways
}

/// The length of the shortest lasso whose cycle starts at a stored state.
fn shortest(table: &Table, stutter: bool) -> Option<u64> {
    let ways = all_ways(table);
    let stored: Vec<usize> = (0..table.nodes.len()).filter(|&n| !table.nodes[n].transient).collect();
    let reach = |n: usize| if n == 0 { 0 } else { ways[0][n] };
    let mut best = FAR;
    for &a in stored.iter().filter(|&&a| table.nodes[a].accepting) {
        if stutter && table.nodes[a].edges.is_empty() {
            best = best.min(reach(a));
        }
        best = best.min(reach(a) + ways[a][a]);
        for &e in stored.iter().filter(|&&e| e != a) {
            best = best.min(reach(e) + ways[e][a] + ways[a][e]);
        }
    }
    (best < FAR).then_some(best)
}

#[test]
fn both_searches_end_with_a_shortest_lasso() {
    let mut shown = 0;
    for seed in 0..4000 {
        println!("seed {seed}");
        let table = Table::random(seed, 0).accept(seed);
        for stutter in [true, false] {
            let expected = shortest(&table, stutter);
            assert_eq!(expected.is_some(), accepting_cycle(&table, stutter));
            for search in [Order::Ndfs, Order::Scc] {
                let goal = Goal { stutter, ..Goal::default() };
                let report = run(&Job { search, goal, ..Job::new(&table) }, &Silent);
                let found = report.findings.first().map(|finding| length(&finding.trail));
                assert_eq!(found, expected, "{search:?}, {stutter}");
                shown += u32::from(found.is_some());
            }
        }
    }
    assert!(shown > 2000, "only {shown} lassos");
}

/// A random walk until a stored state comes back with an accepting one in between: a lasso with many detours.
fn wander(table: &Table, random: &mut Random) -> Option<Lasso> {
    let mut stepper = table.stepper();
    let (mut at, mut trail, mut visits) = (Vec::new(), Vec::new(), Vec::new());
    stepper.initial(&mut at);
    for _ in 0..400 {
        if !stepper.transient(&at) {
            visits.push((trail.len(), node(&at)));
        }
        let mut steps = Vec::new();
        stepper.enabled(&at, &mut steps);
        let &step = steps.get(random.below(steps.len().max(1) as u64) as usize)?;
        trail.push(step);
        let mut next = Vec::new();
        stepper.fire(&at, step, &mut next);
        at = next;
        if trail.len() > 60 && !stepper.transient(&at) {
            let start = visits.iter().find(|(_, n)| *n == node(&at)).map(|(place, _)| *place);
            if let Some(start) = start.filter(|&s| confirm_cycle(table, &trail, s, false).is_ok()) {
                return Some(Lasso { trail, start });
            }
        }
    }
    None
}

#[test]
fn whatever_the_effort_a_lasso_is_confirmed_and_not_longer() {
    let (mut seen, mut shorter, mut refused) = (0, 0, 0);
    for seed in 0..4000 {
        println!("seed {seed}");
        let table = Table::random(seed, 0).accept(seed);
        let mut random = Random::new(seed);
        let Some(lasso) = wander(&table, &mut random) else { continue };
        let best = shortest(&table, false);
        for effort in [0, 1, 5, 20, 10_000] {
            // Someone who wants an odd number of steps on the cycle stands for fairness.
            for picky in [false, true] {
                let fits = |lasso: &Lasso| !picky || (lasso.trail.len() - lasso.start) % 2 == 1;
                let confirm = |l: &Lasso| fits(l) && confirm_cycle(&table, &l.trail, l.start, false).is_ok();
                if !confirm(&lasso) {
                    refused += 1;
                    continue;
                }
                let terms = Terms { system: &table, stutter: false, effort, until: None, confirm: &confirm };
                let short = shorten(&terms, lasso.clone());
                assert!(confirm(&short), "effort {effort}");
                assert!(length(&short.trail) <= length(&lasso.trail), "effort {effort}");
                assert!(effort < 10_000 || picky || Some(length(&short.trail)) == best);
                seen += 1;
                shorter += u32::from(short != lasso);
            }
        }
    }
    assert!(seen > 5000 && shorter * 2 > seen && refused > 1000, "{shorter} of {seen}, {refused} refused");
}
