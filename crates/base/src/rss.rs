//! How much memory this process has used and how much the machine has left, as Linux tells.

use std::fs;

/// The largest amount of memory that this process has held, in bytes; zero where nobody tells.
pub fn peak_rss() -> u64 {
    kilobytes(&fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmHWM:").unwrap_or(0)
}

/// The amount of memory that this process holds now, in bytes; zero where nobody tells.
pub fn current_rss() -> u64 {
    kilobytes(&fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmRSS:").unwrap_or(0)
}

/// The memory that a search may take if nobody sets a limit: most of what is free, so that a search that grows too
/// large ends with a report instead of being killed.
pub fn default_limit() -> Option<u64> {
    let free = kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let free = group_free().map_or(free, |group| group.min(free));
    Some(free / 10 * 9)
}

/// What is left of the limit of the control group, if there is one.
fn group_free() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let two = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let one = || {
        let limit = number("/sys/fs/cgroup/memory/memory.limit_in_bytes")?;
        Some((limit, number("/sys/fs/cgroup/memory/memory.usage_in_bytes")?))
    };
    let (limit, used) = two.or_else(one)?;
    Some(limit.saturating_sub(used))
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kb| kb * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_proc_are_understood() {
        let text = "VmPeak:\t  10 kB\nVmHWM:\t   2048 kB\n";
        assert_eq!(kilobytes(text, "VmHWM:"), Some(2 << 20));
        assert_eq!(kilobytes(text, "VmRSS:"), None);
    }
}
