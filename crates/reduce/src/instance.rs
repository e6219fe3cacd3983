//! A process as a reduction sees it: at each location what its steps touch, and all that it may ever do from there.

use crate::channels::{Channels, Kinds};
use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fallible::fallible;
use crate::fixed::Known;
use crate::stance::StanceId;
use crate::sticky::Sticky;
use starwheel_model::{Expr, LocId, ProctypeId, Region, Stmt, TransId};
use std::collections::{BTreeSet, HashMap};

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

/// The number of a future; equal ones have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FutureId(pub u32);

/// All instances and futures that have been met.
pub struct Cast<'m> {
    /// The model and what is fixed in it.
    pub context: Context<'m>,
    /// By number.
    pub instances: Vec<Instance>,
    /// By number.
    pub futures: Vec<Effect>,
    by_known: HashMap<Known, usize>,
    /// What the property looks at.
    watched: Watched,
    sticky: Option<Sticky>,
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
    pub fn new(context: Context<'m>, watched: Watched, sticky: Option<Sticky>) -> Cast<'m> {
        Cast { context, instances: Vec::new(), futures: Vec::new(), by_known: HashMap::new(), watched, sticky }
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
            let future = self.future(&known, loc);
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

    fn moves(&self, known: &Known, loc: LocId) -> Vec<Move> {
        let model = self.context.model;
        let place = &model.proctype(known.proctype).locs[loc.index()];
        place.out.iter().map(|&trans| self.one_move(known, loc, trans)).collect()
    }

    fn one_move(&self, known: &Known, loc: LocId, trans: TransId) -> Move {
        let model = self.context.model;
        let locs = &model.proctype(known.proctype).locs;
        let t = model.transition(trans);
        let first = self.context.effect(known, &locs[loc.index()], trans);
        let mut whole = first.clone();
        let mut unfit = None;
        let mut stops = BTreeSet::from([loc]);
        let mut changed = self.loops(known, loc, trans);
        if t.stmt != Stmt::End {
            stops.insert(t.to);
            for inner in self.links(known.proctype, trans) {
                stops.insert(inner);
                for &next in &locs[inner.index()].out {
                    let link = self.context.effect(known, &locs[inner.index()], next);
                    if link.uses.iter().any(|(_, k)| k.has(Kinds::SEND.with(Kinds::RENDEZVOUS))) {
                        unfit = Some(Unfit::Handshake);
                    }
                    // A search that looks for forgotten processes also sees what goes wrong on the way.
                    if self.sticky.is_some() && fallible(&self.context, known, &model.transition(next).stmt) {
                        unfit = Some(Unfit::Risky);
                    }
                    whole.join_late(&link, Kinds::LOOK);
                    if link.life.meets(Life::END) {
                        // Whether the process ends at once depends on who is younger.
                        whole.life = whole.life.with(Life::LOOK);
                    }
                    changed |= self.loops(known, inner, next);
                    stops.insert(model.transition(next).to);
                }
            }
        }
        self.readiness(known, &stops, &mut whole);
        if changed {
            unfit = unfit.or(Some(Unfit::Loop));
        }
        if self.visible(known, &stops, &whole) || self.shows_newborn(known.proctype, trans) {
            unfit = Some(Unfit::Visible);
        }
        let last_resort = matches!(start(&t.stmt), Stmt::Guard(Expr::Timeout));
        let front = self.front(known, &t.stmt);
        let fallible = fallible(&self.context, known, &t.stmt);
        Move { trans, first, whole, unfit, last_resort, front, fallible }
    }

    fn loops(&self, known: &Known, loc: LocId, trans: TransId) -> bool {
        self.sticky.as_ref().is_some_and(|s| s.has(known.proctype, loc, trans))
    }

    /// The locations at which a step may end that starts with a transition.
    pub fn ends(&self, proctype: ProctypeId, trans: TransId) -> BTreeSet<LocId> {
        let model = self.context.model;
        let inner = self.links(proctype, trans);
        let followers = inner.iter().flat_map(|l| &model.proctype(proctype).locs[l.index()].out);
        let all = followers.chain([&trans]).map(|t| model.transition(*t));
        all.filter(|t| t.stmt != Stmt::End).map(|t| t.to).chain(inner.iter().copied()).collect()
    }

    /// The locations at which an atomic sequence may be after its first transition, while it goes on.
    fn links(&self, proctype: ProctypeId, trans: TransId) -> BTreeSet<LocId> {
        let model = self.context.model;
        let (mut found, mut open) = (BTreeSet::new(), vec![trans]);
        while let Some(t) = open.pop().map(|t| model.transition(t)) {
            if t.atomic && t.stmt != Stmt::End && found.insert(t.to) {
                open.extend(&model.proctype(proctype).locs[t.to.index()].out);
            }
        }
        found
    }

    /// On which channels without slots the process is ready before and after a step.
    fn readiness(&self, known: &Known, stops: &BTreeSet<LocId>, whole: &mut Effect) {
        if !self.context.model.uses.rendezvous {
            return;
        }
        for stop in stops {
            let loc = &self.context.model.proctype(known.proctype).locs[stop.index()];
            let (waits, offers): (Channels, Channels) = self.context.ready(known, loc);
            whole.waits.join(&waits, Kinds::default());
            whole.offers.join(&offers, Kinds::default());
        }
    }

    fn visible(&self, known: &Known, stops: &BTreeSet<LocId>, whole: &Effect) -> bool {
        self.watched.reads.as_ref().is_some_and(|w| whole.changes(w))
            || stops.iter().any(|&l| self.watched.labels.contains(&(known.proctype, l)))
    }

    /// Whether a step, with all that may follow, starts a process at a place that the property looks at.
    fn shows_newborn(&self, proctype: ProctypeId, trans: TransId) -> bool {
        let model = self.context.model;
        let inner = self.links(proctype, trans);
        let followers = inner.iter().flat_map(|l| &model.proctype(proctype).locs[l.index()].out);
        let mut shown = false;
        for t in followers.chain([&trans]) {
            model.transition(*t).stmt.walk(&mut |e| {
                if let Expr::Run(run) = e {
                    shown |= self.watched.labels.contains(&(run.proctype, model.proctype(run.proctype).start));
                }
            });
        }
        shown
    }

    fn front(&self, known: &Known, stmt: &Stmt) -> Option<u8> {
        let Stmt::Receive { channel, random: false, copy: false, .. } = start(stmt) else { return None };
        match self.context.fixed.channels(self.context.model, known, channel)?[..] {
            [number] => Some(number),
            _ => None,
        }
    }

    /// All that a process may do from a location on.
    fn future(&mut self, known: &Known, loc: LocId) -> FutureId {
        let mut all = Effect::default();
        let mut seen: Vec<(Known, BTreeSet<LocId>)> = Vec::new();
        let mut open = vec![(known.clone(), loc)];
        while let Some((known, loc)) = open.pop() {
            let index = match seen.iter().position(|(k, _)| *k == known) {
                Some(index) => index,
                None => {
                    seen.push((known.clone(), BTreeSet::new()));
                    seen.len() - 1
                }
            };
            if !seen[index].1.insert(loc) {
                continue;
            }
            self.visit(&known, loc, &mut all, &mut open);
        }
        all.tidy();
        match self.futures.iter().position(|f| *f == all) {
            Some(index) => FutureId(index as u32),
            None => {
                self.futures.push(all);
                FutureId(self.futures.len() as u32 - 1)
            }
        }
    }

    /// Adds what a process may do at a location, and where it may be next.
    fn visit(&self, known: &Known, loc: LocId, all: &mut Effect, open: &mut Vec<(Known, LocId)>) {
        let model = self.context.model;
        let place = &model.proctype(known.proctype).locs[loc.index()];
        let inside = self.inside(known.proctype, loc);
        for &trans in &place.out {
            let t = model.transition(trans);
            if matches!(start(&t.stmt), Stmt::Guard(Expr::Timeout)) {
                continue;
            }
            let mut effect = self.context.effect(known, place, trans);
            if inside && effect.life.meets(Life::END) {
                effect.life = effect.life.with(Life::LOOK);
            }
            if t.stmt != Stmt::End {
                self.readiness(known, &BTreeSet::from([loc, t.to]), &mut effect);
                open.push((known.clone(), t.to));
            }
            all.tests.join(&effect.tests);
            all.join_late(&effect, if inside { Kinds::LOOK } else { Kinds::default() });
            t.stmt.walk(&mut |e| {
                if let Expr::Run(run) = e {
                    open.push((self.context.newborn(known, run), model.proctype(run.proctype).start));
                }
            });
        }
    }

    /// Whether an atomic sequence may come to a location and go on.
    fn inside(&self, proctype: ProctypeId, loc: LocId) -> bool {
        let own = |t: &&starwheel_model::Transition| t.proctype == proctype;
        self.context.model.transitions.iter().filter(own).any(|t| t.atomic && t.to == loc)
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
