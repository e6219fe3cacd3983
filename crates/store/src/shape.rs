//! How a shard of the root table lays out its slots: which bits of a key choose the slot and which are kept in it.
//!
//! A key is two numbers, `low` and `high`, of as many bits as those of this shard need. Written side by side and mixed by a
//! permutation they give `mixed`, which is cut into `home · step + rest`. The slot near `home` keeps `rest` and the distance from
//! `home`: all of the key can be computed back. This is quotienting: J. Cleary, Compact Hash Tables Using Bidirectional Linear
//! Probing (1984). We differ in the distance, which he encodes in two bits for a whole run and we in seven bits for each
//! slot: a whole search is then one comparison a slot. And `step` need not be a power of two, so that a shard may grow by
//! half its size.

/// Bits of a slot for the distance from home, plus one; zero is a free slot.
pub(crate) const DISTANCE: u32 = 7;
/// A shard grows when more than this share of its homes is taken, in 16ths: beyond it, insertions push many slots along.
pub(crate) const LOAD: u64 = 13;
/// A home has at least 2^this keys, so that a shard cannot run out of homes.
const SPREAD: u32 = 1;
/// Most bits of the lower half of a key: together there are fewer than 64.
const LOW: u32 = 31;
/// Most homes of a shard.
const MOST_HOMES: u64 = 1 << 27;

/// Words of [`Shape::packed`].
pub(crate) const PACKED: usize = 4;

const MIX_1: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_2: u64 = 0xd6e8_feb8_6659_fd93;
const UNMIX_1: u64 = inverse(MIX_1);
const UNMIX_2: u64 = inverse(MIX_2);

/// The layout of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Shape {
    /// How many values of `mixed` have the same home.
    step: u64,
    /// 2^64 / (step >> zeros), rounded up: dividing is multiplying with it.
    reciprocal: u64,
    /// Homes; a few more slots follow the last one.
    pub homes: u32,
    /// Zero bits at the end of `step`.
    zeros: u8,
    low: u8,
    high: u8,
    /// Bits of `rest`.
    rest: u8,
    /// Bytes of a slot.
    pub width: u8,
    /// How far `mixed` is shifted onto itself: half of its bits.
    fold: u8,
    /// All bits of `mixed`.
    mask: u64,
    /// The bits of a slot beside the marks: the place of the distance, as a number that counts one.
    one: u64,
    /// All bits of a slot.
    pub slot: u64,
    /// The greatest numbers that fit.
    most: [u32; 2],
    /// Slots: the homes and some more for what is pushed beyond the last.
    slots: u32,
    /// With so many keys a shard should grow.
    pub room: u32,
}

/// Numbers of bits of the two halves of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Bits {
    pub low: u32,
    pub high: u32,
}

impl Bits {
    /// What this key needs.
    pub fn of(low: u32, high: u32) -> Bits {
        Bits { low: u32::BITS - low.leading_zeros(), high: u32::BITS - high.leading_zeros() }
    }

    /// So many more for each half, as far as there are such keys.
    pub fn and(self, more: u32) -> Bits {
        Bits { low: (self.low + more).min(LOW), high: (self.high + more).min(u32::BITS) }
    }

