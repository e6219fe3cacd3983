//! Makes a lasso shorter: the searches find some way round, people want a short one.
//!
//! The graph is built once more, nearest states first, as far as the effort allows. A lasso enters a cycle at a state `e`
//! and passes an accepting state `a` on it, so its length is d(0,e) + d(e,a) + d(a,e); with the shortest ways from and to
//! each accepting state (Dijkstra 1959) this is least over all `e` and `a` of the same component. The result is a shortest
//! lasso of all if every state nearer than its length was looked at. If the effort does not suffice for that, the states
//! of the lasso itself are added, so that it is at least cut short where its states touch each other.
//!
//! Whoever asks for it has the last word: a lasso is taken only if it is confirmed, which is also where fairness is kept.

mod graph;
mod hunt;

use graph::Graph;
use hunt::{Shape, hunt};
use starwheel_model::{Step, System};
use std::time::Instant;

/// Steps after which a lasso is looked for in what was built so far, before more is built.
const ROUNDS: [u64; 3] = [1 << 10, 1 << 14, 1 << 18];
/// Trails longer than this are not followed state by state.
const LONGEST: usize = 1 << 20;

/// A trail whose steps from `start` on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The steps from the initial state.
    pub trail: Vec<Step>,
    /// The number of steps before those that are repeated.
    pub start: usize,
}

/// What a shortening may do and what it must keep.
pub struct Terms<'a> {
    /// The system.
    pub system: &'a dyn System,
    /// True if an accepting state without steps counts as a cycle.
    pub stutter: bool,
    /// The number of steps that it may take, roughly.
    pub effort: u64,
    /// When it has to come to an end, with what it has then.
    pub until: Option<Instant>,
    /// Whether a lasso is one of those that are looked for.
    pub confirm: &'a dyn Fn(&Lasso) -> bool,
}

/// A shorter lasso, or the same one.
pub fn shorten(terms: &Terms<'_>, lasso: Lasso) -> Lasso {
    let Some(graph) = Graph::new(terms.system, terms.until) else { return lasso };
    let Ok(best) = u32::try_from(length(&lasso)) else { return lasso };
    let mut work = Work { terms, graph, best, shapes: Vec::new() };
    let shorter = work.near().or_else(|| work.along(&lasso));
    shorter.unwrap_or(lasso)
}

/// The length in single steps: a handshake counts two.
fn length(lasso: &Lasso) -> u64 {
    lasso.trail.iter().map(|step| 1 + u64::from(step.partner.is_some())).sum()
}

struct Work<'a> {
    terms: &'a Terms<'a>,
    graph: Graph<'a>,
    /// The length of the shortest lasso so far.
    best: u32,
    /// The lassos that were found, each shorter than the one before.
    shapes: Vec<Shape>,
}

impl Work<'_> {
    /// A shortest lasso among the states near the initial one, if it is certain that none is shorter.
    fn near(&mut self) -> Option<Lasso> {
        for round in ROUNDS.into_iter().filter(|r| *r < self.terms.effort).chain([self.terms.effort]) {
            let radius = self.graph.explore(round, self.best);
            self.search();
            // A lasso with a state that was not expanded leads there and at least one step further.
            if self.best <= radius.saturating_add(1) {
                return self.take();
            }
        }
        None
    }

    /// The shortest lasso that can be found with the states of the given one added.
    fn along(&mut self, lasso: &Lasso) -> Option<Lasso> {
        let steps = lasso.trail.len();
        let effort = self.graph.steps + 4 * self.terms.effort.max(steps as u64);
        let places = (steps <= LONGEST).then(|| self.graph.add_trail(self.terms.system, &lasso.trail, effort));
        let Some(places) = places.flatten() else { return self.take() };
        self.search();
        self.take().or_else(|| self.enter_early(lasso, &places))
    }

    /// Looks for lassos that are shorter than the best one so far, in the graph as it is.
    fn search(&mut self) {
        for (length, shape) in hunt(&self.graph.nodes, self.terms.stutter, self.best, 16 * self.terms.effort) {
            self.best = length;
            self.shapes.push(shape);
        }
    }

    /// The best of the lassos that were found and are confirmed.
    fn take(&mut self) -> Option<Lasso> {
        while let Some(shape) = self.shapes.pop() {
            if let Some(lasso) = self.lasso(&shape)
                && (self.terms.confirm)(&lasso)
            {
                return Some(lasso);
            }
        }
        None
    }

    fn lasso(&mut self, shape: &Shape) -> Option<Lasso> {
        let mut trail = self.graph.steps_along(&shape.before)?;
        let start = trail.len();
        trail.extend(self.graph.steps_along(&shape.cycle)?);
        Some(Lasso { trail, start })
    }

    /// The cycle as it is, with the shortest way to one of its states.
    fn enter_early(&mut self, lasso: &Lasso, places: &[(usize, u32)]) -> Option<Lasso> {
        let distance = |node: u32| self.graph.nodes[node as usize].distance;
        let on_cycle = places.iter().filter(|(place, _)| *place >= lasso.start);
        let &(place, entry) = on_cycle.min_by_key(|(_, node)| distance(*node))?;
        let way = self.graph.way(entry)?;
        let mut trail = self.graph.steps_along(&way)?;
        let start = trail.len();
        trail.extend_from_slice(&lasso.trail[place..]);
        trail.extend_from_slice(&lasso.trail[lasso.start..place]);
        let shorter = Lasso { trail, start };
        (length(&shorter) < length(lasso) && (self.terms.confirm)(&shorter)).then_some(shorter)
    }
}
