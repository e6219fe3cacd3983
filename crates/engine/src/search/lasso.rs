//! A short cycle through an accepting state inside a strongly connected component, found breadth first.

use crate::search::walk::{Place, Walk};
use starwheel_model::{Step, System};
use starwheel_store::{StateId, StateStore};
use std::collections::{HashMap, VecDeque};

/// Where and from where a cycle is looked for.
pub struct Lasso<'a, S, I> {
    system: &'a dyn System,
    set: &'a S,
    root: StateId,
    hidden: &'a [u8],
    inside: &'a I,
}

/// How a state was reached.
struct Way {
    from: StateId,
    steps: Vec<Step>,
}

impl<'a, S: StateStore, I: Fn(StateId) -> bool> Lasso<'a, S, I> {
    /// Looks among the states that are `inside`, from a state that is reached with these hidden bytes.
    pub fn new(system: &'a dyn System, set: &'a S, root: StateId, hidden: &'a [u8], inside: &'a I) -> Lasso<'a, S, I> {
        Lasso { system, set, root, hidden, inside }
    }

    /// The steps from the root past an accepting state back to the root.
    pub fn round(&self, accepts: &dyn Fn(StateId) -> bool) -> Option<Vec<Step>> {
        let (root, hidden) = (self.root, self.hidden.to_vec());
        if accepts(root) {
            return self.way(root, &hidden, &|id| id == root).map(|(_, _, steps)| steps);
        }
        let (middle, hidden, mut steps) = self.way(root, &hidden, accepts)?;
        steps.extend(self.way(middle, &hidden, &|id| id == root)?.2);
        Some(steps)
    }

    /// A shortest way of at least one step to a state that is wanted; that state, its hidden bytes, and the steps.
    fn way(
        &self,
        from: StateId,
        hidden: &[u8],
        wanted: &dyn Fn(StateId) -> bool,
    ) -> Option<(StateId, Vec<u8>, Vec<Step>)> {
        let mut walk = Walk::new(self.system, u64::MAX);
        let mut ways: HashMap<StateId, Way> = HashMap::new();
        let mut queue = VecDeque::from([(from, hidden.to_vec())]);
        while let Some((at, hidden)) = queue.pop_front() {
            walk.begin(at, &hidden, self.set, 0);
            while let Some(arrival) = walk.advance(self.set) {
                if arrival.place != Place::Stored {
                    continue;
                }
                let Some(id) = self.set.lookup(walk.visible()) else { continue };
                if !(self.inside)(id) || ways.contains_key(&id) {
                    continue;
                }
                let hidden = walk.hidden().to_vec();
                ways.insert(id, Way { from: at, steps: walk.trail() });
                if wanted(id) {
                    return Some((id, hidden, collect(&ways, from, id)));
                }
                queue.push_back((id, hidden));
            }
        }
        None
    }
}

/// The steps of the way to a state.
fn collect(ways: &HashMap<StateId, Way>, from: StateId, to: StateId) -> Vec<Step> {
    let (mut parts, mut at) = (Vec::new(), to);
    while let Some(way) = ways.get(&at) {
        parts.push(&way.steps);
        at = way.from;
        if at == from {
            break;
        }
    }
    parts.into_iter().rev().flatten().copied().collect()
}
