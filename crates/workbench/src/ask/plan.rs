//! From what was typed to what will be done: every value is checked, every wish is met or refused by name.

use crate::ask::options::{self, Built, Commands, Kind, Row};
use crate::ask::{automata, quantity};
use crate::assemble;
use crate::crew::Place;
use crate::foreign::Foreign;
use crate::problem::{Failure, Problem};
use crate::space::{Form, Labels};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use starwheel_base::cancel::Token;
use starwheel_distrib::Wire;
use starwheel_engine::{Fairness, Store};
use starwheel_symmetry::Strategy;
use std::path::PathBuf;
use std::time::Duration;

/// The options that a user gave, in order, as text.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    given: Vec<(String, Option<String>)>,
}

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
    /// A file with a claim, read after the model as if it stood at its end.
    pub never: Option<PathBuf>,
    /// Add the claim that sees runs without progress.
    pub progress: bool,
    /// A system may end only with empty channels.
    pub empty_channels: bool,
    /// Formulas of the model by name (`all` for every one), or formulas; their claims are added behind everything else.
    pub ltl: Vec<String>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Depth first.
    #[default]
    Dfs,
    /// Breadth first.
    Bfs,
}

/// How steps are executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// By machine code where it is of use.
    #[default]
    Automatic,
    /// By the interpreter.
    Interpreter,
    /// By machine code from the first state on.
    MachineCode,
}

/// Size of a bitstate store if no limit of memory is given.
const BITSTATE: u64 = 256 << 20;

/// How decoupled states are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decouple {
    /// Only where it pays.
    pub auto: bool,
    /// Leave out states that a larger one covers.
    pub dominance: bool,
}

/// Partial-order reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Por {
    /// None.
    #[default]
    Off,
    /// The steps of one process are enough.
    Ample,
    /// The steps of some processes are enough.
    Cluster,
    /// The steps of even fewer are.
    Stubborn,
}

/// All options of all commands, checked.
#[derive(Clone, Debug, Default)]
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
    /// The number of processes, if that was said.
    pub processes: Option<usize>,
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
    /// Check every choice of the reduction.
    pub audit: bool,
    /// Say why steps are chosen or not.
    pub explain: bool,
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
    /// Variables whose changes a chart shows.
    pub watched: Vec<String>,
    /// Where the page of a run goes.
    pub html: Option<PathBuf>,
    /// The reports of `test`.
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
}

/// Where and how often a search is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// The file.
    pub file: PathBuf,
    /// The time between two savings.
    pub every: Duration,
}

/// The time between two savings if nothing is said.
const EVERY: Duration = Duration::from_secs(60);

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
    /// True if nothing was said about how to search, apart from the limits.
    pub fn search_is_open(&self) -> bool {
        let said = self.search_typed || self.por_typed || self.depth.is_some() || self.workers.is_some();
        let said = said || self.processes.is_some();
        let kept = self.spill.is_some() || self.save.is_some() || self.resume.is_some() || self.store.is_some();
        let other = self.decouple.is_some() || self.engine != Engine::Automatic || reducing(self).is_some();
        !(said || kept || other || self.reading.empty_channels)
    }
}

impl Typed {
    /// Adds an option by its name in the table.
    pub fn push(&mut self, name: &str, value: Option<String>) {
        self.given.push((name.to_string(), value));
    }

    /// Takes an option back.
    pub fn forget(&mut self, name: &str) {
        self.given.retain(|(n, _)| n != name);
    }

    /// Checks every value; all problems are reported at once.
    pub fn plan(&self, command: Commands) -> Result<Plan, Failure> {
        if self.has("plain") {
            return self.plain().plan(command);
        }
        let problems: Vec<_> = self.given.iter().filter_map(|(name, value)| fault(command, name, value)).collect();
        if !problems.is_empty() {
            return Err(Failure { problems });
        }
        let mut plan = self.fill(command);
        if plan.reading.merge && !plan.merge_typed && !automata::merges(&plan) {
            plan.reading.merge = false;
            plan.options.insert("merge".into(), "off".into());
        }
        match contradiction(&plan).or_else(|| self.idle(command)) {
            Some(problem) => Err(problem.into()),
            None => Ok(plan),
        }
    }

