//! The interpreter: what a model does, step by step. It is the definition of our semantics, which are SPIN's.

pub mod claim;
mod fault;
mod list;
mod machine;
mod message;
mod print;
pub mod solo;
mod stuck;
mod tables;
mod tick;
mod view;

#[cfg(test)]
mod tests;

use crate::expr::Expr;
use crate::ir::{Location, Model, Pid, Transition};
use crate::step::ProcessStep;
use crate::stmt::Stmt;
use fault::{Eval, Fault, fault};
use list::{Offer, Ready, first};
use machine::Machine;
use starwheel_base::Span;
use starwheel_system::{Actor, Batch, Behind, Fired, Step, Stepper, System, Violation, ViolationKind, Whole};
use std::ops::ControlFlow;
use stuck::Told;
use tables::Tables;
use view::World;

/// A model as a system, executed by the interpreter.
#[derive(Clone, Copy)]
pub struct ModelSystem<'m>(pub &'m Model);

impl System for ModelSystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.0.layout.hidden as usize
    }

    fn transitions(&self) -> usize {
        self.0.actions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Interp::new(self.0))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl Whole for ModelSystem<'_> {}

/// One thread's interpreter of a model that [`crate::verify::verify`] has nothing to say about.
pub struct Interp<'m> {
    model: &'m Model,
    /// Those of the state that was looked at last.
    tables: Tables,
    /// Scratch memory for one message.
    message: Vec<i32>,
    /// Scratch memory for the message of a handshake.
    offer: Vec<i32>,
    /// Scratch memory for the steps of one state.
    steps: Vec<Step>,
    told: Told,
    /// Where the last step went wrong: behind so many statements of a chain.
    done: usize,
}

