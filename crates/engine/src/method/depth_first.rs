//! Depth-first search of all states.
//!
//! With a reduction, its cycle proviso is [`Proviso::NotOnStack`]: a group of steps is enough as soon as one of them leads to a state that is not on the stack: it is
//! left before this one is, so from each state there is a way to one that takes all its steps, and no step is put off for
//! ever (G. Holzmann, P. Godefroid and D. Pirottin, "Coverage preserving reduction strategies for reachability analysis",
//! 1992).
//!
//! Where we differ: a state on the stack does as well if it is *grounded*, that is, if it is known that there is a way from it to a state
//! that takes all its steps. It takes them all itself; or one of its steps led to a state that is grounded or has been left, which is grounded by
//! then: by induction over the order of leaving, since what was not grounded when it paid for another one is new, lies above it
//! on the stack and is left first. So only states of which this is not known are in the way (`ungrounded`).

use crate::facts::{Axis, Crew, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use crate::job::{Job, Order};
use crate::monitor::Monitor;
use crate::parts::course::Course;
use crate::parts::flags::Flags;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::Walk;
use crate::report::{Report, Stats, Stop};
use starwheel_reduce::Proviso;
use starwheel_store::{Inserted, StateId, StateStore};

/// It goes as pan goes. A reduction that nobody asked for would change what is within a limit of depth.
pub const DEPTH_FIRST: Method = Method {
    name: "dfs",
    title: "the depth-first search",
    order: Some(Order::Dfs),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        sequences: &[Sequence::DepthFirst],
        pan_order: true,
        counts_nth: true,
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One), (StoreKind::Dfa, Crew::One)],
        provisos: &[Proviso::NotOnStack, Proviso::LookingAhead, Proviso::ByChoice],
        depth: Stance::Can,
        machine_code: true,
        not_together: &[
            Exclusion::STEP_BY_STEP,
            Exclusion::unasked(Axis::Reduction, Axis::Depth, "a reduction changes what is within the limit"),
        ],
        ..Facts::NONE
    },
};

/// Searches depth first.
pub fn depth_first<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    explore(job, set, watch, Extent::All).0
}

/// Searches depth first until a path is cut at the limit of depth; no report if one is.
pub fn uncut<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Option<Report> {
    let (report, futile) = explore(job, set, watch, Extent::Uncut);
    (!futile).then_some(report)
}

/// Searches depth first unless there is more than this, or more than memory holds; no report if there is.
pub fn few<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor, most: Few) -> Option<Report> {
    let (report, futile) = explore(job, set, watch, Extent::Few(most));
    (!futile).then_some(report)
}

/// What is still few.
#[derive(Clone, Copy, Debug)]
pub struct Few {
    /// States.
    pub states: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Steps that do not lead to new ones: inside atomic sequences, or to known states.
    pub steps: u64,
}

/// How far a search is of use.
#[derive(Clone, Copy)]
enum Extent {
    All,
    /// As long as no path is cut.
    Uncut,
    /// As long as it is no more than this.
    Few(Few),
}

/// The report, and whether the search ended because it was of no use to go on.
fn explore<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor, extent: Extent) -> (Report, bool) {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut walk = Walk::over::<S>(job.system, limit);
    walk.reduce(job.reducer);
    let mut search = Dfs { ledger: Ledger::new(job, watch), set, walk, ungrounded: Flags::default(), extent };
    let flow = search.search();
    let full = matches!(flow, Flow::Break(Some(Stop::Memory(_) | Stop::StoreFull)));
    let futile = if full { matches!(extent, Extent::Few(_)) } else { flow.is_continue() && search.futile() };
    let Dfs { mut ledger, set, walk, .. } = search;
    ledger.stats.max_depth = walk.deepest;
    (ledger.close(flow, walk.cut.then_some(limit), &set), futile)
}

struct Dfs<'a, S> {
    ledger: Ledger<'a>,
    set: S,
    walk: Walk<'a>,
    /// The states on the stack that are not grounded; kept only for a reduction.
    ungrounded: Flags,
    extent: Extent,
}

impl<'a, S: StateStore> Course<'a> for Dfs<'a, S> {
    type Set = S;

    fn parts(&mut self) -> (&mut Ledger<'a>, &mut Walk<'a>, &S) {
        (&mut self.ledger, &mut self.walk, &self.set)
    }

    fn futile(&self) -> bool {
        match self.extent {
            Extent::All => false,
            Extent::Uncut => self.walk.cut,
            Extent::Few(most) => {
                let Stats { states_stored, state_bytes, states_matched, atomic_steps, .. } = self.ledger.stats;
                let steps = states_matched + atomic_steps;
                states_stored > most.states || states_stored * state_bytes > most.bytes || steps > most.steps
            }
        }
    }

    fn leave(&mut self, id: StateId) -> Flow {
        if self.walk.reduces() {
            self.ungrounded.clear(id);
            self.walk.below().into_iter().for_each(|below| self.ungrounded.clear(below));
        }
        Flow::Continue(())
    }

    /// Stores the state just reached, and enters it if it is new.
    fn arrive(&mut self) -> Flow {
        match self.set.insert(self.walk.visible()) {
            Inserted::Full => return self.ledger.full(),
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                if self.walk.reduces() && !self.ungrounded.has(id) {
                    self.walk.proviso_paid();
                    self.walk.source().into_iter().for_each(|source| self.ungrounded.clear(source));
                }
            }
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                self.walk.proviso_paid();
                self.walk.enter(id);
                if self.walk.leaves_out() {
                    self.ungrounded.set(id);
                }
                if let Some(violation) = self.walk.stuck() {
                    self.ledger.event(&violation, || self.walk.trail())?;
                }
            }
        }
        Flow::Continue(())
    }
}