    /// What `--plain` stands for, as if it had been typed before everything else.
    fn plain(&self) -> Typed {
        let set = [("por", "off"), ("dead-vars", "off"), ("merge", "off"), ("symmetry", "off")];
        let mut given: Vec<_> = set.map(|(name, value)| (name.to_string(), Some(value.to_string()))).into();
        given.extend(self.given.iter().filter(|(name, _)| name != "plain").cloned());
        Typed { given }
    }

    /// A switch that may stand alone; if it was not typed, the default of the command.
    fn switch(&self, command: Commands, name: &str) -> bool {
        match self.has(name) {
            true => self.value(name) != Some("off"),
            false => options::find(command, name).is_some_and(|row| row.default == "on"),
        }
    }

    /// What was typed and has nothing to act on.
    fn idle(&self, command: Commands) -> Option<Problem> {
        let idle = |option: &str, needed: &str, message: &str, advice: &str| {
            let problem = || Problem::error("contradiction", message).advise(advice);
            (self.has(option) && !self.has(needed)).then(problem)
        };
        let dominance = "`--dominance` says how a decoupled search works, and none was asked for";
        let wire = "`--wire` says what travels between processes, and there is one";
        let every = "`--every` says how often a search is saved, and it is not";
        let divergent = "`--divergent` says which runs formulas speak of, and none was asked for";
        let silent = self.has("divergent") && !self.has("ltl") && LIMITING.iter().any(|name| self.has(name));
        let graph = |option: &str| format!("`{option}` is about a graph of states, and none was asked for");
        let states = "add `--states aut`, `dot`, `json` or `kripke`";
        // `translate` has an `-o` of its own.
        let out = (command == Commands::GRAPH).then(|| idle("output", "states", &graph("-o"), states)).flatten();
        idle("dominance", "decouple", dominance, "add `--decouple`")
            .or(out)
            .or_else(|| idle("limit", "states", &graph("--limit"), states))
            .or_else(|| idle("labels", "states", &graph("--labels"), states))
            .or_else(|| silent.then(|| Problem::error("contradiction", divergent).advise("add `--ltl NAME`")))
            .or_else(|| idle("wire", "processes", wire, "add `--processes N`"))
            .or_else(|| idle("every", "checkpoint", every, "add `--checkpoint FILE`"))
    }

    /// The names of the options that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }

