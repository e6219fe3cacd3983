//! Weak fairness by copies of the states, so that any search for an accepting state on a cycle finds fair cycles.
//!
//! Choueka's flags (1974), as G. Holzmann uses them in SPIN and D. Bošnački describes them (Enhancing State Space
//! Reduction Techniques for Model Checking, 2001, chapters 3 and 7). Each state has copies, and each copy waits:
//!
//! ```text
//! copy 0 ── accepting state ──▶ copy of process 0 ── it moves or cannot ──▶ copy of process 1 ──▶ … ──▶ last copy
//!   ▲                                                                                                       │
//!   └───────────────────────────────────────── with the next step ─────────────────────────────────────────┘
//! ```
//!
//! A run passes the last copy again and again if and only if it is accepting and weakly fair; the states of that copy are
//! the accepting ones. Where we differ: going on to the next copy is no step of its own. Each step goes on as far as
//! it can, over all processes that cannot move, so each step of the system is exactly one step in each copy and a trail
//! needs no translation. Processes that do not exist cannot move, so their number needs no bound. Inside an atomic
//! sequence each step goes on by those who move.
//!
//! The states are shared: [`super::CopyStore`] keeps each one once, and for each a bit for each copy that was seen.

use super::carried::{Carried, Carrier, Trailer};
use super::{Listed, PidSet};
use starwheel_model::{Behind, Step, Stepper, System};

/// The copy that waits for an accepting state.
pub(super) const FIRST: u16 = 0;
/// The copy that waits for process `p` is one above `p`; this one waits for nothing.
pub(super) const LAST: u16 = 256;
/// Behind a state: the number of the copy, and whether the processes have chosen since the last stored state.
const TRAILER: usize = 3;

/// A system whose states have copies.
#[derive(Clone, Copy)]
pub struct Copies<'a>(pub &'a dyn System);

impl Copies<'_> {
    /// The number of bytes that a copy adds to a state.
    pub const BYTES: usize = TRAILER;
}

around!(Copies, Waiting);

/// The state itself, its copy, and whether the processes have chosen.
pub(super) fn split(state: &[u8]) -> (&[u8], u16, bool) {
    match state.split_last_chunk::<TRAILER>() {
        Some((state, &[low, high, chosen])) => (state, u16::from_le_bytes([low, high]), chosen != 0),
        None => (state, FIRST, false),
    }
}

/// Puts the number of a copy behind a state.
pub(super) fn write(copy: u16, chosen: bool, out: &mut Vec<u8>) {
    let [low, high] = copy.to_le_bytes();
    out.extend_from_slice(&[low, high, u8::from(chosen)]);
}

/// Goes on over all processes that have got their due.
fn go_on(mut copy: u16, satisfied: PidSet) -> u16 {
    while (FIRST + 1..LAST).contains(&copy) && satisfied.has((copy - 1) as u8) {
        copy += 1;
    }
    copy
}

/// What is known where a step is taken: the copy, which is already that of the step, and whether the processes have chosen.
#[derive(Clone, Copy)]
struct Waiting {
    copy: u16,
    chosen: bool,
}

impl Trailer for Waiting {
    fn cut(state: &[u8]) -> &[u8] {
        split(state).0
    }

    fn restore(out: &mut Vec<u8>) {
        write(FIRST, false, out);
    }
}

impl Carried for Waiting {
    fn before(inner: &mut dyn Stepper, at: &[u8]) -> Waiting {
        let (state, mut copy, chosen) = split(at);
        if !inner.transient(state) {
            copy = if copy == LAST { FIRST } else { copy };
            copy = if copy == FIRST && inner.accepting(state) { FIRST + 1 } else { copy };
        }
        Waiting { copy, chosen }
    }

    fn after(self, step: Step, passes: bool, able: impl FnOnce() -> PidSet, out: &mut Vec<u8>) {
        let Waiting { copy, mut chosen } = self;
        let mut satisfied = PidSet::EMPTY;
        if step.actor.is_claim() && !passes {
            // The claim has moved, and no process can.
            satisfied = PidSet::ALL;
        } else if !step.actor.is_claim() && !chosen {
            chosen = true;
            if copy != FIRST && copy != LAST {
                satisfied = PidSet::ALL.without(able());
            }
        }
        satisfied.add_movers(step);
        write(go_on(copy, satisfied), chosen && passes, out);
    }

    /// A run that ends is fair, in whatever copy.
    fn accepting(inner: &mut dyn Stepper, listed: &mut Listed, at: &[u8]) -> bool {
        let (state, copy, _) = split(at);
        let accepting = inner.accepting(state);
        if accepting == (copy == LAST) {
            return accepting;
        }
        if listed.steps(inner, state).is_empty() { accepting } else { copy == LAST }
    }
}
