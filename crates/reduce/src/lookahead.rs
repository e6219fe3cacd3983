//! Looks ahead along chosen steps to see whether they come back: the cycle proviso
//! [`Proviso::LookingAhead`](crate::Proviso::LookingAhead).
//!
//! [`crate::sticky`] names transitions such that every cycle of the system passes one, and with
//! [`Proviso::ByChoice`](crate::Proviso::ByChoice) these are never reduced. Most of them close no cycle of *reduced* states,
//! though: a process that comes round its loop with another message has not come back to where it was. So it is looked up.
//!
//! Let c(s) be the steps chosen in s if nobody minded that some may be forgotten; it depends on s alone. Let A be the graph with
//! an edge for each step of c(s), for all s in which c(s) leaves out something. Atomic sequences on the way are passed, and a
//! state that takes all its steps has no edges in A.
//!
//! **Rule.** A state s whose c(s) has a sticky step is reduced only if it is on no cycle of A (and if this is found out with
//! bounded effort, see below). A state whose c(s) has none always is.
//!
//! **Lemma.** Every cycle of the reduced system has a state that takes all its steps. Suppose there is one without. All its
//! steps are chosen ones, so it is a cycle of A. As every cycle of the system it passes a sticky transition, in a step that some
//! state s on it has chosen. Then s is on a cycle of A, so the rule lets it take all its steps: contradiction.
//!
//! The rule speaks of s and of A, and A depends on the model and on what the property looks at: not on the order of a search, on
//! other workers, on what is remembered, or on where a claim stands. So the reduced system is one fixed system, as with sticky
//! transitions alone, for every search and every claim (S. Siegel's mistake, CAV 2019, cannot happen: see [`crate::sticky`]).
//! A search that pays with its stack (D. Peled, "Combining partial order reductions with on-the-fly model-checking", 1996) has
//! to do the same in both halves of a nested search (G. Holzmann, D. Peled and M. Yannakakis, "On nested depth first search",
//! 1996) and with all workers (A. Laarman and A. Wijs, "Partial-order reduction for multi-core LTL model checking", HVC 2014);
//! here nobody has to.
//!
//! It does not hold where states are renamed (symmetry): a cycle of names need not come back to the state where it began.
//! There sticky transitions are never reduced.
//!
//! **Bounded effort.** The weight of a state is the size of the tree of paths of A from it, where a component is one knot: the
//! number of its states and the weights of all that its edges lead to; that of a state with many bytes, or with several edges, is too
//! great: where ways part, a search takes other ones than the look-out before it, and would look anew from every state. A state
//! whose weight exceeds [`FAR`] is not reduced if it has a sticky step. Weights are a property of A, too: what is remembered of
//! earlier questions saves time and changes no answer, whoever asks first. There are at most `FAR` states behind one of smaller
//! weight; so a look-out that has met twice as many knows the answer, and knows it for the first half of the path that it came:
//! the effort for each state of a long way is bounded on average. And nearly all states that are looked at are visited by the
//! search as well, because chosen steps are always taken.

use rapidhash::RapidHashMap;
use rapidhash::v3::rapidhash_v3;

/// The greatest weight of a state that is looked at; what is greater is far, and counts as a return.
const FAR: u32 = if cfg!(test) { 30 } else { 100 };
/// States with more bytes are far, too: a look-out keeps up to `2 * FAR` of them.
const LARGE: usize = 1 << 9;
/// Bytes of states about which something is remembered.
const ROOM: usize = 4 << 20;

/// Where chosen steps lead.
pub trait Ahead {
    /// The states after the chosen steps of a state; none if it takes all its steps.
    fn after(&mut self, at: &[u8], out: &mut Vec<Box<[u8]>>);
}

/// What is known about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It has this weight, and chosen steps may lead back to it.
    Near { weight: u32, returns: bool },
    /// Its weight is too great.
    Far,
}

impl Fate {
    fn weight(self) -> u32 {
        match self {
            Fate::Near { weight, .. } => weight,
            Fate::Far => FAR + 1,
        }
    }
}

/// A state on the way, whose fate is open.
struct Knot {
    state: Box<[u8]>,
    hash: u64,
    /// States behind it that were not looked at yet.
    ahead: Vec<Box<[u8]>>,
    /// How many were met before it.
    before: usize,
    /// The first open state that it is known to lead to.
    low: usize,
    /// Weights of what lies behind it in other components.
    weight: u32,
    /// It leads to itself in one step.
    alone: bool,
}

