//! SPIN as the oracle: generate a verifier, compile it, run it, read its report.

use crate::exec::{self, Ended};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Which automata SPIN builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Automata {
    /// `-o1 -o2 -o3`: the naive semantics.
    Pure,
    /// `-o3`: dead variables are reset and write-only globals hidden.
    NoMerge,
    /// SPIN's default: statements are merged, too.
    Merge,
}

impl Automata {
    /// All three.
    pub const ALL: [Automata; 3] = [Automata::Pure, Automata::NoMerge, Automata::Merge];

    /// SPIN's options.
    pub fn spin_options(self) -> &'static [&'static str] {
        match self {
            Automata::Pure => &["-o1", "-o2", "-o3"],
            Automata::NoMerge => &["-o3"],
            Automata::Merge => &[],
        }
    }

    /// Our options for the same automata.
    pub fn our_options(self) -> &'static [&'static str] {
        match self {
            Automata::Pure => &["--plain"],
            Automata::NoMerge => &["--plain", "--dead-vars"],
            Automata::Merge => &["--plain", "--dead-vars", "--merge"],
        }
    }

    /// The name in the tables of figures.
    pub fn name(self) -> &'static str {
        match self {
            Automata::Pure => "FULL_PURE",
            Automata::NoMerge => "FULL_NOMERGE",
            Automata::Merge => "FULL_MERGE",
        }
    }
}

/// What `spin -a` made of a model.
#[derive(Debug)]
pub enum Generated {
    /// A verifier in C; the text of the parts that depend on the model, to recognise equal verifiers.
    Verifier(String),
    /// SPIN refused the model with this message.
    Refused(String),
}

/// The report of a verifier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// `states, stored`
    pub stored: u64,
    /// `states, matched`
    pub matched: u64,
    /// `transitions`
    pub transitions: u64,
    /// `errors:`
    pub errors: u64,
    /// The messages of errors without their depth.
    pub messages: Vec<String>,
    /// The search saw all states.
    pub complete: bool,
    /// It met an error after which a verifier cannot go on.
    pub fatal: bool,
    /// `total actual memory usage` in megabytes.
    pub megabytes: f64,
    /// `elapsed time` in seconds.
    pub seconds: f64,
    /// `State-vector` in bytes.
    pub vector: u64,
}

/// Runs `spin -a` on `model` in `dir`.
pub fn generate(model: &Path, options: &[&str], dir: &Path) -> io::Result<Generated> {
    for name in ["pan.c", "pan.h", "pan.m", "pan.t", "pan.b", "pan.p"] {
        let _ = fs::remove_file(dir.join(name));
    }
    let mut command = Command::new("spin");
    command.args(options).arg("-a").arg(model);
    let ended = exec::run(&mut command, dir, Duration::from_secs(5))?;
    if ended.code != Some(0) || !dir.join("pan.c").exists() {
        return Ok(Generated::Refused(first_complaint(&ended)));
    }
    let parts = ["pan.h", "pan.m", "pan.t", "pan.b"];
    let texts: Vec<String> = parts.iter().map(|p| fs::read_to_string(dir.join(p)).unwrap_or_default()).collect();
    Ok(Generated::Verifier(texts.concat()))
}

/// The line in which a program says what it does not like.
pub(crate) fn first_complaint(ended: &Ended) -> String {
    let mut lines = ended.stdout.lines().chain(ended.stderr.lines());
    let worst = lines.clone().find(|l| l.contains("rror") && !l.contains("dubious use of 'else'"));
    worst.or_else(|| lines.next()).unwrap_or("no message").trim().to_string()
}

/// Compiles the verifier in `dir` to `pan`.
pub fn compile(dir: &Path, compiler: &str, level: &str, defines: &[&str]) -> io::Result<Result<(), String>> {
    let mut command = Command::new(compiler);
    command.args([level, "-w"]).args(defines).args(["-o", "pan", "pan.c"]);
    let ended = exec::run(&mut command, dir, Duration::from_secs(120))?;
    Ok(if ended.code == Some(0) { Ok(()) } else { Err(first_complaint(&ended)) })
}

