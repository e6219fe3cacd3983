//! A process as a reduction sees it: at each location what its steps touch, and all that it may ever do from there.

use crate::ahead::Joined;
use crate::chains::{Chain, Chains, Lookout};
use crate::channels::Kinds;
use crate::context::Context;
use crate::effect::Effect;
use crate::fallible::fallible;
use crate::fixed::Known;
use crate::futures::{FutureId, Futures};
use crate::stance::StanceId;
use crate::sticky::Sticky;
use rapidhash::RapidHashMap;
use starwheel_model::{LocId, ProctypeId, Region, Stmt, TransId};
use std::collections::BTreeSet;

/// One process, or all processes about which the same is known.
pub struct Instance {
    /// What is known about it.
    pub known: Known,
    /// By location; made when they are first needed.
    spots: Vec<Option<Spot>>,
}

/// A location of an instance.
pub struct Spot {
    /// The transitions that leave it, in order.
    pub moves: Vec<Move>,
    /// All that the process may do from here on, processes that it starts included, until somebody else moves who can
    /// move already.
    pub future: FutureId,
    /// The stances that processes have taken here, by the status of its transitions.
    pub stances: Vec<(u64, StanceId)>,
}

/// One transition that leaves a location.
pub struct Move {
    /// Its number.
    pub trans: TransId,
    /// What it touches by itself.
    pub first: Effect,
    /// What it touches together with all that may follow in the same step.
    pub whole: Effect,
    /// True if it can never be the only kind of step that is looked at.
    pub unfit: Option<Unfit>,
    /// True if it closes a loop of its process, and it has to be looked up whether that of the system is closed as well.
    pub loops: bool,
    /// True if it waits until nothing else can happen.
    pub last_resort: bool,
    /// The channel, if it is a receive of the message at the front.
    pub front: Option<u8>,
    /// True if it may turn out to have no meaning when it is executed.
    pub fallible: bool,
}

/// Why a step cannot be chosen alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfit {
    /// It shakes hands in the middle of an atomic sequence.
    Handshake,
    /// It may change what the property looks at.
    Visible,
    /// It closes a loop of its process, so that others could be forgotten.
    Loop,
    /// It may turn out to have no meaning in the middle of an atomic sequence.
    Risky,
}

/// All instances and futures that have been met.
pub struct Cast<'m> {
    /// The model and what is fixed in it.
    pub context: Context<'m>,
    /// By number.
    pub instances: Vec<Instance>,
    /// What processes may do from a location on.
    pub futures: Futures,
    chains: Chains,
    by_known: RapidHashMap<Known, usize>,
    /// What the property looks at.
    watched: Watched,
    sticky: Option<Sticky>,
    /// True if it is looked up where steps lead that close a loop; else they are unfit.
    looks_ahead: bool,
}

/// What a property looks at.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Everything but locations; none if there is no property that looks at states.
    pub reads: Option<Effect>,
    /// Whether a process is at one of these locations.
    pub labels: BTreeSet<(ProctypeId, LocId)>,
}

impl Instance {
    /// A location that has been needed before.
    pub fn known_spot(&self, loc: LocId) -> Option<&Spot> {
        self.spots[loc.index()].as_ref()
    }
}

