//! What one party can do in a center: the results of its steps, grouped by what they leave behind for everybody else.
//!
//! A group is exact: every frame in it comes from a frame of the party by steps that do to the center, to new processes
//! and to a waiting message just what the group says.

use crate::leaves::bits::Bits;
use crate::leaves::sets::{FrameId, Full, SetId, Sets, sorted};
use crate::steps::segment::{How, Link, Outcome};
use crate::topology::shape::ShapeId;
use starwheel_model::{Handover, Pid, TransId, Violation};
use std::rc::Rc;

/// What happens to a center.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Some bytes get these values.
    Bytes(Vec<(u32, u8)>),
    /// It is replaced, because processes came or went.
    Whole(ShapeId, Vec<u8>),
}

impl Change {
    /// The change from one center to another.
    pub fn between(shape: ShapeId, before: &[u8], after_shape: ShapeId, after: &[u8]) -> Change {
        if shape != after_shape {
            return Change::Whole(after_shape, after.to_vec());
        }
        let differs = |(i, (a, b)): (usize, (&u8, &u8))| (a != b).then_some((i as u32, *b));
        Change::Bytes(before.iter().zip(after).enumerate().filter_map(differs).collect())
    }

    /// Applies the change; the new shape.
    pub fn apply(&self, shape: ShapeId, center: &mut Vec<u8>) -> ShapeId {
        match self {
            Change::Bytes(list) => {
                list.iter().for_each(|&(at, value)| center[at as usize] = value);
                shape
            }
            Change::Whole(shape, bytes) => {
                center.clear();
                center.extend_from_slice(bytes);
                *shape
            }
        }
    }
}

/// What is left behind for the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// What happens to the center.
    pub change: Change,
    /// The frames of processes that were started.
    pub created: Vec<FrameId>,
    /// A message that waits for a taker.
    pub pending: Option<Handover>,
    /// Nobody else may take these messages, after these changes.
    pub conditions: Vec<(Change, Handover)>,
    /// The frame of a process that belongs to the center; such frames are never put together.
    pub frame: Option<FrameId>,
    /// What a property sees of the frame of the process.
    pub seen: Vec<u8>,
}

/// One group of results.
#[derive(Clone, Debug)]
pub struct Group {
    /// What they have in common.
    pub effect: Effect,
    /// The frames afterwards; none if the process has ended.
    pub set: Option<SetId>,
    /// Transitions that are known to be executed only once the others are known to agree.
    pub marks: Vec<TransId>,
    /// What goes wrong in the first half of a handshake, should it happen.
    pub wrong: Vec<Violation>,
    /// True if the path ends with that.
    pub broken: bool,
}

/// Something that goes wrong, or an atomic sequence that comes round to where it was.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What goes wrong.
    pub violation: Option<Violation>,
    /// It happens only if nobody else takes these messages, after these changes.
    pub conditions: Vec<(Change, Handover)>,
    /// True if it happens in the first step.
    pub first: bool,
    /// Transitions that are known to be executed only then.
    pub marks: Vec<TransId>,
}

/// Frames that can do nothing alone, all with the same offers.
#[derive(Clone, Debug)]
pub struct Blocked {
    /// The frames.
    pub frames: Bits,
    /// The messages that they would hand over.
    pub offers: Vec<Handover>,
}

/// All that a party can do.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The results of its center steps.
    pub groups: Vec<Group>,
    /// What goes wrong in its steps, leaf steps included.
    pub faults: Vec<Fault>,
    /// Its frames that can do nothing alone.
    pub blocked: Vec<Blocked>,
}

/// Who moves, and how.
#[derive(Clone, Debug)]
pub struct Move {
    /// The process.
    pub pid: Pid,
    /// How it begins.
    pub how: How,
    /// Where everything was before.
    pub before: Rc<crate::steps::product::Product>,
    /// What it leaves behind.
    pub effect: Effect,
}

/// An image that is being made.
#[derive(Default)]
pub struct Draft {
    /// What is finished of it.
    pub image: Image,
    /// By group: the frames afterwards.
    sets: Vec<Vec<FrameId>>,
    /// By the messages that they would hand over: frames that can do nothing alone.
    blocked: Vec<(Vec<Handover>, Vec<FrameId>)>,
}

impl Draft {
    /// Adds a result, and the frame of the process afterwards.
    pub fn group(&mut self, effect: Effect, outcome: &Outcome, after: Option<FrameId>) {
        let same = |g: &Group| g.effect == effect && g.wrong == outcome.wrong && g.broken == outcome.broken;
        let groups = &mut self.image.groups;
        let number = groups.iter().position(same).unwrap_or_else(|| {
            let (wrong, broken) = (outcome.wrong.clone(), outcome.broken);
            groups.push(Group { effect, set: None, marks: Vec::new(), wrong, broken });
            self.sets.push(Vec::new());
            groups.len() - 1
        });
        let open = |l: &&Link| matches!(l, Link::Give(_)) || !outcome.conditions.is_empty();
        for trans in outcome.links.iter().filter(open).map(|l| l.trans()) {
            if !groups[number].marks.contains(&trans) {
                groups[number].marks.push(trans);
            }
        }
        self.sets[number].extend(after);
    }

    /// Adds a frame that can do nothing alone.
    pub fn block(&mut self, frame: FrameId, offers: &[Handover]) {
        let mut offers = offers.to_vec();
        offers.sort();
        match self.blocked.iter_mut().find(|b| b.0 == offers) {
            Some(class) => class.1.push(frame),
            None => self.blocked.push((offers, vec![frame])),
        }
    }

    /// The image.
    pub fn finish(mut self, sets: &mut Sets) -> Result<Image, Full> {
        for (group, frames) in self.image.groups.iter_mut().zip(self.sets) {
            group.set = if frames.is_empty() { None } else { Some(sets.set(frames)?) };
        }
        let blocked = self.blocked.into_iter().map(|(offers, frames)| Blocked { frames: sorted(frames), offers });
        self.image.blocked.extend(blocked);
        Ok(self.image)
    }
}

impl Image {
    /// Bytes that it takes, roughly.
    pub fn weight(&self) -> u64 {
        let blocked: usize = self.blocked.iter().map(|b| 48 + b.frames.bytes().len()).sum();
        (160 * self.groups.len() + 100 * self.faults.len() + blocked) as u64
    }
}
