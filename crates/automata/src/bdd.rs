//! Binary decision diagrams, just as many as labels need (R. Bryant, "Graph-based algorithms for boolean function manipulation", 1986).
//!
//! There is no garbage collection: a store lives as long as one translation. When it is full, or when there is no more time,
//! it answers with nonsense and says so through [`Bdd::is_full`]; whoever uses it asks before believing.

use std::collections::HashMap;
use std::rc::Rc;

use starwheel_base::cancel::Watch;

/// A function, by its number in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Func(u32);

/// The number of a variable; smaller ones are asked first.
pub(crate) type Var = u32;

/// A conjunction of literals: variables and whether they are true.
pub(crate) type Literals = Vec<(Var, bool)>;

#[derive(Clone, Copy, Debug)]
struct Decision {
    var: Var,
    low: Func,
    high: Func,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Task {
    And,
    Or,
    Not,
}

/// Results of tasks that are kept.
const CACHE: usize = 1 << 20;

/// Remainders of a function with their conditions.
type Pairs = Rc<Vec<(Func, Func)>>;
/// The remainders of functions that were asked for.
type Remainders = HashMap<Func, Pairs>;

/// The store of functions.
#[derive(Debug)]
pub(crate) struct Bdd {
    nodes: Vec<Decision>,
    numbers: HashMap<(Var, Func, Func), Func>,
    known: HashMap<(Task, Func, Func), Func>,
    limit: usize,
    watch: Watch,
}

impl Bdd {
    pub const FALSE: Func = Func(0);
    pub const TRUE: Func = Func(1);

