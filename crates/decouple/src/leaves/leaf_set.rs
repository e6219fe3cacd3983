//! The set of frames of one process of one shape, which together are a *party*, and what of the center matters to it.

use crate::leaves::sets::{Full, SetId, Sets, number, pack};
use crate::leaves::touch::Mask;
use crate::leaves::touches::{OwnerId, Touches};
use crate::steps::segment::Runner;
use crate::topology::decompose::Decomposition;
use crate::topology::shape::{ShapeId, Shapes};
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
    /// Both together.
    pub owner: OwnerId,
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
    /// What matters to their frames.
    pub touches: Touches,
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
        let owner = self.touches.owner(shape, pid);
        let sets = desk.sets;
        let touches = self.touches.all_of(&mut desk, owner, shape, pid, sets.view(set));
        let (home, all) = self.touches.masks(&touches);
        Party { shape, pid, owner, set, leaf: desk.parts.is_leaf(desk.shapes.get(shape).types[pid.index()]), home, all }
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.index.usage().bytes + self.bytes + self.touches.usage()
    }
}
