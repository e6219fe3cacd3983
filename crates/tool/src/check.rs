//! The command `check`.

use crate::interrupt::{catch_interrupt, interrupted, token};
use crate::{screen, verdict};
use starwheel_workbench::{Failure, Monitor, Plan, Reading, Stop, Tick, check, open_to_check, quantity, rss};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// No word about progress before this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two words about progress.
const PAUSE: Duration = Duration::from_millis(250);

/// Checks a model and tells the result.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    catch_interrupt();
    let reading = Reading { until: token(plan), ..plan.reading.clone() };
    let plan = &Plan { reading, ..plan.clone() };
    let opened = open_to_check(path, plan)?;
    if !plan.json {
        screen::problems(&opened.warnings);
    }
    let watcher = Watcher::new();
    let checked = check(&opened, plan, &watcher)?;
    watcher.clear();
    if plan.json {
        screen::json(&checked.report);
    } else {
        let fresh = &checked.report.warnings[opened.warnings.len()..];
        screen::problems(fresh);
        screen::out(&verdict::text(&checked, plan));
    }
    Ok(checked.report.outcome.exit_status())
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
