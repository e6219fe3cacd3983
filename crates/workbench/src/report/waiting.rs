//! A state in which nothing can happen any more, explained: who waits where for what, and the values and channel contents that
//! stand in the way.

use crate::open::Opened;
use crate::trail::record::Recorder;
use crate::trail::walk::Standing;
use crate::written::{self, At, Via};
use serde::{Deserialize, Serialize};
use starwheel_model::{Expr, Model, Pid, ProctypeId, Region, Shown, Step, Stmt, TransId, Ty, Var, text};

/// A process that cannot go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The process.
    pub pid: u8,
    /// The name of its type.
    pub proctype: String,
    /// Where it waits.
    pub at: At,
    /// The uses of inlines and macros that brought the statement there, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// True if it may stay there for ever.
    pub valid_end: bool,
    /// What it waits for, alternatives one by one.
    pub on: Vec<Obstacle>,
}

/// One statement that cannot be executed, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The statement as it was written.
    pub text: String,
    /// What stands in the way: values, or the contents of a channel.
    pub because: String,
}

impl Waiting {
    /// `server(1)`
    pub fn who(&self) -> String {
        format!("{}({})", self.proctype, self.pid)
    }
}

/// Who waits for what at the end of a trail of the system alone; nothing if a claim moves in it, or it cannot be followed.
pub fn at_end(opened: &Opened, trail: &[Step]) -> Vec<Waiting> {
    if trail.iter().any(|s| s.actor.is_claim()) {
        return Vec::new();
    }
    let mut recorder = Recorder::new(opened);
    for &step in trail {
        if recorder.pass(step).broken {
            return Vec::new();
        }
    }
    recorder.look();
    waiting(opened, &mut recorder)
}

/// Who waits for what in the current state of a run.
pub fn waiting(opened: &Opened, recorder: &mut Recorder<'_>) -> Vec<Waiting> {
    let standing = recorder.situation().processes.clone();
    standing.iter().map(|p| one(opened, recorder, p)).collect()
}

fn one(opened: &Opened, recorder: &mut Recorder<'_>, p: &Standing) -> Waiting {
    let model = &opened.model;
    let proctype = model.proctypes.iter().position(|t| *t.name == *p.proctype).map(|i| ProctypeId(i as u8));
    let location = proctype.and_then(|id| model.proctype(id).locs.get(usize::from(p.state)));
    let out: &[TransId] = location.map_or(&[], |l| &l.out);
    let ends = out.iter().any(|&t| model.transition(t).stmt == Stmt::End);
    let mut obstacle = |&t: &TransId| {
        let transition = model.transition(t);
        let because =
            proctype.map_or_else(String::new, |id| reason(model, recorder, Pid(p.pid), id, first(&transition.stmt)));
        Obstacle { text: guard_text(opened, t), because }
    };
    Waiting {
        pid: p.pid,
        proctype: p.proctype.clone(),
        at: p.at.clone(),
        via: p.via.clone(),
        valid_end: p.valid_end || ends,
        on: out.iter().map(&mut obstacle).collect(),
    }
}

/// The statement that decides whether a step is possible.
fn first(stmt: &Stmt) -> &Stmt {
    match stmt {
        Stmt::Chain(list) => list.first().unwrap_or(stmt),
        Stmt::DStep(d) => d.locs.first().and_then(|l| l.first()).map_or(stmt, |t| &t.stmt),
        _ => stmt,
    }
}

/// The text of that statement.
fn guard_text(opened: &Opened, t: TransId) -> String {
    let t = opened.model.transition(t);
    match &t.stmt {
        Stmt::Chain(list) if !list.is_empty() => {
            written::one(opened, &list[0], t.merged.first().copied().unwrap_or(t.span))
        }
        _ => written::of(opened, t),
    }
}

/// Why a statement cannot be executed.
fn reason(model: &Model, recorder: &mut Recorder<'_>, pid: Pid, proctype: ProctypeId, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Guard(e) => values(model, recorder, pid, proctype, e),
        Stmt::Send { channel, .. } => match contents(model, recorder, pid, channel) {
            Some(c) if c.capacity == 0 => format!("nobody is ready to receive from {}", c.name),
            Some(c) if c.messages.len() >= usize::from(c.capacity) => {
                format!("{} is full ({} of {})", c.name, c.messages.len(), c.capacity)
            }
            Some(c) => format!("{}: {}", c.name, shown(&c.messages)),
            None => "it is no channel".to_string(),
        },
        Stmt::Receive { channel, .. } => match contents(model, recorder, pid, channel) {
            Some(c) if c.capacity == 0 => format!("nobody is ready to send to {}", c.name),
            Some(c) if c.messages.is_empty() => format!("{} is empty", c.name),
            Some(c) => format!("{} holds {}", c.name, shown(&c.messages)),
            None => "it is no channel".to_string(),
        },
        Stmt::End => "younger processes have not ended".to_string(),
        _ => String::new(),
    }
}

fn shown(messages: &[Vec<String>]) -> String {
    messages.iter().map(|m| format!("[{}]", m.join(","))).collect()
}

fn contents(model: &Model, recorder: &mut Recorder<'_>, pid: Pid, channel: &Expr) -> Option<text::Contents> {
    let number = u32::try_from(recorder.evaluate(pid, channel)?).ok()?;
    text::channels(model, recorder.state()).into_iter().find(|c| c.number == number)
}

/// The values of the variables in a condition, and of the questions that it asks.
fn values(model: &Model, recorder: &mut Recorder<'_>, pid: Pid, proctype: ProctypeId, e: &Expr) -> String {
    let mut parts: Vec<Expr> = Vec::new();
    e.walk(&mut |part| {
        let worth = matches!(
            part,
            Expr::Load(_) | Expr::NrPr | Expr::Last | Expr::Pid | Expr::RemoteVar { .. } | Expr::Channel(..)
        );
        if worth && !parts.contains(part) {
            parts.push(part.clone());
        }
    });
    let mut out: Vec<String> = Vec::new();
    for part in &parts {
        let Some(value) = recorder.evaluate(pid, part) else { continue };
        if let Expr::Load(place) = part
            && place.ty == Ty::Timer
            && value < 0
        {
            out.push(format!("`{}` is not running", text::expr(model, part)));
            continue;
        }
        let set = match part {
            Expr::Load(place) => {
                let list =
                    if place.region == Region::Local { &model.proctype(proctype).locals } else { &model.globals };
                let named = list.iter().find(|v| v.place.region == place.region && is_in(v, place.offset));
                named.and_then(|v| match &v.shown {
                    Shown::Symbol(set) => Some(set.clone()),
                    _ => None,
                })
            }
            _ => None,
        };
        let value = set.and_then(|set| model.symbol(&set, value)).map_or_else(|| value.to_string(), |n| n.to_string());
        out.push(format!("{} = {value}", text::expr(model, part)));
    }
    out.join(", ")
}

fn is_in(v: &Var, offset: u32) -> bool {
    (v.place.offset..v.place.offset + v.len.unwrap_or(1) * v.ty.size()).contains(&offset)
}
