//! A party: one process of one shape with the set of its frames, and what of the center matters to it.

use crate::decompose::Decomposition;
use crate::segment::Runner;
use crate::sets::{FrameId, Full, SetId, Sets, number, pack};
use crate::shape::{ShapeId, Shapes};
use crate::touch::{Mask, Touch, touch};
use rapidhash::RapidHashMap;
use starwheel_model::Pid;
use starwheel_store::{FlatSet, StateSet};
use std::rc::Rc;

/// A party: index into [`Parties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartyId(pub u32);

/// A party.
#[derive(Debug)]
pub struct Party {
    /// The shape of the states that it is part of.
    pub shape: ShapeId,
    /// The process.
    pub pid: Pid,
    /// Its frames.
    pub set: SetId,
    /// True if the process is a leaf.
    pub leaf: bool,
    /// What matters to its leaf steps.
    pub home: Mask,
    /// What matters to all its steps.
    pub all: Mask,
}

/// All parties.
#[derive(Debug, Default)]
pub struct Parties {
    index: FlatSet,
    all: Vec<Rc<Party>>,
    touches: RapidHashMap<(ShapeId, Pid, FrameId), Rc<Touch>>,
    bytes: u64,
}

/// What is needed to look at frames.
pub struct Desk<'a, 'm> {
    pub shapes: &'a Shapes<'m>,
    pub sets: &'a Sets,
    pub runner: &'a mut Runner<'m>,
    pub parts: &'m Decomposition,
}

impl Parties {
    /// A party.
    pub fn get(&self, id: PartyId) -> &Party {
        &self.all[id.0 as usize]
    }

    /// A party that may be kept while others are made.
    pub fn keep(&self, id: PartyId) -> Rc<Party> {
        self.all[id.0 as usize].clone()
    }

    /// The number of a party.
    pub fn intern(&mut self, desk: Desk<'_, '_>, shape: ShapeId, pid: Pid, set: SetId) -> Result<PartyId, Full> {
        let mut key = Vec::with_capacity(12);
        pack([shape.0, u32::from(pid.0), set.0].into_iter(), &mut key);
        let id = PartyId(number(self.index.insert(&key))?);
        if id.0 as usize == self.all.len() {
            let party = self.make(desk, shape, pid, set);
            self.bytes += 200 + 6 * (party.home.offsets.len() + party.all.offsets.len()) as u64;
            self.all.push(Rc::new(party));
        }
        Ok(id)
    }

    fn make(&mut self, mut desk: Desk<'_, '_>, shape: ShapeId, pid: Pid, set: SetId) -> Party {
        let members = desk.sets.members(set);
        let touches: Vec<_> = members.iter().map(|&f| self.touch(&mut desk, shape, pid, f)).collect();
        Party {
            shape,
            pid,
            set,
            leaf: desk.parts.is_leaf(desk.shapes.get(shape).types[pid.index()]),
            home: Mask::union(touches.iter().map(|t| &t.leaf)),
            all: Mask::union(touches.iter().map(|t| &t.all)),
        }
    }

    /// What matters to a process in a frame.
    pub fn touch(&mut self, desk: &mut Desk<'_, '_>, shape: ShapeId, pid: Pid, frame: FrameId) -> Rc<Touch> {
        if let Some(known) = self.touches.get(&(shape, pid, frame)) {
            return known.clone();
        }
        let form = desk.shapes.get(shape);
        let mut state = Vec::new();
        form.compose(&vec![0; form.center], &mut state);
        state[desk.runner.interp.model().layout.header() as usize] = form.count() as u8;
        form.put(&mut state, pid, desk.sets.bytes(frame));
        let found = Rc::new(touch(&mut desk.runner.interp, desk.parts, form, &state, pid));
        self.bytes += 200;
        self.touches.insert((shape, pid, frame), found.clone());
        found
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.index.usage().bytes + self.bytes
    }
}
