//! A set of processes.

use starwheel_model::Step;

/// A set of processes, as 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PidSet([u64; 4]);

impl PidSet {
    /// No process.
    pub const EMPTY: PidSet = PidSet([0; 4]);
    /// Every number that a process can have.
    pub const ALL: PidSet = PidSet([u64::MAX; 4]);
    /// The length of [`PidSet::to_bytes`].
    pub const BYTES: usize = 32;

    /// Adds those that move in a step: none if it is a claim's or the clock's.
    pub fn add_movers(&mut self, step: Step) {
        step.agents().for_each(|agent| self.add(agent));
    }

    fn add(&mut self, agent: u8) {
        self.0[usize::from(agent) / 64] |= 1 << (agent % 64);
    }

    /// True if the process is in it.
    pub fn has(self, agent: u8) -> bool {
        self.0[usize::from(agent) / 64] >> (agent % 64) & 1 != 0
    }

    /// Those in one of the two.
    pub fn or(self, other: PidSet) -> PidSet {
        self.zip(other, |a, b| a | b)
    }

    /// Those in both.
    pub fn and(self, other: PidSet) -> PidSet {
        self.zip(other, |a, b| a & b)
    }

    /// Those that are not in the other.
    pub fn without(self, other: PidSet) -> PidSet {
        self.zip(other, |a, b| a & !b)
    }

    /// True if nobody is in it.
    pub fn is_empty(self) -> bool {
        self == PidSet::EMPTY
    }

    fn zip(self, other: PidSet, f: impl Fn(u64, u64) -> u64) -> PidSet {
        let mut out = self;
        out.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = f(*a, b));
        out
    }

    /// As bytes.
    pub fn to_bytes(self) -> [u8; PidSet::BYTES] {
        let mut out = [0; PidSet::BYTES];
        out.chunks_exact_mut(8).zip(self.0).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        out
    }

    /// From bytes that [`PidSet::to_bytes`] made; missing ones are zero.
    pub fn from_bytes(bytes: &[u8]) -> PidSet {
        let mut out = PidSet::EMPTY;
        for (word, from) in out.0.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = from.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pids: &[u8]) -> PidSet {
        let mut out = PidSet::EMPTY;
        pids.iter().for_each(|&pid| out.add(pid));
        out
    }

    #[test]
    fn sets_have_what_was_added() {
        let all = [0, 7, 63, 64, 130, 254];
        assert!((0..=255).all(|pid| set(&all).has(pid) == all.contains(&pid)));
        assert_eq!(PidSet::from_bytes(&set(&all).to_bytes()), set(&all));
        assert_eq!(set(&[1, 64, 200]).and(set(&[64, 201])), set(&[64]));
        assert_eq!(set(&[1, 64]).or(set(&[64, 201])), set(&[1, 64, 201]));
        assert_eq!(set(&[1, 64, 200]).without(set(&[64, 201])), set(&[1, 200]));
        assert!(PidSet::EMPTY.is_empty() && !PidSet::ALL.is_empty() && PidSet::ALL.has(255));
    }
}
