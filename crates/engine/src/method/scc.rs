//! Search for a cycle through an accepting state by strongly connected components, on the fly.
//!
//! The algorithm of Dijkstra (1976) and Gabow (2000) in the form of Couvreur (1999): states are numbered in the order of
//! their arrival; a stack holds the first state of each component of the part of the graph that has been seen, and
//! what the component has: an accepting state, and ways that do justice to processes. A step back into the stack merges
//! components; if the result has all that is asked for, it holds the cycle. A component that is left can be forgotten as
//! a whole.
//!
//! Weak fairness is one more condition for each process, on the ways between states: it moves, or it could not. Strong
//! fairness is not of this kind: a component may be too large for it. So components are looked at when they are complete; and
//! so they are, for both, where states are renamed (`fair/threads.rs`).

mod lasso;

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use crate::fair::{Edges, Link, Marked, Marks, PidSet, Region, THREADED, TRAILER, Threaded, Threading, Trailing};
use crate::job::{Fairness, Job, Order};
use crate::method::scc::lasso::{Lasso, Spot};
use crate::monitor::Monitor;
use crate::parts::course::Course;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::Walk;
use crate::report::Report;
use starwheel_model::{Step, System};
use starwheel_reduce::Proviso;
use starwheel_store::{Inserted, StateId, StateStore};

/// It sees one fixed reduced system, like all searches for runs without end.
pub const SCC: Method = Method {
    name: "scc",
    title: "the search by components",
    order: Some(Order::Scc),
    facts: Facts {
        looks_for: Sought::CYCLES,
        sequences: &[Sequence::DepthFirst],
        components: true,
        pan_order: true,
        counts_nth: true,
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One), (StoreKind::Dfa, Crew::One)],
        provisos: &[Proviso::LookingAhead, Proviso::ByChoice],
        fairness: &[Fairness::Weak, Fairness::Strong],
        depth: Stance::Can,
        machine_code: true,
        not_together: &[Exclusion::unasked(
            Axis::Reduction,
            Axis::Depth,
            "a reduction changes what is within the limit",
        )],
        ..Facts::NONE
    },
};

/// Searches depth first, component by component.
pub fn scc<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    let marked = Marked(job.system);
    match (job.fairness, job.system.behind()) {
        (None, _) => explore::<S, ()>(job, job.system, set, watch, 0, Kept::Nothing),
        (Some(fairness), Some(behind)) => {
            let (threaded, kept) = (Threaded::new(behind), Kept::Threads(Edges::default(), fairness));
            explore::<_, ()>(job, &threaded, Threading::around(Trailing::new(set)), watch, THREADED, kept)
        }
        (Some(Fairness::Weak), None) => {
            explore::<_, PidSet>(job, &marked, Trailing::new(set), watch, TRAILER, Kept::Nothing)
        }
        (Some(Fairness::Strong), None) => {
            let kept = Kept::Ways(Edges::default());
            explore::<_, ()>(job, &marked, Trailing::new(set), watch, TRAILER, kept)
        }
    }
}

/// `trailer` is the number of bytes that the system has behind each state of the job's system.
fn explore<S: StateStore, D: Due>(
    job: &Job<'_>,
    system: &dyn System,
    set: S,
    watch: &dyn Monitor,
    trailer: usize,
    kept: Kept,
) -> Report {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut search = Scc::<S, D> {
        system,
        ledger: Ledger::new(job, watch),
        set,
        walk: Walk::over::<S>(system, limit),
        alive: Vec::new(),
        accepting: Vec::new(),
        open: Vec::new(),
        roots: Vec::new(),
        kept,
    };
    let flow = search.search();
    let Scc { mut ledger, set, walk, .. } = search;
    ledger.stats.max_depth = walk.deepest;
    ledger.stats.state_bytes = ledger.stats.state_bytes.saturating_sub(trailer as u64);
    ledger.close(flow, walk.cut.then_some(limit), &set)
}

/// The ways between the states that are alive, where components are looked at when they are complete.
enum Kept {
    /// They are looked at before.
    Nothing,
    /// For strong fairness.
    Ways(Edges),
    /// For fairness among renamed states.
    Threads(Edges<Link>, Fairness),
}

impl Kept {
    /// The search has come to a state.
    fn arrive(&mut self, id: StateId, state: &[u8]) {
        match self {
            Kept::Nothing => {}
            Kept::Ways(edges) => edges.arrive(id, Marks::of(state)),
            Kept::Threads(edges, _) => edges.arrive(id, Link::of(state)),
        }
    }

