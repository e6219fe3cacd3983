//! What a search by groups needs of a store, one handle for each worker.

use crate::parts::frontier::Frontier;
use crate::parts::state_cache::StateCache;
use starwheel_model::{Batch, Entry};
use starwheel_store::{Decode, Exactness, Marked, Save, StateId, StateRef, Usage, Visit, Visited};
use std::cell::Cell;
use std::io::{self, Write};

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Arrived {
    /// The state is new; its record has been appended.
    New,
    /// The state was there already; true if it may carry the mark of [`Memory::mark`].
    Known(bool),
    /// There is no room for it.
    Full,
}

/// What came of many insertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Settled {
    /// States that are new.
    pub new: u64,
    /// Arrivals at known ones.
    pub known: u64,
    /// The number of the first one for which there was no room.
    pub full: Option<usize>,
}

/// A store as one worker sees it. Successors are staged first, then settled, so that their places in memory can be
/// fetched meanwhile. A *record* is what the frontier keeps of a state.
pub trait Memory: Send + AtOnce {
    /// Brings back the state of a record; the states staged next are its successors.
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>);

    /// Prepares the insertion of a state; `at` is the one that was opened last, and `changed` are the units that may differ
    /// (see [`starwheel_model::Entry::changed`]).
    fn stage(&mut self, state: &[u8], at: &[u8], changed: u64);

    /// Inserts a staged state, given with its number; if it is new, appends its record.
    fn settle<'s>(&mut self, number: usize, state: impl Fn() -> &'s [u8], record: &mut Vec<u8>) -> Arrived;

    /// Forgets what is staged.
    fn clear(&mut self);

    /// True if the successors of a state are entered as soon as they are there: see [`Memory::enter`].
    const DIRECT: bool = false;

    /// The bytes of the state of a record, where they lie; none if it must be opened.
    fn view(&self, _record: &[u8]) -> Option<&[u8]> {
        None
    }

    /// Enters all successors in a batch and adds those that are new to a frontier, with their parent. How many were new, or
    /// none if there is no room for one of them.
    fn enter(&mut self, _batch: &mut Batch, _frontier: &mut Frontier, _parent: usize) -> Option<u64> {
        None
    }

    /// Marks the state of a record, or takes its mark away. A store that has no marks takes every state for marked.
    fn mark(&mut self, _record: &[u8], _on: bool) {}

    /// How far the store can be believed.
    fn exactness(&self) -> Exactness;

    /// How much the store holds.
    fn usage(&self) -> Usage;

    /// Says how many bytes the program uses besides.
    fn besides(&self, bytes: u64);

    /// Writes the store down, while nobody changes it.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// False if the search will go on with another store, so that this one is never saved.
    fn lasting(&self) -> bool {
        true
    }

    /// True if it is time to go on with another store.
    fn outgrown(&self) -> bool {
        false
    }

    /// What the user should know about the store after the search.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// What a store does that needs nothing of a successor but its key.
pub trait AtOnce {
    /// True if a record is a name and nothing else, and the name comes from the key alone: then successors need not be kept
    /// until they are settled, see [`AtOnce::stage_all`].
    fn stages_all(&self) -> bool {
        false
    }

    /// What is staged from now on has the next parent; the first one is number zero.
    fn next_parent(&mut self) {}

    /// Stages all successors in a batch in which nothing is special; `at` is the state that was opened last.
    fn stage_all(&mut self, _batch: &Batch, _at: &[u8]) {}

    /// Settles what is staged from this number on, as [`Memory::settle`] does, and adds what is new to a frontier with its
    /// parent: see [`AtOnce::next_parent`].
    fn settle_all(&mut self, _from: usize, _frontier: &mut Frontier) -> Settled {
        Settled::default()
    }
}

/// A name of a state as bytes.
pub trait Name: Copy + Send {
    /// Appends the name.
    fn write(self, out: &mut Vec<u8>);

    /// The name as a number, which is never the greatest one.
    fn number(self) -> u64;

    /// Takes the name off the front of a record.
    fn read(record: &[u8]) -> Option<(Self, &[u8])>;
}

impl Name for StateRef {
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn number(self) -> u64 {
        self.0
    }

    fn read(record: &[u8]) -> Option<(StateRef, &[u8])> {
        record.split_first_chunk().map(|(name, rest)| (StateRef(u64::from_le_bytes(*name)), rest))
    }
}

impl Name for StateId {
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn number(self) -> u64 {
        self.0.into()
    }

