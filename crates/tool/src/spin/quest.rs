//! What a SPIN command line asks of a model: which claim is used, and whether cycles are looked for.
//!
//! The rules are SPIN's. A model with claims is searched together with one of them: the one of `-N`, else the first never
//! claim, else the first formula. Cycles are looked for with `-a` and `-l`, and without them if anything in the model is
//! marked as accepting, unless `-safety`, `-bfs` or `-noclaim` is given.

use super::args::Line;
use starwheel_workbench::formula::COUNTS_STEPS;
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Por;
use starwheel_workbench::target::{Claims, claims};
use starwheel_workbench::{Code, Failure, Opened, Plan, Problem, Reading, open};
use std::path::Path;

/// A question that is ready to be answered.
pub struct Question {
    /// The model.
    pub opened: Opened,
    /// The options in our words.
    pub plan: Plan,
    /// The claim that is used.
    pub aim: Aim,
    /// True if cycles are looked for.
    pub cycles: bool,
    /// The number of claims to choose from.
    pub claims: usize,
}

/// What moves in step with the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Nothing.
    System,
    /// The claim that sees runs without progress.
    Progress,
    /// A never claim.
    Never(String),
    /// A formula.
    Formula(String),
}

impl Aim {
    /// The name of the claim, as pan prints it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Aim::System => None,
            Aim::Progress => Some(":np_:"),
            Aim::Never(name) | Aim::Formula(name) => Some(name),
        }
    }
}

/// Opens the model and finds out what is asked of it.
pub fn question(file: &Path, line: &Line) -> Result<Question, Failure> {
    // A formula that was typed describes the runs that must not exist; ours must be true of every run.
    let ltl = line.quest.formula.iter().map(|f| format!("!({f})")).collect();
    let reading = Reading { ltl, progress: line.quest.progress, ..line.reading.clone() };
    let mut opened = merged_if_sound(file, &reading)?;
    let known = claims(&opened);
    let aim = aim(line, &opened, &known)?;
    if let (Aim::Formula(name), true) = (&aim, reading.ltl.is_empty()) {
        opened = merged_if_sound(file, &Reading { ltl: vec![name.clone()], ..reading })?;
    }
    if line.quest.no_claim {
        opened.forget_claims();
    }
    let quest = &line.quest;
    let marked = known.accepting || matches!(aim, Aim::Formula(_));
    let unasked = marked && !quest.safety && !quest.breadth && !quest.no_claim;
    let cycles = quest.progress || ((quest.acceptance || unasked) && (known.labels || aim != Aim::System));
    let plan = plan(line, &opened, &aim, cycles)?;
    Ok(Question { opened, plan, aim, cycles, claims: known.never.len() + known.formulas.len() })
}

/// Opens a model with merged statements, as SPIN does without being asked, unless a formula counts steps.
fn merged_if_sound(file: &Path, reading: &Reading) -> Result<Opened, Failure> {
    let opened = open(file, reading);
    let refused = |failure: &Failure| failure.problems.iter().any(|p| p.code == Code::Source(COUNTS_STEPS));
    if reading.merge && opened.as_ref().is_err_and(refused) {
        return open(file, &Reading { merge: false, ..reading.clone() });
    }
    opened
}

/// The claim that is used.
fn aim(line: &Line, opened: &Opened, known: &Claims) -> Result<Aim, Failure> {
    let Claims { never, formulas, .. } = known;
    if line.quest.progress {
        return Ok(Aim::Progress);
    }
    if line.quest.no_claim {
        return Ok(Aim::System);
    }
    if let Some((name, _)) = opened.formulas.first() {
        return Ok(Aim::Formula(name.clone()));
    }
    let all = || never.iter().cloned().map(Aim::Never).chain(formulas.iter().cloned().map(Aim::Formula));
    let Some(wanted) = &line.quest.claim else { return Ok(all().next().unwrap_or(Aim::System)) };
    // SPIN counts claims from the last one on.
    let numbered = wanted.parse::<usize>().ok().and_then(|n| all().collect::<Vec<_>>().into_iter().rev().nth(n));
    let named = all().find(|aim| aim.name() == Some(wanted));
    named.or(numbered).ok_or_else(|| {
        let names: Vec<_> = all().filter_map(|aim| aim.name().map(|n| format!("`{n}`"))).collect();
        let problem = Problem::error(Code::NoClaim, format!("the model has no claim `{wanted}`"));
        match names.is_empty() {
            true => problem.advise("it has no claim at all: leave out -N"),
            false => problem.advise(format!("its claims are: {}", names.join(", "))),
        }
        .into()
    })
}

/// The options in our words; the table of options says which of them go together.
fn plan(line: &Line, opened: &Opened, aim: &Aim, cycles: bool) -> Result<Plan, Failure> {
    let mut typed = line.typed.clone();
    // Counts are those of pan, which takes nobody for anybody else.
    typed.push("symmetry", Some("off".into()));
    match aim {
        // As in pan, fairness changes nothing if no cycle is looked for.
        _ if !cycles => typed.forget("fair"),
        Aim::System => typed.push("accept", None),
        Aim::Progress => typed.push("progress", None),
        Aim::Never(name) => typed.push("claim", Some(name.clone())),
        Aim::Formula(name) => typed.push("ltl", Some(name.clone())),
    }
    let mut plan = typed.plan(Commands::CHECK)?;
    if let (Aim::Never(name), false) = (aim, cycles) {
        plan.claims.push(name.clone());
    }
    plan.reading = opened.reading.clone();
    // Counts and orders are those of pan without reduction: its own is not always sound.
    plan.por = Por::Off;
    plan.pan = line.pan;
    plan.pan.no_cycles = !cycles;
    Ok(plan)
}
