//! Measurements of both tools on the same models, in the same run.

pub mod clock;
pub mod entry;
pub mod first;
pub mod ours;
pub mod por;
pub mod shared;
pub mod table;
pub mod theirs;
pub mod timed;

/// One measured run.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Which tool, and how.
    pub config: String,
    /// Stored states.
    pub states: u64,
    /// Stored and matched states.
    pub transitions: u64,
    /// Seconds of processor time of the search, without compiling.
    pub user: f64,
    /// Seconds from the start of the search to its end.
    pub wall: f64,
    /// Seconds that went by before, with making and compiling a verifier.
    pub compile: f64,
    /// The most memory that the process held, in bytes.
    pub peak: u64,
    /// Bytes of the store alone, if the tool tells.
    pub store: Option<u64>,
    /// Bytes of SPIN's state vector.
    pub vector: u64,
    /// True if all states are counted exactly.
    pub exact: bool,
    /// Something that the reader should know.
    pub note: String,
}

impl Line {
    /// A line of a run that gave nothing.
    pub fn nothing(config: &str, why: impl Into<String>) -> Line {
        Line { config: config.into(), note: why.into(), ..Line::default() }
    }

    /// True if there is something to compare.
    pub fn measured(&self) -> bool {
        self.states > 0
    }
}

/// The best of so many runs, by processor time; the first one that gives nothing ends it.
pub fn best(times: u64, mut run: impl FnMut() -> Line) -> Line {
    let mut best = run();
    for _ in 1..times {
        if !best.measured() {
            break;
        }
        let next = run();
        if next.measured() && next.user < best.user {
            best = next;
        }
    }
    best
}
