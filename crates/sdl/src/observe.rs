//! Observers of TASTE become part of what they observe: their transitions are written into those that they watch.
//!
//! An observer has no step of its own. Its state and its variables are variables of the whole system; the code of its
//! transition stands where what it watches happens: behind the transition that has taken an input, in the place of
//! the output that it stands in between. So both are one step, and an observer costs no interleavings.

use crate::ast::{Binary, Implicit, Mark};
use crate::lower::{drop_labels, tidy};
use crate::machine::*;
use crate::sorts::{SortId, SortKind};
use crate::write::ENVIRONMENT;
use starwheel_base::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

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
            if let StmtKind::Output { to: Target::AnyOf(list) | Target::Pid(_, list), .. } = &s.kind {
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
                    let kind = StmtKind::Assert { what: Ex::Num(0), why: "error state".into() };
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

fn states_of(p: &Process, mark: Mark) -> Vec<StateId> {
    let marks = p.observer.iter().flat_map(|o| &o.marks);
    marks.filter(|x| x.0 == mark).flat_map(|x| x.1.iter().copied()).collect()
}

/// An observer whose text has been taken out of the machine.
struct Watcher {
    id: ProcessId,
    name: String,
    states: Vec<State>,
    events: Vec<(SignalId, Event)>,
    errors: Vec<StateId>,
    state_var: VarId,
}

impl Watcher {
    fn state(&self) -> Place {
        whole(Some(self.id), self.state_var)
    }

    fn continuous(&self) -> bool {
        self.states.iter().flat_map(|s| &s.triggers).any(|t| matches!(t.kind, TriggerKind::Continuous { .. }))
    }
}

/// Takes the text of an observer out; what it does in START becomes the first values of its variables.
fn take_out(m: &mut Machine, o: ProcessId, byte: SortId, diagnostics: &mut Vec<Diagnostic>) -> Watcher {
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

/// An observer that sends may make others send; this deep at most.
const DEEPEST: usize = 12;

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
                state.triggers.push(Trigger { kind, body, span: state.span });
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

    /// Puts observers behind ends of transitions and in the place of outputs.
    fn block(&mut self, work: &Work, code: Vec<Stmt>, happens: &Happens) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in code {
            let span = s.span;
            let kind = match s.kind {
                StmtKind::If { arms, otherwise } => StmtKind::If {
                    arms: arms.into_iter().map(|(c, b)| (c, self.block(work, b, happens))).collect(),
                    otherwise: otherwise.map(|b| self.block(work, b, happens)),
                },
                StmtKind::Choose(list) => {
                    StmtKind::Choose(list.into_iter().map(|b| self.block(work, b, happens)).collect())
                }
                StmtKind::While { when, body } => StmtKind::While { when, body: self.block(work, body, happens) },
                StmtKind::Atomic(body) => StmtKind::Atomic(self.block(work, body, happens)),
                StmtKind::Output { args, to } => {
                    let code = self.output(work, args, to, span);
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
    fn end(&mut self, work: &Work, happens: &Happens, next: Option<StateId>, span: Span) -> Vec<Stmt> {
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
                    out.push(Stmt { kind: StmtKind::If { arms, otherwise: Some(Vec::new()) }, span });
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
    fn taken(&mut self, work: &Work, number: usize, at: &At) -> Vec<Stmt> {
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
                        let kind = StmtKind::If { arms: vec![(when, code)], otherwise: Some(Vec::new()) };
                        out.push(Stmt { kind, span: at.span });
                    }
                }
            }
        }
        out
    }

    /// The condition that an input comes from where an event says.
    fn sent_by(&mut self, event: &Event, f: ProcessId) -> Ex {
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
                let number = match from {
                    Party::Process(g) => first_number(&self.m.processes, g),
                    Party::Environment => ENVIRONMENT,
                };
                Ex::Me(Implicit::Sender).eq(number)
            }
        }
    }

    /// One transition of an observer, whatever state it is in; where it has none, nothing happens.
    fn step(&mut self, w: usize, x: SignalId, values: &[Ex], at: &At) -> Vec<Stmt> {
        let end = self.new_label(at.process);
        let mut arms = Vec::new();
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
                let mut when = Ex::Get(self.watchers[w].state()).eq(id as i64 + 1);
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
        vec![
            Stmt { kind: StmtKind::If { arms, otherwise: Some(Vec::new()) }, span },
            Stmt { kind: StmtKind::Label(end), span },
        ]
    }

    /// Continuous signals of all observers: again and again as long as one leads to another state.
    fn continuous(&mut self, at: &At, first: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for w in first..self.watchers.len() {
            if !self.watchers[w].continuous() {
                continue;
            }
            let (again, end) = (self.new_label(at.process), self.new_label(at.process));
            let mut arms = Vec::new();
            for id in 0..self.watchers[w].states.len() {
                let of = |t: &Trigger| match &t.kind {
                    TriggerKind::Continuous { when, priority } => Some((*priority, when.clone(), t.body.clone())),
                    _ => None,
                };
                let mut list: Vec<_> = self.watchers[w].states[id].triggers.iter().filter_map(of).collect();
                list.sort_by_key(|t| t.0);
                for (_, when, body) in list {
                    let here = Ex::Get(self.watchers[w].state()).eq(id as i64 + 1);
                    let when = match self.rewrite_ex(&when, w, at) {
                        Ex::Num(0) => continue,
                        when => Ex::bin(Binary::And, here, when),
                    };
                    let mut labels = HashMap::new();
                    let to = |t: StateId| if t == id { end } else { again };
                    arms.push((when, self.rewrite(&body, w, at, &mut labels, &to)));
                }
            }
            if arms.is_empty() {
                continue;
            }
            out.push(Stmt { kind: StmtKind::Label(again), span: at.span });
            out.push(Stmt { kind: StmtKind::If { arms, otherwise: Some(Vec::new()) }, span: at.span });
            out.push(Stmt { kind: StmtKind::Label(end), span: at.span });
        }
        out
    }

    /// An output, and whoever stands in between.
    fn output(&mut self, work: &Work, args: Vec<Ex>, to: Target, span: Span) -> Vec<Stmt> {
        let from = Party::Process(work.id);
        let sent = |to: Target| vec![Stmt { kind: StmtKind::Output { args: args.clone(), to }, span }];
        let watched = |pass: &Self, to: Party, s: SignalId| {
            let renamed = pass.watchers.iter().flat_map(|w| w.events.iter().map(|e| &e.1));
            renamed.chain(&pass.asked_events()).any(|e| is_output(e, from, to, s))
        };
        match to {
            Target::Environment(s) if watched(self, Party::Environment, s) => {
                let code = self.chain(work.id, Party::Environment, s, args, 0, span);
                vec![Stmt { kind: StmtKind::Atomic(code), span }]
            }
            Target::AnyOf(list) if list.iter().any(|(q, s)| watched(self, Party::Process(*q), *s)) => {
                let mortal = |q: &ProcessId| self.m.processes[*q].uses.created || self.m.processes[*q].uses.stop;
                if list.len() > 1 && list.iter().any(|(q, _)| mortal(q)) {
                    let advice = "say `to` whom it goes";
                    self.refuse(span, "an observed output to one of several processes that come and go", advice);
                    return Vec::new();
                }
                let mut ways: Vec<Vec<Stmt>> = Vec::new();
                for (q, s) in list {
                    ways.push(self.chain(work.id, Party::Process(q), s, args.clone(), 0, span));
                }
                let code = match ways.len() {
                    1 => ways.remove(0),
                    _ => vec![Stmt { kind: StmtKind::Choose(ways), span }],
                };
                vec![Stmt { kind: StmtKind::Atomic(code), span }]
            }
            Target::Pid(e, list) => {
                if list.iter().any(|(q, s)| watched(self, Party::Process(*q), *s)) {
                    self.refuse(span, "an observed output to a PId", "name the process that gets it");
                }
                sent(Target::Pid(e, list))
            }
            other => sent(other),
        }
    }

    /// Hands a signal to the first observer from a number on that stands in between, or to its receiver.
    fn chain(
        &mut self,
        from: ProcessId,
        to: Party,
        signal: SignalId,
        args: Vec<Ex>,
        first: usize,
        span: Span,
    ) -> Vec<Stmt> {
        let sender = Party::Process(from);
        for w in first..self.watchers.len() {
            let found = self.watchers[w].events.iter().find(|(_, e)| is_output(e, sender, to, signal)).map(|e| e.0);
            if let Some(x) = found {
                let at = At { process: from, happens: Happens::Output(to, signal), span };
                return self.step(w, x, &args, &at);
            }
        }
        let target = match to {
            Party::Process(q) => Target::AnyOf(vec![(q, signal)]),
            Party::Environment => Target::Environment(signal),
        };
        let mut out = vec![Stmt { kind: StmtKind::Output { args, to: target }, span }];
        if self.asked_events().iter().any(|e| is_output(e, sender, to, signal)) {
            let at = At { process: from, happens: Happens::Output(to, signal), span };
            out.extend(self.continuous(&at, 0));
        }
        out
    }

    /// What an observer sends on: to those behind it, and at last to the receiver.
    fn forward(&mut self, w: usize, x: SignalId, args: Vec<Ex>, at: &At, span: Span) -> Vec<Stmt> {
        let mut events = self.watchers[w].events.iter().filter(|(y, e)| *y == x && e.output).map(|e| e.1.clone());
        let Some(event) = events.next() else {
            let advice = "only what is declared by `signal … renames output …` can be sent on";
            self.refuse(span, "an output of an observer that stands for no output of a process", advice);
            return Vec::new();
        };
        let (Some(from), Some(to)) = (event.from, event.to) else {
            self.refuse(event.span, "sending on to anybody", "say `from g to f` behind `renames output`");
            return Vec::new();
        };
        if from != Party::Process(at.process) {
            let advice = "send it on in the transition that takes an output of the same process";
            self.refuse(span, "an output of an observer in the name of a process that does nothing just now", advice);
            return Vec::new();
        }
        let signals = event.what.iter().filter_map(|s| match s {
            Stimulus::Signal(s) => Some(*s),
            Stimulus::Timer(_) => None,
        });
        let signals: Vec<SignalId> = signals.collect();
        let taken = |s: &&SignalId| match to {
            Party::Process(q) => self.m.processes[q].accepts.contains(*s),
            Party::Environment => true,
        };
        let Some(&signal) = signals.iter().find(taken).or(signals.first()) else { return Vec::new() };
        if self.depth > DEEPEST {
            self.refuse(span, "observers that make each other send without end", "break the circle");
            return Vec::new();
        }
        self.depth += 1;
        let code = self.chain(at.process, to, signal, args, w + 1, span);
        self.depth -= 1;
        code
    }

    /// The code of an observer as it stands in another process; `to` says where it goes on after NEXTSTATE.
    fn rewrite(
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
                StmtKind::Output { args, to } => {
                    let args = args.iter().map(|a| self.rewrite_ex(a, w, at)).collect();
                    if let Target::Forward(x) = to {
                        let code = self.forward(w, *x, args, at, span);
                        out.extend(code);
                    }
                    continue;
                }
                StmtKind::Create { .. } | StmtKind::Stop | StmtKind::Set { .. } | StmtKind::Reset { .. } => {
                    let advice = "an observer looks on; write this as a process of its own";
                    self.refuse(span, "CREATE, STOP or a timer in an observer", advice);
                    continue;
                }
                StmtKind::If { arms, otherwise } => StmtKind::If {
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

    fn rewrite_place(&mut self, place: &Place, w: usize, at: &At) -> Place {
        let mut steps = Vec::new();
        for s in &place.path {
            steps.push(match s {
                Step::At(e) => Step::At(self.rewrite_ex(e, w, at)),
                other => other.clone(),
            });
        }
        Place { process: place.process.or(Some(self.watchers[w].id)), var: place.var, path: steps }
    }

    fn rewrite_ex(&mut self, e: &Ex, w: usize, at: &At) -> Ex {
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
    fn happens(&mut self, event: &Event, at: &At) -> Ex {
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

/// True if an event is that one sends a signal to the other.
fn is_output(event: &Event, from: Party, to: Party, signal: SignalId) -> bool {
    event.output
        && event.from == Some(from)
        && event.to.is_none_or(|t| t == to)
        && event.what.contains(&Stimulus::Signal(signal))
}

fn has_jumps(code: &[Stmt]) -> bool {
    code.iter().any(|s| match &s.kind {
        StmtKind::Label(_) | StmtKind::Goto(_) => true,
        StmtKind::If { arms, otherwise } => {
            arms.iter().any(|a| has_jumps(&a.1)) || otherwise.as_ref().is_some_and(|o| has_jumps(o))
        }
        StmtKind::Choose(list) => list.iter().any(|c| has_jumps(c)),
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => has_jumps(body),
        _ => false,
    })
}

/// Visits all conditions and values that an observer reads.
fn each_ex(w: &Watcher, f: &mut dyn FnMut(&Ex)) {
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
                StmtKind::If { arms, otherwise } => {
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
