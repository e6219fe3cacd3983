//! Stubborn sets: a transition that gets in the way matters only if it can still become possible without those that are
//! in the set already.
//!
//! A. Valmari, "Stubborn sets for reduced state space generation" (1989), with necessary enabling sets for single guards
//! as in A. Laarman, E. Pater, J. van de Pol and H. Hansen, "Guard-based partial-order reduction" (2016). A set of
//! processes stands for the steps that are possible, as in [`crate::reduction`]; besides, the set may hold transitions of
//! other processes that are not possible now. For each of those it has to hold something that must happen before:
//!
//! - the steps of its process, if that has to move first, or only those with which it may come to where the transition
//!   starts: the location of a process is a guard like any other;
//! - or all that may make its guard true, if that is false, whoever stands where;
//! - or all sends to its channel, if that is empty.
//!
//! The cheapest is taken. Sets grow around each process that can move, and the one with the fewest steps wins.

use crate::channels::Kinds;
use crate::effect::Rules;
use crate::instance::Cast;
use crate::nodes::{NodeId, Way, Web, Why, one};
use crate::scene::Scene;
use rapidhash::RapidHashSet;
use starwheel_model::{Expr, Interp, Pid, Stmt};

/// What a closure looks at.
pub struct Situation<'a, 'm> {
    /// Everybody who was met.
    pub cast: &'a mut Cast<'m>,
    /// What is known about transitions.
    pub web: &'a mut Web,
    /// Evaluates guards.
    pub interp: &'a mut Interp<'m>,
    /// Who exists.
    pub scene: &'a Scene,
    /// The state.
    pub at: &'a [u8],
    /// By process: which of the transitions of its location are possible, as bits.
    pub possible: &'a [u64],
    /// By process: how many steps it has.
    pub steps: &'a [usize],
    /// What holds for the model.
    pub rules: Rules,
}

/// The processes whose steps are enough, around one of them; none if a step of theirs cannot be chosen.
pub fn close(situation: &mut Situation<'_, '_>, seed: Pid) -> Option<Vec<bool>> {
    let count = situation.scene.actors.len();
    let mut growth =
        Growth { s: situation, inside: vec![false; count], seen: RapidHashSet::default(), open: Vec::new() };
    growth.admit(seed.index());
    while let Some((p, node)) = growth.open.pop() {
        growth.settle(p, node)?;
        if growth.inside.iter().all(|i| *i) {
            return None;
        }
    }
    Some(growth.inside)
}

struct Growth<'s, 'a, 'm> {
    s: &'s mut Situation<'a, 'm>,
    inside: Vec<bool>,
    seen: RapidHashSet<(usize, NodeId)>,
    open: Vec<(usize, NodeId)>,
}

/// What has to happen before a transition can become possible.
struct Before {
    processes: Vec<usize>,
    nodes: Vec<(usize, NodeId)>,
    cost: usize,
}

