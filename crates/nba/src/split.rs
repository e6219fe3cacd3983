//! Decoupled nested depth-first search with reference-state splits.
//!
//! D. Gnad, J. Eisenhut, A. Lluch Lafuente and J. Hoffmann, "Model checking ω-regular properties with decoupled search"
//! (CAV 2021), figure 7. States are pruned when one that was visited covers them. For acceptance by each component on its
//! own we follow their section 7: the nested search passes the tests one after the other and has to come back after the
//! last one; where a component has no test yet, all its states are reference states. It takes a test only after a shared
//! action: a cycle that passes it before can be gone round once more.

use starwheel_engine::Stop;
use starwheel_engine::facts::{Crew, Facts, Method, Sought, StoreKind};
use starwheel_store::Cover;

use crate::decoupled::{Decoupled, Sets};
use crate::lasso::{Center, Evidence};
use crate::leaf::SetId;
use crate::net::{ComponentId, Local, Network};
use crate::question::{Counts, Stages};
use crate::splits::Splits;
use crate::watch::Watch;

/// For separate acceptance every local state is a reference state of a split: right, and slow.
pub(crate) const SPLIT: Method = Method {
    name: "nba-split",
    title: "the decoupled search with splits",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Together, Sought::Each],
        by_name_only: &[Sought::Each],
        stores: &[(StoreKind::Tree, Crew::One)],
        ..Facts::NONE
    },
};

/// A state on the path of the outer search, and the action that is tried next.
struct Outer {
    sets: Sets,
    next: usize,
}

/// A state on the path of a nested search.
struct Nested {
    splits: Box<[u32]>,
    /// How many tests were passed.
    passed: usize,
    /// What is tried next: first the test, then the actions.
    next: usize,
    /// The step that led here; none for the root.
    by: Option<Center>,
}

struct Search<'n, 'w> {
    graph: Decoupled<'n>,
    splits: Vec<Splits>,
    path: Vec<Outer>,
    visited: Cover,
    /// By the number of tests passed.
    nested: Vec<Cover>,
    counts: &'w mut Counts,
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
    counts.state_bytes = width as u64 * 4;
    let splits = (0..width).map(|_| Splits::default()).collect();
    let nested = (0..=stages.len()).map(|_| Cover::new(width)).collect();
    let mut search = Search { graph, splits, path: Vec::new(), visited: Cover::new(width), nested, counts };
    let found = search.outer(initial, watch);
    search.counts.leaf_sets = search.graph.set_count();
    found
}

impl Search<'_, '_> {
    fn outer(&mut self, initial: Sets, watch: &mut Watch) -> Result<Option<Evidence>, Stop> {
        let mut next = Vec::new();
        if let Some(found) = self.enter(initial) {
            return Ok(Some(found));
        }
        loop {
            watch.step(self.counts, self.path.len())?;
            let Some(top) = self.path.last_mut() else { return Ok(None) };
            let action = top.next;
            top.next += 1;
            if action == self.graph.actions.len() {
                if let Some(found) = self.leave(watch)? {
                    return Ok(Some(found));
                }
            } else if self.graph.act(&top.sets, action, &mut next) {
                if self.visited.covers(&next, &|c, small, large| self.graph.within(c, small, large)) {
                    self.counts.matched += 1;
                } else if let Some(found) = self.enter(next.as_slice().into()) {
                    return Ok(Some(found));
                }
            }
        }
    }

    /// Goes on from a new state, unless a component can accept alone there.
    fn enter(&mut self, sets: Sets) -> Option<Evidence> {
        self.visited.insert(&sets);
        self.count();
        let alone = self.graph.alone(&sets);
        self.path.push(Outer { sets, next: 0 });
        let (component, at) = alone?;
        Some(Evidence::Alone { prefix: self.prefix(self.path.len()), component, at })
    }

    fn count(&mut self) {
        self.counts.stored += 1;
        self.counts.store_bytes = self.visited.bytes() + self.nested.iter().map(Cover::bytes).sum::<u64>();
    }

    /// The actions that lead to this many states of the path.
    fn prefix(&self, states: usize) -> Vec<Center> {
        let before = &self.path[..states.saturating_sub(1)];
        before.iter().map(|outer| Center::Act(self.graph.actions[outer.next - 1].id)).collect()
    }

