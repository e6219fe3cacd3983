//! One thread's way through a model with machine code.

use crate::code::{Code, StepFn};
use crate::context::{BAIL, Context, GROW, MAX_ACCEPTS, MAX_FIELDS, Mail};
use crate::system::Counts;
use crate::tables::Tables;
use starwheel_model::{Batch, Entry, Fired, Interp, Model, Step, Stepper, Violation};
use std::ptr;

/// Bytes behind a state that generated code may read and write: it copies in pieces of 32.
const SLACK: usize = 64;

/// A stepper that makes successors with machine code and asks the interpreter for everything else.
pub(crate) struct JitStepper<'m> {
    model: &'m Model,
    code: Option<&'m Code>,
    interp: Interp<'m>,
    tables: Tables,
    /// The state at hand, with slack behind it.
    source: Vec<u8>,
    ctx: Box<Context>,
    generated: u64,
    interpreted: u64,
    counts: &'m Counts,
}

impl Drop for JitStepper<'_> {
    fn drop(&mut self) {
        self.counts.add(self.generated, self.interpreted);
    }
}

// SAFETY: the pointers in the context are set anew in every call of `expand` before generated code sees them, and point
// to memory of this stepper and of the batch that it was lent.
unsafe impl Send for JitStepper<'_> {}

impl<'m> JitStepper<'m> {
    pub fn new(model: &'m Model, code: Option<&'m Code>, counts: &'m Counts) -> JitStepper<'m> {
        let mail = Mail { fields: 0, number: 0, message: [0; MAX_FIELDS], accepts: [0; MAX_ACCEPTS] };
        let ctx = Context {
            out: ptr::null_mut(),
            limit: ptr::null(),
            entry: ptr::null_mut(),
            base: ptr::null(),
            len: 0,
            frames: ptr::null(),
            chans: ptr::null(),
            firsts: ptr::null(),
            count: 0,
            nr_chans: 0,
            timeout: 0,
            can_timeout: 0,
            mail: mail.clone(),
            question: mail,
        };
        JitStepper {
            model,
            code,
            interp: Interp::new(model),
            tables: Tables::default(),
            source: Vec::new(),
            ctx: Box::new(ctx),
            generated: 0,
            interpreted: 0,
            counts,
        }
    }

    /// Makes all successors, or none and says false.
    fn generate(&mut self, at: &[u8], out: &mut Batch) -> bool {
        let Some(code) = self.code else { return false };
        if !self.tables.locate(self.model, code, at) {
            return false;
        }
        self.tables.publish(&mut self.ctx);
        if self.source.len() < at.len() + SLACK {
            self.source.resize(at.len() + SLACK, 0);
        }
        self.source[..at.len()].copy_from_slice(at);
        let most = at.len() + code.growth + SLACK;
        let mut room = out.bytes.capacity().max(8 * most);
        loop {
            out.clear();
            out.bytes.reserve(room);
            room = out.bytes.capacity();
            // Every successor has all globals, so that there are never more entries than this.
            out.entries.reserve(room / self.model.layout.processes as usize + 1);
            match self.steps(out, room - most) {
                BAIL => return false,
                GROW => room *= 2,
                _ => return true,
            }
        }
    }

    /// Makes all successors as long as they start in the first `limit` bytes.
    fn steps(&mut self, out: &mut Batch, limit: usize) -> i64 {
        let ctx = &mut *self.ctx;
        let base = out.bytes.as_mut_ptr();
        ctx.base = base;
        ctx.out = base;
        // SAFETY: `limit` is less than the capacity of the vector.
        ctx.limit = unsafe { base.add(limit) };
        ctx.entry = out.entries.as_mut_ptr();
        ctx.timeout = 0;
        let control = self.source[self.model.layout.header() as usize + 1] as usize;
        let count = self.tables.frames.len();
        let range = if control == 0 { 0..count } else { control - 1..control };
        let mut result = self.pass(range.clone());
        if result == 0 && self.ctx.out == base && control == 0 && self.model.uses.timeout {
            self.ctx.timeout = u32::from(Entry::TIMEOUT) << 16;
            result = self.pass(range);
        }
        if result == 0 {
            // SAFETY: generated code has written everything from `base` up to `out`, which lies inside the capacity
            // because a successor starts at `limit` at most and is not longer than what lies behind it; the same for
            // entries, each of which belongs to a successor of at least the bytes of all globals.
            unsafe {
                out.bytes.set_len(self.ctx.out.offset_from(base) as usize);
                out.entries.set_len(self.ctx.entry.offset_from(out.entries.as_ptr()) as usize);
            }
        }
        result
    }

    fn pass(&mut self, range: std::ops::Range<usize>) -> i64 {
        let ctx: *mut Context = &mut *self.ctx;
        let source = self.source.as_ptr();
        let Some(frames) = self.tables.frames.get(range.clone()) else { return BAIL };
        for (frame, pid) in frames.iter().zip(range).rev() {
            // SAFETY: the address is that of a function of this signature in code that lives as long as `self`
            // (`locate` refuses types without one). It reads the state, which has slack behind it, at places that
            // the model's verifier has found to lie inside or that it checks itself, the tables of this very state,
            // and writes through the pointers of the context, which the caller has just set.
            let result = unsafe {
                let step = std::mem::transmute::<usize, StepFn>(frame.step);
                step(ctx, source, u64::from(frame.at), pid as u32)
            };
            if result != 0 {
                return result;
            }
        }
        0
    }
}

impl Stepper for JitStepper<'_> {
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
        if self.generate(at, out) {
            self.generated += 1;
        } else {
            self.interpreted += 1;
            out.fill(&mut self.interp, at);
        }
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
