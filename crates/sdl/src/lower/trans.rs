//! Transitions: one action after the other up to an end, labels and joins.

use super::frame::{Kind, Segment};
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use starwheel_base::Span;
use std::collections::HashMap;

impl<'a> Lower<'a> {
    /// Lowers a transition; true if control falls off its end.
    pub fn run_trans(&mut self, t: &'a Trans, here: &Here, out: &mut Vec<Stmt>) -> bool {
        let segment = Segment { actions: &t.actions, end: t.end.as_ref() };
        self.run_segments(&[segment], here, out)
    }

    /// Lowers segments that follow each other; true if control falls off the end.
    pub fn run_segments(&mut self, segments: &[Segment<'a>], here: &Here, out: &mut Vec<Stmt>) -> bool {
        for s in segments {
            for a in s.actions {
                if !self.spend() {
                    return false;
                }
                let falls = match &a.kind {
                    ActionKind::Label(name) => self.define(name, here, a.span, out),
                    _ => self.statement(here, out, |l, here, out| l.action(a, here, out)),
                };
                if !falls {
                    return false;
                }
            }
            if let Some(end) = s.end {
                self.end(end, here, out);
                return false;
            }
        }
        true
    }

    /// Runs something that may use scratch variables, and frees them afterwards.
    pub fn statement<T>(
        &mut self,
        here: &Here,
        out: &mut Vec<Stmt>,
        what: impl FnOnce(&mut Self, &Here, &mut Vec<Stmt>) -> T,
    ) -> T {
        let mark = self.used.len();
        let result = what(self, here, out);
        let span = out.last().map_or(Span::default(), |s| s.span);
        for (var, sort) in self.used.split_off(mark) {
            // Left-over values would tell states apart that are the same.
            self.clear(&Self::place_of(var), sort, span, out);
            self.free.entry(sort).or_default().push(var);
        }
        result
    }

    fn label_key(&self, name: &str, here: &Here) -> super::LabelKey {
        let sensitive = self.frames[here.frame].sensitive;
        (here.frame, name.to_string(), sensitive.then(|| (here.conf.clone(), here.path.clone())))
    }

    /// A label in the flow of control; false if its text stands elsewhere already.
    fn define(&mut self, name: &Name, here: &Here, span: Span, out: &mut Vec<Stmt>) -> bool {
        let key = self.label_key(&name.key, here);
        if let Some(&id) = self.labels.get(&key) {
            out.push(Stmt { kind: StmtKind::Goto(id), span });
            return false;
        }
        let id = self.new_label();
        self.labels.insert(key, id);
        out.push(Stmt { kind: StmtKind::Label(id), span });
        true
    }

    /// JOIN: the text of the label is written where it is needed first.
    fn join(&mut self, name: &Name, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let Some(segments) = self.frames[here.frame].labels.get(&name.key).cloned() else {
            return self.error("unknown-label", name.span, format!("there is no label `{}` here", name.text));
        };
        if self.define(name, here, span, out) && self.run_segments(&segments, here, out) {
            self.fall_off(name.span, here, out);
        }
    }

    /// Control falls off the end: a procedure returns, everything else is wrong.
    pub fn fall_off(&mut self, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        if let Kind::Procedure { back, .. } = self.frames[here.frame].kind {
            out.push(Stmt { kind: StmtKind::Goto(back), span });
        } else {
            let d = starwheel_base::Diagnostic::error("no-end", span, "this transition has no end");
            self.report(d.advise("end it with NEXTSTATE, STOP, JOIN or RETURN"));
        }
    }

    fn end(&mut self, end: &'a End, here: &Here, out: &mut Vec<Stmt>) {
        match &end.kind {
            EndKind::Next { state, via } => self.next(state, via.as_ref(), end.span, here, out),
            EndKind::Stop => {
                self.process.uses.stop = true;
                out.push(Stmt { kind: StmtKind::Stop, span: end.span });
            }
            EndKind::Join(name) => self.join(name, end.span, here, out),
            EndKind::Return(value) => self.returns(value.as_ref(), end.span, here, out),
        }
    }

    fn returns(&mut self, value: Option<&'a Expr>, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        match &self.frames[here.frame].kind {
            Kind::Process => {
                self.error("return", span, "RETURN stands in no procedure and no composite state".to_string())
            }
            Kind::Composite => self.return_from_state(value, span, here, out),
            Kind::Procedure { back, result, .. } => {
                let (back, result) = (*back, result.clone());
                match (value, result) {
                    (Some(e), Some((place, sort))) => {
                        self.statement(here, out, |l, here, out| l.assign(&place, sort, e, here, out));
                    }
                    (Some(e), None) => {
                        self.error("return", e.span, "this procedure returns nothing".to_string());
                    }
                    _ => {}
                }
                out.push(Stmt { kind: StmtKind::Goto(back), span });
            }
        }
    }
}

/// Drops jumps to what comes next anyway, and labels that nobody jumps to.
///
/// Jumps from other transitions count as well, so labels are dropped only by [`drop_labels`].
pub fn tidy(mut code: Vec<Stmt>) -> Vec<Stmt> {
    tidy_block(&mut code, None, 0);
    code
}

fn tidy_block(code: &mut Vec<Stmt>, after: Option<LabelId>, depth: usize) {
    if depth > 200 {
        return;
    }
    let mut next = after;
    let mut i = code.len();
    while i > 0 {
        i -= 1;
        match &mut code[i].kind {
            StmtKind::Label(l) => next = Some(*l),
            StmtKind::Goto(l) if Some(*l) == next => drop(code.remove(i)),
            StmtKind::If { arms, otherwise, .. } => {
                arms.iter_mut().for_each(|a| tidy_block(&mut a.1, next, depth + 1));
                if let Some(o) = otherwise {
                    tidy_block(o, next, depth + 1);
                }
                next = None;
            }
            StmtKind::Choose(list) => {
                list.iter_mut().for_each(|c| tidy_block(c, next, depth + 1));
                next = None;
            }
            StmtKind::Atomic(body) => {
                tidy_block(body, next, depth + 1);
                next = None;
            }
            _ => next = None,
        }
    }
}

/// Counts jumps and drops labels without any.
pub fn drop_labels(process: &mut crate::machine::Process) {
    let mut jumps = HashMap::new();
    let mut count = |s: &mut Vec<Stmt>| {
        each_block(s, &mut |b| {
            for s in b.iter() {
                if let StmtKind::Goto(l) = s.kind {
                    *jumps.entry(l).or_insert(0usize) += 1;
                }
            }
        })
    };
    count(&mut process.start);
    process.states.iter_mut().flat_map(|s| &mut s.triggers).for_each(|t| count(&mut t.body));
    let clean = |s: &mut Vec<Stmt>| {
        each_block(s, &mut |b| b.retain(|s| !matches!(&s.kind, StmtKind::Label(l) if !jumps.contains_key(l))));
    };
    clean(&mut process.start);
    process.states.iter_mut().flat_map(|s| &mut s.triggers).for_each(|t| clean(&mut t.body));
}

pub fn each_block(code: &mut Vec<Stmt>, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
    f(code);
    for s in code {
        match &mut s.kind {
            StmtKind::If { arms, otherwise, .. } => {
                arms.iter_mut().for_each(|a| each_block(&mut a.1, f));
                otherwise.iter_mut().for_each(|o| each_block(o, f));
            }
            StmtKind::Choose(list) => list.iter_mut().for_each(|c| each_block(c, f)),
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => each_block(body, f),
            _ => {}
        }
    }
}
