//! Puts the counterexample in the place of the one that was found in which processes take over from one another as rarely as possible.
//!
//! The search is one of the whole system, with single statements and all steps, in the order of context switches: what it
//! settles on has the fewest of all runs to an error of this kind. If it cannot come to its end, what it has met until then is
//! taken if it has fewer, and nobody says "fewest".

use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::run::{Run, Search};
use crate::shorter::of_a_state;
use starwheel_engine::{Checks, Finding, Limits, Monitor, fewest_switches, switches};
use starwheel_model::returns::Returning;
use starwheel_model::{ModelSystem, System, ViolationKind};
use std::time::Duration;

/// The context switches of a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// How many there are.
    pub count: u64,
    /// How many there were in the one that was found first.
    pub from: u64,
    /// True if no run to an error of this kind has fewer.
    pub fewest: bool,
}

/// Chooses among the counterexamples to safety; false if there is none, or if none was found in time.
pub fn choose(opened: &Opened, search: &Search, found: &mut Run, monitor: &dyn Monitor, left: Duration) -> bool {
    let Some(first) = found.found.findings.first().filter(|_| of_a_state(search, found)) else { return false };
    let (from, kind, events) = (switches(&first.trail), first.violation.kind, first.events);
    let fine = opened.reading.merge.then(|| opened.again(&opened.unmerged())).flatten();
    if opened.reading.merge && fine.is_none() {
        return false;
    }
    let memory = search.plan.memory_limit();
    let limits = Limits { time: Some(left).filter(|left| *left < Duration::MAX), memory, ..Limits::default() };
    let told = fine.as_ref().unwrap_or(opened);
    let alone = ModelSystem(&told.model);
    let system = Returning::around(&alone, &told.model, !search.plan.no_assert, told.reading.until.clone());
    let system = system.as_ref().map_or(&alone as &dyn System, |s| s);
    let guard = MemoryGuard::new(monitor, memory);
    let Ok(report) = fewest_switches(system, only(kind), limits, Some(rss::current_rss), &guard) else { return false };
    let fewest = report.stop.is_none();
    let better = report.findings.into_iter().find(|f| f.violation.kind == kind);
    let better = better.map(|f| (switches(&f.trail), f)).filter(|(count, _)| fewest || *count < from);
    let Some((count, best)) = better else { return false };
    found.found.findings[0] = Finding { events, ..best };
    found.switches = Some(Switches { count, from, fewest });
    found.told = fine;
    true
}

/// Says how many switches there are in a trail that was found in another way.
pub fn count(found: &mut Run) {
    let trail = found.found.findings.first().map(|f| switches(&f.trail));
    found.switches = trail.map(|count| Switches { count, from: count, fewest: false });
}

/// Checks for one kind of error.
pub fn only(kind: ViolationKind) -> Checks {
    Checks {
        assertions: kind == ViolationKind::Assertion,
        end_states: kind == ViolationKind::InvalidEndState,
        run_time: kind == ViolationKind::RuntimeError,
    }
}
