//! Replays a trail file on its model.

use crate::check::default_trail;
use crate::open::{Opened, open};
use crate::problem::{Failure, Problem};
use crate::record::{steps_of, walk};
use crate::trailfile::{TrailFile, TrailFinding};
use crate::walk::Walk;
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
        return Err(stale(model, &path).into());
    }
    let walk = walk(&opened, &steps_of(&opened, &file.steps)?, None)?;
    Ok(Replayed { opened, finding: file.finding, walk })
}

fn stale(model: &Path, trail: &Path) -> Problem {
    let message = format!("`{}` has changed since the trail `{}` was written", model.display(), trail.display());
    Problem::error("stale-trail", message)
        .about(trail.display().to_string())
        .advise("run `starwheel check` again to get a new trail")
}
