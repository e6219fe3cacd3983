//! Searches the decoupled states of a model, depth first or breadth first, and says what that proves.
//!
//! A state is put down as soon as it is reached and expanded later, from a stack (depth first) or a queue (breadth first).

mod agenda;
mod explorer;
mod halt;
pub(crate) mod members;
mod parallel;
mod shared;
pub(crate) mod trial;
mod worker_log;

use crate::METHODS;
use crate::search::explorer::Explorer;
pub use crate::search::parallel::DECOUPLED_PARALLEL;
use crate::search::parallel::in_parallel;
use crate::states::renamed::Renamer;
use crate::states::space::{NodeId, Space};
use crate::steps::core::{Core, Flow};
use crate::steps::expand::expand;
use crate::steps::product::Product;
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use crate::trail::{Last, first, trail};
use starwheel_engine::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use starwheel_engine::fit::{Wanted, Wish, fit};
use starwheel_engine::{Checks, Job, Ledger, Limits, Misfit, Monitor, Order, Report, Stop};
use starwheel_model::{Model, ModelSystem, Step, Stepper, Violation};
use starwheel_symmetry::Renaming;
use std::collections::VecDeque;

/// What is asked of a decoupled search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// True for breadth first.
    pub breadth_first: bool,
    /// True to leave out states that a larger one with the same center covers.
    pub dominance: bool,
    /// What counts as an error.
    pub checks: Checks,
    /// True to go on after the first error.
    pub all_errors: bool,
    /// When to give up; depth is counted in center steps.
    pub limits: Limits,
    /// How many threads share the work: level by level if breadth first or with a depth limit, else in no particular
    /// order. None and one are the same.
    pub workers: usize,
}

/// What the other decoupled searches say of states that are renamed.
pub(crate) const REAL_NAMES: Exclusion = Exclusion::hard(
    Axis::Decoupling,
    Axis::Renaming,
    "a decoupled search for errors by one worker alone may rename its states",
);

/// Centers are kept in trees. Sets of frames are neither saved nor written to the disk, and no reduction is proven sound for
/// them.
pub const DECOUPLED: Method = Method {
    name: "decoupled",
    title: "the decoupled search",
    order: None,
    facts: Facts {
        looks_for: &[Sought::Errors],
        sequences: &[Sequence::DepthFirst, Sequence::ShortestFirst],
        stores: &[(StoreKind::Tree, Crew::One)],
        depth: Stance::Can,
        decoupled: Stance::Must,
        ..Facts::NONE
    },
};

impl Request {
    /// What is asked of a search for something, in which states may be renamed.
    pub(crate) fn wish(&self, sought: Sought, renamed: bool) -> Wish {
        Wish {
            sequence: self.breadth_first.then_some(Sequence::ShortestFirst),
            workers: Wanted::asked(self.workers.max(1)),
            depth: self.limits.depth.is_some(),
            decoupled: true,
            all_errors: self.all_errors,
            renamed,
            ..Wish::new(sought)
        }
    }
}

/// Searches a model that [`crate::refusal`] has nothing to say about. Every trail in the report has been replayed. What no
/// decoupled search can do as it is asked for is a misfit.
pub fn run(model: &Model, request: &Request, watch: &dyn Monitor) -> Result<Report, Misfit> {
    let fitting = fit(&request.wish(Sought::Errors, false), &METHODS)?;
    let parts = Decomposition::new(model);
    if fitting.method().name == DECOUPLED_PARALLEL.name {
        return Ok(in_parallel(model, &parts, request, watch));
    }
    let pulse = Pulse::new(watch, request.limits.time);
    Ok(explore(&mut Core::new(model, &parts, pulse), request, None, None, watch).0)
}

/// The same, and each decoupled state stands for all that differ by the names of like processes.
pub fn run_renamed(
    model: &Model,
    request: &Request,
    renaming: &Renaming<'_>,
    watch: &dyn Monitor,
) -> Result<Report, Misfit> {
    fit(&request.wish(Sought::Errors, true), &METHODS)?;
    let parts = Decomposition::new(model);
    let pulse = Pulse::new(watch, request.limits.time);
    Ok(explore(&mut Core::new(model, &parts, pulse), request, None, Some(renaming), watch).0)
}

/// Searches with one worker until so many decoupled states were expanded, if that is limited, and gives all of them as well.
pub(crate) fn explore(
    core: &mut Core<'_>,
    request: &Request,
    most: Option<u64>,
    renaming: Option<&Renaming<'_>>,
    watch: &dyn Monitor,
) -> (Report, Space) {
    let system = ModelSystem(core.model);
    let Request { checks, all_errors, limits, .. } = *request;
    let job = Job { search: Order::Dfs, checks, all_errors, limits, ..Job::new(&system) };
    let mut search = Search {
        request,
        most,
        space: Space::new(request.dominance),
        ledger: Ledger::new(&job, watch),
        todo: VecDeque::new(),
        at: NodeId(0),
        batch: Vec::new(),
        renamer: renaming.map(Renamer::new),
        renamed: Vec::new(),
        cut: false,
    };
    let flow = search.search(core);
    let Search { space, mut ledger, cut, .. } = search;
    ledger.absorb(&core.runner.executed, core.runner.round);
    ledger.stats.decoupled_states = Some(space.len() as u64);
    (ledger.close(flow, request.limits.depth.filter(|_| cut), &space), space)
}

