//! Single actions: outputs, timers, create, decisions and loops.

use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{BOOL, INTEGER, PID, SortKind};
use crate::structure::{Reach, Way};
use starwheel_base::Span;

impl<'a> Lower<'a> {
    /// Lowers one action; false if control does not go on behind it.
    pub fn action(&mut self, a: &'a Action, here: &Here, out: &mut Vec<Stmt>) -> bool {
        match &a.kind {
            ActionKind::Label(_) | ActionKind::Informal => {}
            ActionKind::Assign(to, value) => {
                if let Some((place, sort)) = self.place_written(to, here, out)
                    && self.is_mine(&place, to.span)
                {
                    let first = out.len();
                    self.assign(&place, sort, value, here, out);
                    self.mark_present(&place, a.span, out);
                    // All of it is this one assignment.
                    out[first..].iter_mut().for_each(|s| s.span = a.span);
                }
            }
            ActionKind::Output { signals, to, via } => {
                signals.iter().for_each(|(s, args)| self.output(s, args, to.as_ref(), via, a.span, here, out));
            }
            ActionKind::Create { process, this, args } => self.create(process, *this, args, a.span, here, out),
            ActionKind::Set { after, timer } => self.set(after.as_ref(), timer, a.span, here, out),
            ActionKind::Reset { timer } => self.reset(timer, a.span, here, out),
            ActionKind::Call { name, args } => self.call_by_name(name, args, a.span, here, out),
            ActionKind::Kill(e) => self.kill(e, a.span, here, out),
            ActionKind::Decision(d) => return self.decision(d, a.span, here, out),
            ActionKind::Select(arms) => return self.select(arms, a.span, here, out),
            ActionKind::For { name, over, body } => self.repeat(name, over, body, a.span, here, out),
        }
        true
    }

    #[allow(clippy::too_many_arguments)]
    fn output(
        &mut self,
        name: &Name,
        args: &'a [Option<Expr>],
        to: Option<&'a Expr>,
        via: &[Name],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) {
        let Some(signal) = self.structure.signal_id(&name.key) else {
            let d = starwheel_base::Diagnostic::error(
                "unknown-signal",
                name.span,
                format!("there is no signal `{}`", name.text),
            );
            return self.report(d.advise("declare it in the system: `signal …;`"));
        };
        if self.structure.signals[signal].broken {
            return;
        }
        let sorts = self.structure.signals[signal].sorts.clone();
        if args.len() > sorts.len() {
            let text = format!("signal `{}` has {} parameters, not {}", name.text, sorts.len(), args.len());
            return self.error("parameters", name.span, text);
        }
        let mut values = Vec::new();
        for (i, sort) in sorts.iter().enumerate() {
            match args.get(i).and_then(|a| a.as_ref()) {
                Some(e) => self.scalars(e, *sort, here, out, &mut values),
                None => values.extend(self.leaves(*sort).iter().map(|_| Ex::Num(0))),
            }
        }
        if self.misrouted(name, via, to.is_some()) {
            return;
        }
        let to = if self.structure.is_observer(self.me) {
            Some((Target::Forward(signal), Vec::new()))
        } else {
            self.target(name, to, via, here, out)
        };
        let Some((to, by)) = to else { return };
        let sent = Stmt { kind: StmtKind::Output { args: values, to, by }, span };
        let lossy = self.structure.routes(self.me, &name.key, via).iter().any(|r| r.lossy);
        out.push(match lossy {
            true => Stmt { kind: StmtKind::Choose(vec![vec![sent], Vec::new()]), span },
            false => sent,
        });
    }

    /// Says what is wrong with the way that an output takes over routes that do more than carry.
    fn misrouted(&mut self, name: &Name, via: &[Name], to: bool) -> bool {
        let routes = self.structure.routes(self.me, &name.key, via);
        let plain = |r: &Route| *r == Route { peer: r.peer, ..Route::default() };
        if via.is_empty() && !routes.iter().all(plain) {
            let what = "an output without `via` of a signal that a route loses, delays or multiplies";
            self.refuse(name.span, what, "name the route: `via {r}0`");
            return true;
        }
        if !to && routes.iter().any(|r| r.peer) {
            let text = format!("`{}` goes over a #peer route, so the output must say to whom", name.text);
            self.error("peer", name.span, text);
            return true;
        }
        false
    }

