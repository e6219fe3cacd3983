//! Normal forms of statements: two that mean the same have the same text.
//!
//! Operands that may be exchanged are sorted, and so are assignments in a row that do not touch each other. Constants that
//! name members are renamed on the way; a model is symmetric under a renaming if each location has the same set of
//! transitions before and after it.

use crate::classes::{Classes, Key, Node};
use crate::prepare::{Kind, Prepared};
use crate::sorts::scope;
use starwheel_model::{BinaryOp, Expr, Model, Place, ProctypeId, RecvArg, Stmt};

/// Makes normal forms.
pub struct Forms<'a> {
    /// The model.
    pub model: &'a Model,
    /// What values mean.
    pub classes: &'a Classes,
    /// The new name of a value of a set.
    pub rename: &'a dyn Fn(Node, i32) -> i32,
}

impl Forms<'_> {
    /// Transitions that always follow each other, apart from where they start.
    pub fn chain(&self, chain: &[&Prepared]) -> String {
        let escape = chain.first().map_or(0, |p| self.model.transition(p.trans).escape);
        let (to, atomic) = chain.last().map_or((0, false), |p| {
            let t = self.model.transition(p.trans);
            (t.to.0, t.atomic)
        });
        let all: Vec<_> = chain.iter().map(|p| self.transition(p)).collect();
        format!("{to}|{atomic}|{escape}|{}", all.join("&"))
    }

    /// What a transition does.
    fn transition(&self, p: &Prepared) -> String {
        let mut parts: Vec<String> = Vec::new();
        // Assignments in a row that may change places.
        let mut row: Vec<(String, String)> = Vec::new();
        for (stmt, _) in &p.body {
            let text = self.stmt(stmt, p.proctype);
            match fixed_target(stmt).filter(|_| p.kind == Kind::Line).map(|place| self.place(place, p.proctype)) {
                Some(target) if row.iter().all(|r| r.0 != target) => row.push((target, text)),
                other => {
                    flush(&mut row, &mut parts);
                    match other {
                        Some(target) => row.push((target, text)),
                        None => parts.push(text),
                    }
                }
            }
        }
        flush(&mut row, &mut parts);
        let kind = match &p.kind {
            Kind::Chain => "chain".to_string(),
            Kind::Line => "line".to_string(),
            Kind::Web(web) => format!("{web:?}"),
        };
        format!("{kind}|{}", parts.join(";"))
    }

    /// A condition of a process type.
    pub fn condition(&self, e: &Expr, me: ProctypeId) -> String {
        self.expr(e, None, me)
    }

    fn stmt(&self, stmt: &Stmt, me: ProctypeId) -> String {
        match stmt {
            Stmt::Skip(_) => "skip".to_string(),
            Stmt::Else => "else".to_string(),
            Stmt::End => "end".to_string(),
            Stmt::Guard(e) => format!("guard {}", self.expr(e, None, me)),
            Stmt::Assert(e) => format!("assert {}", self.expr(e, None, me)),
            Stmt::Assign(place, e) => {
                format!("{} = {}", self.place(place, me), self.expr(e, self.element(place, me), me))
            }
            Stmt::AssignArray(place, values) => format!("{} = {values:?}", self.place(place, me)),
            // What is printed is no part of a state; what has no value is.
            Stmt::Printf(_, args) => {
                let risky = args.iter().filter(|a| can_fail(a)).map(|a| self.expr(a, None, me));
                format!("print {}", risky.collect::<Vec<_>>().join(","))
            }
            Stmt::Printm(e) => format!("print {}", if can_fail(e) { self.expr(e, None, me) } else { String::new() }),
            Stmt::Send { channel, args, sorted } => {
                let c = self.node(channel, me);
                let field = |i: usize| c.and_then(|c| self.classes.known_field(c, i));
                let args = args.iter().enumerate().map(|(i, a)| self.expr(a, field(i), me));
                format!("{}!{sorted} {}", self.expr(channel, c, me), args.collect::<Vec<_>>().join(","))
            }
            Stmt::Receive { channel, args, random, copy } => {
                format!("{random}{copy}{}", self.receive(channel, args, me))
            }
            Stmt::SetPriority(a, b) => {
                format!("priority {} {}", self.expr(a, self.process(), me), self.expr(b, None, me))
            }
            Stmt::DStep(d) => {
                let all = d.locs.iter().map(|l| {
                    let l = l.iter().map(|t| format!("{} -> {:?}", self.stmt(&t.stmt, me), t.to));
                    l.collect::<Vec<_>>().join("::")
                });
                all.collect::<Vec<_>>().join("//")
            }
            Stmt::Chain(list) => list.iter().map(|s| self.stmt(s, me)).collect::<Vec<_>>().join(";"),
        }
    }

    fn receive(&self, channel: &Expr, args: &[RecvArg], me: ProctypeId) -> String {
        let c = self.node(channel, me);
        let field = |i: usize| c.and_then(|c| self.classes.known_field(c, i));
        let args = args.iter().enumerate().map(|(i, a)| match a {
            RecvArg::Bind(place) => format!("into {}", self.place(place, me)),
            RecvArg::Match(e) => format!("like {}", self.expr(e, field(i), me)),
            RecvArg::Discard => "_".to_string(),
        });
        let args: Vec<_> = args.collect();
        format!("{}?{}", self.expr(channel, c, me), args.join(","))
    }

    fn process(&self) -> Option<Node> {
        self.classes.known(Key::Process)
    }

    fn element(&self, place: &Place, owner: ProctypeId) -> Option<Node> {
        self.classes.known(Key::Element(scope(place.region, owner), place.offset))
    }

    /// The meaning of the value of an expression, as far as it is not a number or a constant.
    fn node(&self, e: &Expr, me: ProctypeId) -> Option<Node> {
        match e {
            Expr::Load(place) => self.element(place, me),
            Expr::RemoteVar { proctype, place, .. } => self.element(place, *proctype),
            Expr::Pid | Expr::Last => self.process(),
            Expr::Cond(_, a, b) => self.node(a, me).or_else(|| self.node(b, me)),
            _ => None,
        }
    }

    fn place(&self, place: &Place, owner: ProctypeId) -> String {
        self.place_of(place, owner, owner)
    }

    /// A place in the frame of one process type, with indices as another sees them.
    fn place_of(&self, place: &Place, owner: ProctypeId, me: ProctypeId) -> String {
        let scope = scope(place.region, owner);
        let mut out = format!("{scope:?}+{}", place.offset);
        for (level, dim) in place.dims.iter().enumerate() {
            let sort = self.classes.known(Key::Dimension(scope, place.offset, level));
            out += &format!("[{}]", self.expr(&dim.index, sort, me));
        }
        out
    }

    /// An expression whose value has a meaning.
    fn expr(&self, e: &Expr, sort: Option<Node>, me: ProctypeId) -> String {
        match e {
            Expr::Const(v, _) => sort.map_or(*v, |sort| (self.rename)(sort, *v)).to_string(),
            Expr::Load(place) => self.place(place, me),
            Expr::Pid => "_pid".to_string(),
            Expr::NrPr => "_nr_pr".to_string(),
            Expr::Last => "_last".to_string(),
            Expr::Priority => "_priority".to_string(),
            Expr::NonProgress => "np_".to_string(),
            Expr::Timeout => "timeout".to_string(),
            Expr::Unary(op, a) => format!("({op:?} {})", self.expr(a, None, me)),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, me),
            Expr::Cond(c, a, b) => {
                let (c, a, b) = (self.expr(c, None, me), self.expr(a, sort, me), self.expr(b, sort, me));
                format!("({c} -> {a} : {b})")
            }
            Expr::Run(run) => format!("run {}", run.proctype.0),
            Expr::Channel(q, c) => format!("{q:?}({})", self.expr(c, self.node(c, me), me)),
            Expr::Poll { channel, args, random } => format!("poll{random} {}", self.receive(channel, args, me)),
            Expr::Enabled(p) => format!("enabled({})", self.expr(p, self.process(), me)),
            Expr::PcValue(p) => format!("pc_value({})", self.expr(p, self.process(), me)),
            Expr::GetPriority(p) => format!("get_priority({})", self.expr(p, self.process(), me)),
            Expr::RemoteLabel { proctype, pid, loc, .. } => {
                let pid = pid.as_ref().map(|p| self.expr(p, self.process(), me));
                format!("{}[{pid:?}]@{}", proctype.0, loc.0)
            }
            Expr::RemoteVar { proctype, pid, place } => {
                let pid = pid.as_ref().map(|p| self.expr(p, self.process(), me));
                format!("{}[{pid:?}]:{}", proctype.0, self.place_of(place, *proctype, me))
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, me: ProctypeId) -> String {
        let mut operands = Vec::new();
        let sort = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.node(a, me).or_else(|| self.node(b, me)),
            _ => None,
        };
        let (flat, lazy) = match op {
            BinaryOp::And | BinaryOp::Or => (true, true),
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (true, false),
            _ => (false, false),
        };
        if flat {
            flatten(op, a, &mut operands);
            flatten(op, b, &mut operands);
        } else {
            operands.extend([a, b]);
        }
        let mut texts: Vec<String> = operands.iter().map(|e| self.expr(e, sort, me)).collect();
        let exchangeable = flat || matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if exchangeable && !(lazy && operands.iter().any(|e| can_fail(e))) {
            texts.sort();
        }
        format!("({op:?} {})", texts.join(" "))
    }
}

