//! What clashes and what does not.

use super::*;
use crate::build::*;
use crate::expr::{ChannelQuery, Expr};
use crate::place::Ty;
use crate::stmt::{RecvArg, Stmt};

/// The footprints of these statements, each in a process type of its own.
fn of(mut b: Build, list: Vec<Stmt>) -> Vec<Footprint> {
    for (i, stmt) in list.into_iter().enumerate() {
        let p = b.active(&format!("P{i}"));
        b.step(p, 1, stmt, 2);
    }
    footprints(&b.done())
}

fn clash(b: Build, one: Stmt, two: Stmt) -> bool {
    let f = of(b, vec![one, two]);
    assert_eq!(f[0].clashes(&f[1]), f[1].clashes(&f[0]), "clashing is symmetric");
    f[0].clashes(&f[1])
}

#[test]
fn elements_with_constant_indices_are_told_apart() {
    let start = || {
        let mut b = Build::default();
        let (i, a) = (b.global("i", Ty::Byte), b.array("a", Ty::Short, 3));
        (b, i, a)
    };
    let (b, _, a) = start();
    assert!(!clash(b, set(&element(&a, c(0), 3), c(1)), set(&element(&a, c(1), 3), c(1))));
    let (b, _, a) = start();
    assert!(clash(b, set(&element(&a, c(1), 3), c(1)), set(&element(&a, c(1), 3), c(2))));
    let (b, i, a) = start();
    assert!(clash(b, set(&element(&a, ld(&i), 3), c(1)), when(ld(&element(&a, c(2), 3)))));
    let (b, i, a) = start();
    assert!(clash(b, set(&i, c(1)), when(ld(&element(&a, ld(&i), 3)))), "indices are read");
    let (b, i, a) = start();
    assert!(!clash(b, when(ld(&i)), when(eq(ld(&i), ld(&element(&a, c(0), 3))))), "reads do not clash");
}

#[test]
fn locals_clash_with_remote_references_only() {
    let mut b = Build::default();
    let p = b.active("P");
    let y = b.local(p, "y", Ty::Byte);
    let z = b.local(p, "z", Ty::Byte);
    b.step(p, 1, set(&y, c(1)), 2);
    b.step(p, 2, set(&z, c(1)), 3);
    let q = b.active("Q");
    let remote = Expr::RemoteVar { proctype: p, pid: None, place: Box::new(y) };
    b.step(q, 1, when(remote), 2);
    let label = Expr::RemoteLabel { proctype: p, pid: None, loc: crate::ir::LocId(2), label: "L".into() };
    b.step(q, 2, when(label), 3);
    let f = footprints(&b.done());
    assert!(f[0].is_local() && f[1].is_local());
    assert!(!f[0].clashes(&f[1]));
    assert!(f[0].clashes(&f[2]));
    assert!(!f[1].clashes(&f[2]));
    assert!(f[1].clashes(&f[3]), "every step changes a location");
}

#[test]
fn channels_that_are_known_are_told_apart() {
    let start = || {
        let mut b = Build::default();
        let x = b.global("x", Ty::Byte);
        let (one, two) = (b.chan("one", 1, &[Ty::Byte]), b.chan("two", 1, &[Ty::Byte]));
        (b, x, one, two)
    };
    let full = |ch: &Expr| when(Expr::Channel(ChannelQuery::Full, Box::new(ch.clone())));
    let (b, _, one, two) = start();
    assert!(!clash(b, send(&one, vec![c(1)]), send(&two, vec![c(1)])));
    let (b, _, one, _) = start();
    assert!(clash(b, send(&one, vec![c(1)]), recv(&one, vec![RecvArg::Discard])));
    let (b, _, one, _) = start();
    assert!(clash(b, send(&one, vec![c(1)]), full(&one)));
    let (b, _, one, _) = start();
    assert!(!clash(b, full(&one), full(&one)));
    let (b, x, one, _) = start();
    assert!(clash(b, send(&ld(&x), vec![c(1)]), full(&one)), "a variable that is no channel's own may be any");
    let (b, x, one, _) = start();
    assert!(clash(b, recv(&one, vec![bind(&x)]), when(ld(&x))));
    let (mut b, _, one, two) = start();
    let Expr::Load(place) = &one else { panic!("a variable") };
    b.model.init = vec![set(place, two.clone())];
    assert!(clash(b, send(&one, vec![c(1)]), send(&two, vec![c(1)])), "an assigned variable may be any");
}

#[test]
fn kinds_of_operations_are_kept() {
    let mut b = Build::default();
    let ch = b.chan("ch", 1, &[Ty::Byte]);
    let copy = Stmt::Receive { channel: ch.clone(), args: vec![fits(1)], random: false, copy: true };
    let f = of(b, vec![send(&ch, vec![c(1)]), recv(&ch, vec![fits(1)]), copy]);
    let ops: Vec<_> = f.iter().map(|f| f.channels.known.clone()).collect();
    let only = |ops| vec![(ChanId(0), ops)];
    assert_eq!(ops, [only(Ops::SEND), only(Ops::RECEIVE), only(Ops::QUERY)]);
}

