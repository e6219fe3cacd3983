//! All that a process may do from each of its locations on, processes that it starts included, until nothing else can
//! happen.
//!
//! Worked out for all locations of an instance at once, in one backward pass ([`crate::ahead`]).
//!
//! # Steps that stop in the middle
//!
//! A step of a process is an atomic sequence up to where it ends or cannot go on; in the latter case the state in which
//! it stops can be seen by everybody. So a link behind the first one has two outcomes, to go on or to stop, and which one
//! it is must not depend on the order of steps that are taken to be independent. What decides is
//!
//! - a guard: it is read by the step, so whoever writes a variable in it clashes;
//! - a channel with slots, full or empty or with another message in front: the link *looks* at the channel
//!   ([`Kinds::LOOK`]), so whoever sends or receives there clashes;
//! - the end of a process, which has to wait for younger ones: the link looks at the life of processes;
//! - a send without slots: it goes on if somebody is ready to take the message. The link *listens*
//!   ([`Context::late_effect`](crate::context::Context::late_effect)), and whoever waits for a message of the channel
//!   before or after a step of its own clashes; what else decides whether a message is taken is read by the step, or
//!   everything clashes;
//! - a receive without slots: it always stops, since a handshake begins with the sender;
//! - `else` and what stands under an escape: what is in their way is looked at in the same manner
//!   ([`Context::effect`](crate::context::Context::effect)).
//!
//! *Lemma.* Let `t` be a step of a process that clashes with no effect of another step `s`, both possible in a state. Then
//! `s` goes through the same links to the same end before `t` and after it, and so does `t`. *Proof* by induction over the
//! links of `s`: the variables, channels, lives and waiting receivers that decide about a link are the same in both
//! orders, by the list above and because `t` writes, uses, starts, ends and makes ready nothing of them; then the link has
//! the same outcome, and what it writes is the same, since `t` writes nothing that it reads. A handshake in the middle
//! hands control to the receiver, whose links are part of what the receiver may do from where it stands: they are in the
//! effects of *its* future, with which `t` does not clash, either, if the receiver is not the process of `t`; and that it
//! is not follows as its process would wait on the channel. The other way round the same holds for `t`: a link of `t` that
//! listens is never chosen ([`Unfit::Handshake`](crate::instance::Unfit)).
//!
//! Without the fourth point, `atomic { x = 1; r!1 }` was taken to be independent of the step that brings another process
//! to `r?_`, and states in which the sequence stops were missed.

use crate::ahead::{Joined, ahead};
use crate::channels::Kinds;
use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fixed::Known;
use rapidhash::RapidHashMap;
use starwheel_model::expr::Run;
use starwheel_model::{Expr, LocId, ProctypeId, Stmt, TransId};
use std::collections::BTreeMap;

/// How many kinds of processes of one type are told apart among those that others start.
const KINDS: usize = 64;

/// The number of a future; equal ones have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FutureId(pub u32);

/// All futures that have been met.
#[derive(Default)]
pub struct Futures {
    all: Vec<Effect>,
    numbers: RapidHashMap<Effect, FutureId>,
    /// By location.
    by_known: RapidHashMap<Known, Vec<FutureId>>,
}

impl Joined for Effect {
    fn join(&mut self, other: &Effect) {
        Effect::join(self, other);
    }

    fn weight(&self) -> usize {
        self.size()
    }
}

impl Futures {
    /// A future by its number.
    pub fn effect(&self, id: FutureId) -> &Effect {
        &self.all[id.0 as usize]
    }

    /// All that a process may do from a location on.
    pub fn of(&mut self, context: &Context<'_>, known: &Known, loc: LocId) -> FutureId {
        if !self.by_known.contains_key(known) {
            self.learn(context, known);
        }
        self.by_known[known][loc.index()]
    }

