//! Union, intersection, difference and inclusion of compressed sets, chunk by chunk: lists are merged, runs are compared as
//! runs, and only where the two differ in kind a chunk becomes a bit map for a moment.

use crate::leaves::bits::{Bits, BitsRef, Body, Map, WORDS, half, ones};
use std::cmp::Ordering;

/// What is to be done with two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Union,
    Intersection,
    Difference,
}

impl Op {
    /// Whether a member of the first, of the second belongs to the result.
    fn keeps(self, first: bool, second: bool) -> bool {
        match self {
            Op::Union => first || second,
            Op::Intersection => first && second,
            Op::Difference => first && !second,
        }
    }

    fn words(self, a: u64, b: u64) -> u64 {
        match self {
            Op::Union => a | b,
            Op::Intersection => a & b,
            Op::Difference => a & !b,
        }
    }
}

impl BitsRef<'_> {
    /// The members of either.
    pub fn union(self, other: BitsRef<'_>) -> Bits {
        combine(self, other, Op::Union)
    }

    /// The members of both.
    pub fn intersection(self, other: BitsRef<'_>) -> Bits {
        combine(self, other, Op::Intersection)
    }

    /// The members that are not the other's.
    pub fn difference(self, other: BitsRef<'_>) -> Bits {
        combine(self, other, Op::Difference)
    }

    /// True if all members are the other's, too.
    pub fn within(self, other: BitsRef<'_>) -> bool {
        let mut large = other.chunks();
        self.chunks().all(|(upper, few)| {
            let fits = large.find(|c| c.0 >= upper).filter(|c| c.0 == upper);
            fits.is_some_and(|(_, many)| inside(few, many))
        })
    }
}

fn combine(a: BitsRef<'_>, b: BitsRef<'_>, op: Op) -> Bits {
    let mut out = Bits::default();
    let (mut left, mut right) = (a.chunks().peekable(), b.chunks().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return out,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.0.cmp(&b.0),
        };
        let first = if order.is_le() { left.next() } else { None };
        let second = if order.is_ge() { right.next() } else { None };
        match (first, second) {
            (Some((upper, a)), Some((_, b))) => join(&mut out, upper, a, b, op),
            (Some((upper, a)), None) if op.keeps(true, false) => out.push_body(upper, a),
            (None, Some((upper, b))) if op.keeps(false, true) => out.push_body(upper, b),
            _ => {}
        }
    }
}

/// Two chunks with the same upper half.
fn join(out: &mut Bits, upper: u16, a: Body<'_>, b: Body<'_>, op: Op) {
    let upper = u32::from(upper);
    match (a, b) {
        (Body::List(_), Body::List(_)) if op == Op::Union => {
            let merged = merge(a, b);
            out.push(upper, merged.iter().copied());
        }
        (Body::List(_), _) if op != Op::Union => {
            let kept: Vec<u16> = a.members().filter(|&n| op.keeps(true, b.has(n))).collect();
            out.push(upper, kept.iter().copied());
        }
        (_, Body::List(_)) if op == Op::Intersection => join_list(out, upper, b, a),
        _ => {
            let (mut left, mut right): (Map, Map) = ([0; WORDS], [0; WORDS]);
            a.fill(&mut left);
            b.fill(&mut right);
            left.iter_mut().zip(&right).for_each(|(l, r)| *l = op.words(*l, *r));
            out.push(upper, ones(left.iter().copied()));
        }
    }
}

/// The members of a list that another chunk has.
fn join_list(out: &mut Bits, upper: u32, list: Body<'_>, other: Body<'_>) {
    let kept: Vec<u16> = list.members().filter(|&n| other.has(n)).collect();
    out.push(upper, kept.iter().copied());
}

