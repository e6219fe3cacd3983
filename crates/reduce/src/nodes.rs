//! The transitions of instances one by one, for stubborn sets: which of them get in the way of which, and which may come
//! after a location.

use crate::ahead::ahead;
use crate::bits::Bits;
use crate::channels::Blocked;
use crate::effect::{Life, Rules};
use crate::instance::{Cast, Move};
use rapidhash::RapidHashMap;
use starwheel_model::{LocId, ProctypeId, Stmt};
use std::sync::{Arc, OnceLock};

/// A transition of an instance at a location: an index into its list.
pub type NodeId = u32;

/// All transitions of one instance.
pub struct Nodes {
    /// Where each stands: its location, and its place in the list there.
    pub places: Vec<(LocId, usize)>,
    /// By location: the first of its transitions.
    first: Vec<NodeId>,
    /// By location: the transitions that may come from there on.
    ahead: Vec<Arc<Bits>>,
    /// By location: whether processes may be started from there on.
    births: Vec<bool>,
    /// By transition: the locations at which a step may end that starts with it; none if it waits until nothing else can
    /// happen.
    ends: Vec<Option<(LocId, Option<Arc<Bits>>)>>,
    /// By location, once it has been needed: the transitions with which a step may start that ends there.
    arrivals: Vec<OnceLock<Vec<NodeId>>>,
}

impl Nodes {
    fn new(cast: &mut Cast<'_>, instance: usize) -> Nodes {
        let model = cast.context.model;
        let proctype = cast.instances[instance].known.proctype;
        let count = model.proctype(proctype).locs.len();
        let chains = chain_ends(cast, proctype);
        let (mut places, mut first, mut births) = (Vec::new(), Vec::new(), Vec::new());
        let (mut targets, mut ends) = (vec![Vec::new(); count], Vec::new());
        for (l, list) in targets.iter_mut().enumerate() {
            let loc = LocId(l as u16);
            first.push(places.len() as NodeId);
            let spot = cast.spot(instance, loc);
            let future = spot.future;
            let moves: Vec<_> = spot.moves.iter().map(|m| (m.trans, m.last_resort)).collect();
            births.push(cast.futures.effect(future).life.meets(Life::RUN));
            for (i, (trans, last_resort)) in moves.into_iter().enumerate() {
                places.push((loc, i));
                let t = model.transition(trans);
                let goes_on = t.atomic && t.stmt != Stmt::End;
                ends.push((!last_resort).then(|| (t.to, goes_on.then(|| chains[t.to.index()].clone()))));
                if !last_resort {
                    list.push((places.len() - 1, t.to.index()));
                }
            }
        }
        let own: Vec<Bits> = targets.iter().map(|list| Bits::of(places.len(), list.iter().map(|t| t.0))).collect();
        let successors: Vec<Vec<usize>> = targets.iter().map(|list| list.iter().map(|t| t.1).collect()).collect();
        let arrivals = (0..count).map(|_| OnceLock::new()).collect();
        Nodes { places, first, ahead: ahead(&successors, &own), births, ends, arrivals }
    }

    /// The transitions that leave a location.
    pub fn at(&self, loc: LocId, count: usize) -> std::ops::Range<NodeId> {
        let first = self.first[loc.index()];
        first..first + count as NodeId
    }

    /// Whether a transition may come after a location.
    pub fn is_ahead(&self, loc: LocId, node: NodeId) -> bool {
        self.ahead[loc.index()].has(node as usize)
    }

    /// The transitions with which a step may start that ends at a location.
    pub fn arrivals(&self, loc: LocId) -> &[NodeId] {
        let there = |end: &Option<(LocId, Option<Arc<Bits>>)>| {
            let ends = |(to, chain): &(LocId, Option<Arc<Bits>>)| {
                *to == loc || chain.as_ref().is_some_and(|c| c.has(loc.index()))
            };
            end.as_ref().is_some_and(ends)
        };
        self.arrivals[loc.index()].get_or_init(|| {
            self.ends.iter().enumerate().filter(|(_, end)| there(end)).map(|(node, _)| node as NodeId).collect()
        })
    }

    /// Whether processes may be started from a location on.
    pub fn births(&self, loc: LocId) -> bool {
        self.births[loc.index()]
    }
}

/// By location of a type: where an atomic sequence may stop that comes there and goes on.
fn chain_ends(cast: &Cast<'_>, proctype: ProctypeId) -> Vec<Arc<Bits>> {
    let model = cast.context.model;
    let locs = &model.proctype(proctype).locs;
    let (mut successors, mut own) = (Vec::new(), Vec::new());
    for (l, loc) in locs.iter().enumerate() {
        let out = loc.out.iter().map(|t| model.transition(*t)).filter(|t| t.stmt != Stmt::End);
        let inside = cast.context.inside(proctype, LocId(l as u16));
        let out: Vec<_> = out.filter(|_| inside).collect();
        successors.push(out.iter().filter(|t| t.atomic).map(|t| t.to.index()).collect());
        let stops = out.iter().map(|t| t.to.index()).chain(inside.then_some(l));
        own.push(if inside { Bits::of(locs.len(), stops) } else { Bits::default() });
    }
    ahead(&successors, &own)
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
    nodes: RapidHashMap<usize, Arc<Nodes>>,
    rivals: RapidHashMap<(usize, NodeId, usize, Way), Rivals>,
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
