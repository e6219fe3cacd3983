//! A model as a system with machine code.

use crate::code::{Code, Unsupported};
use crate::stepper::JitStepper;
use starwheel_model::{Model, Stepper, System, verify};

/// A model whose successors are made by machine code.
pub struct JitSystem<'m> {
    model: &'m Model,
    code: Option<Code>,
}

impl<'m> JitSystem<'m> {
    /// Compiles a model. An error means that this machine cannot have machine code; the interpreter serves as well.
    pub fn compile(model: &'m Model) -> Result<JitSystem<'m>, Unsupported> {
        // Generated code relies on places that lie inside their regions.
        if let Some(problem) = verify(model).first() {
            return Err(Unsupported(problem.clone()));
        }
        Ok(JitSystem { model, code: Code::new(model)? })
    }

    /// True if there is machine code for this model; else all of it is interpreted.
    pub fn compiled(&self) -> bool {
        self.code.is_some()
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
        Box::new(JitStepper::new(self.model, self.code.as_ref()))
    }
}
