//! The command line of a user's program: what was typed, and what is done about it.

use crate::checker::{Checker, Refused};
use crate::model::Model;
use crate::outcome::{Outcome, Trail, Verdict};
use crate::walk::{End, Form, follow, graph, simulate};
use serde_json::{Value, json};
use starwheel_base::quantity::parse_bytes;
use starwheel_engine::Store;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

const HELP: &str = "\
Checks the system that this program describes: visits every state that it can reach.

  check               all properties of the model (this is what happens if nothing is said)
  replay FILE         shows a saved run step by step
  simulate            a run at random
  graph               all states and steps, for a drawing or another tool

What to check
  --ltl FORMULA       a formula over the model's propositions, besides its own: '[] (asked -> <> answered)'
  --fair weak|strong  formulas are about runs that forget no actor
  --no-deadlock       states in which nobody can move are fine

How
  --search dfs|bfs    bfs finds the shortest runs; dfs, which is the default, is faster
  --workers N         threads (all cores)        --store auto|tree|flat|dfa|compact|bitstate
  --processes N       processes of this machine, each with a store of its own
  --por               leave out interleavings that make no difference (needs footprints)
  --symmetry          take states for one that differ in who is who only (needs a symmetry)
  --time 90s          give up after this time    --memory 8G    and with so much memory    --depth N    and at this depth

What to show
  --json              one JSON object on standard output
  --trail FILE        where a counterexample is saved, for replay
  --seed N --steps N  of simulate                --states dot|aut|json --limit N    of graph

The exit status is 0 if everything holds, 1 if something is violated, 2 if the command is wrong, 3 if nothing is certain because a
limit was reached.
";

/// What was typed.
#[derive(Default)]
struct Typed {
    command: Option<String>,
    file: Option<String>,
    options: Vec<(String, Option<String>)>,
}

/// Options, and whether a value follows.
const OPTIONS: [(&str, bool); 18] = [
    ("ltl", true),
    ("fair", true),
    ("no-deadlock", false),
    ("search", true),
    ("workers", true),
    ("processes", true),
    ("store", true),
    ("por", false),
    ("symmetry", false),
    ("time", true),
    ("memory", true),
    ("depth", true),
    ("json", false),
    ("trail", true),
    ("seed", true),
    ("steps", true),
    ("states", true),
    ("limit", true),
];

impl Typed {
    fn read(words: impl Iterator<Item = String>) -> Result<Typed, Refused> {
        let mut typed = Typed::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                let place = if typed.command.is_none() { &mut typed.command } else { &mut typed.file };
                if place.replace(word.clone()).is_some() {
                    return Err(Refused::new(format!("what is `{word}`? Try --help")));
                }
                continue;
            };
            let (name, value) = option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v.to_string())));
            let Some(&(_, valued)) = OPTIONS.iter().find(|o| o.0 == name) else {
                return Err(Refused::new(format!("there is no option `--{name}`. Try --help")));
            };
            let value = if valued { value.or_else(|| words.next()) } else { value };
            if valued != value.is_some() {
                let lacks = if valued { "needs a value" } else { "has no value" };
                return Err(Refused::new(format!("`--{name}` {lacks}")));
            }
            typed.options.push((name.to_string(), value));
        }
        Ok(typed)
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|o| o.0 == name)
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |o| o.0 == name).filter_map(|o| o.1.as_deref())
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values(name).last()
    }

    fn number(&self, name: &str) -> Result<Option<u64>, Refused> {
        let wrong = |text: &str| Refused::new(format!("`--{name}` needs a number, not `{text}`"));
        self.value(name).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    /// Of the words that an option takes, the one that was typed.
    fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Refused> {
        let Some(text) = self.value(name) else { return Ok(None) };
        let all: Vec<&str> = words.iter().map(|w| w.0).collect();
        let wrong = || Refused::new(format!("`--{name}` is one of {}, not `{text}`", all.join(", ")));
        words.iter().find(|w| w.0 == text).map(|w| Some(w.1)).ok_or_else(wrong)
    }
}

/// Gives a program the commands `check`, `replay`, `simulate` and `graph` for a model; `--help` tells the rest.
///
/// ```no_run
/// # use starwheel::{Draft, Model, View};
/// # struct MySystem;
/// # impl Model for MySystem {
/// #     type Part = u8;
/// #     type Action = ();
/// #     fn initial(&self) -> Vec<Vec<u8>> { vec![vec![0]] }
/// #     fn actions(&self, _: usize, _: &View<'_, u8>, _: &mut Vec<()>) {}
/// #     fn apply(&self, _: &(), _: &mut Draft<'_, u8>) {}
/// # }
/// fn main() -> std::process::ExitCode {
///     starwheel::main(MySystem)
/// }
/// ```
pub fn main<M: Model>(model: M) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let json = words.iter().any(|w| w == "--json");
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    let status = run(&model, words.into_iter(), &mut out).unwrap_or_else(|refused| {
        let told = match json {
            true => writeln!(out, "{}", json!({ "outcome": "error", "message": refused.to_string() })),
            false => writeln!(err, "error: {refused}"),
        };
        if told.is_err() { 3 } else { 2 }
    });
    ExitCode::from(status)
}

