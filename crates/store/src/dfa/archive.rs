//! A minimised automaton, written down and read: all states that it accepts, in the order of its letters.

use super::{Dfa, LENGTH};
use crate::archive::{LoadError, Save, get_bytes, get_number, put_bytes, put_number};
use crate::nodes::NodeId;
use crate::set::{Visit, Visited};
use std::io::{self, Read, Write};

impl Save for Dfa {
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.states)?;
        match self.root {
            Some(root) => self.spell(root, &mut Vec::new(), out),
            None => Ok(()),
        }
    }
}

impl Dfa {
    /// Writes all states whose first letters lead to a node.
    fn spell(&self, at: NodeId, word: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        if word.len() == self.longest + LENGTH {
            let (letters, length) = word.split_at(self.longest);
            let length = length.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            let state: Vec<u8> = letters.iter().rev().take(length).copied().collect();
            return put_bytes(out, &state);
        }
        for edge in self.nodes.iter().flat_map(|nodes| nodes.edges(at)) {
            word.push(edge.letter());
            self.spell(edge.to(), word, out)?;
            word.pop();
        }
        Ok(())
    }

    /// The set that was saved.
    pub fn load(limit: Option<u64>, from: &mut dyn Read) -> Result<Dfa, LoadError> {
        let (mut set, mut state) = (Dfa::new(limit), Vec::new());
        for _ in 0..get_number(from)? {
            get_bytes(from, &mut state)?;
            match set.insert(&(), &state, 0) {
                Visit::New(()) => {}
                Visit::Known(..) => return Err(LoadError::Broken("a state came twice")),
                Visit::Full => return Err(LoadError::Full),
            }
        }
        Ok(set)
    }
}
