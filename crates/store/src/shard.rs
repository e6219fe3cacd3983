//! One shard of the root table: an ordered hash table whose slots keep only what their place does not say.
//!
//! Slots stand in the order of their mixed keys, so that looking for a missing key ends early, and growing reads and
//! writes memory from front to back: O. Amble, D. Knuth, Ordered Hash Tables (1974). [`crate::shape`] says what a slot holds.

#![allow(unsafe_code)]

use crate::budget::Budget;
use crate::pages::filled;
use crate::prefetch::prefetch;
use crate::shape::{Bits, DISTANCE, LOAD, Shape};
use std::mem::MaybeUninit;

/// A shard that grows has a third of its homes more, so that few keys are moved more than three times.
const GROWTH: (u64, u64) = (4, 3);
/// A shard with even fewer leaves room for wider keys, so many bits in each half.
const SPARE: (u64, u32) = (1 << 12, 3);
/// Greatest distance from home. A search stops one slot later at the latest, where its word still has room for the distance.
const FARTHEST: u64 = (1 << DISTANCE) - 3;
/// Homes of the first layout, if nobody knows better, and at most.
const FIRST: u32 = 8;
const MOST_FIRST: u32 = 1 << 24;
/// Bytes behind the last slot, so that every slot can be read as a word.
const TAIL: usize = 8 * GLANCE;
/// Slots that a search looks at together.
const GLANCE: usize = 4;
/// Most slots without a gap that a new key pushes along. No key is farther from home than this, and slots stand in the order
/// of their homes, so longer runs hardly ever end before one of them would be too far.
const RUN: usize = 2 * FARTHEST as usize;
/// A search looks at about so many bytes: where they end, a line of the cache may begin that is needed as well.
pub(crate) const AHEAD: usize = 24;

/// A shard. What changes with each key comes first, beside the lock: threads take that cache line from each other anyway,
/// and seldom the other one.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Shard {
    len: u32,
    /// Changes with the layout; zero while there is none.
    stamp: u32,
    /// The bits that some key has.
    met: [u32; 2],
    bytes: Vec<u8>,
    shape: Shape,
    /// With fewer homes it doubles them when it grows: moving keys costs more than memory then.
    small: u32,
    /// Homes of the first layout.
    first: u32,
}

/// Where a key belongs, until the layout of its shard changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hint {
    word: u64,
    place: u32,
    stamp: u32,
}

impl Hint {
    /// A key belongs here in the layout with this stamp, and this is its word there.
    #[inline(always)]
    pub fn new(place: usize, word: u64, stamp: u32) -> Hint {
        Hint { word, place: place as u32, stamp }
    }
}

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    New,
    Known(u8),
    Full,
}

/// A slot: the word that belongs there, and whether it is there.
struct Spot {
    place: usize,
    word: u64,
    taken: bool,
    /// The marks of what is there.
    marks: u8,
}

impl Shard {
    /// An empty shard, which is small as long as it has fewer homes than these.
    pub fn new(small: u32) -> Shard {
        Shard { len: 0, stamp: 0, met: [0; 2], bytes: Vec::new(), shape: Shape::default(), small, first: FIRST }
    }

    /// Gets ready for so many keys with these bits, if there is none yet.
    pub fn expect(&mut self, keys: u64, met: [u32; 2]) {
        if self.stamp == 0 {
            self.met = met;
            self.first = u32::try_from(keys * 16 / LOAD).unwrap_or(u32::MAX).clamp(FIRST, MOST_FIRST);
        }
    }

    /// The number of keys.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Shows all keys with their marks, from all over the table in turn: keys in their order would all want to live at the
    /// front of a table that is still small.
    pub fn each(&self, marks: u32, mut show: impl FnMut((u32, u32), u8)) {
        let slots = self.slots();
        let step = scattering(slots);
        let mut place = 0;
        for _ in 0..slots {
            let word = self.word(place);
            if word != 0 {
                show(self.shape.unmix(self.shape.join(place, word >> marks)), (word & ((1 << marks) - 1)) as u8);
            }
            place = (place + step) % slots;
        }
    }

