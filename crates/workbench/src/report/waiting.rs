//! The end of a run that is wrong, explained: who waits where for what, and the values and channel contents that stand in the
//! way; or the values with which a statement has no meaning.

use crate::open::Opened;
use crate::show::short;
use crate::trail::record::Recorder;
use crate::trail::walk::{Change, Standing};
use crate::written::{self, At, Via};
use serde::{Deserialize, Serialize};
use starwheel_model::{
    BinaryOp, Expr, Model, Pid, Place, ProcessStep, ProctypeId, Region, Shown, Step, Stmt, TransId, Ty, Var, text,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

/// A state in which nothing can happen any more.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// Who waits for what.
    pub waiting: Vec<Waiting>,
    /// Values that came about on the way and that nobody waits for, and what the constants of its statements are.
    pub besides: Vec<String>,
    /// What can be done about it.
    pub advice: Option<String>,
}

/// The end of a trail of the system alone; nothing if a claim moves in it, or it cannot be followed.
pub fn at_end(opened: &Opened, trail: &[Step]) -> End {
    let Some((mut recorder, since, words)) = followed(opened, trail) else { return End::default() };
    let waiting = each(opened, &mut recorder, &since);
    let mut besides = unasked(&recorder, &since, &waiting);
    besides.extend(constants(opened, &words.found));
    let advice = advice(opened, &waiting);
    End { waiting, besides, advice }
}

/// What to do if it is fine that processes wait where they do.
fn advice(opened: &Opened, waiting: &[Waiting]) -> Option<String> {
    let stuck = waiting.iter().filter(|w| !w.valid_end);
    let places: BTreeSet<String> = stuck.map(|w| format!("{}:{}", short(&w.at.file), w.at.line)).collect();
    if places.is_empty() {
        return None;
    }
    // Other languages have no words for it.
    if opened.translated {
        return Some("If waiting there for ever is fine, leave such ends out with `--no-deadlock`.".to_string());
    }
    let some = if places.len() > 3 { ", …" } else { "" };
    let place = places.into_iter().take(3).collect::<Vec<_>>().join(", ") + some;
    Some(format!("If waiting there for ever is fine, put a label that begins with `end` in front of it ({place})."))
}

/// The values of the variables in the statement that ends a trail of the system alone because it has no meaning. Nothing if one
/// step is several statements: the first ones may have changed them.
pub fn at_fault(opened: &Opened, trail: &[Step]) -> Vec<String> {
    let Some((last, before)) = trail.split_last() else { return Vec::new() };
    let Some(t) = opened.model.transitions.get(last.action.index()) else { return Vec::new() };
    if last.actor.is_claim() || matches!(t.stmt, Stmt::Chain(_) | Stmt::DStep(_)) {
        return Vec::new();
    }
    let Some((mut recorder, since, _)) = followed(opened, before) else { return Vec::new() };
    let mut look =
        Look { model: &opened.model, recorder: &mut recorder, pid: last.pid(), proctype: t.proctype, since: &since };
    let mut parts: Vec<Expr> = Vec::new();
    t.stmt.walk(&mut |e| {
        if matches!(e, Expr::Load(_) | Expr::RemoteVar { .. } | Expr::Pid) && !parts.contains(e) {
            parts.push(e.clone());
        }
    });
    parts.iter().filter_map(|part| look.value(part)).collect()
}

/// Follows a trail of the system alone to its end, with the steps in which values came about and the words of its statements;
/// none if a claim moves in it, or it cannot be followed.
fn followed<'a>(opened: &'a Opened, trail: &[Step]) -> Option<(Recorder<'a>, Since, Words)> {
    if trail.iter().any(|s| s.actor.is_claim()) {
        return None;
    }
    let (mut recorder, mut since, mut words) = (Recorder::new(opened), Since::new(), Words::default());
    for &step in trail {
        let broken = match trail.len() <= FOLLOWED {
            true => follow(&mut recorder, step, &mut since, &mut words),
            false => recorder.pass(step).broken,
        };
        if broken {
            return None;
        }
    }
    recorder.look();
    Some((recorder, since, words))
}

