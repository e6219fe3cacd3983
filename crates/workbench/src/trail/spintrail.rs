//! SPIN's own trail files: lines of three numbers, which are the depth, the process and the statement.
//!
//! SPIN numbers the statements of all process types one after the other, in the order in which its parser makes them. Our
//! states have its numbers within a process type, so a statement's number follows from the sizes of the types before it.
//! Before the steps, `-2` names the process type of the claim, which is then process 0 and all others are one up, and
//! `-4` says that statements were merged; `-1` stands where a cycle begins.

use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::trail::record::Path;
use crate::trail::runner::Runner;
use starwheel_model::{Actor, Model, Pid, ProcessStep, ProctypeId, ProctypeKind, Step, TransId};
use std::fmt::Write;

/// A trail file that was taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinTrail {
    /// The number of the claim's process type.
    pub claim: Option<usize>,
    /// Whether statements were merged.
    pub merged: bool,
    /// The number of lines before the cycle.
    pub cycle_start: Option<usize>,
    /// Depth, process and statement.
    pub lines: Vec<(u64, u8, u32)>,
}

/// The steps that a trail file means, ready to be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The steps.
    pub steps: Vec<Step>,
    /// The claim that moves in step with the system.
    pub claim: Option<ProctypeId>,
    /// The number of steps before the cycle.
    pub cycle_start: Option<usize>,
    /// By half a step: the depth that the trail gives it.
    pub depths: Vec<u64>,
}

/// A trail as SPIN writes it. The steps of a claim that SPIN would not have in the same form are left out.
pub fn text(opened: &Opened, path: Path<'_>) -> String {
    let model = &opened.model;
    let claim = path.claim.filter(|&id| written(opened, id));
    let up = u8::from(claim.is_some());
    let mut out = claim.map_or(String::new(), |id| format!("-2:{}:-2\n", id.0));
    if merged(opened) {
        out.push_str("-4:-4:-4\n");
    }
    let mut depth = 0;
    let mut line = |out: &mut String, pid: Pid, trans: TransId| {
        depth += 1;
        let number = if pid.is_claim() { 0 } else { u32::from(pid.0) + u32::from(up) };
        let _ = writeln!(out, "{depth}:{number}:{}", statement(model, trans));
    };
    for (i, step) in path.steps.iter().enumerate() {
        if path.cycle_start == Some(i) {
            out.push_str(CYCLE);
        }
        if !step.actor.is_claim() || claim.is_some() {
            line(&mut out, step.pid(), step.action);
        }
        if let Some((pid, trans)) = step.partner() {
            line(&mut out, pid, trans);
        }
    }
    if path.cycle_start == Some(path.steps.len()) {
        out.push_str(CYCLE);
    }
    out
}

const CYCLE: &str = "-1:-1:-1\n";

/// Whether steps were merged, in truth: SPIN, and we with it, leaves that out for models with `provided` or remote variables,
/// and its simulator would go wrong if it were told otherwise.
fn merged(opened: &Opened) -> bool {
    let uses = &opened.model.uses;
    opened.reading.merge && !uses.provided && !uses.remote_vars
}

/// True for a claim that stands in the model as it is: those of formulas and of progress are our own.
fn written(opened: &Opened, claim: ProctypeId) -> bool {
    let made = [opened.progress, opened.zeno];
    !made.contains(&Some(claim)) && opened.automaton != Some(claim) && opened.formulas.iter().all(|f| f.1 != claim)
}

/// SPIN's number of the statement of a transition.
fn statement(model: &Model, trans: TransId) -> u32 {
    let t = model.transition(trans);
    let before = model.proctypes.iter().take(t.proctype.index());
    let before: usize = before.map(|p| p.locs.len().saturating_sub(1)).sum();
    before as u32 + u32::from(t.from.0).saturating_sub(1)
}

/// True for text that can only be one of SPIN's trails.
pub fn looks_like_one(bytes: &[u8]) -> bool {
    let some = &bytes[..bytes.len().min(200)];
    !some.is_empty() && some.iter().all(|b| b.is_ascii_digit() || b"-:\r\n".contains(b))
}

/// Takes a trail file apart; `name` is for messages.
pub fn parse(name: &str, text: &str) -> Result<SpinTrail, Failure> {
    let mut out = SpinTrail::default();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        add(&mut out, line).ok_or_else(|| {
            let message = format!("line {} of the trail `{name}` cannot be understood: `{line}`", i + 1);
            let problem = Problem::error(Code::DamagedTrail, message).about(name);
            Failure::from(problem.advise("run the search again to get a new trail"))
        })?;
    }
    Ok(out)
}

fn add(out: &mut SpinTrail, line: &str) -> Option<()> {
    let mut numbers = line.trim().splitn(3, ':').map(|n| n.trim().parse::<i64>());
    let [Some(Ok(depth)), Some(Ok(process)), Some(Ok(statement))] = [(); 3].map(|()| numbers.next()) else {
        return None;
    };
    match depth {
        -1 => out.cycle_start = Some(out.lines.len()),
        -2 => out.claim = Some(usize::try_from(process).ok()?),
        -4 => out.merged = true,
        0.. => out.lines.push((depth as u64, u8::try_from(process).ok()?, u32::try_from(statement).ok()?)),
        // What else there is tells of orders of search that SPIN itself cannot replay either.
        _ => return None,
    }
    Some(())
}

