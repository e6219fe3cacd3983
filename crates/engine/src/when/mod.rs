//! When something comes: the earliest and the latest time of the first moment at which a condition holds, and the runs on which it
//! never does.
//!
//! Asked for are all runs that are maximal: those that end because nothing can happen any more or because a step has no
//! meaning, and those without end, fair or not. A run is looked at as a claim looks at it (`starwheel_model`, `interp/claim.rs`):
//! in its stored states, not in the middle of atomic sequences, and once more where an error ends it. Its time is the number of slices that
//! have passed.
//!
//! 1. **Exploration** (`explore.rs`). Up to the moment a run passes only states in which it has not come. Those that are reached
//!    through such states alone are visited, each with all its steps, and the chains of steps between them are kept as edges
//!    (`graph.rs`): every run up to the moment is a way in this graph, and every way is a run.
//! 2. **The earliest time** is the length of a shortest way, slices before steps (Dijkstra).
//! 3. **The latest time** is a value for each strongly connected component (`latest.rs`, with the proof); its trail follows edges that
//!    lose nothing of it. If there is no bound, the trail goes round on a cycle with a tick from which the moment can
//!    still be reached.
//! 4. **It never comes** on a run that ends in one of these states, or stays in them for ever. As there are finitely many, a
//!    run without end repeats an edge, so it is there if and only if there is a cycle: one with a tick lies in a component
//!    in which time passes on some edge; one without is a cycle of the graph of the edges on which none passes. The third
//!    way is never to come out of an atomic sequence, in which no time passes.
//!
//! All of this is linear in the states and edges, but for the queue of the shortest ways. Every trail is followed by the system itself before
//! anybody sees it (`confirm.rs`).
//!
//! This is no [`crate::Method`]: those look for something wrong and end with an outcome, and a `Finding` is a violation. Here nothing is
//! wrong, and every answer is one. Of what can be wished for it knows one store, one worker and no reduction, so there is nothing to fit.

mod confirm;
mod explore;
mod graph;
mod latest;
#[cfg(test)]
mod tests;
mod trail;

use crate::job::Job;
use crate::monitor::Monitor;
use crate::parts::ledger::{Flow, Ledger};
use crate::report::{Stats, Stop};
use explore::Explored;
use graph::{Edge, Ending, Graph, Hop, MOMENT, Ways};
use latest::{Latest as Value, Parts};
use starwheel_model::Step;
use starwheel_store::NumberedTree;
use std::ops::ControlFlow;

/// A condition on states whose first moment is asked for.
pub trait Moment {
    /// Whether it holds in a state that is not transient; an error says why it has no value, and ends the run.
    fn has_come(&mut self, at: &[u8]) -> Result<bool, String>;

    /// Whether it holds in what a step leaves behind that has no meaning, and so ends the run.
    fn came_before_the_end(&mut self, at: &[u8], step: Step) -> Result<bool, String>;

    /// How many slices pass in a step of the clock from this state.
    fn slices(&mut self, at: &[u8]) -> u32;
}

/// What is known when the search has ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer; none if the search ended early.
    pub times: Option<Times>,
    /// Why it ended early.
    pub stop: Option<Stop>,
    /// What was counted; the states are those in which the moment has not come.
    pub stats: Stats,
}

/// When the moment comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// The earliest and the latest time; none if it comes on no run.
    pub comes: Option<(Shown, Latest)>,
    /// The ways in which it can be that it never comes, each with one run.
    pub never: Vec<Never>,
}

/// The latest time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Latest {
    /// It comes at this time, and never later.
    At(Shown),
    /// There is no bound: the run goes round, and from there it can still come.
    NoBound(Shown),
}

/// A run on which it never comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Never {
    /// What becomes of the run.
    pub fate: Fate,
    /// What there is to say about its end.
    pub message: Option<String>,
    /// The run.
    pub shown: Shown,
}

/// What becomes of a run on which the moment never comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It ends where it may.
    Ends,
    /// It ends in a deadlock.
    Deadlock,
    /// It ends in an error.
    Error,
    /// It has no end, and time passes for ever.
    GoesOn,
    /// It has no end, and time stops.
    TimeStops,
}

/// A run that shows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The slices that pass until its end, or until it goes round.
    pub time: u64,
    /// The slices that pass in each round.
    pub round: u64,
    /// Its steps.
    pub trail: Vec<Step>,
    /// The number of steps before those that are repeated for ever.
    pub cycle_start: Option<usize>,
}

/// Finds out when a moment comes in a system. Of the job counts the system, which must be one whose states are what they are, its limits
/// and when it began.
pub fn when(job: &Job<'_>, moment: &mut dyn Moment, watch: &dyn Monitor) -> Answer {
    let mut explored = Explored::new(job, moment, NumberedTree::new(job.limits.memory), watch);
    let flow = explored.explore();
    // Trails are found again by steps that were counted.
    let stats = explored.ledger.stats;
    let found = match flow {
        ControlFlow::Continue(()) => explored.times(),
        ControlFlow::Break(stop) => ControlFlow::Break(stop),
    };
    explored.ledger.stats = Stats { max_depth: explored.depth, ..stats };
    let stats = explored.close();
    match found {
        ControlFlow::Continue(times) => Answer { times: Some(times), stop: None, stats },
        ControlFlow::Break(stop) => {
            let missing = || Stop::Internal("the search ended early without a reason".to_string());
            Answer { times: None, stop: Some(stop.unwrap_or_else(missing)), stats }
        }
    }
}

