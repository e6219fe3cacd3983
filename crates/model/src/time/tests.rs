//! Which conditions on timers a jump keeps, and which states are quiet.

use super::*;
use crate::build::*;
use crate::ir::Model;

fn timer_of(b: &mut Build, name: &str) -> Place {
    b.global(name, Ty::Timer)
}

#[test]
fn questions_are_told_from_values() {
    let mut b = Build::default();
    let t = timer_of(&mut b, "t");
    let ask = |op, n| Expr::Binary(op, Box::new(ld(&t)), Box::new(c(n)));
    assert!(!reads_values(&ask(BinaryOp::Eq, 0)) && !reads_values(&ask(BinaryOp::Ge, 0)));
    assert!(!reads_values(&ask(BinaryOp::Ne, 0)) && !reads_values(&ask(BinaryOp::Lt, 0)), "the opposites");
    for (op, n) in [(BinaryOp::Eq, 1), (BinaryOp::Ge, 1), (BinaryOp::Le, 0), (BinaryOp::Gt, 0)] {
        assert!(reads_values(&ask(op, n)), "{op:?} {n}");
    }
    let both = Expr::Binary(BinaryOp::And, Box::new(ask(BinaryOp::Eq, 0)), Box::new(ask(BinaryOp::Gt, 2)));
    assert!(reads_values(&both));
}

/// One process that waits for a timer of its own and for another one, which it never sets.
fn waiting(pace: Pace) -> Model {
    let mut b = Build::default();
    let (t, u) = (timer_of(&mut b, "t"), timer_of(&mut b, "u"));
    b.model.init = vec![set(&t, c(OFF)), set(&u, c(OFF))];
    let p = b.active("P");
    let expired = |place: &Place| when(Expr::Binary(BinaryOp::Eq, Box::new(ld(place)), Box::new(c(0))));
    b.sequence(p, vec![set(&t, c(3)), expired(&t), expired(&u)]);
    b.model.pace = pace;
    b.done()
}

#[test]
fn time_passes_when_nothing_else_can_happen() {
    for (pace, ticks) in [(Pace::Slice, 3), (Pace::Jump, 1)] {
        let model = waiting(pace);
        let mut w = Walk::new(&model);
        let only = |w: &mut Walk<'_>| match &w.steps()[..] {
            [one] => one.clone(),
            other => format!("{other:?}"),
        };
        assert_eq!(only(&mut w), "0:t0", "time waits");
        w.fire("0:t0");
        let tick = only(&mut w);
        assert!(tick.ends_with('*') && w.list() == [model.tick()], "{tick}");
        for _ in 0..ticks {
            w.fire(&tick);
        }
        assert_eq!((only(&mut w), w.get("t")), ("0:t1".to_string(), "0".to_string()), "the timer has expired");
        w.fire("0:t1");
        assert_eq!(only(&mut w), tick, "it is at zero, and still runs");
        w.fire(&tick);
        assert_eq!(w.get("t"), "-1");
        assert!(w.steps().is_empty(), "no timer runs: time stands still");
    }
}

#[test]
fn a_timer_has_a_range() {
    for value in [-2, LONGEST + 1] {
        let mut b = Build::default();
        let t = timer_of(&mut b, "t");
        let p = b.active("P");
        let x = b.local(p, "x", Ty::Int);
        b.sequence(p, vec![set(&x, c(value)), set(&t, ld(&x))]);
        let model = b.done();
        let mut w = Walk::new(&model);
        w.fire("0:t0").fire("0:t1");
        assert!(w.problem().contains("cannot be set to"), "{}", w.problem());
    }
}
