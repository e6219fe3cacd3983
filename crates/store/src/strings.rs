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

/// A hash; all its bits are good.
#[inline(always)]
pub(crate) fn hash(string: &[u8]) -> u64 {
    let mut sum = ONE ^ string.len() as u64;
    let Some(end) = string.last_chunk::<PIECE>() else { return fold(sum, &short(string)) };
    // The last piece may have bytes in common with the one before it.
    for piece in string[..string.len() - 1].as_chunks::<PIECE>().0 {
        sum = fold(sum, piece);
    }
    fold(sum, end)
}

/// A string that is shorter than a piece, with zeros behind it.
#[cold]
fn short(string: &[u8]) -> [u8; PIECE] {
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
    for (a, b) in a.as_chunks::<PIECE>().0.iter().zip(b.as_chunks::<PIECE>().0) {
        if a != b {
            return false;
        }
    }
    end == other
}

/// Appends a string to a list that has room for it.
///
/// # Safety
/// It has.
#[inline(always)]
pub(crate) unsafe fn append(list: &mut Vec<u8>, string: &[u8]) {
    debug_assert!(list.capacity() - list.len() >= string.len());
    // SAFETY: there is room for all bytes behind the last one, and every piece lies among them; all of them are written.
    unsafe {
        let to = list.as_mut_ptr().add(list.len());
        match string.last_chunk::<PIECE>() {
            Some(end) => {
                for (number, piece) in string.as_chunks::<PIECE>().0.iter().enumerate() {
                    to.add(number * PIECE).cast::<[u8; PIECE]>().write(*piece);
                }
                to.add(string.len() - PIECE).cast::<[u8; PIECE]>().write(*end);
            }
            None => to.copy_from_nonoverlapping(string.as_ptr(), string.len()),
        }
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
            assert!(same(&string[..len], &string[..len].to_vec()));
            assert!(!same(&string[..len], &string[..=len]));
            for at in 0..len {
                let mut other = string[..len].to_vec();
                other[at] ^= 0x40;
                assert!(!same(&string[..len], &other), "{len} {at}");
            }
        }
    }

    #[test]
    fn what_is_appended_is_there() {
        let string: Vec<u8> = (0..70).collect();
        for len in 0..string.len() {
            let mut list = Vec::with_capacity(3 + len);
            list.extend_from_slice(&[7; 3]);
            // SAFETY: there is room for so many.
            unsafe { append(&mut list, &string[..len]) };
            assert_eq!((&list[..3], &list[3..]), (&[7; 3][..], &string[..len]));
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
