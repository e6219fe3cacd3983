//! Ways through the tree of a program: the sequences and expressions inside a statement, the parts of an expression.

use crate::ast::*;

/// The sequences directly inside a statement.
pub fn seqs(kind: &Kind) -> Vec<&Seq> {
    match kind {
        Kind::If(options) | Kind::Do(options) => options.iter().collect(),
        Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(body) | Kind::For(_, _, body) => vec![body],
        Kind::Unless(body, escape) => vec![body, escape],
        _ => Vec::new(),
    }
}

/// The sequences directly inside a statement, to change them.
pub fn seqs_mut(kind: &mut Kind) -> Vec<&mut Seq> {
    match kind {
        Kind::If(options) | Kind::Do(options) => options.iter_mut().collect(),
        Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(body) | Kind::For(_, _, body) => vec![body],
        Kind::Unless(body, escape) => vec![body, escape],
        _ => Vec::new(),
    }
}

/// The expressions directly inside a statement, those in indices and receive arguments included.
pub fn exprs_mut(kind: &mut Kind) -> Vec<&mut Expr> {
    match kind {
        Kind::Assign(place, e) => {
            let mut list = indices_mut(place);
            list.push(e);
            list
        }
        Kind::Step(place, _) | Kind::Exclusive(_, place) => indices_mut(place),
        Kind::Guard(e) | Kind::Assert(e) => vec![e],
        Kind::Printf(args) | Kind::Call(_, Some(args)) => args.iter_mut().collect(),
        Kind::Send(chan, _, args, _) => {
            let mut list = indices_mut(chan);
            list.extend(args.iter_mut());
            list
        }
        Kind::Recv(recv, _) => recv_exprs_mut(recv),
        Kind::For(_, ForRange::Values(a, b), _) | Kind::Select(_, a, b) | Kind::SetPriority(a, b) => vec![a, b],
        Kind::Decl(VarDecl { init: Some(Init::Value(e)), .. }) => vec![e],
        _ => Vec::new(),
    }
}

fn recv_exprs_mut(recv: &mut Recv) -> Vec<&mut Expr> {
    let mut list = indices_mut(&mut recv.chan);
    for arg in &mut recv.args {
        match arg {
            RecvArg::Eval(e) => list.push(e),
            RecvArg::Into(place) => list.extend(indices_mut(place)),
            RecvArg::Match(_) | RecvArg::Any => {}
        }
    }
    list
}

fn indices_mut(place: &mut Place) -> Vec<&mut Expr> {
    let mut list = Vec::new();
    list.extend(place.index.as_deref_mut());
    if let Some(field) = &mut place.field {
        list.extend(indices_mut(field));
    }
    list
}

/// The expressions that could stand in the place of the whole.
pub fn parts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Paren(a) | Expr::Unary(_, a) => vec![a],
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Cond(c, a, b) => vec![c, a, b],
        Expr::Call(_, args) => args.iter().collect(),
        _ => Vec::new(),
    }
}

/// The expressions directly inside an expression.
pub fn parts_mut(e: &mut Expr) -> Vec<&mut Expr> {
    match e {
        Expr::Paren(a) | Expr::Unary(_, a) => vec![a],
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Cond(c, a, b) => vec![c, a, b],
        Expr::Call(_, args) | Expr::Run(_, args, _) => args.iter_mut().collect(),
        Expr::Var(place) | Expr::Chan(_, place) => indices_mut(place),
        Expr::Poll(recv) => recv_exprs_mut(recv),
        Expr::Num(_) | Expr::Word(_) | Expr::RemoteLabel(..) | Expr::RemoteVar(..) => Vec::new(),
    }
}

/// Calls `f` on every expression of a program, the whole before its parts.
pub fn every_expr(program: &mut Program, f: &mut impl FnMut(&mut Expr)) {
    for item in &mut program.items {
        match item {
            Item::Proc(p) => {
                if let Some(e) = &mut p.provided {
                    deep(e, f);
                }
                every_in_seq(&mut p.body, f);
            }
            Item::Inline(_, _, body) | Item::DefineStmts(_, body) | Item::Automaton(_, body) => every_in_seq(body, f),
            Item::DefineExpr(_, _, e) | Item::Ltl(_, e) => deep(e, f),
            Item::Global(_) | Item::Mtype(..) | Item::Typedef(..) => {}
        }
    }
}

/// Calls `f` on every statement of a sequence, the whole before its parts.
pub fn every_stmt(seq: &Seq, f: &mut impl FnMut(&Stmt)) {
    for stmt in seq {
        f(stmt);
        for inner in seqs(&stmt.kind) {
            every_stmt(inner, f);
        }
    }
}

fn every_in_seq(seq: &mut Seq, f: &mut impl FnMut(&mut Expr)) {
    for stmt in seq {
        for e in exprs_mut(&mut stmt.kind) {
            deep(e, f);
        }
        for inner in seqs_mut(&mut stmt.kind) {
            every_in_seq(inner, f);
        }
    }
}

fn deep(e: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    f(e);
    for inner in parts_mut(e) {
        deep(inner, f);
    }
}
