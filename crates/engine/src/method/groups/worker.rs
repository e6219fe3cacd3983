//! One worker of a search by groups: takes states from its frontier, expands them, and keeps what is new.

use crate::method::groups::End;
use crate::method::groups::dive::Deeper;
use crate::method::groups::memory::{Arrived, Memory};
use crate::method::groups::pool::{Pool, Turn};
use crate::method::groups::reaches_full::Ladder;
use crate::method::groups::reduced::Selection;
use crate::method::groups::save::Saver;
use crate::parts::expander::{BREATH, Expander, Stage};
use crate::parts::frontier::Frontier;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::link;
use crate::parts::pace::Pace;
use starwheel_model::System;
use starwheel_reduce::Reducer;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Groups between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 10;

/// What all workers of a search share.
pub struct Shared<'a> {
    pub system: &'a dyn System,
    /// Says which steps need not be taken.
    pub reducer: Option<&'a dyn Reducer>,
    /// [`crate::Job::patience`].
    pub patience: u64,
    /// Looks deep where this search does not get on.
    pub deeper: Deeper<'a>,
    pub pool: Pool,
    pub books: Mutex<Ledger<'a>>,
    /// States stored so far; a little behind.
    pub stored: AtomicU64,
    /// Arrivals at known states so far; a little behind.
    pub matched: AtomicU64,
    /// Saves the search, if that was asked for.
    pub saver: Option<Saver<'a>>,
}

impl<'a> Shared<'a> {
    /// The books.
    pub fn books(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker.
pub struct Worker<'w, 'a, M> {
    pub(super) shared: &'w Shared<'a>,
    pub(super) expander: Expander<'a>,
    pub(super) memory: M,
    pub(super) frontier: Frontier,
    pub(super) at: Vec<u8>,
    pub(super) selection: Option<Selection<'a>>,
    pace: Pace,
    /// True in the middle of a group, where nothing can be saved.
    amid: bool,
    deepest: u64,
    pub(super) stored: u64,
    pub(super) matched: u64,
}

/// Stages the successors of a state in a store.
struct Staging<'s, M> {
    memory: &'s mut M,
    at: &'s [u8],
}

impl<M: Memory> Stage for Staging<'_, M> {
    #[inline(always)]
    fn show(&mut self, state: &[u8], changed: u64) {
        self.memory.stage(state, self.at, changed);
    }
}

impl<'w, 'a, M: Memory> Worker<'w, 'a, M> {
    /// A worker that has not begun.
    pub fn new(shared: &'w Shared<'a>, memory: M, expander: Expander<'a>, ladder: Ladder) -> Worker<'w, 'a, M> {
        Worker {
            shared,
            expander,
            memory,
            frontier: Frontier::default(),
            at: Vec::new(),
            selection: shared.reducer.map(|reducer| Selection::new(reducer, ladder)),
            pace: Pace::new(PERIOD),
            amid: false,
            deepest: 0,
            stored: 0,
            matched: 0,
        }
    }

    /// Works until nothing is left to do anywhere, and writes what it counted into the books; what waits here when the
    /// search ends early comes back.
    pub fn run(mut self) -> End<M> {
        let mut flow = Flow::Continue(());
        while flow.is_continue() {
            match self.shared.pool.wait() {
                Turn::Done => break,
                Turn::Save(parts) => self.save(parts),
                Turn::Work(part) => {
                    self.frontier = *part;
                    flow = self.exhaust();
                    if flow.is_continue() {
                        self.hand_in();
                    }
                }
            }
        }
        if flow.is_break() {
            self.shared.pool.break_off();
        }
        self.report_counts();
        let left = (!self.amid).then_some(self.frontier);
        let ladder = self.selection.map(Selection::into_ladder).unwrap_or_default();
        End { flow, memory: self.memory, left, ladder }
    }

    /// Brings back what waits here if all are called together: then whoever comes last finds everything in one place. Counts
    /// are handed in even if nothing waits: all may be called together while this worker idles, and what is saved then counts
    /// every state in the store.
    fn hand_in(&mut self) {
        if self.shared.saver.is_some() {
            self.report_counts();
        }
        if !self.frontier.is_done() {
            self.shared.pool.give(std::mem::take(&mut self.frontier));
        }
    }

    /// Saves the search while all others rest.
    fn save(&mut self, parts: Vec<Frontier>) {
        self.report_counts();
        if let Some(saver) = &self.shared.saver {
            let mut books = self.shared.books();
            books.stats.states_stored = self.shared.stored.load(Ordering::Relaxed);
            books.stats.states_matched = self.shared.matched.load(Ordering::Relaxed);
            saver.save(&self.memory, &mut books, &parts.iter().collect::<Vec<_>>());
        }
        self.shared.pool.go_on(parts);
    }

