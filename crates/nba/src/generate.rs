//! Networks for tests and measurements: the scaling examples and the random networks of the paper's section 6.

use starwheel_automata::StateId;
use starwheel_automata::hoa::{ActionAutomaton, ActionEdge};
use starwheel_automata::random::Rng;

/// An automaton by its edges; actions are numbered as they come.
fn automaton(name: String, states: u32, accepting: &[u32], edges: &[(u32, String, u32)]) -> ActionAutomaton {
    let mut automaton = ActionAutomaton { states, initial: vec![StateId(0)], ..ActionAutomaton::default() };
    automaton.header.name = Some(name);
    automaton.accepting = (0..states).map(|s| accepting.contains(&s)).collect();
    let mut numbers = std::collections::HashMap::new();
    for (from, action, to) in edges {
        let next = automaton.actions.len() as u32;
        let number = *numbers.entry(action).or_insert(next);
        if number == next {
            automaton.actions.push(action.clone());
        }
        automaton.edges.push(ActionEdge { from: StateId(*from), action: number, to: StateId(*to) });
    }
    automaton
}

/// Philosophers who take and put back the left fork, then the right one, and as many forks; a philosopher accepts after
/// eating. No run is accepting.
pub fn philosophers(count: u32) -> Vec<ActionAutomaton> {
    let person = |i: u32| {
        let (left, right) = (format!("lF{i}"), format!("rF{i}"));
        let edges = [
            (0, left.clone(), 1),
            (1, right.clone(), 2),
            (2, format!("eat{i}"), 3),
            (3, left, 4),
            (4, right, 5),
            (5, format!("think{i}"), 0),
        ];
        automaton(format!("philosopher {i}"), 6, &[3], &edges)
    };
    let fork = |i: u32| {
        let (left, right) = (format!("lF{i}"), format!("rF{}", (i + count - 1) % count));
        let edges = [(0, left.clone(), 1), (1, left, 0), (0, right.clone(), 2), (2, right, 0)];
        automaton(format!("fork {i}"), 3, &[0, 1, 2], &edges)
    };
    (0..count).map(person).chain((0..count).map(fork)).collect()
}

/// A ring: each component goes through a diamond alone and then meets its left or its right neighbour. Only the initial
/// states accept, and nobody comes back there.
pub fn ring(count: u32) -> Vec<ActionAutomaton> {
    let node = |i: u32| {
        let edges = [
            (0, format!("in{i}"), 1),
            (1, format!("up{i}"), 2),
            (1, format!("dn{i}"), 3),
            (2, format!("ju{i}"), 4),
            (3, format!("jd{i}"), 4),
            (4, format!("g{i}"), 1),
            (4, format!("g{}", (i + 1) % count), 1),
        ];
        automaton(format!("node {i}"), 5, &[0], &edges)
    };
    (0..count).map(node).collect()
}

/// What a random network looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The number of components.
    pub components: u32,
    /// How many of a hundred edges move one component alone.
    pub internal: u32,
    /// The fewest and the most local states of a component.
    pub states: (u32, u32),
    /// Edges for each local state.
    pub degree: u32,
    /// One shared action for this many edges.
    pub edges_per_action: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { components: 3, internal: 40, states: (15, 100), degree: 2, edges_per_action: 8 }
    }
}

/// A component while it is made: edges without an action are internal.
struct Draft {
    states: u32,
    accepting: Vec<u32>,
    edges: Vec<(u32, Option<u32>, u32)>,
}

/// A random network: all local states can be reached in their component, at most 3 % of them (but one at least) accept,
/// every shared action moves two components, and no component can accept alone.
pub fn random(shape: Shape, seed: u64) -> Vec<ActionAutomaton> {
    let mut rng = Rng::new(seed);
    let mut drafts: Vec<Draft> = (0..shape.components).map(|_| skeleton(shape, &mut rng)).collect();
    let pairs = pairs(shape, &drafts, &mut rng);
    for (number, draft) in drafts.iter_mut().enumerate() {
        let own: Vec<u32> = (0..pairs.len() as u32).filter(|&p| pairs[p as usize].contains(&(number as u32))).collect();
        label(draft, shape.internal, &own, &mut rng);
        break_circles(draft, &own, &mut rng);
    }
    for (action, pair) in pairs.iter().enumerate() {
        complete(&mut drafts, action as u32, *pair, &mut rng);
    }
    drafts.iter().enumerate().map(|(number, draft)| finished(number, draft)).collect()
}

