//! Renamings of few points, each taken apart once: which bytes are copied where.

use super::bit;
use crate::quick::FEW;
use std::sync::OnceLock;

/// The bytes of the longest states that are renamed in this way.
pub const LONGEST: usize = 256;

/// The most kinds of names: each has a table in each script.
const KINDS: usize = 8;

/// There are so many places for scripts. (A step moves few points of a state that is in order, and mostly one: eight points have 49
/// renamings of that kind.)
const PLACES: usize = 512;

/// The scripts of the renamings that were met, by hash. A place that is taken stays so, and whoever finds it taken has none.
#[derive(Debug)]
pub struct Scripts(Box<[OnceLock<Option<Box<Script>>>]>);

/// Copies that together are one renaming: where each comes from and where it goes.
#[derive(Debug)]
pub struct Script {
    to: [u8; FEW],
    eights: Vec<Piece>,
    fours: Vec<Piece>,
    twos: Vec<Piece>,
    ones: Vec<Piece>,
    /// Where names are, and the table of their new ones.
    names: Vec<(u8, u8)>,
    tables: Vec<[u8; 256]>,
    /// The words of four bytes that may change, as bits.
    words: u64,
}

type Piece = (u8, u8);

/// A copy of a state, with room behind it: no piece ends beyond it.
pub type Old = [u8; LONGEST + 8];

/// What a renaming does, byte by byte.
#[derive(Debug)]
pub struct Draft {
    /// By byte: where what it holds comes from.
    pub sources: Vec<usize>,
    /// Bytes that may hold names, and which ones they are.
    pub names: Vec<(usize, usize)>,
    /// By kind of names: what becomes of each value.
    pub tables: Vec<[u8; 256]>,
}

impl Default for Scripts {
    fn default() -> Scripts {
        Scripts((0..PLACES).map(|_| OnceLock::new()).collect())
    }
}

impl Scripts {
    /// That of a renaming, which is made if there is a place for it.
    #[inline(always)]
    pub fn of<const M: usize>(&self, to: &[u8; M], draft: impl FnOnce() -> Draft) -> Option<&Script> {
        let to: &[u8; FEW] = to.as_slice().try_into().ok()?;
        let hash = u64::from_le_bytes(*to).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let place = self.0.get(hash as usize % PLACES)?;
        let script = place.get_or_init(|| Script::new(*to, draft()).map(Box::new)).as_deref()?;
        (script.to == *to).then_some(script)
    }
}

impl Script {
    /// None if a state is too long, or there are too many kinds of names.
    #[cold]
    fn new(to: [u8; FEW], Draft { sources, names, tables }: Draft) -> Option<Script> {
        if sources.len() > LONGEST || tables.len() > KINDS {
            return None;
        }
        let names = names.iter().map(|(at, table)| (*at as u8, *table as u8)).collect();
        let (eights, fours, twos, ones) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut script = Script { to, eights, fours, twos, ones, names, tables, words: 0 };
        let mut start = 0;
        while let Some(&from) = sources.get(start) {
            let run = sources[start..].iter().zip(from..).take_while(|(source, next)| **source == *next).count();
            if from != start {
                script.copy(from, start, run);
                script.words |= (start..start + run).fold(0, |words, byte| words | bit(byte));
            }
            start += run;
        }
        Some(script)
    }

    /// Copies a run of bytes, too, some of them twice.
    fn copy(&mut self, from: usize, to: usize, len: usize) {
        let (width, list) = match len {
            1 => (1, &mut self.ones),
            2..4 => (2, &mut self.twos),
            4..8 => (4, &mut self.fours),
            _ => (8, &mut self.eights),
        };
        let starts = (0..len).step_by(width).map(|start| start.min(len - width));
        list.extend(starts.map(|start| ((from + start) as u8, (to + start) as u8)));
    }

    /// Renames a state, given a copy of it; the words that may have changed.
    #[inline(always)]
    pub fn run(&self, old: &mut Old, state: &mut [u8]) -> u64 {
        if let Some(old) = old.get_mut(..state.len()) {
            old.copy_from_slice(state);
        }
        copy::<8>(&self.eights, old, state);
        copy::<4>(&self.fours, old, state);
        copy::<2>(&self.twos, old, state);
        copy::<1>(&self.ones, old, state);
        self.names.iter().fold(self.words, |words, &(at, table)| {
            let at = usize::from(at);
            let (Some(name), Some(table)) = (state.get_mut(at), self.tables.get(usize::from(table))) else {
                return words;
            };
            let new = table[usize::from(*name)];
            let words = if new == *name { words } else { words | bit(at) };
            *name = new;
            words
        })
    }
}

#[inline(always)]
fn copy<const N: usize>(list: &[Piece], old: &Old, state: &mut [u8]) {
    for &(from, to) in list {
        let from = old[usize::from(from)..][..8].first_chunk::<N>();
        let to = state.get_mut(usize::from(to)..).and_then(|rest| rest.first_chunk_mut::<N>());
        if let (Some(from), Some(to)) = (from, to) {
            *to = *from;
        }
    }
}
