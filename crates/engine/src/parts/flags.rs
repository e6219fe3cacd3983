//! One bit for each state.

use starwheel_store::StateId;

/// A set of states, by their numbers.
#[derive(Debug, Default)]
pub struct Flags(Vec<u64>);

impl Flags {
    /// Whether a state is in it.
    pub fn has(&self, id: StateId) -> bool {
        self.0.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Puts a state in.
    pub fn set(&mut self, id: StateId) {
        let word = id.index() / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (id.index() % 64);
    }

    /// Takes a state out.
    pub fn clear(&mut self, id: StateId) {
        if let Some(word) = self.0.get_mut(id.index() / 64) {
            *word &= !(1 << (id.index() % 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_and_cleared_one_by_one() {
        let mut flags = Flags::default();
        assert!(!flags.has(StateId(1000)));
        [0, 63, 64, 1000].into_iter().for_each(|i| flags.set(StateId(i)));
        flags.clear(StateId(63));
        flags.clear(StateId(5000));
        assert!(flags.has(StateId(0)) && flags.has(StateId(64)) && flags.has(StateId(1000)));
        assert!(!flags.has(StateId(63)) && !flags.has(StateId(1)) && !flags.has(StateId(999)));
    }
}
