//! Which values variables can have, as intervals, and which statements therefore always have a meaning.
//!
//! Abstract interpretation with intervals (P. Cousot and R. Cousot, *Abstract interpretation: a unified lattice model*, 1977),
//! made for processes that interleave:
//!
//! - A local variable that is no array belongs to one process alone, so its interval is followed from location to location, and
//!   conditions narrow it. Intervals are widened where loops begin; once all is stable, what comes out too wide is computed again from what is
//!   known then, [`DESCENTS`] times, each of which is right as well.
//! - Everything else (globals, arrays, fields of messages, parameters) has one interval for all of time: what it begins with, and
//!   all that anybody ever puts there. So it does not matter who moves when.
//! - Within one statement nobody else moves; there, conditions narrow globals, too.
//!
//! - A `run` finds room where [`starts`] can tell how many processes there will be.
//!
//! These depend on each other, so all process types are gone through until nothing changes. After [`PATIENCE`] rounds an interval that
//! still grows does so up to the next constant of the model, and soon to the ends of its type, so it is over soon. What would take too
//! much work is given up: then nothing is known.
//!
//! **Law.** A transition of which [`Ranges::safe`] says so has a meaning in every state that can be reached. Random programs
//! are held to it by `--audit`.

mod cells;
mod exec;
mod interval;
mod starts;

use cells::{Cells, Meant};
use exec::Frame;
use interval::Interval;
use starwheel_base::cancel::Watch;
use starwheel_model::{
    Expr, Interp, LocId, Model, Place, Proctype, ProctypeId, ProctypeKind, Region, Stepper, Stmt, TransId, Transition,
    Ty, time,
};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds before widening.
const PATIENCE: u32 = 3;
/// Further rounds before intervals that grow have all of their type.
const LATE: u32 = 8;
/// Rounds before everything is given up.
const MOST_ROUNDS: u32 = 40;
/// Times that everything is computed again from what is stable.
const DESCENTS: usize = 2;
/// Times that the beginning of a loop is looked at before widening.
const VISITS: u32 = 3;
/// Variables by locations that are followed.
const FOLLOWED: usize = 1_000_000;
/// Work before everything is given up: values that are copied or compared.
const MOST_WORK: u64 = 10_000_000;

/// What is known of the statements of a model.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// By transition.
    safe: Vec<bool>,
    /// `run` never finds as many processes as there can be.
    few: bool,
}

impl Ranges {
    /// Looks through a model, as long as it is worth while.
    pub fn new(model: &Model, watch: &Watch) -> Ranges {
        let mut analysis = Analysis::new(model);
        if !analysis.run(watch) {
            return Ranges::default();
        }
        let checked = |t: &Transition| is_process(model.proctype(t.proctype));
        let safe = model.transitions.iter().zip(&analysis.fails).map(|(t, fails)| checked(t) && !fails).collect();
        Ranges { safe, few: analysis.few }
    }

    /// True if no run ever starts more processes, or channels, than a state can hold.
    pub fn few(&self) -> bool {
        self.few
    }

    /// True if a transition always has a meaning.
    pub fn safe(&self, trans: TransId) -> bool {
        self.safe.get(trans.index()).is_some_and(|safe| *safe)
    }
}

fn is_process(p: &Proctype) -> bool {
    matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init)
}

/// What is known so far; it only grows.
struct Analysis<'m> {
    model: &'m Model,
    /// Variables by region, those of process types by type.
    globals: Cells,
    hidden: Cells,
    locals: Vec<Cells>,
    /// By cell: all that it may ever hold.
    global_values: Vec<Interval>,
    hidden_values: Vec<Interval>,
    /// Of those locals that are not followed.
    local_values: Vec<Vec<Interval>>,
    /// By number of fields and place in the message: all that is ever sent.
    fields: BTreeMap<(usize, usize), Interval>,
    /// By process type: its parameters; none if it is never started.
    params: Vec<Option<Vec<Interval>>>,
    /// By process type: its numbers.
    pids: Vec<Interval>,
    /// By process type: whether its locals are followed from location to location.
    followed: Vec<bool>,
    /// By process type and location: whether a loop begins there.
    heads: Vec<Vec<bool>>,
    /// By transition: whether it may fail.
    fails: Vec<bool>,
    /// By process type that starts others: what is known at each location.
    arrived: Vec<Option<Vec<Option<Frame>>>>,
    /// By process type: whether its declarations may fail when one is started.
    fails_to_start: Vec<bool>,
    /// There are never so many processes that one more cannot be started.
    few: bool,
    /// Constants of the model, and lengths of arrays less one, in order.
    steps: Vec<i64>,
    /// What is given to variables that are not followed is noted: not before all is stable.
    notes: bool,
    round: u32,
    changed: bool,
    work: u64,
}