/// Looks ahead, and remembers what it saw.
#[derive(Default)]
pub struct Lookahead {
    known: RapidHashMap<Box<[u8]>, Fate>,
    /// Bytes of the states that are known.
    room: usize,
    /// At most `2 * FAR`, so they are found by looking at the hash of each.
    knots: Vec<Knot>,
    /// The path to the state that is looked at.
    path: Vec<usize>,
    /// States that were met on this look-out.
    met: usize,
}

impl Lookahead {
    /// Whether chosen steps may lead back to a state, or so far that nobody has looked.
    pub fn returns(&mut self, at: &[u8], graph: &mut impl Ahead) -> bool {
        match self.fate(at, graph) {
            Fate::Near { returns, .. } => returns,
            Fate::Far => true,
        }
    }

    /// R. Tarjan, "Depth-first search and linear graph algorithms" (1972), from one state.
    fn fate(&mut self, at: &[u8], graph: &mut impl Ahead) -> Fate {
        if at.len() > LARGE {
            return Fate::Far;
        }
        if let Some(fate) = self.known.get(at) {
            return *fate;
        }
        if self.room > ROOM {
            self.known.clear();
            self.room = 0;
        }
        self.knots.clear();
        self.path.clear();
        self.met = 0;
        self.enter(at.into(), graph);
        if self.parts() {
            return Fate::Far;
        }
        while let Some(&v) = self.path.last() {
            let Some(next) = self.knots[v].ahead.pop() else {
                self.leave(v);
                continue;
            };
            let large = (next.len() > LARGE).then_some(Fate::Far);
            if let Some(fate) = large.or_else(|| self.known.get(&next).copied()) {
                if self.burden(v, fate) {
                    return Fate::Far;
                }
            } else if let Some(w) = self.place(&next) {
                self.knots[v].low = self.knots[v].low.min(w);
                self.knots[v].alone |= v == w;
            } else if self.met >= 2 * FAR as usize {
                return self.give_up();
            } else {
                self.enter(next, graph);
                if self.parts() {
                    return Fate::Far;
                }
            }
        }
        self.known.get(at).copied().unwrap_or(Fate::Far)
    }

    fn enter(&mut self, state: Box<[u8]>, graph: &mut impl Ahead) {
        let place = self.knots.len();
        let mut ahead = Vec::new();
        graph.after(&state, &mut ahead);
        let hash = rapidhash_v3(&state);
        self.knots.push(Knot { state, hash, ahead, before: self.met, low: place, weight: 0, alone: false });
        self.path.push(place);
        self.met += 1;
    }

    /// Where an open state is.
    fn place(&self, state: &[u8]) -> Option<usize> {
        let hash = rapidhash_v3(state);
        self.knots.iter().position(|knot| knot.hash == hash && *knot.state == *state)
    }

    /// Whether several ways lead on from the end of the path; then all of the path is far.
    fn parts(&mut self) -> bool {
        self.path.last().copied().is_some_and(|v| self.knots[v].ahead.len() > 1 && self.burden(v, Fate::Far))
    }

    /// Adds the weight of what lies behind a state on the path; true if that is too much, and then for all of the path.
    fn burden(&mut self, v: usize, fate: Fate) -> bool {
        let knot = &mut self.knots[v];
        knot.weight = knot.weight.saturating_add(fate.weight());
        if knot.weight <= FAR {
            return false;
        }
        for i in std::mem::take(&mut self.path) {
            let state = std::mem::take(&mut self.knots[i].state);
            self.learn(state, Fate::Far);
        }
        true
    }

    /// All ways from a state have been looked at. If nothing before it is in its component, the component is complete.
    fn leave(&mut self, v: usize) {
        self.path.pop();
        let low = self.knots[v].low;
        if low < v {
            // There is a path from before it, so there is one to it.
            if let Some(&before) = self.path.last() {
                self.knots[before].low = self.knots[before].low.min(low);
            }
            return;
        }
        let members = &self.knots[v..];
        let weight = members.iter().fold(0u32, |sum, k| sum.saturating_add(k.weight.saturating_add(1)));
        let returns = members.len() > 1 || members.iter().any(|k| k.alone);
        let fate = if weight > FAR { Fate::Far } else { Fate::Near { weight, returns } };
        while self.knots.len() > v {
            if let Some(knot) = self.knots.pop() {
                self.learn(knot.state, fate);
            }
        }
        if let Some(&before) = self.path.last() {
            self.burden(before, fate);
        }
    }

    /// All that was met after a state of the path lies behind it: too much for those of its first half.
    fn give_up(&mut self) -> Fate {
        for i in std::mem::take(&mut self.path) {
            if self.met - self.knots[i].before > FAR as usize {
                let state = std::mem::take(&mut self.knots[i].state);
                self.learn(state, Fate::Far);
            }
        }
        Fate::Far
    }

