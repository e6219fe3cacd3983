//! A program with its processor time to the millisecond, while others may run beside it.
//!
//! `/proc` counts in hundredths of a second, and the times of all children together. A shell measures one command to the
//! millisecond, and `timeout` ends it with a signal upon which SPIN's verifier still prints its report.

use crate::exec;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How a program ended and what it took.
#[derive(Clone, Debug)]
pub struct Used {
    /// Its exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// The time limit ended it.
    pub timed_out: bool,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Seconds of processor time, its own and the system's for it.
    pub cpu: f64,
}

/// The shell's script: the limit, then the command and its arguments.
const SCRIPT: &str = r#"
limit=$1; shift
TIMEFORMAT='%3U %3S'
{ time timeout --signal=INT --kill-after=2 "$limit" "$@" >out.txt 2>err.txt; } 2>cpu.txt
"#;

/// `timeout` says so if it had to end a program, or to kill it.
const ENDED: [i32; 2] = [124, 137];

/// Runs a program in `dir` to its end, or until it has run for so long.
pub fn run(program: &Path, arguments: &[impl AsRef<OsStr>], dir: &Path, limit: Duration) -> io::Result<Used> {
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT, "bash"]).arg(limit.as_secs_f64().to_string()).arg(program).args(arguments);
    let ended = exec::run(&mut command, dir, limit + Duration::from_secs(10))?;
    let read = |name: &str| fs::read(dir.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let cpu = read("cpu.txt")?.lines().last().and_then(seconds).unwrap_or(0.0);
    let timed_out = ended.timed_out || ended.code.is_some_and(|code| ENDED.contains(&code));
    // The shell tells a signal by a number beyond those of programs.
    let code = ended.code.filter(|code| *code < 128);
    Ok(Used { code, timed_out, stdout: read("out.txt")?, stderr: read("err.txt")?, cpu })
}

/// Reads `0.012 0.003`.
fn seconds(line: &str) -> Option<f64> {
    line.split(' ').map(|word| word.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Scratch;

    #[test]
    fn work_is_measured_and_output_comes_back() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; exit 3";
        let used = run(Path::new("sh"), &["-c", busy], scratch.path(), Duration::from_secs(60))?;
        assert_eq!((used.code, used.stdout.as_str(), used.timed_out), (Some(3), "done\n", false));
        assert!(used.cpu > 0.02, "{used:?}");
        Ok(())
    }

    #[test]
    fn the_limit_ends_a_program() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let used = run(Path::new("sleep"), &["5"], scratch.path(), Duration::from_millis(100))?;
        assert!(used.timed_out && used.cpu < 1.0, "{used:?}");
        Ok(())
    }

    #[test]
    fn a_signal_is_no_status() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let used = run(Path::new("sh"), &["-c", "kill -ABRT $$"], scratch.path(), Duration::from_secs(5))?;
        assert_eq!((used.code, used.timed_out), (None, false));
        Ok(())
    }
}
