//! Where the processes and channels of one state lie, and the plain bytes of a state.
//!
//! The list of process types fixes the layout, so tables made for one state serve every other state with the same list.

use crate::ir::{ChanId, LocId, Model, Pid, ProctypeId};
use crate::layout::{CHANNEL_HEADER, CLAIM, TURN};
use crate::place::Ty;

/// Most processes, and most channels, that a state can hold.
pub(super) const LIMIT: usize = 255;

/// One process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Where its frame starts.
    pub at: usize,
    /// Its type.
    pub proctype: ProctypeId,
}

/// One channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chan {
    /// Where it starts.
    pub at: usize,
    /// Its declaration.
    pub kind: ChanId,
}

/// Processes by number and channels by number - 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub frames: Vec<Frame>,
    pub channels: Vec<Chan>,
}

impl Tables {
    /// Makes the tables fit a state; free if they do already.
    pub fn locate(&mut self, model: &Model, state: &[u8]) {
        let count = nr_processes(model, state);
        let same = |f: &Frame| state.get(f.at) == Some(&f.proctype.0);
        if self.frames.len() == count && self.frames.iter().all(same) && count > 0 {
            return;
        }
        self.reset(model);
        for _ in 0..count {
            let at = self.end(model);
            self.push(model, ProctypeId(state[at]));
        }
    }

    /// The tables of a state without processes.
    pub fn reset(&mut self, model: &Model) {
        self.frames.clear();
        self.channels.clear();
        let global = model.global_channels.iter().zip(&model.layout.global_channels);
        self.channels.extend(global.map(|(c, &at)| Chan { at: at as usize, kind: c.channel }));
    }

    /// Where the next process would start.
    pub fn end(&self, model: &Model) -> usize {
        match self.frames.last() {
            Some(f) => f.at + model.layout.frames[f.proctype.index()].total as usize,
            None => model.layout.processes as usize,
        }
    }

    /// Adds a process and its channels.
    pub fn push(&mut self, model: &Model, proctype: ProctypeId) {
        let at = self.end(model);
        self.frames.push(Frame { at, proctype });
        let own = model.proctype(proctype).channels.iter().zip(&model.layout.frames[proctype.index()].channels);
        self.channels.extend(own.map(|(c, &offset)| Chan { at: at + offset as usize, kind: c.channel }));
    }

    /// Removes the youngest process and its channels.
    pub fn pop(&mut self, model: &Model) {
        if let Some(f) = self.frames.pop() {
            let own = model.proctype(f.proctype).channels.len();
            self.channels.truncate(self.channels.len().saturating_sub(own));
        }
    }
}

/// The number of processes.
pub(super) fn nr_processes(model: &Model, state: &[u8]) -> usize {
    state[model.layout.header() as usize] as usize
}

/// Sets the number of processes.
pub(super) fn set_nr_processes(model: &Model, state: &mut [u8], count: usize) {
    state[model.layout.header() as usize] = count as u8;
}

/// The process in control, if a process is inside `atomic`.
pub(super) fn control(model: &Model, state: &[u8]) -> Option<Pid> {
    state[model.layout.header() as usize + 1].checked_sub(1).map(Pid)
}

/// Gives control to a process, or to nobody.
pub(super) fn set_control(model: &Model, state: &mut [u8], pid: Option<Pid>) {
    state[model.layout.header() as usize + 1] = pid.map_or(0, |p| p.0 + 1);
}

/// `_last`
pub(super) fn last(model: &Model, state: &[u8]) -> Pid {
    Pid(state[model.layout.header() as usize + 2])
}

/// Sets `_last`.
pub(super) fn set_last(model: &Model, state: &mut [u8], pid: Pid) {
    state[model.layout.header() as usize + 2] = pid.0;
}

/// The location of the trace automaton.
pub(super) fn trace_location(model: &Model, state: &[u8]) -> LocId {
    LocId(read_u16(state, model.layout.header() as usize + 4))
}

/// Moves the trace automaton.
pub(super) fn set_trace_location(model: &Model, state: &mut [u8], loc: LocId) {
    write_u16(state, model.layout.header() as usize + 4, loc.0);
}

/// Whose turn it is.
pub(super) fn turn(model: &Model, state: &[u8]) -> u8 {
    state[(model.layout.header() + TURN) as usize]
}

/// Sets whose turn it is.
pub(super) fn set_turn(model: &Model, state: &mut [u8], turn: u8) {
    state[(model.layout.header() + TURN) as usize] = turn;
}

/// The location of the claim.
pub(super) fn claim_location(model: &Model, state: &[u8]) -> LocId {
    LocId(read_u16(state, (model.layout.header() + CLAIM) as usize))
}

/// Moves the claim.
pub(super) fn set_claim_location(model: &Model, state: &mut [u8], loc: LocId) {
    write_u16(state, (model.layout.header() + CLAIM) as usize, loc.0);
}

/// The priority of the process whose frame starts here.
pub(super) fn priority(state: &[u8], frame: usize) -> u8 {
    state[frame + 1]
}

/// Sets the priority of the process whose frame starts here.
pub(super) fn set_priority(state: &mut [u8], frame: usize, value: u8) {
    state[frame + 1] = value;
}

/// The location of the process whose frame starts here.
pub(super) fn location(state: &[u8], frame: usize) -> LocId {
    LocId(read_u16(state, frame + 2))
}

/// Moves the process whose frame starts here.
pub(super) fn set_location(state: &mut [u8], frame: usize, loc: LocId) {
    write_u16(state, frame + 2, loc.0);
}

/// The number of messages in a channel with slots.
pub(super) fn messages(state: &[u8], chan: Chan) -> usize {
    read_u16(state, chan.at) as usize
}

/// Sets the number of messages.
pub(super) fn set_messages(state: &mut [u8], chan: Chan, count: usize) {
    write_u16(state, chan.at, count as u16);
}

/// Where a slot of a channel starts.
pub(super) fn slot(model: &Model, chan: Chan, index: usize) -> usize {
    let message = model.layout.channels[chan.kind.index()].message as usize;
    chan.at + CHANNEL_HEADER as usize + index * message
}

/// One field of a message in a slot.
pub(super) fn field(model: &Model, state: &[u8], chan: Chan, index: usize, field: usize) -> i32 {
    let at = slot(model, chan, index) + model.layout.channels[chan.kind.index()].fields[field] as usize;
    read(state, at, model.channel(chan.kind).fields[field].ty)
}

/// Reads a value of a type.
#[inline]
pub(super) fn read(state: &[u8], at: usize, ty: Ty) -> i32 {
    ty.read(state, at)
}

/// Stores what is left of a value in a type.
#[inline]
pub(super) fn write(state: &mut [u8], at: usize, ty: Ty, value: i32) {
    ty.write(state, at, value);
}

fn read_u16(state: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([state[at], state[at + 1]])
}

fn write_u16(state: &mut [u8], at: usize, value: u16) {
    state[at..at + 2].copy_from_slice(&value.to_le_bytes());
}
