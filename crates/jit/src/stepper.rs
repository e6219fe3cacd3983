//! One thread's way through a model with machine code.

use crate::code::{Code, StepFn};
use crate::context::{BAIL, Context, GROW, MAX_ACCEPTS, MAX_FIELDS, Mail};
use crate::system::Counts;
use crate::tables::Tables;
use starwheel_model::{Batch, Entry, Fired, Interp, Model, Parts, Step, Stepper, Violation};
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
    /// Bytes that a batch must have room for, and entries.
    room: usize,
    entries: usize,
    /// Most bytes of one successor, with slack behind it.
    most: usize,
    /// Where the process in control is named.
    control: usize,
    /// The model uses `timeout`.
    timeout: bool,
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
            room: 0,
            entries: 0,
            most: 0,
            control: model.layout.header() as usize + 1,
            timeout: model.uses.timeout,
            generated: 0,
            interpreted: 0,
            counts,
        }
    }

    /// Makes all successors, or none and says false.
    fn generate(&mut self, at: &[u8], out: &mut Batch) -> bool {
        let Some(code) = self.code else { return false };
        if !self.tables.fit(at, self.control - 1) && !self.enter(code, at) {
            return false;
        }
        self.source[..at.len()].copy_from_slice(at);
        loop {
            out.clear();
            if out.bytes.capacity() < self.room || out.entries.capacity() < self.entries {
                out.bytes.reserve(self.room);
                out.entries.reserve(self.entries);
            }
            match self.steps(out) {
                BAIL => return false,
                GROW => self.make_room(2 * self.room),
                _ => return true,
            }
        }
    }

    /// Gets ready for states with other processes.
    #[cold]
    fn enter(&mut self, code: &Code, at: &[u8]) -> bool {
        if !self.tables.locate(self.model, code, at) {
            return false;
        }
        self.tables.publish(&mut self.ctx);
        self.most = at.len() + code.growth + SLACK;
        if self.source.len() < self.most {
            self.source.resize(self.most, 0);
        }
        self.make_room(self.room.max(16 * self.most));
        true
    }

    #[cold]
    fn make_room(&mut self, room: usize) {
        self.room = room;
        // Every successor has all globals, so that there are never more entries than this.
        self.entries = room / self.model.layout.processes as usize + 1;
    }

    /// Makes all successors as long as there is room.
    fn steps(&mut self, out: &mut Batch) -> i64 {
        let base = out.bytes.as_mut_ptr();
        let ctx = &mut *self.ctx;
        ctx.base = base;
        ctx.out = base;
        // SAFETY: `room` is at most the capacity of the vector, and `most` is less than `room`.
        ctx.limit = unsafe { base.add(self.room - self.most) };
        ctx.entry = out.entries.as_mut_ptr();
        ctx.timeout = 0;
        let control = self.source[self.control] as usize;
        let count = self.tables.frames.len();
        let range = if control == 0 { 0..count } else { control - 1..control };
        let mut result = self.pass(range.clone());
        if self.timeout && result == 0 && self.ctx.out == base && control == 0 {
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
        let mut pid = range.end;
        let Some(frames) = self.tables.frames.get(range) else { return BAIL };
        for frame in frames.iter().rev() {
            pid -= 1;
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

    fn parts(&mut self, at: &[u8], hidden: usize, out: &mut Parts) {
        self.interp.parts(at, hidden, out);
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.interp.accepting(at)
    }
}