    /// Forgets all keys and gives their memory back.
    pub fn clear(&mut self, budget: &Budget) {
        budget.give_back(self.bytes.len() as u64);
        *self = Shard::new(self.small);
    }

    /// Mixes a key for this shard and asks the processor to fetch its slot.
    #[inline(always)]
    pub fn prefetch(&self, low: u32, high: u32) -> Hint {
        let Some((place, word)) = self.home(low, high) else { return Hint::default() };
        let start = place * self.shape.width as usize;
        prefetch(&self.bytes, start);
        prefetch(&self.bytes, start + AHEAD);
        Hint::new(place, word, self.stamp)
    }

    /// Changes with the layout; zero while there is none.
    #[inline(always)]
    pub fn stamp(&self) -> u32 {
        self.stamp
    }

    /// The layout.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The address of the first slot.
    pub fn address(&self) -> u64 {
        self.bytes.as_ptr().addr() as u64
    }

    /// The marks of a key, if it is there.
    #[inline(always)]
    pub fn get(&self, low: u32, high: u32, hint: Hint, marks: u32) -> Option<u8> {
        let spot = self.find(self.hinted(low, high, hint)?, marks);
        spot.taken.then_some(spot.marks)
    }

    /// Keeps some marks of a key, sets others, and tells what they were, if the key is there.
    pub fn change(&mut self, low: u32, high: u32, marks: u32, keep: u8, set: u8) -> Option<u8> {
        let spot = self.find(self.home(low, high)?, marks);
        if !spot.taken {
            return None;
        }
        let word = self.word(spot.place);
        let mask = (1u64 << marks) - 1;
        let old = (word & mask) as u8;
        self.replace(spot.place, word & !mask | u64::from(old & keep | set) & mask);
        Some(old)
    }

    /// Adds a key with marks unless it is there.
    #[inline(always)]
    pub fn put(&mut self, key: (u32, u32), hint: Hint, marks: u32, value: u8, budget: &Budget) -> Put {
        let Some(home) = self.hinted(key.0, key.1, hint) else {
            return self.add_widening(key, false, marks, value, budget);
        };
        match self.find(home, marks) {
            Spot { taken: true, marks, .. } => Put::Known(marks),
            Spot { place, word, .. } => self.add(key, (place, word), marks, value, budget),
        }
    }

    /// Adds a key that is not there and whose place is known.
    #[inline(never)]
    fn add(&mut self, key: (u32, u32), at: (usize, u64), marks: u32, value: u8, budget: &Budget) -> Put {
        if self.len < self.shape.room && self.insert(at, marks, value) {
            self.met = [self.met[0] | key.0, self.met[1] | key.1];
            return Put::New;
        }
        self.add_widening(key, true, marks, value, budget)
    }

    /// Adds a key that is not there after the shard has grown. A key that `fits` has a place if it cannot grow.
    #[cold]
    #[inline(never)]
    fn add_widening(&mut self, key: (u32, u32), fits: bool, marks: u32, value: u8, budget: &Budget) -> Put {
        let met = [self.met[0] | key.0, self.met[1] | key.1];
        // If the shard may not grow, it is still of use until almost full.
        if !self.grow(Bits::of(met[0], met[1]), marks, budget) && !fits {
            return Put::Full;
        }
        self.met = met;
        let Some(home) = self.home(key.0, key.1) else { return Put::Full };
        let Spot { place, word, .. } = self.find(home, marks);
        if self.insert((place, word), marks, value) { Put::New } else { Put::Full }
    }

    /// Where a key belongs and its word there; none if it is too wide for this shard, and thus not in it.
    #[inline(always)]
    fn hinted(&self, low: u32, high: u32, hint: Hint) -> Option<(usize, u64)> {
        if hint.stamp == self.stamp && hint.place < self.shape.homes {
            return Some((hint.place as usize, hint.word));
        }
        self.home(low, high)
    }

    #[inline(always)]
    fn home(&self, low: u32, high: u32) -> Option<(usize, u64)> {
        if self.stamp == 0 {
            return None;
        }
        self.shape.mix(low, high).map(|mixed| self.shape.cut(mixed))
    }

