//! Statements as lines of Promela.

use super::Writer;
use crate::ast::Binary;
use crate::machine::*;
use crate::options::{Overflow, Queues};
use starwheel_base::Span;
use std::sync::Arc;

/// What has gone wrong where none of the answers of a decision fits.
pub const NO_ANSWER: &str = "no answer of the decision fits";

/// From this many numbers on, a copy of a value is one step.
const COPY: usize = 4;

/// Lines that can always begin: the conditions of a choice at their beginning would be taken for those of the choice around it,
/// and its `else` would ask all of them; and a label there names no state.
pub fn always(mut lines: Vec<Line>) -> Vec<Line> {
    let inside = lines.iter().take_while(|l| l.text == "atomic {").count();
    let first = lines.get(inside).map(|l| l.text.as_str());
    if first.is_some_and(|l| l == "if" || l == "do" || l.ends_with(':')) {
        let (depth, span) = (lines[inside].depth, lines[inside].span);
        lines.insert(inside, Line::new(depth, "skip;", span));
    }
    lines
}

/// Assignments as one step, if they are many.
pub fn in_one_step(lines: Vec<Line>) -> Vec<Line> {
    if lines.len() < COPY {
        return lines;
    }
    let (first, last) = (lines[0].span, lines[lines.len() - 1].span);
    let inside = lines.into_iter().map(|l| Line { depth: l.depth + 1, ..l });
    let head = std::iter::once(Line::new(0, "d_step {", first));
    head.chain(inside).chain(std::iter::once(Line::new(0, "};", last))).collect()
}

/// How many statements from the first on assign parts of one value.
fn copies(code: &[Stmt]) -> usize {
    let Some(first) = code.first() else { return 0 };
    let plain = |s: &&Stmt| matches!(s.kind, StmtKind::Assign { check: None, .. }) && s.span == first.span;
    code.iter().take_while(plain).count()
}

/// One line, how far it is indented, and what it stands for.
#[derive(Clone, Debug)]
pub struct Line {
    pub depth: usize,
    pub text: String,
    pub span: Span,
    /// What it means, where the source has no words for it in one place.
    pub said: Option<Arc<str>>,
    /// What has gone wrong if its assertion fails.
    pub fault: Option<Arc<str>>,
}

impl Line {
    pub fn new(depth: usize, text: &str, span: Span) -> Line {
        Line { depth, text: text.to_string(), span, said: None, fault: None }
    }
}

/// Lines that stand for one place.
pub struct Lines {
    pub list: Vec<Line>,
    span: Span,
}

impl Lines {
    pub fn new(span: Span) -> Lines {
        Lines { list: Vec::new(), span }
    }

    pub fn push(&mut self, text: impl Into<String>) {
        self.list.push(Line::new(0, &text.into(), self.span));
    }

    /// A line with words for what it means.
    pub fn say(&mut self, text: String, said: &str) {
        let line = Line::new(0, &text, self.span);
        self.list.push(Line { said: Some(said.into()), ..line });
    }

    /// `assert(what);` and what has gone wrong if it does not hold.
    pub fn assert(&mut self, what: &str, fault: String) {
        let line = Line::new(0, &format!("assert({what});"), self.span);
        self.list.push(Line { fault: Some(fault.into()), ..line });
    }

    /// `:: guard -> lines`; without lines there is no arrow, without both there is `skip`.
    pub fn option(&mut self, guard: &str, inside: Vec<Line>) {
        match (guard.is_empty(), inside.is_empty()) {
            (true, true) => self.push(":: skip"),
            (true, false) => self.push("::"),
            (false, true) => self.push(format!(":: {guard}")),
            (false, false) => self.push(format!(":: {guard} ->")),
        }
        self.list.extend(inside.into_iter().map(|l| Line { depth: l.depth + 1, ..l }));
    }

    /// Says what the first line means.
    pub fn saying(mut self, said: String) -> Lines {
        if let Some(first) = self.list.first_mut() {
            first.said = Some(said.into());
        }
        self
    }

