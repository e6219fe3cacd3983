//! What one process knows of its connection to another: states that are not sent yet, the dictionaries of both directions, and
//! who owes thanks to whom.

use crate::codec::Cut;
use crate::crew::Outgoing;
use crate::database::Database;
use crate::encoder::{Hole, Reader, Writer};
use crate::wire::{Garbled, Rest, put, put_signed};
use starwheel_store::{NumberedTree, StateRef};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Bytes of a packet that is full.
pub const FULL: usize = 32 << 10;

/// The kinds of packets, by their first byte.
pub mod kind {
    /// States, each with where it comes from.
    pub const STATES: u8 = 0;
    /// So many packets of states were worked up.
    pub const THANKS: u8 = 1;
    /// Everybody has to stop, and why.
    pub const STOP: u8 = 2;
    /// How far somebody is.
    pub const PULSE: u8 = 3;
    /// Transitions into states that are stored already.
    pub const EDGES: u8 = 4;
    /// Nobody expands any more: the search is about to be saved.
    pub const PAUSE: u8 = 5;
    /// States, each with where it comes from and how far it is from there.
    pub const FAR: u8 = 6;
    /// Pieces of states that have no number.
    pub const QUESTION: u8 = 7;
    /// Pieces of states in the order of their numbers.
    pub const ANSWER: u8 = 8;
}

/// Half of the first byte of an entry says how many numbers further its state is than the one before, unless that is many or
/// less than none; the other half is for the state itself.
const HALF: u32 = 4;
const MANY: u8 = 15;

/// What an entry begins with.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The number of the state that was expanded.
    pub from: u32,
    /// What is said of the state at the other end.
    pub kinds: u8,
}

impl Head {
    /// Reads what an entry begins with, after one from another state; the first of a packet is after zero.
    #[inline]
    pub fn read(rest: &mut Rest<'_>, last: u32) -> Result<Head, Garbled> {
        let (&first, behind) = rest.0.split_first().ok_or(Garbled)?;
        rest.0 = behind;
        let further = if first >> HALF == MANY { rest.signed()? } else { i64::from(first >> HALF) };
        let from = i64::from(last).checked_add(further).and_then(|from| u32::try_from(from).ok());
        Ok(Head { from: from.ok_or(Garbled)?, kinds: first & MANY })
    }
}

/// One connection, as one end sees it.
pub struct Link {
    writer: Writer,
    /// Reads what the other sends.
    pub reader: Reader,
    /// States that are not sent yet; the first byte says what it is.
    pub packet: Vec<u8>,
    /// Packets that are full, with places for numbers that the database has not told yet.
    held: VecDeque<(Vec<u8>, Vec<Hole>)>,
    /// The number of the state in it that was expanded last.
    last: u32,
    /// Where the entry that was written last begins.
    head: usize,
    /// Packets that were sent and not thanked for.
    pub unthanked: u32,
    /// Packets that were received and not thanked for.
    pub thanks: u32,
    /// States that were sent.
    pub sent: u64,
    /// States that were received.
    pub received: u64,
}

impl Link {
    /// Nothing was said.
    pub fn new(cut: &Cut, database: &Rc<RefCell<Database>>) -> Link {
        Link {
            writer: Writer::new(cut, database),
            reader: Reader::new(cut, database),
            packet: Vec::new(),
            held: VecDeque::new(),
            last: 0,
            head: 0,
            unthanked: 0,
            thanks: 0,
            sent: 0,
            received: 0,
        }
    }

    /// True if nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.packet.is_empty() && self.held.is_empty()
    }

    /// True if a packet waits for the database.
    pub fn waits(&self) -> bool {
        !self.held.is_empty()
    }

    /// True if the packet has to be sent.
    pub fn is_full(&self) -> bool {
        self.packet.len() + self.writer.missing() >= FULL
    }

    /// Whatever was to be sent is not.
    pub fn clear(&mut self) {
        self.packet.clear();
        self.held.clear();
        self.writer.forget();
    }

    /// Begins an entry, and a packet of a kind if there is none.
    pub fn begin(&mut self, kind: u8, from: u32) {
        if self.packet.is_empty() {
            self.packet.push(kind);
            self.writer.begin(&mut self.packet);
            self.last = 0;
        }
        self.head = self.packet.len();
        let further = i64::from(from) - i64::from(self.last);
        match u8::try_from(further) {
            Ok(few) if few < MANY => self.packet.push(few << HALF),
            _ => {
                self.packet.push(MANY << HALF);
                put_signed(&mut self.packet, further);
            }
        }
        self.last = from;
    }

    /// Ends an entry with its state, which has hidden bytes and a name in the store.
    #[inline]
    pub fn finish(&mut self, state: &[u8], skip: usize, name: StateRef, store: &NumberedTree) {
        self.packet.extend_from_slice(&state[..skip]);
        self.packet[self.head] |= self.writer.write((&state[skip..], name), store, &mut self.packet);
        self.sent += 1;
    }

    /// Sends the packet, if there is anything in it and nothing is missing.
    pub fn seal(&mut self, to: usize, out: &mut Outgoing) {
        if !self.packet.is_empty() {
            self.unthanked += 1;
            let packet = std::mem::replace(&mut self.packet, Vec::with_capacity(FULL + 256));
            match self.writer.end(&packet) {
                None => out.tell(to, packet),
                Some(holes) => {
                    self.held.push_back((packet, holes));
                    self.release(to, out);
                }
            }
        }
    }

    /// Sends the packets that have got all their numbers.
    pub fn release(&mut self, to: usize, out: &mut Outgoing) {
        while let Some((packet, holes)) = self.held.front() {
            let Some(whole) = self.writer.fill(packet, holes) else { return };
            out.tell(to, whole);
            self.held.pop_front();
        }
    }

    /// Sends thanks, if some are owed.
    pub fn thank(&mut self, to: usize, out: &mut Outgoing) {
        if self.thanks > 0 {
            let mut bytes = vec![kind::THANKS];
            put(&mut bytes, u64::from(std::mem::take(&mut self.thanks)));
            out.tell(to, bytes);
        }
    }
}
