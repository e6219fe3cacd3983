//! Whole state spaces: stored states, transitions and errors equal those that SPIN 6.5.2 counts for the Promela in the
//! comment of each test (`spin -o1 -o2 -o3 -a`, `-DSAFETY -DNOREDUCE -DNOFAIR`, `pan -c0`).

use crate::build::*;
use crate::expr::{BinaryOp, Expr, Run, UnaryOp};
use crate::footprint::{Footprint, footprints};
use crate::interp::Interp;
use crate::ir::{LocId, Model, ProctypeId, ProctypeKind, TraceAssertion};
use crate::place::{Place, Ty};
use crate::step::ProcessStep;
use crate::stmt::{DStep, DTrans, RecvArg, Stmt};
use starwheel_system::{Step, Stepper};
use std::collections::HashSet;

/// Stored states, transitions as SPIN counts them (arrivals, the initial state included), errors.
fn count(model: &Model) -> (usize, usize, usize) {
    assert_eq!(crate::verify::verify(model), Vec::<String>::new());
    let footprints = footprints(model);
    let mut interp = Interp::new(model);
    let (mut steps, mut next, mut initial) = (Vec::new(), Vec::new(), Vec::new());
    interp.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut stack = vec![initial];
    let (mut arrivals, mut errors) = (1, 0);
    while let Some(state) = stack.pop() {
        interp.enabled(&state, &mut steps);
        if !interp.transient(&state) {
            commuting(&mut interp, &footprints, &state, &steps);
        }
        errors += usize::from(steps.is_empty() && interp.stuck(&state).is_some());
        for &step in &steps {
            errors += interp.fire(&state, step, &mut next).violations.len();
            if interp.transient(&next) {
                stack.push(next.clone());
                continue;
            }
            arrivals += 1;
            if seen.insert(next.clone()) {
                stack.push(next.clone());
            }
        }
    }
    (seen.len(), arrivals, errors)
}

/// Steps of different processes whose footprints do not clash neither enable nor disable each other, and commute.
fn commuting(interp: &mut Interp<'_>, footprints: &[Footprint], state: &[u8], steps: &[Step]) {
    let model = interp.model();
    let whole = |s: Step| {
        let mut f = footprints[s.action.index()].clone();
        s.partner().iter().for_each(|p| f.join(&footprints[p.1.index()]));
        f
    };
    let apart = |s: Step, t: Step| {
        let pids = |x: Step| [Some(x.pid()), x.partner().map(|p| p.0)];
        !pids(s).into_iter().flatten().any(|p| pids(t).contains(&Some(p)))
    };
    let single = |s: Step| {
        let last = s.second_action().unwrap_or(s.action);
        !s.timeout && !model.transition(last).atomic
    };
    let fire = |interp: &mut Interp<'_>, at: &[u8], s: Step| {
        let mut out = Vec::new();
        interp.fire(at, s, &mut out);
        out
    };
    for &s in steps.iter().filter(|s| single(**s)) {
        let after = fire(interp, state, s);
        let mut later = Vec::new();
        interp.enabled(&after, &mut later);
        for &t in steps.iter().chain(&later).filter(|t| single(**t) && apart(s, **t)) {
            if whole(s).clashes(&whole(t)) {
                continue;
            }
            assert!(steps.contains(&t) && later.contains(&t), "{s:?} enables or disables {t:?}");
            let before = fire(interp, state, t);
            assert_eq!(fire(interp, &after, t), fire(interp, &before, s), "{s:?} and {t:?} do not commute");
        }
    }
}

fn add(a: Expr, b: Expr) -> Expr {
    bin(BinaryOp::Add, a, b)
}

fn gt(a: Expr, b: Expr) -> Expr {
    bin(BinaryOp::Gt, a, b)
}

fn plus(x: &Place, n: i32) -> Stmt {
    set(x, add(ld(x), c(n)))
}

fn times(x: &Place, n: i32) -> Stmt {
    set(x, bin(BinaryOp::Mul, ld(x), c(n)))
}

/// `init { skip }`
#[test]
fn one_skip() {
    let mut b = Build::default();
    let p = b.active("P");
    b.sequence(p, vec![skip()]);
    assert_eq!(count(&b.done()), (3, 3, 0));
}

