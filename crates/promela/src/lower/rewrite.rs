//! Changes to places and remote references throughout a lowered model.

use starwheel_model::{Expr, Model, Place, RecvArg, Stmt};

/// Something that is changed wherever it occurs.
pub trait Rewrite {
    /// A variable that is read or written.
    fn place(&mut self, _place: &mut Place) {}
    /// An expression, after what is inside it.
    fn expr(&mut self, _expr: &mut Expr) {}
}

/// Applies a change to every statement, guard and formula of a model.
pub fn model(model: &mut Model, r: &mut dyn Rewrite) {
    model.init.iter_mut().for_each(|s| stmt(s, r));
    for c in &mut model.global_channels {
        place(&mut c.place, r);
    }
    for p in &mut model.proctypes {
        p.init.iter_mut().for_each(|s| stmt(s, r));
        p.provided.iter_mut().for_each(|e| expr(e, r));
        p.params.iter_mut().for_each(|x| place(x, r));
        p.channels.iter_mut().for_each(|c| place(&mut c.place, r));
    }
    for t in &mut model.transitions {
        stmt(&mut t.stmt, r);
        t.resets.iter_mut().for_each(|p| place(p, r));
    }
    for v in &mut model.globals {
        place(&mut v.place, r);
    }
    for p in &mut model.properties {
        if let starwheel_model::PropertyKind::Ltl(f) = &mut p.kind {
            formula(f, r);
        }
    }
    model.conditions.iter_mut().for_each(|c| expr(&mut c.0, r));
    if let Some(t) = &mut model.trace {
        t.sends.iter_mut().chain(&mut t.receives).for_each(|e| expr(e, r));
    }
}

fn formula(f: &mut starwheel_model::Formula, r: &mut dyn Rewrite) {
    use starwheel_model::Formula as F;
    match f {
        F::Prop(e, _) => expr(e, r),
        F::Not(a) | F::Next(a) | F::Always(a) | F::Eventually(a) => formula(a, r),
        F::And(a, b)
        | F::Or(a, b)
        | F::Implies(a, b)
        | F::Equivalent(a, b)
        | F::Until(a, b)
        | F::WeakUntil(a, b)
        | F::Release(a, b) => {
            formula(a, r);
            formula(b, r);
        }
    }
}

fn place(p: &mut Place, r: &mut dyn Rewrite) {
    p.dims.iter_mut().for_each(|d| expr(&mut d.index, r));
    r.place(p);
}

fn args(list: &mut [RecvArg], r: &mut dyn Rewrite) {
    for a in list {
        match a {
            RecvArg::Bind(p) => place(p, r),
            RecvArg::Match(e) => expr(e, r),
            RecvArg::Discard => {}
        }
    }
}

fn expr(e: &mut Expr, r: &mut dyn Rewrite) {
    match e {
        Expr::Load(p) => place(p, r),
        Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::GetPriority(a) | Expr::Channel(_, a) => {
            expr(a, r)
        }
        Expr::Binary(_, a, b) => {
            expr(a, r);
            expr(b, r);
        }
        Expr::Cond(a, b, c) => {
            expr(a, r);
            expr(b, r);
            expr(c, r);
        }
        Expr::Run(run) => run.args.iter_mut().for_each(|a| expr(a, r)),
        Expr::Poll { channel, args: list, .. } => {
            expr(channel, r);
            args(list, r);
        }
        Expr::RemoteLabel { pid, .. } => pid.iter_mut().for_each(|p| expr(p, r)),
        Expr::RemoteVar { pid, place: p, .. } => {
            pid.iter_mut().for_each(|p| expr(p, r));
            // The variable itself lies in another frame: only its indices are ours.
            p.dims.iter_mut().for_each(|d| expr(&mut d.index, r));
        }
        Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority => {}
        Expr::NonProgress | Expr::Timeout => {}
    }
    r.expr(e);
}

/// Applies a change to one statement.
pub fn stmt(s: &mut Stmt, r: &mut dyn Rewrite) {
    match s {
        Stmt::Skip(_) | Stmt::Else | Stmt::End => {}
        Stmt::Guard(e) | Stmt::Assert(e) | Stmt::Printm(e) => expr(e, r),
        Stmt::Assign(p, e) => {
            place(p, r);
            expr(e, r);
        }
        Stmt::AssignArray(p, _) => place(p, r),
        Stmt::Printf(_, list) => list.iter_mut().for_each(|a| expr(a, r)),
        Stmt::Send { channel, args: list, .. } => {
            expr(channel, r);
            list.iter_mut().for_each(|a| expr(a, r));
        }
        Stmt::Receive { channel, args: list, .. } => {
            expr(channel, r);
            args(list, r);
        }
        Stmt::SetPriority(a, b) => {
            expr(a, r);
            expr(b, r);
        }
        Stmt::DStep(d) => d.locs.iter_mut().flatten().for_each(|t| stmt(&mut t.stmt, r)),
        Stmt::Chain(list) => list.iter_mut().for_each(|s| stmt(s, r)),
    }
}
