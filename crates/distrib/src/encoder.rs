//! How the states of a link are written and read: by sides, by a dictionary of its own, with numbers of the database, or by what has been shorter.

use crate::codec::{Cut, Receiver, Sender, Wire};
use crate::database::Database;
use crate::sides::{SideReceiver, SideSender};
use crate::wire::{Garbled, Rest, put};
use starwheel_store::{NumberedTree, StateRef};
use std::cell::RefCell;
use std::rc::Rc;

/// A place in a packet where the number of a piece will stand.
#[derive(Clone, Copy, Debug)]
pub struct Hole {
    at: usize,
    piece: u32,
}

/// Bytes that a number takes, about.
const NUMBER: usize = 3;

/// The sending end of a link.
pub enum Writer {
    /// By the numbers of sides in the store.
    Sides(SideSender),
    /// With a dictionary.
    Own(Sender),
    /// With numbers of the database.
    Asked { cut: Cut, database: Rc<RefCell<Database>>, holes: Vec<Hole> },
    /// With one of two dictionaries for each packet.
    Chosen(Box<Choice>),
}

impl Writer {
    /// Nothing was sent.
    pub fn new(cut: &Cut, database: &Rc<RefCell<Database>>) -> Writer {
        match cut.wire() {
            Wire::Global => Writer::Asked { cut: cut.clone(), database: Rc::clone(database), holes: Vec::new() },
            Wire::Auto => Writer::Chosen(Box::new(Choice::new(cut))),
            Wire::Tree => Writer::Sides(SideSender::default()),
            Wire::Vector | Wire::Local => Writer::Own(Sender::new(cut.clone())),
        }
    }

    /// Begins a packet.
    pub fn begin(&mut self, packet: &mut Vec<u8>) {
        if let Writer::Chosen(choice) = self {
            packet.push(choice.now as u8);
        }
    }

    /// Appends a state, which has a name in the store; four bits are told elsewhere.
    #[inline]
    pub fn write(&mut self, (state, name): (&[u8], StateRef), store: &NumberedTree, packet: &mut Vec<u8>) -> u8 {
        match self {
            Writer::Sides(sender) => return sender.write(name, store, packet),
            Writer::Own(sender) => sender.write(state, packet),
            Writer::Asked { cut, database, holes } => {
                let sides = database.borrow_mut().sides(cut, state);
                holes.extend(sides.map(|piece| Hole { at: packet.len(), piece }));
            }
            Writer::Chosen(choice) => {
                choice.states += 1;
                choice.senders[choice.now].write(state, packet);
            }
        }
        0
    }

    /// Bytes that will be added to the packet when its numbers are known, about.
    pub fn missing(&self) -> usize {
        if let Writer::Asked { holes, .. } = self { holes.len() * NUMBER } else { 0 }
    }

    /// Ends a packet; something if numbers have to be put in.
    pub fn end(&mut self, packet: &[u8]) -> Option<Vec<Hole>> {
        match self {
            Writer::Sides(_) | Writer::Own(_) => None,
            Writer::Asked { holes, .. } => Some(std::mem::take(holes)),
            Writer::Chosen(choice) => {
                choice.sent(packet.len());
                None
            }
        }
    }

    /// A packet with its numbers, and in front of them the least count of numbers that the receiver has to know; none if not all of them are known here.
    pub fn fill(&self, packet: &[u8], holes: &[Hole]) -> Option<Vec<u8>> {
        let Writer::Asked { database, .. } = self else { return Some(packet.to_vec()) };
        let database = database.borrow();
        let mut most = 0;
        for hole in holes {
            most = most.max(u64::from(database.number(hole.piece)?) + 1);
        }
        let (kind, body) = packet.split_first()?;
        let mut out = Vec::with_capacity(packet.len() + holes.len() * (NUMBER + 1) + 8);
        out.push(*kind);
        put(&mut out, most);
        let mut from = 1;
        for hole in holes {
            out.extend_from_slice(&body[from - 1..hole.at - 1]);
            put(&mut out, u64::from(database.number(hole.piece)?));
            from = hole.at;
        }
        out.extend_from_slice(&body[from - 1..]);
        Some(out)
    }

    /// The packet that was begun is not sent.
    pub fn forget(&mut self) {
        if let Writer::Asked { holes, .. } = self {
            holes.clear();
        }
    }
}

/// The ways between which a link chooses, by number.
const WAYS: [Wire; 2] = [Wire::Tree, Wire::Local];
/// The first packets of a link go all ways in turn.
const TRIALS: u64 = 8;
/// After that, one of so many is sent in another way than the best so far, in case things have changed.
const AGAIN: u64 = 32;
/// How much of what was counted before is forgotten with each packet.
const FORGET: f64 = 0.1;

/// Which of two ways is shorter on a link.
pub struct Choice {
    senders: [Sender; 2],
    /// By way: bytes and states, of which older ones count less.
    seen: [(f64, f64); 2],
    /// The way of the packet that is being written.
    now: usize,
    packets: u64,
    states: u64,
}

impl Choice {
    fn new(cut: &Cut) -> Choice {
        let senders = WAYS.map(|way| Sender::new(cut.with(way)));
        Choice { senders, seen: [(0.0, 0.0); 2], now: 0, packets: 0, states: 0 }
    }

    /// A packet is ended; chooses the way of the next one.
    fn sent(&mut self, bytes: usize) {
        let (all, states) = &mut self.seen[self.now];
        *all = *all * (1.0 - FORGET) + bytes as f64;
        *states = *states * (1.0 - FORGET) + self.states as f64;
        self.states = 0;
        self.packets += 1;
        let cost = |way: usize| self.seen[way].0 / self.seen[way].1.max(1.0);
        let best = usize::from(cost(1) < cost(0));
        self.now = match self.packets {
            n if n < TRIALS => n as usize % 2,
            n if n % AGAIN == 0 => 1 - best,
            _ => best,
        };
    }
}