/// `active [2] proctype P() { skip }`
#[test]
fn two_skips() {
    let mut b = Build::default();
    let p = b.active("P");
    b.model.starts.push(b.model.starts[0].clone());
    b.sequence(p, vec![skip()]);
    assert_eq!(count(&b.done()), (7, 9, 0));
}

/// ```text
/// chan c = [0] of { byte }; byte x;
/// active proctype S() { atomic { c!1; x = x+1; x = x+2 } }
/// active proctype R() { byte v; atomic { c?v; x = x*3; v = x } }
/// active proctype T() { byte v; c?v; x = x*2 }
/// ```
#[test]
fn handshakes_inside_atomic() {
    let mut b = Build::default();
    let ch = b.chan("c", 0, &[Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let s = b.active("S");
    b.atomic(s, 1, send(&ch, vec![c(1)]), 2);
    b.atomic(s, 2, plus(&x, 1), 3);
    b.step(s, 3, plus(&x, 2), 4);
    b.end(s, 4);
    let r = b.active("R");
    let v = b.local(r, "v", Ty::Byte);
    b.atomic(r, 1, recv(&ch, vec![bind(&v)]), 2);
    b.atomic(r, 2, times(&x, 3), 3);
    b.step(r, 3, set(&v, ld(&x)), 4);
    b.end(r, 4);
    let t = b.active("T");
    let v = b.local(t, "v", Ty::Byte);
    b.sequence(t, vec![recv(&ch, vec![bind(&v)]), times(&x, 2)]);
    assert_eq!(count(&b.done()), (11, 12, 3));
}

/// ```text
/// byte x;
/// active proctype P() { { x = 1; x = 2; x = 3; x == 7 } unless { x == 2 -> x = 9 } }
/// active proctype Q() { x = 2; atomic { x > 2 -> x = 7; x == 9 ; x = 1 } }
/// ```
#[test]
fn unless_beside_an_atomic_that_blocks() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let normal = [set(&x, c(1)), set(&x, c(2)), set(&x, c(3)), when(eq(ld(&x), c(7)))];
    for (i, stmt) in normal.into_iter().enumerate() {
        let at = i as u16 + 1;
        let escape = b.step(p, at, when(eq(ld(&x), c(2))), 6);
        b.trans(escape).escape = 5;
        b.step(p, at, stmt, at + 1);
    }
    b.step(p, 6, set(&x, c(9)), 5);
    b.end(p, 5);
    let q = b.active("Q");
    b.step(q, 1, set(&x, c(2)), 2);
    b.atomic(q, 2, when(gt(ld(&x), c(2))), 3);
    b.atomic(q, 3, set(&x, c(7)), 4);
    b.atomic(q, 4, when(eq(ld(&x), c(9))), 5);
    b.step(q, 5, set(&x, c(1)), 6);
    b.end(q, 6);
    assert_eq!(count(&b.done()), (12, 15, 2));
}

/// ```text
/// chan c = [0] of { byte }; chan q = [2] of { byte, byte }; byte x;
/// active proctype P() { do :: c!x -> x = (x+1)%4 :: q!!x,3-x :: else -> break od; timeout; x = 77 }
/// active proctype Q() { byte v, w; do :: c?v :: q?v,w -> x = (v+w)%4
///   :: d_step { q??2,w ; x = 3; if :: w > 1 -> x = 2 :: else -> w = 0 fi } :: x == 3 -> break od }
/// ```
#[test]
fn channels_of_all_kinds_with_else_and_timeout() {
    let mut b = Build::default();
    let (ch, qu) = (b.chan("c", 0, &[Ty::Byte]), b.chan("q", 2, &[Ty::Byte, Ty::Byte]));
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let args = vec![ld(&x), bin(BinaryOp::Sub, c(3), ld(&x))];
    b.step(p, 1, send(&ch, vec![ld(&x)]), 2);
    b.step(p, 1, Stmt::Send { channel: qu.clone(), args, sorted: true }, 1);
    b.step(p, 1, Stmt::Else, 3);
    b.step(p, 2, set(&x, bin(BinaryOp::Rem, add(ld(&x), c(1)), c(4))), 1);
    b.step(p, 3, when(Expr::Timeout), 4);
    b.step(p, 4, set(&x, c(77)), 5);
    b.end(p, 5);
    let q = b.active("Q");
    let (v, w) = (b.local(q, "v", Ty::Byte), b.local(q, "w", Ty::Byte));
    b.step(q, 1, recv(&ch, vec![bind(&v)]), 1);
    b.step(q, 1, recv(&qu, vec![bind(&v), bind(&w)]), 2);
    let t = |stmt, to| DTrans { stmt, to, span: span(0) };
    let random = Stmt::Receive { channel: qu, args: vec![fits(2), bind(&w)], random: true, copy: false };
    let d = DStep {
        locs: vec![
            vec![t(random, Some(1))],
            vec![t(set(&x, c(3)), Some(2))],
            vec![t(when(gt(ld(&w), c(1))), Some(3)), t(Stmt::Else, Some(4))],
            vec![t(set(&x, c(2)), None)],
            vec![t(set(&w, c(0)), None)],
        ],
    };
    b.step(q, 1, Stmt::DStep(Box::new(d)), 1);
    b.step(q, 1, when(eq(ld(&x), c(3))), 3);
    b.step(q, 2, set(&x, bin(BinaryOp::Rem, add(ld(&v), ld(&w)), c(4))), 1);
    b.end(q, 3);
    b.model.uses.timeout = true;
    assert_eq!(count(&b.done()), (1521, 3176, 0));
}

/// ```text
/// byte x; bool go;
/// proctype R(byte k) provided (go || _pid > 3 || x > 1) { byte v; v = k + x; x = x + 1; go = !go }
/// init { byte n; do :: n < 2 -> atomic { n = n + 1; run R(n*2); run R(n) } :: _nr_pr > 2 -> go = 1; break od;
///   _nr_pr == 1; assert(x == 4) }
/// ```
#[test]
fn processes_with_provided() {
    let mut b = Build::default();
    let (x, go) = (b.global("x", Ty::Byte), b.global("go", Ty::Bit));
    let r = b.proctype("R");
    let (k, v) = (b.param(r, "k", Ty::Byte), b.local(r, "v", Ty::Byte));
    let not_go = Expr::Unary(UnaryOp::Not, Box::new(ld(&go)));
    b.sequence(r, vec![set(&v, add(ld(&k), ld(&x))), plus(&x, 1), set(&go, not_go)]);
    let or = |a, b| bin(BinaryOp::Or, a, b);
    b.at(r).provided = Some(or(or(ld(&go), gt(Expr::Pid, c(3))), gt(ld(&x), c(1))));
    let i = b.active(":init:");
    let n = b.local(i, "n", Ty::Byte);
    b.step(i, 1, when(bin(BinaryOp::Lt, ld(&n), c(2))), 2);
    b.step(i, 1, when(gt(Expr::NrPr, c(2))), 5);
    b.atomic(i, 2, plus(&n, 1), 3);
    b.atomic(i, 3, when(run(r, vec![bin(BinaryOp::Mul, ld(&n), c(2))])), 4);
    b.step(i, 4, when(run(r, vec![ld(&n)])), 1);
    b.step(i, 5, set(&go, c(1)), 6);
    b.step(i, 6, when(eq(Expr::NrPr, c(1))), 7);
    b.step(i, 7, Stmt::Assert(eq(ld(&x), c(4))), 8);
    b.end(i, 8);
    assert_eq!(count(&b.done()), (9502, 26538, 35));
}

/// ```text
/// byte x;
/// proctype L(byte k) { x = x + k; x > 3 -> x = x - 1 }
/// proctype H() { x == 1 -> x = 4; set_priority(0, 9) ; x = 2 }
/// init { run L(1) priority 2; run H() priority 5; run L(2); x = x + 1; x = x * 2; assert(get_priority(0) == 1) }
/// ```
#[test]
fn priorities() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let l = b.proctype("L");
    let k = b.param(l, "k", Ty::Byte);
    b.sequence(l, vec![set(&x, add(ld(&x), ld(&k))), when(gt(ld(&x), c(3))), plus(&x, -1)]);
    let h = b.proctype("H");
    let raise = Stmt::SetPriority(c(0), c(9));
    b.sequence(h, vec![when(eq(ld(&x), c(1))), set(&x, c(4)), raise, set(&x, c(2))]);
    let i = b.active(":init:");
    let start = |proctype: ProctypeId, args, priority| when(Expr::Run(Box::new(Run { proctype, args, priority })));
    let check = Stmt::Assert(eq(Expr::GetPriority(Box::new(c(0))), c(1)));
    b.sequence(
        i,
        vec![
            start(l, vec![c(1)], Some(2)),
            start(h, vec![], Some(5)),
            start(l, vec![c(2)], None),
            plus(&x, 1),
            times(&x, 2),
            check,
        ],
    );
    b.model.uses.priority = true;
    assert_eq!(count(&b.done()), (15, 15, 2));
}

