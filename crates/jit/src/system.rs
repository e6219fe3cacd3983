//! A model as a system with machine code.

use crate::code::{Code, Unsupported};
use crate::stepper::JitStepper;
use starwheel_model::{Model, Stepper, System, verify};
use std::sync::atomic::{AtomicU64, Ordering};

/// A model whose successors are made by machine code.
pub struct JitSystem<'m> {
    model: &'m Model,
    code: Option<Code>,
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
}

impl<'m> JitSystem<'m> {
    /// Compiles a model. An error means that this machine cannot have machine code; the interpreter serves as well.
    pub fn compile(model: &'m Model) -> Result<JitSystem<'m>, Unsupported> {
        // Generated code relies on places that lie inside their regions.
        if let Some(problem) = verify(model).first() {
            return Err(Unsupported(problem.clone()));
        }
        Ok(JitSystem { model, code: Code::new(model)?, counts: Counts::default() })
    }

    /// True if there is machine code for this model; else all of it is interpreted.
    pub fn compiled(&self) -> bool {
        self.code.is_some()
    }

    /// How many states machine code has expanded, and how many were left to the interpreter, in steppers that have ended.
    pub fn counts(&self) -> (u64, u64) {
        (self.counts.generated.load(Ordering::Relaxed), self.counts.interpreted.load(Ordering::Relaxed))
    }
}

impl System for JitSystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.model.layout.hidden as usize
    }

    fn transitions(&self) -> usize {
        self.model.transitions.len()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(JitStepper::new(self.model, self.code.as_ref(), &self.counts))
    }
}
