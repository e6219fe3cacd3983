//! The searches, and the choice between them.

mod bfs;
mod candidates;
mod chain;
mod dfs;
mod flags;
mod lasso;
mod ledger;
mod ndfs;
mod scc;
pub mod shorten;
mod stack;
mod tree;
mod walk;

use crate::job::{Job, Order};
use crate::monitor::Monitor;
use crate::report::Report;
use starwheel_store::FlatSet;

/// Searches a system. Every trail in the report has been replayed.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let set = FlatSet::new(job.limits.memory);
    match job.search {
        Order::Dfs => dfs::dfs(job, set, watch),
        Order::Bfs => bfs::bfs(job, set, watch),
        Order::Ndfs => ndfs::ndfs(job, set, watch),
        Order::Scc => scc::scc(job, set, watch),
    }
}
