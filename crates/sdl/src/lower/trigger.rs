//! What a state reacts to: inputs, saves, continuous signals, and where a process may stay for ever.

use super::config::{Conf, applies};
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::{Ex, LabelId, Place, Signal, StateId, Stimulus, Stmt, StmtKind, Trigger, TriggerKind};
use crate::options::Rest;
use crate::write::each_of;
use std::collections::HashSet;

impl<'a> Lower<'a> {
    /// Fills in a state of the machine.
    pub fn fill(&mut self, id: StateId, conf: &Conf, signals: &[Signal]) {
        let mut handled = HashSet::new();
        self.node(id, conf, conf, &mut Vec::new(), &mut handled, signals);
    }

    /// The reactions of a part of a configuration; those of inner parts come first and win.
    fn node(
        &mut self,
        id: StateId,
        all: &Conf,
        node: &Conf,
        path: &mut Vec<usize>,
        handled: &mut HashSet<Stimulus>,
        signals: &[Signal],
    ) {
        let Conf::At { frame, state, parts } = node else { return };
        let mut inner = HashSet::new();
        for (i, p) in parts.iter().enumerate() {
            path.push(i);
            let mut mine = handled.clone();
            self.node(id, all, p, path, &mut mine, signals);
            path.pop();
            inner.extend(mine);
        }
        handled.extend(inner);
        let here = Here { frame: *frame, conf: all.clone(), path: path.clone() };
        let body = self.frames[*frame].body;
        let own = body.states.iter().filter(|s| s.names.is_some() && applies(s, state));
        if let Some(first) = own.clone().next()
            && path.is_empty()
        {
            self.process.states[id].span = first.span;
        }
        let star = body.states.iter().filter(|s| s.names.is_none() && applies(s, state));
        let before = handled.clone();
        for (general, list) in [(false, own.collect::<Vec<_>>()), (true, star.collect())] {
            for part in list.iter().flat_map(|s| &s.parts) {
                self.part(id, part, general, &here, &before, handled, signals);
            }
        }
        // Asterisks mean what nobody has named.
        for part in body.states.iter().filter(|s| applies(s, state)).flat_map(|s| &s.parts) {
            self.asterisk(id, part, &here, handled);
        }
    }

    fn stimuli(&mut self, name: &Name, here: &Here) -> Vec<Stimulus> {
        if let Some(family) = self.timer(here.frame, &name.key) {
            return family.members().map(Stimulus::Timer).collect();
        }
        let found = self.structure.signal_id(&name.key).map(Stimulus::Signal);
        if found.is_none() && !self.refused.contains(&name.key) {
            self.error("unknown-signal", name.span, format!("there is no signal or timer `{}`", name.text));
        }
        found.into_iter().collect()
    }

    /// Signals of a list, lists of signals included.
    fn listed(&mut self, names: &[Name], here: &Here) -> Vec<Stimulus> {
        let scope = self.structure.processes[self.me].scope;
        let mut out = Vec::new();
        for n in names {
            for key in self.structure.expand(scope, std::slice::from_ref(n)) {
                let name = Name { key, ..n.clone() };
                out.extend(self.stimuli(&name, here));
            }
        }
        out
    }

