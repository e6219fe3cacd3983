//! A claim in step with the system: it looks at a state, then the system makes a step, then it is the claim's turn again.
//!
//! ```text
//! claim's turn (stored) ── claim step ──▶ system's turn ── step, atomic sequence or handshake ──▶ claim's turn (stored)
//!                      └── claim step, and the system is stuck ──▶ claim's turn (stored): the state is seen once more
//! system's turn ── a step that has no meaning ──▶ claim's turn (stored), for ever: the state is seen again and again
//! ```
//!
//! A run that meets an error ends there. If it is one of several merged statements, those before it have been executed.

use super::list::Ready;
use super::machine::Machine;
use super::stuck::valid_end;
use super::view::World;
use super::{Interp, tables};
use crate::expr::Expr;
use crate::ir::{LocId, Location, Model, Pid, ProctypeId, TransId};
use crate::stmt::Stmt;
use starwheel_base::Span;
use starwheel_system::{Actor, Batch, Behind, Fired, Step, Stepper, System, Violation, ViolationKind, Whole, listed};
use std::ops::ControlFlow;

/// The claim is about to look at the state.
const CLAIMS: u8 = 0;
/// The system is about to move.
const SYSTEMS: u8 = 1;
/// The claim is inside `atomic` and goes on at once.
const INSIDE: u8 = 2;
/// Added while the system is stuck and the claim has seen the state before.
const STUTTER: u8 = 4;
/// Added once the run has ended in an error: the system never moves again.
const ENDED: u8 = 8;

/// True if the system is stuck and the claim looks at this state once more.
pub(super) fn stuttering(model: &Model, state: &[u8]) -> bool {
    tables::turn(model, state) & STUTTER != 0
}

/// A model together with one of its claims.
#[derive(Clone, Copy)]
pub struct ClaimSystem<'m> {
    model: &'m Model,
    claim: ProctypeId,
    own_labels: bool,
}

impl<'m> ClaimSystem<'m> {
    /// A claim is a process type of the kind [`crate::ProctypeKind::Never`]. Accept labels count in the claim and in all
    /// processes, as in SPIN.
    pub fn new(model: &'m Model, claim: ProctypeId) -> ClaimSystem<'m> {
        ClaimSystem { model, claim, own_labels: false }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The claim.
    pub fn claim(&self) -> ProctypeId {
        self.claim
    }

    /// Only the claim's own accept labels count.
    pub fn own_labels(self) -> ClaimSystem<'m> {
        ClaimSystem { own_labels: true, ..self }
    }

    /// An interpreter of both.
    pub fn interpreter(self) -> ClaimInterp<'m> {
        let uses = |wanted: &Expr| {
            let own = self.model.transitions.iter().filter(|t| t.proctype == self.claim);
            let mut found = false;
            own.for_each(|t| t.stmt.walk(&mut |e| found |= e == wanted));
            found
        };
        ClaimInterp {
            interp: Interp::new(self.model),
            system: self,
            timeout: uses(&Expr::Timeout),
            progress: uses(&Expr::NonProgress),
        }
    }
}

impl System for ClaimSystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.model.layout.hidden as usize
    }

    fn transitions(&self) -> usize {
        self.model.actions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(self.interpreter())
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl Whole for ClaimSystem<'_> {}

/// One thread's interpreter of a model together with a claim.
///
/// What goes wrong in the system itself is left to a search without the claim.
pub struct ClaimInterp<'m> {
    interp: Interp<'m>,
    system: ClaimSystem<'m>,
    /// The claim asks for `timeout`.
    timeout: bool,
    /// The claim asks for `np_`.
    progress: bool,
}

impl<'m> ClaimInterp<'m> {
    /// The interpreter of the system alone.
    pub fn system(&mut self) -> &mut Interp<'m> {
        &mut self.interp
    }

    /// Where the claim stands.
    pub fn location(&self, at: &[u8]) -> LocId {
        tables::claim_location(self.system.model, at)
    }

    /// As [`Stepper::fire`], and adds what the step prints.
    pub fn fire_traced(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>, prints: &mut Vec<String>) -> Fired {
        self.execute(at, step, out, Some(prints))
    }

    fn execute(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>, prints: Option<&mut Vec<String>>) -> Fired {
        if step.actor.is_claim() {
            return self.claim_step(at, step.action, out, prints);
        }
        let model = self.system.model;
        let mut fired = self.interp.execute(at, step, out, prints);
        fired.violations.clear();
        if fired.broken {
            fired.broken = false;
            self.stay(at, step, out);
        } else if tables::control(model, out).is_none() {
            tables::set_turn(model, out, CLAIMS);
        }
        fired
    }

    /// A run that meets an error ends there. As every run that ends, it stays where it is, so that what the claim has seen
    /// up to there is not lost.
    fn stay(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) {
        self.interp.remains(at, step, out);
        let stutter = if self.progress || self.timeout { STUTTER } else { 0 };
        tables::set_turn(self.system.model, out, CLAIMS | ENDED | stutter);
    }

    fn claim_step(&mut self, at: &[u8], trans: TransId, out: &mut Vec<u8>, prints: Option<&mut Vec<String>>) -> Fired {
        let model = self.system.model;
        let t = model.transition(trans);
        let timeout = self.quiet(at);
        let mut fired = self.interp.claim_body(at, trans, timeout, out, prints);
        if fired.broken {
            return fired;
        }
        tables::set_claim_location(model, out, t.to);
        self.check_end(out, t.span, &mut fired);
        if !fired.broken {
            let turn = self.next_turn(t.atomic, out);
            tables::set_turn(model, out, turn);
        }
        fired
    }

    /// Whose turn it is after a step of the claim.
    fn next_turn(&mut self, atomic: bool, after: &[u8]) -> u8 {
        let turn = tables::turn(self.system.model, after);
        if atomic {
            let mut steps = Vec::new();
            self.claim_steps(after, &mut steps);
            if !steps.is_empty() {
                return INSIDE | turn & (STUTTER | ENDED);
            }
        }
        if turn & ENDED != 0 {
            return CLAIMS | turn & (STUTTER | ENDED);
        }
        match self.interp.moves(after, true) {
            true => SYSTEMS,
            false if self.progress => CLAIMS | STUTTER,
            false => CLAIMS,
        }
    }

    fn claim_steps(&mut self, at: &[u8], out: &mut Vec<Step>) {
        let timeout = self.quiet(at);
        self.interp.claim_steps(at, self.place(at), timeout, out);
    }

    /// What `timeout` means to the claim, if it asks: nothing else can happen, also because the run has ended in an error.
    fn quiet(&mut self, at: &[u8]) -> bool {
        self.timeout && (stuttering(self.system.model, at) || !self.interp.moves(at, false))
    }

    fn place(&self, at: &[u8]) -> &'m Location {
        let model = self.system.model;
        &model.proctype(self.system.claim).locs[tables::claim_location(model, at).index()]
    }

    /// A claim that has come to its end has seen all that it wanted to see.
    fn check_end(&self, at: &[u8], span: Span, fired: &mut Fired) {
        if valid_end(self.system.model, self.place(at)) {
            let message = "the claim has come to its end: it describes this run".to_string();
            let kind = ViolationKind::Claim;
            fired.violations.push(Violation { kind, message, span, actor: Some(Actor::Claim) });
            fired.broken = true;
        }
    }
}

