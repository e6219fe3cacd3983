//! What a step of one process touches, and whether what others may do comes in its way.
//!
//! [`starwheel_model::footprint`] says what a transition touches whoever executes it. An effect belongs to one process:
//! indices and channels that are fixed for its life are known by their values.

use crate::channels::{Blocked, Channels, Kinds};
use starwheel_model::ProctypeId;
use starwheel_model::footprint::{Bytes, Special, Touch};

/// What a step touches, or all that a process may ever touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effect {
    /// What decides whether it can be executed.
    pub tests: Touch,
    /// All that it reads, the tests included.
    pub reads: Touch,
    /// What it writes.
    pub writes: Touch,
    /// Whose local variables it writes.
    pub proctypes: Vec<ProctypeId>,
    /// What it does with channels.
    pub uses: Channels,
    /// Channels without slots for which it matters whether somebody would take a message from them now.
    pub listens: Channels,
    /// Channels without slots on which the process waits for a message before or after it.
    pub waits: Channels,
    /// Channels without slots that the process is ready to use after it.
    pub offers: Channels,
    /// What it has to do with the life of processes.
    pub life: Life,
}

/// Dealings with the life of processes, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Life(u8);

impl Life {
    /// Starts a process.
    pub const RUN: Life = Life(1);
    /// Ends its own.
    pub const END: Life = Life(2);
    /// Looks at the number of processes, or at one by its number.
    pub const LOOK: Life = Life(4);

    /// Both together.
    pub fn with(self, other: Life) -> Life {
        Life(self.0 | other.0)
    }

    /// True if something is in both.
    pub fn meets(self, other: Life) -> bool {
        self.0 & other.0 != 0
    }
}

/// What holds for all effects of one model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// The number of a process cannot be seen by anybody, so that beginnings and ends of processes commute.
    pub anonymous: bool,
    /// Nobody may come to be able to move, or lose that ability, by a step of somebody else.
    pub fair: bool,
}

impl Effect {
    /// Adds all of another.
    pub fn join(&mut self, other: &Effect) {
        self.tests.join(&other.tests);
        self.join_late(other, Kinds::default());
    }

    /// Adds another that comes later in the same step: what decides whether it can be executed is no longer a test of
    /// the whole. Its channel uses get more kinds.
    pub fn join_late(&mut self, other: &Effect, more: Kinds) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        for p in &other.proctypes {
            if !self.proctypes.contains(p) {
                self.proctypes.push(*p);
            }
        }
        self.uses.join(&other.uses, more);
        self.listens.join(&other.listens, Kinds::default());
        self.waits.join(&other.waits, Kinds::default());
        self.offers.join(&other.offers, Kinds::default());
        self.life = self.life.with(other.life);
    }

    /// How much there is of it.
    pub fn size(&self) -> usize {
        let touch = |t: &Touch| t.globals.len() + t.hidden.len() + t.locals.len() + t.remote.len();
        let channels = [&self.uses, &self.listens, &self.waits, &self.offers];
        1 + touch(&self.tests)
            + touch(&self.reads)
            + touch(&self.writes)
            + channels.into_iter().map(|c| c.iter().count()).sum::<usize>()
    }

    /// Brings everything into one order, so that equal effects look the same.
    pub fn tidy(&mut self) {
        for touch in [&mut self.tests, &mut self.reads, &mut self.writes] {
            touch.remote.sort_unstable();
            touch.remote.dedup();
        }
        self.proctypes.sort_unstable();
        for channels in [&mut self.uses, &mut self.listens, &mut self.waits, &mut self.offers] {
            channels.tidy();
        }
    }

    /// For a step that is possible, and what another process may do from now on: false only if the step stays possible
    /// and does the same whatever the other does, and the other can do the same things before it and after it.
    pub fn clashes(&self, future: &Effect, rules: Rules) -> bool {
        wild(&self.reads)
            || wild(&future.reads)
            || writes_into(self, &future.reads)
            || writes_into(future, &self.reads)
            || variables_meet(&self.writes, &future.writes)
            || self.writes.special.without(Special::LOCATIONS).meets(future.writes.special)
            || self.lives_clash(future, rules)
            || self.uses.clash(&future.uses)
            || self.waits.meet(&future.listens)
            || future.waits.meet(&self.listens)
            || (rules.fair && self.felt(future))
    }

    /// For a step that is not possible: true if the other may make it possible.
    pub fn woken(&self, future: &Effect, why: Blocked) -> bool {
        wild(&self.tests)
            || writes_into(future, &self.tests)
            || (self.life.meets(Life::END) && future.life.meets(Life::END))
            || (self.life.meets(Life::LOOK) && future.life.meets(Life::RUN.with(Life::END)))
            || self.uses.woken(&future.uses, why)
            || future.waits.meet(&self.listens)
    }

    fn lives_clash(&self, future: &Effect, rules: Rules) -> bool {
        let both = Life::RUN.with(Life::END);
        let seen = (self.life.meets(Life::LOOK) && future.life.meets(both))
            || (future.life.meets(Life::LOOK) && self.life.meets(both));
        // The end of the youngest process and the end of another one never compete: the other has to wait for it.
        let mixed = (self.life.meets(Life::RUN) && future.life.meets(both))
            || (self.life.meets(Life::END) && future.life.meets(Life::RUN));
        seen || (mixed && !rules.anonymous)
    }

    /// Whether a step of this may be felt by the other: it can move now and could not before, or the other way round.
    fn felt(&self, future: &Effect) -> bool {
        let dies = self.life.meets(Life::END) && future.life.meets(Life::END);
        dies || self.life.meets(Life::RUN) || self.uses.felt(&future.uses) || self.offers.felt(&future.uses)
    }

    /// True if the step may change something that is looked at from outside.
    pub fn changes(&self, watched: &Effect) -> bool {
        wild(&watched.reads)
            || writes_into(self, &watched.reads)
            || (watched.life.meets(Life::LOOK) && self.life.meets(Life::RUN.with(Life::END)))
            || self.uses.clash(&watched.uses)
    }
}

fn wild(touch: &Touch) -> bool {
    touch.special.meets(Special::EVERYTHING)
}

fn variables_meet(a: &Touch, b: &Touch) -> bool {
    a.globals.meets(&b.globals) || a.hidden.meets(&b.hidden)
}

/// True if the writer may write what is read there.
fn writes_into(writer: &Effect, read: &Touch) -> bool {
    let hit =
        |&(p, piece): &(ProctypeId, Bytes)| writer.proctypes.contains(&p) && writer.writes.locals.meets_piece(piece);
    variables_meet(&writer.writes, read) || writer.writes.special.meets(read.special) || read.remote.iter().any(hit)
}
