//! Transient states that were followed to all their ends already, and how much lies behind each of them.
//!
//! An atomic sequence with many choices has far more ways through it than states, where choices make no difference in the
//! end. Whoever comes to such a state by a second way, while the same stored state is expanded, finds nothing new behind it:
//! its ends have all been put down. So they are counted and not followed again, and all figures stay what they are.
//!
//! That holds only if nothing behind the state depends on the way to it: nothing that goes wrong, which is reported with its
//! way, and no state that the chain had passed before, where it was cut. A state behind which there is neither lies on no cycle
//! of transient states, so the chain by which one comes to it again cannot be cut behind it either.

use std::collections::HashMap;

/// Transient states that are entered before any of them is remembered: most chains are short.
const PATIENCE: u64 = 1 << 8;
/// The most bytes of states that are remembered.
const ROOM: usize = 16 << 20;

/// What lies behind a transient state, or was counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Arrivals at states for the store.
    pub ends: u64,
    /// Steps into transient states.
    pub atomic_steps: u64,
    /// Steps of the clock.
    pub ticks: u64,
    /// What depends on the way.
    pub faults: u64,
}

impl Sum {
    /// Adds what lies behind a state.
    pub fn add(&mut self, other: Sum) {
        self.ends = self.ends.saturating_add(other.ends);
        self.atomic_steps = self.atomic_steps.saturating_add(other.atomic_steps);
        self.ticks = self.ticks.saturating_add(other.ticks);
    }

    /// What was counted since.
    fn since(self, before: Sum) -> Sum {
        Sum {
            ends: self.ends - before.ends,
            atomic_steps: self.atomic_steps - before.atomic_steps,
            ticks: self.ticks - before.ticks,
            faults: self.faults - before.faults,
        }
    }
}

/// The states, while one stored state is expanded.
#[derive(Debug, Default)]
pub struct Passed {
    entered: u64,
    bytes: usize,
    behind: HashMap<Box<[u8]>, Sum>,
}

impl Passed {
    /// Forgets everything.
    pub fn clear(&mut self) {
        // What is remembered, is so after many were entered.
        if self.entered > PATIENCE {
            self.behind.clear();
            self.bytes = 0;
        }
        self.entered = 0;
    }

    /// True if no state has been entered.
    pub fn is_clear(&self) -> bool {
        self.entered == 0
    }

    /// Comes to a state: what lies behind it, if it was followed before.
    pub fn enter(&mut self, state: &[u8]) -> Option<Sum> {
        self.entered += 1;
        if self.behind.is_empty() { None } else { self.behind.get(state).copied() }
    }

    /// True if states are worth remembering by now.
    pub fn remembers(&self) -> bool {
        self.entered > PATIENCE && self.bytes < ROOM
    }

    /// Leaves a state, all of whose ends have been put down, given what was counted before it and by now.
    pub fn leave(&mut self, state: &[u8], before: Sum, now: Sum) {
        let behind = now.since(before);
        if behind.faults == 0 && now.ends.max(now.atomic_steps).max(now.ticks) < u64::MAX {
            self.bytes += state.len() + size_of::<Sum>();
            self.behind.insert(state.into(), behind);
        }
    }
}
