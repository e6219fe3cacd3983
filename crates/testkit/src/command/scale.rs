//! `testkit scale`: models of a thousand to a hundred thousand lines, from the start of the program to the first state.
//!
//! Each model waits for ever in its first state, so that the time is that of reading it and of all that is worked out before a
//! search. What is ten times as long may take ten times as long, not a hundred times.

use super::bench::machine;
use super::{failed, starwheel};
use crate::args::Args;
use crate::exec::{Scratch, run as execute};
use crate::scale::{SHAPES, many_ifs};
use std::fs;
use std::process::Command;

const NAMES: &[&str] = &["starwheel", "timeout", "only", "keep", "most"];
/// The numbers of lines.
const LINES: [usize; 3] = [1_000, 10_000, 100_000];
/// Times below this say nothing about growth.
const QUICK: f64 = 0.2;
/// How much longer ten times the lines may take.
const GROWTH: f64 = 15.0;
/// The numbers of selections in a row, and the states whose time is asked for.
const IFS: [usize; 3] = [300, 1_200, 5_000];
const STATES: f64 = 10_000.0;

/// Prints the table; false if something grows faster than the models, or takes more seconds than `--most`.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, &[])?;
    let (ours, _copy) = starwheel(&args, 60)?.ok_or("`--starwheel` is needed")?;
    let (only, most) = (args.text("only").unwrap_or(""), args.number("most", f64::INFINITY)?);
    let scratch = Scratch::new().map_err(failed)?;
    let keep = args.path("keep")?;
    let dir = keep.as_deref().unwrap_or(scratch.path());
    println!("{}\n{:12} {:>8} {:>9} {:>7}", machine(), "model", "lines", "seconds", "growth");
    let mut good = true;
    for (name, make) in SHAPES.iter().filter(|(name, _)| name.contains(only)) {
        let mut before: Option<f64> = None;
        for lines in LINES {
            let file = dir.join(format!("{name}-{lines}.pml"));
            fs::write(&file, make(lines)).map_err(failed)?;
            let mut command = Command::new(&ours.binary);
            command.args(["check", "--json", "--no-deadlock"]).arg(&file);
            let ended = execute(&mut command, scratch.path(), ours.limit).map_err(failed)?;
            let growth = before.map(|b| ended.seconds / b);
            let bad = ended.timed_out
                || ended.code != Some(0)
                || ended.seconds > most
                || (ended.seconds > QUICK && growth.is_some_and(|g| g > GROWTH));
            good &= !bad;
            let shown = growth.map_or(String::new(), |g| format!("{g:.1}"));
            let remark = match (ended.code, bad) {
                (Some(0), false) => "",
                (Some(0), true) => "  too slow",
                _ => "  failed",
            };
            println!("{name:12} {lines:>8} {:>9.3} {shown:>7}{remark}", ended.seconds);
            before = Some(ended.seconds.max(QUICK / GROWTH));
        }
    }
    if "many-ifs".contains(only) {
        selections(&ours, scratch.path())?;
    }
    Ok(good)
}

/// How long the first states of a loop over many selections take.
fn selections(ours: &crate::ours::Starwheel, dir: &std::path::Path) -> Result<(), String> {
    println!("{:12} {:>8} {:>9}", "many-ifs", "ifs", "seconds to 10,000 states");
    for count in IFS {
        let file = dir.join(format!("ifs-{count}.pml"));
        fs::write(&file, many_ifs(count)).map_err(failed)?;
        let mut command = Command::new(&ours.binary);
        command.args(["check", "--json", "--no-deadlock", "--time", "4s", "--workers", "1"]).arg(&file);
        let ended = execute(&mut command, dir, ours.limit).map_err(failed)?;
        let report: serde_json::Value = serde_json::from_str(&ended.stdout).map_err(|e| e.to_string())?;
        let of = |name: &str| report["stats"][name].as_f64().unwrap_or(0.0);
        let before = (ended.seconds - of("seconds")).max(0.0);
        let each = of("seconds") / of("states_stored").max(1.0);
        println!("{:12} {count:>8} {:>9.3}", "", before + STATES.min(of("states_stored")) * each);
    }
    Ok(())
}
