//! How a check is carried out: one search for what holds of states, and one for each formula.

use crate::adapter::{Adapted, Walker};
use crate::checker::{Asked, Checker, Refused};
use crate::digest::digest;
use crate::formula::{Formula, formulas};
use crate::ground::Ground;
use crate::model::{Footprint, Model};
use crate::numbers::Numbers;
use crate::outcome::{Checked, Outcome, Proof, Stats, Teller, Trail, Verdict};
use crate::processes::{Party, Role};
use crate::product::Product;
use crate::property::Kind;
use crate::reduction::Clusters;
use crate::symmetry::{self, Names, Symmetry};
use crate::view::PartSet;
use starwheel_base::rss;
use starwheel_distrib::{Crew, Wire};
use starwheel_engine::facts::{Axis, Exclusion, Method, Sequence, Sought};
use starwheel_engine::fit::{Assembly, Reduction, Shared, Wanted, Wish};
use starwheel_engine::{
    Checks, Finding, Gap, Goal, Job, Limits, METHODS, Misfit, Monitor, Report, Stop, Tick, fit, replay, run,
};
use starwheel_reduce::Reducer;
use starwheel_system::{Quotient, System, ViolationKind, Whole};
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::thread;

/// States that are compared with renamed ones before a search goes by symmetry.
const AUDITED: usize = 2_000;

/// The properties that every model has.
pub const DEADLOCK: &str = "deadlock";
pub const WRONG_STEP: &str = "wrong step";

/// What models can have together and systems in Rust cannot.
const UNPROVED: &[Exclusion] =
    &[Exclusion::hard(Axis::Reduction, Axis::Renaming, "nobody has proved it for systems in Rust")];

/// What models can have together with several processes, and systems in Rust cannot.
const UNSHARED: &[Exclusion] = &[
    Exclusion::hard(Axis::Processes, Axis::Renaming, "a renamed part is made by no step, so others could not make it"),
    Exclusion::hard(Axis::Processes, Axis::Reduction, "its reduction asks the search, which has its states elsewhere"),
];

const UNFAIR: &str = "fairness is about runs without end: there is no formula to check";

/// A misfit in the words of this library.
fn told(misfit: &Misfit) -> String {
    let said = match (misfit.left, misfit.right) {
        (Axis::Processes, Axis::Renaming) => "several processes cannot share a search with symmetry: use `workers`",
        (Axis::Processes, Axis::Reduction) => "several processes cannot share a search with reduction: use `workers`",
        (Axis::Fairness, Axis::Sought) => UNFAIR,
        (Axis::Reduction, Axis::Sought) => {
            "reduction is for what holds of states, not for formulas: check them without `por`"
        }
        (Axis::Reduction, Axis::Renaming) => {
            "reduction and symmetry together are not proved for systems in Rust: choose one"
        }
        _ => return misfit.to_string(),
    };
    said.to_string()
}

/// The search that fits, alone or beside others.
fn assembly<M: Model>(asked: &Asked, ground: &Ground<'_, M>, sought: Sought, alone: bool) -> Result<Assembly, Refused> {
    let cycles = sought == Sought::Formula;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = Wanted::or(asked.workers, cores);
    let shared = asked.processes.is_some();
    let reduced = if asked.reduced { Reduction::Several } else { Reduction::Off };
    let wish = Wish {
        // Shortest first is about states.
        sequence: asked.sequence.filter(|s| !cycles || *s == Sequence::DepthFirst),
        workers: if cycles && asked.fairness.is_some() { Wanted::default(workers.value) } else { workers },
        store: Wanted::or(asked.store, starwheel_engine::Store::Auto),
        reduction: if asked.reduced { Wanted::asked(reduced) } else { Wanted::default(reduced) },
        // Fairness is about formulas, and does not concern the search beside them.
        fairness: asked.fairness.filter(|_| cycles || alone),
        shared: if shared { Shared::Processes } else { Shared::Alone },
        depth: asked.depth.is_some(),
        renamed: asked.symmetric,
        all_errors: !cycles && ground.properties.iter().any(|p| p.kind == Kind::Sometimes),
        // Its reducer asks whether anybody is forgotten.
        asks_search: asked.reduced,
        besides: if shared { UNSHARED } else { UNPROVED },
        ..Wish::new(sought)
    };
    if shared && wish.fairness.is_some() && !cycles {
        return Err(Refused::new(UNFAIR));
    }
    let methods: &[&Method] = if shared { &starwheel_distrib::METHODS } else { &METHODS };
    fit(&wish, methods).map_err(|misfit| Refused::new(told(&misfit)))
}

