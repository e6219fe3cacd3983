//! Turns expressions and statements back into text, the way SPIN shows them in trails.
//!
//! SPIN prints every operator with parentheses, whatever was written: `x = (x+1)`, `((a&&b))`, `c!1,2`. Tools compare
//! such lines, so that spelling is kept to the letter. [`source`] prints an expression the way a person would.

use crate::ast::*;
use starwheel_model::text;
use std::fmt::Write;

/// A statement as it stands between the brackets of a trail.
pub fn statement(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Skip => "(1)".into(),
        StmtKind::If(_) => "IF".into(),
        StmtKind::Do(_) | StmtKind::For { .. } | StmtKind::ForIn { .. } => "DO".into(),
        StmtKind::Select { literal, .. } => if *literal { "IF" } else { "DO" }.into(),
        StmtKind::Atomic(_) => "ATOMIC".into(),
        StmtKind::DStep(_) => "D_STEP".into(),
        StmtKind::Block(_) | StmtKind::InlineCall { .. } => "sub-sequence".into(),
        StmtKind::Unless { .. } => "unless".into(),
        StmtKind::Break => "break".into(),
        StmtKind::Goto(label) => format!("goto {}", label.name),
        StmtKind::Else => "else".into(),
        StmtKind::Assign { target, op } => assignment(target, op),
        StmtKind::Assert(e) => format!("assert({})", expr(e)),
        StmtKind::Printf { format, args } => printf(format, args),
        StmtKind::Printm(e) => format!("printm({}, 0)", expr(e)),
        StmtKind::Send { channel, args, sorted } => {
            format!("{}{}{}", var(channel), if *sorted { "!!" } else { "!" }, join(args, expr))
        }
        StmtKind::Receive { channel, args, random, copy } => {
            let (open, close) = if *copy { ("<", ">") } else { ("", "") };
            format!("{}{}{open}{}{close}", var(channel), if *random { "??" } else { "?" }, join(args, recv_arg))
        }
        StmtKind::Expr(e) => format!("({})", expr(e)),
        StmtKind::SetPriority { pid, priority } => format!("set_priority({}, {})", expr(pid), expr(priority)),
        StmtKind::Lazy(e) => format!("lazy({})", expr(e)),
        StmtKind::SetTimer { timer, slices: Some(e) } => format!("set({}, {})", var(timer), expr(e)),
        StmtKind::SetTimer { timer, slices: None } => format!("reset({})", var(timer)),
        StmtKind::Embedded(c) => format!("{{{}}}", c.keyword.name),
    }
}

/// An expression, with parentheses around every operator.
pub fn expr(e: &Expr) -> String {
    let mut out = String::new();
    Trail::default().expr(&mut out, e);
    out
}

/// A reference to a variable.
pub fn var(v: &VarRef) -> String {
    let mut out = String::new();
    Trail::default().var(&mut out, v);
    out
}

/// A formula as SPIN announces it: `ltl name: …`.
pub fn formula(e: &Expr) -> String {
    use BinaryOp as B;
    let not = |e: &Expr| format!("! ({})", formula(e));
    let join = |a: String, op: &str, b: String| format!("({a}) {op} ({b})");
    match &e.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => not(inner),
        ExprKind::Unary(op @ (UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next), inner) => {
            format!("{} ({})", unary_operator(*op), formula(inner))
        }
        ExprKind::Binary(B::Implies, a, b) => join(not(a), "||", formula(b)),
        ExprKind::Binary(B::WeakUntil, a, b) => {
            let until = join(formula(a), "U", formula(b));
            join(format!("[] ({})", formula(a)), "||", until)
        }
        ExprKind::Binary(
            op @ (B::Until | B::Release | B::Plain(Operator::Or | Operator::And) | B::Equivalent),
            a,
            b,
        ) => join(formula(a), operator(*op), formula(b)),
        _ => {
            let mut out = String::new();
            Trail { formula: true, ..Trail::default() }.expr(&mut out, e);
            out
        }
    }
}

/// An expression as a person would write it: parentheses only where they were written, blanks around operators.
pub fn source(e: &Expr) -> String {
    let text = match &e.kind {
        ExprKind::Unary(op @ (UnaryOp::Not | UnaryOp::Neg | UnaryOp::BitNot), inner) => {
            format!("{}{}", unary_operator(*op), source(inner))
        }
        ExprKind::Unary(op, inner) => format!("{} {}", unary_operator(*op), source(inner)),
        ExprKind::Binary(op, a, b) => format!("{} {} {}", source(a), operator(*op), source(b)),
        ExprKind::Cond(c, a, b) => format!("{} -> {} : {}", source(c), source(a), source(b)),
        ExprKind::RemoteLabel { process, pid, label } => format!("{}@{}", remote(process, pid), label.name),
        ExprKind::RemoteVar { process, pid, var: v } => format!("{}:{}", remote(process, pid), var(v)),
        _ => expr(e),
    };
    if e.parens { format!("({text})") } else { text }
}

