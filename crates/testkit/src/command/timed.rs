//! `testkit timed`: random timed programs, native timers against the text of the header in SPIN, and every way against exact time;
//! the latter also in one process with everything else (`campaign timed`).

use super::campaign::{self, Campaign};
use super::{failed, starwheel};
use crate::args::Args;
use crate::bench::clock;
use crate::exec::Scratch;
use crate::generate::timed::{self, Style};
use crate::ours::{Answer, Starwheel, Verdict};
use crate::reductions::Checker;
use crate::spin::{self, Generated, Report};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Options for the same space as SPIN's.
const EXACT: [&str; 2] = ["--all-errors", "--plain"];
/// Ways that must find the same errors, and whether the ticks must be the same ones, too.
const WAYS: [(&[&str], bool); 9] = [
    (&["--plain", "--por", "ample"], true),
    (&["--plain", "--por", "cluster"], true),
    (&["--plain", "--por", "stubborn"], true),
    (&["--plain", "--engine", "jit"], true),
    (&["--plain", "--search", "bfs", "--store", "flat"], true),
    (&["--por", "off"], false),
    (&[], false),
    (&["--plain", "--timers", "jump"], false),
    (&["--timers", "jump"], false),
];

/// More of them, for programs with lazy steps.
const LAZY: [(&[&str], bool); 2] =
    [(&["--plain", "--por", "ample", "--timers", "jump"], false), (&["--por", "stubborn", "--timers", "jump"], false)];

/// Ways in which local timers that nobody looks at may be switched off, and one in which they are not.
const LOCAL: [&[&str]; 5] = [
    &["--merge", "off", "--por", "off"],
    &["--merge", "off", "--dead-vars", "off", "--por", "ample"],
    &[],
    &["--timers", "jump"],
    &["--por", "stubborn"],
];

/// Questions about runs without end, each with the ways that must have the answer of the search of all states.
const ENDLESS: [(&[&str], &[&[&str]]); 4] = [
    (&["--zeno"], &[&[], &["--plain", "--por", "ample"], &["--plain", "--por", "stubborn"], &["--timers", "jump"]]),
    (&["--ltl"], &[&[], &["--timers", "jump"]]),
    (&["--divergent", "--ltl"], &[&[], &["--plain", "--por", "ample"], &["--plain", "--por", "cluster"]]),
    (&["--fair", "--ltl"], &[&[]]),
];

/// Runs the contest; true if nothing differed.
pub fn run(words: &[String]) -> Result<bool, String> {
    let names = [&campaign::NAMES[..], &["starwheel", "timeout", "cc", "figures", "table", "save"]].concat();
    let args = Args::read(words, &names, &[])?;
    let (ours, _copy) = starwheel(&args, 20)?.ok_or("`--starwheel` is needed")?;
    let contest = Contest { header: header(&ours)?, ours, compiler: args.text("cc").unwrap_or("gcc").to_string() };
    if let Some(table) = args.path("figures")? {
        return contest.figures(&table);
    }
    if let Some(folder) = args.path("table")? {
        let patient = Starwheel { limit: Duration::from_secs(args.number("timeout", 600)?), ..contest.ours.clone() };
        let (text, good) = clock::table(&patient, &contest.header, &folder).map_err(failed)?;
        if let Some(file) = args.path("save")? {
            fs::write(file, text).map_err(failed)?;
        }
        return Ok(good);
    }
    report(&args, |seed| contest.trial(seed))
}

/// Every way against exact time, without SPIN, by somebody who answers as the binary does.
pub fn run_with(words: &[String], ours: &dyn Checker) -> Result<bool, String> {
    let args = Args::read(words, &campaign::NAMES, &[])?;
    report(&args, |seed| Ok(Ways { ours }.trial(seed)?.0))
}

/// Goes through the seeds and tells what came of them; true if nothing differed.
fn report(args: &Args, trial: impl Fn(u64) -> io::Result<Trial> + Sync) -> Result<bool, String> {
    let (results, time) = Campaign::read(args)?.each(trial);
    let (mut compared, mut violated, mut differing, mut states) = (0, 0, Vec::new(), 0);
    for (seed, result) in results {
        match result.map_err(failed)? {
            Trial::Skipped => {}
            Trial::Same { errors, stored } => {
                (compared, violated, states) = (compared + 1, violated + u64::from(errors > 0), states + stored);
            }
            Trial::Differs(why) => {
                println!("seed {seed}: {why}\n{}", timed::program(seed, Style::Shared));
                differing.push(seed);
            }
        }
    }
    let seconds = time.as_secs_f64();
    println!("{compared} timed programs in {seconds:.1} s, {violated} with errors, {states} states");
    println!("  differing {}: seeds {differing:?}", differing.len());
    Ok(differing.is_empty())
}

