//! The laws of the waist as checks: of any system, and of a system around another one. For tests, and for authors of systems.

use crate::batch::Batch;
use crate::quotient::{Behind, Normaliser, Whole, one_by_one};
use crate::step::{Action, Actor, Partners, Step};
use crate::stepper::{Fired, Stepper, System, listed};
use crate::violation::{Violation, ViolationKind};
use starwheel_base::Span;
use std::collections::HashSet;

/// What is broken, in words.
type Verdict<T = ()> = Result<T, String>;

/// Checks the laws of [`Stepper`] in the states that can be reached, at most so many; their number, or the first law that
/// is broken.
pub fn hold(system: &dyn System, most: usize) -> Verdict<usize> {
    let mut check =
        Check { system, one: system.stepper(), two: system.stepper(), batch: Batch::new(), last: Vec::new() };
    let (mut first, mut again) = (b"old".to_vec(), Vec::new());
    let fired = check.one.initial(&mut first);
    law(same(&fired, &check.two.initial(&mut again)) && first == again, "the initial state is always the same", &[])?;
    let mut walk = Walk::new(most);
    if !fired.broken {
        law(!check.one.transient(&first), "the initial state is not transient", &first)?;
        walk.add(first);
    }
    while let Some(at) = walk.next() {
        check.state(&at, &mut walk)?;
    }
    Ok(walk.states.len())
}

/// Checks that a system around another one loses nothing, in the states that can be reached, at most so many: taken
/// together with what it omits, it has the same steps, they come to the same, and it says the same of each state, unless it
/// says something else on purpose.
pub fn lose_nothing(inner: &dyn System, outer: &dyn System, purpose: Purpose, most: usize) -> Verdict<usize> {
    let facts = |s: &dyn System| (s.hidden_bytes(), s.transitions(), s.behind().is_some());
    law(facts(inner) == facts(outer), "a system around another one has its facts", &[])?;
    let (mut within, mut around) = (inner.stepper(), outer.stepper());
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let fired = within.initial(&mut a);
    law(same(&fired, &around.initial(&mut b)), "both begin alike", &[])?;
    let mut walk = Walk::new(most);
    if !fired.broken {
        walk.add((a, b));
    }
    while let Some((a, b)) = walk.next() {
        let steps = all_steps(&mut *within, &a);
        let set = |steps: &[Step]| steps.iter().copied().collect::<HashSet<_>>();
        law(set(&steps) == set(&all_steps(&mut *around, &b)), "no step is lost, omitted ones included", &a)?;
        law(within.transient(&a) == around.transient(&b), "both agree on what is transient", &a)?;
        law(purpose.speed || within.expands_fast() == around.expands_fast(), "both are as fast", &a)?;
        if steps.is_empty() {
            law(within.stuck(&a) == around.stuck(&b), "both say what is wrong with an end", &a)?;
        }
        if !purpose.accepting && !within.transient(&a) {
            law(within.accepting(&a) == around.accepting(&b), "both agree on what is accepting", &a)?;
        }
        for step in steps {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            let fired = within.fire(&a, step, &mut x);
            law(same(&fired, &around.fire(&b, step, &mut y)), "a step comes to the same", &a)?;
            if !fired.broken {
                walk.add((x, y));
            }
        }
    }
    Ok(walk.states.len())
}

/// What a system around another one changes on purpose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Purpose {
    /// [`Stepper::accepting`].
    pub accepting: bool,
    /// [`Stepper::expands_fast`].
    pub speed: bool,
}

/// States that were met, in the order in which they were.
struct Walk<T> {
    states: Vec<T>,
    known: HashSet<T>,
    next: usize,
    most: usize,
}

impl<T: Clone + Eq + std::hash::Hash> Walk<T> {
    fn new(most: usize) -> Walk<T> {
        Walk { states: Vec::new(), known: HashSet::new(), next: 0, most }
    }

    fn add(&mut self, state: T) {
        if self.states.len() < self.most && self.known.insert(state.clone()) {
            self.states.push(state);
        }
    }

    fn next(&mut self) -> Option<T> {
        self.next += 1;
        self.states.get(self.next - 1).cloned()
    }
}

fn law(kept: bool, text: &str, at: &[u8]) -> Verdict {
    if kept { Ok(()) } else { Err(format!("broken law: {text}; in state {at:?}")) }
}

fn same(a: &Fired, b: &Fired) -> bool {
    a.broken == b.broken && a.violations == b.violations
}