fn apart(error: std::io::Error) -> Refused {
    Refused::new(format!("the processes cannot be connected: {error}"))
}

/// Says no to what several processes cannot do, without a search.
fn fits<M: Model>(asked: &Checker<'_, M>) -> Result<(), Refused> {
    let ground = Ground::new(asked.model)?;
    let formulas = formulas(&ground, &asked.formulas, asked.own)?;
    assembly(&asked.wish, &ground, Sought::Errors, formulas.is_empty())?;
    if !formulas.is_empty() {
        assembly(&asked.wish, &ground, Sought::Formula, false)?;
    }
    Ok(())
}

/// A check that is being carried out.
pub struct Check<'a, 'm, M: Model> {
    asked: &'a Checker<'m, M>,
    ground: &'a Ground<'m, M>,
    symmetry: Option<Symmetry>,
    footprints: Option<Vec<Footprint>>,
    /// True if another process answers.
    member: bool,
}

impl<'a, 'm, M: Model> Check<'a, 'm, M> {
    /// Checks everything that was asked for.
    pub fn of(asked: &Checker<'m, M>, place: &Location<'_>) -> Result<Outcome<M>, Refused> {
        // What does not fit is said before anybody is started.
        if asked.wish.processes.is_some() {
            fits(asked)?;
        }
        let role = Role::of(place, asked.wish.processes)?;
        let outcome = Check::part(asked, !role.is_alone(), |digest| role.meet(digest));
        if role.is_member() {
            // The first process has the answer, and goes on with the program.
            std::process::exit(if outcome.is_ok() { 0 } else { 3 });
        }
        outcome
    }

    /// The same with others or without, which have to be met first.
    pub fn part(
        asked: &Checker<'m, M>,
        shared: bool,
        meet: impl FnOnce(u64) -> Result<Option<Party>, Refused>,
    ) -> Result<Outcome<M>, Refused> {
        let wish = &Asked { processes: asked.wish.processes.filter(|_| shared), ..asked.wish };
        let mut ground = Ground::new(asked.model)?;
        let formulas = formulas(&ground, &asked.formulas, asked.own)?;
        // What does not fit is said before anything else is looked at.
        let safety = assembly(wish, &ground, Sought::Errors, formulas.is_empty())?;
        let cycles = (!formulas.is_empty()).then(|| assembly(wish, &ground, Sought::Formula, false)).transpose()?;
        let footprints = wish.reduced.then(|| footprints(&ground)).transpose()?;
        ground.footprints.clone_from(&footprints);
        let symmetry = wish.symmetric.then(|| symmetry(&ground)).transpose()?;
        let party = if shared { meet(digest(asked, &ground))? } else { None };
        // What was met until now, all have met in the same order.
        let known = ground.parts.len();
        let number = |party: &Party| party.line.as_ref().map_or_else(|| Ok(Numbers::given(known)), Numbers::asked);
        ground.numbers = party.as_ref().map(number).transpose().map_err(apart)?;
        let lines = party.iter().flat_map(|party| &party.lines).map(UnixStream::try_clone);
        let lines = lines.collect::<Result<Vec<_>, _>>().map_err(apart)?;
        let ground = &ground;
        thread::scope(|scope| {
            // It ends with what follows, and then nobody asks any more.
            let mut party = party;
            lines.into_iter().for_each(|line| _ = scope.spawn(|| ground.serve(line)));
            let member = party.as_ref().is_some_and(Party::is_member);
            let check = Check { asked, ground, symmetry, footprints, member };
            check.all(formulas, &safety, cycles.as_ref(), party.as_mut().map(|party| &mut party.crew))
        })
    }