/// Those of whom [`at_end`] says that they wait where they may not stay.
pub fn stuck_at_end(opened: &Opened, trail: &[Step]) -> Vec<Waiting> {
    let mut recorder = Recorder::new(opened);
    if trail.iter().any(|s| s.actor.is_claim() || recorder.pass(*s).broken) {
        return Vec::new();
    }
    recorder.look();
    waiting(opened, &mut recorder).into_iter().filter(|w| !w.valid_end).collect()
}

/// Values that are told besides.
const BESIDES: usize = 6;

/// Globals that changed on the way and stand in nobody's way: with them a reader sees what the others saw.
fn unasked(recorder: &Recorder<'_>, since: &Since, waiting: &[Waiting]) -> Vec<String> {
    let told = |name: &str| {
        let phrase = format!("{name} = ");
        waiting.iter().flat_map(|w| &w.on).any(|o| o.because.split(", ").any(|part| part.starts_with(&phrase)))
    };
    let globals = recorder.situation().globals.iter();
    let changed = globals.filter_map(|v| Some((v, since.get(&(None, v.name.clone()))?)));
    let all =
        changed.filter(|(v, _)| !told(&v.name)).map(|(v, step)| format!("{} = {} (step {step})", v.name, v.value));
    all.take(BESIDES).collect()
}

/// What names in statements stand for that are defined as numbers, once and in the model itself.
fn constants(opened: &Opened, words: &BTreeSet<String>) -> Vec<String> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let lines = opened.map.files().iter().filter(|f| !f.shipped).flat_map(|f| f.text.lines());
    for line in lines.filter_map(|l| l.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")) {
        let mut parts = line.split_whitespace();
        if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            found.entry(name).or_default().push(value);
        }
    }
    let typed = |name: &str| opened.reading.defines.iter().any(|(typed, _)| typed == name);
    let number = |(name, values): (&str, Vec<&str>)| match values[..] {
        [value] if value.parse::<i64>().is_ok() && words.contains(name) && !typed(name) => {
            Some(format!("{name} is {value}"))
        }
        _ => None,
    };
    found.into_iter().filter_map(number).take(BESIDES).collect()
}

/// The words of the statements on a trail.
#[derive(Default)]
struct Words {
    found: BTreeSet<String>,
    /// The transitions that were looked at; most trails are made of few.
    met: HashSet<(TransId, Option<TransId>)>,
}

/// Takes a step and notes what it changes and which words its statement has; true if nothing can follow it.
fn follow(recorder: &mut Recorder<'_>, step: Step, since: &mut Since, words: &mut Words) -> bool {
    if !words.met.insert((step.action, step.partner().map(|(_, trans)| trans))) {
        let (changes, number, broken) = recorder.follow(step);
        note(since, changes, number);
        return broken;
    }
    let recorded = recorder.take(step);
    for m in recorded.moves {
        let texts = std::iter::once(&m.text).chain(&m.against);
        let apart = |c: char| !c.is_alphanumeric() && c != '_';
        words.found.extend(texts.flat_map(|t| t.split(apart)).filter(|w| !w.is_empty()).map(String::from));
        note(since, m.changes, m.number);
    }
    recorded.fired.broken
}

/// Notes in which step values came about.
fn note(since: &mut Since, changes: Vec<Change>, number: u64) {
    since.extend(changes.into_iter().map(|c| ((c.owner.map(|o| o.0), c.name), number)));
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
        Obstacle { text: written::guard(opened, t), because }
    };
    Waiting {
        pid: p.pid,
        proctype: p.proctype.clone(),
        at: p.source.at.clone(),
        via: p.source.via.clone(),
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

    /// The values of the variables in a condition, and of the questions that it asks. Of what is joined by `&&` only what is false
    /// stands in the way.
    fn values(&mut self, e: &Expr) -> String {
        let mut joined = Vec::new();
        conjuncts(e, &mut joined);
        joined.retain(|part| self.recorder.evaluate(self.pid, part) == Some(0));
        if joined.is_empty() {
            joined.push(e);
        }
        let mut told: Vec<String> = Vec::new();
        for value in joined.into_iter().flat_map(worth_telling).filter_map(|part| self.value(&part)) {
            if !told.contains(&value) {
                told.push(value);
            }
        }
        told.join(", ")
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

/// What a condition joins by `&&`, from left to right.
fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
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
