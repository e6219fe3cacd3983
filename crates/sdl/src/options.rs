//! What a user can choose about a translation.

/// What happens to a signal that finds the queue full. SDL's queues have no bound, so each answer is a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// An error: the model needs longer queues, or it floods somebody.
    #[default]
    Error,
    /// The signal is lost (what TASTE does).
    Lose,
    /// The sender waits, which SDL's senders never do: it may invent deadlocks.
    Wait,
}

/// How the signals of a process wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Queues {
    /// In one queue, in the order in which they came (SDL).
    #[default]
    Process,
    /// In a queue for each signal, so that only signals of the same name keep their order (TASTE).
    Signal,
}

/// What the world outside of the system does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// It never sends anything.
    #[default]
    None,
    /// It sends whatever it can at any time, once in a slice of time at most if there are timers.
    Any,
    /// It sends each signal once at most.
    Once,
}

/// How timers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timers {
    /// They expire when their time has come.
    #[default]
    Exact,
    /// A timer that is set may expire at any moment: more behaviour than there is, good for safety only.
    Abstract,
}

/// What channels do to signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// A signal is in the queue of its receiver at once.
    #[default]
    None,
    /// A signal is on its way for any time on each channel that is not `nodelay`; channels keep their order.
    Channels,
}

/// Where a process may stay for ever without anything being wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// In states that wait for nothing, for the environment, or for signals that all lead back to the same state.
    #[default]
    Servers,
    /// In every state.
    Everywhere,
}

/// All choices.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many signals a queue holds.
    pub queue: usize,
    /// What happens when it is full.
    pub overflow: Overflow,
    /// One queue for each process or for each signal.
    pub queues: Queues,
    /// What comes from outside.
    pub environment: Environment,
    /// How timers run.
    pub timers: Timers,
    /// Where a process may stay.
    pub rest: Rest,
    /// What channels do.
    pub delay: Delay,
    /// How many instances a process may have that is created and says nothing about it.
    pub instances: usize,
    /// How many pids of stopped instances of a process may still be remembered while it is created again.
    pub pids: usize,
    /// How many elements a STRING has at most that says nothing about it.
    pub strings: usize,
    /// Write `#line` directives, so that other tools name the lines of the source.
    pub lines: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            queue: 3,
            overflow: Overflow::default(),
            queues: Queues::default(),
            environment: Environment::default(),
            timers: Timers::default(),
            rest: Rest::default(),
            delay: Delay::default(),
            instances: 3,
            pids: 3,
            strings: 8,
            lines: true,
        }
    }
}
