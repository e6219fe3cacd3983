//! What a check says at its end, in a user's own words.

use crate::adapter::Walker;
use crate::model::Model;
use crate::product::split;
use starwheel_base::quantity::{plural, show_bytes, show_seconds};
use starwheel_engine::{Complete, Net, Taken};
use std::fmt;

/// What was found out about a property, or about all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds, and this is why.
    Holds(Proof),
    /// It does not.
    Violated,
    /// Nothing speaks against it, but something may have been missed: in words.
    Unrefuted(String),
    /// The search ended early: in words.
    Stopped(String),
}

/// Why something holds: made from the evidence of a complete search, or from a run that shows it, and from nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof(Option<Complete>);

impl Proof {
    /// Every state was visited, exactly.
    pub(crate) fn complete(evidence: Complete) -> Proof {
        Proof(Some(evidence))
    }

    /// This run, which has been replayed, is what was looked for.
    pub(crate) fn witness<M: Model>(_shown_by: &Trail<M>) -> Proof {
        Proof(None)
    }

    /// True if it is a proof about all states, false if one run is enough.
    pub fn is_about_all_states(self) -> bool {
        self.0.is_some()
    }
}

impl Verdict {
    /// The name that reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated => "violated",
            Verdict::Unrefuted(_) => "unrefuted",
            Verdict::Stopped(_) => "stopped",
        }
    }

    /// How much it says against the system; the worst of several decides.
    fn weight(&self) -> u8 {
        match self {
            Verdict::Holds(_) => 0,
            Verdict::Unrefuted(_) => 1,
            Verdict::Stopped(_) => 2,
            Verdict::Violated => 3,
        }
    }

    /// The exit status of a program that says so.
    pub fn status(&self) -> u8 {
        match self {
            Verdict::Holds(_) => 0,
            Verdict::Violated => 1,
            Verdict::Unrefuted(_) | Verdict::Stopped(_) => 3,
        }
    }
}

/// A run of the system: a counterexample or a witness. It has been replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail<M: Model> {
    pub(crate) states: Vec<Vec<M::Part>>,
    pub(crate) steps: Vec<(usize, M::Action)>,
    pub(crate) cycle_start: Option<usize>,
}

impl<M: Model> Trail<M> {
    /// What was done, in order.
    pub fn actions(&self) -> Vec<M::Action> {
        self.steps.iter().map(|step| step.1.clone()).collect()
    }

    /// Who did it, in order.
    pub fn actors(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().map(|step| step.0)
    }

    /// All states on the way, the first one included; a step that must never happen leads to none.
    pub fn states(&self) -> &[Vec<M::Part>] {
        &self.states
    }

    /// The last state.
    pub fn end(&self) -> &[M::Part] {
        self.states.last().map_or(&[], Vec::as_slice)
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if nothing has happened: the first state is the one.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// For a run without end: its steps from this one on are repeated for ever. If there are none, the system stays where it is.
    pub fn cycle_start(&self) -> Option<usize> {
        self.cycle_start
    }
}

/// Makes a trail from what a replay shows.
pub(crate) struct Teller<'a, M: Model> {
    walker: Walker<'a, M>,
    product: bool,
    /// Where the cycle begins, counted in all steps, and how many of those before it are nobody's.
    start: Option<usize>,
    skipped: usize,
    pub trail: Trail<M>,
}

impl<'a, M: Model> Teller<'a, M> {
    pub fn new(walker: Walker<'a, M>, product: bool, first: &[u8], cycle: Option<usize>) -> Teller<'a, M> {
        let trail = Trail { states: Vec::new(), steps: Vec::new(), cycle_start: cycle };
        let mut teller = Teller { walker, product, start: cycle, skipped: 0, trail };
        teller.arrive(first);
        teller
    }

    /// One more step. Those of a formula's automaton alone are nobody's, and neither are those to a first state.
    pub fn tell(&mut self, taken: &Taken<'_>) {
        let before = if self.product { split(taken.before).0 } else { taken.before };
        let action = taken.step.actor.agent().and_then(|_| self.walker.action(before, taken.step));
        match (action, taken.step.actor.agent()) {
            (Some(action), Some(agent)) => self.trail.steps.push((usize::from(agent), action)),
            _ => {
                self.skipped += usize::from(self.start.is_some_and(|start| (taken.number as usize) < start));
                self.trail.cycle_start = self.start.map(|start| start - self.skipped);
            }
        }
        if !taken.fired.broken && taken.step.actor.agent().is_some() {
            self.arrive(taken.after);
        }
    }

    fn arrive(&mut self, state: &[u8]) {
        let state = if self.product { split(state).0 } else { state };
        if let Some(parts) = self.walker.ground.state(state) {
            self.trail.states.push(parts);
        }
    }
}

/// One property and what was found out about it.
#[derive(Clone, Debug)]
pub struct Checked<M: Model> {
    /// Its name; `deadlock` and `wrong step` are every model's.
    pub name: String,
    /// What was found out.
    pub verdict: Verdict,
    /// One sentence about what was found, if anything was.
    pub message: Option<String>,
    /// A counterexample, or a witness if the property wants one.
    pub trail: Option<Trail<M>>,
}

/// What was counted; for formulas the numbers of the search without them, if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Stats {
    /// Distinct states.
    pub states: u64,
    /// Steps that were taken between them.
    pub transitions: u64,
    /// The longest path that was followed, or the greatest distance; zero where the search does not know.
    pub depth: u64,
    /// Bytes that the store of states used.
    pub store_bytes: u64,
    /// Distinct values of parts.
    pub parts: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// What travelled, if there were several processes.
    pub net: Option<Net>,
}

