//! Room for the states of a flat set: how its lists and its table grow, and where the limit is.

use super::{FlatSet, Slot};
use crate::pages::filled;
use std::sync::atomic::Ordering;

const FIRST_SLOTS: usize = 64;
/// A table grows twice as fast up to so many slots.
const LARGE: usize = 1 << 18;
const SLOT_BYTES: u64 = size_of::<Slot>() as u64;
const END_BYTES: u64 = size_of::<u64>() as u64;
/// States between two looks at the limit.
const PERIOD: usize = 1 << 10;

impl FlatSet {
    /// Makes sure that one more state of this many bytes fits, and maybe others; false if it cannot.
    #[cold]
    pub(super) fn make_room(&mut self, bytes: usize) -> bool {
        self.sure = 0;
        if self.count >= u32::MAX as usize {
            return false;
        }
        // If the table may not grow, it is still of use until almost full.
        let used = self.count + 1;
        if used > self.table.len() / 2 && !self.grow(bytes) && used > self.table.len() / 16 * 15 {
            return false;
        }
        let even = self.ends.is_none() && (self.count == 0 || bytes == self.width);
        // Where strings end is written down from now on, also for those that are there.
        let ends = if even { 0 } else { used - self.ends.as_ref().map_or(0, Vec::len) };
        let more = bytes as u64 + 1 + ends as u64 * END_BYTES;
        let Some(spare) = self.allowed().checked_sub(self.total().saturating_add(more)) else { return false };
        if self.bytes.try_reserve(bytes).is_err() || self.marks.try_reserve(1).is_err() || !even && !self.note(ends) {
            return false;
        }
        (self.width, self.sure, self.listed) = (bytes, 1, self.listed || !even);
        if even {
            let room = (self.bytes.capacity() - self.bytes.len() - bytes).checked_div(bytes).unwrap_or(0);
            let marks = if self.mark_bits > 0 { self.marks.capacity() - self.marks.len() - 1 } else { usize::MAX };
            let slots = (self.table.len() / 2).saturating_sub(used);
            let spare = usize::try_from(spare / more).unwrap_or(usize::MAX);
            self.sure += [PERIOD, room, marks, slots, spare].into_iter().min().unwrap_or(0);
        }
        true
    }

    /// Makes room in the list of ends for so many more, and writes down those of the states that are there.
    fn note(&mut self, more: usize) -> bool {
        let mut ends = self.ends.take();
        let list = ends.get_or_insert_default();
        if list.try_reserve(more).is_err() {
            self.ends = ends.filter(|list| !list.is_empty());
            return false;
        }
        let width = self.width as u64;
        list.extend((list.len()..self.count).map(|state| (state as u64 + 1) * width));
        self.ends = ends;
        true
    }

    /// Makes the table larger; false if there is no memory for it beside the old one and `spare` bytes.
    fn grow(&mut self, spare: usize) -> bool {
        let times = if self.table.len() < LARGE { 4 } else { 2 };
        let slots = (self.table.len() * times).max(FIRST_SLOTS);
        let more = slots as u64 * SLOT_BYTES + spare as u64 + END_BYTES;
        if slots.ilog2() > u32::BITS || self.total().saturating_add(more) > self.allowed() {
            return false;
        }
        let Some(table) = filled(slots, || Slot::FREE) else { return false };
        self.shift = u32::BITS - slots.ilog2();
        for slot in std::mem::replace(&mut self.table, table) {
            if !slot.is_free() {
                let mut place = self.home(slot.tag);
                while !self.table[place].is_free() {
                    place = (place + 1) & (slots - 1);
                }
                self.table[place] = slot;
            }
        }
        true
    }

    /// What the limit leaves for this set.
    fn allowed(&self) -> u64 {
        self.limit.saturating_sub(self.besides.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub(crate) fn total(&self) -> u64 {
        let ends = self.ends.as_ref().map_or(0, Vec::len) as u64;
        // The one slot of an empty set does not count.
        let slots = self.table.len() as u64 & !1;
        self.bytes.len() as u64 + self.marks.len() as u64 + ends * END_BYTES + slots * SLOT_BYTES
    }
}
