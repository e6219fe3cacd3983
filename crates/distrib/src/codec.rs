//! States on a link between two processes: pieces of them are numbered by the link, so that what is known travels as a number.
//!
//! After S. Blom, B. Lisser, J. van de Pol, M. Weber, A Database Approach to Distributed State-Space Generation (2011), with one
//! difference: there is no database. Links keep their order, so the sender of a link writes a piece out when it is new there and
//! its number ever after, and the receiver numbers what it sees in the same way. Nobody asks and nobody waits. Both sides keep
//! so many pieces; a new one takes the place of the oldest. The sender compares contents, not hashes, so that what arrives is
//! what was sent.

use crate::wire::{Garbled, Rest, put, put_bytes};
use rapidhash::v3::rapidhash_v3;
use starwheel_store::Split;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// Bytes of a unit, the smallest thing that a rule moves.
const UNIT: usize = 4;
/// Pieces that a link remembers of each kind.
const ROOM: usize = 1 << 16;
/// Units in each piece of [`Wire::Local`].
const PART: usize = 4;
/// The longest state that is believed.
const LONGEST: usize = 1 << 28;

/// What travels of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wire {
    /// All its bytes.
    Vector,
    /// The numbers of its parts.
    Local,
    /// The numbers of its two sides, as a tree would divide it.
    #[default]
    Tree,
    /// The same, but numbered by a database that all ask.
    Global,
    /// What of [`Wire::Local`] and [`Wire::Tree`] has been shorter on this link.
    Auto,
}

impl Wire {
    /// All there is, by name. Saved searches know them by their place.
    pub const ALL: [(&'static str, Wire); 5] = [
        ("vector", Wire::Vector),
        ("local", Wire::Local),
        ("tree", Wire::Tree),
        ("global", Wire::Global),
        ("auto", Wire::Auto),
    ];

    /// True if states are divided into two sides.
    pub fn has_sides(self) -> bool {
        matches!(self, Wire::Tree | Wire::Global | Wire::Auto)
    }
}

/// Which units belong together: the same in all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    wire: Wire,
    /// The rule of the stores of all processes.
    split: Split,
    /// By unit that is known: its side, if there are two.
    sides: Vec<u8>,
    /// The same as bytes that lie together: their piece, where they begin and where they end.
    runs: Vec<(usize, usize, usize)>,
}

impl Cut {
    /// A cut for a wire; the rule is the one that was learned from some states.
    pub fn new(wire: Wire, split: &Split) -> Cut {
        let sides = if wire.has_sides() { split.sides_of_units() } else { Vec::new() };
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (unit, &side) in sides.iter().enumerate() {
            let (piece, start, end) = (usize::from(side), unit * UNIT, (unit + 1) * UNIT);
            match runs.last_mut() {
                Some(run) if run.0 == piece => run.2 = end,
                _ => runs.push((piece, start, end)),
            }
        }
        Cut { wire, split: split.clone(), sides, runs }
    }

    /// The rule of the stores of all processes.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// For which wire it is.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The same rule for another wire.
    pub fn with(&self, wire: Wire) -> Cut {
        Cut::new(wire, &self.split)
    }

    /// The rule for whoever has neither a database to ask nor packets to choose for, such as a file.
    pub fn alone(&self) -> Cut {
        self.with(if self.wire.has_sides() { Wire::Tree } else { self.wire })
    }

    /// As bytes, for others.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.split.to_bytes());
    }

    /// From bytes, for the same wire.
    pub fn read(wire: Wire, rest: &mut Rest<'_>) -> Result<Cut, Garbled> {
        Ok(Cut::new(wire, &Split::from_bytes(rest.bytes()?).ok_or(Garbled)?))
    }

    /// How many pieces a state of so many bytes has.
    fn pieces(&self, bytes: usize) -> usize {
        match self.wire {
            Wire::Vector => 1,
            Wire::Local => bytes.div_ceil(UNIT * PART).max(1),
            Wire::Tree | Wire::Global | Wire::Auto => 2,
        }
    }

    /// The piece of a unit. Units that the rule does not know are left and right in turn.
    fn piece(&self, unit: usize) -> usize {
        match self.wire {
            Wire::Vector => 0,
            Wire::Local => unit / PART,
            Wire::Tree | Wire::Global | Wire::Auto => {
                self.sides.get(unit).map_or((unit / PART) & 1, |&side| usize::from(side))
            }
        }
    }
}

impl Cut {
    /// Shows the bytes of a state that lie together and belong to one piece, in order, until somebody has seen enough.
    fn each_run(&self, bytes: usize, mut show: impl FnMut(usize, Range<usize>) -> Option<()>) -> Option<()> {
        for &(piece, start, end) in self.runs.iter().take_while(|run| run.1 < bytes) {
            show(piece, start..end.min(bytes))?;
        }
        let mut at = (self.sides.len() * UNIT).min(bytes);
        while at < bytes {
            let unit = at / UNIT;
            let next = ((unit / PART + 1) * PART * UNIT).min(bytes);
            show(self.piece(unit), at..next)?;
            at = next;
        }
        Some(())
    }

