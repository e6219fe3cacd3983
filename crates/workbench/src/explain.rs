//! Says more than a verdict: who was forgotten in a cycle, what is true for no good reason, and what there is so much of.
//!
//! All of it is worked out after the searches, together within [`LEAST`] or the time that the search itself took, and no verdict
//! depends on it.

use crate::ask::plan::{Pan, Plan, Reading, Timers};
use crate::check::search;
use crate::disk::checkpoint::Checkpoints;
use crate::memory::cpu::Worked;
use crate::open::{Opened, open};
use crate::problem::{Code, Problem};
use crate::property::formula;
use crate::property::target::{Target, claim_of};
use crate::property::watched::{decides, written};
use crate::report::{Growth, PropertyKind, Verdict};
use crate::run::{Run, run_one};
use crate::trail::record::{Path, Recorder};
use starwheel_engine::{Fairness, Monitor, Outcome, Random};
use starwheel_model::{Formula, ProcessStep, Property, PropertyKind as ModelKind};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// The work that there always is for these questions: nobody who asks about a small model should wait for what was not asked.
pub const LEAST: Duration = Duration::from_millis(40);
/// The work that there always is to make a run to an error shorter, which somebody will read: no more than SPIN's verifier needs to begin
/// and to end, twice over, so that nobody waits three times as long as for SPIN. A program made for tests is a few times slower.
pub const SHORTER: Duration = Duration::from_millis(if cfg!(debug_assertions) { 600 } else { 120 });
/// The work that there always is to find out whether an alarm is false: a doubtful answer is none.
pub const ALARM: Duration = Duration::from_millis(500);
/// The time and the states of the random runs that show where the values are.
const SAMPLE: (Duration, usize) = (Duration::from_millis(250), 5000);
/// The steps of one random run.
const RUN: usize = 2500;
/// The most lines about values, and the fewest values that are worth a line.
const GROWN: (usize, u64) = (5, 10);

/// What is asked once more: the model, the plan, and who watches.
pub struct Asked<'a> {
    /// The model.
    pub opened: &'a Opened,
    /// What was asked for.
    pub plan: &'a Plan,
    /// Who watches, and may end it.
    pub monitor: &'a dyn Monitor,
    /// Nothing is saved.
    pub checkpoints: &'a Checkpoints,
}

/// The processes that can move in each state of a run's cycle in which the system moves, and never do; none if the run is
/// decided before, so that it does not matter what is repeated.
pub fn forgotten(opened: &Opened, path: Path<'_>) -> Vec<String> {
    let Some(start) = path.cycle_start else { return Vec::new() };
    if path.steps.iter().any(|s| s.actor.is_claim() && decides(&opened.model, s.action)) {
        return Vec::new();
    }
    let mut recorder = Recorder::with_claim(opened, path.claim);
    let (mut able, mut moved): (Option<BTreeSet<u8>>, BTreeSet<u8>) = (None, BTreeSet::new());
    for (i, &step) in path.steps.iter().enumerate() {
        if i >= start && !step.actor.is_claim() {
            let pids = |s: &starwheel_model::Step| [Some(s.pid().0), s.partner().map(|(pid, _)| pid.0)];
            if !recorder.atomic() {
                let system = recorder.enabled().into_iter().filter(|s| s.actor != starwheel_model::Actor::Clock);
                let now: BTreeSet<u8> = system.flat_map(|s| pids(&s)).flatten().collect();
                able = Some(able.map_or(now.clone(), |able| able.intersection(&now).copied().collect()));
            }
            moved.extend(pids(&step).into_iter().flatten());
        }
        recorder.pass(step);
    }
    recorder.look();
    let names = recorder.situation().processes.iter();
    let forgotten = |pid: u8| able.as_ref().is_some_and(|able| able.contains(&pid)) && !moved.contains(&pid);
    names.filter(|p| forgotten(p.pid)).map(|p| format!("{}({})", p.proctype, p.pid)).collect()
}