/// The header that the binary ships: SPIN must find it beside the model.
fn header(ours: &Starwheel) -> Result<String, String> {
    let output = Command::new(&ours.binary).args(["header", "dtime.h"]).output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

struct Contest {
    ours: Starwheel,
    header: String,
    compiler: String,
}

enum Trial {
    /// One of the two came to no count.
    Skipped,
    Same {
        errors: u64,
        stored: u64,
    },
    Differs(String),
}

/// A row of a table of timed models: model, macros, a switch of the header's text, what stands for it natively, figures.
struct Row<'a> {
    model: &'a str,
    macros: Vec<&'a str>,
    switch: Vec<&'a str>,
    /// None if there is no such thing.
    native: Option<Vec<&'a str>>,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Result<Row<'a>, String> {
        let [model, macros, switch, native, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("a row has five columns: {line}"));
        };
        let words = |text: &'a str| text.split_whitespace().collect();
        let native = (native != "-").then(|| words(native));
        Ok(Row { model, macros: words(macros), switch: words(switch), native })
    }
}

impl Contest {
    /// Runs SPIN anew on each row of a table, and Starwheel on the same text and with native timers.
    fn figures(&self, table: &Path) -> Result<bool, String> {
        let text = fs::read_to_string(table).map_err(failed)?;
        let (mut rows, mut differing) = (0, 0);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let row = Row::read(line)?;
            let model = table.with_file_name(row.model).with_extension("pml");
            rows += 1;
            if let Some(why) = self.row(&row, &model).map_err(failed)? {
                println!("{line}: {why}");
                differing += 1;
            }
        }
        println!("{rows} timed models beside SPIN, {differing} differing");
        Ok(rows > 0 && differing == 0)
    }

    /// What differs in a row.
    fn row(&self, row: &Row, model: &Path) -> io::Result<Option<String>> {
        let scratch = Scratch::new()?;
        let dir = scratch.path();
        let copy = dir.join("m.pml");
        fs::copy(model, &copy)?;
        fs::write(dir.join("dtime.h"), &self.header)?;
        let macros = [&row.macros[..], &row.switch].concat();
        let Some(spin) = self.spin(&copy, &macros, dir)? else { return Ok(Some("SPIN came to no count".into())) };
        let theirs = (spin.stored, spin.transitions, spin.errors);
        let text = [&macros[..], &["-U", "__STARWHEEL__"]].concat();
        let native = row.native.as_ref().map(|options| [&row.macros[..], options].concat());
        for options in std::iter::once(text).chain(native) {
            let line = options.join(" ");
            let Some(own) = self.ours(&copy, &[&EXACT[..], &options].concat(), dir)? else {
                return Ok(Some(format!("`{line}` came to no count")));
            };
            // Abstract timers have no clock at all, so there only the verdict is the same.
            let alike = if line.contains("abstract") {
                (own.errors > 0) == (spin.errors > 0)
            } else {
                (own.stored, own.transitions, own.errors) == theirs
            };
            if !alike {
                let own = (own.stored, own.transitions, own.errors);
                return Ok(Some(format!("SPIN counts {theirs:?} states, transitions and errors, `{line}` {own:?}")));
            }
        }
        Ok(None)
    }

    /// Every way against exact time, and exact time against SPIN.
    fn trial(&self, seed: u64) -> io::Result<Trial> {
        let scratch = Scratch::new()?;
        let dir = scratch.path();
        let (trial, exact) = Ways { ours: &self.ours }.trial(seed)?;
        let (Trial::Same { .. }, Some(exact)) = (&trial, exact) else { return Ok(trial) };
        let model = dir.join("m.pml");
        fs::write(&model, timed::program(seed, Style::Shared))?;
        fs::write(dir.join("dtime.h"), &self.header)?;
        let Some(spin) = self.spin(&model, &[], dir)? else { return Ok(Trial::Skipped) };
        let (theirs, own) =
            ((spin.stored, spin.transitions, spin.errors), (exact.stored, exact.transitions, exact.errors));
        if theirs != own {
            let why = format!("SPIN counts {theirs:?} states, transitions and errors, we count {own:?}");
            return Ok(Trial::Differs(why));
        }
        Ok(trial)
    }

    fn ours(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Option<Verdict>> {
        Ways { ours: &self.ours }.ours(model, options, dir)
    }

    fn spin(&self, model: &Path, macros: &[&str], dir: &Path) -> io::Result<Option<Report>> {
        let options = [&["-o1", "-o2", "-o3"], macros].concat();
        let Generated::Verifier(_) = spin::generate(model, &options, dir)? else { return Ok(None) };
        if spin::compile(dir, &self.compiler, "-O0", &["-DSAFETY", "-DNOREDUCE"])?.is_err() {
            return Ok(None);
        }
        let report = spin::verify(dir, &["-c0", "-m200000"], Duration::from_secs(5))?;
        Ok(report.ok().filter(|r| r.complete && !r.fatal))
    }
}

