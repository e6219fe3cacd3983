//! The searches, and the choice between them.

mod ahead;
mod bfs;
mod candidates;
pub(crate) mod chain;
pub mod components;
mod dfs;
mod flags;
mod lasso;
pub mod ledger;
mod ndfs;
mod scc;
pub mod shorten;
mod stack;
mod tree;
mod walk;

use crate::job::{Job, Order, Store};
use crate::monitor::Monitor;
use crate::report::Report;
use starwheel_store::{FlatSet, NumberedDfa, NumberedTree, StateStore};

/// Searches a system. Every trail in the report has been replayed.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    match (job.search, job.store) {
        (Order::Groups, _) => crate::swift::swift(job, watch),
        (Order::Cndfs, _) => crate::cndfs::cndfs(job, watch),
        (_, Store::Tree) => search(job, NumberedTree::new(job.limits.memory), watch),
        // Breadth first, all states would have to be kept beside the automaton.
        (Order::Dfs | Order::Ndfs | Order::Scc, Store::Dfa) => search(job, NumberedDfa::new(job.limits.memory), watch),
        _ => search(job, FlatSet::new(job.limits.memory), watch),
    }
}

/// The searches that take one step after the other; only an exact store will do for them.
fn search<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    match job.search {
        Order::Dfs | Order::Groups => dfs::dfs(job, set, watch),
        Order::Bfs => match job.attic {
            Some(attic) => crate::spill::spill(job, set, watch, attic),
            None => bfs::bfs(job, set, watch),
        },
        Order::Ndfs | Order::Cndfs => ndfs::ndfs(job, set, watch),
        Order::Scc => scc::scc(job, set, watch),
    }
}