impl<'m> Cast<'m> {
    /// Nobody has been met yet.
    pub fn new(context: Context<'m>, watched: Watched, sticky: Option<Sticky>, looks_ahead: bool) -> Cast<'m> {
        let (futures, chains, by_known) = (Futures::default(), Chains::default(), RapidHashMap::default());
        Cast { context, instances: Vec::new(), futures, chains, by_known, watched, sticky, looks_ahead }
    }

    /// The number of an instance.
    pub fn instance(&mut self, known: &Known) -> usize {
        if let Some(&i) = self.by_known.get(known) {
            return i;
        }
        let locs = self.context.model.proctype(known.proctype).locs.len();
        self.instances.push(Instance { known: known.clone(), spots: (0..locs).map(|_| None).collect() });
        self.by_known.insert(known.clone(), self.instances.len() - 1);
        self.instances.len() - 1
    }

    /// A location of an instance.
    pub fn spot(&mut self, instance: usize, loc: LocId) -> &Spot {
        if self.instances[instance].spots[loc.index()].is_none() {
            let known = self.instances[instance].known.clone();
            let moves = self.moves(&known, loc);
            let future = self.futures.of(&self.context, &known, loc);
            self.instances[instance].spots[loc.index()] = Some(Spot { moves, future, stances: Vec::new() });
        }
        match &self.instances[instance].spots[loc.index()] {
            Some(spot) => spot,
            None => unreachable!("it has just been made"),
        }
    }

    /// Notes a stance at a location that has been needed before.
    pub fn add_stance(&mut self, instance: usize, loc: LocId, status: u64, id: StanceId) {
        if let Some(spot) = &mut self.instances[instance].spots[loc.index()] {
            spot.stances.push((status, id));
        }
    }

    fn moves(&mut self, known: &Known, loc: LocId) -> Vec<Move> {
        let place = &self.context.model.proctype(known.proctype).locs[loc.index()];
        place.out.iter().map(|&trans| self.one_move(known, loc, trans)).collect()
    }

    fn one_move(&mut self, known: &Known, loc: LocId, trans: TransId) -> Move {
        let context = &self.context;
        let locs = &context.model.proctype(known.proctype).locs;
        let t = context.model.transition(trans);
        let lookout = Lookout { watched: &self.watched, sticky: self.sticky.as_ref() };
        let first = context.effect(known, &locs[loc.index()], trans);
        let mut whole = first.clone();
        context.add_readiness(known, &locs[loc.index()], &mut whole);
        let mut rest = Chain {
            loops: lookout.loops(known.proctype, loc, trans),
            shown: lookout.shows(known.proctype, loc) || lookout.shows_newborn(context, &t.stmt),
            ..Chain::default()
        };
        if t.stmt != Stmt::End {
            context.add_readiness(known, &locs[t.to.index()], &mut whole);
            rest.shown |= lookout.shows(known.proctype, t.to);
            if t.atomic {
                rest.join(&*self.chains.from(context, &lookout, known, t.to));
            }
        }
        whole.join_late(&rest.effect, Kinds::default());
        let visible = rest.shown || self.watched.reads.as_ref().is_some_and(|w| whole.changes(w));
        let reasons = [
            (visible, Unfit::Visible),
            (rest.risky, Unfit::Risky),
            (rest.offers, Unfit::Handshake),
            (rest.loops && !self.looks_ahead, Unfit::Loop),
        ];
        let unfit = reasons.into_iter().find(|r| r.0).map(|r| r.1);
        let front = self.front(known, &t.stmt);
        let fallible = fallible(context, known, trans);
        let loops = rest.loops && self.looks_ahead;
        Move { trans, first, whole, unfit, loops, last_resort: t.stmt.waits_for_timeout(), front, fallible }
    }

    fn front(&self, known: &Known, stmt: &Stmt) -> Option<u8> {
        let Stmt::Receive { channel, random: false, copy: false, .. } = start(stmt) else { return None };
        match self.context.fixed.channels(self.context.model, known, channel)?[..] {
            [number] => Some(number),
            _ => None,
        }
    }
}

/// The statement that decides whether a step can be executed.
fn start(stmt: &Stmt) -> &Stmt {
    match stmt {
        Stmt::Chain(list) => list.first().unwrap_or(stmt),
        _ => stmt,
    }
}

/// The keys of a process as they stand in a state.
pub fn values(cast: &Context<'_>, proctype: ProctypeId, state: &[u8], frame: usize) -> Vec<Option<i32>> {
    let value = |key: &starwheel_model::Place| {
        debug_assert!(key.region == Region::Local);
        crate::fixed::value_at(state, frame + key.offset as usize, key.ty)
    };
    cast.fixed.keys[proctype.index()].iter().map(value).collect()
}
