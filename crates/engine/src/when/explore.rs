//! Visits all states in which the moment has not come, one after the other as they were met, and keeps the edges between them.
//!
//! States are numbered in the order in which they are met, so the next one to expand is a counter. Nothing is reduced: every
//! step of each state is taken.

use super::graph::{Edge, Ending, Graph, MOMENT};
use super::{Moment, beat};
use crate::job::Job;
use crate::monitor::Monitor;
use crate::parts::ledger::{Flow, Ledger};
use crate::parts::walk::{Arrival, Led, Walk};
use crate::report::{Stats, Stop};
use starwheel_model::{Actor, Step, Stepper, System};
use starwheel_store::{Inserted, NumberedTree, StateId, StateSet, StateStore};

/// An exploration, and what it has found out.
pub struct Explored<'a, 'm, S> {
    pub system: &'a dyn System,
    pub moment: &'m mut dyn Moment,
    pub ledger: Ledger<'a>,
    pub set: S,
    pub graph: Graph,
    /// The most steps on a shortest way to a state.
    pub depth: u64,
    walk: Walk<'a>,
    /// Follows chains again where the walk does not say what is between their ends.
    stepper: Box<dyn Stepper + 'a>,
    /// The hidden bytes with which each state was met, `width` of them.
    hidden: Vec<u8>,
    width: usize,
    /// The state that is being expanded.
    source: Vec<u8>,
    /// How the run is at its end at once: the moment is there, or the first state has no meaning.
    opening: Option<Result<(), String>>,
}

/// Where a chain of steps has led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// To the middle of a chain, where nobody looks.
    Between,
    /// To a state with this number, in which the moment has not come.
    Known(u32),
    /// To such a state that is not known yet.
    New,
    /// To the moment.
    Moment,
    /// To an error that ends the run, in these words.
    Error(String),
    /// Back to where it was, inside of an atomic sequence.
    Inside,
}

impl<'a, 'm> Explored<'a, 'm, NumberedTree> {
    /// Nothing was explored yet.
    pub fn new(job: &'a Job<'a>, moment: &'m mut dyn Moment, set: NumberedTree, watch: &'a dyn Monitor) -> Self {
        Explored {
            system: job.system,
            moment,
            ledger: Ledger::new(job, watch),
            set,
            graph: Graph::default(),
            depth: 0,
            walk: Walk::new(job.system, u64::MAX),
            stepper: job.system.stepper(),
            hidden: Vec::new(),
            width: job.system.hidden_bytes(),
            source: Vec::new(),
            opening: None,
        }
    }

    /// Visits everything.
    pub fn explore(&mut self) -> Flow {
        self.ledger.tick(0, &self.set)?;
        let opening = self.walk.initial();
        if opening.broken {
            let why = opening.violations.last().map(|v| v.message.clone());
            self.opening = Some(Err(why.unwrap_or_default()));
            return Flow::Continue(());
        }
        self.ledger.stats.state_bytes = (self.walk.hidden().len() + self.walk.visible().len()) as u64;
        self.opening = match self.judged() {
            Reached::Moment => Some(Ok(())),
            Reached::Error(why) => Some(Err(why)),
            _ => None,
        };
        if self.opening.is_some() {
            return Flow::Continue(());
        }
        self.number()?;
        let mut next = 0;
        while u64::from(next) < self.ledger.stats.states_stored {
            self.ledger.waiting = Some(self.ledger.stats.states_stored - u64::from(next));
            self.expand(next)?;
            beat(&mut self.ledger, &self.set)?;
            next += 1;
        }
        Flow::Continue(())
    }

    /// How the run is at its end at once, if it is.
    pub fn opening(&self) -> Option<&Result<(), String>> {
        self.opening.as_ref()
    }

    /// The number of the state just reached, which is a new one.
    fn number(&mut self) -> Flow<u32> {
        match self.set.insert(self.walk.visible()) {
            Inserted::Full => match self.ledger.full() {
                Flow::Break(why) => Flow::Break(why),
                Flow::Continue(()) => Flow::Break(Some(Stop::StoreFull)),
            },
            Inserted::Known(id) => Flow::Continue(id.0),
            // That number stands for the moment.
            Inserted::New(StateId(MOMENT)) => Flow::Break(Some(Stop::StoreFull)),
            Inserted::New(id) => {
                self.ledger.stats.states_stored += 1;
                self.hidden.extend_from_slice(self.walk.hidden());
                Flow::Continue(id.0)
            }
        }
    }

