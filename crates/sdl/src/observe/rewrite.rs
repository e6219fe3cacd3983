//! The code of an observer, rewritten so that it can stand in another process.

use super::between::is_output;
use super::{At, Happens, Pass, put, whole};
use crate::ast::Binary;
use crate::machine::*;
use std::collections::HashMap;

impl Pass<'_> {
    /// The code of an observer as it stands in another process; `to` says where it goes on after NEXTSTATE.
    pub(super) fn rewrite(
        &mut self,
        code: &[Stmt],
        w: usize,
        at: &At,
        labels: &mut HashMap<LabelId, LabelId>,
        to: &dyn Fn(StateId) -> LabelId,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in code {
            let span = s.span;
            let mut label = |l: &LabelId, pass: &mut Self| match labels.get(l) {
                Some(new) => *new,
                None => {
                    let new = pass.new_label(at.process);
                    labels.insert(*l, new);
                    new
                }
            };
            let kind = match &s.kind {
                StmtKind::Assign { to, value, check } => StmtKind::Assign {
                    to: self.rewrite_place(to, w, at),
                    value: self.rewrite_ex(value, w, at),
                    check: *check,
                },
                StmtKind::Pick { to, lo, hi } => StmtKind::Pick { to: self.rewrite_place(to, w, at), lo: *lo, hi: *hi },
                StmtKind::Output { args, to, .. } => {
                    let args = args.iter().map(|a| self.rewrite_ex(a, w, at)).collect();
                    if let Target::Forward(x) = to {
                        let code = self.forward(w, *x, args, at, span);
                        out.extend(code);
                    }
                    continue;
                }
                StmtKind::Create { .. }
                | StmtKind::Stop
                | StmtKind::Kill(_)
                | StmtKind::Set { .. }
                | StmtKind::Reset { .. } => {
                    let advice = "an observer looks on; write this as a process of its own";
                    self.refuse(span, "CREATE, STOP or a timer in an observer", advice);
                    continue;
                }
                StmtKind::If { any, arms, otherwise } => StmtKind::If {
                    any: *any,
                    arms: arms
                        .iter()
                        .map(|(c, b)| (self.rewrite_ex(c, w, at), self.rewrite(b, w, at, labels, to)))
                        .collect(),
                    otherwise: otherwise.as_ref().map(|b| self.rewrite(b, w, at, labels, to)),
                },
                StmtKind::Choose(list) => {
                    StmtKind::Choose(list.iter().map(|b| self.rewrite(b, w, at, labels, to)).collect())
                }
                StmtKind::While { when, body } => {
                    StmtKind::While { when: self.rewrite_ex(when, w, at), body: self.rewrite(body, w, at, labels, to) }
                }
                StmtKind::Atomic(body) => StmtKind::Atomic(self.rewrite(body, w, at, labels, to)),
                StmtKind::Assert { what, why } => {
                    StmtKind::Assert { what: self.rewrite_ex(what, w, at), why: why.clone() }
                }
                StmtKind::Label(l) => StmtKind::Label(label(l, self)),
                StmtKind::Goto(l) => StmtKind::Goto(label(l, self)),
                StmtKind::Back { to, number } => StmtKind::Back { to: label(to, self), number: *number },
                StmtKind::Next(t) => {
                    out.push(put(self.watchers[w].state(), Ex::Num(*t as i64 + 1), span));
                    if self.watchers[w].errors.contains(t) {
                        // A run that is of no interest any more has no errors.
                        let what = join(Binary::Or, self.ignored.iter().map(|e| e.0.clone()));
                        let why = format!("observer {} is in an error state", self.watchers[w].name);
                        out.push(Stmt { kind: StmtKind::Assert { what, why }, span });
                    }
                    StmtKind::Goto(to(*t))
                }
            };
            out.push(Stmt { kind, span });
        }
        out
    }

    pub(super) fn rewrite_place(&mut self, place: &Place, w: usize, at: &At) -> Place {
        let mut steps = Vec::new();
        for s in &place.path {
            steps.push(match s {
                Step::At(e) => Step::At(self.rewrite_ex(e, w, at)),
                other => other.clone(),
            });
        }
        Place { process: place.process.or(Some(self.watchers[w].id)), var: place.var, path: steps }
    }

    pub(super) fn rewrite_ex(&mut self, e: &Ex, w: usize, at: &At) -> Ex {
        match e {
            Ex::Num(_) | Ex::In(..) => e.clone(),
            Ex::Get(place) => Ex::Get(self.rewrite_place(place, w, at)),
            Ex::Un(op, a) => Ex::Un(*op, Box::new(self.rewrite_ex(a, w, at))),
            Ex::Bin(op, a, b) => match (op, self.rewrite_ex(a, w, at), self.rewrite_ex(b, w, at)) {
                // An event that cannot be this one.
                (Binary::And, Ex::Num(0), _) | (Binary::And, _, Ex::Num(0)) => Ex::Num(0),
                (Binary::And, Ex::Num(1), e) | (Binary::And, e, Ex::Num(1)) => e,
                (op, a, b) => Ex::bin(*op, a, b),
            },
            Ex::If(c, a, b) => Ex::If(
                Box::new(self.rewrite_ex(c, w, at)),
                Box::new(self.rewrite_ex(a, w, at)),
                Box::new(self.rewrite_ex(b, w, at)),
            ),
            Ex::Me(_) | Ex::Active(_) => {
                let span = self.m.processes[self.watchers[w].id].span;
                let advice = "write `from g` behind `renames input` to tell senders apart";
                self.refuse(span, "SELF, SENDER, PARENT, OFFSPRING or ACTIVE in an observer", advice);
                Ex::Num(0)
            }
            Ex::Event(event) => self.happens(event, at),
        }
    }

    /// The condition that an event is what is going on.
    pub(super) fn happens(&mut self, event: &Event, at: &At) -> Ex {
        let own = Party::Process(at.process);
        match &at.happens {
            Happens::Output(to, s) => Ex::Num(i64::from(is_output(event, own, *to, *s))),
            _ if event.output || event.to != Some(own) => Ex::Num(0),
            Happens::End(n) => match self.inputs.get(n.wrapping_sub(1)) {
                Some(s) if event.what.contains(s) => self.sent_by(event, at.process),
                _ => Ex::Num(0),
            },
            Happens::EndOf(var) => {
                let mine = (0..self.inputs.len()).filter(|i| event.what.contains(&self.inputs[*i]));
                let numbers: Vec<Ex> = mine.map(|i| Ex::Get(whole(None, *var)).eq(i as i64 + 1)).collect();
                Ex::bin(Binary::And, join(Binary::Or, numbers), self.sent_by(event, at.process))
            }
        }
    }
}
