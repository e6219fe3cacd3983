//! The stack of a depth-first walk, packed into one string of bytes so that it can be tens of millions deep.
//!
//! A frame is the state's own bytes, then the steps still to be taken, in reverse: six bytes for a step of one actor, eleven
//! for one of several. The last one is the step that leads to the frame above, so the stack is its own trail. A state that the
//! store can give back has only its hidden bytes here.

use starwheel_model::{Action, Actor, Partners, Step};
use starwheel_store::StateId;

/// The stack. Only the steps of the topmost frame change.
#[derive(Debug, Default)]
pub struct Stack {
    bytes: Vec<u8>,
    frames: Vec<Frame>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where its own bytes start.
    start: u64,
    /// How many of its own bytes there are.
    own: u32,
    /// Whether a group of its steps is enough, if it has groups.
    groups: Groups,
    /// The number of the state in the store, or [`TRANSIENT`].
    state: u32,
}

/// Whether the groups of a state's steps are allowed to be enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Groups {
    /// Not yet.
    Open,
    /// The one that is being taken, or one before it.
    Enough,
    /// None, whatever comes.
    Never,
}

/// Stands for a state that is not in the store; no state has this number.
const TRANSIENT: u32 = u32::MAX;

/// Somebody else moves, too: five more bytes.
const PARTNER: u8 = 1;
const TIMEOUT: u8 = 2;
/// The last step of a group.
const LAST: u8 = 4;
/// The others are several.
const MANY: u8 = 8;
/// Who moves is no agent: the claim, or the clock if the number is one. The same for the other side of a handshake.
const ODD: u8 = 16;
const ODD_PARTNER: u8 = 32;
const PLAIN_BYTES: usize = 6;
const SHARED_BYTES: usize = 11;

impl Stack {
    /// The number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Takes away everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
    }

    /// Puts a frame on top. Its steps may come in groups, which end after so many steps.
    pub fn push(&mut self, state: Option<StateId>, own: &[u8], steps: &[Step], ends: &[usize]) {
        let start = self.bytes.len() as u64;
        let state = state.map_or(TRANSIENT, |id| id.0);
        self.frames.push(Frame { start, own: own.len() as u32, groups: Groups::Open, state });
        self.bytes.extend_from_slice(own);
        for (i, step) in steps.iter().enumerate().rev() {
            let last = if ends.contains(&(i + 1)) { LAST } else { 0 };
            encode(step, last, &mut self.bytes);
        }
    }

    /// The topmost stored state need not take more than the group of steps that is being taken, unless it must take all.
    pub fn enough(&mut self) {
        if let Some(frame) = self.stored() {
            frame.groups = if frame.groups == Groups::Never { Groups::Never } else { Groups::Enough };
        }
    }

    /// The topmost stored state must take all its steps.
    pub fn never_enough(&mut self) {
        if let Some(frame) = self.stored() {
            frame.groups = Groups::Never;
        }
    }

    fn stored(&mut self) -> Option<&mut Frame> {
        self.frames.iter_mut().rev().find(|f| f.state != TRANSIENT)
    }

    /// The highest stored state among the lowest `count` frames.
    pub fn stored_below(&self, count: usize) -> Option<StateId> {
        self.frames[..count].iter().rev().find(|f| f.state != TRANSIENT).map(|f| StateId(f.state))
    }

    /// Takes the topmost frame away.
    pub fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.bytes.truncate(frame.start as usize);
        }
    }

    /// The number of the topmost state in the store, if it is there, and its own bytes.
    pub fn top(&self) -> Option<(Option<StateId>, &[u8])> {
        let frame = self.frames.last()?;
        let id = (frame.state != TRANSIENT).then_some(StateId(frame.state));
        Some((id, self.own(self.frames.len() - 1)))
    }

    /// The lowest frame of a stored state, counted from the bottom.
    pub fn position(&self, id: StateId) -> Option<usize> {
        self.frames.iter().position(|frame| frame.state == id.0)
    }

    /// The own bytes of a frame, counted from the bottom.
    pub fn own(&self, frame: usize) -> &[u8] {
        let Frame { start, own, .. } = self.frames[frame];
        &self.bytes[start as usize..start as usize + own as usize]
    }

    /// The first of the topmost frame's remaining steps.
    pub fn step(&self) -> Option<Step> {
        self.step_of(self.frames.len().checked_sub(1)?)
    }

    /// Takes away the first of the topmost frame's remaining steps, and the others, too, if they are not needed.
    pub fn drop_step(&mut self) {
        let Some((step, &frame)) = self.step().zip(self.frames.last()) else { return };
        if frame.groups == Groups::Enough && self.bytes.last().is_some_and(|flags| flags & LAST != 0) {
            self.bytes.truncate(frame.start as usize + frame.own as usize);
            return;
        }
        let bytes = if step.partners == Partners::None { PLAIN_BYTES } else { SHARED_BYTES };
        self.bytes.truncate(self.bytes.len() - bytes);
    }

    /// The current steps of the lowest `count` frames: the way up.
    pub fn trail(&self, count: usize) -> Vec<Step> {
        (0..count).filter_map(|frame| self.step_of(frame)).collect()
    }

    fn step_of(&self, index: usize) -> Option<Step> {
        let frame = self.frames.get(index)?;
        let end = self.frames.get(index + 1).map_or(self.bytes.len(), |above| above.start as usize);
        decode(&self.bytes[frame.start as usize + frame.own as usize..end])
    }
}

