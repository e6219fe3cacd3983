//! Calls generated code: gives it a state and memory for successors, and keeps what it has written.

use crate::code::{CanFn, Code, StepFn};
use crate::context::{BAIL, Context, Frame, GROW, MAX_ACCEPTS, MAX_FIELDS, Mail};
use crate::system::Counts;
use crate::tables::Tables;
use starwheel_model::layout::TURN;
use starwheel_model::{Batch, Entry, Location, Model};
use std::ptr;

/// Bytes behind a state that generated code may read and write: it copies in pieces of 32.
const SLACK: usize = 64;
/// What the header says when it is the system's turn, and what it adds while a claim looks at a stuck system once more.
const SYSTEMS: u8 = 1;
const STUTTER: u8 = 4;

/// One thread's memory for generated code.
pub(crate) struct Runner<'m> {
    model: &'m Model,
    code: Option<&'m Code>,
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
    /// The model has channels without slots.
    hands_over: bool,
    generated: u64,
    interpreted: u64,
    counts: &'m Counts,
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        self.counts.add(self.generated, self.interpreted);
    }
}

// SAFETY: the pointers in the context are set anew in every call before generated code sees them, and point
// to memory of this stepper and of the batch that it was lent.
unsafe impl Send for Runner<'_> {}

impl<'m> Runner<'m> {
    pub fn new(model: &'m Model, code: Option<&'m Code>, counts: &'m Counts) -> Runner<'m> {
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
            turn: 0,
            no_progress: 0,
            heard: 0,
            heard_twice: 0,
            mail: mail.clone(),
            question: mail,
        };
        Runner {
            model,
            code,
            tables: Tables::default(),
            source: Vec::new(),
            ctx: Box::new(ctx),
            room: 0,
            entries: 0,
            most: 0,
            control: model.layout.header() as usize + 1,
            timeout: model.uses.timeout,
            hands_over: model.channels.iter().any(|c| c.capacity == 0),
            generated: 0,
            interpreted: 0,
            counts,
        }
    }

    /// True if there is machine code.
    pub fn compiled(&self) -> bool {
        self.code.is_some()
    }

    /// Makes all successors, or none and says false.
    #[inline]
    pub fn generate(&mut self, at: &[u8], out: &mut Batch) -> bool {
        let done = self.load(at) && self.fill(out, Self::steps);
        self.count(done);
        done
    }

    fn count(&mut self, generated: bool) {
        if generated {
            self.generated += 1;
        } else {
            self.interpreted += 1;
        }
    }

    /// Shows a state to generated code.
    fn load(&mut self, at: &[u8]) -> bool {
        let Some(code) = self.code else { return false };
        if !self.tables.fit(at, self.control - 1) && !self.enter(code, at) {
            return false;
        }
        self.source[..at.len()].copy_from_slice(at);
        true
    }

