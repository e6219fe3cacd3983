//! Runs without end, and how they are put together from what a decoupled search knows of them.
//!
//! A decoupled search knows the steps that several components share and the tests of acceptance in between; each component
//! then chooses its internal steps on its own (section 4.3 of the paper). Where a search has come back to a set that
//! contains the one it started from, going backwards from any member must repeat itself at some time (its lemma 1).

use crate::local::{Way, Ways};
use crate::net::{ActionId, ComponentId, Edge, Local, Network};
use crate::question::{Answer, Stages};
use crate::watch::Watch;

/// A run: steps, of which those from `cycle_start` on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Where the components start.
    pub initial: Vec<Local>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The first step of the cycle.
    pub cycle_start: usize,
}

/// One step of the composed network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action.
    pub action: ActionId,
    /// Where it takes each of the components that know it, in their order.
    pub to: Vec<Local>,
}

/// A step of a decoupled search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Center {
    /// A shared action.
    Act(ActionId),
    /// The components of this test are in accepting states.
    Pass(usize),
}

/// Why a decoupled search believes that there is an accepting run.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    /// After these steps all components may accept, and this one can go round alone from this state.
    Alone { prefix: Vec<Center>, component: ComponentId, at: Local },
    /// After the prefix the cycle leads from this composed state back to it.
    Closed { prefix: Vec<Center>, at: Vec<Local>, cycle: Vec<Center> },
    /// After the prefix the cycle leads to a set that contains the one it starts from.
    Covered { prefix: Vec<Center>, cycle: Vec<Center> },
}

/// The longest lasso that is written out.
const LONGEST: u128 = 1 << 24;

impl Evidence {
    /// The run; none if there is no time to put it together.
    pub fn lasso(&self, net: &Network, stages: &Stages, watch: &mut Watch) -> Option<Answer> {
        match self {
            Evidence::Alone { prefix, component, at } => alone(net, stages, prefix, (*component, *at), watch),
            Evidence::Closed { prefix, at, cycle } => {
                let rounds = ids(net).map(|c| vec![at[c.index()]]).collect();
                put_together((net, stages), prefix, cycle, rounds, watch)
            }
            Evidence::Covered { prefix, cycle } => {
                let rounds =
                    ids(net).map(|c| round((net, stages), c, prefix, cycle, watch)).collect::<Option<Vec<_>>>()?;
                put_together((net, stages), prefix, cycle, rounds, watch)
            }
        }
    }
}

fn ids(net: &Network) -> impl Iterator<Item = ComponentId> {
    (0..net.components.len() as u32).map(ComponentId)
}

/// One component goes round while the others rest in accepting states.
fn alone(
    net: &Network,
    stages: &Stages,
    prefix: &[Center],
    (turning, at): (ComponentId, Local),
    watch: &mut Watch,
) -> Option<Answer> {
    let mut goals = Vec::new();
    for c in ids(net) {
        let component = net.component(c);
        let mut reached = Ways::new((net, stages), c, &component.initial, prefix, watch)?.ends();
        goals.push(if c == turning { at } else { reached.find(|s| component.accepting[s.index()])? });
    }
    let mut lasso = lead_in((net, stages), prefix, &goals, watch)?;
    lasso.steps.extend(crate::local::around(net.component(turning), at)?.into_iter().map(single));
    Some(Answer::Run(lasso))
}

/// Local states that follow each other round by round and then repeat, each reached from the one before by the cycle.
fn round(
    about: (&Network, &Stages),
    c: ComponentId,
    prefix: &[Center],
    cycle: &[Center],
    watch: &mut Watch,
) -> Option<Vec<Local>> {
    let start: Vec<Local> = Ways::new(about, c, &about.0.component(c).initial, prefix, watch)?.ends().collect();
    let from_all = Ways::new(about, c, &start, cycle, watch)?;
    let mut seen = vec![*start.iter().min()?];
    loop {
        let last = *seen.last()?;
        if Ways::new(about, c, &[last], cycle, watch)?.reaches(last) {
            return Some(vec![last]);
        }
        let before = from_all.way(last)?.start;
        if let Some(place) = seen.iter().position(|&s| s == before) {
            // We went backwards.
            return Some(seen.drain(place..).rev().collect());
        }
        seen.push(before);
    }
}

fn put_together(
    (net, stages): (&Network, &Stages),
    prefix: &[Center],
    cycle: &[Center],
    rounds: Vec<Vec<Local>>,
    watch: &mut Watch,
) -> Option<Answer> {
    let repeat = rounds.iter().fold(1u128, |all, round| lcm(all, round.len() as u128));
    let length = repeat.saturating_mul(cycle.len() as u128);
    if length > LONGEST {
        return Some(Answer::TooLong(length));
    }
    let goals: Vec<Local> = rounds.iter().map(|round| round[0]).collect();
    let mut lasso = lead_in((net, stages), prefix, &goals, watch)?;
    let mut ways: Vec<Vec<Way>> = Vec::new();
    for (c, round) in ids(net).zip(&rounds) {
        let way = |k: usize| Ways::new((net, stages), c, &[round[k]], cycle, watch)?.way(round[(k + 1) % round.len()]);
        ways.push((0..round.len()).map(way).collect::<Option<Vec<_>>>()?);
    }
    for k in 0..repeat as usize {
        if watch.over() {
            return None;
        }
        let now: Vec<&Way> = ways.iter().map(|ways| &ways[k % ways.len()]).collect();
        join(net, cycle, &now, &mut lasso.steps);
    }
    Some(Answer::Run(lasso))
}

fn lcm(a: u128, b: u128) -> u128 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).saturating_mul(b)
}

/// The run to a composed state.
fn lead_in(about: (&Network, &Stages), prefix: &[Center], goals: &[Local], watch: &mut Watch) -> Option<Lasso> {
    let net = about.0;
    let way = |c: ComponentId| Ways::new(about, c, &net.component(c).initial, prefix, watch)?.way(goals[c.index()]);
    let ways = ids(net).map(way).collect::<Option<Vec<_>>>()?;
    let mut steps = Vec::new();
    join(net, prefix, &ways.iter().collect::<Vec<_>>(), &mut steps);
    let cycle_start = steps.len();
    Some(Lasso { initial: ways.iter().map(|w| w.start).collect(), steps, cycle_start })
}

/// The ways of all components as one row of steps.
fn join(net: &Network, centers: &[Center], ways: &[&Way], steps: &mut Vec<Step>) {
    for place in 0..=centers.len() {
        for way in ways {
            steps.extend(way.inner[place].iter().copied().map(single));
        }
        if let Some(Center::Act(action)) = centers.get(place) {
            let to = net.action(*action).parts.iter().map(|c| ways[c.index()].after[place]).collect();
            steps.push(Step { action: *action, to });
        }
    }
}

fn single(edge: Edge) -> Step {
    Step { action: edge.action, to: vec![edge.to] }
}
