//! Sets of small numbers, one bit for each.

use crate::ahead::Joined;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Some of the numbers below `count`.
    pub fn of(count: usize, numbers: impl IntoIterator<Item = usize>) -> Bits {
        let mut words = vec![0; count / 64 + 1];
        numbers.into_iter().for_each(|n| words[n / 64] |= 1 << (n % 64));
        Bits(words)
    }

    /// Whether a number is in it.
    pub fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|w| w >> (number % 64) & 1 == 1)
    }
}

impl Joined for Bits {
    fn join(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn weight(&self) -> usize {
        self.0.len()
    }
}
