//! A cheap test that one formula implies another: it may miss implications, it never invents one.
//!
//! After F. Somenzi and R. Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000), with rules for weak until and
//! strong release, and with eventual and universal formulas (Etessami and Holzmann, CONCUR 2000).

use super::pool::{Id, Node, Op, Pool};

impl Pool {
    /// True if every word that satisfies `a` is seen to satisfy `b`.
    pub fn implies(&mut self, a: Id, b: Id) -> bool {
        if a == b || a == Pool::FALSE || b == Pool::TRUE {
            return true;
        }
        if a == Pool::TRUE || b == Pool::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        if self.watch.stopped() {
            return false;
        }
        let result = self.implies_boolean(a, b) || self.implies_left(a, b) || self.implies_right(a, b);
        self.implications.insert((a, b), result);
        result
    }

    /// True if no word is seen to satisfy both.
    pub fn excludes(&mut self, a: Id, b: Id) -> bool {
        let not_b = self.negate(b);
        self.implies(a, not_b) || {
            let not_a = self.negate(a);
            self.implies(b, not_a)
        }
    }

    fn implies_boolean(&mut self, a: Id, b: Id) -> bool {
        if let Node::Or(parts) = self.node(a).clone() {
            return parts.iter().all(|&part| self.implies(part, b));
        }
        if let Node::And(parts) = self.node(b).clone() {
            return parts.iter().all(|&part| self.implies(a, part));
        }
        if let Node::And(parts) = self.node(a).clone()
            && parts.iter().any(|&part| self.implies(part, b))
        {
            return true;
        }
        if let Node::Or(parts) = self.node(b).clone() {
            return parts.iter().any(|&part| self.implies(a, part));
        }
        false
    }

    /// Rules that look at the operator of `a`, and at that of `b` if it must be the same.
    fn implies_left(&mut self, a: Id, b: Id) -> bool {
        let late = self.is_eventual(b);
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Next(x), Node::Next(y)) if self.implies(x, y) => true,
            (Node::Next(x) | Node::Eventually(x), _) if late => self.implies(x, b),
            (Node::Always(x), _) => self.implies(x, b),
            (Node::Bin(op, x, y), Node::Bin(other, v, w)) if self.implies_binary((op, x, y), (other, v, w)) => true,
            (Node::Bin(op, x, y), _) => match op {
                Op::Until => late && self.implies(y, b) || self.implies(x, b) && self.implies(y, b),
                Op::Weak => self.implies(x, b) && self.implies(y, b),
                Op::Release => self.implies(y, b),
                Op::Strong => late && self.implies(x, b) || self.implies(y, b),
            },
            _ => false,
        }
    }

    /// Two binary operators: each is seen as an until or a release of its operands.
    fn implies_binary(&mut self, (op, x, y): (Op, Id, Id), (other, v, w): (Op, Id, Id)) -> bool {
        let weaker = |strict: Op| op == strict || matches!(other, Op::Weak | Op::Release);
        match (op, other) {
            (Op::Until | Op::Weak, Op::Until | Op::Weak) => {
                weaker(Op::Until) && self.implies(x, v) && self.implies(y, w)
            }
            (Op::Release | Op::Strong, Op::Release | Op::Strong) => {
                weaker(Op::Strong) && self.implies(x, v) && self.implies(y, w)
            }
            // x M y is y U (x && y).
            (Op::Release | Op::Strong, Op::Until | Op::Weak) => {
                weaker(Op::Strong) && self.implies(y, v) && (self.implies(x, w) || self.implies(y, w))
            }
            // v R w is w W (v && w).
            (Op::Until | Op::Weak, Op::Release | Op::Strong) => {
                weaker(Op::Until) && self.implies(x, w) && self.implies(y, v) && self.implies(y, w)
            }
        }
    }

    /// Rules that look at the operator of `b`.
    fn implies_right(&mut self, a: Id, b: Id) -> bool {
        let lasting = self.is_universal(a);
        match self.node(b).clone() {
            Node::Next(y) | Node::Always(y) => lasting && self.implies(a, y),
            Node::Eventually(y) => self.implies(a, y),
            Node::Bin(op, v, w) => match op {
                Op::Until => self.implies(a, w),
                Op::Weak => self.implies(a, w) || lasting && self.implies(a, v),
                Op::Release => self.implies(a, w) && (lasting || self.implies(a, v)),
                Op::Strong => self.implies(a, w) && self.implies(a, v),
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, all_lassos, formula};
    use crate::words::holds;
    use starwheel_base::cancel::Watch;

    /// Every implication that is claimed between random formulas holds on all short words.
    #[test]
    fn never_invented() {
        let words: Vec<_> = all_lassos(1, 2, 2).chain(all_lassos(2, 1, 2)).collect();
        let mut rng = Rng::new(3);
        let mut claimed = 0;
        for _ in 0..4000 {
            let (first, second) = (formula(&mut rng, 6, 2), formula(&mut rng, 6, 2));
            let mut pool = Pool::new(Watch::never());
            let (a, b) = (pool.insert(&first), pool.insert(&second));
            if pool.implies(a, b) {
                claimed += 1;
                assert!(words.iter().all(|word| !holds(&first, word) || holds(&second, word)), "{first:?} {second:?}");
            }
        }
        assert!(claimed > 400, "the test must see implications, it saw {claimed}");
    }
}