/// The characters of a binary operator.
pub fn operator(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Plain(op) => text::binary(op),
        Implies => "->",
        Equivalent => "<->",
        Until => "U",
        WeakUntil => "W",
        Release => "V",
    }
}

/// The characters of a unary operator.
pub fn unary_operator(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X",
    }
}

fn assignment(target: &VarRef, op: &AssignOp) -> String {
    let target = var(target);
    match op {
        AssignOp::Set(e) => format!("{target} = {}", expr(e)),
        AssignOp::Increment => format!("{target} = ({target}+1)"),
        AssignOp::Decrement => format!("{target} = ({target}-1)"),
    }
}

/// SPIN doubles backslashes and shows double quotes as single ones.
fn printf(format: &str, args: &[Expr]) -> String {
    let mut out = String::from("printf('");
    for c in format.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push('\''),
            _ => out.push(c),
        }
    }
    out.push('\'');
    for a in args {
        let _ = write!(out, ",{}", expr(a));
    }
    out.push(')');
    out
}

fn join<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(",")
}

fn recv_arg(a: &RecvArg) -> String {
    match a {
        RecvArg::Var(v) => var(v),
        RecvArg::Eval(e) => format!("eval({})", expr(e)),
        RecvArg::Number(n, _) => n.to_string(),
    }
}

/// `P` or `P[e]`
fn remote(process: &Ident, pid: &Option<Box<Expr>>) -> String {
    match pid {
        Some(e) => format!("{}[{}]", process.name, expr(e)),
        None => process.name.to_string(),
    }
}

/// Prints the way of trails.
#[derive(Clone, Copy, Default)]
struct Trail {
    /// Within an index SPIN puts a blank before unary operators.
    index: bool,
    /// In formulas remote references keep their form.
    formula: bool,
}

impl Trail {
    fn expr(&self, out: &mut String, e: &Expr) {
        match &e.kind {
            ExprKind::Number(n) => {
                let _ = write!(out, "{n}");
            }
            ExprKind::Var(v) => self.var(out, v),
            ExprKind::Unary(op, inner) => {
                if self.index {
                    out.push(' ');
                }
                self.call(out, unary_operator(*op), inner);
            }
            ExprKind::Binary(op, a, b) => {
                out.push('(');
                self.expr(out, a);
                out.push_str(operator(*op));
                self.expr(out, b);
                out.push(')');
            }
            ExprKind::Cond(c, a, b) => {
                for (before, part) in [("( (", c), (") -> (", a), (") : (", b)] {
                    out.push_str(before);
                    self.expr(out, part);
                }
                out.push_str(") )");
            }
            ExprKind::Run { name, args, .. } => {
                let _ = write!(out, "run {}({})", name.name, join(args, expr));
            }
            ExprKind::Channel(query, c) => {
                let _ = write!(out, "{}({})", text::query(*query), var(c));
            }
            ExprKind::Poll { channel, args, random } => {
                let op = if *random { "??" } else { "?" };
                let _ = write!(out, "{}{op}[{}]", var(channel), join(args, recv_arg));
            }
            ExprKind::Timer(query, t) => {
                let name = if *query == TimerQuery::Expire { "expire" } else { "on" };
                let _ = write!(out, "{name}({})", var(t));
            }
            ExprKind::Timeout => out.push_str("timeout"),
            ExprKind::NonProgress => out.push_str("np_"),
            ExprKind::Enabled(p) => self.call(out, "enabled", p),
            ExprKind::PcValue(p) => self.call(out, "pc_value", p),
            ExprKind::GetPriority(p) => self.call(out, "get_priority", p),
            ExprKind::RemoteLabel { process, pid, label } => {
                let op = if self.formula { "@" } else { "._p==" };
                let _ = write!(out, "({}{op}{})", remote(process, pid), label.name);
            }
            ExprKind::RemoteVar { process, pid, var: v } => {
                let op = if self.formula { ":" } else { "." };
                let _ = write!(out, "{}{op}{}", remote(process, pid), var(v));
            }
            ExprKind::Embedded(c) => {
                let _ = write!(out, "{{{}}}", c.keyword.name);
            }
        }
    }

    fn call(&self, out: &mut String, name: &str, arg: &Expr) {
        out.push_str(name);
        out.push('(');
        self.expr(out, arg);
        out.push(')');
    }

    fn var(&self, out: &mut String, v: &VarRef) {
        for (i, part) in v.parts.iter().enumerate() {
            if i > 0 {
                out.push('.');
            }
            out.push_str(&part.name.name);
            if let Some(index) = &part.index {
                out.push('[');
                Trail { index: true, ..*self }.expr(out, index);
                out.push(']');
            }
        }
    }
}
