//! Errors that a breadth-first search has seen: the shortest of each, until it is certain and after.

use crate::parts::ledger::{Key, key};
use starwheel_model::{Step, Violation};
use starwheel_store::StateId;
use std::collections::HashMap;

/// The shortest error so far of each kind and place, or of all together if one is enough.
#[derive(Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    /// `None` is the only key if one error is enough.
    index: HashMap<Option<Key>, usize>,
}

/// One error.
pub struct Candidate {
    /// What is wrong.
    pub violation: Violation,
    /// The expanded state from which it was seen; `None` if the initial state could not even be entered.
    pub from: Option<StateId>,
    /// The steps from there.
    pub chain: Vec<Step>,
    /// The length of the whole trail.
    pub length: u64,
    /// How often it was seen.
    pub events: u64,
    /// True once its trail is in the report.
    pub reported: bool,
}

impl Candidates {
    /// Notes an error that was seen after `length` steps; `chain` is asked for only if it is the shortest so far.
    pub fn note(
        &mut self,
        violation: &Violation,
        one_is_enough: bool,
        length: u64,
        chain: impl FnOnce() -> (Option<StateId>, Vec<Step>),
    ) {
        let rivals = (!one_is_enough).then(|| key(violation));
        let place = *self.index.entry(rivals).or_insert(self.list.len());
        let events = match self.list.get_mut(place) {
            Some(known) if known.length <= length => {
                known.events += 1;
                return;
            }
            Some(known) => known.events + 1,
            None => 1,
        };
        let (from, chain) = chain();
        let shortest = Candidate { violation: violation.clone(), from, chain, length, events, reported: false };
        match self.list.get_mut(place) {
            Some(known) => *known = shortest,
            None => self.list.push(shortest),
        }
    }

    /// One that is not reported although nothing shorter than `length` is to come.
    pub fn certain(&mut self, length: u64) -> Option<&mut Candidate> {
        self.list.iter_mut().find(|candidate| !candidate.reported && candidate.length <= length)
    }

    /// All of them.
    pub fn all(&self) -> &[Candidate] {
        &self.list
    }
}
