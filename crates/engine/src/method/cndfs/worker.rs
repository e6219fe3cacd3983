//! The graph of a system's stored states, as one worker of a nested search sees it.

use crate::method::cndfs::gate::Gate;
use crate::method::cndfs::graph_view::{GraphView, Progress, Route, Seen, Successors};
use crate::parts::expander::Expander;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::link;
use crate::parts::pace::Pace;
use crate::parts::scout::SHARE;
use crate::parts::state_cache::StateCache;
use starwheel_model::{Step, System};
use starwheel_store::{Decode, Marked, StateRef, TreeKey, Usage, Visit};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Expansions between two looks at the clock, at the most.
const PERIOD: u64 = 1 << 12;
/// Rounds of waiting before a worker lets others run.
const PATIENCE: u32 = 64;

/// What all workers of a search share.
pub struct Shared<'a> {
    pub system: &'a dyn System,
    pub gate: Gate,
    pub books: Mutex<Ledger<'a>>,
    /// True if a search that has found something goes on.
    pub goes_on: bool,
    pub workers: usize,
    /// States that a worker stores at most; if this is a limit, one of each [`SHARE`] is kept aside.
    pub most: u64,
    pub sample: Mutex<Vec<Vec<u8>>>,
}

impl<'a> Shared<'a> {
    /// The books.
    pub fn books(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In the middle of a long chain: looks at the clock and at the memory, of which the chain takes some as well.
    fn pause(&self, usage: Usage) -> Flow {
        if self.gate.stopped() {
            return Flow::Break(None);
        }
        let mut books = self.books();
        _ = books.usage_elsewhere(usage);
        books.check_limits(0, usage)?;
        books.check_resident()
    }
}

/// A store for such a search.
pub trait Names: Marked<Ref = StateRef, Key = TreeKey> + Decode {}
impl<V: Marked<Ref = StateRef, Key = TreeKey> + Decode> Names for V {}

/// A worker's view.
pub struct View<'w, 'a, V: Names> {
    shared: &'w Shared<'a>,
    pub store: V,
    pub expander: Expander<'a>,
    /// The bytes of states that wait.
    cache: StateCache,
    hidden: usize,
    path: V::Path,
    /// The state that is expanded, without and with its hidden bytes.
    from: Vec<u8>,
    at: Vec<u8>,
    stutters: bool,
    /// States expanded since the last look at the clock.
    expanded: u64,
    pace: Pace,
    /// States stored, and those that the others have not been told of.
    stored: u64,
    untold: u64,
}

impl<'w, 'a, V: Names> View<'w, 'a, V> {
    /// A view of the whole graph.
    pub fn new(shared: &'w Shared<'a>, store: V, expander: Expander<'a>) -> View<'w, 'a, V> {
        View {
            hidden: shared.system.hidden_bytes(),
            stutters: shared.books().stutters(),
            shared,
            store,
            expander,
            cache: StateCache::default(),
            path: V::Path::default(),
            from: Vec::new(),
            at: Vec::new(),
            expanded: 0,
            pace: Pace::new(PERIOD),
            stored: 0,
            untold: 0,
        }
    }

    /// Brings a state back, with its hidden bytes.
    fn open(&mut self, name: StateRef, hidden: &[u8]) {
        self.at.clear();
        self.at.extend_from_slice(hidden);
        self.from.clear();
        if self.cache.get(name.0, &mut self.from) {
            self.at.extend_from_slice(&self.from);
            self.store.resume(name, &mut self.path);
        } else {
            self.store.decode(name, &mut self.from, &mut self.path);
            self.at.extend_from_slice(&self.from);
        }
    }

    /// The bytes of a state.
    fn bytes(store: &mut V, name: StateRef, hidden: &[u8]) -> Vec<u8> {
        let (mut state, mut path) = (Vec::new(), V::Path::default());
        store.decode(name, &mut state, &mut path);
        [hidden, &state].concat()
    }

    fn full<T>(&self) -> Flow<T> {
        match self.shared.books().full() {
            Flow::Break(why) => Flow::Break(why),
            Flow::Continue(()) => Flow::Break(None),
        }
    }

    /// Tells the others what was counted since the last time.
    pub fn publish(&mut self) -> u64 {
        self.shared.gate.count(std::mem::take(&mut self.untold))
    }

    /// Makes the successors of the state that was opened; true if something goes wrong in one of the steps.
    fn follow(&mut self) -> Flow<bool> {
        let View { expander, shared, at, store, .. } = self;
        let mut wrong = false;
        expander.expand(at, |wrongs| {
            wrong |= !std::mem::take(wrongs).is_empty();
            shared.pause(store.usage())
        })?;
        Flow::Continue(wrong || !expander.wrongs.is_empty())
    }