    fn all(
        &self,
        formulas: Vec<Formula>,
        safety: &Assembly,
        cycles: Option<&Assembly>,
        mut crew: Option<&mut Crew>,
    ) -> Result<Outcome<M>, Refused> {
        let (mut properties, mut stats) = self.states(safety, crew.as_deref_mut())?;
        for (formula, assembly) in formulas.into_iter().zip(cycles.into_iter().cycle()) {
            properties.push(self.formula(formula, assembly, crew.as_deref_mut())?);
        }
        if let (Some(net), Some(book)) = (&mut stats.net, self.ground.numbers.as_ref().and_then(Numbers::book)) {
            net.messages += book.messages;
            net.bytes += book.travelled;
        }
        stats.parts = self.ground.parts.len() as u64;
        Ok(Outcome::new(properties, stats))
    }

    /// A job as an assembly has it.
    fn job<'j>(&'j self, system: &'j dyn System, assembly: &Assembly) -> Result<Job<'j>, Refused> {
        let memory = self.asked.memory.or_else(rss::default_limit);
        Ok(Job {
            search: assembly.order().ok_or_else(|| Refused::new("this search takes no jobs"))?,
            workers: assembly.workers(),
            store: assembly.store(),
            // The first process looks at the clock for all.
            limits: Limits {
                depth: self.asked.wish.depth,
                time: self.asked.time.filter(|_| !self.member),
                memory,
                errors: None,
            },
            fairness: assembly.fairness(),
            resident: memory.is_some().then_some(rss::current_rss as fn() -> u64),
            ..Job::new(system)
        })
    }

    /// Searches for what is wrong with states and steps, and for witnesses.
    fn states(&self, assembly: &Assembly, crew: Option<&mut Crew>) -> Result<(Vec<Checked<M>>, Stats), Refused> {
        let system = Adapted { ground: self.ground, watched: self.ground.watched() };
        let names = self.symmetry.clone().map(|symmetry| Names::new(self.ground, symmetry, 0));
        let quotient = names.as_ref().map(|names| Quotient::new(&system, names));
        let clusters = self.footprints.as_ref().zip(assembly.proviso()).map(|(footprints, proviso)| {
            let seen = self.ground.watched().into_iter().map(|p| self.ground.properties[p].over);
            let visible = seen.fold(PartSet::NONE, PartSet::and);
            Clusters { system: &system, footprints: footprints.clone(), visible, proviso }
        });
        let searched = quotient.as_ref().map_or(&system as &dyn System, |q| q);
        let wants_witnesses = self.ground.properties.iter().any(|p| p.kind == Kind::Sometimes);
        let job = Job {
            checks: Checks { end_states: self.asked.deadlocks, ..Checks::default() },
            all_errors: wants_witnesses,
            reducer: clusters.as_ref().map(|c| c as &dyn Reducer),
            ..self.job(searched, assembly)?
        };
        let report = self.search(&job, crew)?;
        let about = |kind: ViolationKind, place: usize| {
            let found =
                report.findings.iter().find(|f| f.violation.kind == kind && f.violation.span.start as usize == place);
            let found = found.or_else(|| {
                let wrong = |f: &&Finding| f.violation.kind == ViolationKind::RuntimeError;
                report.findings.iter().find(|f| wrong(f) && place > 0 && f.violation.span.start as usize == place)
            });
            found.map(|f| (f, self.told(&system, system.walker(), false, f)))
        };
        let mut out = Vec::new();
        let every = [
            (DEADLOCK, ViolationKind::InvalidEndState, self.asked.deadlocks),
            (WRONG_STEP, ViolationKind::RuntimeError, true),
        ];
        for (name, kind, wanted) in every {
            if wanted {
                out.push(judge(name, Kind::Always, about(kind, 0), &report));
            }
        }
        for property in self.ground.watched() {
            let (name, kind) = (&self.ground.properties[property].name, self.ground.properties[property].kind.clone());
            out.push(judge(name, kind, about(ViolationKind::Assertion, property + 1), &report));
        }
        Ok((out, self.stats(&report)))
    }

