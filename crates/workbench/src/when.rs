//! When a condition holds first: the earliest and the latest time, the runs on which it never does, and their trails.

use crate::ask::plan::{Plan, Timers};
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::moment::Looking;
use crate::property::time;
use crate::report::summary::{because, counted};
use crate::report::{FORMAT, Stats, TOOL};
use crate::run::stop;
use crate::trail::record::{Path as Followed, add_times, length, trail_steps};
use crate::trail::trailfile::{TrailFile, TrailFinding};
use crate::trail::trails::{default_trail, is_special, kept};
use serde::Serialize;
use serde_json::{Map, Value};
use starwheel_engine::when::{Answer, Fate, Latest, Shown, Times, when as search};
use starwheel_engine::{Job, Limits, Monitor};
use starwheel_jit::LazySystem;
use starwheel_model::Expr;
use starwheel_model::time::reads_values;
use std::path::PathBuf;
use std::time::Instant;

/// The answer to `when`, as `--json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct WhenReport {
    /// The version of this format.
    pub version: u32,
    /// The program.
    pub tool: &'static str,
    /// The model's file.
    pub model: String,
    /// The condition as it was typed.
    pub condition: String,
    /// `answered` or `stopped`.
    pub outcome: &'static str,
    /// Why the search ended early, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_because: Option<String>,
    /// The answer.
    #[serde(flatten)]
    pub known: Option<Known>,
    /// What was counted; the states are those in which the condition has not held yet.
    pub stats: Stats,
    /// What was asked for.
    pub options: Map<String, Value>,
    /// What the user should know besides.
    pub warnings: Vec<Problem>,
}

/// What is known after a whole search.
#[derive(Clone, Debug, Serialize)]
pub struct Known {
    /// True if the condition holds at some time on every run.
    pub always: bool,
    /// The earliest time, if it holds on some run.
    pub earliest: Option<Told>,
    /// The latest time, if it holds on some run.
    pub latest: Option<Told>,
    /// The ways in which it can be that it never holds, each with one run.
    pub never: Vec<Told>,
}

/// A time, and a run that shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// What becomes of a run without the moment: `ends`, `deadlock`, `error`, `goes-on` or `time-stops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<&'static str>,
    /// The slices that have passed; none for a latest time without bound.
    pub time: Option<u64>,
    /// What there is to say about the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For a run that goes round: the slices until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// For a run that goes round: the slices that pass in each round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The length of the trail in single statements.
    pub trail_length: u64,
    /// For a run that goes round: the number of its steps before those that are repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
    /// The file with the trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
}

/// What a run shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Earliest,
    Latest,
    NoBound,
    Never(Fate),
}

impl Role {
    /// As file names and reports spell it.
    fn word(self) -> &'static str {
        match self {
            Role::Earliest => "earliest",
            Role::Latest | Role::NoBound => "latest",
            Role::Never(Fate::Ends) => "ends",
            Role::Never(Fate::Deadlock) => "deadlock",
            Role::Never(Fate::Error) => "error",
            Role::Never(Fate::GoesOn) => "goes-on",
            Role::Never(Fate::TimeStops) => "time-stops",
        }
    }

    /// One sentence for the trail.
    fn sentence(self, condition: &str, shown: &Shown) -> String {
        let time = shown.time;
        match self {
            Role::Earliest => format!("`{condition}` holds first at time {time}, and on no run earlier"),
            Role::Latest => format!("`{condition}` holds first at time {time}, and on no run first later"),
            Role::NoBound => {
                format!("`{condition}` does not hold as long as this goes round, and can hold afterwards")
            }
            Role::Never(Fate::Ends) => format!("the run ends at time {time}, and `{condition}` has never held"),
            Role::Never(Fate::Deadlock) => {
                format!("the run gets stuck at time {time}, and `{condition}` has never held")
            }
            Role::Never(Fate::Error) => {
                format!("the run ends at time {time} in an error, and `{condition}` has never held")
            }
            Role::Never(Fate::GoesOn) => format!("time goes on for ever, and `{condition}` never holds"),
            Role::Never(Fate::TimeStops) => format!("time stops at {time}, and `{condition}` never holds"),
        }
    }
}

