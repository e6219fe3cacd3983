//! What goes wrong where states are expanded: counted, and the first of each kind and place remembered.

use starwheel_engine::{Flow, Key, Ledger, Wrong, key};
use std::collections::HashMap;

/// The first error of its kind and place that a process met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The state that was expanded.
    pub at: u32,
    /// Which of all that goes wrong there.
    pub ordinal: u64,
    /// How often it was met, anywhere.
    pub events: u64,
    /// Errors with less of it come first: the length of its trail where that is known, then what tells any two apart.
    pub rank: (u64, u64, u64),
}

/// Where errors are counted.
pub struct Tally<'t, 'a> {
    /// Counts what counts.
    pub books: &'t mut Ledger<'a>,
    /// By kind and place: which of those met.
    pub found: &'t mut HashMap<Key, usize>,
    /// The first of each.
    pub met: &'t mut Vec<Met>,
    /// All of them.
    pub errors: &'t mut u64,
    /// The search goes on after an error.
    pub all: bool,
}

/// What goes wrong in the expansion of one state, in order.
pub struct Wrongs {
    /// The number of the state.
    pub at: u32,
    /// How many came before.
    pub ordinal: u64,
    /// Whether the search goes on.
    pub flow: Flow,
}

impl Wrongs {
    /// Takes over what is in a list; it breaks if no more has to be found.
    pub fn take(&mut self, wrongs: &mut Vec<Wrong>, tally: &mut Tally<'_, '_>) -> Flow {
        for wrong in wrongs.drain(..) {
            let ordinal = self.ordinal;
            self.ordinal += 1;
            if !tally.books.counts(&wrong.violation) || self.flow.is_break() {
                continue;
            }
            *tally.errors += 1;
            let next = tally.met.len();
            let known = *tally.found.entry(key(&wrong.violation)).or_insert(next);
            match tally.met.get_mut(known) {
                Some(met) => met.events += 1,
                None => tally.met.push(Met { at: self.at, ordinal, events: 1, rank: (0, 0, 0) }),
            }
            if !tally.all {
                self.flow = Flow::Break(None);
            }
        }
        self.flow.clone()
    }
}
