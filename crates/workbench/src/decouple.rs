//! Whether and how the states of a model are searched decoupled.

use crate::ask::plan::{Plan, Search};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::formula;
use crate::property::target::Target;
use crate::report::PropertyKind as Kind;
use starwheel_base::{Diagnostic, Span};
use starwheel_decouple::{Decomposition, Refusal, Request, Trial, property_refusal, refusal};
use starwheel_engine::{Checks, Limits};
use std::time::Duration;

/// Decoupled states that a trial looks at.
const TRIAL: u64 = 2000;

/// The decoupled search that the plan asks for, if it does; an error if the model has something that cannot be decoupled.
/// What `auto` has decided is told among the warnings.
pub fn decide(opened: &Opened, plan: &Plan, warnings: &mut Vec<Problem>) -> Result<Option<Request>, Failure> {
    let Some(wish) = plan.decouple else { return Ok(None) };
    let why = refusal(&opened.model);
    if wish.auto {
        let (pays, text) = weigh(opened, why, plan.time);
        warnings.push(Problem::warning(Code::Decouple, text));
        if !pays {
            return Ok(None);
        }
    } else if let Some(why) = why {
        return Err(refused(opened, &why).into());
    }
    Ok(Some(Request {
        breadth_first: plan.search == Search::Bfs,
        dominance: wish.dominance,
        checks: Checks { assertions: !plan.no_assert, end_states: !plan.no_deadlock, run_time: true },
        all_errors: plan.all_errors,
        limits: Limits::default(),
        workers: plan.workers.unwrap_or(1),
    }))
}

/// Why the search for a property cannot be decoupled, if it cannot.
pub fn property(opened: &Opened, target: &Target) -> Option<Refusal> {
    let other = |what: String| Some(Refusal { what, span: Span::default() });
    let claim = match (target.kind, target.claim) {
        (Kind::Formula, Some(claim)) => claim,
        (Kind::Acceptance, _) => return other("accept labels".to_string()),
        (Kind::Progress, _) => return other("progress labels".to_string()),
        (Kind::Time, _) => return other("time".to_string()),
        _ => return other(format!("`{}`: it may count how often a state is repeated", target.name)),
    };
    match formula::stutters(&opened.model, claim, &target.name, &opened.reading.until) {
        Ok(()) => property_refusal(&opened.model, claim),
        Err(why) => other(format!("`{}`: {why}", target.name)),
    }
}

/// Whether the search for a property is decoupled, given that the model can be; what was typed and cannot be done is an
/// error, and what `auto` leaves out is told among the warnings.
pub fn decide_property(
    opened: &Opened,
    plan: &Plan,
    target: &Target,
    warnings: &mut Vec<Problem>,
) -> Result<bool, Failure> {
    let Some(why) = property(opened, target) else { return Ok(true) };
    if plan.decouple.is_none_or(|wish| !wish.auto) {
        return Err(refused(opened, &why).into());
    }
    let text = format!("the search for `{}` is not decoupled: it could not treat {}", target.name, why.what);
    warnings.push(Problem::warning(Code::Decouple, text));
    Ok(false)
}

/// Whether decoupling is possible and pays, and a sentence about it.
fn weigh(opened: &Opened, why: Option<Refusal>, time: Option<Duration>) -> (bool, String) {
    if let Some(why) = why {
        return (false, format!("the search is not decoupled: it could not treat {}", why.what));
    }
    if !Decomposition::new(&opened.model).has_leaves() {
        return (false, "the search is not decoupled: no process has steps that are its own business".to_string());
    }
    let trial = Trial::new(&opened.model, TRIAL, time);
    let members = match trial.members.round() {
        ..=1.0 => "a decoupled state stands for about one state".to_string(),
        members => format!("a decoupled state stands for about {members:.0} states"),
    };
    match (trial.pays(), trial.complete) {
        (true, true) => (true, format!("the search is decoupled: it is short, and {members}")),
        (true, false) => (true, format!("the search is decoupled: {members}")),
        (false, _) => (false, format!("the search is not decoupled: {members} only")),
    }
}

fn refused(opened: &Opened, why: &Refusal) -> Problem {
    let message = format!("`--decouple` cannot treat {}", why.what);
    let advice = "run the command without `--decouple`, or with `--decouple auto`";
    match why.span == Span::default() {
        false => Problem::of(&opened.map, &Diagnostic::error("decouple", why.span, message).advise(advice)),
        true => Problem::error(Code::Decouple, message).advise(advice),
    }
}
