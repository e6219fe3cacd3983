//! Where everything lies in a state: a state is a vector of parts, each a few whole words.
//!
//! ```text
//! | hidden | header | globals | channel 1 | channel 2 | … | process 0 | its channels … | process 1 | … |
//! ```
//!
//! Processes form a stack (they die in the reverse order of their creation), and a process's channels live and die with
//! it, so the list of process types fixes the whole layout. Hidden globals come first, so that the rest, which decides
//! whether two states are equal, is one contiguous piece.

use crate::ir::{ChanId, Channel, Model, Var};
use crate::place::Ty;

/// Bytes of the header: number of processes, process in control + 1, `_last`, whose turn it is ([`TURN`]), location of the
/// trace automaton (2), location of the claim (2). Without a claim its bytes are zero.
pub const HEADER: u32 = 8;
/// Offset in the header of whose turn it is, claim or system.
pub const TURN: u32 = 3;
/// Offset in the header of the claim's location.
pub const CLAIM: u32 = 6;
/// Bytes at the start of a process frame: process type, priority, location (2).
pub const FRAME_HEADER: u32 = 4;
/// Offset of the priority in a process frame.
pub const PRIORITY: u32 = 1;
/// Bytes at the start of a channel: the number of messages (2), unused (2).
pub const CHANNEL_HEADER: u32 = 4;

/// The layout of the states of one model.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Bytes of the hidden part.
    pub hidden: u32,
    /// Bytes of the block of globals.
    pub globals: u32,
    /// Offset of each global channel from the start of the state.
    pub global_channels: Vec<u32>,
    /// Offset of the first process from the start of the state.
    pub processes: u32,
    /// By process type.
    pub frames: Vec<FrameLayout>,
    /// By channel declaration: bytes of the channel, header included; zero for rendezvous.
    pub channels: Vec<ChannelLayout>,
    /// Offset of each global timer from the start of the state.
    pub timers: Vec<u32>,
}

/// The layout of one process and its channels.
#[derive(Clone, Debug, Default)]
pub struct FrameLayout {
    /// Bytes of the frame, header included.
    pub frame: u32,
    /// Offset of each channel from the start of the frame.
    pub channels: Vec<u32>,
    /// Bytes of frame and channels.
    pub total: u32,
    /// Offset of each timer from the start of the frame.
    pub timers: Vec<u32>,
}

/// The layout of one channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelLayout {
    /// Bytes of the channel, header included; zero for rendezvous.
    pub size: u32,
    /// Bytes of one message.
    pub message: u32,
    /// Offset of each field in a message.
    pub fields: Vec<u32>,
}

/// Rounds up to whole words.
pub fn align(bytes: u32) -> u32 {
    bytes.next_multiple_of(4)
}

impl Layout {
    /// Lays out a model whose variables have their places already; `hidden`, `globals` and `frames` are the bytes of
    /// variables in the hidden part, in the globals and in each frame (its header included).
    pub fn new(model: &Model, hidden: u32, globals: u32, frames: &[u32]) -> Layout {
        let channels: Vec<_> = model.channels.iter().map(channel_layout).collect();
        let size = |id: ChanId| channels[id.index()].size;
        let mut layout = Layout { hidden: align(hidden), globals: align(globals), ..Layout::default() };
        let mut at = layout.globals_start() + layout.globals;
        for c in &model.global_channels {
            layout.global_channels.push(at);
            at += size(c.channel);
        }
        layout.processes = at;
        for (proctype, &bytes) in model.proctypes.iter().zip(frames) {
            let frame = align(bytes);
            let mut total = frame;
            let mut offsets = Vec::new();
            for c in &proctype.channels {
                offsets.push(total);
                total += size(c.channel);
            }
            layout.frames.push(FrameLayout { frame, channels: offsets, total, timers: timers(&proctype.locals, 0) });
        }
        layout.channels = channels;
        layout.timers = timers(&model.globals, layout.globals_start());
        layout
    }

    /// Offset of the header.
    pub fn header(&self) -> u32 {
        self.hidden
    }

    /// Offset of the block of globals.
    pub fn globals_start(&self) -> u32 {
        self.hidden + HEADER
    }
}

/// Where the timers among some variables lie, if their region starts at an offset.
fn timers(vars: &[Var], start: u32) -> Vec<u32> {
    let elements = |v: &Var| {
        let at = start + v.place.offset;
        (0..v.len.unwrap_or(1)).map(move |i| at + i * Ty::Timer.size())
    };
    vars.iter().filter(|v| v.ty == Ty::Timer).flat_map(elements).collect()
}

fn channel_layout(channel: &Channel) -> ChannelLayout {
    let mut fields = Vec::new();
    let mut message = 0;
    for field in &channel.fields {
        let size = field.ty.size();
        message = u32::next_multiple_of(message, size);
        fields.push(message);
        message += size;
    }
    let size = match channel.capacity {
        0 => 0,
        n => align(CHANNEL_HEADER + u32::from(n) * message),
    };
    ChannelLayout { size, message, fields }
}
