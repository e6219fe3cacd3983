//! Checks choices against what they promise, by trying it out: `--audit`.
//!
//! In each state whose steps were reduced, all that the other processes can do is followed, as far as a limit allows.
//! Everywhere on the way the chosen processes must still have the same steps and no others; and a chosen step must lead to
//! the same states whether it comes before or after a step of the others.
//!
//! All reductions count on knowing which steps may turn out to have no meaning ([`crate::fallible`]). So in each state in which there
//! is something to choose from, every step that has none is looked up there.

use crate::anonymous::anonymous_among;
use crate::property::may_break;
use crate::proviso::Proviso;
use crate::ranges::Ranges;
use crate::reduced::{Chooser, Reducer};
use starwheel_base::cancel::Token;
use starwheel_model::{Expr, Interp, Model, Pid, ProcessStep, Step, Stepper, Stmt, TransId};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Mutex;

/// States that are looked at for one choice, and states that one chain may pass.
const MOST: usize = 200;

/// A reducer whose choices are checked.
pub struct Audit<'a> {
    reducer: &'a dyn Reducer,
    model: &'a Model,
    /// True if processes may change their numbers and places when others come and go, because nobody sees it.
    renames: bool,
    /// By transition: whether somebody expects that it may have no meaning.
    may_break: Vec<bool>,
    record: Mutex<Record>,
}

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The number of choices that were checked.
    pub choices: u64,
    /// What was wrong with the first bad one.
    pub fault: Option<String>,
}

impl<'a> Audit<'a> {
    /// Checks the choices of a reducer for a model.
    pub fn new(reducer: &'a dyn Reducer, model: &'a Model) -> Audit<'a> {
        let renames = anonymous_among(model, &Ranges::new(model, &Token::NEVER.watch()));
        Audit { reducer, model, renames, may_break: may_break(model), record: Mutex::default() }
    }

    /// Whether a step is about the life of a process, which changes numbers that nobody sees.
    fn renames(&self, step: Step) -> bool {
        let life = |t: TransId| {
            let stmt = &self.model.transition(t).stmt;
            let mut found = *stmt == Stmt::End;
            stmt.walk(&mut |e| found |= matches!(e, Expr::Run(_)));
            found
        };
        self.renames && life(step.action)
    }

    /// What was found so far.
    pub fn record(&self) -> Record {
        self.record.lock().map(|r| r.clone()).unwrap_or_default()
    }
}

impl Reducer for Audit<'_> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        Box::new(Auditor { inner: self.reducer.chooser(), interp: Interp::new(self.model), audit: self })
    }
}

struct Auditor<'a> {
    inner: Box<dyn Chooser + 'a>,
    interp: Interp<'a>,
    audit: &'a Audit<'a>,
}

impl Chooser for Auditor<'_> {
    fn choose(&mut self, at: &[u8], steps: &mut [Step], ends: &mut Vec<usize>) {
        self.inner.choose(at, steps, ends);
        // A claim's steps are none of the system's.
        let own = |s: &Step| !s.actor.is_claim();
        if let Some(step) = steps.iter().copied().filter(own).find(|s| self.breaks_unforeseen(at, *s)) {
            let fault = format!("{step:?} has no meaning, and nobody has expected it");
            if let Ok(mut record) = self.audit.record.lock() {
                record.fault.get_or_insert(fault);
            }
        }
        for &end in ends.iter() {
            let fault = self.check(at, &steps[..end], steps).err();
            if let Ok(mut record) = self.audit.record.lock() {
                record.choices += 1;
                record.fault = record.fault.take().or(fault);
            }
        }
    }

    fn proviso(&self) -> Proviso {
        self.inner.proviso()
    }

    fn breaks(&mut self, at: &[u8], chosen: &[Step]) -> bool {
        self.inner.breaks(at, chosen)
    }

    fn idle(&self, at: &[u8]) -> bool {
        self.inner.idle(at)
    }
}

