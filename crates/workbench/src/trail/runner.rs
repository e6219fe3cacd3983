//! The system alone or with a claim, behind one face.

use starwheel_model::{ClaimInterp, ClaimSystem, Fired, Interp, Model, ProctypeId, Step, Stepper};

/// What executes the steps of a trail.
pub enum Runner<'a> {
    /// The system alone.
    Plain(Interp<'a>),
    /// The system and a claim.
    Claim(ClaimInterp<'a>),
}

impl<'a> Runner<'a> {
    /// A runner for a model, with a claim if one is given.
    pub fn new(model: &'a Model, claim: Option<ProctypeId>) -> Runner<'a> {
        match claim {
            None => Runner::Plain(Interp::new(model)),
            Some(claim) => Runner::Claim(ClaimSystem::new(model, claim).interpreter()),
        }
    }

    /// As something that makes steps.
    pub fn stepper(&mut self) -> &mut (dyn Stepper + 'a) {
        match self {
            Runner::Plain(interp) => interp,
            Runner::Claim(interp) => interp,
        }
    }

    /// The interpreter of the system.
    pub fn system(&mut self) -> &mut Interp<'a> {
        match self {
            Runner::Plain(interp) => interp,
            Runner::Claim(interp) => interp.system(),
        }
    }

    /// Executes a step and adds what it prints.
    pub fn fire_traced(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>, prints: &mut Vec<String>) -> Fired {
        match self {
            Runner::Plain(interp) => interp.fire_traced(at, step, out, prints),
            Runner::Claim(interp) => interp.fire_traced(at, step, out, prints),
        }
    }
}
