//! `testkit bench`: our speed beside SPIN's, on the same models, in the same run.

use super::{failed, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin::{self, Automata, Generated, Report};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A model of the table: the file, a macro for its size, and where it lies.
struct Entry {
    file: &'static str,
    define: Option<&'static str>,
    example: bool,
}

const ENTRIES: &[Entry] = &[
    Entry { file: "peterson.pml", define: Some("N=3"), example: false },
    Entry { file: "peterson.pml", define: Some("N=4"), example: false },
    Entry { file: "leader0.pml", define: None, example: true },
    Entry { file: "snoopy.pml", define: None, example: true },
    Entry { file: "hajek.pml", define: None, example: true },
    Entry { file: "dtp.pml", define: None, example: true },
    Entry { file: "sort.pml", define: None, example: true },
];

const NAMES: &[&str] = &["starwheel", "models", "examples", "only", "timeout", "options"];

/// Prints the table; a line that cannot be made says why.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, &[])?;
    let limit = Duration::from_secs(args.number("timeout", 300)?);
    let copied = starwheel(&args, 300)?;
    let ours = copied.as_ref().map(|(ours, _copy)| ours);
    let models = args.path("models")?.unwrap_or_else(own_models);
    let examples = args.path("examples")?;
    let options: Vec<&str> = args.text("options").unwrap_or("").split_whitespace().collect();
    let only = args.text("only").unwrap_or("");
    println!("{}", heading());
    for entry in ENTRIES.iter().filter(|e| e.file.contains(only)) {
        let folder = if entry.example { examples.as_ref() } else { Some(&models) };
        let Some(folder) = folder else { continue };
        let line = one_entry(entry, &folder.join(entry.file), ours, &options, limit);
        println!("{}", line.unwrap_or_else(|why| format!("{:<18} {why}", name(entry))));
    }
    Ok(true)
}

fn own_models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/models")
}

fn name(entry: &Entry) -> String {
    let stem = entry.file.trim_end_matches(".pml");
    entry.define.map_or(stem.to_string(), |d| format!("{stem} {d}"))
}

fn heading() -> String {
    let side = format!("{:>8} {:>9} {:>8}", "s", "Mtrans/s", "MB");
    format!("{:<18} {:>10} {:>11} | {side} (SPIN) | {side} (Starwheel) | ratio", "model", "states", "transitions")
}

fn one_entry(
    entry: &Entry,
    model: &Path,
    ours: Option<&Starwheel>,
    options: &[&str],
    limit: Duration,
) -> Result<String, String> {
    let scratch = Scratch::new().map_err(failed)?;
    let theirs = theirs(entry, model, scratch.path(), limit)?;
    let mut line = format!("{:<18} {:>10} {:>11} |", name(entry), theirs.stored, theirs.transitions);
    let their_rate = theirs.transitions as f64 / theirs.seconds.max(0.01) / 1e6;
    line.push_str(&format!(" {:>8.2} {their_rate:>9.2} {:>8.0}        |", theirs.seconds, theirs.megabytes));
    let Some(ours) = ours else { return Ok(line) };
    let verdict = our_run(entry, model, ours, options, scratch.path())?;
    let our_rate = verdict.transitions as f64 / verdict.seconds.max(0.001) / 1e6;
    let megabytes = verdict.peak_rss as f64 / 1048576.0;
    line.push_str(&format!(" {:>8.2} {our_rate:>9.2} {megabytes:>8.0}             |", verdict.seconds));
    line.push_str(&format!(" {:>5.2}", our_rate / their_rate));
    if (verdict.stored, verdict.transitions) != (theirs.stored, theirs.transitions) {
        line.push_str(&format!("  other counts: {} states, {} transitions", verdict.stored, verdict.transitions));
    }
    Ok(line)
}

fn theirs(entry: &Entry, model: &Path, dir: &Path, limit: Duration) -> Result<Report, String> {
    let define = entry.define.map(|d| format!("-D{d}"));
    let options: Vec<&str> = Automata::Pure.spin_options().iter().copied().chain(define.as_deref()).collect();
    if let Generated::Refused(message) = spin::generate(model, &options, dir).map_err(failed)? {
        return Err(format!("spin: {message}"));
    }
    let defines = ["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"];
    spin::compile(dir, "gcc", "-O2", &defines).map_err(failed)?.map_err(|m| format!("gcc: {m}"))?;
    let run = ["-m10000000", "-w24", "-n", "-E", "-A", "-c0"];
    spin::verify(dir, &run, limit).map_err(failed)?.map_err(|why| format!("SPIN: {why}"))
}

fn our_run(entry: &Entry, model: &Path, ours: &Starwheel, options: &[&str], dir: &Path) -> Result<Verdict, String> {
    let define = entry.define.map(|d| format!("-D{d}"));
    let fixed = ["--por", "off", "--all-errors", "--no-assert", "--no-deadlock"];
    let all: Vec<&str> = fixed.into_iter().chain(define.as_deref()).chain(options.iter().copied()).collect();
    match ours.check(model, &all, dir).map_err(failed)? {
        Answer::Verdict(verdict) => Ok(verdict),
        Answer::Refused(message) | Answer::NotBuilt(message) => Err(format!("Starwheel refuses it: {message}")),
        Answer::Broken(message) => Err(format!("Starwheel broke: {message}")),
        Answer::TimedOut => Err("Starwheel gave no answer in time".into()),
    }
}
