//! Small graphs by hand and at random: times, cycles and tight ways against what a naive calculation says.

use super::graph::{Edge, Ending, Graph, MOMENT, Ways};
use super::latest::{Latest, Parts};
use crate::Random;
use crate::parts::ledger::Flow;
use std::ops::ControlFlow;

fn go_on() -> Flow {
    ControlFlow::Continue(())
}

fn done<T>(flow: Flow<T>) -> T {
    match flow {
        ControlFlow::Continue(value) => value,
        ControlFlow::Break(why) => panic!("{why:?}"),
    }
}

/// A graph with these edges: from, to, slices.
fn graph(count: u32, edges: &[(u32, u32, u32)]) -> Graph {
    let mut graph = Graph::default();
    for node in 0..count {
        let own = edges.iter().filter(|e| e.0 == node).map(|&(_, to, slices)| Edge { to, slices, steps: 1 });
        graph.add(own.collect(), &[]);
    }
    graph
}

fn parts(graph: &Graph) -> Parts {
    done(Parts::new(graph, &|_| true, &mut go_on))
}

fn ways(graph: &Graph) -> Ways<'_> {
    done(Ways::new(graph, 0, &|_, _| true, &mut go_on))
}

#[test]
fn the_latest_time_is_that_of_the_slowest_way() {
    let graph = graph(4, &[(0, 1, 1), (0, 2, 2), (1, 3, 5), (2, 3, 1), (3, MOMENT, 0), (0, MOMENT, 1)]);
    let parts = parts(&graph);
    assert_eq!(parts.part(0).latest, Latest::At(6));
    assert_eq!(ways(&graph).slices(MOMENT), Some(1));
    let tight = done(Ways::new(&graph, 0, &|node, edge| parts.tight(node, edge), &mut go_on));
    assert_eq!(tight.to(MOMENT).iter().map(|hop| hop.0).collect::<Vec<_>>(), [0, 1, 3]);
}

#[test]
fn a_tick_on_a_cycle_takes_the_bound_away_and_a_cycle_without_one_does_not() {
    for (slices, latest) in [(0, Latest::At(2)), (1, Latest::NoBound)] {
        let graph = graph(3, &[(0, 1, 2), (1, 2, 0), (2, 1, slices), (2, MOMENT, 0)]);
        let parts = parts(&graph);
        assert_eq!(parts.part(0).latest, latest);
        assert!(!parts.part(0).cyclic && parts.part(1).cyclic);
        assert_eq!(parts.part(2).ticks, slices > 0);
    }
}

#[test]
fn a_cycle_from_which_it_never_comes_sets_no_bound() {
    let graph = graph(3, &[(0, 1, 0), (1, 1, 1), (0, 2, 3), (2, MOMENT, 0)]);
    let parts = parts(&graph);
    assert_eq!((parts.part(0).latest, parts.part(1).latest), (Latest::At(3), Latest::Never));
    assert!(parts.part(1).ticks);
}

#[test]
fn of_edges_alike_the_shortest_is_kept_and_endings_stay_apart() {
    let mut graph = Graph::default();
    let edge = |slices, steps| Edge { to: MOMENT, slices, steps };
    graph.add(vec![edge(0, 4), edge(1, 2), edge(0, 3)], &[Ending::Error, Ending::Inside]);
    assert_eq!(graph.edges(0), [edge(0, 3), edge(1, 2)]);
    let ends = [Ending::Final, Ending::Deadlock, Ending::Error, Ending::Inside].map(|e| graph.ends(0, e));
    assert_eq!(ends, [false, false, true, true]);
}

#[test]
fn who_is_told_to_stop_stops() {
    let line: Vec<_> = (0..99).map(|n| (n, n + 1, 1)).collect();
    let graph = graph(100, &line);
    let mut left = 10;
    let mut beat = || {
        left -= 1;
        if left == 0 { Flow::Break(None) } else { Flow::Continue(()) }
    };
    assert!(Parts::new(&graph, &|_| true, &mut beat).is_break());
    left = 10;
    let mut beat = || {
        left -= 1;
        if left == 0 { Flow::Break(None) } else { Flow::Continue(()) }
    };
    assert!(Ways::new(&graph, 0, &|_, _| true, &mut beat).is_break());
}

/// By node: the most slices of a way to the moment of so many edges at most, or none.
fn most(count: u32, edges: &[(u32, u32, u32)], rounds: u32) -> Vec<Option<u64>> {
    let mut best: Vec<Option<u64>> = vec![None; count as usize];
    for _ in 0..rounds {
        let old = best.clone();
        for &(from, to, slices) in edges {
            let behind = if to == MOMENT { Some(0) } else { old[to as usize] };
            let own = behind.map(|b| b + u64::from(slices));
            best[from as usize] = best[from as usize].max(own);
        }
    }
    best
}

#[test]
fn random_graphs_agree_with_ways_of_all_lengths() {
    let mut random = Random::new(1);
    let mut seen = [0; 3];
    for _ in 0..3000 {
        let mut below = |bound: u32| random.below(u64::from(bound)) as u32;
        let count = 2 + below(7);
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for _ in 0..below(2 * count + 2) {
            let to = below(count + 1);
            let to = if to == count { MOMENT } else { to };
            edges.push((below(count), to, below(4).saturating_sub(1)));
        }
        let graph = graph(count, &edges);
        let parts = parts(&graph);
        // A way with more edges than nodes goes round. If time passes there, it has passed all that takes no round after so many.
        let (short, long) = (most(count, &edges, count + 1), most(count, &edges, 2 * count * (count + 2)));
        for node in 0..count {
            let expected = match (short[node as usize], long[node as usize]) {
                (None, _) => Latest::Never,
                (Some(a), Some(b)) if a == b => Latest::At(a),
                _ => Latest::NoBound,
            };
            assert_eq!(parts.part(node).latest, expected, "{node} of {edges:?}");
            seen[match expected {
                Latest::Never => 0,
                Latest::At(_) => 1,
                Latest::NoBound => 2,
            }] += 1;
            let out = done(Ways::new(&graph, node, &|node, edge| parts.tight(node, edge), &mut go_on));
            if let Latest::At(time) = expected {
                assert_eq!(out.slices(MOMENT), Some(time), "{node} of {edges:?}");
                let on_way: u64 = out.to(MOMENT).iter().map(|(_, edge)| u64::from(edge.slices)).sum();
                assert_eq!(on_way, time, "{node} of {edges:?}");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}