impl<'m> Interp<'m> {
    /// An interpreter of a model.
    pub fn new(model: &'m Model) -> Interp<'m> {
        Interp {
            model,
            tables: Tables::default(),
            message: Vec::new(),
            offer: Vec::new(),
            steps: Vec::new(),
            told: Told::default(),
            done: 0,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The value of an expression in a state, as a claim sees it (it may not use local variables); `timeout` is false.
    pub fn evaluate(&mut self, at: &[u8], e: &Expr) -> Result<i32, String> {
        self.tables.locate(self.model, at);
        self.world(at).outside().eval(e).map_err(|fault| fault.0)
    }

    /// The value of an expression in a state, as a process sees it; `timeout` is false.
    pub fn evaluate_for(&mut self, at: &[u8], pid: Pid, e: &Expr) -> Result<i32, String> {
        self.tables.locate(self.model, at);
        if pid.index() >= self.tables.frames.len() {
            return Err(format!("there is no process {}", pid.0));
        }
        self.world(at).view(pid).eval(e).map_err(|fault| fault.0)
    }

    /// Whether a claim could execute a statement in a state. `moved` says whether an earlier transition of the claim
    /// can be executed (for `else`), `timeout` whether the system can do nothing else.
    pub fn executable(&mut self, at: &[u8], stmt: &Stmt, moved: bool, timeout: bool) -> Result<bool, String> {
        self.tables.locate(self.model, at);
        let world = World { timeout, ..self.world(at) };
        world.outside().ready(stmt, moved).map(|r| r == Ready::Yes).map_err(|fault| fault.0)
    }

    /// As [`Stepper::fire`], and adds what the step prints, one entry for each statement that does.
    pub fn fire_traced(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>, prints: &mut Vec<String>) -> Fired {
        self.execute(at, step, out, Some(prints))
    }

    /// Where a process stands in a state, if there is such a process.
    pub fn location(&mut self, at: &[u8], pid: Pid) -> Option<&'m Location> {
        self.tables.locate(self.model, at);
        let proctype = self.tables.frames.get(pid.index())?.proctype;
        Some(&self.model.proctype(proctype).locs[self.world(at).location(pid).index()])
    }

    fn world<'a>(&'a self, at: &'a [u8]) -> World<'a> {
        World { model: self.model, state: at, tables: &self.tables, timeout: false, half: None, nesting: 0 }
    }

    /// Lists steps; the tables must fit.
    fn list(&mut self, at: &[u8], timeout: bool, out: &mut Vec<Step>) {
        let mut message = std::mem::take(&mut self.message);
        let world = World { timeout, ..self.world(at) };
        let mut sink = |step| {
            out.push(step);
            ControlFlow::Continue(())
        };
        let all = match tables::control(self.model, at) {
            Some(pid) => pid.index()..pid.index() + 1,
            None => 0..world.count(),
        };
        for i in all.rev() {
            let done = world.moves(Pid(i as u8), &mut message, &mut sink);
            debug_assert!(done.is_continue(), "the sink never stops the list");
        }
        self.message = message;
    }

    fn list_all(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.tables.locate(self.model, at);
        out.clear();
        self.list(at, false, out);
        if self.patient(out) && tables::control(self.model, at).is_none() {
            if self.model.uses.timeout && out.is_empty() {
                self.list(at, true, out);
            }
            if self.world(at).slices().is_some() {
                out.push(self.model.tick());
            }
        }
    }

    /// Whether time may pass beside these steps: there is none, or all are lazy.
    fn patient(&self, steps: &[Step]) -> bool {
        let lazy = |s: &Step| self.model.transition(s.action).stmt.is_lazy();
        steps.is_empty() || self.model.uses.lazy && steps.iter().all(lazy)
    }

    /// Whether a process that may be in control could take a step that does not wait for `timeout`; the tables must fit.
    fn can_take(&mut self, at: &[u8], step: Step) -> bool {
        let mut message = std::mem::take(&mut self.message);
        let mut sink = |s| if s == step { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let found = self.world(at).moves(step.pid(), &mut message, &mut sink).is_break();
        self.message = message;
        found
    }

    fn execute(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>, prints: Option<&mut Vec<String>>) -> Fired {
        if step.actor == Actor::Clock {
            return self.pass_time(at, out);
        }
        let model = self.model;
        let ambiguous = self.ambiguous(at, step);
        self.tables.locate(model, at);
        out.clear();
        out.extend_from_slice(at);
        let (timeout, pid, span) = (step.timeout, step.pid(), model.transition(step.action).span);
        let idle = Machine::new(model, out, &mut self.tables, &mut self.message);
        let mut machine = Machine { timeout, pid, span, prints, ..idle };
        for (pid, span) in ambiguous.into_iter().flatten() {
            let text = format!("non-determinism in D_proctype: process {} has two steps to choose from", pid.0);
            machine.violations.push(runtime_error(text, span, pid));
        }
        let done = machine.step(step, &mut self.offer);
        self.done = machine.done;
        let fired = machine.fired(done);
        if !fired.broken {
            self.settle(step, out);
        }
        fired
    }

    /// What is left behind by the step that has just gone wrong: the statements of its chain that were executed before. A step
    /// that is no chain leaves nothing behind.
    pub fn remains(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(at);
        let most = std::mem::take(&mut self.done);
        if most == 0 {
            return;
        }
        self.tables.locate(self.model, at);
        let (timeout, pid) = (step.timeout, step.pid());
        let idle = Machine::new(self.model, out, &mut self.tables, &mut self.message);
        let mut machine = Machine { timeout, pid, most, ..idle };
        let done = machine.step(step, &mut self.offer);
        debug_assert!(done.is_err(), "the chain is left in its middle");
        machine.abandon();
    }

    /// Decides who is in control after a step: the one that moved, or after a handshake the receiver, if it is inside `atomic`
    /// and can go on; else nobody.
    fn settle(&mut self, step: Step, out: &mut [u8]) {
        let (pid, trans) = step.partner().unwrap_or((step.pid(), step.action));
        let atomic = self.model.transition(trans).atomic;
        let keeps = atomic && pid.index() < self.tables.frames.len() && {
            let mut message = std::mem::take(&mut self.message);
            let can = self.world(out).moves(pid, &mut message, &mut |_| ControlFlow::Break(())).is_break();
            self.message = message;
            can
        };
        tables::set_control(self.model, out, keeps.then_some(pid));
    }

    /// The processes of deterministic types that had another choice: the one that moves, and the receiver.
    fn ambiguous(&mut self, at: &[u8], step: Step) -> [Option<(Pid, Span)>; 2] {
        let model = self.model;
        let deterministic = |t: &Transition| model.proctype(t.proctype).deterministic;
        let own = model.transition(step.action);
        let partner = step.partner().map(|(pid, trans)| (pid, trans, model.transition(trans)));
        if !deterministic(own) && !partner.is_some_and(|(_, _, t)| deterministic(t)) {
            return [None; 2];
        }
        let mut steps = std::mem::take(&mut self.steps);
        self.list_all(at, &mut steps);
        let earlier = |s: &&Step| s.actor == step.actor && s.action != step.action;
        let first_own = steps.iter().find(|s| s.actor == step.actor).is_some_and(|s| earlier(&s));
        let second = partner.filter(|&(pid, trans, t)| {
            let same = |s: &&Step| s.actor == step.actor && s.action == step.action;
            let first = steps.iter().filter(same).filter_map(|s| s.partner()).find(|p| p.0 == pid);
            deterministic(t) && first.is_some_and(|p| p.1 != trans)
        });
        self.steps = steps;
        [(deterministic(own) && first_own).then_some((step.pid(), own.span)), second.map(|(pid, _, t)| (pid, t.span))]
    }
}

impl Stepper for Interp<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let model = self.model;
        out.clear();
        out.resize(model.layout.processes as usize, 0);
        self.tables.reset(model);
        let mut machine = Machine::new(model, out, &mut self.tables, &mut self.message);
        let done = machine.start();
        machine.fired(done)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.list_all(at, out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        if step.timeout {
            let mut steps = std::mem::take(&mut self.steps);
            self.list_all(at, &mut steps);
            let found = steps.contains(&step);
            self.steps = steps;
            return found;
        }
        self.tables.locate(self.model, at);
        let may = tables::control(self.model, at).is_none_or(|pid| pid == step.pid());
        may && step.pid().index() < self.tables.frames.len() && self.can_take(at, step)
    }

    fn omitted(&mut self, _at: &[u8], out: &mut Vec<Step>) {
        out.clear();
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.execute(at, step, out, None)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    fn expands_fast(&self) -> bool {
        false
    }

    fn transient(&self, at: &[u8]) -> bool {
        tables::control(self.model, at).is_some()
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.tables.locate(self.model, at);
        let mut told = std::mem::take(&mut self.told);
        let violation = self.world(at).stuck(&mut told);
        self.told = told;
        violation
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.tables.locate(self.model, at);
        self.world(at).accepting()
    }
}

fn runtime_error(message: String, span: Span, pid: Pid) -> Violation {
    Violation { kind: ViolationKind::RuntimeError, message, span, actor: Some(pid.into()) }
}

impl Machine<'_> {
    /// Executes a listed step.
    fn step(&mut self, step: Step, message: &mut Vec<i32>) -> Eval<()> {
        let model = self.model;
        let t = model.transition(step.action);
        self.world().provided(step.pid())?;
        let Some((receiver, trans)) = step.partner() else {
            if let stmt @ Stmt::Send { .. } = first(&t.stmt)
                && self.view().ready(stmt, false)? == Ready::Handshake
            {
                // The message has no value, or it would have been listed with a receiver.
                self.view().offer(stmt, message)?;
                return fault("nobody takes the message");
            }
            return self.transition(step.pid(), t, None);
        };
        let number = self.view().offer(first(&t.stmt), message)?;
        let offer = Offer { number, message };
        self.hand_over(step.pid(), t, &offer)?;
        self.timeout = false;
        self.pid = receiver;
        self.span = model.transition(trans).span;
        self.view().accepts(&model.transition(trans).stmt, &offer)?;
        self.transition(receiver, model.transition(trans), Some(&offer))
    }

    /// Makes the initial state out of zeroes.
    fn start(&mut self) -> Eval<()> {
        let model = self.model;
        if model.global_channels.len() > tables::LIMIT {
            return fault(format!("too many channels: a state holds at most {}", tables::LIMIT));
        }
        for (i, c) in model.global_channels.iter().enumerate() {
            self.assign(&c.place, i as i32 + 1)?;
        }
        for stmt in &model.init {
            self.statement(stmt)?;
        }
        if let Some(trace) = &model.trace {
            tables::set_trace_location(model, self.state, model.proctype(trace.proctype).start);
        }
        for start in &model.starts {
            self.create(start.proctype, start.priority, &[])?;
        }
        Ok(())
    }

    /// What came of it all.
    fn fired(mut self, done: Eval<()>) -> Fired {
        let broken = done.is_err();
        if let Err(fault) = done {
            let Fault(message) = *fault;
            // Before the first process exists, nobody is to blame.
            let actor = (!self.tables.frames.is_empty()).then_some(self.pid.into());
            self.violations.push(Violation { actor, ..runtime_error(message, self.span, self.pid) });
        }
        Fired { broken, violations: self.violations }
    }
}
