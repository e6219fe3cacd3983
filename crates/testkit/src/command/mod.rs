//! The subcommands of `testkit`.

pub mod bench;
mod campaign;
pub mod coverage;
pub mod kills;
mod live;
pub mod mutants;
pub mod peers;
pub mod random;
pub mod reduction;
pub mod reductions;
pub mod scale;
pub mod stops;
pub mod symmetric;
pub mod timed;
pub mod truth;
pub mod twins;
pub mod wires;

use crate::args::Args;
use crate::exec::Scratch;
use crate::ours::Starwheel;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The stack of a thread: some of them check models.
const STACK: usize = 64 << 20;

/// Calls `work` for every number below `count`, on `jobs` threads; results come back in order.
pub(crate) fn in_parallel<T: Send>(count: usize, jobs: usize, work: impl Fn(usize) -> Option<T> + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let one_by_one = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let Some(result) = work(index) else { return };
                    if let Ok(mut all) = results.lock() {
                        all.push((index, result));
                    }
                }
            };
            if std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, one_by_one).is_err() {
                one_by_one();
            }
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The binary under test, which must exist. A copy is used: it may be built anew during a long run.
pub(crate) fn starwheel(args: &Args, default_limit: u64) -> Result<Option<(Starwheel, Scratch)>, String> {
    let limit = Duration::from_secs(args.number("timeout", default_limit)?);
    let Some(path) = args.path("starwheel")? else { return Ok(None) };
    if !path.is_file() {
        return Err(format!("`{}` does not exist; build it first", path.display()));
    }
    let scratch = Scratch::new().map_err(failed)?;
    let binary = scratch.path().join("starwheel");
    std::fs::copy(&path, &binary).map_err(failed)?;
    Ok(Some((Starwheel { binary, limit }, scratch)))
}

/// The last line of an error of the system, for commands that cannot go on.
pub(crate) fn failed(e: std::io::Error) -> String {
    format!("cannot run a program or write a file: {e}")
}

/// Prints how the numbers are spread, if there are any.
pub(crate) fn print_sizes(numbers: &mut [u64]) {
    numbers.sort_unstable();
    if let Some(last) = numbers.len().checked_sub(1) {
        let at = |percent: usize| numbers[last * percent / 100];
        let quantiles = [at(0), at(10), at(25), at(50), at(75), at(90), at(100)];
        println!("    stored states, quantiles 0 10 25 50 75 90 100: {quantiles:?}");
    }
}

/// A message without names and places, so that equal reasons are counted together.
pub(crate) fn reason(message: &str) -> String {
    let after = message.split_once("Error: ").map_or(message, |(_, rest)| rest);
    let after = after.split_once(") ").filter(|_| after.starts_with("error: (")).map_or(after, |(_, rest)| rest);
    let cut = after.split(['\'', '\t']).next().unwrap_or(after);
    cut.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().trim().to_string()
}

/// Reads a table of reasons: a model, what is asked of it, the reason. Lines that begin with `#` are remarks.
pub(crate) fn three_columns(text: &str) -> Result<BTreeMap<(String, String), String>, String> {
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let each = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [model, what, reason] = fields[..] else { return Err(format!("not three columns: `{line}`")) };
        Ok(((model.to_string(), what.to_string()), reason.to_string()))
    };
    lines.map(each).collect()
}
