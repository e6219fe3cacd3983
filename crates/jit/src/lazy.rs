//! A model that is interpreted at first and compiled when that pays: most searches are over before.

use crate::system::JitSystem;
use starwheel_model::{Batch, Fired, Interp, Model, Step, Stepper, System, Violation};
use std::sync::OnceLock;

/// States that a stepper expands before it asks for machine code. Compiling takes as long as interpreting some five
/// thousand states.
const PATIENCE: u32 = 2_000;

/// A model that gets machine code in the course of a long search.
pub struct LazySystem<'m> {
    model: &'m Model,
    machine: OnceLock<Option<JitSystem<'m>>>,
}

impl<'m> LazySystem<'m> {
    /// Nothing is compiled yet.
    pub fn new(model: &'m Model) -> LazySystem<'m> {
        LazySystem { model, machine: OnceLock::new() }
    }

    /// The machine code, made by whoever asks first.
    fn machine(&self) -> Option<&JitSystem<'m>> {
        self.machine.get_or_init(|| JitSystem::compile(self.model).ok()).as_ref()
    }
}

impl System for LazySystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.model.layout.hidden as usize
    }

    fn transitions(&self) -> usize {
        self.model.transitions.len()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(LazyStepper { system: self, interp: Interp::new(self.model), machine: None, expanded: 0 })
    }
}

struct LazyStepper<'s, 'm> {
    system: &'s LazySystem<'m>,
    interp: Interp<'m>,
    machine: Option<Box<dyn Stepper + 's>>,
    expanded: u32,
}

impl Stepper for LazyStepper<'_, '_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.interp.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.interp.enabled(at, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.interp.fire(at, step, out)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if let Some(machine) = &mut self.machine {
            return machine.expand(at, out);
        }
        self.expanded = self.expanded.saturating_add(1);
        // If somebody else's patience came to its end before, the code is there.
        if self.expanded == PATIENCE || self.system.machine.get().is_some_and(Option::is_some) {
            self.machine = self.system.machine().map(System::stepper);
        }
        out.fill(&mut self.interp, at);
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.interp.transient(at)
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.interp.stuck(at)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.interp.accepting(at)
    }
}
