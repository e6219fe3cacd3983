//! All successors of one state at once, in one flat buffer that is used again and again.

use crate::step::{Action, Actor, Partners, Step};
use crate::stepper::{Fired, Stepper};
use crate::violation::Violation;

/// The successors of a state, in the order of [`Stepper::enabled`]; see [`Stepper::expand`].
#[derive(Debug, Default)]
pub struct Batch {
    /// The bytes of all successors, one behind the other.
    pub bytes: Vec<u8>,
    /// One for each step.
    pub entries: Vec<Entry>,
    /// What went wrong in the few steps in which something did; [`Entry::findings`] counts from one.
    pub findings: Vec<Vec<Violation>>,
    /// If not zero, all is plain: every successor has this length, starts where the one before ends, and is stored; nothing
    /// went wrong, and every step is one of an agent alone that did not wait for `timeout`.
    pub uniform: u32,
    /// Scratch memory.
    steps: Vec<Step>,
    pub(crate) next: Vec<u8>,
}

/// One step and where its successor lies. Its form is fixed, so that generated code can write it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where the successor starts in [`Batch::bytes`].
    pub start: u32,
    /// Its number of bytes; nothing is said about them if the step is broken.
    pub len: u32,
    /// [`Step::action`].
    pub action: u32,
    /// The action of [`Partners::One`], or the bits of [`Partners::Many`].
    pub partner_action: u32,
    /// The number of the agent that is [`Step::actor`], unless a flag says that it is none.
    pub actor: u8,
    /// The number of the agent in [`Partners::One`], unless a flag says that it is none.
    pub partner: u8,
    /// A sum of the constants below.
    pub flags: u8,
    /// Always zero.
    pub unused: u8,
    /// Zero, or one more than the index of the step's violations in [`Batch::findings`].
    pub findings: u32,
    /// One bit for each word of four bytes, from the start of the state on: set if the step may have changed it. All ones
    /// if that is not known, or if there are more than 64 words or another number of them than before the step.
    pub changed: u64,
}

impl Entry {
    /// The path ends here: [`Fired::broken`].
    pub const BROKEN: u8 = 1;
    /// The successor is passed through: [`Stepper::transient`].
    pub const TRANSIENT: u8 = 2;
    /// [`Step::timeout`].
    pub const TIMEOUT: u8 = 4;
    /// The step is a handshake: [`Partners::One`].
    pub const HANDSHAKE: u8 = 8;
    /// The actor is [`Actor::Claim`].
    pub const CLAIM: u8 = 16;
    /// The actor is [`Actor::Clock`].
    pub const CLOCK: u8 = 32;
    /// Several move: [`Partners::Many`].
    pub const MANY: u8 = 64;
    /// The other side of a handshake is no agent, but a claim, or the clock if its number is one.
    pub const ODD_PARTNER: u8 = 128;

    fn new(start: usize, len: usize, step: Step) -> Entry {
        let timeout = if step.timeout { Entry::TIMEOUT } else { 0 };
        let (actor, who) = match step.actor {
            Actor::Agent(number) => (number, 0),
            Actor::Claim => (0, Entry::CLAIM),
            Actor::Clock => (0, Entry::CLOCK),
        };
        let (partner, partner_action, with) = match step.partners {
            Partners::None => (0, 0, 0),
            Partners::One(Actor::Agent(number), action) => (number, action.0, Entry::HANDSHAKE),
            Partners::One(other, action) => {
                (u8::from(other == Actor::Clock), action.0, Entry::HANDSHAKE | Entry::ODD_PARTNER)
            }
            Partners::Many(mask) => (0, mask, Entry::MANY),
        };
        Entry {
            start: start as u32,
            len: len as u32,
            action: step.action.0,
            partner_action,
            actor,
            partner,
            flags: timeout | who | with,
            unused: 0,
            findings: 0,
            changed: u64::MAX,
        }
    }

    /// Zero if nothing goes wrong and the successor is a stored state.
    #[inline(always)]
    pub fn special(&self) -> u32 {
        u32::from(self.flags & (Entry::BROKEN | Entry::TRANSIENT)) | self.findings
    }

    /// The step.
    #[inline]
    pub fn step(&self) -> Step {
        let has = |flag| self.flags & flag != 0;
        let actor = match (has(Entry::CLAIM), has(Entry::CLOCK)) {
            (true, _) => Actor::Claim,
            (_, true) => Actor::Clock,
            _ => Actor::Agent(self.actor),
        };
        let partners = match (has(Entry::HANDSHAKE), has(Entry::MANY)) {
            (true, _) => Partners::One(self.partner(), Action(self.partner_action)),
            (_, true) => Partners::Many(self.partner_action),
            _ => Partners::None,
        };
        Step { actor, action: Action(self.action), partners, timeout: has(Entry::TIMEOUT) }
    }

