//! From what was typed to what will be done: each option is looked up in the table, and what is not typed holds as the table says.

use crate::ask::options::{self, Built, Commands, Kind, Preset};
use crate::ask::plan::{Decouple, Engine, Pan, Plan, Por, Reading, Saving, Search, Timers};
use crate::ask::{automata, quantity, refuse, unasked};
use crate::disk::input::Shelf;
use crate::foreign::Foreign;
use crate::problem::Failure;
use crate::space::{Form, Labels};
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

/// Size of a bitstate store if no limit of memory is given.
const BITSTATE: u64 = 256 << 20;

impl Typed {
    /// Adds an option by its name in the table.
    pub fn push(&mut self, name: &str, value: Option<String>) {
        self.given.push((name.to_string(), value));
    }

    /// What was given, in order.
    pub fn given(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.given.iter().map(|(name, value)| (name.as_str(), value.as_deref()))
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
        let problems: Vec<_> =
            self.given.iter().filter_map(|(name, value)| refuse::fault(command, name, value)).collect();
        if !problems.is_empty() {
            return Err(Failure { problems });
        }
        let mut plan = self.fill(command);
        if plan.reading.merge && !plan.merge_typed && !automata::merges(&plan) {
            plan.reading.merge = false;
            plan.options.insert("merge".into(), "off".into());
        }
        if plan.symmetry.is_some() && !plan.symmetry_typed && !unasked::symmetry(&plan, self) {
            plan.symmetry = None;
            plan.options.insert("symmetry".into(), "off".into());
        }
        match refuse::contradiction(&plan).or_else(|| refuse::idle(self, command)) {
            Some(problem) => Err(problem.into()),
            None => Ok(plan),
        }
    }

    /// What `--plain` stands for, as if it had been typed before everything else.
    pub(super) fn plain(&self) -> Typed {
        let set = [("por", "off"), ("dead-vars", "off"), ("merge", "off"), ("symmetry", "off")];
        let mut given: Vec<_> = set.map(|(name, value)| (name.to_string(), Some(value.to_string()))).into();
        given.extend(self.given.iter().filter(|(name, _)| name != "plain").cloned());
        Typed { given }
    }

