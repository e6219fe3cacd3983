//! A search begins with a plain store, which is quick, and goes on with another one once there are many states.
//!
//! Most searches end before that. For the others, the states that are there by then tell which values words take, and a packed
//! store is made for this model ([`scout::layout`]); or, if states do not pack, which words vary together, and a tree
//! is ([`scout::learn`]). All states move there: see [`moving`].

use crate::job::{Job, Store};
use crate::method::groups::memory::{Arrived, AtOnce, Exact, Memory, Name};
use crate::method::groups::moving::{self, Source};
use crate::method::groups::{Begun, Ended, begin, marks, run};
use crate::monitor::Monitor;
use crate::parts::expander::Expander;
use crate::parts::frontier::Frontier;
use crate::parts::ledger::Flow;
use crate::parts::scout;
use crate::report::Report;
use starwheel_model::{Batch, System};
use starwheel_store::{Exactness, FlatSet, Layout, StateId, StateSet, Usage};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Most bytes of a plain store: with more of them, every look waits for memory.
const SPACE: u64 = 12 << 20;
/// If states do not pack, it is worth so many times the states, and so many bytes: a tree is much slower.
const LONGER: u64 = 4;
const LONG: u64 = 128 << 20;
/// A limit of memory allows the plain store one part of so many.
const PART: u64 = 4;
/// The first states, all of which are looked at to learn how states pack.
const CLOSELY: u32 = 1 << 16;
/// States from which a tree learns.
const SAMPLE: usize = scout::FAR / scout::SHARE;

/// With less memory than this a store is a tree from the beginning, and with less than that it becomes one as early as it
/// has seen enough to learn from: what it gives back is not always free for others.
const LEAST: u64 = 1 << 20;
const LITTLE: u64 = 64 << 20;

/// Whether a search begins with a plain store. If the work is to be shared from the first state on, so is the store.
pub fn suits(job: &Job<'_>) -> bool {
    job.plain > 0 && (job.patience > 0 || job.workers <= 1) && job.limits.memory.is_none_or(|limit| limit >= LEAST)
}

/// Visits all states.
pub fn search(job: &Job<'_>, watch: &dyn Monitor, started: Instant) -> Report {
    let mut flat = FlatFirst::new(job);
    let begun = match begin(job, &mut flat, watch, started, None) {
        Ok(begun) => begun,
        Err(report) => return *report,
    };
    let mut ended = run(job, begun, vec![flat]);
    if !goes_on(job, &ended) {
        return finish(ended);
    }
    // A tree is what is saved; and where there is little memory, nothing is left for looking at values.
    let packs = job.store == Store::Auto && job.save.is_none() && job.limits.memory.is_none_or(|limit| limit >= LITTLE);
    if let Some(layout) = packs.then(|| ended.memory.layout(job.system)).flatten() {
        return moving::packed(job, ended, &layout);
    }
    // Many workers need a store that they can share.
    if packs && job.workers <= 1 && ended.flow.is_continue() {
        ended = go_on(job, ended);
        if !goes_on(job, &ended) {
            return finish(ended);
        }
    }
    let sample = ended.memory.sample();
    moving::tree(job, ended, &sample)
}

/// Whether there is more to do, with another store.
fn goes_on(job: &Job<'_>, ended: &Ended<'_, FlatFirst>) -> bool {
    let left = ended.left.as_ref().is_some_and(|left| !left.is_empty());
    left && match &ended.flow {
        Flow::Continue(()) => true,
        // What ends early is saved as a tree.
        Flow::Break(Some(_)) => job.save.is_some(),
        Flow::Break(None) => false,
    }
}

fn finish(ended: Ended<'_, FlatFirst>) -> Report {
    // Nothing is left to be saved, unless somebody was in the middle of something.
    let saver = ended.saver.filter(|_| ended.left.is_none());
    Ended { saver, ..ended }.conclude()
}

/// Goes on with the same store, which may become larger now.
fn go_on<'a>(job: &'a Job<'a>, ended: Ended<'a, FlatFirst>) -> Ended<'a, FlatFirst> {
    let Ended { books, mut memory, left, ladder, saver, .. } = ended;
    (memory.most, memory.space) = (memory.most.saturating_mul(LONGER), LONG);
    let expander = Expander::new(job.system);
    run(job, Begun { expander, books, offers: left.unwrap_or_default(), ladder, saver }, vec![memory])
}

