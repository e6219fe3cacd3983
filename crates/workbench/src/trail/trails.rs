//! Which trail goes to which file.

use crate::ask::plan::Plan;
use crate::disk::output;
use crate::open::Opened;
use crate::problem::{Code, Problem};
use crate::property::target::Target;
use crate::property::watched::Watched;
use crate::report::summary::{Headline, headline};
use crate::run::Run;
use crate::trail::record::{add_times, add_truths, trail_steps};
use crate::trail::spintrail;
use crate::trail::trailfile::{self, TrailFile, TrailFinding};
use std::path::{Path, PathBuf};

/// Where the trail goes if nobody says so.
pub fn default_trail(model: &Path) -> PathBuf {
    spin_trail(model, None).with_extension("trail.json")
}

/// Where SPIN puts a trail, or the trail with this number.
pub fn spin_trail(model: &Path, number: Option<u64>) -> PathBuf {
    let mut name = model.as_os_str().to_os_string();
    name.push(number.map_or(String::new(), |n| n.to_string()));
    name.push(".trail");
    PathBuf::from(name)
}

/// Our trail beside one of SPIN's.
pub fn beside(spin: &Path) -> PathBuf {
    spin.with_extension("trail.json")
}

/// True for a trail file in SPIN's format.
pub fn is_spin(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| spintrail::looks_like_one(&bytes))
}

/// Writes the trails of a search's findings, and returns their files; failing to do so is a warning and changes no
/// verdict. The first trail of all goes where the user wants it, the others beside it under a name of their own.
pub(crate) fn write(
    opened: &Opened,
    plan: &Plan,
    run: &Run,
    first: bool,
    warnings: &mut Vec<Problem>,
) -> Vec<Option<PathBuf>> {
    let findings = &run.found.findings;
    if plan.no_trail {
        return vec![None; findings.len()];
    }
    if plan.pan.spin_trails {
        return (0..findings.len()).map(|i| spin_file(opened, plan, run, i, warnings)).collect();
    }
    let told = run.told_in(opened);
    let write = |(i, f)| {
        let path = place(opened, plan, run, first, i);
        kept(trail_file(told, plan, run, f).write(&path, plan.force).map(|()| path), warnings)
    };
    findings.iter().enumerate().map(write).collect()
}

/// The file of the finding with this number.
fn place(opened: &Opened, plan: &Plan, run: &Run, first: bool, i: usize) -> PathBuf {
    let path = plan.trail.clone().unwrap_or_else(|| default_trail(&opened.path));
    let property = run.target.as_ref().filter(|_| !first).map(|t| t.name.clone());
    let number = (i > 0).then(|| (i + 1).to_string());
    match [property, number].into_iter().flatten().collect::<Vec<_>>().join(".") {
        // Nothing is put beside a device or a pipe: whoever says `/dev/null` wants no trails at all.
        name if name.is_empty() || is_special(&path) => path,
        name => path.with_extension(format!("{name}.json")),
    }
}

/// True for what is there and is neither a file nor a folder.
pub(crate) fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// As pan does: every trail with a number, or only the one at which the search stopped.
fn spin_file(opened: &Opened, plan: &Plan, run: &Run, i: usize, warnings: &mut Vec<Problem>) -> Option<PathBuf> {
    let all = plan.pan.every_error && plan.pan.errors.is_none();
    let wanted = if plan.pan.every_error && !all { run.found.findings.len() - 1 } else { 0 };
    if !all && i != wanted {
        return None;
    }
    let f = &run.found.findings[i];
    let path = spin_trail(&opened.path, all.then_some(i as u64 + 1));
    if opened.model.timed() {
        // SPIN's clock is a process, which this model does not have.
        let message = "a trail with ticks has no form that SPIN could read; this one is for `starwheel replay`";
        warnings.push(Problem::warning(Code::SpinTrail, message));
        let own = beside(&path);
        return kept(trail_file(opened, plan, run, f).write(&own, plan.force).map(|()| own), warnings);
    }
    let text = spintrail::text(opened, run.path(f));
    let written = output::write(&path, output::Kind::SpinTrail, plan.force, text.as_bytes());
    let written = written.map_err(|why| trailfile::unwritable(&path, &why));
    // Ours is the younger one of the two, and the one that a replay takes.
    let written = written.and_then(|()| trail_file(opened, plan, run, f).write(&beside(&path), plan.force));
    kept(written.map(|()| path), warnings)
}

pub(crate) fn kept(written: Result<PathBuf, crate::Failure>, warnings: &mut Vec<Problem>) -> Option<PathBuf> {
    written.map_err(|failure| warnings.extend(failure.problems)).ok()
}

/// The trail of a finding as a file.
fn trail_file(opened: &Opened, plan: &Plan, run: &Run, f: &starwheel_engine::Finding) -> TrailFile {
    let Headline { kind, message, file, line } = headline(opened, f);
    let mut steps = trail_steps(opened, &f.trail);
    add_times(opened, run.path(f), &mut steps);
    let claim = run.target.as_ref().and_then(|t| t.claim);
    let formula = claim.and_then(|claim| Watched::by(opened, claim).formula);
    let watching = claim.map(|_| add_truths(opened, run.path(f), &mut steps));
    let (propositions, cycle_propositions) = watching.unwrap_or_default();
    TrailFile {
        property: run.target.as_ref().map(Target::property),
        cycle_start: f.cycle_start,
        fairness: f.cycle_start.and(plan.fair).map(Into::into),
        formula,
        propositions,
        cycle_propositions,
        ..TrailFile::of(opened, steps, TrailFinding { kind: kind.to_string(), message, file, line })
    }
}