    /// Writes what it counted since the last time into the books.
    fn report_counts(&mut self) {
        self.publish();
        let mut books = self.shared.books();
        books.absorb(&self.expander.executed, self.expander.round);
        let stats = &mut books.stats;
        stats.atomic_steps += std::mem::take(&mut self.expander.atomic_steps);
        stats.ticks += std::mem::take(&mut self.expander.ticks);
        stats.max_depth = stats.max_depth.max(self.deepest);
        stats.state_bytes = stats.state_bytes.max(self.expander.longest as u64);
    }

    /// Expands all that waits in the frontier.
    fn exhaust(&mut self) -> Flow {
        // The search may have been saved meanwhile, which takes its time.
        self.pace.restart();
        if let Some(settled) = self.frontier.settled.take() {
            self.take_up(settled)?;
        }
        loop {
            let members = self.frontier.take();
            if members == 0 {
                return Flow::Continue(());
            }
            match self.selection.is_some() {
                true => self.reduced(members)?,
                false => self.group(members)?,
            }
            // A path has as many steps as frames below its end.
            self.deepest = self.deepest.max(self.frontier.depth() as u64 - 1);
            if self.pace.due() {
                self.tick()?;
                self.save_when_due();
                self.pace.restart();
            }
            if self.warm()
                && self.shared.pool.hungry()
                && let Some(part) = self.frontier.split()
            {
                self.shared.pool.give(part);
            }
            if self.memory.outgrown() {
                self.shared.pool.stop();
            }
            if self.shared.pool.halted() {
                return Flow::Continue(());
            }
        }
    }

    /// True once the search is long enough to be worth the while of several workers.
    fn warm(&self) -> bool {
        self.shared.stored.load(Ordering::Relaxed) >= self.shared.patience
    }

    /// Expands the members of the topmost frame.
    fn group(&mut self, members: usize) -> Flow {
        self.amid = true;
        if M::DIRECT {
            return self.directly(members);
        }
        if self.memory.stages_all() {
            return self.at_once(members);
        }
        self.expand(members, true)?;
        self.settle(0)
    }

    /// Expands the members of the topmost frame one by one. What was broken off here cannot be taken up again.
    fn directly(&mut self, members: usize) -> Flow {
        self.begin();
        for member in 0..members {
            let record = self.frontier.member(member);
            if let Some(at) = self.memory.view(record) {
                self.expander.fire(at, member);
            } else {
                self.memory.open(record, &mut self.at);
                self.expander.fire(&self.at, member);
            }
            if let Some(batch) = self.expander.plain() {
                let Some(new) = self.memory.enter(batch, &mut self.frontier, member) else {
                    return self.shared.books().full();
                };
                (self.stored, self.matched) = (self.stored + new, self.matched + batch.entries.len() as u64 - new);
                if !self.expander.wrongs.is_empty() {
                    self.report(member)?;
                }
                continue;
            }
            self.memory.open(self.frontier.member(member), &mut self.at);
            let steps = self.expander.entries().len();
            self.stage(member, 0..steps, true)?;
            if self.expander.count() > 0 {
                let flow = self.settle(0);
                (self.frontier.settled, self.amid) = (None, true);
                flow?;
                self.begin();
            }
        }
        self.amid = false;
        Flow::Continue(())
    }

    /// Expands the members of the topmost frame without keeping their successors: what is staged of them is enough.
    fn at_once(&mut self, members: usize) -> Flow {
        self.begin();
        for member in 0..members {
            self.memory.next_parent();
            self.memory.open(self.frontier.member(member), &mut self.at);
            self.expander.fire(&self.at, member);
            if let Some(batch) = self.expander.plain() {
                self.memory.stage_all(batch, &self.at);
                if !self.expander.wrongs.is_empty() {
                    self.report(member)?;
                }
            } else {
                let steps = self.expander.entries().len();
                self.stage(member, 0..steps, true)?;
            }
        }
        let settled = self.memory.settle_all(0, &mut self.frontier);
        (self.stored, self.matched) = (self.stored + settled.new, self.matched + settled.known);
        self.amid = false;
        if settled.full.is_some() {
            self.frontier.settled = settled.full;
            return self.shared.books().full();
        }
        Flow::Continue(())
    }

    /// Goes on with a group that was broken off when so many successors had arrived. They come in the same order again.
    fn take_up(&mut self, settled: usize) -> Flow {
        self.amid = true;
        let counted = (self.expander.atomic_steps, self.expander.ticks, self.expander.repeated);
        let members = self.frontier.retake();
        self.expand(members, false)?;
        (self.expander.atomic_steps, self.expander.ticks, self.expander.repeated) = counted;
        self.settle(settled)
    }

