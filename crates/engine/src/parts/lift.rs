//! Trails of a system whose states are renamed, told in steps of the system behind it.
//!
//! A search of names ([`starwheel_system::Quotient`]) goes on from a name, not from the state that got it, so the steps that it
//! finds need not follow each other in reality: the second may be one of an agent that is another one there. The names along
//! its path are right, however. By the laws of [`starwheel_system::Normaliser`] each state that has a name leads, by as many
//! steps, to a state with the next name, so one real step after the other is found again by trying. A cycle of names comes
//! back to the same name and perhaps not to the same state; then it is gone round again, until it does: a class has finitely
//! many states, and from each the same way is found each time.
//!
//! That names are enough for properties that cannot tell alike states apart: E. Emerson, A. Sistla: Symmetry and Model Checking
//! (1996). Where we differ: searches know nothing of it, and real states are made for what is shown only.

use crate::report::Finding;
use starwheel_model::{Batch, Behind, Step, Stepper, System, Violation};
use std::collections::{HashMap, HashSet};

/// Steps after which a cycle that does not close is given up.
const LONGEST: usize = 1 << 22;

/// What was found in the steps of the system behind; `None` if a law is broken and it cannot be told.
pub fn lift(system: &dyn System, behind: Behind<'_>, finding: &Finding) -> Option<Finding> {
    let (names, in_step) = names(system, behind, finding)?;
    let mut real =
        Real { stepper: behind.system.stepper(), behind, at: Vec::new(), name: Vec::new(), trail: Vec::new() };
    let opening = real.stepper.initial(&mut real.at);
    let violation = &finding.violation;
    match finding.cycle_start {
        None if finding.trail.is_empty() && in_step => {
            let violation = laxly(|how| pick(&opening.violations, violation, how).cloned())?;
            Some(Finding { violation, ..finding.clone() })
        }
        None => {
            let violation = real.go_wrong(&names, finding, in_step)?;
            Some(Finding { violation, trail: real.trail, cycle_start: None, events: finding.events })
        }
        Some(start) => {
            let turn = names.iter().position(|name| name.after == start)?;
            real.along(&names[..=turn], &finding.trail)?;
            let start =
                if start == finding.trail.len() { real.trail.len() } else { real.round(&names[turn..], finding)? };
            Some(Finding { trail: real.trail, cycle_start: Some(start), ..finding.clone() })
        }
    }
}

/// A name on the path of a finding.
struct Name {
    /// After so many steps.
    after: usize,
    state: Vec<u8>,
}

/// The names along a trail, and whether its last step is what went wrong, or the initial state.
fn names(system: &dyn System, behind: Behind<'_>, finding: &Finding) -> Option<(Vec<Name>, bool)> {
    let (mut stepper, mut at, mut next) = (system.stepper(), Vec::new(), Vec::new());
    let mut fired = stepper.initial(&mut at);
    let class = |state: &[u8]| {
        let mut class = state.to_vec();
        behind.normaliser.class(&mut class);
        class
    };
    let mut names = vec![Name { after: 0, state: class(&at) }];
    for (number, &step) in finding.trail.iter().enumerate() {
        if fired.broken || !stepper.lists(&at, step) {
            return None;
        }
        fired = stepper.fire(&at, step, &mut next);
        std::mem::swap(&mut at, &mut next);
        if !fired.broken && !stepper.transient(&at) {
            names.push(Name { after: number + 1, state: class(&at) });
        }
    }
    Some((names, fired.violations.contains(&finding.violation)))
}

/// How much two violations must have in common. Who is to blame may be another one in reality, and where he stands.
#[derive(Clone, Copy)]
enum How {
    Same,
    SamePlace,
    SameKind,
}

/// The first answer, with the strictest condition that has one.
fn laxly<T>(ask: impl FnMut(How) -> Option<T>) -> Option<T> {
    [How::Same, How::SamePlace, How::SameKind].into_iter().find_map(ask)
}

fn pick<'v>(violations: &'v [Violation], wanted: &Violation, how: How) -> Option<&'v Violation> {
    violations.iter().find(|v| match how {
        How::Same => *v == wanted,
        How::SamePlace => v.kind == wanted.kind && v.span == wanted.span,
        How::SameKind => v.kind == wanted.kind,
    })
}