    pub fn append(&mut self, inside: Vec<Line>) {
        self.list.extend(inside);
    }
}

impl Writer<'_> {
    pub fn emit(&mut self, lines: &[Line]) {
        for l in lines {
            (0..l.depth).for_each(|_| self.text.more());
            self.text.told(l.span, &l.text, l.said.clone(), l.fault.clone());
            (0..l.depth).for_each(|_| self.text.less());
        }
    }

    /// All lines of a piece of code.
    pub fn code(&mut self, code: &[Stmt], p: ProcessId) -> Vec<Line> {
        let mut out = Vec::new();
        let mut copied = 0;
        for (i, s) in code.iter().enumerate() {
            if i < copied {
                continue;
            }
            let whole = copies(&code[i..]);
            if whole >= COPY {
                // A whole value is copied in one step: SPIN cannot merge more than 256 of them, and nobody wants to read them.
                copied = i + whole;
                let inside: Vec<Line> = code[i..copied].iter().flat_map(|s| self.stmt(s, p)).collect();
                // What ends before it, ends in front of it: SPIN allows no jump into it.
                if i > 0 && !matches!(code[i - 1].kind, StmtKind::Assign { .. } | StmtKind::Assert { .. }) {
                    out.push(Line::new(0, "skip;", s.span));
                }
                out.append(&mut in_one_step(inside));
                continue;
            }
            if let (StmtKind::Back { .. }, Some(StmtKind::Label(_))) =
                (&s.kind, i.checked_sub(1).map(|i| &code[i].kind))
            {
                // SPIN refuses a loop that does nothing.
                out.push(Line::new(0, "skip;", s.span));
            }
            let mut lines = self.stmt(s, p);
            if let (StmtKind::Label(_), true) = (&s.kind, i + 1 == code.len()) {
                // A label needs a statement behind it.
                lines.push(Line::new(0, "skip;", s.span));
            }
            out.append(&mut lines);
        }
        out
    }

    fn stmt(&mut self, s: &Stmt, p: ProcessId) -> Vec<Line> {
        let mut out = Lines::new(s.span);
        match &s.kind {
            StmtKind::Assign { to, value, check } => {
                let (to, value) = (self.place(to, p), self.expr(value, p));
                if let Some((lo, hi)) = check {
                    let said = self.text.words(s.span).unwrap_or_else(|| value.clone());
                    out.assert(&range_text(&value, *lo, *hi), format!("`{said}` leaves the range {lo} .. {hi}"));
                }
                if to != value {
                    out.push(format!("{to} = {value};"));
                }
            }
            StmtKind::Pick { to, lo, hi } => {
                let to = self.place(to, p);
                out.append(pick_lines(&to, *lo, *hi, s.span));
            }
            StmtKind::Output { args, to, .. } => self.output(args, to, p, &mut out),
            StmtKind::Create { process, args } => self.create(*process, args, p, &mut out),
            StmtKind::Set { timer, after } => self.set(*timer, after, p, s.span, &mut out),
            StmtKind::Reset { timer } => {
                out.push(format!("reset({});", self.timer(*timer, p)));
                self.unqueue(*timer, p, &mut out);
            }
            StmtKind::If { any: true, arms, otherwise } => self.any_branch(arms, otherwise.as_deref(), p, &mut out),
            StmtKind::If { arms, otherwise, .. } => self.branches(arms, otherwise.as_deref(), p, s.span, &mut out),
            StmtKind::Choose(list) => {
                out.push("if");
                for c in list {
                    let inside = self.code(c, p);
                    out.option("", always(inside));
                }
                out.push("fi;");
            }
            StmtKind::While { when, body } => {
                out.push("do");
                let inside = self.code(body, p);
                let when = self.expr(when, p);
                out.option(&when, inside);
                out.push(format!(":: {} -> break", otherwise_of(&[&when])));
                out.push("od;");
            }
            StmtKind::Assert { what, why } => {
                let what = self.expr(what, p);
                let at = self.text.words(s.span).map_or(String::new(), |words| format!(": `{words}`"));
                out.assert(&what, format!("{why}{at}"));
            }
            StmtKind::Atomic(body) => out.append(self.code(body, p)),
            StmtKind::Label(l) => {
                let name = self.desks[p].labels[*l].clone();
                out.push(format!("{name}:"));
            }
            StmtKind::Goto(l) => {
                let name = self.desks[p].labels[*l].clone();
                out.push(format!("goto {name};"));
            }
            StmtKind::Back { to, number } => {
                // Starwheel asks here whether the transition ever ends; states have no names that begin like this.
                out.push(format!("_back{number}:"));
                out.push("skip;");
                let name = self.desks[p].labels[*to].clone();
                out.push(format!("goto {name};"));
            }
            StmtKind::Next(s) => {
                let name = self.desks[p].states[*s].clone();
                out.push(format!("goto {name};"));
            }
            StmtKind::Stop => self.stop(p, &mut out),
            StmtKind::Kill(victim) => self.kill(victim, p, &mut out),
        }
        out.list
    }

    fn branches(
        &mut self,
        arms: &[(Ex, Vec<Stmt>)],
        otherwise: Option<&[Stmt]>,
        p: ProcessId,
        span: Span,
        out: &mut Lines,
    ) {
        let Some(((first, body), rest)) = arms.split_first() else {
            if let Some(o) = otherwise {
                let inside = self.code(o, p);
                out.append(inside);
            }
            return;
        };
        out.push("if");
        // Conditions that exclude each other can stand side by side; others must be asked one after the other.
        let together = if exclusive(arms) { arms.len() } else { 1 };
        let inside = self.code(body, p);
        let when = self.expr(first, p);
        out.option(&when, inside);
        let mut asked = vec![when];
        for (c, body) in &rest[..together - 1] {
            let inside = self.code(body, p);
            let when = self.expr(c, p);
            out.option(&when, inside);
            asked.push(when);
        }
        let mut last = Lines::new(span);
        if together < arms.len() {
            self.branches(&arms[1..], otherwise, p, span, &mut last);
        } else if let Some(o) = otherwise {
            let inside = self.code(o, p);
            last.append(inside);
        } else {
            last.assert("false", NO_ANSWER.to_string());
        }
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        out.option(&otherwise_of(&asked), last.list);
        out.push("fi;");
    }

    /// Any one of the arms whose conditions hold.
    fn any_branch(&mut self, arms: &[(Ex, Vec<Stmt>)], otherwise: Option<&[Stmt]>, p: ProcessId, out: &mut Lines) {
        out.push("if");
        let mut asked = Vec::new();
        for (when, body) in arms {
            let inside = self.code(body, p);
            let when = self.expr(when, p);
            out.option(&when, inside);
            asked.push(when);
        }
        if let Some(o) = otherwise {
            let inside = self.code(o, p);
            let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
            out.option(&otherwise_of(&asked), inside);
        }
        out.push("fi;");
    }

    /// The fields of a message to a process: name, sender, values, zeros.
    pub fn message(&self, to: ProcessId, signal: SignalId, sender: &str, values: &[String]) -> String {
        let mut fields = Vec::new();
        let process = &self.m.processes[to];
        let want = match self.options.queues {
            Queues::Process => {
                fields.push(self.signals[signal].clone());
                self.desks[to].slots.len()
            }
            Queues::Signal => self.m.signals[signal].leaves.len(),
        };
        if process.uses.sender {
            fields.push(sender.to_string());
        }
        fields.extend((0..want).map(|i| values.get(i).cloned().unwrap_or("0".to_string())));
        if fields.is_empty() {
            fields.push("1".to_string());
        }
        fields.join(",")
    }

    fn output(&mut self, args: &[Ex], to: &Target, p: ProcessId, out: &mut Lines) {
        let values: Vec<String> = args.iter().map(|a| self.expr(a, p)).collect();
        match to {
            // The pass over observers leaves none of the latter.
            Target::Environment(_) | Target::Forward(_) => {}
            Target::AnyOf(list) => {
                let ways = self.ways(list, p, &values, out.span);
                choose(ways, out);
            }
            Target::AllOf(list) => {
                for &(q, s) in list {
                    for i in 0..self.m.processes[q].most {
                        out.append(self.send(q, s, i, p, &values, out.span));
                    }
                }
            }
            Target::Pid(e, list) => {
                let pid = self.expr(e, p);
                out.push("if");
                for &(q, s) in list {
                    for i in 0..self.m.processes[q].most {
                        let inside = match self.desks[q].number {
                            Some(_) => self.send_alive(q, s, i, p, &values, out.span),
                            None => self.send(q, s, i, p, &values, out.span),
                        };
                        out.option(&self.is_number(&pid, q, i), inside);
                    }
                }
                out.push(":: else /* whoever it was is gone */");
                out.push("fi;");
            }
        }
    }

    /// The ways in which a signal may go: who must be alive, and what happens.
    fn ways(
        &mut self,
        list: &[(ProcessId, SignalId)],
        p: ProcessId,
        values: &[String],
        span: Span,
    ) -> Vec<(String, Vec<Line>)> {
        let mut ways = Vec::new();
        for &(q, s) in list {
            for i in 0..self.m.processes[q].most {
                let alive = self.alive(q, i);
                ways.push((alive, self.send_alive(q, s, i, p, values, span)));
            }
        }
        ways
    }

    pub fn alive(&self, q: ProcessId, i: usize) -> String {
        match &self.desks[q].alive {
            None => String::new(),
            Some(a) if self.m.processes[q].most > 1 => format!("{a}[{i}]"),
            Some(a) => a.clone(),
        }
    }

    /// Sends to an instance, if it lives.
    fn send(&mut self, q: ProcessId, s: SignalId, i: usize, p: ProcessId, values: &[String], span: Span) -> Vec<Line> {
        let lines = self.send_alive(q, s, i, p, values, span);
        let alive = self.alive(q, i);
        if alive.is_empty() {
            return lines;
        }
        let mut out = Lines::new(span);
        out.push("if");
        out.option(&alive, lines);
        out.push(":: else");
        out.push("fi;");
        out.list
    }

    fn send_alive(
        &mut self,
        q: ProcessId,
        s: SignalId,
        i: usize,
        p: ProcessId,
        values: &[String],
        span: Span,
    ) -> Vec<Line> {
        let mut out = Lines::new(span);
        if !self.m.processes[q].accepts.contains(&s) {
            return out.list;
        }
        let index = if self.m.processes[q].most > 1 { format!("[{i}]") } else { String::new() };
        let queue = self.queue_of(q, s, &index);
        let message = self.message(q, s, &self.self_number(p), values);
        let age = self.age(q, &queue);
        match self.options.overflow {
            Overflow::Error => {
                let (process, signal) = (&self.m.processes[q].name, &self.m.signals[s].name);
                out.assert(
                    &format!("nfull({queue})"),
                    format!("`{signal}` finds the queue of `{process}` full (`--queue {}`)", self.options.queue),
                );
                out.push(format!("{queue}!{message};"));
                age.into_iter().for_each(|line| out.push(line));
            }
            Overflow::Lose => {
                out.push("if");
                // SPIN allows no `else` beside a question about a queue.
                let after: String = age.iter().map(|line| format!("; {}", line.trim_end_matches(';'))).collect();
                out.push(format!(":: nfull({queue}) -> {queue}!{message}{after}"));
                out.push(format!(":: full({queue})"));
                out.push("fi;");
            }
            Overflow::Wait => {
                out.push(format!("{queue}!{message};"));
                age.into_iter().for_each(|line| out.push(line));
            }
        }
        out.list
    }

    fn create(&mut self, q: ProcessId, args: &[Ex], p: ProcessId, out: &mut Lines) {
        let values: Vec<String> = args.iter().map(|a| self.expr(a, p)).collect();
        let offspring = self.m.processes[p].uses.offspring;
        out.push("if");
        let most = self.m.processes[q].most;
        let mut before = String::new();
        for i in 0..most {
            let alive = self.alive(q, i);
            let index = if most > 1 { format!("[{i}]") } else { String::new() };
            let mut inside = Lines::new(out.span);
            inside.push(format!("{alive} = 1;"));
            if self.m.processes[q].uses.parent {
                inside.push(format!("{}{index} = {};", self.desks[q].parent, self.self_number(p)));
            }
            for (name, v) in self.desks[q].params.iter().zip(&values) {
                inside.push(format!("{name}{index} = {v};"));
            }
            if self.desks[q].number.is_some() {
                self.new_number(q, i, p, &mut inside);
            }
            if offspring {
                inside.push(format!("{} = {};", self.desks[p].offspring, self.number_of(q, i)));
            }
            out.option(&format!("{before}!{alive}"), inside.list);
            before = format!("{before}{alive} && ");
        }
        let mut none = Lines::new(out.span);
        if offspring {
            none.push(format!("{} = 0;", self.desks[p].offspring));
        }
        out.option("else", none.list);
        out.push("fi;");
    }

    fn set(&mut self, t: TimerId, after: &Ex, p: ProcessId, span: Span, out: &mut Lines) {
        let timer = self.timer(t, p);
        let slices = self.slices(after, p, span);
        self.unqueue(t, p, out);
        let known = matches!(after, Ex::Num(_));
        if !known && self.exact() {
            let longest = super::timers::LONGEST;
            out.assert(
                &format!("{slices} <= {longest}"),
                format!("a timer is set to more than {longest} slices of time"),
            );
        }
        if !self.m.processes[p].timers[t].queued || matches!(after, Ex::Num(1..)) {
            let slices = if known { slices } else { format!("({slices} > 0 -> {slices} : 0)") };
            return out.push(format!("set({timer},{slices});"));
        }
        // What expires at once stands behind the signals that are there already.
        let mut now = Lines::new(span);
        now.push(format!("reset({timer});"));
        now.append(self.queue_timer(t, p, span));
        if matches!(after, Ex::Num(_)) {
            return out.append(now.list);
        }
        out.push("if");
        out.push(format!(":: {slices} > 0 -> set({timer},{slices})"));
        out.option("else", now.list);
        out.push("fi;");
    }

    /// Puts the signal of a timer into the queue; there is always room for one of each.
    pub fn queue_timer(&self, t: TimerId, p: ProcessId, span: Span) -> Vec<Line> {
        let mut out = Lines::new(span);
        let desk = &self.desks[p];
        let mut fields = Vec::new();
        if self.options.queues == Queues::Process {
            fields.push(desk.timer_signals[t].clone());
        }
        if self.m.processes[p].uses.sender {
            fields.push(self.self_number(p));
        }
        match self.options.queues {
            Queues::Process => fields.extend(desk.slots.iter().map(|_| "0".to_string())),
            Queues::Signal if fields.is_empty() => fields.push("1".to_string()),
            Queues::Signal => {}
        }
        out.push(format!("{}!{};", self.timer_queue(t, p), fields.join(",")));
        out.list
    }

    /// Takes the signal of a timer out of the queue.
    fn unqueue(&self, t: TimerId, p: ProcessId, out: &mut Lines) {
        if !self.m.processes[p].timers[t].queued {
            return;
        }
        let queue = self.timer_queue(t, p);
        let take = match self.options.queues {
            Queues::Process => format!("??{}{}", self.desks[p].timer_signals[t], ",_".repeat(self.width(p))),
            Queues::Signal => "?_".to_string(),
        };
        let waits = self.expired(t, p);
        out.push("if");
        out.push(format!(":: {waits} -> {queue}{take}"));
        out.push(format!(":: !({waits})"));
        out.push("fi;");
    }

    /// STOP: nothing of the instance is left behind.
    fn stop(&mut self, p: ProcessId, out: &mut Lines) {
        let index = self.index(p).to_string();
        self.take_away(p, &index, out);
        out.append(self.forget(p, out.span));
        out.push(format!("goto {};", self.desks[p].stopped));
    }

    /// KILL: what others can see of the instance is taken away at once; the rest it does itself.
    fn kill(&mut self, victim: &Victim, p: ProcessId, out: &mut Lines) {
        let number = match victim {
            Victim::Pid(e) => self.expr(e, p),
            Victim::First(q) => self.number_of(*q, 0),
        };
        let m = self.m;
        out.push("if");
        for (q, process) in m.processes.iter().enumerate().filter(|(_, q)| q.uses.killed) {
            for i in (0..process.most).filter(|i| matches!(victim, Victim::Pid(_)) || *i == 0) {
                if matches!(victim, Victim::First(other) if *other != q) {
                    continue;
                }
                let mut inside = Lines::new(out.span);
                let mut other = Lines::new(out.span);
                let index = if process.most > 1 { format!("[{i}]") } else { String::new() };
                other.push(format!("{}{index} = 1;", self.desks[q].killed));
                self.take_away(q, &index, &mut other);
                if process.uses.created {
                    let desk = &self.desks[q];
                    let given = desk.params.iter().chain(process.uses.parent.then_some(&desk.parent));
                    given.for_each(|name| other.push(format!("{name}{index} = 0;")));
                }
                inside.push("if");
                if q == p {
                    let me = if process.most > 1 { format!("me == {i}") } else { "true".to_string() };
                    let mut own = Lines::new(out.span);
                    self.stop(p, &mut own);
                    inside.option(&me, own.list);
                }
                if q != p || process.most > 1 {
                    let me = if q == p { format!("me != {i} && ") } else { String::new() };
                    inside.option(&format!("{me}{}", self.alive(q, i)), other.list);
                    inside.push(":: else");
                }
                inside.push("fi;");
                out.option(&self.is_number(&number, q, i), inside.list);
            }
        }
        out.push(":: else /* whoever it was is gone */");
        out.push("fi;");
    }

    /// Takes away what others can see of an instance.
    fn take_away(&mut self, p: ProcessId, index: &str, out: &mut Lines) {
        let m = self.m;
        for timer in self.desks[p].timers.iter().chain(&self.desks[p].slice) {
            out.push(format!("reset({timer}{index});"));
        }
        for what in self.desks[p].alive.iter().chain(&self.desks[p].number) {
            out.push(format!("{what}{index} = 0;"));
        }
        for (queue, signal) in self.queues(p, index) {
            let blanks = match self.options.queues {
                Queues::Process => format!("_{}", ",_".repeat(self.width(p))),
                Queues::Signal => {
                    let values = signal.map_or(0, |s| m.signals[s].leaves.len());
                    let sender = usize::from(m.processes[p].uses.sender);
                    vec!["_"; (values + sender).max(1)].join(",")
                }
            };
            out.push("do");
            out.push(format!(":: nempty({queue}) -> {queue}?{blanks}"));
            out.push(format!(":: empty({queue}) -> break"));
            out.push("od;");
        }
    }

    /// Sets all variables of the instance that speaks back to what they were at first.
    pub fn forget(&self, p: ProcessId, span: Span) -> Vec<Line> {
        let process = &self.m.processes[p];
        let mut cleared = Lines::new(span);
        for v in 0..process.vars.len() {
            for leaf in crate::lower::leaves(&self.m.sorts, process.vars[v].sort) {
                let simple = leaf.path.is_empty();
                let place = Place { process: None, var: v, path: leaf.path };
                let initial = if simple { process.vars[v].initial } else { 0 };
                if !process.vars[v].hidden {
                    cleared.push(format!("{} = {initial};", self.place(&place, p)));
                }
            }
        }
        let (desk, uses) = (&self.desks[p], process.uses);
        for (used, name) in
            [(uses.sender, &desk.sender), (uses.offspring, &desk.offspring), (uses.parent, &desk.parent_local)]
        {
            if used {
                cleared.push(format!("{name} = 0;"));
            }
        }
        if cleared.list.len() < COPY {
            return cleared.list;
        }
        // SPIN allows no jump from the end of a loop into a step.
        std::iter::once(Line::new(0, "skip;", span)).chain(in_one_step(cleared.list)).collect()
    }

    /// All queues of an instance, with their signals.
    fn queues(&self, p: ProcessId, index: &str) -> Vec<(String, Option<SignalId>)> {
        if !self.has_queue(p) {
            return Vec::new();
        }
        match self.options.queues {
            Queues::Process => vec![(format!("{}{index}", self.desks[p].queue), None)],
            Queues::Signal => {
                let of = |s: &SignalId| (self.queue_of(p, *s, index), Some(*s));
                let process = &self.m.processes[p];
                let timers = (0..process.timers.len()).filter(|t| process.timers[*t].queued);
                let timers = timers.map(|t| (format!("{}{index}", self.desks[p].timer_queues[t]), None));
                process.accepts.iter().map(of).chain(timers).collect()
            }
        }
    }
}

