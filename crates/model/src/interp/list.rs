//! Which steps are possible in a state, in SPIN's order: processes from the youngest to the oldest, transitions as written.

use super::fault::{Eval, fault};
use super::tables;
use super::view::{View, World};
use crate::expr::Expr;
use crate::ir::{Pid, TransId, Transition};
use crate::step::ProcessStep;
use crate::stmt::{RecvArg, Stmt};
use crate::text;
use starwheel_system::Step;
use std::ops::ControlFlow;

/// Whether a statement can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// Not now.
    No,
    /// Yes.
    Yes,
    /// If some other process takes the message at once.
    Handshake,
}

impl From<bool> for Ready {
    fn from(yes: bool) -> Ready {
        if yes { Ready::Yes } else { Ready::No }
    }
}

/// Who has to do a handshake's first half: the channel's number and the message as the channel would store it.
pub(super) struct Offer<'m> {
    pub number: i32,
    pub message: &'m [i32],
}

/// What listing does with a step: break to stop.
pub(super) trait Sink: FnMut(Step) -> ControlFlow<()> {}
impl<F: FnMut(Step) -> ControlFlow<()>> Sink for F {}

impl<'a> World<'a> {
    /// Lists the steps of a process, if it may move at all; `message` is scratch memory.
    pub fn moves(self, pid: Pid, message: &mut Vec<i32>, sink: &mut impl Sink) -> ControlFlow<()> {
        match self.may_move(pid) {
            Ok(true) => self.transitions(pid, message, sink),
            Ok(false) => ControlFlow::Continue(()),
            // `provided` has no value: any step of the process breaks.
            Err(_) => match self.out(pid).first() {
                Some(&trans) => sink(Step::of(pid, trans, None, self.timeout)),
                None => ControlFlow::Continue(()),
            },
        }
    }

    /// Lists the steps of a process, whatever its priority and its `provided` say.
    pub fn transitions(self, pid: Pid, message: &mut Vec<i32>, sink: &mut impl Sink) -> ControlFlow<()> {
        let view = self.view(pid);
        let mut moved = false;
        let mut escape = 0;
        for &trans in self.out(pid) {
            let t = self.model.transition(trans);
            if escape > 0 && t.escape != escape {
                break;
            }
            let found = match view.ready(&t.stmt, moved) {
                Ok(Ready::No) => false,
                Ok(Ready::Handshake) => self.handshakes(view, trans, t, message, sink)?,
                // What cannot be given a meaning is listed, too, and breaks when it is fired.
                Ok(Ready::Yes) | Err(_) => {
                    sink(Step::of(pid, trans, None, self.timeout))?;
                    true
                }
            };
            if found {
                moved = true;
                escape = t.escape;
            }
        }
        ControlFlow::Continue(())
    }

    /// Lists the handshakes of one send with all receivers; true if there is one.
    fn handshakes(
        self,
        view: View<'_>,
        trans: TransId,
        t: &Transition,
        message: &mut Vec<i32>,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), bool> {
        let pid = view.pid;
        let Ok(number) = view.offer(first(&t.stmt), message) else {
            sink(Step::of(pid, trans, None, self.timeout))?;
            return ControlFlow::Continue(true);
        };
        let half = World { half: Some((pid, t.to)), timeout: false, ..self };
        let offer = Offer { number, message };
        let mut found = false;
        for receiver in (0..self.count()).rev().map(|i| Pid(i as u8)).filter(|&r| r != pid) {
            // A `provided` without a value is listed as the receiver's own step.
            if half.may_move(receiver).unwrap_or(false) {
                half.receives(receiver, &offer, &mut |partner| {
                    found = true;
                    sink(Step::of(pid, trans, Some((receiver, partner)), self.timeout))
                })?;
            }
        }
        ControlFlow::Continue(found)
    }

    /// Lists the transitions by which a process would take a message.
    pub fn receives(
        self,
        pid: Pid,
        offer: &Offer<'_>,
        sink: &mut impl FnMut(TransId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let view = self.view(pid);
        let mut escape = 0;
        for &trans in self.out(pid) {
            let t = self.model.transition(trans);
            if escape > 0 && t.escape != escape {
                break;
            }
            if view.accepts(&t.stmt, offer).unwrap_or(true) {
                sink(trans)?;
                escape = t.escape;
            }
        }
        ControlFlow::Continue(())
    }

    /// The transitions that leave the location of a process.
    pub fn out(self, pid: Pid) -> &'a [TransId] {
        let proctype = self.tables.frames[pid.index()].proctype;
        &self.model.proctype(proctype).locs[self.location(pid).index()].out
    }

    /// Whether `provided` and the priorities let a process move.
    pub fn may_move(self, pid: Pid) -> Eval<bool> {
        Ok(self.provided(pid)? && (!self.model.uses.priority || self.highest(pid)))
    }

    /// Whether the `provided` of a process holds.
    pub fn provided(self, pid: Pid) -> Eval<bool> {
        let proctype = self.tables.frames[pid.index()].proctype;
        match &self.model.proctype(proctype).provided {
            Some(e) => self.view(pid).holds(e),
            None => Ok(true),
        }
    }

