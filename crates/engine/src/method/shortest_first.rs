//! Breadth-first search of all states, in the order of their distance in single steps (a handshake is two).
//!
//! Edges between stored states are chains of different lengths, so this is Dijkstra's algorithm with buckets (Dial 1969).
//! A state is expanded once, at its final distance. What goes wrong in the middle of a chain is kept as a candidate
//! until no shorter one can exist.
//!
//! Time comes before steps: a slice is longer than all the steps that fit into it, so the trail found first takes the least time
//! and, of those that do, the fewest steps. (A jump over several slices would be taken for one, so it is refused.) With a limit of
//! depth, which is one of steps, only steps count.
//!
//! With a reduction, its cycle proviso is [`Proviso::StillToExpand`]: a group of steps is enough as soon as one of them leads to a state that is still to be expanded: from
//! each state there is a way through states that are expanded later and later, to one that takes all its steps (D.
//! Bošnački and G. Holzmann, "Improving SPIN's partial-order reduction for breadth-first search", 2005). A trail is then a
//! shortest one of the reduced system only.

mod candidates;
pub mod switches;
mod tree;

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use crate::job::{Job, Order};
use crate::method::shortest_first::candidates::Candidates;
use crate::method::shortest_first::tree::{Tree, Weight};
use crate::monitor::Monitor;
use crate::parts::flags::Flags;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::{Led, Walk};
use crate::report::{Finding, Report, Stop};
use starwheel_model::Violation;
use starwheel_reduce::Proviso;
use starwheel_store::{Inserted, StateId, StateStore};
use std::collections::{BTreeMap, VecDeque};

/// It reads states back, which an automaton cannot give. A reduction that nobody asked for must not make trails longer.
pub const SHORTEST_FIRST: Method = Method {
    name: "bfs",
    title: "the search shortest first",
    order: Some(Order::Bfs),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        sequences: &[Sequence::ShortestFirst],
        pan_order: true,
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One)],
        provisos: &[Proviso::StillToExpand, Proviso::LookingAhead, Proviso::ByChoice],
        depth: Stance::Can,
        machine_code: true,
        not_together: &[
            Exclusion::STEP_BY_STEP,
            Exclusion::FASTEST,
            Exclusion::unasked(Axis::Reduction, Axis::Sequence, "a reduction makes the shortest trails longer"),
        ],
        ..Facts::NONE
    },
};

/// How much further a slice of time or another process is than a step: no trail has so many.
pub(super) const SLICE: u64 = 1 << 32;

/// Searches breadth first.
pub fn shortest_first<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    search(job, set, watch, if job.limits.depth.is_some() { Weight::Nothing } else { Weight::Ticks })
}

/// Searches by distance, of which something may be a part that outweighs all steps.
fn search<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor, weight: Weight) -> Report {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut search = Bfs {
        job,
        ledger: Ledger::new(job, watch),
        set,
        walk: Walk::new(job.system, limit),
        expanded: Flags::default(),
        tree: Tree::new(job.system.hidden_bytes(), weight),
        queue: BTreeMap::new(),
        candidates: Candidates::default(),
    };
    search.walk.reduce(job.reducer);
    let flow = search.search();
    let flow = search.finish(flow);
    let Bfs { ledger, set, walk, .. } = search;
    ledger.close(flow, walk.cut.then_some(limit), &set)
}

struct Bfs<'a, S> {
    job: &'a Job<'a>,
    ledger: Ledger<'a>,
    set: S,
    walk: Walk<'a>,
    /// Kept only for a reduction.
    expanded: Flags,
    tree: Tree,
    /// The states to be expanded, by distance; some have meanwhile been reached on a shorter way.
    queue: BTreeMap<u64, VecDeque<StateId>>,
    candidates: Candidates,
}

