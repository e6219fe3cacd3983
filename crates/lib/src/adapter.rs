//! A user's system as the searches see it: states are strings of numbers of parts.
//!
//! A state is a number of four bytes for each part ([`crate::parts`]), which is the unit in which stores pack and share. A step is
//! an actor and the place of the action in the actor's list. Where a model has several first states, there is one before them whose
//! only number stands for no part ([`ROOT`]), and a step for each of them leads on.
//!
//! What an action or a property has read is known ([`crate::View`]). So a property is asked again only where a step has changed a
//! part that it has read: a condition is a function of what it reads, in the order in which it does.

use crate::ground::Ground;
use crate::model::Model;
use crate::parts::{Code, content_hash};
use crate::property::Kind;
use crate::quiet::quietly;
use crate::recipe::{Recipe, half};
use crate::unfold::{Made, Unfold, Unfolded};
use crate::view::{Draft, Fate, PartSet, View, bit};
use starwheel_base::Span;
use starwheel_system::{Action, Actor, Behind, Fired, Step, Stepper, System, Violation, ViolationKind, Whole};
use std::cell::RefCell;

/// The only number in the state before the first ones.
pub const ROOT: Code = u32::MAX;
/// The most actions of an actor in a state; one more number stands for a list that could not be made.
const MOST: usize = (1 << 16) - 1;
/// Numbers of parts that a thread remembers.
const CACHE: usize = 1 << 12;
/// Answers of a property are remembered for parts with numbers below this.
const REMEMBERED: usize = 1 << 20;

/// A user's system.
pub struct Adapted<'g, 'm, M: Model> {
    pub ground: &'g Ground<'m, M>,
    /// The properties that are looked at in each state.
    pub watched: Vec<usize>,
}

impl<M: Model> Adapted<'_, '_, M> {
    /// For one thread.
    pub fn walker(&self) -> Walker<'_, M> {
        let Ground { actors, .. } = *self.ground;
        Walker {
            ground: self.ground,
            watched: &self.watched,
            cache: vec![(0, ROOT); CACHE],
            known: vec![None; self.watched.len()],
            codes: Vec::new(),
            next: Vec::new(),
            bytes: Vec::new(),
            actions: Vec::new(),
            written: Vec::new(),
            actors,
            near: vec![PartSet::NONE; actors],
            touched: vec![PartSet::NONE; actors],
            memos: self.ground.properties.iter().map(|_| RefCell::default()).collect(),
        }
    }
}

impl<M: Model> System for Adapted<'_, '_, M> {
    fn hidden_bytes(&self) -> usize {
        0
    }

    fn transitions(&self) -> usize {
        MOST + 1
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        Box::new(Unfolded(self.walker()))
    }

    fn behind(&self) -> Option<Behind<'_>> {
        None
    }
}

impl<M: Model> Whole for Adapted<'_, '_, M> {}

/// One thread's way through a user's system.
pub struct Walker<'a, M: Model> {
    pub ground: &'a Ground<'a, M>,
    watched: &'a [usize],
    /// Hashes of parts and their numbers, direct mapped.
    cache: Vec<(u64, Code)>,
    /// By watched property: what it says of the state whose steps are being taken, and what it has read for that.
    known: Vec<Option<(bool, PartSet)>>,
    /// Scratch memory.
    codes: Vec<Code>,
    next: Vec<Code>,
    bytes: Vec<u8>,
    actions: Vec<M::Action>,
    written: Vec<(usize, M::Part)>,
    actors: usize,
    /// By actor, for the state whose steps were taken last: what decides about its steps, and what they write.
    pub near: Vec<PartSet>,
    pub touched: Vec<PartSet>,
    /// By property: what it says where it has looked at one part only.
    memos: Vec<RefCell<Memo>>,
}

/// What a property says by the number of the one part that it looks at. The part that a condition reads first is the same in all
/// states, and so is what it says if it reads no other.
#[derive(Default)]
struct Memo {
    place: usize,
    /// By number of the part.
    known: Vec<Option<bool>>,
}

