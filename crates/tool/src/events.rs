//! What happens during a check, as lines of JSON on standard error for programs that look on: `started`, `progress`, `found`,
//! `warning` and `done`.

use crate::interrupt::interrupted;
use serde_json::{Value, json};
use starwheel_workbench::watch::{Subject, Watch};
use starwheel_workbench::{EngineFinding, Plan, Report, Stop, Tick};
use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two events of progress, if nothing is said.
const EVERY: Duration = Duration::from_secs(1);

/// Tells what happens, and listens to Ctrl-C.
pub struct Events {
    started: Instant,
    every: Duration,
    /// By property: when its progress was told last.
    told: Mutex<HashMap<String, Duration>>,
}

impl Events {
    /// Nothing has happened yet.
    pub fn new(plan: &Plan) -> Events {
        let every = plan.progress_every.unwrap_or(EVERY);
        Events { started: Instant::now(), every, told: Mutex::default() }
    }

    /// All is over.
    pub fn done(&self, report: &Report) {
        report.warnings.iter().for_each(|w| self.tell("warning", json!({ "warning": w })));
        let verdicts = report.properties.iter().map(|p| (p.name.clone(), json!(p.outcome)));
        let verdicts: serde_json::Map<String, Value> = verdicts.collect();
        self.tell(
            "done",
            json!({ "model": report.head.model, "outcome": report.head.outcome, "properties": verdicts }),
        );
    }

    /// Writes one event.
    fn tell(&self, event: &str, mut with: Value) {
        with["event"] = json!(event);
        with["seconds"] = json!((self.started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0);
        let _ = writeln!(std::io::stderr().lock(), "{with}");
    }
}

/// The name of what a search is about.
fn name(subject: Subject<'_>) -> &str {
    subject.property.unwrap_or("safety")
}

impl Watch for Events {
    fn progress(&self, subject: Subject<'_>, tick: &Tick) -> ControlFlow<Stop> {
        if interrupted() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        let Ok(mut told) = self.told.lock() else { return ControlFlow::Continue(()) };
        let (now, property) = (self.started.elapsed(), name(subject));
        match told.get(property) {
            None => self.tell("started", json!({ "property": property, "searches": subject.searches })),
            Some(last) if now < *last + self.every => return ControlFlow::Continue(()),
            Some(_) => {
                let (states, matched) = (tick.stored, tick.matched);
                let counts = json!({
                    "property": property, "states": states, "matched": matched, "depth": tick.depth,
                    "waiting": tick.waiting, "store_bytes": tick.store_bytes,
                });
                self.tell("progress", counts);
            }
        }
        told.insert(property.to_string(), now);
        ControlFlow::Continue(())
    }

    fn found(&self, subject: Subject<'_>, finding: &EngineFinding) -> ControlFlow<Stop> {
        let violation = &finding.violation;
        let found = json!({
            "property": name(subject), "kind": violation.kind.name(), "message": violation.message,
            "steps": finding.trail.len(),
        });
        self.tell("found", found);
        ControlFlow::Continue(())
    }
}
