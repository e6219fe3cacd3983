//! Channels that delay: each direction of one becomes a process that takes signals in their order and hands them on at any moment.
//!
//! A signal that goes over such a channel is sent to the channel instead, under a name that says where it goes on: to the next
//! channel, or to its receiver. Which of several instances gets it is decided when it arrives there, and so is whether the receiver still
//! lives. With one queue for each signal only signals of one name keep their order, so there a channel has a process for each of them.

use crate::machine::*;
use crate::options::{Options, Queues};
use crate::sorts::{INTEGER, PID};
use starwheel_base::Span;
use std::collections::HashMap;

/// Puts channels in between.
pub fn delay(m: &mut Machine, options: &Options) {
    if m.hops.is_empty() {
        return;
    }
    let mut pass = Pass { own: options.queues == Queues::Signal, m, carriers: HashMap::new(), relays: HashMap::new() };
    for p in 0..pass.m.processes.len() {
        let start = std::mem::take(&mut pass.m.processes[p].start);
        pass.m.processes[p].start = pass.code(start);
        for s in 0..pass.m.processes[p].states.len() {
            for t in 0..pass.m.processes[p].states[s].triggers.len() {
                let body = std::mem::take(&mut pass.m.processes[p].states[s].triggers[t].body);
                pass.m.processes[p].states[s].triggers[t].body = pass.code(body);
            }
        }
    }
}

/// A signal on its way: the channels that are left, its receiver, its name there, and whether it names an instance.
type Journey = (Vec<HopId>, ProcessId, SignalId, bool);

struct Pass<'m> {
    m: &'m mut Machine,
    /// Each signal has a process of its own.
    own: bool,
    carriers: HashMap<(HopId, Option<SignalId>), ProcessId>,
    relays: HashMap<Journey, (ProcessId, SignalId)>,
}

