//! Looks for a shorter way to an error: what a search that goes deep has found is often twice as long as it need be.
//!
//! Once an error is known, states are visited once more, nearest first, with single statements instead of merged ones, up to the
//! length of the trail that is known; first reduced by partial order, which is quick and nearly always right, and then, as far as
//! the time goes, with all steps. Only the latter may say that a trail is a shortest one. Whoever asks says how long it may
//! work; a search that has not come a good part of the way early on never will, since the next states are ever more, and is
//! given up. The trail that comes of it has been replayed like any other.

use crate::ask::plan::{Pan, Plan, Por};
use crate::explain::Asked;
use crate::memory::cpu::Worked;
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::prefer::only;
use crate::reduction::wish;
use crate::run::{Run, Search};
use crate::trail::record::length;
use starwheel_engine::{Finding, Job, Limits, Monitor, Order, Report, Silent, Stop, Tick, run};
use starwheel_model::returns::Returning;
use starwheel_model::{ModelSystem, System, ViolationKind};
use starwheel_reduce::{Proviso, Reducer};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// After so much work it is asked how far the search has come.
const SOON: Duration = Duration::from_millis(40);
/// The part of the known trail that it has to be then.
const PART: u64 = 8;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// The length of the trail that was found first, in single statements.
    pub from: u64,
    /// True if no trail to an error of this kind is shorter.
    pub shortest: bool,
}

/// Puts a shorter trail into the place of the one that was found, if there is one and it is found in time.
pub fn shorten(
    opened: &Opened,
    search: &Search,
    found: &mut Run,
    monitor: &dyn Monitor,
    (work, left): (Duration, Duration),
) {
    let Some(finding) = found.found.findings.first().filter(|_| wanted(search, found)) else { return };
    let fine = opened.reading.merge.then(|| opened.again(&opened.unmerged())).flatten();
    if opened.reading.merge && fine.is_none() {
        return;
    }
    let quest = Quest {
        model: fine.as_ref().unwrap_or(opened),
        plan: &search.plan,
        kind: finding.violation.kind,
        work: &Worked::new(monitor, work),
        until: Instant::now().checked_add(left),
    };
    let from = length(opened, &finding.trail);
    let (mut best, mut most, mut shortest) = (None, from, false);
    for reduced in [true, false] {
        // With all steps there are more states: where the reduced search took more than half, this one would not come to its end.
        if !reduced && quest.work.unspent() < work / 2 {
            break;
        }
        let Some(report) = quest.search(reduced, most) else { continue };
        let ended = report.stop.as_ref().is_none_or(|stop| matches!(stop, Stop::Depth(_)));
        let better = report.findings.into_iter().find(|f| f.violation.kind == quest.kind);
        let better = better.map(|f| (length(quest.model, &f.trail), f)).filter(|(length, _)| *length < most);
        shortest = !reduced && (better.is_some() || ended);
        match better {
            Some((length, trail)) => (best, most) = (Some(trail), length),
            // With all steps there are only more states.
            None if !ended => break,
            None => {}
        }
    }
    let events = finding.events;
    found.shortened = (shortest || best.is_some()).then_some(Shortened { from, shortest });
    if let Some(best) = best {
        found.found.findings[0] = Finding { events, ..best };
        found.told = fine;
    }
}

/// Puts a run without end that was looked for in states with their own names into the place of one that was found in states
/// without, if it is shorter: a cycle of names may have to be gone round several times before it is a cycle.
pub fn close_sooner(asked: &Asked<'_>, search: &Search, found: &mut Run, budget: Duration) {
    let [finding] = &found.found.findings[..] else { return };
    let (Some(_), Some(_)) = (&search.symmetry, finding.cycle_start) else { return };
    let other = asked.by_their_names(search.target.as_ref(), budget);
    let Some(other) = other.and_then(|run| run.found.findings.into_iter().next()) else { return };
    let from = length(asked.opened, &finding.trail);
    if other.violation.kind == finding.violation.kind && length(asked.opened, &other.trail) < from {
        found.shortened = Some(Shortened { from, shortest: false });
        found.found.findings[0] = Finding { events: finding.events, ..other };
    }
}

/// Whether a trail was found that nobody said how to find.
fn wanted(search: &Search, found: &Run) -> bool {
    let plan = &search.plan;
    let said = plan.search_typed || plan.all_errors || plan.depth.is_some() || plan.pan != Pan::default();
    let disk = plan.spill.is_some() || plan.save.is_some() || plan.resume.is_some();
    of_a_state(search, found) && !said && !disk
}

/// Whether one error was found that is one of a state or of a step, and not of a run without end.
pub fn of_a_state(search: &Search, found: &Run) -> bool {
    let state =
        |kind| matches!(kind, ViolationKind::Assertion | ViolationKind::InvalidEndState | ViolationKind::RuntimeError);
    search.target.is_none() && matches!(&found.found.findings[..], [f] if state(f.violation.kind))
}

/// A search for an error of a kind.
struct Quest<'a> {
    model: &'a Opened,
    plan: &'a Plan,
    kind: ViolationKind,
    work: &'a Worked<'a>,
    /// When it has to end, whatever was done.
    until: Option<Instant>,
}

impl Quest<'_> {
    /// Looks for the nearest error, no further away than so many steps.
    fn search(&self, reduced: bool, most: u64) -> Option<Report> {
        let until = self.until.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        let left = self.work.left().min(until);
        let reduction = match reduced {
            true => Some(self.reduction()?),
            false => None,
        };
        let memory = self.plan.memory_limit();
        let alone = ModelSystem(&self.model.model);
        let system =
            Returning::around(&alone, &self.model.model, !self.plan.no_assert, self.model.reading.until.clone());
        let system = system.as_ref().map_or(&alone as &dyn System, |s| s);
        let job = Job {
            search: Order::Bfs,
            reducer: reduction.as_ref().map(|r| r as &dyn Reducer),
            checks: only(self.kind),
            limits: Limits { depth: Some(most), time: Some(left), memory, errors: None },
            resident: Some(rss::current_rss),
            ..Job::new(system)
        };
        if left.is_zero() {
            return None;
        }
        let hopeful = Hopeful { monitor: self.work, early: Worked::new(&Silent, SOON), most };
        run(&job, &MemoryGuard::new(&hopeful, memory)).ok()
    }

    fn reduction(&self) -> Option<starwheel_reduce::Plan<'_>> {
        let por = if self.plan.por == Por::Off { return None } else { Por::Ample };
        let plan = Plan { por, por_typed: false, audit: false, explain: false, ..self.plan.clone() };
        let wish = wish(self.model, &plan, None, Proviso::StillToExpand).ok()?.ok()?;
        Some(starwheel_reduce::Plan { model: &self.model.model, wish, notes: None })
    }
}

/// Ends a search by breadth that has soon not come a part of its way.
struct Hopeful<'a> {
    monitor: &'a dyn Monitor,
    /// Over when it is asked.
    early: Worked<'a>,
    /// The whole way.
    most: u64,
}

impl Monitor for Hopeful<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if tick.depth < self.most / PART && self.early.unspent().is_zero() {
            return ControlFlow::Break(Stop::Time(SOON));
        }
        self.monitor.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        self.monitor.found(finding)
    }
}
