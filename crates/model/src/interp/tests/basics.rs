//! Steps of single processes: order, guards, `else`, `unless`, values, errors, ends.

use crate::build::*;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::place::Ty;
use crate::stmt::Stmt;
use starwheel_base::Span;
use starwheel_system::{Stepper, ViolationKind};

#[test]
fn two_processes_that_increment_move_in_both_orders_youngest_first() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![inc(&x)]);
    b.sequence(q, vec![inc(&x)]);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["1:t2", "0:t0"]);
    // The older process cannot end before the younger one is gone.
    w.fire("0:t0");
    assert_eq!(w.steps(), ["1:t2"]);
    w.fire("1:t2").fire("1:t3");
    assert_eq!(w.get("x"), "2");
    w.fire("0:t1");
    assert!(w.steps().is_empty());
    assert_eq!(w.interp.stuck(&w.state.clone()), None);
}

#[test]
fn a_guard_blocks_and_else_needs_that_nothing_before_it_can_move() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.step(p, 1, when(eq(ld(&x), c(1))), 2);
    b.step(p, 1, when(eq(ld(&x), c(2))), 2);
    b.step(p, 1, Stmt::Else, 3);
    b.step(p, 3, set(&x, c(1)), 1);
    b.end(p, 2);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t2"]);
    w.fire("0:t2").fire("0:t3");
    assert_eq!(w.steps(), ["0:t0"]);
}

#[test]
fn of_several_escapes_only_the_first_that_can_move_is_looked_at() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let outer = b.step(p, 1, when(eq(ld(&x), c(2))), 2);
    let inner = b.step(p, 1, when(bin(BinaryOp::Ge, ld(&x), c(1))), 2);
    let also = b.step(p, 1, when(eq(ld(&x), c(1))), 2);
    b.step(p, 1, inc(&x), 1);
    b.trans(outer).escape = 1;
    b.trans(inner).escape = 2;
    b.trans(also).escape = 2;
    b.end(p, 2);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t3"]);
    w.fire("0:t3");
    assert_eq!(w.steps(), ["0:t1", "0:t2"]);
    let mut other = Walk::new(&model);
    let globals = model.layout.globals_start() as usize;
    other.state[globals] = 2;
    assert_eq!(other.steps(), ["0:t0"]);
}

#[test]
fn values_are_cut_to_their_types_and_arithmetic_is_that_of_a_c_int() {
    let mut b = Build::default();
    let bit = b.global("bit", Ty::Bit);
    let byte = b.global("byte", Ty::Byte);
    let short = b.global("short", Ty::Short);
    let int = b.global("int", Ty::Int);
    let three = b.global("three", Ty::Unsigned(3));
    let p = b.active("P");
    let neg = |v| Expr::Unary(UnaryOp::Neg, Box::new(c(v)));
    b.sequence(
        p,
        vec![
            set(&bit, c(6)),
            set(&byte, c(258)),
            set(&short, c(40000)),
            set(&int, bin(BinaryOp::Add, c(i32::MAX), c(1))),
            set(&three, c(13)),
            set(&byte, bin(BinaryOp::Rem, neg(7), c(3))),
            set(&short, bin(BinaryOp::Shl, c(1), c(33))),
            set(&int, bin(BinaryOp::Shr, neg(8), c(1))),
        ],
    );
    let model = b.done();
    let mut w = Walk::new(&model);
    for i in 0..5 {
        w.fire(&format!("0:t{i}"));
    }
    let all = ["bit", "byte", "short", "int", "three"].map(|n| w.get(n));
    assert_eq!(all, ["0", "2", "-25536", "-2147483648", "5"]);
    for i in 5..8 {
        w.fire(&format!("0:t{i}"));
    }
    assert_eq!(["byte", "short", "int"].map(|n| w.get(n)), ["255", "2", "-4"]);
}

