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

#[cfg(test)]
mod tests {
    use super::*;

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
}
