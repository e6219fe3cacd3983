//! Frames and sets of frames, each kept once and named by a number.

use rapidhash::RapidHashMap;
use starwheel_store::{FlatSet, Inserted, StateSet};
use std::cell::RefCell;

/// A frame: what one process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// A set of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(pub u32);

/// There is no more room for anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// All frames and sets.
#[derive(Debug, Default)]
pub struct Sets {
    frames: FlatSet,
    sets: FlatSet,
    members: Vec<Box<[FrameId]>>,
    /// A few bits of each set: a set whose bits are not all in another's is no subset of it.
    sketches: Vec<u64>,
    subsets: RefCell<RapidHashMap<(SetId, SetId), bool>>,
}

/// The number that an insertion gives.
pub fn number(inserted: Inserted) -> Result<u32, Full> {
    match inserted {
        Inserted::New(id) | Inserted::Known(id) => Ok(id.0),
        Inserted::Full => Err(Full),
    }
}

/// Numbers as a string of bytes.
pub fn pack(numbers: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    numbers.for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
}

/// Most answers about subsets that are remembered.
const REMEMBERED: usize = 1 << 22;

impl Sets {
    /// The number of a frame.
    pub fn frame(&mut self, bytes: &[u8]) -> Result<FrameId, Full> {
        number(self.frames.insert(bytes)).map(FrameId)
    }

    /// The bytes of a frame.
    pub fn bytes(&self, id: FrameId) -> &[u8] {
        self.frames.get(starwheel_store::StateId(id.0))
    }

    /// The number of a set; the list need not be in order.
    pub fn set(&mut self, mut list: Vec<FrameId>) -> Result<SetId, Full> {
        list.sort_unstable();
        list.dedup();
        let mut key = Vec::with_capacity(4 * list.len());
        pack(list.iter().map(|f| f.0), &mut key);
        let id = number(self.sets.insert(&key))?;
        if id as usize == self.members.len() {
            self.sketches.push(list.iter().fold(0, |bits, f| bits | 1 << (f.0 % 64)));
            self.members.push(list.into());
        }
        Ok(SetId(id))
    }

    /// The members of a set, in order.
    pub fn members(&self, id: SetId) -> &[FrameId] {
        &self.members[id.0 as usize]
    }

    /// True if every member of `small` is one of `large`.
    pub fn subset(&self, small: SetId, large: SetId) -> bool {
        let bits = |id: SetId| self.sketches[id.0 as usize];
        if small == large {
            return true;
        }
        let (few, many) = (self.members(small), self.members(large));
        if few.len() >= many.len() || bits(small) & !bits(large) != 0 {
            return false;
        }
        if let Some(&known) = self.subsets.borrow().get(&(small, large)) {
            return known;
        }
        let mut rest = many.iter();
        let answer = few.iter().all(|f| rest.any(|g| g == f));
        let mut known = self.subsets.borrow_mut();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert((small, large), answer);
        answer
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        let members: usize = self.members.len() * 24 + self.subsets.borrow().capacity() * 12;
        self.frames.usage().bytes + 2 * self.sets.usage().bytes + members as u64
    }
}
