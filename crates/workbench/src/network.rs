//! Networks of Büchi automata: reads their HOA files, asks for an accepting run and reports.

use crate::ask::options::{self, Commands};
use crate::ask::plan::Plan;
use crate::ask::typed::Typed;
use crate::disk::input::read;
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::problem::{Code, Failure, Problem};
use crate::property::property_automaton::place;
use crate::report::summary::because;
use crate::report::{FORMAT, Finding, Head, Property, PropertyKind, TOOL, Verdict};
use crate::trail::network_trail::{self, Trail};
use crate::written::Source;
use serde::Serialize;
use serde_json::{Map, Value};
use starwheel_automata::hoa::{ActionAutomaton, read_actions_within};
use starwheel_base::cancel::Token;
use starwheel_base::{Diagnostic, SourceMap};
use starwheel_engine::facts::{Sequence, Sought};
use starwheel_engine::{Monitor, Stop, Wish, fit};
use starwheel_nba::{Acceptance, Answer, Engine, Network, Question};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::trail::network_trail::Moved;
pub use starwheel_nba::generate::{self, Shape};
pub use starwheel_nba::write::write;

/// The report on a network, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkReport {
    /// How it begins: `holds` if no run is accepting, one error for an accepting run.
    #[serde(flatten)]
    pub head: Head,
    /// Why there is no answer, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_because: Option<String>,
    /// The accepting run.
    pub findings: Vec<Finding>,
    /// The one property: no run is accepting.
    pub properties: Vec<Property>,
    /// What was counted.
    pub stats: NetworkStats,
    /// How large the network is.
    pub network: NetworkSize,
    /// The file with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
    /// What was asked for, and the defaults.
    pub options: Map<String, Value>,
    /// What the user should know besides.
    pub warnings: Vec<Problem>,
    /// The whole run, for the screen.
    #[serde(skip)]
    pub moves: Vec<Moved>,
}

/// What a search of a network counted.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkStats {
    /// States stored.
    pub states_stored: u64,
    /// The same number, if they are decoupled ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoupled_states: Option<u64>,
    /// Distinct sets of local states, if states are decoupled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_sets: Option<u64>,
    /// Arrivals at states that were known or covered.
    pub states_matched: u64,
    /// Stored and matched together.
    pub transitions: u64,
    /// The longest path.
    pub max_depth: u64,
    /// Bytes of a state.
    pub state_bytes: u64,
    /// Bytes for the states stored.
    pub store_bytes: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// The most memory that the whole program held.
    pub peak_rss_bytes: u64,
}

/// How large a network is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NetworkSize {
    /// Its components.
    pub components: usize,
    /// Local states of all components together.
    pub local_states: usize,
    /// Edges of all components together.
    pub edges: usize,
    /// Actions.
    pub actions: usize,
    /// Actions that move several components.
    pub shared_actions: usize,
}

/// A network that was read.
#[derive(Debug)]
pub struct OpenedNetwork {
    /// The files, as they were named.
    pub paths: Vec<PathBuf>,
    /// The network.
    pub network: Network,
}

/// True if a file is a network by its name.
pub fn is_network(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("hoa"))
}

/// The plan for a network; options that only Promela has are refused by name.
pub fn plan(typed: &Typed) -> Result<Plan, Failure> {
    let stray = |name: &&str| options::find(Commands::NETWORK, name).is_none();
    let flag = |name: &str| options::find(Commands::CHECK, name).map_or(format!("--{name}"), |row| row.flag());
    let refused = |name: &str| {
        let message = format!("`{}` has no meaning for a network of automata", flag(name));
        Problem::error(Code::NotForNetworks, message).advise("leave it out; it is an option for Promela models")
    };
    let problems: Vec<Problem> = typed.names().filter(stray).map(refused).collect();
    if problems.is_empty() { typed.plan(Commands::NETWORK) } else { Err(Failure { problems }) }
}

