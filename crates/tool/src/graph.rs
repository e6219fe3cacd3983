//! The command `graph`.

use crate::screen;
use starwheel_workbench::{Failure, Plan, graph, open, reduction, star};
use std::path::Path;

/// Shows the automata of a model.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let opened = open(path, &plan.reading)?;
    if plan.star {
        match plan.json {
            true => screen::json(&star::json(&opened)),
            false => screen::out(&if plan.dot { star::dot(&opened) } else { star::list(&opened) }),
        }
        return Ok(0);
    }
    if plan.clusters {
        screen::warnings(&opened.warnings, plan.verbose);
        screen::out(&reduction::clusters(&opened));
        return Ok(0);
    }
    let ids = match plan.reading.ltl {
        Some(_) => opened.formulas.iter().map(|f| f.1).collect(),
        None => graph::select(&opened, plan.proctype.as_deref())?,
    };
    if plan.json {
        screen::json(&graph::json(&opened, &ids));
        return Ok(0);
    }
    screen::warnings(&opened.warnings, plan.verbose);
    screen::out(&if plan.dot { graph::dot(&opened, &ids) } else { graph::list(&opened, &ids) });
    Ok(0)
}
