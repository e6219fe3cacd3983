//! The command `check`.

use crate::events::Events;
use crate::interrupt::{catch_interrupt, interrupted, token};
use crate::reports::{self, Case};
use crate::{WRONG, hosts, processes, screen, verdict, watch};
use starwheel_workbench::watch::{Subject, Watch};
use starwheel_workbench::{
    Checked, Code, EngineFinding, Failure, Monitor, Opened, Plan, Problem, Reading, Stop, Tick, check, open_to_check,
    quantity, report, rss, trails,
};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No word about progress on a terminal before this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two words about progress on a terminal.
const PAUSE: Duration = Duration::from_millis(250);
/// Time between two words where nobody looks on.
const MINUTE: Duration = Duration::from_secs(60);

/// Checks a model; with `--watch` again whenever it changes.
pub fn watched(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    if !plan.watch {
        return run(path, plan);
    }
    watch::repeat(|| {
        let status = run(path, plan).unwrap_or_else(|failure| {
            screen::problems(&failure.problems);
            WRONG
        });
        Ok((vec![path.to_path_buf()], status))
    })
}

/// Checks several models, one after the other; the worst status counts.
pub fn several(paths: &[PathBuf], plan: &Plan) -> Result<u8, Failure> {
    let only = [("--trail", plan.trail.is_some()), ("--checkpoint", plan.save.is_some()), ("--watch", plan.watch)];
    if let Some((option, _)) = only.iter().chain(&[("--resume", plan.resume.is_some())]).find(|o| o.1) {
        let problem =
            Problem::error(Code::Contradiction, format!("`{option}` is for one model, and there are several"));
        return Err(problem.advise("check them one by one").into());
    }
    let wanted = reports::wanted(&plan.reports)?;
    let (mut reports, mut cases, mut worst) = (Vec::new(), Vec::new(), 0);
    for (i, path) in paths.iter().enumerate() {
        if !plan.json {
            screen::out(&format!("{}{}:\n", if i > 0 { "\n" } else { "" }, path.display()));
        }
        let status = match answered(path, plan) {
            Ok((opened, checked)) => {
                cases.extend(reports::verdicts(&checked.report));
                if plan.json {
                    reports.push(serde_json::to_value(&checked.report).unwrap_or_default());
                } else {
                    tell(&opened, &checked, plan);
                }
                checked.report.head.outcome.exit_status()
            }
            Err(failure) => {
                let why = failure.problems.first().map_or(String::new(), |p| p.message.clone());
                cases.push(Case::refused(path, why));
                if plan.json {
                    reports.push(serde_json::to_value(failure.json()).unwrap_or_default());
                } else {
                    screen::problems(&failure.problems);
                }
                WRONG
            }
        };
        // An error in a model is worse than a violation, and that is worse than not to know.
        let rank = |status: u8| [0, 3, 1, 2].iter().position(|s| *s == status);
        if rank(status) > rank(worst) {
            worst = status;
        }
        if interrupted() {
            break;
        }
    }
    if plan.json {
        screen::json(&serde_json::json!({ "version": report::FORMAT, "tool": report::TOOL, "models": reports }));
    }
    wanted.iter().try_for_each(|w| w.write(&cases, plan.force))?;
    Ok(worst)
}

/// Checks a model and tells the result.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let wanted = reports::wanted(&plan.reports)?;
    let (opened, checked) = answered(path, plan)?;
    match plan.json {
        true => screen::json(&checked.report),
        false => tell(&opened, &checked, plan),
    }
    let cases = reports::verdicts(&checked.report);
    wanted.iter().try_for_each(|w| w.write(&cases, plan.force))?;
    Ok(checked.report.head.outcome.exit_status())
}

/// Tells what came of a check, to people.
fn tell(opened: &Opened, checked: &Checked, plan: &Plan) {
    let fresh = &checked.report.warnings[opened.warnings.len()..];
    if !plan.events {
        screen::problems(fresh);
    }
    screen::out(&verdict::text(checked, plan));
    let old = trails::default_trail(&opened.path);
    if checked.report.trail.is_none() && !plan.no_trail && plan.trail.is_none() && old.exists() {
        screen::out(&format!("\n{} is of an earlier check, not of this one.\n", old.display()));
    }
}

/// Checks a model.
fn answered(path: &Path, plan: &Plan) -> Result<(Opened, Checked), Failure> {
    catch_interrupt();
    let reading = Reading { until: token(plan), ..plan.reading.clone() };
    let mut plan = Plan { reading, ..plan.clone() };
    let opened = open_to_check(path, &plan)?;
    let others = processes::start(&mut plan)?;
    hosts::call(&opened, &mut plan)?;
    let plan = &plan;
    if !plan.json && !plan.events {
        screen::warnings(&opened.warnings, plan.verbose);
    }
    let (watcher, events) = (Watcher::new(plan), plan.events.then(|| Events::new(plan)));
    let checked = check(&opened, plan, events.as_ref().map_or(&watcher, |events| events as &dyn Watch));
    drop(others);
    watcher.clear();
    if let (Some(events), Ok(checked)) = (&events, &checked) {
        events.done(&checked.report);
    }
    checked.map(|checked| (opened, checked))
}