    /// The other side of a handshake.
    fn partner(&self) -> Actor {
        match (self.flags & Entry::ODD_PARTNER != 0, self.partner) {
            (false, number) => Actor::Agent(number),
            (true, 0) => Actor::Claim,
            (true, _) => Actor::Clock,
        }
    }

    /// True if the path ends here; the successor must not be looked at.
    #[inline]
    pub fn broken(&self) -> bool {
        self.flags & Entry::BROKEN != 0
    }

    /// True if the successor is passed through and never stored.
    #[inline]
    pub fn transient(&self) -> bool {
        self.flags & Entry::TRANSIENT != 0
    }
}

impl Batch {
    /// An empty one.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Becomes the same as another one, with no more memory than it needs if it had none.
    pub fn copy_from(&mut self, other: &Batch) {
        self.clear();
        self.bytes.extend_from_slice(&other.bytes);
        self.entries.extend_from_slice(&other.entries);
        self.findings.extend_from_slice(&other.findings);
        self.uniform = other.uniform;
    }

    /// Forgets all successors and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.uniform = 0;
        if !self.findings.is_empty() {
            self.findings.clear();
        }
    }

    /// The number of successors.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The bytes of a successor.
    #[inline]
    pub fn state(&self, i: usize) -> &[u8] {
        let entry = &self.entries[i];
        &self.bytes[entry.start as usize..entry.start as usize + entry.len as usize]
    }

    /// The step that leads to a successor.
    #[inline]
    pub fn step(&self, i: usize) -> Step {
        self.entries[i].step()
    }

    /// What went wrong in a step.
    pub fn violations(&self, i: usize) -> &[Violation] {
        match self.entries[i].findings {
            0 => &[],
            n => &self.findings[n as usize - 1],
        }
    }

    /// Adds a successor.
    pub fn push(&mut self, step: Step, fired: Fired, state: &[u8], transient: bool) {
        let mut entry = Entry::new(self.bytes.len(), state.len(), step);
        entry.flags |= if fired.broken { Entry::BROKEN } else { 0 };
        entry.flags |= if transient { Entry::TRANSIENT } else { 0 };
        if !fired.violations.is_empty() {
            self.findings.push(fired.violations);
            entry.findings = self.findings.len() as u32;
        }
        self.bytes.extend_from_slice(state);
        self.entries.push(entry);
    }

    /// Makes this the batch of a state by listing its steps and firing them one after the other.
    pub fn fill<S: Stepper + ?Sized>(&mut self, stepper: &mut S, at: &[u8]) {
        self.clear();
        let (mut steps, mut next) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.next));
        stepper.enabled(at, &mut steps);
        for &step in &steps {
            let fired = stepper.fire(at, step, &mut next);
            if fired.broken {
                self.push(step, fired, &[], false);
            } else {
                let transient = stepper.transient(&next);
                self.push(step, fired, &next, transient);
            }
        }
        (self.steps, self.next) = (steps, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_its_step() {
        let actors = [Actor::Agent(0), Actor::Agent(254), Actor::Claim, Actor::Clock];
        let one = actors.map(|other| Partners::One(other, Action(70_000)));
        let many =
            [Partners::None, Partners::One(Actor::Agent(0), Action(0)), Partners::Many(1), Partners::Many(u32::MAX)];
        for actor in actors {
            for partners in one.into_iter().chain(many) {
                for timeout in [false, true] {
                    let step = Step { actor, action: Action(99_000), partners, timeout };
                    assert_eq!(Entry::new(4, 8, step).step(), step);
                }
            }
        }
    }

    #[test]
    fn an_entry_has_the_form_that_machine_code_writes() {
        use std::mem::offset_of;
        assert_eq!(size_of::<Entry>(), 32);
        let offsets = [offset_of!(Entry, action), offset_of!(Entry, partner_action), offset_of!(Entry, actor)];
        assert_eq!(offsets, [8, 12, 16]);
        assert_eq!([offset_of!(Entry, flags), offset_of!(Entry, findings), offset_of!(Entry, changed)], [18, 20, 24]);
    }

    #[test]
    fn successors_and_violations_are_found_again() {
        let step = Step::alone(Actor::Agent(1), Action(2));
        let mut batch = Batch::new();
        batch.push(step, Fired::default(), &[1, 2, 3, 4], true);
        let broken = Fired { broken: true, violations: Vec::new() };
        batch.push(step, broken, &[], false);
        assert_eq!(batch.state(0), [1, 2, 3, 4]);
        assert!(batch.entries[0].transient() && !batch.entries[0].broken());
        assert!(batch.entries[1].broken() && batch.state(1).is_empty() && batch.violations(1).is_empty());
    }
}
