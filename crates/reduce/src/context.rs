//! What the effects of all processes of one model are worked out with, location by location.

use crate::channels::{Channels, Kinds};
use crate::collect;
use crate::effect::{Effect, Life};
use crate::fixed::{Fixed, Known};
use crate::ranges::Ranges;
use starwheel_base::cancel::{Token, Watch};
use starwheel_model::footprint::Special;
use starwheel_model::touch::plain_event;
use starwheel_model::{Expr, LocId, Location, Model, Place, ProctypeId, RecvArg, Region, Stmt, TransId};

/// What all effects of a model are collected with.
pub struct Context<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its fixed variables.
    pub fixed: Fixed,
    /// What is known of the values of all others.
    pub ranges: Ranges,
    /// True if what a receive without slots waits for may depend on globals, or whether it may move at all.
    fickle: bool,
    /// True if some process type has channels of its own without slots, with slots.
    local: Kinds,
    /// By process type and location: whether an atomic sequence may come there and go on.
    inside: Vec<Vec<bool>>,
    /// False if the event assertion compares events with anything but constants.
    pub plain_trace: bool,
    /// Asked while tables are made that grow with the model; once it says stop, they are filled with anything.
    pub watch: Watch,
}

impl<'m> Context<'m> {
    /// Looks through a model.
    pub fn new(model: &'m Model) -> Context<'m> {
        Context::within(model, &Token::NEVER)
    }

    /// Looks through a model as long as a token lets it; what comes of it then is good for nothing but to come to an end.
    pub fn within(model: &'m Model, until: &Token) -> Context<'m> {
        let kind = |capacity: u16| if capacity == 0 { Kinds::RENDEZVOUS } else { Kinds::BUFFERED };
        let own = model.proctypes.iter().flat_map(|p| &p.channels).map(|c| kind(model.channel(c.channel).capacity));
        let local = own.fold(Kinds::default(), Kinds::with);
        let fixed = Fixed::new(model);
        let fickle = model.uses.provided || fickle(model, &fixed);
        let (inside, plain_trace, watch) = (inside(model), plain_trace(model), until.watch());
        let ranges = Ranges::new(model, &watch);
        Context { model, fixed, ranges, fickle, local, inside, plain_trace, watch }
    }

    /// Whether an atomic sequence may come to a location and go on.
    pub fn inside(&self, proctype: ProctypeId, loc: LocId) -> bool {
        self.inside[proctype.index()][loc.index()]
    }

    /// What is known about the slots of a channel.
    pub fn slots(&self, number: Option<u8>) -> Kinds {
        let kind = |c: u16| if c == 0 { Kinds::RENDEZVOUS } else { Kinds::BUFFERED };
        let capacity = |i: usize| self.model.global_channels.get(i).map(|c| self.model.channel(c.channel).capacity);
        match number {
            Some(n) => capacity(usize::from(n) - 1).map_or(self.local, kind),
            None => {
                let all = self.model.channels.iter().map(|c| kind(c.capacity));
                all.fold(Kinds::default(), Kinds::with)
            }
        }
    }

    /// The effect of one transition of a location, without what may follow it.
    pub fn effect(&self, known: &Known, loc: &Location, trans: TransId) -> Effect {
        let t = self.model.transition(trans);
        let mut out = collect::transition(self, known, t);
        self.compete(known, loc, trans, &mut out);
        out
    }

    /// `else`, code under an escape, and code of deterministic types depend on what stands before them.
    fn compete(&self, known: &Known, loc: &Location, trans: TransId, out: &mut Effect) {
        let t = self.model.transition(trans);
        let deterministic = self.model.proctype(known.proctype).deterministic;
        for before in loc.out.iter().take_while(|b| **b != trans) {
            let b = self.model.transition(*before);
            let escaped = b.escape > 0 && b.escape != t.escape;
            if !(escaped || deterministic || t.stmt.is_else()) {
                continue;
            }
            let rival = collect::transition(self, known, b);
            out.tests.join(&rival.tests);
            out.reads.join(&rival.tests);
            let looks = rival.life.meets(Life::END.with(Life::LOOK));
            out.life = out.life.with(if looks { Life::LOOK } else { Life::default() });
            for (number, kinds) in rival.uses.iter() {
                out.uses.add(number, Kinds::LOOK.with(self.slots(number)));
                if kinds.has(Kinds::SEND) && kinds.has(Kinds::RENDEZVOUS) {
                    self.listen(number, &rival, out);
                }
            }
        }
    }

    /// The effect of a transition behind the first one of a step: whether the step goes on there or stops, because nobody
    /// takes the message that it sends, is part of what it does. (A receive without slots always stops: the sender has
    /// to begin.)
    pub fn late_effect(&self, known: &Known, loc: &Location, trans: TransId) -> Effect {
        let mut out = self.effect(known, loc, trans);
        let offered: Vec<_> = out.uses.iter().filter(|(_, k)| k.has(Kinds::SEND.with(Kinds::RENDEZVOUS))).collect();
        if !offered.is_empty() {
            let own = out.clone();
            offered.into_iter().for_each(|(number, _)| self.listen(number, &own, &mut out));
        }
        out
    }

    /// Whether somebody takes a message now depends on who waits for it, and on the message.
    fn listen(&self, number: Option<u8>, rival: &Effect, out: &mut Effect) {
        if self.fickle {
            out.tests.special = out.tests.special.with(Special::EVERYTHING);
        }
        out.listens.add(number, Kinds::RENDEZVOUS);
        out.tests.join(&rival.reads);
        let tests = out.tests.clone();
        out.reads.join(&tests);
    }

    /// The channels without slots that a process could use at a location: those that it receives from, and all.
    pub fn ready(&self, known: &Known, loc: &Location) -> (Channels, Channels) {
        let (mut waits, mut offers) = (Channels::default(), Channels::default());
        for trans in &loc.out {
            let effect = collect::at_a_location(self, known, self.model.transition(*trans));
            for (number, kinds) in effect.uses.iter().filter(|(_, k)| k.has(Kinds::RENDEZVOUS)) {
                if kinds.has(Kinds::RECEIVE) {
                    waits.add(number, Kinds::RENDEZVOUS);
                }
                offers.add(number, kinds);
            }
        }
        (waits, offers)
    }

    /// Adds the channels without slots on which a process is ready at a location.
    pub fn add_readiness(&self, known: &Known, loc: &Location, out: &mut Effect) {
        if self.model.uses.rendezvous {
            let (waits, offers) = self.ready(known, loc);
            out.waits.join(&waits, Kinds::default());
            out.offers.join(&offers, Kinds::default());
        }
    }

    /// Whether a transition can only be executed as a handshake, whichever process it belongs to.
    pub fn always_shakes_hands(&self, trans: TransId) -> bool {
        let t = self.model.transition(trans);
        let known = self.stranger(t.proctype);
        let (Stmt::Send { channel, .. } | Stmt::Receive { channel, copy: false, .. }) = &t.stmt else { return false };
        let numbers = self.fixed.channels(self.model, &known, channel);
        numbers.is_some_and(|n| !n.is_empty() && n.iter().all(|&n| self.slots(Some(n)) == Kinds::RENDEZVOUS))
    }

    /// What an expression reads by itself, without those inside it.
    pub fn watch_one(&self, known: &Known, e: &Expr) -> Effect {
        collect::expression(self, known, e)
    }
}

fn inside(model: &Model) -> Vec<Vec<bool>> {
    let mut inside: Vec<Vec<bool>> = model.proctypes.iter().map(|p| vec![false; p.locs.len()]).collect();
    for t in model.transitions.iter().filter(|t| t.atomic && t.stmt != Stmt::End) {
        if let Some(inside) = inside[t.proctype.index()].get_mut(t.to.index()) {
            *inside = true;
        }
    }
    inside
}

/// Whether the event assertion, if there is one, compares events with constants alone.
fn plain_trace(model: &Model) -> bool {
    let own = |t: &&starwheel_model::Transition| model.trace.as_ref().is_some_and(|trace| trace.proctype == t.proctype);
    model.transitions.iter().filter(own).all(|t| plain_event(&t.stmt))
}

/// True if what is waited for without slots may change without the process that waits.
fn fickle(model: &Model, fixed: &Fixed) -> bool {
    let mut found = false;
    let changing = |e: &Expr| {
        e.any(|e| match e {
            Expr::Const(..) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => false,
            Expr::Load(place) => place.region != Region::Local && fixed.may_change(place),
            _ => true,
        })
    };
    for t in &model.transitions {
        t.stmt.walk_stmts(&mut |s| {
            if let Stmt::Receive { channel, args, .. } = s {
                found |= changing(channel) || args.iter().any(|a| matches!(a, RecvArg::Match(e) if changing(e)));
            }
        });
    }
    found
}

impl Context<'_> {
    /// A process of a type about which nothing else is known.
    pub fn stranger(&self, proctype: ProctypeId) -> Known {
        Known { proctype, pid: None, values: vec![None; self.fixed.keys[proctype.index()].len()] }
    }

    /// What is known about a process that is about to be created.
    pub fn newborn(&self, creator: &Known, run: &starwheel_model::expr::Run) -> Known {
        let proctype = self.model.proctype(run.proctype);
        let value = |key: &Place| {
            let index = proctype.params.iter().position(|p| p.offset == key.offset)?;
            let value = self.fixed.value(self.model, creator, run.args.get(index)?)?;
            Some(key.ty.truncate(value))
        };
        let values = self.fixed.keys[run.proctype.index()].iter().map(value).collect();
        Known { proctype: run.proctype, pid: None, values }
    }
}
