//! The books of a search, written down and read.

use super::{Ledger, key};
use crate::replay::confirm;
use crate::report::{Finding, Stats};
use starwheel_base::{ExpansionId, FileId, Span};
use starwheel_model::{Action, Actor, Partners, Step, Violation, ViolationKind};
use starwheel_store::LoadError;
use starwheel_store::archive::{get_bytes, get_number, put_bytes, put_number};
use std::io::{self, Read, Write};

/// Kinds by the numbers under which they are written.
const KINDS: [ViolationKind; 8] = [
    ViolationKind::Assertion,
    ViolationKind::InvalidEndState,
    ViolationKind::RuntimeError,
    ViolationKind::Trace,
    ViolationKind::Claim,
    ViolationKind::AcceptanceCycle,
    ViolationKind::NonProgressCycle,
    ViolationKind::TimeStops,
];

impl Ledger<'_> {
    /// Writes what was counted and found.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let s = &self.stats;
        let seconds = self.seconds().to_bits();
        let counts = [s.states_stored, s.states_matched, s.atomic_steps, s.ticks, s.max_depth, s.state_bytes];
        counts
            .into_iter()
            .chain([seconds])
            .chain([self.errors, self.round.into()])
            .try_for_each(|n| put_number(out, n))?;
        let reached: Vec<u8> = self.reached.iter().map(|&reached| reached.into()).collect();
        put_bytes(out, &reached)?;
        put_number(out, self.findings.len() as u64)?;
        self.findings.iter().try_for_each(|finding| put_finding(out, finding))
    }

    /// Fills empty books. A trail that does not replay is not believed.
    pub fn load(&mut self, from: &mut dyn Read) -> Result<(), LoadError> {
        let Stats { states_stored, states_matched, atomic_steps, ticks, max_depth, state_bytes, .. } = &mut self.stats;
        for count in [states_stored, states_matched, atomic_steps, ticks, max_depth, state_bytes] {
            *count = get_number(from)?;
        }
        self.before = f64::from_bits(get_number(from)?);
        self.errors = get_number(from)?;
        self.round = get_number(from)? != 0;
        let mut reached = Vec::new();
        get_bytes(from, &mut reached)?;
        if reached.len() != self.reached.len() {
            return Err(LoadError::Broken("the model has another number of transitions"));
        }
        self.reached = reached.into_iter().map(|reached| reached != 0).collect();
        for _ in 0..get_number(from)? {
            let finding = get_finding(from)?;
            if confirm(self.real(), &finding.trail, &finding.violation).is_err() {
                return Err(LoadError::Broken("a trail does not lead to its error"));
            }
            let found_as = key(&finding.violation);
            self.put_down(finding, found_as);
        }
        Ok(())
    }
}

fn put_finding(out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
    let Violation { kind, message, span, actor } = &finding.violation;
    put_number(out, KINDS.iter().position(|k| k == kind).unwrap_or_default() as u64)?;
    put_bytes(out, message.as_bytes())?;
    let place = [span.file.0, span.start, span.end, span.expansion.0];
    place.into_iter().try_for_each(|n| put_number(out, n.into()))?;
    put_number(out, actor.map_or(0, |actor| number(actor) + 1))?;
    put_number(out, finding.events)?;
    put_number(out, finding.trail.len() as u64)?;
    finding.trail.iter().try_for_each(|step| put_step(out, step))
}

fn put_step(out: &mut dyn Write, step: &Step) -> io::Result<()> {
    let partners = match step.partners {
        Partners::None => [0, 0],
        Partners::One(partner, action) => [number(partner) + 1, action.0.into()],
        Partners::Many(mask) => [MANY, mask.into()],
    };
    let own = [number(step.actor), step.action.0.into(), step.timeout.into()];
    own.into_iter().chain(partners).try_for_each(|n| put_number(out, n))
}

/// Actors by the numbers under which they are written: agents by their own.
const CLAIM: u64 = 255;
const CLOCK: u64 = 256;
/// Where the number of a partner is expected, plus one: there are several.
const MANY: u64 = 1 << 16;

fn number(actor: Actor) -> u64 {
    match actor {
        Actor::Agent(number) => number.into(),
        Actor::Claim => CLAIM,
        Actor::Clock => CLOCK,
    }
}

/// The inverse; a number that is none of an actor makes a trail that does not replay.
fn actor(number: u64) -> Actor {
    match number {
        CLAIM => Actor::Claim,
        CLOCK => Actor::Clock,
        _ => Actor::Agent(number as u8),
    }
}

fn get_finding(from: &mut dyn Read) -> Result<Finding, LoadError> {
    let kind = usize::try_from(get_number(from)?).ok().and_then(|kind| KINDS.get(kind).copied());
    let kind = kind.ok_or(LoadError::Broken("an error is of an unknown kind"))?;
    let mut message = Vec::new();
    get_bytes(from, &mut message)?;
    let message = String::from_utf8_lossy(&message).into_owned();
    let mut number = || get_number(from).map(|n| n as u32);
    let (file, start, end) = (FileId(number()?), number()?, number()?);
    let span = Span { file, start, end, expansion: ExpansionId(number()?) };
    let actor = get_number(from)?.checked_sub(1).map(self::actor);
    let events = get_number(from)?;
    let mut trail = Vec::new();
    for _ in 0..get_number(from)? {
        trail.push(get_step(from)?);
    }
    Ok(Finding { violation: Violation { kind, message, span, actor }, trail, cycle_start: None, events })
}

fn get_step(from: &mut dyn Read) -> Result<Step, LoadError> {
    let (actor_number, action) = (get_number(from)?, Action(get_number(from)? as _));
    let timeout = get_number(from)? != 0;
    let (partner, theirs) = (get_number(from)?, get_number(from)? as u32);
    let partners = match partner {
        0 => Partners::None,
        MANY => Partners::Many(theirs),
        _ => Partners::One(actor(partner - 1), Action(theirs)),
    };
    Ok(Step { actor: actor(actor_number), action, partners, timeout })
}
