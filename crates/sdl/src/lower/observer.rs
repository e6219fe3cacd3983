//! What is special about observers of TASTE: they look into other processes and name what happens between them.

use super::{Here, Lower};
use crate::ast::*;
use crate::machine::{Event, Ex, Observer, Party, Place, ProcessId, SignalId, StateId, Stimulus, VarId};
use crate::sorts::SortId;
use starwheel_base::{Diagnostic, Span};

/// What `st.f.x` means.
pub enum Seen {
    Variable(ProcessId, VarId),
    /// Nothing, and why.
    Nothing(String),
}

impl<'a> Lower<'a> {
    /// True if a process speaks of its own variable; others can be looked at only.
    pub fn is_mine(&mut self, place: &Place, span: Span) -> bool {
        if place.process.is_some() {
            let d = Diagnostic::error("observer", span, "an observer cannot change what it observes");
            self.report(d.advise("to change what is sent, rename the output and send it on with another value"));
        }
        place.process.is_none()
    }

    /// A parameter that an observer takes need not be declared.
    pub fn declare_seen(&mut self, e: &Expr, sort: SortId, here: &Here) {
        let ExprKind::Name(n) = &e.kind else { return };
        if self.structure.is_monitor(self.me) && self.variable(here.frame, &n.key).is_none() {
            let var = self.add_var(&n.text, sort, false);
            // The frame of the process is the first.
            self.frames[0].vars.insert(n.key.clone(), (Self::place_of(var), sort));
        }
    }

