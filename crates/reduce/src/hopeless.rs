//! Transitions that can never be chosen for one process alone, as long as nobody is born or dies: a bit for each, so that
//! models in which nothing can be reduced pay little for trying.
//!
//! A transition is hopeless for a process if it is unfit by itself, or if there is another process that gets in its way
//! from wherever it may stand. Where one of the transitions that a process can execute is hopeless, its steps are not
//! enough, whatever else there is. The other way round nothing is said.

use crate::effect::Rules;
use crate::instance::{Cast, FutureId};
use starwheel_model::{LocId, Pid, Stmt, TransId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How often the same processes must have been looked at before it is worth while to work something out about them.
const PATIENCE: u32 = 256;
/// A process whose futures differ more than this is not asked whether it is always in the way.
const FUTURES: usize = 4;
/// The most comparisons for one row.
const EFFORT: usize = 20_000;

/// Bits by transition.
type Row = Arc<[u64]>;

/// What is known about the processes that were looked at last, and about others before them.
#[derive(Default)]
pub struct Hopeless {
    /// The instances of the processes that exist.
    cast: Vec<usize>,
    looked: u32,
    /// By process; empty as long as nothing is known.
    rows: Vec<Row>,
    /// By instance, and the instances of the others.
    known: HashMap<(usize, BTreeSet<usize>), Row>,
}

impl Hopeless {
    /// Says who exists in the state that is looked at.
    pub fn meet(&mut self, cast: &mut Cast<'_>, rules: Rules, instances: impl ExactSizeIterator<Item = usize> + Clone) {
        if self.cast.len() != instances.len() || !self.cast.iter().copied().eq(instances.clone()) {
            self.cast = instances.collect();
            self.rows.clear();
            self.looked = 0;
        }
        self.looked = self.looked.saturating_add(1);
        if self.looked == PATIENCE {
            self.rows = (0..self.cast.len()).map(|p| self.row(cast, rules, p)).collect();
        }
    }

    /// True if a process can never be chosen alone where it can execute this transition.
    #[inline]
    pub fn is(&self, pid: Pid, trans: TransId) -> bool {
        let word = self.rows.get(pid.index()).and_then(|row| row.get(trans.index() / 64));
        word.is_some_and(|w| w >> (trans.index() % 64) & 1 == 1)
    }

    fn row(&mut self, cast: &mut Cast<'_>, rules: Rules, p: usize) -> Row {
        let mine = self.cast[p];
        let others: BTreeSet<usize> = (0..self.cast.len()).filter(|&q| q != p).map(|q| self.cast[q]).collect();
        let key = (mine, others);
        if let Some(row) = self.known.get(&key) {
            return row.clone();
        }
        let row: Row = work_out(cast, rules, mine, &key.1).into();
        self.known.insert(key, row.clone());
        row
    }
}

fn work_out(cast: &mut Cast<'_>, rules: Rules, mine: usize, others: &BTreeSet<usize>) -> Vec<u64> {
    let futures: Vec<Vec<FutureId>> = others.iter().filter_map(|&q| futures(cast, q)).collect();
    let locs = reachable(cast, mine);
    let (mut hopeless, mut hopeful) = (BTreeSet::new(), BTreeSet::new());
    let mut effort = 0;
    for loc in locs {
        cast.spot(mine, loc);
        let Some(spot) = cast.instances[mine].known_spot(loc) else { continue };
        for m in &spot.moves {
            effort += futures.len();
            let clashes = |f: &FutureId| m.whole.clashes(&cast.futures[f.0 as usize], rules);
            let always = |all: &Vec<FutureId>| all.iter().all(clashes);
            let lost = m.unfit.is_some() || (effort < EFFORT && futures.iter().any(always));
            // What waits until nothing else can happen is not looked at together with others.
            if lost && !m.last_resort { hopeless.insert(m.trans) } else { hopeful.insert(m.trans) };
        }
    }
    let mut bits = vec![0; cast.context.model.transitions.len() / 64 + 1];
    for t in hopeless.difference(&hopeful) {
        bits[t.index() / 64] |= 1 << (t.index() % 64);
    }
    bits
}

/// All futures that an instance may have; none if there are many.
fn futures(cast: &mut Cast<'_>, instance: usize) -> Option<Vec<FutureId>> {
    let mut found = Vec::new();
    for loc in reachable(cast, instance) {
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

/// The locations at which an instance may stand.
fn reachable(cast: &Cast<'_>, instance: usize) -> BTreeSet<LocId> {
    let model = cast.context.model;
    let proctype = model.proctype(cast.instances[instance].known.proctype);
    let (mut found, mut open) = (BTreeSet::new(), vec![proctype.start]);
    while let Some(loc) = open.pop() {
        if found.insert(loc) {
            let next = proctype.locs[loc.index()].out.iter().map(|t| model.transition(*t));
            open.extend(next.filter(|t| t.stmt != Stmt::End).map(|t| t.to));
        }
    }
    found
}
