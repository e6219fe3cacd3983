//! Acceptance marks that say the same with less: only what happens on cycles counts.
//!
//! The cleaning of acceptance sets component by component follows A. Duret-Lutz, "LTL translation improvements in Spot" (VECoS 2011).

use super::graph::{Graph, Sccs};
use crate::automaton::Marks;
use starwheel_base::scc::components;

/// Gives every edge all marks that it can have without a change of language: mark `m` may stand on an edge if every cycle
/// through the edge has `m` already. Edges that lie on no cycle get all marks.
pub(crate) fn saturate(graph: &mut Graph) {
    for mark in 0..graph.mark_count {
        let without = |arrows: &Vec<super::graph::Arrow>| {
            arrows.iter().filter(|arrow| arrow.marks >> mark & 1 == 0).map(|arrow| arrow.to).collect()
        };
        let rest: Vec<Vec<usize>> = graph.arrows.iter().map(without).collect();
        let found = components(&rest);
        for (from, arrows) in graph.arrows.iter_mut().enumerate() {
            for arrow in arrows.iter_mut().filter(|arrow| found.of[from] != found.of[arrow.to]) {
                arrow.marks |= 1 << mark;
            }
        }
    }
}

/// Takes all marks from edges that lie on no accepting cycle.
pub(crate) fn strip(graph: &mut Graph) {
    let sccs = graph.sccs();
    for (from, arrows) in graph.arrows.iter_mut().enumerate() {
        for arrow in arrows {
            if !sccs.joins(from, arrow.to) || !sccs.is_accepting(from) {
                arrow.marks = 0;
            }
        }
    }
}

/// Numbers the marks anew in each component, without those that follow from others, so that fewer are needed in all.
pub(crate) fn renumber(graph: &mut Graph) {
    saturate(graph);
    let sccs = graph.sccs();
    let needed = needed_marks(graph, &sccs);
    let rejecting = sccs.accepting.iter().any(|accepting| !accepting);
    let most = needed.iter().map(Vec::len).max().unwrap_or(0);
    let count = most.max(usize::from(rejecting)) as u32;
    for (from, arrows) in graph.arrows.iter_mut().enumerate() {
        let component = sccs.found.of[from];
        let kept = &needed[component];
        // A component with fewer marks than others has the rest of them everywhere.
        let spare = Marks::all(count).0 & !Marks::all(kept.len() as u32).0;
        for arrow in arrows {
            let renumbered = kept.iter().enumerate().filter(|(_, mark)| arrow.marks >> **mark & 1 == 1);
            let inside = sccs.joins(from, arrow.to) && sccs.accepting[component];
            arrow.marks = if inside { renumbered.fold(spare, |marks, (place, _)| marks | 1 << place) } else { 0 };
        }
    }
    graph.mark_count = count;
}

/// For each component the marks from which its other marks follow.
fn needed_marks(graph: &Graph, sccs: &Sccs) -> Vec<Vec<u32>> {
    let mut edges: Vec<Vec<u64>> = vec![Vec::new(); sccs.found.count];
    for (from, arrows) in graph.arrows.iter().enumerate() {
        let inside = arrows.iter().filter(|arrow| sccs.joins(from, arrow.to));
        edges[sccs.found.of[from]].extend(inside.map(|arrow| arrow.marks));
    }
    let needed = |(component, edges): (usize, &Vec<u64>)| {
        if sccs.accepting[component] { needed_here(edges, graph.mark_count) } else { Vec::new() }
    };
    edges.iter().enumerate().map(needed).collect()
}

fn needed_here(edges: &[u64], count: u32) -> Vec<u32> {
    let has = |edge: u64, mark: u32| edge >> mark & 1 == 1;
    let mut kept: Vec<u32> = (0..count).collect();
    for mark in 0..count {
        let everywhere = edges.iter().all(|&edge| has(edge, mark));
        let follows_from = |other: u32| other != mark && edges.iter().all(|&edge| !has(edge, other) || has(edge, mark));
        if everywhere || kept.iter().any(|&other| follows_from(other)) {
            kept.retain(|&other| other != mark);
        }
    }
    kept
}

/// Like [`saturate`] for automata in which all edges of a state carry the same mark, or none.
pub(crate) fn saturate_states(graph: &mut Graph) {
    let unmarked = |arrows: &Vec<super::graph::Arrow>| {
        arrows.iter().filter(|arrow| arrow.marks == 0).map(|arrow| arrow.to).collect()
    };
    let rest: Vec<Vec<usize>> = graph.arrows.iter().map(unmarked).collect();
    let found = components(&rest);
    for (from, arrows) in graph.arrows.iter_mut().enumerate() {
        if rest[from].iter().all(|&to| found.of[to] != found.of[from]) {
            arrows.iter_mut().for_each(|arrow| arrow.marks = 1);
        }
    }
}

/// Like [`strip`] for automata in which all edges of a state carry the same mark, or none.
pub(crate) fn strip_states(graph: &mut Graph) {
    let sccs = graph.sccs();
    for (from, arrows) in graph.arrows.iter_mut().enumerate() {
        if !sccs.is_accepting(from) {
            arrows.iter_mut().for_each(|arrow| arrow.marks = 0);
        }
    }
}