impl Asked<'_> {
    /// What is known about a property if only weakly fair runs count, as far as it is known with so much work.
    pub fn with_fairness(&self, target: &Target, budget: Duration) -> Option<Verdict> {
        let fine = self.opened.reading.merge.then(|| self.opened.again(&self.opened.unmerged())).flatten();
        let opened = fine.as_ref().unwrap_or(self.opened);
        let claim = claim_of(opened, &target.property())?;
        let found = self.ask(opened, Some(Target { claim, ..target.clone() }), Some(Fairness::Weak), budget)?;
        verdict(&found)
    }

    /// A search in which nobody is taken for anybody else, as far as it comes with so much work.
    pub fn by_their_names(&self, target: Option<&Target>, budget: Duration) -> Option<Run> {
        let plan = Plan { verdict_only: false, ..self.defaults(self.opened, self.plan.fair) };
        self.carry_out(self.opened, &plan, target.cloned(), budget)
    }

    /// What is said of an error that was found with abstract timers: whether exact ones have it, too.
    pub fn with_exact_timers(&self, target: Option<&Target>, budget: Duration) -> Problem {
        match self.exact_verdict(target, budget) {
            Some(Verdict::Holds(_)) => {
                Problem::warning(Code::FalseAlarm, "this is a false alarm: with exact timers it does not happen")
            }
            Some(Verdict::Violated) => {
                let problem =
                    Problem::warning(Code::RealError, "this is no false alarm: it goes wrong with exact timers, too");
                problem.advise("leave out `--timers abstract` to see a run with times")
            }
            _ => Problem::warning(Code::MaybeFalseAlarm, "whether this is a false alarm is not known")
                .advise("leave out `--timers abstract` to check with exact ones"),
        }
    }

    fn exact_verdict(&self, target: Option<&Target>, budget: Duration) -> Option<Verdict> {
        let reading = Reading { timers: Timers::Exact, ..self.opened.reading.clone() };
        // A translation has forgotten the durations.
        let exact = match self.opened.translated {
            true => open(&self.opened.path, &reading).ok()?,
            false => self.opened.again(&reading)?,
        };
        let target = match target {
            Some(t) => Some(Target { claim: claim_of(&exact, &t.property())?, ..t.clone() }),
            None => None,
        };
        verdict(&self.ask(&exact, target, self.plan.fair, budget)?)
    }

    /// The conditions before `->` in a formula that holds which never come true, so that what is said behind them says nothing.
    pub fn vacuous(&self, target: &Target, budget: Duration) -> Vec<String> {
        let named = self.opened.model.properties.iter().find(|p| *p.name == *target.name);
        let Some(ModelKind::Ltl(whole)) = named.map(|p| &p.kind) else { return Vec::new() };
        let all = antecedents(whole);
        let each = budget / all.len().max(1) as u32;
        all.into_iter().filter_map(|a| self.never(target, a, each)).collect()
    }

    /// The words of a condition, if it is never true.
    fn never(&self, target: &Target, condition: &Formula, budget: Duration) -> Option<String> {
        let mut opened = self.opened.again(&self.opened.reading)?;
        let never = Formula::Always(Box::new(Formula::Not(Box::new(condition.clone()))));
        let name = format!("{} never", target.name);
        let span = opened.model.proctype(target.claim?).span;
        let property = Property { name: name.as_str().into(), kind: ModelKind::Ltl(never), span };
        let (merge, until) = (opened.reading.merge, self.opened.reading.until.clone());
        let claim = formula::add_claim(&mut opened.model, &property, merge, &until).ok()?;
        opened.model.properties.push(property);
        opened.formulas.push((name.clone(), claim));
        let target = Target { name, kind: PropertyKind::Formula, claim: Some(claim) };
        let found = self.ask(&opened, Some(target), None, budget)?;
        let holds = matches!(found.found.outcome, Outcome::Holds(_));
        holds.then(|| written(self.opened, condition))
    }

    /// One search with the defaults, of which only the verdict is asked.
    fn ask(&self, opened: &Opened, target: Option<Target>, fair: Option<Fairness>, budget: Duration) -> Option<Run> {
        self.carry_out(opened, &self.defaults(opened, fair), target, budget)
    }

    fn defaults(&self, opened: &Opened, fair: Option<Fairness>) -> Plan {
        Plan {
            reading: opened.reading.clone(),
            fair,
            search_typed: false,
            por_typed: false,
            workers: Some(1),
            all_errors: false,
            verdict_only: true,
            audit: false,
            explain: false,
            store: None,
            depth: None,
            decouple: None,
            symmetry: None,
            symmetry_typed: true,
            pan: Pan::default(),
            ..self.plan.clone()
        }
    }

    fn carry_out(&self, opened: &Opened, plan: &Plan, target: Option<Target>, budget: Duration) -> Option<Run> {
        let work = Worked::new(self.monitor, budget);
        let search = search(opened, plan, target, None, &mut Vec::new()).ok()?;
        let left = work.left();
        let run = || run_one(opened, &search, &work, Some(left), (self.checkpoints, None, None)).ok();
        if left.is_zero() { None } else { run() }
    }
}

