//! Which processes of a model are interchangeable in a search, and what came of it.

mod deaths;
mod stated;

use crate::ask::plan::{Plan, Search};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::quantified::quantifies;
use crate::property::target::Target;
use crate::report::PropertyKind as Kind;
use serde::Serialize;
use starwheel_base::{Diagnostic, Span};
use starwheel_engine::Report;
use starwheel_model::{Expr, ProctypeId, PropertyKind, Region, Stmt};
use starwheel_reduce::anonymous;
use starwheel_symmetry::{
    Family, Inferred, Obstacle, Renaming, Strategy, Symmetry, infer_within, same_claims, undying,
};
use std::collections::BTreeSet;

/// What was found for one search.
pub struct Found {
    symmetry: Symmetry,
    obstacles: Vec<Obstacle>,
    strategy: Strategy,
    /// The model without deaths, if they are left out of the search.
    undying: Option<Opened>,
}

/// Which processes were interchangeable in one search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interchange {
    /// The property that was looked for; none for the search of the system alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The families of processes.
    pub families: Vec<Interchangeable>,
    /// How many ways there are to exchange processes; the largest number there is if there are more.
    pub group_order: u64,
    /// `auto`, `full`, `segmented`, `sorted`, `pc-segmented` or `pc-sorted`.
    pub strategy: &'static str,
    /// States of which not all images were tried, so that some may have been stored under several names.
    pub overfull: u64,
    /// True if ends of processes are left out of the search, and put into trails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undying: bool,
    /// With `--audit`: how many renamed states were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audited: Option<u64>,
    /// What keeps other processes apart.
    pub obstacles: Vec<Told>,
}

/// Members that are interchangeable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interchangeable {
    /// The process types of each member.
    pub proctypes: Vec<String>,
    /// The number of members.
    pub size: usize,
    /// Members that may change places, by the number of their first process.
    pub blocks: Vec<Vec<u8>>,
    /// What the members are called, if they have names besides their numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<i32>>,
}

/// Something that keeps processes apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The file.
    pub file: String,
    /// The line, from one; zero if it is no place in particular.
    pub line: u32,
    /// What.
    pub message: String,
}

/// The families of a model, as users know its processes.
pub fn interchangeable(opened: &Opened, symmetry: &Symmetry) -> Vec<Interchangeable> {
    let family = |f: &Family| Interchangeable {
        proctypes: f.proctypes.iter().map(|p| opened.model.proctype(*p).name.to_string()).collect(),
        size: f.processes.len(),
        blocks: f.blocks.iter().map(|b| b.iter().map(|m| f.processes[*m][0]).collect()).collect(),
        values: f.values.clone(),
    };
    symmetry.families.iter().map(family).collect()
}

/// The interchangeable processes for a search, if there are any. A strategy that was asked for by name needs some.
pub fn find(
    opened: &Opened,
    plan: &Plan,
    target: Option<&Target>,
    strategy: Strategy,
    warnings: &mut Vec<Problem>,
) -> Result<Option<Found>, Failure> {
    let mut found = infer_within(&opened.model, target.and_then(|t| t.claim), &opened.reading.until);
    let mut still = None;
    // A formula may count steps, and so does the search for shortest trails: for them a death is a step like any other. And
    // the timers of a process that is gone do not run.
    if found.dies
        && target.is_none()
        && plan.search != Search::Bfs
        && plan.decouple.is_none()
        && !opened.model.timed()
        && anonymous(&opened.model)
    {
        (found, still) = without_deaths(opened, found);
    }
    if target.is_none()
        && let Err(failure) = stated::check(opened, &found, plan.symmetry_typed)
    {
        if plan.symmetry_typed {
            return Err(failure);
        }
        // Nobody asked for anything that this would be in the way of.
        warnings.extend(failure.problems);
    }
    // Whoever was stopped on the way has found out nothing, and the search that follows says why.
    if opened.reading.until.stopped() {
        return Ok(None);
    }
    let Some(symmetry) = found.symmetry else {
        let name = target.map_or(String::new(), |t| format!(" for `{}`", t.name));
        let what = format!("no processes are interchangeable{name}");
        let first = found.obstacles.into_iter().next();
        let mut obstacle = first.unwrap_or(Obstacle::new(Span::default(), "no two of them are of one type"));
        if strategy != Strategy::Auto {
            let word = strategy.name();
            obstacle.advice.push(format!("`--symmetry auto` goes on without symmetry, `--symmetry {word}` does not"));
            return Err(placed(opened, &obstacle, true, &what).into());
        }
        if plan.symmetry_typed {
            warnings.push(placed(opened, &obstacle, false, &what));
        }
        return Ok(None);
    };
    // What keeps others apart is told to those who asked.
    let obstacles = if plan.symmetry_typed { found.obstacles } else { Vec::new() };
    let found = Found { symmetry, obstacles, strategy, undying: still };
    found.renaming().map(|_| ())?;
    Ok(Some(found))
}

