//! Strongly connected components of a graph that is searched depth first, on the fly.
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999). Nodes are numbered in the order of their
//! arrival. A node can be *good*; what is looked for is a cycle through a good one.

/// A node whose component is complete.
const DONE: u32 = u32::MAX;

/// The first node of a component that may still grow.
#[derive(Clone, Copy, Debug)]
struct Root {
    order: u32,
    /// A good node of the component.
    good: Option<u32>,
}

/// The components of the part of a graph that has been seen.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// By node: its place in the order of arrival.
    order: Vec<u32>,
    /// The nodes whose components may still grow, in the order of arrival.
    open: Vec<u32>,
    roots: Vec<Root>,
}

impl Components {
    /// A new node; its number is the number of nodes so far.
    pub fn arrive(&mut self, good: bool) -> u32 {
        let node = self.order.len() as u32;
        self.order.push(node);
        self.open.push(node);
        self.roots.push(Root { order: node, good: good.then_some(node) });
        node
    }

    /// A step from the last node of the path leads to a node that is known; a good node on a cycle, if there is one now.
    pub fn meet(&mut self, node: u32) -> Option<u32> {
        let order = self.order[node as usize];
        if order == DONE {
            return None;
        }
        let mut good = None;
        while let Some(root) = self.roots.pop() {
            good = root.good.or(good);
            if root.order <= order {
                self.roots.push(Root { order: root.order, good });
                break;
            }
        }
        good
    }

    /// The path goes back from a node; the members of its component, if that is complete now.
    pub fn leave(&mut self, node: u32) -> Vec<u32> {
        if self.roots.last().is_none_or(|root| root.order != self.order[node as usize]) {
            return Vec::new();
        }
        self.roots.pop();
        let first = self.open.iter().rposition(|&n| n == node).unwrap_or(0);
        let members = self.open.split_off(first);
        members.iter().for_each(|&m| self.order[m as usize] = DONE);
        members
    }

    /// The first node of the component that was met last.
    pub fn root(&self) -> Option<u32> {
        self.roots.last().map(|root| root.order)
    }

    /// True if the node belongs to the component that was met last.
    pub fn inside(&self, node: u32) -> bool {
        let order = self.order[node as usize];
        order != DONE && self.root().is_some_and(|root| order >= root)
    }
}

/// The components of the whole graph of the nodes below `count`, each with its nodes, a component behind those that it leads
/// to. `successor` gives the successors of a node one after the other.
pub fn components(count: usize, successor: impl Fn(u32, usize) -> Option<u32>) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    each_component(count, successor, |members| found.push(members));
    found
}

/// The same, shown one by one, so that nobody has to keep them.
pub fn each_component(count: usize, successor: impl Fn(u32, usize) -> Option<u32>, mut found: impl FnMut(Vec<u32>)) {
    let mut all = Components::default();
    // Nodes are numbered here in another order than there.
    let (mut numbers, mut nodes) = (vec![None; count], Vec::new());
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..count as u32 {
        let mut reached = numbers[root as usize].is_none().then_some(root);
        loop {
            if let Some(node) = reached.take() {
                numbers[node as usize] = Some(all.arrive(false));
                nodes.push(node);
                path.push((node, 0));
            }
            let Some((node, next)) = path.last_mut() else { break };
            let (node, to) = (*node, successor(*node, *next));
            *next += 1;
            match (to, to.and_then(|to| numbers[to as usize])) {
                (Some(_), Some(number)) => _ = all.meet(number),
                (Some(to), None) => reached = Some(to),
                (None, _) => {
                    path.pop();
                    let members = numbers[node as usize].map(|number| all.leave(number)).unwrap_or_default();
                    if !members.is_empty() {
                        found(members.into_iter().map(|number| nodes[number as usize]).collect());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn a_cycle_is_seen_when_it_closes() {
        let mut all = Components::default();
        let a = all.arrive(false);
        let b = all.arrive(true);
        let c = all.arrive(false);
        assert_eq!(all.meet(c), None, "a loop at a node that is not good");
        assert_eq!(all.meet(a), Some(b));
        assert_eq!(all.root(), Some(a));
        assert!(all.inside(c));
    }

    #[test]
    fn a_component_is_complete_when_its_first_node_is_left() {
        let mut all = Components::default();
        let (a, b, c) = (all.arrive(true), all.arrive(false), all.arrive(false));
        assert_eq!(all.meet(b), None);
        assert_eq!(all.leave(c), vec![]);
        assert_eq!(all.leave(b), vec![b, c]);
        assert_eq!(all.meet(c), None, "it is complete");
        assert_eq!(all.leave(a), vec![a]);
    }

    fn reaches(successors: &[Vec<u32>], from: usize) -> Vec<bool> {
        let (mut seen, mut todo) = (vec![false; successors.len()], vec![from]);
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend(successors[node].iter().map(|&to| to as usize));
            }
        }
        seen
    }

    #[test]
    fn two_nodes_share_a_component_if_each_reaches_the_other() {
        for seed in 0..500 {
            println!("seed {seed}");
            let mut random = Random::new(seed);
            let count = 1 + random.below(12) as usize;
            let mut successors = vec![Vec::new(); count];
            for _ in 0..random.below(30) {
                successors[random.below(count as u64) as usize].push(random.below(count as u64) as u32);
            }
            let reached: Vec<_> = (0..count).map(|node| reaches(&successors, node)).collect();
            let mut of = vec![usize::MAX; count];
            for (number, members) in
                components(count, |node, next| successors[node as usize].get(next).copied()).iter().enumerate()
            {
                members.iter().for_each(|&m| of[m as usize] = number);
            }
            for a in 0..count {
                for b in 0..count {
                    assert_eq!(of[a] == of[b], reached[a][b] && reached[b][a], "{a} {b}");
                }
            }
        }
    }
}
