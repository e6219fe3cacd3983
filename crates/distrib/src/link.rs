//! What one process knows of its connection to another: states that are not sent yet, the dictionaries of both directions, and
//! who owes thanks to whom.

use crate::codec::{Cut, Receiver, Sender};
use crate::crew::Outgoing;
use crate::wire::{put, put_signed};

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
}

/// One connection, as one end sees it.
pub struct Link {
    sender: Sender,
    /// Reads what the other sends.
    pub receiver: Receiver,
    /// States that are not sent yet; the first byte says what it is.
    pub packet: Vec<u8>,
    /// The number of the state in it that was expanded last.
    last: u32,
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
    pub fn new(cut: &Cut) -> Link {
        let (sender, receiver) = (Sender::new(cut.clone()), Receiver::new(cut.clone()));
        Link { sender, receiver, packet: Vec::new(), last: 0, unthanked: 0, thanks: 0, sent: 0, received: 0 }
    }

    /// Adds a state to the packet, and the number of the one that it follows.
    pub fn add(&mut self, state: &[u8], skip: usize, from: u32) {
        self.begin(kind::STATES, from);
        self.finish(state, skip);
    }

    /// Begins an entry, and a packet of a kind if there is none.
    pub fn begin(&mut self, kind: u8, from: u32) {
        if self.packet.is_empty() {
            self.packet.push(kind);
            self.last = 0;
        }
        put_signed(&mut self.packet, i64::from(from) - i64::from(self.last));
        self.last = from;
    }

    /// Ends an entry with its state.
    pub fn finish(&mut self, state: &[u8], skip: usize) {
        self.packet.extend_from_slice(&state[..skip]);
        self.sender.write(&state[skip..], &mut self.packet);
        self.sent += 1;
    }

    /// Sends the packet, if there is anything in it.
    pub fn seal(&mut self, to: usize, out: &mut Outgoing) {
        if !self.packet.is_empty() {
            self.unthanked += 1;
            out.tell(to, std::mem::replace(&mut self.packet, Vec::with_capacity(FULL + 256)));
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