fn flush(row: &mut Vec<(String, String)>, parts: &mut Vec<String>) {
    row.sort();
    parts.extend(row.drain(..).map(|r| r.1));
}

/// The target of an assignment that reads nothing: it may change places with others of its kind that have other targets.
fn fixed_target(stmt: &Stmt) -> Option<&Place> {
    match stmt {
        Stmt::Assign(place, Expr::Const(..)) if !indices_can_fail(place) => Some(place),
        _ => None,
    }
}

fn flatten<'e>(op: BinaryOp, e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(same, a, b) if *same == op => {
            flatten(op, a, out);
            flatten(op, b, out);
        }
        other => out.push(other),
    }
}

/// Whether any index is not a constant inside its array.
pub fn indices_can_fail(place: &Place) -> bool {
    let inside = |v: i32, len: u32| u32::try_from(v).is_ok_and(|v| v < len);
    !place.dims.iter().all(|d| d.index.as_const().is_some_and(|v| inside(v, d.len)))
}

/// Whether an expression may have no value.
pub fn can_fail(e: &Expr) -> bool {
    e.any(|e| match e {
        Expr::Load(place) => indices_can_fail(place),
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
        Expr::Run(_) | Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::PcValue(_) => true,
        Expr::GetPriority(_) | Expr::RemoteLabel { .. } | Expr::RemoteVar { .. } => true,
        _ => false,
    })
}