    /// Who gets an output, and by which channels that delay it.
    fn target(
        &mut self,
        name: &Name,
        to: Option<&'a Expr>,
        via: &[Name],
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<(Target, Vec<Vec<HopId>>)> {
        let s = self.structure;
        if let Some(v) = via.iter().find(|v| !self.is_route(&v.key)) {
            self.error("unknown-route", v.span, format!("there is no route or channel `{}`", v.text));
            return None;
        }
        let ways = s.ways(self.me, &name.key, via);
        let known = |p: ProcessId, l: &Self| Some((p, s.signal_id(&s.name_there(l.me, p, &name.key))?));
        let of = |way: &Way| match way.end {
            Reach::Process(p) => Some((known(p, self)?, way.by.clone())),
            Reach::Environment(_) => None,
        };
        let candidates: (Vec<(ProcessId, SignalId)>, Vec<Vec<HopId>>) = ways.iter().filter_map(of).unzip();
        let Some(e) = to else {
            let nobody = || (Target::Environment(s.signal_id(&name.key).unwrap_or(0)), Vec::new());
            if ways.is_empty() {
                let over = via.iter().map(|v| format!(" over `{}`", v.text)).collect::<String>();
                let text = format!("no route carries `{}` from here{over}: it is lost", name.text);
                let d = starwheel_base::Diagnostic::warning("no-route", name.span, text);
                self.report(d.advise("name the signal behind WITH in each route and channel on its way"));
            }
            let (found, by) = candidates;
            let all = s.routes(self.me, &name.key, via).iter().any(|r| r.all);
            return Some(match found.is_empty() {
                true => nobody(),
                false if all => (Target::AllOf(found), by),
                false => (Target::AnyOf(found), by),
            });
        };
        let named = match &e.kind {
            ExprKind::Name(n) if n.key == "this" => Some(self.me),
            ExprKind::Name(n) if self.variable(here.frame, &n.key).is_none() => s.process_near(self.me, &n.key),
            _ => None,
        };
        if let Some(p) = named {
            let there = ways.iter().filter(|way| way.end == Reach::Process(p)).map(|way| way.by.clone());
            let mut by: Vec<Vec<HopId>> = there.collect();
            if by.is_empty() {
                by.push(Vec::new());
            }
            let list: Vec<(ProcessId, SignalId)> = by.iter().filter_map(|_| known(p, self)).collect();
            return Some((Target::AnyOf(list), by));
        }
        let pid = self.scalar(e, Some(PID), here, out)?;
        if pid.sort != PID {
            self.error("pid", e.span, "TO takes a process or a PId".to_string());
            return None;
        }
        // A PId may belong to anybody who knows the signal; routes say who can.
        let (mut list, mut by) = candidates;
        for p in 0..s.processes.len() {
            let takes =
                crate::structure::mentions_input(&s.processes[p].text.items, &s.processes[p].text.body, &name.key, 0);
            if takes && !list.iter().any(|l| l.0 == p) {
                list.extend(known(p, self));
            }
        }
        by.resize(list.len(), Vec::new());
        Some((Target::Pid(pid.ex, list), by))
    }

    fn kill(&mut self, e: &'a Expr, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let named = match &e.kind {
            ExprKind::Name(n) if self.variable(here.frame, &n.key).is_none() => {
                self.structure.process_near(self.me, &n.key)
            }
            _ => None,
        };
        let victim = match named {
            Some(p) => Victim::First(p),
            None => {
                let Some(pid) = self.scalar(e, Some(PID), here, out) else { return };
                if pid.sort != PID {
                    return self.error("pid", e.span, "KILL takes a process or a PId".to_string());
                }
                Victim::Pid(pid.ex)
            }
        };
        out.push(Stmt { kind: StmtKind::Kill(victim), span });
    }

    fn is_route(&self, key: &str) -> bool {
        self.structure.has_channel(key)
    }

    fn create(
        &mut self,
        name: &Name,
        this: bool,
        args: &'a [Option<Expr>],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) {
        let found = if this { Some(self.me) } else { self.structure.process_near(self.me, &name.key) };
        let Some(process) = found else {
            return self.error("unknown-process", name.span, format!("there is no process `{}`", name.text));
        };
        let params = &self.structure.processes[process].text.params;
        if args.len() > params.len() {
            let text = format!("process `{}` has {} parameters, not {}", name.text, params.len(), args.len());
            return self.error("parameters", name.span, text);
        }
        let mut values = Vec::new();
        for (i, p) in params.iter().enumerate() {
            let Some(sort) = self.sort(&p.sort) else { return };
            match args.get(i).and_then(|a| a.as_ref()) {
                Some(e) => self.scalars(e, sort, here, out, &mut values),
                None => values.extend(self.leaves(sort).iter().map(|_| Ex::Num(0))),
            }
        }
        out.push(Stmt { kind: StmtKind::Create { process, args: values }, span });
    }