/// P sends three messages to a rendezvous channel and three to another; the event assertion is what `trace` adds. Q is
/// always ready, because pan lets the automaton see a handshake that then does not take place; we do not.
fn traced(forbidden: bool, trace: impl FnOnce(&mut Build, ProctypeId, &Expr, &Expr, &Place)) -> Model {
    let mut b = Build::default();
    let (ch, d) = (b.chan("c", 0, &[Ty::Byte]), b.chan("d", 2, &[Ty::Byte, Ty::Byte]));
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let n = b.local(p, "n", Ty::Byte);
    b.step(p, 1, when(bin(BinaryOp::Lt, ld(&n), c(3))), 2);
    b.step(p, 1, Stmt::Else, 5);
    b.step(p, 2, plus(&n, 1), 3);
    b.step(p, 3, send(&ch, vec![ld(&n)]), 4);
    b.step(p, 4, send(&d, vec![c(2), ld(&n)]), 1);
    b.end(p, 5);
    let q = b.active("Q");
    let v = b.local(q, "v", Ty::Byte);
    b.step(q, 1, recv(&ch, vec![bind(&v)]), 1);
    b.step(q, 1, recv(&d, vec![RecvArg::Discard, bind(&v)]), 1);
    b.at(q).locs[1].end = true;
    let t = b.proctype(":trace:");
    b.at(t).kind = ProctypeKind::Trace;
    trace(&mut b, t, &ch, &d, &x);
    let (sends, receives) = (vec![ch, d.clone()], vec![d]);
    b.model.trace = Some(TraceAssertion { proctype: t, forbidden, sends, receives });
    b.done()
}

