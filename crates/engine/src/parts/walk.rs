//! A depth-first walk through the steps of a system; its user decides which stored states are entered.
//!
//! Transient states are entered by the walk itself: each way through them is followed, none is
//! remembered, and a way that comes round to a state it has passed already ends there.

use crate::parts::batch_cache::BatchCache;
use crate::parts::chain::Chains;
use crate::parts::stack::Stack;
use starwheel_model::{Fired, Step, Stepper, System, Violation};
use starwheel_reduce::{Chooser, Proviso, Reducer};
use starwheel_store::{StateId, StateStore};

/// A walk and all its scratch memory.
pub struct Walk<'a> {
    stepper: Box<dyn Stepper + 'a>,
    /// Puts steps in groups of which one may be enough.
    chooser: Option<Box<dyn Chooser + 'a>>,
    ends: Vec<usize>,
    hidden: usize,
    /// True if stored states are kept on the stack, since the store cannot give them back.
    keeps: bool,
    /// Steps that would lead deeper than this are not taken.
    pub limit: u64,
    /// True once such a step was left out.
    pub cut: bool,
    /// The greatest depth so far.
    pub deepest: u64,
    depth: u64,
    stack: Stack,
    chains: Chains,
    /// Successors that machine code has made.
    batches: BatchCache,
    /// The topmost state, if `loaded`.
    at: Vec<u8>,
    loaded: bool,
    /// The state just reached.
    next: Vec<u8>,
    steps: Vec<Step>,
    /// True if the topmost frame's current step has been taken and its successor was not entered.
    taken: bool,
    /// True if it has been told that the topmost state is about to be left.
    told: bool,
}

/// What happens next on a walk.
#[derive(Debug)]
pub enum Event {
    /// A step has been taken.
    Arrival(Arrival),
    /// This stored state has no steps left; it is still the topmost one.
    Leaving(StateId),
}

/// What a step led to.
#[derive(Debug)]
pub struct Arrival {
    /// The step.
    pub step: Step,
    /// What went wrong in it.
    pub violations: Vec<Violation>,
    /// Where it led.
    pub led: Led,
    /// The depth of the state reached.
    pub depth: u64,
    /// The bytes of the state reached, or zero if it has no meaning.
    pub bytes: usize,
}

