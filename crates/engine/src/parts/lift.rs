//! Trails of a system whose states are renamed, told in steps of the system behind it.
//!
//! A search of names ([`starwheel_system::Quotient`]) goes on from a name, not from the state that got it, so the steps that it
//! finds need not follow each other in reality: the second may be one of an agent that is another one there. The names along
//! its path are right, however. By the laws of [`starwheel_system::Normaliser`] each state that has a name leads, by as many
//! steps, to a state with the next name, so one real step after the other is found again by trying. A cycle of names comes
//! back to the same name and perhaps not to the same state; then it is gone round again, until it does: a class has finitely
//! many states, and from each the same way is found each time.
//!
//! Several real steps may lead to the next name, and for fairness it matters whose. So first each step is sought exactly: as
//! the same one of the agent that the one in question really is, which is known from the renamings along the way. Only where
//! names forget more than who is who are classes all there is to go by.
//!
//! That names are enough for properties that cannot tell alike states apart: E. Emerson, A. Sistla: Symmetry and Model Checking
//! (1996). Where we differ: searches know nothing of it, and real states are made for what is shown only.

use crate::report::Finding;
use starwheel_model::{Batch, Behind, Step, Stepper, System, Violation};
use std::collections::{HashMap, HashSet};

/// Steps after which a cycle that does not close is given up.
const LONGEST: usize = 1 << 22;

/// What was found in the steps of the system behind; `None` if a law is broken and it cannot be told.
pub fn lift(system: &dyn System, behind: Behind<'_>, finding: &Finding) -> Option<Finding> {
    let (names, in_step) = names(system, behind, finding)?;
    [true, false].into_iter().find_map(|exactly| told(behind, finding, &names, in_step, exactly))
}

/// The real steps, found exactly or by classes.
fn told(behind: Behind<'_>, finding: &Finding, names: &[Name], in_step: bool, exactly: bool) -> Option<Finding> {
    let mut real = Real {
        stepper: behind.system.stepper(),
        behind,
        at: Vec::new(),
        name: Vec::new(),
        trail: Vec::new(),
        who: exactly.then(|| (0..=u8::MAX).collect()),
    };
    let opening = real.stepper.initial(&mut real.at);
    real.renamed(names.first()?);
    let violation = &finding.violation;
    match finding.cycle_start {
        None if finding.trail.is_empty() && in_step => {
            let violation = laxly(|how| pick(&opening.violations, violation, how).cloned())?;
            Some(Finding { violation, ..finding.clone() })
        }
        None => {
            let violation = real.go_wrong(names, finding, in_step)?;
            Some(Finding { violation, trail: real.trail, cycle_start: None, events: finding.events })
        }
        Some(start) => {
            let turn = names.iter().position(|name| name.after == start)?;
            real.along(&names[..=turn], &finding.trail)?;
            let start =
                if start == finding.trail.len() { real.trail.len() } else { real.round(&names[turn..], finding)? };
            Some(Finding { trail: real.trail, cycle_start: Some(start), ..finding.clone() })
        }
    }
}

/// A name on the path of a finding.
struct Name {
    /// After so many steps.
    after: usize,
    state: Vec<u8>,
    /// The state that got the name, and what became of each agent.
    raw: Vec<u8>,
    agents: Vec<u8>,
}

/// The names along a trail, and whether its last step is what went wrong, or the initial state.
fn names(system: &dyn System, behind: Behind<'_>, finding: &Finding) -> Option<(Vec<Name>, bool)> {
    let (mut stepper, mut at, mut next) = (system.stepper(), Vec::new(), Vec::new());
    let (mut inner, mut raw) = (behind.system.stepper(), Vec::new());
    let name = |after: usize, state: &[u8], raw: &[u8]| {
        let (mut class, mut own, mut agents) = (state.to_vec(), raw.to_vec(), Vec::new());
        behind.normaliser.class(&mut class);
        behind.normaliser.normalise_agents(&mut own, &mut agents);
        Name { after, state: class, raw: raw.to_vec(), agents }
    };
    let mut fired = stepper.initial(&mut at);
    if !inner.initial(&mut raw).broken && fired.broken {
        return None;
    }
    let mut names = vec![name(0, &at, &raw)];
    for (number, &step) in finding.trail.iter().enumerate() {
        if fired.broken || !stepper.lists(&at, step) {
            return None;
        }
        fired = stepper.fire(&at, step, &mut next);
        if !fired.broken && !stepper.transient(&next) {
            let _ = inner.fire(&at, step, &mut raw);
            names.push(name(number + 1, &next, &raw));
        }
        std::mem::swap(&mut at, &mut next);
    }
    Some((names, fired.violations.contains(&finding.violation)))
}

/// How much two violations must have in common. Who is to blame may be another one in reality, and where he stands.
#[derive(Clone, Copy)]
enum How {
    Same,
    SamePlace,
    SameKind,
}

/// The first answer, with the strictest condition that has one.
fn laxly<T>(ask: impl FnMut(How) -> Option<T>) -> Option<T> {
    [How::Same, How::SamePlace, How::SameKind].into_iter().find_map(ask)
}

fn pick<'v>(violations: &'v [Violation], wanted: &Violation, how: How) -> Option<&'v Violation> {
    violations.iter().find(|v| match how {
        How::Same => *v == wanted,
        How::SamePlace => v.kind == wanted.kind && v.span == wanted.span,
        How::SameKind => v.kind == wanted.kind,
    })
}

