//! What is done with which channels, and when two such things get in each other's way.
//!
//! A channel is known by its number in a state. Sends and receives of different processes on one channel commute as long
//! as the channel is neither full nor empty for them; a send that is possible stays possible while others receive, and
//! vice versa (Holzmann and Peled 1994 call such statements conditionally safe). Here nobody has to promise that a
//! channel has one sender and one receiver: whoever may use it is known.

/// Kinds of use, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// Sends.
    pub const SEND: Kinds = Kinds(1);
    /// Receives that take the message.
    pub const RECEIVE: Kinds = Kinds(2);
    /// Whatever depends on more than the message at the front: questions, polls, operations that must not block.
    pub const LOOK: Kinds = Kinds(4);
    /// Sends that may put their message before others.
    pub const SORTED: Kinds = Kinds(8);
    /// The channel may have no slots.
    pub const RENDEZVOUS: Kinds = Kinds(16);
    /// The channel may have slots.
    pub const BUFFERED: Kinds = Kinds(32);

    /// The channel dies.
    pub const DEATH: Kinds = Kinds(64);

    /// Both together.
    pub fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// True if all of the other is in it.
    pub fn has(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if something of the other is in it.
    pub fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    fn moves(self) -> bool {
        self.meets(Kinds::SEND.with(Kinds::RECEIVE))
    }
}

/// A channel's number, if it is known; otherwise any channel.
pub type Number = Option<u8>;

/// What is done with channels: each number at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channels(Vec<(Number, Kinds)>);

/// Why a receive or a send cannot be executed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// A receive finds no message.
    Empty,
    /// A receive finds messages, but the first is not the one it wants.
    Mismatch,
    /// Any other reason.
    Otherwise,
}

impl Channels {
    /// Adds a use.
    pub fn add(&mut self, number: Number, kinds: Kinds) {
        match self.0.iter_mut().find(|(n, _)| *n == number) {
            Some((_, k)) => *k = k.with(kinds),
            None => self.0.push((number, kinds)),
        }
    }

    /// Adds all of another, each with some more kinds.
    pub fn join(&mut self, other: &Channels, more: Kinds) {
        other.0.iter().for_each(|&(n, k)| self.add(n, k.with(more)));
    }

    /// Brings the uses into one order, so that equal ones look the same.
    pub fn tidy(&mut self) {
        self.0.sort_by_key(|(n, _)| *n);
    }

    /// True if nothing is done with any channel.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All uses.
    pub fn iter(&self) -> impl Iterator<Item = (Number, Kinds)> + '_ {
        self.0.iter().copied()
    }

    /// True if a use of this and a use of the other may be of one channel and the test says so.
    fn some_pair(&self, other: &Channels, test: impl Fn(Kinds, Kinds) -> bool) -> bool {
        let same = |a: Number, b: Number| a.is_none() || b.is_none() || a == b;
        self.0.iter().any(|&(n, k)| other.0.iter().any(|&(m, l)| same(n, m) && test(k, l)))
    }

    /// True if both name a channel without slots that may be the same.
    pub fn meet(&self, other: &Channels) -> bool {
        self.some_pair(other, |a, b| a.with(b).has(Kinds::RENDEZVOUS))
    }

    /// For a step that is possible: true if the other may take that possibility away, change what the step does, or do
    /// something else after it than before it.
    pub fn clash(&self, other: &Channels) -> bool {
        let slots = |a: Kinds, b: Kinds| a.has(Kinds::BUFFERED) && b.has(Kinds::BUFFERED) && order(a, b);
        self.some_pair(other, |a, b| death(a, b) || handshake(a, b) || slots(a, b))
    }

    /// For a step that is not possible: true if the other may make it so.
    pub fn woken(&self, other: &Channels, why: Blocked) -> bool {
        let slots = |a: Kinds, b: Kinds| a.has(Kinds::BUFFERED) && b.has(Kinds::BUFFERED) && wakes(a, b, why);
        self.some_pair(other, |a, b| death(a, b) || handshake(a, b) || slots(a, b))
    }

    /// True if the other's steps may become possible or impossible by a step of this, or the other way round.
    pub fn felt(&self, other: &Channels) -> bool {
        let opposite = |a: Kinds, b: Kinds| {
            (a.has(Kinds::SEND) && b.has(Kinds::RECEIVE)) || (a.has(Kinds::RECEIVE) && b.has(Kinds::SEND))
        };
        self.some_pair(other, opposite)
    }
}

