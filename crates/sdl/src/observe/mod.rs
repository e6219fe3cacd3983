//! Observers of TASTE become part of what they observe: their transitions are written into those that they watch.
//!
//! An observer has no step of its own. Its state and its variables are variables of the whole system; the code of its
//! transition stands where what it watches happens: behind the transition that has taken an input, in the place of
//! the output that it stands in between. So both are one step, and an observer costs no interleavings.

mod between;
mod end;
mod rewrite;
mod watcher;

use crate::ast::Mark;
use crate::lower::{drop_labels, tidy};
use crate::machine::*;
use crate::sorts::{SortId, SortKind};
use starwheel_base::{Diagnostic, Span};
use std::collections::HashSet;
use watcher::{Watcher, each_ex, states_of, take_out};

/// Writes all observers into the processes that they watch, and what their states mean as properties.
pub fn observe(m: &mut Machine, diagnostics: &mut Vec<Diagnostic>) {
    let ids: Vec<ProcessId> = (0..m.processes.len()).filter(|p| m.processes[*p].observer.is_some()).collect();
    if ids.is_empty() {
        return;
    }
    if ids.len() == m.processes.len() {
        ids.iter().for_each(|o| alone(m, *o));
        return meanings(m, &ids);
    }
    for p in &m.processes {
        crate::write::each_stmt(p, &mut |s| {
            if let StmtKind::Kill(_) = s.kind {
                // Who is killed leaves its state in no transition that could be seen.
                let advice = "ask the process to stop with a signal";
                diagnostics.push(crate::parse::refusal(s.span, "KILL in a system that is observed", advice));
            }
        });
    }
    let byte = m.sorts.add("states", SortKind::Int { lo: 0, hi: 255 });
    let watchers = ids.iter().map(|o| take_out(m, *o, byte, diagnostics)).collect();
    let ignored = marked(m, &ids, Mark::Ignore);
    let senders = senders(m, &ids);
    let mut pass =
        Pass { m, diagnostics, watchers, ignored, senders, byte, said: HashSet::new(), depth: 0, inputs: Vec::new() };
    pass.asked();
    for f in 0..pass.m.processes.len() {
        if pass.m.processes[f].observer.is_none() {
            pass.instrument(f);
        }
    }
    meanings(m, &ids);
}

/// Who sends what to whom, sender by sender.
fn senders(m: &Machine, observers: &[ProcessId]) -> Vec<(Party, ProcessId, SignalId)> {
    let mut all = Vec::new();
    for (q, p) in m.processes.iter().enumerate().filter(|(q, _)| !observers.contains(q)) {
        crate::write::each_stmt(p, &mut |s| {
            if let StmtKind::Output { to: Target::AnyOf(list) | Target::AllOf(list) | Target::Pid(_, list), .. } =
                &s.kind
            {
                all.extend(list.iter().map(|(to, s)| (Party::Process(q), *to, *s)));
            }
        });
        for (_, e) in observers.iter().filter_map(|o| m.processes[*o].observer.as_ref()).flat_map(|o| &o.events) {
            if let (true, Some(from), Some(Party::Process(to))) = (e.output, e.from, e.to)
                && from == Party::Process(q)
            {
                all.extend(e.what.iter().filter_map(|s| match s {
                    Stimulus::Signal(s) => Some((from, to, *s)),
                    Stimulus::Timer(_) => None,
                }));
            }
        }
    }
    all.extend(m.from_environment.iter().map(|(s, to)| (Party::Environment, *to, *s)));
    all
}

/// A place of a whole variable.
fn whole(process: Option<ProcessId>, var: VarId) -> Place {
    Place { process, var, path: Vec::new() }
}

fn put(to: Place, value: Ex, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign { to, value, check: None }, span }
}

/// One of these observers is in a state with this mark.
fn marked(m: &Machine, ids: &[ProcessId], mark: Mark) -> Vec<(Ex, Span)> {
    let mut all = Vec::new();
    for &o in ids {
        let Some(observer) = &m.processes[o].observer else { continue };
        let of = observer.marks.iter().filter(|x| x.0 == mark).flat_map(|x| x.1.iter().copied());
        let states: Vec<StateId> = of.collect();
        if !states.is_empty() || observer.marks.iter().any(|x| x.0 == mark) {
            all.push((Ex::In(o, states), m.processes[o].span));
        }
    }
    all
}

/// Success is what must come at last; what is to be ignored ends all interest.
fn meanings(m: &mut Machine, ids: &[ProcessId]) {
    for (mark, kind) in [(Mark::Ignore, PropertyKind::FilterOut), (Mark::Success, PropertyKind::Eventually)] {
        for (what, span) in marked(m, ids, mark) {
            m.properties.push(Property { kind, what, span });
        }
    }
}

