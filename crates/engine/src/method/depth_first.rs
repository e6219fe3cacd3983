//! Depth-first search of all states.
//!
//! With a reduction, a group of steps is enough as soon as one of them leads to a state that is not on the stack: it is
//! left before this one is, so from each state there is a way to one that takes all its steps, and no step is put off for
//! ever (G. Holzmann, P. Godefroid and D. Pirottin, "Coverage preserving reduction strategies for reachability analysis",
//! 1992).

use crate::job::Job;
use crate::monitor::Monitor;
use crate::parts::course::Course;
use crate::parts::flags::Flags;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::Walk;
use crate::report::Report;
use starwheel_store::{Inserted, StateId, StateStore};

/// Searches depth first.
pub fn depth_first<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    let (report, _) = explore(job, set, watch, false);
    report
}

/// Searches depth first until a path is cut at the limit of depth; no report if one is.
pub fn uncut<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Option<Report> {
    let (report, cut) = explore(job, set, watch, true);
    (!cut).then_some(report)
}

/// The report, and whether the search ended because a path was cut.
fn explore<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor, ends_at_cut: bool) -> (Report, bool) {
    let limit = job.limits.depth.unwrap_or(u64::MAX);
    let mut walk = Walk::over::<S>(job.system, limit);
    walk.reduce(job.reducer);
    let mut search = Dfs { ledger: Ledger::new(job, watch), set, walk, path: Flags::default(), ends_at_cut };
    let flow = search.search();
    let Dfs { mut ledger, set, walk, .. } = search;
    ledger.stats.max_depth = walk.deepest;
    let cut = ends_at_cut && walk.cut && flow.is_continue();
    (ledger.close(flow, walk.cut.then_some(limit), &set), cut)
}

struct Dfs<'a, S> {
    ledger: Ledger<'a>,
    set: S,
    walk: Walk<'a>,
    /// The states on the stack; kept only for a reduction.
    path: Flags,
    /// The search is of no use if a path is cut.
    ends_at_cut: bool,
}

impl<'a, S: StateStore> Course<'a> for Dfs<'a, S> {
    type Set = S;

    fn parts(&mut self) -> (&mut Ledger<'a>, &mut Walk<'a>, &S) {
        (&mut self.ledger, &mut self.walk, &self.set)
    }

    fn futile(&self) -> bool {
        self.ends_at_cut && self.walk.cut
    }

    fn leave(&mut self, id: StateId) -> Flow {
        self.path.clear(id);
        Flow::Continue(())
    }

    /// Stores the state just reached, and enters it if it is new.
    fn arrive(&mut self) -> Flow {
        match self.set.insert(self.walk.visible()) {
            Inserted::Full => return self.ledger.full(),
            Inserted::Known(id) => {
                self.ledger.stats.states_matched += 1;
                if !self.path.has(id) {
                    self.walk.enough();
                }
            }
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                self.walk.enough();
                if self.walk.reduces() {
                    self.path.set(id);
                }
                self.walk.enter(id);
                if let Some(violation) = self.walk.stuck() {
                    self.ledger.event(&violation, || self.walk.trail())?;
                }
            }
        }
        Flow::Continue(())
    }
}
