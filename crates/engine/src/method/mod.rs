//! The searches, and the choice between them.

mod cndfs;
mod depth_first;
mod groups;
mod nested;
mod scc;
mod shortest_first;
mod spill;

use crate::job::{Job, Order, Store};
use crate::monitor::Monitor;
use crate::parts::scout::Once;
use crate::report::Report;
use starwheel_store::{FlatSet, NumberedDfa, NumberedTree, StateStore};
use std::time::Instant;

/// Searches a system. Every trail in the report has been replayed.
pub fn run(job: &Job<'_>, watch: &dyn Monitor) -> Report {
    match (job.search, job.store) {
        (Order::Groups, _) => groups::groups(job, watch),
        (Order::Cndfs, _) => cndfs::cndfs(job, watch),
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
        Store::Tree => depth_first::uncut(&first, NumberedTree::new(first.limits.memory), &watch),
        _ => depth_first::uncut(&first, FlatSet::new(first.limits.memory), &watch),
    };
    watch.begin_again();
    report.unwrap_or_else(|| run(&job(Order::Bfs), &watch))
}

/// The searches that take one step after the other; only an exact store will do for them.
fn search<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor) -> Report {
    match job.search {
        Order::Dfs | Order::Groups | Order::Within => depth_first::depth_first(job, set, watch),
        Order::Bfs => match job.scratch {
            Some(disk) => spill::spill(job, set, watch, disk),
            None => shortest_first::shortest_first(job, set, watch),
        },
        Order::Ndfs | Order::Cndfs => nested::nested(job, set, watch),
        Order::Scc => scc::scc(job, set, watch),
    }
}