    /// Divides a state into pieces, so many of the scratch memory. Its length is a part of the first one: it says how long the
    /// others are.
    pub fn divide(&self, state: &[u8], scratch: &mut Vec<Vec<u8>>) -> usize {
        let count = self.pieces(state.len());
        scratch.resize_with(count.max(scratch.len()), Vec::new);
        scratch[..count].iter_mut().for_each(Vec::clear);
        put(&mut scratch[0], state.len() as u64);
        _ = self.each_run(state.len(), |piece, range| {
            scratch[piece].extend_from_slice(&state[range]);
            Some(())
        });
        count
    }

    /// The length of a state and the bytes that tell it, by its first piece.
    pub fn length(first: &[u8]) -> Result<(usize, usize), Garbled> {
        let mut head = Rest(first);
        let length = usize::try_from(head.number()?).map_err(|_| Garbled)?;
        if length > LONGEST { Err(Garbled) } else { Ok((length, first.len() - head.0.len())) }
    }

    /// Appends a state of so many bytes, of which somebody gives the next bytes of a piece.
    pub fn unite<'p>(
        &self,
        length: usize,
        mut next: impl FnMut(usize, usize) -> Option<&'p [u8]>,
        out: &mut Vec<u8>,
    ) -> Result<(), Garbled> {
        let put = |piece: usize, range: Range<usize>| {
            out.extend_from_slice(next(piece, range.len())?);
            Some(())
        };
        self.each_run(length, put).ok_or(Garbled)
    }
}

/// A hasher for keys that are hashes already.
#[derive(Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = rapidhash_v3(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// The pieces of one kind that a link remembers, in the order of their arrival; the oldest give way.
#[derive(Debug, Default)]
struct Ring {
    pieces: Vec<Vec<u8>>,
    next: usize,
    /// The one that was used last.
    last: usize,
}

/// What stands for a piece: that it is new and follows, that it is the one before, or its number from here on.
const NEW: u64 = 0;
const SAME: u64 = 1;
const KNOWN: u64 = 2;

impl Ring {
    /// Puts down a new piece in its place, which it tells.
    fn add(&mut self, piece: &[u8], room: usize) -> usize {
        let at = self.next;
        match self.pieces.get_mut(at) {
            Some(old) => {
                old.clear();
                old.extend_from_slice(piece);
            }
            None => self.pieces.push(piece.to_vec()),
        }
        self.next = (at + 1) % room;
        self.last = at;
        at
    }
}

/// Where a piece lies, by its hash.
pub type Places = HashMap<u64, u32, BuildHasherDefault<Hashed>>;

/// The sending end of a link.
#[derive(Debug)]
pub struct Sender {
    cut: Cut,
    room: usize,
    rings: Vec<(Ring, Places)>,
    scratch: Vec<Vec<u8>>,
}

impl Sender {
    /// Nothing has been sent.
    pub fn new(cut: Cut) -> Sender {
        Sender::with_room(cut, ROOM)
    }

    /// The same with room for so many pieces of each kind.
    pub fn with_room(cut: Cut, room: usize) -> Sender {
        Sender { cut, room: room.max(1), rings: Vec::new(), scratch: Vec::new() }
    }

    /// Appends a state.
    pub fn write(&mut self, state: &[u8], out: &mut Vec<u8>) {
        if self.cut.wire == Wire::Vector {
            put_bytes(out, state);
            return;
        }
        let count = self.cut.divide(state, &mut self.scratch);
        self.rings.resize_with(count.max(self.rings.len()), Default::default);
        for (piece, (ring, known)) in self.scratch[..count].iter().zip(&mut self.rings) {
            // A step changes little, and what is sent one after the other often has a piece in common.
            if ring.pieces.get(ring.last) == Some(piece) {
                put(out, SAME);
                continue;
            }
            let hash = rapidhash_v3(piece);
            match known.get(&hash) {
                Some(&at) if ring.pieces[at as usize] == *piece => {
                    ring.last = at as usize;
                    put(out, u64::from(at) + KNOWN);
                }
                _ => {
                    if let Some(old) = ring.pieces.get(ring.next) {
                        let old = rapidhash_v3(old);
                        if known.get(&old) == Some(&(ring.next as u32)) {
                            known.remove(&old);
                        }
                    }
                    let at = ring.add(piece, self.room);
                    known.insert(hash, at as u32);
                    put(out, NEW);
                    put_bytes(out, piece);
                }
            }
        }
    }
}

/// The receiving end of a link.
#[derive(Debug)]
pub struct Receiver {
    cut: Cut,
    room: usize,
    rings: Vec<Ring>,
    places: Vec<(usize, usize)>,
}

impl Receiver {
    /// Nothing has been received.
    pub fn new(cut: Cut) -> Receiver {
        Receiver::with_room(cut, ROOM)
    }

    /// The same with room for so many pieces of each kind, as the sender has.
    pub fn with_room(cut: Cut, room: usize) -> Receiver {
        Receiver { cut, room: room.max(1), rings: Vec::new(), places: Vec::new() }
    }

