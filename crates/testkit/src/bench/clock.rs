//! The table of timed models beside SPIN: processor time of one worker, states with reduction, and what the unit of time costs.

use super::timed::user_seconds;
use crate::exec::Scratch;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin::{self, Generated, Report};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// A row: model, macros, what SPIN's verifier is compiled with, its switch of the header, and our options.
struct Row {
    model: &'static str,
    macros: &'static str,
    defines: &'static [&'static str],
    switch: &'static str,
    ours: &'static str,
}

const ALL: &[&str] = &["-DSAFETY", "-DNOREDUCE"];
const REDUCED: &[&str] = &["-DSAFETY"];

const fn row(model: &'static str, macros: &'static str, ours: &'static str) -> Row {
    Row { model, macros, defines: ALL, switch: "", ours }
}

const fn reduced(macros: &'static str) -> Row {
    Row { model: "fischer", macros, defines: REDUCED, switch: "", ours: "--plain --por ample" }
}

const fn jump(macros: &'static str) -> Row {
    Row { model: "par", macros, defines: ALL, switch: "-DJUMP", ours: "--plain --timers jump" }
}

const TEN: &str = "-DdK=30 -DdL=30 -DdR=10 -DTo=90";
const HUNDRED: &str = "-DdK=300 -DdL=300 -DdR=100 -DTo=900";

const ROWS: [Row; 12] = [
    row("fischer", "-DN=4", "--plain"),
    row("fischer", "-DN=5", "--plain"),
    reduced("-DN=5"),
    reduced("-DN=6"),
    reduced("-DN=7"),
    row("gate", "-DN=3", "--plain"),
    row("par", "", "--plain"),
    row("par", TEN, "--plain"),
    row("par", HUNDRED, "--plain"),
    jump(""),
    jump(TEN),
    jump(HUNDRED),
];

/// Runs both tools on each row and prints the table; false if states of all states differ.
pub fn table(ours: &Starwheel, header: &str, folder: &Path) -> io::Result<(String, bool)> {
    let mut out = String::from(
        "model | options | SPIN states/transitions | user s | MiB | ours states/transitions | ticks | user s | MiB | SPIN/ours\n",
    );
    let mut good = true;
    for row in &ROWS {
        let line = one(ours, header, folder, row)?;
        print!("{}", line.0);
        out.push_str(&line.0);
        good &= line.1;
    }
    Ok((out, good))
}

fn one(ours: &Starwheel, header: &str, folder: &Path, row: &Row) -> io::Result<(String, bool)> {
    let scratch = Scratch::new()?;
    let dir = scratch.path();
    let model = dir.join("m.pml");
    fs::copy(folder.join(row.model).with_extension("pml"), &model)?;
    fs::write(dir.join("dtime.h"), header)?;
    let macros: Vec<&str> = row.macros.split_whitespace().collect();
    let theirs = spins(ours, &model, &macros, row, dir)?;
    let options: Vec<&str> = macros.iter().copied().chain(row.ours.split_whitespace()).collect();
    let options = [&options[..], &["--workers", "1"]].concat();
    let (answer, own_seconds) = user_seconds(|| ours.check(&model, &options, dir));
    let own = match answer? {
        Answer::Verdict(v) => Some(*v),
        _ => None,
    };
    Ok(told(row, theirs, own, own_seconds))
}

fn spins(ours: &Starwheel, model: &Path, macros: &[&str], row: &Row, dir: &Path) -> io::Result<Option<(Report, f64)>> {
    let options =
        [&["-o1", "-o2", "-o3"], macros, row.switch.split_whitespace().collect::<Vec<_>>().as_slice()].concat();
    let Generated::Verifier(_) = spin::generate(model, &options, dir)? else { return Ok(None) };
    let defines = [row.defines, &["-DMEMLIM=4000"]].concat();
    if spin::compile(dir, "gcc", "-O2", &defines)?.is_err() {
        return Ok(None);
    }
    let (report, seconds) = user_seconds(|| spin::verify(dir, &["-m1000000", "-w24"], ours.limit));
    Ok(report?.ok().filter(|r| r.complete).map(|r| (r, seconds)))
}

/// The line, and whether what must be equal is.
fn told(row: &Row, theirs: Option<(Report, f64)>, own: Option<Verdict>, own_seconds: f64) -> (String, bool) {
    let mut out = format!("{} {} | {} | ", row.model, row.macros, row.ours);
    match &theirs {
        Some((r, s)) => {
            let _ = write!(out, "{}/{} | {s:.2} | {:.0} | ", r.stored, r.transitions, r.megabytes);
        }
        None => out.push_str("no answer | | | "),
    }
    match &own {
        Some(v) => {
            let memory = v.peak_rss as f64 / f64::from(1 << 20);
            let ticks = v.ticks.unwrap_or(0);
            let _ = write!(out, "{}/{} | {ticks} | {own_seconds:.2} | {memory:.0} | ", v.stored, v.transitions);
        }
        None => out.push_str("no answer | | | | "),
    }
    let same = match (&theirs, &own) {
        (Some((r, s)), Some(v)) => {
            let _ = write!(out, "{:.1}", s / own_seconds.max(0.01));
            row.defines != ALL || (r.stored, r.transitions) == (v.stored, v.transitions)
        }
        (None, Some(_)) => row.defines != ALL,
        _ => false,
    };
    out.push_str(if same { "\n" } else { " DIFFERENT\n" });
    (out, same)
}