impl Explored<'_, '_, NumberedTree> {
    /// Everything that is asked for.
    fn times(&mut self) -> Flow<Times> {
        if let Some(shown) = self.at_once()? {
            return Flow::Continue(shown);
        }
        let Explored { graph, ledger, set, depth, .. } = self;
        let beat = &mut || beat(ledger, set);
        let ways = Ways::new(graph, 0, &|_, _| true, beat)?;
        *depth = ways.deepest();
        let parts = Parts::new(graph, &|_| true, beat)?;
        let still = Parts::new(graph, &|e| e.slices == 0, beat)?;
        let ticking = Turn { parts: &parts, keep: &|_| true, counts: &|_, edge| edge.slices > 0 };
        let earliest = ways.slices(MOMENT).map(|time| (time, ways.to(MOMENT)));
        let latest = match parts.part(0).latest {
            Value::Never => None,
            Value::At(time) => {
                let tight = Ways::new(graph, 0, &|node, edge| parts.tight(node, edge), beat)?;
                Some(Run { time, hops: tight.to(MOMENT), round: None })
            }
            Value::NoBound => {
                let turns = |node| parts.part(node).ticks && parts.part(node).latest == Value::NoBound;
                round(graph, &ways, ticking, turns, beat)?
            }
        };
        let goes_on = round(graph, &ways, ticking, |node| parts.part(node).ticks, beat)?;
        let closing = Turn { parts: &still, keep: &|e| e.slices == 0, counts: &|start, edge| edge.to == start };
        let stops = round(graph, &ways, closing, |node| still.part(node).cyclic, beat)?;
        let end = |ending| {
            let node = ways.nearest(|node| graph.ends(node, ending))?;
            Some((Run { time: ways.slices(node)?, hops: ways.to(node), round: None }, node))
        };
        let ends = [
            (Fate::Ends, Ending::Final),
            (Fate::Deadlock, Ending::Deadlock),
            (Fate::Error, Ending::Error),
            (Fate::TimeStops, Ending::Inside),
        ]
        .map(|(fate, ending)| end(ending).map(|(run, node)| (fate, ending, run, node)));
        let mut never = Vec::new();
        for (fate, ending, run, node) in ends.into_iter().flatten() {
            // One run on which time stops is enough.
            if fate != Fate::TimeStops || stops.is_none() {
                never.push(self.ending(fate, ending, run, node)?);
            }
        }
        for (fate, run) in [(Fate::GoesOn, goes_on), (Fate::TimeStops, stops)] {
            if let Some(run) = run {
                never.push(Never { fate, message: None, shown: self.shown(run, false)? });
            }
        }
        let comes = match (earliest, latest) {
            (Some((time, hops)), Some(latest)) => {
                let earliest = self.shown(Run { time, hops, round: None }, true)?;
                let bound = latest.round.is_none();
                let latest = self.shown(latest, bound)?;
                Some((earliest, if bound { Latest::At(latest) } else { Latest::NoBound(latest) }))
            }
            (None, None) => None,
            _ => return Flow::Break(Some(Stop::Internal("an earliest time without a latest one".to_string()))),
        };
        Flow::Continue(Times { comes, never })
    }
}

/// A way in the graph.
struct Run {
    /// The slices that pass on it.
    time: u64,
    hops: Vec<Hop>,
    /// What is repeated for ever behind it.
    round: Option<Vec<Hop>>,
}

/// What kind of cycle is looked for.
#[derive(Clone, Copy)]
struct Turn<'a> {
    /// It lies in one of these components,
    parts: &'a Parts,
    /// has only edges that are kept there,
    keep: &'a dyn Fn(&Edge) -> bool,
    /// and one that counts, given where the cycle starts.
    counts: &'a dyn Fn(u32, &Edge) -> bool,
}

/// A way to the nearest of some nodes, and a cycle from there.
fn round(
    graph: &Graph,
    ways: &Ways<'_>,
    turn: Turn<'_>,
    wanted: impl Fn(u32) -> bool,
    beat: &mut dyn FnMut() -> Flow,
) -> Flow<Option<Run>> {
    let Some(start) = ways.nearest(wanted) else { return Flow::Continue(None) };
    let inside = |node: u32, edge: &Edge| (turn.keep)(edge) && turn.parts.inside(node, edge);
    let out = Ways::new(graph, start, &inside, beat)?;
    let good = |node: u32| {
        let edges = graph.edges(node).iter().filter(|e| inside(node, e) && (turn.counts)(start, e));
        edges.min_by_key(|e| e.steps).copied()
    };
    let Some((node, edge)) = out.nearest(|node| good(node).is_some()).and_then(|node| Some((node, good(node)?))) else {
        return Flow::Break(Some(Stop::Internal("a cycle cannot be found again".to_string())));
    };
    let back = Ways::new(graph, edge.to, &inside, beat)?;
    let cycle = out.to(node).into_iter().chain([(node, edge)]).chain(back.to(start)).collect();
    let time = ways.slices(start).unwrap_or(0);
    Flow::Continue(Some(Run { time, hops: ways.to(start), round: Some(cycle) }))
}

/// Looks at the clock and asks whether to go on.
fn beat(ledger: &mut Ledger<'_>, set: &NumberedTree) -> Flow {
    ledger.tick_uncounted(0, set)?;
    ledger.check_resident()
}