    /// The slot of a key, or the one where it belongs.
    #[inline(always)]
    fn find(&self, (mut place, mut word): (usize, u64), marks: u32) -> Spot {
        let (one, mask) = (self.shape.one(), self.shape.slot);
        loop {
            // The last slot is always free, so this ends there at the latest. How many slots are passed is anybody's guess, also
            // the processor's: so some are looked at together, without a branch for each.
            let mut passed = 0;
            let mut all = 1;
            for next in 0..GLANCE {
                let there = (self.eight(place + next) & mask) >> marks;
                all &= usize::from(there > word + next as u64 * one);
                passed += all;
            }
            place += passed;
            word += passed as u64 * one;
            if all == 0 {
                let slot = self.eight(place) & mask;
                let there = slot >> marks;
                let marks = (slot ^ there << marks) as u8;
                return Spot { place, word, taken: there == word, marks };
            }
        }
    }

    /// Puts a word in its place and pushes those that stand there one further; false if there is no room.
    ///
    /// All of them are read before any is written: a slot that is read while one beside it is on its way to memory, and has
    /// bytes in common with it, waits until that has arrived.
    #[inline(always)]
    fn insert(&mut self, (first, word): (usize, u64), marks: u32, value: u8) -> bool {
        let (one, last) = (self.shape.one(), self.shape.slots() - 1);
        if first >= last || word >= (FARTHEST + 2) * one {
            return false;
        }
        let value = u64::from(value) & ((1 << marks) - 1);
        let (slot, width) = (self.shape.slot, self.shape.width as usize);
        let (one, farthest) = (one << marks, ((FARTHEST + 1) * one) << marks);
        let mut run = [const { MaybeUninit::<u64>::uninit() }; RUN];
        let (mut count, mut moving) = (0, word << marks | value);
        let behind = loop {
            let place = first + count;
            let eight = self.eight(place);
            let there = eight & slot;
            // The last slot stays free: it ends every search.
            if count == RUN || place >= last || there >= farthest {
                return false;
            }
            run[count].write(moving);
            count += 1;
            if there == 0 {
                break eight;
            }
            moving = there + one;
        };
        let start = first * width;
        debug_assert!(start + (count - 1) * width + TAIL <= self.bytes.len());
        // What a slot's eight bytes take from the next one is written again with that; behind the last it stays as it is.
        // SAFETY: these are the slots that were read above, so many, and `eight` says why they can be read and written.
        unsafe {
            let mut at = self.bytes.as_mut_ptr().add(start);
            for word in &run[..count - 1] {
                at.cast::<u64>().write_unaligned(word.assume_init().to_le());
                at = at.add(width);
            }
            at.cast::<u64>().write_unaligned((run[count - 1].assume_init() | behind).to_le());
        }
        self.len += 1;
        true
    }

    /// Moves everything to a layout with more homes, for keys of these bits; false if there is no memory.
    fn grow(&mut self, need: Bits, marks: u32, budget: &Budget) -> bool {
        let now = u64::from(self.shape.homes);
        let mut homes = if now < self.small.into() { 2 * now } else { now * GROWTH.0 / GROWTH.1 };
        homes = homes.max(self.first.into());
        // Bits alone are no reason to grow much.
        if u64::from(self.len) < now * (LOAD - 4) / 16 {
            homes = now;
        }
        // A layout in which some key is too far from home is very rare; a bigger one follows then.
        for _ in 0..4 {
            let Some(shape) = self.next_shape(homes, need, marks) else { return false };
            match self.rebuilt(shape, marks, budget) {
                // A beginning that was meant for many keys may be too large.
                None if std::mem::replace(&mut self.first, FIRST) > FIRST => homes = FIRST.into(),
                None => return false,
                Some(shard) if shard.len == self.len => {
                    budget.give_back(self.bytes.len() as u64);
                    *self = shard;
                    return true;
                }
                Some(shard) => budget.give_back(shard.bytes.len() as u64),
            }
            homes += homes / 4 + 1;
        }
        false
    }

