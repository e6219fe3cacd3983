//! Which automata are searched where nobody says: whether steps are merged and dead variables reset.
//!
//! Both are what SPIN does without being asked, and both are on by default. A reset happens within the step after which nobody
//! reads the variable any more, so no property can see it. A merged step is a chain of statements of one process that touch
//! nothing of anybody else's and cannot block, without labels in between: a run without merging is, up to the order of
//! independent steps and up to repeated states, a run with it. So merging is left out
//!
//! - where single steps count: `--search bfs` promises a shortest trail, `--depth` a number of steps;
//! - where it is not sound with something that was asked for: [`assemble::refusal`] knows, and says that of `--fair`;
//! - for properties that may tell runs apart that differ only in repeated states: formulas with `X`, some claims and automata;
//! - if the model asks where in such a chain a process stands, or who moved last: `pc_value`, `enabled`, `_last`.
//!
//! Where it is left out for properties alone, the search of the system itself has a merged model of its own.

use crate::ask::plan::{Pan, Plan, Reading, Search, Timers};
use crate::assemble;
use crate::foreign::Source;
use crate::open::{Opened, open_source, source};
use crate::problem::{Code, Failure, Problem};
use crate::property::claim_automaton::stutters;
use crate::property::dead_timers;
use crate::property::formula::COUNTS_STEPS;
use crate::property::target::targets;
use crate::property::time;
use crate::report::PropertyKind;
use std::path::Path;

/// Whether a plan, in which nothing is said about it, leaves steps to be merged as far as can be known without the model.
pub fn merges(plan: &Plan) -> bool {
    !counts_steps(plan) && assemble::refusal(plan, true).is_none() && !assemble::own_unmerged(plan)
}

/// Whether a plan promises something about the number of steps or the time of a run.
pub fn counts_steps(plan: &Plan) -> bool {
    plan.depth.is_some() || (plan.search_typed && plan.search == Search::Bfs)
}

/// Opens a model to check it. Steps are merged if that was asked for, or if it is the default and sound for this model and its
/// properties; if not, a warning says why. Dead timers are switched off where that is sound.
pub fn open_to_check(path: &Path, plan: &Plan) -> Result<Opened, Failure> {
    open_merged(path, plan).map(|opened| dead_timers::switched_off(opened, plan))
}

fn open_merged(path: &Path, plan: &Plan) -> Result<Opened, Failure> {
    let source = source(path, &plan.reading)?;
    let opened = open_source(path, source.clone(), &plan.reading);
    let counts = |f: &Failure| plan.merge_typed && f.problems.iter().any(|p| p.code == Code::Source(COUNTS_STEPS));
    let spoils = |f: &&Failure| plan.reading.own && (time::is_about_timers(f) || counts(f));
    if let Some(failure) = opened.as_ref().err().filter(spoils) {
        // What was typed is not refused because of formulas that nobody asked for.
        let alone = Plan { reading: Reading { own: false, ..plan.reading.clone() }, ..plan.clone() };
        let opened = open_source(path, source.clone(), &alone.reading);
        let mut opened = merged_if_sound(path, source, opened, &alone)?;
        let why = failure.problems.first().map_or("", |p| &p.message);
        let problem = Problem::warning(Code::NotChecked, format!("the model's formulas are not checked: {why}"));
        opened.warnings.push(problem.advise("`--no-ltl` leaves them out"));
        return Ok(opened);
    }
    merged_if_sound(path, source, opened, plan)
}

/// What was opened, or the same without merging.
fn merged_if_sound(
    path: &Path,
    source: Source,
    opened: Result<Opened, Failure>,
    plan: &Plan,
) -> Result<Opened, Failure> {
    if plan.merge_typed || !plan.reading.merge {
        return opened;
    }
    let why = match &opened {
        Ok(opened) => doubt(opened, plan),
        Err(failure) => {
            failure.problems.iter().find(|p| p.code == Code::Source(COUNTS_STEPS)).map(|p| p.message.clone())
        }
    };
    let Some(why) = why else { return opened };
    let mut opened = open_source(path, source, &Reading { merge: false, ..plan.reading.clone() })?;
    let which = if system_is_merged(&opened, plan) { "merged for the system itself only" } else { "not merged" };
    opened.warnings.push(Problem::warning(Code::NotMerged, format!("steps are {which}: {why}")));
    Ok(opened)
}

/// Whether the search of the system alone has merged steps although some property beside it must not have them: if nothing but
/// properties is against it, and nothing was asked for by which searches depend on each other or have to be told as pan does.
fn system_is_merged(opened: &Opened, plan: &Plan) -> bool {
    let wished = plan.reading.merge && !plan.merge_typed && !opened.reading.merge;
    let uses = &opened.model.uses;
    let together = (plan.symmetry.is_some() && plan.symmetry_typed) || plan.decouple.is_some() || plan.is_shared();
    let kept = plan.save.is_some() || plan.resume.is_some() || plan.pan != Pan::default();
    let said = together || kept || opened.reading.timers != Timers::Exact || assemble::refusal(plan, true).is_some();
    wished && !(uses.last || uses.enabled || uses.pc_value || said)
}

/// The same model with merged steps and without properties, for the search of the system alone, where only the properties beside
/// it need single steps.
pub fn for_the_system(opened: &Opened, plan: &Plan) -> Option<Opened> {
    if !system_is_merged(opened, plan) {
        return None;
    }
    let reading = Reading {
        merge: true,
        ltl: Vec::new(),
        own: false,
        never: None,
        automaton: None,
        progress: false,
        zeno: false,
        ..opened.reading.clone()
    };
    let mut merged = opened.again(&reading)?;
    merged.reading.until = opened.reading.until.clone();
    Some(merged)
}

/// Why the steps of a model must not be merged.
fn doubt(opened: &Opened, plan: &Plan) -> Option<String> {
    let uses = &opened.model.uses;
    let seen = [("_last", uses.last), ("enabled()", uses.enabled), ("pc_value()", uses.pc_value)];
    if let Some((word, _)) = seen.iter().find(|s| s.1) {
        return Some(format!("the model uses `{word}`, which tells single steps apart"));
    }
    let targets = targets(opened, plan).ok()?;
    targets.iter().find_map(|t| {
        // What the file of an automaton promises is nobody's proof; formulas were looked at when they were added.
        let labels = match t.kind {
            PropertyKind::Claim => true,
            PropertyKind::Automaton => false,
            _ => return None,
        };
        let why = stutters(&opened.model, t.claim?, labels, &[], &opened.reading.until).err()?.why();
        Some(format!("`{}` may need single ones, because {why}", t.name))
    })
}
