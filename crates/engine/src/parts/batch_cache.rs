//! Successors that are made before they are asked for: machine code makes all those of a state at once.
//!
//! A walk takes one step after the other and goes deeper in between, so the successors of a state have to wait. Those of the
//! topmost states do; when a walk comes back to one that is too far down, its successors are made once more.

use starwheel_model::{Batch, Step, Stepper};

/// How many states have their successors waiting.
const KEPT: usize = 16;

/// The successors of some states of a walk, by their place on its stack.
#[derive(Debug, Default)]
pub struct BatchCache {
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    batch: Batch,
    /// The place of the state, if there is one.
    place: Option<usize>,
    /// The successor that is asked for next.
    next: usize,
}

impl BatchCache {
    /// Makes the successors of the state at a place, and lists the steps.
    pub fn make(&mut self, stepper: &mut dyn Stepper, at: &[u8], place: usize, steps: &mut Vec<Step>) {
        let slot = place % KEPT;
        if self.levels.len() <= slot {
            self.levels.resize_with(slot + 1, Level::default);
        }
        let level = &mut self.levels[slot];
        stepper.expand(at, &mut level.batch);
        (level.place, level.next) = (Some(place), 0);
        steps.clear();
        steps.extend(level.batch.entries.iter().map(|entry| entry.step()));
    }

    /// Where the successor by a step lies, if it waits. Steps are asked for in their order.
    pub fn find(&mut self, place: usize, step: Step) -> Option<(&Batch, usize)> {
        let level = self.levels.get_mut(place % KEPT).filter(|level| level.place == Some(place))?;
        let rest = level.batch.entries.get(level.next..)?;
        let found = level.next + rest.iter().position(|entry| entry.step() == step)?;
        level.next = found;
        Some((&level.batch, found))
    }

    /// The state at a place is another one now, or none.
    pub fn forget(&mut self, place: usize) {
        if let Some(level) = self.levels.get_mut(place % KEPT).filter(|level| level.place == Some(place)) {
            level.place = None;
        }
    }

    /// Forgets all states.
    pub fn clear(&mut self) {
        self.levels.iter_mut().for_each(|level| level.place = None);
    }
}
