//! Which partial-order reduction a search gets, or why it gets none.

use crate::formula;
use crate::open::Opened;
use crate::plan::{Plan, Por};
use crate::problem::{Failure, Problem};
use crate::report::PropertyKind as Kind;
use crate::target::Target;
use starwheel_reduce::{Method, Property, Wish, only_deadlocks, watched};

/// The reduction of a search for a target, if there is one. What was typed and cannot be done is an error; what is only
/// a default is left out, and a warning says why.
pub fn wish(opened: &Opened, plan: &Plan, target: Option<&Target>) -> Result<Result<Option<Wish>, Problem>, Failure> {
    let method = match plan.por {
        Por::Off => return Ok(Ok(None)),
        Por::Ample => Method::Ample,
        Por::Cluster => Method::Cluster,
        Por::Stubborn => Method::Stubborn,
    };
    match preserved(opened, plan, target) {
        Ok(watched) => {
            let fair = plan.fair.is_some() && target.is_some();
            let alone = method == Method::Stubborn && target.is_none();
            let deadlocks_only = alone && only_deadlocks(&opened.model, !plan.no_assert);
            Ok(Ok(Some(Wish { method, watched, search_watches: target.is_none(), fair, deadlocks_only })))
        }
        Err(why) => {
            let name = target.map_or("this model".to_string(), |t| format!("`{}`", t.name));
            if plan.por_typed {
                let option = format!("--por {}", plan.options.get("por").and_then(|v| v.as_str()).unwrap_or("ample"));
                let message = format!("`{option}` cannot be used for {name}, because {why}");
                return Err(Problem::error("no-reduction", message).advise("use --por off").into());
            }
            Ok(Err(Problem::warning(
                "no-reduction",
                format!("partial-order reduction is off for {name}, because {why}"),
            )))
        }
    }
}

/// What a reduction has to preserve for a target; says why if there can be none.
fn preserved(opened: &Opened, plan: &Plan, target: Option<&Target>) -> Result<starwheel_reduce::Watched, String> {
    if plan.fair.is_some() && target.is_some() && plan.por != Por::Ample {
        return Err(
            "with `--fair` the steps of one process alone may be enough, not those of several: use --por ample".into(),
        );
    }
    let property = match target {
        None => Property::Safety,
        Some(t) => match (t.kind, t.claim) {
            (Kind::Claim | Kind::Automaton, Some(_)) => {
                return Err("it may tell runs apart that differ only in how often a state is repeated".into());
            }
            (Kind::Formula, Some(id)) => {
                formula::stutters(&opened.model, &t.name)?;
                Property::Claim(id)
            }
            (_, Some(id)) => Property::Claim(id),
            (_, None) => Property::AcceptLabels,
        },
    };
    watched(&opened.model, property).map_err(|o| o.0)
}
