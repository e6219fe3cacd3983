//! Pieces of states that all processes number alike: one process numbers them, and the others ask it.
//!
//! The third way of S. Blom, B. Lisser, J. van de Pol, M. Weber, A Database Approach to Distributed State-Space Generation (2011),
//! here so that it can be compared with the others: a state travels as two numbers that mean the same everywhere. Whoever has a
//! piece without a number asks the first process, and tells how many numbers it knows; the answer is all that are new, whoever
//! met them. So each piece goes up at most once for each process that meets it before it is told, and down once for each
//! process. Where we differ: nobody waits for an answer. Packets with such pieces wait at their sender, and those with numbers
//! that are not known yet at their receiver.

use crate::codec::{Cut, Places};
use crate::wire::{Garbled, Rest, put, put_bytes};
use rapidhash::v3::rapidhash_v3;

/// The process that numbers.
pub const DATABASE: usize = 0;
/// A piece without a number, and the most pieces there can be.
const NONE: u32 = u32::MAX;
/// Bytes of an answer, about; longer ones come in several packets.
const ANSWER: usize = 256 << 10;

/// What one process knows of all pieces.
#[derive(Debug, Default)]
pub struct Database {
    /// Whether this is the process that numbers.
    numbers: bool,
    /// Pieces in the order in which they were met here.
    pieces: Vec<Box<[u8]>>,
    places: Places,
    /// By piece: its number.
    number: Vec<u32>,
    /// By number: the piece.
    piece: Vec<u32>,
    /// Pieces that have no number and that nobody was asked about.
    unasked: Vec<u32>,
    /// An answer is on its way.
    asked: bool,
    scratch: Vec<Vec<u8>>,
}

impl Database {
    /// That of a process.
    pub fn new(process: usize) -> Database {
        Database { numbers: process == DATABASE, ..Database::default() }
    }

    /// True if no more pieces can be told apart: nothing that is new is ever sent then.
    pub fn is_full(&self) -> bool {
        self.pieces.len() >= NONE as usize
    }

    /// A piece as this process knows it.
    fn intern(&mut self, piece: &[u8]) -> u32 {
        let mut hash = rapidhash_v3(piece);
        while let Some(&at) = self.places.get(&hash) {
            if *self.pieces[at as usize] == *piece {
                return at;
            }
            // Nothing is ever taken out, so the next place does.
            hash = hash.wrapping_add(1);
        }
        if self.is_full() {
            return NONE;
        }
        let at = self.pieces.len() as u32;
        self.places.insert(hash, at);
        self.pieces.push(piece.into());
        self.number.push(NONE);
        at
    }

    /// The two sides of a state as this process knows them.
    pub fn sides(&mut self, cut: &Cut, state: &[u8]) -> [u32; 2] {
        let mut scratch = std::mem::take(&mut self.scratch);
        cut.divide(state, &mut scratch);
        let sides = [0, 1].map(|side| {
            let before = self.pieces.len();
            let at = self.intern(&scratch[side]);
            if self.pieces.len() > before {
                if self.numbers { self.count_in(at) } else { self.unasked.push(at) }
            }
            at
        });
        self.scratch = scratch;
        sides
    }

    /// Gives the next number to a piece.
    fn count_in(&mut self, at: u32) {
        self.number[at as usize] = self.piece.len() as u32;
        self.piece.push(at);
    }

    /// The number of a piece, if it is known.
    pub fn number(&self, at: u32) -> Option<u32> {
        self.number.get(at as usize).copied().filter(|&number| number != NONE)
    }

    /// How many numbers are known.
    pub fn count(&self) -> u64 {
        self.piece.len() as u64
    }

    /// Appends the state with these two sides, by their numbers.
    pub fn unite(&self, cut: &Cut, sides: [u64; 2], out: &mut Vec<u8>) -> Result<(), Garbled> {
        let known = |number: u64| {
            let at = *self.piece.get(usize::try_from(number).ok()?)?;
            self.pieces.get(at as usize).map(|piece| &**piece)
        };
        let [first, second] = sides.map(known);
        let first = first.ok_or(Garbled)?;
        let (length, skip) = Cut::length(first)?;
        let mut left = [&first[skip..], second.ok_or(Garbled)?];
        let next = |piece: usize, count: usize| {
            let (bytes, rest) = left.get(piece)?.split_at_checked(count)?;
            left[piece] = rest;
            Some(bytes)
        };
        cut.unite(length, next, out)?;
        if left.iter().all(|left| left.is_empty()) { Ok(()) } else { Err(Garbled) }
    }