/// `else`, or the same spelt out where SPIN does not allow it.
pub fn otherwise_of(asked: &[&str]) -> String {
    if asked.iter().any(|a| a.contains("??[")) {
        asked.iter().map(|a| format!("!({a})")).collect::<Vec<_>>().join(" && ")
    } else {
        "else".to_string()
    }
}

/// One of several ways, or nothing if nobody lives.
fn choose(mut ways: Vec<(String, Vec<Line>)>, out: &mut Lines) {
    match ways.as_slice() {
        [] => {}
        [(alive, _)] if alive.is_empty() => {
            if let Some((_, lines)) = ways.pop() {
                out.append(lines);
            }
        }
        _ => {
            let guarded = ways.iter().all(|w| !w.0.is_empty());
            out.push("if");
            for (alive, lines) in ways {
                out.option(&alive, lines);
            }
            if guarded {
                out.push(":: else");
            }
            out.push("fi;");
        }
    }
}

/// Any number between two.
pub fn pick_lines(to: &str, lo: i64, hi: i64, span: Span) -> Vec<Line> {
    let mut out = Lines::new(span);
    if hi - lo > 3 {
        // SPIN's `select` takes plain variables only.
        out.push(format!("{to} = {lo};"));
        out.push("do");
        out.push(format!(":: {to} < {hi} -> {to}++"));
        out.push(":: break");
        out.push("od;");
    } else if lo == hi {
        out.push(format!("{to} = {lo};"));
    } else {
        out.push("if");
        (lo..=hi).for_each(|n| out.push(format!(":: {to} = {n}")));
        out.push("fi;");
    }
    out.list
}

fn range_text(value: &str, lo: i64, hi: i64) -> String {
    let low = format!("({value}) >= {lo}");
    let high = format!("({value}) <= {hi}");
    match (lo <= i64::from(i32::MIN), hi >= i64::from(i32::MAX)) {
        (true, _) => high,
        (_, true) => low,
        _ => format!("{low} && {high}"),
    }
}

/// True if all conditions compare the same thing with different numbers.
fn exclusive(arms: &[(Ex, Vec<Stmt>)]) -> bool {
    let mut seen = Vec::new();
    let mut subject = None;
    let mut todo: Vec<&Ex> = arms.iter().map(|a| &a.0).collect();
    while let Some(e) = todo.pop() {
        match e {
            Ex::Bin(Binary::Or, a, b) => todo.extend([&**a, &**b]),
            Ex::Bin(Binary::Eq, a, b) => {
                let Ex::Num(n) = **b else { return false };
                if *subject.get_or_insert(a) != a || seen.contains(&n) {
                    return false;
                }
                seen.push(n);
            }
            _ => return false,
        }
    }
    true
}
