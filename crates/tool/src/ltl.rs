//! The command `ltl`.

use crate::screen;
use starwheel_workbench::{Failure, Plan, ltl};

/// Shows the automaton of a formula.
pub fn run(formula: &str, plan: &Plan) -> Result<u8, Failure> {
    let shown = ltl::show(formula, plan)?;
    if plan.json {
        screen::json(&shown.json());
        return Ok(0);
    }
    screen::problems(&shown.warnings);
    screen::out(&match (plan.hoa, plan.dot, plan.never_claim) {
        (true, _, _) => shown.hoa(),
        (_, true, _) => shown.dot(),
        (_, _, true) => shown.never(),
        _ => shown.text(),
    });
    Ok(0)
}
