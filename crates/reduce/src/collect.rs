//! The effect of one statement of one process: what that process means by it, and what it has to do with other processes.

use crate::channels::{Channels, Kinds};
use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fixed::Known;
use starwheel_model::expr::Run;
use starwheel_model::footprint::{Bytes, Special};
use starwheel_model::touch::{Account, Deal, Question, Resolver, Touched};
use starwheel_model::{Expr, Place, Transition};
use std::borrow::Cow;

/// The effect of a transition.
pub fn transition(context: &Context<'_>, known: &Known, t: &Transition) -> Effect {
    by(OneProcess::new(context, Cow::Borrowed(known)), t)
}

/// The effect of a transition if it does not matter what processes are ready for that are started: one may begin by starting
/// its own kind.
pub fn at_a_location(context: &Context<'_>, known: &Known, t: &Transition) -> Effect {
    by(OneProcess { births: false, ..OneProcess::new(context, Cow::Borrowed(known)) }, t)
}

/// What an expression reads by itself, without those inside it.
pub fn expression(context: &Context<'_>, known: &Known, e: &Expr) -> Effect {
    let process = OneProcess::new(context, Cow::Borrowed(known));
    let mut account = Account::new(context.model, known.proctype, process);
    account.expression(e);
    effect(account)
}

fn by(process: OneProcess<'_, '_>, t: &Transition) -> Effect {
    let mut account = Account::new(process.context.model, process.known.proctype, process);
    account.resolver.out.proctypes.push(t.proctype);
    account.transition(t);
    effect(account)
}

fn effect(account: Account<'_, OneProcess<'_, '_>>) -> Effect {
    let Touched { tests, reads, writes } = account.touched;
    Effect { tests, reads, writes, ..account.resolver.out }
}

/// One process, or all about which the same is known.
struct OneProcess<'a, 'm> {
    context: &'a Context<'m>,
    known: Cow<'a, Known>,
    /// Whether it matters what processes are ready for that are started.
    births: bool,
    /// What has been found so far, but for variables.
    out: Effect,
    /// The uses of channels before the statement of a `d_step` that is looked at.
    before: Vec<Channels>,
}

impl<'a, 'm> OneProcess<'a, 'm> {
    fn new(context: &'a Context<'m>, known: Cow<'a, Known>) -> OneProcess<'a, 'm> {
        OneProcess { context, known, births: true, out: Effect::default(), before: Vec::new() }
    }

    fn looks(&mut self) {
        self.out.life = self.out.life.with(Life::LOOK);
    }

    /// The event assertion may move, and compare fields with anything.
    fn event(&self, touched: &mut Touched, channel: &Expr, kinds: Kinds) {
        let Context { model, fixed, .. } = self.context;
        let Some(trace) = &model.trace else { return };
        let watched = if kinds.has(Kinds::SEND) { &trace.sends } else { &trace.receives };
        let outside = self.context.stranger(trace.proctype);
        let own = fixed.channels(model, &self.known, channel);
        let apart = watched.iter().all(|w| match (&own, fixed.channels(model, &outside, w)) {
            (Some(own), Some(watched)) => own.iter().all(|n| !watched.contains(n)),
            _ => false,
        });
        if apart {
            return;
        }
        touched.read_special(Special::TRACE);
        touched.write_special(Special::TRACE);
        // Which channels it watches is for variables to say.
        for e in watched {
            touched.reads_loads(e, &mut |place| fixed.piece(model, &outside, place, 1));
        }
        if !self.context.plain_trace {
            touched.read_special(Special::EVERYTHING);
        }
    }
}

impl Resolver for OneProcess<'_, '_> {
    fn piece(&mut self, place: &Place, count: u32) -> Bytes {
        self.context.fixed.piece(self.context.model, &self.known, place, count)
    }

    fn remote(&mut self, place: &Place) -> Bytes {
        place.widest(1)
    }

