//! Hashes and compares short strings of bytes in a few instructions each.
//!
//! The hash multiplies sixteen bytes at a time to twice the width and folds the halves, as wyhash and rapidhash do. We
//! differ: for the few dozen bytes of a state there are no cases by length and nothing is mixed twice, so that the whole is
//! inlined. Nobody chooses states to make it collide, and whoever uses it compares the strings as well.

/// Odd numbers without a pattern: the fractions of the golden ratio and of the square root of three.
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO: u64 = 0xbb67_ae85_84ca_a73b;
/// Bytes that are looked at together.
const PIECE: usize = 16;

/// A hash; all its bits are good.
#[inline(always)]
pub(crate) fn hash(string: &[u8]) -> u64 {
    let mut sum = ONE ^ string.len() as u64;
    let (pieces, rest) = string.as_chunks::<PIECE>();
    for piece in pieces {
        sum = fold(sum, *piece);
    }
    if !rest.is_empty() {
        sum = fold(sum, last(string, rest));
    }
    sum
}

/// The last bytes of a string, some of which were there before, or zeros.
#[inline(always)]
fn last(string: &[u8], rest: &[u8]) -> [u8; PIECE] {
    string.last_chunk().copied().unwrap_or_else(|| {
        let mut piece = [0; PIECE];
        piece[..rest.len()].copy_from_slice(rest);
        piece
    })
}

#[inline(always)]
fn fold(sum: u64, piece: [u8; PIECE]) -> u64 {
    let piece = u128::from_le_bytes(piece);
    let product = u128::from(piece as u64 ^ sum) * u128::from((piece >> 64) as u64 ^ TWO);
    product as u64 ^ (product >> 64) as u64
}

/// True if two strings are equal.
#[inline(always)]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    let (Some(end), Some(other)) = (a.last_chunk::<PIECE>(), b.last_chunk::<PIECE>()) else { return a == b };
    let pairs = a.as_chunks::<PIECE>().0.iter().zip(b.as_chunks::<PIECE>().0);
    a.len() == b.len() && pairs.fold(true, |same, (a, b)| same & (a == b)) && end == other
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
