//! One thread's way through a model, or a model and a claim, with machine code.

use crate::claims::ClaimUse;
use crate::code::Code;
use crate::runner::Runner;
use crate::system::Counts;
use starwheel_model::layout::TURN;
use starwheel_model::{Batch, ClaimInterp, Fired, Interp, Model, Step, Stepper, Violation};

/// A stepper that makes successors with machine code and asks the interpreter for everything else.
pub(crate) struct JitStepper<'m> {
    interp: Interp<'m>,
    runner: Runner<'m>,
}

impl<'m> JitStepper<'m> {
    pub fn new(model: &'m Model, code: Option<&'m Code>, counts: &'m Counts) -> JitStepper<'m> {
        JitStepper { interp: Interp::new(model), runner: Runner::new(model, code, counts) }
    }
}

impl Stepper for JitStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.interp.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.interp.enabled(at, out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.interp.lists(at, step)
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.interp.fire(at, step, out)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.runner.generate(at, out) {
            out.fill(&mut self.interp, at);
        }
    }

    fn expands_fast(&self) -> bool {
        self.runner.compiled()
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

/// The same for a model together with a claim.
pub(crate) struct ClaimStepper<'m> {
    interp: ClaimInterp<'m>,
    runner: Runner<'m>,
    uses: ClaimUse,
    /// Where a state says whose turn it is.
    turn: usize,
}

impl<'m> ClaimStepper<'m> {
    pub fn new(
        interp: ClaimInterp<'m>,
        uses: ClaimUse,
        model: &'m Model,
        code: Option<&'m Code>,
        counts: &'m Counts,
    ) -> ClaimStepper<'m> {
        let turn = (model.layout.header() + TURN) as usize;
        ClaimStepper { interp, uses, runner: Runner::new(model, code, counts), turn }
    }

    fn generate(&mut self, at: &[u8], out: &mut Batch) -> bool {
        match at[self.turn] {
            // The system's turn.
            1 => {
                let done = self.runner.generate(at, out);
                if done {
                    self.pass_turn(out);
                }
                done
            }
            // The claim's, with or without a system that is stuck.
            0 | 4 => self.runner.claim(at, &self.uses, out),
            _ => false,
        }
    }

    /// It is the claim's turn after every step that leaves nobody in control.
    fn pass_turn(&self, out: &mut Batch) {
        for entry in out.entries.iter().filter(|e| !e.transient()) {
            out.bytes[entry.start as usize + self.turn] = 0;
        }
    }
}

impl Stepper for ClaimStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.interp.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.interp.enabled(at, out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.interp.lists(at, step)
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.interp.fire(at, step, out)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.generate(at, out) {
            out.fill(&mut self.interp, at);
        }
    }

    fn expands_fast(&self) -> bool {
        self.runner.compiled()
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
