//! Successors of models without handshakes, `timeout`, lazy steps and atomic sequences, whose states all have the same
//! processes: nobody but generated code writes any, there is always room for them, and time passes only where there are none.

use crate::code::PlainFn;
use crate::runner::Runner;
use starwheel_model::Batch;

impl Runner<'_> {
    /// Makes all successors by one function, if nobody else writes any.
    #[inline(always)]
    pub(crate) fn plain_steps(&mut self, steps: PlainFn, at: &[u8], out: &mut Batch) -> bool {
        self.prepare(out);
        let (base, entries) = (out.bytes.as_mut_ptr(), out.entries.as_mut_ptr());
        // SAFETY: as in [`pass`]; the tables fit the code's list of processes, and the batch has room for as many
        // successors as there can be.
        let next = unsafe { steps(&mut *self.ctx, at.as_ptr(), base, entries, self.ctx.len << 32) };
        if next.is_null() {
            return false;
        }
        self.ctx.out = next;
        self.close(out);
        if next == base {
            return self.tick_alone(at, out);
        }
        out.uniform = self.ctx.len as u32;
        true
    }

    /// The tick, where nothing else is possible.
    #[inline(never)]
    fn tick_alone(&mut self, at: &[u8], out: &mut Batch) -> bool {
        if let Some(tick) = self.tick {
            self.add_tick(at, tick, out);
        }
        true
    }

    /// The same by several functions.
    #[inline(never)]
    pub(crate) fn plain_by_parts(&mut self, parts: &[PlainFn], at: &[u8], out: &mut Batch) -> bool {
        let base = self.open(out);
        for steps in parts {
            // SAFETY: as above.
            let next = unsafe {
                let ctx = &mut *self.ctx;
                let place = (ctx.len << 32) + ctx.out.offset_from(base) as u64;
                steps(ctx, at.as_ptr(), ctx.out, ctx.entry, place)
            };
            if next.is_null() {
                return false;
            }
            self.ctx.out = next;
        }
        self.close(out);
        if self.ctx.out == base {
            return self.tick_alone(at, out);
        }
        out.uniform = self.ctx.len as u32;
        true
    }
}
