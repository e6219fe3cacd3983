//! Depth first, and breadth first from the start again once a path is cut at the limit of depth.
//!
//! Depth first, a state that is met at the limit first would have to be searched again whenever it is met by a shorter way,
//! which may take many times as long.

use crate::facts::{Crew, Facts, Method, Sought, Stance, StoreKind};
use crate::job::{Job, Order};
use crate::method::{depth_first, shortest_first};
use crate::monitor::Monitor;
use crate::parts::scout::Once;
use crate::report::Report;
use starwheel_store::StateStore;
use std::time::Instant;

/// It leaves out nothing within the limit, so it is what a limit of depth gets if no order is asked for. It takes all steps:
/// a reduction makes ways longer, and what is within the limit would depend on it. The second half reads states back, which
/// an automaton cannot give.
pub const WITHIN: Method = Method {
    name: "within",
    title: "the search within a depth",
    order: Some(Order::Within),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        pan_order: true,
        counts_nth: true,
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One)],
        depth: Stance::Must,
        machine_code: true,
        ..Facts::NONE
    },
};

/// Searches depth first with one store, and if that does not do breadth first with another.
pub fn within<S: StateStore>(job: &Job<'_>, fresh: impl Fn() -> S, watch: &dyn Monitor) -> Report {
    let (started, mut watch) = (job.started.unwrap_or_else(Instant::now), Once::new(watch));
    let job = |search| Job { search, started: Some(started), goal: job.goal.clone(), ..*job };
    let report = depth_first::uncut(&job(Order::Dfs), fresh(), &watch);
    watch.begin_again();
    report.unwrap_or_else(|| shortest_first::shortest_first(&job(Order::Bfs), fresh(), &watch))
}
