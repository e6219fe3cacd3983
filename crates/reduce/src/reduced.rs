//! A system with fewer steps, in which the same things can go wrong.

use crate::notes::Notes;
use crate::proviso::Proviso;
use crate::reduction::{Reduction, Wish};
use starwheel_model::{Batch, Behind, Entry, Layer, Model, Step, Stepper, System, listed};
use std::sync::Mutex;

/// Something that chooses steps, one for each thread of a search.
pub trait Reducer: Sync {
    /// For one thread.
    fn chooser(&self) -> Box<dyn Chooser + '_>;
}

/// Chooses the steps of a state that are enough.
pub trait Chooser: Send {
    /// Puts the steps of a state in groups, each of which is enough if it is allowed to be: `ends` gets the number of
    /// steps up to the end of each group, in order; those of a group keep theirs. What is behind the last end has to be taken only if no group is
    /// allowed. Without ends, all steps have to be taken.
    fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>);

    /// The cycle proviso that the choice counts on. If it is not needed, the first group is always enough: nobody minds if
    /// somebody is ignored for ever.
    fn proviso(&self) -> Proviso;

    /// Whether one of these steps, the first group of the state that was looked at last, turns out to have no meaning.
    fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool;

    /// True if nothing is chosen in a state, so that there is no need to ask.
    fn idle(&self, at: &[u8]) -> bool;
}

/// A model and what a reduction of it has to preserve.
pub struct Plan<'m> {
    /// The model.
    pub model: &'m Model,
    /// What is to be preserved.
    pub wish: Wish,
    /// Where it is written down why steps are chosen or not, if anybody wants to know.
    pub notes: Option<Mutex<Notes>>,
}

impl Reducer for Plan<'_> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        Box::new(Reduction::new(self.model, &self.wish, self.notes.as_ref()))
    }
}

impl Chooser for Reduction<'_> {
    fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
        Reduction::choose(self, at, steps, ends);
    }

    fn proviso(&self) -> Proviso {
        Reduction::proviso(self)
    }

    fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool {
        Reduction::breaks(self, at, chosen)
    }

    fn idle(&self, at: &[u8]) -> bool {
        Reduction::idle(self, at)
    }
}

/// A system whose states have only the steps that are enough. The cycle proviso must be paid by the choice
/// ([`Proviso::by_choice`]), not by the search: the choice depends on the state alone, so all threads of a search see the same system, and
/// what is right for one of them is right for many (`sticky.rs` names who has proved it).
pub struct Reduced<'a> {
    system: &'a dyn System,
    reducer: &'a dyn Reducer,
}

impl<'a> Reduced<'a> {
    /// A system of a model, perhaps together with a claim, with fewer steps.
    pub fn new(system: &'a dyn System, reducer: &'a dyn Reducer) -> Reduced<'a> {
        Reduced { system, reducer }
    }
}

impl System for Reduced<'_> {
    fn hidden_bytes(&self) -> usize {
        self.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        let chooser = self.reducer.chooser();
        Box::new(ReducedStepper { inner: self.system.stepper(), chooser, steps: Vec::new(), ends: Vec::new() })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.system.behind()
    }
}

struct ReducedStepper<'a> {
    inner: Box<dyn Stepper + 'a>,
    chooser: Box<dyn Chooser + 'a>,
    steps: Vec<Step>,
    ends: Vec<usize>,
}

impl ReducedStepper<'_> {
    /// Puts those of all steps first that are enough; their number, if there are fewer of them.
    fn choose(&mut self, at: &[u8]) -> Option<usize> {
        self.ends.clear();
        if self.steps.len() < 2 || self.chooser.idle(at) {
            return None;
        }
        self.chooser.choose(at, &mut self.steps, &mut self.ends);
        let &end = self.ends.first()?;
        // A step that has no meaning leads nowhere: nothing can be done after it, so it is never enough.
        (!self.chooser.breaks(at, &self.steps[..end])).then_some(end)
    }
}

impl Layer for ReducedStepper<'_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.inner
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.enabled(at, &mut self.steps);
        let enough = self.choose(at);
        self.steps.truncate(enough.unwrap_or(usize::MAX));
        out.clear();
        out.append(&mut self.steps);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        // What is not possible at all need not be chosen from.
        self.inner.lists(at, step) && listed(self, at, step)
    }

    /// What is not chosen here, and what was left out before.
    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        let (mut all, mut chosen) = (Vec::new(), Vec::new());
        self.inner.enabled(at, &mut all);
        Layer::enabled(self, at, &mut chosen);
        self.inner.omitted(at, out);
        out.extend(all.into_iter().filter(|s| !chosen.contains(s)));
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.inner.expand(at, out);
        self.steps.clear();
        self.steps.extend(out.entries.iter().map(Entry::step));
        let enough = self.choose(at);
        match enough {
            // The steps of a group keep their order.
            Some(enough) => out.entries.retain(|e| self.steps[..enough].contains(&e.step())),
            None if self.ends.is_empty() => {}
            None => out.entries.sort_by_cached_key(|e| self.steps.iter().position(|s| *s == e.step())),
        }
        out.uniform = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_system::laws::{Probe, Purpose, hold, lose_nothing};

    /// The last step is enough.
    struct Last;

    impl Reducer for Last {
        fn chooser(&self) -> Box<dyn Chooser + '_> {
            Box::new(Last)
        }
    }

    impl Chooser for Last {
        fn choose(&mut self, _at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
            steps.rotate_right(1);
            ends.push(1);
        }

        fn proviso(&self) -> Proviso {
            Proviso::NotNeeded
        }

        fn breaks(&mut self, _at: &[u8], _chosen: &[Step]) -> bool {
            false
        }

        fn idle(&self, _at: &[u8]) -> bool {
            false
        }
    }

    #[test]
    fn a_reduced_system_loses_nothing() {
        for probe in [Probe { fast: false }, Probe { fast: true }] {
            let reduced = Reduced::new(&probe, &Last);
            hold(&reduced, 1000).unwrap();
            lose_nothing(&probe, &reduced, Purpose::default(), 1000).unwrap();
        }
    }
}
