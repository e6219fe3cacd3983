//! The pairs that a search for runs has visited, the path that it is on, and the runs that it finds there.

use crate::liveness::graph::{Graph, Known, Stay};
use crate::states::space::NodeId;
use crate::steps::core::Flow;
use crate::trail::{Last, along, round};
use rapidhash::RapidHashMap;
use starwheel_engine::Components;
use starwheel_model::{LocId, Step};
use std::collections::VecDeque;
use std::rc::Rc;

/// A decoupled state and the place of the claim.
pub type Pair = (NodeId, LocId);

/// A pair on the path.
pub struct Visit {
    /// The pair.
    pub number: u32,
    /// What is known about its decoupled state.
    pub known: Rc<Known>,
    /// What is tried next.
    pub next: usize,
}

/// What was visited.
#[derive(Default)]
pub struct Track {
    /// By number.
    pub pairs: Vec<Pair>,
    /// The number of each pair.
    pub numbers: RapidHashMap<Pair, u32>,
    /// Components, found on the way.
    pub components: Components,
    /// From the first pair to the one that is being looked at.
    pub path: Vec<Visit>,
}

impl Track {
    /// The nodes of the path up to a pair on it.
    fn nodes(&self, end: u32) -> Vec<NodeId> {
        let until = self.path.iter().position(|v| v.number == end).map_or(self.path.len(), |p| p + 1);
        self.path[..until].iter().map(|v| self.pairs[v.number as usize].0).collect()
    }

    /// The steps of a run along the path.
    pub fn steps(&self, graph: &mut Graph<'_>) -> Flow<Vec<Step>> {
        graph.way(&self.nodes(u32::MAX))
    }

    /// A run along the path that stays in its last node for ever.
    pub fn stay(&self, graph: &mut Graph<'_>) -> Flow<Option<Stay>> {
        graph.stay(&self.nodes(u32::MAX))
    }

    /// A run that goes round through a pair in the component that was closed last.
    pub fn cycle(&self, graph: &mut Graph<'_>, good: u32) -> Flow<Option<Stay>> {
        let Some(root) = self.components.root() else { return Flow::Continue(None) };
        let to = if root == good { Some(Vec::new()) } else { self.way(graph, root, good) };
        let (Some(to), Some(cycle)) = (to, self.way(graph, good, good)) else { return Flow::Continue(None) };
        let mut path = self.nodes(root);
        path.extend(to);
        // The cycle ends where it begins; the path ends there, too.
        let cycle: Vec<_> = path.last().copied().into_iter().chain(cycle[..cycle.len() - 1].iter().copied()).collect();
        let (frames, steps) = round(&mut graph.core, &graph.space, &cycle)?;
        let prefix = along(&mut graph.core, &graph.space, &path, Last::Stuck(frames))?;
        Flow::Continue(Some(Stay { prefix, cycle: steps }))
    }

    /// The nodes behind a pair on a shortest way, of at least one step, to another inside the component; the last one is
    /// the other's.
    fn way(&self, graph: &Graph<'_>, from: u32, to: u32) -> Option<Vec<NodeId>> {
        let mut came: RapidHashMap<u32, u32> = RapidHashMap::default();
        let mut work = VecDeque::from([from]);
        while let Some(number) = work.pop_front() {
            for next in self.inside(graph, number) {
                came.entry(next).or_insert_with(|| {
                    work.push_back(next);
                    number
                });
            }
            if came.contains_key(&to) {
                break;
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        loop {
            steps.push(self.pairs[at as usize].0);
            at = *came.get(&at)?;
            if at == from {
                steps.reverse();
                return Some(steps);
            }
        }
    }

    /// Where a pair leads within the component that was closed last.
    fn inside(&self, graph: &Graph<'_>, number: u32) -> Vec<u32> {
        let (node, at) = self.pairs[number as usize];
        let Some(known) = graph.visited(node) else { return Vec::new() };
        let moves = graph.claim.moves(known.letter, at);
        let pairs = moves.iter().flat_map(|&(_, to)| known.next.iter().map(move |&next| (next, to)));
        pairs.filter_map(|pair| self.numbers.get(&pair).copied()).filter(|&n| self.components.inside(n)).collect()
    }
}
