//! A hierarchy of clusters of processes, by what they share: for people to look at.
//!
//! T. Basten and D. Bošnački, "Enhancing partial-order reduction via process clustering" (ASE 2001), wrote such hierarchies
//! by hand. Here the two clusters that share most are put together, again and again, as long as they share anything.

use crate::context::Context;
use crate::effect::Effect;
use crate::instance::{Cast, Watched};
use crate::scene::Scene;
use starwheel_model::{Interp, Model, Pid, ProctypeId, Stepper};

/// A cluster: a process, or two clusters and what they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// One process.
    Process(Pid, ProctypeId),
    /// Two clusters that share these variables and channels.
    Pair(Box<Cluster>, Box<Cluster>, Vec<String>),
}

impl Cluster {
    /// The processes in it.
    pub fn members(&self) -> Vec<Pid> {
        match self {
            Cluster::Process(pid, _) => vec![*pid],
            Cluster::Pair(a, b, _) => [a.members(), b.members()].concat(),
        }
    }
}

/// Steps of a run that is followed to see which processes there are.
const STEPS: usize = 2000;

/// The clusters of the processes of a state in which many exist; clusters that share nothing stand side by side.
pub fn hierarchy(model: &Model) -> Vec<Cluster> {
    let state = crowded(model);
    let mut cast = Cast::new(Context::new(model), Watched::default(), None, false);
    let mut scene = Scene::default();
    scene.look(&mut cast, &state);
    let mut effects: Vec<Effect> = Vec::new();
    let mut clusters: Vec<Cluster> = Vec::new();
    for (pid, actor) in scene.actors.iter().enumerate() {
        let future = cast.spot(actor.instance, actor.loc).future;
        effects.push(cast.futures.effect(future).clone());
        clusters.push(Cluster::Process(Pid(pid as u8), actor.proctype));
    }
    while let Some((a, b, shared)) = closest(model, &clusters, &effects) {
        let second = clusters.remove(b);
        let first = clusters.remove(a);
        clusters.insert(a, Cluster::Pair(Box::new(first), Box::new(second), shared));
    }
    clusters
}

/// A state with as many processes as a run of first steps comes to.
fn crowded(model: &Model) -> Vec<u8> {
    let mut interp = Interp::new(model);
    let (mut state, mut best, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    if interp.initial(&mut state).broken {
        return state;
    }
    let count = |s: &[u8]| s[model.layout.header() as usize];
    for _ in 0..STEPS {
        if best.is_empty() || count(&state) > count(&best) {
            best.clone_from(&state);
        }
        interp.enabled(&state, &mut steps);
        // The oldest process is the one that starts the others.
        let Some(&step) = steps.last() else { break };
        let mut next = Vec::new();
        if interp.fire(&state, step, &mut next).broken {
            break;
        }
        state = next;
    }
    best
}

/// The two clusters that share most, and what it is; none if nobody shares anything.
fn closest(model: &Model, clusters: &[Cluster], effects: &[Effect]) -> Option<(usize, usize, Vec<String>)> {
    let mut best: Option<(usize, usize, Vec<String>)> = None;
    for a in 0..clusters.len() {
        for b in a + 1..clusters.len() {
            let shared = shared(model, &clusters[a], &clusters[b], effects);
            // Small clusters first: a variable that all share must not swallow everybody at once.
            let weight = |s: usize, n: usize| s * 256 / n;
            let size = clusters[a].members().len() + clusters[b].members().len();
            let better = match &best {
                None => !shared.is_empty(),
                Some((x, y, s)) => {
                    let other = clusters[*x].members().len() + clusters[*y].members().len();
                    weight(shared.len(), size) > weight(s.len(), other)
                }
            };
            if better {
                best = Some((a, b, shared));
            }
        }
    }
    best
}

fn shared(model: &Model, a: &Cluster, b: &Cluster, effects: &[Effect]) -> Vec<String> {
    let mut out = Vec::new();
    for x in a.members() {
        for y in b.members() {
            names(model, &effects[x.index()], &effects[y.index()], &mut out);
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The variables and channels that two processes may both use, at least one of them by writing.
fn names(model: &Model, a: &Effect, b: &Effect, out: &mut Vec<String>) {
    for var in model.globals.iter().filter(|v| v.place.region == starwheel_model::Region::Global) {
        for i in 0..var.len.unwrap_or(1) {
            let start = var.place.offset + i * var.ty.size();
            let cell = starwheel_model::footprint::Pieces::one((start, start + var.ty.size()));
            let uses = |e: &Effect| e.reads.globals.meets(&cell) || e.writes.globals.meets(&cell);
            let writes = a.writes.globals.meets(&cell) || b.writes.globals.meets(&cell);
            if uses(a) && uses(b) && writes {
                out.push(if var.len.is_some() { format!("{}[{i}]", var.name) } else { var.name.to_string() });
            }
        }
    }
    for (i, c) in model.global_channels.iter().enumerate() {
        let number = Some(i as u8 + 1);
        let uses = |e: &Effect| e.uses.iter().any(|(n, _)| n == number);
        if uses(a) && uses(b) {
            out.push(channel_name(c));
        }
    }
}

fn channel_name(c: &starwheel_model::ChannelVar) -> String {
    let mut name = c.place.name.to_string();
    for dim in &c.place.dims {
        let index = dim.index.as_const().unwrap_or(0);
        name = name.replacen('#', &index.to_string(), 1);
    }
    name
}
