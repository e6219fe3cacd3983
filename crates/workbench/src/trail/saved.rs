//! Saves a run that somebody made by hand as a trail file, so that `replay` shows it again.

use crate::open::Opened;
use crate::problem::Failure;
use crate::report::TOOL;
use crate::trail::record::{Path, add_times, trail_steps};
use crate::trail::trailfile::{self, TrailFile, TrailFinding};
use starwheel_model::Step;

/// Writes the steps of a run of the system alone to a file.
pub fn save(opened: &Opened, steps: &[Step], file: &std::path::Path, force: bool) -> Result<(), Failure> {
    let reading = &opened.reading;
    let mut written = trail_steps(opened, steps);
    add_times(opened, Path::plain(steps), &mut written);
    let message = "a run that was made by hand".to_string();
    let trail = TrailFile {
        kind: trailfile::KIND.to_string(),
        version: trailfile::VERSION,
        tool: TOOL.to_string(),
        model: opened.path.display().to_string(),
        hash: opened.hash.clone(),
        defines: reading.defines.clone(),
        undefines: reading.undefines.clone(),
        include: reading.include.clone(),
        merge: reading.merge,
        dead_vars: reading.dead_vars,
        dead_timers: reading.dead_timers,
        never: reading.never.clone(),
        progress: reading.progress,
        empty_channels: reading.empty_channels,
        ltl: reading.ltl.clone(),
        spin_ltl: reading.spin_ltl,
        automaton: reading.automaton.clone(),
        timers: reading.timers,
        zeno: reading.zeno,
        divergent: reading.divergent,
        foreign: reading.foreign.clone(),
        property: None,
        cycle_start: None,
        fairness: None,
        finding: TrailFinding { kind: "run".to_string(), message, file: String::new(), line: 0 },
        formula: None,
        propositions: Default::default(),
        cycle_propositions: Default::default(),
        steps: written,
    };
    trail.write(file, force)
}
