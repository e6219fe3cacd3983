//! A flat set for searches that look for many successors at once: keys that are made first and looked for later.

use super::{FlatSet, tag};
use crate::prefetch::{prefetch, prefetch_address};
use crate::set::{Decode, Exactness, Inserted, Marked, StateId, StateSet, Usage, Visit, Visited};
use crate::strings::hash;
use std::sync::atomic::Ordering;

impl FlatKey {
    /// The key of a state.
    #[inline(always)]
    pub fn of(state: &[u8]) -> FlatKey {
        FlatKey(hash(state))
    }
}

impl FlatSet {
    /// As [`StateSet::insert`], with the key of the state.
    #[inline(always)]
    pub fn insert_keyed(&mut self, key: &FlatKey, state: &[u8]) -> Inserted {
        self.insert_hashed(state, key.0, 0)
    }

    /// As [`crate::StateStore::lookup`], with the key of the state.
    pub fn lookup_keyed(&self, key: &FlatKey, state: &[u8]) -> Option<StateId> {
        self.lookup_hashed(state, key.0)
    }

    /// Asks for the slot that a key probably has.
    #[inline(always)]
    pub fn prefetch_slot(&self, key: &FlatKey) {
        prefetch_address(self.table.as_ptr().wrapping_add(self.home(tag(key.0))) as u64);
    }

    /// Asks for the bytes of the state that a key probably means; to be called a while after [`Visited::prefetch`].
    pub fn prefetch_bytes(&self, key: &FlatKey) {
        let slot = self.table[self.home(tag(key.0))];
        if !slot.is_free() && slot.tag == tag(key.0) && self.ends.is_none() {
            prefetch(&self.bytes, slot.state as usize * self.width);
        }
    }
}

/// The hash of a state.
#[derive(Clone, Copy, Debug)]
pub struct FlatKey(pub u64);

impl Visited for FlatSet {
    type Key = FlatKey;
    type Ref = StateId;
    type Path = ();

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn usage(&self) -> Usage {
        StateSet::usage(self)
    }

    fn besides(&self, bytes: u64) {
        self.besides.store(bytes, Ordering::Relaxed);
    }

    #[inline(always)]
    fn prepare(&mut self, state: &[u8], _from: Option<(&mut (), &[u8])>) -> Option<FlatKey> {
        Some(FlatKey(hash(state)))
    }

    #[inline(always)]
    fn prefetch(&mut self, key: &mut FlatKey) {
        self.prefetch_slot(key);
    }

    #[inline(always)]
    fn insert(&mut self, key: &FlatKey, state: &[u8], marks: u8) -> Visit<StateId> {
        match self.insert_hashed(state, key.0, marks) {
            Inserted::New(id) => Visit::New(id),
            Inserted::Known(id) => Visit::Known(id, self.marks_of(id)),
            Inserted::Full => Visit::Full,
        }
    }

    fn lookup(&mut self, key: &FlatKey, state: &[u8]) -> Option<(StateId, u8)> {
        self.lookup_hashed(state, key.0).map(|id| (id, self.marks_of(id)))
    }
}

impl Marked for FlatSet {
    fn mark_bits(&self) -> u32 {
        self.mark_bits
    }

    fn marks(&mut self, at: StateId) -> Option<u8> {
        (at.index() < self.count).then(|| self.marks_of(at))
    }

    fn change_marks(&mut self, at: StateId, keep: u8, set: u8) -> Option<u8> {
        let (old, mask) = (Marked::marks(self, at)?, self.mark_mask());
        if let Some(marks) = self.marks.get_mut(at.index()) {
            *marks = (old & keep | set) & mask;
        }
        Some(old)
    }
}

impl Decode for FlatSet {
    const READY: bool = true;

    fn resume(&mut self, _at: StateId, _path: &mut ()) {}

    #[inline(always)]
    fn decode(&mut self, at: StateId, state: &mut Vec<u8>, _path: &mut ()) -> bool {
        state.clear();
        state.extend_from_slice(self.get(at));
        at.index() < self.count
    }
}
