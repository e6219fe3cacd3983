//! What each value means, by unification: two values that are compared, assigned or sent to each other mean the same.
//!
//! One pass over the transitions that can still be executed. What an identity must not be used for (arithmetic, an order that
//! tells members apart) is noted with its line; whether anybody's identities are concerned turns out when all is united.

use crate::classes::{Classes, Key, Node, Scope, Test};
use crate::obstacle::Obstacle;
use crate::prepare::Prepared;
use starwheel_base::Span;
use starwheel_model::{BinaryOp, Expr, Model, Place, ProctypeId, RecvArg, Region, Stmt, Ty, UnaryOp, text};
use std::collections::BTreeMap;

/// How a variable is reached: the length and stride of each dimension, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Length and stride, outermost first.
    pub dims: Vec<(u32, u32)>,
    /// The type of an element.
    pub ty: Ty,
    /// Its name, with `#` for indices.
    pub name: String,
}

impl Shape {
    /// The offsets of all elements from that of the first, each with its indices.
    pub fn elements(&self) -> Vec<(u32, Vec<u32>)> {
        let mut out = vec![(0, Vec::new())];
        for &(len, stride) in &self.dims {
            let step = |(offset, indices): &(u32, Vec<u32>)| {
                let (offset, indices) = (*offset, indices.clone());
                (0..len).map(move |i| (offset + i * stride, [&indices[..], &[i]].concat())).collect::<Vec<_>>()
            };
            out = out.iter().flat_map(step).collect();
        }
        out
    }
}

/// The meanings of all values of a model.
#[derive(Clone)]
pub struct Sorts<'m> {
    model: &'m Model,
    /// The sets of places with one meaning.
    pub classes: Classes,
    /// All variables that are looked at.
    pub shapes: BTreeMap<(Scope, u32), Shape>,
    /// Variables that are not compared and never looked at.
    unread: Vec<u32>,
    /// What no process may do if any are to be interchangeable.
    pub forbidden: Vec<Obstacle>,
    /// Process types of which the only process is meant, and where.
    pub alone: Vec<(ProctypeId, Span)>,
    /// Process types that ask for their own number, and where.
    pub own_number: Vec<(ProctypeId, Span)>,
    /// Where a number of a process is used to look at it.
    pub looks: Option<Span>,
    /// Who moves.
    scope: ProctypeId,
    span: Span,
}

