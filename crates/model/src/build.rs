//! Small models by hand, for tests.

use crate::expr::{BinaryOp, Expr, Run};
use crate::interp::Interp;
use crate::ir::*;
use crate::layout::{FRAME_HEADER, Layout};
use crate::place::{Dim, Place, Region, Ty};
use crate::step::ProcessStep;
use crate::stmt::{DStep, DTrans, RecvArg, SkipKind, Stmt};
use crate::text;
use starwheel_base::Span;
use starwheel_system::{Fired, Step, Stepper};

/// A model under construction.
#[derive(Default)]
pub struct Build {
    pub model: Model,
    globals: u32,
    hidden: u32,
    frames: Vec<u32>,
}

fn var(name: &str, ty: Ty, len: Option<u32>, place: Place) -> Var {
    Var {
        name: name.into(),
        ty,
        shown: Shown::Number,
        len,
        place,
        promised_local: false,
        show: false,
        param: false,
        span: Span::default(),
    }
}

fn fresh(next: &mut u32, region: Region, name: &str, ty: Ty, len: u32) -> Place {
    let offset = next.next_multiple_of(ty.size());
    *next = offset + ty.size() * len;
    Place { region, offset, ty, dims: Vec::new(), name: name.into() }
}

impl Build {
    pub fn global(&mut self, name: &str, ty: Ty) -> Place {
        let place = fresh(&mut self.globals, Region::Global, name, ty, 1);
        self.model.globals.push(var(name, ty, None, place.clone()));
        place
    }

    pub fn hidden(&mut self, name: &str, ty: Ty) -> Place {
        let place = fresh(&mut self.hidden, Region::Hidden, name, ty, 1);
        self.model.globals.push(var(name, ty, None, place.clone()));
        place
    }

    pub fn array(&mut self, name: &str, ty: Ty, len: u32) -> Place {
        let mut place = fresh(&mut self.globals, Region::Global, name, ty, len);
        self.model.globals.push(var(name, ty, Some(len), place.clone()));
        place.name = format!("{name}[#]").into();
        place
    }

    fn declare(&mut self, name: &str, capacity: u16, types: &[Ty]) -> ChanId {
        let fields = types.iter().map(|&ty| Field { ty, shown: Shown::Number }).collect();
        self.model.channels.push(Channel { name: name.into(), capacity, fields, span: Span::default() });
        self.model.uses.rendezvous |= capacity == 0;
        ChanId(self.model.channels.len() as u16 - 1)
    }

    /// A global channel; the value is the expression that names it.
    pub fn chan(&mut self, name: &str, capacity: u16, types: &[Ty]) -> Expr {
        let channel = self.declare(name, capacity, types);
        let place = self.global(name, Ty::Byte);
        self.model.globals.last_mut().expect("just added").shown = Shown::Channel;
        self.model.global_channels.push(ChannelVar { channel, place: place.clone() });
        ld(&place)
    }

    pub fn proctype(&mut self, name: &str) -> ProctypeId {
        self.model.proctypes.push(Proctype {
            name: name.into(),
            kind: ProctypeKind::Process,
            span: Span::default(),
            locals: Vec::new(),
            params: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            start: LocId(1),
            locs: vec![Location::default(); 2],
            provided: None,
            priority: 1,
            deterministic: false,
        });
        self.frames.push(FRAME_HEADER);
        ProctypeId(self.model.proctypes.len() as u8 - 1)
    }

    /// A process type of which one process exists from the start.
    pub fn active(&mut self, name: &str) -> ProctypeId {
        let id = self.proctype(name);
        self.model.starts.push(Start { proctype: id, priority: 1 });
        id
    }

    pub fn at(&mut self, id: ProctypeId) -> &mut Proctype {
        &mut self.model.proctypes[id.index()]
    }

    pub fn local(&mut self, id: ProctypeId, name: &str, ty: Ty) -> Place {
        let place = fresh(&mut self.frames[id.index()], Region::Local, name, ty, 1);
        self.at(id).locals.push(var(name, ty, None, place.clone()));
        place
    }

    pub fn param(&mut self, id: ProctypeId, name: &str, ty: Ty) -> Place {
        let place = self.local(id, name, ty);
        self.at(id).params.push(place.clone());
        place
    }

    pub fn local_chan(&mut self, id: ProctypeId, name: &str, capacity: u16, types: &[Ty]) -> Expr {
        let channel = self.declare(name, capacity, types);
        let place = self.local(id, name, Ty::Byte);
        self.at(id).locals.last_mut().expect("just added").shown = Shown::Channel;
        self.at(id).channels.push(ChannelVar { channel, place: place.clone() });
        ld(&place)
    }

    /// A transition; its span starts at its number, so that tests know it again.
    pub fn step(&mut self, id: ProctypeId, from: u16, stmt: Stmt, to: u16) -> TransId {
        let trans = TransId(self.model.transitions.len() as u32);
        self.model.transitions.push(Transition {
            proctype: id,
            from: LocId(from),
            to: LocId(to),
            stmt,
            atomic: false,
            escape: 0,
            resets: Vec::new(),
            span: span(trans.0),
            merged: Vec::new(),
        });
        let locs = &mut self.at(id).locs;
        let needed = from.max(to) as usize + 1;
        if locs.len() < needed {
            locs.resize(needed, Location::default());
        }
        locs[from as usize].out.push(trans);
        trans
    }

    pub fn atomic(&mut self, id: ProctypeId, from: u16, stmt: Stmt, to: u16) -> TransId {
        let trans = self.step(id, from, stmt, to);
        self.trans(trans).atomic = true;
        trans
    }