    /// Enough for both.
    pub fn max(self, other: Bits) -> Bits {
        Bits { low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

impl Shape {
    /// A layout with at least about this many homes for keys of these bits, and marks of so many bits. Bits that are left
    /// over in a slot make the keys wider, for later. None if no slot is wide enough.
    pub fn new(homes: u64, bits: Bits, marks: u32) -> Option<Shape> {
        let few = homes.max(1).ilog2() + SPREAD + 1;
        let low = bits.low.max(few.saturating_sub(bits.high)).min(LOW);
        let bits = Bits { low, high: bits.high.max(few.saturating_sub(low)).min(u32::BITS) };
        // Keys of many bits need many homes, else the rest is too long for a slot.
        let tight = (0..MOST_HOMES.ilog2()).find_map(|more| Shape::exact(homes << more, bits, marks))?;
        let spare = u32::from(tight.width) * 8 - tight.used(marks);
        let high = (bits.high + spare / 2).min(u32::BITS);
        let low = (bits.low + spare - (high - bits.high)).min(LOW);
        let wide = Shape::exact(tight.homes.into(), Bits { low, high }, marks);
        Some(wide.filter(|wide| wide.width == tight.width).unwrap_or(tight))
    }

    /// A layout for keys of exactly these bits; none if there are too many homes for them, or too few.
    pub fn exact(homes: u64, bits: Bits, marks: u32) -> Option<Shape> {
        let keys = bits.low + bits.high;
        if homes == 0 || homes > MOST_HOMES || keys >= u64::BITS || homes > 1 << keys >> SPREAD {
            return None;
        }
        let (values, wish) = (1 << keys, (1 << keys) / homes);
        let zeros = wish.ilog2().saturating_sub(4);
        let odd = wish.div_ceil(1 << zeros);
        let step = odd << zeros;
        let rest = u64::BITS - (step - 1).leading_zeros();
        let width = (rest + DISTANCE + marks).div_ceil(8);
        let homes = u64::div_ceil(values, step) as u32;
        (width <= 8).then(|| Shape {
            step,
            reciprocal: (u64::MAX / odd) + 1,
            homes,
            zeros: zeros as u8,
            low: bits.low as u8,
            high: bits.high as u8,
            rest: rest as u8,
            width: width as u8,
            fold: keys.div_ceil(2) as u8,
            mask: values - 1,
            one: 1 << rest,
            slot: u64::MAX >> (u64::BITS - width * 8),
            most: [bits.low, bits.high].map(|bits| ((1u64 << bits) - 1) as u32),
            slots: homes + (8 + homes / 4).min(120),
            room: (u64::from(homes) * LOAD / 16) as u32,
        })
    }

    /// What is needed to mix and cut keys, as words.
    pub fn packed(&self) -> [u64; PACKED] {
        let bytes = [self.low, self.high, self.zeros, self.rest, self.width, self.fold, 0, 0];
        [self.step, self.reciprocal, self.mask, u64::from_le_bytes(bytes)]
    }

    /// A layout that can mix and cut keys, and nothing else.
    #[inline(always)]
    pub fn unpacked([step, reciprocal, mask, bytes]: [u64; PACKED]) -> Shape {
        let [low, high, zeros, rest, width, fold, ..] = bytes.to_le_bytes();
        let most = [low, high].map(|bits| ((1u64 << (bits & 63)) - 1) as u32);
        let one = 1 << (rest & 63);
        Shape {
            step,
            reciprocal,
            homes: 0,
            zeros,
            low,
            high,
            rest,
            width,
            fold,
            mask,
            one,
            slot: 0,
            most,
            slots: 0,
            room: 0,
        }
    }

    /// The bits of keys that fit.
    pub fn bits(&self) -> Bits {
        Bits { low: self.low.into(), high: self.high.into() }
    }

    /// The number of slots.
    #[inline(always)]
    pub fn slots(&self) -> usize {
        self.slots as usize
    }

    /// Bits of a slot that are in use.
    fn used(&self, marks: u32) -> u32 {
        u32::from(self.rest) + DISTANCE + marks
    }

    /// What one slot further from home adds to a word.
    #[inline(always)]
    pub fn one(&self) -> u64 {
        self.one
    }

    /// A key as one mixed number; none if it is too wide for this shard.
    #[inline(always)]
    pub fn mix(&self, low: u32, high: u32) -> Option<u64> {
        if low > self.most[0] || high > self.most[1] {
            return None;
        }
        let key = (u64::from(high) << self.low | u64::from(low)).wrapping_mul(MIX_1) & self.mask;
        Some((key ^ key >> self.fold).wrapping_mul(MIX_2) & self.mask)
    }

    /// The key of a mixed number.
    pub fn unmix(&self, mixed: u64) -> (u32, u32) {
        let key = mixed.wrapping_mul(UNMIX_2) & self.mask;
        let key = (key ^ key >> self.fold).wrapping_mul(UNMIX_1) & self.mask;
        ((key & ((1 << self.low) - 1)) as u32, (key >> self.low) as u32)
    }

    /// Where a mixed number belongs, and what a slot at that very place says (without its marks).
    #[inline(always)]
    pub fn cut(&self, mixed: u64) -> (usize, u64) {
        let home = (u128::from(mixed >> self.zeros) * u128::from(self.reciprocal)) >> u64::BITS;
        let home = home as u64;
        let rest = mixed - home * self.step;
        // Slots with the same home stand in the order of `rest`; with its complement words fall where keys rise.
        (home as usize, self.one() | !rest & (self.one() - 1))
    }

    /// The mixed number of a slot's word (without its marks) at a place.
    pub fn join(&self, place: usize, word: u64) -> u64 {
        let distance = (word >> self.rest) - 1;
        let rest = !word & (self.one() - 1);
        (place as u64 - distance) * self.step + rest
    }

    /// The distance from home of a slot's word (without its marks).
    #[cfg(test)]
    fn distance(&self, word: u64) -> u64 {
        (word >> self.rest) - 1
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's method.
const fn inverse(odd: u64) -> u64 {
    let mut it = odd;
    let mut round = 0;
    while round < 6 {
        it = it.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(it)));
        round += 1;
    }
    it
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key must come back from the place and the word of its slot, and words must fall as mixed numbers rise.
    #[test]
    fn a_slot_says_all_of_its_key() {
        let mut random = 1u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 29
        };
        for round in 0..20_000 {
            let bits = Bits { low: (next() % 25) as u32, high: (next() % 33) as u32 };
            let (homes, marks) = (1 + next() % (1 << (next() % 24)), (next() % 9) as u32);
            let Some(shape) = Shape::new(homes, bits, marks) else { panic!("round {round}: {bits:?} {homes} {marks}") };
            let fits = shape.bits();
            assert!(fits.max(bits) == fits && u64::from(shape.homes) * 10 >= homes * 9, "round {round}: {shape:?}");
            for _ in 0..5 {
                let (low, high) = (next() & ((1 << fits.low) - 1), next() & ((1 << fits.high) - 1));
                let (low, high) = (low as u32, high as u32);
                let mixed = shape.mix(low, high).expect("it is narrow enough");
                let (home, word) = shape.cut(mixed);
                assert!(home < shape.homes as usize && u128::from(word) << marks < 1 << (shape.width * 8));
                let moved = word + 3 * shape.one();
                assert_eq!(
                    (shape.join(home, word), shape.join(home + 3, moved)),
                    (mixed, mixed),
                    "round {round}: {shape:?}"
                );
                assert_eq!((shape.distance(word), shape.distance(moved)), (0, 3));
                assert_eq!(shape.unmix(mixed), (low, high), "round {round}: {shape:?}");
                let told = Shape::unpacked(shape.packed());
                assert_eq!((told.mix(low, high), told.cut(mixed)), (Some(mixed), (home, word)), "round {round}");
                assert_eq!(told.mix(u32::MAX, high), shape.mix(u32::MAX, high));
                if let Some(above) = mixed.checked_add(1).filter(|above| above >> (fits.low + fits.high) == 0) {
                    let other = shape.cut(above);
                    assert!(other.0 == home + 1 || other.0 == home && other.1 < word, "round {round}: {shape:?}");
                }
            }
            assert_eq!(shape.mix(u32::MAX, 0).is_some(), fits.low == 32);
        }
    }
}
