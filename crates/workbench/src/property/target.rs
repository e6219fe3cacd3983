//! What has a search of its own: claims, accept labels, progress labels.

use crate::ask::plan::Plan;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::property_automaton;
use crate::report::{Fairness, PropertyKind as Kind};
use crate::trail::trailfile::TrailProperty;
use starwheel_engine::Goal;
use starwheel_model::{ProctypeId, ProctypeKind, Property, PropertyKind, ViolationKind};
use std::path::Path;

/// One property with a search of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub kind: Kind,
    /// The claim that moves in step with the system.
    pub claim: Option<ProctypeId>,
}

impl Target {
    fn claim(property: &Property, id: ProctypeId) -> Target {
        Target { name: property.name.to_string(), kind: Kind::Claim, claim: Some(id) }
    }

    /// What the search looks for, and what it says when it finds it.
    pub fn goal(&self, opened: &Opened, fair: Option<starwheel_engine::Fairness>) -> Goal {
        let run = fair.map_or("run".to_string(), |fair| format!("{} run", Fairness::from(fair).word()));
        let place = |id: ProctypeId| opened.model.proctype(id).span;
        let (kind, message) = match self.kind {
            Kind::Progress => (
                ViolationKind::NonProgressCycle,
                format!("a {run} can go on for ever without passing a progress label"),
            ),
            Kind::Time => (ViolationKind::TimeStops, format!("time stops: a {run} can go on for ever without a tick")),
            Kind::Acceptance | Kind::Safety => {
                (ViolationKind::AcceptanceCycle, format!("a {run} can pass an accept label again and again for ever"))
            }
            Kind::Formula => {
                let message = format!("there is a {run} for which the formula `{}` is false", self.name);
                (ViolationKind::AcceptanceCycle, message)
            }
            Kind::Automaton => {
                let file = opened.reading.automaton.as_deref().unwrap_or(Path::new("--automaton"));
                let message = format!("there is a {run} that the automaton in `{}` accepts", file.display());
                (ViolationKind::AcceptanceCycle, message)
            }
            Kind::Claim => {
                let message = format!("there is a {run} that the claim `{}` describes: it accepts for ever", self.name);
                (ViolationKind::AcceptanceCycle, message)
            }
        };
        let written = matches!(self.kind, Kind::Claim | Kind::Formula | Kind::Automaton);
        let span = self.claim.filter(|_| written).map(place).unwrap_or_default();
        Goal { kind, message, span, stutter: self.claim.is_none() }
    }

    /// As a trail file names it.
    pub fn property(&self) -> TrailProperty {
        match self.kind {
            Kind::Progress => TrailProperty::Progress,
            Kind::Time => TrailProperty::Time,
            Kind::Claim => TrailProperty::Claim(self.name.clone()),
            Kind::Formula => TrailProperty::Formula(self.name.clone()),
            Kind::Automaton => TrailProperty::Automaton,
            Kind::Acceptance | Kind::Safety => TrailProperty::Labels,
        }
    }
}

/// What a model has to say about runs without end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The names of its never claims.
    pub never: Vec<String>,
    /// The names of its formulas.
    pub formulas: Vec<String>,
    /// True if there is an accept label anywhere, also in a claim.
    pub accepting: bool,
    /// True if there is one in a process.
    pub labels: bool,
}

/// The claims and accept labels of a model.
pub fn claims(opened: &Opened) -> Claims {
    let mut out = Claims::default();
    for p in &opened.model.properties {
        match p.kind {
            PropertyKind::Never(_) => out.never.push(p.name.to_string()),
            PropertyKind::Ltl(_) => out.formulas.push(p.name.to_string()),
        }
    }
    // Claims that we have made ourselves are no part of the model.
    let formulas = opened.formulas.iter().map(|f| f.1);
    let made: Vec<ProctypeId> = formulas.chain(opened.progress).chain(opened.zeno).chain(opened.automaton).collect();
    let own = |i: usize| made.iter().any(|id| id.index() == i);
    for (_, p) in opened.model.proctypes.iter().enumerate().filter(|(i, _)| !own(*i)) {
        let accept = p.locs.iter().any(|l| l.accept);
        out.accepting |= accept;
        out.labels |= accept && p.kind != ProctypeKind::Never;
    }
    out
}