    pub fn trans(&mut self, trans: TransId) -> &mut Transition {
        &mut self.model.transitions[trans.index()]
    }

    /// The last step of a process.
    pub fn end(&mut self, id: ProctypeId, loc: u16) -> TransId {
        self.step(id, loc, Stmt::End, 0)
    }

    /// One statement after the other from location 1 on, then the end.
    pub fn sequence(&mut self, id: ProctypeId, list: Vec<Stmt>) {
        let last = list.len() as u16 + 1;
        for (i, stmt) in list.into_iter().enumerate() {
            self.step(id, i as u16 + 1, stmt, i as u16 + 2);
        }
        self.end(id, last);
    }

    pub fn done(mut self) -> Model {
        self.model.layout = Layout::new(&self.model, self.hidden, self.globals, &self.frames);
        self.model
    }
}

pub fn span(number: u32) -> Span {
    Span { start: number, end: number + 1, ..Span::default() }
}

pub fn c(value: i32) -> Expr {
    Expr::constant(value)
}

pub fn ld(place: &Place) -> Expr {
    Expr::Load(Box::new(place.clone()))
}

pub fn bin(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

pub fn eq(a: Expr, b: Expr) -> Expr {
    bin(BinaryOp::Eq, a, b)
}

pub fn set(place: &Place, e: Expr) -> Stmt {
    Stmt::Assign(place.clone(), e)
}

pub fn inc(place: &Place) -> Stmt {
    set(place, bin(BinaryOp::Add, ld(place), c(1)))
}

pub fn when(e: Expr) -> Stmt {
    Stmt::Guard(e)
}

pub fn skip() -> Stmt {
    Stmt::Skip(SkipKind::Skip)
}

pub fn send(channel: &Expr, args: Vec<Expr>) -> Stmt {
    Stmt::Send { channel: channel.clone(), args, sorted: false }
}

pub fn recv(channel: &Expr, args: Vec<RecvArg>) -> Stmt {
    Stmt::Receive { channel: channel.clone(), args, random: false, copy: false }
}

pub fn bind(place: &Place) -> RecvArg {
    RecvArg::Bind(place.clone())
}

pub fn fits(value: i32) -> RecvArg {
    RecvArg::Match(c(value))
}

pub fn run(proctype: ProctypeId, args: Vec<Expr>) -> Expr {
    Expr::Run(Box::new(Run { proctype, args, priority: None }))
}

/// An element of an array.
pub fn element(array: &Place, index: Expr, len: u32) -> Place {
    let mut place = array.clone();
    place.dims.push(Dim { index, len, stride: array.ty.size() });
    place
}

/// A d_step without choices.
pub fn d_step(list: Vec<Stmt>) -> Stmt {
    let last = list.len() as u32 - 1;
    let one = |(i, stmt): (usize, Stmt)| {
        let i = i as u32;
        vec![DTrans { stmt, to: (i < last).then_some(i + 1), span: span(100 + i) }]
    };
    Stmt::DStep(Box::new(DStep { locs: list.into_iter().enumerate().map(one).collect() }))
}

/// A walk through a model.
pub struct Walk<'m> {
    pub interp: Interp<'m>,
    pub state: Vec<u8>,
    pub fired: Fired,
}

impl<'m> Walk<'m> {
    pub fn new(model: &'m Model) -> Walk<'m> {
        assert_eq!(crate::verify::verify(model), Vec::<String>::new());
        let mut interp = Interp::new(model);
        let mut state = Vec::new();
        let fired = interp.initial(&mut state);
        Walk { interp, state, fired }
    }

    pub fn list(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.interp.enabled(&self.state, &mut steps);
        steps
    }

    /// The steps as text: `1:t3` or `1:t3+0:t5`, with `*` for timeout.
    pub fn steps(&mut self) -> Vec<String> {
        let text = |s: Step| {
            let partner = s.partner().map_or(String::new(), |(p, t)| format!("+{}:t{}", p.0, t.0));
            format!("{}:t{}{partner}{}", s.pid().0, s.action.0, if s.timeout { "*" } else { "" })
        };
        self.list().into_iter().map(text).collect()
    }

    /// Fires the step with this text.
    pub fn fire(&mut self, step: &str) -> &mut Self {
        let texts = self.steps();
        let i = texts.iter().position(|t| t == step).unwrap_or_else(|| panic!("{step} is not among {texts:?}"));
        let step = self.list()[i];
        let mut out = Vec::new();
        self.fired = self.interp.fire(&self.state, step, &mut out);
        self.state = out;
        self
    }

    /// The value of a variable: `x`, or `P(1).x`.
    pub fn get(&self, name: &str) -> String {
        let full =
            |v: &text::Value| if v.scope.is_empty() { v.name.clone() } else { format!("{}.{}", v.scope, v.name) };
        let all = text::variables(self.interp.model(), &self.state);
        all.iter().find(|v| full(v) == name).unwrap_or_else(|| panic!("no {name} among {all:?}")).shown.clone()
    }

    /// The messages in a channel: `1,2 3,4`.
    pub fn chan(&self, name: &str) -> String {
        let all = text::channels(self.interp.model(), &self.state);
        let found = all.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no {name} among {all:?}"));
        let messages: Vec<_> = found.messages.iter().map(|m| m.join(",")).collect();
        messages.join(" ")
    }

    /// The message of the only violation of the last step.
    pub fn problem(&self) -> &str {
        assert_eq!(self.fired.violations.len(), 1, "{:?}", self.fired);
        &self.fired.violations[0].message
    }

    pub fn transient(&self) -> bool {
        self.interp.transient(&self.state)
    }
}