    /// Makes successors with as much room as they need.
    #[inline]
    fn fill(&mut self, out: &mut Batch, make: impl Fn(&mut Self, &mut Batch) -> i64) -> bool {
        loop {
            out.clear();
            if out.bytes.capacity() < self.room || out.entries.capacity() < self.entries {
                out.bytes.reserve(self.room);
                out.entries.reserve(self.entries);
            }
            match make(self, out) {
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
            self.tables = Tables::default();
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

    /// Tells generated code where successors go.
    fn open(&mut self, out: &mut Batch) -> *mut u8 {
        let base = out.bytes.as_mut_ptr();
        let ctx = &mut *self.ctx;
        ctx.base = base;
        ctx.out = base;
        // SAFETY: `room` is at most the capacity of the vector, and `most` is less than `room`.
        ctx.limit = unsafe { base.add(self.room - self.most) };
        ctx.entry = out.entries.as_mut_ptr();
        ctx.timeout = 0;
        ctx.can_timeout = 0;
        base
    }

    /// Keeps what generated code has written.
    fn close(&mut self, out: &mut Batch, base: *mut u8) {
        // SAFETY: generated code has written everything from `base` up to `out`, which lies inside the capacity
        // because a successor starts at `limit` at most and is not longer than what lies behind it; the same for
        // entries, each of which belongs to a successor of at least the bytes of all globals.
        unsafe {
            out.bytes.set_len(self.ctx.out.offset_from(base) as usize);
            out.entries.set_len(self.ctx.entry.offset_from(out.entries.as_ptr()) as usize);
        }
    }

    /// Makes all successors as long as there is room.
    fn steps(&mut self, out: &mut Batch) -> i64 {
        let base = self.open(out);
        if self.hands_over {
            self.listen();
        }
        let control = self.source[self.control] as usize;
        let count = self.tables.frames.len();
        let range = if control == 0 { 0..count } else { control - 1..control };
        let mut result = self.pass(range.clone());
        if self.timeout && result == 0 && self.ctx.out == base && control == 0 {
            self.ctx.timeout = u32::from(Entry::TIMEOUT) << 16;
            result = self.pass(range);
        }
        if result == 0 {
            self.close(out, base);
        }
        result
    }

    /// Notes who listens to which channels, so that senders need not look for receivers in vain.
    fn listen(&mut self) {
        let (mut once, mut twice) = (0, 0);
        let Some(code) = self.code else { return };
        for frame in &self.tables.frames {
            let bits =
                code.listening[frame.proctype as usize].get(self.location(frame.at)).copied().unwrap_or(u64::MAX);
            twice |= once & bits;
            once |= bits;
        }
        (self.ctx.heard, self.ctx.heard_twice) = (once, twice);
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

    /// Makes all successors of a state in which it is a claim's turn, or none and says false. The claim asks for
    /// `timeout` or for `np_` as it says.
    pub fn claim(&mut self, at: &[u8], claim: &ClaimUse, out: &mut Batch) -> bool {
        let done = self.load(at) && self.claim_steps(at, claim, out).is_some();
        self.count(done);
        done
    }

    fn claim_steps(&mut self, at: &[u8], claim: &ClaimUse, out: &mut Batch) -> Option<()> {
        let address = self.code.map(|c| c.claim).filter(|&c| c != 0)?;
        let moves = self.moves(false)?;
        let later = moves || (self.timeout && self.moves(true)?);
        let stutters = at[self.control - 1 + TURN as usize] & STUTTER != 0;
        let no_progress = claim.progress && !stutters && !self.progress();
        let turn = match (later, claim.progress) {
            (true, _) => SYSTEMS,
            (false, true) => STUTTER,
            (false, false) => 0,
        };
        let timeout = claim.timeout && !moves;
        let make = |runner: &mut Self, out: &mut Batch| {
            let base = runner.open(out);
            runner.ctx.can_timeout = u32::from(timeout);
            runner.ctx.no_progress = u32::from(no_progress);
            runner.ctx.turn = u32::from(turn);
            // SAFETY: as in `pass`; this function reads no frame.
            let result = unsafe {
                let step = std::mem::transmute::<usize, StepFn>(address);
                step(&mut *runner.ctx, runner.source.as_ptr(), 0, 0)
            };
            if result == 0 {
                runner.close(out, base);
            }
            result
        };
        self.fill(out, make).then_some(())
    }

    /// Whether some process can move; none if generated code does not know.
    fn moves(&mut self, timeout: bool) -> Option<bool> {
        self.ctx.can_timeout = u32::from(timeout);
        let ctx: *mut Context = &mut *self.ctx;
        let source = self.source.as_ptr();
        for (pid, frame) in self.tables.frames.iter().enumerate().rev() {
            let loc = self.location(frame.at);
            // SAFETY: as in `pass`, with a function of the other signature.
            let result = unsafe {
                let can = std::mem::transmute::<usize, CanFn>(frame.can);
                can(ctx, source, u64::from(frame.at), pid as u32, loc as u64, 0)
            };
            match result {
                0 => {}
                1 => return Some(true),
                _ => return None,
            }
        }
        Some(false)
    }

    fn location(&self, frame: u32) -> usize {
        let at = frame as usize + 2;
        usize::from(u16::from_le_bytes([self.source[at], self.source[at + 1]]))
    }

    /// True if some process is at a progress label.
    fn progress(&self) -> bool {
        let place = |f: &Frame| -> Option<&Location> {
            self.model.proctypes.get(f.proctype as usize)?.locs.get(self.location(f.at))
        };
        self.tables.frames.iter().any(|f| place(f).is_some_and(|l| l.progress))
    }
}

/// What a claim asks for.
pub(crate) struct ClaimUse {
    pub timeout: bool,
    pub progress: bool,
}
