//! Replays a trail file on its model.

use crate::check::default_trail;
use crate::open::{Opened, open};
use crate::problem::{Failure, Problem};
use crate::record::{self, steps_of, walk_plainly};
use crate::target;
use crate::trailfile::{TrailFile, TrailFinding};
use crate::walk::Walk;
use crate::watched::Watched;
use std::path::{Path, PathBuf};

/// A trail that was followed to its end.
#[derive(Debug)]
pub struct Replayed {
    /// The model.
    pub opened: Opened,
    /// What the trail shows.
    pub finding: TrailFinding,
    /// The run.
    pub walk: Walk,
    /// What the claim that moves beside the system watches.
    pub watched: Option<Watched>,
}

/// Reads a trail (by default the one beside the model), opens the model as it was opened then, and follows the steps.
/// Folders for included files may be added, because the model may have moved.
pub fn replay(model: &Path, trail: Option<&Path>, include: &[PathBuf]) -> Result<Replayed, Failure> {
    let path = trail.map_or_else(|| default_trail(model), Path::to_path_buf);
    let file = TrailFile::read(&path)?;
    let mut reading = file.reading();
    reading.include.splice(0..0, include.iter().cloned());
    let opened = open(model, &reading)?;
    if opened.hash != file.hash {
        return Err(stale(model, &path, &file.model).into());
    }
    let claim = match &file.property {
        None => None,
        Some(property) => target::claim_of(&opened, property).ok_or_else(|| stale(model, &path, &file.model))?,
    };
    let steps = steps_of(&opened, &file.steps)?;
    let walk = walk_plainly(&opened, record::Path { steps: &steps, claim, cycle_start: file.cycle_start }, None)?;
    let watched = claim.map(|claim| Watched::by(&opened, claim));
    Ok(Replayed { opened, finding: file.finding, walk, watched })
}

fn stale(model: &Path, trail: &Path, written_for: &str) -> Problem {
    let (name, trail) = (model.display().to_string(), trail.display().to_string());
    let same = model.file_name() == Path::new(written_for).file_name();
    let message = match same {
        true => format!("`{name}` has changed since the trail `{trail}` was written"),
        false => format!("the trail `{trail}` was written for `{written_for}`, and `{name}` is another model"),
    };
    let problem = Problem::error("stale-trail", message).about(trail);
    problem.advise(format!("run `starwheel check {name}` again to get a new trail"))
}