/// The receiving end of a link.
pub enum Reader {
    /// By the numbers of sides in the store.
    Sides(SideReceiver),
    /// With a dictionary.
    Own(Receiver),
    /// With numbers of the database.
    Asked { cut: Cut, database: Rc<RefCell<Database>> },
    /// With one of two dictionaries for each packet.
    Chosen { receivers: Box<[Receiver; 2]>, now: usize },
}

impl Reader {
    /// Nothing was received.
    pub fn new(cut: &Cut, database: &Rc<RefCell<Database>>) -> Reader {
        match cut.wire() {
            Wire::Global => Reader::Asked { cut: cut.clone(), database: Rc::clone(database) },
            Wire::Auto => Reader::Chosen { receivers: Box::new(WAYS.map(|way| Receiver::new(cut.with(way)))), now: 0 },
            Wire::Tree => Reader::Sides(SideReceiver::default()),
            Wire::Vector | Wire::Local => Reader::Own(Receiver::new(cut.clone())),
        }
    }

    /// Reads the head of a packet.
    pub fn begin(&mut self, rest: &mut Rest<'_>) -> Result<(), Garbled> {
        match self {
            Reader::Sides(_) | Reader::Own(_) => {}
            Reader::Asked { .. } => {
                // Whether so many are known was looked at before.
                rest.number()?;
            }
            Reader::Chosen { receivers, now } => {
                *now = usize::from(rest.take(1)?[0]);
                if *now >= receivers.len() {
                    *now = 0;
                    return Err(Garbled);
                }
            }
        }
        Ok(())
    }

    /// Reads the state that comes next, given the four bits that were told elsewhere. Its name in the store, unless that is full
    /// and nothing that comes after it can be understood; whether it is to be expected here is asked if its bytes are at hand.
    #[inline]
    pub fn read(
        &mut self,
        kinds: u8,
        (rest, out): (&mut Rest<'_>, &mut Vec<u8>),
        store: &mut NumberedTree,
        expected: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<StateRef>, Garbled> {
        out.clear();
        match self {
            Reader::Sides(receiver) => return receiver.read(kinds, store, rest),
            Reader::Own(receiver) => receiver.read(rest, out)?,
            Reader::Asked { cut, database } => {
                let sides = [rest.number()?, rest.number()?];
                database.borrow().unite(cut, sides, out)?;
            }
            Reader::Chosen { receivers, now } => receivers[*now].read(rest, out)?,
        }
        if expected(out) { Ok(store.name(out)) } else { Err(Garbled) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_store::Split;

    #[test]
    fn the_shorter_way_is_taken() {
        // Parts that have few values, and sides that are hardly ever the same: `local` is shorter.
        let value =
            |n: u32, part: u32| (n.wrapping_mul(6).wrapping_add(part).wrapping_mul(2_654_435_761) >> 24) as u8 % 35;
        let states: Vec<Vec<u8>> =
            (0..40_000u32).map(|n| (0..96u32).map(|at| value(n.wrapping_mul(n), at / 16)).collect()).collect();
        let cut = Cut::new(Wire::Auto, &Split::halves(96));
        let (database, mut store) = (Rc::default(), NumberedTree::new(None));
        let (mut to, mut from) = (Writer::new(&cut, &database), Reader::new(&cut, &database));
        let (mut ways, mut whole) = ([0; 2], 0);
        for chunk in states.chunks(100) {
            let mut packet = vec![9];
            to.begin(&mut packet);
            for state in chunk {
                to.write((state, StateRef(0)), &store, &mut packet);
            }
            assert!(to.end(&packet).is_none());
            ways[usize::from(packet[1])] += 1;
            whole += packet.len();
            let mut rest = Rest(&packet[1..]);
            from.begin(&mut rest).unwrap();
            for state in chunk {
                let mut got = Vec::new();
                from.read(0, (&mut rest, &mut got), &mut store, |_| true).unwrap();
                assert_eq!(&got, state);
            }
            assert!(rest.is_empty());
        }
        assert!(ways[0] > 0 && ways[1] > ways[0], "{ways:?}, {whole} bytes");
        assert!(from.begin(&mut Rest(&[7])).is_err());
    }

    #[test]
    fn numbers_are_put_where_they_belong() {
        let cut = Cut::new(Wire::Global, &Split::halves(40));
        let (database, mut store) = (Rc::new(RefCell::new(Database::new(0))), NumberedTree::new(None));
        let (mut to, mut from) = (Writer::new(&cut, &database), Reader::new(&cut, &database));
        let states: Vec<Vec<u8>> = (0..50u8).map(|n| (0..40).map(|at| n.wrapping_mul(at) % 5).collect()).collect();
        let mut packet = vec![9];
        to.begin(&mut packet);
        for state in &states {
            packet.push(77);
            to.write((state, StateRef(0)), &store, &mut packet);
        }
        packet.push(78);
        let holes = to.end(&packet).unwrap();
        let whole = to.fill(&packet, &holes).unwrap();
        let mut rest = Rest(&whole[1..]);
        from.begin(&mut rest).unwrap();
        for state in &states {
            assert_eq!(rest.take(1), Ok(&[77][..]));
            let mut got = Vec::new();
            from.read(0, (&mut rest, &mut got), &mut store, |_| true).unwrap();
            assert_eq!(&got, state);
        }
        assert_eq!(rest.0, [78]);
    }
}
