//! Hide sets: for each token the macros it came out of, which it must not be expanded by again.
//!
//! This is Dave Prosser's algorithm of 1984, from which the C standard's wording was made: a token's set is the set of
//! the macro's name joined with the macro itself; for a macro with parameters the sets of the name and of the closing
//! parenthesis are intersected first.

use super::names::Symbol;
use std::collections::{HashMap, HashSet};

/// A set of macro names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct HideSet(u32);

impl HideSet {
    /// Nothing is hidden.
    pub const EMPTY: HideSet = HideSet(0);
}

struct Node {
    rest: HideSet,
    name: Symbol,
    size: u32,
}

/// All hide sets. Each is a list that shares its tail with others; lists with the same members may differ in order.
pub(super) struct HideSets {
    // Set n > 0 is node n - 1.
    nodes: Vec<Node>,
    known: HashMap<(HideSet, Symbol), HideSet>,
    unions: HashMap<(HideSet, HideSet), HideSet>,
    intersections: HashMap<(HideSet, HideSet), HideSet>,
    /// How many list members were looked at so far, which is what this costs.
    pub steps: u64,
}

impl HideSets {
    /// Only the empty set.
    pub fn new() -> HideSets {
        let (known, unions, intersections) = (HashMap::new(), HashMap::new(), HashMap::new());
        HideSets { nodes: Vec::new(), known, unions, intersections, steps: 0 }
    }

    fn members(&self, set: HideSet) -> impl Iterator<Item = Symbol> + '_ {
        let node = |set: HideSet| set.0.checked_sub(1).map(|i| &self.nodes[i as usize]);
        std::iter::successors(node(set), move |n| node(n.rest)).map(|n| n.name)
    }

    fn size(&self, set: HideSet) -> u32 {
        set.0.checked_sub(1).map_or(0, |i| self.nodes[i as usize].size)
    }

    /// True if the macro is hidden.
    pub fn contains(&mut self, set: HideSet, name: Symbol) -> bool {
        self.steps += u64::from(self.size(set));
        self.members(set).any(|n| n == name)
    }

    /// The set with one more name.
    pub fn with(&mut self, set: HideSet, name: Symbol) -> HideSet {
        if self.contains(set, name) { set } else { self.cons(set, name) }
    }

    fn cons(&mut self, rest: HideSet, name: Symbol) -> HideSet {
        if let Some(&known) = self.known.get(&(rest, name)) {
            return known;
        }
        let size = self.size(rest) + 1;
        self.nodes.push(Node { rest, name, size });
        let set = HideSet(self.nodes.len() as u32);
        self.known.insert((rest, name), set);
        set
    }

    /// All names of both sets.
    pub fn union(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b || b == HideSet::EMPTY {
            return a;
        }
        if a == HideSet::EMPTY {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let (_, new) = self.split(b, a);
        let union = new.into_iter().rev().fold(a, |set, name| self.cons(set, name));
        self.unions.insert((a, b), union);
        union
    }

    /// The names that are in both sets.
    pub fn intersection(&mut self, a: HideSet, b: HideSet) -> HideSet {
        if a == b || a == HideSet::EMPTY {
            return a;
        }
        if b == HideSet::EMPTY {
            return b;
        }
        if let Some(&known) = self.intersections.get(&(a, b)) {
            return known;
        }
        let (both, _) = self.split(a, b);
        let intersection = both.into_iter().rev().fold(HideSet::EMPTY, |set, name| self.cons(set, name));
        self.intersections.insert((a, b), intersection);
        intersection
    }

    /// The names of the first set that are in the second one, and those that are not.
    fn split(&mut self, a: HideSet, b: HideSet) -> (Vec<Symbol>, Vec<Symbol>) {
        self.steps += 4 * u64::from(self.size(a) + self.size(b));
        let there: HashSet<Symbol> = self.members(b).collect();
        self.members(a).partition(|name| there.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::*;

    #[test]
    fn sets_join_and_intersect_by_membership_whatever_the_order() {
        let mut names = Names::new();
        let (a, b, c) = (names.symbol("a"), names.symbol("b"), names.symbol("c"));
        let mut hides = HideSets::new();
        let ab = [a, b].iter().fold(HideSet::EMPTY, |s, &n| hides.with(s, n));
        let bc = [b, c].iter().fold(HideSet::EMPTY, |s, &n| hides.with(s, n));
        let all = hides.union(ab, bc);
        let shared = hides.intersection(ab, bc);
        assert!([a, b, c].iter().all(|&n| hides.contains(all, n)));
        assert!(hides.contains(shared, b) && !hides.contains(shared, a) && !hides.contains(shared, c));
        assert_eq!(hides.with(ab, a), ab);
    }
}
