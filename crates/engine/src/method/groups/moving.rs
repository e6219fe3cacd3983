//! A search goes on with another store: all states move there with their marks, and what waits gets new names.
//!
//! A plain store is left for a packed one if its states pack, else for a tree; a packed one for a wider one when many states
//! no longer pack, and for a tree when names have no room for them. All workers have stopped between two groups then, so all that
//! waits lies in frontiers; nothing is visited twice.

use crate::job::Job;
use crate::method::groups::memory::{Exact, Memory, Name};
use crate::method::groups::reaches_full::Ladder;
use crate::method::groups::{Begun, Ended, marks, run};
use crate::parts::expander::Expander;
use crate::parts::frontier::{Frontier, Renamed};
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::scout;
use crate::report::Report;
use starwheel_store::packed::{Packed, Table};
use starwheel_store::{
    Decode, Fork, Layout, Marked, PrivatePacked, PrivateTree, Save, SharedPacked, SharedTree, StateRef, Visit, Visited,
};
use std::ops::Deref;

/// States that are entered together.
const TOGETHER: usize = 64;
/// States that are moved between two looks at the clock.
const PERIOD: u64 = 1 << 16;
/// States that do not pack are few if they are one of so many of those that were seen when the layout was learned.
const STRAYS: u64 = 64;
/// A search whose store is outgrown has this part of its states before it, at the least.
const AHEAD: u64 = 2;
/// One of so many states is shown to a tree that is to learn from them.
const SHARE: u64 = 64;
/// States of so many bytes at most are packed sooner than they are compared with another one.
const SHORT: usize = 32;

/// A store from which all states can be taken.
pub trait Source: Memory {
    /// What names meant.
    type Names;
    /// True if records say when their states are shown: see [`Source::turn`].
    const IN_TURN: bool = false;

    /// What the program used besides when somebody said so last.
    fn elsewhere(&self) -> u64;

    /// Shows all states with their marks and how many bytes are still in use here; none if `show` was false once.
    fn pour(self, show: impl FnMut(&[u8], u8, u64) -> bool) -> Option<Self::Names>;

    /// The number of a record's state in the order in which they are shown, if that is known, and the record's hidden bytes.
    fn turn(_record: &[u8]) -> Option<(usize, &[u8])> {
        None
    }

    /// Makes `state` the one that a record begins with; what is left of the record are its hidden bytes.
    fn read<'r>(names: &Self::Names, record: &'r [u8], state: &mut Vec<u8>) -> Option<&'r [u8]>;
}

/// A store to which states can move, one handle for each worker.
pub trait Target:
    Visited<Key: Into<StateRef> + Send, Ref = StateRef, Path: Send> + Decode + Marked + Save + Send + Sized
{
    /// So many handles.
    fn handles(self, workers: usize) -> Vec<Self>;
}

impl Target for PrivateTree {
    fn handles(self, _workers: usize) -> Vec<PrivateTree> {
        vec![self]
    }
}

impl Target for SharedTree {
    fn handles(self, workers: usize) -> Vec<SharedTree> {
        (0..workers).map(|_| self.fork()).collect()
    }
}

impl Target for PrivatePacked {
    fn handles(self, _workers: usize) -> Vec<PrivatePacked> {
        vec![self]
    }
}

impl Target for SharedPacked {
    fn handles(self, workers: usize) -> Vec<SharedPacked> {
        (0..workers).map(|_| self.fork()).collect()
    }
}