/// A walk through real states.
struct Real<'a> {
    stepper: Box<dyn Stepper + 'a>,
    behind: Behind<'a>,
    /// Where it is: a stored state.
    at: Vec<u8>,
    /// Scratch memory.
    name: Vec<u8>,
    trail: Vec<Step>,
    /// Which agent each agent of the name really is, if steps are sought exactly.
    who: Option<Vec<u8>>,
}

/// All steps of a state on the way that is being tried.
struct Level {
    batch: Batch,
    tried: usize,
    /// How long the way is up to here.
    length: u64,
}

impl Real<'_> {
    /// Goes from name to name, from the first of them on, which is that of the state where it is.
    fn along(&mut self, names: &[Name], steps: &[Step]) -> Option<()> {
        let hidden = self.behind.system.hidden_bytes();
        for pair in names.windows(2) {
            let (normaliser, mut name) = (self.behind.normaliser, std::mem::take(&mut self.name));
            let mut exact = pair[1].raw.clone();
            if let Some(who) = &self.who {
                normaliser.rename(who, &mut exact);
            }
            let exactly = self.who.is_some();
            let found = self.chain(&steps[pair[0].after..pair[1].after], exactly, |batch, number| {
                let entry = &batch.entries[number];
                if entry.broken() || entry.transient() {
                    return false;
                }
                if exactly {
                    return batch.state(number).get(hidden..) == exact.get(hidden..);
                }
                name.clear();
                name.extend_from_slice(batch.state(number));
                normaliser.class(&mut name);
                name.get(hidden..) == pair[1].state.get(hidden..)
            });
            self.name = name;
            (_, self.at) = found?;
            self.renamed(&pair[1]);
        }
        Some(())
    }

    /// Agents have got new names.
    fn renamed(&mut self, name: &Name) {
        if let Some(who) = &mut self.who {
            let old = who.clone();
            old.iter().zip(&name.agents).for_each(|(real, new)| who[usize::from(*new)] = *real);
        }
    }

    /// Goes to where something is wrong, and says what.
    fn go_wrong(&mut self, names: &[Name], finding: &Finding, in_step: bool) -> Option<Violation> {
        let Finding { trail, violation, .. } = finding;
        let before = names.iter().take_while(|name| !in_step || name.after < trail.len()).count();
        self.along(&names[..before], trail)?;
        if !in_step {
            let stuck: Vec<Violation> = self.stepper.stuck(&self.at).into_iter().collect();
            return laxly(|how| pick(&stuck, violation, how).cloned());
        }
        let last = &trail[names[before - 1].after..];
        laxly(|how| {
            let (batch, _) = self.chain(last, false, |batch, i| pick(batch.violations(i), violation, how).is_some())?;
            pick(&batch, violation, how).cloned()
        })
    }

    /// Goes round a cycle of names until the states are a cycle; the number of steps before it.
    fn round(&mut self, cycle: &[Name], finding: &Finding) -> Option<usize> {
        let hidden = self.behind.system.hidden_bytes();
        let mut seen = HashMap::new();
        while self.trail.len() < LONGEST {
            if let Some(start) = seen.insert(self.at.get(hidden..)?.to_vec(), self.trail.len()) {
                return Some(start);
            }
            self.along(cycle, &finding.trail)?;
        }
        None
    }

    /// Takes steps through transient states, together as long as the given ones, of which the last is wanted: what goes wrong
    /// in it, and its successor. Exactly: each step is one of those who really are the agents of the given one.
    fn chain(
        &mut self,
        like: &[Step],
        exactly: bool,
        mut wanted: impl FnMut(&Batch, usize) -> bool,
    ) -> Option<(Vec<Violation>, Vec<u8>)> {
        let length: u64 = like.iter().map(|step| step.length()).sum();
        let mut passed = HashSet::new();
        let mut levels = vec![level(&mut *self.stepper, &self.at, 0)];
        while let Some(depth) = levels.len().checked_sub(1) {
            let Level { batch, tried, length: before } = &mut levels[depth];
            let number = *tried;
            let Some(entry) = batch.entries.get(number) else {
                levels.pop();
                continue;
            };
            *tried += 1;
            let after = *before + entry.step().length();
            if exactly && !like.get(depth).is_some_and(|like| same_agents(entry.step(), *like, self.who.as_deref())) {
                continue;
            }
            if after == length && wanted(batch, number) {
                let found = (batch.violations(number).to_vec(), batch.state(number).to_vec());
                self.trail.extend(levels.iter().map(|l| l.batch.step(l.tried - 1)));
                return Some(found);
            }
            if after < length && entry.transient() && passed.insert((batch.state(number).to_vec(), after)) {
                let next = level(&mut *self.stepper, batch.state(number), after);
                levels.push(next);
            }
        }
        None
    }
}

/// Whether a step is one of those who really are the agents of another one.
fn same_agents(step: Step, like: Step, who: Option<&[u8]>) -> bool {
    let real = |agent: u8| who.and_then(|w| w.get(usize::from(agent)).copied()).unwrap_or(agent);
    let mut own: Vec<u8> = step.agents().collect();
    let mut wanted: Vec<u8> = like.agents().map(real).collect();
    own.sort_unstable();
    wanted.sort_unstable();
    own == wanted && step.actor.is_claim() == like.actor.is_claim() && step.timeout == like.timeout
}

fn level(stepper: &mut dyn Stepper, at: &[u8], length: u64) -> Level {
    let mut batch = Batch::new();
    stepper.expand(at, &mut batch);
    Level { batch, tried: 0, length }
}
