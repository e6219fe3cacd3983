//! Which partial-order reduction a search gets, or why it gets none; and what came of it.

use crate::ask::plan::{Plan, Por, reducing};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::claim_automaton::{Doubt, asks_risky, stutters};
use crate::property::formula;
use crate::property::target::Target;
use crate::property::time;
use crate::report::PropertyKind as Kind;
use crate::written::{self, Where};
use serde::Serialize;
use starwheel_model::{LocId, ProctypeId};
use starwheel_reduce::{
    Because, Cluster, Method, Note, Notes, Property, Proviso, Unfit, Wish, hierarchy, only_deadlocks, watched,
};
use std::fmt::Write;

/// The reduction of a search for a target, whose cycle proviso is given. What was typed and cannot be done is an error; what
/// is only a default is left out, and a warning says why.
pub fn wish(
    opened: &Opened,
    plan: &Plan,
    target: Option<&Target>,
    proviso: Proviso,
) -> Result<Result<Wish, Problem>, Failure> {
    let method = match plan.por {
        Por::Off | Por::Ample => Method::Ample,
        Por::Cluster => Method::Cluster,
        Por::Stubborn => Method::Stubborn,
    };
    match preserved(opened, plan, target) {
        Ok(watched) => {
            let alone = method == Method::Stubborn && target.is_none();
            let deadlocks_only = alone && only_deadlocks(&opened.model, !plan.no_assert);
            let proviso = if deadlocks_only { Proviso::NotNeeded } else { proviso };
            let (fair, until) = (plan.fair.is_some() && target.is_some(), opened.reading.until.clone());
            Ok(Ok(Wish { method, watched, proviso, fair, until }))
        }
        Err(why) => {
            let name = target.map_or("this model".to_string(), |t| format!("`{}`", t.name));
            if let Some(option) = typed(plan) {
                let message = format!("`{option}` cannot be used for {name}, because {why}");
                return Err(Problem::error(Code::NoReduction, message).advise("use --por off").into());
            }
            Ok(Err(Problem::warning(
                Code::NoReduction,
                format!("partial-order reduction is off for {name}, because {why}"),
            )))
        }
    }
}

/// The option that asks for a reduction, if somebody did.
fn typed(plan: &Plan) -> Option<String> {
    match (plan.por_typed, reducing(plan)) {
        (true, _) => {
            let method = plan.options.get("por").and_then(|v| v.as_str()).unwrap_or("ample");
            Some(format!("--por {method}"))
        }
        (false, option) => option.map(str::to_string),
    }
}

/// What a reduction has to preserve for a target; says why if there can be none.
fn preserved(opened: &Opened, plan: &Plan, target: Option<&Target>) -> Result<starwheel_reduce::Watched, String> {
    let property = match target {
        None => Property::Safety,
        Some(t) => match (t.kind, t.claim) {
            (Kind::Automaton, Some(id)) => match stutters(&opened.model, id, false, &[], &opened.reading.until) {
                // A promise is nobody's proof: it counts if somebody asks for a reduction and nothing better is known. It is
                // a promise about words, not about conditions without a value.
                Err(Doubt::Unknown(_))
                    if opened.automaton_invariant && plan.por_typed && !asks_risky(&opened.model, id) =>
                {
                    Property::Claim(id)
                }
                Err(Doubt::Unknown(why) | Doubt::Sensitive(why)) => return Err(why),
                Ok(()) => Property::Claim(id),
            },
            (Kind::Claim, Some(id)) => {
                stutters(&opened.model, id, true, &[], &opened.reading.until).map_err(Doubt::why)?;
                Property::ClaimAndLabels(id)
            }
            (Kind::Formula, Some(id)) => {
                formula::stutters(&opened.model, id, &t.name, &opened.reading.until)?;
                let again = opened.reading.divergent && time::asks_for_divergence_only(&opened.model, &t.name);
                if again { Property::Quiet(id) } else { Property::Claim(id) }
            }
            (Kind::Time, Some(id)) => Property::Quiet(id),
            (_, Some(id)) => Property::Claim(id),
            (_, None) => Property::AcceptLabels,
        },
    };
    watched(&opened.model, property).map_err(|o| o.0)
}

