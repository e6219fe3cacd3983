//! What text looks like.

use super::*;
use crate::build::*;
use crate::expr::{BinaryOp, ChannelQuery};
use crate::ir::LocId;
use crate::place::Ty;

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

#[test]
fn statements_look_as_spin_prints_them() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let a = b.array("a", Ty::Byte, 3);
    let ch = b.chan("c", 1, &[Ty::Byte, Ty::Byte]);
    let p = b.proctype("P");
    let both = bin(BinaryOp::And, eq(ld(&x), c(1)), bin(BinaryOp::Lt, ld(&element(&a, ld(&x), 3)), c(2)));
    let named = Expr::Const(3, Some("red".into()));
    let receive = |random, copy| Stmt::Receive {
        channel: ch.clone(),
        args: vec![bind(&x), RecvArg::Match(ld(&x)), fits(2), RecvArg::Discard],
        random,
        copy,
    };
    let list = vec![
        (inc(&x), "x = (x+1)"),
        (when(both), "(((x==1)&&(a[x]<2)))"),
        (skip(), "(1)"),
        (Stmt::Skip(SkipKind::Goto("L".into())), "goto L"),
        (Stmt::Skip(SkipKind::Break), "break"),
        (Stmt::Skip(SkipKind::Join), ".(goto)"),
        (Stmt::Else, "else"),
        (Stmt::End, "-end-"),
        (Stmt::Assert(eq(ld(&x), c(1))), "assert((x==1))"),
        (when(run(p, vec![c(1), named])), "(run P(1,red))"),
        (send(&ch, vec![c(1), ld(&x)]), "c!1,x"),
        (Stmt::Send { channel: ch.clone(), args: vec![c(1)], sorted: true }, "c!!1"),
        (receive(false, false), "c?x,eval(x),2,_"),
        (receive(true, true), "c??<x,eval(x),2,_>"),
        (Stmt::Printf("\"x %d\\n\"".into(), vec![ld(&x)]), "printf('x %d\\n',x)"),
        (Stmt::Printm(ld(&x)), "printm(x)"),
        (Stmt::SetPriority(Expr::Pid, c(3)), "set_priority(_pid, 3)"),
        (Stmt::AssignArray(a.clone(), vec![1, 2]), "a[] = {1,2}"),
        (Stmt::Chain(vec![inc(&x), Stmt::Printm(ld(&x))]), "x = (x+1); printm(x)"),
        (d_step(vec![inc(&x)]), "d_step { x = (x+1) }"),
        (d_step(vec![inc(&x), inc(&x)]), "d_step { x = (x+1); ... }"),
    ];
    let model = b.done();
    for (s, expected) in list {
        assert_eq!(stmt(&model, &s), expected);
    }
}

#[test]
fn expressions_look_as_spin_prints_them() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let ch = b.chan("c", 1, &[Ty::Byte]);
    let p = b.proctype("P");
    let model = b.done();
    let label = Expr::RemoteLabel { proctype: p, pid: Some(boxed(c(1))), loc: LocId(4), label: "L".into() };
    let list = [
        (Expr::Cond(boxed(ld(&x)), boxed(c(1)), boxed(c(2))), "(x -> 1 : 2)"),
        (Expr::Unary(UnaryOp::Not, boxed(ld(&x))), "!(x)"),
        (Expr::Channel(ChannelQuery::NotFull, boxed(ch.clone())), "nfull(c)"),
        (Expr::Poll { channel: boxed(ch), args: vec![fits(2)], random: true }, "c??[2]"),
        (Expr::Enabled(boxed(c(1))), "enabled(1)"),
        (label, "P[1]@L"),
        (Expr::RemoteVar { proctype: p, pid: None, place: Box::new(x) }, "P:x"),
        (Expr::NonProgress, "np_"),
    ];
    for (e, expected) in list {
        assert_eq!(expr(&model, &e), expected);
    }
}

#[test]
fn a_dump_shows_everything() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    b.chan("c", 2, &[Ty::Byte, Ty::Short]);
    let p = b.active("P");
    let k = b.param(p, "k", Ty::Short);
    b.local_chan(p, "own", 0, &[Ty::Int]);
    let t = b.atomic(p, 1, inc(&x), 2);
    b.trans(t).resets = vec![k];
    b.trans(t).escape = 2;
    b.end(p, 2);
    b.at(p).locs[1].labels = vec!["accept_here".into()];
    b.at(p).locs[1].accept = true;
    b.model.name = "m.pml".into();
    let text = dump(&b.done());
    for line in [
        "model m.pml",
        "layout: hidden 0..0, header 0..8, globals 8..12, processes from 24",
        "byte x at Global+0",
        "chan #0 c = [2] of { byte, short } (12 bytes)",
        "channel 1: chan #0 at 12, in c",
        "start: P priority 1",
        "proctype #0 P (Process), frame 8 of 8 bytes, priority 1",
        "  short k at Local+4",
        "  params: k",
        "  channel: chan #1 at +8, in own",
        "  1: accept_here: [start] [accept]",
        "    t0 -> 2: x = (x+1) [atomic] [escape 2] [resets k]",
        "    t1 -> 0: -end-",
    ] {
        assert!(text.lines().any(|l| l == line), "no line {line:?} in\n{text}");
    }
}
