//! Transitions that never end: in languages whose transitions take no time, one that comes back for ever to where it was is an
//! error, and not a run like others.
//!
//! The model says by labels where a jump leads back ([`RETURN`]) and where a process is at rest (any label without an underscore
//! in front). A step from such a jump is an error if the process, left alone, can never rest, block or end again,
//! whatever it chooses. That depends on the state alone, as an assertion does: no search need know of it, and reductions and
//! stores treat it as they treat assertions.

use crate::interp::Interp;
use crate::ir::{Model, Pid, TransId};
use starwheel_base::cancel::{Token, Watch};
use starwheel_system::{
    Actor, Batch, Behind, Entry, Fired, Layer, Step, Stepper, System, Violation, ViolationKind, Whole,
};
use std::collections::HashSet;

/// How the labels of jumps that may lead back begin.
pub const RETURN: &str = "_back";

/// States of which it is remembered that an end can be reached from them: so many near ones, and as many of a longer way.
const REMEMBERED: usize = 1 << 12;

impl Model {
    /// Notes that the labels of jumps mean something: it was translated from a language in which they do.
    pub fn heed_returns(&mut self) {
        let label = |l: &std::sync::Arc<str>| l.starts_with(RETURN);
        self.uses.returns = self.proctypes.iter().flat_map(|p| &p.locs).any(|loc| loc.labels.iter().any(label));
    }

    /// True for a jump that may lead back, if that means something: it may turn out that its transition never ends.
    pub fn leads_back(&self, trans: TransId) -> bool {
        let Some(t) = self.transitions.get(trans.index()).filter(|_| self.uses.returns) else { return false };
        let loc = self.proctype(t.proctype).locs.get(t.from.index());
        loc.is_some_and(|loc| loc.labels.iter().any(|l| l.starts_with(RETURN)))
    }
}

/// A system in which a transition that never ends is an error.
pub struct Returning<'a> {
    system: &'a dyn Whole,
    model: &'a Model,
    returns: Vec<bool>,
    /// Assertions are checked.
    assertions: bool,
    until: Token,
}

impl<'a> Returning<'a> {
    /// The same system, which is that of a model and nothing besides, with such errors, if the model has such jumps. Where
    /// assertions are checked, a transition that fails one on its way has that error. The token ends what takes long.
    pub fn around(system: &'a dyn Whole, model: &'a Model, assertions: bool, until: Token) -> Option<Returning<'a>> {
        let returns = || (0..model.actions()).map(|at| model.leads_back(TransId(at as u32))).collect();
        model.uses.returns.then(|| Returning { system, model, returns: returns(), assertions, until })
    }
}

impl Whole for Returning<'_> {}

impl System for Returning<'_> {
    fn hidden_bytes(&self) -> usize {
        self.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Follower {
            inner: self.system.stepper(),
            alone: Interp::new(self.model),
            around: self,
            until: self.until.watch(),
            near: HashSet::new(),
            far: HashSet::new(),
            steps: Vec::new(),
        })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        self.system.behind()
    }
}

struct Follower<'a> {
    inner: Box<dyn Stepper + 'a>,
    /// Follows a process that is left alone.
    alone: Interp<'a>,
    around: &'a Returning<'a>,
    until: Watch,
    /// States behind jumps from which an end can be reached, each with its process. A search comes to the others on the same way
    /// next, so they are kept: all of the last ways, and some of the last long one, far enough apart for it.
    near: HashSet<(Pid, Vec<u8>)>,
    far: HashSet<(Pid, Vec<u8>)>,
    steps: Vec<Step>,
}

/// What a process can do in a state if it is left alone.
enum Next {
    /// It need not go on: it rests, waits for others or is gone.
    End,
    /// It has these steps.
    Steps(Vec<Step>),
}

