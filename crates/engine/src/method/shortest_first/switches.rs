//! Fewest context switches first: the run to an error in which another process takes over as rarely as possible.
//!
//! A state is visited once for each process that may have moved last, whose number lies behind its bytes; a step of another
//! process is further than all the steps of a run. Otherwise this is the search shortest first: the run that it settles on has
//! the fewest switches, and of those with so few it has the fewest steps. It is the order of S. Qadeer and J. Rehof,
//! "Context-bounded model checking of concurrent software" (TACAS 2005), and of M. Musuvathi and S. Qadeer, "Iterative context
//! bounding" (PLDI 2007), but every state is kept, so nothing is visited again in a later round.
//!
//! A handshake is a step of its sender, then one of its receiver. The first step of a run is no switch, nor is a tick.

use super::{Weight, search};
use crate::facts::Sought;
use crate::fit::{Misfit, Wish, fit};
use crate::job::{Checks, Job, Limits, Order};
use crate::monitor::Monitor;
use crate::report::Report;
use starwheel_model::{Batch, Behind, Fired, Step, Stepper, System, Violation};
use starwheel_store::NumberedTree;

/// The bytes behind a state: the number of the process that moved last, and zeros up to a whole word.
const TRAILER: usize = 4;
/// Before the first step.
pub(super) const NOBODY: u8 = u8::MAX;

/// Looks for the error with the fewest context switches on the way. If the search comes to its end by itself, there is no run
/// to an error that is checked for with fewer. A limit of depth is a misfit: distance is measured in switches here.
pub fn fewest_switches(
    system: &dyn System,
    checks: Checks,
    limits: Limits,
    resident: Option<fn() -> u64>,
    watch: &dyn Monitor,
) -> Result<Report, Misfit> {
    let wish = Wish { switches: true, depth: limits.depth.is_some(), ..Wish::new(Sought::Errors) };
    fit(&wish, &[&super::SHORTEST_FIRST])?;
    let followed = Followed(system);
    let job = Job { search: Order::Bfs, checks, limits, resident, ..Job::new(&followed) };
    Ok(search(&job, NumberedTree::new(limits.memory), watch, Weight::Switches))
}

/// The number of context switches on the way of a trail.
pub fn switches(trail: &[Step]) -> u64 {
    after(NOBODY, trail).0
}

/// How often others take over in these steps, if this one moved last before them; and who moved last in the end.
pub(super) fn after(mut last: u8, steps: &[Step]) -> (u64, u8) {
    let mut count = 0;
    for agent in steps.iter().flat_map(|s| s.agents()) {
        count += u64::from(last != NOBODY && last != agent);
        last = agent;
    }
    (count, last)
}

/// Who moved last before a state.
pub(super) fn last(state: &[u8]) -> u8 {
    state.len().checked_sub(TRAILER).map_or(NOBODY, |at| state[at])
}

/// The state itself.
fn bare(state: &[u8]) -> &[u8] {
    &state[..state.len().saturating_sub(TRAILER)]
}

/// A system whose states tell who moved last.
struct Followed<'a>(&'a dyn System);

impl System for Followed<'_> {
    fn hidden_bytes(&self) -> usize {
        self.0.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.0.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Follower { inner: self.0.stepper(), batch: Batch::new(), next: Vec::new() })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.0.behind()
    }
}

struct Follower<'a> {
    inner: Box<dyn Stepper + 'a>,
    /// Scratch memory.
    batch: Batch,
    next: Vec<u8>,
}

impl Stepper for Follower<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.initial(out);
        out.extend_from_slice(&[NOBODY, 0, 0, 0]);
        fired
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.enabled(bare(at), out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner.lists(bare(at), step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.omitted(bare(at), out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.fire(bare(at), step, out);
        out.extend_from_slice(&[after(last(at), &[step]).1, 0, 0, 0]);
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        if !self.inner.expands_fast() {
            return out.fill(self, at);
        }
        out.clear();
        let mut batch = std::mem::take(&mut self.batch);
        self.inner.expand(bare(at), &mut batch);
        for i in 0..batch.len() {
            let (step, entry) = (batch.step(i), &batch.entries[i]);
            self.next.clear();
            self.next.extend_from_slice(batch.state(i));
            self.next.extend_from_slice(&[after(last(at), &[step]).1, 0, 0, 0]);
            let fired = Fired { broken: entry.broken(), violations: batch.violations(i).to_vec() };
            out.push(step, fired, &self.next, entry.transient());
        }
        self.batch = batch;
    }

    fn expands_fast(&self) -> bool {
        self.inner.expands_fast()
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.inner.transient(bare(at))
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner.stuck(bare(at))
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.inner.accepting(bare(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_model::{Action, Actor, Partners};
    use starwheel_system::laws::{Probe, Purpose, hold, lose_nothing};

    #[test]
    fn a_system_whose_states_tell_who_moved_last_loses_nothing() {
        for probe in [Probe { fast: false }, Probe { fast: true }] {
            hold(&Followed(&probe), 1000).unwrap();
            lose_nothing(&probe, &Followed(&probe), Purpose::default(), 1000).unwrap();
        }
    }

    #[test]
    fn a_switch_is_a_step_of_another_process() {
        let by = |n| Step::alone(Actor::Agent(n), Action(0));
        let tick = Step::alone(Actor::Clock, Action(0));
        let meet = Step { partners: Partners::One(Actor::Agent(2), Action(0)), ..by(1) };
        assert_eq!(switches(&[]), 0);
        assert_eq!(switches(&[by(1), by(1), by(2), by(1)]), 2);
        assert_eq!(switches(&[by(1), tick, by(1)]), 0);
        assert_eq!(switches(&[by(1), meet, by(2)]), 1, "the receiver goes on");
        assert_eq!(switches(&[by(1), meet, by(1)]), 2, "the sender does");
    }
}
