//! What may come from each node of a graph on: one backward pass over its strongly connected components.
//!
//! The nodes of a component have the same things ahead of them, and a component joins what its successors have. So the
//! work is that of one join for each edge, whatever loops there are. Joined values can grow with the graph, though; if all
//! together become too heavy, the rest of the nodes share one value, the join of everything, which never says too little.

use starwheel_base::scc::components;
use std::sync::Arc;

/// How heavy all values of one graph may become together.
const HEAVIEST: usize = 10_000_000;

/// Something that can be collected from many nodes.
pub trait Joined: Clone {
    /// Adds all of another.
    fn join(&mut self, other: &Self);

    /// How much there is of it.
    fn weight(&self) -> usize;
}

/// For each node, its own value together with those of all nodes that can be reached from it.
pub fn ahead<T: Joined>(successors: &[Vec<usize>], own: &[T]) -> Vec<Arc<T>> {
    ahead_within(successors, own, HEAVIEST)
}

fn ahead_within<T: Joined>(successors: &[Vec<usize>], own: &[T], heaviest: usize) -> Vec<Arc<T>> {
    let found = components(successors);
    let mut members = vec![Vec::new(); found.count];
    found.of.iter().enumerate().for_each(|(node, &component)| members[component].push(node));
    let mut values: Vec<Arc<T>> = Vec::with_capacity(found.count);
    let (mut weight, mut all) = (0, None);
    // A component comes after those that it reaches.
    for list in &members {
        if weight > heaviest {
            let all: &Arc<T> = all.get_or_insert_with(|| Arc::new(everything(own)));
            values.push(all.clone());
            continue;
        }
        let mut value: Option<T> = None;
        let mut after: Vec<usize> = list.iter().flat_map(|&n| &successors[n]).map(|&n| found.of[n]).collect();
        after.sort_unstable();
        after.dedup();
        let later = after.iter().filter_map(|&c| values.get(c)).map(|v| &**v);
        for part in later.chain(list.iter().map(|&n| &own[n])) {
            match &mut value {
                Some(value) => value.join(part),
                None => value = Some(part.clone()),
            }
        }
        let value = value.map(Arc::new).unwrap_or_else(|| unreachable!("a component has a node"));
        weight += value.weight();
        values.push(value);
    }
    found.of.iter().map(|&component| values[component].clone()).collect()
}

fn everything<T: Joined>(own: &[T]) -> T {
    let mut all = own[0].clone();
    own[1..].iter().for_each(|part| all.join(part));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Joined for u64 {
        fn join(&mut self, other: &u64) {
            *self |= other;
        }

        fn weight(&self) -> usize {
            1
        }
    }

    fn naive(successors: &[Vec<usize>], own: &[u64], from: usize) -> u64 {
        let (mut seen, mut open, mut out) = (vec![false; own.len()], vec![from], 0);
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                out |= own[node];
                open.extend(&successors[node]);
            }
        }
        out
    }

    #[test]
    fn every_node_has_what_it_reaches_and_with_little_room_no_less() {
        let mut random = 1u64;
        let mut number = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for _ in 0..300 {
            let count = 1 + number(20) as usize;
            let edges =
                |number: &mut dyn FnMut(u64) -> u64| (0..number(3)).map(|_| number(count as u64) as usize).collect();
            let successors: Vec<Vec<usize>> = (0..count).map(|_| edges(&mut number)).collect();
            let own: Vec<u64> = (0..count).map(|n| 1 << n).collect();
            let exact = ahead(&successors, &own);
            let rough = ahead_within(&successors, &own, number(10) as usize);
            for node in 0..count {
                let right = naive(&successors, &own, node);
                assert_eq!(*exact[node], right);
                assert_eq!(*rough[node] & right, right, "something is missing");
            }
        }
    }
}
