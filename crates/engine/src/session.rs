//! A walk that a user steers: one step at a time, forward and back.

use starwheel_model::{Fired, Step, Stepper, System, Violation};

/// A walk with all its past.
pub struct Session<'a> {
    stepper: Box<dyn Stepper + 'a>,
    first: Vec<u8>,
    opening: Fired,
    history: Vec<Past>,
    /// The steps that are possible in the current state; always up to date.
    steps: Vec<Step>,
}

/// One step of the past.
#[derive(Clone, Debug)]
pub struct Past {
    /// The step that was taken.
    pub step: Step,
    /// What came of it.
    pub fired: Fired,
    /// The state after it; without meaning if the step broke.
    pub state: Vec<u8>,
}

/// A step was asked for that is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchStep {
    /// How many there are.
    pub available: usize,
}

impl<'a> Session<'a> {
    /// Starts at the initial state.
    pub fn new(system: &'a dyn System) -> Session<'a> {
        let mut stepper = system.stepper();
        let mut first = Vec::new();
        let opening = stepper.initial(&mut first);
        let mut session = Session { stepper, first, opening, history: Vec::new(), steps: Vec::new() };
        session.refresh();
        session
    }

    /// What came of entering the initial state.
    pub fn opening(&self) -> &Fired {
        &self.opening
    }

    /// The steps taken so far.
    pub fn history(&self) -> &[Past] {
        &self.history
    }

    /// The current state; without meaning if [`Session::broken`].
    pub fn state(&self) -> &[u8] {
        self.history.last().map_or(&self.first, |past| &past.state)
    }

    /// True if the last step has no meaning, so that nothing can follow.
    pub fn broken(&self) -> bool {
        self.history.last().map_or(&self.opening, |past| &past.fired).broken
    }

    /// The steps that are possible now.
    pub fn enabled(&self) -> &[Step] {
        &self.steps
    }

    /// If no step is possible: what is wrong with that, if anything is.
    pub fn stuck(&mut self) -> Option<Violation> {
        if self.broken() || !self.steps.is_empty() {
            return None;
        }
        let at = self.history.last().map_or(&self.first, |past| &past.state);
        self.stepper.stuck(at)
    }

    /// Takes one of the possible steps, by its place in [`Session::enabled`].
    pub fn take(&mut self, choice: usize) -> Result<&Fired, NoSuchStep> {
        let &step = self.steps.get(choice).ok_or(NoSuchStep { available: self.steps.len() })?;
        let at = self.history.last().map_or(&self.first, |past| &past.state);
        let mut state = Vec::new();
        let fired = self.stepper.fire(at, step, &mut state);
        self.history.push(Past { step, fired, state });
        self.refresh();
        Ok(&self.history[self.history.len() - 1].fired)
    }

    /// Takes back the last step; false if there is none.
    pub fn back(&mut self) -> bool {
        let went = self.history.pop().is_some();
        self.refresh();
        went
    }

    fn refresh(&mut self) {
        self.steps.clear();
        if !self.broken() {
            let at = self.history.last().map_or(&self.first, |past| &past.state);
            self.stepper.enabled(at, &mut self.steps);
        }
    }
}