impl Pass<'_> {
    fn code(&mut self, code: Vec<Stmt>) -> Vec<Stmt> {
        code.into_iter().map(|s| Stmt { kind: self.stmt(s.kind, s.span), span: s.span }).collect()
    }

    fn stmt(&mut self, kind: StmtKind, span: Span) -> StmtKind {
        match kind {
            StmtKind::If { any, arms, otherwise } => StmtKind::If {
                any,
                arms: arms.into_iter().map(|(c, body)| (c, self.code(body))).collect(),
                otherwise: otherwise.map(|body| self.code(body)),
            },
            StmtKind::Choose(list) => StmtKind::Choose(list.into_iter().map(|body| self.code(body)).collect()),
            StmtKind::While { when, body } => StmtKind::While { when, body: self.code(body) },
            StmtKind::Atomic(body) => StmtKind::Atomic(self.code(body)),
            StmtKind::Output { args, to: Target::AnyOf(list), by } => {
                let first = |(i, (q, s)): (usize, (ProcessId, SignalId))| match by.get(i).filter(|way| !way.is_empty())
                {
                    Some(way) => self.relay(way, q, s, false),
                    None => (q, s),
                };
                let list = list.into_iter().enumerate().map(first).collect();
                sent(args, Target::AnyOf(list))
            }
            StmtKind::Output { args, to: Target::Pid(e, list), by } => self.addressed(args, e, list, &by, span),
            other => other,
        }
    }

    /// An output to an instance: if its process is reached over channels that delay, its number goes along.
    fn addressed(
        &mut self,
        args: Vec<Ex>,
        e: Ex,
        list: Vec<(ProcessId, SignalId)>,
        by: &[Vec<HopId>],
        span: Span,
    ) -> StmtKind {
        let mut near = Vec::new();
        let mut far: Vec<(ProcessId, Vec<Vec<Stmt>>)> = Vec::new();
        for (i, (q, s)) in list.into_iter().enumerate() {
            let Some(way) = by.get(i).filter(|way| !way.is_empty()) else {
                near.push((q, s));
                continue;
            };
            let to = self.relay(way, q, s, true);
            let with_number = args.iter().cloned().chain([e.clone()]).collect();
            let code = vec![Stmt { kind: sent(with_number, Target::AnyOf(vec![to])), span }];
            match far.iter_mut().find(|f| f.0 == q) {
                Some(f) => f.1.push(code),
                None => far.push((q, vec![code])),
            }
        }
        let direct = sent(args, Target::Pid(e.clone(), near));
        if far.is_empty() {
            return direct;
        }
        let arm = |(q, mut ways): (ProcessId, Vec<Vec<Stmt>>)| {
            let code = match ways.len() {
                1 => ways.remove(0),
                _ => vec![Stmt { kind: StmtKind::Choose(ways), span }],
            };
            (is_of(e.clone(), &self.m.processes, q), code)
        };
        let arms = far.into_iter().map(arm).collect();
        StmtKind::If { any: false, arms, otherwise: Some(vec![Stmt { kind: direct, span }]) }
    }

    /// The first channel of a way, and the name of the signal there.
    fn relay(&mut self, way: &[HopId], q: ProcessId, s: SignalId, pid: bool) -> (ProcessId, SignalId) {
        let journey = (way.to_vec(), q, s, pid);
        if let Some(&known) = self.relays.get(&journey) {
            return known;
        }
        let next = if way.len() > 1 { self.relay(&way[1..], q, s, pid) } else { (q, s) };
        let signal = &self.m.signals[s];
        let mut leaves = signal.leaves.clone();
        leaves.extend(pid.then(|| Leaf { path: Vec::new(), sort: PID }));
        let many = leaves.len();
        let relay = Signal { name: signal.name.clone(), sorts: signal.sorts.clone(), leaves };
        self.m.signals.push(relay);
        let id = self.m.signals.len() - 1;
        let carrier = self.carrier(way[0], id);
        let sender = self.m.processes[next.0].uses.sender;
        let span = self.m.hops[way[0]].span;
        let process = &mut self.m.processes[carrier];
        process.uses.sender |= sender;
        process.accepts.push(id);
        while process.vars.len() < many {
            let name = format!("x{}", process.vars.len());
            process.vars.push(Var { name, sort: INTEGER, initial: 0, watched: false, hidden: true });
        }
        let place = |var: VarId| Place { process: None, var, path: Vec::new() };
        let mut args: Vec<Ex> = (0..many).map(|v| Ex::Get(place(v))).collect();
        let to = match args.pop() {
            Some(number) if pid && way.len() == 1 => Target::Pid(number, vec![next]),
            last => {
                args.extend(last);
                Target::AnyOf(vec![next])
            }
        };
        let zero = |v: VarId| StmtKind::Assign { to: place(v), value: Ex::Num(0), check: None };
        let kinds = [sent(args, to)].into_iter().chain((0..many).map(zero)).chain([StmtKind::Next(0)]);
        let body = kinds.map(|kind| Stmt { kind, span }).collect();
        let into = (0..many).map(|v| Some(place(v))).collect();
        let kind = TriggerKind::Input { what: Stimulus::Signal(id), into, priority: false, provided: None };
        process.states[0].triggers.push(Trigger::new(kind, body, span));
        self.relays.insert(journey, (carrier, id));
        (carrier, id)
    }

    /// The process of a channel, for a signal.
    fn carrier(&mut self, hop: HopId, signal: SignalId) -> ProcessId {
        let key = (hop, self.own.then_some(signal));
        if let Some(&known) = self.carriers.get(&key) {
            return known;
        }
        let Hop { name, span, within } = self.m.hops[hop].clone();
        let state = State {
            name: "carrying".to_string(),
            span,
            saves: Vec::new(),
            triggers: Vec::new(),
            may_rest: true,
            path: Vec::new(),
        };
        let (initial, most, states) = (1, 1, vec![state]);
        let start = vec![Stmt { kind: StmtKind::Next(0), span }];
        let carrier = true;
        let process = Process { name, span, initial, most, states, start, carrier, within, ..Process::default() };
        self.m.processes.push(process);
        self.carriers.insert(key, self.m.processes.len() - 1);
        self.m.processes.len() - 1
    }
}

/// An output that nothing delays any more.
fn sent(args: Vec<Ex>, to: Target) -> StmtKind {
    StmtKind::Output { args, to, by: Vec::new() }
}
