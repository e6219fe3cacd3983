//! The accepting run of a network as plain data and as a file.

use crate::ask::plan::Plan;
use crate::disk::output;
use crate::network::OpenedNetwork;
use crate::problem::{Code, Problem};
use crate::report::TOOL;
use serde::Serialize;
use starwheel_nba::Lasso;
use std::path::PathBuf;

/// A run that is repeated from some step on.
#[derive(Clone, Debug, Serialize)]
pub struct Trail {
    kind: &'static str,
    version: u32,
    tool: &'static str,
    files: Vec<String>,
    components: Vec<String>,
    /// Where the components start.
    initial: Vec<String>,
    /// The first step of those that are repeated for ever, from zero.
    pub cycle_start: usize,
    /// The steps.
    pub steps: Vec<Moved>,
}

/// One step.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// The name of the action.
    pub action: String,
    /// Who moves.
    pub moves: Vec<Move>,
}

/// What a step does to one component.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The number of the component, from zero.
    pub component: u32,
    /// The local state before.
    pub from: String,
    /// The local state after.
    pub to: String,
}

impl Trail {
    /// The run with the names of everything.
    pub fn new(opened: &OpenedNetwork, lasso: &Lasso) -> Trail {
        let net = &opened.network;
        let mut state = lasso.initial.clone();
        let mut steps = Vec::new();
        for step in &lasso.steps {
            let action = net.action(step.action);
            let moves = action.parts.iter().zip(&step.to).map(|(&c, &to)| {
                let from = std::mem::replace(&mut state[c.index()], to);
                let component = net.component(c);
                Move { component: c.0, from: component.state_name(from), to: component.state_name(to) }
            });
            steps.push(Moved { action: action.name.clone(), moves: moves.collect() });
        }
        let initial = net.components.iter().zip(&lasso.initial).map(|(c, &s)| c.state_name(s));
        Trail {
            kind: "starwheel-network-trail",
            version: 1,
            tool: TOOL,
            files: opened.paths.iter().map(|p| p.display().to_string()).collect(),
            components: net.components.iter().map(|c| c.name.clone()).collect(),
            initial: initial.collect(),
            cycle_start: lasso.cycle_start,
            steps,
        }
    }
}

/// Writes the file and gives its name; that it cannot be written is a warning.
pub fn write(trail: &Trail, opened: &OpenedNetwork, plan: &Plan, warnings: &mut Vec<Problem>) -> Option<String> {
    let usual = || PathBuf::from(format!("{}.trail.json", opened.paths[0].display()));
    let path = plan.trail.clone().unwrap_or_else(usual);
    let written = serde_json::to_string_pretty(trail).map_err(|e| e.to_string());
    let write = |text: String| output::write(&path, output::Kind::Trail, plan.force, (text + "\n").as_bytes());
    match written.and_then(write) {
        Ok(()) => Some(path.display().to_string()),
        Err(e) => {
            warnings.push(Problem::warning(
                Code::Trail,
                format!("the trail `{}` could not be written: {e}", path.display()),
            ));
            None
        }
    }
}