/// Does what was typed; the exit status.
pub fn run<M: Model>(model: &M, words: impl Iterator<Item = String>, out: &mut dyn Write) -> Result<u8, Refused> {
    let words: Vec<String> = words.collect();
    if words.iter().any(|w| w == "--help" || w == "-h" || w == "help") {
        return written(write!(out, "{HELP}"));
    }
    let typed = Typed::read(words.into_iter())?;
    match typed.command.as_deref().unwrap_or("check") {
        "check" => check(model, &typed, out),
        "replay" => replay(model, &typed, out),
        "simulate" => random(model, &typed, out),
        "graph" => draw(model, &typed, out),
        other => Err(Refused::new(format!("there is no command `{other}`: check, replay, simulate, graph"))),
    }
}

/// What cannot be shown was not done.
fn written(result: io::Result<()>) -> Result<u8, Refused> {
    match result {
        Ok(()) => Ok(0),
        // Who has stopped reading has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Refused::new(format!("the output cannot be written: {error}"))),
    }
}

fn asked<'m, M: Model>(model: &'m M, typed: &Typed) -> Result<Checker<'m, M>, Refused> {
    let mut checker = Checker::new(model);
    checker = match typed.word("search", &[("dfs", false), ("bfs", true)])? {
        Some(true) => checker.bfs(),
        Some(false) => checker.dfs(),
        None => checker,
    };
    let bytes = typed.value("memory").and_then(parse_bytes).unwrap_or(1 << 28) / 2;
    let stores = [
        ("auto", Store::Auto),
        ("tree", Store::Tree),
        ("flat", Store::Flat),
        ("dfa", Store::Dfa),
        ("compact", Store::Compact),
        ("bitstate", Store::Bitstate { bytes }),
    ];
    checker = typed.word("store", &stores)?.into_iter().fold(checker, Checker::store);
    checker = match typed.word("fair", &[("weak", false), ("strong", true)])? {
        Some(true) => checker.strongly_fair(),
        Some(false) => checker.weakly_fair(),
        None => checker,
    };
    checker = typed.number("workers")?.into_iter().fold(checker, |c, n| c.workers(n as usize));
    checker = typed.number("processes")?.into_iter().fold(checker, |c, n| c.processes(n as usize));
    checker = typed.number("depth")?.into_iter().fold(checker, Checker::depth);
    checker = typed.values("ltl").fold(checker, Checker::ltl);
    checker = typed.value("time").into_iter().fold(checker, Checker::time);
    checker = typed.value("memory").into_iter().fold(checker, Checker::memory);
    checker = if typed.has("por") { checker.por() } else { checker };
    checker = if typed.has("symmetry") { checker.symmetry() } else { checker };
    Ok(if typed.has("no-deadlock") { checker.no_deadlocks() } else { checker })
}

fn check<M: Model>(model: &M, typed: &Typed, out: &mut dyn Write) -> Result<u8, Refused> {
    let outcome = asked(model, typed)?.run()?;
    let saved = typed.value("trail").map(|file| save(&outcome, file)).transpose()?.flatten();
    if typed.has("json") {
        written(writeln!(out, "{}", report(&outcome)))?;
    } else {
        written(write!(out, "{outcome}"))?;
        if let Some(file) = saved {
            written(writeln!(out, "saved in {file}: replay it with `replay {file}`"))?;
        }
    }
    Ok(outcome.verdict.status())
}

/// A run as JSON.
fn told<M: Model>(trail: &Trail<M>) -> Value {
    let step = |(actor, action): &(usize, M::Action)| json!({ "actor": actor, "action": format!("{action:?}") });
    json!({ "steps": trail.steps.iter().map(step).collect::<Vec<_>>(), "cycle_start": trail.cycle_start() })
}

