//! The successors of a state in which it is a claim's turn.

use crate::code::{CanFn, StepFn};
use crate::context::{Context, Frame, GROW, Mover};
use crate::pass::location;
use crate::runner::{FLAGS, Runner};
use starwheel_model::layout::{CLAIM, TURN};
use starwheel_model::{Batch, Entry, Location};

/// What the header says when it is the system's turn, and what it adds while a claim looks at a stuck system once more.
const SYSTEMS: u8 = 1;
const STUTTER: u8 = 4;

/// What a claim asks for.
pub(crate) struct ClaimUse {
    pub timeout: bool,
    pub progress: bool,
}

impl Runner<'_> {
    /// Makes all successors of a state in which it is a claim's turn, or none and says false. The claim asks for
    /// `timeout` or for `np_` as it says.
    pub fn claim(&mut self, at: &[u8], claim: &ClaimUse, out: &mut Batch) -> bool {
        if !self.load(at) {
            return false;
        }
        let done = self.claim_steps(at, claim, out).is_some();
        // What was said to the claim must not be taken for what is said to processes.
        (self.ctx.can_timeout, self.ctx.flags, self.ctx.full) = (0, 0, 0);
        done || self.give_up()
    }

    fn claim_steps(&mut self, at: &[u8], claim: &ClaimUse, out: &mut Batch) -> Option<()> {
        let address = self.code.map(|c| c.claim).filter(|&c| c != 0)?;
        let moves = self.moves(at, false)?;
        let later = moves || (self.timeout && self.moves(at, true)?) || self.slices(at).is_some();
        let stutters = at[self.control - 1 + TURN as usize] & STUTTER != 0;
        let no_progress = claim.progress && !stutters && !self.progress(at);
        let turn = match (later, claim.progress) {
            (true, _) => SYSTEMS,
            (false, true) => STUTTER,
            (false, false) => 0,
        };
        let ctx = &mut *self.ctx;
        ctx.can_timeout = u32::from(claim.timeout && (!moves || stutters));
        ctx.no_progress = u32::from(no_progress);
        ctx.turn = u32::from(turn);
        // Only the system's turn is passed through.
        let passes = if turn == SYSTEMS { Entry::TRANSIENT } else { 0 };
        ctx.flags = u64::from(Entry::CLAIM | passes) << FLAGS;
        let location_at = (self.control - 1) as u32 + CLAIM;
        let mover = Mover { who: 0, changes: self.all_words.as_ptr(), location_at, word: 0 };
        loop {
            self.open(out);
            self.ctx.mover = &mover;
            // SAFETY: as in [`pass`]; this function reads no frame.
            let result = unsafe {
                let step = std::mem::transmute::<usize, StepFn>(address);
                step(&mut *self.ctx, self.ctx.state, 0, 0)
            };
            match if result == 0 { self.finish(out) } else { result } {
                0 => return Some(()),
                GROW => self.make_room(2 * self.room),
                _ => return None,
            }
        }
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
