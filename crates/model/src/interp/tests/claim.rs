//! A claim in step with the system.

use crate::build::*;
use crate::expr::Expr;
use crate::interp::claim::{ClaimInterp, ClaimSystem};
use crate::ir::{Model, ProctypeId, ProctypeKind};
use crate::place::Ty;
use crate::progress::add_progress_claim;
use crate::stmt::Stmt;
use starwheel_system::{Actor, Fired, Step, Stepper, ViolationKind};

struct Product<'m> {
    interp: ClaimInterp<'m>,
    state: Vec<u8>,
    fired: Fired,
}

impl<'m> Product<'m> {
    fn new(model: &'m Model, claim: ProctypeId) -> Product<'m> {
        assert_eq!(crate::verify::verify(model), Vec::<String>::new());
        let mut interp = ClaimSystem::new(model, claim).interpreter();
        let mut state = Vec::new();
        let fired = interp.initial(&mut state);
        Product { interp, state, fired }
    }

    fn list(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.interp.enabled(&self.state, &mut steps);
        steps
    }

    /// The numbers of the transitions that are possible.
    fn steps(&mut self) -> Vec<u32> {
        self.list().iter().map(|s| s.action.0).collect()
    }

    fn fire(&mut self, trans: u32) -> &mut Self {
        let step = self.list().into_iter().find(|s| s.action.0 == trans).unwrap_or_else(|| panic!("no step {trans}"));
        let mut out = Vec::new();
        self.fired = self.interp.fire(&self.state, step, &mut out);
        self.state = out;
        self
    }

    fn transient(&self) -> bool {
        self.interp.transient(&self.state)
    }
}

fn claim(b: &mut Build) -> ProctypeId {
    let id = b.proctype("never_0");
    b.at(id).kind = ProctypeKind::Never;
    id
}

#[test]
fn claim_and_system_take_turns_and_the_claim_sees_the_first_state() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.sequence(p, vec![inc(&x), inc(&x)]);
    let never = claim(&mut b);
    let t = b.step(never, 1, when(eq(ld(&x), c(0))), 2).0;
    b.step(never, 2, when(eq(ld(&x), c(1))), 3);
    b.end(never, 3);
    let model = b.done();
    let mut w = Product::new(&model, never);
    assert!(!w.transient());
    assert_eq!(w.list(), [Step::alone(Actor::Claim, crate::TransId(t))]);
    assert!(w.fire(t).transient());
    assert_eq!(w.steps(), [0]);
    assert!(!w.fire(0).transient());
    assert_eq!(w.steps(), [t + 1]);
    w.fire(t + 1);
    assert!(w.fired.broken, "nothing follows the end of a claim");
    assert_eq!(w.fired.violations[0].kind, ViolationKind::Claim);
}

#[test]
fn a_claim_that_cannot_go_on_ends_the_run_in_peace() {
    let mut b = Build::default();
    let p = b.active("P");
    b.sequence(p, vec![skip()]);
    let never = claim(&mut b);
    b.step(never, 1, when(c(0)), 1);
    let model = b.done();
    let mut w = Product::new(&model, never);
    assert!(w.steps().is_empty());
    assert_eq!(w.interp.stuck(&w.state), None);
}

#[test]
fn atomic_sequences_of_both_sides_are_passed_through() {
    let mut b = Build::default();
    let x = b.global("x", Ty::Byte);
    let p = b.active("P");
    b.atomic(p, 1, inc(&x), 2);
    b.step(p, 2, inc(&x), 3);
    b.step(p, 3, when(c(0)), 3);
    let never = claim(&mut b);
    let t = b.atomic(never, 1, Stmt::Else, 2).0;
    b.step(never, 2, Stmt::Assert(eq(ld(&x), c(7))), 1);
    let model = b.done();
    let mut w = Product::new(&model, never);
    assert!(w.fire(t).transient());
    assert_eq!(w.steps(), [t + 1], "the claim goes on");
    w.fire(t + 1);
    assert_eq!(w.fired.violations[0].kind, ViolationKind::Assertion);
    assert_eq!(w.fired.violations[0].actor, Some(Actor::Claim));
    assert_eq!(w.steps(), [0]);
    assert!(w.fire(0).transient());
    assert_eq!(w.steps(), [1], "the system goes on");
    assert!(!w.fire(1).transient());
    w.fire(t).fire(t + 1);
    assert!(!w.transient());
    assert_eq!(w.steps(), [t], "the system is stuck, so the claim goes on alone");
}

#[test]
fn timeout_holds_where_no_process_can_move_and_lack_of_progress_does_not_stutter() {
    let mut b = Build::default();
    let p = b.active("P");
    b.sequence(p, vec![skip(), when(c(0))]);
    let never = claim(&mut b);
    let t = b.step(never, 1, when(Expr::Timeout), 1).0;
    b.step(never, 1, when(Expr::NonProgress), 1);
    let model = b.done();
    let mut w = Product::new(&model, never);
    assert_eq!(w.steps(), [t + 1]);
    w.fire(t + 1).fire(0);
    assert_eq!(w.steps(), [t, t + 1]);
    w.fire(t + 1);
    assert_eq!(w.steps(), [t], "the state is seen once more");
}

#[test]
fn accept_labels_count_in_claims_and_processes() {
    let mut b = Build::default();
    let p = b.active("P");
    b.sequence(p, vec![skip(), skip()]);
    b.at(p).locs[2].accept = true;
    let never = claim(&mut b);
    let t = b.step(never, 1, skip(), 1).0;
    let mut model = b.done();
    let progress = add_progress_claim(&mut model).expect("there is room");
    let mut w = Product::new(&model, never);
    assert!(!w.interp.accepting(&w.state));
    w.fire(t).fire(0);
    assert!(w.interp.accepting(&w.state));
    let mut own = ClaimSystem::new(&model, never).own_labels().interpreter();
    assert!(!own.accepting(&w.state));
    let mut w = Product::new(&model, progress);
    let steps = w.steps();
    assert_eq!(steps.len(), 2);
    w.fire(steps[0]).fire(0);
    assert!(w.interp.accepting(&w.state));
}
