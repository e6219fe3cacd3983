//! An exact store of states as short numbers: each word in a few bits, one table, one look into it for each successor.
//!
//! A name is all of a state, written in at most 63 bits: `packer` says how, and why no two states have the same one. The set
//! of names is the root table of the tree store (`root.rs`), which mixes a name by a permutation and keeps what its place does
//! not say; so nothing is ever lost, and different names stay different. A successor's name is that of the state before it with
//! the few fields replaced that its step may have changed.
//!
//! Which values a word takes is learned ([`Census`]) and is never all that there will be. A state with a value that has no
//! number, and cannot get one, does not pack: it lives in a set of whole states beside the table (`overflow.rs`), under a name
//! with a bit that no packed name has. That a state packs does not change while the store lives, so it is never looked for in
//! the wrong one of the two. When there are many such states the store is outgrown, and whoever owns it moves everything
//! to one with a wider layout ([`Packed::wider`], [`Packed::drain`]), or to a tree.
//!
//! As in S. Edelkamp, D. Sulewski: Efficient Explicit-State Model Checking on General Purpose Graphics Processors (2010) and
//! other work with packed vectors, fields have as many bits as their values need; we differ in that the values are those that
//! are met, whatever the variables could hold, and in quotienting, as the tree store does (A. Laarman, J. van de
//! Pol, M. Weber 2011; S. van der Vegt, A. Laarman 2011), here without any tables below the root.

mod archive;
mod census;
mod dictionary;
mod gather;
mod layout;
mod overflow;
mod packer;

use crate::budget::Budget;
use crate::differing::{differing, each_differing, unit};
use crate::lock::{Guarded, Lock, Private, Spin};
use crate::root::{Root, Sought};
use crate::set::{Decode, Exactness, Fork, Marked, StateId, Usage, Visit, Visited};
use crate::shard::Put;
use crate::split::{MASKED, UNIT};
use crate::sync::{AtomicU64, Ordering};
use crate::tree::StateRef;
pub use census::Census;
pub use layout::Layout;
use overflow::Overflow;
use packer::Packer;
use std::ops::Deref;
use std::sync::Arc;

/// Set in the names of states that do not pack.
const APART: u64 = 1 << layout::BITS;
/// To move costs as much as an arrival at such a state, for each state. So do the bytes of one such state for so many others.
const SHARE: u64 = 32;

/// What the handles of a store share.
#[derive(Debug)]
pub struct Table<L: Lock> {
    packer: Packer<L>,
    root: Root<L>,
    apart: Guarded<Overflow, L>,
    /// How often a state did not pack.
    strays: AtomicU64,
    /// How many of these states are there.
    apart_count: AtomicU64,
    /// With so many, or with so often as there are states, the store is outgrown.
    patience: [AtomicU64; 2],
    /// With fewer it never is.
    few: u64,
    budget: Budget,
}

/// A packed store; `T` is what holds the table.
#[derive(Debug)]
pub struct Packed<T: Deref<Target = Table<L>>, L: Lock> {
    table: T,
}

/// A packed store for one thread.
pub type PrivatePacked = Packed<Box<Table<Private>>, Private>;
/// A handle of a packed store that many threads share; each has its own.
pub type SharedPacked = Packed<Arc<Table<Spin>>, Spin>;

/// The name of a state, ready to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct PackedKey(Sought);

impl From<PackedKey> for StateRef {
    fn from(key: PackedKey) -> StateRef {
        StateRef(key.0.name)
    }
}

/// The name of a state, from which those of its successors are made.
#[derive(Clone, Debug)]
pub struct PackedPath {
    name: u64,
    /// The state that was read last, and its name.
    last: Vec<u8>,
    last_name: u64,
}

impl Default for PackedPath {
    fn default() -> PackedPath {
        PackedPath { name: APART, last: Vec::new(), last_name: APART }
    }
}

impl PrivatePacked {
    /// An empty store that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight; none
    /// if there is no memory for the lists of its layout. Arrivals at states that do not pack are no reason to call it
    /// outgrown as long as they are fewer than `few`.
    pub fn new(limit: Option<u64>, marks: u32, layout: &Layout, few: u64) -> Option<PrivatePacked> {
        Some(Packed { table: Box::new(Table::new(limit, marks, layout, few)?) })
    }
}

impl SharedPacked {
    /// An empty store that never uses more than `limit` bytes and keeps `marks` bits with each state, at most eight; none
    /// if there is no memory for the lists of its layout. Arrivals at states that do not pack are no reason to call it
    /// outgrown as long as they are fewer than `few`.
    pub fn new(limit: Option<u64>, marks: u32, layout: &Layout, few: u64) -> Option<SharedPacked> {
        Some(Packed { table: Arc::new(Table::new(limit, marks, layout, few)?) })
    }
}

impl Fork for SharedPacked {
    fn fork(&self) -> SharedPacked {
        Packed { table: Arc::clone(&self.table) }
    }
}

