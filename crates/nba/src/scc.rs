//! Decoupled search by strongly connected components.
//!
//! The tests of acceptance are steps of their own that restrict components to accepting states. After the last test a
//! shared action has to come before the first one may come again; then an accepting run exists exactly if the graph of
//! decoupled states, compared by equality, has a cycle past the last test, or a component can accept alone. Components of
//! the graph are found as in J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999). A state that
//! lies within a finished one is pruned: if no run from the larger is accepting, none from the smaller is, whatever tests
//! are still open. A state that contains one on its path, with all tests and an action in between, proves a run at once.

use std::collections::{HashMap, VecDeque};

use starwheel_engine::facts::{Crew, Facts, Method, Sought, StoreKind};
use starwheel_engine::{Components, Stop};
use starwheel_store::{Cover, FlatSet, Inserted, StateId, StateSet, StateStore};

use crate::decoupled::Decoupled;
use crate::lasso::{Center, Evidence};
use crate::net::Network;
use crate::question::{Counts, Stages};
use crate::watch::Watch;

/// It finds both kinds of runs.
pub(crate) const SCC: Method = Method {
    name: "nba-scc",
    title: "the decoupled search by components of a network",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Together, Sought::Each],
        components: true,
        stores: &[(StoreKind::Tree, Crew::One)],
        ..Facts::NONE
    },
};

/// States of the path that a new state is compared with.
const LOOK_BACK: usize = 4096;

/// A state on the path.
struct Visit {
    id: StateId,
    /// What is tried next: first the test, then the actions.
    next: usize,
    by: Option<Center>,
    /// Tests and actions since the start.
    tests: u64,
    acts: u64,
}

struct Search<'n, 'w> {
    graph: Decoupled<'n>,
    /// Decoupled states; behind the sets comes how many tests were passed, and whether the last one came just now.
    store: FlatSet,
    /// A state right after the last test is a good one.
    components: Components,
    path: Vec<Visit>,
    finished: Cover,
    counts: &'w mut Counts,
}

/// A state as it is searched: the sets, and the mark behind them.
type Marked = Vec<u32>;

