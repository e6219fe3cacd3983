//! Goes through the processes of a state and lets generated code make the successors of each.

use crate::context::{BAIL, Context, Frame, Spot};

/// Where a process is. The frame must be one of the tables that fit the state.
#[inline]
pub(crate) fn location(state: &[u8], frame: &Frame) -> usize {
    let at = frame.at as usize + 2;
    debug_assert!(at + 2 <= state.len());
    // SAFETY: tables that fit a state have been made for one of its length, and their frames lie inside.
    usize::from(u16::from_le(unsafe { state.as_ptr().add(at).cast::<u16>().read_unaligned() }))
}

/// Makes the successors of some processes, the first of which has this number, the youngest first.
#[inline(always)]
pub(crate) fn pass(ctx: &mut Context, at: &[u8], frames: &[Frame], first: usize) -> i64 {
    let mut pid = (first + frames.len()) as u32;
    for frame in frames.iter().rev() {
        pid -= 1;
        let Some(spot) = spot(at, frame) else { return BAIL };
        let Some(step) = spot.step else { continue };
        ctx.mover = &frame.mover;
        // SAFETY: the function is one of code that lives as long as the runner. It reads the state at places that the
        // model's verifier has found to lie inside or that it checks itself, the tables of this very state, and writes
        // through the pointers of the context, which `open` has just set.
        let result = unsafe { step(ctx, at.as_ptr(), u64::from(frame.at), pid) };
        if result != 0 {
            return result;
        }
    }
    0
}

/// What is known of the place where a process is, if there is such a place.
#[inline]
fn spot(state: &[u8], frame: &Frame) -> Option<Spot> {
    let loc = location(state, frame);
    // SAFETY: there are so many.
    if loc < frame.nr_spots as usize { Some(unsafe { *frame.spots.add(loc) }) } else { None }
}
