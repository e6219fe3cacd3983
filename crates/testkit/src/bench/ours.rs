//! Our own runs.

use super::Line;
use super::theirs::collected;
use super::timed::timed;
use crate::ours::{Answer, names_claims, read_answer};
use crate::spin::Automata;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What all of our runs of a model have in common.
pub struct Ours<'a> {
    /// The binary.
    pub binary: &'a Path,
    /// The model.
    pub model: &'a Path,
    /// A macro for its size.
    pub define: Option<&'a str>,
    /// Which automata.
    pub automata: Automata,
    /// Which reduction.
    pub por: &'a str,
    /// True if states where the system is stuck count.
    pub deadlocks: bool,
    /// A folder for what is written.
    pub dir: &'a Path,
    /// How long a run may take.
    pub limit: Duration,
}

impl Ours<'_> {
    /// Runs the search with some options.
    pub fn run(&self, config: &str, options: &[&str]) -> Line {
        self.search(config, options).unwrap_or_else(|why| Line::nothing(config, why))
    }

    fn arguments<'b>(&'b self, command: &'b mut Command, options: &[&str]) -> &'b mut Command {
        let fixed = ["--json", "--por", self.por, "--all-errors", "--no-assert"];
        command.arg("check").arg(self.model).args(fixed).args(self.automata.our_options()).args(self.define);
        command.args((!self.deadlocks).then_some("--no-deadlock"));
        command.args((!names_claims(options)).then_some("--no-ltl"));
        command.args(options).arg("--trail").arg(self.dir.join("trail.json"))
    }

    fn search(&self, config: &str, options: &[&str]) -> Result<Line, String> {
        let mut command = Command::new(self.binary);
        let timed = timed(self.arguments(&mut command, options), self.dir, self.limit).map_err(|e| e.to_string())?;
        let ended = timed.ended;
        if ended.timed_out {
            return Err(format!("no answer in {} s", self.limit.as_secs()));
        }
        match read_answer(ended.code, &ended.stdout, &ended.stderr) {
            Answer::Verdict(v) if v.outcome == "stopped" => Err("the search was stopped".into()),
            Answer::Verdict(v) => Ok(Line {
                config: config.into(),
                states: v.stored,
                transitions: v.transitions,
                user: timed.user,
                wall: ended.seconds,
                peak: v.peak_rss,
                store: Some(v.store_bytes),
                exact: v.outcome != "unrefuted",
                ..Line::default()
            }),
            Answer::Refused(message) | Answer::NotBuilt(message) | Answer::Broken(message) => Err(message),
            Answer::TimedOut => Err("no answer in time".into()),
        }
    }

    /// Instructions for a transition, with reading the model and compiling it.
    pub fn instructions(&self) -> Result<f64, String> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(self.binary);
        let timed = timed(self.arguments(&mut command, &["--workers", "1"]), self.dir, self.limit);
        let ended = timed.map_err(|e| e.to_string())?.ended;
        let Answer::Verdict(verdict) = read_answer(ended.code, &ended.stdout, &ended.stderr) else {
            return Err("Starwheel gave no answer".into());
        };
        let count = collected(&ended.stderr).ok_or("callgrind counted nothing")?;
        Ok(count as f64 / verdict.transitions.max(1) as f64)
    }
}
