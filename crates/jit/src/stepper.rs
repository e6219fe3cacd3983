//! One thread's way through a model, or a model and a claim, with machine code.

use crate::claims::ClaimUse;
use crate::code::Code;
use crate::runner::Runner;
use crate::settled::Later;
use crate::system::Counts;
use starwheel_model::layout::TURN;
use starwheel_model::{Batch, ClaimInterp, Interp, Layer, Model, Stepper};

/// A stepper that makes successors with machine code and asks the interpreter for everything else.
pub(crate) struct JitStepper<'m> {
    interp: Interp<'m>,
    runner: Runner<'m>,
}

impl<'m> JitStepper<'m> {
    pub fn new(model: &'m Model, code: Option<&'m Code>, later: &'m Later<'m>, counts: &'m Counts) -> JitStepper<'m> {
        JitStepper { interp: Interp::new(model), runner: Runner::new(model, code, later, counts) }
    }
}

impl JitStepper<'_> {
    /// Apart, so that what is done for nearly every state stays short.
    #[cold]
    #[inline(never)]
    fn interpret(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(&mut self.interp, at);
    }
}

impl Layer for JitStepper<'_> {
    fn inner(&self) -> &dyn Stepper {
        &self.interp
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut self.interp
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.runner.generate(at, out) {
            self.interpret(at, out);
        }
    }

    fn expands_fast(&self) -> bool {
        self.runner.compiled()
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
        (model, code, later): (&'m Model, Option<&'m Code>, &'m Later<'m>),
        counts: &'m Counts,
    ) -> ClaimStepper<'m> {
        let turn = (model.layout.header() + TURN) as usize;
        ClaimStepper { interp, uses, runner: Runner::new(model, code, later, counts), turn }
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

impl Layer for ClaimStepper<'_> {
    fn inner(&self) -> &dyn Stepper {
        &self.interp
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut self.interp
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.generate(at, out) {
            out.fill(&mut self.interp, at);
        }
    }

    fn expands_fast(&self) -> bool {
        self.runner.compiled()
    }
}
