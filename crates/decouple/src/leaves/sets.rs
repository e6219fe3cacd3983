//! Frames and sets of frames, each kept once and named by a number.

use crate::leaves::bits::{Bits, BitsRef};
use rapidhash::RapidHashMap;
use starwheel_store::{FlatSet, Inserted, StateId, StateSet};
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
    /// As compressed sets of the numbers of frames.
    sets: FlatSet,
    sketches: Vec<Sketch>,
}

/// Which sets lie within which others, as far as that was asked.
#[derive(Debug, Default)]
pub struct Subsets(RefCell<RapidHashMap<(SetId, SetId), bool>>);

/// What is often enough to know of a set.
#[derive(Clone, Copy, Debug)]
struct Sketch {
    /// The number of members.
    len: u32,
    /// A few bits: a set whose bits are not all in another's is no subset of it.
    bits: u64,
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

    /// The number of a frame that was seen before.
    pub fn known_frame(&self, bytes: &[u8]) -> Option<FrameId> {
        starwheel_store::StateStore::lookup(&self.frames, bytes).map(|id| FrameId(id.0))
    }

    /// The bytes of a frame.
    pub fn bytes(&self, id: FrameId) -> &[u8] {
        self.frames.get(StateId(id.0))
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The number of a set; the list need not be in order.
    pub fn set(&mut self, list: Vec<FrameId>) -> Result<SetId, Full> {
        self.keep(&sorted(list))
    }

    /// The number of a set.
    pub fn keep(&mut self, bits: &Bits) -> Result<SetId, Full> {
        let id = number(self.sets.insert(bits.bytes()))?;
        if id as usize == self.sketches.len() {
            let fold = |s: Sketch, f: u32| Sketch { len: s.len + 1, bits: s.bits | 1 << (f % 64) };
            self.sketches.push(bits.view().iter().fold(Sketch { len: 0, bits: 0 }, fold));
        }
        Ok(SetId(id))
    }

    /// The number of a set that was seen before.
    pub fn known_set(&self, bits: &Bits) -> Option<SetId> {
        starwheel_store::StateStore::lookup(&self.sets, bits.bytes()).map(|id| SetId(id.0))
    }

    /// A set.
    pub fn view(&self, id: SetId) -> BitsRef<'_> {
        BitsRef(self.sets.get(StateId(id.0)))
    }

    /// The members of a set, in order.
    pub fn members(&self, id: SetId) -> impl Iterator<Item = FrameId> {
        self.view(id).iter().map(FrameId)
    }

    /// The members of a set, in order, as a list.
    pub fn list(&self, id: SetId) -> Vec<FrameId> {
        self.members(id).collect()
    }

    /// The number of members of a set.
    pub fn len(&self, id: SetId) -> usize {
        self.sketches[id.0 as usize].len as usize
    }

    /// The first member of a set; sets that are kept have one.
    pub fn first(&self, id: SetId) -> FrameId {
        self.members(id).next().unwrap_or(FrameId(0))
    }

    /// True if it is plain that a set does not lie within another.
    fn differs(&self, small: SetId, large: SetId) -> bool {
        let (few, many) = (self.sketches[small.0 as usize], self.sketches[large.0 as usize]);
        few.len >= many.len || few.bits & !many.bits != 0
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        let lists = self.sketches.capacity() * size_of::<Sketch>();
        self.frames.usage().bytes + self.sets.usage().bytes + lists as u64
    }
}

impl Subsets {
    /// True if every member of `small` is one of `large`.
    pub fn ask(&self, sets: &Sets, small: SetId, large: SetId) -> bool {
        if small == large || sets.differs(small, large) {
            return small == large;
        }
        if let Some(&known) = self.0.borrow().get(&(small, large)) {
            return known;
        }
        let answer = sets.view(small).within(sets.view(large));
        let mut known = self.0.borrow_mut();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert((small, large), answer);
        answer
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        12 * self.0.borrow().capacity() as u64
    }
}

/// A set of frames; the list need not be in order.
pub fn sorted(mut list: Vec<FrameId>) -> Bits {
    list.sort_unstable();
    list.dedup();
    Bits::of(&list.into_iter().map(|f| f.0).collect::<Vec<_>>())
}
