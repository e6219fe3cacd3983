//! Searches written as simply as possible, to compare with.
#![allow(dead_code)]

use super::{Edge, Table};
use starwheel_base::Span;
use starwheel_model::ViolationKind;
use std::collections::{HashMap, HashSet};

pub type Key = (ViolationKind, Span);

/// What a recursive depth-first search of a table counts.
#[derive(Debug, Default)]
pub struct Naive {
    pub stored: HashSet<usize>,
    pub matched: u64,
    pub atomic_steps: u64,
    pub max_depth: u64,
    pub errors: u64,
    pub events: HashMap<Key, u64>,
    pub reached: HashSet<usize>,
    pub round: bool,
}

impl Naive {
    pub fn search(table: &Table) -> Naive {
        let mut naive = Naive::default();
        naive.stored.insert(0);
        naive.visit(table, 0, 0, &mut Vec::new());
        naive
    }

    fn event(&mut self, key: Key) {
        self.errors += 1;
        *self.events.entry(key).or_default() += 1;
    }

    /// `chain` holds the transient nodes since the last stored one.
    fn visit(&mut self, table: &Table, node: usize, depth: u64, chain: &mut Vec<usize>) {
        self.max_depth = self.max_depth.max(depth);
        if table.nodes[node].edges.is_empty()
            && let Some(violation) = &table.nodes[node].stuck
        {
            self.event((violation.kind, violation.span));
        }
        for &number in &table.nodes[node].edges {
            let edge = &table.edges[number];
            self.reached.insert(number);
            let cost = cost(edge);
            self.max_depth = self.max_depth.max(depth + cost - 1);
            for violation in &edge.violations {
                self.event((violation.kind, violation.span));
            }
            if edge.broken {
                continue;
            }
            if table.nodes[edge.to].transient {
                self.atomic_steps += 1;
                if chain.contains(&edge.to) {
                    self.round = true;
                    continue;
                }
                chain.push(edge.to);
                self.visit(table, edge.to, depth + cost, chain);
                chain.pop();
            } else if self.stored.insert(edge.to) {
                self.visit(table, edge.to, depth + cost, &mut Vec::new());
            } else {
                self.matched += 1;
            }
        }
    }
}

/// Distances in single steps from node 0, a handshake being two, for all nodes: rounds of shortening until none is left.
pub fn distances(table: &Table) -> HashMap<usize, u64> {
    let mut distances = HashMap::from([(0, 0)]);
    let mut shortened = true;
    while std::mem::take(&mut shortened) {
        for (number, node) in table.nodes.iter().enumerate() {
            let Some(&distance) = distances.get(&number) else { continue };
            for edge in node.edges.iter().map(|&edge| &table.edges[edge]).filter(|edge| !edge.broken) {
                let length = distance + cost(edge);
                if distances.get(&edge.to).is_none_or(|&known| length < known) {
                    distances.insert(edge.to, length);
                    shortened = true;
                }
            }
        }
    }
    distances
}

/// How much a step counts.
pub fn cost(edge: &Edge) -> u64 {
    1 + u64::from(edge.handshake)
}

/// By kind and place: the length of the shortest trail to a violation.
pub fn shortest(table: &Table) -> HashMap<Key, u64> {
    let mut shortest = HashMap::new();
    let mut note = |key: Key, length: u64| {
        let known = shortest.entry(key).or_insert(length);
        *known = length.min(*known);
    };
    for (node, distance) in distances(table) {
        let node = &table.nodes[node];
        if let (Some(violation), true) = (&node.stuck, node.edges.is_empty()) {
            note((violation.kind, violation.span), distance);
        }
        for &edge in &node.edges {
            for violation in &table.edges[edge].violations {
                note((violation.kind, violation.span), distance + cost(&table.edges[edge]));
            }
        }
    }
    shortest
}

/// The stored nodes that one chain of steps leads to.
fn successors(table: &Table, from: usize) -> HashSet<usize> {
    let (mut found, mut passed, mut todo) = (HashSet::new(), HashSet::new(), vec![from]);
    while let Some(node) = todo.pop() {
        for edge in table.nodes[node].edges.iter().map(|&edge| &table.edges[edge]).filter(|edge| !edge.broken) {
            if !table.nodes[edge.to].transient {
                found.insert(edge.to);
            } else if passed.insert(edge.to) {
                todo.push(edge.to);
            }
        }
    }
    found
}

/// The stored nodes that one or more chains lead to.
fn reachable(table: &Table, from: usize) -> HashSet<usize> {
    let (mut found, mut todo) = (HashSet::new(), vec![from]);
    while let Some(node) = todo.pop() {
        todo.extend(successors(table, node).into_iter().filter(|&next| found.insert(next)));
    }
    found
}

/// Whether an accepting node lies on a cycle, or has no step and counts as a cycle for that.
pub fn accepting_cycle(table: &Table, stutter: bool) -> bool {
    let mut nodes = reachable(table, 0);
    nodes.insert(0);
    nodes
        .into_iter()
        .filter(|&node| table.nodes[node].accepting)
        .any(|node| reachable(table, node).contains(&node) || (stutter && table.nodes[node].edges.is_empty()))
}
