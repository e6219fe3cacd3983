//! What statements do to a state: assignments, processes that come and go, sequences.

use super::fault::{Eval, fault};
use super::list::{Offer, Ready};
use super::print;
use super::tables::{self, LIMIT, Tables, write};
use super::view::{View, World, room_for_process, unary};
use crate::expr::{Expr, Run};
use crate::ir::{LocId, Model, Pid, ProctypeId, Transition};
use crate::place::Place;
use crate::stmt::{DStep, DTrans, Stmt};
use crate::text;
use crate::time::{self, LONGEST, OFF};
use starwheel_base::Span;
use starwheel_system::{Violation, ViolationKind};

/// Steps inside one `d_step` after which it is taken to be endless.
pub(super) const D_STEP_LIMIT: usize = 1_000_000;

/// A state under change.
pub(super) struct Machine<'a> {
    pub model: &'a Model,
    pub state: &'a mut Vec<u8>,
    pub tables: &'a mut Tables,
    pub timeout: bool,
    /// Who moves.
    pub pid: Pid,
    /// What is being executed.
    pub span: Span,
    /// What went wrong so far.
    pub violations: Vec<Violation>,
    /// Where printed text goes, if anybody wants it.
    pub prints: Option<&'a mut Vec<String>>,
    /// Scratch memory for one message.
    pub message: &'a mut Vec<i32>,
    /// How many statements of a chain have been executed, while it goes on behind its first.
    pub done: usize,
    /// How many are executed at most.
    pub most: usize,
}

impl<'a> Machine<'a> {
    /// A state in which nobody moves yet and nothing is printed; the tables must fit it.
    pub fn new(
        model: &'a Model,
        state: &'a mut Vec<u8>,
        tables: &'a mut Tables,
        message: &'a mut Vec<i32>,
    ) -> Machine<'a> {
        let (span, violations) = (Span::default(), Vec::new());
        let (done, most) = (0, usize::MAX);
        Machine {
            model,
            state,
            tables,
            timeout: false,
            pid: Pid(0),
            span,
            violations,
            prints: None,
            message,
            done,
            most,
        }
    }
}

