//! Names of sets of frames that all workers of a search understand: each worker numbers frames and sets as it meets them,
//! but a set with the same frames has the same name for all.

use crate::core::{Core, Flow, room};
use crate::sets::{SetId, number};
use rapidhash::RapidHashMap;
use starwheel_store::{FlatSet, StateId, StateSet};
use std::sync::{PoisonError, RwLock};

/// The name of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub u32);

/// All sets that have a name: their frames one after the other, in the order of their bytes.
#[derive(Debug, Default)]
pub struct Names {
    sets: RwLock<FlatSet>,
}

/// What one worker knows of the names.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// By set: its name.
    names: Vec<Option<Name>>,
    sets: RapidHashMap<Name, SetId>,
    key: Vec<u8>,
}

impl Names {
    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.sets.read().unwrap_or_else(PoisonError::into_inner).usage().bytes
    }

    fn name(&self, frames: &[u8]) -> Flow<Name> {
        let known = {
            let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
            starwheel_store::StateStore::lookup(&*sets, frames)
        };
        if let Some(StateId(id)) = known {
            return Flow::Continue(Name(id));
        }
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        room(number(sets.insert(frames))).map_continue(Name)
    }

    fn frames(&self, name: Name, out: &mut Vec<u8>) {
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        out.clear();
        out.extend_from_slice(sets.get(StateId(name.0)));
    }
}

impl Dictionary {
    /// The name of a set.
    pub fn name(&mut self, names: &Names, core: &Core<'_>, set: SetId) -> Flow<Name> {
        let place = set.0 as usize;
        if let Some(&Some(name)) = self.names.get(place) {
            return Flow::Continue(name);
        }
        let mut frames: Vec<&[u8]> = core.sets.members(set).iter().map(|&f| core.sets.bytes(f)).collect();
        frames.sort_unstable();
        let name = names.name(&frames.concat())?;
        self.learn(name, set);
        Flow::Continue(name)
    }

    fn learn(&mut self, name: Name, set: SetId) {
        let place = set.0 as usize;
        if self.names.len() <= place {
            self.names.resize(place + 1, None);
        }
        self.names[place] = Some(name);
        self.sets.insert(name, set);
    }

    /// The set with a name.
    pub fn set(&mut self, names: &Names, core: &mut Core<'_>, name: Name) -> Flow<SetId> {
        if let Some(&set) = self.sets.get(&name) {
            return Flow::Continue(set);
        }
        names.frames(name, &mut self.key);
        // All frames of a set are of the same type, which is their first byte.
        let kind = self.key.first().map_or(0, |&t| usize::from(t));
        let width = core.model.layout.frames[kind].frame as usize;
        let mut members = Vec::with_capacity(self.key.len() / width.max(1));
        for frame in self.key.chunks_exact(width.max(1)) {
            members.push(room(core.sets.frame(frame))?);
        }
        let set = room(core.sets.set(members))?;
        self.learn(name, set);
        Flow::Continue(set)
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        24 * self.names.len() as u64 + self.key.capacity() as u64
    }
}
