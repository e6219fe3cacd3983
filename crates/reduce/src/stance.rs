//! Where a process stands and which of its transitions are possible: its *stance*; and which futures of other processes
//! disturb it. Both are worked out once and remembered.

use crate::channels::Blocked;
use crate::effect::Rules;
use crate::instance::{Cast, FutureId, Spot, Unfit};
use crate::scene::Scene;
use starwheel_model::{Pid, Step};
use std::collections::HashMap;

/// Transitions of one location that a stance can tell apart.
const MOST: usize = 32;

const POSSIBLE: u64 = 1;
const EMPTY: u64 = 2;
const MISMATCH: u64 = 3;

/// The number of a stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StanceId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    instance: u32,
    loc: u16,
    /// Two bits for each transition.
    status: u64,
}

struct Stance {
    key: Key,
    /// Why its steps cannot be chosen, whatever others may do.
    unfit: Option<Unfit>,
    /// True if a step of it may turn out to have no meaning.
    risky: bool,
    /// By future: 0 not known, 1 does not disturb, 2 disturbs.
    disturbed: Vec<u8>,
}

/// All stances that have been met.
#[derive(Default)]
pub struct Stances {
    all: Vec<Stance>,
    by_key: HashMap<Key, StanceId>,
}

impl Stances {
    /// The stance of a process in the state that the scene has looked at; none if it has too many transitions.
    pub fn of(
        &mut self,
        cast: &mut Cast<'_>,
        scene: &Scene,
        state: &[u8],
        steps: &[Step],
        pid: Pid,
    ) -> Option<StanceId> {
        let actor = &scene.actors[pid.index()];
        let spot = cast.spot(actor.instance, actor.loc);
        if spot.moves.len() > MOST {
            return None;
        }
        let status = status(spot, scene, state, steps, pid);
        let key = Key { instance: actor.instance as u32, loc: actor.loc.0, status };
        if let Some(&id) = self.by_key.get(&key) {
            return Some(id);
        }
        let possible = spot.moves.iter().enumerate().filter(|(i, _)| (status >> (2 * i)) & 3 == POSSIBLE);
        let (mut unfit, mut risky) = (None, false);
        for (_, m) in possible {
            unfit = unfit.or(m.unfit);
            risky |= m.fallible;
        }
        let id = StanceId(self.all.len() as u32);
        self.all.push(Stance { key, unfit, risky, disturbed: Vec::new() });
        self.by_key.insert(key, id);
        Some(id)
    }

    /// Why the steps of a process in this stance cannot be chosen, whatever others may do.
    pub fn unfit(&self, id: StanceId) -> Option<Unfit> {
        self.all[id.0 as usize].unfit
    }

    /// Whether a step of a process in this stance may turn out to have no meaning.
    pub fn risky(&self, id: StanceId) -> bool {
        self.all[id.0 as usize].risky
    }

    /// Whether somebody with this future may come in the way.
    pub fn disturbed(&mut self, cast: &mut Cast<'_>, rules: Rules, id: StanceId, future: FutureId) -> bool {
        let stance = &mut self.all[id.0 as usize];
        let index = future.0 as usize;
        if stance.disturbed.len() <= index {
            stance.disturbed.resize(index + 1, 0);
        }
        if stance.disturbed[index] == 0 {
            stance.disturbed[index] = if disturbs(cast, rules, stance.key, future) { 2 } else { 1 };
        }
        stance.disturbed[index] == 2
    }
}

fn status(spot: &Spot, scene: &Scene, state: &[u8], steps: &[Step], pid: Pid) -> u64 {
    let mut status = 0;
    for (i, m) in spot.moves.iter().enumerate() {
        let own = |s: &Step| (s.pid == pid && s.trans == m.trans) || s.partner == Some((pid, m.trans));
        status |= match m.front {
            _ if steps.iter().any(own) => POSSIBLE,
            Some(number) => match scene.is_empty(state, number) {
                Some(true) => EMPTY,
                Some(false) => MISMATCH,
                None => 0,
            },
            None => 0,
        } << (2 * i);
    }
    status
}

fn disturbs(cast: &mut Cast<'_>, rules: Rules, key: Key, future: FutureId) -> bool {
    cast.spot(key.instance as usize, starwheel_model::LocId(key.loc));
    let future = &cast.futures[future.0 as usize];
    let Some(spot) = cast.instances[key.instance as usize].known_spot(starwheel_model::LocId(key.loc)) else {
        return true;
    };
    spot.moves.iter().enumerate().any(|(i, m)| match (key.status >> (2 * i)) & 3 {
        // As long as another step is possible, and it stays so, this one is not.
        _ if m.last_resort => false,
        POSSIBLE => m.whole.clashes(future, rules),
        EMPTY => m.first.woken(future, Blocked::Empty),
        MISMATCH => m.first.woken(future, Blocked::Mismatch),
        _ => m.first.woken(future, Blocked::Otherwise),
    })
}
