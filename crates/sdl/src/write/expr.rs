//! Expressions and places as Promela.

use super::Writer;
use crate::ast::{Binary, Implicit, Unary};
use crate::machine::*;
use crate::options::Queues;

impl Writer<'_> {
    /// An expression as it is read inside a process.
    pub fn expr(&self, e: &Ex, p: ProcessId) -> String {
        self.ex(e, p, false)
    }

    /// An expression of a formula, read from outside of all processes.
    pub fn property_text(&self, e: &Ex) -> String {
        self.ex(e, usize::MAX, false)
    }

    fn ex(&self, e: &Ex, p: ProcessId, inside: bool) -> String {
        match e {
            // SPIN reads the digits as a number of their own, which this one has no place for.
            Ex::Num(n) if *n == i64::from(i32::MIN) => format!("({} - 1)", n + 1),
            Ex::Num(n) if *n < 0 && inside => format!("({n})"),
            Ex::Num(n) => n.to_string(),
            Ex::Get(place) => self.place(place, p),
            Ex::Un(Unary::Not, a) => format!("!({})", self.ex(a, p, false)),
            Ex::Un(Unary::Minus, a) => format!("(-{})", self.ex(a, p, true)),
            Ex::Bin(Binary::Mod, a, b) => {
                // Never negative, whatever the signs, and nothing in it is larger than the two.
                let negative = matches!(**b, Ex::Num(..0));
                let positive = matches!(**b, Ex::Num(0..));
                let (a, b) = (self.ex(a, p, true), self.ex(b, p, true));
                let more = match (negative, positive) {
                    (true, _) => format!("{a} % {b} - {b}"),
                    (_, true) => format!("{a} % {b} + {b}"),
                    _ => format!("({b} < 0 -> {a} % {b} - {b} : {a} % {b} + {b})"),
                };
                format!("({a} % {b} < 0 -> {more} : {a} % {b})")
            }
            Ex::Bin(op, a, b) => {
                let text = format!("{} {} {}", self.ex(a, p, true), sign(*op), self.ex(b, p, true));
                if inside { format!("({text})") } else { text }
            }
            Ex::If(c, a, b) => {
                format!("({} -> {} : {})", self.ex(c, p, false), self.ex(a, p, true), self.ex(b, p, true))
            }
            Ex::Me(i) => self.implicit(*i, p),
            Ex::Active(t) => self.active(*t, p),
            // The pass over observers leaves none.
            Ex::Event(_) => "false".to_string(),
            Ex::In(q, states) => {
                let desk = &self.desks[*q];
                if let Some(var) = self.m.processes[*q].state_var {
                    let state = Place { process: Some(*q), var, path: Vec::new() };
                    let one = |s: &StateId| Ex::Get(state.clone()).eq(*s as i64 + 1);
                    return self.ex(&join(Binary::Or, states.iter().map(one)), p, true);
                }
                let all: Vec<String> = states.iter().map(|s| format!("{}@{}", desk.name, desk.states[*s])).collect();
                if all.is_empty() { "false".to_string() } else { format!("({})", all.join(" || ")) }
            }
        }
    }

    fn implicit(&self, i: Implicit, p: ProcessId) -> String {
        let Some(desk) = self.desks.get(p) else { return "0".to_string() };
        match i {
            Implicit::SelfPid => self.self_number(p),
            Implicit::Sender => desk.sender.clone(),
            Implicit::Parent => desk.parent_local.clone(),
            Implicit::Offspring => desk.offspring.clone(),
        }
    }

    /// The number of the instance that speaks; a channel speaks for whoever sent what it hands on.
    pub fn self_number(&self, p: ProcessId) -> String {
        if self.m.processes[p].carrier && self.m.processes[p].uses.sender {
            return self.desks[p].sender.clone();
        }
        if let Some(number) = &self.desks[p].number {
            return format!("{number}{}", self.index(p));
        }
        let first = self.desks[p].first;
        if self.m.processes[p].most > 1 { format!("({first} + me)") } else { first.to_string() }
    }

    /// The index of an instance among its kind.
    pub fn index(&self, p: ProcessId) -> &'static str {
        if self.m.processes[p].most > 1 { "[me]" } else { "" }
    }

    pub fn timer(&self, t: TimerId, p: ProcessId) -> String {
        format!("{}{}", self.desks[p].timers[t], self.index(p))
    }

    fn active(&self, t: TimerId, p: ProcessId) -> String {
        let on = format!("on({})", self.timer(t, p));
        if !self.m.processes[p].timers[t].queued {
            return on;
        }
        format!("({on} || {})", self.expired(t, p))
    }

    /// The signal of a timer is in its queue.
    pub fn expired(&self, t: TimerId, p: ProcessId) -> String {
        match self.options.queues {
            Queues::Process => self.has_waiting(&self.desks[p].timer_signals[t], p),
            Queues::Signal => format!("len({}) > 0", self.timer_queue(t, p)),
        }
    }

    /// The queue in which the signal of a timer waits.
    pub fn timer_queue(&self, t: TimerId, p: ProcessId) -> String {
        let desk = &self.desks[p];
        let name = match self.options.queues {
            Queues::Process => &desk.queue,
            Queues::Signal => &desk.timer_queues[t],
        };
        format!("{name}{}", self.index(p))
    }

    /// A signal of this name is somewhere in the queue of a process.
    pub fn has_waiting(&self, name: &str, p: ProcessId) -> String {
        let desk = &self.desks[p];
        let blanks = ",_".repeat(self.width(p));
        format!("{}{}??[{name}{blanks}]", desk.queue, self.index(p))
    }

    /// How many fields a message has behind its name.
    pub fn width(&self, p: ProcessId) -> usize {
        self.desks[p].slots.len() + usize::from(self.m.processes[p].uses.sender)
    }

    pub fn place(&self, place: &Place, p: ProcessId) -> String {
        let owner = place.process.unwrap_or(p);
        let mut text = self.desks[owner].vars[place.var].clone();
        if self.m.processes[owner].vars[place.var].watched && self.m.processes[owner].most > 1 {
            text.push_str(if place.process.is_some() { "[0]" } else { "[me]" });
        }
        for s in &place.path {
            match s {
                Step::Field(key) => text.push_str(&format!(".{}", self.field(key))),
                Step::Len => text.push_str(".n"),
                Step::Tag => text.push_str(".tag"),
                Step::Given(key) => text.push_str(&format!(".{}", self.given(key))),
                Step::At(e) => text.push_str(&format!(".at[{}]", self.expr(e, p))),
            }
        }
        text
    }

    /// The queue of a signal, for the instance with this index.
    pub fn queue_of(&self, p: ProcessId, signal: SignalId, index: &str) -> String {
        let desk = &self.desks[p];
        match self.options.queues {
            Queues::Process => format!("{}{index}", desk.queue),
            Queues::Signal => format!("{}{index}", desk.queues.get(&signal).unwrap_or(&desk.queue)),
        }
    }
}

fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Or | Binary::Implies => "||",
        Binary::And => "&&",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Xor => "^",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Add | Binary::Concat => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Mod | Binary::Rem | Binary::In => "%",
    }
}