    /// The process and the name in `st.f.x`.
    fn looks_at<'e>(&self, e: &'e Expr) -> Option<(&'e Name, &'e Name)> {
        let ExprKind::Field(base, what) = &e.kind else { return None };
        let ExprKind::Field(st, process) = &base.kind else { return None };
        let ExprKind::Name(st) = &st.kind else { return None };
        let items = &self.structure.processes[self.me].text.items;
        items.iter().any(|i| matches!(i, Item::Monitor(n) if n.key == st.key)).then_some((process, what))
    }

    fn observed(&self, name: &Name) -> Result<ProcessId, String> {
        match self.structure.process_id(&name.key) {
            None => Err(format!("the process `{}` is nowhere in these files", name.text)),
            Some(p) if self.structure.is_monitor(p) => Err(format!("`{}` is an observer itself", name.text)),
            Some(p) if self.others[p].most > 1 => {
                Err(format!("`{}` has several instances: which of them is meant?", name.text))
            }
            Some(p) => Ok(p),
        }
    }

    /// What an observer looks at, if an expression is of this form.
    pub fn seen(&self, e: &Expr, _here: &Here) -> Option<Seen> {
        let (process, what) = self.looks_at(e)?;
        Some(match self.observed(process) {
            Err(why) => Seen::Nothing(why),
            Ok(p) => {
                let is_it = |v: &crate::machine::Var| !v.hidden && v.name.to_lowercase() == what.key;
                match self.others[p].vars.iter().position(is_it) {
                    Some(var) => Seen::Variable(p, var),
                    None if what.key == "state" => Seen::Nothing("a state can be compared by = and /= only".into()),
                    None => Seen::Nothing(format!("process `{}` has no variable `{}`", process.text, what.text)),
                }
            }
        })
    }

    /// `st.f.state = s`; the state may stand on either side.
    pub fn in_state(&mut self, op: Binary, a: &Expr, b: &Expr) -> Option<Option<Ex>> {
        let is_state = |e: &'_ Expr| self.looks_at(e).is_some_and(|(_, w)| w.key == "state");
        let (e, other) = if is_state(a) { (a, b) } else { (b, a) };
        let (process, what) = self.looks_at(e)?;
        if what.key != "state" {
            return None;
        }
        let process = process.clone();
        Some(self.state_is(op, &process, other))
    }

    fn state_is(&mut self, op: Binary, process: &Name, other: &Expr) -> Option<Ex> {
        let p = match self.observed(process) {
            Ok(p) => p,
            Err(why) => {
                self.error("observer", process.span, why);
                return None;
            }
        };
        let ExprKind::Name(s) = &other.kind else {
            self.error("observer", other.span, "a state can be compared with a name only".to_string());
            return None;
        };
        let list = self.states_called(&self.others[p].states, s);
        if list.is_empty() && !self.says_state(p, s) {
            self.error("unknown-state", s.span, format!("process `{}` has no state `{}`", process.text, s.text));
            return None;
        }
        match op {
            Binary::Eq => Some(Ex::In(p, list)),
            Binary::Ne => Some(Ex::In(p, list).not()),
            _ => {
                self.error("observer", other.span, "a state can be compared by = and /= only".to_string());
                None
            }
        }
    }

    /// The states of a machine that a name of the text stands for.
    fn states_called(&self, states: &[crate::machine::State], name: &Name) -> Vec<StateId> {
        let fits = |s: &crate::machine::State| {
            s.path.first().is_some_and(|n| *n == name.key) || s.name.to_lowercase() == name.key
        };
        (0..states.len()).filter(|i| fits(&states[*i])).collect()
    }

    /// True if the text of a process has a state of this name, be it reached or not.
    fn says_state(&self, p: ProcessId, name: &Name) -> bool {
        let named = |s: &StateDef| s.names.iter().flatten().any(|n| n.key == name.key);
        self.structure.processes[p].text.body.states.iter().any(named)
    }

    /// The signals of an observer.
    pub fn seen_signals(&self) -> Vec<SignalId> {
        let all = self.structure.around(self.me).flat_map(|s| &s.renames);
        let mut list: Vec<SignalId> = all.filter_map(|d| self.structure.signal_id(&d.name.key)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Notes what an observer watches and what its states mean.
    pub fn observes(&mut self) {
        if !self.structure.is_monitor(self.me) {
            return;
        }
        let mut observer = Observer::default();
        let info = &self.structure.processes[self.me];
        for item in &info.text.items {
            let Item::Marked(mark, names) = item else { continue };
            let mut states = Vec::new();
            for n in names {
                let found = self.states_called(&self.process.states, n);
                if found.is_empty() && !self.says_state(self.me, n) {
                    self.error("unknown-state", n.span, format!("there is no state `{}`", n.text));
                } else if found.is_empty() {
                    let text = format!("no transition leads to the state `{}`", n.text);
                    self.report(Diagnostic::warning("observer", n.span, text));
                }
                states.extend(found);
            }
            observer.marks.push((*mark, states));
        }
        if self.structure.is_observer(self.me) {
            let defs: Vec<&'a SignalDef> =
                self.structure.around(self.me).flat_map(|s| s.renames.iter().copied()).collect();
            for def in defs {
                let (Some(name), Some(id)) = (&def.renames, self.structure.signal_id(&def.name.key)) else { continue };
                let Some(event) = self.event(name) else { continue };
                self.same_parameters(def, &event);
                observer.events.push((id, event));
            }
        }
        self.process.observer = Some(observer);
    }

    /// The signal of an observer must have the parameters of what it stands for, or none.
    fn same_parameters(&mut self, def: &SignalDef, event: &Event) {
        let Some(own) = self.structure.signal_id(&def.name.key).map(|i| self.structure.signals[i].sorts.clone()) else {
            return;
        };
        for what in &event.what {
            let other = match what {
                Stimulus::Signal(s) => self.structure.signals[*s].sorts.clone(),
                Stimulus::Timer(_) => Vec::new(),
            };
            let same = own.len() == other.len()
                && own.iter().zip(&other).all(|(a, b)| self.leaves(*a).len() == self.leaves(*b).len());
            if !same && !own.is_empty() {
                let text = format!("`{}` has other parameters than what it renames", def.name.text);
                return self.error("parameters", def.name.span, text);
            }
        }
    }

    fn party(&mut self, name: &Name) -> Party {
        match self.structure.process_id(&name.key) {
            Some(p) if !self.structure.is_monitor(p) => Party::Process(p),
            _ => {
                if name.key != "env" {
                    let text =
                        format!("the process `{}` is nowhere in these files: the environment is meant", name.text);
                    self.report(Diagnostic::warning("observer", name.span, text));
                }
                Party::Environment
            }
        }
    }

    /// What the name of an event means.
    pub fn event(&mut self, name: &EventName) -> Option<Event> {
        if !self.structure.is_observer(self.me) {
            self.error("observer", name.span, "only an observer can see what others take or send".to_string());
            return None;
        }
        let from = name.from.as_ref().map(|n| self.party(n));
        let to = name.to.as_ref().map(|n| self.party(n));
        let own = if name.output { from } else { to };
        let Some(Party::Process(own)) = own else {
            let text = if name.output {
                "an output is watched at its sender: `output s from g`, and `g` must be in these files"
            } else {
                "an input is watched at its receiver: `input s to f`, and `f` must be in these files"
            };
            self.error("observer", name.span, text.to_string());
            return None;
        };
        let mut what = Vec::new();
        let is_it = |t: &crate::machine::Timer| t.name.to_lowercase() == name.signal.key;
        if let (false, Some(t)) = (name.output, self.others[own].timers.iter().position(is_it)) {
            what.push(Stimulus::Timer(t));
        } else if let Some(s) = self.structure.signal_id(&name.signal.key) {
            what.push(Stimulus::Signal(s));
            // The two may know it by different names.
            if let (Some(Party::Process(g)), Some(Party::Process(f))) = (from, to) {
                let there = self.structure.name_there(g, f, &name.signal.key);
                what.extend(self.structure.signal_id(&there).filter(|t| *t != s).map(Stimulus::Signal));
            }
        } else {
            self.error("unknown-signal", name.signal.span, format!("there is no signal `{}`", name.signal.text));
            return None;
        }
        for p in [from, to].into_iter().flatten() {
            if let Party::Process(p) = p
                && self.others[p].most > 1
            {
                let advice = "observe processes of one instance";
                self.refuse(name.span, "an observer of a process with several instances", advice);
                return None;
            }
        }
        Some(Event { output: name.output, what, from, to, span: name.span })
    }
}
