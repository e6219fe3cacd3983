//! Ends of transitions: what observers do once an input has been taken, and their continuous signals.

use super::{At, Happens, Pass, Work, put, whole};
use crate::ast::{Binary, Implicit};
use crate::machine::*;
use crate::write::ENVIRONMENT;
use starwheel_base::Span;
use std::collections::HashMap;

impl Pass<'_> {
    /// Puts observers behind ends of transitions and in the place of outputs.
    pub(super) fn block(&mut self, work: &Work, code: Vec<Stmt>, happens: &Happens) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in code {
            let span = s.span;
            let kind = match s.kind {
                StmtKind::If { any, arms, otherwise } => StmtKind::If {
                    any,
                    arms: arms.into_iter().map(|(c, b)| (c, self.block(work, b, happens))).collect(),
                    otherwise: otherwise.map(|b| self.block(work, b, happens)),
                },
                StmtKind::Choose(list) => {
                    StmtKind::Choose(list.into_iter().map(|b| self.block(work, b, happens)).collect())
                }
                StmtKind::While { when, body } => StmtKind::While { when, body: self.block(work, body, happens) },
                StmtKind::Atomic(body) => StmtKind::Atomic(self.block(work, body, happens)),
                StmtKind::Output { args, to, by } => {
                    let code = self.output(work, args, to, by, span);
                    out.extend(code);
                    continue;
                }
                StmtKind::Next(t) => {
                    let code = self.end(work, happens, Some(t), span);
                    out.extend(code);
                    StmtKind::Next(t)
                }
                StmtKind::Stop => {
                    let code = self.end(work, happens, None, span);
                    out.extend(code);
                    StmtKind::Stop
                }
                other => other,
            };
            out.push(Stmt { kind, span });
        }
        out
    }

    /// What is done at the end of a transition.
    pub(super) fn end(&mut self, work: &Work, happens: &Happens, next: Option<StateId>, span: Span) -> Vec<Stmt> {
        let at = At { process: work.id, happens: happens.clone(), span };
        let mut out = Vec::new();
        if let (true, Some(var)) = (work.assigns_state, self.m.processes[work.id].state_var) {
            out.push(put(whole(Some(work.id), var), Ex::Num(next.map_or(0, |t| t as i64 + 1)), span));
        }
        match happens {
            Happens::End(n) => out.extend(self.taken(work, *n, &at)),
            Happens::EndOf(var) => {
                let mut arms = Vec::new();
                for n in 1..=work.inputs.len() {
                    let code = self.taken(work, n, &at);
                    if !code.is_empty() {
                        arms.push((Ex::Get(whole(None, *var)).eq(n as i64), code));
                    }
                }
                if !arms.is_empty() {
                    out.push(Stmt { kind: StmtKind::If { any: false, arms, otherwise: Some(Vec::new()) }, span });
                }
            }
            Happens::Output(..) => {}
        }
        out.extend(self.continuous(&at, 0));
        // What was kept must not tell states apart.
        let kept: Vec<VarId> = match happens {
            Happens::End(n) => work.inputs.get(n.wrapping_sub(1)).map_or(Vec::new(), |i| i.1.clone()),
            _ => work.inputs.iter().flat_map(|i| i.1.clone()).collect(),
        }
        .into_iter()
        .flatten()
        .collect();
        let began = match happens {
            Happens::EndOf(var) => Some(*var),
            _ => None,
        };
        out.extend(kept.into_iter().chain(began).map(|v| put(whole(None, v), Ex::Num(0), span)));
        if out.is_empty() {
            return out;
        }
        vec![Stmt { kind: StmtKind::Atomic(out), span }]
    }

    /// All observers of an input, in the order of the files.
    pub(super) fn taken(&mut self, work: &Work, number: usize, at: &At) -> Vec<Stmt> {
        let Some((stimulus, kept)) = work.inputs.get(number.wrapping_sub(1)) else { return Vec::new() };
        let values: Vec<Ex> = kept.iter().map(|v| v.map_or(Ex::Num(0), |v| Ex::Get(whole(None, v)))).collect();
        let mut out = Vec::new();
        for w in 0..self.watchers.len() {
            for (x, event) in self.watchers[w].events.clone() {
                if event.output || event.to != Some(Party::Process(work.id)) || !event.what.contains(stimulus) {
                    continue;
                }
                let code = self.step(w, x, &values, at);
                if code.is_empty() {
                    continue;
                }
                match self.sent_by(&event, work.id) {
                    Ex::Num(1) => out.extend(code),
                    when => {
                        let kind = StmtKind::If { any: false, arms: vec![(when, code)], otherwise: Some(Vec::new()) };
                        out.push(Stmt { kind, span: at.span });
                    }
                }
            }
        }
        out
    }

    /// The condition that an input comes from where an event says.
    pub(super) fn sent_by(&mut self, event: &Event, f: ProcessId) -> Ex {
        let Some(from) = event.from else { return Ex::Num(1) };
        let signal = |s: &Stimulus| match s {
            Stimulus::Signal(s) => Some(*s),
            Stimulus::Timer(_) => None,
        };
        let signals: Vec<SignalId> = event.what.iter().filter_map(signal).collect();
        let fits = |s: &&(Party, ProcessId, SignalId)| s.1 == f && signals.contains(&s.2);
        let mut senders: Vec<Party> = self.senders.iter().filter(fits).map(|s| s.0).collect();
        senders.dedup();
        match senders.as_slice() {
            [one] if *one == from => Ex::Num(1),
            list if !list.contains(&from) => Ex::Num(0),
            _ => {
                self.m.processes[f].uses.sender = true;
                let sender = Ex::Me(Implicit::Sender);
                match from {
                    Party::Process(g) => is_of(sender, &self.m.processes, g),
                    Party::Environment => sender.eq(ENVIRONMENT),
                }
            }
        }
    }

    /// One transition of an observer, whatever state it is in; where it has none, nothing happens.
    pub(super) fn step(&mut self, w: usize, x: SignalId, values: &[Ex], at: &At) -> Vec<Stmt> {
        let end = self.new_label(at.process);
        let (mut arms, mut needs) = (Vec::new(), Vec::new());
        for id in 0..self.watchers[w].states.len() {
            for t in 0..self.watchers[w].states[id].triggers.len() {
                let trigger = &self.watchers[w].states[id].triggers[t];
                let TriggerKind::Input { what: Stimulus::Signal(y), into, provided, .. } = &trigger.kind else {
                    continue;
                };
                if *y != x {
                    continue;
                }
                let (into, provided, body, span) = (into.clone(), provided.clone(), trigger.body.clone(), trigger.span);
                let must = trigger.needs.clone();
                let mut when = Ex::Get(self.watchers[w].state()).eq(id as i64 + 1);
                needs.extend(self.needed(&must, when.clone(), w, at));
                if let Some(e) = provided {
                    when = Ex::bin(Binary::And, when, self.rewrite_ex(&e, w, at));
                }
                let mut code = Vec::new();
                for (place, value) in into.into_iter().zip(values) {
                    if let Some(place) = place {
                        code.push(put(self.rewrite_place(&place, w, at), value.clone(), span));
                    }
                }
                let mut labels = HashMap::new();
                code.extend(self.rewrite(&body, w, at, &mut labels, &|_| end));
                arms.push((when, code));
            }
        }
        if arms.is_empty() {
            return Vec::new();
        }
        let span = at.span;
        needs.push(Stmt { kind: StmtKind::If { any: false, arms, otherwise: Some(Vec::new()) }, span });
        needs.push(Stmt { kind: StmtKind::Label(end), span });
        needs
    }

    /// What must hold for a condition to have a value, if it is asked for.
    fn needed(&mut self, needs: &[Stmt], when: Ex, w: usize, at: &At) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in needs {
            let StmtKind::Assert { what, why } = &s.kind else { continue };
            let what = Ex::bin(Binary::Or, when.clone().not(), self.rewrite_ex(what, w, at));
            out.push(Stmt { kind: StmtKind::Assert { what, why: why.clone() }, span: s.span });
        }
        out
    }

    /// Continuous signals of all observers: again and again as long as one leads to another state.
    pub(super) fn continuous(&mut self, at: &At, first: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for w in first..self.watchers.len() {
            if !self.watchers[w].continuous() {
                continue;
            }
            let (again, end) = (self.new_label(at.process), self.new_label(at.process));
            let (mut arms, mut needs) = (Vec::new(), Vec::new());
            for id in 0..self.watchers[w].states.len() {
                let of = |t: &Trigger| match &t.kind {
                    TriggerKind::Continuous { when, priority } => {
                        Some((*priority, when.clone(), t.needs.clone(), t.body.clone()))
                    }
                    _ => None,
                };
                let mut list: Vec<_> = self.watchers[w].states[id].triggers.iter().filter_map(of).collect();
                list.sort_by_key(|t| t.0);
                // Where none of those before it holds.
                let mut asked = Ex::Get(self.watchers[w].state()).eq(id as i64 + 1);
                for (_, when, must, body) in list {
                    let here = Ex::Get(self.watchers[w].state()).eq(id as i64 + 1);
                    let when = match self.rewrite_ex(&when, w, at) {
                        Ex::Num(0) => continue,
                        when => Ex::bin(Binary::And, here, when),
                    };
                    needs.extend(self.needed(&must, asked.clone(), w, at));
                    asked = Ex::bin(Binary::And, asked, when.clone().not());
                    let mut labels = HashMap::new();
                    let to = |t: StateId| if t == id { end } else { again };
                    arms.push((when, self.rewrite(&body, w, at, &mut labels, &to)));
                }
            }
            if arms.is_empty() {
                continue;
            }
            out.push(Stmt { kind: StmtKind::Label(again), span: at.span });
            out.append(&mut needs);
            out.push(Stmt { kind: StmtKind::If { any: false, arms, otherwise: Some(Vec::new()) }, span: at.span });
            out.push(Stmt { kind: StmtKind::Label(end), span: at.span });
        }
        out
    }
}
