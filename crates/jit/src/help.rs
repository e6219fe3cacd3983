//! What generated code calls: how a successor begins, and handshakes. Written in Rust, so that it need not be compiled for
//! every transition of every model.

use crate::code::{CanFn, HandFn};
use crate::context::{BAIL, Context, Frame, Mail, Written};
use starwheel_model::Entry;
use std::mem::{offset_of, size_of};

/// Where the location lies in `how`, the second argument of [`begin`]; the transition is in the lowest 32 bits.
pub(crate) const TO: u32 = 32;

/// An entry as four numbers.
#[repr(C)]
pub(crate) struct Raw {
    /// Start and length.
    pub place: u64,
    /// The action and the partner's.
    pub trans: u64,
    /// Actor, partner, flags, unused, findings.
    pub who: u64,
    pub changed: u64,
}

const _: () = assert!(
    size_of::<Raw>() == size_of::<Entry>()
        && offset_of!(Entry, action) == offset_of!(Raw, trans)
        && offset_of!(Entry, actor) == offset_of!(Raw, who)
        && offset_of!(Entry, changed) == offset_of!(Raw, changed)
);

/// Copies a state by pieces that may overlap: so many pieces of sixteen bytes, or any number of bytes from eight on if it
/// says zero.
///
/// # Safety
/// Both pointers are good for so many bytes.
#[inline(always)]
unsafe fn copy<const PIECES: usize>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: every piece lies inside the first `len` bytes.
    let piece = |at: usize| unsafe {
        to.add(at).cast::<[u64; 2]>().write_unaligned(from.add(at).cast::<[u64; 2]>().read_unaligned());
    };
    if PIECES > 0 {
        (0..PIECES - 1).for_each(|i| piece(16 * i));
        piece(len - 16);
    } else if len >= 16 {
        (0..len / 16).for_each(|i| piece(16 * i));
        piece(len - 16);
    } else {
        for at in [0, len - 8] {
            // SAFETY: as above.
            unsafe { to.add(at).cast::<u64>().write_unaligned(from.add(at).cast::<u64>().read_unaligned()) };
        }
    }
}

/// The way to begin successors of states of so many bytes.
pub(crate) fn begin_for(len: usize) -> unsafe extern "C" fn(*mut Context, u64) -> *mut u8 {
    match len.div_ceil(16) {
        1 if len == 16 => begin::<1>,
        2 => begin::<2>,
        3 => begin::<3>,
        4 => begin::<4>,
        5 => begin::<5>,
        6 => begin::<6>,
        7 => begin::<7>,
        8 => begin::<8>,
        _ => begin::<0>,
    }
}

/// Begins a successor: a copy of the state at hand in which nobody is in control and the process that moves has gone on, and
/// its entry. If there is no room, it goes where the next one will go, too, and the context says so in the end.
///
/// # Safety
/// The context is one that [`crate::runner::Runner`] has filled for this state, whose length this function is made for.
pub(crate) unsafe extern "C" fn begin<const PIECES: usize>(ctx: *mut Context, how: u64) -> *mut u8 {
    // SAFETY: nobody else uses the context during the call; its pointers are good as the runner has set them: `out` has
    // room for a state, `entry` for an entry, and the mover's table has one for each of its transitions.
    unsafe {
        let ctx = &mut *ctx;
        let (out, mover) = (ctx.out, &*ctx.mover);
        let (len, trans) = (ctx.len as usize, how as u32);
        copy::<PIECES>(ctx.state, out, len);
        out.add(mover.location_at as usize).cast::<u16>().write_unaligned((how >> TO) as u16);
        *out.add(ctx.control_at as usize) = 0;
        ctx.entry.cast::<Raw>().write(Raw {
            place: (out as u64).wrapping_sub(ctx.bias),
            trans: u64::from(trans),
            who: mover.who | ctx.flags,
            changed: *mover.changes.wrapping_add(trans as usize) | ctx.unknown,
        });
        if out.cast_const() > ctx.limit {
            return full(ctx);
        }
        ctx.out = out.add(len);
        ctx.entry = ctx.entry.add(1);
        out
    }
}