impl<L: Lock> Table<L> {
    fn new(limit: Option<u64>, marks: u32, layout: &Layout, few: u64) -> Option<Table<L>> {
        let budget = Budget::new(limit);
        let packer = Packer::new(layout, &budget)?;
        let root = Root::new(marks, &budget);
        let apart = Guarded::new(Overflow::default());
        Some(Table {
            packer,
            root,
            apart,
            strays: AtomicU64::new(0),
            apart_count: AtomicU64::new(0),
            patience: [few.max(1), 4 * few.max(1)].map(AtomicU64::new),
            few: few.max(1),
            budget,
        })
    }

    /// The name of a state that does not pack.
    #[cold]
    #[inline(never)]
    fn name_apart(&self, state: &[u8]) -> Option<u64> {
        let StateId(number) = self.apart.lock().number(state, &self.budget)?;
        self.strays.fetch_add(1, Ordering::Relaxed);
        Some(APART | u64::from(number))
    }

    #[inline]
    fn decode(&self, name: u64, state: &mut Vec<u8>) {
        match number(name) {
            None => self.packer.unpack(name, state),
            Some(id) => {
                state.clear();
                state.extend_from_slice(self.apart.lock().get(id));
            }
        }
    }

    /// The name of any state.
    fn name(&self, state: &[u8]) -> Option<u64> {
        self.packer.pack(state).or_else(|| self.name_apart(state))
    }

    /// The name of a state that differs from one with this name, which has as many bytes, in some units at most.
    #[inline(always)]
    fn rename(&self, mut name: u64, state: &[u8], before: &[u8], units: u64) -> Option<u64> {
        let packer = &self.packer;
        // To look is cheaper than to look up.
        let packs = each_differing(units, state, before, |at, value| match packer.repack(name, value, at) {
            Some(next) => {
                name = next;
                true
            }
            None => false,
        });
        if packs { Some(name) } else { self.name_apart(state) }
    }

    /// The same if the units are not known.
    #[inline(never)]
    fn rename_differing(&self, mut name: u64, state: &[u8], before: &[u8]) -> Option<u64> {
        const WIDE: usize = MASKED * UNIT;
        for (number, (new, old)) in state.chunks(WIDE).zip(before.chunks(WIDE)).enumerate() {
            let mut units = differing(old, new);
            while units != 0 {
                let at = number * MASKED + units.trailing_zeros() as usize;
                match self.packer.repack(name, unit(state, at), at) {
                    Some(next) => name = next,
                    None => return self.name_apart(state),
                }
                units &= units - 1;
            }
        }
        Some(name)
    }
}

/// The number of a state that does not pack, by its name.
#[inline(always)]
fn number(name: u64) -> Option<StateId> {
    (name & APART != 0).then_some(StateId(name as u32))
}

impl<T: Deref<Target = Table<L>>, L: Lock> Packed<T, L> {
    /// True if many states do not pack, so that it is time to move to another layout.
    #[inline(always)]
    pub fn outgrown(&self) -> bool {
        let Table { strays, apart_count, patience: [few, seldom], .. } = &*self.table;
        apart_count.load(Ordering::Relaxed) >= few.load(Ordering::Relaxed)
            || strays.load(Ordering::Relaxed) >= seldom.load(Ordering::Relaxed)
    }

    /// Gets ready for so many states, if there is none yet.
    pub fn expect(&self, states: u64) {
        let widest = !(u64::MAX << self.table.packer.bits());
        self.table.root.expect(states, widest);
    }

    /// How states are packed, with the values that are known by now.
    pub fn layout(&self) -> Layout {
        self.table.packer.layout()
    }

    /// A layout in which all states pack that are there; none if there is no such.
    pub fn wider(&self) -> Option<Layout> {
        let mut census = Census::of(&self.table.packer);
        self.table.apart.lock().all().for_each(|state| census.add(state));
        census.layout()
    }

    /// Shows all states with their marks, and forgets them while it goes on, so that there is room for them elsewhere. `show` is
    /// given how many bytes are still in use here, and is false if it should end at once: then nothing comes back.
    pub fn drain(self, mut show: impl FnMut(&[u8], u8, u64) -> bool) -> Option<Drained<T>> {
        let Table { packer, root, apart, budget, .. } = &*self.table;
        let mut state = Vec::new();
        let packed = root.drain(budget, |name, marks| {
            packer.unpack(name, &mut state);
            show(&state, marks, budget.used())
        });
        let all = packed && apart.lock().each().all(|(state, marks)| show(state, marks, budget.used()));
        all.then_some(Drained { table: self.table })
    }
}

/// What is left of a store whose states are elsewhere: it still knows what names meant.
#[derive(Debug)]
pub struct Drained<T> {
    table: T,
}

impl<T: Deref<Target = Table<L>>, L: Lock> Drained<T> {
    /// Makes `state` the one that had a name.
    pub fn decode(&self, StateRef(name): StateRef, state: &mut Vec<u8>) {
        self.table.decode(name, state);
    }
}