/// The channel dies while it is in use.
fn death(a: Kinds, b: Kinds) -> bool {
    a.with(b).has(Kinds::DEATH)
}

/// The two may be the halves of one handshake.
fn handshake(a: Kinds, b: Kinds) -> bool {
    a.has(Kinds::RENDEZVOUS)
        && b.has(Kinds::RENDEZVOUS)
        && ((a.has(Kinds::SEND) && b.has(Kinds::RECEIVE)) || (a.has(Kinds::RECEIVE) && b.has(Kinds::SEND)))
}

/// The order of the two matters on a channel with slots.
fn order(a: Kinds, b: Kinds) -> bool {
    (a.has(Kinds::LOOK) && b.moves())
        || (b.has(Kinds::LOOK) && a.moves())
        || (a.has(Kinds::SEND) && b.has(Kinds::SEND))
        || (a.has(Kinds::RECEIVE) && b.has(Kinds::RECEIVE))
        || (a.with(b).has(Kinds::SORTED) && a.moves() && b.moves())
}

/// The second may make the first possible on a channel with slots.
fn wakes(a: Kinds, b: Kinds, why: Blocked) -> bool {
    let receive = a.has(Kinds::RECEIVE)
        && match why {
            Blocked::Empty => b.has(Kinds::SEND),
            Blocked::Mismatch => b.has(Kinds::RECEIVE) || b.has(Kinds::SORTED),
            Blocked::Otherwise => b.moves(),
        };
    receive || (a.has(Kinds::LOOK) && b.moves()) || (a.has(Kinds::SEND) && b.has(Kinds::RECEIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(number: u8, kinds: Kinds) -> Channels {
        let mut out = Channels::default();
        out.add(Some(number), kinds.with(Kinds::BUFFERED));
        out
    }

    #[test]
    fn a_send_and_a_receive_commute_and_nothing_else_does() {
        let (send, receive, look) = (uses(1, Kinds::SEND), uses(1, Kinds::RECEIVE), uses(1, Kinds::LOOK));
        assert!(!send.clash(&receive) && !receive.clash(&send) && !look.clash(&look));
        assert!(send.clash(&send) && receive.clash(&receive) && send.clash(&look) && look.clash(&receive));
        assert!(!send.clash(&uses(2, Kinds::SEND)));
        let sorted = uses(1, Kinds::SEND.with(Kinds::SORTED));
        assert!(sorted.clash(&receive) && receive.clash(&sorted));
    }

    #[test]
    fn who_wakes_whom_depends_on_what_is_in_the_channel() {
        let (send, receive) = (uses(1, Kinds::SEND), uses(1, Kinds::RECEIVE));
        assert!(receive.woken(&send, Blocked::Empty) && !receive.woken(&receive, Blocked::Empty));
        assert!(!receive.woken(&send, Blocked::Mismatch) && receive.woken(&receive, Blocked::Mismatch));
        assert!(receive.woken(&uses(1, Kinds::SEND.with(Kinds::SORTED)), Blocked::Mismatch));
        assert!(send.woken(&receive, Blocked::Otherwise) && !send.woken(&send, Blocked::Otherwise));
    }

    #[test]
    fn any_channel_may_be_each_one() {
        let mut any = Channels::default();
        any.add(None, Kinds::SEND.with(Kinds::BUFFERED).with(Kinds::RENDEZVOUS));
        assert!(any.clash(&uses(7, Kinds::SEND)));
        let mut handshake = Channels::default();
        handshake.add(Some(9), Kinds::RECEIVE.with(Kinds::RENDEZVOUS));
        assert!(any.clash(&handshake) && any.felt(&handshake));
        assert!(!uses(9, Kinds::SEND).clash(&handshake), "the channel has slots, or it has none");
    }
}