    /// Searches for a run that breaks a formula.
    fn formula(&self, formula: Formula, assembly: &Assembly, crew: Option<&mut Crew>) -> Result<Checked<M>, Refused> {
        let Formula { name, automaton, letters } = formula;
        let system = Adapted { ground: self.ground, watched: Vec::new() };
        let product = Product { system, automaton, letters };
        let names = self.symmetry.clone().map(|symmetry| Names::new(self.ground, symmetry, 1));
        let whole: &dyn Whole = &product;
        let quotient = names.as_ref().map(|names| Quotient::new(whole, names));
        let searched = quotient.as_ref().map_or(&product as &dyn System, |q| q);
        let message = "a run breaks it".to_string();
        let job = Job {
            checks: Checks { assertions: false, end_states: false, run_time: true },
            goal: Goal { message, stutter: false, ..Goal::default() },
            ..self.job(searched, assembly)?
        };
        let report = self.search(&job, crew)?;
        let found = report.findings.first().map(|f| (f, self.told(&product, product.system.walker(), true, f)));
        Ok(judge(&name, Kind::Always, found, &report))
    }

    fn search(&self, job: &Job<'_>, crew: Option<&mut Crew>) -> Result<Report, Refused> {
        let watcher = Watcher { check: self };
        let report = match crew {
            Some(crew) => starwheel_distrib::run(job, crew, Wire::default(), None, &watcher),
            None => run(job, &watcher),
        };
        // If a member had to give up, what is left of the search says only that it is gone.
        match self.ground.numbers.as_ref().and_then(Numbers::fault) {
            Some(fault) => Err(fault),
            None => report.map_err(|misfit| Refused::new(misfit.to_string())),
        }
    }

    /// The trail of a finding, in the steps of the system that was searched or is behind it.
    fn told(&self, system: &dyn System, walker: Walker<'_, M>, product: bool, finding: &Finding) -> Trail<M> {
        let mut first = Vec::new();
        system.stepper().initial(&mut first);
        let mut teller = Teller::new(walker, product, &first, finding.cycle_start);
        // It has been replayed before it was reported, so it can be followed.
        let followed = replay(system, &finding.trail, &mut |taken| teller.tell(taken));
        debug_assert!(followed.is_ok(), "{followed:?}");
        teller.trail
    }

    fn stats(&self, report: &Report) -> Stats {
        let counted = &report.stats;
        let root = u64::from(self.ground.has_root());
        Stats {
            states: counted.states_stored.saturating_sub(root),
            // One arrival is that at the first state of all, and if that is none of the model's, there are the steps to these.
            // A search that ended early may not have taken all of them.
            transitions: counted.transitions.saturating_sub(1 + root * self.ground.initial.len() as u64),
            depth: counted.max_depth.saturating_sub(root),
            store_bytes: counted.store_bytes,
            parts: 0,
            seconds: counted.seconds,
            net: counted.net,
        }
    }
}

