//! Names of sets of frames that all workers of a search understand: each worker numbers frames and sets as it meets them,
//! but a set with the same frames has the same name for all.

use crate::leaves::sets::{FrameId, SetId, Sets, sorted};
use crate::steps::core::{Core, Flow, room};
use rapidhash::RapidHashMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The name of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub u32);

/// All sets that have a name, over frames with numbers that all workers understand.
#[derive(Debug, Default)]
pub struct Names {
    sets: RwLock<Sets>,
}

/// What one worker knows of the names.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// By set: its name.
    names: Vec<Option<Name>>,
    sets: RapidHashMap<Name, SetId>,
    /// By frame of the worker: its number for all; and the other way round.
    common: Vec<Option<FrameId>>,
    own: Vec<Option<FrameId>>,
}

impl Names {
    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        self.read().usage()
    }

    fn read(&self) -> RwLockReadGuard<'_, Sets> {
        self.sets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Sets> {
        self.sets.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of frames that all workers understand.
    fn frame(&self, bytes: &[u8]) -> Flow<FrameId> {
        let known = self.read().known_frame(bytes);
        match known {
            Some(id) => Flow::Continue(id),
            None => room(self.write().frame(bytes)),
        }
    }

    fn name(&self, frames: Vec<FrameId>) -> Flow<Name> {
        let bits = sorted(frames);
        let known = self.read().known_set(&bits);
        match known {
            Some(id) => Flow::Continue(Name(id.0)),
            None => room(self.write().keep(&bits)).map_continue(|id| Name(id.0)),
        }
    }
}

/// Puts a value at a place, behind as many empty places as are needed.
fn put<T: Clone>(list: &mut Vec<Option<T>>, place: u32, value: T) {
    let place = place as usize;
    if list.len() <= place {
        list.resize(place + 1, None);
    }
    list[place] = Some(value);
}

fn get<T: Copy>(list: &[Option<T>], place: u32) -> Option<T> {
    list.get(place as usize).copied().flatten()
}

impl Dictionary {
    /// The name of a set.
    pub fn name(&mut self, names: &Names, core: &Core<'_>, set: SetId) -> Flow<Name> {
        if let Some(name) = get(&self.names, set.0) {
            return Flow::Continue(name);
        }
        let mut frames = Vec::with_capacity(core.sets.len(set));
        for frame in core.sets.members(set) {
            frames.push(match get(&self.common, frame.0) {
                Some(common) => common,
                None => {
                    let common = names.frame(core.sets.bytes(frame))?;
                    self.meet(common, frame);
                    common
                }
            });
        }
        let name = names.name(frames)?;
        self.learn(name, set);
        Flow::Continue(name)
    }

    fn meet(&mut self, common: FrameId, own: FrameId) {
        put(&mut self.common, own.0, common);
        put(&mut self.own, common.0, own);
    }

    fn learn(&mut self, name: Name, set: SetId) {
        put(&mut self.names, set.0, name);
        self.sets.insert(name, set);
    }

    /// The set with a name.
    pub fn set(&mut self, names: &Names, core: &mut Core<'_>, name: Name) -> Flow<SetId> {
        if let Some(&set) = self.sets.get(&name) {
            return Flow::Continue(set);
        }
        let mut members = Vec::new();
        {
            let sets = names.read();
            for common in sets.members(SetId(name.0)) {
                members.push(match get(&self.own, common.0) {
                    Some(own) => own,
                    None => {
                        let own = room(core.sets.frame(sets.bytes(common)))?;
                        self.meet(common, own);
                        own
                    }
                });
            }
        }
        let set = room(core.sets.set(members))?;
        self.learn(name, set);
        Flow::Continue(set)
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        24 * self.names.len() as u64 + 8 * (self.common.capacity() + self.own.capacity()) as u64
    }
}
