//! A state seen by one process: the value of every expression.

use super::claim;
use super::fault::{Eval, bad_index, division_by_zero, fault};
use super::tables::{self, Chan, LIMIT, Tables, read};
use crate::expr::{BinaryOp, ChannelQuery, Expr, UnaryOp};
use crate::ir::{LocId, Location, Model, Pid, ProctypeId};
use crate::place::{Place, Region};
use crate::stmt::RecvArg;
use crate::text;
use std::ops::ControlFlow;

/// A state, and what is true of it besides its bytes.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub model: &'a Model,
    pub state: &'a [u8],
    pub tables: &'a Tables,
    /// Nothing else can happen.
    pub timeout: bool,
    /// A handshake is half done: the sender and where it has gone already.
    pub half: Option<(Pid, LocId)>,
    /// How many `enabled()` are being evaluated inside each other.
    pub nesting: usize,
}

/// A world seen by one process.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub world: World<'a>,
    pub pid: Pid,
    /// Where its frame starts; [`NO_FRAME`] for a claim.
    pub frame: usize,
}

/// The frame of somebody who is not a process.
pub(super) const NO_FRAME: usize = usize::MAX;

impl<'a> World<'a> {
    /// The world as a process sees it.
    pub fn view(self, pid: Pid) -> View<'a> {
        View { world: self, pid, frame: self.tables.frames[pid.index()].at }
    }

    /// The world as a claim sees it.
    pub fn outside(self) -> View<'a> {
        View { world: self, pid: Pid(0), frame: NO_FRAME }
    }

    /// The number of processes.
    pub fn count(&self) -> usize {
        self.tables.frames.len()
    }

    /// Where a process stands.
    pub fn location(&self, pid: Pid) -> LocId {
        match self.half {
            Some((sender, to)) if sender == pid => to,
            _ => tables::location(self.state, self.tables.frames[pid.index()].at),
        }
    }

    /// The process with this number, if there is one.
    fn process(&self, number: i32) -> Option<Pid> {
        let number = u8::try_from(number).ok()?;
        ((number as usize) < self.count()).then_some(Pid(number))
    }

    /// The first process of a type.
    fn first_of(&self, proctype: ProctypeId) -> Option<Pid> {
        self.tables.frames.iter().position(|f| f.proctype == proctype).map(|i| Pid(i as u8))
    }

    /// True if some process is at a progress label.
    fn progress(&self) -> bool {
        self.some_process(|location| location.progress)
    }

    /// True if some process is at an accept label.
    pub fn accepting(&self) -> bool {
        self.some_process(|location| location.accept)
    }

    fn some_process(&self, is: impl Fn(&Location) -> bool) -> bool {
        let at = |(i, f): (usize, &tables::Frame)| {
            is(&self.model.proctype(f.proctype).locs[self.location(Pid(i as u8)).index()])
        };
        self.tables.frames.iter().enumerate().any(at)
    }

    fn last(&self) -> Pid {
        match self.half {
            Some((sender, _)) => sender,
            None => tables::last(self.model, self.state),
        }
    }
}

impl<'a> View<'a> {
    /// The value of an expression. `run` gives the number that the process would get, and starts nothing.
    pub fn eval(&self, e: &Expr) -> Eval<i32> {
        Ok(match e {
            Expr::Const(v, _) => *v,
            Expr::Load(place) => self.load(place)?,
            Expr::Binary(op, a, b) => self.binary(*op, a, b)?,
            Expr::Unary(op, a) => unary(*op, self.eval(a)?),
            Expr::Pid => i32::from(self.pid.0),
            Expr::NrPr => self.world.count() as i32,
            Expr::Last => i32::from(self.world.last().0),
            Expr::Priority => match self.frame {
                NO_FRAME => 0,
                frame => i32::from(tables::priority(self.world.state, frame)),
            },
            // As in pan, a claim that goes on although the system has stopped sees no lack of progress.
            Expr::NonProgress => {
                i32::from(!self.world.progress() && !claim::stuttering(self.world.model, self.world.state))
            }
            Expr::Timeout => i32::from(self.world.timeout),
            Expr::Cond(c, a, b) => self.eval(if self.eval(c)? != 0 { a } else { b })?,
            Expr::Run(run) => {
                for arg in &run.args {
                    self.eval(arg)?;
                }
                room_for_process(self.world.count())? as i32
            }
            Expr::Channel(query, channel) => self.query(*query, channel)?,
            Expr::Poll { channel, args, random } => i32::from(self.poll(channel, args, *random)?),
            Expr::Enabled(p) => i32::from(self.enabled(self.eval(p)?)?),
            Expr::PcValue(p) => self.world.process(self.eval(p)?).map_or(0, |p| i32::from(self.world.location(p).0)),
            Expr::GetPriority(p) => self
                .world
                .process(self.eval(p)?)
                .map_or(0, |p| i32::from(tables::priority(self.world.state, self.world.tables.frames[p.index()].at))),
            Expr::RemoteLabel { proctype, pid, loc, .. } => {
                // As in pan, the type of a process that is named by its number is not looked at.
                let at = self.remote(*proctype, pid.as_deref())?.map(|p| self.world.location(p));
                i32::from(at == Some(*loc))
            }
            Expr::RemoteVar { proctype, pid, place } => self.remote_var(*proctype, pid.as_deref(), place)?,
        })
    }

