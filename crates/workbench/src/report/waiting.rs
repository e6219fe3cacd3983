//! A state in which nothing can happen any more, explained: who waits where for what, and the values and channel contents that
//! stand in the way.

use crate::open::Opened;
use crate::trail::record::Recorder;
use crate::trail::walk::Standing;
use crate::written::{self, At, Via};
use serde::{Deserialize, Serialize};
use starwheel_model::{Expr, Model, Pid, Place, ProctypeId, Region, Shown, Step, Stmt, TransId, Ty, Var, text};
use std::collections::HashMap;

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

/// The steps in which values got what they are: by process, or by nobody for what is global, and by name.
type Since = HashMap<(Option<u8>, String), u64>;

/// The longest trail of which it is told in which step a value came about.
const FOLLOWED: usize = 2000;

/// Who waits for what at the end of a trail of the system alone; nothing if a claim moves in it, or it cannot be followed.
pub fn at_end(opened: &Opened, trail: &[Step]) -> Vec<Waiting> {
    if trail.iter().any(|s| s.actor.is_claim()) {
        return Vec::new();
    }
    let (mut recorder, mut since) = (Recorder::new(opened), Since::new());
    for &step in trail {
        let broken = match trail.len() <= FOLLOWED {
            true => follow(&mut recorder, step, &mut since),
            false => recorder.pass(step).broken,
        };
        if broken {
            return Vec::new();
        }
    }
    recorder.look();
    each(opened, &mut recorder, &since)
}

/// `server(1)`, `client(2)`: those of whom [`at_end`] says that they wait where they may not stay.
pub fn stuck_at_end(opened: &Opened, trail: &[Step]) -> Vec<String> {
    let mut recorder = Recorder::new(opened);
    if trail.iter().any(|s| s.actor.is_claim() || recorder.pass(*s).broken) {
        return Vec::new();
    }
    recorder.look();
    waiting(opened, &mut recorder).iter().filter(|w| !w.valid_end).map(Waiting::who).collect()
}

/// Takes a step and notes what it changes; true if nothing can follow it.
fn follow(recorder: &mut Recorder<'_>, step: Step, since: &mut Since) -> bool {
    let (changes, number, broken) = recorder.follow(step);
    let keys = changes.into_iter().map(|c| (c.owner.map(|o| o.0), c.name));
    keys.for_each(|key| _ = since.insert(key, number));
    broken
}

/// Who waits for what in the current state of a run.
pub fn waiting(opened: &Opened, recorder: &mut Recorder<'_>) -> Vec<Waiting> {
    each(opened, recorder, &Since::new())
}

fn each(opened: &Opened, recorder: &mut Recorder<'_>, since: &Since) -> Vec<Waiting> {
    let standing = recorder.situation().processes.clone();
    standing.iter().map(|p| one(opened, recorder, p, since)).collect()
}

