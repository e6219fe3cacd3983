//! Timers: which form they have, the unit of time, and their declarations.

use super::Writer;
use crate::machine::*;
use crate::options::{Options, Queues, Timers};
use starwheel_base::Diagnostic;

/// Timers are 16 bits wide.
pub const LONGEST: i64 = 32767;

/// A timer is a variable alone where that is the same: where nothing can be overtaken that was saved before, and
/// nothing is set to expire at once (then signals that are queued already come first). With a queue for each signal nothing
/// can be overtaken, but an expiry that must wait needs a queue as well.
pub fn decide(m: &mut Machine, options: &Options) {
    for p in &mut m.processes {
        let waits = |such: &dyn Fn(Stimulus) -> bool| {
            let special = |t: &Trigger| match &t.kind {
                TriggerKind::Input { what, priority, provided, .. } => *priority || provided.is_some() && such(*what),
                _ => false,
            };
            p.states.iter().any(|s| s.saves.iter().any(|x| such(*x)) || s.triggers.iter().any(special))
        };
        let in_order = !waits(&|_| true);
        let alone: Vec<bool> = (0..p.timers.len()).map(|t| !waits(&|what| what == Stimulus::Timer(t))).collect();
        let mut at_once = vec![false; p.timers.len()];
        each_stmt(p, &mut |s| {
            if let StmtKind::Set { timer, after } = &s.kind {
                at_once[*timer] |= !matches!(after, Ex::Num(1..));
            }
        });
        for (i, t) in p.timers.iter_mut().enumerate() {
            let queued = match options.queues {
                Queues::Process => !in_order || at_once[i],
                Queues::Signal => !alone[i],
            };
            t.queued = !t.clock && queued;
        }
    }
}

/// The greatest number that divides all durations.
///
/// What may happen at any moment may happen between two of them, and clocks are past a value one slice after it: then
/// nothing is divided.
pub fn unit(m: &Machine, options: &Options) -> i64 {
    let mut unit = 0;
    let lazy = |t: &Trigger| matches!(t.kind, TriggerKind::Spontaneous { eager: false, .. });
    let any_moment = m.processes.iter().flat_map(|p| &p.states).flat_map(|s| &s.triggers).any(lazy);
    let any_moment = any_moment || m.processes.iter().any(|p| p.carrier || p.timers.iter().any(|t| t.clock));
    if options.timers == Timers::Exact && (any_moment || !m.from_environment.is_empty()) {
        return 1;
    }
    for p in &m.processes {
        each_stmt(p, &mut |s| {
            if let StmtKind::Set { after, .. } = &s.kind {
                unit = match after {
                    Ex::Num(n) => gcd(unit, n.saturating_abs()),
                    _ => 1,
                };
            }
        });
    }
    unit.max(1)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// True if time plays a role.
pub fn timed(m: &Machine, options: &Options) -> bool {
    options.timers == Timers::Exact && m.processes.iter().any(|p| !p.timers.is_empty() || p.within.is_some())
}

/// Visits all statements of a process.
pub fn each_stmt(p: &Process, f: &mut dyn FnMut(&Stmt)) {
    each_of(&p.start, f);
    p.states.iter().flat_map(|s| &s.triggers).for_each(|t| each_of(&t.body, f));
}

/// Visits all statements of a piece of code.
pub fn each_of<'c>(code: &'c [Stmt], f: &mut dyn FnMut(&'c Stmt)) {
    for s in code {
        f(s);
        match &s.kind {
            StmtKind::If { arms, otherwise, .. } => {
                arms.iter().for_each(|a| each_of(&a.1, f));
                otherwise.iter().for_each(|o| each_of(o, f));
            }
            StmtKind::Choose(list) => list.iter().for_each(|c| each_of(c, f)),
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => each_of(body, f),
            _ => {}
        }
    }
}

impl Writer<'_> {
    /// The header and all timers. SPIN's clock must know them by name, before the first process.
    pub fn timer_declarations(&mut self) {
        let m = self.m;
        let mut all: Vec<(String, usize, starwheel_base::Span)> = Vec::new();
        for (p, process) in m.processes.iter().enumerate() {
            let desk = &self.desks[p];
            all.extend(desk.timers.iter().zip(&process.timers).map(|(n, t)| (n.clone(), process.most, t.span)));
            all.extend(desk.slice.iter().map(|n| (n.clone(), process.most, process.span)));
            let ages = desk.ages.iter().flat_map(|a| a.timers().map(|n| (n.clone(), a.room, process.span)));
            all.extend(ages);
        }
        if !self.environment_slice.is_empty() {
            all.push((self.environment_slice.clone(), 1, starwheel_base::Span::default()));
        }
        if all.is_empty() {
            return;
        }
        if !self.exact() {
            self.text.plain("#define ABSTRACT 1");
        }
        if self.unit > 1 {
            self.text.plain(&format!("/* one slice of time is {} units of the source */", self.unit));
        }
        self.text.plain("#include \"dtime.h\"");
        let mut elements = Vec::new();
        for (name, most, span) in &all {
            if *most > 1 {
                self.text.line(*span, &format!("timer {name}[{most}] = OFF;"));
                elements.extend((0..*most).map(|i| format!("{name}[{i}]")));
            } else {
                self.text.line(*span, &format!("timer {name} = OFF;"));
                elements.push(name.clone());
            }
        }
        self.clock(&elements, all.iter().all(|a| a.1 == 1));
    }

    /// The clock of SPIN; the header has it for up to five plain timers.
    fn clock(&mut self, elements: &[String], plain: bool) {
        if plain && elements.len() <= 5 {
            return self.text.plain(&format!("TIMERS{}({})", elements.len(), elements.join(",")));
        }
        self.text.plain("#ifndef __STARWHEEL__");
        self.text.plain("#ifndef ABSTRACT");
        let any: Vec<String> = elements.iter().map(|e| format!("{e}>=0")).collect();
        let each = |what: &str| elements.iter().map(|e| format!("{what}({e})")).collect::<Vec<_>>().join("; ");
        self.text.plain(&format!(
            "active proctype Timers() {{ end: do :: dt_go({}) dt_m = 32767; {}; dt_best; {}; dt_m = 0 }} od }}",
            any.join("||"),
            each("dt_look"),
            each("dt_down")
        ));
        self.text.plain("#endif");
        self.text.plain("#endif");
    }

    /// A duration in slices.
    pub fn slices(&mut self, after: &Ex, p: ProcessId, span: starwheel_base::Span) -> String {
        match after {
            Ex::Num(n) => {
                // A time that has passed already is now.
                let slices = (n / self.unit).max(0);
                if slices > LONGEST && self.exact() {
                    let text = format!("{n} is {slices} slices of {} units, more than {LONGEST}", self.unit);
                    let d = Diagnostic::error("long-timer", span, text);
                    self.diagnostics.push(d.advise("divide all durations by the same number, or use abstract timers"));
                }
                slices.to_string()
            }
            e => self.expr(e, p),
        }
    }
}
