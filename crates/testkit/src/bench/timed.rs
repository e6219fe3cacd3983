//! A program that runs alone, with its processor time and its peak memory, as Linux tells them.

use crate::exec::{self, Ended};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How a program ended and what it took.
#[derive(Debug)]
pub struct Timed {
    /// How it ended.
    pub ended: Ended,
    /// Seconds of processor time, without that of the system.
    pub user: f64,
}

/// Runs a program to its end, or kills it after `limit`. No other program may be started meanwhile: the processor time is
/// that of all children.
pub fn timed(command: &mut Command, dir: &Path, limit: Duration) -> io::Result<Timed> {
    let (ended, user) = user_seconds(|| exec::run(command, dir, limit));
    Ok(Timed { ended: ended?, user })
}

/// What a piece of work gives, and the seconds of processor time of the programs that it ran.
pub fn user_seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = children_seconds();
    let result = work();
    (result, children_seconds() - before)
}

/// Seconds of processor time of all children that have ended; the system counts in hundredths.
fn children_seconds() -> f64 {
    const TICKS: f64 = 100.0;
    user_ticks(&fs::read_to_string("/proc/self/stat").unwrap_or_default()).unwrap_or(0) as f64 / TICKS
}

/// The 16th field; the second one is a name in parentheses that may hold anything.
fn user_ticks(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(13)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_system_is_understood() {
        let line = "7 (a (b) c) S 1 7 7 0 -1 4194560 200 300 0 0 11 12 345 14 20 0 1 0 99";
        assert_eq!(user_ticks(line), Some(345));
    }

    #[test]
    fn work_is_seen() -> io::Result<()> {
        let scratch = crate::exec::Scratch::new()?;
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let timed = timed(Command::new("sh").args(["-c", busy]), scratch.path(), Duration::from_secs(60))?;
        assert!(timed.user > 0.02 && timed.ended.peak_rss > 0, "{timed:?}");
        Ok(())
    }
}
