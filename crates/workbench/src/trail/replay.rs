//! Replays a trail file on its model.

use crate::ask::plan::Reading;
use crate::open::{Opened, open};
use crate::problem::{Code, Failure, Problem};
use crate::property::target;
use crate::property::watched::Watched;
use crate::report::Fairness;
use crate::trail::record::{self, steps_of, walk_plainly};
use crate::trail::shown;
use crate::trail::situation::standing;
use crate::trail::spintrail;
use crate::trail::trailfile::{self, TrailFile, TrailFinding, TrailProperty};
use crate::trail::trails::default_trail;
use crate::trail::walk::{Standing, Walk};
use starwheel_engine::{Mismatch, confirm_cycle, confirm_fair};
use starwheel_model::{ClaimSystem, ModelSystem, ProctypeId, Step, System};
use std::path::Path;

/// A trail that was followed to its end.
#[derive(Debug)]
pub struct Replayed {
    /// The model.
    pub opened: Opened,
    /// What the trail shows.
    pub finding: TrailFinding,
    /// The run.
    pub walk: Walk,
    /// The claim that moved in step with the system.
    pub claim: Option<ProctypeId>,
    /// The fairness that the trail claims, and that was checked.
    pub fairness: Option<Fairness>,
    /// What that claim watches.
    pub watched: Option<Watched>,
    /// True if nobody wrote the steps of the claim.
    unseen: bool,
    steps: Vec<Step>,
    cycle_start: Option<usize>,
}

impl Replayed {
    /// The trail as it was followed.
    pub fn path(&self) -> record::Path<'_> {
        record::Path { steps: &self.steps, claim: self.claim, cycle_start: self.cycle_start }
    }

    /// The run as people are shown it: of an automaton that nobody wrote as a claim nothing is told but what it sees.
    pub fn shown(&self, claim_steps: bool) -> Walk {
        match self.unseen && !claim_steps {
            true => shown::whole(&self.opened, self.path(), true).unwrap_or_else(|_| self.walk.clone()),
            false => self.walk.clone(),
        }
    }

    /// Where the claim stands after the last step.
    pub fn claim_at_end(&self) -> Option<Standing> {
        let id = self.claim?;
        let last = self.steps.iter().rev().find(|s| s.actor.is_claim());
        let model = &self.opened.model;
        let loc = last.map_or(model.proctype(id).start, |s| model.transition(s.action).to);
        Some(standing(&self.opened, 0, id, loc))
    }
}

/// Reads a trail (by default the one beside the model), opens the model as it was opened then, and follows the steps.
/// A trail of ours knows how the model was read; only folders for included files may be added, because the model may
/// have moved. A trail of SPIN's knows nothing: the model is read as `given`.
pub fn replay(model: &Path, trail: Option<&Path>, given: &Reading) -> Result<Replayed, Failure> {
    let path = trail.map_or_else(|| default_trail(model), Path::to_path_buf);
    let bytes = trailfile::bytes(&path)?;
    if spintrail::looks_like_one(&bytes) {
        return of_spin(model, &path, &String::from_utf8_lossy(&bytes), given);
    }
    let file = TrailFile::parse(&path.display().to_string(), &bytes)?;
    let mut reading = file.reading();
    reading.include.splice(0..0, given.include.iter().cloned());
    if !given.foreign.more.is_empty() {
        reading.foreign.more = given.foreign.more.clone();
    }
    let opened = open(model, &reading)?;
    if opened.hash != file.hash {
        return Err(stale(model, &path, &file.model).into());
    }
    let claim = match &file.property {
        None => None,
        Some(property) => target::claim_of(&opened, property).ok_or_else(|| stale(model, &path, &file.model))?,
    };
    let (steps, cycle_start) = (steps_of(&opened, &file.steps)?, file.cycle_start);
    let walk = walk_plainly(&opened, record::Path { steps: &steps, claim, cycle_start }, None)?;
    confirm(&opened, &file, claim, &steps).map_err(misfit)?;
    let watched = claim.map(|claim| Watched::by(&opened, claim));
    let unseen = file.property.as_ref().is_some_and(|p| !matches!(p, TrailProperty::Labels | TrailProperty::Claim(_)));
    let (finding, fairness) = (file.finding, file.fairness);
    Ok(Replayed { opened, finding, walk, claim, fairness, watched, unseen, steps, cycle_start })
}

