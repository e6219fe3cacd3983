//! A model, or a model and a claim, as a system with machine code.

use crate::claims::ClaimUse;
use crate::code::{Code, Unsupported};
use crate::settled::Later;
use crate::stepper::{ClaimStepper, JitStepper};
use starwheel_base::cancel::Token;
use starwheel_model::{Behind, ClaimSystem, Expr, Model, ProctypeId, Stepper, System, Whole, verify};
use std::sync::atomic::{AtomicU64, Ordering};

/// A model whose successors are made by machine code.
pub struct JitSystem<'m> {
    model: &'m Model,
    code: Option<Code>,
    later: Later<'m>,
    counts: Counts,
}

/// States that steppers have expanded; each stepper adds its own when it ends.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    generated: AtomicU64,
    interpreted: AtomicU64,
}

impl Counts {
    pub fn add(&self, generated: u64, interpreted: u64) {
        self.generated.fetch_add(generated, Ordering::Relaxed);
        self.interpreted.fetch_add(interpreted, Ordering::Relaxed);
    }

    fn get(&self) -> (u64, u64) {
        (self.generated.load(Ordering::Relaxed), self.interpreted.load(Ordering::Relaxed))
    }
}

impl<'m> JitSystem<'m> {
    /// Compiles a model. An error means that this machine cannot have machine code; the interpreter serves as well.
    pub fn compile(model: &'m Model) -> Result<JitSystem<'m>, Unsupported> {
        JitSystem::compile_within(model, &Token::NEVER)
    }

    /// The same, and an error, too, if the token says stop.
    pub fn compile_within(model: &'m Model, until: &Token) -> Result<JitSystem<'m>, Unsupported> {
        let later = Later::new(model, None, until.clone());
        Ok(JitSystem { model, code: compile(model, None, until)?, later, counts: Counts::default() })
    }

    /// The same, but so many states with the same processes are enough to make code for these alone.
    pub fn settling_after(mut self, states: usize) -> JitSystem<'m> {
        self.later.patience = states.max(1);
        self
    }

    /// True if there is machine code for this model; else all of it is interpreted.
    pub fn compiled(&self) -> bool {
        self.code.is_some()
    }

    /// True if code was made for the processes that states had for long.
    pub fn settled(&self) -> bool {
        self.later.get().is_some()
    }

    /// How many states machine code has expanded, and how many were left to the interpreter, in steppers that have ended.
    pub fn counts(&self) -> (u64, u64) {
        self.counts.get()
    }
}

/// Generated code relies on places that lie inside their regions.
fn compile(model: &Model, claim: Option<ProctypeId>, until: &Token) -> Result<Option<Code>, Unsupported> {
    match verify(model).first() {
        Some(problem) => Err(Unsupported(problem.clone())),
        None => Code::new(model, claim, until),
    }
}

impl Whole for JitSystem<'_> {}

impl System for JitSystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.model.layout.hidden as usize
    }

    fn transitions(&self) -> usize {
        self.model.actions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(JitStepper::new(self.model, self.code.as_ref(), &self.later, &self.counts))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

/// A model together with a claim, as [`ClaimSystem`], with machine code.
pub struct JitClaimSystem<'m> {
    system: ClaimSystem<'m>,
    code: Option<Code>,
    later: Later<'m>,
    counts: Counts,
}

impl<'m> JitClaimSystem<'m> {
    /// Compiles a model and a claim; see [`JitSystem::compile`].
    pub fn compile(system: ClaimSystem<'m>) -> Result<JitClaimSystem<'m>, Unsupported> {
        JitClaimSystem::compile_within(system, &Token::NEVER)
    }

    /// As [`JitSystem::compile_within`].
    pub fn compile_within(system: ClaimSystem<'m>, until: &Token) -> Result<JitClaimSystem<'m>, Unsupported> {
        let code = compile(system.model(), Some(system.claim()), until)?;
        let later = Later::new(system.model(), Some(system.claim()), until.clone());
        Ok(JitClaimSystem { system, code, later, counts: Counts::default() })
    }

    /// As [`JitSystem::settling_after`].
    pub fn settling_after(mut self, states: usize) -> JitClaimSystem<'m> {
        self.later.patience = states.max(1);
        self
    }

    /// As [`JitSystem::counts`].
    pub fn counts(&self) -> (u64, u64) {
        self.counts.get()
    }

    fn claim_asks(&self, wanted: &Expr) -> bool {
        let (model, claim) = (self.system.model(), self.system.claim());
        let mut found = false;
        let own = model.transitions.iter().filter(|t| t.proctype == claim);
        own.for_each(|t| t.stmt.walk(&mut |e| found |= e == wanted));
        found
    }
}

impl Whole for JitClaimSystem<'_> {}

impl System for JitClaimSystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        let uses = ClaimUse { timeout: self.claim_asks(&Expr::Timeout), progress: self.claim_asks(&Expr::NonProgress) };
        let (interp, model) = (self.system.interpreter(), self.system.model());
        Box::new(ClaimStepper::new(interp, uses, (model, self.code.as_ref(), &self.later), &self.counts))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.system.behind()
    }
}