/// An actor as a number, and `odd` if it is no agent.
fn number(actor: Actor, odd: u8) -> (u8, u8) {
    match actor {
        Actor::Agent(number) => (number, 0),
        Actor::Claim => (0, odd),
        Actor::Clock => (1, odd),
    }
}

fn actor(number: u8, odd: bool) -> Actor {
    match (odd, number) {
        (false, _) => Actor::Agent(number),
        (true, 0) => Actor::Claim,
        (true, _) => Actor::Clock,
    }
}

/// Appends a step in such a way that it can be read from its end.
fn encode(step: &Step, last: u8, out: &mut Vec<u8>) {
    let (who, odd) = number(step.actor, ODD);
    let mut flags = last | odd | if step.timeout { TIMEOUT } else { 0 };
    match step.partners {
        Partners::None => {}
        Partners::One(partner, action) => {
            let (partner, odd) = number(partner, ODD_PARTNER);
            flags |= PARTNER | odd;
            out.extend_from_slice(&action.0.to_le_bytes());
            out.push(partner);
        }
        Partners::Many(mask) => {
            flags |= PARTNER | MANY;
            out.extend_from_slice(&mask.to_le_bytes());
            out.push(0);
        }
    }
    out.extend_from_slice(&step.action.0.to_le_bytes());
    out.extend_from_slice(&[who, flags]);
}

/// The last step of a list.
fn decode(steps: &[u8]) -> Option<Step> {
    let (rest, &[a, b, c, d, who, flags]) = steps.split_last_chunk::<PLAIN_BYTES>()?;
    let mut partners = Partners::None;
    if flags & PARTNER != 0 {
        let (_, &[a, b, c, d, partner]) = rest.split_last_chunk()?;
        let second = u32::from_le_bytes([a, b, c, d]);
        partners = match flags & MANY {
            0 => Partners::One(actor(partner, flags & ODD_PARTNER != 0), Action(second)),
            _ => Partners::Many(second),
        };
    }
    let action = Action(u32::from_le_bytes([a, b, c, d]));
    Some(Step { actor: actor(who, flags & ODD != 0), action, partners, timeout: flags & TIMEOUT != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(trans: u32, partner: Option<u32>, timeout: bool) -> Step {
        let partners = partner.map_or(Partners::None, |t| Partners::One(Actor::Agent(254), Action(t)));
        Step { actor: Actor::Agent(3), action: Action(trans), partners, timeout }
    }

    #[test]
    fn steps_come_back_in_order_and_as_they_were() {
        let plain = [step(u32::MAX, None, true), step(7, Some(u32::MAX), false), step(0, Some(0), true)];
        let odd = [Actor::Claim, Actor::Clock].map(|actor| Step { actor, ..plain[0] });
        let shared =
            [Partners::Many(u32::MAX), Partners::One(Actor::Clock, Action(5)), Partners::One(Actor::Claim, Action(6))];
        let shared = shared.map(|partners| Step { partners, ..odd[1] });
        let steps: Vec<Step> = plain.into_iter().chain(odd).chain(shared).collect();
        let mut stack = Stack::default();
        stack.push(Some(StateId(4)), b"", &steps, &[]);
        for (index, &expected) in steps.iter().enumerate() {
            assert_eq!(stack.step(), Some(expected));
            stack.push(None, b"own", &[steps[0]], &[]);
            assert_eq!(stack.trail(2), [expected, steps[0]], "the trail names the wrong step after {index}");
            assert_eq!(stack.top(), Some((None, &b"own"[..])));
            stack.pop();
            stack.drop_step();
        }
        assert_eq!(stack.step(), None);
        assert_eq!(stack.top(), Some((Some(StateId(4)), &b""[..])));
    }

    #[test]
    fn groups_end_where_they_are_enough() {
        let steps: Vec<Step> = (0..4).map(|i| step(i, (i == 1).then_some(7), false)).collect();
        let taken = |decide: &dyn Fn(usize, &mut Stack)| {
            let mut stack = Stack::default();
            stack.push(Some(StateId(0)), b"xyz", &steps, &[1, 3]);
            let mut count = 0;
            while let Some(now) = stack.step() {
                assert_eq!(now, steps[count]);
                stack.push(None, b"passing", &[], &[]);
                decide(count, &mut stack);
                stack.pop();
                stack.drop_step();
                count += 1;
            }
            count
        };
        assert_eq!(taken(&|_, _| {}), 4, "nothing was said");
        assert_eq!(
            taken(&|i, s| if i == 0 {
                s.enough()
            }),
            1
        );
        assert_eq!(
            taken(&|i, s| if i == 1 {
                s.enough()
            }),
            3,
            "a group is taken to its end"
        );
        assert_eq!(
            taken(&|i, s| if i == 3 {
                s.enough()
            }),
            4
        );
        assert_eq!(taken(&|i, s| if i == 0 { s.never_enough() } else { s.enough() }), 4);
    }
}
