//! Formulas in negation normal form with every part stored once, so that equal parts have equal numbers.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{Binary, Formula, Unary};
use crate::words::Prop;
use starwheel_base::cancel::Watch;

/// The number of a formula in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(pub u32);

/// The binary temporal operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    Until,
    Weak,
    Release,
    Strong,
}

/// A formula whose parts are numbers. The lists of `And` and `Or` are sorted, without repetition, and have two members or more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Const(bool),
    Lit(Prop, bool),
    And(Rc<[Id]>),
    Or(Rc<[Id]>),
    Next(Id),
    Always(Id),
    Eventually(Id),
    Bin(Op, Id, Id),
}

/// What is known of a formula beside its shape.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// If a suffix of a word satisfies it, so does the word (Etessami & Holzmann 2000: pure eventuality).
    eventual: bool,
    /// If a word satisfies it, so do all its suffixes.
    universal: bool,
}

/// The store of formulas.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    numbers: HashMap<Node, Id>,
    negations: HashMap<Id, Id>,
    pub(super) implications: HashMap<(Id, Id), bool>,
    pub(super) built: HashMap<Node, Id>,
    /// Once it says stop, formulas are no longer simplified.
    pub(super) watch: Watch,
}

impl Pool {
    pub const FALSE: Id = Id(0);
    pub const TRUE: Id = Id(1);

