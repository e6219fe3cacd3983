//! Finds the units of four bytes in which two states differ.

#![allow(unsafe_code)]

use crate::split::{MASKED, UNIT};

/// Units that are compared one by one.
const MANY: u32 = 4;

/// The units that differ, as bits, in two states of the same length, at most [`MASKED`] units.
#[inline(always)]
pub(crate) fn differing(a: &[u8], b: &[u8]) -> u64 {
    debug_assert!(a.len() == b.len() && a.len() <= MASKED * UNIT);
    let len = a.len().min(b.len());
    let (mut at, mut mask) = (0, 0);
    while at + 16 <= len {
        // SAFETY: both states have sixteen bytes from here on.
        mask |= unsafe { block(a.as_ptr().add(at), b.as_ptr().add(at)) } << (at / UNIT);
        at += 16;
    }
    while at + UNIT <= len {
        mask |= u64::from(unit(a, at / UNIT) != unit(b, at / UNIT)) << (at / UNIT);
        at += UNIT;
    }
    if at < len {
        mask |= u64::from(unit(&a[..len], at / UNIT) != unit(&b[..len], at / UNIT)) << (at / UNIT);
    }
    mask
}

/// Shows those of some units in which a state differs from another one of the same length, and what they are there, until
/// somebody says false; whether nobody did. Units behind the last one are left out.
#[inline(always)]
pub(crate) fn each_differing(
    candidates: u64,
    state: &[u8],
    other: &[u8],
    mut show: impl FnMut(usize, u32) -> bool,
) -> bool {
    let len = state.len().min(other.len()).min(MASKED * UNIT);
    let whole = len / UNIT;
    // Where there are many candidates, few of them differ: they are found by sixteen bytes.
    let mut rest = candidates;
    if without_least(candidates, MANY) != 0 {
        rest &= differing(&state[..len], &other[..len]);
    }
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let (new, old) = if at < whole {
            // SAFETY: both states have so many whole units.
            unsafe { (read(state, at), read(other, at)) }
        } else {
            (unit(state, at), unit(other, at))
        };
        if new != old && !show(at, new) {
            return false;
        }
    }
    true
}

/// Bits without so many of the least ones.
#[inline(always)]
fn without_least(bits: u64, count: u32) -> u64 {
    (0..count).fold(bits, |rest, _| rest & rest.wrapping_sub(1))
}

/// Some units of a state that differ from those of another, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Differing {
    /// The units, as bits.
    pub units: u64,
    /// What they are in the first state: the last four of them, the very last one in the lowest bits.
    pub values: [u64; 2],
    /// How many these are.
    pub count: u32,
}

impl Differing {
    /// Finds those whose bits are set.
    ///
    /// # Safety
    ///
    /// Both states have all these units, four bytes each.
    #[inline(always)]
    pub unsafe fn among(mut candidates: u64, state: &[u8], other: &[u8]) -> Differing {
        let (mut units, mut first, mut second, mut count) = (0, 0u64, 0u64, 0);
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            debug_assert!((at + 1) * UNIT <= state.len().min(other.len()));
            // SAFETY: the caller vouches for it.
            let (new, old) = unsafe { (read(state, at), read(other, at)) };
            if new != old {
                units |= candidates & candidates.wrapping_neg();
                second = second << 32 | first >> 32;
                first = first << 32 | u64::from(new);
                count += 1;
            }
            candidates &= candidates - 1;
        }
        Differing { units, values: [first, second], count }
    }

    /// The same for any units of a state that differs in these.
    #[inline(always)]
    pub fn in_units(units: u64, state: &[u8]) -> Differing {
        let (mut rest, mut first, mut second) = (units, 0u64, 0u64);
        while rest != 0 {
            let value = unit(state, rest.trailing_zeros() as usize);
            second = second << 32 | first >> 32;
            first = first << 32 | u64::from(value);
            rest &= rest - 1;
        }
        Differing { units, values: [first, second], count: units.count_ones() }
    }
}

/// Units of a long state, where a bit for each of them would be too many: up to four, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Few(Differing);

impl Few {
    /// Most units.
    pub const MOST: u32 = 4;
    /// Bits of a unit's number, plus one.
    const BITS: u32 = 16;

    /// Adds a unit and what it is.
    pub fn push(&mut self, unit: usize, value: u32) {
        // A unit whose number is too great is as bad as one too many.
        let few = unit + 1 < 1 << Few::BITS;
        let [first, second] = self.0.values;
        self.0.units = self.0.units << Few::BITS | (unit as u64 + 1) & ((1 << Few::BITS) - 1);
        self.0.values = [first << 32 | u64::from(value), second << 32 | first >> 32];
        self.0.count += if few { 1 } else { Few::MOST + 1 };
    }

    /// The numbers of the units; none if there are more than four.
    pub fn units(&self) -> impl Iterator<Item = usize> + '_ {
        let count = if self.is_few() { self.0.count } else { 0 };
        (0..count).map(|at| (self.0.units >> (at * Few::BITS) & ((1 << Few::BITS) - 1)) as usize - 1)
    }

    /// False if there are more than four.
    pub fn is_few(&self) -> bool {
        self.0.count <= Few::MOST
    }

    /// The same, with numbers instead of bits.
    pub fn packed(&self) -> &Differing {
        &self.0
    }
}

