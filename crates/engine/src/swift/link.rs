//! The steps between two stored states of which one follows the other, found again by trying.

use starwheel_model::{Step, Stepper, System};
use std::collections::HashSet;

/// The steps along a path of stored states, the first of which is the initial state; `None` if there are none.
pub fn trail(system: &dyn System, path: &[Vec<u8>]) -> Option<Vec<Step>> {
    let mut link = Link { stepper: system.stepper(), hidden: system.hidden_bytes(), passed: HashSet::new() };
    let mut out = Vec::new();
    for pair in path.windows(2) {
        link.passed.clear();
        if !link.chain(&pair[0], &pair[1], &mut out) {
            return None;
        }
    }
    Some(out)
}

struct Link<'a> {
    stepper: Box<dyn Stepper + 'a>,
    hidden: usize,
    /// Passing states from which there is no way, or that are being tried.
    passed: HashSet<Vec<u8>>,
}

/// A passing state and the steps from it that have not been tried; the last one is the current one.
struct Level {
    state: Vec<u8>,
    steps: Vec<Step>,
}

impl Link<'_> {
    /// Appends a chain of steps that leads from one state through passing ones to another; false if there is none.
    fn chain(&mut self, from: &[u8], to: &[u8], out: &mut Vec<Step>) -> bool {
        let mut levels = vec![self.level(from.to_vec())];
        while let Some(level) = levels.last_mut() {
            let Some(&step) = level.steps.last() else {
                levels.pop();
                if let Some(below) = levels.last_mut() {
                    below.steps.pop();
                }
                continue;
            };
            let mut next = Vec::new();
            let fired = self.stepper.fire(&level.state, step, &mut next);
            if !fired.broken && !self.stepper.transient(&next) && next[self.hidden..] == to[self.hidden..] {
                out.extend(levels.iter().filter_map(|l| l.steps.last()));
                return true;
            }
            if !fired.broken && self.stepper.transient(&next) && self.passed.insert(next.clone()) {
                let level = self.level(next);
                levels.push(level);
            } else {
                level.steps.pop();
            }
        }
        false
    }

    fn level(&mut self, state: Vec<u8>) -> Level {
        let mut steps = Vec::new();
        self.stepper.enabled(&state, &mut steps);
        steps.reverse();
        Level { state, steps }
    }
}