    /// Any transition whose condition holds; that none does is an error.
    fn select(&mut self, list: &'a [(Option<Expr>, Trans)], span: Span, here: &Here, out: &mut Vec<Stmt>) -> bool {
        let (mut arms, mut falls) = (Vec::new(), false);
        for (when, trans) in list {
            let when = match when {
                Some(e) => self.guard(e, here).map(|(e, mut needs)| {
                    out.append(&mut needs);
                    e
                }),
                None => Some(Ex::Num(1)),
            };
            let mut code = Vec::new();
            falls |= self.run_trans(trans, here, &mut code);
            arms.extend(when.map(|w| (w, code)));
        }
        let always = arms.iter().any(|a| a.0 == Ex::Num(1));
        let why = "no transition of an unstable state is possible".to_string();
        let stuck = Stmt { kind: StmtKind::Assert { what: Ex::Num(0), why }, span };
        out.push(Stmt { kind: StmtKind::If { any: true, arms, otherwise: (!always).then(|| vec![stuck]) }, span });
        falls
    }

    fn decision(&mut self, d: &'a Decision, span: Span, here: &Here, out: &mut Vec<Stmt>) -> bool {
        let mut falls = false;
        let question = match &d.question {
            Question::Of(e) => e,
            _ => {
                let mut list = Vec::new();
                for a in &d.answers {
                    let mut code = Vec::new();
                    falls |= self.run_trans(&a.trans, here, &mut code);
                    list.push(code);
                }
                out.push(Stmt { kind: StmtKind::Choose(list), span });
                return falls || d.answers.is_empty();
            }
        };
        let (mut arms, mut otherwise) = (Vec::new(), None);
        let mut conditions = Vec::new();
        for a in &d.answers {
            let When::Ranges(ranges) = &a.when else { continue };
            let list: Vec<Option<Ex>> = ranges.iter().map(|r| self.answer(question, r, here, out)).collect();
            conditions.push(list.into_iter().collect::<Option<Vec<Ex>>>().map(|l| join(Binary::Or, l)));
        }
        let mut conditions = conditions.into_iter();
        for a in &d.answers {
            let mut code = Vec::new();
            falls |= self.run_trans(&a.trans, here, &mut code);
            match a.when {
                When::Else => otherwise = Some(code),
                When::Ranges(_) => {
                    if let Some(Some(c)) = conditions.next() {
                        arms.push((c, code));
                    }
                }
            }
        }
        // Answers that cover the whole sort need no check that one of them fits.
        if otherwise.is_none() && self.covers(question, d, here) {
            otherwise = arms.pop().map(|a| a.1);
        }
        out.push(Stmt { kind: StmtKind::If { any: false, arms, otherwise }, span });
        falls
    }

    /// The condition of one range of an answer.
    fn answer(&mut self, question: &Expr, range: &Range, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        match range {
            Range::Is(op, e) => self.compare(*op, question, e, here, out),
            Range::Between(a, b) => {
                let lo = self.compare(Binary::Ge, question, a, here, out)?;
                let hi = self.compare(Binary::Le, question, b, here, out)?;
                Some(Ex::bin(Binary::And, lo, hi))
            }
            Range::Size(size) => {
                // A question about a string: how long is it?
                let length = Name { text: "length".into(), key: "length".into(), span: question.span };
                let f = Expr { kind: ExprKind::Name(length), span: question.span };
                let kind = ExprKind::Apply(Box::new(f), vec![question.clone()]);
                let length = Expr { kind, span: question.span };
                self.answer(&length, size, here, out)
            }
        }
    }

    /// True if the answers name every value of a Boolean or of an enumeration.
    fn covers(&mut self, question: &'a Expr, d: &Decision, here: &Here) -> bool {
        let Some(sort) = self.hint(question, here) else { return false };
        let mut names: Vec<&str> = Vec::new();
        for a in &d.answers {
            let When::Ranges(ranges) = &a.when else { return false };
            for r in ranges {
                match r {
                    Range::Is(Binary::Eq, Expr { kind: ExprKind::Name(n), .. }) => names.push(&n.key),
                    _ => return false,
                }
            }
        }
        match self.sorts.kind(sort) {
            SortKind::Bool => names.contains(&"true") && names.contains(&"false"),
            // A variable that was never set is 0, which need not be a literal.
            SortKind::Enum(list) => list.iter().all(|l| names.contains(&l.0.as_str())) && list.iter().any(|l| l.1 == 0),
            _ => false,
        }
    }