    /// A switch that may stand alone; if it was not typed, the default of the command.
    fn switch(&self, command: Commands, name: &str) -> bool {
        match self.has(name) {
            true => self.value(name) != Some("off"),
            false => options::find(command, name).is_some_and(|row| row.preset == Preset::Is("on")),
        }
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

    /// The last word that was given for an option, or the one that holds without it; empty if there is none.
    fn word(&self, command: Commands, name: &str) -> &str {
        match (self.value(name), options::preset(command, name)) {
            (Some(typed), _) => typed,
            (None, Preset::Is(word)) => word,
            (None, _) => "",
        }
    }

    /// The last number that was given for an option, or the one that holds without it.
    fn number(&self, command: Commands, name: &str) -> Option<u64> {
        match (self.value(name), options::preset(command, name)) {
            (Some(typed), _) => typed.parse().ok(),
            (None, Preset::Number(n)) => Some(n),
            (None, _) => None,
        }
    }

    /// The last length of time that was given for an option, or the one that holds without it.
    fn time(&self, command: Commands, name: &str) -> Option<Duration> {
        match (self.value(name), options::preset(command, name)) {
            (Some(typed), _) => quantity::parse_duration(typed),
            (None, Preset::Seconds(n)) => Some(Duration::from_secs(n)),
            (None, _) => None,
        }
    }

    fn values(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.given.iter().filter(move |(n, _)| n == name).filter_map(|(_, v)| v.as_deref())
    }

    /// The plan of options that were found good.
    pub(super) fn fill(&self, command: Commands) -> Plan {
        let number = |name| self.value(name).and_then(|v| v.parse::<u64>().ok());
        Plan {
            reading: Reading {
                defines: self.values("define").map(split_define).collect(),
                undefines: self.values("undefine").map(String::from).collect(),
                include: self.values("include").map(PathBuf::from).collect(),
                merge: self.switch(command, "merge"),
                dead_vars: self.switch(command, "dead-vars"),
                dead_timers: false,
                never: self.value("never").map(PathBuf::from),
                progress: self.has("progress"),
                empty_channels: self.has("empty-channels"),
                ltl: self.values("ltl").map(String::from).collect(),
                moment: None,
                own: command == Commands::CHECK && !LIMITING.iter().any(|name| self.has(name)),
                spin_ltl: self.value("ltl-compat") == Some("spin"),
                automaton: self.value("automaton").map(PathBuf::from),
                // Whoever can stop it, and from when on the time counts, is for the caller to say.
                until: Token::NEVER,
                timers: match self.word(command, "timers") {
                    "jump" => Timers::Jump,
                    "abstract" => Timers::Abstract,
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
                    delay: self.value("delay").map(String::from),
                    pids: number("pids").and_then(|n| usize::try_from(n).ok()),
                    strings: number("strings").and_then(|n| usize::try_from(n).ok()),
                    translated: false,
                },
                shelf: Shelf::Disk,
            },
            merge_typed: self.has("merge"),
            no_assert: self.has("no-assert"),
            no_deadlock: self.has("no-deadlock"),
            all_errors: self.has("all-errors"),
            first: self.has("first"),
            different: number("different"),
            few_switches: self.has("prefer"),
            progress_every: self.value("progress-every").and_then(quantity::parse_duration),
            search: match self.word(command, "search") {
                "bfs" => Search::Bfs,
                _ if self.has("spill") && !self.has("search") => Search::Bfs,
                _ => Search::Dfs,
            },
            search_typed: self.has("search"),
            claims: self.values("claim").map(String::from).collect(),
            accept: self.has("accept"),
            scc: command != Commands::NETWORK && self.word(command, "engine") == "scc",
            engine: match self.word(command, "engine") {
                "interp" => Engine::Interpreter,
                "jit" => Engine::MachineCode,
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
            hosts: self.value("hosts").map(PathBuf::from),
            token_file: self.value("token-file").map(PathBuf::from),
            wire: Wire::ALL.iter().find(|w| self.word(command, "wire") == w.0).map(|w| w.1).unwrap_or_default(),
            place: None,
            decouple: self.has("decouple").then(|| Decouple {
                auto: self.value("decouple") == Some("auto"),
                dominance: self.word(command, "dominance") != "off",
            }),
            star: self.has("star"),
            por: match self.word(command, "por") {
                "off" => Por::Off,
                "cluster" => Por::Cluster,
                "stubborn" => Por::Stubborn,
                _ => Por::Ample,
            },
            por_typed: self.has("por"),
            symmetry: Strategy::ALL.into_iter().find(|s| self.word(command, "symmetry") == s.0).map(|s| s.1),
            symmetry_typed: self.has("symmetry"),
            audit: self.has("audit"),
            explain: self.has("explain-reduction"),
            families: command == Commands::GRAPH && self.has("symmetry"),
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
            save: self
                .value("checkpoint")
                .map(|file| Saving { file: file.into(), every: self.time(command, "every").unwrap_or_default() }),
            resume: self.value("resume").map(PathBuf::from),
            trail: self.value("trail").map(PathBuf::from),
            no_trail: false,
            verdict_only: false,
            watched: self.values("watch").flat_map(|v| v.split(',')).map(|v| v.trim().to_string()).collect(),
            html: self.value("html").map(PathBuf::from),
            events: self.has("events"),
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
            labels: match self.word(command, "labels") {
                "process" => Labels::Process,
                "statement" => Labels::Statement,
                _ => Labels::Line,
            },
            force: self.has("force"),
            json: self.has("json"),
            verbose: self.has("verbose"),
            claim_steps: self.has("claim-steps"),
            seed: number("seed"),
            steps: self.number(command, "steps").unwrap_or(u64::MAX),
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
            typed: self.clone(),
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
                Kind::Count(_) => self.value(row.name).map(String::from).or(row.told()).map(|v| count(&v)),
                _ => self.value(row.name).map(String::from).or(row.told()).map(Value::from),
            };
            if let Some(value) = value {
                out.insert(row.name.to_string(), value);
            }
        }
        out
    }
}

/// Options that say which claims are checked, or that none of the model's own are.
pub(super) const LIMITING: [&str; 8] = ["no-ltl", "ltl", "never", "claim", "automaton", "accept", "progress", "zeno"];

/// What the program needs besides a store, about.
const PROGRAM: u64 = 16 << 20;

/// The size of a bitstate store: what the limit leaves beside everything else.
fn bitstate_bytes(memory: Option<&str>) -> u64 {
    let array = |limit: u64| limit.saturating_sub(PROGRAM).max(limit / 4) / 4 * 3;
    memory.and_then(quantity::parse_bytes).map_or(BITSTATE, array)
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
            Err(failure) => failure.problems[0].code.to_string(),
        }
    }

    #[test]
    fn nothing_typed_is_the_default_plan() {
        let plan = typed(&[]).plan(Commands::CHECK).unwrap();
        assert!(!plan.no_assert && !plan.no_deadlock && !plan.all_errors && plan.search == Search::Dfs);
        assert_eq!(plan.options["por"], "ample");
        assert_eq!(plan.options["store"], "auto");
        assert_eq!((plan.symmetry, plan.symmetry_typed), (Some(Strategy::Auto), false));
    }

    #[test]
    fn who_says_what_is_left_out_keeps_like_processes_apart() {
        let symmetry = |options: &[(&str, &str)]| typed(options).plan(Commands::CHECK).map(|p| p.symmetry).unwrap();
        for option in [("por", "off"), ("por", "ample"), ("merge", "off"), ("dead-vars", "on"), ("plain", "")] {
            assert_eq!(symmetry(&[option]), None, "{option:?}");
            assert_eq!(symmetry(&[option, ("symmetry", "auto")]), Some(Strategy::Auto), "{option:?}");
        }
        for option in [("search", "bfs"), ("all-errors", ""), ("fair", ""), ("decouple", ""), ("spill", "")] {
            assert_eq!(symmetry(&[option]), None, "{option:?}");
        }
        for option in [("workers", "2"), ("ltl", "[] p"), ("store", "tree"), ("engine", "jit"), ("search", "dfs")] {
            assert_eq!(symmetry(&[option]), Some(Strategy::Auto), "{option:?}");
        }
        assert_eq!(typed(&[("spill", "")]).plan(Commands::CHECK).unwrap().options["symmetry"], "off");
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
