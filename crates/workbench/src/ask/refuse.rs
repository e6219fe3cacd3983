//! What is wrong with what was typed: values that are none, options that are not built, have nothing to act on or contradict each other.

use crate::ask::options::{self, Built, Commands, Kind, Row};
use crate::ask::plan::{Plan, Por, reducing};
use crate::ask::quantity;
use crate::ask::typed::{LIMITING, Typed};
use crate::assemble;
use crate::problem::{Code, Problem};
use crate::space::Form;
use serde_json::Value;
use starwheel_sdl::LONGEST_LIST;

/// What is wrong with one option, if anything is.
pub fn fault(command: Commands, name: &str, value: &Option<String>) -> Option<Problem> {
    let Some(row) = options::find(command, name) else {
        return Some(Problem::error(Code::UnknownOption, format!("there is no option `{name}` here")));
    };
    let wrong = |expected: String| {
        let got = value.as_deref().map_or("nothing".to_string(), |v| format!("`{v}`"));
        let message = format!("`{}` needs {expected}, not {got}", row.flag());
        Some(
            Problem::error(Code::BadOptionValue, message)
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
    let problem = Problem::error(Code::NotBuilt, format!("`{typed}` is not built yet"));
    match row.built {
        Built::Only(values) => {
            problem.advise(format!("`{}` takes {} for now", row.flag(), options::alternatives(values)))
        }
        _ => problem.advise(format!("run the command without `{}`", row.flag())),
    }
}

/// What was typed and has nothing to act on.
pub fn idle(typed: &Typed, command: Commands) -> Option<Problem> {
    let idle = |option: &str, needed: &str, message: &str, advice: &str| {
        let problem = || Problem::error(Code::Contradiction, message).advise(advice);
        (typed.has(option) && !typed.has(needed)).then(problem)
    };
    let dominance = "`--dominance` says how a decoupled search works, and none was asked for";
    let wire = "`--wire` says what travels between processes, and there is one";
    let secret = "`--token-file` is for other machines, and none is asked";
    let every = "`--every` says how often a search is saved, and it is not";
    let divergent = "`--divergent` says which runs formulas speak of, and none was asked for";
    let silent = typed.has("divergent") && !typed.has("ltl") && LIMITING.iter().any(|name| typed.has(name));
    let graph = |option: &str| format!("`{option}` is about a graph of states, and none was asked for");
    let states = "add `--states aut`, `dot`, `json` or `kripke`";
    // `translate` has an `-o` of its own.
    let out = (command == Commands::GRAPH).then(|| idle("output", "states", &graph("-o"), states)).flatten();
    let several =
        (command == Commands::GRAPH).then(|| idle("processes", "states", &graph("--processes"), states)).flatten();
    idle("dominance", "decouple", dominance, "add `--decouple`")
        .or(out)
        .or(several)
        .or_else(|| idle("limit", "states", &graph("--limit"), states))
        .or_else(|| idle("labels", "states", &graph("--labels"), states))
        .or_else(|| silent.then(|| Problem::error(Code::Contradiction, divergent).advise("add `--ltl NAME`")))
        .or_else(|| idle("wire", "processes", wire, "add `--processes N`").filter(|_| !typed.has("hosts")))
        .or_else(|| idle("token-file", "hosts", secret, "add `--hosts FILE`"))
        .or_else(|| idle("every", "checkpoint", every, "add `--checkpoint FILE`"))
}

/// Processes that a search may ask for.
const MOST_PROCESSES: usize = 128;
/// Threads that a search may ask for.
const MOST_WORKERS: usize = 1024;

/// Options that are good alone and not together; which searches do what together is judged by [`assemble::refusal`].
pub fn contradiction(plan: &Plan) -> Option<Problem> {
    let both = |a: &str, b: &str| {
        Some(
            Problem::error(Code::Contradiction, format!("`{a}` and `{b}` exclude each other"))
                .advise("leave one of them out"),
        )
    };
    if plan.workers > Some(MOST_WORKERS) {
        let message = format!("`--workers` can be at most {MOST_WORKERS}");
        return Some(Problem::error(Code::BadOptionValue, message).advise("as many as the machine has cores is best"));
    }
    if plan.processes > Some(MOST_PROCESSES) {
        let message = format!("`--processes` can be at most {MOST_PROCESSES}");
        return Some(Problem::error(Code::BadOptionValue, message).advise("as many as the machine has cores is best"));
    }
    if plan.reading.foreign.strings > Some(LONGEST_LIST) {
        let message = format!("`--strings` can be at most {LONGEST_LIST}");
        return Some(Problem::error(Code::BadOptionValue, message).advise("strings of a few elements are best"));
    }
    if plan.processes.is_some() && plan.hosts.is_some() {
        return both("--processes", "--hosts");
    }
    if plan.is_shared() && plan.first {
        return both(if plan.hosts.is_some() { "--hosts" } else { "--processes" }, "--first");
    }
    if let Some(problem) = assemble::refusal(plan, false) {
        return Some(problem);
    }
    if let (Por::Off, Some(option)) = (plan.por, reducing(plan)) {
        let message = format!("`{option}` looks at a reduction, and there is none");
        return Some(Problem::error(Code::Contradiction, message).advise("add --por ample, cluster or stubborn"));
    }
    if plan.different.is_some() && plan.all_errors {
        return both("--different", "--all-errors");
    }
    if plan.json && plan.reports.iter().any(|r| r == "github") {
        return both("--json", "--report github");
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
            ("--symmetry", plan.families),
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
    let pictures = [("--star", plan.star), ("--symmetry", plan.families), ("--clusters", plan.clusters)];
    let mut pictures = pictures.iter().filter(|p| p.1).map(|p| p.0);
    if let (Some(one), Some(other)) = (pictures.next(), pictures.next()) {
        return both(one, other);
    }
    if plan.families && (plan.dot || plan.proctype.is_some()) {
        return both("--symmetry", if plan.dot { "--dot" } else { "--proctype" });
    }
    if plan.star && plan.proctype.is_some() {
        return both("--star", "--proctype");
    }
    if plan.proctype.is_some() && !plan.reading.ltl.is_empty() {
        return both("--proctype", "--ltl");
    }
    None
}
