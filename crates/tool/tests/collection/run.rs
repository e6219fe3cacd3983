//! Runs of the binary.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};

/// How a run of `check --json` ended.
#[derive(Debug)]
pub struct Run {
    /// The command, for messages.
    pub line: String,
    /// The exit status.
    pub status: Option<i32>,
    /// What was printed.
    pub report: Value,
    /// Where the trail had to go.
    trail: PathBuf,
}

/// Runs the binary with these words.
pub fn starwheel(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starwheel"));
    command.args(words).output().expect("the binary can be started")
}

/// Runs `check --json MODEL` with options, and with the claims that they name only; the trail goes to a file of its own.
pub fn check(model: &Path, options: &[&str]) -> Run {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{}-{number}.json", super::stem(model), std::process::id());
    let trail = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (path, to) = (model.to_string_lossy(), trail.to_string_lossy());
    let mut words = vec!["check", &path, "--json", "--trail", &to];
    words.extend(options);
    // What heads and tests say of a model is about its states, unless they name a claim.
    let claims = ["--ltl", "--no-ltl", "--claim", "--never", "--automaton", "--accept", "--progress", "--zeno"];
    if !options.iter().any(|o| claims.contains(o)) {
        words.push("--no-ltl");
    }
    let output = starwheel(&words);
    let text = String::from_utf8_lossy(&output.stdout);
    let report = serde_json::from_str(&text).unwrap_or(Value::Null);
    Run { line: format!("check {}", options.join(" ")), status: output.status.code(), report, trail }
}

impl Run {
    /// `holds`, `violated`, `unrefuted`, `stopped` or `error`.
    pub fn outcome(&self) -> &str {
        self.report["outcome"].as_str().unwrap_or("no report")
    }

    /// The number of error events.
    pub fn errors(&self) -> u64 {
        self.report["errors"].as_u64().unwrap_or(u64::MAX)
    }

    /// One of the figures of the search.
    pub fn stat(&self, name: &str) -> u64 {
        self.report["stats"][name].as_u64().unwrap_or(u64::MAX)
    }

    /// The findings.
    pub fn findings(&self) -> &[Value] {
        self.report["findings"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The kinds of the findings.
    pub fn kinds(&self) -> BTreeSet<String> {
        self.findings().iter().filter_map(|f| f["kind"].as_str()).map(str::to_string).collect()
    }

    /// The lines of the model to which findings point.
    pub fn lines(&self) -> BTreeSet<u64> {
        self.findings().iter().filter_map(|f| f["line"].as_u64()).collect()
    }

    /// The codes of all warnings, or of the errors for which the model was refused.
    pub fn codes(&self) -> BTreeSet<String> {
        let lists = [&self.report["warnings"], &self.report["diagnostics"]];
        let all = lists.into_iter().filter_map(Value::as_array).flatten();
        all.filter_map(|d| d["code"].as_str()).map(str::to_string).collect()
    }

    /// The number of steps of the first finding.
    pub fn trail_length(&self) -> u64 {
        self.findings().first().and_then(|f| f["trail_length"].as_u64()).unwrap_or(u64::MAX)
    }

    /// The exit status and the outcome must tell the same story.
    pub fn complaint(&self) -> Option<String> {
        let status = match self.outcome() {
            "holds" => 0,
            "violated" => 1,
            "error" => 2,
            "unrefuted" | "stopped" => 3,
            other => return Some(format!("`{}` says `{other}` (status {:?})", self.line, self.status)),
        };
        let fits = self.status == Some(status);
        (!fits).then(|| format!("`{}` says `{}` with exit status {:?}", self.line, self.outcome(), self.status))
    }

    /// Replays the trail of a violated run; what is wrong with it, if anything. A trail that is right is removed.
    pub fn replay(&self, model: &Path) -> Option<String> {
        if self.outcome() != "violated" {
            return self.trail.exists().then(|| format!("`{}` found nothing but wrote a trail", self.line));
        }
        let output = starwheel(&["replay", &model.to_string_lossy(), &self.trail.to_string_lossy()]);
        if output.status.code() == Some(0) {
            // A file that cannot be removed is no fault of the binary.
            let _ = fs::remove_file(&self.trail);
            return None;
        }
        let why = String::from_utf8_lossy(&output.stderr);
        Some(format!("the trail of `{}` cannot be replayed: {}", self.line, why.lines().next().unwrap_or("no message")))
    }
}
