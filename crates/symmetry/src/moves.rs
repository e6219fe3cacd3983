//! A renaming carried out in place, for states whose points have nothing to do with each other: only what belongs to points that
//! move is touched.

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

    /// Moves the points whose bits are set; the words that may have changed. They name nobody but themselves, as
    /// [`crate::quick`] has found out.
    pub fn make(&self, plan: &Plan, to: &[u8; MOST], moved: u64, state: &mut [u8], scratch: &mut Vec<u8>) -> u64 {
        scratch.clear();
        scratch.extend_from_slice(state);
        for pieces in &self.pieces {
            for point in bits(moved) {
                let (from, goal) = (place(&pieces.at, point), place(&pieces.at, usize::from(to[point])));
                if let (Some(from), Some(goal)) = (from, goal) {
                    copy(pieces.len, scratch, from, state, goal);
                }
            }
        }
        for own in &self.own {
            for start in bits(moved).filter_map(|point| place(&own.at, usize::from(to[point]))) {
                for name in &own.names {
                    let value = name.read(state, start);
                    rename(&plan.names[name.names], value, to, |new| name.ty.write(state, start + name.at, new));
                }
            }
        }
        let mut words = bits(moved).fold(0, |words, point| words | self.words[point]);
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

/// Copies one piece.
#[inline]
fn copy(len: u8, from: &[u8], a: usize, to: &mut [u8], b: usize) {
    match len {
        1 => to[b] = from[a],
        2 => fixed::<2>(from, a, to, b),
        4 => fixed::<4>(from, a, to, b),
        _ => fixed::<8>(from, a, to, b),
    }
}

#[inline]
fn fixed<const N: usize>(from: &[u8], a: usize, to: &mut [u8], b: usize) {
    to[b..b + N].copy_from_slice(&from[a..a + N]);
}