/// Finds the steps of a trail in a model, which must have been opened with the same merging.
pub fn steps(opened: &Opened, trail: &SpinTrail) -> Result<Steps, Failure> {
    let kind = |id: &usize| opened.model.proctypes.get(*id).map(|p| p.kind);
    let claim = trail.claim.filter(|id| kind(id) == Some(ProctypeKind::Never)).map(|id| ProctypeId(id as u8));
    let mut finder = Finder::new(opened, claim);
    let (mut over, mut cycle_start, mut depths, mut i) = (finder.broken, None, Vec::new(), 0);
    while let Some(&(_, process, statement)) = trail.lines.get(i) {
        if trail.cycle_start == Some(i) {
            cycle_start = Some(finder.steps.len());
        }
        let actor = actor(trail, process);
        if actor.is_claim() && claim.is_none() {
            // The claim of a formula: it only looked on.
            i += 1;
            continue;
        }
        let next = trail.lines.get(i + 1).map(|&(_, process, statement)| (self::actor(trail, process), statement));
        let step = match finder.find(actor, statement, next) {
            Some(step) => step,
            // SPIN lets the system make one more step after a claim has come to its end.
            None if over => break,
            None => return Err(misfit(i + 1)),
        };
        let lines = 1 + usize::from(step.partner().is_some());
        depths.extend(trail.lines[i..].iter().take(lines).map(|l| l.0));
        i += lines;
        over = finder.take(step);
    }
    if trail.cycle_start == Some(trail.lines.len()) {
        cycle_start = Some(finder.steps.len());
    }
    Ok(Steps { steps: finder.steps, claim, cycle_start, depths })
}

/// Who moves in a line.
fn actor(trail: &SpinTrail, process: u8) -> Pid {
    match (trail.claim, process) {
        (Some(_), 0) => Pid::CLAIM,
        (Some(_), n) => Pid(n - 1),
        (None, n) => Pid(n),
    }
}

fn misfit(line: usize) -> Failure {
    let message = format!("step {line} of the trail is not possible in this model");
    let problem = Problem::error(Code::TrailMisfit, message);
    problem.advise("give the same -D, -o and other flags as when the trail was written, or search again").into()
}

/// Follows a trail to see which steps it means.
struct Finder<'a> {
    opened: &'a Opened,
    runner: Runner<'a>,
    at: Vec<u8>,
    /// True if the last step has no meaning, so that the state must not be looked at.
    broken: bool,
    steps: Vec<Step>,
}

impl<'a> Finder<'a> {
    fn new(opened: &'a Opened, claim: Option<ProctypeId>) -> Finder<'a> {
        let (mut runner, mut at) = (Runner::new(&opened.model, claim), Vec::new());
        let broken = runner.stepper().initial(&mut at).broken;
        Finder { opened, runner, at, broken, steps: Vec::new() }
    }

    fn find(&mut self, actor: Pid, wanted: u32, next: Option<(Pid, u32)>) -> Option<Step> {
        if self.broken {
            return None;
        }
        let mut enabled = Vec::new();
        self.runner.stepper().enabled(&self.at, &mut enabled);
        let number = |trans| statement(&self.opened.model, trans);
        let fits = |s: &Step| {
            if s.actor == Actor::Clock {
                return false;
            }
            let partner = s.partner().map(|(pid, trans)| (pid, number(trans)));
            s.pid() == actor && number(s.action) == wanted && (partner.is_none() || partner == next)
        };
        enabled.into_iter().find(fits)
    }

    /// Takes a step; true if the run may be over with it.
    fn take(&mut self, step: Step) -> bool {
        let mut next = Vec::new();
        let fired = self.runner.stepper().fire(&self.at, step, &mut next);
        self.steps.push(step);
        self.at = next;
        self.broken = fired.broken;
        fired.broken || !fired.violations.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_apart() {
        let trail = parse("t", "-2:2:-2\n-4:-4:-4\n1:0:5\n2:1:0\n-1:-1:-1\n3:0:5\n").unwrap();
        let lines = vec![(1, 0, 5), (2, 1, 0), (3, 0, 5)];
        assert_eq!(trail, SpinTrail { claim: Some(2), merged: true, cycle_start: Some(2), lines });
        for bad in ["1:2\n", "x\n", "1:300:1\n", "-5:0:0\n", "1:0:-1\n", "-2:-7:-2\n"] {
            assert_eq!(parse("t", bad).unwrap_err().problems[0].code, Code::DamagedTrail, "{bad}");
        }
        assert!(looks_like_one(b"-4:-4:-4\n") && !looks_like_one(b"{") && !looks_like_one(b""));
    }
}
