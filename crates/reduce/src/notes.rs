//! Why steps were chosen or not, counted for each place of a model: `--explain-reduction`.

use crate::instance::Unfit;
use starwheel_model::{LocId, ProctypeId};
use std::collections::BTreeMap;

/// What happened at each location where a process had a choice of steps together with others.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// By process type and location.
    pub places: BTreeMap<(ProctypeId, LocId), Note>,
    /// States in which there was something to choose from.
    pub states: u64,
    /// Those in which some steps were left out, as far as the choice goes.
    pub reduced: u64,
}

/// What happened at one location.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// How often a process that can move stood there.
    pub seen: u64,
    /// How often its steps were among those that come first.
    pub chosen: u64,
    /// How often they could not be chosen alone, and why.
    pub because: BTreeMap<Because, u64>,
}

/// Why the steps of a process are not enough by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Because {
    /// A process of this type may come in the way.
    Disturbed(ProctypeId),
    /// One of the steps is never chosen.
    Unfit(Unfit),
    /// There are too many transitions to look at.
    TooMany,
}

impl Notes {
    /// Adds all of another.
    pub fn join(&mut self, other: &Notes) {
        self.states += other.states;
        self.reduced += other.reduced;
        for (place, note) in &other.places {
            let own = self.places.entry(*place).or_default();
            own.seen += note.seen;
            own.chosen += note.chosen;
            for (because, count) in &note.because {
                *own.because.entry(*because).or_default() += count;
            }
        }
    }
}