fn report<M: Model>(outcome: &Outcome<M>) -> Value {
    let properties: Vec<Value> = outcome
        .properties
        .iter()
        .map(|p| {
            let why = match &p.verdict {
                Verdict::Stopped(why) | Verdict::Unrefuted(why) => Some(why.as_str()),
                Verdict::Holds(_) | Verdict::Violated => p.message.as_deref(),
            };
            json!({ "name": p.name, "outcome": p.verdict.name(), "message": why, "trail": p.trail.as_ref().map(told) })
        })
        .collect();
    let stats = &outcome.stats;
    let net = stats.net.map(|net| {
        let each = if net.remote == 0 { 0.0 } else { net.bytes as f64 / net.remote as f64 };
        json!({
            "processes": net.processes, "messages": net.messages, "bytes": net.bytes, "remote": net.remote,
            "bytes_per_remote": each, "balance": net.balance,
        })
    });
    json!({
        "outcome": outcome.verdict.name(),
        "properties": properties,
        "stats": {
            "states_stored": stats.states, "transitions": stats.transitions, "max_depth": stats.depth, "parts": stats.parts,
            "store_bytes": stats.store_bytes, "seconds": stats.seconds, "peak_rss_bytes": starwheel_base::rss::peak_rss(),
            "net": net,
        },
    })
}

/// Saves the first counterexample, if there is one; the name of the file.
fn save<M: Model>(outcome: &Outcome<M>, file: &str) -> Result<Option<String>, Refused> {
    let violated = outcome.properties.iter().find(|p| p.verdict == Verdict::Violated && p.trail.is_some());
    let Some((property, trail)) = violated.and_then(|p| Some((p, p.trail.as_ref()?))) else { return Ok(None) };
    let mut saved = told(trail);
    saved["property"] = json!(property.name);
    let cannot = |error: io::Error| Refused::new(format!("{file} cannot be written: {error}"));
    fs::write(file, format!("{saved}\n")).map_err(cannot)?;
    Ok(Some(file.to_string()))
}

fn replay<M: Model>(model: &M, typed: &Typed, out: &mut dyn Write) -> Result<u8, Refused> {
    let file = typed.file.as_deref().ok_or_else(|| Refused::new("which run? `replay FILE`"))?;
    let text = fs::read_to_string(file).map_err(|error| Refused::new(format!("{file} cannot be read: {error}")))?;
    let wrong = || Refused::new(format!("{file} is no saved run"));
    let saved: Value = serde_json::from_str(&text).map_err(|_| wrong())?;
    let step = |step: &Value| {
        Some((usize::try_from(step.get("actor")?.as_u64()?).ok()?, step.get("action")?.as_str()?.to_string()))
    };
    let steps = saved.get("steps").and_then(Value::as_array).ok_or_else(wrong)?;
    let steps: Vec<(usize, String)> = steps.iter().map(step).collect::<Option<_>>().ok_or_else(wrong)?;
    let mut said = Vec::new();
    let (mut trail, end) = follow(model, &steps, |text| said.push(text.to_string()))?;
    trail.cycle_start = saved.get("cycle_start").and_then(Value::as_u64).map(|n| n as usize);
    written(write!(out, "{trail}"))?;
    tell_end(&end, &said, out)?;
    match end {
        End::Impossible(number) => {
            Err(Refused::new(format!("step {} of {file} is not possible: is it a run of this model?", number + 1)))
        }
        _ => Ok(0),
    }
}

fn random<M: Model>(model: &M, typed: &Typed, out: &mut dyn Write) -> Result<u8, Refused> {
    let (seed, most) = (typed.number("seed")?.unwrap_or(1), typed.number("steps")?.unwrap_or(200));
    let mut said = Vec::new();
    let (trail, end) = simulate(model, seed, most as usize, |text| said.push(text.to_string()))?;
    written(write!(out, "{trail}"))?;
    tell_end(&end, &said, out)?;
    Ok(0)
}

fn tell_end(end: &End, said: &[String], out: &mut dyn Write) -> Result<u8, Refused> {
    let mut said = said.to_vec();
    said.dedup();
    let end = match end {
        End::Done | End::Impossible(_) => None,
        End::Stuck(true) => Some("nobody can move, and the system may end here".to_string()),
        End::Stuck(false) => Some("nobody can move: a deadlock".to_string()),
        End::Wrong(why) => Some(format!("the last step must never happen: {why}")),
    };
    written(said.iter().chain(&end).try_for_each(|line| writeln!(out, "{line}")))
}

fn draw<M: Model>(model: &M, typed: &Typed, out: &mut dyn Write) -> Result<u8, Refused> {
    let forms = [("dot", Form::Dot), ("aut", Form::Aut), ("json", Form::Json)];
    let form = typed.word("states", &forms)?.unwrap_or(Form::Dot);
    let most = typed.number("limit")?.unwrap_or(if form == Form::Dot { 2_000 } else { 1_000_000 });
    written(graph(model, form, most as usize, out)?)
}
