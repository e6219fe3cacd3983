//! Builds formulas in the simplest equivalent form that the usual rewrite rules know.
//!
//! The rules come from Somenzi & Bloem (CAV 2000), Etessami & Holzmann (CONCUR 2000) and Babiak, Křetínský, Řehák &
//! Strejček (TACAS 2012). Each rule is written for one of the dual operators only; the other one is built from the negated
//! parts. Parts handed to the builders are in simplest form already.

use super::pool::{Id, Node, Op, Pool};

impl Pool {
    /// `X a`
    pub fn next(&mut self, a: Id) -> Id {
        if self.is_suspendable(a) { a } else { self.raw(Node::Next(a)) }
    }

    /// `<> a`
    pub fn eventually(&mut self, a: Id) -> Id {
        if self.is_eventual(a) {
            return a;
        }
        self.remembered(Node::Eventually(a), |pool| pool.build_eventually(a))
    }

    /// `[] a`
    pub fn always(&mut self, a: Id) -> Id {
        let not_a = self.negate(a);
        let dual = self.eventually(not_a);
        self.negate(dual)
    }

    /// `a U b`
    pub fn until(&mut self, a: Id, b: Id) -> Id {
        self.remembered(Node::Bin(Op::Until, a, b), |pool| {
            pool.until_of_constants(a, b).or_else(|| pool.until_split(a, b)).unwrap_or_else(|| pool.until_nested(a, b))
        })
    }

    /// `a V b`
    pub fn release(&mut self, a: Id, b: Id) -> Id {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        let dual = self.until(not_a, not_b);
        self.negate(dual)
    }

    /// `a M b`
    pub fn strong(&mut self, a: Id, b: Id) -> Id {
        self.remembered(Node::Bin(Op::Strong, a, b), |pool| pool.build_strong(a, b))
    }

    /// `a W b`
    pub fn weak(&mut self, a: Id, b: Id) -> Id {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        let dual = self.strong(not_a, not_b);
        self.negate(dual)
    }

    /// The conjunction of all `parts`.
    pub fn and(&mut self, parts: Vec<Id>) -> Id {
        let list = self.flatten(parts, true);
        match list[..] {
            [] => Pool::TRUE,
            [only] => only,
            _ => self.remembered(Node::And(list.clone().into()), |pool| pool.build_and(list)),
        }
    }

    /// The disjunction of all `parts`.
    pub fn or(&mut self, parts: Vec<Id>) -> Id {
        let parts = parts.into_iter().map(|part| self.negate(part)).collect();
        let dual = self.and(parts);
        self.negate(dual)
    }

    fn remembered(&mut self, node: Node, build: impl FnOnce(&mut Pool) -> Id) -> Id {
        if let Some(&found) = self.built.get(&node) {
            return found;
        }
        if self.watch.stopped() {
            return self.raw(node);
        }
        let id = build(self);
        self.built.insert(node, id);
        id
    }

    fn build_eventually(&mut self, a: Id) -> Id {
        match self.node(a).clone() {
            Node::Next(x) => {
                let inner = self.eventually(x);
                self.next(inner)
            }
            Node::Bin(Op::Until, _, y) => self.eventually(y),
            Node::Bin(Op::Strong, x, y) => {
                let both = self.and(vec![x, y]);
                self.eventually(both)
            }
            // <>(x V y) is <>(x && y) || <>[]y, and <>(x W y) is <>y || <>[]x.
            Node::Bin(Op::Release, x, y) => {
                let both = self.and(vec![x, y]);
                self.once_or_for_ever(both, y)
            }
            Node::Bin(Op::Weak, x, y) => self.once_or_for_ever(y, x),
            Node::Or(parts) => self.eventually_or(a, &parts),
            Node::And(parts) => self.eventually_and(a, &parts),
            Node::Always(x) => self.eventually_always(a, x),
            _ => self.raw(Node::Eventually(a)),
        }
    }

