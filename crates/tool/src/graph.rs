//! The command `graph`.

use crate::interrupt::{catch_interrupt, token};
use crate::{processes, screen};
use starwheel_workbench::space::{Exported, Form, Unfinished, export};
use starwheel_workbench::{
    Code, Failure, Opened, Plan, Problem, Reading, Verdict, families, graph, open, reduction, star,
};
use std::path::Path;

/// Shows the automata of a model.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    catch_interrupt();
    let reading = Reading { until: token(plan), ..plan.reading.clone() };
    let opened = open(path, &reading)?;
    if let Some(form) = plan.states {
        let mut plan = plan.clone();
        let others = processes::start(&mut plan)?;
        let written = states(&opened, &plan, form);
        drop(others);
        return written;
    }
    if plan.star {
        match plan.json {
            true => screen::json(&star::json(&opened)),
            false => screen::out(&if plan.dot { star::dot(&opened) } else { star::list(&opened) }),
        }
        return Ok(0);
    }
    if plan.families {
        match plan.json {
            true => screen::json(&families::json(&opened)),
            false => screen::out(&families::list(&opened)),
        }
        return Ok(0);
    }
    if plan.clusters {
        screen::warnings(&opened.warnings, plan.verbose);
        screen::out(&reduction::clusters(&opened));
        return Ok(0);
    }
    let ids = match plan.reading.ltl.is_empty() {
        false => opened.formulas.iter().map(|f| f.1).collect(),
        true => graph::select(&opened, plan.proctype.as_deref())?,
    };
    if plan.json {
        screen::json(&graph::json(&opened, &ids));
        return Ok(0);
    }
    screen::warnings(&opened.warnings, plan.verbose);
    screen::out(&if plan.dot { graph::dot(&opened, &ids) } else { graph::list(&opened, &ids) });
    Ok(0)
}

/// Writes all states of a model.
fn states(opened: &Opened, plan: &Plan, form: Form) -> Result<u8, Failure> {
    screen::problems(&opened.warnings);
    let written = export(opened, plan, form, &mut screen::Stream);
    match written {
        Ok(Exported { states, transitions }) => {
            screen::note(&format!("{states} states, {transitions} transitions"));
            Ok(0)
        }
        Err(Unfinished::Cut(why)) => {
            let advice = "raise --limit, --memory or --time";
            screen::problems(
                &[Problem::error(Code::NotWhole, format!("the graph is not whole: {why}")).advise(advice)],
            );
            Ok(Verdict::Stopped.exit_status())
        }
        Err(Unfinished::Failed(failure)) => Err(failure),
    }
}
