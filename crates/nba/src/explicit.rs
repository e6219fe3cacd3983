//! The composed network state by state, by strongly connected components.
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999): a stack of roots, each with the tests that
//! its component passes, so that an accepting cycle is seen as soon as its last edge is.

use std::collections::{HashMap, VecDeque};

use starwheel_engine::Stop;
use starwheel_engine::facts::{Crew, Facts, Method, Sought, StoreKind};
use starwheel_store::{FlatSet, Inserted, StateId, StateSet};

use crate::lasso::{Lasso, Step};
use crate::net::{Local, Network};
use crate::product::{Cursor, Product};
use crate::question::{Counts, Stages};
use crate::watch::Watch;

/// Networks know no store but their own, and no other wishes: none is proven for them. Composed states are for comparison, so
/// this search comes only by its name.
pub(crate) const EXPLICIT: Method = Method {
    name: "nba-explicit",
    title: "the search of the composed network",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Together, Sought::Each],
        by_name_only: &[Sought::Together, Sought::Each],
        stores: &[(StoreKind::Tree, Crew::One)],
        ..Facts::NONE
    },
};

/// A state whose component is finished.
const DONE: u32 = u32::MAX;

struct Root {
    order: u32,
    /// By test: true if some state passes it.
    passed: Vec<bool>,
}

struct Search<'n, 'w> {
    product: Product<'n>,
    stages: &'n Stages,
    store: FlatSet,
    /// By state: its place in the order of discovery.
    order: Vec<u32>,
    /// States of components that are not finished.
    live: Vec<StateId>,
    roots: Vec<Root>,
    path: Vec<(StateId, Cursor)>,
    counts: &'w mut Counts,
    bytes: Vec<u8>,
    state: Vec<Local>,
    next: Vec<Local>,
}

/// Looks for an accepting run.
pub(crate) fn search(
    net: &Network,
    stages: &Stages,
    memory: Option<u64>,
    counts: &mut Counts,
    watch: &mut Watch,
) -> Result<Option<Lasso>, Stop> {
    let product = Product::new(net);
    counts.state_bytes = product.state_bytes() as u64;
    let mut search = Search {
        product,
        stages,
        store: FlatSet::new(memory),
        order: Vec::new(),
        live: Vec::new(),
        roots: Vec::new(),
        path: Vec::new(),
        counts,
        bytes: Vec::new(),
        state: Vec::new(),
        next: Vec::new(),
    };
    let mut number = 0;
    while search.product.initial(number, &mut search.next) {
        if let Some(lasso) = search.search_on(memory, watch)? {
            return Ok(Some(lasso));
        }
        number += 1;
    }
    Ok(None)
}

impl Search<'_, '_> {
    /// Searches from the state in `next`.
    fn search_on(&mut self, memory: Option<u64>, watch: &mut Watch) -> Result<Option<Lasso>, Stop> {
        self.arrive(memory)?;
        while let Some(&mut (id, ref mut cursor)) = self.path.last_mut() {
            self.product.read(self.store.get(id), &mut self.state);
            if self.product.next(&self.state, cursor, &mut self.next).is_none() {
                self.leave(id);
                continue;
            }
            watch.step(self.counts, self.path.len())?;
            if self.arrive(memory)? {
                let lasso = self.lasso(watch);
                return watch.why().map_or(Ok(lasso), Err);
            }
        }
        Ok(None)
    }

    /// Arrives at the state in `next`; true if that closes an accepting cycle.
    fn arrive(&mut self, memory: Option<u64>) -> Result<bool, Stop> {
        self.product.write(&self.next, &mut self.bytes);
        match self.store.insert(&self.bytes) {
            Inserted::New(id) => {
                let order = self.order.len() as u32;
                self.order.push(order);
                self.live.push(id);
                let passes = |stage| self.stages.passes(self.product.net, stage, &self.next);
                self.roots.push(Root { order, passed: (0..self.stages.len()).map(passes).collect() });
                self.path.push((id, Cursor::default()));
                self.counts.stored += 1;
                self.counts.store_bytes = self.store.usage().bytes;
                Ok(false)
            }
            Inserted::Known(id) => {
                self.counts.matched += 1;
                Ok(self.order[id.index()] != DONE && self.close(self.order[id.index()]))
            }
            Inserted::Full => Err(memory.map_or(Stop::StoreFull, Stop::Memory)),
        }
    }

