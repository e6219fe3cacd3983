//! Chooses which steps of a state are enough.
//!
//! A set of processes is *closed* in a state if nothing that the others may ever do, as long as the set does not move,
//! disturbs it: what it can do it can still do, with the same result, and what it cannot do it still cannot do. The
//! steps of a closed set that has some are then enough for deadlocks (P. Godefroid, "Partial-order methods for the
//! verification of concurrent systems", 1996: they are a persistent set), for everything else together with a rule that
//! forgets nobody: the cycle proviso ([`Proviso`]), which is paid by the choice ([`crate::sticky`]) or by the search.
//!
//! [`Method::Ample`] looks at sets of one process, like G. Holzmann and D. Peled, "An improvement in formal verification"
//! (1994). We differ in that safety is not a fixed property of a statement: it counts who exists, where they stand and
//! what they can still do. [`Method::Cluster`] looks at all sets, as in T. Basten and D. Bošnački, "Enhancing
//! partial-order reduction via process clustering" (ASE 2001); there a hierarchy of clusters is given by hand, here the
//! least closed set around each process is worked out in each state, and no cluster of any hierarchy is smaller.
//! [`Method::Stubborn`] looks at single transitions of the others: see [`crate::stubborn`].
//!
//! **Lazy steps.** Time may pass in a state all of whose steps are lazy, and that disturbs everybody. So a set is chosen only if one of its
//! steps that are possible is *urgent* (not lazy). That step stays possible as long as the set does not move, so time cannot pass before the
//! set has moved, and all that was said of closed sets holds as if there were no time. A state in which time can pass has no urgent step:
//! all its steps are taken. Each such state, and hence each tick, is still met: on a way to it from a state with an urgent step
//! that is chosen, the set must move, since that step is possible until then; its first move can be taken first, and what is left is shorter.

use crate::anonymous::anonymous_among;
use crate::context::Context;
use crate::effect::Rules;
use crate::futures::FutureId;
use crate::instance::{Cast, Unfit, Watched};
use crate::lookahead::{Ahead, Lookahead};
use crate::never_ample::NeverAmple;
use crate::nodes::Web;
use crate::notes::{Because, Notes};
use crate::proviso::Proviso;
use crate::scene::{Scene, controlled};
use crate::stance::{StanceId, Stances};
use crate::sticky::Sticky;
use crate::stubborn::{Situation, close};
use starwheel_base::cancel::Token;
use starwheel_model::layout::{CLAIM, TURN};
use starwheel_model::{Actor, Interp, Model, Pid, ProcessStep, Step, Stepper, TransId};
use std::sync::Mutex;

/// How steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One process alone.
    Ample,
    /// A set of processes.
    Cluster,
    /// A set of processes, where only what can still happen is in the way.
    Stubborn,
}

/// What a reduction has to preserve, and how.
#[derive(Clone, Debug)]
pub struct Wish {
    /// How steps are chosen.
    pub method: Method,
    /// What the property looks at.
    pub watched: Watched,
    /// Who pays the cycle proviso: sees to it that nobody is forgotten for ever.
    pub proviso: Proviso,
    /// True if only fair runs count.
    pub fair: bool,
    /// Ends the setting up; a choice made after that means nothing.
    pub until: Token,
}

/// The part of a process in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nobody has asked yet.
    Unknown,
    /// It has this stance.
    Stands(StanceId),
    /// It has too many transitions to look at.
    TooMany,
}

/// Chooses steps, for one thread of a search.
pub struct Reduction<'m> {
    cast: Cast<'m>,
    scene: Scene,
    stances: Stances,
    never_ample: NeverAmple,
    rules: Rules,
    method: Method,
    /// By process: its stance, as far as it was needed, and its future.
    roles: Vec<(Role, FutureId)>,
    groups: Vec<Vec<Pid>>,
    /// A step of the first group may turn out to have no meaning.
    risky: bool,
    web: Web,
    interp: Interp<'m>,
    next: Vec<u8>,
    /// Steps of states that are looked ahead to, where their groups end, and a state without its claim.
    scratch: (Vec<Step>, Vec<usize>, Vec<u8>),
    proviso: Proviso,
    /// By transition: whether it is lazy, if any of them is.
    lazy: Vec<bool>,
    lookahead: Lookahead,
    /// The steps that were chosen in the state that was looked at last lead back to it.
    returns: bool,
    /// What happened so far, and where it goes in the end.
    notes: Notes,
    sink: Option<&'m Mutex<Notes>>,
}

