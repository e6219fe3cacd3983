//! The variables and channels of one state by name, for people.

use crate::ir::{Channel, Field, Model, ProctypeId, Shown, Var};
use crate::layout::{CHANNEL_HEADER, HEADER};
use crate::place::{Region, Ty};
use std::sync::Arc;

/// One variable, or one element of an array, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Empty for globals; `P(2)` for a local variable of process 2.
    pub scope: String,
    /// The name: `a[1]`.
    pub name: String,
    /// The value as it is shown: a number, a symbolic name, or a channel's name and number.
    pub shown: String,
}

/// One channel with its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Empty for globals; `P(2)` for a channel of process 2.
    pub scope: String,
    /// Its name.
    pub name: String,
    /// Its number: what a channel variable holds.
    pub number: u32,
    /// Its slots; zero for rendezvous.
    pub capacity: u16,
    /// The messages, first one first: the shown value of each field.
    pub messages: Vec<Vec<String>>,
}

/// A process in a state: its type and where its frame starts.
type Process = (ProctypeId, usize);

/// All variables of a state with their values: globals, then the locals of each process.
pub fn variables(model: &Model, state: &[u8]) -> Vec<Value> {
    let mut out = Vec::new();
    let names = channel_names(model, state);
    let mut add = |scope: &str, vars: &[Var], frame: usize| {
        for var in vars {
            let base = var.place.offset as usize
                + match var.place.region {
                    Region::Global => model.layout.globals_start() as usize,
                    Region::Hidden => 0,
                    Region::Local => frame,
                };
            for i in 0..var.len.unwrap_or(1) {
                let value = read(state, base + (i * var.ty.size()) as usize, var.ty);
                let name = match var.len {
                    Some(_) => format!("{}[{i}]", base_name(&var.name)),
                    None => var.name.to_string(),
                };
                out.push(Value { scope: scope.into(), name, shown: show(model, &var.shown, value, &names) });
            }
        }
    };
    add("", &model.globals, 0);
    for (pid, &(proctype, at)) in processes(model, state).iter().enumerate() {
        let p = model.proctype(proctype);
        add(&format!("{}({pid})", p.name), &p.locals, at);
    }
    out
}

/// All channels of a state with their messages.
pub fn channels(model: &Model, state: &[u8]) -> Vec<Contents> {
    let names = channel_names(model, state);
    let all = living(model, state);
    let each = |(i, (scope, at, id)): (usize, (String, usize, crate::ir::ChanId))| {
        let channel = model.channel(id);
        Contents {
            scope,
            name: channel.name.to_string(),
            number: i as u32 + 1,
            capacity: channel.capacity,
            messages: messages(model, state, at, id, channel, &names),
        }
    };
    all.into_iter().enumerate().map(each).collect()
}

fn messages(
    model: &Model,
    state: &[u8],
    at: usize,
    id: crate::ir::ChanId,
    channel: &Channel,
    names: &[Arc<str>],
) -> Vec<Vec<String>> {
    if channel.capacity == 0 {
        return Vec::new();
    }
    let layout = &model.layout.channels[id.index()];
    let count = read(state, at, Ty::Short) as usize;
    let message = |i: usize| {
        let start = at + CHANNEL_HEADER as usize + i * layout.message as usize;
        let field =
            |(f, &offset): (&Field, &u32)| show(model, &f.shown, read(state, start + offset as usize, f.ty), names);
        channel.fields.iter().zip(&layout.fields).map(field).collect()
    };
    (0..count).map(message).collect()
}

/// The processes of a state, by number.
fn processes(model: &Model, state: &[u8]) -> Vec<Process> {
    let count = state.get(model.layout.header() as usize).copied().unwrap_or(0);
    let mut at = model.layout.processes as usize;
    let mut out = Vec::new();
    for _ in 0..count {
        let Some(&proctype) = state.get(at) else { break };
        out.push((ProctypeId(proctype), at));
        at += model.layout.frames[proctype as usize].total as usize;
    }
    out
}

/// The channels of a state, by number - 1: scope, offset, declaration.
fn living(model: &Model, state: &[u8]) -> Vec<(String, usize, crate::ir::ChanId)> {
    let global = model.global_channels.iter().zip(&model.layout.global_channels);
    let mut out: Vec<_> = global.map(|(c, &at)| (String::new(), at as usize, c.channel)).collect();
    for (pid, (proctype, at)) in processes(model, state).into_iter().enumerate() {
        let p = model.proctype(proctype);
        let own = p.channels.iter().zip(&model.layout.frames[proctype.index()].channels);
        out.extend(own.map(|(c, &offset)| (format!("{}({pid})", p.name), at + offset as usize, c.channel)));
    }
    out
}

fn channel_names(model: &Model, state: &[u8]) -> Vec<Arc<str>> {
    living(model, state).into_iter().map(|(_, _, id)| model.channel(id).name.clone()).collect()
}

fn show(model: &Model, shown: &Shown, value: i32, channels: &[Arc<str>]) -> String {
    match shown {
        Shown::Number => value.to_string(),
        Shown::Symbol(set) => model.symbol(set, value).map_or_else(|| value.to_string(), |n| n.to_string()),
        Shown::Channel => match value.checked_sub(1).and_then(|i| channels.get(i as usize)) {
            Some(name) => format!("{name} ({value})"),
            None if value == 0 => "no channel".into(),
            None => format!("deleted channel ({value})"),
        },
    }
}

/// A name without the mark for its last index.
fn base_name(name: &str) -> &str {
    name.strip_suffix("[#]").unwrap_or(name)
}

fn read(state: &[u8], at: usize, ty: Ty) -> i32 {
    let byte = |i: usize| state.get(at + i).copied().unwrap_or(0);
    match (ty.size(), ty) {
        (1, _) => i32::from(byte(0)),
        (2, Ty::Short | Ty::Timer) => i32::from(i16::from_le_bytes([byte(0), byte(1)])),
        (2, _) => i32::from(u16::from_le_bytes([byte(0), byte(1)])),
        _ => i32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]),
    }
}

/// The bytes of the header and what they mean: processes, process in control, `_last`, location of the trace automaton.
pub(super) fn header(model: &Model) -> String {
    let at = model.layout.header();
    format!("header {at}..{}", at + HEADER)
}