impl Growth<'_, '_, '_> {
    /// Takes in a process: all transitions of its location.
    fn admit(&mut self, p: usize) {
        if std::mem::replace(&mut self.inside[p], true) {
            return;
        }
        let actor = &self.s.scene.actors[p];
        let count = self.s.cast.spot(actor.instance, actor.loc).moves.len();
        let nodes = self.s.web.nodes(self.s.cast, actor.instance);
        nodes.at(actor.loc, count).for_each(|n| self.require(p, n));
    }

    fn require(&mut self, p: usize, node: NodeId) {
        if self.seen.insert((p, node)) {
            self.open.push((p, node));
        }
    }

    /// Whether a transition is possible now.
    fn possible(&mut self, p: usize, node: NodeId) -> bool {
        let actor = &self.s.scene.actors[p];
        let nodes = self.s.web.nodes(self.s.cast, actor.instance);
        let (loc, i) = nodes.places[node as usize];
        loc == actor.loc && self.s.possible[p] >> i & 1 == 1
    }

    /// Takes in what a transition of the set needs.
    fn settle(&mut self, p: usize, node: NodeId) -> Option<()> {
        let actor = &self.s.scene.actors[p];
        let (instance, here) = (actor.instance, actor.loc);
        let (loc, i) = self.s.web.nodes(self.s.cast, instance).places[node as usize];
        self.s.cast.spot(instance, loc);
        let m = one(self.s.cast, instance, (loc, i))?;
        if m.last_resort {
            return Some(());
        }
        if self.possible(p, node) {
            let m = one(self.s.cast, instance, (loc, i))?;
            if m.unfit.is_some() {
                return None;
            }
            self.admit(p);
            self.rivals(p, node);
            return Some(());
        }
        if loc != here && self.inside[p] {
            return Some(());
        }
        let before = self.before(p, node, loc != here);
        before.processes.iter().for_each(|&q| self.admit(q));
        before.nodes.iter().for_each(|&(q, n)| self.require(q, n));
        Some(())
    }

    /// A transition that is possible needs all that gets in its way.
    fn rivals(&mut self, p: usize, node: NodeId) {
        let found = self.in_the_way(p, node, Way::Clash, false);
        found.processes.iter().for_each(|&q| self.admit(q));
        found.nodes.iter().for_each(|&(q, n)| self.require(q, n));
    }

    /// All that gets in the way of a transition, of processes outside; `own` if the process itself may do so, too.
    fn in_the_way(&mut self, p: usize, node: NodeId, way: Way, own: bool) -> Before {
        let mut out = Before { processes: Vec::new(), nodes: Vec::new(), cost: 0 };
        let instance = self.s.scene.actors[p].instance;
        for q in (0..self.inside.len()).filter(|&q| q != p || own) {
            if self.inside[q] {
                continue;
            }
            let other = &self.s.scene.actors[q];
            let nodes = self.s.web.nodes(self.s.cast, other.instance);
            if nodes.births(other.loc) {
                if self.future_in_the_way(p, node, q, way) {
                    out.processes.push(q);
                }
                continue;
            }
            let rivals = self.s.web.rivals(self.s.cast, self.s.rules, (instance, node), other.instance, way);
            let rivals: Vec<NodeId> = rivals.iter().copied().filter(|&n| nodes.is_ahead(other.loc, n)).collect();
            if !rivals.is_empty() && self.shakes_hands(p, node) {
                out.processes.push(q);
            } else {
                out.nodes.extend(rivals.into_iter().map(|n| (q, n)));
            }
        }
        out.cost = self.cost(&out);
        out
    }

    /// Of a process that may start others: whether anything that comes of it gets in the way.
    fn future_in_the_way(&mut self, p: usize, node: NodeId, q: usize, way: Way) -> bool {
        let (actor, other) = (&self.s.scene.actors[p], &self.s.scene.actors[q]);
        let future = self.s.cast.spot(other.instance, other.loc).future;
        let place = self.s.web.nodes(self.s.cast, actor.instance).places[node as usize];
        let Some(m) = one(self.s.cast, actor.instance, place) else { return true };
        let future = self.s.cast.futures.effect(future);
        match way {
            Way::Clash => m.whole.clashes(future, self.s.rules),
            Way::Wake(_) => m.first.woken(future, crate::channels::Blocked::Otherwise),
        }
    }

    /// Steps that come in, and a little for each transition that has to be settled.
    fn cost(&mut self, before: &Before) -> usize {
        let mut processes: Vec<usize> = before.processes.clone();
        for &(q, n) in &before.nodes {
            if self.possible(q, n) {
                processes.push(q);
            }
        }
        processes.sort_unstable();
        processes.dedup();
        let fresh = before.nodes.iter().filter(|n| !self.seen.contains(n)).count();
        processes.iter().filter(|&&q| !self.inside[q]).map(|&q| 16 * self.s.steps[q]).sum::<usize>() + fresh
    }

    fn shakes_hands(&mut self, p: usize, node: NodeId) -> bool {
        let instance = self.s.scene.actors[p].instance;
        let place = self.s.web.nodes(self.s.cast, instance).places[node as usize];
        let uses = |m: &crate::instance::Move| m.first.uses.iter().any(|(_, k)| k.has(Kinds::RENDEZVOUS));
        one(self.s.cast, instance, place).is_none_or(uses)
    }

    /// What has to happen before a transition that is not possible: the cheapest that is known.
    fn before(&mut self, p: usize, node: NodeId, elsewhere: bool) -> Before {
        let own = !self.inside[p];
        let data = match self.blocked(p, node, elsewhere) {
            // Its process may change its own variables on its way.
            Some(Why::Otherwise | Why::Mismatch) if own && self.reads_locals(p, node) => None,
            why => why,
        };
        let mut waking = data.map(|why| self.in_the_way(p, node, Way::Wake(why), own));
        if !elsewhere {
            // The process stands there already: that it moves is not what is missing.
            let mut waking = waking.take().unwrap_or_else(|| self.in_the_way(p, node, Way::Wake(Why::Otherwise), own));
            if data.is_none() {
                waking.processes.push(p);
            }
            return waking;
        }
        let mut mover = Before { processes: vec![p], nodes: Vec::new(), cost: 0 };
        mover.cost = self.cost(&mover);
        let best = [waking, Some(self.coming(p, node)), Some(mover)].into_iter().flatten();
        best.min_by_key(|b| b.cost).unwrap_or_else(|| Before { processes: vec![p], nodes: Vec::new(), cost: 0 })
    }

    /// The steps with which a process may come to where a transition starts.
    fn coming(&mut self, p: usize, node: NodeId) -> Before {
        let actor = &self.s.scene.actors[p];
        let (instance, here) = (actor.instance, actor.loc);
        let nodes = self.s.web.nodes(self.s.cast, instance);
        let (loc, _) = nodes.places[node as usize];
        let ahead = nodes.arrivals(loc).iter().filter(|&&n| nodes.is_ahead(here, n));
        let mut out = Before { processes: Vec::new(), nodes: ahead.map(|&n| (p, n)).collect(), cost: 0 };
        out.cost = self.cost(&out);
        out
    }

    fn reads_locals(&mut self, p: usize, node: NodeId) -> bool {
        let instance = self.s.scene.actors[p].instance;
        let place = self.s.web.nodes(self.s.cast, instance).places[node as usize];
        one(self.s.cast, instance, place).is_none_or(|m| !m.first.tests.locals.is_empty())
    }

    /// Why a transition would not be possible even if its process stood there; none if that is not known.
    fn blocked(&mut self, p: usize, node: NodeId, elsewhere: bool) -> Option<Why> {
        let actor = &self.s.scene.actors[p];
        let place = self.s.web.nodes(self.s.cast, actor.instance).places[node as usize];
        let m = one(self.s.cast, actor.instance, place)?;
        if let Some(number) = m.front
            && let Some(empty) = self.s.scene.is_empty(self.s.at, number)
        {
            if empty {
                return Some(Why::Empty);
            }
            if !elsewhere {
                return Some(Why::Mismatch);
            }
        }
        if !elsewhere {
            return Some(Why::Otherwise);
        }
        let Stmt::Guard(e) = first(&self.s.cast.context.model.transition(m.trans).stmt) else { return None };
        let alone = m.first.listens.is_empty() && !e.any(|e| matches!(e, Expr::Run(_) | Expr::Enabled(_)));
        let value = self.s.interp.evaluate_for(self.s.at, Pid(p as u8), e);
        (alone && value == Ok(0)).then_some(Why::Otherwise)
    }
}

fn first(stmt: &Stmt) -> &Stmt {
    match stmt {
        Stmt::Chain(list) => list.first().unwrap_or(stmt),
        Stmt::DStep(d) => match d.locs.first().map(|l| &l[..]) {
            Some([only]) => &only.stmt,
            _ => stmt,
        },
        _ => stmt,
    }
}
