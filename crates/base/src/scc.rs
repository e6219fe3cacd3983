//! Strongly connected components (R. Tarjan, "Depth-first search and linear graph algorithms", 1972), without recursion.

/// The components of a graph. A component's number is larger than those of all other components that it reaches.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node.
    pub of: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

struct Search<'a> {
    successors: &'a [Vec<usize>],
    order: Vec<usize>,
    low: Vec<usize>,
    open: Vec<usize>,
    found: Components,
}

const NEW: usize = usize::MAX;

/// The components of the graph in which node `n` has the successors `successors[n]`.
pub fn components(successors: &[Vec<usize>]) -> Components {
    let count = successors.len();
    let found = Components { of: vec![NEW; count], count: 0 };
    let mut search = Search { successors, order: vec![NEW; count], low: vec![0; count], open: Vec::new(), found };
    let mut time = 0;
    for root in 0..count {
        if search.order[root] == NEW {
            search.walk(root, &mut time);
        }
    }
    search.found
}

impl Search<'_> {
    fn walk(&mut self, root: usize, time: &mut usize) {
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next == 0 {
                self.order[node] = *time;
                self.low[node] = *time;
                *time += 1;
                self.open.push(node);
            }
            if let Some(&to) = self.successors[node].get(*next) {
                *next += 1;
                if self.order[to] == NEW {
                    path.push((to, 0));
                } else if self.found.of[to] == NEW {
                    self.low[node] = self.low[node].min(self.order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.order[node] {
                self.close(node);
            }
        }
    }

    fn close(&mut self, root: usize) {
        while let Some(node) = self.open.pop() {
            self.found.of[node] = self.found.count;
            if node == root {
                break;
            }
        }
        self.found.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cycles joined by an edge, a lone node and a node with a loop.
    #[test]
    fn small_graph() {
        let found = components(&[vec![1], vec![0, 2], vec![3], vec![2], vec![], vec![5, 4]]);
        assert_eq!(found.count, 4);
        assert_eq!(found.of[0], found.of[1]);
        assert_eq!(found.of[2], found.of[3]);
        assert!(found.of[0] > found.of[2], "a component comes after those that it reaches");
        assert!(found.of[5] > found.of[4]);
    }
}
