//! Checks of what everybody who uses a model relies on.
//!
//! The invariants, in the order of the checks below:
//!
//! 1. The layout has an entry for each process type and channel, and each part is whole words.
//! 2. Starts, properties and the trace name process types of the right kind.
//! 3. A channel's number is kept in a byte with constant indices, in the right region.
//! 4. A process type starts at one of its locations, and so do and end its transitions.
//! 5. A location's transitions exist and belong to its process type.
//! 6. Escapes stand before normal code, each group in one piece.
//! 7. Parameters and locals lie in the frame behind its header; globals lie in the globals or the hidden part.
//! 8. What initialises a process or the globals never blocks and starts nothing.
//! 9. Places lie in their region whatever their indices are; locals occur in processes only.
//! 10. `run` names an ordinary process type, gives every parameter a value, and is the whole of a guard or of an
//!     assigned value (but for unary operators).
//! 11. Remote references name locations and variables that exist.
//! 12. A chain is not empty, is flat, can block at its first statement only, and has a span for each statement or none.
//! 13. A d_step is not empty, is flat, stays inside, and starts no process.
//! 14. `-end-` is a whole transition.
//! 15. Resets are local variables with constant indices.
//! 16. Timers are compared variables, no parameters and no parts of messages; nothing but an assignment gives one a value.

use crate::expr::{Expr, Run};
use crate::ir::{ChannelVar, Location, Model, Proctype, ProctypeId, ProctypeKind, PropertyKind, Transition, Var};
use crate::layout::{FRAME_HEADER, PRIORITY, align};
use crate::place::{Place, Region, Ty};
use crate::stmt::{DStep, RecvArg, Stmt};
use crate::text;

/// What is wrong with a model, one sentence each; empty for every model that a front end should ever make.
pub fn verify(model: &Model) -> Vec<String> {
    let mut v = Verifier { model, problems: Vec::new(), subject: "the model".into(), proctype: None };
    v.layout();
    if v.problems.is_empty() {
        v.globals();
        for id in 0..model.proctypes.len() {
            v.proctype(ProctypeId(id as u8));
        }
    }
    v.problems
}

struct Verifier<'m> {
    model: &'m Model,
    problems: Vec<String>,
    /// What is being looked at, for messages.
    subject: String,
    /// Whose locals may be used.
    proctype: Option<ProctypeId>,
}

impl<'m> Verifier<'m> {
    fn check(&mut self, good: bool, text: impl FnOnce() -> String) {
        if !good {
            let problem = format!("{}: {}", self.subject, text());
            self.problems.push(problem);
        }
    }

    fn kind(&self, id: ProctypeId) -> Option<ProctypeKind> {
        self.model.proctypes.get(id.index()).map(|p| p.kind)
    }

    fn layout(&mut self) {
        let (model, layout) = (self.model, &self.model.layout);
        self.check(layout.frames.len() == model.proctypes.len(), || "not every process type has a frame layout".into());
        self.check(layout.channels.len() == model.channels.len(), || "not every channel has a layout".into());
        let timers = model.channels.iter().flat_map(|c| &c.fields).any(|f| f.ty == Ty::Timer);
        self.check(!timers, || "a message has a timer".into());
        let globals = layout.global_channels.len() == model.global_channels.len();
        self.check(globals, || "not every global channel has an offset".into());
        let sizes = [layout.hidden, layout.globals, layout.processes];
        self.check(sizes.iter().all(|&n| n == align(n)), || "a part of the layout is not whole words".into());
        for (p, f) in model.proctypes.iter().zip(&layout.frames) {
            let whole = f.frame == align(f.frame) && f.total == align(f.total);
            let good = f.frame >= FRAME_HEADER && f.total >= f.frame && f.channels.len() == p.channels.len() && whole;
            self.check(good, || format!("the frame layout of `{}` is not right", p.name));
        }
    }

