//! Fairness: which runs without end count, because no process is forgotten in them.
//!
//! | a run is | if each process that |
//! | --- | --- |
//! | weakly fair | can move in all states from some point on moves again and again |
//! | strongly fair | can move in states that come again and again moves again and again |
//!
//! - A handshake is a move of both sides, and both can move where it is possible.
//! - Only states in which every process may choose count. While a process is inside an atomic sequence, the others can
//!   neither move nor are they kept from it: such states are only passed through.
//! - A claim is no process. It looks at a state, and then the processes choose: what they can do is judged there, after
//!   the claim's step. If the claim moves and no process can, nobody is forgotten: a run that ends is fair.
//! - A process that does not exist cannot move. If it ends, its last step is a move; so a number that is given again
//!   and again to new processes is that of one that moves.
//!
//! All of this is in the steps: the first step of a process after a stored state is taken where all may choose, and what
//! the system lists there is what the processes can do. Searches learn it from the bytes of the states, to which
//! [`Marked`] and [`Copies`] add what they need to know about the way; the walk through the steps knows nothing of it. Where
//! states are renamed, [`Threaded`] adds who became who.

/// A system of this name differs from the one inside it in what its states carry along alone.
macro_rules! around {
    ($name:ident, $carried:ident) => {
        impl System for $name<'_> {
            fn hidden_bytes(&self) -> usize {
                self.0.hidden_bytes()
            }

            fn transitions(&self) -> usize {
                self.0.transitions()
            }

            fn stepper(&self) -> Box<dyn Stepper + '_> {
                Box::new(Carrier::<$carried>::new(self.0.stepper()))
            }

            fn behind(&self) -> Option<Behind<'_>> {
                self.0.behind()
            }
        }
    };
}

mod carried;
mod copies;
mod copystore;
mod marked;
mod pids;
mod streett;
#[cfg(test)]
mod tests;
mod threads;

pub use copies::Copies;
pub use copystore::CopyStore;
pub use marked::{Marked, Marks, TRAILER, Trailing};
pub use pids::PidSet;
pub use streett::{Edges, Region};
pub use threads::{Link, THREADED, Threaded, Threading};

use starwheel_model::{Batch, Fired, Step, Stepper};

/// The steps of the state whose steps were asked for last: mostly it is the next one that is asked for.
#[derive(Default)]
struct Listed {
    /// False at the beginning, when there is no such state.
    known: bool,
    state: Vec<u8>,
    steps: Vec<Step>,
    /// All its successors, if the stepper has made them at once.
    at_once: bool,
    batch: Batch,
    /// Scratch memory.
    others: Vec<Step>,
}

impl Listed {
    /// The steps of a state.
    fn steps(&mut self, stepper: &mut dyn Stepper, at: &[u8]) -> &[Step] {
        let fast = stepper.expands_fast();
        if !self.known || self.state != at || fast != self.at_once {
            (self.known, self.at_once) = (true, fast);
            self.state.clear();
            self.state.extend_from_slice(at);
            self.steps.clear();
            if fast {
                stepper.expand(at, &mut self.batch);
                self.steps.extend(self.batch.entries.iter().map(|entry| entry.step()));
            } else {
                stepper.enabled(at, &mut self.steps);
            }
        }
        &self.steps
    }

    /// The successors of a state whose steps a fast stepper has listed: the step, what came of it, the state and whether
    /// it is passed through.
    fn successors(&self) -> impl Iterator<Item = (Step, Fired, &[u8], bool)> {
        let batch = &self.batch;
        batch.entries.iter().enumerate().map(move |(number, entry)| {
            let fired = Fired { broken: entry.broken(), violations: batch.violations(number).to_vec() };
            let state = if fired.broken { &[][..] } else { batch.state(number) };
            (entry.step(), fired, state, entry.transient())
        })
    }

    /// The processes that can move in a state where all may choose.
    fn movers(&mut self, stepper: &mut dyn Stepper, at: &[u8]) -> PidSet {
        let mut found = PidSet::EMPTY;
        self.steps(stepper, at).iter().for_each(|&step| found.add_movers(step));
        // A process that is left out by a reduction can move all the same.
        self.others.clear();
        stepper.omitted(at, &mut self.others);
        self.others.iter().for_each(|&step| found.add_movers(step));
        found
    }
}