/// Checks that the end of a run without end can be repeated, accepts, and is as fair as the trail says.
fn confirm(opened: &Opened, file: &TrailFile, claim: Option<ProctypeId>, steps: &[Step]) -> Result<(), Mismatch> {
    let Some(start) = file.cycle_start else { return Ok(()) };
    if file.moment.is_some() {
        // It shows that something does not happen; that it comes round was seen on the walk.
        return Ok(());
    }
    let alone = ModelSystem(&opened.model);
    let product = claim.map(|id| match file.property {
        Some(TrailProperty::Claim(_)) => ClaimSystem::new(&opened.model, id),
        _ => ClaimSystem::new(&opened.model, id).own_labels(),
    });
    let system = product.as_ref().map_or(&alone as &dyn System, |p| p);
    confirm_cycle(system, steps, start, claim.is_none())?;
    file.fairness.map_or(Ok(()), |fairness| confirm_fair(system, steps, start, fairness.into()))
}

fn misfit(why: Mismatch) -> Problem {
    let problem = Problem::error(Code::TrailMisfit, why.to_string());
    problem.advise("run `starwheel check` again to get a trail that fits the model")
}

/// Follows one of SPIN's trails.
fn of_spin(model: &Path, path: &Path, text: &str, given: &Reading) -> Result<Replayed, Failure> {
    let trail = spintrail::parse(&path.display().to_string(), text)?;
    let mut reading = Reading { ltl: Vec::new(), progress: false, ..given.clone() };
    (reading.merge, reading.dead_vars, reading.dead_timers) = (trail.merged, false, false);
    let opened = open(model, &reading)?;
    let spintrail::Steps { steps, claim, cycle_start, depths } = spintrail::steps(&opened, &trail)?;
    // SPIN writes down that a run comes round; with dead variables not reset, ours may not.
    let mut walk = record::walk(&opened, record::Path { steps: &steps, claim, cycle_start: None }, None)?;
    let halves = |n: usize| steps.iter().take(n).map(|&s| record::halves(s)).sum::<u64>() as usize;
    walk.cycle_start = cycle_start.map(|n| halves(n).checked_sub(1).map_or(0, |last| depths[last]));
    walk.moves.iter_mut().zip(&depths).for_each(|(m, &depth)| m.number = depth);
    let watched = claim.map(|claim| Watched::by(&opened, claim));
    let finding = seen(&walk);
    Ok(Replayed { finding, opened, walk, claim, fairness: None, watched, unseen: false, steps, cycle_start })
}

/// What a trail shows that does not say so itself.
fn seen(walk: &Walk) -> TrailFinding {
    let last = walk.moves.last();
    let message = match (last.and_then(|m| m.faults.first()), walk.cycle_start) {
        (Some(fault), _) => fault.clone(),
        (None, Some(_)) => "a run that can go on for ever in this way".to_string(),
        (None, None) => "the run that SPIN found".to_string(),
    };
    let (file, line) = last.map_or((String::new(), 0), |m| (m.source.file.clone(), m.source.line));
    TrailFinding { kind: "spin".to_string(), message, file, line }
}

fn stale(model: &Path, trail: &Path, written_for: &str) -> Problem {
    let (name, trail) = (model.display().to_string(), trail.display().to_string());
    let same = model.file_name() == Path::new(written_for).file_name();
    let message = match same {
        true => format!("`{name}` has changed since the trail `{trail}` was written"),
        false => format!("the trail `{trail}` was written for `{written_for}`, and `{name}` is another model"),
    };
    let problem = Problem::error(Code::StaleTrail, message).about(trail);
    problem.advise(format!("run `starwheel check {name}` again to get a new trail"))
}
