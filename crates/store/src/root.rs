//! The root table: a compact set of 64-bit names with a few marks each, in shards that grow by themselves.
//!
//! A shard is chosen by bits of the name that can be computed back from the shard and the rest, so the shard need not keep
//! them. Growing stops one shard only and never needs memory for two copies of the whole.

mod archive;

use crate::budget::Budget;
use crate::lock::{Guarded, Lock};
use crate::notice::Notice;
use crate::shard::{Hint, Put, Shard};

/// Number of shards, as a power of two: many threads seldom meet in one, and one thread has all their heads at hand.
const fn shards<L: Lock>() -> u32 {
    if L::ALONE { 5 } else { 8 }
}

/// A table is small with fewer homes than this, as a power of two, and its shards with their share of them.
const SMALL: u32 = 21;

/// A set of names.
#[derive(Debug)]
pub(crate) struct Root<L> {
    shards: Box<[Guarded<Shard, L>]>,
    /// Where keys belong in the shards; none if there is one thread, which may as well look there.
    notices: Box<[Notice]>,
    /// Bits of a slot for marks.
    marks: u32,
}

/// A name and what is known of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub name: u64,
    hint: Hint,
}

impl Sought {
    /// Nothing is known yet.
    #[inline(always)]
    pub fn new(name: u64) -> Sought {
        Sought { name, hint: Hint::default() }
    }
}

impl<L: Lock> Root<L> {
    /// An empty set, for ever if there is no memory. At most eight bits for marks.
    pub fn new(marks: u32, budget: &Budget) -> Root<L> {
        let notice = if L::ALONE { 0 } else { size_of::<Notice>() };
        let bytes = ((size_of::<Guarded<Shard, L>>() + notice) as u64) << shards::<L>();
        let count = if budget.take(bytes) { 1 << shards::<L>() } else { 0 };
        let shards = (0..count).map(|_| Guarded::new(Shard::new(1 << (SMALL - shards::<L>())))).collect();
        let notices = (0..if L::ALONE { 0 } else { count }).map(|_| Notice::default()).collect();
        Root { shards, notices, marks: marks.min(u8::BITS) }
    }

    /// The bits of a slot for marks.
    pub fn marks(&self) -> u32 {
        self.marks
    }

    /// Gets ready for so many names with no more bits than this one, if there is none yet.
    pub fn expect(&self, names: u64, widest: u64) {
        let (_, low, high) = cut::<L>(widest);
        for shard in &self.shards {
            shard.lock().expect(names >> shards::<L>(), [low, high]);
        }
    }

    /// The number of names.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.lock().len())).sum()
    }

    /// Asks the processor to fetch the place of a name.
    #[inline(always)]
    pub fn prefetch(&self, sought: &mut Sought) {
        let (shard, low, high) = cut::<L>(sought.name);
        if L::ALONE {
            if let Some(shard) = self.shards.get(shard) {
                sought.hint = shard.lock().prefetch(low, high);
            }
        } else if let Some(notice) = self.notices.get(shard) {
            sought.hint = notice.prefetch(low, high);
        }
    }

    /// The marks of a name, if it is there.
    #[inline(always)]
    pub fn get(&self, sought: &Sought) -> Option<u8> {
        let (shard, low, high) = cut::<L>(sought.name);
        self.shards.get(shard)?.lock().get(low, high, sought.hint, self.marks)
    }

    /// Adds a name with marks unless it is there.
    #[inline(always)]
    pub fn put(&self, sought: &Sought, value: u8, budget: &Budget) -> Put {
        let (shard, low, high) = cut::<L>(sought.name);
        let Some(there) = self.shards.get(shard) else { return Put::Full };
        let mut there = there.lock();
        let put = there.put((low, high), sought.hint, self.marks, value, budget);
        if put == Put::New
            && let Some(notice) = self.notices.get(shard)
        {
            notice.tell(&there);
        }
        put
    }

    /// Shows all names with their marks and forgets them, shard by shard, so that its memory can be used for others; `show`
    /// is false if it should end at once, and what is left is of no use then.
    pub fn drain(&self, budget: &Budget, mut show: impl FnMut(u64, u8) -> bool) -> bool {
        for (number, shard) in self.shards.iter().enumerate() {
            let mut shard = shard.lock();
            let mut goes_on = true;
            shard.each(self.marks, |(low, high), marks| {
                goes_on = goes_on && show(archive::joined::<L>(number as u64, low, high), marks);
            });
            if !goes_on {
                return false;
            }
            shard.clear(budget);
            if let Some(notice) = self.notices.get(number) {
                notice.tell(&shard);
            }
        }
        true
    }

    /// Keeps some marks of a name, sets others, and tells what they were, if the name is there.
    pub fn change(&self, name: u64, keep: u8, set: u8) -> Option<u8> {
        let (shard, low, high) = cut::<L>(name);
        self.shards.get(shard)?.lock().change(low, high, self.marks, keep, set)
    }
}

/// The shard of a name, and the two halves that the shard must know. The shard is the lowest bits of the name, changed by a
/// hash of all others.
#[inline(always)]
fn cut<L: Lock>(name: u64) -> (usize, u32, u32) {
    let bits = shards::<L>();
    let shard = (name ^ mask::<L>(name >> bits << bits)) & ((1 << bits) - 1);
    (shard as usize, (name as u32) >> bits, (name >> 32) as u32)
}

/// What changes the shard of a name, given its other bits.
#[inline(always)]
fn mask<L: Lock>(rest: u64) -> u64 {
    let hash = rest.wrapping_mul(0x9fb2_1c65_1e98_df25);
    (hash ^ hash << 32) >> (u64::BITS - shards::<L>())
}