/// A packed store, made for a layout.
pub trait Packs: Target {
    /// An empty one, for so many states at first.
    fn empty(job: &Job<'_>, layout: &Layout, states: u64) -> Option<Self>;

    /// A layout in which all states pack; none if there is no such.
    fn wider(&self) -> Option<Layout>;

    /// [`Memory::outgrown`]
    fn outgrown(&self) -> bool;
}

macro_rules! packs {
    ($store:ty) => {
        impl Packs for $store {
            fn empty(job: &Job<'_>, layout: &Layout, states: u64) -> Option<$store> {
                let store = <$store>::new(job.limits.memory, marks(job), layout, job.plain / STRAYS)?;
                store.expect(states);
                Some(store)
            }

            fn wider(&self) -> Option<Layout> {
                Packed::wider(self)
            }

            fn outgrown(&self) -> bool {
                Packed::outgrown(self)
            }
        }
    };
}

packs!(PrivatePacked);
packs!(SharedPacked);

impl<T: Deref<Target = Table<L>> + Send, L: starwheel_store::lock::Lock> Source for Exact<Packed<T, L>>
where
    Packed<T, L>: Packs,
{
    type Names = starwheel_store::packed::Drained<T>;

    fn elsewhere(&self) -> u64 {
        Exact::elsewhere(self)
    }

    fn pour(self, show: impl FnMut(&[u8], u8, u64) -> bool) -> Option<Self::Names> {
        self.into_store().drain(show)
    }

    fn read<'r>(names: &Self::Names, record: &'r [u8], state: &mut Vec<u8>) -> Option<&'r [u8]> {
        let (name, hidden) = StateRef::read(record)?;
        names.decode(name, state);
        Some(hidden)
    }
}

/// Goes on with a packed store of this layout.
pub fn packed<'a, S: Source>(job: &'a Job<'a>, ended: Ended<'a, S>, layout: &Layout) -> Report {
    match job.workers {
        0 | 1 => go_on::<S, PrivatePacked>(job, ended, layout),
        _ => go_on::<S, SharedPacked>(job, ended, layout),
    }
}

/// Goes on with a tree that learns from these states how to split.
pub fn tree<'a, S: Source>(job: &'a Job<'a>, ended: Ended<'a, S>, sample: &[Vec<u8>]) -> Report {
    let (limit, split) = (job.limits.memory, scout::learn(job.system, sample));
    let moved = match job.workers {
        0 | 1 => moved(job, ended, PrivateTree::with_split(limit, marks(job), split), |_| false).map(Ended::conclude),
        _ => moved(job, ended, SharedTree::with_split(limit, marks(job), split), |_| false).map(Ended::conclude),
    };
    moved.unwrap_or_else(|report| *report)
}

fn go_on<'a, S, P>(job: &'a Job<'a>, ended: Ended<'a, S>, layout: &Layout) -> Report
where
    S: Source,
    P: Packs,
    Exact<P>: Source,
{
    let Some(store) = P::empty(job, layout, ahead(ended.memory.usage().states)) else {
        // A tree begins with less.
        return tree(job, ended, &[]);
    };
    let mut ended = match moved(job, ended, store, P::outgrown) {
        Ok(ended) => ended,
        Err(report) => return *report,
    };
    loop {
        let outgrown = ended.flow.is_continue() && ended.left.as_ref().is_some_and(|left| !left.is_empty());
        if !outgrown {
            return Report { packed: true, ..ended.conclude() };
        }
        let (wider, states) = (ended.memory.store().wider(), ended.memory.usage().states);
        let Some(store) = wider.and_then(|layout| P::empty(job, &layout, ahead(states))) else {
            let sample = sample(&mut ended, job.system.hidden_bytes());
            return tree(job, ended, &sample);
        };
        ended = match moved(job, ended, store, P::outgrown) {
            Ok(ended) => ended,
            Err(report) => return *report,
        };
    }
}

/// How many states there will soon be, if there are so many now.
fn ahead(states: u64) -> u64 {
    states + states / AHEAD
}

/// Some of the states that wait, without their hidden bytes.
fn sample<M: Memory>(ended: &mut Ended<'_, M>, hidden: usize) -> Vec<Vec<u8>> {
    let (mut states, mut number) = (Vec::new(), 0u64);
    let Ended { left, memory, .. } = ended;
    for part in left.iter().flatten() {
        part.each(|record| {
            if number.is_multiple_of(SHARE) && states.len() < scout::FAR {
                let mut state = Vec::new();
                memory.open(record, &mut state);
                states.push(state.split_off(hidden.min(state.len())));
            }
            number += 1;
        });
    }
    states
}

