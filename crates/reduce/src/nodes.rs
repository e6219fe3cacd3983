//! The transitions of instances one by one, for stubborn sets: which of them get in the way of which, and which may come
//! after a location.

use crate::channels::Blocked;
use crate::effect::{Life, Rules};
use crate::instance::{Cast, Move};
use starwheel_model::LocId;
use std::collections::HashMap;
use std::sync::Arc;

/// A transition of an instance at a location: an index into its list.
pub type NodeId = u32;

/// All transitions of one instance.
pub struct Nodes {
    /// Where each stands: its location, and its place in the list there.
    pub places: Vec<(LocId, usize)>,
    /// By location: the first of its transitions.
    first: Vec<NodeId>,
    /// By location: the transitions that may come from there on, as bits.
    ahead: Vec<Vec<u64>>,
    /// By location: whether processes may be started from there on.
    births: Vec<bool>,
    /// By location: the transitions with which a step may start that ends there.
    arrivals: Vec<Vec<NodeId>>,
}

impl Nodes {
    fn new(cast: &mut Cast<'_>, instance: usize) -> Nodes {
        let proctype = cast.instances[instance].known.proctype;
        let count = cast.context.model.proctype(proctype).locs.len();
        let (mut places, mut first, mut targets, mut births) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut all = Vec::new();
        for l in 0..count {
            let loc = LocId(l as u16);
            first.push(places.len() as NodeId);
            let spot = cast.spot(instance, loc);
            let future = spot.future;
            let moves: Vec<_> = spot.moves.iter().map(|m| (m.trans, m.last_resort)).collect();
            births.push(cast.futures[future.0 as usize].life.meets(Life::RUN));
            all.extend(moves.iter().copied());
            for (i, (trans, last_resort)) in moves.into_iter().enumerate() {
                places.push((loc, i));
                targets.push((!last_resort).then(|| cast.context.model.transition(trans).to));
            }
        }
        let mut arrivals = vec![Vec::new(); count];
        for (node, (trans, _)) in all.iter().enumerate().filter(|(_, (_, last_resort))| !last_resort) {
            cast.ends(proctype, *trans).into_iter().for_each(|l| arrivals[l.index()].push(node as NodeId));
        }
        let ahead = (0..count).map(|l| reach(l, &first, &places, &targets)).collect();
        Nodes { places, first, ahead, births, arrivals }
    }

    /// The transitions that leave a location.
    pub fn at(&self, loc: LocId, count: usize) -> std::ops::Range<NodeId> {
        let first = self.first[loc.index()];
        first..first + count as NodeId
    }

    /// Whether a transition may come after a location.
    pub fn is_ahead(&self, loc: LocId, node: NodeId) -> bool {
        self.ahead[loc.index()][node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// The transitions with which a step may start that ends at a location.
    pub fn arrivals(&self, loc: LocId) -> &[NodeId] {
        &self.arrivals[loc.index()]
    }

    /// Whether processes may be started from a location on.
    pub fn births(&self, loc: LocId) -> bool {
        self.births[loc.index()]
    }
}

/// The transitions that can be reached from a location, without those that wait until nothing else can happen.
fn reach(from: usize, first: &[NodeId], places: &[(LocId, usize)], targets: &[Option<LocId>]) -> Vec<u64> {
    let mut bits = vec![0u64; places.len() / 64 + 1];
    let (mut seen, mut open) = (vec![false; first.len()], vec![from]);
    while let Some(l) = open.pop() {
        if std::mem::replace(&mut seen[l], true) {
            continue;
        }
        let end = first.get(l + 1).map_or(places.len(), |&n| n as usize);
        for node in first[l] as usize..end {
            if let Some(to) = targets[node] {
                bits[node / 64] |= 1 << (node % 64);
                open.push(to.index());
            }
        }
    }
    bits
}

/// How one transition gets in the way of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// The order of the two matters.
    Clash,
    /// It may make the other possible, which is not so for a given reason.
    Wake(Why),
}

/// [`Blocked`], as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Why {
    Empty,
    Mismatch,
    Otherwise,
}

impl Why {
    fn blocked(self) -> Blocked {
        match self {
            Why::Empty => Blocked::Empty,
            Why::Mismatch => Blocked::Mismatch,
            Why::Otherwise => Blocked::Otherwise,
        }
    }
}

type Rivals = Arc<[NodeId]>;

/// All that has been worked out about transitions.
#[derive(Default)]
pub struct Web {
    nodes: HashMap<usize, Arc<Nodes>>,
    rivals: HashMap<(usize, NodeId, usize, Way), Rivals>,
}

impl Web {
    /// The transitions of an instance.
    pub fn nodes(&mut self, cast: &mut Cast<'_>, instance: usize) -> Arc<Nodes> {
        if let Some(nodes) = self.nodes.get(&instance) {
            return nodes.clone();
        }
        let nodes = Arc::new(Nodes::new(cast, instance));
        self.nodes.insert(instance, nodes.clone());
        nodes
    }

    /// The transitions of another instance that get in the way of one.
    pub fn rivals(
        &mut self,
        cast: &mut Cast<'_>,
        rules: Rules,
        (instance, node): (usize, NodeId),
        other: usize,
        way: Way,
    ) -> Rivals {
        if let Some(found) = self.rivals.get(&(instance, node, other, way)) {
            return found.clone();
        }
        let (mine, theirs) = (self.nodes(cast, instance), self.nodes(cast, other));
        let found: Rivals = match one(cast, instance, mine.places[node as usize]) {
            None => Arc::new([]),
            Some(me) => {
                let rival = |n: &NodeId| {
                    one(cast, other, theirs.places[*n as usize]).is_some_and(|them| in_the_way(me, them, rules, way))
                };
                (0..theirs.places.len() as NodeId).filter(rival).collect()
            }
        };
        self.rivals.insert((instance, node, other, way), found.clone());
        found
    }
}

/// A transition of an instance.
pub fn one<'a>(cast: &'a Cast<'_>, instance: usize, (loc, i): (LocId, usize)) -> Option<&'a Move> {
    cast.instances[instance].known_spot(loc).and_then(|s| s.moves.get(i))
}

fn in_the_way(me: &Move, them: &Move, rules: Rules, way: Way) -> bool {
    match way {
        Way::Clash => me.whole.clashes(&them.whole, rules),
        Way::Wake(why) => me.first.woken(&them.whole, why.blocked()),
    }
}
