//! Handshakes.

use crate::build::*;
use crate::expr::Expr;
use crate::place::Ty;
use crate::stmt::{RecvArg, Stmt};

#[test]
fn a_handshake_is_one_step_for_each_receiver_and_option() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let s = b.active("S");
    b.sequence(s, vec![send(&ch, vec![c(257)])]);
    for name in ["Q", "R"] {
        let q = b.active(name);
        b.step(q, 1, recv(&ch, vec![fits(2)]), 2);
        b.step(q, 1, recv(&ch, vec![fits(1)]), 2);
        b.step(q, 1, recv(&ch, vec![bind(&x)]), 2);
        b.end(q, 2);
    }
    b.model.uses.last = true;
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0+2:t7", "0:t0+2:t8", "0:t0+1:t3", "0:t0+1:t4"]);
    w.fire("0:t0+1:t4");
    assert_eq!(w.get("x"), "1");
    assert_eq!(w.interp.evaluate(&w.state, &Expr::Last), Ok(1), "the receiver was last");
    assert!(w.steps().is_empty(), "R waits, Q and S wait for R to end");
}

#[test]
fn nobody_shakes_hands_with_himself_and_an_offer_nobody_takes_counts_for_nothing() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    b.step(p, 1, send(&ch, vec![c(1)]), 2);
    b.step(p, 1, recv(&ch, vec![RecvArg::Discard]), 2);
    b.step(p, 1, Stmt::Else, 2);
    b.end(p, 2);
    let model = b.done();
    assert_eq!(Walk::new(&model).steps(), ["0:t2"]);
}

#[test]
fn a_send_that_is_taken_rules_else_out_for_the_sender_only() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    let q = b.active("Q");
    b.step(p, 1, send(&ch, vec![c(1)]), 2);
    b.step(p, 1, Stmt::Else, 2);
    b.end(p, 2);
    b.step(q, 1, recv(&ch, vec![RecvArg::Discard]), 2);
    b.step(q, 1, Stmt::Else, 2);
    b.end(q, 2);
    let model = b.done();
    assert_eq!(Walk::new(&model).steps(), ["1:t4", "0:t0+1:t3"]);
}

#[test]
fn the_receiver_alone_decides_about_control() {
    for (sender, receiver) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut b = Build::default();
        let ch = b.chan("ch", 0, &[Ty::Byte]);
        let p = b.active("P");
        let q = b.active("Q");
        let s = b.step(p, 1, send(&ch, vec![c(1)]), 2);
        b.step(p, 2, skip(), 3);
        let r = b.step(q, 1, recv(&ch, vec![RecvArg::Discard]), 2);
        b.step(q, 2, skip(), 3);
        b.trans(s).atomic = sender;
        b.trans(r).atomic = receiver;
        let model = b.done();
        let mut w = Walk::new(&model);
        w.fire("0:t0+1:t2");
        assert_eq!(w.transient(), receiver);
        assert_eq!(w.steps(), if receiver { vec!["1:t3"] } else { vec!["1:t3", "0:t1"] });
    }
}

#[test]
fn an_escape_of_the_receiver_counts_only_if_it_takes_the_message() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![send(&ch, vec![c(1)])]);
    let e1 = b.step(q, 1, skip(), 2);
    let e2 = b.step(q, 1, recv(&ch, vec![fits(2)]), 2);
    b.step(q, 1, recv(&ch, vec![fits(1)]), 2);
    b.trans(e1).escape = 1;
    b.trans(e2).escape = 2;
    b.end(q, 2);
    let model = b.done();
    // The escape can move by itself, yet the normal receive can be handed the message, as in pan.
    assert_eq!(Walk::new(&model).steps(), ["1:t2", "0:t0+1:t4"]);
}

#[test]
fn a_failed_handshake_in_an_escape_leaves_normal_code_possible() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    let e = b.step(p, 1, send(&ch, vec![c(1)]), 2);
    b.step(p, 1, skip(), 2);
    b.trans(e).escape = 1;
    b.end(p, 2);
    let model = b.done();
    assert_eq!(Walk::new(&model).steps(), ["0:t1"]);
}

#[test]
fn a_d_step_may_start_with_the_receiving_half() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![send(&ch, vec![c(4)])]);
    b.sequence(q, vec![d_step(vec![recv(&ch, vec![bind(&x)]), inc(&x), inc(&x)])]);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0+1:t2"]);
    w.fire("0:t0+1:t2");
    assert_eq!(w.get("x"), "6");
}

#[test]
fn a_receiver_that_is_not_provided_takes_nothing() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![send(&ch, vec![c(4)])]);
    b.sequence(q, vec![recv(&ch, vec![RecvArg::Discard])]);
    b.at(q).provided = Some(c(0));
    let model = b.done();
    assert!(Walk::new(&model).steps().is_empty());
}

#[test]
fn a_message_without_value_or_with_wrong_fields_breaks() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    b.step(p, 1, send(&ch, vec![bin(crate::expr::BinaryOp::Div, c(1), ld(&x))]), 2);
    b.step(p, 1, send(&ch, vec![]), 2);
    b.step(p, 1, send(&ch, vec![c(1)]), 2);
    b.end(p, 2);
    b.sequence(q, vec![recv(&ch, vec![RecvArg::Discard, RecvArg::Discard])]);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0", "0:t1", "0:t2+1:t4"]);
    let before = w.state.clone();
    let expected = [
        ("0:t0", "division by zero"),
        ("0:t1", "a message of `ch` has 1 field, but 0 are given"),
        ("0:t2+1:t4", "a message of `ch` has 1 field, but 2 are given"),
    ];
    for (step, text) in expected {
        w.state = before.clone();
        w.fire(step);
        assert!(w.fired.broken);
        assert_eq!(w.problem(), text);
    }
}

#[test]
fn while_a_handshake_is_half_done_the_sender_has_moved() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![send(&ch, vec![c(2)])]);
    b.sequence(q, vec![recv(&ch, vec![RecvArg::Match(Expr::PcValue(Box::new(c(0))))])]);
    let model = b.done();
    assert_eq!(Walk::new(&model).steps(), ["0:t0+1:t2"], "P is at location 2 when Q looks");
}
