//! What matters to each frame of each process, kept once for all frames to which the same matters: a leaf with many frames
//! has few such classes, and a set is looked at class by class.

use crate::leaves::bits::{Bits, BitsRef};
use crate::leaves::leaf_set::Desk;
use crate::leaves::sets::{FrameId, sorted};
use crate::leaves::table::Table;
use crate::leaves::touch::{Mask, Touch, touch};
use crate::topology::shape::ShapeId;
use rapidhash::RapidHashMap;
use starwheel_model::Pid;
use std::rc::Rc;

/// What matters to a frame: index into [`Touches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TouchId(pub u32);

/// A process of a shape: whose frames they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnerId(pub u32);

/// A set with more frames than this is looked at class by class, a smaller one frame by frame.
pub const LARGE: usize = 64;

/// Frames of one owner to which the same matters.
#[derive(Debug)]
struct Class {
    touch: TouchId,
    frames: Bits,
    /// Frames that are not among them yet.
    fresh: Vec<FrameId>,
}

/// All that is known.
#[derive(Debug, Default)]
pub struct Touches {
    all: Vec<Rc<Touch>>,
    index: RapidHashMap<Rc<Touch>, TouchId>,
    owners: RapidHashMap<(ShapeId, Pid), OwnerId>,
    frames: Table,
    /// By owner.
    classes: Vec<Vec<Class>>,
}

impl Touches {
    /// The owner of the frames of a process.
    pub fn owner(&mut self, shape: ShapeId, pid: Pid) -> OwnerId {
        let next = OwnerId(self.classes.len() as u32);
        let owner = *self.owners.entry((shape, pid)).or_insert(next);
        if owner == next {
            self.classes.push(Vec::new());
        }
        owner
    }

    /// What matters.
    pub fn get(&self, id: TouchId) -> &Touch {
        &self.all[id.0 as usize]
    }

    /// What matters to a frame that was looked at before.
    pub fn known(&self, owner: OwnerId, frame: FrameId) -> Option<TouchId> {
        self.frames.get(owner.0, frame.0).map(TouchId)
    }

    /// What matters to a frame.
    pub fn of(&mut self, desk: &mut Desk<'_, '_>, owner: OwnerId, shape: ShapeId, pid: Pid, frame: FrameId) -> TouchId {
        if let Some(known) = self.known(owner, frame) {
            return known;
        }
        let form = desk.shapes.get(shape);
        let mut state = Vec::new();
        form.compose(&vec![0; form.center], &mut state);
        state[desk.runner.interp.model().layout.header() as usize] = form.count() as u8;
        form.put(&mut state, pid, desk.sets.bytes(frame));
        let id = self.number(touch(&mut desk.runner.interp, desk.parts, form, &state, pid));
        self.frames.put(owner.0, frame.0, id.0);
        let classes = &mut self.classes[owner.0 as usize];
        match classes.iter_mut().find(|c| c.touch == id) {
            Some(class) => class.fresh.push(frame),
            None => classes.push(Class { touch: id, frames: Bits::default(), fresh: vec![frame] }),
        }
        id
    }

    fn number(&mut self, touch: Touch) -> TouchId {
        let (touch, next) = (Rc::new(touch), TouchId(self.all.len() as u32));
        let id = *self.index.entry(touch.clone()).or_insert(next);
        if id == next {
            self.all.push(touch);
        }
        id
    }

    /// The frames of a set by what matters to them; all must have been looked at before.
    pub fn split(&mut self, owner: OwnerId, set: BitsRef<'_>) -> Vec<(TouchId, Bits)> {
        let mut out = Vec::new();
        for class in &mut self.classes[owner.0 as usize] {
            class.settle();
            let part = class.frames.view().intersection(set);
            if !part.view().is_empty() {
                out.push((class.touch, part));
            }
        }
        out
    }

    /// The frames of a set that were not looked at before.
    fn unknown(&mut self, owner: OwnerId, set: BitsRef<'_>) -> Bits {
        let mut rest = set.to_bits();
        for class in &mut self.classes[owner.0 as usize] {
            class.settle();
            rest = rest.view().difference(class.frames.view());
        }
        rest
    }

    /// What matters to the frames of a set, each once.
    pub fn all_of(
        &mut self,
        desk: &mut Desk<'_, '_>,
        owner: OwnerId,
        shape: ShapeId,
        pid: Pid,
        set: BitsRef<'_>,
    ) -> Vec<TouchId> {
        let mut found: Vec<TouchId> = match set.len() <= LARGE {
            true => set.iter().map(|f| self.of(desk, owner, shape, pid, FrameId(f))).collect(),
            false => {
                for frame in self.unknown(owner, set).view().iter() {
                    self.of(desk, owner, shape, pid, FrameId(frame));
                }
                self.split(owner, set).into_iter().map(|(touch, _)| touch).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What matters to leaf steps, and to all steps, of frames to which this matters.
    pub fn masks(&self, list: &[TouchId]) -> (Mask, Mask) {
        let each = || list.iter().map(|&id| self.get(id));
        (Mask::union(each().map(|t| &t.leaf)), Mask::union(each().map(|t| &t.all)))
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        let classes = self.classes.iter().flatten().map(|c| 64 + c.frames.bytes().len() + 4 * c.fresh.capacity());
        self.frames.usage() + 400 * self.all.len() as u64 + classes.sum::<usize>() as u64
    }
}

impl Class {
    fn settle(&mut self) {
        if !self.fresh.is_empty() {
            let fresh = sorted(std::mem::take(&mut self.fresh));
            self.frames = self.frames.view().union(fresh.view());
        }
    }
}
