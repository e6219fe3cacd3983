//! Timers that nobody looks at any more: where they may be switched off, and why that changes no verdict.
//!
//! A timer is *dead* at a place of its process if from there no path reads it before it is set or reset. Only local timers are
//! looked at (`promela/src/lower/optimise.rs`), and none at all if anybody refers to variables of another process; so nothing
//! that is evaluated reads a dead timer. But a dead timer that runs still lets time pass: switched off, it takes ticks away.
//!
//! **Lemma.** Let f(s) be the state s with its dead timers off. Whether a state is quiet does not depend on dead timers, so
//!
//! 1. a process can take a step from s if and only if it can from f(s), and the two lead to states with the same f;
//! 2. if a timer runs in f(s), the clock can move in s if and only if it can in f(s), and again to states with the same f: a tick
//!    changes every timer by itself;
//! 3. if no timer runs in f(s), but a dead one in s, time can pass in s if s is quiet or has lazy steps only, and it leads to a
//!    state with the same f. Values are bounded, so this happens finitely often in a row. Then no timer runs any more, and s is an
//!    end if and only if f(s) is one.
//!
//! So f is a bisimulation up to finite stuttering: assertions, ends, errors, cycles, fairness (which asks who can move) and all
//! properties that do not count how often a state is repeated are kept. The images of f are the states of the model in which
//! each timer is switched off by the step after which it is dead, up to timers that die by a branch that does not name them,
//! to which the lemma applies as well. A jump then goes to the next expiry that matters: its own proof
//! (`starwheel_model::time::Pace`) is about any model, this one included.
//!
//! **Not kept** is how much time passes, and how often. So timers are left alone where that counts: with `--divergent`, with
//! properties that may tell repeated states apart (`X`, some claims and automata), with `--search bfs`, which promises the fastest
//! counterexample, and with `--depth`. The trail of a run that gets stuck ends where nothing but dead timers would still run out.

use crate::ask::automata::counts_steps;
use crate::ask::plan::{Plan, Reading};
use crate::open::Opened;
use crate::property::target::targets;
use crate::property::time::counts_repeats;

/// The model with dead timers off, where that is sound; else as it is.
pub fn switched_off(opened: Opened, plan: &Plan) -> Opened {
    if !wanted(plan) || opened.model.layout.frames.iter().all(|f| f.timers.is_empty()) {
        return opened;
    }
    let Ok(targets) = targets(&opened, plan) else { return opened };
    if targets.iter().any(|t| counts_repeats(&opened, t).is_err()) {
        return opened;
    }
    match opened.again(&Reading { dead_timers: true, ..opened.reading.clone() }) {
        Some(other) => Opened { warnings: opened.warnings, ..other },
        None => opened,
    }
}

/// Whether a plan resets what is dead and counts no time.
fn wanted(plan: &Plan) -> bool {
    plan.reading.dead_vars && !plan.reading.divergent && !counts_steps(plan)
}
