//! `testkit twins`: TASTE's systems with known verdicts, each beside a twin of ours in which one line is broken.
//!
//! The systems are others' and lie beside the project; a twin is made from one when it is needed, by a list of our own
//! (`taste-twins.tsv`). Without a twin that fails, a verdict that holds might hold for want of behaviour.

use super::{failed, in_parallel, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::ours::{Answer, Starwheel, Verdict};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What TASTE's own translation assumes.
const MODE: &str =
    "--queues signal --timers abstract --overflow lose --env once --rest everywhere --no-deadlock --ltl all";
/// For texts without formulas.
const ALONE: &str = "--queues signal --timers abstract --overflow lose --env once --rest everywhere --no-deadlock";
const TWINS: &str = include_str!("../../taste-twins.tsv");
/// Systems that are expected to have no error, and have one: docs/sdl.md says which.
const EXPLAINED: [&str; 1] = ["internal_procedures"];

/// A system, and what is broken in its twin.
struct Twin<'a> {
    system: &'a str,
    file: &'a str,
    line: usize,
    there: &'a str,
    instead: &'a str,
}

/// Runs all systems with an expectation; true if all hold or are explained, and all twins are violated.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["starwheel", "timeout", "taste", "jobs"], &[])?;
    let (ours, _copy) = starwheel(&args, 60)?.ok_or("`--starwheel` is needed")?;
    let taste = args.path("taste")?.ok_or("`--taste` names the folder of the systems")?;
    let expected = fs::read_to_string(taste.join("expected.tsv")).map_err(failed)?;
    let systems: Vec<&str> = expected
        .lines()
        .filter_map(|l| Some(l.split_once('\t')?).filter(|r| r.1.contains("errors: 0")))
        .map(|r| r.0)
        .collect();
    let twins: Vec<Twin> = TWINS.lines().filter(|l| !l.starts_with('#')).map(read).collect::<Result<_, _>>()?;
    let jobs = args.number("jobs", 1)? as usize;
    let lines = in_parallel(systems.len(), jobs, |i| Some(one(&ours, &taste, systems[i], &twins)));
    let mut bad = 0;
    for line in lines {
        let (text, good) = line.map_err(failed)?;
        println!("{text}");
        bad += usize::from(!good);
    }
    println!("{} systems with their twins, {bad} not as expected", systems.len());
    Ok(bad == 0 && !systems.is_empty())
}

fn read(line: &str) -> Result<Twin<'_>, String> {
    let [system, file, number, there, instead] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("a row has five columns: {line}"));
    };
    let line = number.parse().map_err(|_| format!("no number of a line: {number}"))?;
    Ok(Twin { system, file, line, there, instead })
}

/// What is said of one system, and whether that is as it should be.
fn one(ours: &Starwheel, taste: &Path, system: &str, twins: &[Twin]) -> io::Result<(String, bool)> {
    let scratch = Scratch::new()?;
    let dir = scratch.path();
    let right = dir.join(system);
    copy(&taste.join(system), &right)?;
    let original = check(ours, &right, dir)?;
    let explained = EXPLAINED.contains(&system);
    let mut good = original.outcome == if explained { "violated" } else { "holds" };
    let mut text = format!(
        "{system}: {} with {} states, {} statements never executed",
        original.outcome, original.stored, original.unreached
    );
    let Some(twin) = twins.iter().find(|t| t.system == system) else {
        return Ok((format!("{text}; it needs no twin"), good && explained));
    };
    if let Err(why) = patch(&right.join(twin.file), twin)? {
        return Ok((format!("{text}; {why}"), false));
    }
    let broken = check(ours, &right, dir)?;
    good &= broken.outcome == "violated";
    let said = broken.messages.first().cloned().unwrap_or_default();
    text.push_str(&format!("; with `{}` for `{}`: {} ({said})", twin.instead, twin.there, broken.outcome));
    Ok((text, good))
}

/// With its formulas, or without if it has none; what is no verdict is told as an outcome.
fn check(ours: &Starwheel, folder: &Path, dir: &Path) -> io::Result<Verdict> {
    let mut last = Verdict::default();
    for mode in [MODE, ALONE] {
        let options: Vec<&str> = mode.split_whitespace().collect();
        match ours.check(folder, &options, dir)? {
            Answer::Verdict(verdict) => return Ok(*verdict),
            other => last.outcome = format!("{other:?}"),
        }
    }
    Ok(last)
}

/// Breaks a line; says why if it is not what it should be.
fn patch(file: &Path, twin: &Twin) -> io::Result<Result<(), String>> {
    let text = fs::read_to_string(file)?;
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let Some(line) = lines.get_mut(twin.line.wrapping_sub(1)).filter(|l| l.contains(twin.there)) else {
        return Ok(Err(format!("line {} of {} does not hold `{}`", twin.line, twin.file, twin.there)));
    };
    *line = line.replacen(twin.there, twin.instead, 1);
    fs::write(file, lines.join("\n") + "\n").map(Ok)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path: PathBuf = entry?.path();
        let Some(name) = path.file_name() else { continue };
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => fs::write(to.join(name), fs::read(&path)?)?,
        }
    }
    Ok(())
}