/// What a reduction did to one search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Applied {
    /// The property that was looked for; none for the search of the system alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// `ample`, `cluster` or `stubborn`.
    pub method: &'static str,
    /// True if only deadlocks were preserved, because nothing else can go wrong; statements may then be left out, too.
    pub deadlocks_only: bool,
    /// With `--audit`: how many choices were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audited: Option<u64>,
    /// With `--explain-reduction`: what happened where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
}

/// Where steps were left out, and where not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// States in which several processes could move.
    pub states: u64,
    /// Those in which some of them came first.
    pub reduced: u64,
    /// By process type and location, in the order of the source.
    pub places: Vec<PlaceNote>,
}

/// What happened at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceNote {
    /// The process type.
    pub proctype: String,
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The statements there.
    pub statements: Vec<String>,
    /// How often a process stood there that could move, and others could, too.
    pub seen: u64,
    /// How often its steps came first.
    pub chosen: u64,
    /// Why they were not enough by themselves, and how often.
    pub because: Vec<(String, u64)>,
}

impl Applied {
    /// What came of a reduction.
    pub fn new(
        opened: &Opened,
        target: Option<&Target>,
        done: &starwheel_reduce::Plan<'_>,
        audited: Option<u64>,
    ) -> Applied {
        let notes = done.notes.as_ref().and_then(|n| n.lock().ok());
        Applied {
            property: target.map(|t| t.name.clone()),
            method: match done.wish.method {
                Method::Ample => "ample",
                Method::Cluster => "cluster",
                Method::Stubborn => "stubborn",
            },
            deadlocks_only: done.wish.proviso == Proviso::NotNeeded,
            audited,
            explained: notes.map(|n| Explained::new(opened, &n)),
        }
    }
}

impl Explained {
    fn new(opened: &Opened, notes: &Notes) -> Explained {
        let places = notes.places.iter().map(|((p, l), note)| place(opened, *p, *l, note)).collect();
        Explained { states: notes.states, reduced: notes.reduced, places }
    }
}

fn place(opened: &Opened, proctype: ProctypeId, loc: LocId, note: &Note) -> PlaceNote {
    let model = &opened.model;
    let p = model.proctype(proctype);
    let out = &p.locs[loc.index()].out;
    let Where { at, .. } = Where::always(&opened.map, out.first().map_or(p.span, |t| model.transition(*t).span));
    let statements = out.iter().map(|t| written::statement(opened, *t)).collect();
    let because = note.because.iter().map(|(b, count)| (reason(opened, *b), *count)).collect();
    let (seen, chosen) = (note.seen, note.chosen);
    PlaceNote { proctype: p.name.to_string(), file: at.file, line: at.line, statements, seen, chosen, because }
}

/// Why the steps of a process are not enough by themselves.
fn reason(opened: &Opened, because: Because) -> String {
    match because {
        Because::Disturbed(p) => format!("`{}` may come in the way", opened.model.proctype(p).name),
        Because::Unfit(Unfit::Handshake) => "it shakes hands in the middle of an atomic sequence".to_string(),
        Because::Unfit(Unfit::Visible) => "the property can see it".to_string(),
        Because::Unfit(Unfit::Loop) => "it closes a loop".to_string(),
        Because::Unfit(Unfit::Risky) => "it may go wrong in the middle of an atomic sequence".to_string(),
        Because::TooMany => "it has too many alternatives".to_string(),
    }
}

/// The clusters of processes that share variables and channels, as text.
pub fn clusters(opened: &Opened) -> String {
    let mut out = String::new();
    for cluster in hierarchy(&opened.model) {
        draw(opened, &cluster, 0, &mut out);
    }
    out
}

fn draw(opened: &Opened, cluster: &Cluster, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let _ = match cluster {
        Cluster::Process(pid, proctype) => {
            writeln!(out, "{indent}process {} ({})", pid.0, opened.model.proctype(*proctype).name)
        }
        Cluster::Pair(_, _, shared) => writeln!(out, "{indent}share {}", shared.join(", ")),
    };
    if let Cluster::Pair(a, b, _) = cluster {
        draw(opened, a, depth + 1, out);
        draw(opened, b, depth + 1, out);
    }
}
