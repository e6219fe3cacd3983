//! Messages: into channels, out of them, and past the trace automaton.

use super::fault::{Eval, fault};
use super::list::{Offer, Ready};
use super::machine::Machine;
use super::stuck::final_location;
use super::tables::{self, Chan, write};
use crate::expr::Expr;
use crate::ir::{LocId, TraceAssertion};
use crate::stmt::{RecvArg, Stmt};
use crate::text;
use starwheel_system::ViolationKind;

/// What a trace automaton looks at.
struct Event<'e> {
    /// The channel's number.
    number: i32,
    message: &'e [i32],
    /// A send rather than a receive.
    send: bool,
}

impl Machine<'_> {
    /// Puts a message into a channel with slots.
    pub fn send(&mut self, channel: &Expr, args: &[Expr], sorted: bool) -> Eval<()> {
        let mut message = std::mem::take(self.message);
        let done = self.send_with(channel, args, sorted, &mut message);
        *self.message = message;
        done
    }

    fn send_with(&mut self, channel: &Expr, args: &[Expr], sorted: bool, message: &mut Vec<i32>) -> Eval<()> {
        let view = self.view();
        let (number, chan) = view.living(channel)?;
        let fields = &self.model.channel(chan.kind).fields;
        let len = view.len(chan);
        if len >= view.capacity(chan) {
            let name = text::expr(self.model, channel);
            return fault(format!("the send to `{name}` finds no free slot in the middle of a step"));
        }
        if fields.len() != args.len() {
            return view.wrong_fields(channel, chan, args.len());
        }
        message.clear();
        for arg in args {
            message.push(view.eval(arg)?);
        }
        let at = if sorted { self.position(chan, len, message) } else { len };
        for (value, field) in message.iter_mut().zip(fields) {
            *value = field.ty.truncate(*value);
        }
        self.insert(chan, len, at, message);
        self.sent(number, message)
    }

    /// The slot of the first message that is larger. As in pan, values are compared before they are cut to their types.
    fn position(&self, chan: Chan, len: usize, message: &[i32]) -> usize {
        let stored = |slot| (0..message.len()).map(move |f| tables::field(self.model, self.state, chan, slot, f));
        (0..len).find(|&slot| message.iter().copied().lt(stored(slot))).unwrap_or(len)
    }

    fn insert(&mut self, chan: Chan, len: usize, at: usize, message: &[i32]) {
        let (start, end) = (tables::slot(self.model, chan, at), tables::slot(self.model, chan, len));
        let size = self.model.layout.channels[chan.kind.index()].message as usize;
        self.state.copy_within(start..end, start + size);
        self.state[start..start + size].fill(0);
        let fields = &self.model.channel(chan.kind).fields;
        let offsets = &self.model.layout.channels[chan.kind.index()].fields;
        for ((&value, field), &offset) in message.iter().zip(fields).zip(offsets) {
            write(self.state, start + offset as usize, field.ty, value);
        }
        tables::set_messages(self.state, chan, len + 1);
    }

    /// Takes a message from a channel with slots.
    pub fn receive(&mut self, channel: &Expr, args: &[RecvArg], random: bool, copy: bool) -> Eval<()> {
        let (number, chan) = self.view().living(channel)?;
        let fields = self.model.channel(chan.kind).fields.len();
        if self.view().len(chan) > 0 && args.len() != fields {
            return self.view().wrong_fields(channel, chan, args.len());
        }
        let Some(slot) = self.view().find(chan, args, random)? else {
            self.view().can_receive(channel, args, random, copy)?;
            let name = text::expr(self.model, channel);
            return fault(format!("the receive from `{name}` finds no fitting message in the middle of a step"));
        };
        let mut message = std::mem::take(self.message);
        message.clear();
        message.extend((0..fields).map(|f| tables::field(self.model, self.state, chan, slot, f)));
        let done = if copy {
            self.bind(args, &message, None)
        } else {
            self.bind(args, &message, Some(number)).map(|()| self.remove(chan, slot))
        };
        *self.message = message;
        done
    }

    /// Takes a message that is handed over.
    pub fn take(&mut self, args: &[RecvArg], offer: &Offer<'_>) -> Eval<()> {
        self.bind(args, offer.message, Some(offer.number))
    }

    /// Stores the fields of a message one after the other, so that an index may use a field that came before. The trace
    /// automaton of a message that leaves its channel moves just before the last field is stored, as in pan.
    fn bind(&mut self, args: &[RecvArg], message: &[i32], leaves: Option<i32>) -> Eval<()> {
        for (i, (arg, &value)) in args.iter().zip(message).enumerate() {
            if let Some(number) = leaves
                && i + 1 == message.len()
            {
                self.event(&Event { number, message, send: false })?;
            }
            if let RecvArg::Bind(place) = arg {
                self.assign(place, value)?;
            }
        }
        Ok(())
    }

    /// Removes a message; the slot that becomes free is zeroed.
    fn remove(&mut self, chan: Chan, slot: usize) {
        let len = tables::messages(self.state, chan);
        let size = self.model.layout.channels[chan.kind.index()].message as usize;
        let (start, end) = (tables::slot(self.model, chan, slot), tables::slot(self.model, chan, len));
        self.state.copy_within(start + size..end, start);
        self.state[end - size..end].fill(0);
        tables::set_messages(self.state, chan, len - 1);
    }

    /// A message was sent.
    pub fn sent(&mut self, number: i32, message: &[i32]) -> Eval<()> {
        self.event(&Event { number, message, send: true })
    }

    /// Moves the trace automaton, if it watches the channel.
    fn event(&mut self, event: &Event<'_>) -> Eval<()> {
        let Some(trace) = &self.model.trace else { return Ok(()) };
        let watched = if event.send { &trace.sends } else { &trace.receives };
        let view = self.view();
        if !watched.iter().any(|c| view.eval(c).ok() == Some(event.number)) {
            return Ok(());
        }
        let proctype = self.model.proctype(trace.proctype);
        let at = tables::trace_location(self.model, self.state);
        let mut found = None;
        for &id in &proctype.locs[at.index()].out {
            let t = self.model.transition(id);
            if self.fits(&t.stmt, event)? {
                if found.is_some() {
                    let message = "the event assertion has two ways to go on; the first one is taken";
                    self.violation(ViolationKind::Trace, message.into());
                    break;
                }
                found = Some(t.to);
            }
        }
        self.follow(trace, event, found);
        Ok(())
    }

    fn follow(&mut self, trace: &TraceAssertion, event: &Event<'_>, found: Option<LocId>) {
        let end = final_location(self.model, trace.proctype);
        match found {
            Some(to) => {
                tables::set_trace_location(self.model, self.state, to);
                if trace.forbidden && Some(to) == end {
                    let message = "the forbidden sequence of events has happened: the notrace is at its end";
                    self.violation(ViolationKind::Trace, message.into());
                }
            }
            // Only the first try counts for a forbidden sequence.
            None if trace.forbidden => {
                if let Some(end) = end {
                    tables::set_trace_location(self.model, self.state, end);
                }
            }
            None => {
                let what = if event.send { "send to" } else { "receive from" };
                let message = format!("the trace allows no {what} {} here", self.channel_name(event));
                self.violation(ViolationKind::Trace, message);
            }
        }
    }

    /// The channel and the message, for people.
    fn channel_name(&self, event: &Event<'_>) -> String {
        let chan = self.tables.channels.get((event.number - 1) as usize);
        let name = chan.map_or("a channel", |c| &self.model.channel(c.kind).name);
        let values: Vec<_> = event.message.iter().map(i32::to_string).collect();
        format!("`{name}` (message {})", values.join(","))
    }

    /// Whether a statement of the trace automaton fits an event. Variables in it stand for any value.
    fn fits(&self, stmt: &Stmt, event: &Event<'_>) -> Eval<bool> {
        let view = self.view();
        match stmt {
            Stmt::Send { channel, args, .. } if event.send => {
                if view.eval(channel)? != event.number {
                    return Ok(false);
                }
                for (arg, &value) in args.iter().zip(event.message) {
                    if !matches!(arg, Expr::Load(_)) && view.eval(arg)? != value {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Stmt::Receive { channel, args, .. } if !event.send => {
                let args = &args[..args.len().min(event.message.len())];
                Ok(view.eval(channel)? == event.number && view.matches(args, |i| event.message[i])?)
            }
            Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::End => Ok(false),
            other => Ok(view.ready(other, false)? == Ready::Yes),
        }
    }
}
