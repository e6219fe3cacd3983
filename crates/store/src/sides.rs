//! The sides of states in a tree, told to somebody who has a tree with the same rule: piece by piece, each of which has a code.
//!
//! A side is a list of pieces (see [`Split`](crate::Split)). Its number and the codes of its pieces mean something in one tree
//! only; what travels is the bytes of pieces. Whoever has told a piece before need not tell it again.

use crate::numbered::NumberedTree;
use crate::parts::{Code, Part};
use crate::split::{UNIT, WIDEST};
use crate::tables::{name, numbers};
use crate::tree::StateRef;

/// The most bytes of a piece.
pub const LONGEST_PIECE: usize = WIDEST * UNIT;

/// The code of a piece in one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCode(Code);

impl StateRef {
    /// The state with these sides, by their numbers, left and right.
    #[inline]
    pub fn of_sides(sides: [u32; 2]) -> StateRef {
        StateRef(name(sides))
    }

    /// The numbers of its two sides, left and right.
    #[inline]
    pub fn sides(self) -> [u32; 2] {
        numbers(self.0)
    }
}

impl NumberedTree {
    /// Replaces `out` by the codes of the pieces of a side; false if there is no such side.
    pub fn pieces(&self, side: usize, number: u32, out: &mut Vec<PieceCode>) -> bool {
        out.clear();
        let leaves =
            self.tables().and_then(|tables| tables.leaves(side, number, &mut |code| out.push(PieceCode(code))));
        leaves.is_some()
    }

    /// Appends the bytes of a piece; false if there is no such piece.
    pub fn piece(&self, PieceCode(code): PieceCode, out: &mut Vec<u8>) -> bool {
        let Some((mut len, words)) = self.tables().and_then(|tables| tables.parts.read(code)) else { return false };
        for word in words {
            let bytes = word.to_le_bytes();
            out.extend_from_slice(&bytes[..len.min(bytes.len())]);
            len = len.saturating_sub(bytes.len());
        }
        true
    }

    /// How many bytes the n-th piece of a side has, if the state is long enough.
    pub fn whole(&self, side: usize, at: usize) -> usize {
        self.tables().map_or(0, |tables| tables.split.width(tables.split.piece_at(side, at)))
    }

    /// The code of a piece with these bytes; none if there is no memory, or if it is too long for a piece.
    pub fn add_piece(&mut self, bytes: &[u8]) -> Option<PieceCode> {
        let mut words = [0; WIDEST / 2];
        if bytes.len() > LONGEST_PIECE {
            return None;
        }
        for (word, eight) in words.iter_mut().zip(bytes.chunks(8)) {
            *word = eight.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        let tables = self.tables()?;
        tables
            .parts
            .intern(Part { words: &words[..bytes.len().div_ceil(8)], len: bytes.len() }, &tables.budget)
            .map(PieceCode)
    }

    /// The number of a side with these pieces; none if there is no memory.
    pub fn add_side(&mut self, side: usize, pieces: &[PieceCode]) -> Option<u32> {
        self.tables()?.join(side, pieces.len(), &|at| pieces[at].0)
    }
}
