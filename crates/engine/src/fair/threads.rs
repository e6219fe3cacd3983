//! Fairness among renamed states: each way between two names tells what becomes of each process, and a component tells
//! which processes are one.
//!
//! In a quotient ([`starwheel_system::Quotient`]) a process has another name after each step whose successor was renamed, so
//! neither "it moves" nor "it cannot" can be read off the names along a cycle. But each way between two names comes with a
//! renaming of processes. Follow them: the pairs of a state and a process in it form a graph, the *threaded graph*, and a run
//! of real states that stays in a component follows, for each real process, one path of pairs.
//!
//! **Lemma.** In a strongly connected component, if a pair reaches another one, it is reached by it. For a closed walk
//! permutes the processes of its first state; walked often enough, it brings each back to its name. So the pairs of a
//! component fall into classes, each strongly connected, and union-find over the ways finds them.
//!
//! - A component has a weakly fair run that is accepting if and only if it has an accepting state, and each class has a way
//!   on which its process moves or cannot move: such a walk does justice to one thread after the other and then closes; and
//!   a class without one is a process that can always move and never does.
//! - Strong fairness: a class whose process can move somewhere and never does is done justice only by runs that take no such
//!   way any more. These are taken away, and the components of what is left are looked at, with classes of their own.
//!
//! E. Emerson and A. Sistla, "Utilizing symmetry when model checking under fairness assumptions" (1997); V. Gyuris and A.
//! Sistla, "On-the-fly model checking under fairness that exploits symmetry" (1999); D. Bošnački's thesis (2001), chapter 7,
//! has the threaded graph. Where we differ: classes instead of a product with indices, so the time is linear in the number of
//! processes, and one way for both kinds of fairness. (The nested search of the thesis, which shares its copies between
//! seeds, misses fair cycles.)

use super::carried::Trailer;
use super::marked::{Marked, Marks, TRAILER, Trailing};
use super::streett::{Edge, Edges, Part, split};
use crate::job::Fairness;
use starwheel_model::{Batch, Behind, Fired, Step, Stepper, System, Violation};
use starwheel_store::StateId;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// The bytes behind marks: the new number of each process.
const AGENTS: usize = 256;

/// The number of bytes behind a state.
pub const THREADED: usize = TRAILER + AGENTS;

/// The names of a system as its quotient has them, with marks and with what became of each process in the last renaming.
#[derive(Clone, Copy)]
pub struct Threaded<'a> {
    behind: Behind<'a>,
    marked: Marked<'a>,
}

impl<'a> Threaded<'a> {
    /// The quotient that this is behind.
    pub fn new(behind: Behind<'a>) -> Threaded<'a> {
        Threaded { behind, marked: Marked(behind.system) }
    }
}

impl System for Threaded<'_> {
    fn hidden_bytes(&self) -> usize {
        self.behind.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.behind.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        let inner = self.marked.stepper();
        Box::new(Threader { inner, behind: self.behind, batch: Batch::new(), agents: Vec::new(), next: Vec::new() })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        Some(self.behind)
    }
}

struct Threader<'a> {
    /// With marks.
    inner: Box<dyn Stepper + 'a>,
    behind: Behind<'a>,
    /// Scratch memory.
    batch: Batch,
    agents: Vec<u8>,
    next: Vec<u8>,
}

/// A state with marks, and the numbers behind it.
fn parted(state: &[u8]) -> (&[u8], &[u8]) {
    state.split_at(state.len().saturating_sub(AGENTS))
}

/// Nobody has another number.
fn same(out: &mut Vec<u8>) {
    out.extend(0..=u8::MAX);
}

impl Threader<'_> {
    /// Renames a state with marks, if it is stored, and puts behind it what became of each process.
    fn finish(&mut self, stored: bool, out: &mut Vec<u8>) {
        if !stored {
            return same(out);
        }
        let marks = out.split_off(out.len().saturating_sub(TRAILER));
        self.behind.normaliser.normalise_agents(out, &mut self.agents);
        out.extend_from_slice(&marks);
        out.extend_from_slice(&self.agents);
    }
}

