//! Follows a trail from the initial state, step by step, believing nothing.

use crate::job::Fairness;
use crate::simulate::Taken;
use starwheel_model::{Fired, Step, Stepper, System, Violation};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// A trail does not fit its system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The step with this number is not possible where the trail wants it.
    NotEnabled(u64),
    /// The path ends before the step with this number, because what went before has no meaning.
    Broken(u64),
    /// The trail can be followed, but the violation does not show at its end.
    NoViolation,
    /// The trail can be followed, but its end is no cycle.
    NoCycle,
    /// The trail ends in a cycle, but no state on it is accepting.
    NotAccepting,
    /// The trail ends in a cycle, but this process is forgotten there.
    Unfair(u8),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::NotEnabled(n) => write!(f, "step {} of the trail is not possible", n + 1),
            Mismatch::Broken(n) => write!(f, "the path ends before step {} of the trail", n + 1),
            Mismatch::NoCycle => write!(f, "the end of the trail is no cycle"),
            Mismatch::NotAccepting => write!(f, "the trail ends in a cycle without an accepting state"),
            Mismatch::Unfair(agent) => write!(f, "the cycle at the end of the trail is unfair to process {agent}"),
            Mismatch::NoViolation => write!(f, "the trail does not lead to the violation"),
        }
    }
}

/// Follows a trail and shows each step to `watch`.
pub fn replay(system: &dyn System, trail: &[Step], watch: &mut dyn FnMut(&Taken<'_>)) -> Result<(), Mismatch> {
    follow(&mut *system.stepper(), trail, watch).map(drop)
}

/// Checks that a trail leads to a violation.
pub(crate) fn confirm(system: &dyn System, trail: &[Step], violation: &Violation) -> Result<(), Mismatch> {
    let mut stepper = system.stepper();
    let (state, fired) = follow(&mut *stepper, trail, &mut |_| ())?;
    if fired.violations.contains(violation) {
        return Ok(());
    }
    let mut steps = Vec::new();
    if !fired.broken {
        stepper.enabled(&state, &mut steps);
        if steps.is_empty() && stepper.stuck(&state).as_ref() == Some(violation) {
            return Ok(());
        }
    }
    Err(Mismatch::NoViolation)
}

/// Checks that the steps of a trail from `start` on lead back to where they begin, past an accepting state. Without such
/// steps, the last state must be accepting and have no step at all.
pub fn confirm_cycle(system: &dyn System, trail: &[Step], start: usize, stutter: bool) -> Result<(), Mismatch> {
    let mut stepper = system.stepper();
    let mut judge = system.stepper();
    let hidden = system.hidden_bytes();
    let (mut first, mut accepting) = (None, false);
    let (last, fired) = follow(&mut *stepper, trail, &mut |taken| {
        if taken.number as usize >= start {
            first.get_or_insert_with(|| taken.before.to_vec());
            accepting |= !judge.transient(taken.before) && judge.accepting(taken.before);
        }
    })?;
    if fired.broken {
        return Err(Mismatch::Broken(trail.len() as u64));
    }
    let comes_round = match &first {
        Some(first) => first.get(hidden..) == last.get(hidden..),
        None => {
            let mut steps = Vec::new();
            stepper.enabled(&last, &mut steps);
            accepting = judge.accepting(&last);
            stutter && steps.is_empty()
        }
    };
    match (comes_round, accepting) {
        (false, _) => Err(Mismatch::NoCycle),
        (true, false) => Err(Mismatch::NotAccepting),
        (true, true) => Ok(()),
    }
}

/// Checks that the steps of a trail from `start` on, repeated for ever, are fair to every process.
pub fn confirm_fair(system: &dyn System, trail: &[Step], start: usize, fairness: Fairness) -> Result<(), Mismatch> {
    let (mut stepper, mut judge) = (system.stepper(), system.stepper());
    let (mut steps, mut omitted) = (Vec::new(), Vec::new());
    // How often all processes could choose, how often each of them could move then, and all that moved.
    let (mut choices, mut able, mut moved) = (0u64, BTreeMap::<u8, u64>::new(), HashSet::new());
    let (mut open, mut whole) = (false, true);
    follow(&mut *stepper, trail, &mut |taken| {
        if (taken.number as usize) < start {
            return;
        }
        // A cycle that begins on the way between stored states would hide a choice.
        whole &= taken.number as usize > start || !judge.transient(taken.before);
        open |= !judge.transient(taken.before);
        moved.extend(taken.step.agents());
        let ends = !judge.transient(taken.after);
        if open && !taken.step.actor.is_claim() {
            judge.enabled(taken.before, &mut steps);
            judge.omitted(taken.before, &mut omitted);
            choices += 1;
            for agent in steps.iter().chain(&omitted).flat_map(|s| s.agents()).collect::<HashSet<_>>() {
                *able.entry(agent).or_default() += 1;
            }
            open = false;
        } else if open && ends {
            // Only a claim has moved: no process could.
            choices += 1;
        }
    })?;
    if !whole {
        return Err(Mismatch::NoCycle);
    }
    let unfair = |&(agent, &able): &(&u8, &u64)| match fairness {
        Fairness::Weak => able == choices && !moved.contains(agent),
        Fairness::Strong => !moved.contains(agent),
    };
    match able.iter().find(unfair) {
        Some((&agent, _)) => Err(Mismatch::Unfair(agent)),
        None => Ok(()),
    }
}

/// Walks along the trail; the last state and what came of the last step.
fn follow(
    stepper: &mut dyn Stepper,
    trail: &[Step],
    watch: &mut dyn FnMut(&Taken<'_>),
) -> Result<(Vec<u8>, Fired), Mismatch> {
    let (mut at, mut next) = (Vec::new(), Vec::new());
    let mut fired = stepper.initial(&mut at);
    for (number, &step) in (0..).zip(trail) {
        if fired.broken {
            return Err(Mismatch::Broken(number));
        }
        if !stepper.lists(&at, step) {
            return Err(Mismatch::NotEnabled(number));
        }
        next.clear();
        fired = stepper.fire(&at, step, &mut next);
        watch(&Taken { number, before: &at, step, fired: &fired, after: &next });
        std::mem::swap(&mut at, &mut next);
    }
    Ok((at, fired))
}
