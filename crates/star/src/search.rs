//! Searches the decoupled states of a model, depth first or breadth first, and says what that proves.
//!
//! A state is put down as soon as it is reached and expanded later, from a stack (depth first) or a queue (breadth first).

use crate::core::{Core, Flow};
use crate::decompose::Decomposition;
use crate::expand::{Via, Visitor, expand, expand_timeout};
use crate::image::Image;
use crate::product::Product;
use crate::pulse::Pulse;
use crate::settle::settle;
use crate::space::{NodeId, Space};
use crate::stuck::Standstill;
use crate::trail::{Last, first, trail};
use starwheel_engine::{Checks, Job, Ledger, Limits, Monitor, Order, Report, Stop};
use starwheel_model::{Model, ModelSystem, Pid, Step, Stepper, Violation};
use std::collections::VecDeque;
use std::rc::Rc;

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
    /// The most decoupled states that are expanded.
    pub most: Option<u64>,
}

/// Searches a model that [`crate::refusal`] has nothing to say about. Every trail in the report has been replayed.
pub fn run(model: &Model, request: &Request, watch: &dyn Monitor) -> Report {
    let parts = Decomposition::new(model);
    let pulse = Pulse::new(watch, request.limits.time);
    explore(&mut Core::new(model, &parts, pulse), request, watch).0
}

/// Searches, and gives all decoupled states as well.
pub(crate) fn explore(core: &mut Core<'_>, request: &Request, watch: &dyn Monitor) -> (Report, Space) {
    let system = ModelSystem(core.model);
    let Request { checks, all_errors, limits, .. } = *request;
    let job = Job { search: Order::Dfs, checks, all_errors, limits, ..Job::new(&system) };
    let mut search = Search {
        request,
        space: Space::new(request.dominance),
        ledger: Ledger::new(&job, watch),
        todo: VecDeque::new(),
        at: NodeId(0),
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
    space: Space,
    ledger: Ledger<'a>,
    todo: VecDeque<NodeId>,
    /// The node that is being expanded.
    at: NodeId,
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
        self.arrive(core, &product, None)?;
        let mut left = self.request.most;
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
        self.space.working = core.usage();
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

    /// Puts a closed product down, if it is new.
    fn arrive(&mut self, core: &mut Core<'_>, product: &Product, from: Option<NodeId>) -> Flow {
        match self.space.add(core, product, from)? {
            Some(node) => {
                self.ledger.stats.states_stored += 1;
                self.todo.push_back(node);
            }
            None => self.ledger.stats.states_matched += 1,
        }
        self.ledger.again(u64::from(self.space.depth(self.at)), &self.space)
    }

    fn report(&mut self, core: &mut Core<'_>, violation: &Violation, last: Last<'_>) -> Flow {
        let (space, at) = (&self.space, self.at);
        let mut lost = None;
        let flow = self.ledger.event(violation, || match trail(core, space, at, last) {
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

    /// Reports a state in which nothing can happen.
    fn stuck(&mut self, core: &mut Core<'_>, at: &Product, frames: Vec<crate::sets::FrameId>) -> Flow {
        let all: Vec<_> = frames.iter().enumerate().map(|(i, &f)| (Pid(i as u8), f)).collect();
        let mut state = Vec::new();
        core.compose(at.shape, &at.center, &all, &mut state);
        match core.runner.interp.stuck(&state) {
            Some(violation) => self.report(core, &violation, Last::Stuck(frames)),
            None => Flow::Continue(()),
        }
    }
}

impl Visitor for Search<'_> {
    fn successor(&mut self, core: &mut Core<'_>, after: &Product, via: &Via<'_>) -> Flow {
        if self.request.limits.depth.is_some_and(|d| u64::from(self.space.depth(self.at)) >= d) {
            self.cut = true;
            return Flow::Continue(());
        }
        let closed = settle(core, after, via)?;
        self.arrive(core, &closed, Some(self.at))
    }

    fn wrong(&mut self, core: &mut Core<'_>, violation: &Violation, given: bool, via: &Via<'_>) -> Flow {
        self.report(core, violation, Last::Wrong { violation, given, via })
    }

    fn done(&mut self, core: &mut Core<'_>, at: &Product, images: &[Rc<Image>]) -> Flow {
        let timeout = core.model.uses.timeout;
        if self.request.checks.end_states
            && let Some(standstill) = Standstill::new(core, at, images, true)
        {
            // The trace and messages that are left can make an end invalid although all processes are at valid ends.
            for frames in standstill.stuck(core.model.trace.is_some() || core.model.empty_ends) {
                self.stuck(core, at, frames)?;
            }
        }
        if timeout && let Some(standstill) = Standstill::new(core, at, images, false) {
            for product in standstill.products(core, at)? {
                expand_timeout(core, &product, self)?;
            }
        }
        Flow::Continue(())
    }
}
