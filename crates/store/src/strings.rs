//! Hashes and compares short strings of bytes in a few instructions each.
//!
//! The hash multiplies sixteen bytes at a time to twice the width and folds the halves, as wyhash and rapidhash do. We
//! differ: for the few dozen bytes of a state there are no cases by length and nothing is mixed twice, so that the whole is
//! inlined. Nobody chooses states to make it collide, and whoever uses it compares the strings as well.

#![allow(unsafe_code)]

/// Odd numbers without a pattern: the fractions of the golden ratio and of the square root of three.
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO: u64 = 0xbb67_ae85_84ca_a73b;
/// Bytes that are looked at together.
const PIECE: usize = 16;

/// Strings of one length, of which it is known how many pieces they have: then nothing is done in a loop. No pieces stand
/// for strings of any length.
#[derive(Clone, Copy)]
pub(crate) struct Short<const PIECES: usize>(usize);

impl Short<0> {
    /// For strings of any length.
    pub const fn any() -> Short<0> {
        Short(0)
    }
}

impl<const PIECES: usize> Short<PIECES> {
    /// For strings of this length, if they have so many pieces.
    #[inline(always)]
    pub fn of(len: usize) -> Option<Short<PIECES>> {
        let least = if PIECES == 1 { PIECE } else { PIECES.saturating_sub(1) * PIECE + 1 };
        (PIECES == 0 || (least..=PIECES * PIECE).contains(&len)).then_some(Short(len))
    }

    /// A piece of a string that has this length; the last one may have bytes in common with the one before it.
    #[inline(always)]
    fn piece(self, string: &[u8], number: usize) -> &[u8; PIECE] {
        debug_assert!(string.len() == self.0 && number < PIECES);
        let at = if number + 1 == PIECES { self.0 - PIECE } else { number * PIECE };
        // SAFETY: whoever made this has seen that there are as many pieces, of which all but the last one are whole. Both
        // callers below have seen that the string has this length.
        unsafe { &*string.as_ptr().add(at).cast::<[u8; PIECE]>() }
    }

    /// [`hash`] of a string.
    #[inline(always)]
    pub fn hash(self, string: &[u8]) -> u64 {
        if PIECES == 0 || string.len() != self.0 {
            return hash(string);
        }
        (0..PIECES).fold(ONE ^ self.0 as u64, |sum, number| fold(sum, self.piece(string, number)))
    }

    /// [`same`] for two strings.
    #[inline(always)]
    pub fn same(self, a: &[u8], b: &[u8]) -> bool {
        if PIECES == 0 || a.len() != self.0 || b.len() != self.0 {
            return same(a, b);
        }
        (0..PIECES).all(|number| self.piece(a, number) == self.piece(b, number))
    }

    /// [`append`] for a string.
    ///
    /// # Safety
    /// The list has room for it.
    #[inline(always)]
    pub unsafe fn append(self, list: &mut Vec<u8>, string: &[u8]) {
        if PIECES == 0 || string.len() != self.0 {
            // SAFETY: as promised.
            return unsafe { append(list, string) };
        }
        debug_assert!(list.capacity() - list.len() >= string.len());
        // SAFETY: there is room for all bytes behind the last one, and every piece lies among them; all of them are written.
        unsafe {
            let to = list.as_mut_ptr().add(list.len());
            for number in 0..PIECES - 1 {
                to.add(number * PIECE).cast::<[u8; PIECE]>().write(*self.piece(string, number));
            }
            to.add(self.0 - PIECE).cast::<[u8; PIECE]>().write(*self.piece(string, PIECES - 1));
            list.set_len(list.len() + self.0);
        }
    }
}

/// A hash; all its bits are good.
#[inline(always)]
pub(crate) fn hash(string: &[u8]) -> u64 {
    let mut sum = ONE ^ string.len() as u64;
    let Some(end) = string.last_chunk::<PIECE>() else { return fold(sum, &padded(string)) };
    // The last piece may have bytes in common with the one before it.
    for piece in string[..string.len() - 1].as_chunks::<PIECE>().0 {
        sum = fold(sum, piece);
    }
    fold(sum, end)
}

