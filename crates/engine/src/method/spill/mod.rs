//! Breadth-first search, level by level, that goes on on the disk when memory is full.
//!
//! All states that were found are on the disk from the beginning ([`history`]); they are the queue. The store in memory
//! says which states are known, until it is full. From then on it only recognises what it has, and the others are told
//! apart at the end of each level ([`overflow`]). A level is what can be reached with so many steps between stored states.
//! The way to a state is found again by looking for a predecessor in each level below.

mod history;
mod overflow;

use crate::facts::{Crew, Facts, Method, Sequence, Sought, Stance, StoreKind};
use crate::job::{Job, Order};
use crate::monitor::Monitor;
use crate::parts::expander::{Expander, Wrong};
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::link;
use crate::parts::pace::Pace;
use crate::parts::scratch::ScratchDisk;
use crate::report::{Report, Stop};
use history::{Cursor, History};
use overflow::Overflow;
use starwheel_model::{Step, System};
use starwheel_store::{Inserted, StateStore};
use std::io;

/// States between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 10;
/// The share of the limit of memory for candidates, and how many bytes there are at least and at most.
const SHARE: u64 = 16;
const LEAST_ROOM: u64 = 1 << 12;
const MOST_ROOM: u64 = 1 << 28;

/// Levels are counted, not steps, so it keeps to no limit of depth; it takes all steps. What was met before is known by the
/// store or by the files, which a store that forgets would contradict.
pub const SPILL: Method = Method {
    name: "spill",
    title: "the search on the disk",
    order: Some(Order::Bfs),
    facts: Facts {
        looks_for: &[Sought::Errors],
        sequences: &[Sequence::ShortestFirst],
        stores: &[(StoreKind::Tree, Crew::One), (StoreKind::Flat, Crew::One)],
        spill: Stance::Must,
        ..Facts::NONE
    },
};

/// Searches breadth first, with as much room on the disk as it takes.
pub fn spill<S: StateStore>(job: &Job<'_>, set: S, watch: &dyn Monitor, disk: &dyn ScratchDisk) -> Report {
    let books = Ledger::new(job, watch);
    let room = (job.limits.memory.unwrap_or(1 << 30) / SHARE).clamp(LEAST_ROOM, MOST_ROOM);
    let hidden = job.system.hidden_bytes();
    let file = match disk.file() {
        Ok(file) => file,
        Err(error) => return books.close(failed(&error), None, &set),
    };
    let mut search = Levels {
        system: job.system,
        books,
        set,
        full: false,
        room,
        hidden,
        expander: Expander::new(job.system),
        history: History::new(file),
        overflow: Overflow::new(disk, room as usize, hidden),
        starts: Vec::new(),
        pace: Pace::new(PERIOD),
    };
    let flow = search.search();
    let Levels { mut books, set, expander, .. } = search;
    books.absorb(&expander.executed, expander.round);
    books.stats.atomic_steps = expander.atomic_steps;
    books.stats.states_matched += expander.repeated;
    books.stats.ticks = expander.ticks;
    books.stats.state_bytes = expander.longest as u64;
    books.close(flow, None, &set)
}

fn failed(error: &io::Error) -> Flow {
    Flow::Break(Some(Stop::Disk(error.to_string())))
}

struct Levels<'a, S> {
    system: &'a dyn System,
    books: Ledger<'a>,
    set: S,
    /// True once the set has refused a state: since then it is not changed any more.
    full: bool,
    /// Bytes for candidates.
    room: u64,
    hidden: usize,
    expander: Expander<'a>,
    history: History,
    overflow: Overflow<'a>,
    /// Where levels start in the history.
    starts: Vec<u64>,
    pace: Pace,
}