    /// The old permutation if it serves as well as any: then keys keep their order.
    fn next_shape(&self, homes: u64, need: Bits, marks: u32) -> Option<Shape> {
        let bits = self.shape.bits();
        let widens = self.stamp == 0 || bits.max(need) != bits;
        let wish = if widens && homes < SPARE.0 { need.and(SPARE.1) } else { need };
        let fresh = Shape::new(homes, wish, marks).or_else(|| Shape::new(homes, need, marks))?;
        if widens {
            return Some(fresh);
        }
        let same = Shape::exact(homes, bits, marks);
        Some(same.filter(|same| same.width <= fresh.width).unwrap_or(fresh))
    }

    /// A copy in another layout; it has fewer keys if not all of them fit; none if there is no memory.
    fn rebuilt(&self, shape: Shape, marks: u32, budget: &Budget) -> Option<Shard> {
        let size = shape.slots() * shape.width as usize + TAIL;
        let same_order = shape.bits() == self.shape.bits();
        let (bytes, met, small) = (zeroed(size, budget)?, self.met, self.small);
        let mut shard = Shard { len: 0, stamp: self.stamp + 1, met, bytes, shape, small, first: FIRST };
        let mut next = 0;
        for place in 0..self.slots() {
            let word = self.word(place);
            if word == 0 {
                continue;
            }
            let mixed = self.shape.join(place, word >> marks);
            let value = word & ((1 << marks) - 1);
            let done = if same_order {
                // Keys keep their order, so each goes to its home or behind the one before it.
                shard.append(mixed, &mut next, marks, value)
            } else {
                let (low, high) = self.shape.unmix(mixed);
                let Spot { place, word, .. } = shard.find(shard.home(low, high)?, marks);
                shard.insert((place, word), marks, value as u8)
            };
            if !done {
                break;
            }
        }
        Some(shard)
    }

    /// Adds a key that comes after all others, whose slots end before `next`; false if there is no room.
    #[inline(always)]
    fn append(&mut self, mixed: u64, next: &mut usize, marks: u32, value: u64) -> bool {
        let (home, word) = self.shape.cut(mixed);
        let place = home.max(*next);
        let distance = (place - home) as u64;
        if place + 1 >= self.shape.slots() || distance > FARTHEST {
            return false;
        }
        self.replace(place, (word + distance * self.shape.one()) << marks | value);
        *next = place + 1;
        self.len += 1;
        true
    }

    fn slots(&self) -> usize {
        if self.stamp == 0 { 0 } else { self.shape.slots() }
    }

    #[inline(always)]
    fn word(&self, place: usize) -> u64 {
        self.eight(place) & self.shape.slot
    }

    /// The eight bytes from the start of a slot on.
    #[inline(always)]
    fn eight(&self, place: usize) -> u64 {
        let start = place * self.shape.width as usize;
        debug_assert!(start + size_of::<u64>() <= self.bytes.len());
        // SAFETY: a place is smaller than the number of slots, and behind the slots there are `TAIL` bytes, enough for
        // the slots of a glance (`rebuilt` makes the bytes of each layout).
        u64::from_le(unsafe { self.bytes.as_ptr().add(start).cast::<u64>().read_unaligned() })
    }

    /// Changes a slot and tells what was there. Eight bytes are read and written, of which those behind the slot stay as
    /// they are.
    #[inline(always)]
    fn replace(&mut self, place: usize, word: u64) -> u64 {
        let (start, slot) = (place * self.shape.width as usize, self.shape.slot);
        let eight = self.eight(place);
        // SAFETY: as above.
        unsafe { self.bytes.as_mut_ptr().add(start).cast::<u64>().write_unaligned((eight & !slot | word).to_le()) }
        eight & slot
    }
}

/// A step that visits each of so many places once, far from the one before: about the golden section.
fn scattering(places: usize) -> usize {
    let prime = |step: &usize| {
        let (mut a, mut b) = (places, *step);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (places / 8 * 5 + 1..).find(prime).unwrap_or(1)
}

/// Bytes that are zero, paid for; none if there is no memory.
fn zeroed(size: usize, budget: &Budget) -> Option<Vec<u8>> {
    if !budget.take(size as u64) {
        return None;
    }
    let bytes = filled(size, || 0);
    if bytes.is_none() {
        budget.give_back(size as u64);
    }
    bytes
}