impl Follower<'_> {
    /// What is wrong with a step, given the state that it leads to.
    fn judge(&mut self, step: Step, next: &[u8]) -> Option<Violation> {
        let agent = step.actor.agent()?;
        if !self.around.returns.get(step.action.index()).copied().unwrap_or(false) || self.can_end(Pid(agent), next) {
            return None;
        }
        Some(Violation {
            kind: ViolationKind::RuntimeError,
            message: "this transition never ends: it comes back here for ever".to_string(),
            span: self.around.model.transition(step.action).span,
            actor: Some(Actor::Agent(agent)),
        })
    }

    /// True if an end can be reached from a state behind a jump.
    fn can_end(&mut self, pid: Pid, from: &[u8]) -> bool {
        let key = (pid, from.to_vec());
        if self.known(&key) {
            return true;
        }
        // As long as there is no choice, two states are enough to see that it goes round (Brent 1980).
        let (mut met, mut at, mut power, mut since) = (from.to_vec(), from.to_vec(), 1u64, 0u64);
        let (mut passed, mut apart, mut jumps) = (vec![key], 1usize, 0usize);
        let ends = loop {
            let step = match self.next(pid, &at) {
                Next::End => break true,
                Next::Steps(steps) if steps.len() == 1 => steps[0],
                Next::Steps(_) => break self.can_end_by_choice(pid, at),
            };
            let mut next = Vec::new();
            let fired = self.alone.fire(&at, step, &mut next);
            if self.goes_wrong(&fired) || self.until.stopped() {
                // Who is told to stop believes nothing that he hears afterwards.
                break true;
            }
            if self.around.returns[step.action.index()] {
                jumps += 1;
                let key = (pid, next.clone());
                if self.known(&key) {
                    break true;
                }
                if jumps.is_multiple_of(apart) {
                    passed.push(key);
                }
                if passed.len() == REMEMBERED {
                    let mut number = 0;
                    passed.retain(|_| {
                        number += 1;
                        number % 2 == 0
                    });
                    apart *= 2;
                }
            }
            at = next;
            since += 1;
            if at == met {
                break false;
            }
            if since == power {
                (power, since) = (power * 2, 0);
                met.clone_from(&at);
            }
        };
        match ends {
            true if apart > 1 => self.far = passed.into_iter().collect(),
            true => {
                if self.near.len() + passed.len() > 2 * REMEMBERED {
                    self.near.clear();
                }
                self.near.extend(passed);
            }
            false => {}
        }
        ends
    }

    fn known(&self, key: &(Pid, Vec<u8>)) -> bool {
        self.near.contains(key) || self.far.contains(key)
    }

    /// The same where there is a choice: any that leads to an end will do.
    fn can_end_by_choice(&mut self, pid: Pid, from: Vec<u8>) -> bool {
        let mut met = HashSet::from([from.clone()]);
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let Next::Steps(steps) = self.next(pid, &at) else { return true };
            for step in steps {
                let mut next = Vec::new();
                let fired = self.alone.fire(&at, step, &mut next);
                if self.goes_wrong(&fired) || self.until.stopped() {
                    return true;
                }
                if met.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// What goes wrong on the way is the error, and not that it goes on.
    fn goes_wrong(&self, fired: &Fired) -> bool {
        let heeded = |v: &Violation| self.around.assertions || v.kind != ViolationKind::Assertion;
        fired.broken || fired.violations.iter().any(heeded)
    }

    fn next(&mut self, pid: Pid, at: &[u8]) -> Next {
        if !self.alone.transient(at) {
            let Some(loc) = self.alone.location(at, pid) else { return Next::End };
            if loc.labels.iter().any(|l| !l.starts_with('_')) {
                return Next::End;
            }
        }
        let mut steps = std::mem::take(&mut self.steps);
        self.alone.enabled(at, &mut steps);
        let own: Vec<Step> = steps.iter().copied().filter(|s| s.actor == Actor::Agent(pid.0) && !s.timeout).collect();
        self.steps = steps;
        if own.is_empty() { Next::End } else { Next::Steps(own) }
    }
}

impl Layer for Follower<'_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.inner
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let mut fired = self.inner.fire(at, step, out);
        if !fired.broken
            && let Some(violation) = self.judge(step, out)
        {
            fired.broken = true;
            fired.violations.push(violation);
        }
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.inner.expand(at, out);
        for number in 0..out.entries.len() {
            let entry = out.entries[number];
            if entry.broken() || !self.around.returns.get(entry.action as usize).copied().unwrap_or(false) {
                continue;
            }
            let Some(violation) = self.judge(entry.step(), out.state(number)) else { continue };
            let mut found = out.violations(number).to_vec();
            found.push(violation);
            out.findings.push(found);
            out.entries[number].findings = out.findings.len() as u32;
            out.entries[number].flags |= Entry::BROKEN;
            out.uniform = 0;
        }
    }
}