    /// `for x in …: … endfor`.
    fn repeat(
        &mut self,
        name: &Name,
        over: &'a Over,
        body: &'a [Action],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) {
        let index = self.scratch(INTEGER);
        let at = Self::place_of(index);
        let saved = self.frames[here.frame].vars.get(&name.key).cloned();
        let put = |to: &Place, value: Ex| Stmt { kind: StmtKind::Assign { to: to.clone(), value, check: None }, span };
        let (when, step) = match over {
            Over::Range(args) => {
                let values: Vec<Option<Ex>> =
                    args.iter().map(|e| self.scalar(e, Some(INTEGER), here, out).map(|v| v.ex)).collect();
                let Some(values) = values.into_iter().collect::<Option<Vec<Ex>>>() else { return };
                let (from, to, step) = match values.as_slice() {
                    [to] => (Ex::Num(0), to.clone(), Ex::Num(1)),
                    [from, to] => (from.clone(), to.clone(), Ex::Num(1)),
                    [from, to, step] => (from.clone(), to.clone(), step.clone()),
                    _ => return self.error("for", span, "RANGE takes one to three numbers".to_string()),
                };
                out.push(put(&at, from));
                self.frames[here.frame].vars.insert(name.key.clone(), (at.clone(), INTEGER));
                (Ex::bin(Binary::Lt, Ex::Get(at.clone()), to), step)
            }
            Over::List(e) => {
                let Some((list, sort)) = self.value(e, None, here, out) else { return };
                let SortKind::List { element, .. } = *self.sorts.kind(sort) else {
                    return self.error("for", e.span, "a loop runs over RANGE or over a list".to_string());
                };
                let mut item = list.clone();
                item.path.push(Step::At(Ex::Get(at.clone())));
                out.push(put(&at, Ex::Num(0)));
                self.frames[here.frame].vars.insert(name.key.clone(), (item, element));
                (Ex::bin(Binary::Lt, Ex::Get(at.clone()), self.length(&list, sort)), Ex::Num(1))
            }
        };
        let mut code = Vec::new();
        for a in body {
            self.statement(here, &mut code, |l, here, out| l.action(a, here, out));
        }
        code.push(put(&at, Ex::bin(Binary::Add, Ex::Get(at.clone()), step)));
        out.push(Stmt { kind: StmtKind::While { when, body: code }, span });
        match saved {
            Some(old) => drop(self.frames[here.frame].vars.insert(name.key.clone(), old)),
            None => drop(self.frames[here.frame].vars.remove(&name.key)),
        }
    }

    /// A condition that is evaluated where nothing can be done first, and the assertions that must hold for it to have a value.
    pub fn guard(&mut self, e: &'a Expr, here: &Here) -> Option<(Ex, Vec<Stmt>)> {
        let mut code = Vec::new();
        let value = self.scalar(e, Some(BOOL), here, &mut code)?;
        let harmless = |s: &Stmt| matches!(s.kind, StmtKind::Assert { .. });
        if !code.iter().all(harmless) {
            self.refuse(e.span, "a call in a condition", "compute the value in the transition before");
            return None;
        }
        if !matches!(self.sorts.kind(value.sort), SortKind::Bool) {
            self.error("condition", e.span, "this must be true or false".to_string());
            return None;
        }
        // All of it is this one condition.
        code.iter_mut().for_each(|s| s.span = e.span);
        Some((value.ex, code))
    }
}

/// Visits all actions of a text, those of procedures and composite states included.
pub fn each_action(items: &[Item], body: &Body, f: &mut dyn FnMut(&Action)) {
    fn list(actions: &[Action], f: &mut dyn FnMut(&Action)) {
        for a in actions {
            f(a);
            match &a.kind {
                ActionKind::Decision(d) => d.answers.iter().for_each(|a| list(&a.trans.actions, f)),
                ActionKind::Select(arms) => arms.iter().for_each(|a| list(&a.1.actions, f)),
                ActionKind::For { body, .. } => list(body, f),
                _ => {}
            }
        }
    }
    body.starts.iter().for_each(|s| list(&s.trans.actions, f));
    body.free.iter().for_each(|t| list(&t.actions, f));
    let parts = body.states.iter().flat_map(|s| &s.parts);
    parts.filter_map(super::frame::part_trans).for_each(|t| list(&t.actions, f));
    for item in items {
        match item {
            Item::Procedure(p) => {
                if let Some(b) = &p.body {
                    each_action(&p.items, b, f);
                }
            }
            Item::Composite(c) => each_action(&c.items, &c.body, f),
            _ => {}
        }
    }
}

/// The names of all signals that a text sends.
pub fn outputs(text: &crate::ast::Process) -> Vec<String> {
    let mut names = Vec::new();
    each_action(&text.items, &text.body, &mut |a| {
        if let ActionKind::Output { signals, .. } = &a.kind {
            names.extend(signals.iter().map(|s| s.0.key.clone()));
        }
    });
    names.sort();
    names.dedup();
    names
}