    /// What is to be asked, unless an answer is on its way.
    pub fn question(&mut self) -> Option<Vec<u8>> {
        if self.numbers || std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let mut out = Vec::new();
        put(&mut out, self.count());
        for at in std::mem::take(&mut self.unasked) {
            // Others may have met it meanwhile.
            if self.number(at).is_none() {
                put_bytes(&mut out, &self.pieces[at as usize]);
            }
        }
        Some(out)
    }

    /// The answer to a question, in one or more packets: a byte that says whether it is the last one, and all that is new.
    pub fn answer(&mut self, mut question: Rest<'_>) -> Result<Vec<Vec<u8>>, Garbled> {
        let from = question.number()?;
        if !self.numbers || from > self.count() {
            return Err(Garbled);
        }
        while !question.is_empty() {
            let piece = question.bytes()?;
            let at = self.intern(piece);
            if at != NONE && self.number(at).is_none() {
                self.count_in(at);
            }
        }
        let mut all = vec![vec![0]];
        for &at in &self.piece[from as usize..] {
            if all.last().is_some_and(|last| last.len() > ANSWER) {
                all.push(vec![0]);
            }
            if let Some(last) = all.last_mut() {
                put_bytes(last, &self.pieces[at as usize]);
            }
        }
        if let Some(last) = all.last_mut() {
            last[0] = 1;
        }
        Ok(all)
    }

    /// Hears an answer.
    pub fn learn(&mut self, mut answer: Rest<'_>) -> Result<(), Garbled> {
        let last = answer.take(1)?[0] == 1;
        if self.numbers || !self.asked {
            return Err(Garbled);
        }
        while !answer.is_empty() {
            let at = self.intern(answer.bytes()?);
            if at == NONE {
                break;
            }
            if self.number(at).is_some() {
                return Err(Garbled);
            }
            self.count_in(at);
        }
        self.asked = !last;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Wire;
    use starwheel_store::Split;

    fn state(number: u64) -> Vec<u8> {
        (0..40u64).map(|at| (number >> (at % 7)) as u8 & 3).collect()
    }

    #[test]
    fn numbers_mean_the_same_everywhere() {
        let cut = Cut::new(Wire::Global, &Split::halves(40));
        let mut all = [Database::new(0), Database::new(1), Database::new(2)];
        for number in 0..600u64 {
            // In another order at each.
            for (process, database) in all.iter_mut().enumerate() {
                database.sides(&cut, &state(number * [1, 7, 11][process] % 601));
            }
            if number % 50 == 49 {
                for process in [1, 2] {
                    let question = all[process].question().expect("nothing is asked");
                    assert!(all[process].question().is_none(), "one question at a time");
                    for packet in all[0].answer(Rest(&question)).unwrap() {
                        all[process].learn(Rest(&packet)).unwrap();
                    }
                }
            }
        }
        let known = all.iter().map(Database::count).min().unwrap();
        assert!(known > 100, "{known}");
        for number in 0..600 {
            let state = state(number);
            for sender in 0..3 {
                let sides = all[sender].sides(&cut, &state).map(|at| all[sender].number(at));
                let [Some(left), Some(right)] = sides else { continue };
                for receiver in &all {
                    if u64::from(left.max(right)) < receiver.count() {
                        let mut got = Vec::new();
                        receiver.unite(&cut, [left.into(), right.into()], &mut got).unwrap();
                        assert_eq!(got, state);
                    }
                }
            }
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        let cut = Cut::new(Wire::Global, &Split::halves(40));
        let mut first = Database::new(0);
        let mut other = Database::new(1);
        assert!(first.answer(Rest(&[9])).is_err(), "it knows no nine numbers");
        assert!(other.learn(Rest(&[1])).is_err(), "nobody has asked");
        assert!(other.answer(Rest(&[0])).is_err(), "it does not number");
        assert!(other.unite(&cut, [0, 1], &mut Vec::new()).is_err(), "no such numbers");
        other.sides(&cut, &state(1));
        let question = other.question().unwrap();
        assert!(first.answer(Rest(&question[..question.len() - 1])).is_err());
        assert!(other.learn(Rest(&[1, 200, 1])).is_err(), "longer than it is");
    }
}