    fn globals(&mut self) {
        let model = self.model;
        let ordinary = [Some(ProctypeKind::Process), Some(ProctypeKind::Init)];
        for s in &model.starts {
            let good = ordinary.contains(&self.kind(s.proctype));
            self.check(good, || format!("a start names {:?}, which is no ordinary process type", s.proctype));
        }
        for p in &model.properties {
            if let PropertyKind::Never(id) = p.kind {
                let good = self.kind(id) == Some(ProctypeKind::Never);
                self.check(good, || format!("the property `{}` names {id:?}, which is no claim", p.name));
            }
        }
        if let Some(t) = &model.trace {
            let good = self.kind(t.proctype) == Some(ProctypeKind::Trace);
            self.check(good, || format!("the trace names {:?}, which is none", t.proctype));
            t.sends.iter().chain(&t.receives).for_each(|e| self.expr(e));
        }
        self.vars(&model.globals, &[Region::Global, Region::Hidden]);
        self.channel_vars(&model.global_channels, &[Region::Global, Region::Hidden]);
        model.init.iter().for_each(|s| self.initialiser(s));
    }

    fn vars(&mut self, vars: &[Var], regions: &[Region]) {
        for var in vars {
            self.check(regions.contains(&var.place.region), || format!("`{}` is in the wrong region", var.name));
            let told = var.ty != Ty::Timer || (var.place.region != Region::Hidden && !var.param);
            self.check(told, || format!("the timer `{}` is hidden or a parameter", var.name));
            self.place(&var.place, var.len.unwrap_or(1));
        }
    }

    fn channel_vars(&mut self, list: &[ChannelVar], regions: &[Region]) {
        for c in list {
            let name = &c.place.name;
            self.check(c.channel.index() < self.model.channels.len(), || format!("{:?} does not exist", c.channel));
            self.check(regions.contains(&c.place.region), || format!("`{name}` is in the wrong region"));
            self.check(c.place.ty.size() == 1, || format!("`{name}` is too wide for a channel's number"));
            self.check(constant_indices(&c.place), || format!("`{name}` has an index that is not constant"));
            self.place(&c.place, 1);
        }
    }

    fn proctype(&mut self, id: ProctypeId) {
        let p = &self.model.proctypes[id.index()];
        self.subject = format!("process type `{}`", p.name);
        self.proctype = Some(id);
        self.check(p.start.index() < p.locs.len(), || format!("it starts at {:?}, which does not exist", p.start));
        self.vars(&p.locals, &[Region::Local]);
        for place in &p.params {
            self.check(place.region == Region::Local, || format!("the parameter `{}` is not local", place.name));
            self.place(place, 1);
        }
        self.channel_vars(&p.channels, &[Region::Local]);
        p.init.iter().for_each(|s| self.initialiser(s));
        if let Some(e) = &p.provided {
            self.expr(e);
        }
        for (i, loc) in p.locs.iter().enumerate() {
            self.location(id, p, i, loc);
        }
    }

    fn location(&mut self, id: ProctypeId, p: &Proctype, number: usize, loc: &Location) {
        for t in &loc.out {
            self.subject = format!("process type `{}`, location {number}, TransId({})", p.name, t.0);
            match self.model.transitions.get(t.index()) {
                None => self.check(false, || "the transition does not exist".into()),
                Some(t) => {
                    self.check(t.proctype == id, || format!("it belongs to {:?}", t.proctype));
                    self.transition(p, t);
                }
            }
        }
        self.subject = format!("process type `{}`, location {number}", p.name);
        self.order(loc);
    }

    /// Escapes first, in groups.
    fn order(&mut self, loc: &Location) {
        let list: Vec<&Transition> = loc.out.iter().filter_map(|t| self.model.transitions.get(t.index())).collect();
        let groups: Vec<&[&Transition]> = list.chunk_by(|a, b| a.escape == b.escape).collect();
        for (i, group) in groups.iter().enumerate() {
            let escape = group[0].escape;
            self.check(escape > 0 || i + 1 == groups.len(), || "normal code stands before an escape".into());
            let again = groups[..i].iter().any(|g| g[0].escape == escape);
            self.check(!again, || format!("escape {escape} is not in one piece"));
        }
    }

