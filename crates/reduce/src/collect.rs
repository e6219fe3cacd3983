//! The effect of one statement of one process.

use crate::channels::Kinds;
use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fixed::{Known, widest};
use starwheel_model::footprint::{Special, Touch};
use starwheel_model::{DStep, Expr, Place, RecvArg, Region, Stmt, Transition};

/// A statement of an event assertion that compares an event with constants alone; variables stand for any value.
pub fn plain_event(s: &Stmt) -> bool {
    match s {
        Stmt::Send { args, .. } => args.iter().all(|e| matches!(e, Expr::Const(..) | Expr::Load(_))),
        Stmt::Receive { args, .. } => !args.iter().any(|a| matches!(a, RecvArg::Match(e) if e.as_const().is_none())),
        Stmt::Chain(list) => list.iter().all(plain_event),
        s => matches!(s, Stmt::Skip(_) | Stmt::End),
    }
}

/// Collects an effect.
pub struct Collector<'a, 'm> {
    context: &'a Context<'m>,
    known: &'a Known,
    /// Whether it matters what processes are ready for that are started.
    births: bool,
    /// What has been found so far.
    pub out: Effect,
}

impl<'a, 'm> Collector<'a, 'm> {
    /// Nothing so far.
    pub fn new(context: &'a Context<'m>, known: &'a Known) -> Collector<'a, 'm> {
        Collector { context, known, births: true, out: Effect::default() }
    }

    /// Nothing so far, and processes that are started will not be looked at: one may begin by starting its own kind.
    pub fn at_a_location(context: &'a Context<'m>, known: &'a Known) -> Collector<'a, 'm> {
        Collector { births: false, ..Collector::new(context, known) }
    }