/// Replaces `out` by the numbers in a state.
#[inline]
pub fn decode(at: &[u8], out: &mut Vec<Code>) {
    out.clear();
    out.extend(at.as_chunks::<4>().0.iter().map(|word| Code::from_le_bytes(*word)));
}

fn encode(codes: &[Code], out: &mut Vec<u8>) {
    out.clear();
    codes.iter().for_each(|code| out.extend_from_slice(&code.to_le_bytes()));
}

/// True for the state before the first ones.
pub fn is_root(codes: &[Code]) -> bool {
    codes == [ROOT]
}

/// The violation of a property, whose place says which one it is.
pub fn violation(kind: ViolationKind, place: usize, message: String, actor: Option<usize>) -> Violation {
    let span = Span { start: place as u32, end: place as u32, ..Span::default() };
    Violation { kind, message, span, actor: actor.map(|a| Actor::Agent(a as u8)) }
}

/// A step that must never happen.
fn broken(why: String, actor: usize) -> Fired {
    Fired { broken: true, violations: vec![violation(ViolationKind::RuntimeError, 0, why, Some(actor))] }
}

impl<M: Model> Walker<'_, M> {
    /// The number of a part that a step has written at a place.
    fn intern(&mut self, part: M::Part, codes: &[Code], step: Step, place: usize) -> Result<Code, String> {
        let hash = content_hash(&part);
        let slot = &mut self.cache[(hash >> 20) as usize % CACHE];
        if slot.1 != ROOT && slot.0 == hash && *self.ground.parts.get(slot.1) == part {
            return Ok(slot.1);
        }
        let code = self.ground.number(part, hash, || Recipe {
            state: codes.to_vec(),
            actor: step.actor.agent().map_or(0, usize::from),
            action: step.action.index(),
            place,
            check: half(hash),
        })?;
        *slot = (hash, code);
        Ok(code)
    }

    /// The steps to the first states.
    fn begin(&mut self, only: Option<Step>, show: &mut impl FnMut(Made<'_>)) {
        for (number, first) in self.ground.initial.iter().enumerate() {
            let step = Step::alone(Actor::Agent(0), Action(number as u32));
            if only.is_none_or(|only| only == step) {
                let violations = self.look(first, None);
                encode(first, &mut self.bytes);
                let fired = Fired { broken: false, violations };
                show(Made { step, fired, state: &self.bytes, changed: u64::MAX });
            }
        }
    }

    /// What an actor does.
    fn actor(&mut self, actor: usize, codes: &[Code], only: Option<Step>, show: &mut impl FnMut(Made<'_>)) {
        let mut actions = std::mem::take(&mut self.actions);
        let step = |number: usize| Step::alone(Actor::Agent(actor as u8), Action(number as u32));
        let wanted = |number: usize| only.is_none_or(|only| only == step(number));
        self.touched[actor] = PartSet::NONE;
        let listed = self.list(actor, codes, &mut actions);
        self.near[actor] = *listed.as_ref().unwrap_or(&PartSet::ALL);
        match listed {
            Err(why) if wanted(MOST) => {
                show(Made { step: step(MOST), fired: broken(why, actor), state: &[], changed: u64::MAX });
            }
            Err(_) => {}
            Ok(_) => {
                for (number, action) in actions.iter().enumerate().filter(|a| wanted(a.0)) {
                    if let Some(made) = self.act(actor, action, step(number), codes) {
                        show(made);
                    }
                }
            }
        }
        actions.clear();
        self.actions = actions;
    }

    /// Replaces `out` by the actions of an actor, and holds it to what it has promised to read; what was read.
    fn list(&self, actor: usize, codes: &[Code], out: &mut Vec<M::Action>) -> Result<PartSet, String> {
        let view = View::new(codes, &self.ground.parts);
        out.clear();
        quietly(|| self.ground.model.actions(actor, &view, out))?;
        if out.len() >= MOST {
            return Err(format!("actor {actor} can do {} things in one state, more than {}", out.len(), MOST - 1));
        }
        self.keeps(actor, view.reads(), PartSet::NONE)?;
        Ok(view.reads())
    }

    /// Holds an actor to its footprint, if it has to keep to one.
    fn keeps(&self, actor: usize, reads: PartSet, writes: PartSet) -> Result<(), String> {
        let Some(promised) = self.ground.footprints.as_ref().map(|f| f[actor]) else { return Ok(()) };
        let fault = |verb: &str, extra: String| {
            Err(format!("`footprint` is wrong: actor {actor} {verb} part {extra}, which it does not name there"))
        };
        match (reads.within(promised.reads), writes.within(promised.writes)) {
            (false, _) => fault("reads", reads.beyond(promised.reads)),
            (_, false) => fault("writes", writes.beyond(promised.writes)),
            _ => Ok(()),
        }
    }

    /// Does one action; `None` if it is refused.
    fn act(&mut self, actor: usize, action: &M::Action, step: Step, codes: &[Code]) -> Option<Made<'_>> {
        let mut draft = Draft::new(View::new(codes, &self.ground.parts), std::mem::take(&mut self.written));
        let result = quietly(|| self.ground.model.apply(action, &mut draft));
        let (reads, len) = (draft.reads(), draft.len);
        let Draft { mut written, fate, .. } = draft;
        let writes = PartSet::of(written.iter().map(|w| w.0));
        self.near[actor] = self.near[actor].and(reads);
        self.touched[actor] = self.touched[actor].and(writes);
        let outcome = match (result, fate) {
            (Ok(()), Fate::Refused) => {
                self.written = written;
                return None;
            }
            (Err(why), _) | (Ok(()), Fate::Wrong(why)) => Err(why),
            (Ok(()), Fate::Taken) => self.settle(codes, step, &mut written, len),
        };
        self.written = written;
        let outcome = outcome.and_then(|changed| {
            if len != codes.len() && self.ground.footprints.is_some() {
                return Err("reduction needs states whose number of parts does not change".to_string());
            }
            self.keeps(actor, reads, writes).map(|()| changed)
        });
        Some(match outcome {
            Err(why) => Made { step, fired: broken(why, actor), state: &[], changed: u64::MAX },
            Ok(changed) => {
                let next = std::mem::take(&mut self.next);
                let same = len == codes.len();
                let violations = self.look(&next, same.then_some((codes, changed)));
                encode(&next, &mut self.bytes);
                self.next = next;
                let changed = if same && len <= 64 { changed.0 } else { u64::MAX };
                Made { step, fired: Fired { broken: false, violations }, state: &self.bytes, changed }
            }
        })
    }

    /// Makes the numbers of the successor; the parts that are others than before.
    fn settle(
        &mut self,
        codes: &[Code],
        step: Step,
        written: &mut Vec<(usize, M::Part)>,
        len: usize,
    ) -> Result<PartSet, String> {
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        next.extend_from_slice(&codes[..len.min(codes.len())]);
        next.resize(len, ROOT);
        let mut changed = 0;
        for (place, part) in written.drain(..) {
            let code = self.intern(part, codes, step, place)?;
            changed |= if next[place] == code { 0 } else { bit(place) };
            next[place] = code;
        }
        self.next = next;
        Ok(PartSet(changed))
    }

    /// What is wrong with a state, or worth to be seen; `from` is the state before and the parts that have changed since.
    fn look(&mut self, codes: &[Code], from: Option<(&[Code], PartSet)>) -> Vec<Violation> {
        let mut out = Vec::new();
        for number in 0..self.watched.len() {
            let property = self.watched[number];
            if self.ground.is_settled(property) {
                continue;
            }
            match self.holds(number, codes, from) {
                Err(why) => {
                    let why = format!("`{}` {why}", self.ground.properties[property].name);
                    out.push(violation(ViolationKind::RuntimeError, property + 1, why, None));
                }
                Ok(holds) => out.extend(self.finding(property, holds)),
            }
        }
        out
    }

    /// What it means that a property holds in a state, or does not.
    fn finding(&self, property: usize, holds: bool) -> Option<Violation> {
        let about = &self.ground.properties[property];
        let message = match (&about.kind, holds) {
            (Kind::Always, false) => format!("`{}` does not hold", about.name),
            (Kind::Sometimes, true) => format!("`{}` holds", about.name),
            _ => return None,
        };
        Some(violation(ViolationKind::Assertion, property + 1, message, None))
    }

    /// Whether a watched property holds in a state.
    fn holds(&mut self, number: usize, codes: &[Code], from: Option<(&[Code], PartSet)>) -> Result<bool, String> {
        let property = self.watched[number];
        if let Some((before, changed)) = from {
            if self.known[number].is_none() {
                self.known[number] = Some(self.asked(property, before)?);
            }
            if let Some((holds, _)) = self.known[number].filter(|k| k.1.apart(changed)) {
                return Ok(holds);
            }
        }
        self.asked(property, codes).map(|answer| answer.0)
    }

    /// Asks a property about a state; the answer, and what it has read.
    pub fn asked(&self, property: usize, codes: &[Code]) -> Result<(bool, PartSet), String> {
        let mut memo = self.memos[property].borrow_mut();
        let known = codes.get(memo.place).and_then(|&code| *memo.known.get(code as usize)?);
        if let Some(holds) = known {
            return Ok((holds, PartSet::of([memo.place])));
        }
        let view = View::new(codes, &self.ground.parts);
        let property = &self.ground.properties[property];
        let holds =
            quietly(|| (property.condition)(self.ground.model, &view)).map_err(|why| format!("panics: {why}"))?;
        if let Some(place) = view.only().filter(|_| view.reads().within(property.over)) {
            let code = codes[place] as usize;
            memo.place = place;
            if code < REMEMBERED {
                let len = memo.known.len().max(code + 1);
                memo.known.resize(len, None);
                memo.known[code] = Some(holds);
            }
        }
        match view.reads().within(property.over) {
            true => Ok((holds, view.reads())),
            false => Err(format!("looks at part {}, which `over` does not name", view.reads().beyond(property.over))),
        }
    }

    /// The actions of a step's actor in a state, to find the one that is meant.
    pub fn action(&mut self, at: &[u8], step: Step) -> Option<M::Action> {
        let (mut codes, mut actions) = (Vec::new(), Vec::new());
        decode(at, &mut codes);
        let actor = step.actor.agent().map(usize::from).filter(|_| !is_root(&codes))?;
        self.list(actor, &codes, &mut actions).ok()?;
        (step.action.index() < actions.len()).then(|| actions.swap_remove(step.action.index()))
    }
}