    /// Everything from this place on is one component.
    fn close(&mut self, order: u32) -> bool {
        let mut passed = vec![false; self.stages.len()];
        while let Some(root) = self.roots.pop() {
            passed.iter_mut().zip(&root.passed).for_each(|(all, own)| *all |= own);
            if root.order <= order {
                let enough = passed.iter().all(|p| *p);
                self.roots.push(Root { order: root.order, passed });
                return enough;
            }
        }
        false
    }

    fn leave(&mut self, id: StateId) {
        self.path.pop();
        if self.roots.last().is_some_and(|root| root.order == self.order[id.index()]) {
            self.roots.pop();
            while let Some(member) = self.live.pop() {
                self.order[member.index()] = DONE;
                if member == id {
                    break;
                }
            }
        }
    }

    /// The run to the component of the last root, and round in it past all tests.
    fn lasso(&mut self, watch: &mut Watch) -> Option<Lasso> {
        let least = self.roots.last()?.order;
        let end = self.path.iter().position(|(id, _)| self.order[id.index()] == least)?;
        let path: Vec<StateId> = self.path[..=end].iter().map(|p| p.0).collect();
        let mut initial = Vec::new();
        self.product.read(self.store.get(path[0]), &mut initial);
        let mut lasso = Lasso { initial, steps: Vec::new(), cycle_start: 0 };
        for pair in path.windows(2) {
            lasso.steps.extend(self.way(pair[0], 0, &|_, id| id == pair[1], watch)?.1);
        }
        lasso.cycle_start = lasso.steps.len();
        let (net, stages, root) = (self.product.net, self.stages, path[end]);
        let mut at = root;
        for stage in 0..stages.len() {
            self.product.read(self.store.get(at), &mut self.state);
            if !stages.passes(net, stage, &self.state) {
                let (to, steps) = self.way(at, least, &|state, _| stages.passes(net, stage, state), watch)?;
                lasso.steps.extend(steps);
                at = to;
            }
        }
        if at != root || lasso.steps.len() == lasso.cycle_start {
            lasso.steps.extend(self.way(at, least, &|_, id| id == root, watch)?.1);
        }
        Some(lasso)
    }

    /// The shortest way, of at least one step, to a goal among states that are not finished and not older than `least`.
    fn way(
        &self,
        from: StateId,
        least: u32,
        goal: &dyn Fn(&[Local], StateId) -> bool,
        watch: &mut Watch,
    ) -> Option<(StateId, Vec<Step>)> {
        use starwheel_store::StateStore;
        let mut came: HashMap<StateId, (StateId, Step)> = HashMap::new();
        let mut work = VecDeque::from([from]);
        let (mut state, mut next, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(id) = work.pop_front() {
            if watch.over() {
                return None;
            }
            self.product.read(self.store.get(id), &mut state);
            let mut cursor = Cursor::default();
            while let Some(this) = self.product.next(&state, &mut cursor, &mut next) {
                self.product.write(&next, &mut bytes);
                let Some(to) = self.store.lookup(&bytes) else { continue };
                let order = self.order[to.index()];
                if order == DONE || order < least || came.contains_key(&to) {
                    continue;
                }
                came.insert(to, (id, self.product.step(&state, this, &next)?));
                if goal(&next, to) {
                    return Some((to, back(&mut came, from, to)));
                }
                work.push_back(to);
            }
        }
        None
    }
}

/// The steps to a state, of which there is at least one.
fn back(came: &mut HashMap<StateId, (StateId, Step)>, from: StateId, to: StateId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = to;
    while let Some((before, step)) = came.remove(&at) {
        steps.push(step);
        at = before;
        if at == from {
            break;
        }
    }
    steps.reverse();
    steps
}
