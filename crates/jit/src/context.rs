//! What generated code and its caller hand to each other: plain memory with fixed offsets.

use crate::code::StepFn;
use crate::help;
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

/// Words of four bytes that a transition may change, one bit for each: from the start of the state, and from the start of
/// the frame of the process that takes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub global: u64,
    pub local: u64,
}

/// One location of a process type.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// The function that makes the successors of a process there; none if it never has any.
    pub step: Option<StepFn>,
    /// See [`crate::plan::Plan::listening_at`].
    pub listening: u64,
}

/// What the successors of one process, or of a claim, have in common.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    /// Its number, as it stands in an entry.
    pub who: u64,
    /// By transition: the words that it may change.
    pub changes: *const u64,
    /// Where a state says where it is.
    pub location_at: u32,
    /// The first word of its frame.
    pub word: u32,
}

/// One process of the state at hand.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Where its frame starts.
    pub at: u32,
    pub proctype: u32,
    pub mover: Mover,
    /// By location of its type, and how many there are.
    pub spots: *const Spot,
    pub nr_spots: u32,
    /// The functions of its type; zero if there is none.
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

/// What generated code calls; see [`crate::help`].
#[repr(C)]
pub(crate) struct Help {
    pub begin: unsafe extern "C" fn(*mut Context, u64) -> *mut u8,
    pub resize: unsafe extern "C" fn(*mut Context, u64),
    pub keep: unsafe extern "C" fn(*mut Context, *mut u8),
    pub settle: unsafe extern "C" fn(*mut Context, *mut u8) -> i64,
    pub take: unsafe extern "C" fn(*mut Context, *mut u8, u64, u64) -> i64,
    pub next_receiver: unsafe extern "C" fn(*mut Context, u64) -> i64,
    pub hand_over: unsafe extern "C" fn(*mut Context, u64) -> i64,
    pub ask: unsafe extern "C" fn(*mut Context, *const u8, u32) -> i64,
}

impl Help {
    pub const ALL: Help = Help {
        begin: help::begin::<0>,
        resize: help::resize,
        keep: help::keep,
        settle: help::settle,
        take: help::take,
        next_receiver: help::next_receiver,
        hand_over: help::hand_over,
        ask: help::ask,
    };
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
    /// What is left of `out` without this is start and length of a successor, as they stand in an entry.
    pub bias: u64,
    /// The state at hand, and its bytes.
    pub state: *const u8,
    pub len: u64,
    /// Who moves.
    pub mover: *const Mover,
    /// Flags of all entries, as they stand there.
    pub flags: u64,
    /// One if there was no room for a successor.
    pub full: u64,
    /// All ones if it does not matter which words change, because the state at hand is only passed through.
    pub unknown: u64,
    /// By transition.
    pub written: *const Written,
    /// Where a state names the process in control; the number of processes lies before.
    pub control_at: u64,
    /// Where it names the process that moved last; zero if nobody asks.
    pub last_at: u64,
    pub help: Help,
    pub frames: *const Frame,
    pub chans: *const Chan,
    /// By process type: where the frame of its first process starts, or -1.
    pub firsts: *const i64,
    pub count: u32,
    pub nr_chans: u32,
    /// One if nothing else can happen.
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