    fn once_or_for_ever(&mut self, once: Id, for_ever: Id) -> Id {
        let once = self.eventually(once);
        let for_ever = self.always(for_ever);
        let for_ever = self.eventually(for_ever);
        self.or(vec![once, for_ever])
    }

    /// `<>(x || y)`: eventual and universal parts stand for themselves, the others stay together.
    fn eventually_or(&mut self, whole: Id, parts: &[Id]) -> Id {
        let (apart, rest) = self.split(parts, |pool, id| pool.is_eventual(id) || pool.is_universal(id));
        if apart.is_empty() {
            return self.raw(Node::Eventually(whole));
        }
        let mut list: Vec<Id> = apart.into_iter().map(|id| self.eventually(id)).collect();
        let rest = self.or(rest);
        list.push(self.eventually(rest));
        self.or(list)
    }

    /// `<>(x && s)` is `<>x && s` if the truth of `s` never changes.
    fn eventually_and(&mut self, whole: Id, parts: &[Id]) -> Id {
        let (mut apart, rest) = self.split(parts, Pool::is_suspendable);
        if apart.is_empty() {
            return self.raw(Node::Eventually(whole));
        }
        let rest = self.and(rest);
        apart.push(self.eventually(rest));
        self.and(apart)
    }

    /// `<>[]x`, where eventual and universal parts of a disjunction and eventual parts of a conjunction stand for themselves.
    fn eventually_always(&mut self, whole: Id, x: Id) -> Id {
        let (parts, conjunction) = match self.node(x).clone() {
            Node::Or(parts) => (parts, false),
            Node::And(parts) => (parts, true),
            _ => return self.raw(Node::Eventually(whole)),
        };
        let (apart, rest) =
            self.split(&parts, |pool, id| pool.is_eventual(id) || !conjunction && pool.is_universal(id));
        if apart.is_empty() {
            return self.raw(Node::Eventually(whole));
        }
        let rest = if conjunction { self.and(rest) } else { self.or(rest) };
        let mut list = Vec::new();
        for part in apart.into_iter().chain([rest]) {
            let always = self.always(part);
            list.push(self.eventually(always));
        }
        if conjunction { self.and(list) } else { self.or(list) }
    }

    fn split(&self, parts: &[Id], apart: impl Fn(&Pool, Id) -> bool) -> (Vec<Id>, Vec<Id>) {
        parts.iter().partition(|&&id| apart(self, id))
    }

    fn until_of_constants(&mut self, a: Id, b: Id) -> Option<Id> {
        let not_a = self.negate(a);
        if self.is_eventual(b) || self.implies(a, b) {
            return Some(b);
        }
        if self.implies(not_a, b) {
            return Some(self.eventually(b));
        }
        if let (&Node::Next(x), &Node::Next(y)) = (self.node(a), self.node(b)) {
            let inner = self.until(x, y);
            return Some(self.next(inner));
        }
        // What always lasts can be taken out: u U b is b || (u && <>b).
        self.is_universal(a).then(|| {
            let some_time = self.eventually(b);
            let lasting = self.and(vec![a, some_time]);
            self.or(vec![b, lasting])
        })
    }

    /// Parts of the operands that stand for themselves or say nothing.
    fn until_split(&mut self, a: Id, b: Id) -> Option<Id> {
        let (apart, rest) = self.split(&self.disjuncts(b), Pool::is_eventual);
        if !apart.is_empty() {
            let rest = self.or(rest);
            let rest = self.until(a, rest);
            return Some(self.or([apart, vec![rest]].concat()));
        }
        let (apart, rest) = self.split(&self.conjuncts(b), Pool::is_suspendable);
        if !apart.is_empty() {
            let rest = self.and(rest);
            let rest = self.until(a, rest);
            return Some(self.and([apart, vec![rest]].concat()));
        }
        let shorter = self.shorten_until_left(a, b);
        (shorter != a).then(|| self.until(shorter, b))
    }

