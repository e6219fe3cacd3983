//! Compares what an account says about a step with what the interpreter does: bytes that it says are not read get other values,
//! and bytes that it says are not written must stay as they are. For tests.
//!
//! The two laws, for a step from a state to the next one:
//!
//! - A byte that differs between the two states is one that the step may write.
//! - Give other values to what the step does not read. It is still possible, goes wrong in the same way or not at all, and
//!   each byte of the next state has the value that it had before, or is one that the step leaves alone.
//!
//! Who is in control after a step inside `atomic` depends on what the process does next, and is left out.

use crate::footprint::{Bytes, Footprint, Ops, Special, Touch};
use crate::interp::Interp;
use crate::ir::{ChanId, LocId, Model, Pid, ProctypeId};
use crate::layout::{CHANNEL_HEADER, FRAME_HEADER, PRIORITY};
use crate::place::Ty;
use crate::step::ProcessStep;
use crate::stmt::Stmt;
use starwheel_system::{Actor, Step, Stepper};

/// A number below another one, at random.
pub type Random<'a> = &'a mut dyn FnMut(u32) -> u32;

/// Bytes of one state.
#[derive(Clone, Debug, Default)]
pub struct ByteSet {
    /// All there are.
    pub all: bool,
    bytes: Vec<bool>,
}

impl ByteSet {
    /// Adds bytes.
    pub fn add(&mut self, at: usize, (from, to): Bytes) {
        let (from, to) = (at + from as usize, at + to as usize);
        if self.bytes.len() < to {
            self.bytes.resize(to, false);
        }
        self.bytes[from..to].fill(true);
    }

    /// True if a byte is in it.
    pub fn has(&self, at: usize) -> bool {
        self.all || self.bytes.get(at).copied().unwrap_or(false)
    }
}

/// What an account says about a step in one state.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// What decides whether it is possible.
    pub tests: ByteSet,
    /// All that it reads.
    pub reads: ByteSet,
    /// What it may write.
    pub writes: ByteSet,
}

/// Where everything lies in a state.
pub struct Map<'m> {
    model: &'m Model,
    /// Frames of processes.
    pub frames: Vec<(usize, ProctypeId)>,
    /// Channels, by number less one.
    pub channels: Vec<(usize, ChanId)>,
}

/// A value in a state that can be changed without making nonsense of it.
struct Cell {
    at: usize,
    kind: Kind,
}

enum Kind {
    Value(Ty),
    Location(ProctypeId),
}

