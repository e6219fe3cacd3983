//! What a transition may read and write: never less than it does, sometimes more.
//!
//! A handshake touches what both its transitions touch: [`Footprint::join`] them. A transition inside `atomic` is one
//! link of a chain; who reorders chains has to join the footprints of all links. Everything here is about steps of *two
//! different processes*: steps of one process always depend on each other.

use crate::ir::{ChanId, Model, ProctypeId};

mod collect;
pub mod known;

/// A piece of a region: first byte and one past the last.
pub type Bytes = (u32, u32);

/// What one transition may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Whose transition it is; several for a handshake.
    pub proctypes: Vec<ProctypeId>,
    /// What decides whether it can be executed.
    pub tests: Touch,
    /// All that it reads, [`Footprint::tests`] included.
    pub reads: Touch,
    /// What it writes.
    pub writes: Touch,
    /// What it does with channels.
    pub channels: ChannelUse,
}

/// Variables and other parts of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Touch {
    /// In the block of globals.
    pub globals: Pieces,
    /// In the hidden part.
    pub hidden: Pieces,
    /// In the frame of the process itself.
    pub locals: Pieces,
    /// In frames of other processes of a type.
    pub remote: Vec<(ProctypeId, Bytes)>,
    /// What is not a variable.
    pub special: Special,
}

/// A set of bytes of a region, as pieces in order with gaps between them: equal sets look the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pieces(Vec<Bytes>);

/// Parts of a state that are not variables, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Special(u16);

/// What is done with channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelUse {
    /// With channels of a known declaration.
    pub known: Vec<(ChanId, Ops)>,
    /// With channels that may be any.
    pub any: Ops,
}

/// Kinds of channel operations, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ops(u8);

impl Special {
    /// Which processes exist: their number, creation and death.
    pub const PROCESSES: Special = Special(1);
    /// Which channels exist.
    pub const CHANNELS: Special = Special(2);
    /// Where processes stand. Every transition writes its own, so two writes do not clash.
    pub const LOCATIONS: Special = Special(4);
    /// `_last`
    pub const LAST: Special = Special(8);
    /// Priorities.
    pub const PRIORITY: Special = Special(16);
    /// Whether nothing else can happen.
    pub const TIMEOUT: Special = Special(32);
    /// The state of the event assertion.
    pub const TRACE: Special = Special(64);
    /// Anything at all.
    pub const EVERYTHING: Special = Special(128);

    /// True if there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if something is in both.
    pub fn meets(self, other: Special) -> bool {
        self.0 & other.0 != 0
    }

    /// Both together.
    pub fn with(self, other: Special) -> Special {
        Special(self.0 | other.0)
    }

    /// This without the other.
    pub fn without(self, other: Special) -> Special {
        Special(self.0 & !other.0)
    }
}

impl Ops {
    /// Sends.
    pub const SEND: Ops = Ops(1);
    /// Receives that take the message.
    pub const RECEIVE: Ops = Ops(2);
    /// Questions, polls, and receives that leave the message.
    pub const QUERY: Ops = Ops(4);
    /// Creation and deletion.
    pub const LIFE: Ops = Ops(8);

    /// True if there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Both together.
    pub fn with(self, other: Ops) -> Ops {
        Ops(self.0 | other.0)
    }

    /// True if the set has all of the other's operations.
    pub fn has(self, other: Ops) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if the operations do not commute on one channel: all but questions among themselves. A send and a receive
    /// on one channel may commute when it is neither full nor empty; who wants to use that looks at the kinds.
    pub fn clashes(self, other: Ops) -> bool {
        !self.is_empty() && !other.is_empty() && self.with(other) != Ops::QUERY
    }
}

impl Pieces {
    /// A single piece.
    pub fn one(piece: Bytes) -> Pieces {
        let mut out = Pieces::default();
        out.add(piece);
        out
    }

    /// Adds a piece, and unites it with those that it touches.
    pub fn add(&mut self, (start, end): Bytes) {
        if start >= end {
            return;
        }
        let from = self.0.partition_point(|p| p.1 < start);
        let to = from + self.0[from..].partition_point(|p| p.0 <= end);
        match self.0.get(from..to) {
            Some([first, .., last]) => {
                let whole = (first.0.min(start), last.1.max(end));
                self.0.splice(from..to, [whole]);
            }
            Some([only]) => self.0[from] = (only.0.min(start), only.1.max(end)),
            _ => self.0.insert(from, (start, end)),
        }
    }