/// Somebody who is asked the same question in many ways.
struct Ways<'a> {
    ours: &'a dyn Checker,
}

impl Ways<'_> {
    /// Every way against exact time, and the verdict of exact time on the program that SPIN can read as well.
    fn trial(&self, seed: u64) -> io::Result<(Trial, Option<Verdict>)> {
        let scratch = Scratch::new()?;
        let dir = scratch.path();
        let model = dir.join("m.pml");
        for (style, what) in [(Style::Lazy, "lazy steps"), (Style::Local, "local timers")] {
            let text = timed::program(seed, style);
            fs::write(&model, &text)?;
            let why = match style {
                Style::Lazy => self.lazy(&model, dir)?,
                _ => self.local(&model, dir)?.or(self.endless(&model, timed::formula(seed), dir)?),
            };
            if let Some(why) = why {
                return Ok((Trial::Differs(format!("with {what}: {why}\n{text}")), None));
            }
        }
        fs::write(&model, timed::program(seed, Style::Shared))?;
        let Some(exact) = self.ours(&model, &EXACT, dir)? else { return Ok((Trial::Skipped, None)) };
        for (options, same_ticks) in WAYS {
            let options = [&["--all-errors"], options].concat();
            let Some(other) = self.ours(&model, &options, dir)? else { continue };
            let line = options.join(" ");
            if other.safety != exact.safety {
                let why = format!("`{line}` says {:?}, exact time {:?}", other.safety, exact.safety);
                return Ok((Trial::Differs(why), None));
            }
            if same_ticks && other.ticks != exact.ticks {
                let why = format!("`{line}` has {:?} ticks, not {:?}", other.ticks, exact.ticks);
                return Ok((Trial::Differs(why), None));
            }
        }
        Ok((Trial::Same { errors: exact.errors, stored: exact.stored }, Some(exact)))
    }

    /// With lazy steps: every way against the interpreter and exact time; the ticks, too, where they must be the same.
    fn lazy(&self, model: &Path, dir: &Path) -> io::Result<Option<String>> {
        let plain = ["--all-errors", "--plain", "--engine", "interp"];
        let Some(exact) = self.ours(model, &plain, dir)? else { return Ok(None) };
        for (options, same_ticks) in WAYS.into_iter().chain(LAZY) {
            let options = [&["--all-errors"], options].concat();
            let Some(other) = self.ours(model, &options, dir)? else { continue };
            let (found, all) = ((&other.outcome, &other.safety), (&exact.outcome, &exact.safety));
            let line = options.join(" ");
            if found != all {
                return Ok(Some(format!("`{line}` says {found:?}, exact time {all:?}")));
            }
            if same_ticks && other.ticks != exact.ticks {
                return Ok(Some(format!("`{line}` has {:?} ticks, not {:?}", other.ticks, exact.ticks)));
            }
        }
        Ok(None)
    }

    /// With timers inside of processes: every way against all states.
    fn local(&self, model: &Path, dir: &Path) -> io::Result<Option<String>> {
        let Some(exact) = self.ours(model, &EXACT, dir)? else { return Ok(None) };
        for options in LOCAL {
            let options = [&["--all-errors"], options].concat();
            let Some(other) = self.ours(model, &options, dir)? else { continue };
            let (found, all) = ((other.outcome, other.safety), (&exact.outcome, &exact.safety));
            if (&found.0, &found.1) != all {
                return Ok(Some(format!("`{}` says {found:?}, exact time {all:?}", options.join(" "))));
            }
        }
        Ok(None)
    }

    /// Runs without end: time that stops, and a formula.
    fn endless(&self, model: &Path, formula: &str, dir: &Path) -> io::Result<Option<String>> {
        for (question, ways) in ENDLESS {
            let asked = |way: &[&str]| -> io::Result<Option<Vec<(String, String)>>> {
                let formula = question.last().filter(|o| **o == "--ltl").map(|_| formula);
                let options: Vec<&str> = question.iter().copied().chain(formula).chain(way.iter().copied()).collect();
                Ok(self.ours(model, &options, dir)?.map(|v| if v.own.is_empty() { v.safety } else { v.own }))
            };
            let Some(all) = asked(&["--plain"])? else { continue };
            for way in ways {
                let Some(found) = asked(way)? else { continue };
                if found != all {
                    let line = [question, way].concat().join(" ");
                    return Ok(Some(format!("`{line}` ({formula}) says {found:?}, all states {all:?}")));
                }
            }
        }
        Ok(None)
    }

    /// Our verdict, if there is one in time; a refusal or a crash is told as what was found.
    fn ours(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Option<Verdict>> {
        Ok(match self.ours.check(model, options, dir)? {
            Answer::Verdict(verdict) => Some(*verdict),
            Answer::TimedOut => None,
            other => Some(Verdict { outcome: format!("{other:?}"), ..Verdict::default() }),
        })
    }
}