fn bytes(state: &[u32]) -> Vec<u8> {
    state.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Marked {
    bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

/// Looks for an accepting run.
pub(crate) fn search(
    net: &Network,
    stages: &Stages,
    counts: &mut Counts,
    watch: &mut Watch,
) -> Result<Option<Evidence>, Stop> {
    let mut graph = Decoupled::new(net, stages);
    let Some(initial) = graph.initial() else { return Ok(None) };
    let width = net.components.len();
    counts.state_bytes = width as u64 * 4 + 4;
    let mut search = Search {
        graph,
        store: FlatSet::new(None),
        components: Components::default(),
        path: Vec::new(),
        finished: Cover::new(width),
        counts,
    };
    let found = search.run(initial.into_vec(), watch);
    search.counts.leaf_sets = search.graph.set_count();
    found
}

impl Search<'_, '_> {
    fn run(&mut self, mut initial: Marked, watch: &mut Watch) -> Result<Option<Evidence>, Stop> {
        initial.push(0);
        let mut found = self.arrive(&initial, None)?;
        while found.is_none() {
            watch.step(self.counts, self.path.len())?;
            let Some(top) = self.path.last_mut() else { break };
            let place = top.next;
            top.next += 1;
            if place > self.graph.actions.len() {
                self.leave();
                continue;
            }
            let from = numbers(self.store.get(top.id));
            if let Some((next, by)) = self.follow(&from, place) {
                found = self.arrive(&next, Some(by))?;
            }
        }
        Ok(found)
    }

    /// What a test (place 0) or an action leads to.
    fn follow(&mut self, from: &[u32], place: usize) -> Option<(Marked, Center)> {
        let (&mark, sets) = from.split_last()?;
        let mut next = Vec::with_capacity(from.len());
        let (passed, fresh) = (mark >> 1, mark & 1 == 1);
        match place.checked_sub(1) {
            Some(action) => {
                self.graph.act(sets, action, &mut next).then_some(())?;
                next.push(passed << 1);
                Some((next, Center::Act(self.graph.actions[action].id)))
            }
            None if fresh => None,
            None => {
                let stage = passed as usize;
                self.graph.pass(sets, stage, &mut next).then_some(())?;
                let last = stage + 1 == self.graph.stages.len();
                next.push(if last { 1 } else { (passed + 1) << 1 });
                Some((next, Center::Pass(stage)))
            }
        }
    }

    fn arrive(&mut self, state: &[u32], by: Option<Center>) -> Result<Option<Evidence>, Stop> {
        let key = bytes(state);
        if let Some(id) = self.store.lookup(&key) {
            self.counts.matched += 1;
            let fresh = self.components.meet(id.0);
            return Ok(fresh.and_then(|fresh| self.around(StateId(fresh))));
        }
        let (&mark, sets) = state.split_last().unwrap_or((&0, &[]));
        if self.finished.covers(sets, &|c, small, large| self.graph.within(c, small, large)) {
            self.counts.matched += 1;
            return Ok(None);
        }
        let Inserted::New(id) = self.store.insert(&key) else { return Err(Stop::StoreFull) };
        self.push(id, mark & 1 == 1, by);
        if let Some(found) = self.contains_earlier(sets) {
            return Ok(Some(found));
        }
        if mark & 1 == 0
            && let Some((component, at)) = self.graph.alone(sets)
        {
            return Ok(Some(Evidence::Alone { prefix: self.prefix(self.path.len()), component, at }));
        }
        Ok(None)
    }

    fn push(&mut self, id: StateId, fresh: bool, by: Option<Center>) {
        self.components.arrive(fresh);
        let (tests, acts) = self.path.last().map_or((0, 0), |v| (v.tests, v.acts));
        let tests = tests + u64::from(matches!(by, Some(Center::Pass(_))));
        let acts = acts + u64::from(matches!(by, Some(Center::Act(_))));
        self.path.push(Visit { id, next: 0, by, tests, acts });
        self.counts.stored += 1;
        self.counts.store_bytes = self.store.usage().bytes + self.finished.bytes();
    }

    /// Whether the last state of the path contains one before it, with everything in between that a cycle needs.
    fn contains_earlier(&self, sets: &[u32]) -> Option<Evidence> {
        let last = self.path.last()?;
        let enough = |v: &Visit| last.tests - v.tests >= self.graph.stages.len() as u64 && last.acts > v.acts;
        let holds = |v: &Visit| {
            let earlier = numbers(self.store.get(v.id));
            self.graph.covers(sets, &earlier[..sets.len()])
        };
        let mut recent = self.path.iter().enumerate().rev().filter(|(_, v)| enough(v)).take(LOOK_BACK);
        let start = recent.find(|(_, v)| holds(v))?.0;
        let cycle = self.prefix(self.path.len()).split_off(start);
        Some(Evidence::Covered { prefix: self.prefix(start + 1), cycle })
    }

    /// The steps that lead to this many states of the path.
    fn prefix(&self, states: usize) -> Vec<Center> {
        self.path[..states].iter().filter_map(|v| v.by).collect()
    }

    fn leave(&mut self) {
        let Some(visit) = self.path.pop() else { return };
        for member in self.components.leave(visit.id.0).into_iter().rev() {
            let state = numbers(self.store.get(StateId(member)));
            let sets = &state[..state.len() - 1];
            if !self.finished.covers(sets, &|c, small, large| self.graph.within(c, small, large)) {
                self.finished.insert(sets);
            }
        }
    }

    /// The cycle through a state of the component that was closed last.
    fn around(&mut self, through: StateId) -> Option<Evidence> {
        let least = self.components.root()?;
        let end = self.path.iter().position(|v| v.id.0 == least)?;
        let mut prefix = self.prefix(end + 1);
        let root = self.path[end].id;
        if root != through {
            prefix.extend(self.way(root, through)?);
        }
        Some(Evidence::Covered { prefix, cycle: self.way(through, through)? })
    }

    /// The shortest way, of at least one step, inside a component that is not finished.
    fn way(&mut self, from: StateId, to: StateId) -> Option<Vec<Center>> {
        let mut came: HashMap<StateId, (StateId, Center)> = HashMap::new();
        let mut work = VecDeque::from([from]);
        while let Some(id) = work.pop_front() {
            let state = numbers(self.store.get(id));
            for place in 0..=self.graph.actions.len() {
                let Some((next, by)) = self.follow(&state, place) else { continue };
                let Some(next) = self.store.lookup(&bytes(&next)) else { continue };
                if !self.components.inside(next.0) || came.contains_key(&next) {
                    continue;
                }
                came.insert(next, (id, by));
                work.push_back(next);
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        loop {
            let (before, by) = *came.get(&at)?;
            steps.push(by);
            at = before;
            if at == from {
                steps.reverse();
                return Some(steps);
            }
        }
    }
}
