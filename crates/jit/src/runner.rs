//! Calls generated code: gives it a state and memory for successors, and keeps what it has written.

use crate::code::{CanFn, Code, StepFn};
use crate::context::{BAIL, Context, Frame, Help, MAX_ACCEPTS, MAX_FIELDS, Mail, Mover};
use crate::pass::{location, pass, spot};
use crate::system::Counts;
use crate::tables::Tables;
use starwheel_model::layout::{CLAIM, TURN};
use starwheel_model::{Batch, Entry, Location, Model, Pid};
use std::ptr;

/// The buffer for successors is full.
const GROW: i64 = -2;
/// Where the flags of an entry lie in its third number.
const FLAGS: u32 = 16;
/// Most bytes of a state whose words have a bit each in [`Entry::changed`].
const WORDS: usize = 4 * u64::BITS as usize;
/// What the header says when it is the system's turn, and what it adds while a claim looks at a stuck system once more.
const SYSTEMS: u8 = 1;
const STUTTER: u8 = 4;

/// One thread's memory for generated code.
pub(crate) struct Runner<'m> {
    model: &'m Model,
    code: Option<&'m Code>,
    tables: Tables,
    ctx: Box<Context>,
    /// Bytes that a batch must have room for, and entries.
    room: usize,
    entries: usize,
    /// Bytes behind which no successor that counts may start.
    reach: usize,
    /// Most bytes of one successor.
    most: usize,
    /// See [`Context::unknown`].
    unknown: u64,
    /// Where the process in control is named.
    control: usize,
    /// The model uses `timeout`.
    timeout: bool,
    /// Some process starts others.
    starts: bool,
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
            place: 0,
            state: ptr::null(),
            len: 0,
            mover: ptr::null(),
            flags: 0,
            full: 0,
            unknown: u64::MAX,
            written: code.map_or(ptr::null(), |code| code.written.as_ptr()),
            control_at: u64::from(model.layout.header()) + 1,
            last_at: if model.uses.last { u64::from(model.layout.header()) + 2 } else { 0 },
            help: Help::ALL,
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
            ctx: Box::new(ctx),
            room: 0,
            entries: 0,
            reach: 0,
            most: 0,
            unknown: u64::MAX,
            control: model.layout.header() as usize + 1,
            timeout: model.uses.timeout,
            starts: code.is_some_and(|code| code.growth > 0),
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
        let done = self.load(at) && self.fill(out, |runner, out| runner.steps(at, out));
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
    #[inline(always)]
    fn load(&mut self, at: &[u8]) -> bool {
        let Some(code) = self.code else { return false };
        if !self.tables.fit(at, self.control - 1, self.starts) && !self.enter(code, at) {
            return false;
        }
        self.ctx.state = at.as_ptr();
        true
    }

    /// Makes successors with as much room as they need.
    #[inline(always)]
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
        self.most = at.len() + code.growth;
        self.unknown = if at.len() > WORDS { u64::MAX } else { 0 };
        self.make_room(self.room.max(16 * self.most));
        true
    }

    #[cold]
    fn make_room(&mut self, room: usize) {
        self.room = room;
        self.reach = room - 2 * self.most;
        // Every successor has all globals, so that there are never more entries than this.
        self.entries = room / self.model.layout.processes as usize + 1;
    }

    /// Tells generated code where successors go.
    fn open(&mut self, out: &mut Batch) -> *mut u8 {
        let base = out.bytes.as_mut_ptr();
        let ctx = &mut *self.ctx;
        ctx.out = base;
        ctx.place = ctx.len << 32;
        // SAFETY: `room` is at most the capacity of the vector, and at least sixteen times `most`. Behind the limit there
        // is room for one successor that starts before and for one that starts where that ends.
        ctx.limit = unsafe { base.add(self.reach) };
        ctx.entry = out.entries.as_mut_ptr();
        ctx.flags = 0;
        ctx.timeout = 0;
        ctx.can_timeout = 0;
        ctx.full = 0;
        base
    }

    /// Keeps what generated code has written.
    fn close(&mut self, out: &mut Batch, base: *mut u8) {
        // SAFETY: generated code has written everything from `base` up to `out`, which lies inside the capacity
        // because a successor that counts starts at `limit` at most and is not longer than what lies behind it; the same for
        // entries, each of which belongs to a successor of at least the bytes of all globals.
        unsafe {
            out.bytes.set_len(self.ctx.out.offset_from(base) as usize);
            out.entries.set_len(self.ctx.entry.offset_from(out.entries.as_ptr()) as usize);
        }
    }

    /// Makes all successors as long as there is room.
    #[inline(always)]
    fn steps(&mut self, at: &[u8], out: &mut Batch) -> i64 {
        let base = self.open(out);
        if self.hands_over && !self.listen(at) {
            return BAIL;
        }
        let (all, ctx) = (&self.tables.frames[..], &mut *self.ctx);
        let Some(&control) = at.get(self.control) else { return BAIL };
        let mut result = match control {
            0 => {
                ctx.unknown = self.unknown;
                pass(ctx, at, all, 0)
            }
            name => {
                ctx.unknown = u64::MAX;
                let only = name as usize - 1;
                all.get(only..=only).map_or(BAIL, |frames| pass(ctx, at, frames, only))
            }
        };
        if self.timeout && result == 0 && ctx.out == base && control == 0 {
            ctx.timeout = 1;
            ctx.flags = u64::from(Entry::TIMEOUT) << FLAGS;
            result = pass(ctx, at, all, 0);
        }
        self.finish(result, out, base)
    }

    /// Keeps what there is, if all is well.
    fn finish(&mut self, result: i64, out: &mut Batch, base: *mut u8) -> i64 {
        if result == 0 && self.ctx.full != 0 {
            return GROW;
        }
        if result == 0 {
            self.close(out, base);
        }
        result
    }

    /// Notes who listens to which channels, so that senders need not look for receivers in vain; false if some process is
    /// nowhere.
    fn listen(&mut self, at: &[u8]) -> bool {
        let (mut once, mut twice) = (0, 0);
        for frame in &self.tables.frames {
            let Some(spot) = spot(at, frame) else { return false };
            twice |= once & spot.listening;
            once |= spot.listening;
        }
        (self.ctx.heard, self.ctx.heard_twice) = (once, twice);
        true
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
        let moves = self.moves(at, false)?;
        let later = moves || (self.timeout && self.moves(at, true)?);
        let stutters = at[self.control - 1 + TURN as usize] & STUTTER != 0;
        let no_progress = claim.progress && !stutters && !self.progress(at);
        let turn = match (later, claim.progress) {
            (true, _) => SYSTEMS,
            (false, true) => STUTTER,
            (false, false) => 0,
        };
        let timeout = claim.timeout && !moves;
        let mover = Mover { who: Pid::CLAIM.0.into(), location_at: (self.control - 1) as u32 + CLAIM, word: 0 };
        let make = |runner: &mut Self, out: &mut Batch| {
            let base = runner.open(out);
            runner.ctx.can_timeout = u32::from(timeout);
            runner.ctx.no_progress = u32::from(no_progress);
            runner.ctx.turn = u32::from(turn);
            runner.ctx.mover = &mover;
            // Only the system's turn is passed through.
            runner.ctx.flags = if turn == SYSTEMS { u64::from(Entry::TRANSIENT) << FLAGS } else { 0 };
            runner.ctx.unknown = u64::MAX;
            // SAFETY: as in [`pass`]; this function reads no frame.
            let result = unsafe {
                let step = std::mem::transmute::<usize, StepFn>(address);
                step(&mut *runner.ctx, runner.ctx.state, 0, 0)
            };
            runner.finish(result, out, base)
        };
        self.fill(out, make).then_some(())
    }

    /// Whether some process can move; none if generated code does not know.
    fn moves(&mut self, at: &[u8], timeout: bool) -> Option<bool> {
        self.ctx.can_timeout = u32::from(timeout);
        let ctx: *mut Context = &mut *self.ctx;
        for (pid, frame) in self.tables.frames.iter().enumerate().rev() {
            let loc = location(at, frame);
            // SAFETY: as in `pass`, with a function of the other signature.
            let result = unsafe {
                let can = std::mem::transmute::<usize, CanFn>(frame.can);
                can(ctx, at.as_ptr(), u64::from(frame.at), pid as u32, loc as u64, 0)
            };
            match result {
                0 => {}
                1 => return Some(true),
                _ => return None,
            }
        }
        Some(false)
    }

    /// True if some process is at a progress label.
    fn progress(&self, at: &[u8]) -> bool {
        let place = |f: &Frame| -> Option<&Location> {
            self.model.proctypes.get(f.proctype as usize)?.locs.get(location(at, f))
        };
        self.tables.frames.iter().any(|f| place(f).is_some_and(|l| l.progress))
    }
}

/// What a claim asks for.
pub(crate) struct ClaimUse {
    pub timeout: bool,
    pub progress: bool,
}