/// What is wrong with the options of a check of a model that only networks know.
pub fn misplaced(typed: &Typed) -> Option<Problem> {
    let engine = typed.value("engine").filter(|e| matches!(*e, "explicit" | "split"));
    let option = engine.map(|e| format!("--engine {e}")).or(typed.has("acceptance").then(|| "--acceptance".into()));
    if let Some(option) = option {
        let message = format!("`{option}` is for networks of automata, and this is a Promela model");
        return Some(Problem::error(Code::OnlyForNetworks, message).advise("a network is a file that ends in `.hoa`"));
    }
    None
}

/// Reads the files of a network; each holds one component or more.
pub fn open(paths: &[PathBuf], until: &Token) -> Result<OpenedNetwork, Failure> {
    let mut automata = Vec::new();
    for path in paths {
        let found = components(path, until);
        if let Some(why) = until.why() {
            return Err(Failure::stopped(why));
        }
        automata.extend(found?);
    }
    Ok(OpenedNetwork { paths: paths.to_vec(), network: Network::new(automata) })
}

fn components(path: &Path, until: &Token) -> Result<Vec<ActionAutomaton>, Failure> {
    let name = path.display().to_string();
    let advice = "give the names of files with automata in the HOA format";
    if !is_network(path) {
        let message = format!("`{name}` does not end in `.hoa`, and the file before it does");
        return Err(Problem::error(Code::MixedFiles, message).about(&name).advise(advice).into());
    }
    let text = read(path, until)
        .map_err(|why| Problem::error(Code::UnreadableFile, format!("`{name}` {why}")).about(&name).advise(advice))?;
    let mut map = SourceMap::new();
    let file = map.add_file(name.clone(), text);
    let automata = read_actions_within(&map.file(file).text, until).map_err(|e| {
        let span = place(map.file(file), file, e.line, e.column);
        Problem::of(&map, &Diagnostic::error("hoa", span, e.message))
    })?;
    if automata.is_empty() {
        let message = format!("`{name}` holds no automaton");
        return Err(Problem::error(Code::EmptyNetwork, message).about(&name).advise(advice).into());
    }
    Ok(automata)
}

/// Looks for an accepting run, in the time that is left.
pub fn check(
    opened: &OpenedNetwork,
    plan: &Plan,
    until: &Token,
    monitor: &dyn Monitor,
) -> Result<NetworkReport, Failure> {
    let mut question = question(plan)?;
    let gone = until.started().map_or(Duration::ZERO, |started| started.elapsed());
    question.time = question.time.map(|time| time.saturating_sub(gone));
    let net = &opened.network;
    let mut found = starwheel_nba::check(net, &question, &MemoryGuard::new(monitor, question.memory));
    if let (Answer::Stopped(Stop::Time(left)), Some(typed)) = (&mut found.answer, plan.time) {
        *left = typed;
    }
    let mut warnings = Vec::new();
    let trail = match &found.answer {
        Answer::Run(lasso) => Some(Trail::new(opened, lasso)),
        _ => None,
    };
    let file = trail.as_ref().and_then(|trail| network_trail::write(trail, opened, plan, &mut warnings));
    let findings: Vec<Finding> = trail.iter().map(|t| finding(opened, question.acceptance, t, file.clone())).collect();
    Ok(NetworkReport {
        head: Head {
            version: FORMAT,
            tool: TOOL,
            model: opened.paths[0].display().to_string(),
            outcome: verdict(&found.answer),
            errors: findings.len() as u64,
            complete: matches!(found.answer, Answer::Empty(_)),
        },
        stopped_because: reason(&found.answer),
        properties: vec![property(&found.answer, findings.clone())],
        findings,
        stats: stats(&found, question.engine),
        network: size(net),
        trail: file,
        options: performed(plan, question.engine),
        warnings,
        moves: trail.map(|t| t.steps).unwrap_or_default(),
    })
}

