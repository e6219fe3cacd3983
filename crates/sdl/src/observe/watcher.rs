//! An observer whose text has been taken out of the machine, to be written into others.

use super::whole;
use crate::ast::Mark;
use crate::machine::*;
use crate::sorts::SortId;
use starwheel_base::{Diagnostic, Span};

pub fn states_of(p: &Process, mark: Mark) -> Vec<StateId> {
    let marks = p.observer.iter().flat_map(|o| &o.marks);
    marks.filter(|x| x.0 == mark).flat_map(|x| x.1.iter().copied()).collect()
}

/// An observer whose text has been taken out of the machine.
pub struct Watcher {
    pub id: ProcessId,
    pub name: String,
    pub states: Vec<State>,
    pub events: Vec<(SignalId, Event)>,
    pub errors: Vec<StateId>,
    pub state_var: VarId,
}

impl Watcher {
    pub fn state(&self) -> Place {
        whole(Some(self.id), self.state_var)
    }

    pub fn continuous(&self) -> bool {
        self.states.iter().flat_map(|s| &s.triggers).any(|t| matches!(t.kind, TriggerKind::Continuous { .. }))
    }
}

/// Takes the text of an observer out; what it does in START becomes the first values of its variables.
pub fn take_out(m: &mut Machine, o: ProcessId, byte: SortId, diagnostics: &mut Vec<Diagnostic>) -> Watcher {
    let p = &mut m.processes[o];
    let mut refuse = |span: Span, what: &str| {
        let advice = "an observer looks on and takes no time; write this as a process of its own";
        diagnostics.push(crate::parse::refusal(span, &format!("{what} in an observer"), advice));
    };
    let mut first = 0;
    for s in std::mem::take(&mut p.start) {
        match &s.kind {
            StmtKind::Assign { to, value: Ex::Num(n), .. } if to.process.is_none() && to.path.is_empty() => {
                p.vars[to.var].initial = *n;
            }
            // What was never set is zero.
            StmtKind::Assign { to, value: Ex::Num(0), .. } if to.process.is_none() => {}
            StmtKind::Next(t) => first = *t as i64 + 1,
            _ => refuse(s.span, "a START that does more than give first values to variables"),
        }
    }
    let state_var = p.vars.len();
    p.vars.push(Var { name: "state".into(), sort: byte, initial: first, watched: true, hidden: true });
    p.vars.iter_mut().for_each(|v| v.watched = true);
    for s in p.timers.iter() {
        refuse(s.span, "a timer");
    }
    for s in p.states.iter().filter(|s| !s.saves.is_empty()) {
        refuse(s.span, "SAVE");
    }
    let lazy = |t: &&Trigger| matches!(t.kind, TriggerKind::Spontaneous { .. });
    for t in p.states.iter().flat_map(|s| &s.triggers).filter(lazy) {
        refuse(t.span, "INPUT NONE");
    }
    if p.states.len() > 254 {
        refuse(p.span, "more than 254 states");
    }
    let errors = states_of(p, Mark::Error);
    if errors.contains(&(first as usize).wrapping_sub(1)) {
        diagnostics.push(Diagnostic::error("observer", p.span, "this observer begins in an error state"));
    }
    let mut states = Vec::new();
    for s in &mut p.states {
        let triggers = std::mem::take(&mut s.triggers);
        let (name, span, path) = (s.name.clone(), s.span, s.path.clone());
        states.push(State { name, span, saves: Vec::new(), triggers, may_rest: true, path });
    }
    p.state_var = Some(state_var);
    p.inlined = true;
    p.accepts.clear();
    p.timers.clear();
    let events = p.observer.as_ref().map_or(Vec::new(), |o| o.events.clone());
    Watcher { id: o, name: p.name.clone(), states, events, errors, state_var }
}

/// Visits all conditions and values that an observer reads.
pub fn each_ex(w: &Watcher, f: &mut dyn FnMut(&Ex)) {
    fn ex(e: &Ex, f: &mut dyn FnMut(&Ex)) {
        f(e);
        match e {
            Ex::Un(_, a) => ex(a, f),
            Ex::Bin(_, a, b) => [a, b].into_iter().for_each(|e| ex(e, f)),
            Ex::If(a, b, c) => [a, b, c].into_iter().for_each(|e| ex(e, f)),
            _ => {}
        }
    }
    fn code(list: &[Stmt], f: &mut dyn FnMut(&Ex)) {
        for s in list {
            match &s.kind {
                StmtKind::Assign { value, .. } => ex(value, f),
                StmtKind::Output { args, .. } => args.iter().for_each(|e| ex(e, f)),
                StmtKind::Assert { what, .. } => ex(what, f),
                StmtKind::If { arms, otherwise, .. } => {
                    for (when, body) in arms {
                        ex(when, f);
                        code(body, f);
                    }
                    otherwise.iter().for_each(|o| code(o, f));
                }
                StmtKind::Choose(list) => list.iter().for_each(|c| code(c, f)),
                StmtKind::While { when, body } => {
                    ex(when, f);
                    code(body, f);
                }
                StmtKind::Atomic(body) => code(body, f),
                _ => {}
            }
        }
    }
    for t in w.states.iter().flat_map(|s| &s.triggers) {
        match &t.kind {
            TriggerKind::Input { provided: Some(e), .. } | TriggerKind::Continuous { when: e, .. } => ex(e, f),
            _ => {}
        }
        code(&t.body, f);
    }
}
