//! The sides of states on a link, by the numbers that they have in the stores of its two ends: nothing is put together or taken
//! apart but a side that is new on the link.
//!
//! The dictionary of `codec.rs` for [`Wire::Tree`](crate::Wire::Tree) without contents: the store of each end has them. The sender
//! tells a side when it is new on the link, as the pieces in which it differs from the side before it, and its number on the
//! link ever after; the receiver keeps which number of its own store that is. Numbers of a link go round, so each end
//! remembers so many sides and no more, and a number that is given again means the new side to both.

use crate::wire::{Garbled, Rest, put, put_bytes};
use starwheel_store::{LONGEST_PIECE, NumberedTree, PieceCode, StateRef};

/// Sides that a link remembers, left and right.
const ROOM: usize = 1 << 18;

/// What stands for a side: it is new and follows; it is the one before; its number follows in two bytes, or in three.
const NEW: u8 = 0;
const SAME: u8 = 1;
const SHORT: u8 = 2;
const LONG: u8 = 3;
/// Bits of one of these.
const BITS: u32 = 2;

/// A side in the sender's store and its number on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    own: u32,
    number: u32,
}

/// No side.
const NOBODY: Told = Told { own: u32::MAX, number: u32::MAX };

/// What the sender knows of one kind of sides.
#[derive(Debug, Default)]
struct Sent {
    /// By the lower bits of the number in the store: which side was told there last.
    told: Vec<Told>,
    /// By number on the link: the side in the store.
    numbers: Vec<u32>,
    /// The number that is given next.
    next: usize,
    last: Option<u32>,
}

/// The sending end of a link.
#[derive(Debug)]
pub struct SideSender {
    room: usize,
    sent: [Sent; 2],
    pieces: [Vec<PieceCode>; 2],
    scratch: Vec<u8>,
}

impl Default for SideSender {
    fn default() -> SideSender {
        SideSender::with_room(ROOM)
    }
}

impl SideSender {
    /// Remembers so many sides of each kind, a power of two.
    pub fn with_room(room: usize) -> SideSender {
        SideSender {
            room: room.next_power_of_two(),
            sent: Default::default(),
            pieces: Default::default(),
            scratch: Vec::new(),
        }
    }

    /// Appends a state of a store, and says what stands for its sides: four bits.
    #[inline]
    pub fn write(&mut self, name: StateRef, store: &NumberedTree, out: &mut Vec<u8>) -> u8 {
        let mut kinds = 0;
        for (side, own) in name.sides().into_iter().enumerate() {
            let sent = &mut self.sent[side];
            let kind = if sent.last == Some(own) {
                SAME
            } else {
                match sent.told.get(own as usize & (self.room - 1)) {
                    Some(told) if told.own == own => {
                        let [a, b, c, _] = told.number.to_le_bytes();
                        sent.last = Some(own);
                        out.extend_from_slice(&[a, b]);
                        if c == 0 {
                            SHORT
                        } else {
                            out.push(c);
                            LONG
                        }
                    }
                    _ => {
                        self.tell(side, own, store, out);
                        NEW
                    }
                }
            };
            kinds |= kind << (side as u32 * BITS);
        }
        kinds
    }

    /// Appends the pieces of a side that are not those of the side before.
    #[inline(never)]
    fn tell(&mut self, side: usize, own: u32, store: &NumberedTree, out: &mut Vec<u8>) {
        let [before, now] = &mut self.pieces;
        let sent = &mut self.sent[side];
        before.clear();
        if let Some(last) = sent.last {
            store.pieces(side, last, before);
        }
        store.pieces(side, own, now);
        let differs = |at: usize| before.get(at) != Some(&now[at]);
        self.scratch.clear();
        let mut whole = true;
        for at in (0..now.len()).filter(|&at| differs(at)) {
            let start = self.scratch.len();
            store.piece(now[at], &mut self.scratch);
            whole &= self.scratch.len() - start == store.whole(side, at);
        }
        put(out, (now.len() as u64) << 1 | u64::from(whole));
        for from in (0..now.len()).step_by(8) {
            let to = now.len().min(from + 8);
            out.push((from..to).fold(0, |bits, at| bits | u8::from(differs(at)) << (at - from)));
        }
        if whole {
            out.extend_from_slice(&self.scratch);
        } else {
            for at in (0..now.len()).filter(|&at| differs(at)) {
                self.scratch.clear();
                store.piece(now[at], &mut self.scratch);
                put_bytes(out, &self.scratch);
            }
        }
        sent.give(own, self.room);
    }
}