/// The steps of a state and those that are left out.
fn all_steps(stepper: &mut dyn Stepper, at: &[u8]) -> Vec<Step> {
    let (mut steps, mut omitted) = (Vec::new(), Vec::new());
    stepper.enabled(at, &mut steps);
    stepper.omitted(at, &mut omitted);
    steps.append(&mut omitted);
    steps
}

struct Check<'a> {
    system: &'a dyn System,
    one: Box<dyn Stepper + 'a>,
    /// Is asked in another order, with buffers that are empty.
    two: Box<dyn Stepper + 'a>,
    /// Full of what was there before.
    batch: Batch,
    /// The steps of the state before.
    last: Vec<Step>,
}

impl Check<'_> {
    fn state(&mut self, at: &[u8], walk: &mut Walk<Vec<u8>>) -> Verdict {
        law(self.system.hidden_bytes() <= at.len(), "no state is shorter than the hidden bytes", at)?;
        let steps = self.steps(at)?;
        for &step in &steps {
            if let Some(next) = self.fired(at, step)? {
                walk.add(next);
            }
        }
        self.expanded(at, &steps)?;
        if steps.is_empty() {
            law(self.two.stuck(at) == self.one.stuck(at), "what is wrong depends on the state alone", at)?;
        }
        if !self.one.transient(at) {
            law(self.two.accepting(at) == self.one.accepting(at), "acceptance depends on the state alone", at)?;
        }
        self.last = steps;
        Ok(())
    }

    /// The steps of a state.
    fn steps(&mut self, at: &[u8]) -> Verdict<Vec<Step>> {
        let stranger = Step::alone(Actor::Clock, Action(u32::MAX));
        let (mut steps, mut again, mut omitted) = (vec![stranger; 3], Vec::new(), vec![stranger; 3]);
        self.one.enabled(at, &mut steps);
        self.one.omitted(at, &mut omitted);
        self.two.omitted(at, &mut again);
        law(again == omitted, "`omitted` replaces, and depends on the state alone", at)?;
        self.two.enabled(at, &mut again);
        law(again == steps, "`enabled` replaces, and depends on the state alone", at)?;
        law(steps.iter().collect::<HashSet<_>>().len() == steps.len(), "no step is listed twice", at)?;
        law(omitted.iter().all(|s| !steps.contains(s)), "what is listed is not omitted", at)?;
        law(omitted.is_empty() || !steps.is_empty(), "where nothing is listed nothing is omitted", at)?;
        law(!steps.is_empty() || !self.one.transient(at), "a transient state has a step", at)?;
        let most = self.system.transitions();
        let known = |s: &Step| s.action.index() < most && s.second_action().is_none_or(|a| a.index() < most);
        law(steps.iter().chain(&omitted).all(known), "actions are below `transitions`", at)?;
        for &step in steps.iter().chain(&omitted).chain(&self.last) {
            let listed = steps.contains(&step);
            law(self.one.lists(at, step) == listed && self.two.lists(at, step) == listed, "`lists` is `enabled`", at)?;
        }
        Ok(steps)
    }

    /// The state that a step leads to.
    fn fired(&mut self, at: &[u8], step: Step) -> Verdict<Option<Vec<u8>>> {
        let (mut next, mut again) = (b"old".to_vec(), Vec::new());
        let fired = self.one.fire(at, step, &mut next);
        law(same(&fired, &self.two.fire(at, step, &mut again)), "what comes of a step depends on the state alone", at)?;
        law(fired.broken || next == again, "`fire` replaces, and depends on the state alone", at)?;
        Ok((!fired.broken).then_some(next))
    }

    fn expanded(&mut self, at: &[u8], steps: &[Step]) -> Verdict {
        let Check { one, two, batch, .. } = self;
        two.expand(at, batch);
        law(
            batch.entries.iter().map(|e| e.step()).eq(steps.iter().copied()),
            "`expand` has the steps of `enabled`",
            at,
        )?;
        let mut next = Vec::new();
        for (number, &step) in steps.iter().enumerate() {
            let (entry, fired) = (batch.entries[number], one.fire(at, step, &mut next));
            let whole = Fired { broken: entry.broken(), violations: batch.violations(number).to_vec() };
            law(same(&whole, &fired), "`expand` comes to the same as `fire`", at)?;
            if !fired.broken {
                law(batch.state(number) == next, "`expand` has the successors of `fire`", at)?;
                law(entry.transient() == one.transient(&next), "`expand` knows what is transient", at)?;
                law(masked(at, &next, entry.changed), "what is not marked as changed is as before", at)?;
            }
            let plain = entry.special() == 0 && entry.len == batch.uniform && entry.start == number as u32 * entry.len;
            let alone = step == Step::alone(step.actor, step.action) && step.actor.agent().is_some();
            law(batch.uniform == 0 || (plain && alone), "a uniform batch is plain", at)?;
        }
        Ok(())
    }
}

