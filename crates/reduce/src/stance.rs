//! Where a process stands and which of its transitions are possible: its *stance*; and which futures of other processes
//! disturb it. Both are worked out once and remembered.

use crate::channels::Blocked;
use crate::effect::Rules;
use crate::futures::FutureId;
use crate::instance::{Cast, Spot, Unfit};
use crate::scene::Scene;
use starwheel_model::{LocId, Pid, ProcessStep, Step, TransId};

/// Transitions of one location that a stance can tell apart.
const MOST: usize = 32;

const POSSIBLE: u64 = 1;
const EMPTY: u64 = 2;
const MISMATCH: u64 = 3;

/// The number of a stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StanceId(pub u32);

#[derive(Clone, Copy, Debug)]
struct Key {
    instance: usize,
    loc: LocId,
    /// Two bits for each transition.
    status: u64,
}

struct Stance {
    key: Key,
    /// Why its steps cannot be chosen, whatever others may do.
    unfit: Option<Unfit>,
    /// True if a step of it closes a loop, and it has to be looked up whether chosen steps come back.
    loops: bool,
    /// True if a step of it may turn out to have no meaning.
    risky: bool,
    /// By future: 0 not known, 1 does not disturb, 2 disturbs.
    disturbed: Vec<u8>,
    /// Who disturbed it last.
    culprit: usize,
}

/// All stances that have been met.
#[derive(Default)]
pub struct Stances {
    all: Vec<Stance>,
}

impl Stances {
    /// The stance of a process in the state that the scene has looked at, given all steps that it may have a part in;
    /// none if it has too many transitions.
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
        if let Some((_, id)) = spot.stances.iter().find(|(s, _)| *s == status) {
            return Some(*id);
        }
        let possible = spot.moves.iter().enumerate().filter(|(i, _)| (status >> (2 * i)) & 3 == POSSIBLE);
        let (mut unfit, mut loops, mut risky) = (None, false, false);
        for (_, m) in possible {
            unfit = unfit.or(m.unfit);
            loops |= m.loops;
            risky |= m.fallible;
        }
        let id = StanceId(self.all.len() as u32);
        let key = Key { instance: actor.instance, loc: actor.loc, status };
        self.all.push(Stance { key, unfit, loops, risky, disturbed: Vec::new(), culprit: 0 });
        cast.add_stance(actor.instance, actor.loc, status, id);
        Some(id)
    }

    /// The process that came in the way of this stance when it was last looked at; it may do so again.
    pub fn culprit(&self, id: StanceId) -> usize {
        self.all[id.0 as usize].culprit
    }

    /// Remembers who came in the way.
    pub fn blame(&mut self, id: StanceId, pid: usize) {
        self.all[id.0 as usize].culprit = pid;
    }

    /// Why the steps of a process in this stance cannot be chosen, whatever others may do.
    pub fn unfit(&self, id: StanceId) -> Option<Unfit> {
        self.all[id.0 as usize].unfit
    }

    /// Whether a step of a process in this stance closes a loop, so that it has to be looked up where it leads.
    pub fn loops(&self, id: StanceId) -> bool {
        self.all[id.0 as usize].loops
    }

    /// Whether a step of a process in this stance may turn out to have no meaning.
    pub fn risky(&self, id: StanceId) -> bool {
        self.all[id.0 as usize].risky
    }

    /// Whether somebody with this future may come in the way.
    pub fn disturbed(&mut self, cast: &Cast<'_>, rules: Rules, id: StanceId, future: FutureId) -> bool {
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
    let mut mark = |trans: TransId| {
        for (i, _) in spot.moves.iter().enumerate().filter(|(_, m)| m.trans == trans) {
            status |= POSSIBLE << (2 * i);
        }
    };
    for s in steps {
        if s.pid() == pid {
            mark(s.action);
        }
        if let Some((partner, trans)) = s.partner()
            && partner == pid
        {
            mark(trans);
        }
    }
    for (i, m) in spot.moves.iter().enumerate() {
        if let Some(number) = m.front
            && (status >> (2 * i)) & 3 == 0
        {
            status |= match scene.is_empty(state, number) {
                Some(true) => EMPTY << (2 * i),
                Some(false) => MISMATCH << (2 * i),
                None => 0,
            };
        }
    }
    status
}

fn disturbs(cast: &Cast<'_>, rules: Rules, key: Key, future: FutureId) -> bool {
    let future = cast.futures.effect(future);
    let Some(spot) = cast.instances[key.instance].known_spot(key.loc) else { return true };
    spot.moves.iter().enumerate().any(|(i, m)| match (key.status >> (2 * i)) & 3 {
        // As long as another step is possible, and it stays so, this one is not.
        _ if m.last_resort => false,
        POSSIBLE => m.whole.clashes(future, rules),
        EMPTY => m.first.woken(future, Blocked::Empty),
        MISMATCH => m.first.woken(future, Blocked::Mismatch),
        _ => m.first.woken(future, Blocked::Otherwise),
    })
}