    fn enter(&mut self, id: StateId) {
        match self {
            Kept::Nothing => {}
            Kept::Ways(edges) => edges.enter(id),
            Kept::Threads(edges, _) => edges.enter(id),
        }
    }

    fn leave(&mut self) {
        match self {
            Kept::Nothing => {}
            Kept::Ways(edges) => edges.leave(),
            Kept::Threads(edges, _) => edges.leave(),
        }
    }

    fn forget(&mut self, root: StateId) {
        match self {
            Kept::Nothing => {}
            Kept::Ways(edges) => edges.forget(root),
            Kept::Threads(edges, _) => edges.forget(root),
        }
    }
}

/// What the ways of a component must have between them, besides an accepting state.
trait Due: Copy {
    /// What no way has.
    const NOTHING: Self;
    /// What the way to a state has; the state tells.
    fn of(state: &[u8]) -> Self;
    /// What two have between them.
    fn join(self, other: Self) -> Self;
    /// Those that get their due.
    fn given(self) -> PidSet;
    /// Those that do not.
    fn missing(self) -> PidSet;
}

/// Nothing is due.
impl Due for () {
    const NOTHING: () = ();
    fn of(_: &[u8]) {}
    fn join(self, (): ()) {}
    fn given(self) -> PidSet {
        PidSet::EMPTY
    }
    fn missing(self) -> PidSet {
        PidSet::EMPTY
    }
}

/// Weak fairness: the processes that move or cannot.
impl Due for PidSet {
    const NOTHING: PidSet = PidSet::EMPTY;
    fn of(state: &[u8]) -> PidSet {
        Marks::of(state).satisfied()
    }
    fn join(self, other: PidSet) -> PidSet {
        self.or(other)
    }
    fn given(self) -> PidSet {
        self
    }
    fn missing(self) -> PidSet {
        PidSet::ALL.without(self)
    }
}

/// A component of the part of the graph that has been seen.
#[derive(Clone, Copy, Debug)]
struct Component<D> {
    /// The state of it that arrived first; it is on the stack of the walk.
    root: StateId,
    accepting: bool,
    /// What the ways inside have.
    own: D,
    /// What the way to the root has, which begins in the component below.
    entry: D,
}

struct Scc<'a, S, D> {
    system: &'a dyn System,
    ledger: Ledger<'a>,
    set: S,
    walk: Walk<'a>,
    /// By state: true as long as its component may still grow. The number of a state is its place in the order of arrival.
    alive: Vec<bool>,
    /// By state.
    accepting: Vec<bool>,
    /// The states that are alive, in the order of arrival.
    open: Vec<StateId>,
    roots: Vec<Component<D>>,
    kept: Kept,
}

impl<'a, S: StateStore, D: Due> Course<'a> for Scc<'a, S, D> {
    type Set = S;

    fn parts(&mut self) -> (&mut Ledger<'a>, &mut Walk<'a>, &S) {
        (&mut self.ledger, &mut self.walk, &self.set)
    }

    fn arrive(&mut self) -> Flow {
        let due = D::of(self.walk.visible());
        match self.set.insert(self.walk.visible()) {
            Inserted::Full => self.ledger.full(),
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                if self.alive[id.index()] { self.merge(id, due) } else { Flow::Continue(()) }
            }
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                let accepting = self.walk.accepting();
                self.alive.push(true);
                self.accepting.push(accepting);
                self.open.push(id);
                self.roots.push(Component { root: id, accepting, own: D::NOTHING, entry: due });
                self.kept.arrive(id, self.walk.visible());
                self.kept.enter(id);
                self.walk.enter(id);
                if let Some(violation) = self.walk.stuck() {
                    self.ledger.event(&violation, || self.walk.trail())?;
                }
                if accepting && self.walk.at_end() && self.ledger.stutters() {
                    let trail = self.walk.trail();
                    return self.ledger.cycle(|| Some((trail.clone(), trail.len())));
                }
                Flow::Continue(())
            }
        }
    }

    /// If the state is the root of a component, the component is complete.
    fn leave(&mut self, id: StateId) -> Flow {
        self.kept.leave();
        let Some(component) = self.roots.pop_if(|top| top.root == id) else { return Flow::Continue(()) };
        let first = self.open.partition_point(|&member| member < id);
        let flow = if component.accepting { self.decompose(id, first) } else { Flow::Continue(()) };
        for member in self.open.drain(first..) {
            self.alive[member.index()] = false;
        }
        self.kept.forget(id);
        flow
    }
}

