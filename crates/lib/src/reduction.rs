//! Which actors of a state need not be interleaved with the others: partial-order reduction by footprints.
//!
//! A set of actors is *closed* in a state if whatever the others may ever do leaves alone what decides about its steps and what
//! they touch, and if its steps leave alone whatever the others may ever touch. Then its steps are a persistent set (P. Godefroid,
//! "Partial-order methods for the verification of concurrent systems", 1996): the others can neither enable, nor disable, nor
//! change them. What decides about steps *here* is known, because everything that was read was written down; what the others may
//! *ever* do is what they have promised ([`Model::footprint`]). The least closed set around each actor is worked out in each
//! state, as in `starwheel_reduce`; it is enough if its steps write nothing that a property looks at, and the search sees to it
//! that nobody is forgotten ([`Proviso`]).
//!
//! **A promise that is not kept** cannot hide. Call a step that reads or writes something that its actor has not promised a fault,
//! which leads nowhere. In the system in which such steps are faults all promises are kept, so its reduced search finds a fault if
//! there is one, as it finds any other error of a step; and the steps of both systems are the same up to the first fault.

use crate::adapter::{Adapted, Walker, decode, is_root};
use crate::model::{Footprint, Model};
use crate::unfold::Unfold;
use crate::view::PartSet;
use starwheel_reduce::{Chooser, Proviso, Reducer};
use starwheel_system::Step;

/// Chooses steps of a user's system.
pub struct Clusters<'g, 'm, M: Model> {
    pub system: &'g Adapted<'g, 'm, M>,
    /// What actors may ever touch.
    pub footprints: Vec<Footprint>,
    /// What properties look at.
    pub visible: PartSet,
    /// Who sees to it that nobody is forgotten.
    pub proviso: Proviso,
}

impl<M: Model> Reducer for Clusters<'_, '_, M> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        Box::new(Choice { clusters: self, walker: self.system.walker(), broken: Vec::new(), able: Vec::new() })
    }
}

struct Choice<'a, M: Model> {
    clusters: &'a Clusters<'a, 'a, M>,
    walker: Walker<'a, M>,
    /// Steps of the state at hand that have no meaning.
    broken: Vec<Step>,
    /// By actor: how many steps it has there.
    able: Vec<usize>,
}

/// A set of actors, what decides about their steps, and what these write.
struct Cluster {
    members: Vec<bool>,
    near: PartSet,
    touched: PartSet,
    steps: usize,
}

impl<M: Model> Choice<'_, M> {
    /// Takes all steps of a state, to see what they read and write.
    fn look(&mut self, at: &[u8]) {
        self.broken.clear();
        self.able.clear();
        self.able.resize(self.clusters.footprints.len(), 0);
        let Choice { walker, broken, able, .. } = self;
        walker.each(at, None, |made| {
            able[usize::from(made.step.actor.agent().unwrap_or(0))] += 1;
            if made.fired.broken {
                broken.push(made.step);
            }
        });
    }

    /// The least closed set around an actor.
    fn close(&self, seed: usize) -> Cluster {
        let all = &self.clusters.footprints;
        let none = PartSet::NONE;
        let mut cluster = Cluster { members: vec![false; all.len()], near: none, touched: none, steps: 0 };
        let mut waiting = vec![seed];
        while let Some(actor) = waiting.pop() {
            if std::mem::replace(&mut cluster.members[actor], true) {
                continue;
            }
            cluster.near = cluster.near.and(self.walker.near[actor]);
            cluster.touched = cluster.touched.and(self.walker.touched[actor]);
            cluster.steps += self.able[actor];
            let disturbs = |other: &Footprint| {
                let touched = cluster.touched;
                !cluster.near.and(touched).apart(other.writes) || !touched.apart(other.reads)
            };
            waiting.extend((0..all.len()).filter(|&other| !cluster.members[other] && disturbs(&all[other])));
        }
        cluster
    }
}

impl<M: Model> Chooser for Choice<'_, M> {
    fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
        ends.clear();
        let mut codes = Vec::new();
        decode(at, &mut codes);
        if is_root(&codes) || steps.len() < 2 {
            return;
        }
        self.look(at);
        let seeds = (0..self.able.len()).filter(|&actor| self.able[actor] > 0);
        let enough = |c: &Cluster| c.steps < steps.len() && c.touched.apart(self.clusters.visible);
        let Some(best) = seeds.map(|seed| self.close(seed)).filter(enough).min_by_key(|c| c.steps) else { return };
        let inside = |step: &Step| step.actor.agent().is_some_and(|agent| best.members[usize::from(agent)]);
        // Stable, so that the order of the chosen ones is that of the list.
        steps.sort_by_key(|step| !inside(step));
        ends.push(best.steps);
    }

    fn proviso(&self) -> Proviso {
        self.clusters.proviso
    }

    fn breaks(&mut self, _at: &[u8], chosen: &[Step]) -> bool {
        chosen.iter().any(|step| self.broken.contains(step))
    }

    /// Nobody knows before the steps are looked at.
    fn idle(&self, _at: &[u8]) -> bool {
        false
    }
}
