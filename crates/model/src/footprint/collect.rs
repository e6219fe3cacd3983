//! The footprints of all transitions, from their statements.

use super::known::{Known, piece};
use super::{ChannelUse, Footprint, Ops, Special, Touch};
use crate::expr::{Expr, Run};
use crate::ir::{Location, Model, ProctypeId, Transition};
use crate::place::{Place, Region};
use crate::stmt::{RecvArg, Stmt};

/// The footprint of each transition, by number.
pub(super) fn footprints(model: &Model) -> Vec<Footprint> {
    let known = Known::new(model);
    let mut all: Vec<Footprint> = model.transitions.iter().map(|t| transition(model, &known, t)).collect();
    let alone: Vec<(Touch, ChannelUse)> = all.iter().map(|f| (f.tests.clone(), questions(&f.channels))).collect();
    for p in &model.proctypes {
        for loc in &p.locs {
            compete(model, loc, p.deterministic, &alone, &mut all);
        }
    }
    all
}

/// Channel operations as far as they decide whether a statement can be executed.
fn questions(uses: &ChannelUse) -> ChannelUse {
    let question = |ops: Ops| if ops.is_empty() { ops } else { Ops::QUERY };
    ChannelUse { known: uses.known.iter().map(|&(c, o)| (c, question(o))).collect(), any: question(uses.any) }
}

/// `else`, code under an escape, and code of deterministic types depend on what stands before them at their location.
fn compete(model: &Model, loc: &Location, deterministic: bool, alone: &[(Touch, ChannelUse)], all: &mut [Footprint]) {
    for (i, id) in loc.out.iter().enumerate() {
        let t = model.transition(*id);
        for other in &loc.out[..i] {
            let before = model.transition(*other);
            let escaped = before.escape > 0 && before.escape != t.escape;
            if !(escaped || deterministic || t.stmt.is_else()) {
                continue;
            }
            let (tests, channels) = &alone[other.index()];
            let f = &mut all[id.index()];
            f.tests.join(tests);
            f.reads.join(tests);
            f.channels.join(channels);
            if may_shake_hands(model, &before.stmt) {
                // Whether somebody takes the message depends on where and how everybody else is.
                f.tests.special = f.tests.special.with(Special::EVERYTHING);
                f.reads.special = f.reads.special.with(Special::EVERYTHING);
            }
        }
    }
}

fn may_shake_hands(model: &Model, s: &Stmt) -> bool {
    let mut sends = false;
    s.walk_stmts(&mut |s| sends |= matches!(s, Stmt::Send { .. }));
    sends && model.channels.iter().any(|c| c.capacity == 0)
}

fn transition(model: &Model, known: &Known<'_>, t: &Transition) -> Footprint {
    let mut c = Collector { model, known, proctype: t.proctype, out: Footprint::default() };
    c.out.proctypes.push(t.proctype);
    c.write_special(Special::LOCATIONS);
    if model.uses.last {
        c.write_special(Special::LAST);
    }
    if model.uses.priority {
        // Whether a process of higher priority could move decides about every step.
        c.test_special(Special::EVERYTHING);
    }
    if let Some(e) = &model.proctype(t.proctype).provided {
        c.test(e);
    }
    c.stmt(&t.stmt);
    t.resets.iter().for_each(|place| c.write(place, 1));
    c.out
}

struct Collector<'a> {
    model: &'a Model,
    known: &'a Known<'a>,
    proctype: ProctypeId,
    out: Footprint,
}