    /// The left side of an until matters only where the right side is false.
    fn shorten_until_left(&mut self, a: Id, b: Id) -> Id {
        let not_b = self.negate(b);
        match self.node(a).clone() {
            Node::Or(parts) => {
                let kept = parts.iter().copied().filter(|&part| !self.implies(part, b)).collect();
                self.or(kept)
            }
            Node::And(parts) => {
                let kept = parts.iter().copied().filter(|&part| !self.implies(not_b, part)).collect();
                self.and(kept)
            }
            _ => a,
        }
    }

    fn until_nested(&mut self, a: Id, b: Id) -> Id {
        if let Node::Bin(op, x, y) = *self.node(b) {
            let bridge = if matches!(op, Op::Until | Op::Weak) { x } else { y };
            if self.implies(a, bridge) {
                return b;
            }
        }
        if let Node::Bin(Op::Until | Op::Weak, x, y) = *self.node(a)
            && self.implies(x, b)
        {
            return self.until(y, b);
        }
        if let Node::Bin(Op::Until, _, y) = *self.node(a)
            && self.implies(y, b)
        {
            return self.or(vec![a, b]);
        }
        self.raw(Node::Bin(Op::Until, a, b))
    }

    fn build_strong(&mut self, a: Id, b: Id) -> Id {
        if self.implies(b, a) {
            return b;
        }
        if self.excludes(a, b) {
            return Pool::FALSE;
        }
        if self.is_eventual(a) {
            return self.and(vec![a, b]);
        }
        if let (&Node::Next(x), &Node::Next(y)) = (self.node(a), self.node(b)) {
            let inner = self.strong(x, y);
            return self.next(inner);
        }
        let (apart, rest) = self.split(&self.conjuncts(b), Pool::is_universal);
        if rest.is_empty() {
            let some_time = self.eventually(a);
            return self.and([apart, vec![some_time]].concat());
        }
        if !apart.is_empty() {
            let rest = self.and(rest);
            let rest = self.strong(a, rest);
            return self.and([apart, vec![rest]].concat());
        }
        let shorter = self.shorten_strong_left(a, b);
        if shorter != a {
            return self.strong(shorter, b);
        }
        if let Node::Bin(Op::Strong, x, _) = *self.node(b)
            && self.implies(x, a)
        {
            return b;
        }
        self.raw(Node::Bin(Op::Strong, a, b))
    }

    /// The left side of a strong release matters only where the right side is true.
    fn shorten_strong_left(&mut self, a: Id, b: Id) -> Id {
        match self.node(a).clone() {
            Node::Or(parts) => {
                let kept = parts.iter().copied().filter(|&part| !self.excludes(part, b)).collect();
                self.or(kept)
            }
            Node::And(parts) => {
                let kept = parts.iter().copied().filter(|&part| !self.implies(b, part)).collect();
                self.and(kept)
            }
            _ => a,
        }
    }

    fn build_and(&mut self, list: Vec<Id>) -> Id {
        let rewritten = self
            .drop_implied(&list)
            .or_else(|| self.resolve(&list))
            .or_else(|| self.join_unary(&list))
            .or_else(|| self.join_binary(&list))
            .or_else(|| self.strengthen(&list))
            .or_else(|| self.roll_up(&list));
        match rewritten {
            Some(list) => self.and(list),
            None => self.raw_and(list),
        }
    }

    /// Leaves out what others imply; two members that exclude each other make all false.
    fn drop_implied(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for (place, &a) in list.iter().enumerate() {
            for (other, &b) in list.iter().enumerate() {
                if place == other {
                    continue;
                }
                if self.implies(a, b) {
                    return Some(without(list, &[b], &[]));
                }
                if place < other && self.excludes(a, b) {
                    return Some(vec![Pool::FALSE]);
                }
            }
        }
        None
    }

    /// `a && (!a || b)` is `a && b`.
    fn resolve(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for &whole in list {
            let Node::Or(parts) = self.node(whole).clone() else { continue };
            let possible = |pool: &mut Pool, part: Id| !list.iter().any(|&a| a != whole && pool.excludes(a, part));
            let kept: Vec<Id> = parts.iter().copied().filter(|&part| possible(self, part)).collect();
            if kept.len() < parts.len() {
                let shorter = self.or(kept);
                return Some(without(list, &[whole], &[shorter]));
            }
        }
        None
    }

