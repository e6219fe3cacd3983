//! What a check says at its end, as plain data: the object that `--json` prints.

pub mod coverage;
pub mod performed;
pub(crate) mod summary;
pub mod waiting;

use crate::foreign::Original;
use crate::problem::Problem;
use crate::property::watched::Size;
use crate::reduction::Applied;
use crate::report::performed::Performed;
use crate::report::waiting::Waiting;
use crate::symmetry::Interchange;
use crate::written::{At, Source, Via};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use starwheel_engine::Complete;
use starwheel_nba::Emptiness;
use starwheel_reduce::NoStepFails;

/// The version of the format of reports.
pub const FORMAT: u32 = 1;
/// The program, with its version.
pub const TOOL: &str = concat!("starwheel ", env!("CARGO_PKG_VERSION"));

/// What is known about a property, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Proved: the search was complete and exact.
    Holds(Proof),
    /// Nothing was found, but states may have been missed.
    Unrefuted,
    /// The search ended before it could know.
    Stopped,
    /// A trail shows that it does not hold.
    Violated,
}

/// Evidence of a proof: it can be made only from that of a search, or from what the text of the model shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proof(());

impl From<Complete> for Proof {
    fn from(_: Complete) -> Proof {
        Proof(())
    }
}

impl From<Emptiness> for Proof {
    fn from(_: Emptiness) -> Proof {
        Proof(())
    }
}

impl From<NoStepFails> for Proof {
    fn from(_: NoStepFails) -> Proof {
        Proof(())
    }
}

/// Which of the reachable states all searches visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visited {
    /// Each of them.
    All,
    /// Those that matter: some of the searches were reduced.
    Enough,
    /// Some, because a search ended early or may have missed some.
    Part,
}

/// How every report begins.
#[derive(Clone, Debug, Serialize)]
pub struct Head {
    /// The version of this format.
    pub version: u32,
    /// The program.
    pub tool: &'static str,
    /// The model's file; the first one of a network.
    pub model: String,
    /// The worst verdict of all properties.
    pub outcome: Verdict,
    /// How often something went wrong.
    pub errors: u64,
    /// True if the searches came to their ends: nothing was left out but what a reduction says need not be looked at.
    pub complete: bool,
}

/// The whole report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How it begins.
    #[serde(flatten)]
    pub head: Head,
    /// Which states were visited.
    pub visited: Visited,
    /// Why the search ended early, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_because: Option<String>,
    /// The distinct errors.
    pub findings: Vec<Finding>,
    /// One verdict for each property.
    pub properties: Vec<Property>,
    /// Claims of the model that nobody asked for.
    pub unchecked: Vec<String>,
    /// What was counted.
    pub stats: Stats,
    /// What was translated, and how, if the model was SDL or IF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdl: Option<Original>,
    /// Statements that were never executed; left out unless the search is complete: then nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Vec<Unreached>>,
    /// After a search that met a limit: what takes the most different values in random runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<Growth>,
    /// The states of these runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth_states: Option<u64>,
    /// The file with the trail of the first finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
    /// Searches in which steps were left out, and which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<Applied>,
    /// Searches in which processes were interchangeable, and which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symmetry: Vec<Interchange>,
    /// True if run-time errors were not searched for, because the text of the model shows that there are none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_step_fails: bool,
    /// How each search was carried out.
    pub searches: Vec<Performed>,
    /// What was asked for, and what became of the rest in the search that the counts are of.
    pub options: Map<String, Value>,
    /// What the user should know besides.
    pub warnings: Vec<Problem>,
}

/// One distinct error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `assertion`, `invalid-end-state`, `runtime-error`, `trace`, `claim`, `acceptance-cycle`, `non-progress-cycle` or
    /// `time-stops`.
    pub kind: &'static str,
    /// One sentence.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub source: Source,
    /// The sentence in which statements are spelled as SPIN spells them.
    #[serde(skip)]
    pub spin_message: String,
    /// If nothing can happen any more: who waits for what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiting>,
    /// Values that came about on the way and that nobody waits for, and the constants of the statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<String>,
    /// What can be done about a deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// If a statement has no meaning: the values of the variables in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The steps of its trail, in single statements; a handshake counts two, as in SPIN.
    pub trail_length: u64,
    /// The same with merged statements as one step, as SPIN counts.
    pub steps: u64,
    /// The length of the trail that was found first, if this one is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortened_from: Option<u64>,
    /// True if no trail to an error of this kind is shorter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// In a timed model, where time comes before steps: true if no trail to an error of this kind takes less time, and none that
    /// takes as much has fewer steps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fastest: bool,
    /// With `--prefer switches`: how often another process takes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches: Option<u64>,
    /// How often in the trail that was found first, if that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches_from: Option<u64>,
    /// True if no trail to an error of this kind has fewer switches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fewest_switches: bool,
    /// For a run without end: the number of steps before those that are repeated for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<u64>,
    /// The file with its trail, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
    /// How often it happened.
    pub events: u64,
}