impl Source for FlatFirst {
    type Names = FlatSet;
    const IN_TURN: bool = true;

    fn turn(record: &[u8]) -> Option<(usize, &[u8])> {
        StateId::read(record).map(|(id, hidden)| (id.index(), hidden))
    }

    fn elsewhere(&self) -> u64 {
        self.besides.load(Ordering::Relaxed)
    }

    fn pour(self, mut show: impl FnMut(&[u8], u8, u64) -> bool) -> Option<FlatSet> {
        let from = self.inner.into_store();
        // It is gone soon.
        let all = (0..from.len() as u32).map(StateId).all(|id| show(from.get(id), from.marks_of(id), 0));
        all.then_some(from)
    }

    fn read<'r>(names: &FlatSet, record: &'r [u8], state: &mut Vec<u8>) -> Option<&'r [u8]> {
        let (id, hidden) = StateId::read(record)?;
        state.clear();
        state.extend_from_slice(names.get(id));
        Some(hidden)
    }
}

/// A plain store that is outgrown before it is large.
struct FlatFirst {
    inner: Exact<FlatSet>,
    /// Most states.
    most: u64,
    /// Most bytes.
    space: u64,
    /// Most bytes of the whole program.
    limit: u64,
    /// Bytes that the program uses besides.
    besides: AtomicU64,
}

impl FlatFirst {
    fn new(job: &Job<'_>) -> FlatFirst {
        let limit = job.limits.memory;
        // It is outgrown long before the limit, and what is broken off in the middle of a group could not go on.
        let inner = Exact::new(FlatSet::with_marks(None, marks(job)), job.system.hidden_bytes());
        // The others wait for their share.
        let most = if job.workers > 1 { job.patience.min(job.plain) } else { job.plain };
        let most = if limit.is_some_and(|limit| limit < LITTLE) { most.min(scout::FAR as u64) } else { most };
        FlatFirst { inner, most, space: SPACE, limit: limit.unwrap_or(u64::MAX), besides: AtomicU64::new(0) }
    }

    /// How these states and others like them pack, if they do.
    fn layout(&self, system: &dyn System) -> Option<Layout> {
        let set = self.inner.store();
        let all = 0..set.len() as u32;
        // Behind the first ones, some say as much as all of them.
        let some = all.filter(|id| *id < CLOSELY || id.is_multiple_of(scout::SHARE as u32));
        scout::layout(system, some.map(|id| set.get(StateId(id))))
    }

    /// Some states from everywhere.
    fn sample(&self) -> Vec<Vec<u8>> {
        let set = self.inner.store();
        let share = (set.len() / SAMPLE).max(1);
        (0..set.len() as u32).step_by(share).map(|id| set.get(StateId(id)).to_vec()).collect()
    }
}

impl AtOnce for FlatFirst {}

impl Memory for FlatFirst {
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>) {
        self.inner.open(record, at);
    }

    #[inline(always)]
    fn stage(&mut self, state: &[u8], at: &[u8], changed: u64) {
        self.inner.stage(state, at, changed);
    }

    #[inline(always)]
    fn settle<'s>(&mut self, number: usize, state: impl Fn() -> &'s [u8], record: &mut Vec<u8>) -> Arrived {
        self.inner.settle(number, state, record)
    }

    fn clear(&mut self) {
        self.inner.clear();
    }

    const DIRECT: bool = true;

    #[inline(always)]
    fn view(&self, record: &[u8]) -> Option<&[u8]> {
        self.inner.view(record)
    }

    #[inline(always)]
    fn enter(&mut self, batch: &mut Batch, frontier: &mut Frontier, parent: usize) -> Option<u64> {
        self.inner.enter(batch, frontier, parent)
    }

    fn mark(&mut self, record: &[u8], on: bool) {
        self.inner.mark(record, on);
    }

    fn exactness(&self) -> Exactness {
        self.inner.exactness()
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }

    fn besides(&self, bytes: u64) {
        self.besides.store(bytes, Ordering::Relaxed);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.inner.save(out)
    }

    fn lasting(&self) -> bool {
        false
    }

    #[inline]
    fn outgrown(&self) -> bool {
        let Usage { states, bytes } = StateSet::usage(self.inner.store());
        let free = self.limit.saturating_sub(self.besides.load(Ordering::Relaxed));
        states >= self.most || bytes >= self.space.min(free / PART)
    }
}
