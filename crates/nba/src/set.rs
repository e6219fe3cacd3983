//! Sets of local states: the words of a bit set that are not empty, so that small sets of large components stay small.

use crate::net::Local;

/// A set of local states.
pub(crate) type LeafSet = Box<[Word]>;

/// Sixty-four neighbours, of which at least one belongs to the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    /// The number of the first neighbour, divided by 64.
    at: u32,
    bits: u64,
}

/// True if the state belongs to the set.
pub(crate) fn has(set: &[Word], state: Local) -> bool {
    let word = set.binary_search_by_key(&(state.0 / 64), |w| w.at);
    word.is_ok_and(|place| set[place].bits >> (state.0 % 64) & 1 == 1)
}

/// True if all of `small` belongs to `large`.
pub(crate) fn subset(small: &[Word], large: &[Word]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len()
        && small.iter().all(|word| rest.find(|other| other.at >= word.at).is_some_and(|other| word.within(other)))
}

/// True if the sets have a state in common.
pub(crate) fn meet(a: &[Word], b: &[Word]) -> bool {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shared = |word: &Word| large.binary_search_by_key(&word.at, |w| w.at).map_or(0, |p| large[p].bits & word.bits);
    small.iter().any(|word| shared(word) != 0)
}

/// The members in increasing order.
pub(crate) fn members(set: &[Word]) -> impl Iterator<Item = Local> {
    set.iter().flat_map(|word| word.members())
}

impl Word {
    fn within(&self, other: &Word) -> bool {
        self.at == other.at && self.bits & !other.bits == 0
    }

    fn members(self) -> impl Iterator<Item = Local> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros())?;
            bits &= bits - 1;
            Some(Local(self.at * 64 + bit))
        })
    }
}

/// Collects the states of a set; it is empty again after [`Collector::take`].
#[derive(Debug)]
pub(crate) struct Collector {
    words: Vec<u64>,
    touched: Vec<u32>,
}

impl Collector {
    /// A collector for states below `count`.
    pub fn new(count: usize) -> Collector {
        Collector { words: vec![0; count.div_ceil(64)], touched: Vec::new() }
    }

    /// Adds a state; false if it was there.
    pub fn insert(&mut self, state: Local) -> bool {
        let (at, bit) = (state.index() / 64, 1u64 << (state.0 % 64));
        let word = &mut self.words[at];
        if *word == 0 {
            self.touched.push(at as u32);
        }
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// The set of what was added.
    pub fn take(&mut self) -> LeafSet {
        self.touched.sort_unstable();
        let words = &mut self.words;
        let set = self.touched.iter().map(|&at| Word { at, bits: std::mem::take(&mut words[at as usize]) }).collect();
        self.touched.clear();
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_automata::random::Rng;
    use std::collections::BTreeSet;

    fn set(states: &BTreeSet<u32>) -> LeafSet {
        let mut collector = Collector::new(500);
        states.iter().rev().for_each(|&s| assert!(collector.insert(Local(s))));
        collector.take()
    }

    /// All questions are answered as by a set of the library.
    #[test]
    fn as_sets_are() {
        let mut rng = Rng::new(1);
        for _ in 0..2000 {
            let mut random = |most: u32| -> BTreeSet<u32> { (0..rng.below(most)).map(|_| rng.below(500)).collect() };
            let (a, b) = (random(6), random(400));
            let (x, y) = (set(&a), set(&b));
            assert_eq!(subset(&x, &y), a.is_subset(&b));
            assert_eq!(subset(&y, &x), b.is_subset(&a));
            assert_eq!(meet(&x, &y), !a.is_disjoint(&b));
            assert_eq!(members(&y).map(|s| s.0).collect::<BTreeSet<_>>(), b);
            assert!((0..500).all(|s| has(&y, Local(s)) == b.contains(&s)));
        }
    }
}