    fn read(record: &[u8]) -> Option<(StateId, &[u8])> {
        record.split_first_chunk().map(|(name, rest)| (StateId(u32::from_le_bytes(*name)), rest))
    }
}

/// A store that gives its states back. A record is the name of a state, then its hidden bytes.
pub struct Exact<V: Visited> {
    pub(super) store: V,
    pub(super) hidden: usize,
    /// The units of the hidden bytes, if these are whole units and few.
    skipped: Option<u32>,
    cache: StateCache,
    path: V::Path,
    /// True if `path` is that of the state that was opened last.
    opened: bool,
    /// The keys of staged states; none if there was no room for what a key needs.
    staged: Vec<Option<V::Key>>,
    /// By parent: how many were staged before.
    firsts: Vec<usize>,
    /// True if the store has no bit for marks.
    unmarked: bool,
    scratch: Vec<u8>,
    outgrown: fn(&V) -> bool,
    besides: Cell<u64>,
}

impl<V: Decode + Marked> Exact<V> {
    /// A store for states with so many hidden bytes.
    pub fn new(store: V, hidden: usize) -> Exact<V> {
        Exact::with_end(store, hidden, |_| false)
    }

    /// The same; it knows when it is time to go on with another one.
    pub fn with_end(store: V, hidden: usize, outgrown: fn(&V) -> bool) -> Exact<V> {
        Exact {
            unmarked: store.mark_bits() == 0,
            store,
            hidden,
            skipped: (hidden.is_multiple_of(4) && hidden < 4 * 32).then_some((hidden / 4) as u32),
            cache: StateCache::default(),
            path: V::Path::default(),
            opened: false,
            staged: Vec::new(),
            firsts: Vec::new(),
            scratch: Vec::new(),
            outgrown,
            besides: Cell::new(0),
        }
    }

    /// What the program used besides when somebody said so last.
    pub fn elsewhere(&self) -> u64 {
        self.besides.get()
    }

    /// The store alone.
    pub fn into_store(self) -> V {
        self.store
    }

    /// The store.
    pub fn store(&self) -> &V {
        &self.store
    }
}

impl<V: Decode + Marked + Save + Send> Memory for Exact<V>
where
    V::Ref: Name,
    V::Key: Send,
    V::Path: Send,
{
    #[inline]
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>) {
        at.clear();
        let Some((name, hidden)) = V::Ref::read(record) else { return };
        if V::READY && hidden.is_empty() {
            self.opened = self.store.decode(name, at, &mut self.path);
            return;
        }
        at.extend_from_slice(hidden);
        self.opened = self.cache.get(name.number(), at);
        if self.opened {
            self.store.resume(name, &mut self.path);
        } else {
            self.opened = self.store.decode(name, &mut self.scratch, &mut self.path);
            at.extend_from_slice(&self.scratch);
        }
    }

    #[inline(always)]
    fn stage(&mut self, state: &[u8], at: &[u8], changed: u64) {
        let bytes = &state[self.hidden..];
        let mut key = match (self.opened, self.skipped) {
            (false, _) => self.store.prepare(bytes, None),
            (true, None) => self.store.prepare(bytes, Some((&mut self.path, &at[self.hidden..]))),
            (true, Some(skipped)) => {
                // All ones stay all ones.
                let changed = (changed as i64 >> skipped) as u64;
                self.store.prepare_changed(bytes, (&mut self.path, &at[self.hidden..]), changed)
            }
        };
        if let Some(key) = &mut key {
            self.store.prefetch(key);
        }
        self.staged.push(key);
    }

    #[inline(always)]
    fn settle<'s>(&mut self, number: usize, state: impl Fn() -> &'s [u8], record: &mut Vec<u8>) -> Arrived {
        let Some(key) = &self.staged[number] else { return Arrived::Full };
        let bytes = if V::LOOKS { &state()[self.hidden..] } else { &[] };
        match self.store.insert(key, bytes, 0) {
            Visit::Full => Arrived::Full,
            Visit::Known(_, marks) => Arrived::Known(marks != 0 || self.unmarked),
            Visit::New(name) => {
                name.write(record);
                let (hidden, bytes) = state().split_at(self.hidden);
                if !hidden.is_empty() {
                    record.extend_from_slice(hidden);
                }
                if !V::READY {
                    self.cache.put(name.number(), bytes);
                }
                Arrived::New
            }
        }
    }

    fn clear(&mut self) {
        self.staged.clear();
        self.firsts.clear();
    }

    fn mark(&mut self, record: &[u8], on: bool) {
        if let Some((name, _)) = V::Ref::read(record) {
            self.store.change_marks(name, 0, u8::from(on));
        }
    }

    fn exactness(&self) -> Exactness {
        self.store.exactness()
    }

    fn usage(&self) -> Usage {
        self.store.usage()
    }

    fn besides(&self, bytes: u64) {
        self.besides.set(bytes);
        self.store.besides(bytes);
    }

    #[inline]
    fn outgrown(&self) -> bool {
        (self.outgrown)(&self.store)
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.store.save(out)
    }
}