    fn transition(&mut self, p: &Proctype, t: &Transition) {
        let ends = matches!(t.stmt, Stmt::End);
        let inside = t.from.index() < p.locs.len() && (ends || t.to.index() < p.locs.len());
        self.check(inside, || format!("it goes from {:?} to {:?}, which do not both exist", t.from, t.to));
        for place in &t.resets {
            let good = place.region == Region::Local && constant_indices(place);
            self.check(good, || format!("the reset of `{}` is not one of a local variable", place.name));
            self.place(place, 1);
        }
        match &t.stmt {
            Stmt::Chain(list) => self.chain(t, list),
            Stmt::DStep(d) => self.d_step(d),
            Stmt::End => {}
            stmt => self.stmt(stmt),
        }
    }

    fn chain(&mut self, t: &Transition, list: &[Stmt]) {
        self.check(!list.is_empty(), || "the chain is empty".into());
        let spans = t.merged.is_empty() || t.merged.len() == list.len();
        self.check(spans, || format!("{} spans for a chain of {}", t.merged.len(), list.len()));
        for s in list.iter().skip(1) {
            self.check(never_blocks(s), || format!("`{}` may block inside a chain", text::stmt(self.model, s)));
        }
        list.iter().for_each(|s| self.inner(s, "a chain"));
    }

    fn d_step(&mut self, d: &DStep) {
        self.check(d.locs.first().is_some_and(|l| !l.is_empty()), || "the d_step is empty".into());
        for list in &d.locs {
            for t in list {
                let inside = t.to.is_none_or(|to| (to as usize) < d.locs.len());
                self.check(inside, || format!("the d_step goes to {:?}, which does not exist", t.to));
                let mut runs = false;
                t.stmt.walk(&mut |e| runs |= matches!(e, Expr::Run(_)));
                self.check(!runs, || "a d_step starts a process".into());
                self.inner(&t.stmt, "a d_step");
            }
        }
    }

    fn inner(&mut self, s: &Stmt, what: &str) {
        let flat = !matches!(s, Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End);
        self.check(flat, || format!("`{}` inside {what}", text::stmt(self.model, s)));
        if flat {
            self.stmt(s);
        }
    }

