//! Accepting lassos in explicit graphs: a path to a cycle that meets all marks.
//!
//! The components tell whether there is one (after J.-M. Couvreur, FM 1999); breadth-first walks then make it short.

use std::collections::VecDeque;

use starwheel_base::scc::components;

/// A graph: the edges of each node, with their end and marks.
pub(crate) type Arrows = Vec<Vec<(usize, u64)>>;

/// An edge: its node and its place among the node's edges.
pub(crate) type Step = (usize, usize);

/// A path and a cycle that starts where the path ends (or at the initial node if the path is empty).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub prefix: Vec<Step>,
    pub cycle: Vec<Step>,
}

/// A path from one of the initial nodes to a cycle whose edges together have `all` marks.
pub(crate) fn accepting_round(arrows: &Arrows, initial: &[usize], all: u64) -> Option<Round> {
    let successors: Vec<Vec<usize>> = arrows.iter().map(|list| list.iter().map(|edge| edge.0).collect()).collect();
    let found = components(&successors);
    let mut seen: Vec<Option<u64>> = vec![None; found.count];
    for (from, list) in arrows.iter().enumerate() {
        for &(to, marks) in list.iter().filter(|edge| found.of[edge.0] == found.of[from]) {
            debug_assert_eq!(found.of[to], found.of[from]);
            seen[found.of[from]] = Some(seen[found.of[from]].unwrap_or(0) | marks);
        }
    }
    let good = |node: usize| seen[found.of[node]].is_some_and(|marks| marks & all == all);
    let (entry, prefix) = match initial.iter().find(|&&node| good(node)) {
        Some(&node) => (node, Vec::new()),
        None => {
            let path = path(arrows, initial, |_| true, |_, (to, _)| good(to))?;
            let &(from, place) = path.last()?;
            (arrows[from][place].0, path)
        }
    };
    let cycle = cycle(arrows, entry, all, |node| found.of[node] == found.of[entry])?;
    Some(Round { prefix, cycle })
}

/// A cycle through `entry` within the nodes `inside`, with all marks.
fn cycle(arrows: &Arrows, entry: usize, all: u64, inside: impl Fn(usize) -> bool) -> Option<Vec<Step>> {
    let (mut cycle, mut met, mut at) = (Vec::new(), 0, entry);
    while met & all != all {
        let part = path(arrows, &[at], &inside, |_, (_, marks)| marks & all & !met != 0)?;
        for &(from, place) in &part {
            met |= arrows[from][place].1;
            at = arrows[from][place].0;
        }
        cycle.extend(part);
    }
    if at != entry || cycle.is_empty() {
        cycle.extend(path(arrows, &[at], &inside, |_, (to, _)| to == entry)?);
    }
    Some(cycle)
}

/// A shortest path of at least one edge whose last edge is wanted; it stays within the nodes `inside`.
fn path(
    arrows: &Arrows,
    starts: &[usize],
    inside: impl Fn(usize) -> bool,
    wanted: impl Fn(usize, (usize, u64)) -> bool,
) -> Option<Vec<Step>> {
    let mut parent: Vec<Option<Step>> = vec![None; arrows.len()];
    let mut seen = vec![false; arrows.len()];
    let mut queue: VecDeque<usize> = starts.iter().copied().collect();
    starts.iter().for_each(|&start| seen[start] = true);
    while let Some(node) = queue.pop_front() {
        for (place, &edge) in arrows[node].iter().enumerate().filter(|(_, edge)| inside(edge.0)) {
            if wanted(node, edge) {
                let mut steps = vec![(node, place)];
                while let Some(step) = parent[steps[steps.len() - 1].0] {
                    steps.push(step);
                }
                steps.reverse();
                return Some(steps);
            }
            if !std::mem::replace(&mut seen[edge.0], true) {
                parent[edge.0] = Some((node, place));
                queue.push_back(edge.0);
            }
        }
    }
    None
}