    /// `X a && X b` is `X (a && b)`; likewise `[]`, and `<>[]`.
    fn join_unary(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for kind in 0..3 {
            let inner = |pool: &Pool, id: Id| match (kind, pool.node(id)) {
                (0, Node::Next(x)) => Some(*x),
                (1, Node::Always(x)) if !pool.is_eventual(id) => Some(*x),
                (2, Node::Eventually(x)) => match pool.node(*x) {
                    Node::Always(y) => Some(*y),
                    _ => None,
                },
                _ => None,
            };
            let members: Vec<Id> = list.iter().copied().filter(|&id| inner(self, id).is_some()).collect();
            if members.len() > 1 {
                let parts = members.iter().filter_map(|&id| inner(self, id)).collect();
                let both = self.and(parts);
                let joined = match kind {
                    0 => self.next(both),
                    1 => self.always(both),
                    _ => {
                        let always = self.always(both);
                        self.eventually(always)
                    }
                };
                return Some(without(list, &members, &[joined]));
            }
        }
        None
    }

    /// `(a U c) && (b W c)` is `(a && b) U c`, and `(a V b) && (a M c)` is `a M (b && c)`.
    fn join_binary(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for (place, &first) in list.iter().enumerate() {
            for &second in &list[place + 1..] {
                let (Node::Bin(op, a, b), Node::Bin(other, c, d)) = (self.node(first), self.node(second)) else {
                    continue;
                };
                let (op, a, b, other, c, d) = (*op, *a, *b, *other, *c, *d);
                let until = |op| matches!(op, Op::Until | Op::Weak);
                let joined = if until(op) && until(other) && b == d {
                    let left = self.and(vec![a, c]);
                    if op == Op::Until || other == Op::Until { self.until(left, b) } else { self.weak(left, b) }
                } else if !until(op) && !until(other) && a == c {
                    let right = self.and(vec![b, d]);
                    if op == Op::Strong || other == Op::Strong { self.strong(a, right) } else { self.release(a, right) }
                } else {
                    continue;
                };
                return Some(without(list, &[first, second], &[joined]));
            }
        }
        None
    }

    /// `<>b && (a W b)` is `a U b`, and `<>a && (a V b)` is `a M b`.
    fn strengthen(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for &whole in list {
            let (op, a, b) = match *self.node(whole) {
                Node::Bin(op @ (Op::Weak | Op::Release), a, b) => (op, a, b),
                _ => continue,
            };
            let goal = if op == Op::Weak { b } else { a };
            let wanted = self.eventually(goal);
            if list.contains(&wanted) {
                let strong = if op == Op::Weak { self.until(a, b) } else { self.strong(a, b) };
                return Some(without(list, &[whole, wanted], &[strong]));
            }
        }
        None
    }

    /// `a && X []a` is `[]a`, and `b && (a || X(a V b))` is `a V b`; likewise with `M`.
    fn roll_up(&mut self, list: &[Id]) -> Option<Vec<Id>> {
        for &whole in list {
            for part in self.disjuncts(whole) {
                let Node::Next(later) = *self.node(part) else { continue };
                let (left, right) = match *self.node(later) {
                    Node::Always(x) => (Pool::FALSE, x),
                    Node::Bin(Op::Release | Op::Strong, a, b) => (a, b),
                    _ => continue,
                };
                let others = without(&self.disjuncts(whole), &[part], &[]);
                let needed = self.conjuncts(right);
                if self.raw_or(others) == left && needed.iter().all(|part| list.contains(part)) {
                    return Some(without(list, &[&needed[..], &[whole]].concat(), &[later]));
                }
            }
        }
        None
    }
}

/// The list with some members taken out and others put in.
fn without(list: &[Id], out: &[Id], put_in: &[Id]) -> Vec<Id> {
    list.iter().copied().filter(|id| !out.contains(id)).chain(put_in.iter().copied()).collect()
}