/// A string that is shorter than a piece, with zeros behind it.
#[cold]
fn padded(string: &[u8]) -> [u8; PIECE] {
    let mut piece = [0; PIECE];
    piece[..string.len()].copy_from_slice(string);
    piece
}

#[inline(always)]
fn fold(sum: u64, piece: &[u8; PIECE]) -> u64 {
    let piece = u128::from_le_bytes(*piece);
    let product = u128::from(piece as u64 ^ sum) * u128::from((piece >> 64) as u64 ^ TWO);
    product as u64 ^ (product >> 64) as u64
}

/// True if two strings are equal.
#[inline(always)]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (Some(end), Some(other)) = (a.last_chunk::<PIECE>(), b.last_chunk::<PIECE>()) else { return a == b };
    a.as_chunks::<PIECE>().0.iter().zip(b.as_chunks::<PIECE>().0).all(|(a, b)| a == b) && end == other
}

/// Appends a string to a list that has room for it.
///
/// # Safety
/// It has.
#[inline(always)]
unsafe fn append(list: &mut Vec<u8>, string: &[u8]) {
    debug_assert!(list.capacity() - list.len() >= string.len());
    // SAFETY: there is room for all bytes behind the last one, and all of them are written.
    unsafe {
        list.as_mut_ptr().add(list.len()).copy_from_nonoverlapping(string.as_ptr(), string.len());
        list.set_len(list.len() + string.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn strings_are_the_same_if_all_bytes_are() {
        let string: Vec<u8> = (0..70).collect();
        for len in 0..string.len() {
            let copy = string.clone();
            assert!(same(&string[..len], &copy[..len]));
            assert!(!same(&string[..len], &string[..=len]));
            for at in 0..len {
                let mut other = string[..len].to_vec();
                other[at] ^= 0x40;
                assert!(!same(&string[..len], &other), "{len} {at}");
            }
        }
    }

    fn agree<const PIECES: usize>(len: usize) -> bool {
        let Some(short) = Short::<PIECES>::of(len) else { return false };
        let string: Vec<u8> = (0..len as u8).collect();
        assert_eq!(short.hash(&string), hash(&string));
        assert!(short.same(&string, &string.clone()));
        assert!(!short.same(&string, &string[1..]) && !short.same(&string[1..], &string));
        for at in 0..len {
            let mut other = string.clone();
            other[at] ^= 1;
            assert!(!short.same(&string, &other) && short.hash(&string) != short.hash(&other));
        }
        let mut list = Vec::with_capacity(3 + len);
        list.extend_from_slice(&[7; 3]);
        // SAFETY: there is room for so many.
        unsafe { short.append(&mut list, &string) };
        assert_eq!((&list[..3], &list[3..]), (&[7; 3][..], &string[..]));
        true
    }

    #[test]
    fn a_known_number_of_pieces_changes_nothing() {
        for len in 1..100 {
            assert!(agree::<0>(len));
            assert_eq!(agree::<1>(len), len == 16);
            assert_eq!(agree::<2>(len), (17..=32).contains(&len));
            assert_eq!(agree::<3>(len), (33..=48).contains(&len));
            assert_eq!(agree::<5>(len), (65..=80).contains(&len));
        }
    }

    /// The upper bits say where a string belongs, so they alone must differ.
    #[test]
    fn similar_strings_have_hashes_all_over() {
        for len in [1usize, 4, 15, 16, 17, 40, 96] {
            let (mut whole, mut upper, mut count) = (HashSet::new(), HashSet::new(), 0);
            for at in 0..len {
                for other in 0..len {
                    for value in 1..4u8 {
                        let mut string = vec![0; len];
                        string[at] = value;
                        string[other] ^= value << 2;
                        if whole.insert((hash(&string), string)) {
                            count += 1;
                        }
                    }
                }
            }
            whole.iter().for_each(|(hash, _)| _ = upper.insert(hash >> 40));
            let distinct: HashSet<_> = whole.iter().map(|(hash, _)| hash).collect();
            assert_eq!(distinct.len(), count);
            assert!(upper.len() * 1000 >= count * 998, "{len}: {} of {count}", upper.len());
        }
    }
}
