//! A model, or a model and a claim, that is interpreted at first and compiled when that pays: most searches are over before.

use crate::system::{JitClaimSystem, JitSystem};
use starwheel_model::{Batch, ClaimSystem, Fired, Model, ModelSystem, Step, Stepper, System, Violation};
use std::sync::OnceLock;

/// States that a stepper expands before it asks for machine code. Compiling takes as long as interpreting some ten
/// thousand states.
const PATIENCE: u32 = 10_000;

/// A system that gets machine code in the course of a long search.
pub struct LazySystem<'m> {
    plain: Plain<'m>,
    machine: OnceLock<Option<Machine<'m>>>,
}

/// What is interpreted.
enum Plain<'m> {
    Model(ModelSystem<'m>),
    Claim(ClaimSystem<'m>),
}

/// The same with machine code.
enum Machine<'m> {
    Model(JitSystem<'m>),
    Claim(JitClaimSystem<'m>),
}

impl<'m> LazySystem<'m> {
    /// Nothing is compiled yet.
    pub fn new(model: &'m Model) -> LazySystem<'m> {
        LazySystem { plain: Plain::Model(ModelSystem(model)), machine: OnceLock::new() }
    }

    /// The same for a model together with a claim.
    pub fn with_claim(system: ClaimSystem<'m>) -> LazySystem<'m> {
        LazySystem { plain: Plain::Claim(system), machine: OnceLock::new() }
    }

    fn plain(&self) -> &dyn System {
        match &self.plain {
            Plain::Model(system) => system,
            Plain::Claim(system) => system,
        }
    }

    /// The machine code, made by whoever asks first.
    fn machine(&self) -> Option<&dyn System> {
        let compile = || match &self.plain {
            Plain::Model(system) => JitSystem::compile(system.0).ok().map(Machine::Model),
            Plain::Claim(system) => JitClaimSystem::compile(*system).ok().map(Machine::Claim),
        };
        self.machine.get_or_init(compile).as_ref().map(|machine| match machine {
            Machine::Model(system) => system as &dyn System,
            Machine::Claim(system) => system,
        })
    }

    /// True if there is machine code, because a search was long enough.
    pub fn compiled(&self) -> bool {
        self.machine.get().is_some_and(Option::is_some)
    }
}

impl System for LazySystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.plain().hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.plain().transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(LazyStepper { system: self, interp: self.plain().stepper(), machine: None, expanded: 0 })
    }
}

struct LazyStepper<'s, 'm> {
    system: &'s LazySystem<'m>,
    interp: Box<dyn Stepper + 's>,
    machine: Option<Box<dyn Stepper + 's>>,
    expanded: u32,
}

impl LazyStepper<'_, '_> {
    /// Counts a state, and gets machine code when the search turns out to be long.
    fn count(&mut self) {
        self.expanded = self.expanded.saturating_add(1);
        // If somebody else's patience came to its end before, the code is there.
        if self.expanded == PATIENCE || self.system.machine.get().is_some_and(Option::is_some) {
            self.machine = self.system.machine().map(|machine| machine.stepper());
        }
    }
}

impl Stepper for LazyStepper<'_, '_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.interp.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.count();
        self.interp.enabled(at, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.interp.fire(at, step, out)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if let Some(machine) = &mut self.machine {
            return machine.expand(at, out);
        }
        self.count();
        self.interp.expand(at, out);
    }

    fn swift(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| machine.swift())
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