/// True if all words that differ are marked.
fn masked(before: &[u8], after: &[u8], changed: u64) -> bool {
    let words = before.chunks(4).zip(after.chunks(4)).enumerate();
    let differ = |(i, (a, b)): (usize, (&[u8], &[u8]))| a != b && (i >= 64 || changed >> i & 1 == 0);
    changed == u64::MAX || (before.len() == after.len() && !words.into_iter().any(differ))
}

/// A small system that has everything: transient states, omitted steps, handshakes, steps of many, a claim, a clock, errors,
/// ends good and bad, hidden bytes, and another system behind it. Whoever wraps it has something to lose.
///
/// ```text
/// 0 ──▶ 1 (transient) ──▶ 2 (accepting) ──▶ 3 (a bad end)
/// ├──▶ 2 by a handshake   ├──▶ 0 by a tick that wakes two
/// ├──▶ 3, omitted         └──▶ nowhere: breaks
/// └──▶ 4 (a good end) by a claim, with an assertion that fails
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// What [`Stepper::expands_fast`] says.
    pub fast: bool,
}

const PROBE_HIDDEN: usize = 2;

impl Probe {
    fn edges(node: u8) -> Vec<(Step, Option<u8>)> {
        let agent = |n, action| Step::alone(Actor::Agent(n), Action(action));
        let shake = Partners::One(Actor::Agent(4), Action(7));
        match node {
            0 => vec![
                (agent(1, 0), Some(1)),
                (Step { partners: shake, ..agent(2, 1) }, Some(2)),
                (Step::alone(Actor::Claim, Action(2)), Some(4)),
                (agent(3, 6), Some(3)),
            ],
            1 => vec![(agent(1, 3), Some(2))],
            2 => vec![
                (Step { timeout: true, ..agent(0, 4) }, Some(3)),
                (Step { partners: Partners::Many(0b110), ..Step::alone(Actor::Clock, Action(5)) }, Some(0)),
                (agent(254, 4), None),
            ],
            _ => Vec::new(),
        }
    }

    /// How many of these steps are listed.
    fn listed(node: u8) -> usize {
        if node == 0 { 3 } else { usize::MAX }
    }

    fn write(node: u8, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&[9, 9, node, 0, 0, 0]);
    }

    fn wrong(kind: ViolationKind, actor: Actor) -> Violation {
        Violation { kind, message: "as it should be".to_string(), span: Span::default(), actor: Some(actor) }
    }
}

impl System for Probe {
    fn hidden_bytes(&self) -> usize {
        PROBE_HIDDEN
    }

    fn transitions(&self) -> usize {
        8
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(*self)
    }

    fn behind(&self) -> Option<Behind<'_>> {
        Some(Behind { system: self, normaliser: self })
    }
}

impl Whole for Probe {}

impl Normaliser for Probe {
    fn normalise(&self, _state: &mut Vec<u8>) {}

    fn normalise_batch(&self, at: &[u8], out: &mut Batch) {
        one_by_one(self, at, out);
    }

    fn normalise_agents(&self, state: &mut Vec<u8>, agents: &mut Vec<u8>) {
        self.normalise(state);
        agents.clear();
        agents.extend(0..=u8::MAX);
    }

    fn rename(&self, _agents: &[u8], _state: &mut Vec<u8>) {}

    fn class(&self, _state: &mut Vec<u8>) {}
}

