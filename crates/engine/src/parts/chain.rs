//! Finds a state again among the transient states of the current chain, so that a chain cannot go round for ever.
//!
//! Chains are mostly short: the first few hashes are looked through, the later ones are found in a map.

use std::collections::HashMap;

const NEAR: usize = 32;

/// The hashes of all transient states on a stack, chain after chain.
#[derive(Debug, Default)]
pub struct Chains {
    hashes: Vec<u64>,
    /// Where each chain starts in `hashes`; no chain is empty.
    starts: Vec<usize>,
    /// How often a hash occurs beyond the first few of a chain, which is named by its start.
    far: HashMap<(usize, u64), u32>,
}

impl Chains {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.starts.clear();
        self.far.clear();
    }

    /// Starts a new chain with its first state.
    pub fn begin(&mut self, hash: u64) {
        self.starts.push(self.hashes.len());
        self.hashes.push(hash);
    }

    /// Adds a state to the last chain.
    pub fn extend(&mut self, hash: u64) {
        let start = self.starts.last().copied().unwrap_or(0);
        if self.hashes.len() - start >= NEAR {
            *self.far.entry((start, hash)).or_insert(0) += 1;
        }
        self.hashes.push(hash);
    }

    /// Takes away the last state of the last chain.
    pub fn pop(&mut self) {
        let (Some(hash), Some(&start)) = (self.hashes.pop(), self.starts.last()) else { return };
        let place = self.hashes.len() - start;
        if place >= NEAR
            && let Some(count) = self.far.get_mut(&(start, hash))
        {
            *count -= 1;
            if *count == 0 {
                self.far.remove(&(start, hash));
            }
        }
        if place == 0 {
            self.starts.pop();
        }
    }

    /// True if a state of the last chain has this hash and `same` confirms it, given its distance from the chain's end.
    pub fn contains(&self, hash: u64, same: impl Fn(usize) -> bool) -> bool {
        let start = self.starts.last().copied().unwrap_or(0);
        let chain = &self.hashes[start..];
        let near = chain.iter().take(NEAR).any(|&h| h == hash);
        if !near && (chain.len() <= NEAR || !self.far.contains_key(&(start, hash))) {
            return false;
        }
        (0..chain.len()).any(|place| chain[place] == hash && same(chain.len() - 1 - place))
    }
}
