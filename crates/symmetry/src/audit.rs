//! Tries out whether renamed states can do the same: `--audit`.
//!
//! In every state that is asked for its steps, all exchanges of neighbours in a block and some random renamings are applied,
//! and the steps of the renamed state compared with the renamed steps. It refutes and does not prove.

use crate::plan::Plan;
use starwheel_system::{Batch, Behind, Fired, Layer, Step, Stepper, System, Whole};
use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;

/// States that are passed through from one state.
const MOST: usize = 2_000;

/// Random renamings of each state.
const RANDOM: usize = 2;

/// A system whose states are compared with renamed ones whenever somebody asks for their steps.
pub struct Audited<'a> {
    system: &'a dyn Whole,
    plan: &'a Plan,
    record: Mutex<Record>,
}

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The number of renamed states that were compared.
    pub compared: u64,
    /// What was wrong with the first that differed.
    pub fault: Option<String>,
}

impl<'a> Audited<'a> {
    /// Compares the states of a system with renamed ones.
    pub fn new(system: &'a dyn Whole, plan: &'a Plan) -> Audited<'a> {
        Audited { system, plan, record: Mutex::default() }
    }

    /// What was found so far.
    pub fn record(&self) -> Record {
        self.record.lock().map(|r| r.clone()).unwrap_or_default()
    }
}

impl Whole for Audited<'_> {}

impl System for Audited<'_> {
    fn hidden_bytes(&self) -> usize {
        self.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Auditor { inner: self.system.stepper(), audited: self, batch: Batch::new(), random: 0x5eed })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.system.behind()
    }
}

struct Auditor<'a> {
    inner: Box<dyn Stepper + 'a>,
    audited: &'a Audited<'a>,
    batch: Batch,
    random: u64,
}

/// What a step does together with those that follow it at once, whoever makes it: what goes wrong, whether one waited for a
/// timeout or is broken, and the stored state it leads to.
type Effect = (Vec<String>, bool, bool, Vec<u8>);

impl Auditor<'_> {
    /// The effects of all steps of a state, renamed.
    fn effects(&mut self, at: &[u8], to: Option<&[u8]>) -> BTreeSet<Effect> {
        let plan = self.audited.plan;
        let (mut out, mut passed) = (BTreeSet::new(), HashSet::new());
        let mut open: Vec<(Vec<u8>, Vec<String>, bool)> = vec![(at.to_vec(), Vec::new(), false)];
        while let Some((state, wrong, waited)) = open.pop() {
            self.inner.expand(&state, &mut self.batch);
            for i in 0..self.batch.len() {
                let (batch, entry) = (&self.batch, &self.batch.entries[i]);
                let mut wrong = wrong.clone();
                wrong.extend(batch.violations(i).iter().map(|v| format!("{:?}", v.kind)));
                let waited = waited || entry.step().timeout;
                if entry.broken() {
                    out.insert((wrong, waited, true, Vec::new()));
                } else if entry.transient() && passed.len() < MOST {
                    if passed.insert((batch.state(i).to_vec(), wrong.clone())) {
                        open.push((batch.state(i).to_vec(), wrong, waited));
                    }
                } else {
                    let mut next = batch.state(i).to_vec();
                    if let Some(to) = to.filter(|_| plan.complete(batch.state(i))) {
                        plan.apply(to, batch.state(i), &mut next);
                    }
                    next.drain(..plan.hidden);
                    out.insert((wrong, waited, false, next));
                }
            }
        }
        out
    }

    /// Compares a stored state with renamed ones.
    fn compare(&mut self, at: &[u8]) {
        let plan = self.audited.plan;
        if !plan.complete(at) || self.inner.transient(at) {
            return;
        }
        let mut renamings: Vec<Vec<u8>> = Vec::new();
        for block in &plan.blocks {
            renamings.extend(block.windows(2).map(|w| plan.swap(w[0], w[1])));
        }
        for _ in 0..RANDOM {
            renamings.push(self.shuffled());
        }
        let (mut image, mut fault, mut compared) = (Vec::new(), None, 0);
        for to in &renamings {
            plan.apply(to, at, &mut image);
            compared += 1;
            let (here, there) = (self.effects(at, Some(to)), self.effects(&image, None));
            let stuck = |stepper: &mut dyn Stepper, at: &[u8]| stepper.stuck(at).map(|v| v.kind);
            let alike = here == there
                && self.inner.accepting(at) == self.inner.accepting(&image)
                && (!here.is_empty() || stuck(&mut *self.inner, at) == stuck(&mut *self.inner, &image));
            if !alike {
                fault.get_or_insert(format!("a state and the one that {to:?} makes of it can do different things"));
            }
        }
        if let Ok(mut record) = self.audited.record.lock() {
            record.compared += compared;
            record.fault = record.fault.take().or(fault);
        }
    }

    /// A random renaming within blocks.
    fn shuffled(&mut self) -> Vec<u8> {
        let plan = self.audited.plan;
        let mut to = plan.identity();
        for block in &plan.blocks {
            for i in (1..block.len()).rev() {
                self.random =
                    self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let j = (self.random >> 33) as usize % (i + 1);
                to.swap(usize::from(block[i]), usize::from(block[j]));
            }
        }
        to
    }
}

impl Layer for Auditor<'_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.inner
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.compare(at);
        self.inner.enabled(at, out);
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        self.inner.lists(at, step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        self.inner.omitted(at, out);
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        self.inner.fire(at, step, out)
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.compare(at);
        self.inner.expand(at, out);
    }
}