impl Stepper for ClaimInterp<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let mut fired = self.interp.initial(out);
        fired.violations.clear();
        if !fired.broken {
            let model = self.system.model;
            tables::set_claim_location(model, out, model.proctype(self.system.claim).start);
            self.check_end(out, model.proctype(self.system.claim).span, &mut fired);
        }
        fired
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        match tables::turn(self.system.model, at) {
            SYSTEMS => self.interp.enabled(at, out),
            _ => {
                out.clear();
                self.claim_steps(at, out);
            }
        }
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        listed(self, at, step)
    }

    fn omitted(&mut self, _at: &[u8], out: &mut Vec<Step>) {
        out.clear();
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.execute(at, step, out, None)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    fn expands_fast(&self) -> bool {
        false
    }

    fn transient(&self, at: &[u8]) -> bool {
        tables::turn(self.system.model, at) & (SYSTEMS | INSIDE) != 0
    }

    /// A claim that cannot go on means that this run is none of those that it describes.
    fn stuck(&mut self, _at: &[u8]) -> Option<Violation> {
        None
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.place(at).accept || (!self.system.own_labels && self.interp.accepting(at))
    }
}

impl Interp<'_> {
    /// Whether a condition holds in a state that is not transient, as a claim would see it when it is its turn. `ended` says that an error has ended the
    /// run there, so that nothing can happen any more.
    pub fn sees(&mut self, at: &[u8], condition: &Expr, ended: bool) -> Result<bool, String> {
        let timeout = condition.any(|e| *e == Expr::Timeout) && (ended || !self.moves(at, false));
        self.tables.locate(self.model, at);
        let world = World { timeout, ..self.world(at) };
        world.outside().eval(condition).map(|value| value != 0).map_err(|fault| fault.0)
    }

    /// Whether some process can move, with the help of `timeout` if that is allowed; then time may, too.
    fn moves(&mut self, at: &[u8], timeout: bool) -> bool {
        self.tables.locate(self.model, at);
        let mut message = std::mem::take(&mut self.message);
        let mut any = |timeout| {
            let world = World { timeout, ..self.world(at) };
            let can = |i| world.moves(Pid(i as u8), &mut message, &mut |_| ControlFlow::Break(())).is_break();
            (0..world.count()).rev().any(can)
        };
        let found =
            any(false) || timeout && (self.model.uses.timeout && any(true) || self.world(at).slices().is_some());
        self.message = message;
        found
    }

    /// Lists the steps of a claim at a location.
    fn claim_steps(&mut self, at: &[u8], loc: &Location, timeout: bool, out: &mut Vec<Step>) {
        self.tables.locate(self.model, at);
        let view = World { timeout, ..self.world(at) }.outside();
        let (mut moved, mut escape) = (false, 0);
        for &trans in &loc.out {
            let t = self.model.transition(trans);
            if escape > 0 && t.escape != escape {
                break;
            }
            // What has no value is listed, too, and breaks when it is fired.
            if t.stmt != Stmt::End && view.ready(&t.stmt, moved) != Ok(Ready::No) {
                out.push(Step::alone(Actor::Claim, trans));
                (moved, escape) = (true, t.escape);
            }
        }
    }

    /// Executes the statement of a claim.
    fn claim_body(
        &mut self,
        at: &[u8],
        trans: TransId,
        timeout: bool,
        out: &mut Vec<u8>,
        prints: Option<&mut Vec<String>>,
    ) -> Fired {
        self.tables.locate(self.model, at);
        out.clear();
        out.extend_from_slice(at);
        let t = self.model.transition(trans);
        let idle = Machine::new(self.model, out, &mut self.tables, &mut self.message);
        let mut machine = Machine { timeout, pid: Pid::CLAIM, span: t.span, prints, ..idle };
        let done = machine.body(t, None);
        machine.fired(done)
    }
}
