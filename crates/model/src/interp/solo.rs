//! One process at a time: what it could do and does, whatever the others are. Who looks at processes apart from each
//! other (decoupled search) composes their steps from these pieces.
//!
//! Nothing here looks at the frame of another process, unless the model itself does (remote references, priorities,
//! `enabled` and the like, which such a search refuses). A handshake falls into two halves; control inside `atomic` is
//! the caller's business.

use super::list::{Offer, Ready, first};
use super::machine::Machine;
use super::view::World;
use super::{Interp, tables};
use crate::ir::{Pid, TransId};
use crate::step::ProcessStep;
use crate::stmt::Stmt;
use starwheel_system::{Fired, Step};
use std::ops::ControlFlow;

/// A message that a process wants to hand over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handover {
    /// The channel's number.
    pub number: i32,
    /// The message as the channel would store it.
    pub message: Vec<i32>,
}

/// Something that a process could do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its transition.
    pub trans: TransId,
    /// For the first half of a handshake: the message. It can be done only if somebody takes it.
    pub offer: Option<Handover>,
    /// It can be done only if nobody takes any of these, because an `else` or an escape says so.
    pub unless: Vec<Handover>,
}

impl Interp<'_> {
    /// Lists what a process could do, in the order in which it is tried.
    pub fn choices(&mut self, at: &[u8], pid: Pid, timeout: bool, out: &mut Vec<Choice>) {
        self.tables.locate(self.model, at);
        out.clear();
        let mut message = std::mem::take(&mut self.message);
        let world = World { timeout, ..self.world(at) };
        match world.provided(pid) {
            Ok(true) => world.choices(pid, &mut message, out),
            Ok(false) => {}
            // `provided` has no value: any step of the process breaks.
            Err(_) => {
                let trans = world.out(pid).first();
                out.extend(trans.map(|&trans| Choice { trans, offer: None, unless: Vec::new() }));
            }
        }
        self.message = message;
    }

    /// Lists the transitions by which a process would take a message.
    pub fn takers(&mut self, at: &[u8], pid: Pid, offer: &Handover, out: &mut Vec<TransId>) {
        self.tables.locate(self.model, at);
        out.clear();
        let world = self.world(at);
        if world.provided(pid).unwrap_or(false) {
            let offer = Offer { number: offer.number, message: &offer.message };
            let all = world.receives(pid, &offer, &mut |trans| {
                out.push(trans);
                ControlFlow::Continue(())
            });
            debug_assert!(all.is_continue(), "the sink never stops the list");
        }
    }

    /// Executes a choice that is no handshake. Nobody is given control.
    pub fn fire_alone(&mut self, at: &[u8], pid: Pid, trans: TransId, timeout: bool, out: &mut Vec<u8>) -> Fired {
        let step = Step::of(pid, trans, None, timeout);
        let mut offer = std::mem::take(&mut self.offer);
        let fired = self.with_machine(at, pid, trans, timeout, out, |m| m.step(step, &mut offer));
        self.offer = offer;
        fired
    }

    /// Executes the sender's half of a handshake.
    pub fn give(&mut self, at: &[u8], pid: Pid, trans: TransId, offer: &Handover, out: &mut Vec<u8>) -> Fired {
        let t = self.model.transition(trans);
        let offer = Offer { number: offer.number, message: &offer.message };
        self.with_machine(at, pid, trans, false, out, |m| m.hand_over(pid, t, &offer))
    }

    /// Executes the receiver's half of a handshake. Nobody is given control.
    pub fn take(&mut self, at: &[u8], pid: Pid, trans: TransId, offer: &Handover, out: &mut Vec<u8>) -> Fired {
        let t = self.model.transition(trans);
        let offer = Offer { number: offer.number, message: &offer.message };
        self.with_machine(at, pid, trans, false, out, |m| {
            m.view().accepts(&t.stmt, &offer)?;
            m.transition(pid, t, Some(&offer))
        })
    }

    fn with_machine(
        &mut self,
        at: &[u8],
        pid: Pid,
        trans: TransId,
        timeout: bool,
        out: &mut Vec<u8>,
        act: impl FnOnce(&mut Machine<'_>) -> super::Eval<()>,
    ) -> Fired {
        let model = self.model;
        self.tables.locate(model, at);
        out.clear();
        out.extend_from_slice(at);
        let idle = Machine::new(model, out, &mut self.tables, &mut self.message);
        let mut machine = Machine { timeout, pid, span: model.transition(trans).span, ..idle };
        let done = act(&mut machine);
        let fired = machine.fired(done);
        if !fired.broken {
            tables::set_control(model, out, None);
        }
        fired
    }
}

impl World<'_> {
    fn choices(self, pid: Pid, message: &mut Vec<i32>, out: &mut Vec<Choice>) {
        let view = self.view(pid);
        let (mut moved, mut escape) = (false, 0);
        // Handshakes that may or may not be possible, and the escapes that they belong to.
        let mut perhaps: Vec<(u16, Handover)> = Vec::new();
        for &trans in self.out(pid) {
            let t = self.model.transition(trans);
            if escape > 0 && t.escape != escape {
                break;
            }
            let ready = match view.ready(&t.stmt, moved) {
                Ok(Ready::No) => continue,
                Ok(Ready::Handshake) => view.offer(first(&t.stmt), message).ok(),
                Ok(Ready::Yes) | Err(_) => None,
            };
            let beaten = |p: &&(u16, Handover)| waits_for_others(&t.stmt) || p.0 > 0 && p.0 != t.escape;
            let unless = perhaps.iter().filter(beaten).map(|(_, h)| h.clone()).collect();
            let offer = ready.map(|number| Handover { number, message: message.clone() });
            match &offer {
                Some(handover) => perhaps.push((t.escape, handover.clone())),
                None => (moved, escape) = (true, t.escape),
            }
            out.push(Choice { trans, offer, unless });
        }
    }
}

/// True for an `else`: whether it can be executed depends on what stands before it.
fn waits_for_others(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Else => true,
        Stmt::Chain(list) => list.first().is_some_and(waits_for_others),
        Stmt::DStep(d) => matches!(d.locs.first().map(|l| &l[..]), Some([only]) if matches!(only.stmt, Stmt::Else)),
        _ => false,
    }
}
