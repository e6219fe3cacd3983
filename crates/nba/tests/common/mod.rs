//! Small random networks of every kind, and a look at their runs that is too simple to be wrong.

#![allow(dead_code)]

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use starwheel_automata::StateId;
use starwheel_automata::hoa::{ActionAutomaton, ActionEdge};
use starwheel_automata::random::Rng;
use starwheel_nba::{Acceptance, Local, Network};

/// A network of a few components with a few states; actions may be known to any number of them, or be of no use.
pub fn small(seed: u64) -> Vec<ActionAutomaton> {
    let mut rng = Rng::new(seed);
    let (count, actions) = (1 + rng.below(4), 1 + rng.below(6));
    let (most, internal) = (if count == 4 { 3 } else { 5 }, 10 * rng.below(10));
    let (density, accepting) = (1 + rng.below(3), 10 + 20 * rng.below(5));
    let knows: Vec<u32> = (0..actions).map(|_| 1 + rng.below((1 << count) - 1)).collect();
    (0..count).map(|c| component(&mut rng, c, most, internal, density, accepting, &knows)).collect()
}

fn component(
    rng: &mut Rng,
    c: u32,
    most: u32,
    internal: u32,
    density: u32,
    accepting: u32,
    knows: &[u32],
) -> ActionAutomaton {
    let states = 1 + rng.below(most);
    let own: Vec<u32> = (0..knows.len() as u32).filter(|&a| knows[a as usize] >> c & 1 == 1).collect();
    let mut actions: Vec<String> = own.iter().map(|a| format!("a{a}")).collect();
    actions.push(format!("i{c}"));
    let alone = own.len() as u32;
    let mut edge = || {
        let action = if own.is_empty() || rng.below(100) < internal { alone } else { rng.below(alone) };
        ActionEdge { from: StateId(rng.below(states)), action, to: StateId(rng.below(states)) }
    };
    let edges = (0..states * density).map(|_| edge()).collect();
    let mut initial = vec![StateId(rng.below(states))];
    if rng.below(8) == 0 {
        initial.push(StateId(rng.below(states)));
    }
    let accepting = (0..states).map(|_| rng.below(100) < accepting).collect();
    ActionAutomaton { actions, states, initial, accepting, edges, ..ActionAutomaton::default() }
}

type State = Vec<Local>;

fn steps(net: &Network, from: &State) -> Vec<State> {
    let mut out = Vec::new();
    for (number, action) in net.actions.iter().enumerate() {
        let mut ends = vec![from.clone()];
        for &c in &action.parts {
            let component = net.component(c);
            let edges: Vec<_> =
                component.internal(from[c.index()]).iter().chain(component.shared(from[c.index()])).collect();
            let edges = edges.into_iter().filter(|e| e.action.index() == number);
            let targets: Vec<Local> = edges.map(|e| e.to).collect();
            let extend = |end: State| {
                targets
                    .iter()
                    .map(move |&to| {
                        let mut end = end.clone();
                        end[c.index()] = to;
                        end
                    })
                    .collect::<Vec<_>>()
            };
            ends = ends.into_iter().flat_map(extend).collect();
        }
        out.extend(ends);
    }
    out
}

/// Everything behind some states, in one step or more.
fn behind(graph: &HashMap<State, Vec<State>>, from: &State) -> HashSet<State> {
    let (mut seen, mut work) = (HashSet::new(), vec![from]);
    while let Some(state) = work.pop() {
        for next in &graph[state] {
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    seen
}

/// True if there is an accepting run.
pub fn accepting_run(net: &Network, acceptance: Acceptance) -> bool {
    let mut starts: Vec<State> = vec![Vec::new()];
    for component in &net.components {
        let add = |start: State| {
            component.initial.iter().map(move |&s| [start.clone(), vec![s]].concat()).collect::<Vec<_>>()
        };
        starts = starts.into_iter().flat_map(add).collect();
    }
    let mut graph = HashMap::new();
    while let Some(state) = starts.pop() {
        if let Entry::Vacant(place) = graph.entry(state) {
            let next = steps(net, place.key());
            starts.extend(next.iter().cloned());
            place.insert(next);
        }
    }
    let accepts = |state: &State, c: usize| net.components[c].accepting[state[c].index()];
    let all = 0..net.components.len();
    graph.keys().any(|state| {
        let after = behind(&graph, state);
        if !after.contains(state) {
            return false;
        }
        match acceptance {
            Acceptance::Together => all.clone().all(|c| accepts(state, c)),
            Acceptance::Each => {
                let circle: Vec<&State> = after.iter().filter(|s| behind(&graph, s).contains(state)).collect();
                all.clone().all(|c| circle.iter().any(|s| accepts(s, c)))
            }
        }
    })
}