impl<'m> Analysis<'m> {
    fn new(model: &'m Model) -> Analysis<'m> {
        let of = |region: Region| Cells::new(model.globals.iter().filter(move |v| v.place.region == region));
        let (globals, hidden) = (of(Region::Global), of(Region::Hidden));
        let locals: Vec<Cells> = model.proctypes.iter().map(|p| Cells::new(p.locals.iter())).collect();
        let mut initial = Vec::new();
        Interp::new(model).initial(&mut initial);
        let at_first = |cells: &Cells, start: u32| {
            let value = |cell: usize, at: u32| crate::fixed::value_at(&initial, (start + at) as usize, cells.ty(cell)?);
            let whole = |cell: usize| -> Option<Interval> {
                let mut values = cells.elements(cell).map(|at| value(cell, at).map(Interval::exactly));
                let first = values.next()??;
                values.try_fold(first, |all, v| Some(all.join(v?)))
            };
            (0..cells.len()).map(|cell| whole(cell).unwrap_or(Interval::ANY)).collect::<Vec<_>>()
        };
        let (global_values, hidden_values) = (at_first(&globals, model.layout.globals_start()), at_first(&hidden, 0));
        let nothing = |cells: &Cells| vec![Interval::exactly(0); cells.len()];
        let mut analysis = Analysis {
            model,
            local_values: locals.iter().map(nothing).collect(),
            followed: model.proctypes.iter().zip(&locals).map(|(p, c)| p.locs.len() * c.len() <= FOLLOWED).collect(),
            heads: model.proctypes.iter().map(|p| heads(model, p)).collect(),
            globals,
            hidden,
            locals,
            global_values,
            hidden_values,
            fields: BTreeMap::new(),
            params: vec![None; model.proctypes.len()],
            pids: vec![Interval::exactly(0); model.proctypes.len()],
            fails: vec![false; model.transitions.len()],
            arrived: vec![None; model.proctypes.len()],
            fails_to_start: vec![false; model.proctypes.len()],
            few: false,
            steps: steps(model),
            notes: false,
            round: 0,
            changed: false,
            work: 0,
        };
        for (pid, start) in model.starts.iter().enumerate() {
            let id = start.proctype.index();
            let pid = Interval::exactly(pid as i32);
            analysis.pids[id] = if analysis.params[id].is_none() { pid } else { analysis.pids[id].join(pid) };
            analysis.params[id] = Some(vec![Interval::exactly(0); model.proctypes[id].params.len()]);
        }
        analysis
    }

    /// Goes through all process types until nothing changes, and once more if `run` turns out never to fail; false if that is too much.
    fn run(&mut self, watch: &Watch) -> bool {
        if !self.settle(watch) {
            return false;
        }
        let starts = |t: &Transition| {
            let mut found = false;
            t.stmt.walk(&mut |e| found |= matches!(e, Expr::Run(_)));
            found
        };
        self.few = self.model.transitions.iter().any(starts) && self.few();
        !self.few || self.settle(watch)
    }

    fn settle(&mut self, watch: &Watch) -> bool {
        loop {
            self.changed = false;
            for id in 0..self.model.proctypes.len() {
                let p = &self.model.proctypes[id];
                if is_process(p) && !self.process(ProctypeId(id as u8), p, watch) {
                    return false;
                }
            }
            if !self.changed {
                return true;
            }
            self.round += 1;
            if self.round > MOST_ROUNDS {
                return false;
            }
        }
    }

    /// Follows a process from its start; false if that is too much.
    fn process(&mut self, id: ProctypeId, p: &Proctype, watch: &Watch) -> bool {
        let Some(params) = self.params[id.index()].clone() else { return true };
        let cells = if self.followed[id.index()] { self.locals[id.index()].len() } else { 0 };
        let mut start = Frame::new(id, cells);
        self.notes = true;
        for (place, value) in p.params.iter().zip(params) {
            self.store(&mut start, place, value);
        }
        for channel in &p.channels {
            self.store(&mut start, &channel.place, Interval::new(1, 255));
        }
        for stmt in &p.init {
            self.exec(&mut start, stmt);
        }
        let timed = p.params.iter().any(|place| !time::fits(place.ty, None));
        self.fails_to_start[id.index()] = start.failed || timed;
        start.leave();
        self.notes = false;
        let Some(mut at) = self.stable(id, p, &start, watch) else { return false };
        for _ in 0..DESCENTS {
            let mut again: Vec<Option<Frame>> = vec![None; p.locs.len()];
            again[p.start.index()] = Some(start.clone());
            for (loc, frame) in p.locs.iter().zip(&at) {
                let Some(frame) = frame else { continue };
                for &trans in &loc.out {
                    if self.too_much(frame, watch) {
                        return false;
                    }
                    if let Some((after, _)) = self.transition(frame, &loc.out, trans) {
                        put(&mut again, self.model.transition(trans), after, &self.locals[id.index()], Pace::Exact);
                    }
                }
            }
            at = again;
        }
        self.notes = true;
        p.locs.iter().flat_map(|l| &l.out).for_each(|t| self.fails[t.index()] = false);
        for (loc, frame) in p.locs.iter().zip(&at) {
            let Some(frame) = frame else { continue };
            for &trans in &loc.out {
                if self.too_much(frame, watch) {
                    return false;
                }
                self.fails[trans.index()] |= self.outcome(frame, &loc.out, trans).failed;
            }
        }
        self.arrived[id.index()] = Some(at);
        true
    }

    /// What is known at each location if a process starts so: all that is known there leads to nothing more. None if that is too much.
    fn stable(&mut self, id: ProctypeId, p: &Proctype, start: &Frame, watch: &Watch) -> Option<Vec<Option<Frame>>> {
        let mut at: Vec<Option<Frame>> = vec![None; p.locs.len()];
        let mut visits = vec![0u32; p.locs.len()];
        let mut open = BTreeSet::from([p.start]);
        at[p.start.index()] = Some(start.clone());
        while let Some(loc) = open.pop_first() {
            let Some(frame) = at[loc.index()].clone() else { continue };
            visits[loc.index()] += 1;
            for &trans in &p.locs[loc.index()].out {
                if self.too_much(&frame, watch) {
                    return None;
                }
                let Some((after, to)) = self.transition(&frame, &p.locs[loc.index()].out, trans) else { continue };
                let head = self.heads[id.index()][to.index()];
                let pace = if head { pace(visits[to.index()], VISITS, &self.steps) } else { Pace::Exact };
                if put(&mut at, self.model.transition(trans), after, &self.locals[id.index()], pace) {
                    open.insert(to);
                }
            }
        }
        Some(at)
    }

    /// Counts the work of one more transition.
    fn too_much(&mut self, frame: &Frame, watch: &Watch) -> bool {
        self.work += frame.weight() + 1;
        self.work > MOST_WORK || watch.stopped()
    }

    /// A process behind one of the transitions of a location, and where it is then; none if it cannot be executed or ends.
    fn transition(&mut self, before: &Frame, beside: &[TransId], trans: TransId) -> Option<(Frame, LocId)> {
        let t = self.model.transition(trans);
        let after = self.outcome(before, beside, trans);
        (after.goes_on && t.stmt != Stmt::End).then_some((after, t.to))
    }

    /// What comes of a transition of a location.
    fn outcome(&mut self, before: &Frame, beside: &[TransId], trans: TransId) -> Frame {
        let t = self.model.transition(trans);
        let mut frame = before.clone();
        frame.failed = false;
        let others =
            beside.iter().map(|b| self.model.transition(*b)).filter(|b| t.stmt.is_else() && b.escape == t.escape);
        let mut conditions = others.filter_map(|b| exec::condition(&b.stmt));
        frame.goes_on = conditions.all(|e| self.narrow(&mut frame, e, false)) && self.exec(&mut frame, &t.stmt);
        for place in &t.resets {
            self.store(&mut frame, place, Interval::of(place.ty));
        }
        frame.leave();
        frame
    }

    /// All that a place may hold.
    fn load(&self, frame: &Frame, place: &Place) -> Interval {
        let all = Interval::of(place.ty);
        if place.ty == Ty::Timer {
            return all;
        }
        let (cells, values) = match place.region {
            Region::Global => (&self.globals, &self.global_values),
            Region::Hidden => (&self.hidden, &self.hidden_values),
            Region::Local => (&self.locals[frame.id.index()], &self.local_values[frame.id.index()]),
        };
        match cells.meant(place, 1) {
            Meant::Variable(cell) if place.region == Region::Local && self.followed[frame.id.index()] => {
                frame.locals[cell]
            }
            Meant::Variable(cell) => frame.fact(place.region, cell).unwrap_or(values[cell]),
            Meant::Some(list) if list.iter().all(|c| cells.ty(*c) == Some(place.ty)) => {
                let followed = |c: &usize| place.region == Region::Local && self.is_followed(frame.id, *c);
                let value = |c: usize| if followed(&c) { frame.locals[c] } else { values[c] };
                list.iter().map(|c| value(*c)).reduce(Interval::join).unwrap_or(all)
            }
            Meant::Some(_) | Meant::Anything => all,
        }
    }

    fn is_followed(&self, id: ProctypeId, cell: usize) -> bool {
        self.followed[id.index()] && self.locals[id.index()].single(cell)
    }

    /// Gives a place a value.
    fn store(&mut self, frame: &mut Frame, place: &Place, value: Interval) {
        self.store_many(frame, place, 1, value);
    }

    /// Gives a place and those behind it values.
    fn store_many(&mut self, frame: &mut Frame, place: &Place, count: u32, value: Interval) {
        let (id, region) = (frame.id.index(), place.region);
        let cells = match region {
            Region::Global => &self.globals,
            Region::Hidden => &self.hidden,
            Region::Local => &self.locals[id],
        };
        match cells.meant(place, count) {
            Meant::Variable(cell) => {
                let value = value.stored(place.ty);
                if region == Region::Local && self.followed[id] {
                    frame.locals[cell] = value;
                } else {
                    frame.learn(region, cell, value);
                    self.grow(frame, region, cell, value);
                }
            }
            Meant::Some(list) => {
                for cell in list {
                    let value = match self.cells(frame.id, region).ty(cell) {
                        Some(ty) if ty == place.ty => value.stored(ty),
                        _ => Interval::ANY,
                    };
                    self.grow(frame, region, cell, value);
                }
            }
            Meant::Anything => {
                for cell in 0..self.cells(frame.id, region).len() {
                    self.grow(frame, region, cell, Interval::ANY);
                }
            }
        }
    }

    fn cells(&self, id: ProctypeId, region: Region) -> &Cells {
        match region {
            Region::Global => &self.globals,
            Region::Hidden => &self.hidden,
            Region::Local => &self.locals[id.index()],
        }
    }

    /// A variable may hold a value from now on, beside what it may hold already.
    fn grow(&mut self, frame: &mut Frame, region: Region, cell: usize, value: Interval) {
        self.work += 1;
        let (id, round) = (frame.id.index(), self.round);
        let ty = self.cells(frame.id, region).ty(cell);
        let all = ty.map_or(Interval::ANY, Interval::of);
        if region == Region::Local && self.is_followed(frame.id, cell) {
            frame.locals[cell] = frame.locals[cell].join(value).meet(all).unwrap_or(all);
            return;
        }
        if let Some(known) = frame.fact(region, cell)
            && !value.within(known)
        {
            frame.learn(region, cell, known.join(value).meet(all).unwrap_or(all));
        }
        let values = match region {
            Region::Global => &mut self.global_values,
            Region::Hidden => &mut self.hidden_values,
            Region::Local => &mut self.local_values[id],
        };
        if self.notes {
            self.changed |= widen(&mut values[cell], value, all, pace(round, PATIENCE, &self.steps));
        }
    }

    /// A message with these fields may be sent.
    fn sent(&mut self, values: &[Interval]) {
        if !self.notes {
            return;
        }
        for (i, value) in values.iter().enumerate() {
            let kinds = self.model.channels.iter().filter(|c| c.fields.len() == values.len());
            let stored = kinds.map(|c| value.stored(c.fields[i].ty)).reduce(Interval::join);
            let Some(stored) = stored else { continue };
            match self.fields.get_mut(&(values.len(), i)) {
                Some(known) => {
                    self.changed |= widen(known, stored, Interval::ANY, pace(self.round, PATIENCE, &self.steps))
                }
                None => {
                    self.fields.insert((values.len(), i), stored);
                    self.changed = true;
                }
            }
        }
    }

    /// What the field of a message may hold; none if no such message is ever sent.
    fn field(&self, count: usize, i: usize) -> Option<Interval> {
        self.fields.get(&(count, i)).copied()
    }

    /// A process of a type may be started with these parameters.
    fn started(&mut self, id: ProctypeId, values: &[Interval]) {
        let (round, p) = (self.round, self.model.proctype(id));
        if !self.notes {
            return;
        }
        let any = Interval::new(0, 254);
        self.changed |= !any.within(self.pids[id.index()]);
        self.pids[id.index()] = any;
        let types = p.params.iter().map(|place| place.ty);
        let stored = types.clone().zip(values).map(|(ty, v)| v.stored(ty));
        match &mut self.params[id.index()] {
            Some(known) => {
                for ((known, value), ty) in known.iter_mut().zip(stored).zip(types) {
                    self.changed |= widen(known, value, Interval::of(ty), pace(round, PATIENCE, &self.steps));
                }
            }
            none => {
                *none = Some(stored.collect());
                self.changed = true;
            }
        }
    }
}

/// How patient one is with intervals that grow.
#[derive(Clone, Copy)]
enum Pace<'s> {
    /// They grow by what is added.
    Exact,
    /// They grow up to the next of these.
    To(&'s [i64]),
}

/// Adds values; true if there are more now.
fn widen(known: &mut Interval, value: Interval, all: Interval, pace: Pace<'_>) -> bool {
    if value.within(*known) {
        return false;
    }
    let (less, more) = (value.lo < known.lo, value.hi > known.hi);
    *known = known.join(value);
    if let Pace::To(steps) = pace {
        let below = steps[..steps.partition_point(|s| *s <= known.lo)].last().copied().unwrap_or(all.lo);
        let above = steps.get(steps.partition_point(|s| *s < known.hi)).copied().unwrap_or(all.hi);
        let wide = Interval::new(if less { below } else { known.lo }, if more { above } else { known.hi });
        *known = known.join(wide.meet(all).unwrap_or(all));
    }
    true
}

/// The pace after so many rounds.
fn pace(round: u32, patience: u32, steps: &[i64]) -> Pace<'_> {
    match round {
        _ if round < patience => Pace::Exact,
        _ if round < patience + LATE => Pace::To(steps),
        _ => Pace::To(&[]),
    }
}

