//! Which parts of a state are folded on which side of its tree.
//!
//! A state is cut into *units* of four bytes, the last of which may be shorter. Units are gathered into *pieces*, which have
//! codes, and pieces are folded on the left or on the right. Memory depends on how evenly the two sides vary: where one side
//! knows almost everything, it has almost as many values as there are states. No fixed rule is good for all models, so one
//! is learned from some states ([`Split::choose`]).

use crate::differing::unit;
use std::ops::Range;

/// Bytes of a unit.
pub(crate) const UNIT: usize = 4;
/// Most units of a piece.
pub(crate) const WIDEST: usize = 32;
/// The units that have a bit in a mask.
pub(crate) const MASKED: usize = u64::BITS as usize;
/// Units of a piece that no rule knows.
const PLAIN: usize = 4;

/// A rule. The units that it does not know form pieces of four in a row, on the left and on the right in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The pieces that it knows; their places on each side rise.
    pieces: Vec<Piece>,
    /// By unit that it knows: its piece.
    known: Vec<u32>,
    /// By side: the pieces that it knows.
    sides: [Vec<u32>; 2],
    /// By side: the first units that are there, as bits.
    masks: [u64; 2],
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    side: usize,
    /// Its units, rising.
    units: Vec<u32>,
    /// The first of its units, as bits.
    mask: u64,
    /// Bytes of the shortest state that has all of them.
    end: usize,
}

impl Default for Split {
    fn default() -> Split {
        Split::of(&[], &[])
    }
}

impl Split {
    /// The first half of so many bytes is on the left; pieces are short.
    pub fn halves(bytes: usize) -> Split {
        let units = bytes.div_ceil(UNIT);
        let half = units.div_ceil(2);
        let first = half.div_ceil(PLAIN);
        let piece = |unit: usize| if unit < half { unit / PLAIN } else { first + (unit - half) / PLAIN };
        let pieces: Vec<usize> = (0..units).map(piece).collect();
        let count = pieces.last().map_or(0, |last| last + 1);
        let sides: Vec<usize> = (0..count).map(|piece| usize::from(piece >= first)).collect();
        Split::of(&pieces, &sides)
    }

    /// By unit that it knows: its side, zero or one.
    pub fn sides_of_units(&self) -> Vec<u8> {
        self.known.iter().map(|&piece| self.pieces[piece as usize].side as u8).collect()
    }

    /// A rule from the pieces of units and the sides of pieces. Pieces that are too wide are cut.
    pub(crate) fn of(pieces: &[usize], sides: &[usize]) -> Split {
        let known = vec![0; pieces.len()];
        let mut split = Split { pieces: Vec::new(), known, sides: Default::default(), masks: [0; 2] };
        for (number, &side) in sides.iter().enumerate() {
            let units: Vec<u32> = (0..pieces.len() as u32).filter(|&unit| pieces[unit as usize] == number).collect();
            for units in units.chunks(WIDEST) {
                let mask = units.iter().fold(0, |mask, &unit| mask | bit(unit as usize));
                units.iter().for_each(|&unit| split.known[unit as usize] = split.pieces.len() as u32);
                split.sides[side & 1].push(split.pieces.len() as u32);
                let end = units.last().map_or(0, |&last| (last as usize + 1) * UNIT);
                split.pieces.push(Piece { side: side & 1, units: units.to_vec(), mask, end });
            }
        }
        for unit in 0..MASKED {
            split.masks[split.side(split.piece_of(unit))] |= bit(unit);
        }
        split
    }

    /// By unit that it knows: its piece.
    pub(crate) fn known(&self) -> &[u32] {
        &self.known
    }

    /// By piece that it knows: its side.
    pub(crate) fn known_sides(&self) -> Vec<usize> {
        self.pieces.iter().map(|piece| piece.side).collect()
    }

    /// By side: the units that are there, as bits.
    #[inline(always)]
    pub(crate) fn mask(&self, side: usize) -> u64 {
        self.masks[side]
    }

    /// The piece of a unit.
    pub(crate) fn piece_of(&self, unit: usize) -> usize {
        match self.known.get(unit) {
            Some(&piece) => piece as usize,
            None => self.pieces.len() + (unit - self.known.len()) / PLAIN,
        }
    }

    /// The number of pieces of a state of so many units.
    pub(crate) fn count(&self, units: usize) -> usize {
        self.pieces.len() + units.saturating_sub(self.known.len()).div_ceil(PLAIN)
    }

    /// The number of pieces on one side of a state of so many units.
    #[inline(always)]
    pub(crate) fn count_on(&self, side: usize, units: usize) -> usize {
        let more = units.saturating_sub(self.known.len()).div_ceil(PLAIN);
        self.sides[side].len() + (more + 1 - side) / 2
    }

