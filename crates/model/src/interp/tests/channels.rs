//! Channels with slots.

use crate::build::*;
use crate::expr::{ChannelQuery, Expr};
use crate::place::Ty;
use crate::stmt::{RecvArg, Stmt};

fn ask(query: ChannelQuery, channel: &Expr) -> Expr {
    Expr::Channel(query, Box::new(channel.clone()))
}

#[test]
fn messages_leave_in_the_order_in_which_they_came_and_a_full_channel_blocks() {
    let mut b = Build::default();
    let ch = b.chan("ch", 2, &[Ty::Byte, Ty::Short]);
    let p = b.active("P");
    let q = b.active("Q");
    let (x, y) = (b.local(q, "x", Ty::Byte), b.local(q, "y", Ty::Short));
    b.step(p, 1, send(&ch, vec![c(257), c(-3)]), 2);
    b.step(p, 2, send(&ch, vec![c(2), c(4)]), 3);
    b.step(p, 3, send(&ch, vec![c(3), c(5)]), 4);
    b.end(p, 4);
    b.step(q, 1, recv(&ch, vec![bind(&x), bind(&y)]), 1);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0"]);
    w.fire("0:t0").fire("0:t1");
    assert_eq!(w.chan("ch"), "1,-3 2,4", "fields are cut to their types");
    assert_eq!(w.steps(), ["1:t4"]);
    w.fire("1:t4");
    assert_eq!([w.get("Q(1).x"), w.get("Q(1).y")], ["1", "-3"]);
    assert_eq!(w.chan("ch"), "2,4");
    let end = model.layout.processes as usize;
    assert!(w.state[end - 4..end].iter().all(|&b| b == 0), "freed slots are zeroed");
    assert_eq!(w.steps(), ["1:t4", "0:t2"]);
}

#[test]
fn a_sorted_send_goes_before_the_first_larger_message_and_after_equal_ones() {
    let mut b = Build::default();
    let ch = b.chan("ch", 5, &[Ty::Byte, Ty::Byte]);
    let p = b.active("P");
    let sorted = |a, z| Stmt::Send { channel: ch.clone(), args: vec![c(a), c(z)], sorted: true };
    b.sequence(p, vec![sorted(2, 1), sorted(1, 9), sorted(2, 0), sorted(2, 1), sorted(300, 0)]);
    let model = b.done();
    let mut w = Walk::new(&model);
    for i in 0..4 {
        w.fire(&format!("0:t{i}"));
    }
    assert_eq!(w.chan("ch"), "1,9 2,0 2,1 2,1");
    w.fire("0:t4");
    assert_eq!(w.chan("ch"), "1,9 2,0 2,1 2,1 44,0", "300 is compared before it is cut to a byte");
}

#[test]
fn a_pattern_is_compared_with_the_first_message_or_with_any() {
    let mut b = Build::default();
    let ch = b.chan("ch", 3, &[Ty::Byte, Ty::Byte]);
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let receive = |args, random, copy| Stmt::Receive { channel: ch.clone(), args, random, copy };
    b.step(p, 1, send(&ch, vec![c(1), c(10)]), 2);
    b.step(p, 2, send(&ch, vec![c(2), c(20)]), 3);
    b.step(p, 3, receive(vec![fits(2), bind(&x)], false, false), 4); // t2: blocked
    b.step(p, 3, receive(vec![fits(2), bind(&x)], true, false), 4); // t3
    b.step(p, 3, receive(vec![RecvArg::Match(ld(&x)), RecvArg::Discard], true, false), 4); // t4: x is 0
    b.step(p, 3, receive(vec![fits(1), bind(&x)], false, true), 4); // t5
    b.step(p, 3, receive(vec![RecvArg::Discard, bind(&x)], true, false), 4); // t6
    b.end(p, 4);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0").fire("0:t1");
    assert_eq!(w.steps(), ["0:t3", "0:t5", "0:t6"]);
    let before = w.state.clone();
    w.fire("0:t3");
    assert_eq!([w.get("x"), w.chan("ch")], ["20", "1,10"]);
    w.state = before.clone();
    w.fire("0:t5");
    assert_eq!([w.get("x"), w.chan("ch")], ["10", "1,10 2,20"], "a copy leaves the message");
    w.state = before;
    w.fire("0:t6");
    assert_eq!([w.get("x"), w.chan("ch")], ["10", "2,20"]);
}

#[test]
fn queries_and_polls() {
    let mut b = Build::default();
    let ch = b.chan("ch", 2, &[Ty::Byte]);
    let rv = b.chan("rv", 0, &[Ty::Byte]);
    let p = b.active("P");
    b.sequence(p, vec![send(&ch, vec![c(5)]), send(&ch, vec![c(6)])]);
    let model = b.done();
    let all =
        [ChannelQuery::Len, ChannelQuery::Full, ChannelQuery::Empty, ChannelQuery::NotFull, ChannelQuery::NotEmpty];
    let mut w = Walk::new(&model);
    let values = |w: &mut Walk<'_>, ch: &Expr| all.map(|q| w.interp.evaluate(&w.state, &ask(q, ch)).unwrap());
    assert_eq!(values(&mut w, &ch), [0, 0, 1, 1, 0]);
    assert_eq!(values(&mut w, &rv), [0, 0, 1, 1, 0]);
    w.fire("0:t0");
    assert_eq!(values(&mut w, &ch), [1, 0, 0, 1, 1]);
    w.fire("0:t1");
    assert_eq!(values(&mut w, &ch), [2, 1, 0, 0, 1]);
    let poll = |ch: &Expr, v, random| Expr::Poll { channel: Box::new(ch.clone()), args: vec![fits(v)], random };
    let polls = [poll(&ch, 5, false), poll(&ch, 6, false), poll(&ch, 6, true)];
    assert_eq!(polls.map(|e| w.interp.evaluate(&w.state, &e).unwrap()), [1, 0, 1]);
    let error = w.interp.evaluate(&w.state, &poll(&rv, 1, false)).unwrap_err();
    assert_eq!(error, "`rv` has no slots: its contents cannot be asked for");
}

#[test]
fn bad_channels_and_wrong_messages_break() {
    let mut b = Build::default();
    let none = b.global("none", Ty::Byte);
    let ch = b.chan("ch", 2, &[Ty::Byte]);
    let p = b.active("P");
    b.step(p, 1, send(&ld(&none), vec![c(1)]), 2);
    b.step(p, 1, send(&c(9), vec![c(1)]), 2);
    b.step(p, 1, send(&ch, vec![c(1), c(2)]), 2);
    b.step(p, 1, recv(&ch, vec![]), 2);
    b.step(p, 1, recv(&c(9), vec![RecvArg::Discard]), 2);
    b.end(p, 2);
    let model = b.done();
    let mut w = Walk::new(&model);
    // An empty channel just blocks, and so does a deleted one in a model without rendezvous.
    assert_eq!(w.steps(), ["0:t0", "0:t1", "0:t2"]);
    let before = w.state.clone();
    let mut problem = |step: &str| {
        w.state = before.clone();
        w.fire(step);
        assert!(w.fired.broken);
        w.problem().to_string()
    };
    assert_eq!(problem("0:t0"), "`none` is not initialised: it names no channel");
    assert_eq!(problem("0:t1"), "the channel that `9` names was deleted when the process that declared it ended");
    assert_eq!(problem("0:t2"), "a message of `ch` has 1 field, but 2 are given");
}