/// The claim that a trail file means, which may be none; `None` if the model has no such claim.
pub fn claim_of(opened: &Opened, property: &TrailProperty) -> Option<Option<ProctypeId>> {
    match property {
        TrailProperty::Labels => Some(None),
        TrailProperty::Progress => opened.progress.map(Some),
        TrailProperty::Time => opened.zeno.map(Some),
        TrailProperty::Automaton => opened.automaton.map(Some),
        TrailProperty::Formula(name) => opened.formulas.iter().find(|f| f.0 == *name).map(|f| Some(f.1)),
        TrailProperty::Claim(name) => nevers(opened).find(|c| c.0.name.as_ref() == name).map(|c| Some(c.1)),
    }
}

/// The never claims of a model, in source order.
fn nevers(opened: &Opened) -> impl Iterator<Item = (&Property, ProctypeId)> {
    opened.model.properties.iter().filter_map(|p| match p.kind {
        PropertyKind::Never(id) => Some((p, id)),
        PropertyKind::Ltl(_) => None,
    })
}

/// What a plan asks for, each thing once.
pub fn targets(opened: &Opened, plan: &Plan) -> Result<Vec<Target>, Failure> {
    let mut out = Vec::new();
    let mut add = |target: Target| {
        if !out.contains(&target) {
            out.push(target);
        }
    };
    if plan.reading.own {
        nevers(opened).for_each(|(p, id)| add(Target::claim(p, id)));
    }
    for wanted in &plan.claims {
        add(find(opened, wanted)?);
    }
    if let Some(file) = opened.never {
        let own: Vec<_> = nevers(opened).filter(|(p, _)| opened.map.outermost(p.span).file == file).collect();
        if own.is_empty() {
            let name = opened.map.file(file).name.clone();
            let problem = Problem::error(Code::NoClaim, format!("there is no never claim in `{name}`")).about(name);
            return Err(problem.advise("write one as `never { … }`").into());
        }
        own.into_iter().for_each(|(p, id)| add(Target::claim(p, id)));
    }
    if plan.accept && plan.claims.is_empty() && opened.never.is_none() {
        add(accept(opened)?);
    }
    for (name, id) in &opened.formulas {
        add(Target { name: name.clone(), kind: Kind::Formula, claim: Some(*id) });
    }
    if let Some(id) = opened.automaton {
        add(Target { name: property_automaton::NAME.to_string(), kind: Kind::Automaton, claim: Some(id) });
    }
    if let Some(id) = opened.progress {
        add(Target { name: "progress".to_string(), kind: Kind::Progress, claim: Some(id) });
    }
    if let Some(id) = opened.zeno {
        add(Target { name: "time".to_string(), kind: Kind::Time, claim: Some(id) });
    }
    Ok(out)
}

/// What `--accept` alone means.
fn accept(opened: &Opened) -> Result<Target, Failure> {
    let all: Vec<_> = nevers(opened).collect();
    match all[..] {
        [] => Ok(Target { name: "acceptance".to_string(), kind: Kind::Acceptance, claim: None }),
        [(p, id)] => Ok(Target::claim(p, id)),
        _ => {
            let message = "the model has several never claims, and `--accept` does not say which one to use";
            let advice = format!("add --claim with one of: {}", names(opened));
            Err(Problem::error(Code::WhichClaim, message).advise(advice).into())
        }
    }
}

fn find(opened: &Opened, wanted: &str) -> Result<Target, Failure> {
    if let Some(p) = opened.model.properties.iter().find(|p| *p.name == *wanted) {
        return match p.kind {
            PropertyKind::Never(id) => Ok(Target::claim(p, id)),
            PropertyKind::Ltl(_) => {
                let message = format!("`{wanted}` is an LTL formula, not a never claim");
                Err(Problem::error(Code::NoClaim, message).advise(format!("check it with --ltl {wanted}")).into())
            }
        };
    }
    let numbered = wanted.parse::<usize>().ok().and_then(|n| nevers(opened).nth(n));
    if let Some((p, id)) = numbered {
        return Ok(Target::claim(p, id));
    }
    let problem = Problem::error(Code::NoClaim, format!("the model has no claim `{wanted}`"));
    let problem = match nevers(opened).next() {
        Some(_) => problem.advise(format!("its never claims are: {}", names(opened))),
        None => problem.advise("it has no never claim at all; `--never FILE` reads one from a file"),
    };
    Err(problem.into())
}

fn names(opened: &Opened) -> String {
    nevers(opened).map(|(p, _)| format!("`{}`", p.name)).collect::<Vec<_>>().join(", ")
}
