//! Follows what is about to be shown from the initial state on, believing nothing: the steps are possible, so much time passes, and the
//! moment comes in the last state only, or nowhere.

use super::Shown;
use super::explore::Explored;
use crate::parts::ledger::Flow;
use crate::replay::replay;
use crate::report::Stop;
use starwheel_model::{Actor, Step};
use starwheel_store::NumberedTree;
use std::ops::ControlFlow;

/// What was seen on a run.
#[derive(Default)]
struct Seen {
    time: u64,
    /// The slices until it goes round.
    before: u64,
    /// In how many stored states behind the first the moment has come.
    moments: usize,
    /// Whether that is so in the last state.
    last: bool,
    /// The state in which it begins to go round, and the last one.
    start: Option<Vec<u8>>,
    end: Vec<u8>,
}

impl Explored<'_, '_, NumberedTree> {
    /// Ends the search if a run is not what it should be.
    pub fn confirm(&mut self, shown: &Shown, comes: bool) -> Flow {
        let seen = match self.see(shown) {
            Ok(seen) => seen,
            Err(why) => return Flow::Break(Some(Stop::Internal(why))),
        };
        let hidden = self.system.hidden_bytes();
        let round = seen.start.as_ref().is_none_or(|start| start.get(hidden..) == seen.end.get(hidden..));
        let good = if comes { seen.moments == 1 && seen.last } else { seen.moments == 0 };
        let time = if shown.cycle_start.is_some() { seen.before } else { seen.time };
        if round && good && time == shown.time && seen.time == shown.time + shown.round {
            return ControlFlow::Continue(());
        }
        Flow::Break(Some(Stop::Internal("a run does not show what it should".to_string())))
    }

    fn see(&mut self, shown: &Shown) -> Result<Seen, String> {
        let (system, moment) = (self.system, &mut *self.moment);
        let mut judge = system.stepper();
        let mut seen = Seen::default();
        if judge.initial(&mut seen.end).broken {
            return Err("a run has no beginning".to_string());
        }
        let result = replay(system, &shown.trail, &mut |taken| {
            if shown.cycle_start == Some(taken.number as usize) {
                (seen.start, seen.before) = (Some(taken.before.to_vec()), seen.time);
            }
            let Step { actor, .. } = taken.step;
            if actor == Actor::Clock {
                seen.time += u64::from(moment.slices(taken.before));
            }
            seen.last = match taken.fired.broken {
                true => moment.came_before_the_end(taken.before, taken.step) == Ok(true),
                false => !judge.transient(taken.after) && moment.has_come(taken.after) == Ok(true),
            };
            seen.moments += usize::from(seen.last);
            seen.end = taken.after.to_vec();
        });
        result.map(|()| seen).map_err(|mismatch| mismatch.to_string())
    }

    /// The number of steps before those that a trail into the middle of an atomic sequence repeats.
    pub fn comes_round(&mut self, trail: &[Step]) -> Flow<usize> {
        let mut states = Vec::new();
        let followed = replay(self.system, trail, &mut |taken| states.push(taken.after.to_vec()));
        let last = states.pop();
        match (followed, states.iter().position(|state| Some(state) == last.as_ref())) {
            (Ok(()), Some(before)) => Flow::Continue(before + 1),
            _ => Flow::Break(Some(Stop::Internal("an atomic sequence does not come round".to_string()))),
        }
    }
}