    /// Adds all pieces of another.
    pub fn join(&mut self, other: &Pieces) {
        other.0.iter().for_each(|&p| self.add(p));
    }

    /// True if there is no byte in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The pieces, in order.
    pub fn iter(&self) -> impl Iterator<Item = Bytes> + '_ {
        self.0.iter().copied()
    }

    /// True if some byte is in both.
    pub fn meets(&self, other: &Pieces) -> bool {
        let (few, many) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        few.0.iter().any(|&p| many.meets_piece(p))
    }

    /// True if some byte of a piece is in it.
    pub fn meets_piece(&self, (start, end): Bytes) -> bool {
        let first = self.0.partition_point(|p| p.1 <= start);
        start < end && self.0.get(first).is_some_and(|p| p.0 < end)
    }
}

impl Touch {
    /// Adds all of another.
    pub fn join(&mut self, other: &Touch) {
        self.globals.join(&other.globals);
        self.hidden.join(&other.hidden);
        self.locals.join(&other.locals);
        for r in &other.remote {
            if !self.remote.contains(r) {
                self.remote.push(*r);
            }
        }
        self.special = self.special.with(other.special);
    }

    fn globals_meet(&self, other: &Touch) -> bool {
        self.globals.meets(&other.globals) || self.hidden.meets(&other.hidden)
    }
}

impl ChannelUse {
    /// Adds operations on a channel.
    pub fn add(&mut self, channel: ChanId, ops: Ops) {
        match self.known.iter_mut().find(|(c, _)| *c == channel) {
            Some((_, o)) => *o = o.with(ops),
            None => self.known.push((channel, ops)),
        }
    }

    /// Adds all of another.
    pub fn join(&mut self, other: &ChannelUse) {
        other.known.iter().for_each(|&(c, o)| self.add(c, o));
        self.any = self.any.with(other.any);
    }

    /// True if both may use one channel in ways that do not commute.
    pub fn clashes(&self, other: &ChannelUse) -> bool {
        let all = |u: &ChannelUse| u.known.iter().fold(u.any, |ops, (_, o)| ops.with(*o));
        let same = |&(c, o): &(ChanId, Ops)| other.known.iter().any(|&(d, p)| c == d && o.clashes(p));
        self.any.clashes(all(other)) || other.any.clashes(all(self)) || self.known.iter().any(same)
    }
}

impl Footprint {
    /// Adds all of another: the two halves of a handshake, or the links of a chain.
    pub fn join(&mut self, other: &Footprint) {
        for p in &other.proctypes {
            if !self.proctypes.contains(p) {
                self.proctypes.push(*p);
            }
        }
        self.tests.join(&other.tests);
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        self.channels.join(&other.channels);
    }

    /// False only if steps with these footprints, of different processes, commute: whichever comes first, both can be
    /// executed after the other if they can before, and the states that they lead to are the same.
    pub fn clashes(&self, other: &Footprint) -> bool {
        let looks_at_all = Special::EVERYTHING.with(Special::TIMEOUT);
        let wild = |f: &Footprint| f.reads.special.meets(looks_at_all) || f.writes.special.meets(looks_at_all);
        wild(self)
            || wild(other)
            || self.disturbs(other)
            || other.disturbs(self)
            || self.writes.globals_meet(&other.writes)
            || self.writes.special.without(Special::LOCATIONS).meets(other.writes.special)
            || self.channels.clashes(&other.channels)
    }

    /// True if this may write what the other reads.
    pub fn disturbs(&self, other: &Footprint) -> bool {
        let hit =
            |&(p, piece): &(ProctypeId, Bytes)| self.proctypes.contains(&p) && self.writes.locals.meets_piece(piece);
        self.writes.globals_meet(&other.reads)
            || self.writes.special.meets(other.reads.special)
            || other.reads.remote.iter().any(hit)
    }

    /// True if the transition touches nothing that another process can see, but for its own location.
    pub fn is_local(&self) -> bool {
        let private = |t: &Touch| t.globals.is_empty() && t.hidden.is_empty() && t.remote.is_empty();
        private(&self.reads)
            && private(&self.writes)
            && self.reads.special.is_empty()
            && self.writes.special.without(Special::LOCATIONS).is_empty()
            && self.channels == ChannelUse::default()
    }
}

/// The footprint of each action of a model, by number: its transitions, and the tick of a timed one.
pub fn footprints(model: &Model) -> Vec<Footprint> {
    collect::footprints(model)
}

#[cfg(test)]
mod tests;
