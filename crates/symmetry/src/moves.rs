//! A renaming carried out in place, for states whose points were put in order in one pass: only what belongs to points that move is
//! touched, and names.

use crate::plan::{Group, Names, Plan};
use crate::quick::{Inner, MOST};

/// What is moved.
#[derive(Debug)]
pub struct Moves {
    pieces: Vec<Pieces>,
    own: Vec<OwnNames>,
    /// By point: the words of four bytes that belong to it, as bits; all ones if there are too many words.
    words: Vec<u64>,
    /// Global places for names.
    pub globals: Vec<Inner>,
}

/// Pieces of a few bytes, one for each point.
#[derive(Debug)]
struct Pieces {
    /// Bytes of a piece: 1, 2, 4 or 8.
    len: u8,
    /// By point: where its piece lies.
    at: Vec<u32>,
}

/// Places in what belongs to a point that may name it.
#[derive(Debug)]
struct OwnNames {
    /// By point: where what belongs to it begins.
    at: Vec<u32>,
    names: Vec<Inner>,
}

/// Where nothing lies.
const NOWHERE: u32 = u32::MAX;

impl Moves {
    /// For a plan, nothing yet.
    pub fn new(plan: &Plan) -> Moves {
        Moves { pieces: Vec::new(), own: Vec::new(), words: vec![0; plan.points], globals: Vec::new() }
    }

    /// Moves the pieces of a group, too, which have names in them.
    pub fn add(&mut self, group: &Group, names: &[Inner]) -> Option<()> {
        let mut at = vec![NOWHERE; self.words.len()];
        for (coords, place) in &group.pieces {
            let point = usize::from(*coords.first()?);
            at[point] = u32::try_from(*place).ok()?;
            (*place..*place + group.len).for_each(|byte| self.words[point] |= bit(byte));
        }
        let mut done = 0;
        while done < group.len {
            let len = [8, 4, 2, 1].into_iter().find(|len| done + len <= group.len)?;
            let part = at.iter().map(|at| if *at == NOWHERE { NOWHERE } else { at + done as u32 }).collect();
            self.pieces.push(Pieces { len: len as u8, at: part });
            done += len;
        }
        if !names.is_empty() {
            self.own.push(OwnNames { at, names: names.to_vec() });
        }
        Some(())
    }

    /// Moves the points whose bits are set; the words that may have changed. If points name nobody but themselves, what
    /// belongs to those that stay is left alone.
    pub fn make(
        &self,
        plan: &Plan,
        to: &[u8; MOST],
        (moved, others): (u64, bool),
        state: &mut [u8],
        scratch: &mut Vec<u8>,
    ) -> u64 {
        scratch.clear();
        scratch.extend_from_slice(state);
        let (mut pairs, mut count) = ([(0u8, 0u8); MOST], 0);
        for point in bits(moved) {
            pairs[count % MOST] = (point as u8, to[point]);
            count += 1;
        }
        let pairs = &pairs[..count.min(MOST)];
        for pieces in &self.pieces {
            match pieces.len {
                1 => shift::<1>(&pieces.at, pairs, scratch, state),
                2 => shift::<2>(&pieces.at, pairs, scratch, state),
                4 => shift::<4>(&pieces.at, pairs, scratch, state),
                _ => shift::<8>(&pieces.at, pairs, scratch, state),
            }
        }
        let mut elsewhere = 0;
        for own in &self.own {
            let all = if others { u64::MAX >> (MOST - own.at.len().min(MOST)) } else { 0 };
            let goals = pairs.iter().filter(|_| !others).map(|pair| usize::from(pair.1)).chain(bits(all));
            for start in goals.filter_map(|point| place(&own.at, point)) {
                for name in &own.names {
                    let value = name.read(state, start);
                    rename(&plan.names[name.names], value, to, |new| {
                        let at = start + name.at;
                        name.ty.write(state, at, new);
                        elsewhere |= bit(at) | bit(at + name.ty.size() as usize - 1);
                    });
                }
            }
        }
        let mut words = bits(moved).fold(elsewhere, |words, point| words | self.words[point]);
        for name in &self.globals {
            let value = name.read(state, 0);
            rename(&plan.names[name.names], value, to, |new| {
                name.ty.write(state, name.at, new);
                words |= bit(name.at) | bit(name.at + name.ty.size() as usize - 1);
            });
        }
        for field in &plan.fields {
            let scalar = &field.scalar;
            for at in field.places(state) {
                let value = scalar.ty.read(state, at);
                rename(&plan.names[scalar.names], value, to, |new| {
                    scalar.ty.write(state, at, new);
                    words |= bit(at) | bit(at + scalar.ty.size() as usize - 1);
                });
            }
        }
        words
    }
}

/// The bits that are set.
#[inline]
fn bits(mut left: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (first < 64).then_some(first)
    })
}

/// The bit of the word in which a byte lies.
#[inline]
fn bit(byte: usize) -> u64 {
    if byte < 4 * 64 { 1 << (byte / 4) } else { u64::MAX }
}

#[inline]
fn place(at: &[u32], point: usize) -> Option<usize> {
    at.get(point).filter(|at| **at != NOWHERE).map(|at| *at as usize)
}

/// Calls a function with the new name, if a value is a name and gets a new one.
#[inline]
fn rename(names: &Names, value: i32, to: &[u8; MOST], mut write: impl FnMut(i32)) {
    let new = names.rename(value, to);
    if new != value {
        write(new);
    }
}

/// Moves pieces of some bytes; who has none has nothing to move.
#[inline]
fn shift<const N: usize>(at: &[u32], pairs: &[(u8, u8)], from: &[u8], state: &mut [u8]) {
    for &(old, new) in pairs {
        let (old, new) = (at[usize::from(old)] as usize, at[usize::from(new)] as usize);
        if let (Some(piece), Some(goal)) = (from.get(old..old + N), state.get_mut(new..new + N)) {
            goal.copy_from_slice(piece);
        }
    }
}