impl<S: StateStore> Levels<'_, S> {
    fn search(&mut self) -> Flow {
        self.tick()?;
        let opening = self.expander.initial();
        for violation in &opening.violations {
            self.books.event(violation, Vec::new)?;
        }
        self.arrive()?;
        self.end_level(0)?;
        while self.starts.last().is_some_and(|&start| start < self.history.end()) {
            self.books.stats.max_depth = self.starts.len() as u64 - 1;
            let end = self.history.end();
            self.level(end)?;
            self.end_level(end)?;
        }
        Flow::Continue(())
    }

    /// Expands all states of the last level, which ends here.
    fn level(&mut self, end: u64) -> Flow {
        let start = self.starts.last().copied().unwrap_or_default();
        let (mut cursor, mut state) = (Cursor::new(start..end), Vec::new());
        loop {
            match self.history.next(&mut cursor, &mut state) {
                Ok(true) => {}
                Ok(false) => return Flow::Continue(()),
                Err(error) => return failed(&error),
            }
            self.expand(&state)?;
            self.arrive()?;
            if self.pace.due() {
                self.tick()?;
            }
        }
    }

    /// Makes the successors of a state of the last level, and reports what goes wrong.
    fn expand(&mut self, state: &[u8]) -> Flow {
        let Levels { system, books, set, expander, history, starts, .. } = self;
        let mut report = |books: &mut Ledger<'_>, wrongs: &mut Vec<Wrong>| {
            for wrong in wrongs.drain(..) {
                books.event(&wrong.violation, || {
                    // If the way cannot be found again, the trail does not replay, and the search says so.
                    let mut trail = way(history, starts, *system, state).unwrap_or_default();
                    trail.extend_from_slice(&wrong.chain);
                    trail
                })?;
            }
            Flow::Continue(())
        };
        expander.expand(state, |wrongs| {
            report(books, wrongs)?;
            _ = books.usage_elsewhere(set.usage());
            books.check_limits(starts.len() as u64, set.usage())?;
            books.check_resident()
        })?;
        report(books, &mut expander.wrongs)
    }

    /// Lets the successors that were just made arrive.
    fn arrive(&mut self) -> Flow {
        let Levels { expander, set, full, history, overflow, books, hidden, .. } = self;
        let mut done = Ok(());
        expander.each(|state| {
            if done.is_ok() {
                done = (|| {
                    let visible = &state[*hidden..];
                    if !*full {
                        match set.insert(visible) {
                            Inserted::Known(_) => books.stats.states_matched += 1,
                            Inserted::New(_) => {
                                books.stats.states_stored += 1;
                                return history.push(state);
                            }
                            Inserted::Full => {
                                // A state that was refused must not come in later, when it is on the disk already.
                                *full = true;
                                set.besides(u64::MAX);
                            }
                        }
                    }
                    if *full {
                        books.stats.states_matched += 1;
                        if set.lookup(visible).is_none() {
                            return overflow.add(state);
                        }
                    }
                    Ok(())
                })();
            }
        });
        done.map_or_else(|error: io::Error| failed(&error), Flow::Continue)
    }

    /// Finds out which candidates are new. All that is new, here and in memory, is the next level, which starts here.
    fn end_level(&mut self, start: u64) -> Flow {
        let history = &mut self.history;
        let settled = self.overflow.settle(|state| history.push(state));
        match settled.and_then(|count| history.flush().map(|()| count)) {
            Err(error) => failed(&error),
            Ok(count) => {
                // They were counted as known when they arrived.
                self.books.stats.states_stored += count;
                self.books.stats.states_matched -= count;
                self.starts.push(start);
                Flow::Continue(())
            }
        }
    }

    fn tick(&mut self) -> Flow {
        let usage = self.set.usage();
        if let Some(bytes) = self.books.usage_elsewhere(usage).filter(|_| !self.full) {
            self.set.besides(bytes + 2 * self.room);
        }
        self.books.check_limits(self.starts.len() as u64, usage)
    }
}

/// The steps from the initial state to one of the last level.
fn way(history: &mut History, starts: &[u64], system: &dyn System, state: &[u8]) -> Option<Vec<Step>> {
    let mut path = vec![state.to_vec()];
    let mut expander = Expander::new(system);
    for level in starts.windows(2).rev() {
        let (mut cursor, mut before) = (Cursor::new(level[0]..level[1]), Vec::new());
        loop {
            if !history.next(&mut cursor, &mut before).ok()? {
                return None;
            }
            _ = expander.expand(&before, |wrongs| {
                wrongs.clear();
                Flow::Continue(())
            });
            let mut found = false;
            expander.each(|next| found |= Some(next) == path.last().map(Vec::as_slice));
            if found {
                path.push(before);
                break;
            }
        }
    }
    path.reverse();
    link::trail(system, &path)
}