impl<S: StateStore> Bfs<'_, S> {
    fn search(&mut self) -> Flow {
        self.ledger.tick(0, &self.set)?;
        let opening = self.walk.initial();
        for violation in &opening.violations {
            self.wrong(violation, None, 0)?;
        }
        if opening.broken {
            return Flow::Continue(());
        }
        self.ledger.stats.state_bytes = (self.walk.hidden().len() + self.walk.visible().len()) as u64;
        self.arrive(StateId(0), 0)?;
        while let Some((distance, mut level)) = self.queue.pop_first() {
            // Nothing to come is shorter than this distance, and no chain is empty, so the level is complete.
            self.settle(distance)?;
            let later: usize = self.queue.values().map(VecDeque::len).sum();
            self.ledger.waiting = Some((level.len() + later) as u64);
            while let Some(id) = level.pop_front() {
                if self.tree.distance(id) == distance {
                    self.ledger.stats.max_depth = self.ledger.stats.max_depth.max(distance % SLICE);
                    self.expand(id, distance)?;
                }
            }
        }
        Flow::Continue(())
    }

    /// Follows all chains from a state whose distance is final.
    fn expand(&mut self, id: StateId, distance: u64) -> Flow {
        if self.walk.reduces() {
            self.expanded.set(id);
        }
        self.walk.begin(id, self.tree.hidden(id), &self.set, distance);
        let before = self.tree.before(self.walk.topmost());
        if let Some(violation) = self.walk.stuck() {
            self.wrong(&violation, Some(id), distance)?;
            self.settle(distance)?;
        }
        while let Some(arrival) = self.walk.advance(&self.set) {
            self.ledger.step(&arrival, distance % SLICE, &self.set)?;
            let far = self.tree.far(before, &self.walk, &arrival);
            for violation in &arrival.violations {
                self.wrong(violation, Some(id), far)?;
            }
            if arrival.led == Led::Stored {
                self.arrive(id, far)?;
            }
        }
        Flow::Continue(())
    }

    /// Stores the state just reached, and puts it in the queue if it was never reached on so short a way.
    fn arrive(&mut self, from: StateId, distance: u64) -> Flow {
        let id = match self.set.insert(self.walk.visible()) {
            Inserted::Full => return self.ledger.full(),
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                self.walk.proviso_paid();
                self.tree.add(from, distance, self.walk.hidden());
                id
            }
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                if !self.expanded.has(id) {
                    self.walk.proviso_paid();
                }
                if distance >= self.tree.distance(id) {
                    return Flow::Continue(());
                }
                self.tree.shorten(id, from, distance, self.walk.hidden());
                id
            }
        };
        self.queue.entry(distance).or_default().push_back(id);
        Flow::Continue(())
    }

    /// Notes that something went wrong after so many steps. If one error is enough, the search goes on until it is
    /// certain that there is no shorter one; if a certain number of them is, it ends there.
    fn wrong(&mut self, violation: &Violation, from: Option<StateId>, length: u64) -> Flow {
        if !self.ledger.counts(violation) {
            return Flow::Continue(());
        }
        self.ledger.errors += 1;
        let chain = || (from, from.map_or(Vec::new(), |_| self.walk.trail()));
        self.candidates.note(violation, !self.job.all_errors, length, chain);
        if self.job.all_errors && self.ledger.enough() {
            self.settle(u64::MAX)?;
            return Flow::Break(None);
        }
        Flow::Continue(())
    }

    /// Reports the errors for which there is no shorter trail, given that nothing to come is shorter than `length`.
    fn settle(&mut self, length: u64) -> Flow {
        while let Some(candidate) = self.candidates.certain(length) {
            candidate.reported = true;
            let mut trail = match candidate.from {
                None => Vec::new(),
                Some(from) => match self.tree.trail(self.job.system, &self.set, from) {
                    Some(trail) => trail,
                    None => return Flow::Break(Some(Stop::Internal("a trail cannot be found again".to_string()))),
                },
            };
            trail.append(&mut candidate.chain);
            let events = if self.job.all_errors { candidate.events } else { 1 };
            let finding = Finding { violation: candidate.violation.clone(), trail, cycle_start: None, events };
            self.ledger.find(finding)?;
            if !self.job.all_errors {
                return Flow::Break(None);
            }
        }
        Flow::Continue(())
    }

    /// Reports the errors that are still waiting, and settles the number of events.
    fn finish(&mut self, mut flow: Flow) -> Flow {
        let early = flow.is_break();
        while !matches!(flow, Flow::Break(None | Some(Stop::Internal(_)))) {
            if self.candidates.certain(u64::MAX).is_none() {
                break;
            }
            if early && self.ledger.warnings.is_empty() {
                self.ledger.warnings.push("the search was stopped, so there may be a shorter trail".to_string());
            }
            match self.settle(u64::MAX) {
                Flow::Break(reason @ (None | Some(Stop::Internal(_)))) => flow = Flow::Break(reason),
                Flow::Break(reason) if !early => flow = Flow::Break(reason),
                _ => {}
            }
        }
        for candidate in self.candidates.all() {
            self.ledger.recount(&candidate.violation, candidate.events);
        }
        if !self.job.all_errors {
            self.ledger.errors = self.ledger.errors.min(1);
        }
        flow
    }
}