    /// Works out the futures of a process, and of those that it may start.
    fn learn(&mut self, context: &Context<'_>, known: &Known) {
        let mut family = Family {
            context,
            futures: self,
            first: RapidHashMap::default(),
            order: Vec::new(),
            kinds: BTreeMap::new(),
        };
        family.add(known.clone());
        let (mut successors, mut own) = (Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(known) = family.order.get(next).cloned() {
            next += 1;
            for loc in 0..context.model.proctype(known.proctype).locs.len() {
                let stopped = context.watch.stopped();
                let (after, effect) = if stopped { Default::default() } else { family.look(&known, LocId(loc as u16)) };
                successors.push(after);
                own.push(effect);
            }
        }
        let order = family.order;
        let ids: Vec<FutureId> = ahead(&successors, &own).into_iter().map(|e| self.number((*e).clone())).collect();
        let mut rest = &ids[..];
        for known in order {
            let (here, others) = rest.split_at(context.model.proctype(known.proctype).locs.len());
            rest = others;
            self.by_known.insert(known, here.to_vec());
        }
    }

    fn number(&mut self, mut effect: Effect) -> FutureId {
        effect.tidy();
        if let Some(&id) = self.numbers.get(&effect) {
            return id;
        }
        let id = FutureId(self.all.len() as u32);
        self.all.push(effect.clone());
        self.numbers.insert(effect, id);
        id
    }
}

/// Processes that are looked at together, because some start others.
struct Family<'a, 'm> {
    context: &'a Context<'m>,
    futures: &'a Futures,
    /// Where the nodes of each begin.
    first: RapidHashMap<Known, usize>,
    order: Vec<Known>,
    /// How many there are of each type.
    kinds: BTreeMap<ProctypeId, usize>,
}

impl Family<'_, '_> {
    fn add(&mut self, known: Known) -> usize {
        let locs = |k: &Known| self.context.model.proctype(k.proctype).locs.len();
        let first = self.order.last().map_or(0, |last| self.first[last] + locs(last));
        *self.kinds.entry(known.proctype).or_default() += 1;
        self.first.insert(known.clone(), first);
        self.order.push(known);
        first
    }

    /// Where a process may be after a step from a location, and what it may do there.
    fn look(&mut self, known: &Known, loc: LocId) -> (Vec<usize>, Effect) {
        let model = self.context.model;
        let (mut after, mut all) = (Vec::new(), Effect::default());
        let first = self.first[known];
        for &trans in &model.proctype(known.proctype).locs[loc.index()].out {
            let t = model.transition(trans);
            if t.stmt.waits_for_timeout() {
                continue;
            }
            self.transition(known, loc, trans, &mut all);
            if t.stmt != Stmt::End {
                after.push(first + t.to.index());
            }
            t.stmt.walk(&mut |e| {
                if let Expr::Run(run) = e {
                    self.birth(known, run, &mut after, &mut all);
                }
            });
        }
        (after, all)
    }

    fn transition(&self, known: &Known, loc: LocId, trans: TransId, all: &mut Effect) {
        let model = self.context.model;
        let locs = &model.proctype(known.proctype).locs;
        let place = &locs[loc.index()];
        let t = model.transition(trans);
        let inside = self.context.inside(known.proctype, loc);
        let mut effect = match inside {
            true => self.context.late_effect(known, place, trans),
            false => self.context.effect(known, place, trans),
        };
        if inside && effect.life.meets(Life::END) {
            effect.life = effect.life.with(Life::LOOK);
        }
        if t.stmt != Stmt::End {
            self.context.add_readiness(known, place, &mut effect);
            self.context.add_readiness(known, &locs[t.to.index()], &mut effect);
        }
        all.tests.join(&effect.tests);
        all.join_late(&effect, if inside { Kinds::LOOK } else { Kinds::default() });
    }

    /// Adds what a process may do that is started.
    fn birth(&mut self, creator: &Known, run: &Run, after: &mut Vec<usize>, all: &mut Effect) {
        let mut newborn = self.context.newborn(creator, run);
        let start = self.context.model.proctype(newborn.proctype).start;
        if self.kinds.get(&newborn.proctype).is_some_and(|&n| n >= KINDS) && !self.first.contains_key(&newborn) {
            newborn = self.context.stranger(newborn.proctype);
        }
        if let Some(ids) = self.futures.by_known.get(&newborn) {
            all.join(self.futures.effect(ids[start.index()]));
            return;
        }
        let first = match self.first.get(&newborn) {
            Some(&first) => first,
            None => self.add(newborn),
        };
        after.push(first + start.index());
    }
}
