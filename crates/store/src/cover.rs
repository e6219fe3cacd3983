//! Remembers vectors of numbers and says whether one of them covers another, place by place.
//!
//! A tree with one level for each place, whose branches end as soon as only one vector is left. A question descends only
//! into branches that cover its first places, which is far less than a look at every vector.

/// A set of vectors of the same length.
#[derive(Debug)]
pub struct Cover {
    width: usize,
    rows: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Debug)]
enum Node {
    /// The only vector with these first places.
    Row(u32),
    /// The number at the next place, and the node for it.
    Branch(Vec<(u32, u32)>),
}

impl Cover {
    /// An empty set of vectors of this length.
    pub fn new(width: usize) -> Cover {
        Cover { width, rows: Vec::new(), nodes: vec![Node::Branch(Vec::new())] }
    }

    /// Bytes used.
    pub fn bytes(&self) -> u64 {
        (self.rows.len() * 4 + self.nodes.len() * (size_of::<Node>() + 8)) as u64
    }

    fn row(&self, row: u32) -> &[u32] {
        &self.rows[row as usize * self.width..][..self.width]
    }

    /// Adds a vector.
    pub fn insert(&mut self, keys: &[u32]) {
        debug_assert_eq!(keys.len(), self.width);
        let new = (self.rows.len() / self.width.max(1)) as u32;
        self.rows.extend_from_slice(keys);
        let mut at = 0usize;
        for (depth, &key) in keys.iter().enumerate() {
            if let Node::Row(old) = self.nodes[at] {
                if self.row(old)[depth..] == keys[depth..] {
                    self.rows.truncate(self.rows.len() - self.width);
                    return;
                }
                let child = self.add(Node::Row(old));
                self.nodes[at] = Node::Branch(vec![(self.row(old)[depth], child)]);
            }
            let child = match &self.nodes[at] {
                Node::Branch(children) => children.iter().find(|c| c.0 == key).map(|c| c.1),
                Node::Row(_) => None,
            };
            match child {
                Some(child) => at = child as usize,
                None => {
                    let child = self.add(Node::Row(new));
                    if let Node::Branch(children) = &mut self.nodes[at] {
                        children.push((key, child));
                    }
                    return;
                }
            }
        }
        // All places are the same as those of a vector that is there.
        self.rows.truncate(self.rows.len() - self.width);
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// True if some vector covers this one: `within(place, ours, theirs)` at every place.
    pub fn covers(&self, keys: &[u32], within: &impl Fn(usize, u32, u32) -> bool) -> bool {
        self.below(0, 0, keys, within)
    }

    fn below(&self, at: usize, depth: usize, keys: &[u32], within: &impl Fn(usize, u32, u32) -> bool) -> bool {
        match &self.nodes[at] {
            Node::Row(row) => {
                let rest = self.row(*row).iter().enumerate().skip(depth);
                rest.into_iter().all(|(place, &other)| within(place, keys[place], other))
            }
            Node::Branch(children) if depth < keys.len() => children.iter().any(|&(other, child)| {
                within(depth, keys[depth], other) && self.below(child as usize, depth + 1, keys, within)
            }),
            Node::Branch(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small numbers as bit sets, compared with a look at every vector.
    #[test]
    fn as_a_list_would_answer() {
        let mut seed = 3_u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as u32
        };
        let within = |_: usize, a: u32, b: u32| a & !b == 0;
        for width in [1, 2, 5] {
            let (mut cover, mut list) = (Cover::new(width), Vec::new());
            for _ in 0..400 {
                let keys: Vec<u32> = (0..width).map(|_| below(16)).collect();
                let known = list.iter().any(|r: &Vec<u32>| keys.iter().zip(r).all(|(a, b)| a & !b == 0));
                assert_eq!(cover.covers(&keys, &within), known, "{keys:?}");
                if below(8) == 0 {
                    cover.insert(&keys);
                    list.push(keys);
                }
            }
        }
    }
}
