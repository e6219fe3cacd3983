//! Reads all values out of a state.

use crate::open::Opened;
use crate::trail::walk::{Queue, Situation, Standing, Value};
use crate::written::{self, Where};
use starwheel_model::{LocId, Model, ProctypeId, text};

/// Everything that a state says.
pub fn situation(opened: &Opened, state: &[u8]) -> Situation {
    all(&opened.model, state, |pid, proctype, loc| standing(opened, pid, proctype, loc))
}

/// All values that a state says; of processes no more than who they are.
pub fn values(model: &Model, state: &[u8]) -> Situation {
    all(model, state, |pid, proctype, loc| {
        let proctype = model.proctype(proctype).name.to_string();
        Standing { pid, proctype, state: loc.0, ..Standing::default() }
    })
}

fn all(model: &Model, state: &[u8], standing: impl Fn(u8, ProctypeId, LocId) -> Standing) -> Situation {
    let mut out = Situation::default();
    for (pid, (proctype, priority, loc)) in processes(model, state).into_iter().enumerate() {
        out.processes.push(Standing { priority, ..standing(pid as u8, proctype, loc) });
    }
    for v in text::variables(model, state) {
        // A channel variable that names its own channel is shown by the channel's contents.
        if v.shown.strip_prefix(&*v.name).is_some_and(|rest| rest.starts_with(" (")) {
            continue;
        }
        let value = Value { name: v.name, value: v.shown };
        if v.scope.is_empty() {
            out.globals.push(value);
        } else if let Some(p) = out.processes.iter_mut().find(|p| scope(p) == v.scope) {
            p.locals.push(value);
        }
    }
    let slots = text::channels(model, state).into_iter().filter(|c| c.capacity > 0);
    out.channels.extend(slots.map(|c| Queue {
        number: c.number,
        name: c.name,
        messages: c.messages.iter().map(|m| m.join(",")).collect(),
    }));
    out
}

fn scope(p: &Standing) -> String {
    format!("{}({})", p.proctype, p.pid)
}

/// Where a process stands that is at this location.
pub fn standing(opened: &Opened, pid: u8, proctype: ProctypeId, loc: LocId) -> Standing {
    let model = &opened.model;
    let p = model.proctype(proctype);
    let proctype = p.name.to_string();
    let mut out = Standing { pid, proctype, priority: p.priority, state: loc.0, ..Standing::default() };
    let Some(location) = p.locs.get(loc.index()) else { return out };
    let first = location.out.first().map(|&t| model.transition(t));
    // Who met an error among merged statements stands at no location.
    let own = if loc == LocId(0) { p.span } else { location.span };
    let span = first.map_or(own, |t| t.span);
    out.source = Where::always(&opened.map, span).into();
    out.spin_file = opened.map.locate(span).0.to_string();
    out.own_line = opened.map.locate(location.span).1.line;
    out.next = location.out.iter().map(|&t| written::statement(opened, t)).collect();
    out.valid_end = location.end;
    out
}

/// The type, priority and location of every process.
fn processes(model: &Model, state: &[u8]) -> Vec<(ProctypeId, u8, LocId)> {
    let count = state.get(model.layout.header() as usize).copied().unwrap_or(0);
    let mut at = model.layout.processes as usize;
    let mut out = Vec::new();
    for _ in 0..count {
        let Some(&[proctype, priority, low, high]) = state.get(at..at + 4) else { break };
        out.push((ProctypeId(proctype), priority, LocId(u16::from_le_bytes([low, high]))));
        at += model.layout.frames[proctype as usize].total as usize;
    }
    out
}