impl<'m> Map<'m> {
    /// The map of a state.
    pub fn new(model: &'m Model, state: &[u8]) -> Map<'m> {
        let layout = &model.layout;
        let global = model.global_channels.iter().zip(&layout.global_channels);
        let mut map = Map { model, frames: Vec::new(), channels: Vec::new() };
        map.channels.extend(global.map(|(c, &at)| (at as usize, c.channel)));
        let mut at = layout.processes as usize;
        for _ in 0..state[layout.header() as usize] {
            let id = ProctypeId(state[at]);
            let frame = &layout.frames[id.index()];
            let own = model.proctype(id).channels.iter().zip(&frame.channels);
            map.channels.extend(own.map(|(c, &offset)| (at + offset as usize, c.channel)));
            map.frames.push((at, id));
            at += frame.total as usize;
        }
        map
    }

    /// The bytes of a channel.
    pub fn channel(&self, index: usize, out: &mut ByteSet) {
        if let Some(&(at, kind)) = self.channels.get(index) {
            out.add(at, (0, self.model.layout.channels[kind.index()].size));
        }
    }

    /// The bytes of what processes touch.
    pub fn touch(&self, pids: &[Pid], touch: &Touch, out: &mut ByteSet) {
        let layout = &self.model.layout;
        touch.hidden.iter().for_each(|piece| out.add(0, piece));
        touch.globals.iter().for_each(|piece| out.add(layout.globals_start() as usize, piece));
        for &pid in pids {
            let Some(&(frame, _)) = self.frames.get(pid.index()) else { continue };
            touch.locals.iter().for_each(|piece| out.add(frame, piece));
        }
        for &(proctype, piece) in &touch.remote {
            self.frames.iter().filter(|f| f.1 == proctype).for_each(|f| out.add(f.0, piece));
        }
        self.special(touch.special, out);
    }

    fn special(&self, special: Special, out: &mut ByteSet) {
        let header = self.model.layout.header() as usize;
        out.all |= special.meets(Special::EVERYTHING.with(Special::TIMEOUT));
        let fields = [(Special::PROCESSES, (0, 1)), (Special::LAST, (2, 3)), (Special::TRACE, (4, 6))];
        fields.iter().filter(|(s, _)| special.meets(*s)).for_each(|(_, piece)| out.add(header, *piece));
        for &(frame, _) in &self.frames {
            if special.meets(Special::LOCATIONS) {
                out.add(frame, (PRIORITY + 1, FRAME_HEADER));
            }
            if special.meets(Special::PRIORITY) {
                out.add(frame, (PRIORITY, PRIORITY + 1));
            }
        }
    }

    /// What footprints, by action, say about a step.
    pub fn footprint(&self, footprints: &[Footprint], step: Step) -> Said {
        let mut said = Said::default();
        let own = step.actor.agent().map(Pid);
        let f = &footprints[step.action.index()];
        self.add_footprint(own.as_slice(), f, &mut said);
        if let Some((pid, trans)) = step.partner() {
            self.add_footprint(&[pid], &footprints[trans.index()], &mut said);
        }
        said
    }

    fn add_footprint(&self, pids: &[Pid], f: &Footprint, said: &mut Said) {
        self.touch(pids, &f.tests, &mut said.tests);
        self.touch(pids, &f.reads, &mut said.reads);
        self.touch(pids, &f.writes, &mut said.writes);
        for (i, (_, kind)) in self.channels.iter().enumerate() {
            let known = f.channels.known.iter().filter(|(c, _)| c == kind);
            let ops = known.fold(f.channels.any, |ops, (_, o)| ops.with(*o));
            if !ops.is_empty() {
                self.channel(i, &mut said.tests);
                self.channel(i, &mut said.reads);
            }
            if ops.with(Ops::QUERY) != Ops::QUERY {
                self.channel(i, &mut said.writes);
            }
        }
    }

    /// What can be changed in a state without any of these bytes.
    fn cells(&self, state: &[u8], except: &ByteSet) -> Vec<Cell> {
        let mut out = Vec::new();
        let layout = &self.model.layout;
        for var in self.model.globals.iter().filter(|var| !settled(self.model, var)) {
            let start = if var.place.region == crate::place::Region::Hidden { 0 } else { layout.globals_start() };
            elements(&mut out, var, start as usize);
        }
        for &(frame, id) in &self.frames {
            self.model.proctype(id).locals.iter().for_each(|var| elements(&mut out, var, frame));
            out.push(Cell { at: frame + 2, kind: Kind::Location(id) });
        }
        if let Some(trace) = &self.model.trace {
            out.push(Cell { at: layout.header() as usize + 4, kind: Kind::Location(trace.proctype) });
        }
        for &(at, kind) in &self.channels {
            let slots = &layout.channels[kind.index()];
            let messages =
                if slots.size == 0 { 0 } else { usize::from(u16::from_le_bytes([state[at], state[at + 1]])) };
            for slot in 0..messages {
                let message = at + CHANNEL_HEADER as usize + slot * slots.message as usize;
                let fields = self.model.channel(kind).fields.iter().zip(&slots.fields);
                out.extend(fields.map(|(f, &at)| Cell { at: message + at as usize, kind: Kind::Value(f.ty) }));
            }
        }
        out.retain(|c| (c.at..c.at + c.size()).all(|at| !except.has(at)));
        out
    }

    /// Another state that differs only in bytes that are not among these; none if there is nothing to change.
    fn perturbed(&self, state: &[u8], except: &ByteSet, random: Random<'_>) -> Option<Vec<u8>> {
        let mut other = state.to_vec();
        for cell in self.cells(state, except) {
            if random(2) == 0 {
                cell.change(self.model, &mut other, random);
            }
        }
        (other != state).then_some(other)
    }
}

/// True for a channel that is not assigned: it is always the one that was declared, and accounts of steps may rest on that.
fn settled(model: &Model, var: &crate::ir::Var) -> bool {
    let own = (var.place.offset, var.place.offset + var.len.unwrap_or(1) * var.ty.size());
    let inside = |place: &crate::place::Place| {
        let (first, last) = place.widest(1);
        place.region == var.place.region && first < own.1 && own.0 < last
    };
    let mut assigned = false;
    for t in &model.transitions {
        t.stmt.walk_stmts(&mut |s| s.targets(&mut |place, _| assigned |= inside(place)));
    }
    !assigned && model.global_channels.iter().any(|c| inside(&c.place))
}

fn elements(out: &mut Vec<Cell>, var: &crate::ir::Var, start: usize) {
    let at = start + var.place.offset as usize;
    let element = |i| Cell { at: at + i * var.ty.size() as usize, kind: Kind::Value(var.ty) };
    out.extend((0..var.len.unwrap_or(1) as usize).map(element));
}

impl Cell {
    fn size(&self) -> usize {
        match self.kind {
            Kind::Value(ty) => ty.size() as usize,
            Kind::Location(_) => 2,
        }
    }