#[test]
fn processes_that_come_and_go_clash_with_each_other_and_with_nr_pr() {
    let mut b = Build::default();
    let g = b.global("g", Ty::Byte);
    let q = b.proctype("Q");
    let own = b.local_chan(q, "own", 1, &[Ty::Byte]);
    let k = b.local(q, "k", Ty::Byte);
    b.at(q).init = vec![set(&k, ld(&g))];
    b.step(q, 1, send(&own, vec![c(1)]), 2);
    b.end(q, 2);
    let f = of(b, vec![when(run(q, vec![])), when(Expr::NrPr), set(&g, c(1)), send(&c(9), vec![c(1)]), skip()]);
    let clashes = |a: usize, b: usize| f[a].clashes(&f[b]);
    assert!(clashes(1, 2), "end and run");
    assert!(clashes(1, 3) && clashes(2, 3), "_nr_pr");
    assert!(clashes(2, 4), "the new process reads g");
    assert!(clashes(2, 5) && clashes(1, 5), "an unknown channel may be the new or the deleted one");
    assert!(clashes(0, 1), "the channel dies with its process");
    assert!(!clashes(1, 6) && !clashes(2, 6));
    assert!(!clashes(4, 3));
}

#[test]
fn timeout_enabled_last_priorities_and_traces_clash_widely() {
    let mut b = Build::default();
    b.global("x", Ty::Byte);
    let f = of(b, vec![when(Expr::Timeout), when(Expr::Enabled(Box::new(c(1)))), skip(), skip()]);
    assert!(f[0].clashes(&f[2]) && f[1].clashes(&f[2]));
    assert!(!f[2].clashes(&f[3]));
    let mut b = Build::default();
    b.model.uses.last = true;
    assert!(clash(b, skip(), skip()));
    let mut b = Build::default();
    b.model.uses.priority = true;
    assert!(clash(b, skip(), skip()));
}

#[test]
fn else_depends_on_what_stands_before_it() {
    let mut b = Build::default();
    let (x, y) = (b.global("x", Ty::Byte), b.global("y", Ty::Byte));
    let ch = b.chan("ch", 1, &[Ty::Byte]);
    let p = b.active("P");
    b.step(p, 1, when(ld(&x)), 2);
    b.step(p, 1, recv(&ch, vec![RecvArg::Discard]), 2);
    b.step(p, 1, Stmt::Else, 2);
    let q = b.active("Q");
    b.step(q, 1, set(&x, c(1)), 2);
    b.step(q, 2, send(&ch, vec![c(1)]), 3);
    b.step(q, 3, set(&y, c(1)), 4);
    let f = footprints(&b.done());
    assert!(f[2].clashes(&f[3]) && f[2].clashes(&f[4]));
    assert!(!f[2].clashes(&f[5]));
}

#[test]
fn code_under_an_escape_depends_on_the_escape() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    let e = b.step(p, 1, when(ld(&x)), 2);
    b.step(p, 1, skip(), 2);
    b.trans(e).escape = 1;
    let q = b.active("Q");
    b.step(q, 1, set(&x, c(1)), 2);
    let f = footprints(&b.done());
    assert!(f[1].clashes(&f[2]));
}

#[test]
fn else_beside_a_handshake_depends_on_everything() {
    let mut b = Build::default();
    let ch = b.chan("ch", 0, &[Ty::Byte]);
    let p = b.active("P");
    b.step(p, 1, send(&ch, vec![c(1)]), 2);
    b.step(p, 1, Stmt::Else, 2);
    let q = b.active("Q");
    b.step(q, 1, skip(), 2);
    let f = footprints(&b.done());
    assert!(f[1].clashes(&f[2]));
}

#[test]
fn provided_is_read_by_every_step() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.step(p, 1, skip(), 2);
    b.at(p).provided = Some(ld(&x));
    let q = b.active("Q");
    b.step(q, 1, set(&x, c(1)), 2);
    let f = footprints(&b.done());
    assert!(f[0].clashes(&f[1]));
    assert_eq!(f[0].tests.globals.iter().collect::<Vec<_>>(), [(0, 1)]);
}

#[test]
fn events_clash_with_events_only() {
    let mut b = Build::default();
    let (one, two) = (b.chan("one", 1, &[Ty::Byte]), b.chan("two", 1, &[Ty::Byte]));
    let t = b.proctype(":trace:");
    b.sequence(t, vec![send(&one, vec![c(1)])]);
    let watched = vec![one.clone()];
    b.model.trace = Some(crate::ir::TraceAssertion { proctype: t, forbidden: false, sends: watched, receives: vec![] });
    let f = of(b, vec![send(&one, vec![c(1)]), send(&two, vec![c(1)]), skip()]);
    assert!(f[2].clashes(&f[3]));
    assert!(!f[2].clashes(&f[4]));
}
