//! Runs of the `starwheel` binary and its JSON report.

use crate::exec;
use crate::spin;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The binary under test.
#[derive(Clone, Debug)]
pub struct Starwheel {
    /// Where it is.
    pub binary: PathBuf,
    /// How long a run may take.
    pub limit: Duration,
}

/// What a run said.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A verdict.
    Verdict(Box<Verdict>),
    /// It refused the model or the command, with this message.
    Refused(String),
    /// It refused the command since it asks for something that does not exist yet.
    NotBuilt(String),
    /// It took longer than the limit.
    TimedOut,
    /// It ended as no run should: a panic, a signal, no JSON.
    Broken(String),
}

/// The report of a run that came to a verdict.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// `holds`, `violated`, `unrefuted` or `stopped`.
    pub outcome: String,
    /// The number of error events.
    pub errors: u64,
    /// The kinds of the findings.
    pub kinds: BTreeSet<&'static str>,
    /// The outcomes of the properties about single states, by name: assertions, end states, run-time errors, traces.
    pub safety: Vec<(String, String)>,
    /// The outcomes of the properties that have a search of their own, by name: claims, formulas, cycles.
    pub own: Vec<(String, String)>,
    /// The states that the searches of these properties have stored, by name.
    pub own_stored: Vec<(String, u64)>,
    /// The messages of the findings.
    pub messages: Vec<String>,
    /// Why searches ended early, if any did.
    pub stops: Vec<String>,
    /// The length of the shortest trail among the findings.
    pub trail: Option<u64>,
    /// Stored states.
    pub stored: u64,
    /// Stored and matched states.
    pub transitions: u64,
    /// In a timed model: steps in which time passed.
    pub ticks: Option<u64>,
    /// Statements that were never executed.
    pub unreached: u64,
    /// The time that the run reports.
    pub seconds: f64,
    /// Its peak memory in bytes.
    pub peak_rss: u64,
    /// Bytes of the store.
    pub store_bytes: u64,
}

impl Starwheel {
    /// Runs `check MODEL` with options, and with the claims that they name only; the trail goes to the scratch folder `dir`.
    pub fn check(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Answer> {
        let mut command = Command::new(&self.binary);
        command.arg("check").arg(model).arg("--json").args(options).arg("--trail").arg(dir.join("trail.json"));
        if !names_claims(options) {
            command.arg("--no-ltl");
        }
        let ended = exec::run(&mut command, dir, self.limit)?;
        if ended.timed_out {
            return Ok(Answer::TimedOut);
        }
        Ok(read_answer(ended.code, &ended.stdout, &ended.stderr))
    }
}

/// True if options say which claims are checked; without them all that the model has are.
pub fn names_claims(options: &[&str]) -> bool {
    let claims = ["--ltl", "--no-ltl", "--claim", "--never", "--automaton", "--accept", "--progress", "--zeno"];
    options.iter().any(|option| claims.contains(option))
}

/// Reads the status and the JSON of a run.
pub fn read_answer(code: Option<i32>, stdout: &str, stderr: &str) -> Answer {
    let last = stderr.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("").to_string();
    match (code, serde_json::from_str::<Value>(stdout)) {
        (Some(0 | 1 | 3), Ok(json)) => Answer::Verdict(Box::new(read_verdict(&json))),
        (Some(2), Ok(json)) => refusal(&json),
        (Some(2), Err(_)) => Answer::Refused(last),
        (Some(code), _) => Answer::Broken(format!("exit status {code}: {last}")),
        (None, _) => Answer::Broken(format!("ended by a signal: {last}")),
    }
}

fn refusal(json: &Value) -> Answer {
    let all = json["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
    let first = all.iter().find(|d| d["severity"] == "error").or(all.first()).unwrap_or(&Value::Null);
    let message = first["message"].as_str().or(json["message"].as_str()).unwrap_or("refused").to_string();
    if first["code"] == "not-built" { Answer::NotBuilt(message) } else { Answer::Refused(message) }
}

/// The properties of single states of the system, and those with a search of their own.
fn properties(json: &Value) -> [Vec<(String, String)>; 2] {
    let all = json["properties"].as_array().map_or(&[][..], Vec::as_slice);
    let each = |p: &Value| (text(&p["name"]), text(&p["outcome"]));
    [true, false].map(|safety| all.iter().filter(|p| (p["kind"] == "safety") == safety).map(each).collect())
}

fn own_stored(json: &Value) -> Vec<(String, u64)> {
    let all = json["properties"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter_map(|p| Some((text(&p["name"]), p["stats"]["states_stored"].as_u64()?))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_string()
}

/// Why searches ended early: the reason of the whole report and those of the properties.
fn stop_reasons(json: &Value) -> Vec<String> {
    let all = json["properties"].as_array().map_or(&[][..], Vec::as_slice);
    let reasons = std::iter::once(json).chain(all).map(|part| text(&part["stopped_because"]));
    reasons.filter(|reason| !reason.is_empty()).collect()
}

fn read_verdict(json: &Value) -> Verdict {
    let stats = &json["stats"];
    let findings = json["findings"].as_array().cloned().unwrap_or_default();
    let kinds = findings.iter().map(finding_kind).collect();
    let trail = findings.iter().filter_map(trail_length).min();
    let [safety, own] = properties(json);
    Verdict {
        outcome: text(&json["outcome"]),
        errors: json["errors"].as_u64().unwrap_or(0),
        kinds,
        safety,
        own,
        own_stored: own_stored(json),
        messages: findings.iter().map(|f| text(&f["message"])).collect(),
        stops: stop_reasons(json),
        trail,
        stored: stats["states_stored"].as_u64().unwrap_or(0),
        transitions: stats["transitions"].as_u64().unwrap_or(0),
        ticks: stats["ticks"].as_u64(),
        unreached: json["unreached"].as_array().map_or(0, |all| all.len() as u64),
        seconds: stats["seconds"].as_f64().unwrap_or(0.0),
        peak_rss: stats["peak_rss_bytes"].as_u64().unwrap_or(0),
        store_bytes: stats["store_bytes"].as_u64().unwrap_or(0),
    }
}

/// The kind by its word, or by the message where the word is not one that SPIN knows.
fn finding_kind(finding: &Value) -> &'static str {
    match spin::kind_of(finding["kind"].as_str().unwrap_or("")) {
        "runtime" => spin::kind_of(finding["message"].as_str().unwrap_or("")),
        kind => kind,
    }
}

fn trail_length(finding: &Value) -> Option<u64> {
    ["steps", "trail_length"].iter().find_map(|key| finding[*key].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_read() {
        let json = r#"{"outcome":"violated","errors":2,"findings":[{"kind":"assertion","message":"m","trail_length":7}],
            "stats":{"states_stored":5,"transitions":9,"seconds":0.1,"peak_rss_bytes":1}}"#;
        let Answer::Verdict(verdict) = read_answer(Some(1), json, "") else { panic!("no verdict") };
        assert_eq!((verdict.errors, verdict.stored, verdict.transitions, verdict.trail), (2, 5, 9, Some(7)));
        assert!(verdict.kinds.contains("assertion"));
    }

    #[test]
    fn a_panic_is_no_verdict() {
        assert!(matches!(read_answer(Some(101), "", "thread panicked"), Answer::Broken(_)));
    }
}