    /// True if the option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(n, _)| n == name)
    }

    /// The last value that was given for an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().rev().find(|(n, _)| n == name).and_then(|(_, v)| v.as_deref())
    }

    fn values(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.given.iter().filter(move |(n, _)| n == name).filter_map(|(_, v)| v.as_deref())
    }

    /// The plan of options that were found good.
    fn fill(&self, command: Commands) -> Plan {
        let number = |name| self.value(name).and_then(|v| v.parse::<u64>().ok());
        Plan {
            reading: Reading {
                defines: self.values("define").map(split_define).collect(),
                undefines: self.values("undefine").map(String::from).collect(),
                include: self.values("include").map(PathBuf::from).collect(),
                merge: self.switch(command, "merge"),
                dead_vars: self.switch(command, "dead-vars"),
                never: self.value("never").map(PathBuf::from),
                progress: self.has("progress"),
                empty_channels: self.has("empty-channels"),
                ltl: self.values("ltl").map(String::from).collect(),
                own: command == Commands::CHECK && !LIMITING.iter().any(|name| self.has(name)),
                spin_ltl: self.value("ltl-compat") == Some("spin"),
                automaton: self.value("automaton").map(PathBuf::from),
                // Whoever can stop it, and from when on the time counts, is for the caller to say.
                until: Token::NEVER,
                timers: match self.value("timers") {
                    Some("jump") => Timers::Jump,
                    Some("abstract") => Timers::Abstract,
                    _ => Timers::Exact,
                },
                zeno: self.has("zeno"),
                divergent: self.has("divergent"),
                foreign: Foreign {
                    lang: self.value("lang").map(String::from),
                    more: Vec::new(),
                    queue: number("queue").and_then(|n| usize::try_from(n).ok()),
                    overflow: self.value("overflow").map(String::from),
                    queues: self.value("queues").map(String::from),
                    env: self.value("env").map(String::from),
                    rest: self.value("rest").map(String::from),
                },
            },
            merge_typed: self.has("merge"),
            no_assert: self.has("no-assert"),
            no_deadlock: self.has("no-deadlock"),
            all_errors: self.has("all-errors"),
            first: self.has("first"),
            different: number("different"),
            progress_every: self.value("progress-every").and_then(quantity::parse_duration),
            search: match self.value("search") {
                Some("bfs") => Search::Bfs,
                None if self.has("spill") => Search::Bfs,
                _ => Search::Dfs,
            },
            search_typed: self.has("search"),
            claims: self.values("claim").map(String::from).collect(),
            accept: self.has("accept"),
            scc: command != Commands::NETWORK && self.value("engine") == Some("scc"),
            engine: match self.value("engine") {
                Some("interp") => Engine::Interpreter,
                Some("jit") => Engine::MachineCode,
                _ => Engine::Automatic,
            },
            store: match self.value("store") {
                Some("auto") => Some(Store::Auto),
                Some("tree") => Some(Store::Tree),
                Some("flat") => Some(Store::Flat),
                Some("compact") => Some(Store::Compact),
                Some("dfa") => Some(Store::Dfa),
                Some("bitstate") => Some(Store::Bitstate { bytes: bitstate_bytes(self.value("memory")) }),
                _ => None,
            },
            workers: number("workers").and_then(|n| usize::try_from(n).ok()),
            processes: number("processes").and_then(|n| usize::try_from(n).ok()),
            wire: Wire::ALL.iter().find(|w| self.value("wire") == Some(w.0)).map(|w| w.1).unwrap_or_default(),
            place: None,
            decouple: self.has("decouple").then(|| Decouple {
                auto: self.value("decouple") == Some("auto"),
                dominance: self.value("dominance") != Some("off"),
            }),
            star: self.has("star"),
            por: match self.value("por") {
                Some("off") => Por::Off,
                Some("cluster") => Por::Cluster,
                Some("stubborn") => Por::Stubborn,
                _ => Por::Ample,
            },
            por_typed: self.has("por"),
            symmetry: Strategy::ALL.into_iter().find(|s| self.value("symmetry") == Some(s.0)).map(|s| s.1),
            audit: self.has("audit"),
            explain: self.has("explain-reduction"),
            clusters: self.has("clusters"),
            fair: self.has("fair").then(|| match self.value("fair") {
                Some("strong") => Fairness::Strong,
                _ => Fairness::Weak,
            }),
            depth: number("depth"),
            memory: self.value("memory").and_then(quantity::parse_bytes),
            time: self.value("time").and_then(quantity::parse_duration),
            spill: self.has("spill").then(|| match self.value("spill") {
                None | Some("on") => std::env::temp_dir(),
                Some(folder) => folder.into(),
            }),
            save: self.value("checkpoint").map(|file| Saving {
                file: file.into(),
                every: self.value("every").and_then(quantity::parse_duration).unwrap_or(EVERY),
            }),
            resume: self.value("resume").map(PathBuf::from),
            trail: self.value("trail").map(PathBuf::from),
            no_trail: false,
            watched: self.values("watch").flat_map(|v| v.split(',')).map(|v| v.trim().to_string()).collect(),
            html: self.value("html").map(PathBuf::from),
            reports: self.values("report").map(String::from).collect(),
            watch: self.has("watch") && !options::find(command, "watch").is_some_and(|row| row.kind != Kind::Flag),
            output: self.value("output").map(PathBuf::from),
            states: self.value("states").map(|form| match form {
                "dot" => Form::Dot,
                "json" => Form::Json,
                "kripke" => Form::Kripke,
                _ => Form::Aut,
            }),
            limit: number("limit"),
            labels: match self.value("labels") {
                Some("process") => Labels::Process,
                Some("statement") => Labels::Statement,
                _ => Labels::Line,
            },
            force: self.has("force"),
            json: self.has("json"),
            verbose: self.has("verbose"),
            claim_steps: self.has("claim-steps"),
            seed: number("seed"),
            steps: number("steps").unwrap_or(200),
            interactive: self.has("interactive"),
            brief: self.has("brief"),
            chart: self.has("chart"),
            svg: self.value("svg").map(PathBuf::from),
            dot: self.has("dot"),
            hoa: self.has("hoa"),
            never_claim: command == Commands::LTL && self.has("never"),
            negate: self.has("negate"),
            model: self.value("model").map(PathBuf::from),
            proctype: self.value("proctype").map(String::from),
            pan: Pan::default(),
            options: self.record(command),
        }
    }

    /// The options for the report: what was typed, and defaults that have a name.
    fn record(&self, command: Commands) -> Map<String, Value> {
        let mut out = Map::new();
        for row in options::rows(command) {
            let typed = self.has(row.name);
            let value = match row.kind {
                Kind::Flag => (typed || row.built == Built::All).then_some(Value::Bool(typed)),
                Kind::Many(_) => typed.then(|| self.values(row.name).collect()),
                Kind::OptionalWord(words) if typed => self.value(row.name).or(words.first().copied()).map(Value::from),
                Kind::OptionalText(_) if typed => self.value(row.name).or(Some("on")).map(Value::from),
                Kind::Count(_) => self.value(row.name).or(named(row.default)).map(count),
                _ => self.value(row.name).or(named(row.default)).map(Value::from),
            };
            if let Some(value) = value {
                out.insert(row.name.to_string(), value);
            }
        }
        out
    }
}

