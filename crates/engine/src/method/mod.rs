//! The searches, and the choice between them.

mod cndfs;
mod depth_first;
mod groups;
mod nested;
mod scc;
mod shortest_first;
mod spill;
mod within;

pub use shortest_first::switches::{fewest_switches, switches};

use crate::facts::{Axis, Method};
use crate::fit::{Misfit, Wish, fit};
use crate::job::{Fairness, Job, Order, Store};
use crate::monitor::Monitor;
use crate::report::Report;
use starwheel_store::{FlatSet, NumberedDfa, NumberedTree, StateStore};

/// All searches of this crate. Of those that fit a wish, the first is taken.
pub const METHODS: [&Method; 8] = [
    &groups::GROUPS,
    &within::WITHIN,
    &depth_first::DEPTH_FIRST,
    &shortest_first::SHORTEST_FIRST,
    &spill::SPILL,
    &cndfs::CNDFS,
    &nested::NESTED,
    &scc::SCC,
];

/// Searches a system. Every trail in the report has been replayed. A job that no search can do as it is asked for is a
/// misfit; nothing of it is left out or replaced.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Result<Report, Misfit> {
    fit(&Wish::of(job, &METHODS), &METHODS)?;
    match job.search {
        Order::Groups => Ok(groups::groups(job, watch)),
        Order::Cndfs => Ok(cndfs::cndfs(job, watch)),
        Order::Dfs | Order::Within | Order::Bfs | Order::Ndfs | Order::Scc => with_store(job, watch),
    }
}

/// The layer below the searches that take one step after the other: a store that numbers states.
fn with_store(job: &Job<'_>, watch: &dyn Monitor) -> Result<Report, Misfit> {
    let limit = job.limits.memory;
    match job.store {
        Store::Auto | Store::Tree => with_fairness(job, || NumberedTree::new(limit), watch),
        Store::Flat => with_fairness(job, || FlatSet::new(limit), watch),
        Store::Dfa => with_fairness(job, || NumberedDfa::new(limit), watch),
        Store::Compact | Store::Bitstate { .. } => Err(unknown(Axis::Store)),
    }
}

/// The layer between system and store: fairness, which is a system and a store with more in their states.
fn with_fairness<S: StateStore>(job: &Job<'_>, fresh: impl Fn() -> S, watch: &dyn Monitor) -> Result<Report, Misfit> {
    Ok(match (job.search, job.fairness, job.scratch) {
        (Order::Dfs, None, None) => depth_first::depth_first(job, fresh(), watch),
        (Order::Within, None, None) => within::within(job, fresh, watch),
        (Order::Bfs, None, None) => shortest_first::shortest_first(job, fresh(), watch),
        (Order::Bfs, None, Some(disk)) => spill::spill(job, fresh(), watch, disk),
        (Order::Ndfs, None, None) => nested::nested(job, fresh(), watch),
        (Order::Ndfs, Some(Fairness::Weak), None) => nested::weakly_fair(job, fresh(), watch),
        (Order::Scc, _, None) => scc::scc(job, fresh(), watch),
        (_, Some(_), _) => return Err(unknown(Axis::Fairness)),
        (_, _, Some(_)) => return Err(unknown(Axis::Spill)),
        (Order::Groups | Order::Cndfs, ..) => return Err(unknown(Axis::Store)),
    })
}

/// For what the facts of the searches do not let through.
fn unknown(axis: Axis) -> Misfit {
    Misfit { left: axis, right: Axis::Sequence, also: Vec::new(), why: "no search does this".to_string() }
}
