//! Who exists in a state, and where everybody and every channel lies in it.

use crate::fixed::{Known, value_at};
use crate::instance::{Cast, values};
use starwheel_model::{LocId, Model, Place, ProctypeId};

/// One process of a state.
#[derive(Clone, Debug)]
pub struct Actor {
    /// Its type.
    pub proctype: ProctypeId,
    /// Where its frame starts.
    pub frame: usize,
    /// Its instance.
    pub instance: usize,
    /// Where it stands.
    pub loc: LocId,
    known: Known,
}

/// The processes and channels of the state that was looked at last.
#[derive(Debug, Default)]
pub struct Scene {
    /// Processes, by number.
    pub actors: Vec<Actor>,
    /// Where each channel starts, by number - 1; none without slots.
    channels: Vec<Option<usize>>,
}

/// The process in control, if there is one.
pub fn controlled(model: &Model, state: &[u8]) -> bool {
    state[model.layout.header() as usize + 1] != 0
}

impl Scene {
    /// Looks at a state.
    pub fn look(&mut self, cast: &mut Cast<'_>, state: &[u8]) {
        let count = state[cast.context.model.layout.header() as usize] as usize;
        let same = |a: &Actor| state.get(a.frame) == Some(&a.proctype.0);
        if self.actors.len() != count || !self.actors.iter().all(same) {
            self.rebuild(cast, state, count);
        }
        for (pid, actor) in self.actors.iter_mut().enumerate() {
            actor.loc = LocId(u16::from_le_bytes([state[actor.frame + 2], state[actor.frame + 3]]));
            let keys = &cast.context.fixed.keys[actor.proctype.index()];
            let same = |(key, value): (&Place, &Option<i32>)| {
                value_at(state, actor.frame + key.offset as usize, key.ty) == *value
            };
            if !keys.iter().zip(&actor.known.values).all(same) {
                let current = values(&cast.context, actor.proctype, state, actor.frame);
                actor.known = known(cast, actor.proctype, pid, current);
                actor.instance = cast.instance(&actor.known);
            }
        }
    }

    /// The bytes that say who exists and what is known about everybody: where they lie in the state that was looked at, and
    /// what they are; with the locations of some. A state in which they are the same has the same instances.
    pub fn witness(&self, cast: &Cast<'_>, state: &[u8], located: impl Fn(usize) -> bool) -> Vec<(u32, u8)> {
        let mut places = vec![cast.context.model.layout.header() as usize];
        for (p, actor) in self.actors.iter().enumerate() {
            places.push(actor.frame);
            if located(p) {
                places.extend([actor.frame + 2, actor.frame + 3]);
            }
            for key in &cast.context.fixed.keys[actor.proctype.index()] {
                let start = actor.frame + key.offset as usize;
                places.extend(start..start + key.ty.size() as usize);
            }
        }
        places.into_iter().filter_map(|at| Some((at as u32, *state.get(at)?))).collect()
    }

    /// Makes the actors anew from the first that is another one: processes lie behind one another, so those before it are where they were.
    fn rebuild(&mut self, cast: &mut Cast<'_>, state: &[u8], count: usize) {
        let model = cast.context.model;
        let slots = |kind: starwheel_model::ChanId| model.channel(kind).capacity > 0;
        if self.actors.is_empty() {
            self.channels.clear();
            let global = model.global_channels.iter().zip(&model.layout.global_channels);
            self.channels.extend(global.map(|(c, &at)| slots(c.channel).then_some(at as usize)));
        }
        let same = |a: &Actor| state.get(a.frame) == Some(&a.proctype.0);
        let kept = self.actors.iter().take(count).take_while(|a| same(a)).count();
        let (mut at, mut channels) = (model.layout.processes as usize, model.global_channels.len());
        for actor in &self.actors[..kept] {
            at += model.layout.frames[actor.proctype.index()].total as usize;
            channels += model.proctype(actor.proctype).channels.len();
        }
        self.actors.truncate(kept);
        self.channels.truncate(channels);
        for pid in kept..count {
            let proctype = ProctypeId(state[at]);
            let layout = &model.layout.frames[proctype.index()];
            let known = known(cast, proctype, pid, values(&cast.context, proctype, state, at));
            let instance = cast.instance(&known);
            self.actors.push(Actor { proctype, frame: at, instance, loc: LocId(0), known });
            let own = model.proctype(proctype).channels.iter().zip(&layout.channels);
            self.channels.extend(own.map(|(c, &offset)| slots(c.channel).then_some(at + offset as usize)));
            at += layout.total as usize;
        }
    }

    /// Whether a channel with slots has no message, as its first two bytes say; none if there is no such channel.
    pub fn is_empty(&self, state: &[u8], number: u8) -> Option<bool> {
        let at = (*self.channels.get(usize::from(number).checked_sub(1)?)?)?;
        Some(state.get(at..at + 2)? == [0, 0])
    }
}

fn known(cast: &Cast<'_>, proctype: ProctypeId, pid: usize, values: Vec<Option<i32>>) -> Known {
    let pid = cast.context.fixed.by_pid[proctype.index()].then_some(pid as u8);
    Known { proctype, pid, values }
}
