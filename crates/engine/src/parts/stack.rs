//! The stack of a depth-first walk, packed into one string of bytes so that it can be tens of millions deep.
//!
//! A frame is the state's own bytes, then the steps still to be taken, in reverse: six bytes for a step, eleven for a
//! handshake. The last one is the step that leads to the frame above, so the stack is its own trail. A state that the
//! store can give back has only its hidden bytes here.

use starwheel_model::{Pid, Step, TransId};
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

const PARTNER: u8 = 1;
const TIMEOUT: u8 = 2;
/// The last step of a group.
const LAST: u8 = 4;
const PLAIN_BYTES: usize = 6;
const HANDSHAKE_BYTES: usize = 11;

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
        let bytes = if step.partner.is_some() { HANDSHAKE_BYTES } else { PLAIN_BYTES };
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

/// Appends a step in such a way that it can be read from its end.
fn encode(step: &Step, last: u8, out: &mut Vec<u8>) {
    let mut flags = last | if step.timeout { TIMEOUT } else { 0 };
    if let Some((pid, trans)) = step.partner {
        flags |= PARTNER;
        out.extend_from_slice(&trans.0.to_le_bytes());
        out.push(pid.0);
    }
    out.extend_from_slice(&step.trans.0.to_le_bytes());
    out.extend_from_slice(&[step.pid.0, flags]);
}

/// The last step of a list.
fn decode(steps: &[u8]) -> Option<Step> {
    let (rest, &[a, b, c, d, pid, flags]) = steps.split_last_chunk::<PLAIN_BYTES>()?;
    let partner = if flags & PARTNER != 0 {
        let (_, &[a, b, c, d, pid]) = rest.split_last_chunk()?;
        Some((Pid(pid), TransId(u32::from_le_bytes([a, b, c, d]))))
    } else {
        None
    };
    let trans = TransId(u32::from_le_bytes([a, b, c, d]));
    Some(Step { pid: Pid(pid), trans, partner, timeout: flags & TIMEOUT != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(trans: u32, partner: Option<u32>, timeout: bool) -> Step {
        Step { pid: Pid(3), trans: TransId(trans), partner: partner.map(|t| (Pid(255), TransId(t))), timeout }
    }

    #[test]
    fn steps_come_back_in_order_and_as_they_were() {
        let steps = [step(u32::MAX, None, true), step(7, Some(u32::MAX), false), step(0, Some(0), true)];
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