    /// The side of a piece, zero for left.
    #[inline(always)]
    pub(crate) fn side(&self, piece: usize) -> usize {
        match self.pieces.get(piece) {
            Some(piece) => piece.side,
            None => (piece - self.pieces.len()) & 1,
        }
    }

    /// The piece at a position of a side.
    #[inline(always)]
    pub(crate) fn piece_at(&self, side: usize, at: usize) -> usize {
        match self.sides[side].get(at) {
            Some(&piece) => piece as usize,
            None => self.pieces.len() + 2 * (at - self.sides[side].len()) + side,
        }
    }

    /// True if some of these units are in a piece.
    #[inline(always)]
    pub(crate) fn meets(&self, piece: usize, units: u64) -> bool {
        match self.pieces.get(piece) {
            Some(piece) => piece.mask & units != 0,
            None => self.plain(piece).any(|unit| bit(unit) & units != 0),
        }
    }

    /// Shows the units of a piece in their order, as long as it is asked to go on.
    #[inline(always)]
    pub(crate) fn units(&self, piece: usize, mut show: impl FnMut(usize) -> bool) {
        match self.pieces.get(piece) {
            Some(piece) => _ = piece.units.iter().all(|&unit| show(unit as usize)),
            None => _ = self.plain(piece).all(show),
        }
    }

    /// The bytes of a piece of which all units are there.
    pub(crate) fn width(&self, piece: usize) -> usize {
        UNIT * self.pieces.get(piece).map_or(PLAIN, |piece| piece.units.len())
    }

    /// The rule as bytes, for others.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // A list in memory takes whatever is written to it.
        _ = self.save(&mut out);
        out
    }

    /// The rule that somebody has written as bytes; none if they mean nothing.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Split> {
        Split::load(&mut bytes).ok().filter(|_| bytes.is_empty())
    }

    /// Puts down the bytes of a piece of a state as words, the last of which is filled up with zeros; how many bytes these are.
    #[inline(always)]
    pub(crate) fn gather(&self, piece: usize, state: &[u8], words: &mut [u64; WIDEST / 2]) -> usize {
        match self.pieces.get(piece) {
            Some(piece) if piece.end <= state.len() => {
                for (word, pair) in words.iter_mut().zip(piece.units.chunks(2)) {
                    let second = pair.get(1).map_or(0, |&second| unit(state, second as usize));
                    *word = u64::from(unit(state, pair[0] as usize)) | u64::from(second) << 32;
                }
                piece.units.len() * UNIT
            }
            _ => self.gather_slowly(piece, state, words),
        }
    }

    /// The same for a piece of which not all units are there.
    #[inline(never)]
    fn gather_slowly(&self, piece: usize, state: &[u8], words: &mut [u64; WIDEST / 2]) -> usize {
        let mut len = 0;
        self.units(piece, |at| {
            let size = state.len().saturating_sub(at * UNIT).min(UNIT);
            let word = &mut words[len / 8 % (WIDEST / 2)];
            if len % 8 == 0 {
                *word = 0;
            }
            *word |= u64::from(unit(state, at)) << (len % 8 * 8);
            len += size;
            size == UNIT
        });
        len
    }

    /// The units of a piece that it does not know.
    fn plain(&self, piece: usize) -> Range<usize> {
        let start = self.known.len() + (piece - self.pieces.len()) * PLAIN;
        start..start + PLAIN
    }
}

/// The bit of a unit; none if it is too far from the front.
#[inline(always)]
fn bit(unit: usize) -> u64 {
    1u64.checked_shl(unit as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_in_one_piece_at_one_place() {
        for split in [Split::default(), Split::halves(100), Split::of(&[0, 2, 0, 1, 3, 2], &[0, 1, 1, 0])] {
            for units in 0..200 {
                let mut seen = vec![0; units];
                let mut counts = [0; 2];
                for piece in 0..split.count(units) {
                    let side = split.side(piece);
                    assert_eq!(split.piece_at(side, counts[side]), piece);
                    counts[side] += 1;
                    split.units(piece, |unit| {
                        assert_eq!(split.piece_of(unit), piece);
                        if unit < MASKED {
                            assert!(split.meets(piece, 1 << unit) && split.mask(side) & 1 << unit != 0);
                        }
                        seen.get_mut(unit).map(|seen| *seen += 1).is_some()
                    });
                }
                assert!(seen.iter().all(|&seen| seen == 1), "{units} units: {seen:?}");
                assert_eq!(counts, [split.count_on(0, units), split.count_on(1, units)]);
            }
        }
    }
}