    pub fn new(watch: Watch) -> Pool {
        let mut pool = Pool { watch, ..Pool::default() };
        pool.raw(Node::Const(false));
        pool.raw(Node::Const(true));
        pool
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn is_eventual(&self, id: Id) -> bool {
        self.facts[id.0 as usize].eventual
    }

    pub fn is_universal(&self, id: Id) -> bool {
        self.facts[id.0 as usize].universal
    }

    /// True if its truth is the same at all positions of a word.
    pub fn is_suspendable(&self, id: Id) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// The number of a node, stored as it is.
    pub fn raw(&mut self, node: Node) -> Id {
        if let Some(&id) = self.numbers.get(&node) {
            return id;
        }
        let id = Id(self.nodes.len() as u32);
        self.facts.push(self.examine(&node));
        self.nodes.push(node.clone());
        self.numbers.insert(node, id);
        id
    }

    fn examine(&self, node: &Node) -> Facts {
        let of = |id: &Id| self.facts[id.0 as usize];
        let both = |parts: &[Id]| Facts {
            eventual: parts.iter().all(|id| of(id).eventual),
            universal: parts.iter().all(|id| of(id).universal),
        };
        match node {
            Node::Const(_) => both(&[]),
            Node::Lit(..) => Facts { eventual: false, universal: false },
            Node::And(parts) | Node::Or(parts) => both(parts),
            Node::Next(inner) => of(inner),
            Node::Always(inner) => Facts { universal: true, ..of(inner) },
            Node::Eventually(inner) => Facts { eventual: true, ..of(inner) },
            Node::Bin(_, left, right) => both(&[*left, *right]),
        }
    }

    /// A conjunction, brought into the normal order, with constants removed and nothing else.
    pub fn raw_and(&mut self, parts: Vec<Id>) -> Id {
        let list = self.flatten(parts, true);
        match list[..] {
            [] => Self::TRUE,
            [only] => only,
            _ if list.contains(&Self::FALSE) => Self::FALSE,
            _ => self.raw(Node::And(list.into())),
        }
    }

    /// A disjunction, brought into the normal order, with constants removed and nothing else.
    pub fn raw_or(&mut self, parts: Vec<Id>) -> Id {
        let list = self.flatten(parts, false);
        match list[..] {
            [] => Self::FALSE,
            [only] => only,
            _ if list.contains(&Self::TRUE) => Self::TRUE,
            _ => self.raw(Node::Or(list.into())),
        }
    }

    /// The members of nested conjunctions (or disjunctions) in order, without the neutral constant.
    pub fn flatten(&self, parts: Vec<Id>, conjunction: bool) -> Vec<Id> {
        let mut list = Vec::with_capacity(parts.len());
        for part in parts {
            match (self.node(part), conjunction) {
                (Node::And(inner), true) | (Node::Or(inner), false) => list.extend(inner.iter().copied()),
                (Node::Const(value), _) if *value == conjunction => {}
                _ => list.push(part),
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The members of a conjunction; any other formula is its own only member.
    pub fn conjuncts(&self, id: Id) -> Vec<Id> {
        match self.node(id) {
            Node::And(list) => list.to_vec(),
            _ => vec![id],
        }
    }

    /// The members of a disjunction; any other formula is its own only member.
    pub fn disjuncts(&self, id: Id) -> Vec<Id> {
        match self.node(id) {
            Node::Or(list) => list.to_vec(),
            _ => vec![id],
        }
    }

    /// The dual formula: the negation, built without simplification.
    pub fn negate(&mut self, id: Id) -> Id {
        if let Some(&found) = self.negations.get(&id) {
            return found;
        }
        let result = match self.node(id).clone() {
            Node::Const(value) => self.raw(Node::Const(!value)),
            Node::Lit(prop, positive) => self.raw(Node::Lit(prop, !positive)),
            Node::And(parts) => {
                let parts = parts.iter().map(|&part| self.negate(part)).collect();
                self.raw_or(parts)
            }
            Node::Or(parts) => {
                let parts = parts.iter().map(|&part| self.negate(part)).collect();
                self.raw_and(parts)
            }
            Node::Next(inner) => {
                let inner = self.negate(inner);
                self.raw(Node::Next(inner))
            }
            Node::Always(inner) => {
                let inner = self.negate(inner);
                self.raw(Node::Eventually(inner))
            }
            Node::Eventually(inner) => {
                let inner = self.negate(inner);
                self.raw(Node::Always(inner))
            }
            Node::Bin(op, left, right) => {
                let (left, right) = (self.negate(left), self.negate(right));
                self.raw(Node::Bin(dual(op), left, right))
            }
        };
        self.negations.insert(id, result);
        self.negations.insert(result, id);
        result
    }

    /// Takes a formula in, simplified.
    pub fn insert(&mut self, formula: &Formula) -> Id {
        let mut known = HashMap::new();
        self.insert_part(formula, &mut known)
    }

    fn insert_part(&mut self, formula: &Formula, known: &mut HashMap<*const Formula, Id>) -> Id {
        if let Some(&found) = known.get(&std::ptr::from_ref(formula)) {
            return found;
        }
        let id = match formula {
            Formula::Constant(value) => self.raw(Node::Const(*value)),
            Formula::Prop(prop) => self.raw(Node::Lit(*prop, true)),
            Formula::Unary(op, inner) => {
                let inner = self.insert_part(inner, known);
                match op {
                    Unary::Not => self.negate(inner),
                    Unary::Next => self.next(inner),
                    Unary::Always => self.always(inner),
                    Unary::Eventually => self.eventually(inner),
                }
            }
            Formula::Binary(op, left, right) => {
                let (left, right) = (self.insert_part(left, known), self.insert_part(right, known));
                self.insert_binary(*op, left, right)
            }
        };
        known.insert(formula, id);
        id
    }

    fn insert_binary(&mut self, op: Binary, left: Id, right: Id) -> Id {
        match op {
            Binary::And => self.and(vec![left, right]),
            Binary::Or => self.or(vec![left, right]),
            Binary::Implies => {
                let left = self.negate(left);
                self.or(vec![left, right])
            }
            Binary::Equiv => {
                let (not_left, not_right) = (self.negate(left), self.negate(right));
                let (yes, no) = (self.and(vec![left, right]), self.and(vec![not_left, not_right]));
                self.or(vec![yes, no])
            }
            Binary::Until => self.until(left, right),
            Binary::WeakUntil => self.weak(left, right),
            Binary::Release => self.release(left, right),
            Binary::StrongRelease => self.strong(left, right),
        }
    }

    /// The formula as a tree with shared parts.
    pub fn extract(&self, id: Id) -> Formula {
        (*self.extract_part(id, &mut HashMap::new())).clone()
    }

    fn extract_part(&self, id: Id, known: &mut HashMap<Id, Arc<Formula>>) -> Arc<Formula> {
        if let Some(found) = known.get(&id) {
            return found.clone();
        }
        let mut part = |id: &Id| self.extract_part(*id, known);
        let chain = |op: Binary, parts: Vec<Arc<Formula>>| {
            let joined = parts.into_iter().reduce(|left, right| Arc::new(Formula::Binary(op, left, right)));
            joined.unwrap_or_else(|| Arc::new(Formula::Constant(op == Binary::And)))
        };
        let result = match self.node(id) {
            Node::Const(value) => Arc::new(Formula::Constant(*value)),
            Node::Lit(prop, true) => Arc::new(Formula::Prop(*prop)),
            Node::Lit(prop, false) => Arc::new(Formula::Prop(*prop).negated()),
            Node::And(parts) => chain(Binary::And, parts.iter().map(part).collect()),
            Node::Or(parts) => chain(Binary::Or, parts.iter().map(part).collect()),
            Node::Next(inner) => Arc::new(Formula::Unary(Unary::Next, part(inner))),
            Node::Always(inner) => Arc::new(Formula::Unary(Unary::Always, part(inner))),
            Node::Eventually(inner) => Arc::new(Formula::Unary(Unary::Eventually, part(inner))),
            Node::Bin(op, left, right) => Arc::new(Formula::Binary(public(*op), part(left), part(right))),
        };
        known.insert(id, result.clone());
        result
    }
}

fn dual(op: Op) -> Op {
    match op {
        Op::Until => Op::Release,
        Op::Release => Op::Until,
        Op::Weak => Op::Strong,
        Op::Strong => Op::Weak,
    }
}

fn public(op: Op) -> Binary {
    match op {
        Op::Until => Binary::Until,
        Op::Weak => Binary::WeakUntil,
        Op::Release => Binary::Release,
        Op::Strong => Binary::StrongRelease,
    }
}
