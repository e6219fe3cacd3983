//! The bits of a word that vary, side by side: for words that take so many values that a list of them would be long.

/// Most stretches of varying bits; bits between two of them vary as well then, as far as anybody is told.
const MOST: usize = 4;

/// Which bits vary, and what the others are; in so many stretches at the most, for which all code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gather<const N: usize = MOST> {
    /// The bits that may differ.
    mask: u32,
    /// All others.
    fixed: u32,
    /// How far each stretch is shifted down, and its bits afterwards.
    stretches: [(u32, u32); N],
}

impl Gather {
    /// For values that are equal to this one in all bits but these.
    pub fn new(value: u32, varying: u32) -> Gather {
        let mut mask = varying;
        while stretches(mask) > MOST as u32 {
            mask |= narrowest_gap(mask);
        }
        let (mut list, mut rest, mut taken) = ([(0, 0); MOST], mask, 0);
        for stretch in &mut list {
            if rest == 0 {
                break;
            }
            let start = rest.trailing_zeros();
            let len = (rest >> start).trailing_ones();
            let bits = (u64::from(u32::MAX) >> (u32::BITS - len)) as u32;
            *stretch = (start - taken, bits << taken);
            taken += len;
            rest &= !(bits << start);
        }
        Gather { mask, fixed: value & !mask, stretches: list }
    }

    /// How many bits vary.
    pub fn bits(&self) -> u32 {
        self.mask.count_ones()
    }

    /// The bits that vary.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// A value that is possible.
    pub fn example(&self) -> u32 {
        self.fixed
    }

    /// The same in fewer instructions, if there are so many stretches at most.
    pub fn few<const N: usize>(&self) -> Option<Gather<N>> {
        let (first, rest) = self.stretches.split_first_chunk::<N>()?;
        let few = Gather { stretches: *first, mask: self.mask, fixed: self.fixed };
        rest.iter().all(|&(_, bits)| bits == 0).then_some(few)
    }
}

impl<const N: usize> Gather<N> {
    /// The same with room for all stretches that there can be.
    pub fn whole(&self) -> Gather {
        Gather::new(self.fixed, self.mask)
    }

    /// The varying bits of a value; none if it differs in another one.
    #[inline(always)]
    pub fn number(&self, value: u32) -> Option<u32> {
        let number = self.stretches.iter().fold(0, |sum, &(shift, bits)| sum | value >> shift & bits);
        (value & !self.mask == self.fixed).then_some(number)
    }

    /// The value with these varying bits.
    #[inline(always)]
    pub fn value(&self, number: u32) -> u32 {
        self.stretches.iter().fold(self.fixed, |sum, &(shift, bits)| sum | (number & bits) << shift)
    }
}

/// How many stretches of ones there are.
fn stretches(mask: u32) -> u32 {
    (mask & !(mask << 1)).count_ones()
}

/// The zeros of the shortest stretch of them between two ones.
fn narrowest_gap(mask: u32) -> u32 {
    let (mut best, mut rest, mut before) = (u32::MAX, mask, 0);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let end = start + (rest >> start).trailing_ones();
        let gap = if before == 0 { 0 } else { ones(start) & !ones(before) };
        if gap != 0 && gap.count_ones() < best.count_ones() {
            best = gap;
        }
        rest &= !ones(end);
        before = end;
    }
    best
}

/// The lowest bits, so many.
fn ones(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What has few stretches does the same.
    fn same<const N: usize>(gather: &Gather, few: Option<Gather<N>>, [value, other]: [u32; 2]) {
        let Some(few) = few else { return assert!(stretches(gather.mask) > N as u32) };
        assert_eq!((few.number(value), few.number(other)), (gather.number(value), gather.number(other)), "{few:x?}");
        assert_eq!((few.number(value).map(|it| few.value(it)), few.whole()), (Some(value), *gather), "{few:x?}");
    }

    #[test]
    fn bits_come_back() {
        let mut random = 1u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 32) as u32
        };
        for round in 0..20_000 {
            // Dense masks and sparse ones, all bits and none.
            let varying = match round % 5 {
                0 => next(),
                1 => next() & next() & next(),
                2 => next() | next() | next(),
                3 => 0x0f0f_0f0f << (next() % 4),
                _ => [0, u32::MAX, 1, 1 << 31][next() as usize % 4],
            };
            let (one, other) = (next(), next());
            let gather = Gather::new(one, varying);
            assert_eq!(gather.mask & varying, varying, "round {round}");
            let value = one & !varying | other & varying;
            let number = gather.number(value).expect("only these bits differ");
            assert!(u64::from(number) < 1 << gather.bits(), "round {round}: {gather:x?}");
            assert_eq!(gather.value(number), value, "round {round}: {gather:x?}");
            assert_eq!(gather.number(other).is_some(), (one ^ other) & !gather.mask == 0);
            same(&gather, gather.few::<1>(), [value, other]);
            same(&gather, gather.few::<2>(), [value, other]);
            assert!(gather.few::<MOST>().is_some());
        }
    }
}