/// What is interchangeable if nobody dies, and the model for that; what was found before if nothing is.
fn without_deaths(opened: &Opened, found: Inferred) -> (Inferred, Option<Opened>) {
    let Some(mut still) = opened.again(&opened.reading) else { return (found, None) };
    undying(&mut still.model);
    for (i, offset) in infer_within(&still.model, None, &opened.reading.until).named_resets {
        if let Some(t) = still.model.transitions.get_mut(i) {
            t.resets.retain(|place| place.offset != offset);
        }
    }
    let other = infer_within(&still.model, None, &opened.reading.until);
    if other.symmetry.is_some() { (other, Some(still)) } else { (found, None) }
}

/// Of formulas that say the same about different processes, those of one; told among the warnings.
pub fn enough(opened: &Opened, plan: &Plan, targets: Vec<Target>, warnings: &mut Vec<Problem>) -> Vec<Target> {
    if plan.symmetry.is_none() || !plan.symmetry_typed || !plan.reading.ltl.iter().any(|formula| quantifies(formula)) {
        return targets;
    }
    let typed = |t: &&Target| {
        let named = opened.model.properties.iter().find(|p| *p.name == *t.name);
        t.kind == Kind::Formula && named.is_some_and(|p| opened.map.file(p.span.file).name == "--ltl")
    };
    let claims: Vec<(String, ProctypeId)> =
        targets.iter().filter(typed).filter_map(|t| Some((t.name.clone(), t.claim?))).collect();
    let ids: Vec<ProctypeId> = claims.iter().map(|c| c.1).collect();
    let first = same_claims(&opened.model, &ids, &opened.reading.until);
    let mut left_out = Vec::new();
    for (number, (name, _)) in claims.iter().enumerate().filter(|(number, _)| first[*number] != *number) {
        let message = format!(
            "`{name}` says of another process what `{}` says, and is answered with it",
            claims[first[number]].0
        );
        warnings.push(Problem::warning(Code::Symmetry, message));
        left_out.push(name.clone());
    }
    targets.into_iter().filter(|t| !left_out.contains(&t.name)).collect()
}

/// An obstacle as a problem.
fn placed(opened: &Opened, obstacle: &Obstacle, error: bool, what: &str) -> Problem {
    let message = format!("{what}: {}", obstacle.message);
    if obstacle.span == Span::default() {
        let plain =
            if error { Problem::error(Code::NoSymmetry, message) } else { Problem::warning(Code::NoSymmetry, message) };
        return obstacle.advice.iter().fold(plain, |p, a| p.advise(a.clone()));
    }
    let span = obstacle.span;
    let diagnostic = match error {
        true => Diagnostic::error("no-symmetry", span, message),
        false => Diagnostic::warning("no-symmetry", span, message),
    };
    Problem::of(&opened.map, &obstacle.advice.iter().fold(diagnostic, |d, a| d.advise(a.clone())))
}