    /// A store of at most `limit` functions.
    pub fn new(limit: usize, watch: Watch) -> Bdd {
        let leaf = |func| Decision { var: Var::MAX, low: func, high: func };
        let nodes = vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)];
        Bdd { nodes, numbers: HashMap::new(), known: HashMap::new(), limit, watch }
    }

    /// True if results can no longer be believed.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit || self.watch.stopped()
    }

    /// From now on the store may grow as it likes: functions that were made before are to be read.
    pub fn lift_limit(&mut self) {
        self.limit = usize::MAX;
        self.known.clear();
    }

    fn decide(&mut self, var: Var, low: Func, high: Func) -> Func {
        if low == high {
            return low;
        }
        if let Some(&found) = self.numbers.get(&(var, low, high)) {
            return found;
        }
        if self.is_full() {
            return Bdd::FALSE;
        }
        let func = Func(self.nodes.len() as u32);
        self.nodes.push(Decision { var, low, high });
        self.numbers.insert((var, low, high), func);
        func
    }

    fn node(&self, func: Func) -> Decision {
        self.nodes[func.0 as usize]
    }

    /// The variable, or its negation.
    pub fn literal(&mut self, var: Var, positive: bool) -> Func {
        let (low, high) = if positive { (Bdd::FALSE, Bdd::TRUE) } else { (Bdd::TRUE, Bdd::FALSE) };
        self.decide(var, low, high)
    }

    pub fn not(&mut self, a: Func) -> Func {
        match a {
            Bdd::FALSE => return Bdd::TRUE,
            Bdd::TRUE => return Bdd::FALSE,
            _ => {}
        }
        if let Some(&found) = self.known.get(&(Task::Not, a, a)) {
            return found;
        }
        if self.is_full() {
            return Bdd::FALSE;
        }
        let node = self.node(a);
        let (low, high) = (self.not(node.low), self.not(node.high));
        let result = self.decide(node.var, low, high);
        self.remember((Task::Not, a, a), result);
        result
    }

    pub fn and(&mut self, a: Func, b: Func) -> Func {
        match (a, b) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => Bdd::FALSE,
            (Bdd::TRUE, other) | (other, Bdd::TRUE) => other,
            _ if a == b => a,
            _ => self.combine(Task::And, a, b),
        }
    }

    pub fn or(&mut self, a: Func, b: Func) -> Func {
        match (a, b) {
            (Bdd::TRUE, _) | (_, Bdd::TRUE) => Bdd::TRUE,
            (Bdd::FALSE, other) | (other, Bdd::FALSE) => other,
            _ if a == b => a,
            _ => self.combine(Task::Or, a, b),
        }
    }

    fn combine(&mut self, task: Task, a: Func, b: Func) -> Func {
        let key = (task, a.min(b), a.max(b));
        if let Some(&found) = self.known.get(&key) {
            return found;
        }
        // Results that cannot be kept would be worked out again and again.
        if self.is_full() {
            return Bdd::FALSE;
        }
        let var = self.node(a).var.min(self.node(b).var);
        let ((a0, a1), (b0, b1)) = (self.halves(a, var), self.halves(b, var));
        let (low, high) = match task {
            Task::And => (self.and(a0, b0), self.and(a1, b1)),
            _ => (self.or(a0, b0), self.or(a1, b1)),
        };
        let result = self.decide(var, low, high);
        self.remember(key, result);
        result
    }

    fn remember(&mut self, key: (Task, Func, Func), result: Func) {
        if self.known.len() >= CACHE {
            self.known.clear();
        }
        self.known.insert(key, result);
    }

    /// The function for `var` false and true; `var` comes no later than the function's own variables.
    fn halves(&self, func: Func, var: Var) -> (Func, Func) {
        let node = self.node(func);
        if node.var == var { (node.low, node.high) } else { (func, func) }
    }

    /// `a` without `b`.
    pub fn minus(&mut self, a: Func, b: Func) -> Func {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    pub fn implies(&mut self, a: Func, b: Func) -> bool {
        a == b || self.minus(a, b) == Bdd::FALSE
    }

    /// What remains of a function when the variables below `bound` are known: each remainder, with the condition on these
    /// variables. None if there are more than `limit`.
    pub fn remainders(&mut self, func: Func, bound: Var, limit: usize) -> Option<Vec<(Func, Func)>> {
        self.remainders_known(func, bound, limit, &mut HashMap::new()).map(|list| (*list).clone())
    }

    fn remainders_known(&mut self, func: Func, bound: Var, limit: usize, known: &mut Remainders) -> Option<Pairs> {
        if let Some(found) = known.get(&func) {
            return Some(found.clone());
        }
        if self.is_full() {
            return None;
        }
        let node = self.node(func);
        let (mut list, mut places) = (Vec::new(), HashMap::new());
        if node.var >= bound {
            list.push((func, Bdd::TRUE));
        } else {
            for (half, value) in [(node.low, false), (node.high, true)] {
                let literal = self.literal(node.var, value);
                for &(remainder, condition) in self.remainders_known(half, bound, limit, known)?.iter() {
                    let condition = self.and(literal, condition);
                    let place = *places.entry(remainder).or_insert(list.len());
                    match list.get_mut(place) {
                        None => list.push((remainder, condition)),
                        Some((_, sum)) => *sum = self.or(*sum, condition),
                    }
                }
            }
        }
        let list = Rc::new(list);
        known.insert(func, list.clone());
        (list.len() <= limit).then_some(list)
    }

    /// A letter, as the variables that are true in it, for which the function is true.
    pub fn witness(&self, func: Func) -> Option<Vec<Var>> {
        let (mut at, mut vars) = (func, Vec::new());
        while at > Bdd::TRUE {
            let node = self.node(at);
            if node.low == Bdd::FALSE {
                vars.push(node.var);
                at = node.high;
            } else {
                at = node.low;
            }
        }
        (at == Bdd::TRUE).then_some(vars)
    }

    /// The smallest sets of variables whose truth makes a monotone function true, or none if there are more than `limit`.
    pub fn smallest_sets(&self, func: Func, limit: usize) -> Option<Vec<Vec<Var>>> {
        let mut known = HashMap::new();
        self.smallest_known(func, limit, &mut known).map(|sets| (*sets).clone())
    }

    fn smallest_known(
        &self,
        func: Func,
        limit: usize,
        known: &mut HashMap<Func, Rc<Vec<Vec<Var>>>>,
    ) -> Option<Rc<Vec<Vec<Var>>>> {
        match func {
            Bdd::FALSE => return Some(Rc::default()),
            Bdd::TRUE => return Some(Rc::new(vec![Vec::new()])),
            _ => {}
        }
        if let Some(found) = known.get(&func) {
            return Some(found.clone());
        }
        if self.is_full() {
            return None;
        }
        let node = self.node(func);
        let without = self.smallest_known(node.low, limit, known)?;
        let with = self.smallest_known(node.high, limit, known)?;
        let mut sets = (*without).clone();
        for set in with.iter() {
            let larger = |small: &Vec<Var>| small.iter().all(|var| set.contains(var));
            if !without.iter().any(larger) {
                sets.push([vec![node.var], set.clone()].concat());
            }
        }
        let sets = Rc::new(sets);
        known.insert(func, sets.clone());
        (sets.len() <= limit).then_some(sets)
    }

    /// A sum of products without superfluous products (S. Minato, "Fast generation of irredundant sum-of-products forms", 1992).
    /// None if there are more than `limit`.
    pub fn products(&mut self, func: Func, limit: usize) -> Option<Vec<Literals>> {
        self.products_between(func, func, limit).map(|(products, _)| products)
    }

    /// Products that cover `lower` and stay within `upper`, and their sum.
    fn products_between(&mut self, lower: Func, upper: Func, limit: usize) -> Option<(Vec<Literals>, Func)> {
        if lower == Bdd::FALSE {
            return Some((Vec::new(), Bdd::FALSE));
        }
        if upper == Bdd::TRUE {
            return Some((vec![Vec::new()], Bdd::TRUE));
        }
        if self.is_full() {
            return None;
        }
        let var = self.node(lower).var.min(self.node(upper).var);
        let ((l0, l1), (u0, u1)) = (self.halves(lower, var), self.halves(upper, var));
        let (only0, only1) = (self.minus(l0, u1), self.minus(l1, u0));
        let (products0, sum0) = self.products_between(only0, u0, limit)?;
        let (products1, sum1) = self.products_between(only1, u1, limit)?;
        let (rest0, rest1) = (self.minus(l0, sum0), self.minus(l1, sum1));
        let (rest, both) = (self.or(rest0, rest1), self.and(u0, u1));
        let (mut products, sum) = self.products_between(rest, both, limit)?;
        for (list, value) in [(products0, false), (products1, true)] {
            products.extend(list.into_iter().map(|product| [vec![(var, value)], product].concat()));
        }
        let (low, high) = (self.or(sum, sum0), self.or(sum, sum1));
        (products.len() <= limit).then(|| (products, self.decide(var, low, high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    /// A random function over four variables, as a diagram and as a table of 16 bits.
    fn random(bdd: &mut Bdd, rng: &mut Rng, depth: u32) -> (Func, u16) {
        const COLUMNS: [u16; 4] = [0xAAAA, 0xCCCC, 0xF0F0, 0xFF00];
        if depth == 0 {
            let var = rng.below(4);
            return (bdd.literal(var, true), COLUMNS[var as usize]);
        }
        let (a, table_a) = random(bdd, rng, depth - 1);
        match rng.below(3) {
            0 => (bdd.not(a), !table_a),
            task => {
                let (b, table_b) = random(bdd, rng, depth - 1);
                if task == 1 { (bdd.and(a, b), table_a & table_b) } else { (bdd.or(a, b), table_a | table_b) }
            }
        }
    }

    /// Equal tables mean equal functions, and the products of a function have its table.
    #[test]
    fn canonical_and_products() {
        let (mut bdd, mut rng, mut seen) = (Bdd::new(1 << 20, Watch::never()), Rng::new(5), HashMap::new());
        for _ in 0..500 {
            let (func, table) = random(&mut bdd, &mut rng, 4);
            assert_eq!(*seen.entry(table).or_insert(func), func);
            let admitted = |product: &Literals, letter: u16| product.iter().all(|&(v, b)| (letter >> v & 1 == 1) == b);
            let products = bdd.products(func, 16).unwrap();
            for letter in 0..16 {
                assert_eq!(products.iter().any(|p| admitted(p, letter)), table >> letter & 1 == 1);
            }
        }
    }

    /// The smallest sets of (x && y) || z || (x && z) are {x, y} and {z}; remainders after x are y || z and z.
    #[test]
    fn sets_and_remainders() {
        let mut bdd = Bdd::new(1000, Watch::never());
        let [x, y, z] = [0, 1, 2].map(|var| bdd.literal(var, true));
        let (xy, xz) = (bdd.and(x, y), bdd.and(x, z));
        let sum = bdd.or(xy, z);
        let sum = bdd.or(sum, xz);
        let mut sets = bdd.smallest_sets(sum, 10).unwrap();
        sets.sort();
        assert_eq!(sets, vec![vec![0, 1], vec![2]]);
        assert_eq!(bdd.smallest_sets(sum, 1), None);
        let (not_x, y_or_z) = (bdd.not(x), bdd.or(y, z));
        assert_eq!(bdd.remainders(sum, 1, 2), Some(vec![(z, not_x), (y_or_z, x)]));
        assert_eq!(bdd.remainders(sum, 1, 1), None);
        assert_eq!(bdd.witness(xy), Some(vec![0, 1]));
        assert_eq!(bdd.witness(Bdd::FALSE), None);
    }
}