fn named(default: &'static str) -> Option<&'static str> {
    (!default.is_empty()).then_some(default)
}

fn count(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from)
}

fn split_define(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (text.to_string(), None),
    }
}

/// What is wrong with one option, if anything is.
fn fault(command: Commands, name: &str, value: &Option<String>) -> Option<Problem> {
    let Some(row) = options::find(command, name) else {
        return Some(Problem::error("unknown-option", format!("there is no option `{name}` here")));
    };
    let wrong = |expected: String| {
        let got = value.as_deref().map_or("nothing".to_string(), |v| format!("`{v}`"));
        let message = format!("`{}` needs {expected}, not {got}", row.flag());
        Some(
            Problem::error("bad-option-value", message)
                .advise(format!("`starwheel help {}` lists all options", command.name())),
        )
    };
    let text = value.as_deref().unwrap_or("");
    match row.kind {
        Kind::Flag => {}
        Kind::Word(words) if !words.contains(&text) => return wrong(options::alternatives(words)),
        Kind::OptionalWord(words) if !text.is_empty() && !words.contains(&text) => {
            return wrong(options::alternatives(words));
        }
        Kind::Count(least) if text.parse::<u64>().ok().is_none_or(|n| n < least) => {
            return wrong(format!("a whole number from {least} on"));
        }
        Kind::Bytes if quantity::parse_bytes(text).is_none_or(|n| n == 0) => {
            return wrong("an amount of memory such as `512M` or `8G`".into());
        }
        Kind::Time if quantity::parse_duration(text).is_none() => {
            return wrong("a length of time such as `60s` or `5m`".into());
        }
        Kind::Text(what) | Kind::Many(what) if text.is_empty() => return wrong(format!("a value ({what})")),
        _ => {}
    }
    if matches!(name, "define" | "undefine") && !good_name(text) {
        return wrong("a macro name such as `N` or `N=3`".into());
    }
    (row.missing(command) || !row.allows(text)).then(|| missing(row, text))
}