/// The verdict on one property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub kind: PropertyKind,
    /// The formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The automaton that moves in step with the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<Size>,
    /// What is known.
    pub outcome: Verdict,
    /// If only fair runs count: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// The findings that violate it.
    pub findings: Vec<Finding>,
    /// What was counted, if it had a search of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
    /// Why its own search ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_because: Option<String>,
    /// Processes that can always move in the cycle of its first finding, and never do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<String>,
    /// What is known about it if only weakly fair runs count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_fairness: Option<Verdict>,
}

/// Something that takes many values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// The name of a variable, `channel NAME`, or `process NAME(PID)` for its places.
    pub what: String,
    /// How many different values were seen.
    pub values: u64,
}

/// Which runs without end count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fairness {
    /// Weakly fair ones.
    Weak,
    /// Strongly fair ones.
    Strong,
}

impl Fairness {
    /// As an adjective of a run.
    pub fn word(self) -> &'static str {
        match self {
            Fairness::Weak => "weakly fair",
            Fairness::Strong => "strongly fair",
        }
    }
}

impl From<Fairness> for starwheel_engine::Fairness {
    fn from(fairness: Fairness) -> starwheel_engine::Fairness {
        match fairness {
            Fairness::Weak => starwheel_engine::Fairness::Weak,
            Fairness::Strong => starwheel_engine::Fairness::Strong,
        }
    }
}

impl From<starwheel_engine::Fairness> for Fairness {
    fn from(fairness: starwheel_engine::Fairness) -> Fairness {
        match fairness {
            starwheel_engine::Fairness::Weak => Fairness::Weak,
            starwheel_engine::Fairness::Strong => Fairness::Strong,
        }
    }
}

/// What a property is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PropertyKind {
    /// Things that must never happen.
    Safety,
    /// A never claim.
    Claim,
    /// An LTL formula.
    Formula,
    /// A property automaton.
    Automaton,
    /// Accept labels.
    Acceptance,
    /// Progress labels.
    Progress,
    /// The passage of time.
    Time,
}

impl PropertyKind {
    /// True if an automaton of ours watches for it: nobody wrote its steps, and few want to see them.
    pub fn watches_unseen(self) -> bool {
        matches!(self, PropertyKind::Formula | PropertyKind::Automaton | PropertyKind::Progress | PropertyKind::Time)
    }
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Distinct states.
    pub states_stored: u64,
    /// In a decoupled search: the decoupled states, each of which stands for many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoupled_states: Option<u64>,
    /// Arrivals at states that were known already.
    pub states_matched: u64,
    /// Stored and matched together, as SPIN counts.
    pub transitions: u64,
    /// Steps inside `atomic`.
    pub atomic_steps: u64,
    /// In a timed model: its timers, elements of arrays counted; those of a process type once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timers: Option<u64>,
    /// In a timed model: steps in which time passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks: Option<u64>,
    /// In a timed SDL or IF system: how many units of its text pass in a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick_units: Option<u64>,
    /// The longest path.
    pub max_depth: u64,
    /// Bytes of the longest state.
    pub state_bytes: u64,
    /// Bytes that the store used.
    pub store_bytes: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// The most memory that the whole program held.
    pub peak_rss_bytes: u64,
    /// If several processes shared the search: what went between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<Net>,
}

/// What went between the processes of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Net {
    /// How many processes there were.
    pub processes: u64,
    /// Packets that were sent.
    pub messages: u64,
    /// Bytes that were sent, with everything that surrounds them.
    pub bytes: u64,
    /// Transitions that led from a state of one process to one of another.
    pub remote: u64,
    /// Bytes for each of them.
    pub bytes_per_remote: f64,
    /// The most states that one process held, against what each would hold if all held the same.
    pub balance: f64,
}

/// A statement that was never executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreached {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The proctype.
    pub proctype: String,
    /// The number of the location, as SPIN counts states.
    pub state: u32,
    /// Its range of characters.
    #[serde(skip_serializing_if = "At::is_nowhere")]
    pub at: At,
    /// The uses of inlines and macros that brought it to its place, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// The statement as it was written.
    pub text: String,
    /// The statement as SPIN spells it.
    pub spin_text: String,
    /// File and line as SPIN counts them: of the outermost use.
    #[serde(skip)]
    pub spin_place: (String, u32),
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Verdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Unrefuted => "unrefuted",
            Verdict::Stopped => "stopped",
            Verdict::Violated => "violated",
        }
    }

    /// True if it is proved.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Holds(_))
    }

    /// The exit status that goes with it.
    pub fn exit_status(self) -> u8 {
        match self {
            Verdict::Holds(_) => 0,
            Verdict::Violated => 1,
            Verdict::Unrefuted | Verdict::Stopped => 3,
        }
    }
}
