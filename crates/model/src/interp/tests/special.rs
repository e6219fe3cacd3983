//! Predefined variables and functions, remote references, printing.

use crate::build::*;
use crate::expr::Expr;
use crate::ir::{LocId, Shown, SymbolSet};
use crate::place::Ty;
use crate::stmt::Stmt;

#[test]
fn remote_references_see_other_processes() {
    let mut b = Build::default();
    let p = b.active("P");
    let q = b.active("Q");
    let y = b.local(p, "y", Ty::Byte);
    b.sequence(p, vec![set(&y, c(7))]);
    b.sequence(q, vec![skip()]);
    let model = b.done();
    let label = |pid: Option<i32>, loc| Expr::RemoteLabel {
        proctype: p,
        pid: pid.map(|v| Box::new(c(v))),
        loc: LocId(loc),
        label: "L".into(),
    };
    let var = |pid: Option<i32>| Expr::RemoteVar {
        proctype: p,
        pid: pid.map(|v| Box::new(c(v))),
        place: Box::new(y.clone()),
    };
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    let mut value = |e: &Expr| w.interp.evaluate(&w.state, e);
    assert_eq!(value(&label(Some(0), 2)), Ok(1));
    assert_eq!(value(&label(None, 2)), Ok(1));
    assert_eq!(value(&label(None, 1)), Ok(0));
    assert_eq!(value(&label(Some(9), 2)), Ok(0), "no such process");
    assert_eq!(value(&label(Some(1), 1)), Ok(1), "as in pan, a number alone decides");
    assert_eq!(value(&var(Some(0))), Ok(7));
    assert_eq!(value(&var(None)), Ok(7));
    assert_eq!(value(&var(Some(9))), Ok(0), "no such process");
    assert_eq!(value(&var(Some(1))).unwrap_err(), "process 1 is a `Q`, so it has no variable of a `P`");
    assert_eq!(value(&Expr::PcValue(Box::new(c(0)))), Ok(2));
    assert_eq!(value(&Expr::PcValue(Box::new(c(5)))), Ok(0));
    assert_eq!(value(&Expr::NrPr), Ok(2));
    assert_eq!(value(&ld(&y)).unwrap_err(), "the local variable `y` has no value outside its process");
}

#[test]
fn enabled_asks_about_others_only() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let q = b.active("Q");
    let enabled = |v| Expr::Enabled(Box::new(c(v)));
    b.step(p, 1, when(enabled(1)), 2);
    b.step(p, 1, when(enabled(9)), 2);
    b.step(p, 1, when(enabled(0)), 2);
    b.end(p, 2);
    b.sequence(q, vec![when(eq(ld(&x), c(1)))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.steps(), ["0:t2"]);
    w.fire("0:t2");
    assert_eq!(w.problem(), "a process cannot ask `enabled()` about itself");
    let mut w = Walk::new(&model);
    w.state[model.layout.globals_start() as usize] = 1;
    assert_eq!(w.steps(), ["1:t4", "0:t0", "0:t2"]);
}

#[test]
fn enabled_in_a_circle_is_an_error_and_ends() {
    let mut b = Build::default();
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![when(Expr::Enabled(Box::new(c(1))))]);
    b.sequence(q, vec![when(Expr::Enabled(Box::new(c(0))))]);
    let model = b.done();
    let mut w = Walk::new(&model);
    // Each would have to be asked about itself; what breaks counts as possible.
    assert_eq!(w.steps(), ["1:t2", "0:t0"]);
}

#[test]
fn last_and_progress() {
    let mut b = Build::default();
    let p = b.active("P");
    let q = b.active("Q");
    b.sequence(p, vec![skip(), skip()]);
    b.sequence(q, vec![skip(), skip()]);
    b.at(q).locs[2].progress = true;
    b.model.uses.last = true;
    let model = b.done();
    let mut w = Walk::new(&model);
    assert_eq!(w.interp.evaluate(&w.state, &Expr::NonProgress), Ok(1));
    w.fire("1:t3");
    assert_eq!(w.interp.evaluate(&w.state, &Expr::NonProgress), Ok(0));
    assert_eq!(w.interp.evaluate(&w.state, &Expr::Last), Ok(1));
    w.fire("0:t0");
    assert_eq!(w.interp.evaluate(&w.state, &Expr::Last), Ok(0));
}

#[test]
fn printing_follows_the_simulator() {
    let mut b = Build::default();
    let m = b.global("m", Ty::Byte);
    b.model.globals[0].shown = Shown::Symbol("fruit".into());
    b.model.symbols = vec![
        SymbolSet { name: "".into(), names: vec![(1, "plain".into())] },
        SymbolSet { name: "fruit".into(), names: vec![(1, "apple".into()), (2, "pear".into())] },
    ];
    let p = b.active("P");
    let args = vec![c(-1), c(65), c(-1), c(8), c(255), ld(&m), c(1)];
    b.step(p, 1, set(&m, c(2)), 2);
    b.step(p, 2, Stmt::Printf("\"%d %c %u %o %x %e %e %%\\t\\\\\\n\"".into(), args), 3);
    b.step(p, 3, Stmt::Printm(ld(&m)), 4);
    b.end(p, 4);
    let model = b.done();
    let mut w = Walk::new(&model);
    w.fire("0:t0");
    let (mut out, mut prints) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let step = w.list()[0];
        w.interp.fire_traced(&w.state, step, &mut out, &mut prints);
        std::mem::swap(&mut w.state, &mut out);
    }
    assert_eq!(prints, ["-1 A 4294967295 10 ff pear plain %\t\\\n", "pear"]);
}

#[test]
fn a_claim_can_ask_whether_a_statement_is_executable() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.sequence(p, vec![skip()]);
    let model = b.done();
    let mut w = Walk::new(&model);
    let guard = when(eq(ld(&x), c(0)));
    assert_eq!(w.interp.executable(&w.state, &guard, false, false), Ok(true));
    assert_eq!(w.interp.executable(&w.state, &Stmt::Else, true, false), Ok(false));
    assert_eq!(w.interp.executable(&w.state, &when(Expr::Timeout), false, true), Ok(true));
}