/// An observer with nothing to observe is a process like any other, but its error states are errors.
fn alone(m: &mut Machine, o: ProcessId) {
    let errors = states_of(&m.processes[o], Mark::Error);
    let p = &mut m.processes[o];
    let put = |code: &mut Vec<Stmt>| {
        crate::lower::each_block(code, &mut |block| {
            let mut i = 0;
            while i < block.len() {
                if let StmtKind::Next(t) = block[i].kind
                    && errors.contains(&t)
                {
                    let kind = StmtKind::Assert { what: Ex::Num(0), why: "the observer is in an error state".into() };
                    block.insert(i, Stmt { kind, span: block[i].span });
                    i += 1;
                }
                i += 1;
            }
        });
    };
    put(&mut p.start);
    p.states.iter_mut().flat_map(|s| &mut s.triggers).for_each(|t| put(&mut t.body));
}

/// What is going on where the code of an observer is being written.
#[derive(Clone)]
struct At {
    process: ProcessId,
    happens: Happens,
    span: Span,
}

#[derive(Clone)]
enum Happens {
    /// The end of a transition that began with the input of this number; 0 is none.
    End(usize),
    /// The end of a transition that others jump into: a variable knows how it began.
    EndOf(VarId),
    /// A signal is being sent.
    Output(Party, SignalId),
}

/// One process while observers are written into it.
struct Work {
    id: ProcessId,
    /// Inputs that somebody watches, and where their values are kept meanwhile.
    inputs: Vec<(Stimulus, Vec<Option<VarId>>)>,
    /// Which of them began the transition.
    began: Option<VarId>,
    assigns_state: bool,
}

struct Pass<'m> {
    m: &'m mut Machine,
    diagnostics: &'m mut Vec<Diagnostic>,
    watchers: Vec<Watcher>,
    /// Some observer has found that the run is of no interest.
    ignored: Vec<(Ex, Span)>,
    /// Who sends what to whom, observers that send on in the name of others included.
    senders: Vec<(Party, ProcessId, SignalId)>,
    byte: SortId,
    said: HashSet<(u32, u32, String)>,
    /// Observers inside of observers.
    depth: usize,
    /// The watched inputs of the process that is being worked on.
    inputs: Vec<Stimulus>,
}