/// The actors from the first of two numbers to before the second one.
fn alone(agent: Option<u8>) -> (usize, usize) {
    agent.map_or((0, 0), |agent| (usize::from(agent), usize::from(agent) + 1))
}

impl<M: Model> Unfold for Walker<'_, M> {
    fn first(&mut self, out: &mut Vec<u8>) -> Fired {
        let ground = self.ground;
        if ground.has_root() {
            encode(&[ROOT], out);
            return Fired::default();
        }
        let first = &ground.initial[0];
        encode(first, out);
        Fired { broken: false, violations: self.look(first, None) }
    }

    fn each(&mut self, at: &[u8], only: Option<Step>, mut show: impl FnMut(Made<'_>)) {
        let mut codes = std::mem::take(&mut self.codes);
        decode(at, &mut codes);
        self.known.fill(None);
        if is_root(&codes) {
            self.begin(only, &mut show);
        } else {
            self.ground.learn(&codes);
            let (first, end) = only.map_or((0, self.actors), |step| alone(step.actor.agent()));
            for actor in first..end.min(self.actors) {
                self.actor(actor, &codes, only, &mut show);
            }
        }
        self.codes = codes;
    }

    fn stuck(&mut self, at: &[u8]) -> Option<Violation> {
        decode(at, &mut self.codes);
        self.ground.learn(&self.codes);
        let view = View::new(&self.codes, &self.ground.parts);
        match quietly(|| self.ground.model.may_end(&view)) {
            Ok(true) => None,
            Ok(false) => Some(violation(ViolationKind::InvalidEndState, 0, "nobody can move".to_string(), None)),
            Err(why) => Some(violation(ViolationKind::RuntimeError, 0, format!("`may_end` panics: {why}"), None)),
        }
    }

    fn accepting(&mut self, _at: &[u8]) -> bool {
        false
    }
}