impl<T: Deref<Target = Table<L>>, L: Lock> Visited for Packed<T, L> {
    type Key = PackedKey;
    type Ref = StateRef;
    type Path = PackedPath;
    const LOOKS: bool = false;

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        let table = &*self.table;
        let states = table.root.len() + table.apart.lock().len();
        let [few, seldom] = &table.patience;
        few.store((states / SHARE).max(table.few), Ordering::Relaxed);
        seldom.store(states.max(4 * table.few), Ordering::Relaxed);
        Usage { states, bytes: table.budget.used() }
    }

    fn besides(&self, bytes: u64) {
        self.table.budget.set_besides(bytes);
    }

    #[inline]
    fn prepare(&mut self, state: &[u8], from: Option<(&mut PackedPath, &[u8])>) -> Option<PackedKey> {
        let name = match from {
            Some((path, before)) if before.len() == state.len() && path.name & APART == 0 => {
                self.table.rename_differing(path.name, state, before)?
            }
            _ => self.table.name(state)?,
        };
        debug_assert_eq!(Some(name), self.table.name(state), "the path and the bytes are not of the same state");
        Some(PackedKey(Sought::new(name)))
    }

    #[inline(always)]
    fn prepare_changed(
        &mut self,
        state: &[u8],
        (path, before): (&mut PackedPath, &[u8]),
        changed: u64,
    ) -> Option<PackedKey> {
        let len = state.len();
        if changed == u64::MAX || len != before.len() || len.wrapping_sub(1) >= MASKED * UNIT || path.name & APART != 0
        {
            return self.prepare(state, Some((path, before)));
        }
        // Nobody need be believed who says that a unit behind the last one has changed.
        let changed = changed & u64::MAX >> (MASKED - len.div_ceil(UNIT));
        debug_assert_eq!(differing(before, state) & !changed, 0, "a unit has changed that should not have");
        let name = self.table.rename(path.name, state, before, changed)?;
        debug_assert_eq!(Some(name), self.table.name(state), "the path and the bytes are not of the same state");
        Some(PackedKey(Sought::new(name)))
    }

    #[inline(always)]
    fn prefetch(&mut self, key: &mut PackedKey) {
        self.table.root.prefetch(&mut key.0);
    }

    #[inline(always)]
    fn insert(&mut self, key: &PackedKey, _state: &[u8], marks: u8) -> Visit<StateRef> {
        let at = StateRef(key.0.name);
        if let Some(id) = number(key.0.name) {
            let marks = marks & mask(self.table.root.marks());
            return match self.table.apart.lock().insert(id, marks) {
                Visit::New(()) => {
                    self.table.apart_count.fetch_add(1, Ordering::Relaxed);
                    Visit::New(at)
                }
                Visit::Known((), marks) => Visit::Known(at, marks),
                Visit::Full => Visit::Full,
            };
        }
        match self.table.root.put(&key.0, marks, &self.table.budget) {
            Put::New => Visit::New(at),
            Put::Known(marks) => Visit::Known(at, marks),
            Put::Full => Visit::Full,
        }
    }

    #[inline]
    fn lookup(&mut self, key: &PackedKey, _state: &[u8]) -> Option<(StateRef, u8)> {
        self.marks(StateRef(key.0.name)).map(|marks| (StateRef(key.0.name), marks))
    }
}

/// All bits of marks.
fn mask(bits: u32) -> u8 {
    ((1u32 << bits) - 1) as u8
}

impl<T: Deref<Target = Table<L>>, L: Lock> Marked for Packed<T, L> {
    fn mark_bits(&self) -> u32 {
        self.table.root.marks()
    }

    fn marks(&mut self, at: StateRef) -> Option<u8> {
        match number(at.0) {
            Some(id) => self.table.apart.lock().marks(id),
            None => self.table.root.get(&Sought::new(at.0)),
        }
    }

    fn change_marks(&mut self, at: StateRef, keep: u8, set: u8) -> Option<u8> {
        match number(at.0) {
            Some(id) => self.table.apart.lock().change(id, keep, set & mask(self.table.root.marks())),
            None => self.table.root.change(at.0, keep, set),
        }
    }
}

impl<T: Deref<Target = Table<L>>, L: Lock> Decode for Packed<T, L> {
    const READY: bool = true;

    #[inline]
    fn decode(&mut self, at: StateRef, state: &mut Vec<u8>, path: &mut PackedPath) -> bool {
        path.name = at.0;
        if at.0 & APART != 0 || !self.table.packer.is_even() {
            self.table.decode(at.0, state);
            return true;
        }
        // States that are read one after the other are much alike.
        if path.last_name & APART == 0 {
            self.table.packer.unpack_differing(path.last_name, at.0, &mut path.last);
        } else {
            self.table.packer.unpack(at.0, &mut path.last);
        }
        path.last_name = at.0;
        state.clear();
        state.extend_from_slice(&path.last);
        true
    }

    #[inline]
    fn resume(&mut self, at: StateRef, path: &mut PackedPath) {
        path.name = at.0;
    }
}