/// Where intervals rest that grow.
fn steps(model: &Model) -> Vec<i64> {
    let mut found = BTreeSet::from([0]);
    for t in &model.transitions {
        t.stmt.walk(&mut |e| match e {
            Expr::Const(v, _) => found.extend([i64::from(*v) - 1, i64::from(*v)]),
            Expr::Load(place) => found.extend(place.dims.iter().map(|d| i64::from(d.len) - 1)),
            _ => {}
        });
    }
    found.into_iter().collect()
}

/// Adds what is known on one more way to a location; true if that is more.
fn put(at: &mut [Option<Frame>], t: &Transition, after: Frame, cells: &Cells, pace: Pace<'_>) -> bool {
    match &mut at[t.to.index()] {
        Some(there) => there.join(&after, cells, pace),
        none => {
            *none = Some(after);
            true
        }
    }
}

/// Locations at which loops begin: those to which a depth-first walk comes back.
fn heads(model: &Model, p: &Proctype) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let (mut heads, mut marks) = (vec![false; p.locs.len()], vec![Mark::New; p.locs.len()]);
    if p.locs.is_empty() {
        return heads;
    }
    let mut path: Vec<(LocId, usize)> = vec![(p.start, 0)];
    marks[p.start.index()] = Mark::Open;
    while let Some((loc, next)) = path.last_mut() {
        let Some(&trans) = p.locs[loc.index()].out.get(*next) else {
            marks[loc.index()] = Mark::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let t = model.transition(trans);
        if t.stmt == Stmt::End {
            continue;
        }
        match marks[t.to.index()] {
            Mark::New => {
                marks[t.to.index()] = Mark::Open;
                path.push((t.to, 0));
            }
            Mark::Open => heads[t.to.index()] = true,
            Mark::Done => {}
        }
    }
    heads
}