/// What a finding, or none, says about a property.
fn judge<M: Model>(name: &str, kind: Kind, found: Option<(&Finding, Trail<M>)>, report: &Report) -> Checked<M> {
    let missed = |gap: Gap| match gap {
        Gap::LossyStore => "the store may have taken two states for one",
        Gap::EndlessAtomic | Gap::RunTimeError => "runs that end with a wrong step were not followed",
    };
    // What is true if nothing was found: a proof only where a search gives the evidence for it.
    let clear = match (report.complete, &report.stop, &report.outcome) {
        (Some(_), ..) if kind == Kind::Sometimes => Verdict::Violated,
        (Some(evidence), ..) => Verdict::Holds(Proof::complete(evidence)),
        (_, Some(stop), _) => Verdict::Stopped(stop.to_string()),
        (_, None, starwheel_engine::Outcome::Unrefuted(gap)) => Verdict::Unrefuted(missed(*gap).to_string()),
        (_, None, starwheel_engine::Outcome::Violated) => {
            Verdict::Stopped("another property is violated, and the search ended there".to_string())
        }
        (_, None, _) => Verdict::Stopped("the search did not visit all states".to_string()),
    };
    let (verdict, message, trail) = match found {
        Some((finding, trail)) => {
            let shown = kind == Kind::Sometimes && finding.violation.kind != ViolationKind::RuntimeError;
            let verdict = if shown { Verdict::Holds(Proof::witness(&trail)) } else { Verdict::Violated };
            (verdict, Some(finding.violation.message.clone()), Some(trail))
        }
        None if clear == Verdict::Violated => (clear, Some("no state that can be reached is one".to_string()), None),
        None => (clear, None, None),
    };
    Checked { name: name.to_string(), verdict, message, trail }
}

/// What actors may ever touch, or why there is no reduction.
fn footprints<M: Model>(ground: &Ground<'_, M>) -> Result<Vec<Footprint>, Refused> {
    if let Some(all) = ground.watched().into_iter().find(|&p| ground.properties[p].over == PartSet::ALL) {
        let name = &ground.properties[all].name;
        return Err(Refused::new(format!("reduction must know which parts `{name}` looks at: say so with `over`")));
    }
    let one = |actor| {
        let why = || format!("reduction must know what actor {actor} may touch: implement `Model::footprint`");
        ground.model.footprint(actor).ok_or_else(|| Refused::new(why()))
    };
    (0..ground.actors).map(one).collect()
}

/// What is interchangeable, after a look at whether it is.
fn symmetry<M: Model>(ground: &Ground<'_, M>) -> Result<Symmetry, Refused> {
    let why = "the model does not say what is symmetric: implement `Model::symmetry`";
    let symmetry = ground.model.symmetry().ok_or_else(|| Refused::new(why))?;
    symmetry.fits(ground.actors, ground.initial.iter().map(Vec::len).min().unwrap_or(0)).map_err(Refused::new)?;
    let system = Adapted { ground, watched: Vec::new() };
    let names = Names::new(ground, symmetry.clone(), 0);
    symmetry::audit(&system, &names, AUDITED).map_err(|why| Refused::new(format!("the symmetry is wrong: {why}")))?;
    Ok(symmetry)
}

/// Sees to it that a search ends when it should, and that each witness is looked for once.
struct Watcher<'c, 'a, 'm, M: Model> {
    check: &'c Check<'a, 'm, M>,
}

impl<M: Model> Watcher<'_, '_, '_, M> {
    /// The property that a finding is a witness of, if it is one.
    fn witnessed(&self, finding: &Finding) -> Option<usize> {
        let property = (finding.violation.span.start as usize).checked_sub(1)?;
        let wanted = self.check.ground.properties.get(property)?.kind == Kind::Sometimes;
        (wanted && finding.violation.kind == ViolationKind::Assertion).then_some(property)
    }
}

impl<M: Model> Monitor for Watcher<'_, '_, '_, M> {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        if self.check.member {
            return ControlFlow::Continue(());
        }
        if let Some(watch) = self.check.asked.watch {
            watch(tick);
        }
        match self.check.asked.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => ControlFlow::Break(Stop::Interrupted),
            false => ControlFlow::Continue(()),
        }
    }

    fn found(&self, finding: &Finding) -> ControlFlow<Stop> {
        match self.witnessed(finding) {
            Some(property) => {
                // Where others find something, this process takes the same steps again, and must see it then.
                let alone = self.check.ground.numbers.is_none();
                self.check.ground.settled[property].store(alone, Ordering::Relaxed);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(Stop::Settled),
        }
    }
}