/// A unit.
///
/// # Safety
///
/// The state has it.
#[inline(always)]
unsafe fn read(state: &[u8], at: usize) -> u32 {
    // SAFETY: the caller vouches for it.
    u32::from_le(unsafe { state.as_ptr().add(at * UNIT).cast::<u32>().read_unaligned() })
}

/// The units that differ in four of them.
///
/// # Safety
///
/// Both pointers lead to sixteen bytes, aligned or not.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn block(a: *const u8, b: *const u8) -> u64 {
    use std::arch::x86_64::{_mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_ps};
    // SAFETY: all processors of this kind have SSE2, and the caller vouches for the pointers.
    let same = unsafe {
        let (a, b) = (_mm_loadu_si128(a.cast()), _mm_loadu_si128(b.cast()));
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(a, b)))
    };
    same as u64 ^ 15
}

/// The same for all other processors.
///
/// # Safety
///
/// Both pointers lead to sixteen bytes, aligned or not.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn block(a: *const u8, b: *const u8) -> u64 {
    // SAFETY: the caller vouches for the pointers.
    let (a, b) = unsafe { (a.cast::<[u32; 4]>().read_unaligned(), b.cast::<[u32; 4]>().read_unaligned()) };
    (0..4).fold(0, |mask, at| mask | u64::from(a[at] != b[at]) << at)
}

/// The value of a unit; a short one is filled up with zeros, and so is one that is not there.
#[inline(always)]
pub(crate) fn unit(state: &[u8], at: usize) -> u32 {
    if at * UNIT + UNIT <= state.len() {
        // SAFETY: there are four bytes.
        return unsafe { read(state, at) };
    }
    let missing = (at + 1) * UNIT - state.len();
    if missing < UNIT && state.len() >= UNIT {
        // SAFETY: there are four bytes, of which the first ones belong to the unit before.
        let last = unsafe { state.as_ptr().add(state.len() - UNIT).cast::<u32>().read_unaligned() };
        return u32::from_le(last) >> (missing * 8);
    }
    crate::parts::short(state.get(at * UNIT..).unwrap_or_default()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        let mut random = 1u64;
        let mut next = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 32
        };
        for round in 0..5_000 {
            let len = 1 + next() as usize % (MASKED * UNIT);
            let old: Vec<u8> = (0..len).map(|_| next() as u8).collect();
            let mut new = old.clone();
            (0..next() % 9).for_each(|_| new[next() as usize % len] = next() as u8);
            // Few candidates, many, and some behind the end.
            let mut candidates = next() << 32 | next();
            (0..next() % 6).for_each(|_| candidates &= next() << 32 | next());
            let expected: Vec<(usize, u32)> = (0..MASKED)
                .filter(|&at| candidates >> at & 1 != 0 && unit(&old, at) != unit(&new, at))
                .map(|at| (at, unit(&new, at)))
                .collect();
            let mut shown = Vec::new();
            assert!(each_differing(candidates, &new, &old, |at, value| {
                shown.push((at, value));
                true
            }));
            assert_eq!(shown, expected, "round {round}");
            assert_eq!(each_differing(candidates, &new, &old, |_, _| false), expected.is_empty());
        }
    }

    #[test]
    fn a_few_units_are_remembered_by_number() {
        let mut few = Few::default();
        for (at, unit) in [0, 65_534, 7, 70].into_iter().enumerate() {
            few.push(unit, at as u32 + 1);
        }
        assert!(few.is_few());
        assert_eq!(few.units().collect::<Vec<_>>(), [70, 7, 65_534, 0]);
        assert_eq!((few.packed().values, few.packed().count), ([3 << 32 | 4, 1 << 32 | 2], 4));
        few.push(1, 1);
        assert!(!few.is_few() && few.units().next().is_none());
        let mut far = Few::default();
        far.push(65_535, 1);
        assert!(!far.is_few());
    }

    #[test]
    fn each_difference_is_found() {
        for len in 0..=MASKED * UNIT {
            let a: Vec<u8> = (0..len).map(|at| at as u8 ^ 0x5a).collect();
            assert_eq!(differing(&a, &a), 0);
            for at in 0..len {
                let mut b = a.clone();
                b[at] ^= 1;
                assert_eq!(differing(&a, &b), 1 << (at / UNIT), "{len} bytes, {at}");
                assert_ne!(unit(&a, at / UNIT), unit(&b, at / UNIT));
                if len % UNIT == 0 {
                    let all = u64::MAX >> (64 - len / UNIT);
                    // SAFETY: there are so many units.
                    let (found, none) =
                        unsafe { (Differing::among(all, &b, &a), Differing::among(all & !(1 << (at / UNIT)), &b, &a)) };
                    let value = u64::from(unit(&b, at / UNIT));
                    assert_eq!(found, Differing { units: 1 << (at / UNIT), values: [value, 0], count: 1 });
                    assert_eq!((found, none), (Differing::in_units(found.units, &b), Differing::default()));
                }
                b[len - 1] ^= 2;
                assert_eq!(differing(&a, &b), 1 << (at / UNIT) | 1 << ((len - 1) / UNIT), "{len} bytes, {at}");
            }
        }
    }
}