/// What a check says at its end.
#[derive(Clone, Debug)]
#[must_use = "a verdict should be looked at: `outcome.verdict`, `outcome.expect_holds()`"]
pub struct Outcome<M: Model> {
    /// The worst of all verdicts.
    pub verdict: Verdict,
    /// One for each property.
    pub properties: Vec<Checked<M>>,
    /// What was counted.
    pub stats: Stats,
    /// What is worth to be known besides.
    pub remarks: Vec<String>,
}

impl<M: Model> Outcome<M> {
    pub(crate) fn new(properties: Vec<Checked<M>>, stats: Stats) -> Outcome<M> {
        let worst = properties.iter().map(|p| &p.verdict).max_by_key(|v| v.weight()).cloned();
        let verdict = worst.unwrap_or_else(|| Verdict::Stopped("nothing was checked".to_string()));
        Outcome { verdict, properties, stats, remarks: Vec::new() }
    }

    /// True if everything holds.
    pub fn holds(&self) -> bool {
        matches!(self.verdict, Verdict::Holds(_))
    }

    /// What was found out about one property.
    pub fn property(&self, name: &str) -> Option<&Checked<M>> {
        self.properties.iter().find(|p| p.name == name)
    }

    /// The run that breaks a property.
    pub fn counterexample(&self, name: &str) -> Option<&Trail<M>> {
        self.property(name).filter(|p| p.verdict == Verdict::Violated)?.trail.as_ref()
    }

    /// The run that shows what `sometimes` holds.
    pub fn witness(&self, name: &str) -> Option<&Trail<M>> {
        self.property(name).filter(|p| matches!(p.verdict, Verdict::Holds(_)))?.trail.as_ref()
    }

    /// For tests: everything holds.
    ///
    /// # Panics
    /// If anything else was found out, with all of it as the message.
    #[track_caller]
    pub fn expect_holds(&self) {
        assert!(self.holds(), "{self}");
    }

    /// For tests: the run that breaks a property.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn expect_violated(&self, name: &str) -> &Trail<M> {
        self.counterexample(name).unwrap_or_else(|| panic!("no counterexample to `{name}`\n{self}"))
    }
}

impl<M: Model> fmt::Display for Trail<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.states.first() {
            writeln!(f, "        {first:?}")?;
        }
        for (number, (actor, action)) in self.steps.iter().enumerate() {
            if self.cycle_start == Some(number) {
                writeln!(f, "    from here on for ever:")?;
            }
            writeln!(f, "  {:>4}  {actor}: {action:?}", number + 1)?;
            let Some(after) = self.states.get(number + 1) else { continue };
            let before = &self.states[number];
            for (place, part) in after.iter().enumerate().filter(|(i, part)| before.get(*i) != Some(part)) {
                writeln!(f, "            {place} = {part:?}")?;
            }
        }
        if self.cycle_start == Some(self.steps.len()) {
            writeln!(f, "    nobody can move, so it stays like this for ever")?;
        }
        Ok(())
    }
}

impl<M: Model> fmt::Display for Outcome<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for checked in &self.properties {
            write!(f, "{:<9}  {}", checked.verdict.name(), checked.name)?;
            match (&checked.message, &checked.verdict) {
                (Some(message), _) => write!(f, ": {message}")?,
                (None, Verdict::Unrefuted(why) | Verdict::Stopped(why)) => write!(f, ": {why}")?,
                (None, _) => {}
            }
            match &checked.trail {
                Some(trail) => writeln!(f, ", after {}", plural(trail.len() as u64, "step", "steps"))?,
                None => writeln!(f)?,
            }
            if let Some(trail) = checked.trail.as_ref().filter(|_| checked.verdict == Verdict::Violated) {
                write!(f, "{trail}")?;
            }
        }
        let Stats { states, transitions, store_bytes, parts, seconds, .. } = self.stats;
        let (states, steps) = (plural(states, "state", "states"), plural(transitions, "step", "steps"));
        let (parts, bytes) = (plural(parts, "part", "parts"), show_bytes(store_bytes));
        writeln!(f, "{states}, {steps}, {parts}; {bytes} for states, {}", show_seconds(seconds))?;
        self.remarks.iter().try_for_each(|remark| writeln!(f, "{remark}"))
    }
}
