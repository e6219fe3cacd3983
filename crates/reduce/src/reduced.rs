//! A system with fewer steps, in which the same things can go wrong.

use crate::notes::Notes;
use crate::reduction::{Reduction, Wish};
use starwheel_model::{Batch, Entry, Fired, Model, Step, Stepper, System, Violation};
use std::sync::Mutex;

/// Something that chooses steps, one for each thread of a search.
pub trait Reducer: Sync {
    /// For one thread.
    fn chooser(&self) -> Box<dyn Chooser + '_>;
}

/// Chooses the steps of a state that are enough.
pub trait Chooser: Send {
    /// Puts the steps of a state in groups, each of which is enough if it is allowed to be: `ends` gets the number of
    /// steps up to the end of each group, in order. What is behind the last end has to be taken only if no group is
    /// allowed. Without ends, all steps have to be taken.
    fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>);

    /// True if the first group is always enough: nobody minds if somebody is forgotten.
    fn careless(&self) -> bool;

    /// Whether one of these steps, the first group of the state that was looked at last, turns out to have no meaning.
    fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool;

    /// True if nothing is chosen in a state, so that there is no need to ask.
    fn idle(&self, _at: &[u8]) -> bool {
        false
    }
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

    fn careless(&self) -> bool {
        self.deadlocks_only()
    }

    fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool {
        Reduction::breaks(self, at, chosen)
    }

    fn idle(&self, at: &[u8]) -> bool {
        Reduction::idle(self, at)
    }
}

/// A system whose states have only the steps that are enough. The choice must not need the help of the search
/// ([`Wish::search_watches`]): it depends on the state alone, so all threads of a search see the same system, and what is
/// right for one of them is right for many (`sticky.rs` names who has proved it).
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

impl Stepper for ReducedStepper<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        self.inner.initial(out)
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.steps.clear();
        self.inner.enabled(at, &mut self.steps);
        let enough = self.choose(at);
        self.steps.truncate(enough.unwrap_or(usize::MAX));
        out.clear();
        out.append(&mut self.steps);
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.inner.expand(at, out);
        self.steps.clear();
        self.steps.extend(out.entries.iter().map(Entry::step));
        let enough = self.choose(at);
        if !self.ends.is_empty() {
            out.entries.sort_by_cached_key(|e| self.steps.iter().position(|s| *s == e.step()));
        }
        out.entries.truncate(enough.unwrap_or(usize::MAX));
        out.uniform = 0;
    }

    fn expands_fast(&self) -> bool {
        self.inner.expands_fast()
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        let (mut all, mut chosen) = (Vec::new(), Vec::new());
        self.inner.enabled(at, &mut all);
        self.enabled(at, &mut chosen);
        out.extend(all.into_iter().filter(|s| !chosen.contains(s)));
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.inner.fire(at, step, out)
    }

    fn transient(&self, at: &[u8]) -> bool {
        self.inner.transient(at)
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        self.inner.stuck(at)
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        self.inner.accepting(at)
    }
}
