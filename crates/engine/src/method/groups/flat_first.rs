//! A search begins with a plain store, which is quick, and goes on with a tree once there are many states.
//!
//! Most searches end before that. For the others, the states that are there by then tell which words vary together, and the
//! tree is made for this model ([`scout::learn`]). All states move there with their marks, and what waits gets new names;
//! nothing is visited twice.

use crate::job::Job;
use crate::method::groups::memory::{Arrived, Exact, Memory, Name};
use crate::method::groups::reaches_full::Ladder;
use crate::method::groups::{Begun, Ended, begin, marks, run};
use crate::monitor::Monitor;
use crate::parts::expander::Expander;
use crate::parts::frontier::Frontier;
use crate::parts::ledger::Flow;
use crate::parts::scout;
use crate::report::Report;
use starwheel_model::Batch;
use starwheel_store::{
    Decode, Exactness, FlatSet, Fork, Marked, PrivateTree, Save, SharedTree, StateId, StateRef, StateSet, Usage, Visit,
    Visited,
};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Most bytes of a plain store.
const SPACE: u64 = 32 << 20;
/// A limit of memory allows the plain store one part of so many.
const PART: u64 = 4;
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
    let ended = run(job, begun, vec![flat]);
    let left = ended.left.as_ref().is_some_and(|left| !left.is_empty());
    let goes_on = match &ended.flow {
        Flow::Continue(()) => true,
        // What ends early is saved as a tree.
        Flow::Break(Some(_)) => job.save.is_some(),
        Flow::Break(None) => false,
    };
    if !left || !goes_on {
        // Nothing is left to be saved, unless somebody was in the middle of something.
        let saver = ended.saver.filter(|_| ended.left.is_none());
        return Ended { saver, ..ended }.conclude();
    }
    let sample = ended.memory.sample();
    let (limit, split) = (job.limits.memory, scout::learn(job.system, &sample));
    if job.workers <= 1 {
        return grown(job, ended, PrivateTree::with_split(limit, marks(job), split), |tree| vec![tree]);
    }
    let tree = SharedTree::with_split(limit, marks(job), split);
    grown(job, ended, tree, |tree| (0..job.workers).map(|_| tree.fork()).collect())
}

/// Goes on with a tree.
fn grown<'a, V>(job: &'a Job<'a>, ended: Ended<'a, FlatFirst>, mut tree: V, handles: impl Fn(V) -> Vec<V>) -> Report
where
    V: Visited<Ref = StateRef> + Decode + Marked + Save + Send,
    V::Key: Send,
    V::Path: Send,
{
    let Ended { flow, mut books, memory, left, mut ladder, saver } = ended;
    let hidden = job.system.hidden_bytes();
    // The plain store is gone soon.
    tree.besides(books.usage_elsewhere(memory.usage()).unwrap_or_else(|| memory.besides.load(Ordering::Relaxed)));
    let Some(names) = transplant(memory.inner.store(), &mut tree) else {
        let flow = books.full();
        return Ended { flow, books, memory, left: None, ladder, saver }.conclude();
    };
    drop(memory);
    let renamed = |record: &[u8]| renamed(&names, record);
    let mut offers: Vec<Frontier> = left.unwrap_or_default();
    offers.iter_mut().for_each(|part| part.rename(renamed));
    match job.workers {
        0 | 1 => ladder.rename(renamed),
        // Whoever is not alone takes no mark back.
        _ => ladder = Ladder::default(),
    }
    drop(names);
    let mut memories: Vec<_> = handles(tree).into_iter().map(|tree| Exact::new(tree, hidden)).collect();
    if flow.is_break() {
        let memory = memories.swap_remove(0);
        return Ended { flow, books, memory, left: Some(offers), ladder, saver }.conclude();
    }
    let expander = Expander::new(job.system);
    run(job, Begun { expander, books, offers, ladder, saver }, memories).conclude()
}

/// Puts all states of a plain store into a tree, with their marks; their names there by number, or none if there is no memory.
fn transplant<V>(from: &FlatSet, to: &mut V) -> Option<Vec<StateRef>>
where
    V: Visited<Ref = StateRef> + Decode + Marked,
{
    let mut names = Vec::new();
    names.try_reserve_exact(from.len()).ok()?;
    let (mut path, mut before): (_, &[u8]) = (V::Path::default(), &[]);
    for id in (0..from.len() as u32).map(StateId) {
        let state = from.get(id);
        let near = (!names.is_empty()).then_some((&mut path, before));
        let key = to.prepare(state, near)?;
        let Visit::New(name) = to.insert(&key, state, from.marks_of(id)) else { return None };
        to.resume(name, &mut path);
        before = state;
        names.push(name);
    }
    Some(names)
}

/// A record with the name that its state has in a tree.
fn renamed(names: &[StateRef], record: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some((id, hidden)) = StateId::read(record)
        && let Some(name) = names.get(id.index())
    {
        name.write(&mut out);
        out.extend_from_slice(hidden);
    }
    out
}

/// A plain store that is outgrown before it is large.
struct FlatFirst {
    inner: Exact<FlatSet>,
    /// Most states.
    most: u64,
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
        FlatFirst { inner, most, limit: limit.unwrap_or(u64::MAX), besides: AtomicU64::new(0) }
    }

    /// Some states from everywhere.
    fn sample(&self) -> Vec<Vec<u8>> {
        let set = self.inner.store();
        let share = (set.len() / SAMPLE).max(1);
        (0..set.len() as u32).step_by(share).map(|id| set.get(StateId(id)).to_vec()).collect()
    }
}

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
        states >= self.most || bytes >= SPACE.min(free / PART)
    }
}