struct Search<'a> {
    request: &'a Request,
    /// The most decoupled states that are expanded.
    most: Option<u64>,
    space: Space,
    ledger: Ledger<'a>,
    todo: VecDeque<NodeId>,
    /// The node that is being expanded.
    at: NodeId,
    /// What follows it: looked up together, so that the memory can be asked for in advance.
    batch: Vec<Product>,
    /// Gives states the names of their classes, if they are renamed, and how those of the batch were.
    renamer: Option<Renamer<'a>>,
    renamed: Vec<Vec<u8>>,
    cut: bool,
}

impl Search<'_> {
    fn search(&mut self, core: &mut Core<'_>) -> Flow {
        self.ledger.tick(0, &self.space)?;
        let mut state = Vec::new();
        let opening = core.runner.interp.initial(&mut state);
        for violation in &opening.violations {
            self.ledger.event(violation, Vec::new)?;
        }
        if opening.broken {
            return Flow::Continue(());
        }
        self.ledger.stats.state_bytes = state.len() as u64;
        let mut product = first(core)?;
        for party in &mut product.parties {
            *party = core.close(*party, &product.center)?;
        }
        self.batch.push(product.clone());
        self.arrive(core, None)?;
        let mut left = self.most;
        while let Some(node) = if self.request.breadth_first { self.todo.pop_front() } else { self.todo.pop_back() } {
            self.visit(core, node, &mut product)?;
            left = left.map(|n| n.saturating_sub(1));
            if left == Some(0) {
                return Flow::Break(Some(Stop::Interrupted));
            }
        }
        Flow::Continue(())
    }

    fn visit(&mut self, core: &mut Core<'_>, node: NodeId, product: &mut Product) -> Flow {
        let depth = u64::from(self.space.depth(node));
        self.ledger.stats.max_depth = self.ledger.stats.max_depth.max(depth);
        self.at = node;
        self.space.get(node, product);
        expand(core, product, self)?;
        self.arrive(core, Some(node))?;
        self.space.working = core.usage() + self.renamer.as_ref().map_or(0, Renamer::usage);
        let stats = &self.ledger.stats;
        core.runner.pulse.tick.stored = stats.states_stored;
        core.runner.pulse.tick.matched = stats.states_matched;
        core.runner.pulse.tick.depth = depth;
        if let Some(limit) = self.request.limits.memory
            && starwheel_store::StateSet::usage(&self.space).bytes > limit
        {
            return Flow::Break(Some(Stop::Memory(limit)));
        }
        Flow::Continue(())
    }

    /// Puts closed products down that are new.
    fn arrive(&mut self, core: &mut Core<'_>, from: Option<NodeId>) -> Flow {
        let Search { space, batch, todo, ledger, at, renamer, renamed, .. } = self;
        renamed.clear();
        if let Some(renamer) = renamer {
            for product in batch.iter_mut() {
                renamed.push(renamer.normalise(core, product)?);
            }
        }
        space.prepare(batch)?;
        for number in 0..batch.len() {
            match space.add(core, number, from)? {
                Some(node) => {
                    ledger.stats.states_stored += 1;
                    todo.push_back(node);
                    if let (Some(renamer), Some(to)) = (renamer.as_mut(), renamed.get_mut(number)) {
                        renamer.added(node, std::mem::take(to));
                    }
                }
                None => ledger.stats.states_matched += 1,
            }
            ledger.tick_uncounted(u64::from(space.depth(*at)), space)?;
        }
        batch.clear();
        Flow::Continue(())
    }
}

impl Explorer for Search<'_> {
    fn request(&self) -> &Request {
        self.request
    }

    fn batch(&mut self) -> &mut Vec<Product> {
        &mut self.batch
    }

    fn too_deep(&mut self) -> bool {
        let deep = self.request.limits.depth.is_some_and(|d| u64::from(self.space.depth(self.at)) >= d);
        self.cut |= deep;
        deep
    }

    fn report(&mut self, core: &mut Core<'_>, violation: &Violation, last: Last<'_>) -> Flow {
        let Search { space, at, renamer, .. } = self;
        let mut told = |last| match renamer {
            Some(renamer) => renamer.trail(core, space, *at, last),
            None => trail(core, space, *at, last),
        };
        let mut lost = None;
        let flow = self.ledger.event(violation, || match told(last) {
            Flow::Continue(steps) => steps,
            Flow::Break(stop) => {
                lost = stop;
                Vec::<Step>::new()
            }
        });
        match lost {
            Some(stop) => Flow::Break(Some(stop)),
            None => flow,
        }
    }
}