/// Finds out when the condition that a model was opened with holds first.
pub fn when(opened: &Opened, plan: &Plan, watch: &dyn Monitor) -> Result<WhenReport, Failure> {
    let condition = asked(opened)?;
    let mut warnings = opened.warnings.clone();
    warnings.extend(time::remark(opened));
    let memory = plan.memory_limit();
    let system = LazySystem::new(&opened.model).until(opened.reading.until.clone());
    let job = Job {
        limits: Limits { time: plan.time, memory, ..Limits::default() },
        started: Some(opened.reading.until.started().unwrap_or_else(Instant::now)),
        resident: Some(rss::current_rss),
        ..Job::new(&system)
    };
    let mut looking = Looking::new(opened, condition);
    let Answer { mut times, stop: mut why, stats } = search(&job, &mut looking, &MemoryGuard::new(watch, memory));
    // Whatever was given up because the token said stop proves nothing.
    if let (Some(_), Some(said)) = (&times, opened.reading.until.said()) {
        (times, why) = (None, Some(stop(said)));
    }
    let known = times.map(|times| known(opened, plan, &times, &mut warnings));
    Ok(WhenReport {
        version: FORMAT,
        tool: TOOL,
        model: opened.path.display().to_string(),
        condition: text(opened).to_string(),
        outcome: if known.is_some() { "answered" } else { "stopped" },
        stopped_because: why.as_ref().map(because),
        known,
        stats: counted(opened, &stats),
        options: plan.options.clone(),
        warnings,
    })
}

/// The condition as it was typed.
fn text(opened: &Opened) -> &str {
    opened.reading.moment.as_deref().unwrap_or_default().trim()
}

/// The condition, if there is an answer to be had.
fn asked(opened: &Opened) -> Result<&Expr, Failure> {
    let Some(condition) = &opened.moment else {
        return Err(Problem::error(Code::BadExpression, "there is no condition whose time is asked for").into());
    };
    if !opened.model.timed() {
        let problem = Problem::error(Code::Timers, "the model has no timers, so everything in it happens at time 0");
        let advice = "`check --search bfs` with `assert(false)` behind an event shows the fewest steps to it";
        return Err(problem.advise(advice).into());
    }
    if opened.reading.timers == Timers::Jump && reads_values(condition) {
        let message = "`--timers jump` passes over values of a timer, and the condition reads one";
        let advice = "ask for `expire` and `on` only, or leave the option out";
        return Err(Problem::error(Code::Timers, message).advise(advice).into());
    }
    Ok(condition)
}

/// The answer, with its trails written.
fn known(opened: &Opened, plan: &Plan, times: &Times, warnings: &mut Vec<Problem>) -> Known {
    let mut tell = |role: Role, shown: &Shown, message: Option<&String>| {
        let round = shown.cycle_start.map(|_| shown.round);
        let fate = match role {
            Role::Never(_) => Some(role.word()),
            _ => None,
        };
        Told {
            fate,
            time: Some(shown.time).filter(|_| role != Role::NoBound),
            message: message.cloned(),
            until: round.map(|_| shown.time),
            round,
            trail_length: length(opened, &shown.trail),
            cycle_start: shown.cycle_start,
            trail: write(opened, plan, role, shown, warnings).map(|path| path.display().to_string()),
        }
    };
    let (earliest, latest) = match &times.comes {
        None => (None, None),
        Some((earliest, latest)) => {
            let earliest = tell(Role::Earliest, earliest, None);
            let latest = match latest {
                Latest::At(shown) => tell(Role::Latest, shown, None),
                Latest::NoBound(shown) => tell(Role::NoBound, shown, None),
            };
            (Some(earliest), Some(latest))
        }
    };
    let never = times.never.iter().map(|n| tell(Role::Never(n.fate), &n.shown, n.message.as_ref())).collect();
    Known { always: times.never.is_empty(), earliest, latest, never }
}

/// Writes the trail of a run, and gives its file.
fn write(opened: &Opened, plan: &Plan, role: Role, shown: &Shown, warnings: &mut Vec<Problem>) -> Option<PathBuf> {
    if plan.no_trail {
        return None;
    }
    let path = plan.trail.clone().unwrap_or_else(|| default_trail(&opened.path));
    // Nothing is put beside a device or a pipe.
    let path = if is_special(&path) { path } else { path.with_extension(format!("{}.json", role.word())) };
    let mut steps = trail_steps(opened, &shown.trail);
    let followed = Followed { steps: &shown.trail, claim: None, cycle_start: shown.cycle_start };
    add_times(opened, followed, &mut steps);
    let message = role.sentence(text(opened), shown);
    let finding = TrailFinding { kind: role.word().to_string(), message, file: String::new(), line: 0 };
    let file = TrailFile { cycle_start: shown.cycle_start, ..TrailFile::of(opened, steps, finding) };
    kept(file.write(&path, plan.force).map(|()| path), warnings)
}
