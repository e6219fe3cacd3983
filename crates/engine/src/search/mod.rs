//! The searches, and the choice between them.

mod ahead;
mod bfs;
mod candidates;
pub(crate) mod chain;
pub mod components;
mod course;
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
use crate::swift::scout::Once;
use starwheel_store::{FlatSet, NumberedDfa, NumberedTree, StateStore};
use std::time::Instant;

/// Searches a system. Every trail in the report has been replayed.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    match (job.search, job.store) {
        (Order::Groups, _) => crate::swift::swift(job, watch),
        (Order::Cndfs, _) => crate::cndfs::cndfs(job, watch),
        (Order::Within, _) => within(job, watch),
        (_, Store::Tree) => search(job, NumberedTree::new(job.limits.memory), watch),
        // Breadth first, all states would have to be kept beside the automaton.
        (Order::Dfs | Order::Ndfs | Order::Scc, Store::Dfa) => search(job, NumberedDfa::new(job.limits.memory), watch),
        _ => search(job, FlatSet::new(job.limits.memory), watch),
    }
}

/// Depth first, and breadth first from the start again once a path is cut: depth first, a state that is met at the limit first
/// would have to be searched again whenever it is met by a shorter way, which may take many times as long.
fn within(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    let (started, mut watch) = (job.started.unwrap_or_else(Instant::now), Once::new(watch));
    let job = |search| Job { search, started: Some(started), goal: job.goal.clone(), ..*job };
    let first = job(Order::Dfs);
    let report = match first.store {
        Store::Tree => dfs::uncut(&first, NumberedTree::new(first.limits.memory), &watch),
        _ => dfs::uncut(&first, FlatSet::new(first.limits.memory), &watch),
    };
    watch.begin_again();
    report.unwrap_or_else(|| run(&job(Order::Bfs), &watch))
}

/// The searches that take one step after the other; only an exact store will do for them.
fn search<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    match job.search {
        Order::Dfs | Order::Groups | Order::Within => dfs::dfs(job, set, watch),
        Order::Bfs => match job.attic {
            Some(attic) => crate::spill::spill(job, set, watch, attic),
            None => bfs::bfs(job, set, watch),
        },
        Order::Ndfs | Order::Cndfs => ndfs::ndfs(job, set, watch),
        Order::Scc => scc::scc(job, set, watch),
    }
}
