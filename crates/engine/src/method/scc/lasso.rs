//! A short cycle inside a strongly connected component that has all that is asked for, found breadth first.

use crate::fair::PidSet;
use crate::parts::walk::{Led, Walk};
use starwheel_model::{Step, System};
use starwheel_store::{StateId, StateStore};
use std::collections::{HashMap, VecDeque};

/// A stored state and what the store will not give back of it, as it was reached.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The state.
    pub id: StateId,
    /// Its own bytes.
    pub own: Vec<u8>,
}

/// Where a cycle is looked for, and what it must have. A way between stored states is told by the number and the bytes of
/// the state that it leads to.
pub struct Lasso<'a, S> {
    /// The system.
    pub system: &'a dyn System,
    /// Its states.
    pub set: &'a S,
    /// Whether a way may be taken.
    pub inside: &'a dyn Fn(StateId, &[u8]) -> bool,
    /// Whether a state is accepting.
    pub accepts: &'a dyn Fn(StateId) -> bool,
    /// The processes that a cycle must do justice to.
    pub needed: PidSet,
    /// Those to whom a way does.
    pub gives: &'a dyn Fn(&[u8]) -> PidSet,
}

/// How a state was reached.
struct Way {
    from: StateId,
    steps: Vec<Step>,
}

/// A shortest way to something that was wanted.
pub struct Found {
    /// Where it leads.
    pub to: Spot,
    /// The bytes of the state there.
    visible: Vec<u8>,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl<S: StateStore> Lasso<'_, S> {
    /// The steps from a state past everything that is asked for back to the state, one shortest way after the other.
    pub fn round(&self, start: &Spot) -> Option<Vec<Step>> {
        let (mut accept, mut needed) = (!(self.accepts)(start.id), self.needed);
        let (mut at, mut steps) = (start.clone(), Vec::new());
        while accept || !needed.is_empty() {
            let serves =
                |id, bytes: &[u8]| (accept && (self.accepts)(id)) || !needed.and((self.gives)(bytes)).is_empty();
            let found = self.way(&at, &serves)?;
            accept &= !(self.accepts)(found.to.id);
            needed = needed.without((self.gives)(&found.visible));
            steps.extend(found.steps);
            at = found.to;
        }
        if at.id != start.id || steps.is_empty() {
            steps.extend(self.way(&at, &|id, _| id == start.id)?.steps);
        }
        Some(steps)
    }

    /// A shortest way of at least one step whose last part, between two stored states, is wanted.
    pub fn way(&self, start: &Spot, wanted: &dyn Fn(StateId, &[u8]) -> bool) -> Option<Found> {
        let mut walk = Walk::over::<S>(self.system, u64::MAX);
        let mut ways: HashMap<StateId, Way> = HashMap::new();
        let mut queue = VecDeque::from([start.clone()]);
        while let Some(Spot { id: from, own }) = queue.pop_front() {
            walk.begin(from, &own, self.set, 0);
            while let Some(arrival) = walk.advance(self.set) {
                if arrival.led != Led::Stored {
                    continue;
                }
                let Some(id) = self.set.lookup(walk.visible()) else { continue };
                if !(self.inside)(id, walk.visible()) {
                    continue;
                }
                let to = Spot { id, own: walk.own().to_vec() };
                if wanted(id, walk.visible()) {
                    let mut steps = collect(&ways, start.id, from);
                    steps.extend(walk.trail());
                    return Some(Found { to, visible: walk.visible().to_vec(), steps });
                }
                if id != start.id && !ways.contains_key(&id) {
                    ways.insert(id, Way { from, steps: walk.trail() });
                    queue.push_back(to);
                }
            }
        }
        None
    }
}

/// The steps of the way to a state.
fn collect(ways: &HashMap<StateId, Way>, from: StateId, to: StateId) -> Vec<Step> {
    let (mut parts, mut at) = (Vec::new(), to);
    while at != from
        && let Some(way) = ways.get(&at)
    {
        parts.push(&way.steps);
        at = way.from;
    }
    parts.into_iter().rev().flatten().copied().collect()
}
