//! The strongly connected components of a small graph (the path-based algorithm of Gabow, 2000), without recursion.

use super::graph::Node;

const NEW: u32 = u32::MAX;

/// By state: the number of its component.
pub fn components(nodes: &[Node]) -> Vec<u32> {
    let mut search = Search {
        nodes,
        order: vec![NEW; nodes.len()],
        component: vec![NEW; nodes.len()],
        open: Vec::new(),
        roots: Vec::new(),
        time: 0,
        found: 0,
    };
    for root in 0..nodes.len() as u32 {
        if search.order[root as usize] == NEW {
            search.walk(root);
        }
    }
    search.component
}

struct Search<'a> {
    nodes: &'a [Node],
    /// By state: when it was reached.
    order: Vec<u32>,
    component: Vec<u32>,
    /// The states whose components are not complete.
    open: Vec<u32>,
    /// The first state of each component that is not complete.
    roots: Vec<u32>,
    time: u32,
    found: u32,
}

impl Search<'_> {
    fn walk(&mut self, root: u32) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(edge) = self.nodes[node as usize].edges.get(*next) else {
                self.leave(node);
                path.pop();
                continue;
            };
            *next += 1;
            if self.order[edge.to as usize] == NEW {
                self.enter(edge.to);
                path.push((edge.to, 0));
            } else if self.component[edge.to as usize] == NEW {
                let order = &self.order;
                let first = order[edge.to as usize];
                while self.roots.pop_if(|top| order[*top as usize] > first).is_some() {}
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.time;
        self.time += 1;
        self.open.push(node);
        self.roots.push(node);
    }

    fn leave(&mut self, node: u32) {
        if self.roots.pop_if(|top| *top == node).is_none() {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = self.found;
            if member == node {
                break;
            }
        }
        self.found += 1;
    }
}