#[test]
fn a_step_without_meaning_is_listed_and_breaks_when_fired() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let a = b.array("a", Ty::Byte, 3);
    let p = b.active("P");
    b.step(p, 1, when(eq(bin(BinaryOp::Div, c(1), ld(&x)), c(1))), 2);
    b.step(p, 1, Stmt::Else, 2);
    b.step(p, 2, set(&element(&a, c(3), 3), c(1)), 3);
    b.step(p, 2, skip(), 3);
    b.end(p, 3);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0"], "a guard that breaks is no reason for else");
    w.fire("0:t0");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "division by zero");
    assert_eq!(w.fired.violations[0].kind, ViolationKind::RuntimeError);
    assert_eq!(w.fired.violations[0].span, Span { start: 0, end: 1, ..Span::default() });
    let mut w = Walk::new(&model);
    let frame = model.layout.processes as usize;
    w.state[frame + 2] = 2;
    w.fire("0:t2");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "the index 3 of `a` is out of bounds: the array has 3 elements, 0 to 2");
}

#[test]
fn a_failed_assertion_shows_values_and_the_path_goes_on() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.sequence(p, vec![set(&x, c(4)), Stmt::Assert(bin(BinaryOp::Lt, ld(&x), c(2)))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0").fire("0:t1");
    assert!(!w.fired.broken);
    assert_eq!(w.problem(), "the assertion `(x<2)` does not hold: x = 4");
    assert_eq!(w.fired.violations[0].kind, ViolationKind::Assertion);
    assert_eq!(w.steps(), ["0:t2"]);
}

#[test]
fn timeout_holds_only_when_nothing_else_can_happen() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![when(Expr::Timeout), set(&x, c(1))]);
    b.sequence(q, vec![inc(&x), when(eq(ld(&x), c(9)))]);
    b.model.uses.timeout = true;
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["1:t3"]);
    w.fire("1:t3");
    assert_eq!(w.steps(), ["0:t0*"]);
    w.fire("0:t0*");
    assert_eq!(w.steps(), ["0:t1"]);
}

#[test]
fn a_stuck_state_is_wrong_unless_all_are_at_an_end() {
    let mut b = Build::default();
    let p = b.active("P");
    let q = b.active("Q");
    b.step(p, 1, when(c(0)), 2);
    b.end(p, 2);
    b.step(q, 1, when(c(0)), 2);
    b.end(q, 2);
    b.at(q).locs[1].end = true;
    b.at(p).locs[1].span = span(77);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert!(w.steps().is_empty());
    let found = w.interp.stuck(&w.state.clone()).expect("P is not at an end");
    assert_eq!(found.kind, ViolationKind::InvalidEndState);
    assert_eq!(found.span, span(77));
    assert_eq!(
        found.message,
        "nothing can happen any more, but not all processes are at a valid end: process 0 (P) waits at `(0)`"
    );
}

#[test]
fn hidden_variables_lie_before_the_header() {
    let mut b = Build::default();
    let h = b.hidden("h", Ty::Int);
    let p = b.active("P");
    b.sequence(p, vec![set(&h, c(-5))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert_eq!(w.get("h"), "-5");
    assert_eq!(w.state[..4], (-5i32).to_le_bytes());
    assert_eq!(model.layout.hidden, 4);
}

#[test]
fn a_deterministic_type_complains_about_the_second_choice() {
    let mut b = Build::default();
    let p = b.active("P");
    b.step(p, 1, skip(), 2);
    b.step(p, 1, skip(), 2);
    b.end(p, 2);
    b.at(p).deterministic = true;
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.fired.violations.is_empty());
    let mut w = Walk::new(&model);
    w.fire("0:t1");
    assert!(!w.fired.broken);
    assert!(w.problem().starts_with("non-determinism in D_proctype"));
}

#[test]
fn resets_and_merged_steps_happen_inside_one_step() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let y = b.local(p, "y", Ty::Byte);
    let t = b.step(p, 1, Stmt::Chain(vec![set(&y, c(3)), set(&x, ld(&y))]), 2);
    b.trans(t).resets = vec![y];
    b.end(p, 2);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert_eq!([w.get("x"), w.get("P(0).y")], ["3", "0"]);
}
