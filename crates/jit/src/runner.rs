//! Calls generated code: gives it a state and memory for successors, and keeps what it has written.

use crate::code::{Code, PlainFn, StepFn};
use crate::context::{BAIL, Context, GROW, Help, MAX_ACCEPTS, MAX_FIELDS, Mail};
use crate::pass::{location, pass};
use crate::settled::{Later, Settled};
use crate::system::Counts;
use crate::tables::Tables;
use starwheel_model::{Batch, Entry, LocId, Model, ProctypeId, Step};
use std::ptr;

/// Where the flags of an entry lie in its third number.
pub(crate) const FLAGS: u32 = 16;

/// One thread's memory for generated code.
pub(crate) struct Runner<'m> {
    pub(crate) model: &'m Model,
    pub(crate) code: Option<&'m Code>,
    /// See [`Code::groups`]; or those of a settled list of processes.
    groups: &'m [StepFn],
    /// Code that may be made for the processes at hand; none if there can be nothing better than what there is.
    later: Option<&'m Later<'m>>,
    /// The same once it is there, while states have these processes.
    settled: Option<&'m Settled>,
    /// States since their processes were others.
    calm: usize,
    pub(crate) tables: Tables,
    pub(crate) ctx: Box<Context>,
    /// Bytes that a batch must have room for, and entries.
    pub(crate) room: usize,
    entries: usize,
    /// Bytes behind which no successor that counts may start.
    reach: usize,
    /// Most bytes of one successor, and bytes that are always left for those that are written without asking.
    most: usize,
    behind: usize,
    /// Where the process in control is named.
    pub(crate) control: usize,
    /// The model uses `timeout`.
    pub(crate) timeout: bool,
    /// The tick, if the model has timers.
    pub(crate) tick: Option<Step>,
    /// There are steps that wait until no others are possible.
    waits: bool,
    /// By transition: whether it is lazy, if any of them is.
    pub(crate) lazy: Vec<bool>,
    /// Some process starts others.
    starts: bool,
    /// The model has channels without slots.
    hands_over: bool,
    /// See [`Code::plain`]; and the only one of them, if there is just one.
    plain: &'m [PlainFn],
    only: Option<PlainFn>,
    /// Nothing is known of the words that a claim changes.
    pub(crate) all_words: Vec<u64>,
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
    pub fn new(model: &'m Model, code: Option<&'m Code>, later: &'m Later<'m>, counts: &'m Counts) -> Runner<'m> {
        let mail = Mail { fields: 0, number: 0, message: [0; MAX_FIELDS], accepts: [0; MAX_ACCEPTS] };
        let ctx = Context {
            out: ptr::null_mut(),
            limit: ptr::null(),
            entry: ptr::null_mut(),
            bias: 0,
            state: ptr::null(),
            len: 0,
            mover: ptr::null(),
            flags: 0,
            full: 0,
            unknown: 0,
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
            groups: code.map_or(&[], |code| &code.groups),
            later: code.filter(|code| code.members.is_empty()).map(|_| later),
            settled: None,
            calm: 0,
            tables: Tables::default(),
            ctx: Box::new(ctx),
            room: 0,
            entries: 0,
            reach: 0,
            most: 0,
            behind: 0,
            control: model.layout.header() as usize + 1,
            timeout: model.uses.timeout,
            tick: model.timed().then(|| model.tick()),
            waits: model.uses.timeout || model.timed(),
            lazy: model.lazy_transitions(),
            starts: code.is_some_and(|code| code.growth > 0),
            hands_over: model.channels.iter().any(|c| c.capacity == 0),
            plain: code.map_or(&[], |code| &code.plain),
            only: code.and_then(|code| if let [only] = code.plain[..] { Some(only) } else { None }),
            all_words: code
                .filter(|code| code.claim != 0)
                .map_or(Vec::new(), |code| vec![u64::MAX; code.written.len()]),
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
    #[inline(always)]
    pub fn generate(&mut self, at: &[u8], out: &mut Batch) -> bool {
        match self.only {
            Some(steps) if self.tables.len == at.len() => self.plain_steps(steps, at, out) || self.otherwise(at, out),
            _ => self.generate_any(at, out),
        }
    }

    /// The same for all models, whatever they use.
    #[inline(never)]
    fn generate_any(&mut self, at: &[u8], out: &mut Batch) -> bool {
        if !self.load(at) {
            return false;
        }
        if self.settled.is_none() && self.later.is_some() {
            self.wait(at);
        }
        let done = match self.plain.is_empty() {
            true => self.all_steps(at, out),
            false => self.plain_by_parts(self.plain, at, out),
        };
        done || self.otherwise(at, out)
    }

    /// Makes all successors, with as much room as they need.
    #[inline(always)]
    fn all_steps(&mut self, at: &[u8], out: &mut Batch) -> bool {
        loop {
            match self.steps(at, out) {
                0 => return true,
                GROW => self.make_room(2 * self.room),
                _ => return false,
            }
        }
    }

    /// What the code of a settled list of processes does not do, the other code may.
    #[cold]
    #[inline(never)]
    fn otherwise(&mut self, at: &[u8], out: &mut Batch) -> bool {
        let Some(settled) = self.settled else { return self.give_up() };
        if !self.load(at) {
            return false;
        }
        self.ctx.full = 0;
        self.groups = &[];
        let done = self.all_steps(at, out);
        // The state may have had other processes.
        if self.settled.is_some() {
            self.groups = &settled.code.groups;
        }
        done || self.give_up()
    }

    /// Counts a state, and gets code for its processes when they have been the same for long.
    #[inline(always)]
    fn wait(&mut self, at: &[u8]) {
        self.calm += 1;
        if let Some(later) = self.later
            && self.calm.is_multiple_of(later.patience)
        {
            self.settle(later, at);
        }
    }

    #[cold]
    #[inline(never)]
    fn settle(&mut self, later: &'m Later<'m>, at: &[u8]) {
        if later.get().is_none() {
            let processes =
                self.tables.frames.iter().map(|f| (ProctypeId(f.proctype as u8), LocId(location(at, f) as u16)));
            later.settle(&processes.collect::<Vec<_>>());
        }
        self.use_settled();
    }

    /// Uses code for the processes at hand, if there is some.
    fn use_settled(&mut self) {
        let own = |settled: &&Settled| {
            let types = self.tables.frames.iter().map(|f| f.proctype as u8);
            types.eq(settled.list.iter().map(|id| id.0))
        };
        let Some(later) = self.later else { return };
        self.settled = later.get().filter(own);
        let (groups, plain, most) = match self.settled {
            Some(Settled { code, .. }) => (&code.groups[..], &code.plain[..], code.most),
            None => (&[][..], &[][..], 0),
        };
        (self.groups, self.plain) = (groups, plain);
        self.only = if let [only] = plain { Some(*only) } else { None };
        self.leave_room(most);
    }

    /// Leaves a state to the interpreter.
    #[cold]
    pub(crate) fn give_up(&mut self) -> bool {
        self.interpreted += 1;
        self.ctx.full = 0;
        false
    }

    /// Shows a state to generated code.
    #[inline(always)]
    pub(crate) fn load(&mut self, at: &[u8]) -> bool {
        if !self.tables.fit(at, self.control - 1, self.starts) && !self.enter(at) {
            return self.give_up();
        }
        self.ctx.state = at.as_ptr();
        true
    }

    /// Gets ready for states with other processes.
    #[cold]
    #[inline(never)]
    fn enter(&mut self, at: &[u8]) -> bool {
        let Some(code) = self.code else { return false };
        if !self.tables.locate(self.model, code, at) {
            self.tables = Tables::default();
            return false;
        }
        self.tables.publish(&mut self.ctx);
        self.most = at.len() + code.growth;
        self.calm = 0;
        match self.later {
            Some(_) => self.use_settled(),
            None => self.leave_room(code.most),
        }
        true
    }

    /// Sees to it that so many successors can be written without asking.
    fn leave_room(&mut self, successors: usize) {
        self.behind = (2 + successors) * self.most;
        self.make_room(self.room.max(16 * self.most + self.behind));
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn make_room(&mut self, room: usize) {
        self.ctx.full = 0;
        self.room = room;
        self.reach = room - self.behind;
        // Every successor has all globals, so that there are never more entries than this.
        self.entries = room / self.model.layout.processes as usize + 1;
    }

    /// Makes a batch ready for successors; what is in it counts no more.
    #[inline(always)]
    pub(crate) fn prepare(&self, out: &mut Batch) {
        let narrow = out.bytes.capacity() < self.room || out.entries.capacity() < self.entries;
        if narrow || !out.findings.is_empty() {
            self.widen(out);
        }
    }

    /// Gives a batch the room that successors may need.
    #[cold]
    #[inline(never)]
    fn widen(&self, out: &mut Batch) {
        out.clear();
        out.bytes.reserve(self.room);
        out.entries.reserve(self.entries);
    }

    /// Tells generated code where successors go.
    #[inline(always)]
    pub(crate) fn open(&mut self, out: &mut Batch) -> *mut u8 {
        self.prepare(out);
        let base = out.bytes.as_mut_ptr();
        let ctx = &mut *self.ctx;
        ctx.out = base;
        ctx.bias = (base as u64).wrapping_sub(ctx.len << 32);
        // SAFETY: `room` is at most the capacity of the vector. Behind the limit there is room for one successor that
        // starts before, for one that starts where that ends, and for all that are written without asking.
        ctx.limit = unsafe { base.add(self.reach) };
        ctx.entry = out.entries.as_mut_ptr();
        base
    }

    /// Keeps what generated code has written.
    #[inline(always)]
    pub(crate) fn close(&mut self, out: &mut Batch) {
        self.generated += 1;
        out.uniform = 0;
        // SAFETY: generated code has written everything up to `out`, which lies inside the capacity because a successor
        // that counts starts at `limit` at most and is not longer than what lies behind it; the same for entries, each of
        // which belongs to a successor of at least the bytes of all globals.
        unsafe {
            out.bytes.set_len(self.ctx.out.offset_from(out.bytes.as_ptr()) as usize);
            out.entries.set_len(self.ctx.entry.offset_from(out.entries.as_ptr()) as usize);
        }
    }

    /// Makes all successors as long as there is room.
    #[inline(always)]
    fn steps(&mut self, at: &[u8], out: &mut Batch) -> i64 {
        let base = self.open(out);
        if self.hands_over {
            // So that senders need not look for receivers in vain.
            (self.ctx.heard, self.ctx.heard_twice) = self.tables.heard(at);
        }
        let Some(&control) = at.get(self.control) else { return BAIL };
        let result = match control {
            0 => self.pass(at),
            name => self.inside(at, name),
        };
        if result != 0 {
            return result;
        }
        if self.waits && control == 0 {
            if self.ctx.out == base {
                return self.when_quiet(at, out);
            }
            if !self.lazy.is_empty() {
                return self.beside_lazy_steps(at, out);
            }
        }
        self.finish(out)
    }

    /// The steps of all processes.
    #[inline(always)]
    fn pass(&mut self, at: &[u8]) -> i64 {
        if self.groups.is_empty() { pass(&mut self.ctx, at, &self.tables.frames, 0) } else { self.pass_groups(at, 0) }
    }

    /// The same by functions for several processes.
    #[inline(always)]
    fn pass_groups(&mut self, at: &[u8], control: u8) -> i64 {
        let ctx: *mut Context = &mut *self.ctx;
        for step in self.groups {
            // SAFETY: as in [`pass`]; the tables fit the code's list of processes.
            let result = unsafe { step(ctx, at.as_ptr(), u64::from(control), 0) };
            if result != 0 {
                return result;
            }
        }
        0
    }

    /// The steps of the process that is in control.
    #[inline(never)]
    fn inside(&mut self, at: &[u8], name: u8) -> i64 {
        let only = usize::from(name) - 1;
        let Some(frames) = self.tables.frames.get(only..=only) else { return BAIL };
        self.ctx.unknown = u64::MAX;
        let result =
            if self.groups.is_empty() { pass(&mut self.ctx, at, frames, only) } else { self.pass_groups(at, name) };
        self.ctx.unknown = 0;
        result
    }

    /// The steps that are possible because no others are: those that wait for `timeout`, and the tick.
    #[inline(never)]
    fn when_quiet(&mut self, at: &[u8], out: &mut Batch) -> i64 {
        if self.timeout {
            self.ctx.timeout = 1;
            self.ctx.flags = u64::from(Entry::TIMEOUT) << FLAGS;
            let result = self.pass(at);
            (self.ctx.timeout, self.ctx.flags) = (0, 0);
            if result != 0 {
                return result;
            }
        }
        let result = self.finish(out);
        if let Some(tick) = self.tick.filter(|_| result == 0) {
            self.add_tick(at, tick, out);
        }
        result
    }

    /// The tick beside steps that are all lazy.
    #[inline(never)]
    fn beside_lazy_steps(&mut self, at: &[u8], out: &mut Batch) -> i64 {
        let result = self.finish(out);
        if let Some(tick) = self.tick.filter(|_| result == 0 && self.patient(out)) {
            self.add_tick(at, tick, out);
        }
        result
    }

    /// Keeps what there is, if there was room for all of it.
    #[inline(always)]
    pub(crate) fn finish(&mut self, out: &mut Batch) -> i64 {
        if self.ctx.full != 0 {
            return GROW;
        }
        self.close(out);
        0
    }
}