impl Stepper for Probe {
    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        Probe::write(0, out);
        Fired { broken: false, violations: vec![Probe::wrong(ViolationKind::Assertion, Actor::Clock)] }
    }

    fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
        let node = at[PROBE_HIDDEN];
        out.clear();
        out.extend(Probe::edges(node).iter().take(Probe::listed(node)).map(|e| e.0));
    }

    fn lists(&mut self, at: &[u8], step: Step) -> bool {
        listed(self, at, step)
    }

    fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
        let node = at[PROBE_HIDDEN];
        out.clear();
        out.extend(Probe::edges(node).iter().skip(Probe::listed(node)).map(|e| e.0));
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let to = Probe::edges(at[PROBE_HIDDEN]).iter().find(|e| e.0 == step).and_then(|e| e.1);
        Probe::write(to.unwrap_or(u8::MAX), out);
        let wrong = match (step.actor, to) {
            (_, None) => Some(ViolationKind::RuntimeError),
            (Actor::Claim, _) => Some(ViolationKind::Assertion),
            _ => None,
        };
        let violations = wrong.map(|kind| Probe::wrong(kind, step.actor));
        Fired { broken: to.is_none(), violations: violations.into_iter().collect() }
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        out.fill(self, at);
    }

    fn expands_fast(&self) -> bool {
        self.fast
    }

    fn transient(&self, at: &[u8]) -> bool {
        at[PROBE_HIDDEN] == 1
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        (at[PROBE_HIDDEN] == 3).then(|| Probe::wrong(ViolationKind::InvalidEndState, Actor::Agent(3)))
    }

    fn accepting(&mut self, at: &[u8]) -> bool {
        at[PROBE_HIDDEN] == 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Layer;
    use crate::quotient::Quotient;

    #[test]
    fn the_probe_keeps_all_laws() {
        let probe = Probe::default();
        assert_eq!(hold(&probe, 100), Ok(5));
        assert_eq!(lose_nothing(&probe, &probe, Purpose::default(), 100), Ok(5));
    }

    #[test]
    fn a_quotient_by_itself_loses_nothing() {
        for probe in [Probe { fast: false }, Probe { fast: true }] {
            let quotient = Quotient::new(&probe, &probe);
            assert_eq!(hold(&quotient, 100), Ok(5));
            assert_eq!(lose_nothing(&probe, &quotient, Purpose::default(), 100), Ok(5));
        }
    }

    /// A layer that forgets one method.
    struct Forgetful<'a> {
        inner: &'a Probe,
        what: &'static str,
    }

    impl System for Forgetful<'_> {
        fn hidden_bytes(&self) -> usize {
            if self.what == "hidden_bytes" { 0 } else { self.inner.hidden_bytes() }
        }

        fn transitions(&self) -> usize {
            if self.what == "transitions" { 1 } else { self.inner.transitions() }
        }

        fn stepper(&self) -> Box<dyn Stepper + '_> {
            Box::new(Forgets { inner: *self.inner, what: self.what })
        }

        fn behind(&self) -> Option<Behind<'_>> {
            self.inner.behind().filter(|_| self.what != "behind")
        }
    }

    struct Forgets {
        inner: Probe,
        what: &'static str,
    }

    impl Layer for Forgets {
        fn inner(&self) -> &dyn Stepper {
            &self.inner
        }

        fn inner_mut(&mut self) -> &mut dyn Stepper {
            &mut self.inner
        }

        fn enabled(&mut self, at: &[u8], out: &mut Vec<Step>) {
            match self.what {
                "enabled appends" => out.extend(Probe::edges(at[PROBE_HIDDEN]).iter().map(|e| e.0)),
                "enabled" => out.clear(),
                _ => self.inner.enabled(at, out),
            }
        }

        fn lists(&mut self, at: &[u8], step: Step) -> bool {
            self.what != "lists" && self.inner.lists(at, step)
        }

        fn omitted(&mut self, at: &[u8], out: &mut Vec<Step>) {
            match self.what {
                "omitted" => out.clear(),
                "omitted appends" => {}
                _ => self.inner.omitted(at, out),
            }
        }

        fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
            let fired = self.inner.fire(at, step, out);
            let violations = if self.what == "fire" { Vec::new() } else { fired.violations };
            Fired { violations, ..fired }
        }

        fn expand(&mut self, at: &[u8], out: &mut Batch) {
            self.inner.expand(at, out);
            if self.what == "expand" {
                out.entries.reverse();
            }
        }

        fn expands_fast(&self) -> bool {
            self.what != "expands_fast" && self.inner.fast
        }

        fn transient(&self, at: &[u8]) -> bool {
            self.what != "transient" && self.inner.transient(at)
        }

        fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
            self.inner.stuck(at).filter(|_| self.what != "stuck")
        }

        fn accepting(&mut self, at: &[u8]) -> bool {
            self.what != "accepting" && self.inner.accepting(at)
        }
    }

    #[test]
    fn whatever_a_wrapper_loses_is_noticed() {
        let inner = &Probe { fast: true };
        let check = |what| {
            let outer = Forgetful { inner, what };
            hold(&outer, 100).and_then(|_| lose_nothing(inner, &outer, Purpose::default(), 100))
        };
        assert_eq!(check("nothing"), Ok(5));
        let facts = ["hidden_bytes", "transitions", "behind"];
        let steps = ["enabled", "enabled appends", "lists", "omitted", "omitted appends", "fire", "expand"];
        let states = ["expands_fast", "transient", "stuck", "accepting"];
        for what in facts.into_iter().chain(steps).chain(states) {
            assert!(check(what).is_err(), "nobody misses {what}");
        }
    }
}