    fn change(&self, model: &Model, state: &mut [u8], random: Random<'_>) {
        match self.kind {
            Kind::Value(Ty::Timer) => Ty::Timer.write(state, self.at, random(5) as i32 - 1),
            Kind::Value(ty) => ty.write(state, self.at, random(9) as i32 - 2),
            Kind::Location(id) => {
                let locs = &model.proctype(id).locs;
                let used: Vec<usize> = (0..locs.len()).filter(|&i| !locs[i].out.is_empty()).collect();
                if let Some(&loc) = used.get(random(used.len() as u32) as usize) {
                    state[self.at..self.at + 2].copy_from_slice(&LocId(loc as u16).0.to_le_bytes());
                }
            }
        }
    }
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Steps that were taken.
    pub steps: usize,
    /// Those of them that were taken with other values beside what they read.
    pub beside: usize,
    /// Steps that were not possible, with other values beside what they test.
    pub impossible: usize,
}

impl Tried {
    /// Adds what was looked at elsewhere.
    pub fn add(&mut self, more: Tried) {
        self.steps += more.steps;
        self.beside += more.beside;
        self.impossible += more.impossible;
    }
}

/// Walks at random through so many states of a model and compares what is said about each step with what it does. Nothing is
/// said about steps that nobody knows.
pub fn walk(
    model: &Model,
    states: usize,
    random: Random<'_>,
    says: &mut dyn FnMut(&[u8], Step) -> Option<Said>,
) -> Result<Tried, String> {
    let mut interp = Interp::new(model);
    let (mut state, mut next, mut steps, mut tried) = (Vec::new(), Vec::new(), Vec::new(), Tried::default());
    if interp.initial(&mut state).broken {
        return Ok(tried);
    }
    for _ in 0..states {
        interp.enabled(&state, &mut steps);
        for &one in &steps {
            let Some(said) = says(&state, one) else { continue };
            tried.steps += 1;
            tried.beside += usize::from(step(&mut interp, &state, one, &said, random)?);
        }
        for one in missing(model, &state, &steps) {
            let Some(said) = says(&state, one) else { continue };
            tried.impossible += usize::from(impossible(&mut interp, &state, one, &said, random)?);
        }
        let Some(&chosen) = steps.get(random(steps.len() as u32) as usize) else { break };
        if interp.fire(&state, chosen, &mut next).broken {
            break;
        }
        std::mem::swap(&mut state, &mut next);
    }
    Ok(tried)
}

/// Steps that the locations of processes would allow and that are not among these. Whether a handshake is possible depends on
/// others.
fn missing(model: &Model, state: &[u8], steps: &[Step]) -> Vec<Step> {
    let mut out = Vec::new();
    for (i, (frame, id)) in Map::new(model, state).frames.into_iter().enumerate() {
        let pid = Pid(i as u8);
        let loc = u16::from_le_bytes([state[frame + 2], state[frame + 3]]);
        for &trans in &model.proctype(id).locs[usize::from(loc)].out {
            let mut talks = false;
            let stmt = &model.transition(trans).stmt;
            stmt.walk_stmts(&mut |s| talks |= matches!(s, Stmt::Send { .. } | Stmt::Receive { .. }));
            let listed = steps.iter().any(|s| s.pid() == pid && s.action == trans);
            if !(listed || talks && model.uses.rendezvous) {
                out.push(Step::of(pid, trans, None, false));
            }
        }
    }
    out
}

/// Checks what is said about a step that is possible in a state; whether anything could be changed that it does not read.
fn step(interp: &mut Interp<'_>, state: &[u8], step: Step, said: &Said, random: Random<'_>) -> Result<bool, String> {
    let model = interp.model();
    let control = model.layout.header() as usize + 1;
    let mut next = Vec::new();
    let fired = interp.fire(state, step, &mut next);
    let differs = |(i, (a, b)): (usize, (&u8, &u8))| a != b && i != control && !said.writes.has(i);
    if let Some(at) = state.iter().zip(&next).enumerate().position(differs) {
        return Err(format!("{step:?} writes byte {at}, which nobody expects, in {state:?}"));
    }
    if step.timeout || step.actor == Actor::Clock {
        return Ok(false);
    }
    let map = Map::new(model, state);
    let mut kept = said.reads.clone();
    for pid in [Some(step.pid()), step.partner().map(|p| p.0)].into_iter().flatten() {
        kept.add(map.frames[pid.index()].0, (0, FRAME_HEADER));
    }
    let Some(other) = map.perturbed(state, &kept, random) else { return Ok(false) };
    if !interp.lists(&other, step) {
        return Err(format!("{step:?} is possible in {state:?}, and not in {other:?}, which looks the same to it"));
    }
    let mut after = Vec::new();
    let again = interp.fire(&other, step, &mut after);
    if (again.broken, &again.violations) != (fired.broken, &fired.violations) || after.len() != next.len() {
        return Err(format!("{step:?} does {fired:?} in {state:?}, and {again:?} in {other:?}"));
    }
    let last = step.second_action().unwrap_or(step.action);
    let free = |i: usize| i == control && model.transition(last).atomic;
    let left = |i: usize| i < state.len() && next[i] == state[i] && after[i] == other[i];
    match (0..next.len()).find(|&i| !(fired.broken || free(i) || next[i] == after[i] || left(i))) {
        Some(at) => Err(format!("byte {at} after {step:?} is {} or {}: {state:?}, {other:?}", next[at], after[at])),
        None => Ok(true),
    }
}

/// Checks that a step which is not possible in a state does not become so by anything that it does not test; whether anything
/// could be changed.
fn impossible(
    interp: &mut Interp<'_>,
    state: &[u8],
    step: Step,
    said: &Said,
    random: Random<'_>,
) -> Result<bool, String> {
    let map = Map::new(interp.model(), state);
    let mut kept = said.tests.clone();
    kept.add(map.frames[step.pid().index()].0, (0, FRAME_HEADER));
    let Some(other) = map.perturbed(state, &kept, random) else { return Ok(false) };
    match interp.lists(&other, step) {
        true => Err(format!("{step:?} is not possible in {state:?}, but in {other:?}, which looks the same to it")),
        false => Ok(true),
    }
}
