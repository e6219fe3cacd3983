//! `atomic` and `d_step`.

use crate::build::*;
use crate::expr::BinaryOp;
use crate::ir::Model;
use crate::place::{Place, Ty};
use crate::stmt::{DStep, DTrans, Stmt};

#[test]
fn inside_atomic_only_one_process_moves_and_states_are_transient() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.atomic(p, 1, inc(&x), 2);
    b.step(p, 2, inc(&x), 3);
    b.end(p, 3);
    b.sequence(q, vec![inc(&x)]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.transient());
    assert_eq!(w.steps(), ["0:t1"]);
    w.fire("0:t1");
    assert!(!w.transient());
    assert_eq!(w.steps(), ["1:t3"]);
}

#[test]
fn a_block_inside_atomic_gives_control_back() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.atomic(p, 1, set(&x, c(1)), 2);
    b.atomic(p, 2, when(eq(ld(&x), c(2))), 3);
    b.step(p, 3, set(&x, c(9)), 4);
    b.end(p, 4);
    b.sequence(q, vec![set(&x, c(2))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(!w.transient(), "the guard blocks, so the state is an ordinary one");
    assert_eq!(w.steps(), ["1:t4"]);
    w.fire("1:t4");
    assert_eq!(w.steps(), ["1:t5", "0:t1"]);
    w.fire("0:t1");
    assert!(w.transient(), "back inside, the process is in control again");
    assert_eq!(w.steps(), ["0:t2"]);
}

fn selection(x: &Place) -> Stmt {
    let t = |stmt, to, at| DTrans { stmt, to, span: span(at) };
    Stmt::DStep(Box::new(DStep {
        locs: vec![
            vec![t(when(bin(BinaryOp::Lt, ld(x), c(5))), Some(1), 200)],
            vec![
                t(when(bin(BinaryOp::Lt, ld(x), c(5))), Some(2), 201),
                t(when(bin(BinaryOp::Lt, ld(x), c(9))), None, 202),
                t(Stmt::Else, Some(3), 203),
            ],
            vec![t(inc(x), Some(1), 204)],
            vec![t(set(x, c(100)), None, 205)],
        ],
    }))
}

fn one_d_step(start: i32, stmt: impl Fn(&Place) -> Stmt) -> Model {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.model.init = vec![set(&x, c(start))];
    let stmt = stmt(&x);
    b.sequence(p, vec![stmt]);
    b.done()
}

#[test]
fn a_d_step_is_one_step_by_the_first_choices() {
    let model = one_d_step(2, selection);
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert_eq!(w.get("x"), "5");
    assert_eq!(w.steps(), ["0:t1"]);
    let model = one_d_step(5, selection);
    assert!(Walk::new(&model).steps().is_empty(), "its first statement decides whether it can start");
}

#[test]
fn a_block_inside_d_step_is_an_error_at_the_statement() {
    let model = one_d_step(0, |x| d_step(vec![set(x, c(1)), when(eq(ld(x), c(2)))]));
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "block in d_step: `((x==2))` cannot be executed");
    assert_eq!(w.fired.violations[0].span, span(101));
}

#[test]
fn an_endless_d_step_is_an_error() {
    let endless = |x: &Place| {
        let t = DTrans { stmt: inc(x), to: Some(0), span: span(0) };
        Stmt::DStep(Box::new(DStep { locs: vec![vec![t]] }))
    };
    let model = one_d_step(0, endless);
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "the d_step does not end: it made a million steps");
}

#[test]
fn a_rendezvous_send_inside_d_step_is_an_error() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    b.sequence(p, vec![d_step(vec![send(&ch, vec![c(1)])])]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "`ch!1` sends to a channel without slots, which a d_step cannot do");
}

#[test]
fn an_else_at_the_start_of_a_d_step_belongs_to_the_selection_around_it() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.step(p, 1, when(eq(ld(&x), c(0))), 2);
    b.step(p, 1, d_step(vec![Stmt::Else, inc(&x)]), 2);
    b.end(p, 2);
    let model = b.done();
    assert_eq!(Walk::new(&model).steps(), ["0:t0"]);
    let mut w = Walk::new(&model);
    w.state[model.layout.globals_start() as usize] = 1;
    w.fire("0:t1");
    assert_eq!(w.get("x"), "2");
}