/// The model without those resets of dead variables that would give them the name of a process; none if there are none.
///
/// A dead variable is set to zero, and zero may be the name of a member: then the reset singles it out.
pub fn without_named_resets(opened: &Opened, plan: &Plan, warnings: &mut Vec<Problem>) -> Option<Opened> {
    plan.symmetry?;
    let assigns = |s: &Stmt| matches!(s, Stmt::Assign(place, Expr::Const(0, _)) if place.region == Region::Local);
    let merged = |s: &Stmt| matches!(s, Stmt::Chain(list) if list.iter().any(assigns));
    let resets = opened.model.transitions.iter().any(|t| !t.resets.is_empty() || merged(&t.stmt));
    if !opened.reading.dead_vars || !resets {
        return None;
    }
    let until = &opened.reading.until;
    let own = opened.model.properties.iter().filter_map(|p| match p.kind {
        PropertyKind::Never(id) => Some(Some(id)),
        PropertyKind::Ltl(_) => None,
    });
    let claims = opened.formulas.iter().map(|f| Some(f.1)).chain([None, opened.progress, opened.automaton]).chain(own);
    let claims: BTreeSet<Option<ProctypeId>> = claims.collect();
    let found: Vec<Inferred> = claims.into_iter().map(|c| infer_within(&opened.model, c, until)).collect();
    let named: BTreeSet<(usize, u32)> = found.iter().flat_map(|f| &f.named_resets).copied().collect();
    let merged = found.iter().any(|f| f.merged_resets && !f.obstacles.is_empty());
    if named.is_empty() && !merged {
        return None;
    }
    let mut lean = opened.again(&opened.reading)?;
    for (i, t) in lean.model.transitions.iter_mut().enumerate() {
        t.resets.retain(|place| !named.contains(&(i, place.offset)));
    }
    if merged {
        // In a merged step a reset is a statement among others, so it goes only if all of them do.
        let order = |model: &Opened| infer_within(&model.model, None, until).symmetry.map_or(1, |s| s.order());
        match opened.without_resets().filter(|bare| order(bare) > order(&lean)) {
            Some(bare) => lean = bare,
            None if named.is_empty() => return None,
            None => {}
        }
    }
    // What is only a default is not paid for with another one for nothing.
    if !plan.symmetry_typed && infer_within(&lean.model, None, until).symmetry.is_none() {
        return None;
    }
    if plan.symmetry_typed {
        let what = "dead variables that hold processes keep their values, because zero is a process";
        warnings.push(Problem::warning(Code::Symmetry, what).advise("count the processes from 1"));
    }
    Some(lean)
}

impl Found {
    /// How states get their names.
    pub fn renaming(&self) -> Result<Renaming<'_>, Failure> {
        Renaming::new(&self.symmetry, self.strategy).map_err(|why| {
            let message = format!("`--symmetry {}` cannot be used here: {why}", self.strategy.name());
            Problem::error(Code::NoSymmetry, message).advise("use --symmetry auto").into()
        })
    }

    /// What is searched instead of the model, if it is not the model.
    pub fn instead(&self) -> Option<&Opened> {
        self.undying.as_ref()
    }

    /// What was found as what happens in the model itself; says what could not be told.
    pub fn in_reality(&self, opened: &Opened, report: &mut Report) -> Result<(), String> {
        if self.undying.is_some() { deaths::put_in(&opened.model, report) } else { Ok(()) }
    }

    /// A statement counts as reached if one that is the same for another process was.
    pub fn spread(&self, reached: &mut [bool]) {
        for alike in &self.symmetry.alike {
            if alike.iter().any(|t| reached.get(*t) == Some(&true)) {
                alike.iter().for_each(|t| {
                    if let Some(r) = reached.get_mut(*t) {
                        *r = true;
                    }
                });
            }
        }
    }

    /// For the report.
    pub fn told(
        &self,
        opened: &Opened,
        target: Option<&Target>,
        renaming: &Renaming<'_>,
        audited: Option<u64>,
    ) -> Interchange {
        let obstacles = self.obstacles.iter().map(|o| {
            let (file, at) = opened.map.locate(o.span);
            let line = if o.span == Span::default() { 0 } else { at.line };
            Told { file: file.to_string(), line, message: o.message.clone() }
        });
        Interchange {
            property: target.map(|t| t.name.clone()),
            families: interchangeable(opened, &self.symmetry),
            group_order: self.symmetry.order(),
            strategy: self.strategy.name(),
            overfull: renaming.overfull(),
            undying: self.undying.is_some(),
            audited,
            obstacles: obstacles.collect(),
        }
    }
}
