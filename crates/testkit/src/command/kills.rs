//! `testkit kills`: a search by several processes that is killed at random moments and gone on with by another number of them.

use super::{failed, starwheel};
use crate::args::Args;
use crate::exec::Scratch;
use crate::family::children;
use crate::rng::Rng;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What must be the same at the end.
pub const COUNTS: [&str; 4] = ["states_stored", "states_matched", "transitions", "atomic_steps"];

/// Kills and goes on, so many times; false if an end had other counts.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, &["starwheel", "model", "rounds", "seed", "timeout"], &[])?;
    let (ours, _copy) = starwheel(&args, 120)?.ok_or("`--starwheel` is needed")?;
    let model = args.needed_path("model")?;
    let (rounds, seed) = (args.number("rounds", 20u64)?, args.number("seed", 1u64)?);
    let mut random = Rng::new(seed);
    let scratch = Scratch::new().map_err(failed)?;
    let begin = |options: &[&str]| start(&ours.binary, &model, options, scratch.path());
    let started = Instant::now();
    let whole = finish(begin(&["--workers", "1", "--search", "dfs"])?, scratch.path(), ours.limit)?;
    let usual = started.elapsed();
    let kept = scratch.path().join("kept");
    let kept = kept.to_str().ok_or("the folder has an odd name")?;
    let (mut kills, mut ends, mut resumed, mut wrong) = (0, 0, 0, 0);
    for round in 0..rounds {
        let processes = (1 + random.below(4)).to_string();
        let mut options = vec!["--processes", &processes, "--checkpoint", kept, "--every", "150ms"];
        let saved = has_states(kept);
        if saved {
            options.extend(["--resume", kept]);
            resumed += 1;
        }
        let child = begin(&options)?;
        let pause = Duration::from_millis(u64::from(50 + random.below(usual.as_millis() as u32 * 3 + 500)));
        match interrupt(child, pause, &mut random)? {
            None => kills += 1,
            Some(()) => {
                let report = report(scratch.path())?;
                if saved && report.to_string().contains("nothing was saved") {
                    // The one before was killed before its first record.
                    _ = std::fs::remove_dir_all(kept);
                    continue;
                }
                ends += 1;
                if COUNTS.iter().any(|n| report["stats"][*n] != whole["stats"][*n])
                    || report["outcome"] != whole["outcome"]
                {
                    wrong += 1;
                    println!("round {round}, {processes} processes: {} instead of {}", report["stats"], whole["stats"]);
                }
                // The next search begins anew.
                _ = std::fs::remove_dir_all(kept);
            }
        }
    }
    let options = ["--processes", "3", "--resume", kept];
    let last: &[&str] = if has_states(kept) { &options } else { &options[..2] };
    let report = finish(begin(last)?, scratch.path(), ours.limit)?;
    wrong += u32::from(COUNTS.iter().any(|n| report["stats"][*n] != whole["stats"][*n]));
    println!(
        "{rounds} rounds, seed {seed}: {kills} killed, {resumed} gone on with, {} ends, {wrong} with other counts",
        ends + 1
    );
    Ok(wrong == 0)
}

fn has_states(folder: &str) -> bool {
    // The record is made last.
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter(|file| file.file_name().to_string_lossy().starts_with("states-")).count() > 0
        && Path::new(folder).join("search.redb").exists()
}

/// Begins a check whose report goes to a folder.
pub fn start(binary: &Path, model: &Path, options: &[&str], folder: &Path) -> Result<Child, String> {
    let out = std::fs::File::create(folder.join("report")).map_err(failed)?;
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--plain", "--no-ltl"]).args(options).arg(model);
    command.stdin(Stdio::null()).stdout(out).stderr(Stdio::null()).spawn().map_err(failed)
}

fn report(folder: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(folder.join("report")).map_err(failed)?;
    serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))
}

/// The report of a check, when it has ended.
pub fn finish(mut child: Child, folder: &Path, limit: Duration) -> Result<Value, String> {
    let started = Instant::now();
    while child.try_wait().map_err(failed)?.is_none() {
        if started.elapsed() > limit {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err("no answer in time".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    report(folder)
}

/// Waits for a while and kills one of the processes; something if it ended by itself before.
fn interrupt(mut child: Child, pause: Duration, random: &mut Rng) -> Result<Option<()>, String> {
    let started = Instant::now();
    while started.elapsed() < pause {
        if child.try_wait().map_err(failed)?.is_some() {
            return Ok(Some(()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut all = children(child.id());
    all.push(child.id());
    let victim = all[random.below(all.len() as u32) as usize];
    if child.try_wait().map_err(failed)?.is_some() {
        return Ok(Some(()));
    }
    let killed = Command::new("kill").args(["-9", &victim.to_string()]).status().map_err(failed)?;
    let ended = child.wait().map_err(failed)?;
    // The others see at once that one is gone.
    std::thread::sleep(Duration::from_millis(200));
    Ok((!killed.success() || ended.success()).then_some(()))
}
