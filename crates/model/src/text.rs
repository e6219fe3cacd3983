//! Expressions and statements as text in SPIN's style, for people.

use crate::expr::{BinaryOp, ChannelQuery, Expr, UnaryOp};
use crate::ir::Model;
use crate::place::{Place, Ty};
use crate::stmt::{DStep, RecvArg, SkipKind, Stmt};
use crate::time;
use std::fmt::Write;

mod dump;
mod state;

pub use dump::dump;
pub use state::{Contents, Value, channels, variables};

/// An expression: `((a==1)&&(b<2))`.
pub fn expr(model: &Model, e: &Expr) -> String {
    let mut out = String::new();
    Text { model, out: &mut out }.expr(e);
    out
}

/// A statement: `x = (x+1)`, `c!1,x`.
pub fn stmt(model: &Model, s: &Stmt) -> String {
    let mut out = String::new();
    Text { model, out: &mut out }.stmt(s);
    out
}

/// A place with its indices: `a[i].x`.
pub fn place(model: &Model, p: &Place) -> String {
    let mut out = String::new();
    Text { model, out: &mut out }.place(p);
    out
}

/// The operator as it is written.
pub fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Lazy => "lazy",
    }
}

/// The word of the language for a question about a channel.
pub fn query(q: ChannelQuery) -> &'static str {
    match q {
        ChannelQuery::Len => "len",
        ChannelQuery::Full => "full",
        ChannelQuery::Empty => "empty",
        ChannelQuery::NotFull => "nfull",
        ChannelQuery::NotEmpty => "nempty",
    }
}

struct Text<'a> {
    model: &'a Model,
    out: &'a mut String,
}