    /// Adds a transition.
    pub fn transition(&mut self, t: &Transition) {
        self.out.proctypes.push(t.proctype);
        let specials = &mut self.out.writes.special;
        *specials = specials.with(Special::LOCATIONS);
        if self.context.model.uses.last {
            *specials = specials.with(Special::LAST);
        }
        if self.context.model.uses.priority {
            self.test_special(Special::EVERYTHING);
        }
        if let Some(e) = &self.context.model.proctype(t.proctype).provided {
            self.test(e);
        }
        self.stmt(&t.stmt);
        t.resets.iter().for_each(|place| self.write(place, 1));
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
            Stmt::Assert(e) => self.read(e),
            // What is printed changes nothing, as long as it has a value.
            Stmt::Printm(e) => self.print(e),
            Stmt::Printf(_, args) => args.iter().for_each(|e| self.print(e)),
            Stmt::Send { channel, args, sorted } => {
                self.test(channel);
                self.channel(channel, if *sorted { Kinds::SEND.with(Kinds::SORTED) } else { Kinds::SEND });
                // Without slots, what is offered decides whether somebody takes it.
                let offered = self.out.uses.iter().any(|(_, k)| k.has(Kinds::SEND.with(Kinds::RENDEZVOUS)));
                args.iter().for_each(|e| if offered { self.test(e) } else { self.read(e) });
            }
            Stmt::Receive { channel, args, copy, .. } => {
                self.test(channel);
                self.channel(channel, if *copy { Kinds::LOOK } else { Kinds::RECEIVE });
                self.receive(args);
            }
            Stmt::SetPriority(..) => self.test_special(Special::EVERYTHING),
            Stmt::DStep(d) => self.d_step(d),
            Stmt::Chain(list) => list.iter().for_each(|s| self.stmt(s)),
            Stmt::End => self.end(),
        }
    }

    fn print(&mut self, e: &Expr) {
        let plain = |e: &Expr| match e {
            Expr::Load(place) => place.dims.is_empty(),
            e => matches!(e, Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Unary(..)),
        };
        if e.any(|e| !plain(e)) {
            self.read(e);
        }
    }

    fn receive(&mut self, args: &[RecvArg]) {
        for arg in args {
            match arg {
                RecvArg::Bind(place) => self.write(place, 1),
                RecvArg::Match(e) => self.test(e),
                RecvArg::Discard => {}
            }
        }
    }

    /// Operations behind the first one must not block: whether they would is part of what the step does.
    fn d_step(&mut self, d: &DStep) {
        for (i, t) in d.locs.iter().enumerate().flat_map(|(i, l)| l.iter().map(move |t| (i, t))) {
            let before = std::mem::take(&mut self.out.uses);
            self.stmt(&t.stmt);
            let own = std::mem::replace(&mut self.out.uses, before);
            self.out.uses.join(&own, if i == 0 { Kinds::default() } else { Kinds::LOOK });
        }
    }

    fn end(&mut self) {
        self.out.life = self.out.life.with(Life::END);
        let model = self.context.model;
        for c in &model.proctype(self.known.proctype).channels {
            match self.context.fixed.value(model, self.known, &Expr::Load(Box::new(c.place.clone()))) {
                Some(n @ 1..=255) => self.out.uses.add(Some(n as u8), Kinds::DEATH),
                _ => self.out.writes.special = self.out.writes.special.with(Special::CHANNELS),
            }
        }
        let frame = model.layout.frames[self.known.proctype.index()].frame;
        self.out.writes.locals.add((0, frame));
    }

    fn channel(&mut self, e: &Expr, kinds: Kinds) {
        let global = self.context.model.global_channels.len();
        match self.context.fixed.channels(self.context.model, self.known, e) {
            Some(numbers) => {
                for n in numbers {
                    if usize::from(n) > global {
                        self.test_special(Special::CHANNELS);
                    }
                    self.out.uses.add(Some(n), kinds.with(self.context.slots(Some(n))));
                }
            }
            None => {
                self.test_special(Special::CHANNELS);
                self.out.uses.add(None, kinds.with(self.context.slots(None)));
            }
        }
        if kinds != Kinds::LOOK {
            self.event(e, kinds);
        }
    }

    /// The event assertion may move, and compare fields with anything.
    fn event(&mut self, channel: &Expr, kinds: Kinds) {
        let Context { model, fixed, .. } = self.context;
        let Some(trace) = &model.trace else { return };
        let watched = if kinds.has(Kinds::SEND) { &trace.sends } else { &trace.receives };
        let outside = self.context.stranger(trace.proctype);
        let own = fixed.channels(model, self.known, channel);
        let apart = watched.iter().all(|w| match (&own, fixed.channels(model, &outside, w)) {
            (Some(own), Some(watched)) => own.iter().all(|n| !watched.contains(n)),
            _ => false,
        });
        if apart {
            return;
        }
        self.read_special(Special::TRACE);
        self.out.writes.special = self.out.writes.special.with(Special::TRACE);
        if !self.context.plain_trace {
            self.read_special(Special::EVERYTHING);
        }
    }

    fn write(&mut self, place: &Place, count: u32) {
        place.dims.iter().for_each(|d| self.read(&d.index));
        let piece = self.context.fixed.piece(self.context.model, self.known, place, count);
        add(&mut self.out.writes, place.region, piece);
    }

    fn read(&mut self, e: &Expr) {
        e.walk(&mut |e| self.read_one(e));
    }

    /// What an expression reads by itself, without the expressions inside it.
    pub fn read_one(&mut self, e: &Expr) {
        match e {
            // `timeout` is false as long as something else can happen, and nothing is reduced when it is true.
            Expr::Const(..) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) | Expr::Timeout => {}
            Expr::Load(place) => {
                let piece = self.context.fixed.piece(self.context.model, self.known, place, 1);
                add(&mut self.out.reads, place.region, piece);
            }
            Expr::NrPr => self.out.life = self.out.life.with(Life::LOOK),
            Expr::Last | Expr::Priority | Expr::Enabled(_) | Expr::GetPriority(_) => {
                self.read_special(Special::EVERYTHING);
            }
            Expr::NonProgress | Expr::PcValue(_) | Expr::RemoteLabel { .. } => {
                self.out.life = self.out.life.with(Life::LOOK);
                self.read_special(Special::LOCATIONS);
            }
            Expr::RemoteVar { proctype, place, .. } => {
                self.out.life = self.out.life.with(Life::LOOK);
                self.out.reads.remote.push((*proctype, widest(place, 1)));
            }
            Expr::Channel(_, channel) => self.channel(channel, Kinds::LOOK),
            Expr::Poll { channel, .. } => self.channel(channel, Kinds::LOOK),
            Expr::Run(run) => self.run(run),
        }
    }

    fn run(&mut self, run: &starwheel_model::expr::Run) {
        self.out.life = self.out.life.with(Life::RUN);
        let model = self.context.model;
        let proctype = model.proctype(run.proctype);
        if !proctype.channels.is_empty() {
            self.out.writes.special = self.out.writes.special.with(Special::CHANNELS);
        }
        if !self.births {
            return;
        }
        // The new process initialises itself, which starts nobody: only what others can see matters.
        let known = self.context.newborn(self.known, run);
        let mut c = Collector::new(self.context, &known);
        proctype.init.iter().for_each(|s| c.stmt(s));
        let mut born = c.out;
        for touch in [&mut born.tests, &mut born.reads, &mut born.writes] {
            touch.locals = Default::default();
        }
        self.out.join(&born);
        let (waits, offers) = self.context.ready(&known, &proctype.locs[proctype.start.index()]);
        self.out.waits.join(&waits, Kinds::default());
        self.out.offers.join(&offers, Kinds::default());
    }
}

fn add(touch: &mut Touch, region: Region, piece: starwheel_model::footprint::Bytes) {
    match region {
        Region::Global => touch.globals.add(piece),
        Region::Hidden => touch.hidden.add(piece),
        Region::Local => touch.locals.add(piece),
    }
}
