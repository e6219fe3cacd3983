//! What generated code and its caller hand to each other: plain memory with fixed offsets.

use starwheel_model::Entry;

/// Most fields of a message that generated code hands over; more are left to the interpreter.
pub(crate) const MAX_FIELDS: usize = 32;
/// Most transitions of one location that can take a handed message.
pub(crate) const MAX_ACCEPTS: usize = 256;

/// A function of generated code could not do its work: the interpreter has to.
pub(crate) const BAIL: i64 = -1;
/// The buffer for successors is full.
pub(crate) const GROW: i64 = -2;

/// A message on its way, and the transitions of the receiver that would take it.
#[repr(C)]
#[derive(Clone)]
pub(crate) struct Mail {
    pub fields: u32,
    /// The number of its channel.
    pub number: i32,
    pub message: [i32; MAX_FIELDS],
    pub accepts: [u32; MAX_ACCEPTS],
}

/// One process of the state at hand.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Where its frame starts.
    pub at: u32,
    pub proctype: u32,
    /// The functions of its type; zero if there is none.
    pub step: usize,
    /// By location: see [`crate::plan::Plan::listening`].
    pub listening: *const u64,
    pub accept: usize,
    pub take: usize,
    pub can: usize,
}

/// One channel of the state at hand.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Chan {
    /// Where it starts.
    pub at: u32,
    /// Index into the shapes of the plan.
    pub shape: u32,
}

/// The first argument of every generated function.
#[repr(C)]
pub(crate) struct Context {
    /// Where the next successor goes.
    pub out: *mut u8,
    /// The last place at which a successor may start.
    pub limit: *const u8,
    /// Where its entry goes.
    pub entry: *mut Entry,
    /// Where the first successor is.
    pub base: *const u8,
    /// Bytes of the state at hand.
    pub len: u64,
    pub frames: *const Frame,
    pub chans: *const Chan,
    /// By process type: where the frame of its first process starts, or -1.
    pub firsts: *const i64,
    pub count: u32,
    pub nr_chans: u32,
    /// [`Entry::TIMEOUT`] if nothing else can happen, as it stands in the last word of an entry.
    pub timeout: u32,
    /// One if the question whether a process can move is asked under `timeout`.
    pub can_timeout: u32,
    /// Whose turn it is after a step of a claim.
    pub turn: u32,
    /// The value of `np_`.
    pub no_progress: u32,
    /// The channels to which somebody listens, and those to which at least two processes do; one bit for each number
    /// modulo 64.
    pub heard: u64,
    pub heard_twice: u64,
    /// The handshake that is being made.
    pub mail: Mail,
    /// A handshake that is only asked about.
    pub question: Mail,
}