/// A random tree and some more edges.
fn skeleton(shape: Shape, rng: &mut Rng) -> Draft {
    let (least, most) = shape.states;
    let states = least + rng.below(most.saturating_sub(least) + 1);
    let count = 1 + rng.below((states * 3 / 100).max(1));
    let mut accepting: Vec<u32> = Vec::new();
    while (accepting.len() as u32) < count {
        let state = rng.below(states);
        if !accepting.contains(&state) {
            accepting.push(state);
        }
    }
    let mut edges: Vec<_> = (1..states).map(|s| (rng.below(s), None, s)).collect();
    while (edges.len() as u32) < shape.degree * states {
        edges.push((rng.below(states), None, rng.below(states)));
    }
    Draft { states, accepting, edges }
}

/// The two components of each shared action; every component has an action if there are two components at all.
fn pairs(shape: Shape, drafts: &[Draft], rng: &mut Rng) -> Vec<[u32; 2]> {
    let count = shape.components;
    if count < 2 {
        return Vec::new();
    }
    let edges: usize = drafts.iter().map(|d| d.edges.len()).sum();
    let actions = (edges as u32 / shape.edges_per_action.max(1)).max(1);
    let mut pair = |first: u32| [first, (first + 1 + rng.below(count - 1)) % count];
    let mut pairs: Vec<[u32; 2]> = (0..actions).map(|action| pair(action % count)).collect();
    pairs.extend((actions.min(count)..count).map(pair));
    pairs
}

/// Makes the wanted part of the edges internal and gives the others shared actions.
fn label(draft: &mut Draft, internal: u32, own: &[u32], rng: &mut Rng) {
    let shared = draft.edges.len() - (draft.edges.len() * internal.min(100) as usize + 50) / 100;
    let mut order: Vec<usize> = (0..draft.edges.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, rng.below(place as u32 + 1) as usize);
    }
    for &edge in order.iter().take(if own.is_empty() { 0 } else { shared }) {
        draft.edges[edge].1 = Some(own[rng.below(own.len() as u32) as usize]);
    }
}

/// Gives shared actions to internal edges out of accepting states that can lead back there.
fn break_circles(draft: &mut Draft, own: &[u32], rng: &mut Rng) {
    for accepting in draft.accepting.clone() {
        let bad = |draft: &Draft| {
            let back = |e: &(u32, Option<u32>, u32)| e.0 == accepting && e.1.is_none() && leads(draft, e.2, accepting);
            draft.edges.iter().position(back)
        };
        while let Some(edge) = bad(draft) {
            match own.is_empty() {
                true => drop(draft.edges.remove(edge)),
                false => draft.edges[edge].1 = Some(own[rng.below(own.len() as u32) as usize]),
            }
        }
    }
}

/// True if internal edges lead from one state to another.
fn leads(draft: &Draft, from: u32, to: u32) -> bool {
    let mut seen = vec![false; draft.states as usize];
    let mut work = vec![from];
    while let Some(state) = work.pop() {
        if state == to {
            return true;
        }
        if !std::mem::replace(&mut seen[state as usize], true) {
            work.extend(draft.edges.iter().filter(|e| e.0 == state && e.1.is_none()).map(|e| e.2));
        }
    }
    false
}

/// If only one of two components has an edge with their action, the other one gets one, too.
fn complete(drafts: &mut [Draft], action: u32, pair: [u32; 2], rng: &mut Rng) {
    let has = |d: &Draft| d.edges.iter().any(|e| e.1 == Some(action));
    let [one, other] = pair.map(|c| has(&drafts[c as usize]));
    let lacking = match (one, other) {
        (true, false) => pair[1],
        (false, true) => pair[0],
        _ => return,
    };
    let draft = &mut drafts[lacking as usize];
    let (from, to) = (rng.below(draft.states), rng.below(draft.states));
    draft.edges.push((from, Some(action), to));
}

fn finished(number: usize, draft: &Draft) -> ActionAutomaton {
    let name = |place: usize, action: Option<u32>| match action {
        Some(action) => format!("g{action}"),
        None => format!("i{number}_{place}"),
    };
    let edges: Vec<_> = draft.edges.iter().enumerate().map(|(n, e)| (e.0, name(n, e.1), e.2)).collect();
    automaton(format!("component {number}"), draft.states, &draft.accepting, &edges)
}