    /// True if the value is not zero.
    pub fn holds(&self, e: &Expr) -> Eval<bool> {
        Ok(self.eval(e)? != 0)
    }

    /// The value of a variable.
    #[inline]
    pub fn load(&self, place: &Place) -> Eval<i32> {
        Ok(read(self.world.state, self.address(place)?, place.ty))
    }

    /// Where a place lies in the state.
    #[inline]
    pub fn address(&self, place: &Place) -> Eval<usize> {
        self.address_in(place, self.frame)
    }

    fn address_in(&self, place: &Place, frame: usize) -> Eval<usize> {
        let mut at = place.offset as usize
            + match place.region {
                Region::Global => self.world.model.layout.globals_start() as usize,
                Region::Hidden => 0,
                Region::Local if frame == NO_FRAME => {
                    return fault(format!("the local variable `{}` has no value outside its process", place.name));
                }
                Region::Local => frame,
            };
        for (i, dim) in place.dims.iter().enumerate() {
            let index = self.operand(&dim.index)?;
            if index < 0 || index as u32 >= dim.len {
                return bad_index(place, i, index);
            }
            at += index as usize * dim.stride as usize;
        }
        Ok(at)
    }

    /// The value of an expression that is an operand: most of these are constants or plain variables.
    #[inline(always)]
    fn operand(&self, e: &Expr) -> Eval<i32> {
        match e {
            Expr::Const(v, _) => Ok(*v),
            Expr::Load(place) if place.dims.is_empty() => match place.region {
                Region::Local if self.frame != NO_FRAME => {
                    Ok(read(self.world.state, self.frame + place.offset as usize, place.ty))
                }
                _ => self.eval(e),
            },
            _ => self.eval(e),
        }
    }

    #[inline]
    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Eval<i32> {
        let x = self.operand(a)?;
        match op {
            BinaryOp::And => return Ok(i32::from(x != 0 && self.eval(b)? != 0)),
            BinaryOp::Or => return Ok(i32::from(x != 0 || self.eval(b)? != 0)),
            _ => {}
        }
        let y = self.operand(b)?;
        op.apply(x, y).map_or_else(division_by_zero, Ok)
    }

    /// The process that a remote reference means; none if there is no such process.
    fn remote(&self, proctype: ProctypeId, pid: Option<&Expr>) -> Eval<Option<Pid>> {
        Ok(match pid {
            Some(e) => self.world.process(self.eval(e)?),
            None => self.world.first_of(proctype),
        })
    }

    /// Zero if there is no such process, as in pan; a process of another type has no such variable.
    fn remote_var(&self, proctype: ProctypeId, pid: Option<&Expr>, place: &Place) -> Eval<i32> {
        let Some(pid) = self.remote(proctype, pid)? else { return Ok(0) };
        let frame = self.world.tables.frames[pid.index()];
        if frame.proctype != proctype {
            let model = self.world.model;
            let (wanted, found) = (&model.proctype(proctype).name, &model.proctype(frame.proctype).name);
            return fault(format!("process {} is a `{found}`, so it has no variable of a `{wanted}`", pid.0));
        }
        Ok(read(self.world.state, self.address_in(place, frame.at)?, place.ty))
    }

    /// The channel with this number; none if it was deleted.
    pub fn channel(&self, expr: &Expr, number: i32) -> Eval<Option<Chan>> {
        match number {
            ..=0 => fault(format!("`{}` is not initialised: it names no channel", text::expr(self.world.model, expr))),
            n => Ok(self.world.tables.channels.get(n as usize - 1).copied()),
        }
    }

    /// The channel that an expression names, and its number.
    pub fn living(&self, expr: &Expr) -> Eval<(i32, Chan)> {
        let number = self.eval(expr)?;
        match self.channel(expr, number)? {
            Some(chan) => Ok((number, chan)),
            None => self.deleted(expr),
        }
    }

