//! What will be done: everything that can be asked of a command, as values.

pub use crate::ask::typed::Typed;

use crate::ask::options::{self, Commands};
use crate::crew::Place;
use crate::disk::input::Shelf;
use crate::foreign::Foreign;
use crate::space::{Form, Labels};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use starwheel_base::cancel::Token;
use starwheel_distrib::Wire;
use starwheel_engine::{Fairness, Store};
use starwheel_symmetry::Strategy;
use std::path::PathBuf;
use std::time::Duration;

/// How a model's text is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Macros of the command line: name and replacement; none means 1.
    pub defines: Vec<(String, Option<String>)>,
    /// Macros that are forgotten.
    pub undefines: Vec<String>,
    /// Folders for included files.
    pub include: Vec<PathBuf>,
    /// Merge local statements.
    pub merge: bool,
    /// Reset dead variables, hide globals that are never read.
    pub dead_vars: bool,
    /// Switch local timers off that nobody looks at any more.
    pub dead_timers: bool,
    /// A file with a claim, read after the model as if it stood at its end.
    pub never: Option<PathBuf>,
    /// Add the claim that sees runs without progress.
    pub progress: bool,
    /// A system may end only with empty channels.
    pub empty_channels: bool,
    /// Formulas of the model by name (`all` for every one), or formulas; their claims are added behind everything else.
    pub ltl: Vec<String>,
    /// The condition whose first moment is asked for.
    pub moment: Option<String>,
    /// The model's own formulas and never claims are to be checked: nobody said which.
    pub own: bool,
    /// Read formulas with SPIN's precedences.
    pub spin_ltl: bool,
    /// A file with a property automaton, whose claim is added.
    pub automaton: Option<PathBuf>,
    /// Says when to give up, with the reading and with everything that is worked out before and during a search.
    pub until: Token,
    /// What is kept of timers.
    pub timers: Timers,
    /// Add the claim that sees runs in which time stops.
    pub zeno: bool,
    /// Formulas speak of runs in which time goes on for ever.
    pub divergent: bool,
    /// How SDL and IF are translated.
    pub foreign: Foreign,
    /// Where texts come from.
    pub shelf: Shelf,
}

/// What is kept of the values of timers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timers {
    /// Every slice.
    #[default]
    Exact,
    /// The slices in which one expires or has just done so: time jumps from one to the next.
    Jump,
    /// Whether they run: one that does may expire at any moment.
    Abstract,
}

impl Timers {
    /// True for what holds if nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Timers::Exact
    }
}

/// The order in which states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Depth first.
    Dfs,
    /// Breadth first.
    Bfs,
}

/// How steps are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By machine code where it is of use.
    Automatic,
    /// By the interpreter.
    Interpreter,
    /// By machine code from the first state on.
    MachineCode,
}

/// How decoupled states are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decouple {
    /// Only where it pays.
    pub auto: bool,
    /// Leave out states that a larger one covers.
    pub dominance: bool,
}

/// Partial-order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Por {
    /// None.
    Off,
    /// The steps of one process are enough.
    Ample,
    /// The steps of some processes are enough.
    Cluster,
    /// The steps of even fewer are.
    Stubborn,
}