impl Drop for Reduction<'_> {
    fn drop(&mut self) {
        if let Some(mut all) = self.sink.and_then(|s| s.lock().ok()) {
            all.join(&self.notes);
        }
    }
}

impl<'m> Reduction<'m> {
    /// A reduction of a model; see [`crate::watched`] for models that cannot be reduced.
    pub fn new(model: &'m Model, wish: &Wish, sink: Option<&'m Mutex<Notes>>) -> Reduction<'m> {
        let context = Context::within(model, &wish.until);
        // A handshake has two processes, so it is never the step of one alone.
        let never = |t: TransId| wish.method == Method::Ample && context.always_shakes_hands(t);
        let sticky = wish.proviso.by_choice().then(|| Sticky::new(model, |_, _, t| never(t)));
        let rules = Rules { anonymous: anonymous_among(model, &context.ranges), fair: wish.fair };
        Reduction {
            cast: Cast::new(context, wish.watched.clone(), sticky, wish.proviso == Proviso::LookingAhead),
            scene: Scene::default(),
            stances: Stances::default(),
            never_ample: NeverAmple::default(),
            rules,
            method: wish.method,
            roles: Vec::new(),
            groups: Vec::new(),
            risky: false,
            web: Web::default(),
            interp: Interp::new(model),
            next: Vec::new(),
            scratch: Default::default(),
            proviso: wish.proviso,
            lazy: model.lazy_transitions(),
            lookahead: Lookahead::default(),
            returns: false,
            notes: Notes::default(),
            sink,
        }
    }

    /// Puts the steps of a state in groups, each of which is enough if it is allowed to be: `ends` gets the number of
    /// steps up to the end of each group. What is behind the last end has to be taken only if no group is allowed.
    /// Without ends, all steps have to be taken.
    pub fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
        ends.clear();
        if !self.worth(at, steps) || self.none_ample(at, steps) {
            return;
        }
        self.enough(at, steps, ends);
        if self.proviso == Proviso::LookingAhead {
            // Whether it may be taken depends on the first group alone; so it is with all that is looked ahead to.
            ends.truncate(1);
            self.returns = !ends.is_empty() && self.closes_a_loop() && self.comes_back(at, steps);
            if self.returns {
                ends.clear();
            }
        }
        if self.sink.is_some() {
            self.note(steps, ends);
        }
    }

    /// As [`Reduction::choose`], if nobody minds that some may be forgotten. Depends on the state alone, not on the order in
    /// which its steps are listed.
    fn enough(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
        self.scene.look(&mut self.cast, at);
        if self.filters() {
            self.never_ample.meet(&mut self.cast, self.rules, &self.scene, at);
        }
        self.roles.clear();
        for actor in &self.scene.actors {
            let future = self.cast.spot(actor.instance, actor.loc).future;
            self.roles.push((Role::Unknown, future));
        }
        self.take_stances(at, steps);
        self.groups.clear();
        match self.method {
            Method::Ample => self.singles(steps),
            Method::Cluster => self.clusters(steps),
            Method::Stubborn => self.stubborn(at, steps),
        }
        if !self.lazy.is_empty() {
            let Reduction { lazy, groups, .. } = self;
            groups.retain(|g| steps.iter().any(|s| g.contains(&s.pid()) && !lazy[s.action.index()]));
        }
        if self.proviso == Proviso::LookingAhead {
            let mut groups = std::mem::take(&mut self.groups);
            groups.sort_by_key(|g| g.iter().any(|pid| self.loops(*pid)));
            self.groups = groups;
        }
        let risky = |pid: &Pid| self.stance(*pid).is_none_or(|stance| self.stances.risky(stance));
        self.risky = self.groups.first().is_some_and(|g| g.iter().any(risky));
        self.arrange(steps, ends);
    }

    /// Whether a process may close a loop.
    fn loops(&self, pid: Pid) -> bool {
        self.stance(pid).is_none_or(|stance| self.stances.loops(stance))
    }

    /// Whether the first group may close a loop of a process.
    fn closes_a_loop(&self) -> bool {
        self.groups.first().is_some_and(|g| g.iter().any(|pid| self.loops(*pid)))
    }

    /// Whether chosen steps alone may lead back to a state.
    fn comes_back(&mut self, at: &[u8], steps: &[Step]) -> bool {
        let (mut lookahead, mut state) = (std::mem::take(&mut self.lookahead), std::mem::take(&mut self.scratch.2));
        let risky = self.risky;
        state.clear();
        state.extend_from_slice(at);
        alone(self.cast.context.model, &mut state);
        let returns = lookahead.returns(&state, self);
        (self.lookahead, self.scratch.2) = (lookahead, state);
        if self.sink.is_some() {
            // Others have been looked at since.
            self.enough(at, &mut steps.to_vec(), &mut Vec::new());
        }
        self.risky = risky;
        returns
    }

    /// True if processes that can never be chosen alone are left out beforehand; who wants to know why, sees them all.
    fn filters(&self) -> bool {
        self.method == Method::Ample && self.sink.is_none()
    }

    /// True if no process can be chosen alone, as far as that is known beforehand.
    fn none_ample(&self, at: &[u8], steps: &[Step]) -> bool {
        let lost = |own: &[Step]| own.iter().any(|s| self.never_ample.is(s.pid(), s.action));
        self.never_ample.covers(at) && steps.chunk_by(|a, b| a.actor == b.actor).all(lost)
    }

    /// True if nothing is chosen in a state, as far as that is known without a look at its steps.
    pub fn idle(&self, at: &[u8]) -> bool {
        self.never_ample.idle(at)
    }

    /// Works out the stances that the method needs.
    fn take_stances(&mut self, at: &[u8], steps: &[Step]) {
        if self.method == Method::Ample && !self.cast.context.model.uses.rendezvous {
            // The steps of a process lie side by side, and nobody else has a part in them.
            for own in steps.chunk_by(|a, b| a.actor == b.actor) {
                // A process without a stance is not chosen.
                if !self.filters() || !own.iter().any(|s| self.never_ample.is(s.pid(), s.action)) {
                    self.take_stance(at, own, own[0].pid());
                }
            }
        } else {
            let moves = |pid: Pid| steps.iter().any(|s| s.pid() == pid);
            for pid in (0..self.roles.len()).map(|p| Pid(p as u8)) {
                if self.method != Method::Ample || moves(pid) {
                    self.take_stance(at, steps, pid);
                }
            }
        }
    }

    fn take_stance(&mut self, at: &[u8], steps: &[Step], pid: Pid) {
        let stance = self.stances.of(&mut self.cast, &self.scene, at, steps, pid);
        self.roles[pid.index()].0 = stance.map_or(Role::TooMany, Role::Stands);
    }

    fn stance(&self, pid: Pid) -> Option<StanceId> {
        match self.roles[pid.index()].0 {
            Role::Stands(id) => Some(id),
            Role::Unknown | Role::TooMany => None,
        }
    }

    /// Writes down what was chosen in this state, and why nothing else was.
    fn note(&mut self, steps: &[Step], ends: &[usize]) {
        self.notes.states += 1;
        self.notes.reduced += u64::from(!ends.is_empty());
        let mut movers: Vec<Pid> = steps.iter().map(|s| s.pid()).collect();
        movers.dedup();
        for pid in movers {
            let because = self.because(pid);
            let actor = &self.scene.actors[pid.index()];
            let note = self.notes.places.entry((actor.proctype, actor.loc)).or_default();
            note.seen += 1;
            note.chosen += u64::from(!ends.is_empty() && self.groups.first().is_some_and(|g| g.contains(&pid)));
            if let Some(because) = because {
                *note.because.entry(because).or_default() += 1;
            }
        }
    }

    /// Why the steps of a process are not enough by themselves.
    fn because(&mut self, pid: Pid) -> Option<Because> {
        let Some(stance) = self.stance(pid) else { return Some(Because::TooMany) };
        if let Some(unfit) = self.stances.unfit(stance) {
            return Some(Because::Unfit(unfit));
        }
        if self.returns && self.stances.loops(stance) {
            return Some(Because::Unfit(Unfit::Loop));
        }
        let other = (0..self.roles.len()).find(|&q| q != pid.index() && self.disturbs(pid, q))?;
        Some(Because::Disturbed(self.scene.actors[other].proctype))
    }

    /// Whether one of these steps, the first group of the state that was looked at last, turns out to have no meaning.
    /// A claim goes on after such a step, as after the end of a run, so the system alone is asked.
    pub fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool {
        self.risky && chosen.iter().any(|step| self.interp.fire(at, *step, &mut self.next).broken)
    }

    /// Whether there is anything to choose from.
    fn worth(&self, at: &[u8], steps: &[Step]) -> bool {
        let Some(first) = steps.first() else { return false };
        let alone = steps.iter().all(|s| s.actor == first.actor);
        let open = !alone && !first.timeout && !first.actor.is_claim() && !controlled(self.cast.context.model, at);
        open && !self.patient(steps)
    }

    /// Whether there are lazy steps only, so that time may pass.
    fn patient(&self, steps: &[Step]) -> bool {
        let lazy = |s: &Step| s.actor == Actor::Clock || self.lazy[s.action.index()];
        !self.lazy.is_empty() && steps.iter().all(lazy)
    }

    fn singles(&mut self, steps: &[Step]) {
        let mut found = Vec::new();
        for own in steps.chunk_by(|a, b| a.actor == b.actor) {
            let pid = own[0].pid();
            if self.fit(pid) && self.undisturbed(pid) {
                found.push((own.len(), std::cmp::Reverse(pid)));
            }
        }
        found.sort_unstable();
        self.groups.extend(found.into_iter().map(|(_, pid)| vec![pid.0]));
    }

    fn fit(&self, pid: Pid) -> bool {
        self.stance(pid).is_some_and(|stance| self.stances.unfit(stance).is_none())
    }

    /// Whether nobody else may come in the way of a process.
    fn undisturbed(&mut self, pid: Pid) -> bool {
        let Some(stance) = self.stance(pid) else { return false };
        let usual = self.stances.culprit(stance);
        if usual < self.roles.len() && usual != pid.index() && self.disturbs(pid, usual) {
            return false;
        }
        match (0..self.roles.len()).find(|&q| q != pid.index() && self.disturbs(pid, q)) {
            Some(q) => {
                self.stances.blame(stance, q);
                false
            }
            None => true,
        }
    }

    /// Whether process `q` may come in the way of a process.
    fn disturbs(&mut self, pid: Pid, q: usize) -> bool {
        let Some(stance) = self.stance(pid) else { return true };
        self.stances.disturbed(&self.cast, self.rules, stance, self.roles[q].1)
    }

    fn clusters(&mut self, steps: &[Step]) {
        let mut found = self.closed(steps);
        found.sort_by_key(|(count, cluster)| (*count, cluster.len()));
        self.groups.extend(found.into_iter().map(|(_, c)| c));
    }

    /// The least closed sets that leave out steps, each with the number of its steps.
    fn closed(&mut self, steps: &[Step]) -> Vec<(usize, Vec<Pid>)> {
        let mut found: Vec<(usize, Vec<Pid>)> = Vec::new();
        for seed in (0..self.roles.len()).rev() {
            let Some(cluster) = self.close(Pid(seed as u8)) else { continue };
            let count = steps.iter().filter(|s| cluster.contains(&s.pid())).count();
            let pays = count < steps.len() && (cluster.len() == 1 || self.pays(count, steps.len()));
            if count > 0 && pays && found.iter().all(|(_, c)| *c != cluster) {
                found.push((count, cluster));
            }
        }
        found
    }

    /// Whether it is worth while to take so many of all steps. If the search sees to it that nobody is forgotten, states that
    /// take all their steps make it easy for others to take few; who leaves out next to nothing should be one of those.
    fn pays(&self, count: usize, all: usize) -> bool {
        !self.proviso.by_search() || 3 * count <= 2 * all
    }

    fn stubborn(&mut self, at: &[u8], steps: &[Step]) {
        if self.roles.iter().any(|r| r.0 == Role::TooMany) {
            return;
        }
        let count = self.scene.actors.len();
        let (mut possible, mut number) = (vec![0u64; count], vec![0usize; count]);
        for s in steps {
            number[s.pid().index()] += 1;
            for (pid, trans) in std::iter::once((s.pid(), s.action)).chain(s.partner()) {
                let actor = &self.scene.actors[pid.index()];
                let moves = &self.cast.spot(actor.instance, actor.loc).moves;
                let here = moves.iter().enumerate().filter(|(_, m)| m.trans == trans);
                here.for_each(|(i, _)| possible[pid.index()] |= 1 << i);
            }
        }
        // Closed sets come first where a stubborn set has as many steps.
        let mut found = self.closed(steps);
        found.sort_by_key(|(count, cluster)| (*count, cluster.len()));
        for seed in (0..count).rev().filter(|&p| number[p] > 0) {
            if found.iter().any(|(count, _)| *count == 1) {
                break;
            }
            let mut situation = Situation {
                cast: &mut self.cast,
                web: &mut self.web,
                interp: &mut self.interp,
                scene: &self.scene,
                at,
                possible: &possible,
                steps: &number,
                rules: self.rules,
            };
            let Some(inside) = close(&mut situation, Pid(seed as u8)) else { continue };
            let cluster: Vec<Pid> = (0..count).filter(|&p| inside[p]).map(|p| Pid(p as u8)).collect();
            let chosen = cluster.iter().map(|p| number[p.index()]).sum();
            let pays = chosen < steps.len() && (cluster.len() == 1 || self.pays(chosen, steps.len()));
            if pays && found.iter().all(|(_, c)| *c != cluster) {
                found.push((chosen, cluster));
            }
        }
        found.sort_by_key(|(count, _)| *count);
        self.groups.extend(found.into_iter().map(|(_, c)| c));
    }

    /// The cycle proviso that this choice counts on.
    pub fn proviso(&self) -> Proviso {
        self.proviso
    }

    /// The least closed set around a process; none if it has a step that cannot be chosen, or is all there is.
    fn close(&mut self, seed: Pid) -> Option<Vec<Pid>> {
        let mut inside = vec![false; self.roles.len()];
        inside[seed.index()] = true;
        let mut cluster = vec![seed];
        let mut next = 0;
        while let Some(&pid) = cluster.get(next) {
            next += 1;
            if !self.fit(pid) {
                return None;
            }
            for (q, inside) in inside.iter_mut().enumerate() {
                if !*inside && self.disturbs(pid, q) {
                    *inside = true;
                    cluster.push(Pid(q as u8));
                }
            }
        }
        cluster.sort();
        (cluster.len() < self.roles.len()).then_some(cluster)
    }

    /// Brings the steps into the order of the groups.
    fn arrange(&self, steps: &mut [Step], ends: &mut Vec<usize>) {
        if self.groups.is_empty() {
            return;
        }
        // By process, as there may be hundreds of groups.
        let mut rank = [u16::MAX; 256];
        for (number, group) in self.groups.iter().enumerate().rev() {
            group.iter().for_each(|pid| rank[pid.index()] = number as u16);
        }
        let rank = |s: &Step| rank[s.pid().index()];
        steps.sort_by_key(rank);
        ends.extend((1..steps.len()).filter(|&i| rank(&steps[i - 1]) != rank(&steps[i])));
    }
}