    fn deleted<T>(&self, expr: &Expr) -> Eval<T> {
        let name = text::expr(self.world.model, expr);
        fault(format!("the channel that `{name}` names was deleted when the process that declared it ended"))
    }

    /// The channel to read from. As in pan, a deleted channel is empty for ever in a model without rendezvous channels,
    /// and an error in one that has some.
    pub fn readable(&self, expr: &Expr) -> Eval<Option<(i32, Chan)>> {
        let number = self.eval(expr)?;
        match self.channel(expr, number)? {
            Some(chan) => Ok(Some((number, chan))),
            None if self.world.model.uses.rendezvous => self.deleted(expr),
            None => Ok(None),
        }
    }

    /// The number of slots.
    pub fn capacity(&self, chan: Chan) -> usize {
        self.world.model.channel(chan.kind).capacity as usize
    }

    /// The number of messages.
    pub fn len(&self, chan: Chan) -> usize {
        if self.capacity(chan) == 0 { 0 } else { tables::messages(self.world.state, chan) }
    }

    fn query(&self, query: ChannelQuery, expr: &Expr) -> Eval<i32> {
        let number = self.eval(expr)?;
        let chan = self.channel(expr, number)?;
        let len = chan.map_or(0, |c| self.len(c));
        // A rendezvous channel is never full between two steps.
        let full = || match chan {
            Some(c) => Ok(len == self.capacity(c) && len > 0),
            None => self.deleted(expr),
        };
        Ok(match query {
            ChannelQuery::Len => len as i32,
            ChannelQuery::Empty => i32::from(len == 0),
            ChannelQuery::NotEmpty => i32::from(len > 0),
            ChannelQuery::Full => i32::from(full()?),
            ChannelQuery::NotFull => i32::from(!full()?),
        })
    }

    fn poll(&self, expr: &Expr, args: &[RecvArg], random: bool) -> Eval<bool> {
        let Some((_, chan)) = self.readable(expr)? else { return Ok(false) };
        if self.capacity(chan) == 0 {
            let name = text::expr(self.world.model, expr);
            return fault(format!("`{name}` has no slots: its contents cannot be asked for"));
        }
        if self.len(chan) == 0 {
            return Ok(false);
        }
        if args.len() > self.world.model.channel(chan.kind).fields.len() {
            return self.wrong_fields(expr, chan, args.len());
        }
        Ok(self.find(chan, args, random)?.is_some())
    }

    /// A message with the wrong number of fields.
    #[cold]
    pub fn wrong_fields<T>(&self, expr: &Expr, chan: Chan, given: usize) -> Eval<T> {
        let fields = self.world.model.channel(chan.kind).fields.len();
        let name = text::expr(self.world.model, expr);
        fault(format!(
            "a message of `{name}` has {fields} field{}, but {given} {} given",
            if fields == 1 { "" } else { "s" },
            if given == 1 { "is" } else { "are" }
        ))
    }

    /// The slot of the message that a receive would take from a channel with slots.
    pub fn find(&self, chan: Chan, args: &[RecvArg], random: bool) -> Eval<Option<usize>> {
        let len = self.len(chan);
        for slot in 0..if random { len } else { len.min(1) } {
            if self.matches(args, |i| tables::field(self.world.model, self.world.state, chan, slot, i))? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Whether a message fits a pattern.
    pub fn matches(&self, args: &[RecvArg], field: impl Fn(usize) -> i32) -> Eval<bool> {
        for (i, arg) in args.iter().enumerate() {
            if let RecvArg::Match(e) = arg
                && self.eval(e)? != field(i)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `enabled(p)`: whether a process could move, whatever its priority and its `provided` say, as in pan.
    fn enabled(&self, number: i32) -> Eval<bool> {
        let Some(pid) = self.world.process(number) else { return Ok(false) };
        if pid == self.pid && self.frame != NO_FRAME {
            return fault("a process cannot ask `enabled()` about itself");
        }
        if self.world.nesting > self.world.count() {
            return fault("`enabled()` leads back to itself");
        }
        let world = World { nesting: self.world.nesting + 1, ..self.world };
        Ok(world.transitions(pid, &mut Vec::new(), &mut |_| ControlFlow::Break(())).is_break())
    }
}

/// A unary operator.
pub(super) fn unary(op: UnaryOp, x: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(x == 0),
        UnaryOp::Neg => x.wrapping_neg(),
        UnaryOp::BitNot => !x,
        UnaryOp::Lazy => x,
    }
}

/// The number of the next process.
pub(super) fn room_for_process(count: usize) -> Eval<usize> {
    if count >= LIMIT { fault(format!("too many processes: a state holds at most {LIMIT}")) } else { Ok(count) }
}