/// There was no room for a successor.
#[cold]
fn full(ctx: &mut Context) -> *mut u8 {
    ctx.full = 1;
    ctx.out
}

/// Leaves it all to the interpreter.
pub(crate) unsafe extern "C" fn unknown(_: *mut Context, _: *const u8, _: u64, _: u32) -> i64 {
    BAIL
}

/// Says how long the last successor has become.
///
/// # Safety
/// As for [`begin`], which has been called before.
pub(crate) unsafe extern "C" fn resize(ctx: *mut Context, len: u64) {
    // SAFETY: as above; unless there was no room, the last entry lies before `entry`.
    unsafe {
        let ctx = &mut *ctx;
        if ctx.full == 0 {
            let entry = &mut *ctx.entry.sub(1);
            entry.changed = u64::MAX;
            let longer = len.wrapping_sub(u64::from(entry.len));
            ctx.out = ctx.out.wrapping_add(longer as usize);
            entry.len = len as u32;
        }
    }
}

/// Says that the process that made the last successor keeps control.
///
/// # Safety
/// As for [`resize`].
pub(crate) unsafe extern "C" fn keep(ctx: *mut Context, state: *mut u8) {
    // SAFETY: as above; the state is the one that `begin` has given.
    unsafe {
        let ctx = &mut *ctx;
        *state.add(ctx.control_at as usize) = (*ctx.mover).who as u8 + 1;
        if ctx.full == 0 {
            (*ctx.entry.sub(1)).flags |= Entry::TRANSIENT;
        }
    }
}

/// Decides whether the process that has made the last successor by an atomic step keeps control: if it can go on at its new
/// location. Zero, or [`BAIL`].
///
/// # Safety
/// As for [`keep`].
pub(crate) unsafe extern "C" fn settle(ctx: *mut Context, state: *mut u8) -> i64 {
    // SAFETY: the mover is a process of the state at hand, and there is a function for its type, because somebody asks.
    unsafe {
        let mover = &*(*ctx).mover;
        let frame = &*(*ctx).frames.add(mover.who as usize);
        let location = state.add(mover.location_at as usize).cast::<u16>().read_unaligned();
        let can = std::mem::transmute::<usize, CanFn>(frame.can);
        match can(ctx, state, u64::from(frame.at), mover.who as u32, u64::from(location), 0) {
            0 => 0,
            1 => {
                keep(ctx, state);
                0
            }
            _ => BAIL,
        }
    }
}

/// Completes a handshake: the last successor is what the sender has left; the receiver takes the message of the mail by the
/// transition with a number in its list. Zero, or [`BAIL`].
///
/// # Safety
/// As for [`resize`]; there is such a process, and it accepts the message.
pub(crate) unsafe extern "C" fn take(ctx: *mut Context, state: *mut u8, pid: u64, number: u64) -> i64 {
    // SAFETY: the frames are those of the state at hand, and generated code has filled the list of the mail.
    unsafe {
        let frame = &*(*ctx).frames.add(pid as usize);
        let trans = (&(*ctx).mail.accepts)[number as usize];
        let take = std::mem::transmute::<usize, HandFn>(frame.take);
        let mail = &raw mut (*ctx).mail;
        let result = take(ctx, state, u64::from(frame.at), pid as u32, u64::from(trans), mail);
        if result < 0 {
            return BAIL;
        }
        let (ctx, len) = (&mut *ctx, (result >> 8) as u32);
        if ctx.full == 0 {
            let entry = &mut *ctx.entry.sub(1);
            entry.partner_action = trans;
            entry.partner = pid as u8;
            entry.flags |= Entry::HANDSHAKE | if result & 1 == 1 { Entry::TRANSIENT } else { 0 };
            let written: &Written = &*ctx.written.add(trans as usize);
            entry.changed |= written.global | written.local.wrapping_shl(frame.mover.word);
            if entry.len != len {
                resize(ctx, u64::from(len));
            }
        }
        0
    }
}

