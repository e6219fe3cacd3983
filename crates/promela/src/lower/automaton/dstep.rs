//! The inside of a `d_step`: one transition with a small deterministic automaton in it.

use super::{AutomatonError, Builder, Tr, statement};
use crate::lower::flow::{El, Flow, MOST_JUMPS, Node, Seq};
use starwheel_base::Span;
use starwheel_model::{DStep, DTrans, Expr, Stmt};
use std::collections::HashMap;

impl Builder<'_> {
    /// A `d_step`: one transition with a small automaton inside.
    pub(super) fn dstep(&mut self, id: El, seq: Seq) {
        self.patch_atomic(seq);
        self.tie(id, seq);
        let first = self.flow.entry(self.flow.first(seq));
        let mut d = DStepBuilder { b: self, seq, locs: Vec::new(), known: HashMap::new() };
        d.location(first);
        let stmt = Stmt::DStep(Box::new(DStep { locs: d.locs }));
        let to = self.successor(id);
        let e = self.flow.el(id);
        let tr = Tr {
            el: id,
            to,
            atomic: e.status.atomic,
            stmt: Some(stmt),
            resets: Vec::new(),
            spans: vec![e.span],
            chain: Vec::new(),
            escapes: Vec::new(),
            group: 0,
        };
        let escapes = self.escapes_of(id);
        self.put(id, false, vec![Tr { escapes, ..tr }]);
        self.escape_sequences(id);
    }
}

/// Builds the inner automaton of a `d_step`.
struct DStepBuilder<'a, 'b> {
    b: &'a mut Builder<'b>,
    seq: Seq,
    locs: Vec<Vec<DTrans>>,
    known: HashMap<El, u32>,
}

impl DStepBuilder<'_, '_> {
    /// The location of an element, made if it is new.
    fn location(&mut self, id: El) -> u32 {
        if let Some(&n) = self.known.get(&id) {
            return n;
        }
        let n = self.locs.len() as u32;
        self.known.insert(id, n);
        self.locs.push(Vec::new());
        let out = self.transitions(id, 0);
        self.locs[n as usize] = out;
        n
    }

    /// The transitions that are possible at an element, options in order.
    fn transitions(&mut self, id: El, depth: usize) -> Vec<DTrans> {
        if depth > MOST_JUMPS {
            return Vec::new();
        }
        let span = self.b.flow.el(id).span;
        match self.b.flow.el(id).node.clone() {
            Node::If | Node::Do => {
                let options = self.b.flow.el(id).sub.clone();
                let firsts: Vec<El> = options.iter().map(|&s| self.b.flow.entry(self.b.flow.first(s))).collect();
                firsts.into_iter().flat_map(|f| self.transitions(f, depth + 1)).collect()
            }
            Node::Block(s) | Node::Atomic(s) | Node::DStep(s) => {
                let first = self.b.flow.entry(self.b.flow.first(s));
                self.transitions(first, depth + 1)
            }
            Node::Goto(_) | Node::Join | Node::LoopExit | Node::Unless => {
                // As the first statement of an option: a step without effect.
                let to = self.resolve(id);
                vec![DTrans { stmt: statement(&self.b.flow.el(id).node), to, span }]
            }
            node => {
                self.check(&node, span);
                let to = self.after(id);
                vec![DTrans { stmt: statement(&node), to, span }]
            }
        }
    }

    /// Processes cannot be started, nor looked into, in the middle of a step.
    fn check(&mut self, node: &Node, span: Span) {
        let Node::Stmt(stmt) = node else { return };
        let looked_at = matches!(stmt, Stmt::Guard(_) | Stmt::Assert(_) | Stmt::Printf(..));
        stmt.walk(&mut |e| {
            let what = match e {
                Expr::Run(_) => "`run`",
                // SPIN does not look at assignments and messages here.
                Expr::RemoteVar { .. } | Expr::RemoteLabel { .. } if looked_at => "a reference into another process",
                _ => return,
            };
            self.b.errors.push(AutomatonError::NotInDStep(span, what));
        });
    }

    fn after(&mut self, id: El) -> Option<u32> {
        let next = self.b.flow.el(id).next?;
        self.resolve(next)
    }

    /// The location that control comes to at an element; `None` outside the sequence.
    fn resolve(&mut self, id: El) -> Option<u32> {
        let mut at = id;
        for _ in 0..MOST_JUMPS {
            if !self.b.flow.el(at).status.dstep {
                return None;
            }
            at = match self.b.flow.el(at).node.clone() {
                Node::Goto(target) => {
                    let to = self.b.jump(&target)?;
                    if !self.b.flow.el(to).status.dstep || !self.inside(to) {
                        let span = self.b.flow.el(at).span;
                        self.b.errors.push(AutomatonError::JumpAcrossDStep(span));
                        return None;
                    }
                    to
                }
                Node::Join | Node::LoopExit => self.b.flow.el(at).next?,
                Node::Unless => self.b.flow.first(self.b.flow.el(at).sub[0]),
                _ => return Some(self.location(at)),
            };
        }
        let span = self.b.flow.el(id).span;
        self.b.errors.push(AutomatonError::JumpLoop(span));
        None
    }

    fn inside(&self, id: El) -> bool {
        contains(self.b.flow, self.seq, id)
    }
}

/// True if an element lies in a sequence or in one inside it.
fn contains(flow: &Flow, seq: Seq, id: El) -> bool {
    let s = flow.seq(seq);
    let mut at = s.first;
    while let Some(e) = at {
        if e == id || flow.el(e).sub.iter().any(|&s| contains(flow, s, id)) {
            return true;
        }
        if let Node::Block(inner) | Node::Atomic(inner) | Node::DStep(inner) = flow.el(e).node
            && contains(flow, inner, id)
        {
            return true;
        }
        if Some(e) == s.last {
            return false;
        }
        at = flow.el(e).next;
    }
    false
}