/// All options of all commands, checked. There is no default but that of a command: [`Plan::of`].
#[derive(Clone, Debug)]
pub struct Plan {
    /// How the model is read.
    pub reading: Reading,
    /// True if it was said whether steps are merged.
    pub merge_typed: bool,
    /// Ignore assertions.
    pub no_assert: bool,
    /// Ignore invalid end states.
    pub no_deadlock: bool,
    /// Go on after an error.
    pub all_errors: bool,
    /// How many counterexamples are wanted that differ in more than the order of their steps.
    pub different: Option<u64>,
    /// Of all counterexamples, the one with the fewest context switches is wanted.
    pub few_switches: bool,
    /// End all searches when one of them has found something.
    pub first: bool,
    /// The order of the search.
    pub search: Search,
    /// True if it was asked for.
    pub search_typed: bool,
    /// Claims of the model to check, by name or number.
    pub claims: Vec<String>,
    /// Look for acceptance cycles.
    pub accept: bool,
    /// Look for cycles by strongly connected components.
    pub scc: bool,
    /// How steps are executed.
    pub engine: Engine,
    /// How states are remembered, if that was said.
    pub store: Option<Store>,
    /// The number of threads, if that was said.
    pub workers: Option<usize>,
    /// The number of processes of this machine, if that was said.
    pub processes: Option<usize>,
    /// The file that names workers on other machines.
    pub hosts: Option<PathBuf>,
    /// The file with the token that all of them know.
    pub token_file: Option<PathBuf>,
    /// What travels between them of a state.
    pub wire: Wire,
    /// Which of them this is, if there are several.
    pub place: Option<Place>,
    /// Search decoupled states.
    pub decouple: Option<Decouple>,
    /// Show how the model is decoupled.
    pub star: bool,
    /// Partial-order reduction.
    pub por: Por,
    /// True if it was asked for, so that it must not be left out.
    pub por_typed: bool,
    /// Store one state for all that differ by the names of processes.
    pub symmetry: Option<Strategy>,
    /// True if it was asked for, so that it must not be left out.
    pub symmetry_typed: bool,
    /// Check every choice of the reduction.
    pub audit: bool,
    /// Say why steps are chosen or not.
    pub explain: bool,
    /// Show which processes are interchangeable.
    pub families: bool,
    /// Show clusters of processes.
    pub clusters: bool,
    /// Which runs without end count; `None` for all.
    pub fair: Option<Fairness>,
    /// The greatest depth.
    pub depth: Option<u64>,
    /// The memory limit that was asked for.
    pub memory: Option<u64>,
    /// The time limit.
    pub time: Option<Duration>,
    /// The time between two words about progress, if that was said.
    pub progress_every: Option<Duration>,
    /// The folder for states that have no room in memory.
    pub spill: Option<PathBuf>,
    /// Where the search is saved.
    pub save: Option<Saving>,
    /// The file with the search to go on with.
    pub resume: Option<PathBuf>,
    /// Where the trail goes.
    pub trail: Option<PathBuf>,
    /// True if no trail is written.
    pub no_trail: bool,
    /// True if nobody looks at trails at all: they need not be short.
    pub verdict_only: bool,
    /// Variables whose changes a chart shows.
    pub watched: Vec<String>,
    /// Where the page of a run goes.
    pub html: Option<PathBuf>,
    /// Tell what happens as lines of JSON.
    pub events: bool,
    /// The reports that other programs read.
    pub reports: Vec<String>,
    /// Whether files are watched.
    pub watch: bool,
    /// Where a translation goes.
    pub output: Option<PathBuf>,
    /// Write all states of the model in this form.
    pub states: Option<Form>,
    /// The most states that are written.
    pub limit: Option<u64>,
    /// What transitions between states are called.
    pub labels: Labels,
    /// Write over whatever is there.
    pub force: bool,
    /// JSON on standard output.
    pub json: bool,
    /// Show everything.
    pub verbose: bool,
    /// Show the steps of formulas' automata.
    pub claim_steps: bool,
    /// Start of the random numbers.
    pub seed: Option<u64>,
    /// The greatest number of steps of a simulation.
    pub steps: u64,
    /// The user chooses the steps.
    pub interactive: bool,
    /// Statements without values.
    pub brief: bool,
    /// A chart instead of steps.
    pub chart: bool,
    /// Where a chart goes as a picture.
    pub svg: Option<PathBuf>,
    /// Automata for Graphviz.
    pub dot: bool,
    /// An automaton in the HOA format.
    pub hoa: bool,
    /// An automaton as a never claim.
    pub never_claim: bool,
    /// The negation of a formula.
    pub negate: bool,
    /// The model that a formula speaks of.
    pub model: Option<PathBuf>,
    /// One proctype only.
    pub proctype: Option<String>,
    /// What SPIN's command lines ask for besides.
    pub pan: Pan,
    /// What was typed and what holds by default, for the report.
    pub options: Map<String, Value>,
    /// What was typed.
    pub typed: Typed,
}

/// Where and how often a search is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// The file.
    pub file: PathBuf,
    /// The time between two savings.
    pub every: Duration,
}

/// What pan can be asked for and `check` has no option for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pan {
    /// One search only: that of the claim or of the labels, if there is one to look at.
    pub alone: bool,
    /// Look at what a claim says in a moment, and not for cycles.
    pub no_cycles: bool,
    /// The number of errors that are enough.
    pub errors: Option<u64>,
    /// Each error is a finding with a trail of its own, also at a place where there was one before.
    pub every_error: bool,
    /// Name trail files as SPIN does, and write them in SPIN's format as well.
    pub spin_trails: bool,
}

impl Plan {
    /// What a command does if nothing is typed.
    pub fn of(command: Commands) -> Plan {
        Typed::default().fill(command)
    }

    /// What `check --plain` does.
    pub fn plain() -> Plan {
        Typed::default().plain().fill(Commands::CHECK)
    }

    /// The most memory, whether it was said or not.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory.or_else(|| options::preset(Commands::CHECK, "memory").amount())
    }

    /// True if several processes share the search.
    pub fn is_shared(&self) -> bool {
        self.processes.is_some() || self.hosts.is_some() || self.place.is_some()
    }

    /// True if nothing was said about how to search, apart from the limits.
    pub fn search_is_open(&self) -> bool {
        let said = self.search_typed || self.por_typed || self.depth.is_some() || self.workers.is_some();
        let said = said || self.is_shared();
        let kept = self.spill.is_some() || self.save.is_some() || self.resume.is_some() || self.store.is_some();
        let other = self.decouple.is_some() || self.engine != Engine::Automatic || reducing(self).is_some();
        !(said || kept || other || self.reading.empty_channels)
    }
}

/// True for what can only be the name of a formula.
pub fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// An option that needs a reduction.
pub(crate) fn reducing(plan: &Plan) -> Option<&'static str> {
    // With symmetry there is something to be looked at without a reduction.
    match (plan.audit && plan.symmetry.is_none(), plan.explain) {
        (true, _) => Some("--audit"),
        (_, true) => Some("--explain-reduction"),
        _ => None,
    }
}