/// The youngest process below a number that would take the message of a mail, and in how many ways; less than zero if
/// nobody knows.
///
/// # Safety
/// As for [`begin`]; the state has the processes of the state at hand.
unsafe fn receiver(
    ctx: *mut Context,
    state: *const u8,
    sender: u32,
    below: u32,
    mail: *mut Mail,
) -> Option<(u32, i64)> {
    // SAFETY: the frames are those of the state, so that each has a location, and its table an entry for that.
    unsafe {
        let number = (*mail).number;
        let bit = 1u64.wrapping_shl(number as u32);
        for pid in (0..below).rev().filter(|&pid| pid != sender) {
            let frame: &Frame = &*(*ctx).frames.add(pid as usize);
            let loc = state.add(frame.at as usize + 2).cast::<u16>().read_unaligned();
            if (*frame.spots.add(loc as usize)).listening & bit != 0 {
                let accept = std::mem::transmute::<usize, HandFn>(frame.accept);
                let ways = accept(ctx, state.cast_mut(), u64::from(frame.at), pid, number as u64, mail);
                if ways != 0 {
                    return Some((pid, ways));
                }
            }
        }
    }
    None
}

/// The youngest process below a number that takes the message of the mail (from bit 32 on), and in how many ways (below);
/// zero if there is none, or [`BAIL`].
///
/// # Safety
/// As for [`receiver`].
pub(crate) unsafe extern "C" fn next_receiver(ctx: *mut Context, below: u64) -> i64 {
    // SAFETY: as promised.
    unsafe {
        let (state, sender) = ((*ctx).state, u32::from((*(*ctx).mover).who as u8));
        let mail = &raw mut (*ctx).mail;
        match receiver(ctx, state, sender, below as u32, mail) {
            None => 0,
            Some((_, ways)) if ways < 0 => BAIL,
            Some((pid, ways)) => i64::from(pid) << 32 | ways,
        }
    }
}

/// Makes one successor for each way in which the message of the mail is taken, by a sender that does nothing else. Zero, or
/// [`BAIL`].
///
/// # Safety
/// As for [`receiver`].
pub(crate) unsafe extern "C" fn hand_over(ctx: *mut Context, how: u64) -> i64 {
    // SAFETY: as promised.
    unsafe {
        let (state, sender, mut below) = ((*ctx).state, u32::from((*(*ctx).mover).who as u8), (*ctx).count);
        let mail = &raw mut (*ctx).mail;
        while let Some((pid, ways)) = receiver(ctx, state, sender, below, mail) {
            if ways < 0 {
                return BAIL;
            }
            for number in 0..ways as u64 {
                let out = ((*ctx).help.begin)(ctx, how);
                if (*ctx).last_at != 0 {
                    *out.add((*ctx).last_at as usize) = sender as u8;
                }
                if take(ctx, out, u64::from(pid), number) != 0 {
                    return BAIL;
                }
            }
            below = pid;
        }
    }
    0
}

/// Whether somebody would take the message of the question that a process asks in a state: one or zero, or [`BAIL`].
///
/// # Safety
/// As for [`begin`]; the state is one of the model.
pub(crate) unsafe extern "C" fn ask(ctx: *mut Context, state: *const u8, sender: u32) -> i64 {
    // SAFETY: the number of processes is looked at first, so that the frames are those of the state.
    unsafe {
        if u32::from(*state.add((*ctx).control_at as usize - 1)) != (*ctx).count {
            return BAIL;
        }
        let mail = &raw mut (*ctx).question;
        match receiver(ctx, state, sender, (*ctx).count, mail) {
            None => 0,
            Some((_, ways)) if ways < 0 => BAIL,
            Some(_) => 1,
        }
    }
}
