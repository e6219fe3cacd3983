//! Saves a run that somebody made by hand as a trail file, so that `replay` shows it again.

use crate::open::Opened;
use crate::problem::Failure;
use crate::trail::record::{Path, add_times, trail_steps};
use crate::trail::trailfile::{TrailFile, TrailFinding};
use starwheel_model::Step;

/// Writes the steps of a run of the system alone to a file.
pub fn save(opened: &Opened, steps: &[Step], file: &std::path::Path, force: bool) -> Result<(), Failure> {
    let mut written = trail_steps(opened, steps);
    add_times(opened, Path::plain(steps), &mut written);
    let message = "a run that was made by hand".to_string();
    let finding = TrailFinding { kind: "run".to_string(), message, file: String::new(), line: 0 };
    TrailFile::of(opened, written, finding).write(file, force)
}
