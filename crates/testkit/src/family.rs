//! A process and those that it started: what they use together, and who they are.

use std::fs;

/// What a family has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Seconds of processor time of all that are alive.
    pub seconds: f64,
    /// The most memory that each has held, summed, in bytes.
    pub memory: u64,
}

/// Ticks of the clock in which Linux counts processor time.
const TICKS: f64 = 100.0;

/// The processes that a process started and that are alive.
pub fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let mut all: Vec<u32> = lists.flat_map(|list| numbers(&list)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// What a process and its children have used; where nobody tells, nothing.
pub fn used(id: u32) -> Used {
    let one = |id: u32| Used { seconds: seconds(id).unwrap_or(0.0), memory: memory(id).unwrap_or(0) };
    let all = children(id).into_iter().map(one).chain([one(id)]);
    all.fold(Used::default(), |a, b| Used { seconds: a.seconds + b.seconds, memory: a.memory + b.memory })
}

/// Seconds of processor time, in user and system mode.
fn seconds(id: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name may have spaces and brackets in it.
    let rest: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| rest.get(at).and_then(|word| word.parse::<f64>().ok());
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

fn memory(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