impl Pass<'_> {
    fn refuse(&mut self, span: Span, what: &str, advice: &str) {
        if self.said.insert((span.file.0, span.start, what.to_string())) {
            self.diagnostics.push(crate::parse::refusal(span, what, advice));
        }
    }

    fn hidden_var(&mut self, p: ProcessId, name: &str, sort: SortId) -> VarId {
        let vars = &mut self.m.processes[p].vars;
        vars.push(Var { name: name.to_string(), sort, initial: 0, watched: false, hidden: true });
        vars.len() - 1
    }

    fn new_label(&mut self, p: ProcessId) -> LabelId {
        self.m.processes[p].labels += 1;
        self.m.processes[p].labels - 1
    }

    /// Processes whose state somebody asks for get a variable that holds it.
    fn asked(&mut self) {
        let mut asked = HashSet::new();
        for w in &self.watchers {
            each_ex(w, &mut |e| {
                if let Ex::In(p, _) = e {
                    asked.insert(*p);
                }
            });
        }
        for p in asked {
            if self.m.processes[p].state_var.is_none() {
                let var = self.hidden_var(p, "state", self.byte);
                self.m.processes[p].vars[var].watched = true;
                self.m.processes[p].state_var = Some(var);
                if self.m.processes[p].states.len() > 254 {
                    let span = self.m.processes[p].span;
                    self.refuse(span, "an observer of a process with more than 254 states", "use a stop condition");
                }
            }
        }
    }

    /// Events of inputs and outputs that continuous signals ask for.
    fn asked_events(&self) -> Vec<Event> {
        let mut all = Vec::new();
        for w in &self.watchers {
            each_ex(w, &mut |e| {
                if let Ex::Event(e) = e {
                    all.push((**e).clone());
                }
            });
        }
        all
    }

    fn instrument(&mut self, f: ProcessId) {
        let mut work = Work { id: f, inputs: Vec::new(), began: None, assigns_state: false };
        let renamed = self.watchers.iter().flat_map(|w| w.events.iter().map(|e| e.1.clone()));
        let events: Vec<Event> = renamed.chain(self.asked_events()).collect();
        let mut stimuli: Vec<Stimulus> = Vec::new();
        for e in events.iter().filter(|e| !e.output && e.to == Some(Party::Process(f))) {
            let new: Vec<Stimulus> = e.what.iter().copied().filter(|s| !stimuli.contains(s)).collect();
            stimuli.extend(new.iter().filter(|s| self.arrives(f, **s)));
        }
        for s in stimuli {
            let kept = self.keep(f, s);
            work.inputs.push((s, kept));
        }
        self.inputs = work.inputs.iter().map(|i| i.0).collect();
        self.discard_openly(f, &work);
        let mut start = std::mem::take(&mut self.m.processes[f].start);
        let mut states = std::mem::take(&mut self.m.processes[f].states);
        let jumps = |code: &Vec<Stmt>| has_jumps(code);
        if !work.inputs.is_empty() && (jumps(&start) || states.iter().flat_map(|s| &s.triggers).any(|t| jumps(&t.body)))
        {
            work.began = Some(self.hidden_var(f, "began", self.byte));
        }
        self.start(&mut work, &mut start);
        for t in states.iter_mut().flat_map(|s| &mut s.triggers) {
            let body = std::mem::take(&mut t.body);
            t.body = self.transition(&mut work, &mut t.kind, body, t.span);
        }
        let p = &mut self.m.processes[f];
        p.start = tidy(start);
        p.states = states;
        p.states.iter_mut().flat_map(|s| &mut s.triggers).for_each(|t| t.body = tidy(std::mem::take(&mut t.body)));
        drop_labels(p);
    }

    fn arrives(&self, f: ProcessId, s: Stimulus) -> bool {
        match s {
            Stimulus::Signal(s) => self.m.processes[f].accepts.contains(&s),
            Stimulus::Timer(_) => true,
        }
    }

    /// Variables for the values of an input, where an observer takes them.
    fn keep(&mut self, f: ProcessId, s: Stimulus) -> Vec<Option<VarId>> {
        let Stimulus::Signal(signal) = s else { return Vec::new() };
        let leaves = self.m.signals[signal].leaves.clone();
        let mut needed = vec![false; leaves.len()];
        for w in &self.watchers {
            let mine = w.events.iter().filter(|(_, e)| e.to == Some(Party::Process(f)) && e.what.contains(&s));
            for (x, _) in mine {
                for t in w.states.iter().flat_map(|s| &s.triggers) {
                    if let TriggerKind::Input { what: Stimulus::Signal(y), into, .. } = &t.kind
                        && y == x
                    {
                        into.iter().zip(&mut needed).for_each(|(p, n)| *n |= p.is_some());
                    }
                }
            }
        }
        let list = needed.into_iter().zip(leaves);
        list.map(|(n, l)| n.then(|| self.hidden_var(f, "seen", l.sort))).collect()
    }

    /// What is watched and thrown away is thrown away by a transition that can be seen.
    fn discard_openly(&mut self, f: ProcessId, work: &Work) {
        for (id, state) in self.m.processes[f].states.iter_mut().enumerate() {
            for (s, _) in &work.inputs {
                let takes = |t: &Trigger| matches!(t.kind, TriggerKind::Input { what, .. } if what == *s);
                if state.saves.contains(s) || state.triggers.iter().any(takes) {
                    continue;
                }
                let kind = TriggerKind::Input { what: *s, into: Vec::new(), priority: false, provided: None };
                let body = vec![Stmt { kind: StmtKind::Next(id), span: state.span }];
                state.triggers.push(Trigger::new(kind, body, state.span));
            }
        }
    }

    /// START is no transition that anybody watches; but what it sends is.
    fn start(&mut self, work: &mut Work, start: &mut Vec<Stmt>) {
        let p = &mut self.m.processes[work.id];
        let mut ends = 0;
        crate::lower::each_block(start, &mut |b| {
            ends += b.iter().filter(|s| matches!(s.kind, StmtKind::Next(_) | StmtKind::Stop)).count();
        });
        if let (Some(Stmt { kind: StmtKind::Next(t), .. }), 1, Some(var)) = (start.last(), ends, p.state_var) {
            // The state that START leads to is known before: nobody needs to write it down.
            p.vars[var].initial = *t as i64 + 1;
            work.assigns_state = false;
        } else {
            work.assigns_state = p.state_var.is_some();
        }
        let happens = match work.began {
            Some(var) if has_jumps(start) => Happens::EndOf(var),
            _ => Happens::End(0),
        };
        let code = std::mem::take(start);
        *start = self.block(work, code, &happens);
        work.assigns_state = self.m.processes[work.id].state_var.is_some();
    }

    fn transition(&mut self, work: &mut Work, kind: &mut TriggerKind, body: Vec<Stmt>, span: Span) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut number = 0;
        if let TriggerKind::Input { what, into, .. } = kind
            && let Some(i) = work.inputs.iter().position(|x| x.0 == *what)
        {
            number = i + 1;
            for (leaf, var) in work.inputs[i].1.iter().enumerate() {
                let Some(var) = *var else { continue };
                if into.len() <= leaf {
                    into.resize(leaf + 1, None);
                }
                if let Some(place) = into[leaf].replace(whole(None, var)) {
                    out.push(put(place, Ex::Get(whole(None, var)), span));
                }
            }
        }
        let happens = match work.began {
            Some(var) if has_jumps(&body) => {
                if number > 0 {
                    out.push(put(whole(None, var), Ex::Num(number as i64), span));
                }
                Happens::EndOf(var)
            }
            _ => Happens::End(number),
        };
        let mut rest = self.block(work, body, &happens);
        out.append(&mut rest);
        out
    }
}

fn has_jumps(code: &[Stmt]) -> bool {
    code.iter().any(|s| match &s.kind {
        StmtKind::Label(_) | StmtKind::Goto(_) => true,
        StmtKind::If { arms, otherwise, .. } => {
            arms.iter().any(|a| has_jumps(&a.1)) || otherwise.as_ref().is_some_and(|o| has_jumps(o))
        }
        StmtKind::Choose(list) => list.iter().any(|c| has_jumps(c)),
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => has_jumps(body),
        _ => false,
    })
}
