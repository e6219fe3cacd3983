//! What an atomic sequence may still do from each location on at which it may go on, for each kind of process.
//!
//! A step is its first transition together with these links; see [`crate::futures`] for what decides whether a link is
//! the last one.

use crate::ahead::{Joined, ahead};
use crate::channels::Kinds;
use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fallible::fallible;
use crate::fixed::Known;
use crate::instance::Watched;
use crate::sticky::Sticky;
use rapidhash::RapidHashMap;
use starwheel_model::{Expr, LocId, ProctypeId, Stmt, TransId};
use std::sync::Arc;

/// What comes of a step behind one of its transitions.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// What it touches.
    pub effect: Effect,
    /// It may send without slots.
    pub offers: bool,
    /// It may turn out to have no meaning.
    pub risky: bool,
    /// It may close a loop of its process.
    pub loops: bool,
    /// It may pass a place that the property looks at, or start a process at one.
    pub shown: bool,
}

impl Joined for Chain {
    fn join(&mut self, other: &Chain) {
        self.effect.join(&other.effect);
        self.offers |= other.offers;
        self.risky |= other.risky;
        self.loops |= other.loops;
        self.shown |= other.shown;
    }

    fn weight(&self) -> usize {
        self.effect.size()
    }
}

/// The chains of all processes that have been met.
#[derive(Default)]
pub struct Chains {
    /// By location.
    by_known: RapidHashMap<Known, Vec<Arc<Chain>>>,
}

/// What is looked at besides the model.
pub struct Lookout<'a> {
    /// What the property looks at.
    pub watched: &'a Watched,
    /// The loops of processes, if nobody else sees to it that nobody is forgotten.
    pub sticky: Option<&'a Sticky>,
}

impl Lookout<'_> {
    /// Whether the property looks at a place.
    pub fn shows(&self, proctype: ProctypeId, loc: LocId) -> bool {
        self.watched.labels.contains(&(proctype, loc))
    }

    /// Whether a transition closes a loop of its process.
    pub fn loops(&self, proctype: ProctypeId, loc: LocId, trans: TransId) -> bool {
        self.sticky.is_some_and(|s| s.has(proctype, loc, trans))
    }

    /// Whether a statement starts a process at a place that the property looks at.
    pub fn shows_newborn(&self, context: &Context<'_>, stmt: &Stmt) -> bool {
        let mut shown = false;
        stmt.walk(&mut |e| {
            if let Expr::Run(run) = e {
                shown |= self.shows(run.proctype, context.model.proctype(run.proctype).start);
            }
        });
        shown
    }
}

impl Chains {
    /// What comes of a step that has come to a location and may go on there.
    pub fn from(&mut self, context: &Context<'_>, lookout: &Lookout<'_>, known: &Known, loc: LocId) -> Arc<Chain> {
        if !self.by_known.contains_key(known) {
            let chains = chains(context, lookout, known);
            self.by_known.insert(known.clone(), chains);
        }
        self.by_known[known][loc.index()].clone()
    }
}

fn chains(context: &Context<'_>, lookout: &Lookout<'_>, known: &Known) -> Vec<Arc<Chain>> {
    let locs = &context.model.proctype(known.proctype).locs;
    let (mut successors, mut own) = (Vec::new(), Vec::new());
    for loc in (0..locs.len()).map(|l| LocId(l as u16)) {
        let (mut after, mut chain) = (Vec::new(), Chain::default());
        if context.inside(known.proctype, loc) && !context.watch.stopped() {
            links(context, lookout, known, loc, &mut after, &mut chain);
        }
        successors.push(after);
        own.push(chain);
    }
    ahead(&successors, &own)
}

/// Adds the transitions of one location.
fn links(
    context: &Context<'_>,
    lookout: &Lookout<'_>,
    known: &Known,
    loc: LocId,
    after: &mut Vec<usize>,
    chain: &mut Chain,
) {
    let locs = &context.model.proctype(known.proctype).locs;
    chain.shown |= lookout.shows(known.proctype, loc);
    context.add_readiness(known, &locs[loc.index()], &mut chain.effect);
    for &trans in &locs[loc.index()].out {
        let t = context.model.transition(trans);
        let link = context.late_effect(known, &locs[loc.index()], trans);
        chain.offers |= link.uses.iter().any(|(_, k)| k.has(Kinds::SEND.with(Kinds::RENDEZVOUS)));
        // A search that looks for forgotten processes also sees what goes wrong on the way.
        chain.risky |= lookout.sticky.is_some() && fallible(context, known, trans);
        chain.loops |= lookout.loops(known.proctype, loc, trans);
        chain.shown |= lookout.shows_newborn(context, &t.stmt);
        chain.effect.join_late(&link, Kinds::LOOK);
        if link.life.meets(Life::END) {
            // Whether the process ends at once depends on who is younger.
            chain.effect.life = chain.effect.life.with(Life::LOOK);
        }
        if t.stmt != Stmt::End {
            chain.shown |= lookout.shows(known.proctype, t.to);
            context.add_readiness(known, &locs[t.to.index()], &mut chain.effect);
            if t.atomic {
                after.push(t.to.index());
            }
        }
    }
}