impl Ahead for Reduction<'_> {
    fn after(&mut self, at: &[u8], out: &mut Vec<Box<[u8]>>) {
        let (mut steps, mut ends) = (std::mem::take(&mut self.scratch.0), std::mem::take(&mut self.scratch.1));
        self.interp.enabled(at, &mut steps);
        let enough = self.ahead(at, &mut steps, &mut ends);
        let mut next = std::mem::take(&mut self.next);
        for step in &steps[..enough] {
            if !self.interp.fire(at, *step, &mut next).broken {
                alone(self.cast.context.model, &mut next);
                out.push(next[..].into());
            }
        }
        self.next = next;
        (self.scratch.0, self.scratch.1) = (steps, ends);
    }
}

impl Reduction<'_> {
    /// How many steps of a state are followed: those of an atomic sequence, or the first group if it is chosen.
    fn ahead(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) -> usize {
        if controlled(self.cast.context.model, at) {
            return steps.len();
        }
        if !self.worth(at, steps) || self.none_ample(at, steps) {
            return 0;
        }
        ends.clear();
        self.enough(at, steps, ends);
        ends.first().copied().filter(|&end| !self.breaks(at, &steps[..end])).unwrap_or(0)
    }
}

/// Takes from a state what makes no difference to what the system does: where the claim stands, and hidden variables.
fn alone(model: &Model, state: &mut [u8]) {
    if !controlled(model, state) {
        state[..model.layout.hidden as usize].fill(0);
    }
    let header = model.layout.header() as usize;
    state[header + TURN as usize] = 0;
    state[header + CLAIM as usize..][..2].fill(0);
}
