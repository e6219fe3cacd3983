//! Whether a system has a fair cycle through an accepting state, decided on the fully built graph of all its steps.
//!
//! Nothing of this is shared with the searches: transient states are nodes like all others, and components are
//! intersections of what can be reached forward and backward.

use starwheel_engine::Fairness;
use starwheel_model::{Step, System};
use std::collections::{BTreeSet, HashMap};

/// The graph of all steps.
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

pub struct Node {
    pub transient: bool,
    pub accepting: bool,
    pub stuck: bool,
    /// The processes that can move, if all may choose here.
    pub choice: Option<BTreeSet<u8>>,
}

pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub moved: BTreeSet<u8>,
    /// Only a claim moves, and no process can.
    pub stutter: bool,
}

fn movers(steps: &[Step]) -> BTreeSet<u8> {
    steps.iter().flat_map(|s| s.agents()).collect()
}

impl Graph {
    /// Builds it; `None` if there are more than so many nodes.
    pub fn build(system: &dyn System, limit: usize) -> Option<Graph> {
        let mut stepper = system.stepper();
        let hidden = system.hidden_bytes();
        let mut graph = Graph { nodes: Vec::new(), edges: Vec::new() };
        let mut first = Vec::new();
        if stepper.initial(&mut first).broken {
            return Some(graph);
        }
        let mut index = HashMap::from([(first[hidden..].to_vec(), 0)]);
        let mut states = vec![(first, false)];
        while graph.nodes.len() < states.len() {
            if states.len() > limit {
                return None;
            }
            let from = graph.nodes.len();
            let (state, after_claim) = states[from].clone();
            let mut steps = Vec::new();
            stepper.enabled(&state, &mut steps);
            let transient = stepper.transient(&state);
            let choice = (!transient || after_claim) && !steps.iter().any(|s| s.actor.is_claim());
            graph.nodes.push(Node {
                transient,
                accepting: !transient && stepper.accepting(&state),
                stuck: steps.is_empty(),
                choice: choice.then(|| movers(&steps)),
            });
            for step in steps {
                let mut next = Vec::new();
                if stepper.fire(&state, step, &mut next).broken {
                    continue;
                }
                let claim = step.actor.is_claim();
                let stutter = claim && !stepper.transient(&next);
                let to = *index.entry(next[hidden..].to_vec()).or_insert_with(|| {
                    states.push((next.clone(), claim));
                    states.len() - 1
                });
                graph.edges.push(Edge { from, to, moved: movers(&[step]), stutter });
            }
        }
        Some(graph)
    }

    /// Whether there is a fair accepting cycle; with `stutter`, an accepting node without steps is one.
    pub fn fair_cycle(&self, fairness: Option<Fairness>, stutter: bool) -> bool {
        let ends = self.nodes.iter().any(|n| stutter && n.stuck && n.accepting && !n.transient);
        ends || self.search((0..self.nodes.len()).collect(), fairness)
    }

    fn search(&self, nodes: BTreeSet<usize>, fairness: Option<Fairness>) -> bool {
        // Each component with an accepting node is met at one of those.
        let mut rest: BTreeSet<usize> = nodes.iter().copied().filter(|&n| self.nodes[n].accepting).collect();
        while let Some(&node) = rest.first() {
            let forward = self.reach(node, &nodes, |e| (e.from, e.to));
            let backward = self.reach(node, &nodes, |e| (e.to, e.from));
            let component: BTreeSet<usize> = forward.intersection(&backward).copied().collect();
            rest.retain(|n| !component.contains(n));
            if self.judge(&component, fairness) {
                return true;
            }
        }
        false
    }

    fn reach(&self, from: usize, nodes: &BTreeSet<usize>, ends: impl Fn(&Edge) -> (usize, usize)) -> BTreeSet<usize> {
        let mut next = vec![Vec::new(); self.nodes.len()];
        for (a, b) in self.edges.iter().map(ends) {
            next[a].push(b);
        }
        let (mut found, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(node) = todo.pop() {
            if nodes.contains(&node) && found.insert(node) {
                todo.extend(&next[node]);
            }
        }
        found
    }

    fn judge(&self, component: &BTreeSet<usize>, fairness: Option<Fairness>) -> bool {
        let inside = |e: &&Edge| component.contains(&e.from) && component.contains(&e.to);
        let edges: Vec<&Edge> = self.edges.iter().filter(inside).collect();
        if edges.is_empty() || !component.iter().any(|&n| self.nodes[n].accepting) {
            return false;
        }
        let choices = || component.iter().filter_map(|&n| self.nodes[n].choice.as_ref());
        let pids: BTreeSet<u8> = choices().flatten().copied().collect();
        let moves = |pid: &u8| edges.iter().any(|e| e.moved.contains(pid));
        let waits = |pid: &u8| choices().any(|able| !able.contains(pid)) || edges.iter().any(|e| e.stutter);
        match fairness {
            None => true,
            Some(Fairness::Weak) => pids.iter().all(|pid| moves(pid) || waits(pid)),
            Some(Fairness::Strong) => match pids.iter().find(|pid| !moves(pid)) {
                None => true,
                Some(pid) => {
                    let able = |n: &usize| self.nodes[*n].choice.as_ref().is_some_and(|able| able.contains(pid));
                    self.search(component.iter().copied().filter(|n| !able(n)).collect(), fairness)
                }
            },
        }
    }
}