impl Text<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn number(&mut self, value: i32) {
        let written = write!(self.out, "{value}");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Binary(_, timer, _) if time::expired(e).is_some() => self.call("expire", timer),
            Expr::Binary(_, timer, _) if time::running(e).is_some() => self.call("on", timer),
            Expr::Const(_, Some(name)) => self.put(name),
            Expr::Const(value, None) => self.number(*value),
            Expr::Load(p) => self.place(p),
            Expr::Pid => self.put("_pid"),
            Expr::NrPr => self.put("_nr_pr"),
            Expr::Last => self.put("_last"),
            Expr::Priority => self.put("_priority"),
            Expr::NonProgress => self.put("np_"),
            Expr::Timeout => self.put("timeout"),
            Expr::Unary(op, a) => self.call(unary(*op), a),
            Expr::Binary(op, a, b) => {
                self.put("(");
                self.expr(a);
                self.put(binary(*op));
                self.expr(b);
                self.put(")");
            }
            Expr::Cond(c, a, b) => {
                self.put("(");
                self.expr(c);
                self.put(" -> ");
                self.expr(a);
                self.put(" : ");
                self.expr(b);
                self.put(")");
            }
            Expr::Run(run) => {
                self.put("run ");
                self.proctype(run.proctype);
                self.put("(");
                self.list(&run.args, Text::expr);
                self.put(")");
            }
            Expr::Channel(q, c) => self.call(query(*q), c),
            Expr::Poll { channel, args, random } => {
                self.expr(channel);
                self.put(if *random { "??[" } else { "?[" });
                self.list(args, Text::pattern);
                self.put("]");
            }
            Expr::Enabled(p) => self.call("enabled", p),
            Expr::PcValue(p) => self.call("pc_value", p),
            Expr::GetPriority(p) => self.call("get_priority", p),
            Expr::RemoteLabel { proctype, pid, label, .. } => {
                self.remote(*proctype, pid.as_deref(), "@");
                self.put(label);
            }
            Expr::RemoteVar { proctype, pid, place } => {
                self.remote(*proctype, pid.as_deref(), ":");
                self.place(place);
            }
        }
    }

    fn call(&mut self, name: &str, arg: &Expr) {
        self.put(name);
        self.put("(");
        self.expr(arg);
        self.put(")");
    }

    fn remote(&mut self, proctype: crate::ir::ProctypeId, pid: Option<&Expr>, mark: &str) {
        self.proctype(proctype);
        if let Some(pid) = pid {
            self.put("[");
            self.expr(pid);
            self.put("]");
        }
        self.put(mark);
    }

    fn proctype(&mut self, id: crate::ir::ProctypeId) {
        let name = self.model.proctypes.get(id.index()).map_or("?", |p| &p.name);
        self.out.push_str(name);
    }

    fn list<T>(&mut self, items: &[T], each: fn(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.put(",");
            }
            each(self, item);
        }
    }

    fn place(&mut self, p: &Place) {
        let mut dims = p.dims.iter();
        let mut rest = &*p.name;
        while let Some((before, after)) = rest.split_once("[#]") {
            self.put(before);
            rest = after;
            match dims.next() {
                Some(dim) => {
                    self.put("[");
                    self.expr(&dim.index);
                    self.put("]");
                }
                None => self.put("[]"),
            }
        }
        self.put(rest);
    }

    fn pattern(&mut self, arg: &RecvArg) {
        match arg {
            RecvArg::Bind(p) => self.place(p),
            RecvArg::Match(e @ Expr::Const(..)) => self.expr(e),
            RecvArg::Match(e) => self.call("eval", e),
            RecvArg::Discard => self.put("_"),
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Skip(kind) => self.skip(kind),
            Stmt::Guard(e) if time::expired(e).is_some() => self.expr(e),
            Stmt::Guard(e) => self.call("", e),
            Stmt::Else => self.put("else"),
            Stmt::Assign(p, e) if p.ty == Ty::Timer && e.as_const() == Some(time::OFF) => {
                self.put("reset(");
                self.place(p);
                self.put(")");
            }
            Stmt::Assign(p, e) if p.ty == Ty::Timer => {
                self.put("set(");
                self.place(p);
                self.put(", ");
                self.expr(e);
                self.put(")");
            }
            Stmt::Assign(p, e) => {
                self.place(p);
                self.put(" = ");
                self.expr(e);
            }
            Stmt::AssignArray(p, values) => {
                self.place(p);
                self.put(" = {");
                self.list(values, |t, v| t.number(*v));
                self.put("}");
            }
            Stmt::Assert(e) => self.call("assert", e),
            Stmt::Printf(format, args) => {
                self.put("printf('");
                self.put(format.trim_matches('"'));
                self.put("'");
                for arg in args {
                    self.put(",");
                    self.expr(arg);
                }
                self.put(")");
            }
            Stmt::Printm(e) => self.call("printm", e),
            Stmt::Send { channel, args, sorted } => {
                self.expr(channel);
                self.put(if *sorted { "!!" } else { "!" });
                self.list(args, Text::expr);
            }
            Stmt::Receive { channel, args, random, copy } => {
                self.expr(channel);
                self.put(if *random { "??" } else { "?" });
                self.put(if *copy { "<" } else { "" });
                self.list(args, Text::pattern);
                self.put(if *copy { ">" } else { "" });
            }
            Stmt::SetPriority(p, value) => {
                self.put("set_priority(");
                self.expr(p);
                self.put(", ");
                self.expr(value);
                self.put(")");
            }
            Stmt::DStep(d) => self.d_step(d),
            Stmt::Chain(list) => {
                for (i, s) in list.iter().enumerate() {
                    self.put(if i > 0 { "; " } else { "" });
                    self.stmt(s);
                }
            }
            Stmt::End => self.put("-end-"),
        }
    }

    fn skip(&mut self, kind: &SkipKind) {
        match kind {
            SkipKind::Skip => self.put("(1)"),
            SkipKind::Goto(label) => {
                self.put("goto ");
                self.put(label);
            }
            SkipKind::Break => self.put("break"),
            SkipKind::Join => self.put(".(goto)"),
            SkipKind::Declaration => self.put("(declaration)"),
        }
    }

    /// The first statements stand for the whole.
    fn d_step(&mut self, d: &DStep) {
        self.put("d_step { ");
        for (i, t) in d.locs.first().into_iter().flatten().enumerate() {
            self.put(if i > 0 { " | " } else { "" });
            self.stmt(&t.stmt);
        }
        let simple = d.locs.len() == 1 && d.locs[0].iter().all(|t| t.to.is_none());
        self.put(if simple { " }" } else { "; ... }" });
    }
}

#[cfg(test)]
mod tests;
