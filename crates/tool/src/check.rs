//! The command `check`.

use crate::interrupt::{catch_interrupt, interrupted, token};
use crate::{WRONG, screen, verdict, watch};
use starwheel_workbench::{
    Checked, Failure, Monitor, Opened, Plan, Problem, Reading, Stop, Tick, check, open_to_check, quantity, report, rss,
    trails,
};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// No word about progress before this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two words about progress.
const PAUSE: Duration = Duration::from_millis(250);

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
        let problem = Problem::error("contradiction", format!("`{option}` is for one model, and there are several"));
        return Err(problem.advise("check them one by one").into());
    }
    let (mut reports, mut worst) = (Vec::new(), 0);
    for (i, path) in paths.iter().enumerate() {
        if !plan.json {
            screen::out(&format!("{}{}:\n", if i > 0 { "\n" } else { "" }, path.display()));
        }
        let status = match answered(path, plan) {
            Ok((opened, checked)) => {
                if plan.json {
                    reports.push(serde_json::to_value(&checked.report).unwrap_or_default());
                } else {
                    tell(&opened, &checked, plan);
                }
                checked.report.outcome.exit_status()
            }
            Err(failure) => {
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
    Ok(worst)
}

/// Checks a model and tells the result.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let (opened, checked) = answered(path, plan)?;
    match plan.json {
        true => screen::json(&checked.report),
        false => tell(&opened, &checked, plan),
    }
    Ok(checked.report.outcome.exit_status())
}

/// Tells what came of a check, to people.
fn tell(opened: &Opened, checked: &Checked, plan: &Plan) {
    let fresh = &checked.report.warnings[opened.warnings.len()..];
    screen::problems(fresh);
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
    let plan = &Plan { reading, ..plan.clone() };
    let opened = open_to_check(path, plan)?;
    if !plan.json {
        screen::warnings(&opened.warnings, plan.verbose);
    }
    let watcher = Watcher::new();
    let checked = check(&opened, plan, &watcher);
    watcher.clear();
    checked.map(|checked| (opened, checked))
}

/// Says nothing, and listens to Ctrl-C.
pub struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        if interrupted() { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn found(&self, _: &starwheel_workbench::EngineFinding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Shows how far the search is, and listens to Ctrl-C.
pub struct Watcher {
    terminal: bool,
    shown: Mutex<Option<Duration>>,
}

impl Watcher {
    /// A watcher; it is silent unless a person looks on.
    pub fn new() -> Watcher {
        Watcher { terminal: std::io::stderr().is_terminal(), shown: Mutex::new(None) }
    }

    /// Removes the line of progress.
    pub fn clear(&self) {
        if self.shown.lock().is_ok_and(|s| s.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn show(&self, tick: &Tick) {
        let Ok(mut shown) = self.shown.lock() else { return };
        let due = shown.map_or(PATIENCE, |last| last + PAUSE);
        if !self.terminal || tick.elapsed < due {
            return;
        }
        *shown = Some(tick.elapsed);
        let _ = write!(std::io::stderr(), "\r\x1b[K{}", progress(tick));
        let _ = std::io::stderr().flush();
    }
}

fn progress(tick: &Tick) -> String {
    let seconds = tick.elapsed.as_secs_f64().max(0.001);
    let rate = (tick.stored as f64 / seconds) as u64;
    format!(
        "{} states, {}/s, depth {}, {}, {}",
        quantity::show_count(tick.stored),
        quantity::show_count(rate),
        quantity::show_count(tick.depth),
        quantity::show_bytes(rss::current_rss()),
        quantity::show_seconds(seconds),
    )
}

impl Monitor for Watcher {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if interrupted() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        self.show(tick);
        ControlFlow::Continue(())
    }

    fn found(&self, _: &starwheel_workbench::EngineFinding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}