impl<S: StateStore, D: Due> Scc<'_, S, D> {
    /// A step leads back to this state: everything since its component began is one component now.
    fn merge(&mut self, id: StateId, due: D) -> Flow {
        self.kept.arrive(id, self.walk.visible());
        let (mut accepting, mut own) = (false, due);
        while let Some(&top) = self.roots.last() {
            accepting |= top.accepting;
            own = own.join(top.own);
            if top.root <= id {
                break;
            }
            own = own.join(top.entry);
            self.roots.pop();
        }
        let Some(top) = self.roots.last_mut() else { return Flow::Continue(()) };
        (top.accepting, top.own) = (accepting, own);
        if !accepting || !own.missing().is_empty() || !matches!(self.kept, Kept::Nothing) {
            return Flow::Continue(());
        }
        let root = top.root;
        let Scc { system, walk, set, alive, accepting, .. } = self;
        self.ledger.cycle(|| {
            let start = walk.position(root)?;
            let mut trail = walk.trail();
            trail.truncate(start);
            let lasso = Lasso {
                system: *system,
                set,
                inside: &|id, _| id >= root && alive.get(id.index()) == Some(&true),
                accepts: &|id| accepting.get(id.index()) == Some(&true),
                needed: D::NOTHING.missing(),
                gives: &|state| D::of(state).given(),
            };
            trail.extend(lasso.round(&Spot { id: root, own: walk.own_at(start).to_vec() })?);
            Some((trail, start))
        })
    }

    /// Looks for a fair part of the component whose root is about to be left.
    fn decompose(&mut self, root: StateId, first: usize) -> Flow {
        let Scc { system, walk, set, accepting, open, .. } = self;
        let accepts = |id: StateId| accepting.get(id.index()) == Some(&true);
        let edges = match &self.kept {
            Kept::Nothing => return Flow::Continue(()),
            Kept::Ways(edges) => edges,
            Kept::Threads(edges, fairness) => {
                let members = &open[first..];
                let Some(fabric) = edges.fabric(root, members, &accepts, *fairness) else {
                    return Flow::Continue(());
                };
                return self.ledger.cycle(|| {
                    let spot = Spot { id: root, own: walk.top_own().to_vec() };
                    let inside = |id: StateId, _: &[u8]| members.binary_search(&id).is_ok();
                    let gives = |_: &[u8]| PidSet::EMPTY;
                    let lasso = Lasso {
                        system: *system,
                        set,
                        inside: &inside,
                        accepts: &accepts,
                        needed: PidSet::EMPTY,
                        gives: &gives,
                    };
                    let (mut at, mut trail) = (spot, walk.trail());
                    if fabric.states.binary_search(&at.id).is_err() {
                        let found = lasso.way(&at, &|id, _| fabric.states.binary_search(&id).is_ok())?;
                        trail.extend(found.steps);
                        at = found.to;
                    }
                    let start = trail.len();
                    for (to, link) in fabric.round(at.id, &accepts)? {
                        let found = lasso.way(&at, &|id, state| id == to && Link::of(state) == *link)?;
                        trail.extend(found.steps);
                        at = found.to;
                    }
                    Some((trail, start))
                });
            }
        };
        let Some(region) = edges.region(root, &open[first..], &accepts) else { return Flow::Continue(()) };
        self.ledger.cycle(|| {
            let spot = Spot { id: root, own: walk.top_own().to_vec() };
            let members = &open[first..];
            let inside = |id: StateId, _: &[u8]| members.binary_search(&id).is_ok();
            let (way, cycle) = fair_round(*system, set, &inside, &accepts, &spot, &region)?;
            let mut trail = walk.trail();
            trail.extend(way);
            let start = trail.len();
            trail.extend(cycle);
            Some((trail, start))
        })
    }
}

/// The steps from a state to a fair part of its component, and a cycle there that is fair to all.
fn fair_round<S: StateStore>(
    system: &dyn System,
    set: &S,
    inside: &dyn Fn(StateId, &[u8]) -> bool,
    accepts: &dyn Fn(StateId) -> bool,
    from: &Spot,
    region: &Region,
) -> Option<(Vec<Step>, Vec<Step>)> {
    let gives = |state: &[u8]| Marks::of(state).moved;
    let mut lasso = Lasso { system, set, inside, accepts, needed: region.needed, gives: &gives };
    let (mut start, mut way) = (from.clone(), Vec::new());
    if region.states.binary_search(&start.id).is_err() {
        let found = lasso.way(&start, &|id, _| region.states.binary_search(&id).is_ok())?;
        (start, way) = (found.to, found.steps);
    }
    let belongs = |id: StateId, state: &[u8]| region.has(id, Marks::of(state));
    lasso.inside = &belongs;
    let cycle = lasso.round(&start)?;
    Some((way, cycle))
}
