//! Transitions that can never be chosen for one process alone, as long as nobody is born or dies: a bit for each, so that
//! models in which nothing can be reduced pay little for trying.
//!
//! A transition is never ample for a process if it is unfit by itself, or if there is another process that gets in its way
//! from wherever it may stand. Where one of the transitions that a process can execute is never ample, its steps are not
//! enough, whatever else there is. The other way round nothing is said.

use crate::effect::Rules;
use crate::futures::FutureId;
use crate::instance::Cast;
use crate::scene::Scene;
use rapidhash::RapidHashMap;
use starwheel_model::{LocId, Pid, Stmt, TransId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often the same processes must have been looked at before it is worth while to work something out about them.
const PATIENCE: u32 = 256;
/// A process whose futures differ more than this is not asked whether it is always in the way.
const FUTURES: usize = 4;
/// The most comparisons for one row.
const EFFORT: usize = 20_000;

/// What is known about one process.
struct Row {
    /// By transition: a bit if it is never ample.
    bits: Vec<u64>,
    /// True if all are.
    full: bool,
}

/// What is known about the processes that were looked at last, and about others before them.
#[derive(Default)]
pub struct NeverAmple {
    /// The instances of the processes that exist.
    cast: Vec<usize>,
    looked: u32,
    /// By process; empty as long as nothing is known.
    rows: Vec<Arc<Row>>,
    /// The bytes of a state that say who exists, and where some stand: their places and values.
    witness: Vec<(u32, u8)>,
    /// True if nothing is chosen in any state with these bytes.
    idle: bool,
    /// By instance, and the instances of the others.
    known: RapidHashMap<(usize, BTreeSet<usize>), Arc<Row>>,
}

impl NeverAmple {
    /// Says who exists in the state that the scene has looked at.
    pub fn meet(&mut self, cast: &mut Cast<'_>, rules: Rules, scene: &Scene, state: &[u8]) {
        let instances = scene.actors.iter().map(|a| a.instance);
        if self.cast.len() != instances.len() || !self.cast.iter().copied().eq(instances.clone()) {
            self.cast = instances.collect();
            self.rows.clear();
            (self.looked, self.idle) = (0, false);
        }
        self.looked = self.looked.saturating_add(1);
        if self.looked == PATIENCE {
            self.rows = (0..self.cast.len()).map(|p| self.row(cast, rules, p)).collect();
            let stays = endless(cast, &self.cast);
            let rest = |p: usize| self.rows[p].full || self.rests(cast, stays, p, scene.actors[p].loc);
            self.idle = (0..self.rows.len()).all(rest);
            self.witness = scene.witness(cast, state, |p| self.idle && !self.rows[p].full);
        }
    }

    /// True if nothing that a process can do from a location on will ever be chosen alone.
    fn rests(&self, cast: &Cast<'_>, stays: bool, p: usize, loc: LocId) -> bool {
        let model = cast.context.model;
        let proctype = model.proctype(cast.instances[self.cast[p]].known.proctype);
        let lost = |t: &TransId| self.is(Pid(p as u8), *t) || (stays && model.transition(*t).stmt == Stmt::End);
        reachable(cast, self.cast[p], loc).into_iter().all(|l| proctype.locs[l.index()].out.iter().all(lost))
    }

    /// True if the same processes exist in a state as where something was worked out.
    #[inline]
    pub fn covers(&self, state: &[u8]) -> bool {
        !self.rows.is_empty() && self.witness.iter().all(|&(at, byte)| state.get(at as usize) == Some(&byte))
    }

    /// True if nothing is chosen in a state, whatever its steps are.
    #[inline]
    pub fn idle(&self, state: &[u8]) -> bool {
        self.idle && self.covers(state)
    }

    /// True if a process can never be chosen alone where it can execute this transition.
    #[inline]
    pub fn is(&self, pid: Pid, trans: TransId) -> bool {
        let word = self.rows.get(pid.index()).and_then(|row| row.bits.get(trans.index() / 64));
        word.is_some_and(|w| w >> (trans.index() % 64) & 1 == 1)
    }

    fn row(&mut self, cast: &mut Cast<'_>, rules: Rules, p: usize) -> Arc<Row> {
        let mine = self.cast[p];
        let others: BTreeSet<usize> = (0..self.cast.len()).filter(|&q| q != p).map(|q| self.cast[q]).collect();
        let key = (mine, others);
        if let Some(row) = self.known.get(&key) {
            return row.clone();
        }
        let row = Arc::new(work_out(cast, rules, mine, &key.1));
        self.known.insert(key, row.clone());
        row
    }
}

fn work_out(cast: &mut Cast<'_>, rules: Rules, mine: usize, others: &BTreeSet<usize>) -> Row {
    let futures: Vec<Vec<FutureId>> = others.iter().filter_map(|&q| futures(cast, q)).collect();
    let start = cast.context.model.proctype(cast.instances[mine].known.proctype).start;
    let locs = reachable(cast, mine, start);
    let (mut never, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    let mut effort = 0;
    for loc in locs {
        cast.spot(mine, loc);
        let Some(spot) = cast.instances[mine].known_spot(loc) else { continue };
        for m in &spot.moves {
            effort += futures.len();
            let clashes = |f: &FutureId| m.whole.clashes(cast.futures.effect(*f), rules);
            let always = |all: &Vec<FutureId>| all.iter().all(clashes);
            let lost = m.unfit.is_some() || (effort < EFFORT && futures.iter().any(always));
            // Where somebody does what waits until nothing else can happen, there is nothing to choose.
            if lost || m.last_resort {
                never.insert(m.trans)
            } else {
                perhaps.insert(m.trans)
            };
        }
    }
    let mut bits = vec![0; cast.context.model.transitions.len() / 64 + 1];
    for t in never.difference(&perhaps) {
        bits[t.index() / 64] |= 1 << (t.index() % 64);
    }
    Row { bits, full: perhaps.is_empty() }
}

/// True if the youngest process never ends, so that nobody does.
fn endless(cast: &Cast<'_>, instances: &[usize]) -> bool {
    let model = cast.context.model;
    let Some(&youngest) = instances.last() else { return false };
    let proctype = model.proctype(cast.instances[youngest].known.proctype);
    let ends = |loc: LocId| proctype.locs[loc.index()].out.iter().any(|t| model.transition(*t).stmt == Stmt::End);
    !reachable(cast, youngest, proctype.start).into_iter().any(ends)
}

/// All futures that an instance may have; none if there are many.
fn futures(cast: &mut Cast<'_>, instance: usize) -> Option<Vec<FutureId>> {
    let mut found = Vec::new();
    let start = cast.context.model.proctype(cast.instances[instance].known.proctype).start;
    for loc in reachable(cast, instance, start) {
        let future = cast.spot(instance, loc).future;
        if !found.contains(&future) {
            found.push(future);
        }
        if found.len() > FUTURES {
            return None;
        }
    }
    Some(found)
}

/// The locations at which an instance may stand after one of them.
fn reachable(cast: &Cast<'_>, instance: usize, from: LocId) -> BTreeSet<LocId> {
    let model = cast.context.model;
    let proctype = model.proctype(cast.instances[instance].known.proctype);
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(loc) = open.pop() {
        if found.insert(loc) {
            let next = proctype.locs[loc.index()].out.iter().map(|t| model.transition(*t));
            open.extend(next.filter(|t| t.stmt != Stmt::End).map(|t| t.to));
        }
    }
    found
}
