//! Chooses counterexamples that differ in more than the order of their steps.

use starwheel_engine::Finding;
use starwheel_model::{ProcessStep, Step};
use std::collections::HashSet;

/// Errors that are looked at for each counterexample that is wanted.
pub const TRIES: u64 = 64;

/// Keeps the first of those findings that have the same error and the same steps, in whatever order, and so many in all.
pub fn different(findings: &mut Vec<Finding>, most: u64) {
    let mut known = HashSet::new();
    let own = |step: &Step| {
        let partner = step.partner().map(|(pid, trans)| (pid.0, trans.index()));
        (step.pid().0, step.action.index(), partner, step.timeout)
    };
    findings.retain(|f| {
        let mut steps: Vec<_> = f.trail.iter().map(own).collect();
        steps.sort_unstable();
        (known.len() as u64) < most && known.insert((f.violation.message.clone(), steps))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_engine::Goal;
    use starwheel_model::{Pid, TransId};

    fn finding(steps: &[(u8, u32)]) -> Finding {
        let trail = steps.iter().map(|&(pid, trans)| Step::of(Pid(pid), TransId(trans), None, false)).collect();
        Finding { violation: Goal::default().violation(), trail, cycle_start: None, events: 1 }
    }

    #[test]
    fn another_order_is_no_other_counterexample() {
        let one = finding(&[(0, 1), (1, 2)]);
        let mut all = vec![one.clone(), finding(&[(1, 2), (0, 1)]), finding(&[(0, 1)]), finding(&[(1, 2)])];
        different(&mut all, 2);
        assert_eq!(all, [one, finding(&[(0, 1)])]);
    }
}
