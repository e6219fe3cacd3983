//! Whether and how the states of a model are searched decoupled.

use crate::open::Opened;
use crate::plan::{Plan, Search};
use crate::problem::{Failure, Problem};
use starwheel_base::{Diagnostic, Span};
use starwheel_engine::{Checks, Limits};
use starwheel_star::{Request, refusal};

/// The decoupled search that the plan asks for, if it does; an error if the model has something that cannot be decoupled.
pub fn decide(opened: &Opened, plan: &Plan) -> Result<Option<Request>, Failure> {
    let Some(wish) = plan.decouple else { return Ok(None) };
    if let Some(why) = refusal(&opened.model) {
        let message = format!("`--decouple` cannot treat {}", why.what);
        let advice = "run the command without `--decouple`";
        let problem = match why.span == Span::default() {
            false => Problem::of(&opened.map, &Diagnostic::error("decouple", why.span, message).advise(advice)),
            true => Problem::error("decouple", message).advise(advice),
        };
        return Err(problem.into());
    }
    Ok(Some(Request {
        breadth_first: plan.search == Search::Bfs,
        dominance: wish.dominance,
        checks: Checks { assertions: !plan.no_assert, end_states: !plan.no_deadlock, run_time: true },
        all_errors: plan.all_errors,
        limits: Limits::default(),
    }))
}