    /// Begins to walk from a state.
    pub fn begin(&mut self, node: u32) {
        let own = &self.hidden[node as usize * self.width..][..self.width];
        self.source.clear();
        self.source.extend_from_slice(own);
        self.set.read(StateId(node), &mut self.source);
        self.walk.begin(StateId(node), own, &self.set, 0);
    }

    /// How a run can end in the state at which the walk has just begun: nobody can move.
    pub fn stuck(&mut self) -> Option<(Ending, Option<String>)> {
        if !self.walk.at_end() {
            return None;
        }
        Some(match self.walk.stuck() {
            Some(violation) => (Ending::Deadlock, Some(violation.message)),
            None => (Ending::Final, None),
        })
    }

    /// Takes the next step of the walk; none if all were taken.
    pub fn advance(&mut self) -> Flow<Option<Arrival>> {
        let Some(arrival) = self.walk.advance(&self.set) else { return Flow::Continue(None) };
        self.ledger.step(&arrival, 0, &self.set)?;
        Flow::Continue(Some(arrival))
    }

    /// Where the step just taken has led.
    pub fn reached(&mut self, arrival: &Arrival) -> Reached {
        match arrival.led {
            Led::Transient => Reached::Between,
            Led::Round => Reached::Inside,
            Led::Nowhere => self.broken(arrival),
            Led::Stored => match self.set.lookup(self.walk.visible()) {
                // Only states in which the moment has not come are stored.
                Some(id) => Reached::Known(id.0),
                None => self.judged(),
            },
        }
    }

    /// Whether the moment has come in the state just reached.
    fn judged(&mut self) -> Reached {
        let state = [self.walk.hidden(), self.walk.visible()].concat();
        match self.moment.has_come(&state) {
            Ok(false) => Reached::New,
            Ok(true) => Reached::Moment,
            Err(why) => Reached::Error(why),
        }
    }

    /// What becomes of a run whose last step has no meaning.
    fn broken(&mut self, arrival: &Arrival) -> Reached {
        let chain = self.walk.trail();
        let (mut at, mut next) = (self.source.clone(), Vec::new());
        for &step in &chain[..chain.len().saturating_sub(1)] {
            self.stepper.fire(&at, step, &mut next);
            std::mem::swap(&mut at, &mut next);
        }
        let why = arrival.violations.last().map(|v| v.message.clone()).unwrap_or_default();
        match self.moment.came_before_the_end(&at, arrival.step) {
            Ok(true) => Reached::Moment,
            Ok(false) => Reached::Error(why),
            Err(own) => Reached::Error(own),
        }
    }

    /// The slices that pass in the chain to the state just reached. The clock moves where nobody is in control, so a tick is a
    /// chain by itself.
    pub fn slices(&mut self, step: Step) -> u32 {
        if step.actor == Actor::Clock { self.moment.slices(&self.source) } else { 0 }
    }

    /// The steps from the state at which the walk has begun.
    pub fn chain(&self) -> Vec<Step> {
        self.walk.trail()
    }

    /// Takes all steps of a state.
    fn expand(&mut self, node: u32) -> Flow {
        self.begin(node);
        let (mut edges, mut endings) = (Vec::new(), Vec::new());
        endings.extend(self.stuck().map(|(ending, _)| ending));
        while let Some(arrival) = self.advance()? {
            let (slices, steps) = (self.slices(arrival.step), arrival.depth.try_into().unwrap_or(u32::MAX));
            let to = match self.reached(&arrival) {
                Reached::Between => continue,
                Reached::Moment => MOMENT,
                Reached::New => self.number()?,
                Reached::Known(id) => {
                    self.ledger.stats.states_matched += 1;
                    id
                }
                Reached::Error(_) => {
                    endings.push(Ending::Error);
                    continue;
                }
                Reached::Inside => {
                    endings.push(Ending::Inside);
                    continue;
                }
            };
            edges.push(Edge { to, slices, steps });
        }
        self.graph.add(edges, &endings);
        Flow::Continue(())
    }

    /// What was counted.
    pub fn close(self) -> Stats {
        let Explored { ledger, set, .. } = self;
        let usage = set.usage();
        let exactness = set.exactness();
        ledger.conclude(Flow::Continue(()), None, exactness, usage).stats
    }
}