impl<V: Decode + Marked + Save + Send> AtOnce for Exact<V>
where
    V::Ref: Name,
    V::Key: Send,
    V::Path: Send,
{
    #[inline(always)]
    fn stages_all(&self) -> bool {
        V::READY && !V::LOOKS && self.hidden == 0
    }

    #[inline(always)]
    fn next_parent(&mut self) {
        self.firsts.push(self.staged.len());
    }

    #[inline(always)]
    fn stage_all(&mut self, batch: &Batch, at: &[u8]) {
        let Batch { entries, bytes, .. } = batch;
        let state = |entry: &Entry| &bytes[entry.start as usize..][..entry.len as usize];
        if !self.opened || self.hidden != 0 {
            return entries.iter().for_each(|entry| self.stage(state(entry), at, entry.changed));
        }
        let Exact { store, path, staged, .. } = self;
        staged.extend(entries.iter().map(|entry| {
            let mut key = store.prepare_changed(state(entry), (&mut *path, at), entry.changed)?;
            store.prefetch(&mut key);
            Some(key)
        }));
    }

    #[inline(always)]
    fn settle_all(&mut self, from: usize, frontier: &mut Frontier) -> Settled {
        let mut settled = Settled::default();
        let Exact { store, staged, firsts, .. } = self;
        firsts.push(staged.len());
        for (parent, part) in firsts.windows(2).enumerate() {
            let first = part[0].max(from);
            let own = staged.get(first..part[1]).unwrap_or_default();
            for (number, key) in own.iter().enumerate() {
                match key.as_ref().map_or(Visit::Full, |key| store.insert(key, &[], 0)) {
                    Visit::Known(..) => settled.known += 1,
                    Visit::New(name) => {
                        settled.new += 1;
                        frontier.push_name(name.number(), parent);
                    }
                    Visit::Full => return Settled { full: Some(first + number), ..settled },
                }
            }
        }
        settled
    }
}

/// A store that does not give its states back. A record is the state itself.
pub struct Loose<V: Visited> {
    store: V,
    hidden: usize,
    remark: fn(&V) -> Option<String>,
    staged: Vec<Option<V::Key>>,
}

impl<V: Visited> Loose<V> {
    /// A store for states with so many hidden bytes, and what is to be said about it in the end.
    pub fn new(store: V, hidden: usize, remark: fn(&V) -> Option<String>) -> Loose<V> {
        Loose { store, hidden, remark, staged: Vec::new() }
    }
}

impl<V: Visited> AtOnce for Loose<V> {}

impl<V: Visited + Save + Send> Memory for Loose<V>
where
    V::Key: Send,
{
    fn open(&mut self, record: &[u8], at: &mut Vec<u8>) {
        at.clear();
        at.extend_from_slice(record);
    }

    fn stage(&mut self, state: &[u8], _at: &[u8], _changed: u64) {
        let mut key = self.store.prepare(&state[self.hidden..], None);
        if let Some(key) = &mut key {
            self.store.prefetch(key);
        }
        self.staged.push(key);
    }

    fn settle<'s>(&mut self, number: usize, state: impl Fn() -> &'s [u8], record: &mut Vec<u8>) -> Arrived {
        let Some(key) = &self.staged[number] else { return Arrived::Full };
        let state = state();
        match self.store.insert(key, &state[self.hidden..], 0) {
            Visit::Full => Arrived::Full,
            Visit::Known(..) => Arrived::Known(true),
            Visit::New(_) => {
                record.extend_from_slice(state);
                Arrived::New
            }
        }
    }

    fn clear(&mut self) {
        self.staged.clear();
    }

    fn exactness(&self) -> Exactness {
        self.store.exactness()
    }

    fn usage(&self) -> Usage {
        self.store.usage()
    }

    fn besides(&self, bytes: u64) {
        self.store.besides(bytes);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.store.save(out)
    }

    fn remark(&self) -> Option<String> {
        (self.remark)(&self.store)
    }
}
