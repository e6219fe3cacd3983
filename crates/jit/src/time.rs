//! Lets time pass in a state in which generated code has found no step: the tick, made from the places of the timers.
//!
//! The tick has no code of its own: it does the same in every state of one list of processes, so a loop over the places that
//! [`crate::tables::Tables`] keeps for that list does it as fast. Lazy steps are found by generated code as all others are; time
//! passes beside them if there are no others, one slice at a time.

use crate::runner::Runner;
use crate::tables::WORDS;
use starwheel_model::{Batch, Entry, Fired, Pace, Step};

/// The value of a timer. The tables must fit the state.
fn timer(state: &[u8], at: u32) -> i16 {
    let at = at as usize;
    i16::from_le_bytes([state[at], state[at + 1]])
}

impl Runner<'_> {
    /// How many slices pass in a tick, if some timer runs; the tables must fit, and the state must be quiet.
    pub(crate) fn slices(&self, at: &[u8]) -> Option<i16> {
        let values = self.tables.timers.iter().map(|&place| timer(at, place));
        let least = values.filter(|&value| value >= 0).min()?;
        Some(match self.model.pace {
            Pace::Slice => 1,
            Pace::Jump => least.max(1),
        })
    }

    /// Whether all steps that there are leave it to time to pass.
    pub(crate) fn patient(&self, out: &Batch) -> bool {
        out.entries.iter().all(|entry| self.lazy.get(entry.action as usize).is_some_and(|&lazy| lazy))
    }

    /// Adds the tick to the successors of a quiet state, if time can pass.
    pub(crate) fn add_tick(&mut self, at: &[u8], tick: Step, out: &mut Batch) {
        let Some(slices) = self.slices(at) else { return };
        // A jump would pass over the moments at which a lazy step can be taken.
        let lazily = self.model.uses.lazy && out.entries.iter().any(|entry| entry.flags & Entry::TIMEOUT == 0);
        let slices = if lazily { 1 } else { slices };
        let start = out.bytes.len();
        out.push(tick, Fired::default(), at, false);
        let after = &mut out.bytes[start..];
        let mut changed = 0;
        for &place in &self.tables.timers {
            let value = timer(after, place);
            if value >= 0 {
                let place = place as usize;
                after[place..place + 2].copy_from_slice(&(value - slices).to_le_bytes());
                changed |= 1_u64.wrapping_shl(place as u32 / 4);
            }
        }
        // In a product with a claim the turn changes, too.
        let known = at.len() <= WORDS && self.all_words.is_empty();
        if let Some(entry) = out.entries.last_mut().filter(|_| known) {
            entry.changed = changed;
        }
    }
}
