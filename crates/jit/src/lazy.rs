//! A model, or a model and a claim, that is interpreted at first and compiled when that pays: most searches are over before.

use crate::system::{JitClaimSystem, JitSystem};
use starwheel_base::cancel::Token;
use starwheel_model::{Batch, Behind, ClaimSystem, Layer, Model, ModelSystem, Step, Stepper, System, Whole};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// States that are interpreted before machine code is made, for each transition of the model: about as many as can be
/// interpreted in the time that it takes to compile one.
const PATIENCE: usize = 4;
/// The same for the whole model, at least.
const LEAST: usize = 200;
/// Transitions of a large model, and how many states are interpreted for each one beyond: few of them will be hot, and all of
/// them would be compiled.
const LARGE: (usize, usize) = (2_500, 32);

/// A system that gets machine code in the course of a long search.
pub struct LazySystem<'m> {
    plain: Plain<'m>,
    machine: OnceLock<Option<Machine<'m>>>,
    /// States that all steppers have interpreted so far.
    interpreted: AtomicUsize,
    /// How many of them are enough.
    patience: usize,
    /// Says when there is no more time to compile.
    until: Token,
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
        LazySystem::interpreting(Plain::Model(ModelSystem(model)), model)
    }

    /// The same for a model together with a claim.
    pub fn with_claim(system: ClaimSystem<'m>) -> LazySystem<'m> {
        LazySystem::interpreting(Plain::Claim(system), system.model())
    }

    fn interpreting(plain: Plain<'m>, model: &Model) -> LazySystem<'m> {
        let (count, (large, more)) = (model.transitions.len(), LARGE);
        let patience = (PATIENCE * count.min(large)).max(LEAST) + more * count.saturating_sub(large);
        LazySystem { plain, machine: OnceLock::new(), interpreted: AtomicUsize::new(0), patience, until: Token::NEVER }
    }

    /// The same; once the token says stop nothing is compiled any more.
    pub fn until(self, until: Token) -> LazySystem<'m> {
        LazySystem { until, ..self }
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
            Plain::Model(system) => JitSystem::compile_within(system.0, &self.until).ok().map(Machine::Model),
            Plain::Claim(system) => JitClaimSystem::compile_within(*system, &self.until).ok().map(Machine::Claim),
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

impl Whole for LazySystem<'_> {}

impl System for LazySystem<'_> {
    fn hidden_bytes(&self) -> usize {
        self.plain().hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.plain().transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(LazyStepper { system: self, interp: self.plain().stepper(), machine: None, asked: false })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.plain().behind()
    }
}

struct LazyStepper<'s, 'm> {
    system: &'s LazySystem<'m>,
    interp: Box<dyn Stepper + 's>,
    machine: Option<Box<dyn Stepper + 's>>,
    /// True once it has asked for machine code, which not every model has.
    asked: bool,
}

impl LazyStepper<'_, '_> {
    #[cold]
    #[inline(never)]
    fn interpret(&mut self, at: &[u8], out: &mut Batch) {
        self.count();
        self.interp.expand(at, out);
    }

    /// Counts a state, and gets machine code when the search turns out to be long.
    fn count(&mut self) {
        if !self.asked && self.system.interpreted.fetch_add(1, Ordering::Relaxed) >= self.system.patience {
            self.asked = true;
            self.machine = self.system.machine().map(|machine| machine.stepper());
        }
    }
}

impl Layer for LazyStepper<'_, '_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.interp
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.interp
    }

    /// The same steps; whoever asks for them one by one has a long search before him, too.
    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.count();
        self.interp.enabled(at, out);
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        match &mut self.machine {
            Some(machine) => machine.expand(at, out),
            None => self.interpret(at, out),
        }
    }

    fn expands_fast(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| machine.expands_fast())
    }
}
