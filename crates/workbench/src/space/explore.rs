//! Visits all states breadth first and shows each of them with all its transitions, chains through transient states followed
//! in all ways.

use crate::open::Opened;
use starwheel_base::cancel::Watch;
use starwheel_jit::LazySystem;
use starwheel_model::{Batch, Step, Stepper, System, Violation};
use starwheel_store::{Inserted, NumberedTree, StateId, StateSet, StateStore};
use std::collections::HashSet;
use std::io;

/// How an exploration ended.
#[derive(Debug)]
pub enum Ended {
    /// Everything was shown.
    Whole,
    /// There are more states than this.
    Limit(u64),
    /// There is no more memory for states.
    Full,
    /// The token said stop.
    Cancelled,
    /// Several processes could not go on: in words.
    Stopped(String),
    /// A condition that is to be told has no value in a state.
    NoValue(String, u32),
    /// Somebody could not write it down.
    Unwritable(io::Error),
}

impl PartialEq for Ended {
    fn eq(&self, other: &Ended) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A state, as it is shown.
pub struct Shown<'a> {
    /// Its number.
    pub id: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// If it has no steps: what is wrong with that.
    pub stuck: Option<Violation>,
    /// Its transitions: the steps of each, where it leads (nowhere if the last of them has no meaning), and whether something
    /// goes wrong on the way.
    pub edges: &'a [Edge],
}

/// A transition between two stored states.
pub struct Edge {
    /// One step, or those of a chain.
    pub steps: Vec<Step>,
    /// The number of the state after it; none if its last step has no meaning.
    pub to: Option<u32>,
    /// True if something goes wrong in one of the steps.
    pub wrong: bool,
}

/// Somebody to whom states are shown, in the order of their numbers.
pub trait Audience {
    /// Looks at a state and all that leads out of it.
    fn see(&mut self, state: &Shown<'_>) -> Result<(), Ended>;
}

/// An exploration.
pub struct Space<'a> {
    system: LazySystem<'a>,
    met: Met,
    transitions: u64,
    watch: Watch,
}

/// The states that were met, by number.
struct Met {
    store: NumberedTree,
    /// The number of hidden bytes of a state, and those of each, as they were when it was met first.
    skip: usize,
    hidden: Vec<u8>,
    states: u64,
    limit: Option<u64>,
}

impl Numbering for Met {
    /// It may be a new one.
    fn number(&mut self, state: &[u8]) -> Result<u32, Ended> {
        let (hidden, visible) = state.split_at(self.skip);
        match self.store.insert(visible) {
            Inserted::Known(StateId(id)) => Ok(id),
            Inserted::Full => Err(Ended::Full),
            Inserted::New(StateId(id)) => {
                self.states += 1;
                self.hidden.extend_from_slice(hidden);
                match self.limit {
                    Some(most) if self.states > most => Err(Ended::Limit(most)),
                    _ => Ok(id),
                }
            }
        }
    }
}

impl Met {
    /// Replaces `out` by the state with a number.
    fn read(&self, id: u32, out: &mut Vec<u8>) {
        out.clear();
        let start = id as usize * self.skip;
        out.extend_from_slice(&self.hidden[start..start + self.skip]);
        self.store.read(StateId(id), out);
    }
}