impl Auditor<'_> {
    /// Whether a step turns out to have no meaning although it was said to have one.
    fn breaks_unforeseen(&mut self, at: &[u8], step: Step) -> bool {
        let partner = step.partner().map(|(_, trans)| trans);
        let expected = |t: TransId| self.audit.may_break.get(t.index()).is_some_and(|may| *may);
        // What follows inside of an atomic sequence is a step of its own here.
        !std::iter::once(step.action).chain(partner).any(expected) && self.interp.fire(at, step, &mut Vec::new()).broken
    }

    /// Follows all that the others can do.
    fn check(&mut self, at: &[u8], chosen: &[Step], all: &[Step]) -> Result<(), String> {
        let inside: HashSet<Pid> = chosen.iter().map(|s| s.pid()).collect();
        if all.iter().any(|s| inside.contains(&s.pid()) && !chosen.contains(s)) {
            return Err("a step of a chosen process is missing".to_string());
        }
        let audit = self.audit;
        let mine: HashSet<Step> = chosen.iter().copied().filter(|s| !audit.renames(*s)).collect();
        let (mut seen, mut open) = (HashSet::from([at.to_vec()]), VecDeque::from([at.to_vec()]));
        while let Some(state) = open.pop_front() {
            let mut steps = Vec::new();
            self.interp.enabled(&state, &mut steps);
            let involved =
                |s: &&Step| inside.contains(&s.pid()) || s.partner().is_some_and(|(p, _)| inside.contains(&p));
            let now: HashSet<Step> = steps.iter().filter(involved).copied().filter(|s| !audit.renames(*s)).collect();
            if now != mine {
                return Err(format!("the others change what is possible: {mine:?} becomes {now:?}"));
            }
            for step in steps.iter().filter(|s| !involved(s)) {
                let after = self.results(&state, *step);
                self.commute(&state, *step, &after, chosen)?;
                for next in after.into_iter().flatten() {
                    if seen.len() < MOST && seen.insert(next.clone()) {
                        open.push_back(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// A step of the others and each chosen step lead to the same states in both orders.
    fn commute(
        &mut self,
        state: &[u8],
        other: Step,
        after: &Option<BTreeSet<Vec<u8>>>,
        chosen: &[Step],
    ) -> Result<(), String> {
        let Some(after) = after else { return Ok(()) };
        for &mine in chosen {
            if self.audit.renames(mine) || self.audit.renames(other) {
                continue;
            }
            let Some(first) = self.results(state, mine) else { continue };
            let one: Option<BTreeSet<_>> = self.all(&first, other);
            let two: Option<BTreeSet<_>> = self.all(after, mine);
            if one != two {
                return Err(format!("the order of {mine:?} and {other:?} matters"));
            }
        }
        Ok(())
    }

    fn all(&mut self, states: &BTreeSet<Vec<u8>>, step: Step) -> Option<BTreeSet<Vec<u8>>> {
        let mut out = BTreeSet::new();
        for s in states {
            let mut steps = Vec::new();
            self.interp.enabled(s, &mut steps);
            if !steps.contains(&step) {
                return None;
            }
            out.extend(self.results(s, step)?);
        }
        Some(out)
    }

    /// The states that a step leads to, through all that follows in the same step; none if one has no meaning or there
    /// are too many.
    fn results(&mut self, state: &[u8], step: Step) -> Option<BTreeSet<Vec<u8>>> {
        let (mut out, mut seen) = (BTreeSet::new(), HashSet::new());
        let mut open = vec![(state.to_vec(), step)];
        while let Some((from, step)) = open.pop() {
            let mut next = Vec::new();
            if self.interp.fire(&from, step, &mut next).broken || seen.len() > MOST {
                return None;
            }
            if !self.interp.transient(&next) {
                out.insert(next);
            } else if seen.insert(next.clone()) {
                let mut steps = Vec::new();
                self.interp.enabled(&next, &mut steps);
                open.extend(steps.into_iter().map(|s| (next.clone(), s)));
            }
        }
        Some(out)
    }
}
