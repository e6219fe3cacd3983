//! The ways of one component through the steps of a decoupled search: which local states it can be in, and how.

use std::collections::{HashMap, VecDeque};

use crate::lasso::Center;
use crate::net::{Component, ComponentId, Edge, Local, Network};
use crate::question::Stages;
use crate::watch::Watch;

/// How a local state was reached between two steps of the search.
#[derive(Clone, Copy, Debug)]
enum From {
    /// It was there already before the last step of the search.
    Before(Local),
    /// By an internal edge of this state.
    Inner(Local, Edge),
}

/// All local states before, between and after the steps of a search.
pub(crate) struct Ways {
    layers: Vec<HashMap<Local, From>>,
}

/// One way through all of them.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Where it starts.
    pub start: Local,
    /// Internal edges before each step of the search, and after the last one.
    pub inner: Vec<Vec<Edge>>,
    /// The state right after each step of the search.
    pub after: Vec<Local>,
}

impl Ways {
    /// The ways from some states; none if there is no time to find them.
    pub fn new(
        (net, stages): (&Network, &Stages),
        id: ComponentId,
        from: &[Local],
        centers: &[Center],
        watch: &mut Watch,
    ) -> Option<Ways> {
        let component = net.component(id);
        let first = from.iter().map(|&s| (s, From::Before(s))).collect();
        let mut layers = vec![closed(component, first)];
        for center in centers {
            if watch.over() {
                return None;
            }
            let last = &layers[layers.len() - 1];
            let mut members: Vec<Local> = last.keys().copied().collect();
            members.sort_unstable();
            let mut next = HashMap::new();
            for state in members {
                match *center {
                    Center::Act(action) if net.action(action).parts.contains(&id) => {
                        for edge in component.moves(state, action) {
                            next.entry(edge.to).or_insert(From::Before(state));
                        }
                    }
                    Center::Pass(stage) if stages.of(stage).contains(&id) && !component.accepting[state.index()] => {}
                    _ => {
                        next.insert(state, From::Before(state));
                    }
                }
            }
            layers.push(closed(component, next));
        }
        Some(Ways { layers })
    }

    /// The states after the last step, in no order.
    pub fn ends(self) -> impl Iterator<Item = Local> {
        let mut ends: Vec<Local> = self.layers.into_iter().next_back().unwrap_or_default().into_keys().collect();
        ends.sort_unstable();
        ends.into_iter()
    }

    /// True if some way ends in this state.
    pub fn reaches(&self, state: Local) -> bool {
        self.layers.last().is_some_and(|layer| layer.contains_key(&state))
    }

    /// A way that ends in this state.
    pub fn way(&self, end: Local) -> Option<Way> {
        let (mut inner, mut after) = (Vec::new(), Vec::new());
        let mut at = end;
        for (depth, layer) in self.layers.iter().enumerate().rev() {
            let mut edges = Vec::new();
            let before = loop {
                match *layer.get(&at)? {
                    From::Inner(state, edge) => {
                        edges.push(edge);
                        at = state;
                    }
                    From::Before(state) => break state,
                }
            };
            edges.reverse();
            inner.push(edges);
            if depth > 0 {
                after.push(at);
            }
            at = before;
        }
        inner.reverse();
        after.reverse();
        Some(Way { start: at, inner, after })
    }
}

/// Adds what internal edges lead to, by the fewest of them.
fn closed(component: &Component, mut layer: HashMap<Local, From>) -> HashMap<Local, From> {
    let mut first: Vec<Local> = layer.keys().copied().collect();
    first.sort_unstable();
    let mut work = VecDeque::from(first);
    while let Some(state) = work.pop_front() {
        for &edge in component.internal(state) {
            layer.entry(edge.to).or_insert_with(|| {
                work.push_back(edge.to);
                From::Inner(state, edge)
            });
        }
    }
    layer
}

/// Internal edges from a state back to it, at least one and as few as possible.
pub(crate) fn around(component: &Component, start: Local) -> Option<Vec<Edge>> {
    let mut came: HashMap<Local, (Local, Edge)> = HashMap::new();
    let mut work = VecDeque::from([start]);
    while let Some(state) = work.pop_front() {
        for &edge in component.internal(state) {
            came.entry(edge.to).or_insert_with(|| {
                work.push_back(edge.to);
                (state, edge)
            });
        }
    }
    let mut edges = Vec::new();
    let mut at = start;
    loop {
        let (before, edge) = *came.get(&at)?;
        edges.push(edge);
        at = before;
        if at == start {
            edges.reverse();
            return Some(edges);
        }
    }
}