impl<'a> Space<'a> {
    /// Nothing was explored yet.
    pub fn new(opened: &'a Opened, memory: Option<u64>, limit: Option<u64>) -> Space<'a> {
        let system = LazySystem::new(&opened.model).until(opened.reading.until.clone());
        let (skip, store) = (system.hidden_bytes(), NumberedTree::new(memory));
        let met = Met { store, skip, hidden: Vec::new(), states: 0, limit };
        Space { system, met, transitions: 0, watch: opened.reading.until.watch() }
    }

    /// The states that were met.
    pub fn states(&self) -> u64 {
        self.met.states
    }

    /// The transitions between them that were shown.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Visits everything.
    pub fn explore(&mut self, audience: &mut dyn Audience) -> Ended {
        self.all(audience).err().unwrap_or(Ended::Whole)
    }

    fn all(&mut self, audience: &mut dyn Audience) -> Result<(), Ended> {
        let mut stepper = self.system.stepper();
        let (mut chains, mut edges, mut state) = (Chains::new(&self.watch), Vec::new(), Vec::new());
        if stepper.initial(&mut state).broken {
            return Ok(());
        }
        self.met.number(&state)?;
        let mut next = 0;
        while u64::from(next) < self.met.states {
            if self.watch.stopped() {
                return Err(Ended::Cancelled);
            }
            self.met.read(next, &mut state);
            chains.follow(&mut *stepper, &state, &mut self.met, &mut edges)?;
            self.transitions += edges.iter().filter(|e: &&Edge| e.to.is_some()).count() as u64;
            let stuck = if edges.is_empty() { stepper.stuck(&state) } else { None };
            audience.see(&Shown { id: next, bytes: &state, stuck, edges: &edges })?;
            next += 1;
        }
        Ok(())
    }
}

/// Whoever gives numbers to states.
pub trait Numbering {
    /// The number of a state.
    fn number(&mut self, state: &[u8]) -> Result<u32, Ended>;
}

/// Follows all ways out of a state to the next stored ones.
pub struct Chains<'w> {
    /// The state itself, then the transient states of the way that is being followed.
    levels: Vec<Level>,
    /// These transient states: who comes back to one of them is going round.
    on_way: HashSet<Vec<u8>>,
    watch: &'w Watch,
}

/// All successors of one state on the way, how many of them have been taken, and whether something went wrong before.
#[derive(Default)]
struct Level {
    batch: Batch,
    taken: usize,
    wrong: bool,
    own: Vec<u8>,
}

impl<'w> Chains<'w> {
    /// Nothing was followed yet.
    pub fn new(watch: &'w Watch) -> Chains<'w> {
        Chains { levels: Vec::new(), on_way: HashSet::new(), watch }
    }

    /// Replaces `out` by all transitions of a state.
    pub fn follow(
        &mut self,
        stepper: &mut dyn Stepper,
        state: &[u8],
        met: &mut dyn Numbering,
        out: &mut Vec<Edge>,
    ) -> Result<(), Ended> {
        out.clear();
        self.on_way.clear();
        self.enter(stepper, 0, state, false);
        let mut depth = 0;
        loop {
            if self.watch.stopped() {
                return Err(Ended::Cancelled);
            }
            let level = &mut self.levels[depth];
            let Some(&entry) = level.batch.entries.get(level.taken) else {
                if depth == 0 {
                    return Ok(());
                }
                self.on_way.remove(&level.own);
                depth -= 1;
                continue;
            };
            level.taken += 1;
            let wrong = level.wrong || entry.findings != 0;
            if entry.transient() && !entry.broken() {
                let next = level.batch.state(level.taken - 1).to_vec();
                if self.on_way.insert(next.clone()) {
                    depth += 1;
                    self.enter(stepper, depth, &next, wrong);
                }
                continue;
            }
            let to = match entry.broken() {
                true => None,
                false => Some(met.number(level.batch.state(level.taken - 1))?),
            };
            let steps = self.levels[..=depth].iter().map(|l| l.batch.step(l.taken - 1)).collect();
            out.push(Edge { steps, to, wrong: wrong || entry.broken() });
        }
    }

    /// Takes all steps of a state.
    fn enter(&mut self, stepper: &mut dyn Stepper, depth: usize, state: &[u8], wrong: bool) {
        if self.levels.len() == depth {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[depth];
        stepper.expand(state, &mut level.batch);
        (level.taken, level.wrong) = (0, wrong);
        level.own.clear();
        level.own.extend_from_slice(state);
    }
}