/// What a plan asks of a network; what no search can do is an error.
fn question(plan: &Plan) -> Result<Question, Failure> {
    let word = |name: &str| plan.options.get(name).and_then(Value::as_str).unwrap_or("");
    let acceptance = if word("acceptance") == "each" { Acceptance::Each } else { Acceptance::Together };
    let sought = if acceptance == Acceptance::Each { Sought::Each } else { Sought::Together };
    let named = match word("engine") {
        "explicit" => Some("nba-explicit"),
        "split" => Some("nba-split"),
        "scc" => Some("nba-scc"),
        _ => None,
    };
    let wish = Wish { sequence: named.map(Sequence::Of), ..Wish::new(sought) };
    let misfit = |why: String| Failure::from(Problem::error(Code::Misfit, why));
    let fitting = fit(&wish, &Engine::METHODS.map(|m| m.0)).map_err(|why| misfit(why.to_string()))?.method();
    let engine = Engine::METHODS.into_iter().find(|m| m.0.name == fitting.name);
    let (_, engine) = engine.ok_or_else(|| misfit(format!("{} is none of a network", fitting.title)))?;
    Ok(Question { engine, acceptance, time: plan.time, memory: plan.memory_limit() })
}

/// The options of a plan, with the engine that was chosen.
fn performed(plan: &Plan, engine: Engine) -> Map<String, Value> {
    let mut options = plan.options.clone();
    let engine = match engine {
        Engine::Explicit => "explicit",
        Engine::Split => "split",
        Engine::Scc => "scc",
    };
    options.insert("engine".into(), engine.into());
    options
}

fn verdict(answer: &Answer) -> Verdict {
    match answer {
        Answer::Empty(evidence) => Verdict::Holds((*evidence).into()),
        Answer::Run(_) => Verdict::Violated,
        Answer::TooLong(_) | Answer::Stopped(_) => Verdict::Stopped,
    }
}

fn property(answer: &Answer, findings: Vec<Finding>) -> Property {
    Property {
        name: "no-accepting-run".into(),
        kind: PropertyKind::Acceptance,
        formula: None,
        automaton: None,
        outcome: verdict(answer),
        fairness: None,
        findings,
        stats: None,
        forgotten: Vec::new(),
        with_fairness: None,
        stopped_because: reason(answer),
    }
}

fn reason(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Stopped(stop @ Stop::Internal(_)) => Some(stop.to_string()),
        Answer::Stopped(stop) => Some(because(stop)),
        Answer::TooLong(steps) => {
            Some(format!("an accepting run exists, but its cycle of {steps} steps is too long to be followed"))
        }
        Answer::Empty(_) | Answer::Run(_) => None,
    }
}

fn finding(opened: &OpenedNetwork, acceptance: Acceptance, trail: &Trail, file: Option<String>) -> Finding {
    let message = match acceptance {
        Acceptance::Together => "a run is accepting: all components accept at the same time again and again",
        Acceptance::Each => "a run is accepting: each component accepts again and again",
    };
    Finding {
        kind: "acceptance-cycle",
        message: message.into(),
        source: Source { file: opened.paths[0].display().to_string(), ..Source::default() },
        shortened_from: None,
        shortest: false,
        fastest: false,
        switches: None,
        switches_from: None,
        fewest_switches: false,
        spin_message: String::new(),
        waiting: Vec::new(),
        besides: Vec::new(),
        advice: None,
        values: Vec::new(),
        trail_length: trail.steps.len() as u64,
        steps: trail.steps.len() as u64,
        cycle_start: Some(trail.cycle_start as u64),
        trail: file,
        events: 1,
    }
}

fn stats(found: &starwheel_nba::Report, engine: Engine) -> NetworkStats {
    let (c, decoupled) = (&found.counts, engine != Engine::Explicit);
    NetworkStats {
        states_stored: c.stored,
        decoupled_states: decoupled.then_some(c.stored),
        leaf_sets: decoupled.then_some(c.leaf_sets),
        states_matched: c.matched,
        transitions: c.stored + c.matched,
        max_depth: c.depth,
        state_bytes: c.state_bytes,
        store_bytes: c.store_bytes,
        seconds: found.seconds,
        peak_rss_bytes: rss::peak_rss(),
    }
}

fn size(net: &Network) -> NetworkSize {
    NetworkSize {
        components: net.components.len(),
        local_states: net.components.iter().map(|c| c.state_count()).sum(),
        edges: net.components.iter().map(|c| c.edge_count()).sum(),
        actions: net.actions.len(),
        shared_actions: net.shared_actions().count(),
    }
}
