//! One bad model for each invariant.

use super::*;
use crate::build::*;
use crate::expr::UnaryOp;
use crate::ir::{ChanId, LocId, Property, Start, TraceAssertion, TransId};
use crate::place::Ty;
use crate::stmt::DTrans;
use starwheel_base::Span;

/// A model with a global `x`, an array `a` of three, a channel, a process type `Q(k)` and a process `P` with a local `y`.
struct Sample {
    b: Build,
    x: Place,
    a: Place,
    y: Place,
    q: ProctypeId,
    p: ProctypeId,
}

fn sample() -> Sample {
    let mut b = Build::default();
    let (x, a) = (b.global("x", Ty::Byte), b.array("a", Ty::Byte, 3));
    let ch = b.chan("ch", 1, &[Ty::Byte]);
    let q = b.proctype("Q");
    b.param(q, "k", Ty::Byte);
    b.end(q, 1);
    let p = b.active("P");
    let y = b.local(p, "y", Ty::Int);
    b.step(p, 1, set(&y, run(q, vec![c(1)])), 2);
    b.step(p, 2, recv(&ch, vec![bind(&y)]), 3);
    b.step(p, 2, Stmt::Else, 3);
    b.end(p, 3);
    Sample { b, x, a, y, q, p }
}

/// The only problem after a change.
fn problem(change: impl FnOnce(&mut Sample)) -> String {
    let mut s = sample();
    change(&mut s);
    let found = verify(&s.b.done());
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// The only problem after a statement is added to P.
fn statement(stmt: impl FnOnce(&Sample) -> Stmt) -> String {
    problem(|s| {
        let stmt = stmt(s);
        s.b.step(s.p, 3, stmt, 1);
        s.b.at(s.p).locs[3].out.swap(0, 1);
    })
}

#[test]
fn a_good_model_has_no_problems() {
    assert_eq!(verify(&sample().b.done()), Vec::<String>::new());
}

#[test]
fn the_layout_fits_the_model() {
    let mut model = sample().b.done();
    model.layout.frames.pop();
    assert_eq!(verify(&model), ["the model: not every process type has a frame layout"]);
    let mut model = sample().b.done();
    model.layout.frames[0].frame = 5;
    assert_eq!(verify(&model), ["the model: the frame layout of `Q` is not right"]);
}

#[test]
fn starts_properties_and_traces_name_the_right_kind() {
    let bad = |s: &mut Sample| s.b.model.starts.push(Start { proctype: ProctypeId(9), priority: 1 });
    assert_eq!(problem(bad), "the model: a start names ProctypeId(9), which is no ordinary process type");
    let never = |s: &mut Sample| {
        let kind = PropertyKind::Never(s.q);
        s.b.model.properties.push(Property { name: "n".into(), kind, span: Span::default() });
    };
    assert_eq!(problem(never), "the model: the property `n` names ProctypeId(0), which is no claim");
    let trace = |s: &mut Sample| {
        let proctype = s.p;
        s.b.model.trace = Some(TraceAssertion { proctype, forbidden: false, sends: vec![], receives: vec![] });
    };
    assert_eq!(problem(trace), "the model: the trace names ProctypeId(1), which is none");
}

#[test]
fn channel_numbers_are_kept_in_bytes_with_constant_indices() {
    let missing = |s: &mut Sample| s.b.model.global_channels[0].place = s.y.clone();
    let mut s = sample();
    missing(&mut s);
    assert_eq!(verify(&s.b.done()).len(), 3, "wrong region, too wide, not inside");
    let index = |s: &mut Sample| s.b.model.global_channels[0].place = element(&s.a, ld(&s.x), 3);
    assert_eq!(problem(index), "the model: `a[#]` has an index that is not constant");
    let mut model = sample().b.done();
    model.global_channels[0].channel = ChanId(5);
    assert_eq!(verify(&model), ["the model: ChanId(5) does not exist"]);
}

#[test]
fn locations_of_starts_and_transitions_exist() {
    assert_eq!(
        problem(|s| s.b.at(s.p).start = LocId(44)),
        "process type `P`: it starts at LocId(44), which does not exist"
    );
    assert_eq!(
        problem(|s| s.b.trans(TransId(1)).to = LocId(44)),
        "process type `P`, location 1, TransId(1): it goes from LocId(1) to LocId(44), which do not both exist"
    );
}

#[test]
fn transitions_of_locations_exist_and_belong_there() {
    assert_eq!(
        problem(|s| s.b.at(s.p).locs[1].out.push(TransId(99))),
        "process type `P`, location 1, TransId(99): the transition does not exist"
    );
    assert_eq!(
        problem(|s| s.b.at(s.p).locs[1].out.push(TransId(0))),
        "process type `P`, location 1, TransId(0): it belongs to ProctypeId(0)"
    );
}

#[test]
fn escapes_stand_first_in_one_piece() {
    assert_eq!(
        problem(|s| s.b.trans(TransId(3)).escape = 1),
        "process type `P`, location 2: normal code stands before an escape"
    );
    let torn = |s: &mut Sample| {
        s.b.step(s.p, 1, skip(), 2);
        s.b.step(s.p, 1, skip(), 2);
        for (t, escape) in [(1, 1), (5, 2), (6, 1)] {
            s.b.trans(TransId(t)).escape = escape;
        }
    };
    assert_eq!(problem(torn), "process type `P`, location 1: escape 1 is not in one piece");
}

#[test]
fn variables_lie_in_their_region() {
    assert_eq!(problem(|s| s.b.at(s.p).locals[0].place.offset = 2), "process type `P`: `y` does not lie in its region");
    let param = |s: &mut Sample| {
        let x = s.x.clone();
        s.b.at(s.q).params[0] = x;
    };
    assert_eq!(problem(param), "process type `Q`: the parameter `x` is not local");
    assert_eq!(problem(|s| s.b.model.globals[1].len = Some(90)), "the model: `a` does not lie in its region");
}

#[test]
fn initialisers_never_block_and_start_nothing() {
    assert_eq!(problem(|s| s.b.model.init = vec![when(c(0))]), "the model: `(0)` cannot initialise anything");
    let runs = |s: &mut Sample| {
        let stmt = set(&s.y, run(s.q, vec![c(1)]));
        s.b.at(s.p).init = vec![stmt];
    };
    assert_eq!(problem(runs), "process type `P`: `y = run Q(1)` cannot initialise anything");
}

#[test]
fn places_stay_inside_whatever_their_indices_are() {
    let far = statement(|s| set(&element(&s.a, ld(&s.x), 300), c(1)));
    assert_eq!(far, "process type `P`, location 3, TransId(5): `a[#]` does not lie in its region");
    let array = statement(|s| Stmt::AssignArray(s.a.clone(), vec![0; 40]));
    assert_eq!(array, "process type `P`, location 3, TransId(5): `a[#]` does not lie in its region");
    assert_eq!(
        problem(|s| s.b.model.init = vec![set(&s.x, ld(&s.y))]),
        "the model: `y` does not lie in its region",
        "there are no locals outside processes"
    );
}

#[test]
fn run_is_complete_and_stands_alone() {
    assert_eq!(
        statement(|s| when(run(s.q, vec![]))),
        "process type `P`, location 3, TransId(5): `run Q` gives 0 of 1 parameters"
    );
    assert_eq!(
        statement(|_| when(run(ProctypeId(7), vec![]))),
        "process type `P`, location 3, TransId(5): `run` names ProctypeId(7), which cannot be run"
    );
    assert_eq!(
        statement(|s| when(eq(run(s.q, vec![c(1)]), c(1)))),
        "process type `P`, location 3, TransId(5): `run` is not the whole of its expression"
    );
    let mut s = sample();
    s.b.step(s.p, 1, when(Expr::Unary(UnaryOp::Not, Box::new(run(s.q, vec![c(1)])))), 2);
    assert!(verify(&s.b.done()).is_empty(), "unary operators are fine");
}

#[test]
fn remote_references_name_what_exists() {
    let label = |s: &Sample| when(Expr::RemoteLabel { proctype: s.q, pid: None, loc: LocId(30), label: "L".into() });
    assert_eq!(statement(label), "process type `P`, location 3, TransId(5): the remote label `L` does not exist");
    let var = |s: &Sample| when(Expr::RemoteVar { proctype: s.q, pid: None, place: Box::new(s.x.clone()) });
    assert_eq!(statement(var), "process type `P`, location 3, TransId(5): the remote variable `x` does not exist");
}

#[test]
fn chains_are_flat_and_block_at_their_start_only() {
    let head = "process type `P`, location 3, TransId(5): ";
    assert_eq!(statement(|_| Stmt::Chain(vec![])), format!("{head}the chain is empty"));
    assert_eq!(statement(|_| Stmt::Chain(vec![skip(), when(c(0))])), format!("{head}`(0)` may block inside a chain"));
    assert_eq!(
        statement(|_| Stmt::Chain(vec![d_step(vec![skip()])])),
        format!("{head}`d_step {{ (1) }}` inside a chain")
    );
    let spans = |s: &mut Sample| {
        let t = s.b.trans(TransId(1));
        t.stmt = Stmt::Chain(vec![t.stmt.clone(), skip()]);
        t.merged = vec![Span::default()];
    };
    assert_eq!(problem(spans), "process type `P`, location 1, TransId(1): 1 spans for a chain of 2");
}

#[test]
fn d_steps_are_flat_stay_inside_and_start_nothing() {
    let head = "process type `P`, location 3, TransId(5): ";
    let of = |locs: Vec<Vec<(Stmt, Option<u32>)>>| {
        let one = |(stmt, to)| DTrans { stmt, to, span: Span::default() };
        let locs = locs.into_iter().map(|l| l.into_iter().map(one).collect()).collect();
        Stmt::DStep(Box::new(DStep { locs }))
    };
    assert_eq!(statement(|_| of(vec![])), format!("{head}the d_step is empty"));
    assert_eq!(
        statement(|_| of(vec![vec![(skip(), Some(1))]])),
        format!("{head}the d_step goes to Some(1), which does not exist")
    );
    assert_eq!(
        statement(|s| of(vec![vec![(when(run(s.q, vec![c(1)])), None)]])),
        format!("{head}a d_step starts a process")
    );
    assert_eq!(statement(|_| of(vec![vec![(Stmt::End, None)]])), format!("{head}`-end-` inside a d_step"));
}

#[test]
fn the_end_is_a_whole_transition() {
    let mut s = sample();
    s.b.trans(TransId(1)).stmt = Stmt::Chain(vec![Stmt::End]);
    let found = verify(&s.b.done());
    assert_eq!(found, ["process type `P`, location 1, TransId(1): `-end-` inside a chain"]);
}

#[test]
fn resets_are_of_local_variables() {
    let reset = |s: &mut Sample| {
        let x = s.x.clone();
        s.b.trans(TransId(1)).resets = vec![x];
    };
    assert_eq!(
        problem(reset),
        "process type `P`, location 1, TransId(1): the reset of `x` is not one of a local variable"
    );
}