/// ```text
/// chan c = [0] of { byte }; chan d = [2] of { byte, byte }; byte x;
/// active proctype P() { byte n; do :: n < 3 -> n++; c!n ; d!2,n :: else -> break od }
/// active proctype Q() { byte v; end: do :: c?v :: d?_,v od }
/// trace { do :: c!1; d!2,_ :: d?2,3; d!2,3 od }
/// ```
#[test]
fn a_trace() {
    let model = traced(false, |b, t, ch, d, any| {
        b.step(t, 1, send(ch, vec![c(1)]), 2);
        b.step(t, 1, recv(d, vec![fits(2), fits(3)]), 3);
        b.step(t, 2, send(d, vec![c(2), ld(any)]), 1);
        b.step(t, 3, send(d, vec![c(2), c(3)]), 1);
    });
    assert_eq!(count(&model), (40, 59, 34));
}

/// The same with `notrace { c!1; d!2,_; d?2,1 }`.
#[test]
fn a_notrace() {
    let model = traced(true, |b, t, ch, d, any| {
        let events = vec![send(ch, vec![c(1)]), send(d, vec![c(2), ld(any)]), recv(d, vec![fits(2), fits(1)])];
        b.sequence(t, events);
    });
    assert_eq!(count(&model), (40, 59, 3));
}