impl Sent {
    /// Gives a side the next number, which may have been that of another one.
    fn give(&mut self, own: u32, room: usize) {
        let number = self.next;
        match self.numbers.get_mut(number) {
            None => self.numbers.push(own),
            Some(old) => {
                let place = *old as usize & (room - 1);
                if self.told[place] == (Told { own: *old, number: number as u32 }) {
                    self.told[place] = NOBODY;
                }
                *old = own;
            }
        }
        let place = own as usize & (room - 1);
        if self.told.len() <= place {
            self.told.resize(place + 1, NOBODY);
        }
        self.told[place] = Told { own, number: number as u32 };
        self.next = (number + 1) & (room - 1);
        self.last = Some(own);
    }
}

/// What the receiver knows of one kind of sides.
#[derive(Debug, Default)]
struct Heard {
    /// By number on the link: the side in the store.
    numbers: Vec<u32>,
    next: usize,
    last: Option<u32>,
}

/// The receiving end of a link.
#[derive(Debug)]
pub struct SideReceiver {
    room: usize,
    heard: [Heard; 2],
    pieces: Vec<PieceCode>,
}

impl Default for SideReceiver {
    fn default() -> SideReceiver {
        SideReceiver::with_room(ROOM)
    }
}

impl SideReceiver {
    /// Remembers so many sides of each kind, as the sender does.
    pub fn with_room(room: usize) -> SideReceiver {
        SideReceiver { room: room.next_power_of_two(), heard: Default::default(), pieces: Vec::new() }
    }