/// What a search says, if it says anything.
fn verdict(run: &Run) -> Option<Verdict> {
    match run.found.outcome {
        Outcome::Holds(complete) => Some(Verdict::Holds(complete.into())),
        Outcome::Violated => Some(Verdict::Violated),
        _ => None,
    }
}

/// What stands before `->` where a formula says something about every state.
fn antecedents(formula: &Formula) -> Vec<&Formula> {
    fn within(formula: &Formula) -> Vec<&Formula> {
        match formula {
            Formula::Implies(a, _) => vec![a],
            Formula::And(a, b) => [within(a), within(b)].concat(),
            Formula::Always(a) => within(a),
            _ => Vec::new(),
        }
    }
    match formula {
        Formula::Always(a) => within(a),
        Formula::And(a, b) => [antecedents(a), antecedents(b)].concat(),
        _ => Vec::new(),
    }
}

/// What takes the most different values in random runs: variables, channels, and processes by their places. Also the number
/// of states that were looked at.
pub fn growth(opened: &Opened) -> (Vec<Growth>, u64) {
    let (end, mut random) = (Instant::now() + SAMPLE.0, Random::new(1));
    let mut values: BTreeMap<String, HashSet<String>> = BTreeMap::new();
    let mut looked = 0;
    while looked < SAMPLE.1 && Instant::now() < end {
        let mut recorder = Recorder::new(opened);
        for _ in 0..RUN {
            if !recorder.atomic() {
                recorder.look();
                note(&recorder, &mut values);
                looked += 1;
            }
            let steps = recorder.enabled();
            let Some(step) = random.choose(&steps) else { break };
            recorder.pass(*step);
            if recorder.broken() || looked >= SAMPLE.1 || Instant::now() >= end {
                break;
            }
        }
        // A run that ends at once shows nothing more the next time.
        looked += 1;
    }
    let all = values.into_iter().map(|(what, values)| Growth { what, values: values.len() as u64 });
    let mut all: Vec<Growth> = all.filter(|g| g.values >= GROWN.1).collect();
    all.sort_by(|a, b| b.values.cmp(&a.values).then(a.what.cmp(&b.what)));
    all.truncate(GROWN.0);
    (all, looked as u64)
}

/// Notes the values of a state.
fn note(recorder: &Recorder<'_>, values: &mut BTreeMap<String, HashSet<String>>) {
    let mut add = |what: String, value: String| values.entry(what).or_default().insert(value);
    let now = recorder.situation();
    for v in &now.globals {
        add(v.name.clone(), v.value.clone());
    }
    for q in &now.channels {
        add(format!("channel {}", q.name), q.shown());
    }
    for p in &now.processes {
        add(format!("process {}({})", p.proctype, p.pid), p.state.to_string());
        for v in &p.locals {
            add(format!("{}({}):{}", p.proctype, p.pid, v.name), v.value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::open_text;
    use starwheel_base::Span;
    use starwheel_model::Expr;

    fn opened(text: &str) -> Opened {
        open_text(std::path::Path::new("m.pml"), text.to_string(), &Default::default()).expect("a model")
    }

    #[test]
    fn what_grows_is_named_first() {
        let opened = opened("int n; byte m; active proctype P() { do :: n++ :: m = (m + 1) % 20 od }");
        let (all, states) = growth(&opened);
        assert_eq!(all[0].what, "n");
        assert!(all[0].values > 100 && states >= all[0].values, "{all:?}");
    }

    #[test]
    fn implications_about_every_state_have_antecedents() {
        let p = |n| Box::new(Formula::Prop(Expr::Const(n, None), Span::default()));
        let implies = Box::new(Formula::Implies(p(1), p(2)));
        assert_eq!(antecedents(&Formula::Always(implies.clone())).len(), 1);
        assert_eq!(antecedents(&Formula::Eventually(implies.clone())).len(), 0);
        let both = Formula::And(Box::new(Formula::Always(implies.clone())), Box::new(Formula::Always(implies)));
        assert_eq!(antecedents(&both).len(), 2);
    }
}
