//! `testkit stops`: one of several processes is stopped for a while; the others must wait for it with bounded memory, and go on.

use super::kills::{COUNTS, finish, start};
use super::{failed, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::family::{children, used};
use std::process::Command;
use std::time::{Duration, Instant};

/// Bytes that may be on their way to one process from another, and packets and thanks besides.
const UNREAD: u64 = 64 * (32 << 10);

/// Stops and goes on; false if memory grew meanwhile, or if the counts are others in the end.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["starwheel", "model", "processes", "seconds", "timeout"], &[])?;
    let (ours, _copy) = starwheel(&args, 600)?.ok_or("`--starwheel` is needed")?;
    let model = args.needed_path("model")?;
    let (processes, seconds) = (args.number("processes", 4u64)?, args.number("seconds", 10u64)?);
    let scratch = Scratch::new().map_err(failed)?;
    let begin = |options: &[&str]| start(&ours.binary, &model, options, scratch.path());
    let whole = finish(begin(&["--workers", "1", "--search", "dfs"])?, scratch.path(), ours.limit)?;
    let child = begin(&["--processes", &processes.to_string()])?;
    let (id, started) = (child.id(), Instant::now());
    // All are there, and have something to do.
    while used(id).seconds < 1.0 && started.elapsed() < ours.limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    let victim = *children(id).first().ok_or("it ended too soon: take a larger model")?;
    signal("-STOP", victim)?;
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let before = used(id);
    std::thread::sleep(Duration::from_secs(seconds));
    let after = used(id);
    signal("-CONT", victim)?;
    let report = finish(child, scratch.path(), ours.limit)?;
    let same =
        COUNTS.iter().all(|n| report["stats"][*n] == whole["stats"][*n]) && report["outcome"] == whole["outcome"];
    let bound = processes * processes * 2 * UNREAD;
    let bounded = after.memory <= before.memory + bound + bound / 10;
    println!(
        "one of {processes} processes stopped: memory of all {:.1} MB before, {:.1} MB after {seconds} s (at most {:.1} MB may be unread); \
         processor time meanwhile {:.2} s; then it went on: {}",
        megabytes(before.memory),
        megabytes(after.memory),
        megabytes(bound),
        after.seconds - before.seconds,
        if same { "same counts and verdict" } else { "OTHER COUNTS" },
    );
    Ok(same && bounded)
}

fn signal(which: &str, id: u32) -> Result<(), String> {
    let sent = Command::new("kill").args([which, &id.to_string()]).status().map_err(failed)?;
    if sent.success() { Ok(()) } else { Err(format!("process {id} is gone: take a larger model")) }
}
