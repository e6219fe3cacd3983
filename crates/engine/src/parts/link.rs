//! The steps between two stored states of which one follows the other, found again by trying.

use starwheel_model::{Batch, Step, Stepper, System};
use std::collections::HashSet;

/// The steps along a path of stored states, the first of which is the initial state; `None` if there are none.
pub fn trail(system: &dyn System, path: &[Vec<u8>]) -> Option<Vec<Step>> {
    let (stepper, hidden) = (system.stepper(), system.hidden_bytes());
    let mut link = Link { stepper, hidden, levels: Vec::new(), passed: HashSet::new() };
    let mut out = Vec::new();
    for pair in path.windows(2) {
        if !link.chain(&pair[0], &pair[1], &mut out) {
            return None;
        }
    }
    Some(out)
}

struct Link<'a> {
    stepper: Box<dyn Stepper + 'a>,
    hidden: usize,
    /// The state itself, then the transient states on the way that is being tried.
    levels: Vec<Level>,
    /// Transient states from which there is no way, or that are being tried.
    passed: HashSet<Vec<u8>>,
}

/// All successors of one state on the way, and how many of them have been tried; the last of these is the current one.
#[derive(Default)]
struct Level {
    batch: Batch,
    tried: usize,
}

impl Link<'_> {
    /// Appends a chain of steps that leads from one state through transient ones to another; false if there is none.
    fn chain(&mut self, from: &[u8], to: &[u8], out: &mut Vec<Step>) -> bool {
        self.passed.clear();
        self.enter(0, from);
        let mut depth = 0;
        loop {
            let level = &mut self.levels[depth];
            let Some(entry) = level.batch.entries.get(level.tried) else {
                if depth == 0 {
                    return false;
                }
                depth -= 1;
                continue;
            };
            level.tried += 1;
            if entry.broken() {
                continue;
            }
            let next = level.batch.state(level.tried - 1);
            if !entry.transient() {
                if next[self.hidden..] == to[self.hidden..] {
                    out.extend(self.levels[..=depth].iter().map(|l| l.batch.step(l.tried - 1)));
                    return true;
                }
            } else if !self.passed.contains(next) {
                let next = next.to_vec();
                depth += 1;
                self.enter(depth, &next);
                self.passed.insert(next);
            }
        }
    }

    /// Takes all steps of a state.
    fn enter(&mut self, depth: usize, state: &[u8]) {
        if self.levels.len() == depth {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[depth];
        self.stepper.expand(state, &mut level.batch);
        level.tried = 0;
    }
}