    #[allow(clippy::too_many_arguments)]
    fn part(
        &mut self,
        id: StateId,
        part: &'a StatePart,
        general: bool,
        here: &Here,
        inner: &HashSet<Stimulus>,
        handled: &mut HashSet<Stimulus>,
        signals: &[Signal],
    ) {
        match part {
            StatePart::Save(Names::List(list)) => {
                for s in self.listed(list, here) {
                    if !inner.contains(&s) && handled.insert(s) {
                        self.process.states[id].saves.push(s);
                    }
                }
            }
            StatePart::Input(input) => match &input.what {
                InputWhat::Signals(list) => {
                    for s in list {
                        self.input(id, input, s, general, here, inner, handled, signals);
                    }
                }
                InputWhat::Nothing => {
                    let Some((provided, needs)) = self.enabling(input, here) else { return };
                    // It asks what `provided` asks, and for clocks.
                    let urgent = input.urgent.as_ref().and_then(|e| self.guard(e, here)).map(|g| g.0);
                    let body = self.reaction(&input.trans, input.span, here, Vec::new());
                    let (eager, own, timed) = (input.eager, input.own, input.timed);
                    let kind = TriggerKind::Spontaneous { provided, eager, own, urgent, timed };
                    self.process.states[id].triggers.push(Trigger { kind, needs, body, span: input.span });
                }
                InputWhat::All => {}
            },
            StatePart::Continuous { when, priority, trans } => {
                let Some((guard, needs)) = self.guard(when, here) else { return };
                let body = self.reaction(trans, when.span, here, Vec::new());
                let kind = TriggerKind::Continuous { when: guard, priority: *priority };
                self.process.states[id].triggers.push(Trigger { kind, needs, body, span: when.span });
            }
            _ => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn input(
        &mut self,
        id: StateId,
        input: &'a Input,
        s: &'a crate::ast::Stimulus,
        general: bool,
        here: &Here,
        inner: &HashSet<Stimulus>,
        handled: &mut HashSet<Stimulus>,
        signals: &[Signal],
    ) {
        for what in self.listed(std::slice::from_ref(&s.name), here) {
            if inner.contains(&what) {
                continue;
            }
            if !handled.insert(what) {
                if !general {
                    let text = format!("`{}` is taken or saved twice in this state", s.name.text);
                    self.error("two-inputs", s.name.span, text);
                }
                continue;
            }
            let mut code = Vec::new();
            self.exported(&s.name, here, &mut code);
            let Some(into) = self.parameters(what, s, here, signals, &mut code) else { continue };
            let Some((provided, needs)) = self.enabling(input, here) else { continue };
            let body = self.reaction(&input.trans, input.span, here, code);
            let kind = TriggerKind::Input { what, into, priority: input.priority, provided };
            self.process.states[id].triggers.push(Trigger { kind, needs, body, span: input.span });
        }
    }

    /// The condition of an input, if it has one, and what must hold for it to have a value.
    fn enabling(&mut self, input: &'a Input, here: &Here) -> Option<(Option<Ex>, Vec<Stmt>)> {
        match &input.provided {
            Some(e) => self.guard(e, here).map(|(e, needs)| (Some(e), needs)),
            None => Some((None, Vec::new())),
        }
    }

    /// A procedure that a process offers to others under the name of an input runs before the transition (TASTE).
    fn exported(&mut self, name: &Name, here: &Here, code: &mut Vec<Stmt>) {
        if !self.structure.is_remote(&name.key) {
            return;
        }
        if let Some((frame, p)) = self.procedure(here.frame, &name.key)
            && p.body.is_some()
        {
            self.call(frame, p, &[], name.span, here, code);
        }
    }

    /// Where the parameters of an input go.
    fn parameters(
        &mut self,
        what: Stimulus,
        s: &'a crate::ast::Stimulus,
        here: &Here,
        signals: &[Signal],
        code: &mut Vec<Stmt>,
    ) -> Option<Vec<Option<Place>>> {
        let sorts = match what {
            Stimulus::Timer(id) => return self.timer_parameters(id, s, here, code).then(Vec::new),
            Stimulus::Signal(id) => signals[id].sorts.clone(),
        };
        if matches!(what, Stimulus::Signal(id) if self.structure.signals[id].broken) {
            return None;
        }
        if s.into.len() > sorts.len() {
            let text = format!("`{}` has {} parameters, not {}", s.name.text, sorts.len(), s.into.len());
            self.error("parameters", s.name.span, text);
            return None;
        }
        let mut out = Vec::new();
        let mark = self.used.len();
        let mut checked = Vec::new();
        // Values are put one after the other where one of them may matter to the next.
        let mut named = HashSet::new();
        let plain = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if named.insert(n.key.clone()));
        let in_order = !s.into.iter().flatten().all(plain);
        for (i, sort) in sorts.iter().enumerate() {
            let leaves = self.leaves(*sort);
            let Some(e) = s.into.get(i).and_then(|e| e.as_ref()) else {
                out.extend(leaves.iter().map(|_| None));
                continue;
            };
            self.declare_seen(e, *sort, here);
            let (place, var_sort) = self.place_written(e, here, &mut checked)?;
            if !self.is_mine(&place, e.span) {
                return None;
            }
            let own = self.leaves(var_sort);
            if own.len() != leaves.len() || own.iter().zip(&leaves).any(|(o, l)| o.path != l.path) {
                self.error("sort", e.span, format!("this variable is not of the sort of `{}`", s.name.text));
                return None;
            }
            for (l, o) in leaves.iter().zip(&own) {
                let p = place.leaf(l);
                // A variable with a narrower range than the parameter may be too small for the value: it is checked first.
                let check = match (self.sorts.bounds(o.sort), self.sorts.bounds(l.sort)) {
                    (Some((lo, hi)), Some((a, b))) if a < lo || b > hi => Some((lo, hi)),
                    _ => None,
                };
                if check.is_none() && !in_order {
                    out.push(Some(p));
                    continue;
                }
                let first = Self::place_of(self.scratch(l.sort));
                let value = Ex::Get(first.clone());
                checked.push(Stmt { kind: StmtKind::Assign { to: p, value, check }, span: e.span });
                out.push(Some(first));
            }
            if in_order {
                self.mark_present(&place, e.span, &mut checked);
            }
        }
        code.append(&mut checked);
        for (var, sort) in self.used.split_off(mark) {
            self.clear(&Self::place_of(var), sort, s.name.span, code);
            self.free.entry(sort).or_default().push(var);
        }
        Some(out)
    }

    /// The code of a transition that begins in a state.
    fn reaction(
        &mut self,
        trans: &'a Trans,
        span: starwheel_base::Span,
        here: &Here,
        mut code: Vec<Stmt>,
    ) -> Vec<Stmt> {
        if self.run_trans(trans, here, &mut code) {
            let d = starwheel_base::Diagnostic::warning(
                "no-end",
                span,
                "this transition has no end: the state stays the same",
            );
            self.report(d.advise("end it with NEXTSTATE, STOP, JOIN or RETURN"));
            self.next(&Next::Same, None, span, here, &mut code);
        }
        super::trans::tidy(code)
    }

    /// `input *` and `save *`.
    fn asterisk(&mut self, id: StateId, part: &'a StatePart, here: &Here, handled: &mut HashSet<Stimulus>) {
        let signals = self.process.accepts.iter().map(|s| Stimulus::Signal(*s));
        let timers = (0..self.process.timers.len()).map(Stimulus::Timer);
        let rest: Vec<Stimulus> = signals.chain(timers).filter(|s| !handled.contains(s)).collect();
        match part {
            StatePart::Save(Names::All) => {
                handled.extend(rest.iter().copied());
                self.process.states[id].saves.extend(rest);
            }
            StatePart::Input(input) if matches!(input.what, InputWhat::All) => {
                for what in rest {
                    handled.insert(what);
                    let Some((provided, needs)) = self.enabling(input, here) else { return };
                    let body = self.reaction(&input.trans, input.span, here, Vec::new());
                    let kind = TriggerKind::Input { what, into: Vec::new(), priority: input.priority, provided };
                    self.process.states[id].triggers.push(Trigger { kind, needs, body, span: input.span });
                }
            }
            _ => {}
        }
    }

    /// Decides where the process may stay for ever.
    pub fn rests(&mut self) {
        let outside: HashSet<usize> =
            self.structure.inputs_from_outside().iter().filter(|e| e.1 == self.me).map(|e| e.0).collect();
        for id in 0..self.process.states.len() {
            let state = &self.process.states[id];
            let inputs = state.triggers.iter().filter(|t| matches!(t.kind, TriggerKind::Input { .. }));
            let from_outside = inputs.clone().any(|t| match t.kind {
                TriggerKind::Input { what: Stimulus::Signal(s), .. } => outside.contains(&s),
                _ => false,
            });
            let by_timer =
                inputs.clone().any(|t| matches!(t.kind, TriggerKind::Input { what: Stimulus::Timer(_), .. }));
            let clock = |t: &Trigger| matches!(t.kind, TriggerKind::Spontaneous { timed: true, .. });
            let by_timer = by_timer || state.triggers.iter().any(clock);
            // Whoever waits for no signal but for something waits for what may never come.
            let waits = inputs.clone().next().is_some() || state.triggers.is_empty();
            let serves = waits && !by_timer && inputs.clone().all(|t| self.comes_back(&t.body, id));
            let may_rest = self.options.rest == Rest::Everywhere || from_outside || serves;
            self.process.states[id].may_rest = may_rest;
        }
    }

    /// True if a transition leads back to a state, whatever happens in it and wherever it jumps.
    fn comes_back(&self, code: &[Stmt], id: StateId) -> bool {
        let all = self.process.states.iter().flat_map(|s| &s.triggers).map(|t| t.body.as_slice());
        let all: Vec<&[Stmt]> = all.chain([self.process.start.as_slice()]).collect();
        let (mut jumps, mut next) = (Vec::new(), 0);
        if !only_to(code, id, &mut jumps) {
            return false;
        }
        while let Some(&label) = jumps.get(next) {
            let mut rest = Vec::new();
            let found = all.iter().any(|code| behind(code, label, &mut rest));
            if !found || !rest.iter().all(|code| only_to(code, id, &mut jumps)) {
                return false;
            }
            next += 1;
        }
        true
    }
}

/// True if a piece of code leads to no other state; notes where it jumps.
fn only_to(code: &[Stmt], id: StateId, jumps: &mut Vec<LabelId>) -> bool {
    let mut only = true;
    each_of(code, &mut |s| match s.kind {
        StmtKind::Next(n) => only &= n == id,
        StmtKind::Stop => only = false,
        StmtKind::Goto(l) if !jumps.contains(&l) => jumps.push(l),
        _ => {}
    });
    only
}

/// What may be done from a label on, in pieces.
fn behind<'c>(code: &'c [Stmt], label: LabelId, out: &mut Vec<&'c [Stmt]>) -> bool {
    let stands = |(i, s): (usize, &'c Stmt)| {
        let inside = match &s.kind {
            StmtKind::Label(l) => *l == label,
            StmtKind::If { arms, otherwise, .. } => {
                arms.iter().any(|a| behind(&a.1, label, out))
                    || otherwise.as_ref().is_some_and(|o| behind(o, label, out))
            }
            StmtKind::Choose(list) => list.iter().any(|c| behind(c, label, out)),
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => behind(body, label, out),
            _ => false,
        };
        if inside {
            out.push(&code[i + 1..]);
        }
        inside
    };
    code.iter().enumerate().any(stands)
}