/// Says nothing, and listens to Ctrl-C.
pub struct Quiet;

impl Watch for Quiet {
    fn progress(&self, _: Subject<'_>, _: &Tick) -> ControlFlow<Stop> {
        if interrupted() { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn found(&self, _: Subject<'_>, _: &EngineFinding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Shows how far the searches are, and listens to Ctrl-C.
pub struct Watcher {
    /// A line that is written over again and again.
    terminal: bool,
    /// The time between two lines that stay.
    every: Option<Duration>,
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    /// Findings are told at once, unless the answer comes at once as well.
    tells: bool,
    /// Somebody asked to be told.
    asked: bool,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    /// When something was said last.
    last: Option<Duration>,
    /// There is a line that has to go.
    line: bool,
}

impl Watcher {
    /// A watcher for a plan. Without a terminal it says something each minute.
    pub fn new(plan: &Plan) -> Watcher {
        let terminal = std::io::stderr().is_terminal();
        let every = plan.progress_every.or((!terminal).then_some(MINUTE));
        Watcher {
            terminal: every.is_none(),
            every,
            started: Instant::now(),
            time: plan.time,
            memory: plan.memory,
            tells: terminal && !plan.json,
            asked: plan.progress_every.is_some(),
            shown: Mutex::default(),
        }
    }

    /// Removes the line of progress.
    pub fn clear(&self) {
        if self.shown.lock().is_ok_and(|s| s.line) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn show(&self, subject: Subject<'_>, tick: &Tick) {
        let Ok(mut shown) = self.shown.lock() else { return };
        let elapsed = self.started.elapsed();
        let (first, then) = self.every.map_or((PATIENCE, PAUSE), |every| (every, every));
        if elapsed < shown.last.map_or(first, |last| last + then) {
            return;
        }
        let text = self.progress(subject, tick, elapsed);
        shown.last = Some(elapsed);
        shown.line |= self.terminal;
        let _ = match self.terminal {
            true => write!(std::io::stderr(), "\r\x1b[K{text}"),
            false => writeln!(std::io::stderr(), "{text}"),
        };
        let _ = std::io::stderr().flush();
    }

    /// The property, how much of it was seen, and how far the limits are.
    fn progress(&self, subject: Subject<'_>, tick: &Tick, elapsed: Duration) -> String {
        let name = match (subject.property, subject.searches) {
            (_, ..=1) => String::new(),
            (Some(name), _) => format!("{name}: "),
            (None, _) => "safety: ".to_string(),
        };
        let rate = (tick.stored as f64 / tick.elapsed.as_secs_f64().max(0.001)) as u64;
        let of = |limit: Option<String>| limit.map_or(String::new(), |limit| format!(" of {limit}"));
        let waiting = tick.waiting.map_or(String::new(), |n| format!(", {} waiting", quantity::show_count(n)));
        format!(
            "{name}{} states, {}/s, depth {}{waiting}, {}{}, {}{}",
            quantity::show_count(tick.stored),
            quantity::show_count(rate),
            quantity::show_count(tick.depth),
            quantity::show_bytes(rss::current_rss()),
            of(self.memory.map(quantity::show_bytes)),
            quantity::show_seconds(elapsed.as_secs_f64()),
            of(self.time.map(|time| quantity::show_seconds(time.as_secs_f64()))),
        )
    }
}

impl Watch for Watcher {
    fn progress(&self, subject: Subject<'_>, tick: &Tick) -> ControlFlow<Stop> {
        if interrupted() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        self.show(subject, tick);
        ControlFlow::Continue(())
    }

    fn found(&self, subject: Subject<'_>, finding: &EngineFinding) -> ControlFlow<Stop> {
        // Whoever looks on need not wait for the other properties to hear of it.
        let after = self.started.elapsed();
        if subject.searches > 1 && (self.asked || self.tells && after >= PATIENCE) {
            self.clear();
            let (name, seconds) = (subject.property.unwrap_or("safety"), after.as_secs_f64());
            let message = &finding.violation.message;
            let _ = writeln!(std::io::stderr(), "{name} is violated, after {seconds:.3} s: {message}");
        }
        ControlFlow::Continue(())
    }
}

impl Monitor for Watcher {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        Watch::progress(self, Subject { property: None, searches: 1 }, tick)
    }

    fn found(&self, finding: &EngineFinding) -> ControlFlow<Stop> {
        Watch::found(self, Subject { property: None, searches: 1 }, finding)
    }
}
