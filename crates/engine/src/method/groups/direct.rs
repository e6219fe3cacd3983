//! A plain store lets a search look at states where they lie, and enter the successors of a state at once.

use crate::method::groups::memory::{Exact, Name};
use crate::parts::frontier::Frontier;
use starwheel_model::{Batch, Entry};
use starwheel_store::{FlatKey, FlatSet, Inserted, StateId};

impl Exact<FlatSet> {
    /// [`crate::method::groups::memory::Memory::view`] for a plain store.
    #[inline(always)]
    pub fn view(&self, record: &[u8]) -> Option<&[u8]> {
        let (id, hidden) = StateId::read(record)?;
        hidden.is_empty().then(|| self.store.get(id))
    }

    /// [`crate::method::groups::memory::Memory::enter`] for a plain store.
    #[inline(always)]
    pub fn enter(&mut self, batch: &mut Batch, frontier: &mut Frontier, parent: usize) -> Option<u64> {
        let Batch { entries, bytes, uniform, .. } = batch;
        if self.hidden > 0 {
            return self.enter_all::<true>(entries, bytes, frontier, parent);
        }
        let len = match *uniform {
            0 if lie_evenly(entries, self.store.common_length()) => self.store.common_length(),
            len => len as usize,
        };
        match len {
            0 => self.enter_all::<false>(entries, bytes, frontier, parent),
            // Who leaves out steps leaves the bytes of their ends behind.
            len => {
                let all = &bytes[..entries.len() * len];
                self.store.insert_all(all, len, |StateId(id)| frontier.push_number(id, parent))
            }
        }
    }

    /// Where a successor belongs takes the place of what its step may have changed, and is fetched for all of them together.
    #[inline(never)]
    fn enter_all<const HIDDEN: bool>(
        &mut self,
        steps: &mut [Entry],
        bytes: &[u8],
        frontier: &mut Frontier,
        parent: usize,
    ) -> Option<u64> {
        let hidden = if HIDDEN { self.hidden } else { 0 };
        let state = |entry: &Entry| &bytes[entry.start as usize..][..entry.len as usize][hidden..];
        for entry in &mut steps[..] {
            let key = FlatKey::of(state(entry));
            self.store.prefetch_slot(&key);
            entry.changed = key.0;
        }
        let mut new = 0;
        for entry in &steps[..] {
            match self.store.insert_keyed(&FlatKey(entry.changed), state(entry)) {
                Inserted::Known(_) => continue,
                Inserted::Full => return None,
                Inserted::New(StateId(id)) if !HIDDEN => frontier.push_number(id, parent),
                Inserted::New(id) => {
                    let start = frontier.desk().len();
                    id.write(frontier.desk());
                    frontier.desk().extend_from_slice(&bytes[entry.start as usize..][..hidden]);
                    frontier.seal(start, parent);
                }
            }
            new += 1;
        }
        Some(new)
    }
}

/// True if all successors have this length and lie one behind the other.
#[inline(always)]
fn lie_evenly(steps: &[Entry], len: usize) -> bool {
    let places = (0u64..).step_by(len.max(1));
    steps.iter().zip(places).all(|(entry, start)| u64::from(entry.start) == start && entry.len as usize == len)
}