impl Machine<'_> {
    /// The state as everybody sees it.
    pub fn world(&self) -> World<'_> {
        World {
            model: self.model,
            state: self.state,
            tables: self.tables,
            timeout: self.timeout,
            half: None,
            nesting: 0,
        }
    }

    /// The state as the process that moves sees it.
    pub fn view(&self) -> View<'_> {
        let world = self.world();
        // While globals are initialised, there is no process.
        if self.pid.index() < self.tables.frames.len() { world.view(self.pid) } else { world.outside() }
    }

    /// Notes that something is wrong here.
    pub fn violation(&mut self, kind: ViolationKind, message: String) {
        self.violations.push(Violation { kind, message, span: self.span, actor: Some(self.pid.into()) });
    }

    /// Executes a whole transition of a process; with an offer, as the receiver of a handshake.
    pub fn transition(&mut self, pid: Pid, t: &Transition, offer: Option<&Offer<'_>>) -> Eval<()> {
        self.pid = pid;
        self.span = t.span;
        if t.stmt == Stmt::End {
            return self.end();
        }
        self.body(t, offer)?;
        self.finish(t)
    }

    /// What a transition does, except going on to its next location.
    pub fn body(&mut self, t: &Transition, offer: Option<&Offer<'_>>) -> Eval<()> {
        match (&t.stmt, offer) {
            (Stmt::Chain(list), _) => self.chain(t, list, offer),
            (Stmt::DStep(d), _) => self.d_step(d, offer),
            (Stmt::Receive { args, .. }, Some(offer)) => self.take(args, offer),
            (stmt, _) => self.statement(stmt),
        }
    }

    /// The sender's half of a handshake: the message in `message` is about to be taken.
    pub fn hand_over(&mut self, pid: Pid, t: &Transition, offer: &Offer<'_>) -> Eval<()> {
        self.pid = pid;
        self.span = t.span;
        self.sent(offer.number, offer.message)?;
        if let Stmt::Chain(list) = &t.stmt {
            self.rest(t, list)?;
        }
        self.finish(t)
    }

    /// What every transition does after its statement.
    fn finish(&mut self, t: &Transition) -> Eval<()> {
        for place in &t.resets {
            self.assign(place, place.ty.idle())?;
        }
        let frame = self.tables.frames[self.pid.index()].at;
        tables::set_location(self.state, frame, t.to);
        self.note_last();
        Ok(())
    }

    fn note_last(&mut self) {
        if self.model.uses.last {
            tables::set_last(self.model, self.state, self.pid);
        }
    }

    fn chain(&mut self, t: &Transition, list: &[Stmt], offer: Option<&Offer<'_>>) -> Eval<()> {
        self.span = t.merged.first().copied().unwrap_or(t.span);
        match (list.first(), offer) {
            (Some(Stmt::Receive { args, .. }), Some(offer)) => self.take(args, offer)?,
            (Some(first), _) => self.statement(first)?,
            (None, _) => {}
        }
        self.rest(t, list)
    }

    /// All of a chain but its first statement.
    fn rest(&mut self, t: &Transition, list: &[Stmt]) -> Eval<()> {
        for (i, stmt) in list.iter().enumerate().skip(1) {
            self.span = t.merged.get(i).copied().unwrap_or(t.span);
            self.done = i;
            if i == self.most {
                return fault("the rest is left out");
            }
            if self.view().ready(stmt, false)? != Ready::Yes {
                return fault(format!("`{}` blocks in the middle of a step", text::stmt(self.model, stmt)));
            }
            self.statement(stmt)?;
        }
        self.done = 0;
        Ok(())
    }

    /// Gives up the rest of a chain: the process rests where no location is, as its statements have no number any more.
    pub fn abandon(&mut self) {
        let frame = self.tables.frames[self.pid.index()].at;
        tables::set_location(self.state, frame, LocId(0));
        self.note_last();
    }

    fn d_step(&mut self, d: &DStep, mut offer: Option<&Offer<'_>>) -> Eval<()> {
        let mut loc = Some(0);
        for _ in 0..D_STEP_LIMIT {
            let Some(at) = loc else { return Ok(()) };
            let list = d.locs.get(at as usize).map_or(&[][..], |l| l);
            let t = self.choose(list, offer)?;
            self.span = t.span;
            match (&t.stmt, offer.take()) {
                (Stmt::Receive { args, .. }, Some(offer)) => self.take(args, offer)?,
                (stmt, _) => self.statement(stmt)?,
            }
            loc = t.to;
        }
        match loc {
            None => Ok(()),
            Some(_) => fault("the d_step does not end: it made a million steps"),
        }
    }

    /// The first transition of a `d_step` that can be executed.
    fn choose<'l>(&mut self, list: &'l [DTrans], offer: Option<&Offer<'_>>) -> Eval<&'l DTrans> {
        for t in list {
            if let Some(offer) = offer {
                if self.view().accepts(&t.stmt, offer)? {
                    return Ok(t);
                }
                continue;
            }
            match self.view().ready(&t.stmt, false)? {
                Ready::Yes => return Ok(t),
                Ready::No => {}
                Ready::Handshake => {
                    self.span = t.span;
                    let text = text::stmt(self.model, &t.stmt);
                    return fault(format!("`{text}` sends to a channel without slots, which a d_step cannot do"));
                }
            }
        }
        match list {
            [] => fault("block in d_step: nothing can be executed here"),
            list => {
                self.span = list[0].span;
                let waiting: Vec<_> = list.iter().map(|t| format!("`{}`", text::stmt(self.model, &t.stmt))).collect();
                fault(format!("block in d_step: {} cannot be executed", waiting.join(" or ")))
            }
        }
    }

    /// Executes one statement that can be executed.
    pub fn statement(&mut self, stmt: &Stmt) -> Eval<()> {
        match stmt {
            Stmt::Skip(_) | Stmt::Else => Ok(()),
            Stmt::Guard(e) => self.value(e).map(|_| ()),
            Stmt::Assign(place, e) => {
                let value = self.value(e)?;
                self.assign(place, value)
            }
            Stmt::AssignArray(place, values) => self.assign_array(place, values),
            Stmt::Assert(e) => self.assert(e),
            Stmt::Printf(format, args) => self.printf(format, args),
            Stmt::Printm(e) => {
                let value = self.view().eval(e)?;
                if self.prints.is_some() {
                    let shown = print::symbol(self.view(), e, value);
                    self.print(shown);
                }
                Ok(())
            }
            Stmt::Send { channel, args, sorted } => self.send(channel, args, *sorted),
            Stmt::Receive { channel, args, random, copy } => self.receive(channel, args, *random, *copy),
            Stmt::SetPriority(pid, value) => self.set_priority(pid, value),
            Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => fault("a step inside another step"),
        }
    }

    /// The value of an expression; starts a process if the expression is a `run`.
    fn value(&mut self, e: &Expr) -> Eval<i32> {
        match e {
            Expr::Run(run) => self.run(run),
            Expr::Unary(op, a) => Ok(unary(*op, self.value(a)?)),
            _ => self.view().eval(e),
        }
    }

    /// Stores a value.
    pub fn assign(&mut self, place: &Place, value: i32) -> Eval<()> {
        let at = self.view().address(place)?;
        if !time::fits(place.ty, Some(value)) {
            return self.bad_duration(place, value);
        }
        write(self.state, at, place.ty, value);
        Ok(())
    }

    #[cold]
    fn bad_duration(&self, place: &Place, value: i32) -> Eval<()> {
        let name = text::place(self.model, place);
        fault(format!("the timer `{name}` cannot be set to {value}: it holds 0 to {LONGEST} slices, or {OFF} for off"))
    }

    fn assign_array(&mut self, place: &Place, values: &[i32]) -> Eval<()> {
        let start = self.view().address(place)?;
        for (i, &value) in values.iter().enumerate() {
            write(self.state, start + i * place.ty.size() as usize, place.ty, value);
        }
        Ok(())
    }

    fn assert(&mut self, e: &Expr) -> Eval<()> {
        if !self.view().holds(e)? {
            let message = print::failed_assertion(self.view(), e);
            self.violation(ViolationKind::Assertion, message);
        }
        Ok(())
    }

    fn printf(&mut self, format: &str, args: &[Expr]) -> Eval<()> {
        // The arguments are evaluated even if nobody looks: they may have no value.
        let mut values = Vec::new();
        for arg in args {
            let value = self.view().eval(arg)?;
            if self.prints.is_some() {
                values.push(value);
            }
        }
        if self.prints.is_some() {
            let shown = print::format(self.view(), format, args, &values);
            self.print(shown);
        }
        Ok(())
    }

    fn print(&mut self, text: String) {
        if let Some(sink) = &mut self.prints {
            sink.push(text);
        }
    }

    /// A process that does not exist is left in peace, as in pan.
    fn set_priority(&mut self, pid: &Expr, value: &Expr) -> Eval<()> {
        let view = self.view();
        let (pid, value) = (view.eval(pid)?, view.eval(value)?);
        let Some(frame) = usize::try_from(pid).ok().and_then(|i| self.tables.frames.get(i).copied()) else {
            return Ok(());
        };
        match u8::try_from(value) {
            Ok(value @ 1..) => {
                tables::set_priority(self.state, frame.at, value);
                Ok(())
            }
            _ => fault(format!("the priority {value} is out of range: priorities are 1 to 255")),
        }
    }

    fn run(&mut self, run: &Run) -> Eval<i32> {
        let mut args = std::mem::take(self.message);
        args.clear();
        for arg in &run.args {
            args.push(self.view().eval(arg)?);
        }
        // As in pan, the priority of the declaration counts for active processes only.
        let priority = run.priority.unwrap_or(1);
        let pid = self.create(run.proctype, priority, &args);
        *self.message = args;
        pid.map(|p| i32::from(p.0))
    }

    /// Creates a process; parameters without an argument are zero.
    pub fn create(&mut self, id: ProctypeId, priority: u8, args: &[i32]) -> Eval<Pid> {
        let model = self.model;
        let proctype = model.proctype(id);
        let pid = Pid(room_for_process(self.tables.frames.len())? as u8);
        let older = self.tables.channels.len();
        if older + proctype.channels.len() > LIMIT {
            return fault(format!("too many channels: a state holds at most {LIMIT}"));
        }
        let at = self.tables.end(model);
        self.state.resize(at + model.layout.frames[id.index()].total as usize, 0);
        self.tables.push(model, id);
        tables::set_nr_processes(model, self.state, self.tables.frames.len());
        self.state[at] = id.0;
        tables::set_priority(self.state, at, priority);
        tables::set_location(self.state, at, proctype.start);
        // From here on the new process acts, until it is complete.
        let creator = std::mem::replace(&mut self.pid, pid);
        for (place, &value) in proctype.params.iter().zip(args) {
            self.assign(place, value)?;
        }
        for (i, c) in proctype.channels.iter().enumerate() {
            self.assign(&c.place, (older + i + 1) as i32)?;
        }
        for stmt in &proctype.init {
            self.statement(stmt)?;
        }
        self.pid = creator;
        Ok(pid)
    }

    /// Removes the youngest process, which is the one that moves.
    fn end(&mut self) -> Eval<()> {
        self.note_last();
        if let Some(frame) = self.tables.frames.last().copied() {
            self.tables.pop(self.model);
            self.state.truncate(frame.at);
            tables::set_nr_processes(self.model, self.state, self.tables.frames.len());
        }
        Ok(())
    }
}
