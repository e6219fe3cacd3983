//! The states with which the life of all processes begins: from here on nobody is started any more.
//!
//! Which processes there are is computed, not read off the text: the interpreter runs from the initial state through all
//! choices until no process can come to a `run` any more. A state in which one still can is *incomplete*; the stored states
//! right behind incomplete ones are the *entry states*. All of them must have the same list of processes, and no incomplete
//! state may have it, so that the number of processes tells complete states from incomplete ones.

use crate::infer::STOPPED;
use crate::obstacle::Obstacle;
use rapidhash::RapidHashSet;
use starwheel_base::Span;
use starwheel_base::cancel::Token;
use starwheel_model::layout::FRAME_HEADER;
use starwheel_model::{Expr, Interp, LocId, Model, ProctypeId, ProctypeKind, Stepper, Stmt};
use std::collections::BTreeSet;

/// States that are looked at before anybody gives up, and their bytes.
const MOST: usize = 4_000;
const MOST_BYTES: usize = 1 << 19;

/// Where the life of all processes begins.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The types of all processes, by number.
    pub types: Vec<ProctypeId>,
    /// For each stored state before: the entry states that it leads to, and in how many steps. They are compared in these
    /// sets, because a claim may tell the states before apart.
    pub sets: Vec<BTreeSet<(Vec<u8>, u64)>>,
}

impl Entry {
    /// All entry states.
    pub fn states(&self) -> impl Iterator<Item = &[u8]> {
        self.sets.iter().flatten().map(|(state, _)| &**state)
    }

    /// Where the frame of each process starts; one more for the end of the state.
    pub fn frames(&self, model: &Model) -> Vec<usize> {
        let mut at = model.layout.processes as usize;
        let mut out = vec![at];
        for id in &self.types {
            at += model.layout.frames[id.index()].total as usize;
            out.push(at);
        }
        out
    }
}

/// The types of the processes that a model has from the time on when all have been started, by number.
pub fn processes(model: &Model, token: &Token) -> Result<Vec<ProctypeId>, Obstacle> {
    entry(model, token).map(|entry| entry.types)
}

/// The entry states of a model, or why there are none that would do.
pub fn entry(model: &Model, token: &Token) -> Result<Entry, Obstacle> {
    let starting = starting(model);
    let mut interp = Interp::new(model);
    let mut first = Vec::new();
    if interp.initial(&mut first).broken {
        return Err(Obstacle::new(Span::default(), "the initial state has no meaning"));
    }
    let incomplete = |state: &[u8]| {
        let runs = |(id, loc): (ProctypeId, LocId)| Some((id, starting[id.index()][loc.index()]?));
        // `init` is there to start others.
        let all: Vec<_> = frames(model, state).filter_map(runs).collect();
        let other = all.iter().find(|(id, _)| model.proctype(*id).kind != ProctypeKind::Init);
        other.map(|o| (o.1, true)).or(all.first().map(|f| (f.1, false)))
    };
    let mut known = RapidHashSet::default();
    let mut sets = Vec::new();
    let mut open = Vec::new();
    // Incomplete states: how many processes there are, and which of them can come to which `run`.
    let mut unfinished: Vec<(usize, Span, bool)> = Vec::new();
    match incomplete(&first) {
        None => sets.push(BTreeSet::from([(first, 0)])),
        Some((span, other)) => {
            unfinished.push((count(model, &first), span, other));
            known.insert(first.clone());
            open.push(first);
        }
    }
    let (mut looked, mut bytes, watch) = (0, 0, token.watch());
    while let Some(stored) = open.pop() {
        let (mut set, mut passed) = (BTreeSet::new(), RapidHashSet::default());
        let mut chain = vec![(stored, 0u64)];
        while let Some((state, length)) = chain.pop() {
            (looked, bytes) = (looked + 1, bytes + state.len());
            if watch.stopped() {
                return Err(Obstacle::new(Span::default(), STOPPED));
            }
            if looked > MOST || bytes > MOST_BYTES {
                let span = unfinished.first().map_or(Span::default(), |u| u.1);
                let why = "there are too many ways to start the processes";
                return Err(Obstacle::new(span, why).advise("start all processes in one `atomic`"));
            }
            let mut steps = Vec::new();
            interp.enabled(&state, &mut steps);
            for step in steps {
                let mut next = Vec::new();
                if interp.fire(&state, step, &mut next).broken {
                    continue;
                }
                let length = length + step.length();
                if interp.transient(&next) {
                    if passed.insert((next.clone(), length)) {
                        chain.push((next, length));
                    }
                } else if let Some((span, other)) = incomplete(&next) {
                    unfinished.push((count(model, &next), span, other));
                    if known.insert(next.clone()) {
                        open.push(next);
                    }
                } else {
                    set.insert((next, length));
                }
            }
        }
        if !set.is_empty() {
            sets.push(set);
        }
    }
    let lists: BTreeSet<Vec<ProctypeId>> =
        sets.iter().flatten().map(|(s, _)| frames(model, s).map(|f| f.0).collect()).collect();
    let blamed = unfinished.iter().find(|u| u.2).or(unfinished.first());
    let span = blamed.map_or(Span::default(), |u| u.1);
    let mut lists = lists.into_iter();
    match (lists.next(), lists.next()) {
        (Some(types), None) => match unfinished.iter().find(|u| u.0 >= types.len()) {
            None => Ok(Entry { types, sets }),
            Some((_, span, _)) => Err(Obstacle::new(*span, "a process may be started or not at this `run`")
                .advise("start all processes in one `atomic`, before they do anything")),
        },
        (None, _) => Err(Obstacle::new(span, "a process is started again and again, or after others have moved")
            .advise("start all processes in one `atomic`, before they do anything")),
        (Some(_), Some(_)) => Err(Obstacle::new(span, "it depends on the run which processes there are")
            .advise("start the same processes, in the same order, on every way")),
    }
}

fn count(model: &Model, state: &[u8]) -> usize {
    usize::from(state[model.layout.header() as usize])
}

/// The processes of a state: type and location.
pub fn frames<'a>(model: &'a Model, state: &'a [u8]) -> impl Iterator<Item = (ProctypeId, LocId)> + 'a {
    let mut at = model.layout.processes as usize;
    (0..count(model, state)).map(move |_| {
        let id = ProctypeId(state[at]);
        let end = FRAME_HEADER as usize;
        let loc = LocId(u16::from_le_bytes([state[at + end - 2], state[at + end - 1]]));
        at += model.layout.frames[id.index()].total as usize;
        (id, loc)
    })
}

/// By process type and location: where a `run` is that a process can come to from there.
fn starting(model: &Model) -> Vec<Vec<Option<Span>>> {
    let mut out: Vec<Vec<Option<Span>>> = model.proctypes.iter().map(|p| vec![None; p.locs.len()]).collect();
    for (p, can) in model.proctypes.iter().zip(&mut out) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); p.locs.len()];
        let mut open = Vec::new();
        for (l, loc) in p.locs.iter().enumerate() {
            for t in loc.out.iter().map(|t| model.transition(*t)) {
                if starts(&t.stmt) && can[l].is_none() {
                    can[l] = Some(t.span);
                    open.push(l);
                }
                if t.stmt != Stmt::End {
                    before[t.to.index()].push(l);
                }
            }
        }
        while let Some(l) = open.pop() {
            for &earlier in &before[l] {
                if can[earlier].is_none() {
                    can[earlier] = can[l];
                    open.push(earlier);
                }
            }
        }
    }
    out
}

/// True if a statement starts a process.
pub fn starts(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |e| found |= matches!(e, Expr::Run(_)));
    found
}