    fn tick(&mut self, progress: Progress) -> Flow {
        let stored = self.publish();
        // One look at the clock at a time is enough; but while the search is suspended, nobody goes on.
        let Ok(mut books) = self.shared.books.try_lock() else {
            drop(self.shared.books());
            return Flow::Continue(());
        };
        books.stats.states_stored = stored;
        books.add_steps(std::mem::take(&mut self.expanded));
        let bytes = self.store.usage().bytes;
        books.waiting = Some(progress.waiting);
        books.check_limits(progress.depth, Usage { states: stored, bytes })
    }
}

impl<V: Names> GraphView for View<'_, '_, V> {
    fn expand(
        &mut self,
        at: StateRef,
        hidden: &[u8],
        progress: impl Fn() -> Progress,
        out: &mut Successors,
    ) -> Flow<Seen> {
        if self.shared.gate.stopped() {
            return Flow::Break(None);
        }
        self.expanded += 1;
        if self.pace.due() {
            self.tick(progress())?;
        }
        self.open(at, hidden);
        let (atomic_steps, ticks) = (self.expander.atomic_steps, self.expander.ticks);
        self.expander.repeated = 0;
        let wrong = self.follow()?;
        let View { expander, store, path, from, cache, hidden, .. } = self;
        let mut room = true;
        expander.each(|state| {
            let (own, bytes) = state.split_at(*hidden);
            let key = store.prepare(bytes, Some((&mut *path, &from[..])));
            let Some(mut key) = key else {
                room = false;
                return;
            };
            store.prefetch(&mut key);
            let name = StateRef::from(key);
            cache.put(name.0, bytes);
            out.names.push(name);
            out.hidden.extend_from_slice(own);
        });
        if !room {
            return self.full();
        }
        let accepting = self.expander.accepting(&self.at);
        Flow::Continue(Seen {
            accepting,
            stays: accepting && self.stutters && self.expander.at_end(),
            wrong,
            atomic_steps: (self.expander.atomic_steps - atomic_steps).try_into().unwrap_or(u32::MAX),
            repeated: self.expander.repeated.try_into().unwrap_or(u32::MAX),
            ticks: (self.expander.ticks - ticks).try_into().unwrap_or(u32::MAX),
        })
    }

    fn marks(&mut self, at: StateRef) -> Option<u8> {
        self.store.marks(at)
    }

    fn put(&mut self, at: StateRef, marks: u8) -> Flow<Option<u8>> {
        match self.store.insert(&at.into(), &[], marks) {
            Visit::New(_) => {
                self.stored += 1;
                self.untold += 1;
                if self.shared.most < u64::MAX && self.stored.is_multiple_of(SHARE as u64) {
                    let state = Self::bytes(&mut self.store, at, &[]);
                    self.shared.sample.lock().unwrap_or_else(PoisonError::into_inner).push(state);
                }
                if self.stored > self.shared.most { Flow::Break(None) } else { Flow::Continue(None) }
            }
            Visit::Known(_, marks) => Flow::Continue(Some(marks)),
            Visit::Full => self.full(),
        }
    }

    fn change(&mut self, at: StateRef, take: u8, set: u8) -> u8 {
        self.store.change_marks(at, !take, set).unwrap_or(0)
    }

    fn wait(&mut self, round: u32) -> Flow {
        if self.shared.gate.stopped() {
            return Flow::Break(None);
        }
        if round < PATIENCE {
            std::hint::spin_loop()
        } else {
            std::thread::yield_now()
        }
        Flow::Continue(())
    }

    fn report(&mut self, route: impl Fn() -> Route) -> Flow {
        let (shared, store) = (self.shared, &mut self.store);
        let mut books = shared.books();
        if !shared.goes_on && books.errors > 0 {
            return Flow::Break(None);
        }
        for wrong in &self.expander.wrongs {
            books.event(&wrong.violation, || {
                let states: Vec<_> = route().iter().map(|(name, hidden)| Self::bytes(store, *name, hidden)).collect();
                // If the steps cannot be found again, the trail does not replay, and the search says so.
                let mut trail = link::trail(shared.system, &states).unwrap_or_default();
                trail.extend_from_slice(&wrong.chain);
                trail
            })?;
        }
        Flow::Continue(())
    }

    fn cycle(&mut self, route: impl FnOnce() -> Option<(Route, usize)>) -> Flow {
        let (shared, store) = (self.shared, &mut self.store);
        if !shared.goes_on {
            // The trail takes a while; the others need not wait for it.
            shared.gate.stop();
        }
        let mut books = shared.books();
        if !shared.goes_on && books.errors > 0 {
            return Flow::Break(None);
        }
        books.cycle(|| {
            let (route, back) = route()?;
            let mut states: Vec<_> = route.iter().map(|(name, hidden)| Self::bytes(store, *name, hidden)).collect();
            states.extend(states.get(back).cloned());
            lasso(shared.system, &states, back)
        })
    }
}

/// The steps along states of which the last one is the one at a place before it, unless there is none: and the number of
/// steps to that place.
fn lasso(system: &dyn System, states: &[Vec<u8>], back: usize) -> Option<(Vec<Step>, usize)> {
    let mut trail = link::trail(system, &states[..states.len().min(back + 1)])?;
    let start = trail.len();
    if back < states.len() {
        trail.extend(link::trail(system, &states[back..])?);
    }
    Some((trail, start))
}
