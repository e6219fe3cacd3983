//! Ends of processes that a search has left out, put into what it found (`symmetry/src/undying.rs` says why that can be done).

use starwheel_engine::{Finding, Report};
use starwheel_model::{Model, ModelSystem, Step, Stepper, Stmt, System};

/// Tells everything that was found, and which statements were reached, as it is in the model with deaths. Says what cannot be
/// told.
pub fn put_in(model: &Model, report: &mut Report) -> Result<(), String> {
    for finding in &mut report.findings {
        let told = one(model, finding);
        let why = || "what was found without ends of processes cannot be told with them".to_string();
        *finding = told.ok_or_else(why)?;
    }
    for loc in model.proctypes.iter().flat_map(|p| p.locs.iter().enumerate().map(move |(i, l)| (p, i, l))) {
        let (proctype, number, loc) = loc;
        for end in loc.out.iter().filter(|t| model.transition(**t).stmt == Stmt::End) {
            let comes = |(i, t): (usize, &starwheel_model::Transition)| {
                let same = std::ptr::eq(model.proctype(t.proctype), proctype) && t.stmt != Stmt::End;
                same && t.to.index() == number && report.reached.get(i) == Some(&true)
            };
            let reached = proctype.start.index() == number || model.transitions.iter().enumerate().any(comes);
            if let Some(r) = report.reached.get_mut(end.index()) {
                *r |= reached;
            }
        }
    }
    Ok(())
}

/// A trail with deaths: before steps that wait for them, and in the end.
fn one(model: &Model, finding: &Finding) -> Option<Finding> {
    let system = ModelSystem(model);
    let mut walk = Walk { model, stepper: system.stepper(), at: Vec::new(), trail: Vec::new() };
    let mut fired = walk.stepper.initial(&mut walk.at);
    for &step in &finding.trail {
        while !walk.stepper.lists(&walk.at, step) {
            walk.die()?;
        }
        fired = walk.take(step);
    }
    if fired.violations.contains(&finding.violation) {
        return Some(Finding { trail: walk.trail, ..finding.clone() });
    }
    while walk.die().is_some() {}
    let mut steps = Vec::new();
    walk.stepper.enabled(&walk.at, &mut steps);
    let stuck = walk.stepper.stuck(&walk.at).filter(|v| steps.is_empty() && v.kind == finding.violation.kind)?;
    Some(Finding { violation: stuck, trail: walk.trail, ..finding.clone() })
}

struct Walk<'m> {
    model: &'m Model,
    stepper: Box<dyn Stepper + 'm>,
    at: Vec<u8>,
    trail: Vec<Step>,
}

impl Walk<'_> {
    fn take(&mut self, step: Step) -> starwheel_model::Fired {
        let mut next = Vec::new();
        let fired = self.stepper.fire(&self.at, step, &mut next);
        (self.at, _) = (next, self.trail.push(step));
        fired
    }

    /// Lets a process die that can.
    fn die(&mut self) -> Option<()> {
        let mut steps = Vec::new();
        self.stepper.enabled(&self.at, &mut steps);
        let ends = |s: &&Step| self.model.transition(s.action).stmt == Stmt::End;
        let step = *steps.iter().find(|s| !s.actor.is_claim() && ends(s))?;
        self.take(step);
        Some(())
    }
}