    fn initialiser(&mut self, s: &Stmt) {
        let mut runs = false;
        s.walk(&mut |e| runs |= matches!(e, Expr::Run(_)));
        let good = never_blocks(s) && !runs;
        self.check(good, || format!("`{}` cannot initialise anything", text::stmt(self.model, s)));
        if good {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Skip(_) | Stmt::Else => {}
            Stmt::Guard(e) => self.value(e),
            Stmt::Assign(place, e) => {
                self.place(place, 1);
                self.value(e);
            }
            Stmt::AssignArray(place, values) => {
                self.check(place.ty != Ty::Timer, || format!("the timers `{}` get a list of values", place.name));
                self.place(place, values.len() as u32);
            }
            Stmt::Assert(e) | Stmt::Printm(e) => self.expr(e),
            Stmt::Printf(_, args) => args.iter().for_each(|e| self.expr(e)),
            Stmt::Send { channel, args, .. } => {
                self.expr(channel);
                args.iter().for_each(|e| self.expr(e));
            }
            Stmt::Receive { channel, args, .. } => {
                self.expr(channel);
                self.pattern(args);
            }
            Stmt::SetPriority(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => {
                self.check(false, || format!("`{}` inside another statement", text::stmt(self.model, s)));
            }
        }
    }

    fn pattern(&mut self, args: &[RecvArg]) {
        for arg in args {
            match arg {
                RecvArg::Bind(place) => {
                    self.check(place.ty != Ty::Timer, || format!("the timer `{}` is received", place.name));
                    self.place(place, 1);
                }
                RecvArg::Match(e) => self.expr(e),
                RecvArg::Discard => {}
            }
        }
    }

    /// An expression that may start a process.
    fn value(&mut self, e: &Expr) {
        match e {
            Expr::Run(run) => self.run(run),
            Expr::Unary(_, a) => self.value(a),
            _ => self.expr(e),
        }
    }

    fn run(&mut self, run: &Run) {
        let found = self.model.proctypes.get(run.proctype.index());
        match found.filter(|p| p.kind == ProctypeKind::Process) {
            None => self.check(false, || format!("`run` names {:?}, which cannot be run", run.proctype)),
            Some(p) => {
                let (given, wanted) = (run.args.len(), p.params.len());
                self.check(given == wanted, || format!("`run {}` gives {given} of {wanted} parameters", p.name));
            }
        }
        run.args.iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority => {}
            Expr::NonProgress | Expr::Timeout => {}
            Expr::Load(place) => self.place(place, 1),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::GetPriority(a) => self.expr(a),
            Expr::Channel(_, a) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Expr::Run(run) => {
                self.check(false, || "`run` is not the whole of its expression".into());
                self.run(run);
            }
            Expr::Poll { channel, args, .. } => {
                self.expr(channel);
                self.pattern(args);
            }
            Expr::RemoteLabel { proctype, pid, loc, label } => {
                let found = self.model.proctypes.get(proctype.index());
                let good = found.is_some_and(|p| loc.index() < p.locs.len());
                self.check(good, || format!("the remote label `{label}` does not exist"));
                pid.iter().for_each(|e| self.expr(e));
            }
            Expr::RemoteVar { proctype, pid, place } => {
                pid.iter().for_each(|e| self.expr(e));
                place.dims.iter().for_each(|d| self.expr(&d.index));
                let good = place.region == Region::Local && self.extent(place, 1, Some(*proctype)).is_some();
                self.check(good, || format!("the remote variable `{}` does not exist", place.name));
            }
        }
    }

    /// A place that holds so many values in a row.
    fn place(&mut self, place: &Place, count: u32) {
        place.dims.iter().for_each(|d| self.expr(&d.index));
        let good = self.extent(place, count, self.proctype).is_some();
        self.check(good, || format!("`{}` does not lie in its region", place.name));
    }

    /// The bytes from the start of its region that a place may touch, if they lie in the region.
    fn extent(&self, place: &Place, count: u32, proctype: Option<ProctypeId>) -> Option<(u32, u32)> {
        let layout = &self.model.layout;
        // A process may assign to its own priority, which lies in the frame's header.
        if place.region == Region::Local && place.offset == PRIORITY && place.ty == Ty::Byte && place.dims.is_empty() {
            return Some((PRIORITY, PRIORITY + 1));
        }
        let region = match place.region {
            Region::Global => 0..layout.globals,
            Region::Hidden => 0..layout.hidden,
            Region::Local => FRAME_HEADER..layout.frames.get(proctype?.index())?.frame,
        };
        let mut end = place.offset.checked_add(place.ty.size().checked_mul(count)?)?;
        for dim in &place.dims {
            end = end.checked_add(dim.len.checked_sub(1)?.checked_mul(dim.stride)?)?;
        }
        (place.offset >= region.start && end <= region.end).then_some((place.offset, end))
    }
}

fn constant_indices(place: &Place) -> bool {
    place.dims.iter().all(|d| d.index.as_const().is_some_and(|i| i >= 0 && (i as u32) < d.len))
}

fn never_blocks(s: &Stmt) -> bool {
    match s {
        Stmt::Skip(_) | Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::Assert(_) => true,
        Stmt::Printf(..) | Stmt::Printm(_) | Stmt::SetPriority(..) => true,
        Stmt::Guard(_) | Stmt::Else | Stmt::Send { .. } | Stmt::Receive { .. } => false,
        Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => false,
    }
}

#[cfg(test)]
mod tests;