impl Stepper for Threader<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.initial(out);
        self.finish(!fired.broken, out);
        fired
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.enabled(parted(at).0, out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner.lists(parted(at).0, step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.omitted(parted(at).0, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.fire(parted(at).0, step, out);
        let stored = !fired.broken && !self.inner.transient(out);
        self.finish(stored, out);
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        let mut batch = std::mem::take(&mut self.batch);
        let mut next = std::mem::take(&mut self.next);
        self.inner.expand(parted(at).0, &mut batch);
        out.clear();
        for (number, entry) in batch.entries.iter().enumerate() {
            next.clear();
            next.extend_from_slice(batch.state(number));
            self.finish(!entry.broken() && !entry.transient(), &mut next);
            let fired = Fired { broken: entry.broken(), violations: batch.violations(number).to_vec() };
            out.push(entry.step(), fired, &next, entry.transient());
        }
        (self.batch, self.next) = (batch, next);
    }

    fn expands_fast(&self) -> bool {
        self.inner.expands_fast()
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.inner.transient(parted(at).0)
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner.stuck(parted(at).0)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.inner.accepting(parted(at).0)
    }
}

/// Numbers behind marks.
#[derive(Debug)]
pub struct Numbers;

impl Trailer for Numbers {
    fn cut(state: &[u8]) -> &[u8] {
        parted(state).0
    }

    fn restore(out: &mut Vec<u8>) {
        same(out);
    }
}

/// A store that sees neither marks nor numbers.
pub type Threading<S> = Trailing<Trailing<S>, Numbers>;

/// A way between two names: who moves on it, who could, and what each is called at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    marks: Marks,
    agents: Rc<[u8]>,
}

impl Link {
    /// The way that led to a state.
    pub fn of(state: &[u8]) -> Link {
        let (state, agents) = parted(state);
        Link { marks: Marks::of(state), agents: Rc::from(agents) }
    }

    /// What a process is called at the end of the way.
    fn to(&self, agent: u8) -> u8 {
        self.agents.get(usize::from(agent)).copied().unwrap_or(agent)
    }

    /// Whether it does justice to a process.
    fn serves(&self, agent: u8, fairness: Fairness) -> bool {
        let moves = self.marks.moved.has(agent);
        moves || (fairness == Fairness::Weak && !self.marks.able.has(agent))
    }
}

/// A strongly connected part of the graph of names that is fair to all.
#[derive(Debug)]
pub struct Fabric {
    /// Its states, in order.
    pub states: Vec<StateId>,
    edges: Vec<Edge>,
    links: Vec<Link>,
    /// Processes with higher numbers neither move nor are they renamed.
    agents: usize,
    fairness: Fairness,
    /// By pair: true if justice is due.
    due: Vec<bool>,
}

/// Classes of pairs of a state and a process.
struct Classes {
    leader: Vec<u32>,
}

impl Classes {
    fn root(&mut self, pair: usize) -> usize {
        let mut at = pair as u32;
        while self.leader[at as usize] != at {
            let above = self.leader[self.leader[at as usize] as usize];
            self.leader[at as usize] = above;
            at = above;
        }
        at as usize
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.leader[a.max(b)] = a.min(b) as u32;
    }
}

/// What a class has on the ways of a part.
#[derive(Clone, Copy, Default)]
struct Has {
    moves: bool,
    can: bool,
    cannot: bool,
}

impl Edges<Link> {
    /// A fair part with an accepting state among the states from `root` on, which are `members`, in order.
    pub fn fabric(
        &self,
        root: StateId,
        members: &[StateId],
        accepts: &dyn Fn(StateId) -> bool,
        fairness: Fairness,
    ) -> Option<Fabric> {
        let known = |link: &Link| (0..=u8::MAX).rev().find(|&a| concerned(link, a)).map_or(0, |a| usize::from(a) + 1);
        let agents = self.kinds.iter().map(known).max().unwrap_or(0);
        let edges = self.list[self.start(root)..].to_vec();
        let mut parts = vec![Part { states: members.to_vec(), edges, barred: super::PidSet::EMPTY }];
        while let Some(part) = parts.pop() {
            for inner in split(&part) {
                if inner.edges.is_empty() || !inner.states.iter().any(|&id| accepts(id)) {
                    continue;
                }
                let (mut classes, has) = self.classes(&inner, agents);
                let pairs = inner.states.len() * agents;
                let forgotten = |has: &Has| match fairness {
                    Fairness::Weak => !has.moves && !has.cannot,
                    Fairness::Strong => has.can && !has.moves,
                };
                if (0..pairs).all(|pair| !forgotten(&has[classes.root(pair)])) {
                    let due = |pair| fairness == Fairness::Weak || has[classes.root(pair)].moves;
                    let due = (0..pairs).map(due).collect();
                    let (states, edges, links) = (inner.states, inner.edges, self.kinds.clone());
                    return Some(Fabric { states, edges, links, agents, fairness, due });
                }
                // A part that is not weakly fair has none that is: with fewer ways each process has less.
                if fairness == Fairness::Strong {
                    let states = &inner.states;
                    let barred = |edge: &Edge| {
                        let Ok(from) = states.binary_search(&edge.from) else { return true };
                        let link = &self.kinds[edge.kind as usize];
                        (0..agents)
                            .any(|a| link.marks.able.has(a as u8) && forgotten(&has[classes.root(from * agents + a)]))
                    };
                    let mut barred = barred;
                    let edges = inner.edges.iter().copied().filter(|edge| !barred(edge)).collect();
                    parts.push(Part { edges, ..inner });
                }
            }
        }
        None
    }