    /// Whether no process with a strictly higher priority could move.
    fn highest(self, pid: Pid) -> bool {
        let priority = |p: Pid| tables::priority(self.state, self.tables.frames[p.index()].at);
        let own = priority(pid);
        let mut others = (0..self.count()).map(|i| Pid(i as u8)).filter(|&p| p != pid && priority(p) > own);
        !others.any(|p| {
            let can = |_| ControlFlow::Break(());
            self.provided(p).unwrap_or(true) && self.transitions(p, &mut Vec::new(), &mut { can }).is_break()
        })
    }
}

/// The statement that decides whether a merged step can be executed.
pub(super) fn first(stmt: &Stmt) -> &Stmt {
    match stmt {
        Stmt::Chain(list) => list.first().unwrap_or(stmt),
        _ => stmt,
    }
}

impl<'a> View<'a> {
    /// Whether a statement can be executed; `moved` tells whether an earlier transition of the process can.
    pub fn ready(&self, stmt: &Stmt, moved: bool) -> Eval<Ready> {
        Ok(match stmt {
            Stmt::Guard(e) => self.holds(e)?.into(),
            Stmt::Else => (!moved).into(),
            Stmt::Send { channel, .. } => self.can_send(channel)?,
            Stmt::Receive { channel, args, random, copy } => self.can_receive(channel, args, *random, *copy)?.into(),
            Stmt::DStep(d) => match d.locs.first().map_or(&[][..], |l| l) {
                // An `else` at the very start belongs to the selection around the sequence.
                [only] if matches!(only.stmt, Stmt::Else) => (!moved).into(),
                list => {
                    let mut any = false;
                    for t in list {
                        // A handshake is not possible inside; this breaks when it is fired.
                        any = any || self.ready(&t.stmt, false)? != Ready::No;
                    }
                    any.into()
                }
            },
            Stmt::Chain(list) => match list.first() {
                Some(first) => self.ready(first, moved)?,
                None => Ready::Yes,
            },
            Stmt::End => (self.pid.index() + 1 == self.world.count()).into(),
            Stmt::Skip(_) | Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::Assert(_) => Ready::Yes,
            Stmt::Printf(..) | Stmt::Printm(_) | Stmt::SetPriority(..) => Ready::Yes,
        })
    }

    fn can_send(&self, channel: &Expr) -> Eval<Ready> {
        let (_, chan) = self.living(channel)?;
        Ok(match self.capacity(chan) {
            0 => Ready::Handshake,
            slots => (self.len(chan) < slots).into(),
        })
    }

    /// Whether a receive finds its message in a channel with slots.
    pub fn can_receive(&self, channel: &Expr, args: &[RecvArg], random: bool, copy: bool) -> Eval<bool> {
        let Some((_, chan)) = self.readable(channel)? else { return Ok(false) };
        if self.capacity(chan) == 0 {
            return if copy { self.no_copy(channel) } else { Ok(false) };
        }
        if self.len(chan) == 0 {
            return Ok(false);
        }
        if args.len() != self.world.model.channel(chan.kind).fields.len() {
            return self.wrong_fields(channel, chan, args.len());
        }
        Ok(self.find(chan, args, random)?.is_some())
    }

    #[cold]
    fn no_copy<T>(&self, channel: &Expr) -> Eval<T> {
        let name = text::expr(self.world.model, channel);
        fault(format!("`{name}` has no slots: a message cannot be copied from it"))
    }

    /// Evaluates a send on a channel without slots: the channel's number; the message is left in `message`.
    pub fn offer(&self, stmt: &Stmt, message: &mut Vec<i32>) -> Eval<i32> {
        let Stmt::Send { channel, args, .. } = stmt else { return fault("this statement sends nothing") };
        let (number, chan) = self.living(channel)?;
        let fields = &self.world.model.channel(chan.kind).fields;
        if fields.len() != args.len() {
            return self.wrong_fields(channel, chan, args.len());
        }
        message.clear();
        for (arg, field) in args.iter().zip(fields) {
            message.push(field.ty.truncate(self.eval(arg)?));
        }
        Ok(number)
    }

    /// Whether a statement would take a message that is handed over.
    pub fn accepts(&self, stmt: &Stmt, offer: &Offer<'_>) -> Eval<bool> {
        match stmt {
            Stmt::Receive { channel, args, copy: false, .. } => {
                // A channel expression without a value is listed as the receiver's own step.
                if self.eval(channel).ok() != Some(offer.number) {
                    return Ok(false);
                }
                if args.len() != offer.message.len() {
                    let (_, chan) = self.living(channel)?;
                    return self.wrong_fields(channel, chan, args.len());
                }
                self.matches(args, |i| offer.message[i])
            }
            Stmt::DStep(d) => {
                for t in d.locs.first().map_or(&[][..], |l| l) {
                    if self.accepts(&t.stmt, offer)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Stmt::Chain(list) => list.first().map_or(Ok(false), |s| self.accepts(s, offer)),
            _ => Ok(false),
        }
    }
}