    /// Appends the state that comes next.
    pub fn read(&mut self, rest: &mut Rest<'_>, out: &mut Vec<u8>) -> Result<(), Garbled> {
        if self.cut.wire == Wire::Vector {
            out.extend_from_slice(rest.bytes()?);
            return Ok(());
        }
        self.places.clear();
        let first = self.piece(0, rest)?;
        let (length, skip) = Cut::length(&self.rings[0].pieces[first])?;
        self.places.push((first, skip));
        for piece in 1..self.cut.pieces(length) {
            let at = self.piece(piece, rest)?;
            self.places.push((at, 0));
        }
        let (places, rings) = (&mut self.places, &self.rings);
        let next = |piece: usize, count: usize| {
            let (at, read) = places.get_mut(piece)?;
            let bytes = rings.get(piece)?.pieces.get(*at)?.get(*read..*read + count)?;
            *read += count;
            Some(bytes)
        };
        self.cut.unite(length, next, out)?;
        let whole = |(piece, (at, read)): (usize, &(usize, usize))| self.rings[piece].pieces[*at].len() == *read;
        if self.places.iter().enumerate().all(whole) { Ok(()) } else { Err(Garbled) }
    }

    /// Where a piece lies, which may have to be put there.
    fn piece(&mut self, kind: usize, rest: &mut Rest<'_>) -> Result<usize, Garbled> {
        if self.rings.len() <= kind {
            self.rings.resize_with(kind + 1, Ring::default);
        }
        let ring = &mut self.rings[kind];
        match rest.number()? {
            NEW => Ok(ring.add(rest.bytes()?, self.room)),
            SAME if ring.pieces.is_empty() => Err(Garbled),
            SAME => Ok(ring.last),
            number => {
                let at = usize::try_from(number - KNOWN).map_err(|_| Garbled)?;
                ring.last = Some(at).filter(|&at| at < ring.pieces.len()).ok_or(Garbled)?;
                Ok(at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that need nobody but the two ends of a link.
    const ALONE: [Wire; 3] = [Wire::Vector, Wire::Local, Wire::Tree];

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    /// States of several lengths whose parts have few values.
    fn states(seed: &mut u64, count: usize) -> Vec<Vec<u8>> {
        (0..count)
            .map(|_| {
                let length = [0, 1, 7, 24, 25, 64][random(seed) as usize % 6];
                (0..length).map(|_| (random(seed) % 3) as u8).collect()
            })
            .collect()
    }

    #[test]
    fn what_arrives_is_what_was_sent() {
        let mut seed = 1;
        for wire in ALONE {
            for room in [1, 2, 16, ROOM] {
                let states = states(&mut seed, 2_000);
                let sample: Vec<&[u8]> = states.iter().map(|s| &s[..]).collect();
                let cut = Cut::new(wire, &Split::choose(&sample));
                let (mut to, mut from) = (Sender::with_room(cut.clone(), room), Receiver::with_room(cut, room));
                for state in &states {
                    let (mut bytes, mut got) = (Vec::new(), Vec::new());
                    to.write(state, &mut bytes);
                    let mut rest = Rest(&bytes);
                    assert_eq!(from.read(&mut rest, &mut got), Ok(()));
                    assert!(rest.is_empty() && got == *state, "{wire:?} {room} {state:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_known_is_short() {
        let state = [7u8; 64];
        let cut = Cut::new(Wire::Tree, &Split::halves(64));
        let (mut to, mut out) = (Sender::new(cut), Vec::new());
        to.write(&state, &mut out);
        let first = out.len();
        to.write(&state, &mut out);
        assert!(first > 64 && out.len() - first == 2, "{first} {}", out.len());
    }

    #[test]
    fn damaged_packets_are_errors_and_nothing_worse() {
        let mut seed = 7;
        for wire in ALONE {
            let states = states(&mut seed, 50);
            let cut = Cut::new(wire, &Split::halves(64));
            let (mut to, mut bytes) = (Sender::with_room(cut.clone(), 8), Vec::new());
            states.iter().for_each(|state| to.write(state, &mut bytes));
            for _ in 0..500 {
                let mut broken = bytes.clone();
                let at = random(&mut seed) as usize % broken.len();
                broken[at] ^= 1 << (random(&mut seed) % 8);
                broken.truncate(random(&mut seed) as usize % (broken.len() + 1));
                let (mut from, mut rest, mut out) = (Receiver::with_room(cut.clone(), 8), Rest(&broken), Vec::new());
                while !rest.is_empty() && from.read(&mut rest, &mut out).is_ok() {}
            }
        }
    }

    #[test]
    fn a_cut_comes_back_from_its_bytes() {
        let cut = Cut::new(Wire::Tree, &Split::halves(80));
        let mut bytes = Vec::new();
        cut.write(&mut bytes);
        assert_eq!(Cut::read(Wire::Tree, &mut Rest(&bytes)), Ok(cut));
        assert!(Cut::read(Wire::Tree, &mut Rest(&[2, 0, 2])).is_err());
    }
}