fn merge(a: Body<'_>, b: Body<'_>) -> Vec<u16> {
    let mut all: Vec<u16> = a.members().chain(b.members()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn inside(few: Body<'_>, many: Body<'_>) -> bool {
    match (few, many) {
        (Body::List(_), Body::List(_)) => {
            let mut rest = many.members();
            few.members().all(|n| rest.find(|&m| m >= n) == Some(n))
        }
        (Body::List(_), _) => few.members().all(|n| many.has(n)),
        (Body::Runs(a), Body::Runs(b)) => {
            let mut rest = b.chunks_exact(4);
            let mut at = rest.next();
            a.chunks_exact(4).all(|run| {
                while at.is_some_and(|r| half(r, 1) < half(run, 0)) {
                    at = rest.next();
                }
                at.is_some_and(|r| half(r, 0) <= half(run, 0) && half(run, 1) <= half(r, 1))
            })
        }
        _ => {
            let (mut small, mut large): (Map, Map) = ([0; WORDS], [0; WORDS]);
            few.fill(&mut small);
            many.fill(&mut large);
            small.iter().zip(&large).all(|(s, l)| s & !l == 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }

        /// Some numbers, alone, in runs and densely, around the edges of chunks.
        fn set(&mut self) -> BTreeSet<u32> {
            let mut set = BTreeSet::new();
            for _ in 0..self.below(5) {
                let edge = [0, 65_000, 65_536, 131_000, 4_294_000_000_u32][self.below(5) as usize];
                let first = edge + self.below(900) as u32;
                match self.below(3) {
                    0 => set.extend((0..self.below(9)).map(|_| first + self.below(60) as u32)),
                    1 => set.extend(first..first + self.below(9000) as u32),
                    _ => set.extend((0..self.below(20_000)).map(|_| first + self.below(30_000) as u32)),
                }
            }
            set
        }
    }

    fn bits(set: &BTreeSet<u32>) -> Bits {
        Bits::of(&set.iter().copied().collect::<Vec<_>>())
    }

    fn check(a: &BTreeSet<u32>, b: &BTreeSet<u32>, seed: u64) {
        let (x, y) = (bits(a), bits(b));
        let (v, w) = (x.view(), y.view());
        // Equal sets are equal strings, however they were made.
        assert_eq!(v.union(w), bits(&(a | b)), "seed {seed}");
        assert_eq!(v.intersection(w), bits(&(a & b)), "seed {seed}");
        assert_eq!(v.difference(w), bits(&(a - b)), "seed {seed}");
        assert_eq!(v.within(w), a.is_subset(b), "seed {seed}");
        assert!(v.intersection(w).view().within(w) && v.within(v.union(w).view()), "seed {seed}");
        assert_eq!(v.len(), a.len(), "seed {seed}");
        assert_eq!(v.is_empty(), a.is_empty(), "seed {seed}");
        assert!(v.iter().eq(a.iter().copied()), "seed {seed}");
        assert_eq!(v.to_bits(), x, "seed {seed}");
    }

    #[test]
    fn as_a_plain_set_would_answer() {
        for seed in 0..300 {
            let mut dice = Dice(seed);
            let (a, mut b) = (dice.set(), dice.set());
            check(&a, &b, seed);
            b.extend(a.iter().copied().filter(|n| n % 7 != seed as u32 % 7));
            check(&a, &b, seed);
        }
    }

    #[test]
    fn words_and_lists_make_the_same_strings() {
        for seed in 0..100 {
            let set: BTreeSet<u32> = Dice(seed).set().into_iter().filter(|&n| n < 200_000).collect();
            let mut words = vec![0_u64; 200_000 / 64 + 1];
            set.iter().for_each(|&n| words[n as usize / 64] |= 1 << (n % 64));
            assert_eq!(Bits::of_words(&words), bits(&set), "seed {seed}");
        }
    }

    #[test]
    fn large_sets_are_short() {
        let all: Vec<u32> = (0..100_000).collect();
        assert!(Bits::of(&all).bytes().len() <= 16);
        let odd: Vec<u32> = all.iter().copied().filter(|n| n % 2 == 1).collect();
        assert!(Bits::of(&odd).bytes().len() <= 100_000 / 6);
    }
}
