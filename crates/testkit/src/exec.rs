//! Starting other programs with a time limit, and folders for what they write.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its exit status; none if a signal or the time limit ended it.
    pub code: Option<i32>,
    /// The time limit ended it.
    pub timed_out: bool,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// How long it ran.
    pub seconds: f64,
    /// The most memory that it was seen to hold, in bytes, if it ran for more than a few milliseconds.
    pub peak_rss: u64,
}

/// Runs a program in `dir` to its end, or kills it after `limit`. Output goes through files, so nothing can clog.
pub fn run(command: &mut Command, dir: &Path, limit: Duration) -> io::Result<Ended> {
    let (out, err) = (dir.join("stdout.txt"), dir.join("stderr.txt"));
    command.current_dir(dir).stdin(Stdio::null());
    command.stdout(File::create(&out)?).stderr(File::create(&err)?);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut peak_rss = 0;
    let status = wait(&mut child, start, limit, &mut peak_rss)?;
    Ok(Ended {
        code: status.and_then(|s| s.code()),
        timed_out: status.is_none(),
        stdout: read_lossy(&out)?,
        stderr: read_lossy(&err)?,
        seconds: start.elapsed().as_secs_f64(),
        peak_rss,
    })
}

/// Polls with pauses that grow with the time that has gone by: little is lost of short runs, and long ones cost nothing.
fn wait(child: &mut Child, start: Instant, limit: Duration, peak: &mut u64) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        let gone = start.elapsed();
        if gone > Duration::from_millis(3) {
            *peak = (*peak).max(held(child.id()));
        }
        std::thread::sleep((gone / 8).clamp(Duration::from_micros(50), Duration::from_millis(5)));
    }
}

/// The most memory that a process has held so far; zero where nobody tells.
fn held(id: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kilobytes| kilobytes * 1024)
}

fn read_lossy(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// A folder that is removed when it goes out of scope; in memory where the machine offers that.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A fresh empty folder.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("testkit-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is no reason to fail a test.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_come_back() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let ended = run(Command::new("sh").args(["-c", "echo hi; exit 3"]), scratch.path(), Duration::from_secs(5))?;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), "hi\n"));
        Ok(())
    }

    #[test]
    fn the_time_limit_ends_a_program() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let ended = run(Command::new("sleep").arg("5"), scratch.path(), Duration::from_millis(50))?;
        assert!(ended.timed_out && ended.seconds < 2.0);
        Ok(())
    }
}