    /// Looks for a cycle through the last state of the path, and then gives it up.
    fn leave(&mut self, watch: &mut Watch) -> Result<Option<Evidence>, Stop> {
        let Some(top) = self.path.last() else { return Ok(None) };
        let sets = top.sets.clone();
        // Which components the first test looks at: all of them, if all have to accept together.
        let together = self.graph.stages.len() == 1;
        let first = self.graph.stages.of(0);
        let tested = |c: usize| together || first.contains(&ComponentId(c as u32));
        let starts = (0..sets.len()).all(|c| !tested(c) || self.graph.leaves[c].accepts(SetId(sets[c])));
        if starts {
            let leaves = self.graph.leaves.iter_mut().zip(&mut self.splits).enumerate();
            let root: Box<[u32]> =
                leaves.map(|(c, (leaf, splits))| splits.start(leaf, SetId(sets[c]), tested(c))).collect();
            if let Some(found) = self.search_cycle(root, watch)? {
                return Ok(Some(found));
            }
        }
        self.path.pop();
        Ok(None)
    }

    fn search_cycle(&mut self, root: Box<[u32]>, watch: &mut Watch) -> Result<Option<Evidence>, Stop> {
        self.count();
        let mut path = vec![Nested { splits: root, passed: 1, next: 1, by: None }];
        while let Some(top) = path.last_mut() {
            let (place, passed) = (top.next, top.passed);
            top.next += 1;
            if place > self.graph.actions.len() {
                if path.len() == 1 {
                    self.nested[1].insert(&path[0].splits);
                }
                path.pop();
                continue;
            }
            let splits = std::mem::take(&mut top.splits);
            let next = self.follow(&splits, passed, place);
            if let Some(top) = path.last_mut() {
                top.splits = splits;
            }
            watch.step(self.counts, self.path.len() + path.len())?;
            let Some(next) = next else { continue };
            let within = |c: usize, small, large| self.splits[c].within(&self.graph.leaves[c], small, large);
            if self.nested[next.passed].covers(&next.splits, &within) {
                self.counts.matched += 1;
                continue;
            }
            let splits = next.splits.clone();
            path.push(next);
            if let Some(found) = self.closes(&path) {
                return Ok(Some(found));
            }
            self.nested[path[path.len() - 1].passed].insert(&splits);
            self.count();
        }
        Ok(None)
    }

    /// What a test (place 0) or an action leads to.
    fn follow(&mut self, from: &[u32], passed: usize, place: usize) -> Option<Nested> {
        let mut splits: Box<[u32]> = from.into();
        let by = match place.checked_sub(1) {
            Some(action) => {
                for &(c, slot) in &self.graph.actions[action].parts {
                    splits[c] = self.splits[c].image(&mut self.graph.leaves[c], from[c], slot)?;
                }
                Center::Act(self.graph.actions[action].id)
            }
            None if passed < self.graph.stages.len() => {
                for c in self.graph.stages.of(passed).iter().map(|c| c.index()) {
                    splits[c] = self.splits[c].restricted(&mut self.graph.leaves[c], from[c])?;
                }
                Center::Pass(passed)
            }
            None => return None,
        };
        Some(Nested { splits, passed: passed + usize::from(place == 0), next: 0, by: Some(by) })
    }

    /// Whether the end of a nested path closes an accepting cycle.
    fn closes(&mut self, path: &[Nested]) -> Option<Evidence> {
        let last = path.last().filter(|last| last.passed == self.graph.stages.len())?;
        let steps = path.iter().filter_map(|nested| nested.by);
        let back: Option<Vec<Local>> =
            self.splits.iter().zip(&last.splits).map(|(s, &split)| s.returns(split)).collect();
        if let Some(at) = back {
            return Some(Evidence::Closed { prefix: self.prefix(self.path.len()), at, cycle: steps.collect() });
        }
        let leaves = self.graph.leaves.iter_mut().zip(&mut self.splits).zip(&last.splits);
        let union: Sets = leaves.map(|((leaf, splits), &split)| splits.union(leaf, split).0).collect();
        let start = self.path.iter().position(|outer| self.graph.covers(&union, &outer.sets))?;
        let mut cycle = self.prefix(self.path.len()).split_off(start);
        cycle.push(Center::Pass(0));
        cycle.extend(steps);
        Some(Evidence::Covered { prefix: self.prefix(start + 1), cycle })
    }
}