impl<'m> Sorts<'m> {
    /// The meanings in these transitions.
    pub fn new(model: &'m Model, all: &[Prepared]) -> Sorts<'m> {
        let mut sorts = Sorts {
            model,
            classes: Classes::default(),
            shapes: BTreeMap::new(),
            unread: unread(all),
            forbidden: Vec::new(),
            alone: Vec::new(),
            own_number: Vec::new(),
            looks: None,
            scope: ProctypeId::default(),
            span: Span::default(),
        };
        for p in all {
            sorts.scope = p.proctype;
            for (stmt, span) in &p.body {
                sorts.span = *span;
                sorts.stmt(stmt);
            }
        }
        let mut types: Vec<ProctypeId> = all.iter().map(|p| p.proctype).collect();
        types.dedup();
        for id in types {
            let p = model.proctype(id);
            (sorts.scope, sorts.span) = (id, p.span);
            p.provided.iter().for_each(|e| sorts.truth(e));
        }
        sorts.overlaps();
        sorts
    }

    /// The meaning of an element of a place.
    pub fn element(&mut self, place: &Place, owner: ProctypeId) -> Node {
        let scope = scope(place.region, owner);
        let key = (scope, place.offset);
        let dims: Vec<_> = place.dims.iter().map(|d| (d.len, d.stride)).collect();
        let shape = Shape { dims, ty: place.ty, name: place.name.to_string() };
        let node = self.classes.node(Key::Element(scope, place.offset));
        if place.ty == Ty::Timer {
            self.classes.plain(node, Obstacle::new(self.span, format!("is a time, in the timer `{}`", place.name)));
        }
        match self.shapes.get(&key) {
            Some(known) if known.dims != shape.dims || known.ty != shape.ty => {
                let message = format!("`{}` is used in different ways", place.name);
                self.forbidden.push(Obstacle::new(self.span, message));
            }
            Some(_) => {}
            None => {
                self.shapes.insert(key, shape);
                self.classes.stored(node, place.ty);
            }
        }
        for (level, dim) in place.dims.iter().enumerate() {
            let index = self.expr(&dim.index);
            let dimension = self.classes.node(Key::Dimension(scope, place.offset, level));
            self.classes.unite(dimension, index);
        }
        node
    }

    /// Variables that lie in each other cannot be told apart.
    fn overlaps(&mut self) {
        let mut owners: BTreeMap<(Scope, u32), u32> = BTreeMap::new();
        for (&(scope, offset), shape) in &self.shapes {
            for (at, _) in shape.elements() {
                for byte in 0..shape.ty.size() {
                    let old = owners.insert((scope, offset + at + byte), offset);
                    if old.is_some_and(|old| old != offset) {
                        let message = format!("`{}` is used in different ways", shape.name);
                        self.forbidden.push(Obstacle::new(Span::default(), message));
                        return;
                    }
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Skip(_) | Stmt::Else | Stmt::End => {}
            Stmt::Guard(e) | Stmt::Assert(e) => self.truth(e),
            Stmt::Assign(place, e) => {
                let value = self.expr(e);
                let element = self.element(place, self.scope);
                if !(place.region == Region::Hidden && self.unread.contains(&place.offset)) {
                    self.classes.unite(element, value);
                }
            }
            Stmt::AssignArray(place, _) => {
                self.forbidden.push(Obstacle::new(self.span, format!("`{}` is assigned as a whole", place.name)));
            }
            Stmt::Printf(_, args) => args.iter().for_each(|a| {
                self.expr(a);
            }),
            Stmt::Printm(e) => {
                self.expr(e);
            }
            Stmt::Send { channel, args, sorted } => {
                let c = self.expr(channel);
                for (i, arg) in args.iter().enumerate() {
                    let (value, field) = (self.expr(arg), self.classes.field(c, i));
                    self.classes.unite(field, value);
                    if *sorted {
                        let why = self.because(stmt, "is compared by `!!`, which orders messages");
                        self.classes.plain(field, why);
                    }
                }
            }
            Stmt::Receive { channel, args, .. } => self.receive(channel, args),
            Stmt::SetPriority(pid, value) => {
                let pid = self.expr(pid);
                self.process(pid);
                self.number(value, "is a priority");
            }
            Stmt::DStep(d) => d.locs.iter().flatten().for_each(|t| self.stmt(&t.stmt)),
            Stmt::Chain(list) => list.iter().for_each(|s| self.stmt(s)),
        }
    }

    fn receive(&mut self, channel: &Expr, args: &[RecvArg]) {
        let c = self.expr(channel);
        self.classes.channel(c);
        for (i, arg) in args.iter().enumerate() {
            let field = self.classes.field(c, i);
            let value = match arg {
                RecvArg::Bind(place) => self.element(place, self.scope),
                RecvArg::Match(e) => self.expr(e),
                RecvArg::Discard => continue,
            };
            self.classes.unite(field, value);
        }
    }

    /// A number of a process is used to look at that process.
    fn process(&mut self, node: Node) {
        let process = self.classes.node(Key::Process);
        self.classes.unite(process, node);
        self.looks.get_or_insert(self.span);
    }

    fn because(&self, what: &Stmt, how: &str) -> Obstacle {
        Obstacle::new(self.span, format!("{how} in `{}`", text::stmt(self.model, what)))
    }

    /// An expression whose value is a number and nobody's identity.
    fn number(&mut self, e: &Expr, how: &str) {
        let node = self.expr(e);
        let why = Obstacle::new(self.span, format!("{how} in `{}`", text::expr(self.model, e)));
        self.classes.plain(node, why);
    }

    /// An expression of which only matters whether it is zero.
    fn truth(&mut self, e: &Expr) {
        let node = self.expr(e);
        let (span, text) = (self.span, text::expr(self.model, e));
        self.classes.tests.push(Test { node, op: BinaryOp::Ne, with: 0, span, text });
    }

    /// The result of a calculation.
    fn result(&mut self, e: &Expr) -> Node {
        let node = self.classes.fresh();
        let why = Obstacle::new(self.span, format!("is calculated in `{}`", text::expr(self.model, e)));
        self.classes.plain(node, why);
        node
    }

    fn expr(&mut self, e: &Expr) -> Node {
        match e {
            Expr::Const(value, _) => self.classes.constant(*value, self.span),
            Expr::Load(place) => self.element(place, self.scope),
            Expr::Pid => {
                self.own_number.push((self.scope, self.span));
                self.classes.node(Key::Process)
            }
            Expr::Last => self.classes.node(Key::Process),
            Expr::Unary(UnaryOp::Not, a) => {
                self.truth(a);
                self.result(e)
            }
            Expr::Unary(_, a) => {
                self.number(a, "is calculated with");
                self.result(e)
            }
            Expr::Binary(op, a, b) => self.binary(e, *op, a, b),
            Expr::Cond(c, a, b) => {
                self.truth(c);
                let (a, b) = (self.expr(a), self.expr(b));
                self.classes.unite(a, b);
                a
            }
            Expr::Run(_) => {
                self.forbidden.push(Obstacle::new(self.span, "a process is started after the others"));
                self.result(e)
            }
            Expr::Channel(_, c) => {
                let c = self.expr(c);
                self.classes.channel(c);
                self.result(e)
            }
            Expr::Poll { channel, args, .. } => {
                self.receive(channel, args);
                self.result(e)
            }
            Expr::Enabled(pid) | Expr::PcValue(pid) | Expr::GetPriority(pid) => {
                let pid = self.expr(pid);
                self.process(pid);
                self.result(e)
            }
            Expr::RemoteLabel { proctype, pid, .. } => {
                self.remote(*proctype, pid.as_deref());
                self.result(e)
            }
            Expr::RemoteVar { proctype, pid, place } => {
                self.remote(*proctype, pid.as_deref());
                self.element(place, *proctype)
            }
            Expr::NrPr | Expr::Priority | Expr::NonProgress | Expr::Timeout => self.result(e),
        }
    }

    fn remote(&mut self, proctype: ProctypeId, pid: Option<&Expr>) {
        match pid {
            Some(pid) => {
                let pid = self.expr(pid);
                self.process(pid);
            }
            None => self.alone.push((proctype, self.span)),
        }
    }

    fn binary(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Node {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.truth(a);
                self.truth(b);
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.classes.unite(a, b);
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let turned = match op {
                    BinaryOp::Lt => BinaryOp::Gt,
                    BinaryOp::Le => BinaryOp::Ge,
                    BinaryOp::Gt => BinaryOp::Lt,
                    _ => BinaryOp::Le,
                };
                let test = match (constant(a), constant(b)) {
                    (_, Some(with)) => Some((a, op, with)),
                    (Some(with), None) => Some((b, turned, with)),
                    (None, None) => None,
                };
                match test {
                    Some((side, op, with)) => {
                        let (node, span, text) = (self.expr(side), self.span, text::expr(self.model, e));
                        self.classes.tests.push(Test { node, op, with, span, text });
                    }
                    None => [a, b].into_iter().for_each(|side| {
                        let node = self.expr(side);
                        let why = Obstacle::new(self.span, format!("has an order in `{}`", text::expr(self.model, e)));
                        self.classes.plain(node, why);
                    }),
                }
            }
            _ => [a, b].into_iter().for_each(|side| {
                let node = self.expr(side);
                let why = Obstacle::new(self.span, format!("is calculated with in `{}`", text::expr(self.model, e)));
                self.classes.plain(node, why);
            }),
        }
        self.result(e)
    }
}

/// The value of an expression without variables.
fn constant(e: &Expr) -> Option<i32> {
    match e {
        Expr::Const(v, _) => Some(*v),
        Expr::Binary(op, a, b) => op.apply(constant(a)?, constant(b)?),
        Expr::Unary(UnaryOp::Neg, a) => constant(a).map(i32::wrapping_neg),
        _ => None,
    }
}

/// Where a region lies for a process type.
pub fn scope(region: Region, owner: ProctypeId) -> Scope {
    match region {
        Region::Global => Scope::Global,
        Region::Hidden => Scope::Hidden,
        Region::Local => Scope::Local(owner),
    }
}

/// The offsets of hidden variables that are never looked at.
fn unread(all: &[Prepared]) -> Vec<u32> {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for (stmt, _) in all.iter().flat_map(|p| &p.body) {
        stmt.walk_stmts(&mut |s| {
            if let Stmt::Assign(p, _) = s
                && p.region == Region::Hidden
            {
                written.push(p.offset);
            }
        });
        stmt.walk(&mut |e| {
            if let Expr::Load(p) = e
                && p.region == Region::Hidden
            {
                read.push(p.offset);
            }
        });
    }
    written.retain(|offset| !read.contains(offset));
    written
}
