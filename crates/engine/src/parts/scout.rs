//! What a long search learns from the states that it meets first: how they pack, or how the tree store should split them.

use crate::monitor::{Monitor, Tick};
use crate::parts::expander::Expander;
use crate::parts::ledger::{Flow, Key, key};
use crate::report::{Finding, Stop};
use starwheel_model::System;
use starwheel_store::{Census, Layout, Split};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Many states: a search that stores more is a long one.
pub const FAR: usize = 1 << 13;
/// Steps into transient states, for each step of a walk; where chains are longer, the walk is shorter.
const TRANSIENT: u64 = 64;
/// The pauses of a chain that a walk waits for.
const PAUSES: u32 = 8;
/// The time that a walk may take: where a single step is long, a few of them must do.
const PATIENCE: Duration = Duration::from_secs(1);
/// One of so many is kept.
pub const SHARE: usize = 4;

/// A rule to split the states of a system by, learned from some that were seen and from a random walk.
pub fn learn(system: &dyn System, seen: &[Vec<u8>]) -> Split {
    let walked = stroll(system, FAR.min(SHARE * seen.len()), SHARE);
    Split::choose(&seen.iter().chain(&walked).map(|state| &state[..]).collect::<Vec<_>>())
}

/// A layout for the states of a system, learned from some that were seen and from a random walk; none if they do not pack.
pub fn layout<'s>(system: &dyn System, seen: impl Iterator<Item = &'s [u8]>) -> Option<Layout> {
    let mut census = Census::new();
    seen.for_each(|state| census.add(state));
    stroll(system, FAR, SHARE).iter().for_each(|state| census.add(state));
    census.layout()
}

/// The same from a random walk alone, for a search that has seen nothing yet.
pub fn explore_split(system: &dyn System) -> Split {
    let walked = stroll(system, FAR, SHARE);
    Split::choose(&walked.iter().map(|state| &state[..]).collect::<Vec<_>>())
}

/// States on a random walk of so many steps, one of each `share`, without their hidden bytes. It starts again at each end.
/// The first states of a depth-first search are much alike; those of a walk come from everywhere.
fn stroll(system: &dyn System, steps: usize, share: usize) -> Vec<Vec<u8>> {
    let (mut expander, mut states) = (Expander::new(system), Vec::new());
    let (mut at, mut next, mut random, begun) = (Vec::new(), Vec::new(), 1u64, Instant::now());
    for step in 0..steps {
        if begun.elapsed() > PATIENCE {
            break;
        }
        if at.is_empty() {
            _ = expander.initial();
        } else {
            let mut pauses = 0..PAUSES;
            let flow = expander.expand(&at, |wrongs| {
                wrongs.clear();
                pauses.next().map_or(Flow::Break(None), |_| Flow::Continue(()))
            });
            if flow.is_break() || expander.atomic_steps > TRANSIENT * steps as u64 {
                break;
            }
        }
        next.clear();
        let mut count = 0;
        expander.each(|state| {
            // Each of them is the one with the same probability.
            count += 1;
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (random >> 33) % count == 0 {
                next.clear();
                next.extend_from_slice(state);
            }
        });
        std::mem::swap(&mut at, &mut next);
        if step % share == 0 && !at.is_empty() {
            states.push(at[system.hidden_bytes()..].to_vec());
        }
    }
    states
}

/// A monitor of two searches that is told of each error once.
pub struct Once<'a> {
    watch: &'a dyn Monitor,
    /// The errors that were told and not found again yet, while the second search goes on.
    told: Mutex<Vec<Key>>,
    again: bool,
}

impl<'a> Once<'a> {
    /// Nothing has been told.
    pub fn new(watch: &'a dyn Monitor) -> Once<'a> {
        Once { watch, told: Mutex::default(), again: false }
    }

    /// The second search begins.
    pub fn begin_again(&mut self) {
        self.again = true;
    }
}

impl Monitor for Once<'_> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        self.watch.progress(tick)
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(&finding.violation);
        if !self.again {
            told.push(key);
        } else if let Some(known) = told.iter().position(|it| *it == key) {
            told.swap_remove(known);
            return ControlFlow::Continue(());
        }
        self.watch.found(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_model::{Violation, ViolationKind};

    /// Counts what it is told, and wants to stop.
    #[derive(Default)]
    struct Counter(Mutex<(u32, u32)>);

    impl Monitor for Counter {
        fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
            self.0.lock().unwrap().0 += 1;
            ControlFlow::Break(Stop::Interrupted)
        }

        fn found(&self, _: &Finding) -> ControlFlow<Stop> {
            self.0.lock().unwrap().1 += 1;
            ControlFlow::Break(Stop::Interrupted)
        }
    }

    #[test]
    fn a_monitor_of_two_searches_loses_nothing_and_tells_nothing_twice() {
        let counter = Counter::default();
        let mut once = Once::new(&counter);
        let finding = |kind| Finding {
            violation: Violation { kind, message: String::new(), span: Default::default(), actor: None },
            trail: Vec::new(),
            cycle_start: None,
            events: 1,
        };
        let first = finding(ViolationKind::Assertion);
        assert!(once.progress(&Tick::default()).is_break() && once.found(&first).is_break());
        once.begin_again();
        assert!(once.progress(&Tick::default()).is_break());
        assert!(once.found(&first).is_continue(), "it was told before");
        assert!(once.found(&finding(ViolationKind::RuntimeError)).is_break());
        assert_eq!(*counter.0.lock().unwrap(), (2, 2));
    }
}