    fn learn(&mut self, state: Box<[u8]>, fate: Fate) {
        self.room += state.len() + size_of::<(Box<[u8]>, Fate)>();
        self.known.insert(state, fate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Nodes and where their edges lead.
    struct Small(Vec<Vec<usize>>);

    impl Ahead for Small {
        fn after(&mut self, at: &[u8], out: &mut Vec<Box<[u8]>>) {
            out.extend(self.0[number(at)].iter().map(|to| name(*to)));
        }
    }

    fn name(node: usize) -> Box<[u8]> {
        (node as u32).to_le_bytes().into()
    }

    fn number(at: &[u8]) -> usize {
        at.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b))
    }

    impl Small {
        /// A graph with few edges, some of which lead back.
        fn random(seed: u64) -> Small {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut below = move |n: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % n
            };
            // Some are so long or so broad that weights become too great.
            let count = [4, 12, 40, 3 * FAR as usize][below(4)];
            let (most, back) = (1 + below(3), 2 + below(6));
            let edges = |from: usize| -> Vec<usize> {
                let to = |below: &mut dyn FnMut(usize) -> usize| match below(back) {
                    0 => below(count),
                    _ => (from + 1 + below(3)).min(count - 1),
                };
                (0..below(most + 2).min(most)).map(|_| to(&mut below)).filter(|to| *to != from || from == 0).collect()
            };
            Small((0..count).map(edges).collect())
        }

        fn reach(&self, from: usize) -> BTreeSet<usize> {
            let (mut seen, mut open) = (BTreeSet::new(), self.0[from].clone());
            while let Some(node) = open.pop() {
                if seen.insert(node) {
                    open.extend(&self.0[node]);
                }
            }
            seen
        }

        /// The weight as it is defined, without a limit.
        fn weight(&self, node: usize, known: &mut RapidHashMap<usize, u64>) -> u64 {
            if let Some(weight) = known.get(&node) {
                return *weight;
            }
            let ahead = self.reach(node);
            let mut members: Vec<usize> = ahead.iter().copied().filter(|m| self.reach(*m).contains(&node)).collect();
            if !members.contains(&node) {
                members = vec![node];
            }
            let parts = members.iter().any(|m| self.0[*m].len() > 1);
            let mut weight = if parts { u64::from(FAR) + 1 } else { members.len() as u64 };
            for to in members.iter().flat_map(|m| self.0[*m].clone()).filter(|to| !members.contains(to)) {
                weight = weight.saturating_add(self.weight(to, known));
            }
            known.extend(members.into_iter().map(|m| (m, weight)));
            weight
        }
    }

    #[test]
    fn answers_are_those_of_the_graph_whoever_asks_first() {
        let (mut near, mut back, mut far) = (0, 0, 0);
        for seed in 0..3000 {
            let mut graph = Small::random(seed);
            let count = graph.0.len();
            let mut weights = RapidHashMap::default();
            let mut ways = [Lookahead::default(), Lookahead::default()];
            // The deepest first, so that no recursion is deep.
            for node in (0..count).rev().step_by(1 + count / 40) {
                let expected = graph.weight(node, &mut weights) > u64::from(FAR) || graph.reach(node).contains(&node);
                far += u32::from(weights[&node] > u64::from(FAR));
                back += u32::from(weights[&node] <= u64::from(FAR) && expected);
                near += u32::from(!expected);
                let alone = Lookahead::default().returns(&name(node), &mut graph);
                let later = ways[0].returns(&name(node), &mut graph);
                assert!(alone == expected && later == expected, "seed {seed}, node {node}: {:?}", graph.0);
            }
            for node in (0..count).step_by(1 + count / 40) {
                let expected =
                    weights.get(&node).is_none_or(|w| *w > u64::from(FAR)) || graph.reach(node).contains(&node);
                if weights.contains_key(&node) {
                    assert_eq!(ways[1].returns(&name(node), &mut graph), expected, "seed {seed}, node {node}");
                }
            }
        }
        assert!(near > 300 && back > 300 && far > 300, "{near} near, {back} return, {far} far");
    }

    /// Along a way without end each state is looked at a few times only, however many ask.
    #[test]
    fn a_long_way_is_not_walked_again_and_again() {
        struct Line(usize);
        impl Ahead for Line {
            fn after(&mut self, at: &[u8], out: &mut Vec<Box<[u8]>>) {
                self.0 += 1;
                out.push(name(number(at) + 1));
            }
        }
        let (mut line, mut look) = (Line(0), Lookahead::default());
        assert!((0..10_000).all(|node| look.returns(&name(node), &mut line)));
        assert!(line.0 < 30_000, "{} looks", line.0);
    }
}