/// Where a step led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Led {
    /// To a state for the store; it may be entered now.
    Stored,
    /// To a transient state; it has been entered.
    Transient,
    /// To a state that this chain has passed already.
    Round,
    /// To no state at all.
    Nowhere,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub fn new(system: &'a dyn System, limit: u64) -> Walk<'a> {
        Walk {
            stepper: system.stepper(),
            chooser: None,
            ends: Vec::new(),
            hidden: system.hidden_bytes(),
            keeps: false,
            limit,
            cut: false,
            deepest: 0,
            depth: 0,
            stack: Stack::default(),
            chains: Chains::default(),
            batches: BatchCache::default(),
            at: Vec::new(),
            loaded: false,
            next: Vec::new(),
            steps: Vec::new(),
            taken: false,
            told: false,
        }
    }

    /// The same, for a store of this kind.
    pub fn over<S: StateStore>(system: &'a dyn System, limit: u64) -> Walk<'a> {
        Walk { keeps: !S::READS, ..Walk::new(system, limit) }
    }

    /// Steps are put in groups from now on: see [`Walk::proviso_paid`].
    pub fn reduce(&mut self, reducer: Option<&'a dyn Reducer>) {
        self.chooser = reducer.map(|r| r.chooser());
    }

    /// True if steps are put in groups.
    pub fn reduces(&self) -> bool {
        self.chooser.is_some()
    }

    /// True if the state just entered may take fewer steps than it has.
    pub fn leaves_out(&self) -> bool {
        !self.ends.is_empty() && self.chooser.is_some()
    }

    /// The stored state whose steps are being taken, maybe in a chain of transient states.
    pub fn source(&self) -> Option<StateId> {
        self.stack.stored_below(self.stack.len())
    }

    /// The stored state from which the topmost one was entered.
    pub fn below(&self) -> Option<StateId> {
        self.stack.stored_below(self.stack.len().saturating_sub(1))
    }

    /// The cycle proviso is paid: nobody is ignored for ever if the topmost stored state takes only the group of steps that
    /// is being taken.
    pub fn proviso_paid(&mut self) {
        if self.chooser.is_some() {
            self.stack.enough();
        }
    }

    /// Reaches the initial state, which may then be entered.
    pub fn initial(&mut self) -> Fired {
        self.next.clear();
        self.stepper.initial(&mut self.next)
    }

    /// Forgets where it was and begins anew in a given state, whose depth is `depth` and whose own bytes are `own`.
    pub fn begin(&mut self, id: StateId, own: &[u8], store: &impl StateStore, depth: u64) {
        self.stack.clear();
        self.chains.clear();
        self.batches.clear();
        (self.taken, self.told) = (false, false);
        self.depth = depth;
        self.next.clear();
        self.next.extend_from_slice(own);
        if !self.keeps {
            store.read(id, &mut self.next);
        }
        self.enter(id);
    }

    /// The state just reached, as the store sees it.
    pub fn visible(&self) -> &[u8] {
        self.next.get(self.hidden..).unwrap_or(&[])
    }

    /// The hidden part of the state just reached.
    pub fn hidden(&self) -> &[u8] {
        &self.next[..self.hidden.min(self.next.len())]
    }

    /// What the store will not give back of the state just reached: its hidden bytes, or all of them.
    pub fn own(&self) -> &[u8] {
        if self.keeps { &self.next } else { self.hidden() }
    }

    /// The state just entered.
    pub fn topmost(&self) -> &[u8] {
        &self.at
    }

    /// The depth of the topmost state.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Enters the state just reached, which has this number in the store.
    pub fn enter(&mut self, id: StateId) {
        self.push(Some(id), self.own().len());
    }

    /// What is wrong with the state just entered, if it has no steps.
    pub fn stuck(&mut self) -> Option<Violation> {
        if self.steps.is_empty() { self.stepper.stuck(&self.at) } else { None }
    }

    /// The steps from the bottom of the stack to the state reached last.
    pub fn trail(&self) -> Vec<Step> {
        self.stack.trail(if self.taken { self.stack.len() } else { self.stack.len().saturating_sub(1) })
    }

    /// Takes the next step, going back as far as needed; `None` if there is none left.
    pub fn advance(&mut self, store: &impl StateStore) -> Option<Arrival> {
        loop {
            if let Event::Arrival(arrival) = self.event(store)? {
                return Some(arrival);
            }
        }
    }

    /// As [`Walk::advance`], and also tells when a stored state is about to be left.
    pub fn event(&mut self, store: &impl StateStore) -> Option<Event> {
        loop {
            if std::mem::take(&mut self.taken) {
                self.stack.drop_step();
            }
            match self.stack.step() {
                None => match self.stack.top()?.0 {
                    Some(id) if !std::mem::replace(&mut self.told, true) => return Some(Event::Leaving(id)),
                    _ => {
                        self.told = false;
                        self.go_back();
                    }
                },
                Some(step) if self.depth + step.length() > self.limit => {
                    self.cut = true;
                    self.stack.drop_step();
                }
                Some(step) => return Some(Event::Arrival(self.take(step, store))),
            }
        }
    }

    /// Whether the state just reached is accepting.
    pub fn accepting(&mut self) -> bool {
        self.stepper.accepting(&self.next)
    }

    /// True if the state just entered has no steps.
    pub fn at_end(&self) -> bool {
        self.steps.is_empty()
    }

    /// The own bytes of the topmost state.
    pub fn top_own(&self) -> &[u8] {
        self.stack.top().map_or(&[], |(_, own)| own)
    }

    /// The own bytes of the stored state that so many steps lead to from the bottom of the stack.
    pub fn own_at(&self, steps: usize) -> &[u8] {
        self.stack.own(steps)
    }

    /// The number of steps from the bottom of the stack to a stored state on it.
    pub fn position(&self, id: StateId) -> Option<usize> {
        self.stack.position(id)
    }

    fn go_back(&mut self) {
        if self.stack.top().is_some_and(|(id, _)| id.is_none()) {
            self.chains.pop();
        }
        self.stack.pop();
        self.batches.forget(self.stack.len());
        self.loaded = false;
        // The step that led here is what the frame below is at.
        if let Some(step) = self.stack.step() {
            self.depth -= step.length();
            self.stack.drop_step();
        }
    }

    fn take(&mut self, step: Step, store: &impl StateStore) -> Arrival {
        self.next.clear();
        let fired = self.execute(step, store);
        self.taken = true;
        let depth = self.depth + step.length();
        // The first half of a handshake is a depth of its own, even if the whole leads to nothing new.
        self.deepest = self.deepest.max(depth - 1);
        let (mut led, mut bytes) = (Led::Nowhere, 0);
        if !fired.broken {
            bytes = self.next.len();
            led = if self.stepper.transient(&self.next) { self.pass() } else { Led::Stored };
        } else if self.chooser.is_some() {
            // What others can do does not happen after a step that leads nowhere.
            self.stack.never_enough();
        }
        Arrival { step, violations: fired.violations, led, depth, bytes }
    }

    /// True if successors are made all at once.
    fn at_once(&self) -> bool {
        self.chooser.is_none() && self.stepper.expands_fast()
    }

    /// Makes the successor of the topmost state, unless it waits already.
    fn execute(&mut self, step: Step, store: &impl StateStore) -> Fired {
        let place = self.stack.len() - 1;
        if self.at_once() && self.batches.find(place, step).is_none() {
            self.load(store);
            self.batches.make(&mut *self.stepper, &self.at, place, &mut self.steps);
        }
        if let Some((batch, number)) = self.batches.find(place, step) {
            self.next.extend_from_slice(batch.state(number));
            return Fired { broken: batch.entries[number].broken(), violations: batch.violations(number).to_vec() };
        }
        self.load(store);
        self.stepper.fire(&self.at, step, &mut self.next)
    }

    /// Enters a transient state, unless this chain has done so already.
    fn pass(&mut self) -> Led {
        let hash = rapidhash::v3::rapidhash_v3(&self.next);
        let chained = self.stack.top().is_some_and(|(id, _)| id.is_none());
        if !chained {
            self.chains.begin(hash);
        } else {
            let top = self.stack.len() - 1;
            if self.chains.contains(hash, |below| self.stack.own(top - below) == self.next) {
                return Led::Round;
            }
            self.chains.extend(hash);
        }
        self.push(None, self.next.len());
        Led::Transient
    }

    /// Puts the state just reached on the stack, with so many bytes of its own.
    fn push(&mut self, id: Option<StateId>, own: usize) {
        if let Some(step) = self.stack.step() {
            self.depth += step.length();
        }
        self.taken = false;
        std::mem::swap(&mut self.at, &mut self.next);
        self.loaded = true;
        self.steps.clear();
        if self.at_once() {
            self.batches.make(&mut *self.stepper, &self.at, self.stack.len(), &mut self.steps);
        } else {
            self.stepper.enabled(&self.at, &mut self.steps);
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.choose(&self.at, &mut self.steps, &mut self.ends);
            if chooser.proviso() == Proviso::NotNeeded {
                self.steps.truncate(self.ends.first().copied().unwrap_or(usize::MAX));
                self.ends.clear();
            }
        }
        self.stack.push(id, &self.at[..own], &self.steps, &self.ends);
        self.deepest = self.deepest.max(self.depth);
    }

    /// Brings back the topmost state after its successors were walked through.
    fn load(&mut self, store: &impl StateStore) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let Some((id, own)) = self.stack.top() else { return };
        self.at.clear();
        self.at.extend_from_slice(own);
        if let Some(id) = id.filter(|_| !self.keeps) {
            store.read(id, &mut self.at);
        }
    }
}