    /// Stages all successors of the members of the topmost frame; what goes wrong is reported, unless it was before.
    fn expand(&mut self, members: usize, report: bool) -> Flow {
        self.begin();
        for member in 0..members {
            self.memory.open(self.frontier.member(member), &mut self.at);
            self.expander.fire(&self.at, member);
            let steps = self.expander.entries().len();
            self.stage(member, 0..steps, report)?;
        }
        Flow::Continue(())
    }

    /// Begins a group.
    pub(super) fn begin(&mut self) {
        self.memory.clear();
        self.expander.begin();
    }

    /// Takes steps of the member that was fired last and stages the successors; reports what went wrong, or drops it.
    #[inline(always)]
    pub(super) fn stage(&mut self, member: usize, steps: Range<usize>, report: bool) -> Flow {
        let (mut next, mut chained) = (steps.start, 0);
        loop {
            let Worker { expander, memory, at, .. } = self;
            next = expander.near(next..steps.end, &mut Staging { memory, at });
            if report && !expander.wrongs.is_empty() {
                self.report(member)?;
            }
            if next == steps.end {
                return Flow::Continue(());
            }
            chained += BREATH as u64;
            self.pause(chained)?;
        }
    }

    /// In the middle of a long chain, after so many of its steps: looks at the clock and at the memory, of which the chain takes
    /// some as well.
    #[cold]
    fn pause(&mut self, chained: u64) -> Flow {
        self.expander.wrongs.clear();
        // While others only wait for a larger store, the chain comes to its end.
        if self.shared.pool.broken_off() {
            return Flow::Break(None);
        }
        self.tick()?;
        self.shared.books().check_resident()?;
        self.shared.deeper.look(chained)
    }

    /// Settles the staged states from this one on.
    fn settle(&mut self, from: usize) -> Flow {
        for number in from..self.expander.count() {
            let start = self.frontier.desk().len();
            match self.memory.settle(number, || self.expander.successor(number).0, self.frontier.desk()) {
                Arrived::Full => {
                    (self.frontier.settled, self.amid) = (Some(number), false);
                    return self.shared.books().full();
                }
                Arrived::Known(_) => self.matched += 1,
                Arrived::New => {
                    self.stored += 1;
                    self.frontier.seal(start, self.expander.successor(number).1);
                }
            }
        }
        self.amid = false;
        Flow::Continue(())
    }

    /// Reports what went wrong when a member was expanded.
    pub(super) fn report(&mut self, member: usize) -> Flow {
        let (shared, memory, frontier) = (self.shared, &mut self.memory, &self.frontier);
        let mut books = shared.books();
        for wrong in &self.expander.wrongs {
            books.event(&wrong.violation, || {
                let mut path = Vec::new();
                for record in frontier.path(member) {
                    let mut state = Vec::new();
                    memory.open(&record, &mut state);
                    path.push(state);
                }
                // If the steps cannot be found again, the trail does not replay, and the search says so.
                let mut trail = link::trail(shared.system, &path).unwrap_or_default();
                trail.extend_from_slice(&wrong.chain);
                trail
            })?;
        }
        Flow::Continue(())
    }

    /// Tells the others what was counted since the last time.
    fn publish(&mut self) {
        let matched = std::mem::take(&mut self.matched).saturating_add(std::mem::take(&mut self.expander.repeated));
        self.shared.stored.fetch_add(std::mem::take(&mut self.stored), Ordering::Relaxed);
        let sum = |before: u64| Some(before.saturating_add(matched));
        _ = self.shared.matched.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
    }

    fn tick(&mut self) -> Flow {
        self.publish();
        // One look at the clock at a time is enough; but while the search is suspended, nobody goes on.
        let Ok(mut books) = self.shared.books.try_lock() else {
            drop(self.shared.books());
            return Flow::Continue(());
        };
        books.stats.states_stored = self.shared.stored.load(Ordering::Relaxed);
        books.stats.states_matched = self.shared.matched.load(Ordering::Relaxed);
        let usage = self.memory.usage();
        if let Some(bytes) = books.usage_elsewhere(usage) {
            self.memory.besides(bytes);
        }
        books.waiting = Some(self.frontier.waiting());
        books.check_limits(self.frontier.depth() as u64, usage)
    }

    /// Between two groups: sees to it that the search is saved when it is time. A store that is never saved gives way first.
    fn save_when_due(&self) {
        if self.shared.saver.as_ref().is_some_and(Saver::due) {
            match self.memory.lasting() {
                true => self.shared.pool.rest(),
                false => self.shared.pool.stop(),
            }
        }
    }
}