    fn asks(&mut self, touched: &mut Touched, question: Question) {
        match question {
            Question::Count | Question::Process => self.looks(),
            Question::Location => {
                self.looks();
                touched.read_special(Special::LOCATIONS);
            }
            Question::Last | Question::OwnPriority | Question::Priority | Question::Enabled => {
                touched.read_special(Special::EVERYTHING);
            }
            // It is false as long as something else can happen, and nothing is reduced when it is true.
            Question::Timeout => {}
        }
    }

    fn channel(&mut self, touched: &mut Touched, channel: &Expr, deal: Deal) {
        let kinds = match deal {
            Deal::Send { sorted: false } => Kinds::SEND,
            Deal::Send { sorted: true } => Kinds::SEND.with(Kinds::SORTED),
            Deal::Receive => Kinds::RECEIVE,
            Deal::Copy | Deal::Ask => Kinds::LOOK,
        };
        let Context { model, fixed, .. } = self.context;
        match fixed.channels(model, &self.known, channel) {
            Some(numbers) => {
                for n in numbers {
                    if usize::from(n) > model.global_channels.len() {
                        touched.test_special(Special::CHANNELS);
                    }
                    self.out.uses.add(Some(n), kinds.with(self.context.slots(Some(n))));
                }
            }
            None => {
                touched.test_special(Special::CHANNELS);
                self.out.uses.add(None, kinds.with(self.context.slots(None)));
            }
        }
        if kinds != Kinds::LOOK {
            self.event(touched, channel, kinds);
        }
    }

    fn starts(&mut self, touched: &mut Touched, run: &Run) {
        self.out.life = self.out.life.with(Life::RUN);
        if !self.context.model.proctype(run.proctype).channels.is_empty() {
            touched.write_special(Special::CHANNELS);
        }
    }

    fn newborn(&mut self, run: &Run) -> Option<Self> {
        let known = || Cow::Owned(self.context.newborn(&self.known, run));
        self.births.then(|| OneProcess::new(self.context, known()))
    }

    fn born(&mut self, newborn: Self, run: &Run) {
        self.out.join(&newborn.out);
        let proctype = self.context.model.proctype(run.proctype);
        let (waits, offers) = self.context.ready(&newborn.known, &proctype.locs[proctype.start.index()]);
        self.out.waits.join(&waits, Kinds::default());
        self.out.offers.join(&offers, Kinds::default());
    }

    fn ends(&mut self, touched: &mut Touched) {
        self.out.life = self.out.life.with(Life::END);
        let model = self.context.model;
        for c in &model.proctype(self.known.proctype).channels {
            match self.context.fixed.value(model, &self.known, &Expr::Load(Box::new(c.place.clone()))) {
                Some(n @ 1..=255) => self.out.uses.add(Some(n as u8), Kinds::DEATH),
                _ => touched.write_special(Special::CHANNELS),
            }
        }
    }

    fn sets_priority(&mut self, touched: &mut Touched) {
        touched.test_special(Special::EVERYTHING);
    }

    /// What is printed changes nothing, as long as it has a value.
    fn minds_printed(&self, e: &Expr) -> bool {
        let plain = |e: &Expr| match e {
            Expr::Load(place) => place.dims.is_empty(),
            e => matches!(e, Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Unary(..)),
        };
        e.any(|e| !plain(e))
    }

    /// Without slots, what is offered decides whether somebody takes it.
    fn message_decides(&self) -> bool {
        self.out.uses.iter().any(|(_, k)| k.has(Kinds::SEND.with(Kinds::RENDEZVOUS)))
    }

    fn enter(&mut self) {
        self.before.push(std::mem::take(&mut self.out.uses));
    }

    /// Operations behind the first one must not block: whether they would is part of what the step does.
    fn leave(&mut self, first: bool) {
        let before = self.before.pop().unwrap_or_default();
        let own = std::mem::replace(&mut self.out.uses, before);
        self.out.uses.join(&own, if first { Kinds::default() } else { Kinds::LOOK });
    }
}

#[cfg(test)]
mod tests;