/// ```text
/// byte x;
/// active proctype P() { do :: enabled(1) -> x = 1 :: x == 1 -> x = 2 :: _last == 1 -> x = 0 :: x == 2 -> break od }
/// active proctype Q() { byte n; do :: x == 2 && n < 3 -> n++ :: pc_value(0) == 2 -> x = 2; n = 3
///   :: else -> x = 3; break od; x = 1 }
/// ```
#[test]
fn enabled_pc_value_and_last() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.step(p, 9, when(Expr::Enabled(Box::new(c(1)))), 2);
    b.step(p, 9, when(eq(ld(&x), c(1))), 4);
    b.step(p, 9, when(eq(Expr::Last, c(1))), 6);
    b.step(p, 9, when(eq(ld(&x), c(2))), 12);
    for (at, value) in [(2, 1), (4, 2), (6, 0)] {
        b.step(p, at, set(&x, c(value)), 9);
    }
    b.end(p, 12);
    b.at(p).start = LocId(9);
    let q = b.active("Q");
    let n = b.local(q, "n", Ty::Byte);
    let both = bin(BinaryOp::And, eq(ld(&x), c(2)), bin(BinaryOp::Lt, ld(&n), c(3)));
    b.step(q, 9, when(both), 2);
    b.step(q, 9, when(eq(Expr::PcValue(Box::new(c(0))), c(2))), 4);
    b.step(q, 9, Stmt::Else, 7);
    b.step(q, 2, plus(&n, 1), 9);
    b.step(q, 4, set(&x, c(2)), 5);
    b.step(q, 5, set(&n, c(3)), 9);
    b.step(q, 7, set(&x, c(3)), 12);
    b.step(q, 12, set(&x, c(1)), 13);
    b.end(q, 13);
    b.at(q).start = LocId(9);
    b.model.uses.last = true;
    assert_eq!(count(&b.done()), (394, 836, 1));
}

/// ```text
/// chan c = [0] of { byte }; byte x;
/// active proctype P() { { c!1; x = 1; c!2 } unless { x == 1 -> c!3 } }
/// active proctype Q() { byte v; { do :: c?v; x = v :: x == 2 -> break od } unless { c?3; x = 7 } }
/// active proctype R() { byte v; atomic { c?v; x = v+1 }; { x = 5; c!3 } unless { c!4 -> x = 8 } }
/// ```
#[test]
fn handshakes_and_escapes() {
    let mut b = Build::default();
    let ch = b.chan("c", 0, &[Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let offer = |v| send(&ch, vec![c(v)]);
    let p = b.active("P");
    let escaped = |b: &mut Build, p, at, escape: Stmt, to, rest: Vec<(Stmt, u16)>| {
        let e = b.step(p, at, escape, to);
        b.trans(e).escape = to;
        rest.into_iter().for_each(|(stmt, to)| {
            b.step(p, at, stmt, to);
        });
    };
    escaped(&mut b, p, 1, when(eq(ld(&x), c(1))), 5, vec![(offer(1), 2)]);
    escaped(&mut b, p, 2, when(eq(ld(&x), c(1))), 5, vec![(set(&x, c(1)), 3)]);
    escaped(&mut b, p, 3, when(eq(ld(&x), c(1))), 5, vec![(offer(2), 8)]);
    b.step(p, 5, offer(3), 8);
    b.end(p, 8);
    let q = b.active("Q");
    let v = b.local(q, "v", Ty::Byte);
    let three = || recv(&ch, vec![fits(3)]);
    let main = vec![(recv(&ch, vec![bind(&v)]), 2), (when(eq(ld(&x), c(2))), 12)];
    escaped(&mut b, q, 1, three(), 9, main);
    escaped(&mut b, q, 2, three(), 9, vec![(set(&x, ld(&v)), 1)]);
    b.step(q, 9, set(&x, c(7)), 12);
    b.end(q, 12);
    let r = b.active("R");
    let v = b.local(r, "v", Ty::Byte);
    b.atomic(r, 1, recv(&ch, vec![bind(&v)]), 2);
    b.step(r, 2, set(&x, add(ld(&v), c(1))), 4);
    escaped(&mut b, r, 4, offer(4), 7, vec![(set(&x, c(5)), 5)]);
    escaped(&mut b, r, 5, offer(4), 7, vec![(offer(3), 10)]);
    b.step(r, 7, set(&x, c(8)), 10);
    b.end(r, 10);
    assert_eq!(count(&b.done()), (111, 161, 9));
}
