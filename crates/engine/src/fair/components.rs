//! Strongly connected components of a graph that is given as lists (Tarjan 1972), without recursion.

/// The components of the graph in which node `n` has the successors `successors[n]`, each with its nodes.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let count = successors.len();
    let mut search =
        Tarjan { successors, time: 0, order: vec![NEW; count], low: vec![NEW; count], open: vec![], found: vec![] };
    for root in 0..count as u32 {
        if search.order[root as usize] == NEW {
            search.walk(root);
        }
    }
    search.found
}

const NEW: u32 = u32::MAX;
/// The order of a node whose component is complete.
const DONE: u32 = u32::MAX - 1;

struct Tarjan<'a> {
    successors: &'a [Vec<u32>],
    time: u32,
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    found: Vec<Vec<u32>>,
}

impl Tarjan<'_> {
    fn walk(&mut self, root: u32) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some(&to) = self.successors[node as usize].get(*next) else {
                path.pop();
                self.leave(node);
                if let Some((below, _)) = path.last() {
                    self.lower(*below, self.low[node as usize]);
                }
                continue;
            };
            *next += 1;
            match self.order[to as usize] {
                NEW => {
                    self.enter(to);
                    path.push((to, 0));
                }
                DONE => {}
                order => self.lower(node, order),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.time;
        self.low[node as usize] = self.time;
        self.time += 1;
        self.open.push(node);
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = to.min(*low);
    }

    /// Closes the component of a node if the node is its first.
    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.order[node as usize] {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == node).unwrap_or(0);
        let component = self.open.split_off(start);
        for &member in &component {
            (self.order[member as usize], self.low[member as usize]) = (DONE, NEW);
        }
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

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
            for (number, members) in components(&successors).iter().enumerate() {
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