/// Moves everything to an empty store and searches on with it until the end, or until it is outgrown; the report if there is
/// no room, or if it is time to stop.
fn moved<'a, S: Source, V: Target>(
    job: &'a Job<'a>,
    ended: Ended<'a, S>,
    mut to: V,
    outgrown: fn(&V) -> bool,
) -> Result<Ended<'a, Exact<V>>, Box<Report>> {
    let Ended { mut flow, mut books, memory, left, mut ladder, saver, answer } = ended;
    let hidden = job.system.hidden_bytes();
    let others = books.usage_elsewhere(memory.usage()).unwrap_or_else(|| memory.elsewhere());
    // By turn, where a record says it.
    let mut shown: Vec<StateRef> = Vec::new();
    let names = {
        const { assert!(!V::LOOKS, "names come from keys alone") };
        let (mut path, mut before, mut count) = (V::Path::default(), Vec::new(), 0u64);
        // States that come in the order in which they were met differ in few words from the one before. Others do not, and what
        // is named at once gains nothing from a neighbour then.
        let alike = S::IN_TURN || !V::READY;
        // Some wait until their places have been fetched.
        let mut waiting: Vec<(V::Key, u8)> = Vec::with_capacity(TOGETHER);
        let enter = |to: &mut V, waiting: &mut Vec<(V::Key, u8)>| {
            waiting.drain(..).all(|(key, marks)| matches!(to.insert(&key, &[], marks), Visit::New(_)))
        };
        let names = memory.pour(|state, marks, used| {
            if count.is_multiple_of(PERIOD) {
                to.besides(others.saturating_add(used));
                if flow.is_continue() && tick(&mut books, &to).map_break(|why| flow = Flow::Break(why)).is_break() {
                    return false;
                }
            }
            let alike = alike && (!V::READY || state.len() > SHORT);
            let near = (count > 0 && alike).then_some((&mut path, &before[..]));
            let Some(mut key) = to.prepare(state, near) else { return false };
            to.prefetch(&mut key);
            waiting.push((key, marks));
            if S::IN_TURN {
                shown.push(key.into());
            }
            if alike {
                to.resume(key.into(), &mut path);
                before.clear();
                before.extend_from_slice(state);
            }
            count += 1;
            waiting.len() < TOGETHER || enter(&mut to, &mut waiting)
        });
        names.filter(|_| enter(&mut to, &mut waiting))
    };
    let Some(names) = names else {
        let flow = if flow.is_break() { flow } else { books.full() };
        let memory = Exact::new(to, hidden);
        return Err(Box::new(Ended { flow, books, memory, left: None, ladder, saver, answer }.conclude()));
    };
    to.besides(others);
    let (mut state, mut lost) = (Vec::new(), false);
    let mut renamed = |record: &[u8], out: &mut Vec<u8>| {
        let known = S::turn(record).and_then(|(turn, hidden)| Some((*shown.get(turn)?, hidden)));
        let found = known.or_else(|| {
            let hidden = S::read(&names, record, &mut state)?;
            Some((to.prepare(&state, None)?.into(), hidden))
        });
        match found {
            Some((name, hidden)) => {
                name.write(out);
                out.extend_from_slice(hidden);
            }
            // A state that was just moved has a name.
            None => lost = true,
        }
    };
    let mut offers: Vec<Frontier> = left.unwrap_or_default();
    let mut ways = Renamed::default();
    offers.iter_mut().for_each(|part| part.rename(&mut renamed, &mut ways));
    match job.workers {
        0 | 1 => ladder.rename(&mut renamed),
        // Whoever is not alone takes no mark back.
        _ => ladder = Ladder::default(),
    }
    drop((names, ways));
    if lost {
        let flow = books.full();
        let memory = Exact::new(to, hidden);
        return Err(Box::new(Ended { flow, books, memory, left: None, ladder, saver, answer }.conclude()));
    }
    let mut memories: Vec<_> =
        to.handles(job.workers.max(1)).into_iter().map(|store| Exact::with_end(store, hidden, outgrown)).collect();
    if flow.is_break() {
        let memory = memories.swap_remove(0);
        return Ok(Ended { flow, books, memory, left: Some(offers), ladder, saver, answer });
    }
    let expander = Expander::new(job.system);
    Ok(run(job, Begun { expander, books, offers, ladder, saver }, memories))
}

/// Looks at the clock and at the user.
fn tick(books: &mut Ledger<'_>, store: &impl Visited) -> Flow {
    books.check_limits(0, store.usage())
}
