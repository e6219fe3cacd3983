//! One worker of a search by groups: takes states from its frontier, expands them, and keeps what is new.

use crate::search::ledger::{Flow, Ledger};
use crate::swift::expander::Expander;
use crate::swift::frontier::Frontier;
use crate::swift::link;
use crate::swift::memory::{Arrived, Memory};
use crate::swift::pool::Pool;
use starwheel_model::System;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Groups between two looks at the clock.
const PERIOD: u64 = 1 << 10;

/// States that one worker stores before it gives work away.
const WARM: u64 = 1 << 15;

/// What all workers of a search share.
pub struct Shared<'a> {
    pub system: &'a dyn System,
    pub pool: Pool,
    pub books: Mutex<Ledger<'a>>,
    /// States stored so far; a little behind.
    pub stored: AtomicU64,
    /// Arrivals at known states so far; a little behind.
    pub matched: AtomicU64,
}

impl<'a> Shared<'a> {
    /// The books.
    pub fn books(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker.
pub struct Worker<'w, 'a, M> {
    shared: &'w Shared<'a>,
    expander: Expander<'a>,
    memory: M,
    frontier: Frontier,
    /// By staged state: which member of the group it follows.
    owners: Vec<u8>,
    at: Vec<u8>,
    record: Vec<u8>,
    groups: u64,
    deepest: u64,
    stored: u64,
    matched: u64,
}

impl<'w, 'a, M: Memory> Worker<'w, 'a, M> {
    /// A worker that has not begun.
    pub fn new(shared: &'w Shared<'a>, memory: M, expander: Expander<'a>) -> Worker<'w, 'a, M> {
        Worker {
            shared,
            expander,
            memory,
            frontier: Frontier::default(),
            owners: Vec::new(),
            at: Vec::new(),
            record: Vec::new(),
            groups: 0,
            deepest: 0,
            stored: 0,
            matched: 0,
        }
    }

    /// Works until nothing is left to do anywhere, and writes what it counted into the books.
    pub fn run(mut self) -> (Flow, M) {
        let mut flow = Flow::Continue(());
        while flow.is_continue()
            && let Some(part) = self.shared.pool.wait()
        {
            self.frontier = part;
            flow = self.exhaust();
        }
        if flow.is_break() {
            self.shared.pool.stop();
        }
        self.publish();
        let mut books = self.shared.books();
        books.absorb(&self.expander.executed, self.expander.round);
        let stats = &mut books.stats;
        stats.atomic_steps += self.expander.atomic_steps;
        stats.max_depth = stats.max_depth.max(self.deepest);
        stats.state_bytes = stats.state_bytes.max(self.expander.longest as u64);
        drop(books);
        (flow, self.memory)
    }

    /// Expands all that waits in the frontier.
    fn exhaust(&mut self) -> Flow {
        loop {
            let members = self.frontier.take();
            if members == 0 {
                return Flow::Continue(());
            }
            self.group(members)?;
            self.groups += 1;
            if self.groups.is_multiple_of(PERIOD) {
                self.tick()?;
            }
            if self.warm()
                && self.shared.pool.hungry()
                && let Some(part) = self.frontier.split()
            {
                self.shared.pool.give(part);
            }
            if self.shared.pool.stopped() {
                return Flow::Continue(());
            }
        }
    }

    /// True once the search is long enough to be worth the while of several workers. Short ones are done by one alone,
    /// so that they go the same way each time.
    fn warm(&self) -> bool {
        self.shared.stored.load(Ordering::Relaxed) >= WARM
    }

    /// Expands the members of the topmost frame.
    fn group(&mut self, members: usize) -> Flow {
        self.memory.clear();
        self.owners.clear();
        for member in 0..members {
            self.memory.open(self.frontier.member(member), &mut self.at);
            self.expander.expand(&self.at);
            if !self.expander.wrongs.is_empty() {
                self.report(member)?;
            }
            self.expander.each(|state| {
                self.memory.stage(state);
                self.owners.push(member as u8);
            });
        }
        // A path has as many steps as frames below its end.
        self.deepest = self.deepest.max(self.frontier.depth() as u64 - 1);
        for (number, &owner) in self.owners.iter().enumerate() {
            match self.memory.settle(number, &mut self.record) {
                Arrived::Full => return self.shared.books().full(),
                Arrived::Known => self.matched += 1,
                Arrived::New => {
                    self.stored += 1;
                    self.frontier.push(&self.record, usize::from(owner));
                }
            }
        }
        Flow::Continue(())
    }

    /// Reports what went wrong when a member was expanded.
    fn report(&mut self, member: usize) -> Flow {
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
        self.shared.stored.fetch_add(std::mem::take(&mut self.stored), Ordering::Relaxed);
        self.shared.matched.fetch_add(std::mem::take(&mut self.matched), Ordering::Relaxed);
    }

    fn tick(&mut self) -> Flow {
        self.publish();
        // One look at the clock at a time is enough.
        let Ok(mut books) = self.shared.books.try_lock() else { return Flow::Continue(()) };
        books.stats.states_stored = self.shared.stored.load(Ordering::Relaxed);
        books.stats.states_matched = self.shared.matched.load(Ordering::Relaxed);
        books.look(self.frontier.depth() as u64, self.memory.usage())
    }
}