impl Collector<'_> {
    fn write_special(&mut self, s: Special) {
        self.out.writes.special = self.out.writes.special.with(s);
    }

    fn read_special(&mut self, s: Special) {
        self.out.reads.special = self.out.reads.special.with(s);
    }

    fn test_special(&mut self, s: Special) {
        self.out.tests.special = self.out.tests.special.with(s);
        self.read_special(s);
    }

    /// Reads an expression to decide whether a statement can be executed.
    fn test(&mut self, e: &Expr) {
        let before = std::mem::take(&mut self.out.reads);
        self.read(e);
        let tested = std::mem::replace(&mut self.out.reads, before);
        self.out.tests.join(&tested);
        self.out.reads.join(&tested);
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            // `else` is treated by location.
            Stmt::Skip(_) | Stmt::Else => {}
            Stmt::Guard(e) => self.test(e),
            Stmt::Assign(place, e) => {
                self.read(e);
                self.write(place, 1);
            }
            Stmt::AssignArray(place, values) => self.write(place, values.len() as u32),
            Stmt::Assert(e) | Stmt::Printm(e) => self.read(e),
            Stmt::Printf(_, args) => args.iter().for_each(|e| self.read(e)),
            Stmt::Send { channel, args, .. } => {
                self.test(channel);
                args.iter().for_each(|e| self.read(e));
                self.channel(channel, Ops::SEND);
            }
            Stmt::Receive { channel, args, copy, .. } => {
                self.test(channel);
                self.channel(channel, if *copy { Ops::QUERY } else { Ops::RECEIVE });
                for arg in args {
                    match arg {
                        RecvArg::Bind(place) => self.write(place, 1),
                        RecvArg::Match(e) => self.test(e),
                        RecvArg::Discard => {}
                    }
                }
            }
            Stmt::SetPriority(pid, value) => {
                self.read(pid);
                self.read(value);
                self.read_special(Special::PROCESSES);
                self.write_special(Special::PRIORITY);
            }
            // What is tested inside is more than what decides; that is allowed.
            Stmt::DStep(d) => d.locs.iter().flatten().for_each(|t| self.stmt(&t.stmt)),
            Stmt::Chain(list) => list.iter().for_each(|s| self.stmt(s)),
            Stmt::End => self.end(),
        }
    }

    fn end(&mut self) {
        self.test_special(Special::PROCESSES);
        self.write_special(Special::PROCESSES);
        self.life(self.proctype);
        let frame = self.model.layout.frames[self.proctype.index()].frame;
        self.out.writes.locals.add((0, frame));
    }

    /// The channels of a process come to life or die with it.
    fn life(&mut self, id: ProctypeId) {
        let channels = &self.model.proctype(id).channels;
        if !channels.is_empty() {
            self.write_special(Special::CHANNELS);
        }
        channels.iter().for_each(|c| self.out.channels.add(c.channel, Ops::LIFE));
    }

    fn channel(&mut self, e: &Expr, ops: Ops) {
        match self.known.channels(self.proctype, e) {
            Some(list) => list.into_iter().for_each(|c| self.out.channels.add(c, ops)),
            None => {
                self.out.channels.any = self.out.channels.any.with(ops);
                self.test_special(Special::CHANNELS);
            }
        }
        if ops != Ops::QUERY {
            self.event();
        }
    }

    /// The event assertion moves, and may compare fields with anything.
    fn event(&mut self) {
        let Some(trace) = &self.model.trace else { return };
        self.read_special(Special::TRACE);
        self.write_special(Special::TRACE);
        let plain = |e: &Expr| matches!(e, Expr::Const(..) | Expr::Load(_));
        let simple = |t: &Transition| match &t.stmt {
            Stmt::Send { channel, args, .. } => self.fixed(trace.proctype, channel) && args.iter().all(plain),
            Stmt::Receive { channel, args, .. } => {
                let constant = |a: &RecvArg| !matches!(a, RecvArg::Match(e) if e.as_const().is_none());
                self.fixed(trace.proctype, channel) && args.iter().all(constant)
            }
            stmt => matches!(stmt, Stmt::Skip(_) | Stmt::End),
        };
        let watched = trace.sends.iter().chain(&trace.receives).all(|e| self.fixed(trace.proctype, e));
        if !watched || !self.model.transitions.iter().filter(|t| t.proctype == trace.proctype).all(simple) {
            self.read_special(Special::EVERYTHING);
        }
    }

    /// Whether a channel expression always names the same channel.
    fn fixed(&self, proctype: ProctypeId, channel: &Expr) -> bool {
        self.known.channels(proctype, channel).is_some_and(|list| list.len() == 1)
    }

    fn write(&mut self, place: &Place, count: u32) {
        place.dims.iter().for_each(|d| self.read(&d.index));
        add(&mut self.out.writes, place, count);
    }

    fn read(&mut self, e: &Expr) {
        e.walk(&mut |e| self.read_one(e));
    }

    /// What an expression reads by itself, without the expressions inside it.
    fn read_one(&mut self, e: &Expr) {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {}
            Expr::Load(place) => add(&mut self.out.reads, place, 1),
            Expr::NrPr => self.read_special(Special::PROCESSES),
            Expr::Last => self.read_special(Special::LAST),
            Expr::Priority => self.read_special(Special::PRIORITY),
            Expr::Timeout => self.read_special(Special::TIMEOUT),
            Expr::Enabled(_) => self.read_special(Special::EVERYTHING),
            Expr::NonProgress | Expr::PcValue(_) | Expr::RemoteLabel { .. } => {
                self.read_special(Special::PROCESSES.with(Special::LOCATIONS));
            }
            Expr::GetPriority(_) => self.read_special(Special::PROCESSES.with(Special::PRIORITY)),
            Expr::RemoteVar { proctype, place, .. } => {
                self.read_special(Special::PROCESSES);
                self.out.reads.remote.push((*proctype, piece(place, 1)));
            }
            Expr::Channel(_, channel) => self.channel(channel, Ops::QUERY),
            Expr::Poll { channel, args, .. } => {
                self.channel(channel, Ops::QUERY);
                for arg in args {
                    if let RecvArg::Bind(place) = arg {
                        place.dims.iter().for_each(|d| self.read(&d.index));
                    }
                }
            }
            Expr::Run(run) => self.run(run),
        }
    }

    fn run(&mut self, run: &Run) {
        self.read_special(Special::PROCESSES);
        self.write_special(Special::PROCESSES);
        self.life(run.proctype);
        // The new process initialises itself: only what others can see matters.
        let init = &self.model.proctype(run.proctype).init;
        let mut c =
            Collector { model: self.model, known: self.known, proctype: run.proctype, out: Footprint::default() };
        init.iter().for_each(|s| c.stmt(s));
        c.out.reads.locals = Default::default();
        c.out.tests.locals = Default::default();
        c.out.writes.locals = Default::default();
        self.out.join(&c.out);
    }
}

fn add(touch: &mut Touch, place: &Place, count: u32) {
    let piece = piece(place, count);
    match place.region {
        Region::Global => touch.globals.add(piece),
        Region::Hidden => touch.hidden.add(piece),
        Region::Local => touch.locals.add(piece),
    }
}
