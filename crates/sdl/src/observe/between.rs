//! Outputs with observers in between: who gets a signal first, and what becomes of it.

use super::{At, Happens, Pass, Work};
use crate::machine::*;
use starwheel_base::Span;

/// An observer that sends may make others send; this deep at most.
const DEEPEST: usize = 12;

impl Pass<'_> {
    /// An output, and whoever stands in between.
    pub(super) fn output(
        &mut self,
        work: &Work,
        args: Vec<Ex>,
        to: Target,
        by: Vec<Vec<HopId>>,
        span: Span,
    ) -> Vec<Stmt> {
        let from = Party::Process(work.id);
        let sent = |to: Target| vec![Stmt { kind: StmtKind::Output { args: args.clone(), to, by: by.clone() }, span }];
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
                if by.iter().any(|way| !way.is_empty()) {
                    let advice = "watch the input instead, or leave `--delay channels` out";
                    self.refuse(span, "an observed output over a channel that delays", advice);
                }
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
            Target::AllOf(list) => {
                if list.iter().any(|(q, s)| watched(self, Party::Process(*q), *s)) {
                    self.refuse(span, "an observed output to all instances", "watch the input instead");
                }
                sent(Target::AllOf(list))
            }
            other => sent(other),
        }
    }

    /// Hands a signal to the first observer from a number on that stands in between, or to its receiver.
    pub(super) fn chain(
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
        let mut out = vec![Stmt { kind: StmtKind::Output { args, to: target, by: Vec::new() }, span }];
        if self.asked_events().iter().any(|e| is_output(e, sender, to, signal)) {
            let at = At { process: from, happens: Happens::Output(to, signal), span };
            out.extend(self.continuous(&at, 0));
        }
        out
    }

    /// What an observer sends on: to those behind it, and at last to the receiver.
    pub(super) fn forward(&mut self, w: usize, x: SignalId, args: Vec<Ex>, at: &At, span: Span) -> Vec<Stmt> {
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
}

/// True if an event is that one sends a signal to the other.
pub fn is_output(event: &Event, from: Party, to: Party, signal: SignalId) -> bool {
    event.output
        && event.from == Some(from)
        && event.to.is_none_or(|t| t == to)
        && event.what.contains(&Stimulus::Signal(signal))
}
