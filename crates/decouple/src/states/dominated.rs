//! Which decoupled states share a center, and whether one of them has larger sets than a new one (Gnad and Hoffmann,
//! Star-topology decoupled state space search, AIJ 2018).
//!
//! Most centers have a few states, which are looked at one after the other; those with many have a tree (`store::Cover`).

use rapidhash::RapidHashMap;
use starwheel_store::Cover;

/// No node.
const NONE: u32 = u32::MAX;
/// So many nodes are looked at one after the other.
const FEW: usize = 16;

/// The nodes of each center.
#[derive(Debug, Default)]
pub struct Dominated {
    /// By node: the node with the same center that came before it.
    older: Vec<u32>,
    /// By center: its youngest node.
    youngest: Vec<u32>,
    /// By center with many nodes.
    covers: RapidHashMap<u32, Cover>,
    bytes: u64,
}

impl Dominated {
    /// The nodes with a center, youngest first.
    fn nodes(&self, center: u32) -> impl Iterator<Item = u32> {
        let step = |n: u32| (n != NONE).then_some(n);
        let first = self.youngest.get(center as usize).copied().and_then(step);
        std::iter::successors(first, move |&n| step(self.older[n as usize]))
    }

    /// True if a node with the same center has larger sets or the same, given the sets of each node.
    pub fn covered<R: Iterator<Item = u32>>(
        &self,
        center: u32,
        sets: &[u32],
        row: impl Fn(u32) -> R,
        within: impl Fn(u32, u32) -> bool,
    ) -> bool {
        match self.covers.get(&center) {
            Some(cover) => cover.covers(sets, &|_, small, large| within(small, large)),
            None => self.nodes(center).any(|n| sets.iter().zip(row(n)).all(|(&small, large)| within(small, large))),
        }
    }

    /// Adds the node that comes next; its own sets are among those that are asked for.
    pub fn add<R: Iterator<Item = u32>>(&mut self, center: u32, sets: &[u32], row: impl Fn(u32) -> R) {
        let (node, place) = (self.older.len() as u32, center as usize);
        if self.youngest.len() <= place {
            self.youngest.resize(place + 1, NONE);
        }
        self.older.push(std::mem::replace(&mut self.youngest[place], node));
        if let Some(cover) = self.covers.get_mut(&center) {
            self.bytes -= cover.bytes();
            cover.insert(sets);
            self.bytes += cover.bytes();
        } else if self.nodes(center).nth(FEW).is_some() {
            let mut cover = Cover::new(sets.len());
            self.nodes(center).for_each(|n| cover.insert(&row(n).collect::<Vec<_>>()));
            self.bytes += cover.bytes();
            self.covers.insert(center, cover);
        }
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        4 * (self.older.len() + self.youngest.len()) as u64 + self.bytes + 80 * self.covers.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small numbers as bit sets, few and many with the same center, compared with a look at every one.
    #[test]
    fn as_a_list_would_answer() {
        let mut seed = 7_u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % n) as u32
        };
        let within = |a: u32, b: u32| a & !b == 0;
        let (mut dominated, mut rows): (Dominated, Vec<(u32, Vec<u32>)>) = (Dominated::default(), Vec::new());
        for _ in 0..3000 {
            let center = below(8) * below(2);
            let sets: Vec<u32> = (0..3).map(|_| below(256)).collect();
            let same = rows.iter().filter(|r| r.0 == center);
            let known = same.into_iter().any(|r| sets.iter().zip(&r.1).all(|(&a, &b)| within(a, b)));
            let row = |n: u32| rows[n as usize].1.iter().copied();
            assert_eq!(dominated.covered(center, &sets, row, within), known, "{sets:?}");
            if !known {
                rows.push((center, sets.clone()));
                dominated.add(center, &sets, |n| rows[n as usize].1.iter().copied());
            }
        }
        assert!(!dominated.covers.is_empty());
    }
}
