//! Processes that come and go, their parameters and channels.

use crate::build::*;
use crate::expr::Expr;
use crate::ir::{ProctypeId, Shown, Start};
use crate::place::Ty;
use crate::stmt::Stmt;

#[test]
fn run_gives_parameters_channels_and_initial_values_in_one_step() {
    let mut b = Build::default();
    let got = b.global("got", Ty::Byte);
    b.chan("first", 1, &[Ty::Byte]);
    let q = b.proctype("Q");
    let (k, twice) = (b.param(q, "k", Ty::Byte), b.local(q, "twice", Ty::Int));
    b.local_chan(q, "own", 2, &[Ty::Int]);
    let double = set(&twice, bin(crate::expr::BinaryOp::Add, ld(&k), ld(&k)));
    b.at(q).init = vec![double];
    b.end(q, 1);
    let p = b.active("P");
    b.sequence(p, vec![set(&got, run(q, vec![c(300)])), when(run(q, vec![c(7)]))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t1");
    assert_eq!(w.get("got"), "1");
    assert_eq!(["k", "twice", "own"].map(|n| w.get(&format!("Q(1).{n}"))), ["44", "88", "own (2)"]);
    w.fire("0:t2");
    assert_eq!(["k", "twice", "own"].map(|n| w.get(&format!("Q(2).{n}"))), ["7", "14", "own (3)"]);
    assert_eq!(w.steps(), ["2:t0"], "only the youngest process may end");
    let size = w.state.len();
    w.fire("2:t0");
    assert_eq!(size - w.state.len(), model.layout.frames[0].total as usize);
    assert_eq!(w.steps(), ["1:t0"]);
}

#[test]
fn there_are_at_most_255_processes() {
    let mut b = Build::default();
    let q = b.proctype("Q");
    b.step(q, 1, when(c(0)), 2);
    b.end(q, 2);
    let p = b.active("P");
    b.step(p, 1, when(run(q, vec![])), 1);
    let model = b.done();
    let mut w = Walk::new(&model);
    for _ in 0..254 {
        w.fire("0:t2");
        assert!(!w.fired.broken);
    }
    w.fire("0:t2");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "too many processes: a state holds at most 255");
}

#[test]
fn there_are_at_most_255_channels() {
    let mut b = Build::default();
    let q = b.proctype("Q");
    for i in 0..200 {
        b.local_chan(q, &format!("c{i}"), 0, &[Ty::Byte]);
    }
    b.end(q, 1);
    b.model.starts = vec![Start { proctype: ProctypeId(0), priority: 1 }; 2];
    let model = b.done();
    let w = Walk::new(&model);
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "too many channels: a state holds at most 255");
}

#[test]
fn a_channel_dies_with_its_process_and_its_number_is_used_again() {
    let mut b = Build::default();
    let handle = b.global("handle", Ty::Byte);
    b.model.globals[0].shown = Shown::Channel;
    let q = b.proctype("Q");
    let own = b.local_chan(q, "own", 1, &[Ty::Byte]);
    b.sequence(q, vec![set(&handle, own)]);
    let p = b.active("P");
    b.step(p, 1, when(run(q, vec![])), 2);
    b.step(p, 2, send(&ld(&handle), vec![c(1)]), 3);
    b.step(p, 3, when(run(q, vec![])), 4);
    b.end(p, 4);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t2").fire("1:t0");
    assert_eq!(w.get("handle"), "own (1)");
    w.fire("1:t1");
    assert_eq!(w.get("handle"), "deleted channel (1)");
    let before = w.state.clone();
    w.fire("0:t3");
    assert!(w.fired.broken);
    w.state = before;
    let frame = model.layout.processes as usize;
    w.state[frame + 2] = 3;
    w.fire("0:t4");
    assert_eq!(w.get("handle"), "own (1)");
}

#[test]
fn provided_holds_a_process_back_even_from_its_end() {
    let mut b = Build::default();
    let go = b.global("go", Ty::Bit);
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![set(&go, c(1))]);
    b.sequence(q, vec![set(&go, c(0))]);
    b.at(q).provided = Some(ld(&go));
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0"]);
    w.fire("0:t0");
    assert_eq!(w.steps(), ["1:t2"]);
    w.fire("1:t2");
    assert!(w.steps().is_empty());
}

#[test]
fn a_provided_without_value_breaks_the_process() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.sequence(p, vec![skip()]);
    b.at(p).provided = Some(bin(crate::expr::BinaryOp::Rem, c(1), ld(&x)));
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    assert!(w.fired.broken);
    assert_eq!(w.problem(), "division by zero");
}

#[test]
fn only_the_highest_priority_that_can_move_moves() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let low = b.active("Low");
    let high = b.active("High");
    b.sequence(low, vec![set(&x, c(1)), Stmt::SetPriority(Expr::Pid, c(9)), Stmt::SetPriority(c(7), c(0))]);
    b.step(high, 1, when(eq(ld(&x), c(1))), 2);
    b.step(high, 2, skip(), 3);
    b.end(high, 3);
    b.model.starts[1].priority = 5;
    b.model.uses.priority = true;
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t0"], "High is blocked, so Low may move");
    w.fire("0:t0");
    assert_eq!(w.steps(), ["1:t4"]);
    let mut one = |e| w.interp.evaluate(&w.state, &Expr::GetPriority(Box::new(c(e)))).unwrap();
    assert_eq!([one(0), one(1), one(2)], [1, 5, 0]);
    w.fire("1:t4").fire("1:t5").fire("1:t6");
    w.fire("0:t1");
    assert_eq!(w.interp.evaluate(&w.state, &Expr::GetPriority(Box::new(c(0)))), Ok(9));
    w.fire("0:t2");
    assert!(!w.fired.broken, "a process that does not exist is left in peace");
}