    /// The classes of a part, and by the first pair of each what it has.
    fn classes(&self, part: &Part, agents: usize) -> (Classes, Vec<Has>) {
        let mut classes = Classes { leader: (0..(part.states.len() * agents) as u32).collect() };
        let number = |id: StateId| part.states.binary_search(&id).ok();
        for edge in &part.edges {
            let (Some(from), Some(to)) = (number(edge.from), number(edge.to)) else { continue };
            let link = &self.kinds[edge.kind as usize];
            for a in 0..agents {
                classes.unite(from * agents + a, to * agents + usize::from(link.to(a as u8)));
            }
        }
        let mut has = vec![Has::default(); classes.leader.len()];
        for edge in &part.edges {
            let Some(from) = number(edge.from) else { continue };
            let marks = self.kinds[edge.kind as usize].marks;
            for a in 0..agents {
                let own = &mut has[classes.root(from * agents + a)];
                own.moves |= marks.moved.has(a as u8);
                own.can |= marks.able.has(a as u8);
                own.cannot |= !marks.able.has(a as u8);
            }
        }
        (classes, has)
    }
}

/// True if a way says anything about a process.
fn concerned(link: &Link, agent: u8) -> bool {
    link.marks.moved.has(agent) || link.marks.able.has(agent) || link.to(agent) != agent
}

impl Fabric {
    /// A closed walk from a state of it, as ways to states: past an accepting state, and past ways that do justice to each
    /// process of the first state. Repeated, it is fair to all: it permutes the processes of that state.
    pub fn round(&self, start: StateId, accepts: &dyn Fn(StateId) -> bool) -> Option<Vec<(StateId, &Link)>> {
        let first = self.states.binary_search(&start).ok()?;
        let mut out: Vec<Vec<&Edge>> = vec![Vec::new(); self.states.len()];
        for edge in &self.edges {
            out[self.states.binary_search(&edge.from).ok()?].push(edge);
        }
        let mut walk = Round { fabric: self, out, at: first, names: (0..=u8::MAX).collect(), steps: Vec::new() };
        let mut due: Vec<u8> =
            (0..self.agents).filter(|a| self.due[first * self.agents + a]).map(|a| a as u8).collect();
        if !accepts(start) {
            walk.go(0, &mut due, &|edge, _| accepts(edge.to))?;
        }
        while let Some(&agent) = due.first() {
            walk.go(agent, &mut due, &|edge, name| self.links[edge.kind as usize].serves(name, self.fairness))?;
        }
        if walk.at != first || walk.steps.is_empty() {
            walk.go(0, &mut due, &|edge, _| edge.to == start)?;
        }
        Some(walk.steps)
    }
}

/// A state, by its place, and a process in it.
type Pair = (usize, u8);

/// A walk through a fabric.
struct Round<'f> {
    fabric: &'f Fabric,
    /// By state: the ways that begin there.
    out: Vec<Vec<&'f Edge>>,
    at: usize,
    /// By process of the first state: what it is called now.
    names: Vec<u8>,
    steps: Vec<(StateId, &'f Link)>,
}

impl<'f> Round<'f> {
    /// Goes on by a shortest way whose last part is wanted for a process, and takes those off the list that get their due.
    fn go(&mut self, agent: u8, due: &mut Vec<u8>, wanted: &dyn Fn(&Edge, u8) -> bool) -> Option<()> {
        let fabric = self.fabric;
        let start = (self.at, self.names[usize::from(agent)]);
        let mut before: HashMap<Pair, (Pair, &'f Edge)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        let mut found = None;
        'search: while let Some(pair) = queue.pop_front() {
            for &edge in &self.out[pair.0] {
                if wanted(edge, pair.1) {
                    found = Some((pair, edge));
                    break 'search;
                }
                let Ok(to) = fabric.states.binary_search(&edge.to) else { continue };
                let next = (to, fabric.links[edge.kind as usize].to(pair.1));
                if next != start && !before.contains_key(&next) {
                    before.insert(next, (pair, edge));
                    queue.push_back(next);
                }
            }
        }
        let (mut pair, last) = found?;
        let mut way = vec![last];
        while pair != start {
            let (above, edge) = before[&pair];
            way.push(edge);
            pair = above;
        }
        for edge in way.into_iter().rev() {
            let link = &fabric.links[edge.kind as usize];
            due.retain(|a| !link.serves(self.names[usize::from(*a)], fabric.fairness));
            self.names.iter_mut().for_each(|name| *name = link.to(*name));
            self.at = fabric.states.binary_search(&edge.to).ok()?;
            self.steps.push((edge.to, link));
        }
        Some(())
    }
}
