//! How long a thread has worked, whatever else the machine has to do: what is worth a moment is so on a busy machine, too.

use starwheel_engine::{Finding, Monitor, Stop, Tick};
use std::ops::ControlFlow;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// How much longer than it works a thread may take, by the clock on the wall: what is found must depend on the work, not on what
/// else the machine does, so this is far more than a busy machine needs.
const PATIENCE: u32 = 20;
/// Beyond this it may take no longer than it works: who has waited for so long need not wait for a multiple of it.
const LONG: Duration = Duration::from_secs(10);

/// Ends a search when the thread that made this has worked for some time.
pub struct Worked<'a> {
    monitor: &'a dyn Monitor,
    thread: ThreadId,
    most: Duration,
    /// What it had worked at first, and when that was; where nobody knows, only the clock counts.
    before: Option<Duration>,
    began: Instant,
}

impl<'a> Worked<'a> {
    /// Passes on what a search of this thread tells, and ends it after so much work.
    pub fn new(monitor: &'a dyn Monitor, most: Duration) -> Worked<'a> {
        Worked { monitor, thread: thread::current().id(), most, before: worked(), began: Instant::now() }
    }

    /// The work that is left of it.
    pub fn unspent(&self) -> Duration {
        match (self.before, worked()) {
            (Some(before), Some(now)) => self.most.saturating_sub(now.saturating_sub(before)),
            _ => self.most.saturating_sub(self.began.elapsed()),
        }
    }

    /// What is left of it; the time on the wall that it may take at the most.
    pub fn left(&self) -> Duration {
        let wall = self.most.saturating_mul(PATIENCE).min(self.most.max(LONG));
        let slow = wall.saturating_sub(self.began.elapsed());
        let work = self.unspent();
        if work.is_zero() { work } else { slow }
    }
}

impl Monitor for Worked<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if thread::current().id() == self.thread && self.left().is_zero() {
            return ControlFlow::Break(Stop::Time(self.most));
        }
        self.monitor.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        self.monitor.found(finding)
    }
}

/// How long this thread has worked, if the system tells.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// How long the whole program has worked so far, if the system tells; to a hundredth of a second.
pub fn worked_in_all() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may contain anything, the times are the twelfth and the thirteenth word.
    let (_, words) = text.rsplit_once(')')?;
    let ticks: Vec<u64> = words.split_whitespace().skip(11).take(2).filter_map(|word| word.parse().ok()).collect();
    (ticks.len() == 2).then(|| Duration::from_millis(10 * (ticks[0] + ticks[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_engine::Silent;

    #[test]
    fn waiting_is_no_work_but_does_not_go_on_for_ever() {
        let worked = Worked::new(&Silent, Duration::from_millis(20));
        if worked.before.is_some() {
            thread::sleep(Duration::from_millis(40));
            assert!(worked.progress(&Tick::default()).is_continue());
        }
        thread::sleep(Duration::from_millis(400));
        assert!(worked.progress(&Tick::default()).is_break());
    }

    #[test]
    fn the_whole_has_worked_no_less_than_before() {
        if cfg!(target_os = "linux") {
            let before = worked_in_all().expect("the system tells");
            assert!(worked_in_all().is_some_and(|after| after >= before));
        }
    }

    #[test]
    fn work_comes_to_an_end() {
        let worked = Worked::new(&Silent, Duration::from_millis(20));
        let began = Instant::now();
        while worked.progress(&Tick::default()).is_continue() {
            assert!(began.elapsed() < Duration::from_secs(20));
        }
    }
}