/// A walk through real states.
struct Real<'a> {
    stepper: Box<dyn Stepper + 'a>,
    behind: Behind<'a>,
    /// Where it is: a stored state.
    at: Vec<u8>,
    /// Scratch memory.
    name: Vec<u8>,
    trail: Vec<Step>,
}

/// All steps of a state on the way that is being tried.
struct Level {
    batch: Batch,
    tried: usize,
    /// How long the way is up to here.
    length: u64,
}

impl Real<'_> {
    /// Goes from name to name, from the first of them on, which is that of the state where it is.
    fn along(&mut self, names: &[Name], steps: &[Step]) -> Option<()> {
        let hidden = self.behind.system.hidden_bytes();
        for pair in names.windows(2) {
            let (normaliser, mut name) = (self.behind.normaliser, std::mem::take(&mut self.name));
            let found = self.chain(&steps[pair[0].after..pair[1].after], |batch, number| {
                let entry = &batch.entries[number];
                if entry.broken() || entry.transient() {
                    return false;
                }
                name.clear();
                name.extend_from_slice(batch.state(number));
                normaliser.class(&mut name);
                name.get(hidden..) == pair[1].state.get(hidden..)
            });
            self.name = name;
            (_, self.at) = found?;
        }
        Some(())
    }

    /// Goes to where something is wrong, and says what.
    fn go_wrong(&mut self, names: &[Name], finding: &Finding, in_step: bool) -> Option<Violation> {
        let Finding { trail, violation, .. } = finding;
        let before = names.iter().take_while(|name| !in_step || name.after < trail.len()).count();
        self.along(&names[..before], trail)?;
        if !in_step {
            let stuck: Vec<Violation> = self.stepper.stuck(&self.at).into_iter().collect();
            return laxly(|how| pick(&stuck, violation, how).cloned());
        }
        let last = &trail[names[before - 1].after..];
        laxly(|how| {
            let (batch, _) = self.chain(last, |batch, i| pick(batch.violations(i), violation, how).is_some())?;
            pick(&batch, violation, how).cloned()
        })
    }

    /// Goes round a cycle of names until the states are a cycle; the number of steps before it.
    fn round(&mut self, cycle: &[Name], finding: &Finding) -> Option<usize> {
        let hidden = self.behind.system.hidden_bytes();
        let mut seen = HashMap::new();
        while self.trail.len() < LONGEST {
            if let Some(start) = seen.insert(self.at.get(hidden..)?.to_vec(), self.trail.len()) {
                return Some(start);
            }
            self.along(cycle, &finding.trail)?;
        }
        None
    }

    /// Takes steps through transient states, together as long as the given ones, of which the last is wanted: what goes wrong
    /// in it, and its successor.
    fn chain(
        &mut self,
        like: &[Step],
        mut wanted: impl FnMut(&Batch, usize) -> bool,
    ) -> Option<(Vec<Violation>, Vec<u8>)> {
        let length: u64 = like.iter().map(|step| step.length()).sum();
        let mut passed = HashSet::new();
        let mut levels = vec![level(&mut *self.stepper, &self.at, 0)];
        while let Some(Level { batch, tried, length: before }) = levels.last_mut() {
            let number = *tried;
            let Some(entry) = batch.entries.get(number) else {
                levels.pop();
                continue;
            };
            *tried += 1;
            let after = *before + entry.step().length();
            if after == length && wanted(batch, number) {
                let found = (batch.violations(number).to_vec(), batch.state(number).to_vec());
                self.trail.extend(levels.iter().map(|l| l.batch.step(l.tried - 1)));
                return Some(found);
            }
            if after < length && entry.transient() && passed.insert((batch.state(number).to_vec(), after)) {
                let next = level(&mut *self.stepper, batch.state(number), after);
                levels.push(next);
            }
        }
        None
    }
}

fn level(stepper: &mut dyn Stepper, at: &[u8], length: u64) -> Level {
    let mut batch = Batch::new();
    stepper.expand(at, &mut batch);
    Level { batch, tried: 0, length }
}