    /// Reads the state that comes next, given what stands for its sides. None if the store is full; then nothing that comes
    /// after it can be understood.
    #[inline]
    pub fn read(
        &mut self,
        kinds: u8,
        store: &mut NumberedTree,
        rest: &mut Rest<'_>,
    ) -> Result<Option<StateRef>, Garbled> {
        let mut sides = [0; 2];
        for (side, own) in sides.iter_mut().enumerate() {
            let heard = &mut self.heard[side];
            let number = match kinds >> (side as u32 * BITS) & 3 {
                SAME => {
                    *own = heard.last.ok_or(Garbled)?;
                    continue;
                }
                NEW => {
                    let Some(new) = self.hear(side, store, rest)? else { return Ok(None) };
                    *own = new;
                    continue;
                }
                LONG => match *rest.take(3)? {
                    [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
                    _ => return Err(Garbled),
                },
                _ => match *rest.take(2)? {
                    [a, b] => u32::from_le_bytes([a, b, 0, 0]),
                    _ => return Err(Garbled),
                },
            };
            *own = *heard.numbers.get(number as usize).ok_or(Garbled)?;
            heard.last = Some(*own);
        }
        Ok(Some(StateRef::of_sides(sides)))
    }

    /// Reads a side that is new on the link.
    #[inline(never)]
    fn hear(&mut self, side: usize, store: &mut NumberedTree, rest: &mut Rest<'_>) -> Result<Option<u32>, Garbled> {
        let heard = &mut self.heard[side];
        let head = rest.number()?;
        let (count, whole) = (usize::try_from(head >> 1).map_err(|_| Garbled)?, head & 1 == 1);
        let differs = rest.take(count.div_ceil(8))?;
        self.pieces.clear();
        if let Some(last) = heard.last {
            store.pieces(side, last, &mut self.pieces);
        }
        for at in 0..count {
            if differs[at / 8] >> (at % 8) & 1 == 0 {
                if at >= self.pieces.len() {
                    return Err(Garbled);
                }
                continue;
            }
            let bytes = if whole { rest.take(store.whole(side, at))? } else { rest.bytes()? };
            if bytes.len() > LONGEST_PIECE {
                return Err(Garbled);
            }
            let Some(code) = store.add_piece(bytes) else { return Ok(None) };
            match self.pieces.get_mut(at) {
                Some(piece) => *piece = code,
                None => self.pieces.push(code),
            }
        }
        self.pieces.truncate(count);
        let Some(own) = store.add_side(side, &self.pieces) else { return Ok(None) };
        match heard.numbers.get_mut(heard.next) {
            None => heard.numbers.push(own),
            Some(old) => *old = own,
        }
        heard.next = (heard.next + 1) & (self.room - 1);
        heard.last = Some(own);
        Ok(Some(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_store::{Inserted, Split, StateId, StateSet, StateStore};

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    /// States of several lengths whose parts have few values.
    fn states(seed: &mut u64, count: usize) -> Vec<Vec<u8>> {
        (0..count)
            .map(|_| {
                let length = [0, 1, 7, 24, 25, 64, 900][random(seed) as usize % 7];
                (0..length).map(|_| (random(seed) % 3) as u8).collect()
            })
            .collect()
    }

    fn split(states: &[Vec<u8>]) -> Split {
        Split::choose(&states.iter().map(|state| &state[..]).collect::<Vec<_>>())
    }

    #[test]
    fn what_arrives_is_what_was_sent() {
        let mut seed = 1;
        for room in [1, 2, 16, ROOM] {
            let states = states(&mut seed, 3_000);
            let rule = split(&states[..500]);
            let (mut here, mut there) =
                (NumberedTree::with_split(None, rule.clone()), NumberedTree::with_split(None, rule));
            // Numbers of the two stores must not be alike by chance.
            states.iter().rev().step_by(3).for_each(|state| _ = there.insert(state));
            let (mut to, mut from) = (SideSender::with_room(room), SideReceiver::with_room(room));
            for state in &states {
                let mut bytes = Vec::new();
                let name = here.name(state).unwrap();
                let kinds = to.write(name, &here, &mut bytes);
                let mut rest = Rest(&bytes);
                let came = from.read(kinds, &mut there, &mut rest).unwrap().unwrap();
                assert!(rest.is_empty());
                let (Inserted::New(StateId(number)) | Inserted::Known(StateId(number))) = there.enter(came) else {
                    panic!("full")
                };
                let mut got = Vec::new();
                there.read(StateId(number), &mut got);
                assert_eq!(&got, state, "room for {room}");
                assert_eq!(there.lookup(state), Some(StateId(number)));
            }
        }
    }

    #[test]
    fn what_is_known_is_short() {
        let mut store = NumberedTree::with_split(None, Split::halves(64));
        let (mut to, mut out) = (SideSender::default(), Vec::new());
        let [one, other] = [[7u8; 64], [8u8; 64]].map(|state| store.name(&state).unwrap());
        to.write(one, &store, &mut out);
        to.write(other, &store, &mut out);
        let first = out.len();
        to.write(other, &store, &mut out);
        assert_eq!(out.len(), first);
        to.write(one, &store, &mut out);
        assert_eq!(out.len(), first + 4);
    }

    #[test]
    fn damaged_packets_are_errors_and_nothing_worse() {
        let mut seed = 7;
        let states = states(&mut seed, 50);
        let rule = split(&states);
        let mut here = NumberedTree::with_split(None, rule.clone());
        let (mut to, mut bytes) = (SideSender::with_room(8), Vec::new());
        for state in &states {
            let name = here.name(state).unwrap();
            let at = bytes.len();
            bytes.push(0);
            bytes[at] = to.write(name, &here, &mut bytes);
        }
        for _ in 0..2_000 {
            let mut broken = bytes.clone();
            for _ in 0..1 + random(&mut seed) % 4 {
                let at = random(&mut seed) as usize % broken.len();
                broken[at] = random(&mut seed) as u8;
            }
            broken.truncate(random(&mut seed) as usize % (broken.len() + 1));
            let (mut there, mut from) = (NumberedTree::with_split(None, rule.clone()), SideReceiver::with_room(8));
            let mut rest = Rest(&broken);
            while !rest.is_empty() {
                let Ok(kinds) = rest.take(1) else { break };
                let Ok(Some(name)) = from.read(kinds[0], &mut there, &mut rest) else { break };
                // Whatever it is, it can be kept and read.
                if let Inserted::New(id) = there.enter(name) {
                    there.read(id, &mut Vec::new());
                }
            }
        }
    }
}