/// Runs the verifier `pan` in `dir`; without a report, says why.
pub fn verify(dir: &Path, options: &[&str], limit: Duration) -> io::Result<Result<Report, String>> {
    let mut command = Command::new(dir.join("pan"));
    command.args(options);
    let ended = exec::run(&mut command, dir, limit)?;
    if ended.timed_out {
        return Ok(Err("time".into()));
    }
    Ok(read_report(&ended.stdout).ok_or_else(|| format!("pan: {}", first_complaint(&ended))))
}

/// Reads the text that a verifier prints at its end.
pub fn read_report(text: &str) -> Option<Report> {
    let mut report = Report { complete: true, ..Report::default() };
    let mut found = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some((_, errors)) = line.split_once("errors: ") {
            report.errors = errors.trim().parse().ok()?;
            report.vector =
                line.strip_prefix("State-vector ").and_then(|l| number_before(l, "byte")).unwrap_or(0.0) as u64;
            found = true;
        } else if let Some(number) = number_before(line, "states, stored") {
            report.stored = number as u64;
        } else if let Some(number) = number_before(line, "states, matched") {
            report.matched = number as u64;
        } else if let Some(number) = number_before(line, "transitions (=") {
            report.transitions = number as u64;
        } else if let Some(number) = number_before(line, "total actual memory usage") {
            report.megabytes = number;
        } else if let Some(rest) = line.strip_prefix("pan: elapsed time ") {
            report.seconds = rest.split(' ').next()?.parse().ok()?;
        } else {
            read_remark(line, &mut report);
        }
    }
    found.then_some(report)
}

fn number_before(line: &str, words: &str) -> Option<f64> {
    line.split_once(words)?.0.split_whitespace().next()?.parse().ok()
}

fn read_remark(line: &str, report: &mut Report) {
    if line.contains("max search depth too small") {
        report.complete = false;
    }
    if line.contains("Search not completed") {
        report.fatal = report.complete;
        report.complete = false;
    }
    if let Some(rest) = line.strip_prefix("pan:") {
        let numbered = rest.split_once(": ").filter(|(n, _)| n.parse::<u32>().is_ok());
        if let Some((_, message)) = numbered {
            let message = message.split(" (at depth").next().unwrap_or(message);
            // pan puts two blanks before some assertions.
            report.messages.push(message.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}

/// The kind of error a message speaks of, in words that both tools share.
pub fn kind_of(message: &str) -> &'static str {
    let lower = message.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    match () {
        () if has("end state in claim") => "claim",
        () if has("end state") || has("endstate") || has("deadlock") || has("end_state") || has("end-state") => {
            "deadlock"
        }
        // pan calls it an assertion of its own.
        () if has("invalid array index") => "runtime",
        () if has("assert") => "assertion",
        () if has("trace") => "trace",
        () if has("non-determinism") || has("nondeterminis") => "non-determinism",
        () => "runtime",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let text = "pan:1: assertion violated (x==1) (at depth 3)\n\
            State-vector 28 byte, depth reached 51, errors: 2\n      326 states, stored\n      175 states, matched\n\
            501 transitions (= stored+matched)\n  132.773\ttotal actual memory usage\n\npan: elapsed time 0.5 seconds\n";
        let report = read_report(text).expect("a report");
        assert_eq!((report.stored, report.matched, report.transitions, report.errors), (326, 175, 501, 2));
        assert_eq!(report.messages, ["assertion violated (x==1)"]);
        let claim = "pan:1: assertion violated  !( !((x<2))) (at depth 3)\nState-vector 28 byte, errors: 1\n";
        assert_eq!(read_report(claim).expect("a report").messages, ["assertion violated !( !((x<2)))"]);
        assert!(report.complete);
        assert_eq!((report.seconds, report.vector), (0.5, 28));
    }

    #[test]
    fn a_cut_search_is_not_complete() {
        let text = "error: max search depth too small\nState-vector 28 byte, depth reached 9, errors: 0\n";
        assert!(!read_report(text).expect("a report").complete);
    }

    #[test]
    fn kinds_of_errors() {
        assert_eq!(kind_of("invalid end state"), "deadlock");
        assert_eq!(kind_of("assertion violated (x==1)"), "assertion");
        assert_eq!(kind_of("block in d_step seq"), "runtime");
    }
}