fn one(opened: &Opened, recorder: &mut Recorder<'_>, p: &Standing, since: &Since) -> Waiting {
    let model = &opened.model;
    let proctype = model.proctypes.iter().position(|t| *t.name == *p.proctype).map(|i| ProctypeId(i as u8));
    let location = proctype.and_then(|id| model.proctype(id).locs.get(usize::from(p.state)));
    let out: &[TransId] = location.map_or(&[], |l| &l.out);
    let ends = out.iter().any(|&t| model.transition(t).stmt == Stmt::End);
    let mut obstacle = |&t: &TransId| {
        let stmt = first(&model.transition(t).stmt);
        let because = proctype.map_or_else(String::new, |proctype| {
            Look { model, recorder: &mut *recorder, pid: Pid(p.pid), proctype, since }.reason(stmt)
        });
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

/// A process, and the state as it sees it.
struct Look<'r, 'a> {
    model: &'r Model,
    recorder: &'r mut Recorder<'a>,
    pid: Pid,
    proctype: ProctypeId,
    since: &'r Since,
}

impl Look<'_, '_> {
    /// Why a statement cannot be executed.
    fn reason(&mut self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Guard(e) => self.values(e),
            Stmt::Send { channel, .. } => match self.contents(channel) {
                Some(c) if c.capacity == 0 => format!("nobody is ready to receive from {}", c.name),
                Some(c) if c.messages.len() >= usize::from(c.capacity) => {
                    let (held, since) = (c.messages.len(), self.step(None, &c.name));
                    format!("{} is full ({held} of {}){since}", c.name, c.capacity)
                }
                Some(c) => format!("{}: {}", c.name, shown(&c.messages)),
                None => "it is no channel".to_string(),
            },
            Stmt::Receive { channel, .. } => match self.contents(channel) {
                Some(c) if c.capacity == 0 => format!("nobody is ready to send to {}", c.name),
                Some(c) if c.messages.is_empty() => format!("{} is empty{}", c.name, self.step(None, &c.name)),
                Some(c) => format!("{} holds {}{}", c.name, shown(&c.messages), self.step(None, &c.name)),
                None => "it is no channel".to_string(),
            },
            Stmt::End => "younger processes have not ended".to_string(),
            _ => String::new(),
        }
    }

    /// The step in which a value came about, as an addition to it.
    fn step(&self, owner: Option<u8>, name: &str) -> String {
        let step = self.since.get(&(owner, name.to_string()));
        step.map_or(String::new(), |step| format!(" (step {step})"))
    }

    fn contents(&mut self, channel: &Expr) -> Option<text::Contents> {
        let number = u32::try_from(self.recorder.evaluate(self.pid, channel)?).ok()?;
        text::channels(self.model, self.recorder.state()).into_iter().find(|c| c.number == number)
    }

    /// The values of the variables in a condition, and of the questions that it asks.
    fn values(&mut self, e: &Expr) -> String {
        let parts = worth_telling(e);
        parts.iter().filter_map(|part| self.value(part)).collect::<Vec<_>>().join(", ")
    }

    /// One of them, with its name and the step in which it came about.
    fn value(&mut self, part: &Expr) -> Option<String> {
        let value = self.recorder.evaluate(self.pid, part)?;
        let Expr::Load(place) = part else {
            return Some(format!("{} = {value}", text::expr(self.model, part)));
        };
        let solved = Expr::Load(Box::new(self.solved(place)));
        let name = text::expr(self.model, &solved);
        let local = place.region == Region::Local;
        let step = self.step(local.then_some(self.pid.0), &name);
        if place.ty == Ty::Timer && value < 0 {
            return Some(format!("`{name}` is not running"));
        }
        let list = if local { &self.model.proctype(self.proctype).locals } else { &self.model.globals };
        let named = list.iter().find(|v| v.place.region == place.region && is_in(v, place.offset));
        let symbol = named.and_then(|v| match &v.shown {
            Shown::Symbol(set) => self.model.symbol(set, value),
            _ => None,
        });
        let value = symbol.map_or_else(|| value.to_string(), |n| n.to_string());
        Some(format!("{name} = {value}{step}"))
    }

    /// A place with the values of its indices.
    fn solved(&mut self, place: &Place) -> Place {
        let mut solved = place.clone();
        for dim in &mut solved.dims {
            if let Some(index) = self.recorder.evaluate(self.pid, &dim.index) {
                dim.index = Expr::Const(index, None);
            }
        }
        solved
    }
}

/// The parts of a condition whose values are worth telling, each once. The process's own number is not, where it is only an
/// index: the element is named.
fn worth_telling(e: &Expr) -> Vec<Expr> {
    let (mut parts, mut own, mut indices): (Vec<Expr>, usize, usize) = (Vec::new(), 0, 0);
    e.walk(&mut |part| {
        let worth = matches!(
            part,
            Expr::Load(_) | Expr::NrPr | Expr::Last | Expr::Pid | Expr::RemoteVar { .. } | Expr::Channel(..)
        );
        if worth && !parts.contains(part) {
            parts.push(part.clone());
        }
        own += usize::from(*part == Expr::Pid);
        if let Expr::Load(place) = part {
            place.dims.iter().for_each(|d| d.index.walk(&mut |i| indices += usize::from(*i == Expr::Pid)));
        }
    });
    parts.retain(|part| *part != Expr::Pid || own > indices);
    parts
}

fn shown(messages: &[Vec<String>]) -> String {
    messages.iter().map(|m| format!("[{}]", m.join(","))).collect()
}

fn is_in(v: &Var, offset: u32) -> bool {
    (v.place.offset..v.place.offset + v.len.unwrap_or(1) * v.ty.size()).contains(&offset)
}
