//! Search for a cycle through an accepting state by strongly connected components, on the fly.
//!
//! The algorithm of Dijkstra (1976) and Gabow (2000) in the form of Couvreur (1999): states are numbered in the order of
//! their arrival; a stack holds the first state of each component of the part of the graph that has been seen, and
//! whether the component has an accepting state. A step back into the stack merges components; if the result has an
//! accepting state, it holds the cycle. A component that is left can be forgotten as a whole.

use crate::job::Job;
use crate::monitor::Monitor;
use crate::report::Report;
use crate::search::lasso::Lasso;
use crate::search::ledger::{Flow, Ledger};
use crate::search::walk::{Event, Place, Walk};
use starwheel_store::{Inserted, StateId, StateStore};

/// Searches depth first, component by component.
pub fn scc<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut search = Scc {
        job,
        ledger: Ledger::new(job, watch),
        set,
        walk: Walk::new(job.system, limit),
        alive: Vec::new(),
        accepting: Vec::new(),
        open: Vec::new(),
        roots: Vec::new(),
    };
    let flow = search.search();
    let Scc { mut ledger, set, walk, .. } = search;
    ledger.stats.max_depth = walk.deepest;
    ledger.close(flow, walk.cut.then_some(limit), &set)
}

/// A component of the part of the graph that has been seen.
#[derive(Clone, Copy, Debug)]
struct Component {
    /// The state of it that arrived first; it is on the stack of the walk.
    root: StateId,
    accepting: bool,
}

struct Scc<'a, S> {
    job: &'a Job<'a>,
    ledger: Ledger<'a>,
    set: S,
    walk: Walk<'a>,
    /// By state: true as long as its component may still grow. The number of a state is its place in the order of arrival.
    alive: Vec<bool>,
    /// By state.
    accepting: Vec<bool>,
    /// The states that are alive, in the order of arrival.
    open: Vec<StateId>,
    roots: Vec<Component>,
}

impl<S: StateStore> Scc<'_, S> {
    fn search(&mut self) -> Flow {
        self.ledger.tick(0, &self.set)?;
        let opening = self.walk.initial();
        for violation in &opening.violations {
            self.ledger.event(violation, Vec::new)?;
        }
        if opening.broken {
            return Flow::Continue(());
        }
        self.ledger.stats.state_bytes = (self.walk.hidden().len() + self.walk.visible().len()) as u64;
        self.arrive()?;
        while let Some(event) = self.walk.event(&self.set) {
            match event {
                Event::Leaving(id) => self.leave(id),
                Event::Arrival(arrival) => {
                    self.ledger.step(&arrival, self.walk.depth(), &self.set)?;
                    for violation in &arrival.violations {
                        self.ledger.event(violation, || self.walk.trail())?;
                    }
                    if arrival.place == Place::Stored {
                        self.arrive()?;
                    }
                }
            }
        }
        Flow::Continue(())
    }

    fn arrive(&mut self) -> Flow {
        match self.set.insert(self.walk.visible()) {
            Inserted::Full => self.ledger.full(),
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                if self.alive[id.index()] { self.merge(id) } else { Flow::Continue(()) }
            }
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                let accepting = self.walk.accepting();
                self.alive.push(true);
                self.accepting.push(accepting);
                self.open.push(id);
                self.roots.push(Component { root: id, accepting });
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

    /// A step leads back to this state: everything since its component began is one component now.
    fn merge(&mut self, id: StateId) -> Flow {
        let mut accepting = false;
        while let Some(&top) = self.roots.last() {
            accepting |= top.accepting;
            if top.root <= id {
                break;
            }
            self.roots.pop();
        }
        let Some(top) = self.roots.last_mut() else { return Flow::Continue(()) };
        top.accepting = accepting;
        if !accepting {
            return Flow::Continue(());
        }
        let Scc { job, walk, set, alive, accepting, .. } = self;
        let root = top.root;
        self.ledger.cycle(|| {
            let start = walk.position(root)?;
            let mut trail = walk.trail();
            trail.truncate(start);
            let inside = |id: StateId| id >= root && alive.get(id.index()) == Some(&true);
            let accepts = |id: StateId| accepting.get(id.index()) == Some(&true);
            let lasso = Lasso::new(job.system, set, root, walk.hidden_at(start), &inside);
            trail.extend(lasso.round(&accepts)?);
            Some((trail, start))
        })
    }

    /// The walk is about to leave a state; if it is the root of a component, the component is complete.
    fn leave(&mut self, id: StateId) {
        if self.roots.last().is_none_or(|top| top.root != id) {
            return;
        }
        self.roots.pop();
        while let Some(member) = self.open.pop_if(|member| *member >= id) {
            self.alive[member.index()] = false;
        }
    }
}
