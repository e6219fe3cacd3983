//! Event assertions.

use crate::build::*;
use crate::expr::Expr;
use crate::ir::{Model, ProctypeKind, TraceAssertion};
use crate::place::Ty;
use crate::stmt::{RecvArg, Stmt};
use starwheel_system::{Stepper, ViolationKind};

/// P sends the given values to `ch`; the trace wants 1 and then 2 to be sent, and nothing else.
fn model(values: &[i32], forbidden: bool) -> Model {
    let mut b = Build::default();
    let ch = b.chan("ch", 3, &[Ty::Byte]);
    let other = b.chan("other", 3, &[Ty::Byte]);
    let p = b.active("P");
    let mut list: Vec<Stmt> = values.iter().map(|&v| send(&ch, vec![c(v)])).collect();
    list.push(send(&other, vec![c(9)]));
    list.push(recv(&ch, vec![RecvArg::Discard]));
    list.push(when(c(0)));
    b.sequence(p, list);
    let at = values.len() + 3;
    b.at(p).locs[at].end = true;
    let t = b.proctype(":trace:");
    b.at(t).kind = ProctypeKind::Trace;
    b.sequence(t, vec![send(&ch, vec![c(1)]), send(&ch, vec![c(2)])]);
    b.model.trace = Some(TraceAssertion { proctype: t, forbidden, sends: vec![ch], receives: vec![] });
    b.done()
}

/// The violations of each step on the only path, and the last state's own.
fn violations(model: &Model) -> Vec<(usize, ViolationKind, String)> {
    let mut w = Walk::new(model);
    let mut found = Vec::new();
    for i in 0.. {
        let Some(&step) = w.list().first() else { break };
        let mut out = Vec::new();
        let fired = w.interp.fire(&w.state, step, &mut out);
        w.state = out;
        found.extend(fired.violations.into_iter().map(|v| (i, v.kind, v.message)));
    }
    let end = w.interp.stuck(&w.state.clone());
    found.extend(end.map(|v| (99, v.kind, v.message)));
    found
}

#[test]
fn a_trace_is_content_with_its_events_and_ignores_others() {
    assert_eq!(violations(&model(&[1, 2], false)), []);
}

#[test]
fn a_trace_complains_about_an_event_it_does_not_allow_and_stays_where_it_is() {
    let text = "the trace allows no send to `ch` (message 2) here";
    let unfinished = "the system has come to its end, but the trace has not";
    assert_eq!(
        violations(&model(&[2, 1], false)),
        [(0, ViolationKind::Trace, text.to_string()), (99, ViolationKind::InvalidEndState, unfinished.to_string())]
    );
    assert_eq!(violations(&model(&[1, 2, 1], false)).len(), 1, "after its end, any event is wrong");
}

#[test]
fn a_notrace_complains_when_it_comes_to_its_end_and_has_one_try() {
    let text = "the forbidden sequence of events has happened: the notrace is at its end";
    assert_eq!(violations(&model(&[1, 2], true)), [(1, ViolationKind::Trace, text.to_string())]);
    assert_eq!(violations(&model(&[3, 1, 2], true)), []);
}

#[test]
fn a_variable_in_a_trace_stands_for_any_value() {
    let mut b = Build::default();
    let ch = b.chan("ch", 1, &[Ty::Byte]);
    let any = b.global("any", Ty::Byte);
    let p = b.active("P");
    b.sequence(p, vec![send(&ch, vec![c(5)]), recv(&ch, vec![RecvArg::Discard])]);
    let t = b.proctype(":trace:");
    b.at(t).kind = ProctypeKind::Trace;
    b.sequence(t, vec![send(&ch, vec![Expr::Load(Box::new(any))]), recv(&ch, vec![fits(5)])]);
    let watched = vec![ch];
    b.model.trace = Some(TraceAssertion { proctype: t, forbidden: false, sends: watched.clone(), receives: watched });
    assert_eq!(violations(&b.done()), []);
}
