//! The footprints of all transitions, from their statements, and of the tick.

use super::known::Known;
use super::{Bytes, ChannelUse, Footprint, Ops, Special, Touch};
use crate::expr::{Expr, Run};
use crate::ir::{Location, Model, ProctypeId, Transition};
use crate::place::{Place, Ty};
use crate::stmt::Stmt;
use crate::touch::{Account, Deal, Question, Resolver, Touched, plain_event};

/// The footprint of each action, by number.
pub(super) fn footprints(model: &Model) -> Vec<Footprint> {
    let known = Known::new(model);
    let mut all: Vec<Footprint> = model.transitions.iter().map(|t| transition(model, &known, t)).collect();
    let alone: Vec<(Touch, ChannelUse)> = all.iter().map(|f| (f.tests.clone(), questions(&f.channels))).collect();
    for p in &model.proctypes {
        for loc in &p.locs {
            compete(model, loc, p.deterministic, &alone, &mut all);
        }
    }
    all.extend(model.timed().then(|| tick(model)));
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
    let mut account = Account::new(model, t.proctype, Anybody::new(model, known, t.proctype));
    account.transition(t);
    let Touched { tests, reads, writes } = account.touched;
    Footprint { proctypes: vec![t.proctype], tests, reads, writes, channels: account.resolver.channels }
}

/// What a tick touches: whether it is possible depends on everything, and it lowers all timers that run.
fn tick(model: &Model) -> Footprint {
    let mut out = Footprint::default();
    out.tests.special = Special::EVERYTHING;
    let piece = |at: u32| (at, at + Ty::Timer.size());
    for &at in &model.layout.timers {
        out.writes.globals.add(piece(at - model.layout.globals_start()));
    }
    for (i, frame) in model.layout.frames.iter().enumerate() {
        out.writes.remote.extend(frame.timers.iter().map(|&at| (ProctypeId(i as u8), piece(at))));
    }
    out.reads = out.writes.clone();
    out.reads.special = Special::EVERYTHING;
    out
}

/// Whoever of a process type executes.
struct Anybody<'a> {
    model: &'a Model,
    known: &'a Known<'a>,
    proctype: ProctypeId,
    channels: ChannelUse,
}

impl<'a> Anybody<'a> {
    fn new(model: &'a Model, known: &'a Known<'a>, proctype: ProctypeId) -> Anybody<'a> {
        Anybody { model, known, proctype, channels: ChannelUse::default() }
    }

    /// The channels of a process come to life or die with it.
    fn life(&mut self, touched: &mut Touched, id: ProctypeId) {
        let channels = &self.model.proctype(id).channels;
        if !channels.is_empty() {
            touched.write_special(Special::CHANNELS);
        }
        channels.iter().for_each(|c| self.channels.add(c.channel, Ops::LIFE));
    }

    /// The event assertion moves, and may compare fields with anything.
    fn event(&self, touched: &mut Touched) {
        let Some(trace) = &self.model.trace else { return };
        touched.read_special(Special::TRACE);
        touched.write_special(Special::TRACE);
        for e in trace.sends.iter().chain(&trace.receives) {
            touched.reads_loads(e, &mut |place| place.constant_piece(1));
        }
        let simple = |t: &Transition| match &t.stmt {
            Stmt::Send { channel, .. } | Stmt::Receive { channel, .. } => {
                self.fixed(trace.proctype, channel) && plain_event(&t.stmt)
            }
            stmt => plain_event(stmt),
        };
        let watched = trace.sends.iter().chain(&trace.receives).all(|e| self.fixed(trace.proctype, e));
        if !watched || !self.model.transitions.iter().filter(|t| t.proctype == trace.proctype).all(simple) {
            touched.read_special(Special::EVERYTHING);
        }
    }

    /// Whether a channel expression always names the same channel.
    fn fixed(&self, proctype: ProctypeId, channel: &Expr) -> bool {
        self.known.channels(proctype, channel).is_some_and(|list| list.len() == 1)
    }
}

impl Resolver for Anybody<'_> {
    fn piece(&mut self, place: &Place, count: u32) -> Bytes {
        place.constant_piece(count)
    }

    fn remote(&mut self, place: &Place) -> Bytes {
        place.constant_piece(1)
    }

    fn asks(&mut self, touched: &mut Touched, question: Question) {
        touched.read_special(match question {
            Question::Count | Question::Process => Special::PROCESSES,
            Question::Location => Special::PROCESSES.with(Special::LOCATIONS),
            Question::Last => Special::LAST,
            Question::OwnPriority => Special::PRIORITY,
            Question::Priority => Special::PROCESSES.with(Special::PRIORITY),
            Question::Timeout => Special::TIMEOUT,
            Question::Enabled => Special::EVERYTHING,
        });
    }

    fn channel(&mut self, touched: &mut Touched, channel: &Expr, deal: Deal) {
        let ops = match deal {
            Deal::Send { .. } => Ops::SEND,
            Deal::Receive => Ops::RECEIVE,
            Deal::Copy | Deal::Ask => Ops::QUERY,
        };
        match self.known.channels(self.proctype, channel) {
            Some(list) => list.into_iter().for_each(|c| self.channels.add(c, ops)),
            None => {
                self.channels.any = self.channels.any.with(ops);
                touched.test_special(Special::CHANNELS);
            }
        }
        if ops != Ops::QUERY {
            self.event(touched);
        }
    }

    fn starts(&mut self, touched: &mut Touched, run: &Run) {
        touched.read_special(Special::PROCESSES);
        touched.write_special(Special::PROCESSES);
        self.life(touched, run.proctype);
    }

    fn newborn(&mut self, run: &Run) -> Option<Self> {
        Some(Anybody::new(self.model, self.known, run.proctype))
    }

    fn born(&mut self, newborn: Self, _run: &Run) {
        self.channels.join(&newborn.channels);
    }

    fn ends(&mut self, touched: &mut Touched) {
        touched.test_special(Special::PROCESSES);
        touched.write_special(Special::PROCESSES);
        self.life(touched, self.proctype);
    }

    fn sets_priority(&mut self, touched: &mut Touched) {
        touched.read_special(Special::PROCESSES);
        touched.write_special(Special::PRIORITY);
    }
}
