//! What was found out about single frames, kept for as long as nothing changes that matters to them: where their leaf steps
//! lead, and whether they have no other steps.
//!
//! A *ground* is an owner, a class of its frames and the bytes of the center that matter to the class. Sets differ from
//! one decoupled state to the next, but most of their frames were met before on the same ground.

use crate::leaves::bits::Bits;
use crate::leaves::sets::{FrameId, Full, number, sorted};
use crate::leaves::table::Table;
use crate::leaves::touch::Mask;
use crate::leaves::touches::{OwnerId, TouchId};
use starwheel_store::{FlatSet, StateSet};

/// A ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundId(u32);

#[derive(Debug, Default)]
struct Grounds {
    keys: FlatSet,
    key: Vec<u8>,
}

impl Grounds {
    fn find(&mut self, owner: OwnerId, touch: TouchId, mask: &Mask, center: &[u8]) -> Result<GroundId, Full> {
        self.key.clear();
        self.key.extend_from_slice(&owner.0.to_le_bytes());
        self.key.extend_from_slice(&touch.0.to_le_bytes());
        self.key.extend(mask.offsets.iter().map(|&o| center[o as usize]));
        number(self.keys.insert(&self.key)).map(GroundId)
    }
}

/// Where leaf steps lead.
#[derive(Debug, Default)]
pub struct Moves {
    grounds: Grounds,
    /// By ground and frame: where its list begins.
    lists: Table,
    /// The length of each list, and its frames.
    frames: Vec<FrameId>,
}

impl Moves {
    /// The ground of a class.
    pub fn ground(&mut self, owner: OwnerId, touch: TouchId, mask: &Mask, center: &[u8]) -> Result<GroundId, Full> {
        self.grounds.find(owner, touch, mask, center)
    }

    /// Where the leaf steps of a frame lead, if that is known.
    pub fn get(&self, ground: GroundId, frame: FrameId) -> Option<&[FrameId]> {
        let first = self.lists.get(ground.0, frame.0)? as usize;
        let len = self.frames[first].0 as usize;
        Some(&self.frames[first + 1..][..len])
    }

    /// Remembers where the leaf steps of a frame lead.
    pub fn put(&mut self, ground: GroundId, frame: FrameId, to: &[FrameId]) {
        self.lists.put(ground.0, frame.0, self.frames.len() as u32);
        self.frames.push(FrameId(to.len() as u32));
        self.frames.extend_from_slice(to);
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.grounds.keys.usage().bytes + self.lists.usage() + 4 * self.frames.capacity() as u64
    }
}

/// Frames whose steps are all leaf steps that nothing goes wrong in, at least one each.
#[derive(Debug, Default)]
pub struct Idle {
    grounds: Grounds,
    /// By ground.
    sets: Vec<Bits>,
    bytes: u64,
}

impl Idle {
    /// The ground of a class.
    pub fn ground(&mut self, owner: OwnerId, touch: TouchId, mask: &Mask, center: &[u8]) -> Result<GroundId, Full> {
        let ground = self.grounds.find(owner, touch, mask, center)?;
        if ground.0 as usize == self.sets.len() {
            self.sets.push(Bits::default());
        }
        Ok(ground)
    }

    /// The frames of a ground that are known to be idle.
    pub fn get(&self, ground: GroundId) -> &Bits {
        &self.sets[ground.0 as usize]
    }

    /// Remembers more of them.
    pub fn add(&mut self, ground: GroundId, frames: Vec<FrameId>) {
        let set = &mut self.sets[ground.0 as usize];
        let more = set.view().union(sorted(frames).view());
        self.bytes += (more.bytes().len() - set.bytes().len().min(more.bytes().len())) as u64;
        *set = more;
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.grounds.keys.usage().bytes + 24 * self.sets.len() as u64 + self.bytes
    }
}