/// True for `N`, `N=3` and `MAX(a,b)=…`; what follows the name is the preprocessor's to judge.
fn good_name(text: &str) -> bool {
    let name = text.split(['=', '(']).next().unwrap_or("");
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The refusal of a feature that does not exist yet.
fn missing(row: &Row, text: &str) -> Problem {
    let typed = match (row.built, row.kind) {
        (Built::Only(_), _) => format!("{} {text}", row.flag()),
        _ => row.flag(),
    };
    let problem = Problem::error("not-built", format!("`{typed}` is not built yet"));
    match row.built {
        Built::Only(values) => {
            problem.advise(format!("`{}` takes {} for now", row.flag(), options::alternatives(values)))
        }
        _ => problem.advise(format!("run the command without `{}`", row.flag())),
    }
}

/// Options that say which claims are checked, or that none of the model's own are.
const LIMITING: [&str; 8] = ["no-ltl", "ltl", "never", "claim", "automaton", "accept", "progress", "zeno"];

/// True for what can only be the name of a formula.
pub fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What the program needs besides a store, about.
const PROGRAM: u64 = 16 << 20;

/// The size of a bitstate store: what the limit leaves beside everything else.
fn bitstate_bytes(memory: Option<&str>) -> u64 {
    let array = |limit: u64| limit.saturating_sub(PROGRAM).max(limit / 4) / 4 * 3;
    memory.and_then(quantity::parse_bytes).map_or(BITSTATE, array)
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

/// Processes that a search may ask for.
const MOST_PROCESSES: usize = 128;
/// Threads that a search may ask for.
const MOST_WORKERS: usize = 1024;

/// Options that are good alone and not together; which searches do what together is judged by [`assemble::refusal`].
fn contradiction(plan: &Plan) -> Option<Problem> {
    let both = |a: &str, b: &str| {
        Some(
            Problem::error("contradiction", format!("`{a}` and `{b}` exclude each other"))
                .advise("leave one of them out"),
        )
    };
    if plan.workers > Some(MOST_WORKERS) {
        let message = format!("`--workers` can be at most {MOST_WORKERS}");
        return Some(Problem::error("bad-option-value", message).advise("as many as the machine has cores is best"));
    }
    if plan.processes > Some(MOST_PROCESSES) {
        let message = format!("`--processes` can be at most {MOST_PROCESSES}");
        return Some(Problem::error("bad-option-value", message).advise("as many as the machine has cores is best"));
    }
    if plan.processes.is_some() {
        let alone = [
            ("--first", plan.first),
            ("--different", plan.different.is_some()),
            ("--audit", plan.audit),
            ("--explain-reduction", plan.explain),
        ];
        if let Some(other) = alone.iter().find(|o| o.1) {
            return both("--processes", other.0);
        }
    }
    if let Some(problem) = assemble::refusal(plan, false) {
        return Some(problem);
    }
    if let (Por::Off, Some(option)) = (plan.por, reducing(plan)) {
        let message = format!("`{option}` looks at a reduction, and there is none");
        return Some(Problem::error("contradiction", message).advise("add --por ample, cluster or stubborn"));
    }
    if plan.different.is_some() && plan.all_errors {
        return both("--different", "--all-errors");
    }
    if plan.first && plan.all_errors {
        return both("--first", "--all-errors");
    }
    if plan.options.get("no-ltl") == Some(&Value::Bool(true)) && !plan.reading.ltl.is_empty() {
        return both("--no-ltl", "--ltl");
    }
    if plan.clusters && (plan.dot || plan.json) {
        return both("--clusters", if plan.dot { "--dot" } else { "--json" });
    }
    if plan.interactive && plan.seed.is_some() {
        return both("--interactive", "--seed");
    }
    let text = plan.options.get("text") == Some(&Value::Bool(true));
    let formats = [
        ("--dot", plan.dot),
        ("--text", text),
        ("--hoa", plan.hoa),
        ("--never", plan.never_claim),
        ("--json", plan.json),
    ];
    let mut formats = formats.iter().filter(|f| f.1).map(|f| f.0);
    if let (Some(one), Some(other)) = (formats.next(), formats.next()) {
        return both(one, other);
    }
    if plan.states.is_some() {
        let others = [
            ("--star", plan.star),
            ("--clusters", plan.clusters),
            ("--proctype", plan.proctype.is_some()),
            ("--text", text),
            ("--dot", plan.dot),
            ("--json", plan.json),
            ("--ltl", !plan.reading.ltl.is_empty() && plan.states != Some(Form::Kripke)),
        ];
        if let Some(other) = others.iter().find(|o| o.1) {
            return both("--states", other.0);
        }
    }
    if plan.star && plan.proctype.is_some() {
        return both("--star", "--proctype");
    }
    if plan.proctype.is_some() && !plan.reading.ltl.is_empty() {
        return both("--proctype", "--ltl");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(options: &[(&str, &str)]) -> Typed {
        let mut out = Typed::default();
        for (name, value) in options {
            out.push(name, (!value.is_empty()).then(|| value.to_string()));
        }
        out
    }

    fn code(options: &[(&str, &str)]) -> String {
        match typed(options).plan(Commands::CHECK) {
            Ok(_) => "fine".into(),
            Err(failure) => failure.problems[0].code.clone(),
        }
    }

    #[test]
    fn nothing_typed_is_the_default_plan() {
        let plan = typed(&[]).plan(Commands::CHECK).unwrap();
        assert!(!plan.no_assert && !plan.no_deadlock && !plan.all_errors && plan.search == Search::Dfs);
        assert_eq!(plan.options["por"], "ample");
        assert_eq!(plan.options["store"], "auto");
    }

    #[test]
    fn values_reach_the_plan() {
        let plan = typed(&[("define", "N=3"), ("define", "M"), ("memory", "1G"), ("time", "5m"), ("search", "bfs")]);
        let plan = plan.plan(Commands::CHECK).unwrap();
        assert_eq!(plan.reading.defines, [("N".into(), Some("3".into())), ("M".into(), None)]);
        assert_eq!(plan.memory, Some(1 << 30));
        assert_eq!(plan.time, Some(Duration::from_secs(300)));
        assert_eq!(plan.search, Search::Bfs);
    }

    #[test]
    fn bad_values_are_refused() {
        for (name, value) in [
            ("memory", "lots"),
            ("memory", "0"),
            ("time", "soon"),
            ("depth", "0"),
            ("depth", "-4"),
            ("workers", "0"),
            ("search", "sideways"),
            ("fair", "very"),
            ("define", "3=4"),
            ("define", "=4"),
            ("undefine", "a b"),
            ("trail", ""),
        ] {
            assert_eq!(code(&[(name, value)]), "bad-option-value", "{name} {value}");
        }
    }

    #[test]
    fn features_that_do_not_exist_are_refused_by_name() {
        for row in options::rows(Commands::CHECK).filter(|r| r.built == Built::No) {
            let value = match row.kind {
                Kind::Word(words) => words[0],
                Kind::Text(_) => "x",
                _ => "",
            };
            assert_eq!(code(&[(row.name, value)]), "not-built", "{}", row.name);
        }
        for (name, value) in
            [("por", "off"), ("workers", "1"), ("store", "flat"), ("engine", "interp"), ("symmetry", "auto")]
        {
            assert_eq!(code(&[(name, value)]), "fine", "{name} {value}");
        }
    }

    #[test]
    fn fairness_needs_runs_without_end() {
        for (value, fair) in [("", Fairness::Weak), ("weak", Fairness::Weak), ("strong", Fairness::Strong)] {
            assert_eq!(code(&[("fair", value), ("no-ltl", "")]), "contradiction");
            // Whether the model has formulas of its own is not known yet.
            assert_eq!(code(&[("fair", value)]), "fine");
            let plan = typed(&[("fair", value), ("accept", "")]).plan(Commands::CHECK).unwrap();
            assert_eq!(plan.fair, Some(fair));
            assert_eq!(plan.options["fair"], if value.is_empty() { "weak" } else { value });
        }
        assert_eq!(typed(&[("accept", "")]).plan(Commands::CHECK).unwrap().fair, None);
    }

    #[test]
    fn many_workers_and_machine_code_serve_most_searches_for_cycles() {
        for (name, value) in [("ltl", "[] p"), ("claim", "c"), ("accept", ""), ("progress", "")] {
            for asked in [("workers", "2"), ("engine", "jit"), ("store", "tree")] {
                assert_eq!(code(&[(name, value), asked]), "fine", "{name} {asked:?}");
                assert_eq!(code(&[(name, value), asked, ("por", "ample")]), "fine", "{name} {asked:?}");
            }
            for slow in [("fair", ""), ("depth", "9"), ("store", "flat")] {
                assert_eq!(code(&[(name, value), slow, ("workers", "2")]), "contradiction", "{name} {slow:?}");
                assert_eq!(code(&[(name, value), slow, ("workers", "1")]), "fine", "{name} {slow:?}");
                assert_eq!(code(&[(name, value), slow, ("engine", "jit")]), "fine", "{name} {slow:?}");
            }
            for alone in [("engine", "scc"), ("all-errors", "")] {
                assert_eq!(code(&[(name, value), alone, ("workers", "2")]), "contradiction", "{name} {alone:?}");
            }
            assert_eq!(code(&[(name, value), ("store", "bitstate")]), "contradiction", "{name}");
        }
        assert_eq!(code(&[("all-errors", ""), ("workers", "2")]), "fine");
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let failure = typed(&[("memory", "x"), ("time", "y")]).plan(Commands::CHECK).unwrap_err();
        assert_eq!(failure.problems.len(), 2);
    }

    #[test]
    fn seed_belongs_to_simulation() {
        assert_eq!(code(&[("seed", "3")]), "not-built");
        assert_eq!(typed(&[("seed", "3")]).plan(Commands::SIMULATE).unwrap().seed, Some(3));
        assert!(typed(&[("seed", "3"), ("interactive", "")]).plan(Commands::SIMULATE).is_err());
    }
}
