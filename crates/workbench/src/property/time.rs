//! What `--timers`, `--zeno` and `--divergent` make of a timed model, and where they are refused because they would not be sound.

use crate::ask::plan::{Plan, Reading, Timers};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::claim_automaton::{Doubt, stutters};
use crate::property::formula;
use crate::property::target::Target;
use crate::report::PropertyKind as Kind;
use starwheel_base::Span;
use starwheel_model::time::{expired, reads_timers, running};
use starwheel_model::{
    BinaryOp, Expr, Formula, LocId, Location, Model, Pace, ProctypeId, PropertyKind, Stmt, Transition, Ty,
    add_time_claim,
};
use std::collections::HashSet;

/// The macro of the header for timers that are dropped to bits.
const ABSTRACT: &str = "ABSTRACT";

/// The option that asks for something that only a timed model has.
fn option(reading: &Reading) -> Option<&'static str> {
    match (reading.timers, reading.zeno, reading.divergent) {
        (Timers::Jump, ..) => Some("--timers jump"),
        (Timers::Abstract, ..) => Some("--timers abstract"),
        (_, true, _) => Some("--zeno"),
        (_, _, true) => Some("--divergent"),
        _ => None,
    }
}

fn refused(option: &str, why: &str, advice: &str) -> Failure {
    let message = format!("`{option}` cannot be used for this model, because {why}");
    Problem::error(Code::Timers, message).advise(advice).into()
}

/// Makes a model that was read do what is asked for; the claim of `--zeno`, if it was asked for. Formulas are changed before
/// their claims are made.
pub fn prepare(model: &mut Model, reading: &Reading) -> Result<Option<ProctypeId>, Failure> {
    let Some(option) = option(reading) else { return Ok(None) };
    if !model.timed() {
        return Err(refused(option, "it has no timers", "include \"dtime.h\" and declare a `timer`"));
    }
    if model.waits_beside_time() {
        let why = "a process waits for `timeout`, which is possible in every slice in which nothing else is";
        return Err(refused(option, why, "use a timer instead of `timeout`"));
    }
    if model.uses.lazy && (reading.zeno || reading.divergent) {
        let why = "it has lazy steps, beside which time may pass or not";
        return Err(refused(option, why, "write an idle loop `do :: delay(t,1) :: … od` instead of `lazy`"));
    }
    if reading.timers == Timers::Jump {
        model.pace = Pace::Jump;
    }
    if reading.divergent {
        if !model.properties.iter().any(|p| matches!(p.kind, PropertyKind::Ltl(_))) {
            let why = "it says which runs formulas speak of, and there is none";
            return Err(refused("--divergent", why, "write an `ltl` block or add `--ltl FORMULA`"));
        }
        model.properties.iter_mut().for_each(|p| {
            if let PropertyKind::Ltl(f) = &mut p.kind {
                *f = divergent(f.clone());
            }
        });
    }
    if !reading.zeno {
        return Ok(None);
    }
    let full = || Problem::error(Code::TooManyProctypes, "there is no room for the claim of `--zeno`").into();
    add_time_claim(model).map(Some).ok_or_else(full)
}

/// The same formula for runs in which time goes on for ever: those that are quiet again and again. Where a model waits for
/// nothing but timers, the only step of a quiet state is the tick; a run that has ended stays quiet, and counts.
fn divergent(formula: Formula) -> Formula {
    let quiet = Formula::Prop(Expr::Timeout, Span::default());
    let goes_on = Formula::Always(Box::new(Formula::Eventually(Box::new(quiet))));
    Formula::Implies(Box::new(goes_on), Box::new(formula))
}

/// True if a formula of `--divergent` reads `timeout` nowhere but in what [`divergent`] has put in front of it.
pub fn asks_for_divergence_only(model: &Model, name: &str) -> bool {
    model.properties.iter().filter(|p| *p.name == *name).all(|p| match &p.kind {
        PropertyKind::Ltl(Formula::Implies(_, own)) => {
            let mut asks = false;
            own.conditions(&mut |e, _| asks |= e.any(|e| *e == Expr::Timeout));
            !asks
        }
        _ => false,
    })
}

/// Looks once more when all claims and formulas are there: a jump must not pass over anything that somebody reads.
pub fn conclude(model: &Model) -> Result<(), Failure> {
    if model.pace == Pace::Jump && model.reads_timer_values() {
        let why = "the value of a timer is read, which a jump would pass over";
        return Err(refused("--timers jump", why, "ask for `expire` and `on` only, or leave the option out"));
    }
    Ok(())
}

/// What the user of a timed model should know before the search.
pub fn remark(opened: &Opened) -> Option<Problem> {
    let message = "the model has timers and waits for `timeout`: both are possible when nothing else is, in any order";
    opened.model.waits_beside_time().then(|| Problem::warning(Code::TimeoutAndTimers, message))
}

/// States from which on it is worth while to think of fewer.
const MANY: u64 = 10_000;

/// What the user of a timed model should know after a search of all its states: time that never passes, and passes much.
pub fn advice(opened: &Opened, stats: &starwheel_engine::Stats) -> Option<Problem> {
    let model = &opened.model;
    if !model.timed() {
        return None;
    }
    if stats.ticks == 0 && !opened.reading.zeno {
        let problem = Problem::warning(Code::NoTicks, "time never passes in this model");
        return Some(problem.advise("`--zeno` says whether it could stop in a run without end"));
    }
    let exact = model.pace == Pace::Slice && !model.waits_beside_time() && !model.reads_timer_values();
    let much = stats.states_stored >= MANY && stats.ticks * 10 > stats.states_stored * 3;
    let problem = || Problem::warning(Code::ManyTicks, "time passes in more than 30 % of all states");
    (exact && much).then(|| problem().advise("`--timers jump` passes over slices in which nothing happens"))
}

/// Says why if the verdict on a target may depend on how often a state is repeated.
pub fn counts_repeats(opened: &Opened, target: &Target) -> Result<(), String> {
    let until = &opened.reading.until;
    match (target.kind, target.claim) {
        (Kind::Formula, Some(id)) => formula::stutters(&opened.model, id, &target.name, until),
        (Kind::Claim, Some(id)) => stutters(&opened.model, id, true, &[], until).map_err(Doubt::why),
        (Kind::Automaton, Some(id)) => stutters(&opened.model, id, false, &[], until).map_err(Doubt::why),
        _ => Ok(()),
    }
}

/// Whether time may jump in the search for a target: it must not count how often a state is repeated.
pub fn may_jump(opened: &Opened, target: &Target) -> Result<(), Failure> {
    if opened.model.pace != Pace::Jump {
        return Ok(());
    }
    counts_repeats(opened, target).map_err(|why| {
        let message = format!("`--timers jump` cannot be used for `{}`, because {why}", target.name);
        Problem::error(Code::Timers, message).advise("use --timers exact").into()
    })
}

/// Whether timers may be abstract in the search for a target: they may not be in any that is about runs without end, unless the
/// text is of another language, whose formulas then speak of the runs of this model ([`abstraction`] says so).
pub fn may_abstract(opened: &Opened, plan: &Plan, target: &Target) -> Result<(), Failure> {
    if opened.reading.timers != Timers::Abstract || !plan.reading.own || opened.translated {
        return Ok(());
    }
    let why = format!("`{}` speaks of runs without end, which are not those of the timed model", target.name);
    Err(refused("--timers abstract", &why, "use --timers exact"))
}

/// True if a model was refused because of what was said about its time.
pub fn is_about_timers(failure: &Failure) -> bool {
    failure.problems.iter().any(|p| p.code == Code::Timers)
}

/// The reading of a text with abstract timers: the header does the work.
pub fn abstract_reading(reading: &Reading) -> Reading {
    let mut defines = reading.defines.clone();
    defines.push((ABSTRACT.to_string(), None));
    Reading { defines, timers: Timers::Exact, ..reading.clone() }
}

/// Lets others move wherever a process may come to a condition on a timer, also inside of an atomic sequence: the timed model
/// says which variables were timers. Whoever is let go may still be the next to move, so nothing is taken away.
pub fn release(model: &mut Model, timed: &Model) {
    let mut timers = HashSet::new();
    let read = timed.transitions.iter();
    read.for_each(|t| {
        t.stmt.walk(&mut |e| match e {
            Expr::Load(place) | Expr::RemoteVar { place, .. } if place.ty == Ty::Timer => {
                timers.insert(place.name.to_string());
            }
            _ => {}
        });
    });
    let asks = |t: &Transition| {
        let mut asks = false;
        t.stmt.walk(&mut |e| match e {
            Expr::Load(place) | Expr::RemoteVar { place, .. } => asks |= timers.contains(&*place.name),
            _ => {}
        });
        asks
    };
    let waits = |p: ProctypeId, at: LocId| {
        let loc = model.proctype(p).locs.get(at.index());
        loc.is_some_and(|loc| loc.out.iter().any(|&t| asks(model.transition(t))))
    };
    let waits: Vec<bool> = model.transitions.iter().map(|t| waits(t.proctype, t.to)).collect();
    model.transitions.iter_mut().zip(waits).for_each(|(t, waits)| t.atomic &= !waits);
}

/// Looks at the timed model whether timers may be abstract, if they are; what the user should know then.
pub fn abstraction(opened: &Opened, plan: &Plan) -> Result<Option<Problem>, Failure> {
    if opened.reading.timers != Timers::Abstract {
        return Ok(None);
    }
    // Who translates from another language has seen to it.
    let message = if opened.translated {
        "timers may expire at any moment: what never happens, never happens for any durations; what must happen is proven for \
         such timers only; an error may be a false alarm"
    } else {
        let exact = Reading { timers: Timers::Exact, ..opened.reading.clone() };
        let exact =
            opened.again(&exact).ok_or_else(|| Problem::error(Code::Timers, "the timed model cannot be read"))?;
        may_be_abstract(&exact.model, plan)?;
        "timers may expire at any moment: what holds, holds for all durations; an error may be a false alarm"
    };
    Ok(Some(Problem::warning(Code::Timers, message)))
}

/// Whether abstract timers show every error of single steps.
///
/// An abstract timer is on from the moment it is set until it is reset, and may expire all that time. By induction over the
/// steps of a run that are no ticks, a timer that runs is on: so a condition that only *asks for* expiries and for timers that
/// run, without negation, holds wherever it holds in the timed model, and the same steps are possible. That is all that is
/// used, so whatever takes something away where more is possible is refused: negations, `else`, escapes, priorities, and
/// whatever else looks at a timer. An atomic sequence that waits for a timer lets others move, and need not wait for an abstract
/// one: so it lets them move there in any case ([`release`]). Deadlocks are not kept: a timer that would have run out may expire
/// later here.
fn may_be_abstract(model: &Model, plan: &Plan) -> Result<(), Failure> {
    const OPTION: &str = "--timers abstract";
    let no = |why: &str, advice: &str| Err(refused(OPTION, why, advice));
    if !model.timed() {
        return no("it has no timers", "include \"dtime.h\" and declare a `timer`");
    }
    if !plan.no_deadlock {
        return no(
            "an expiry that comes too late hides a deadlock",
            "add --no-deadlock: assertions are what it is for",
        );
    }
    if crate::assemble::asks_for_cycles(plan) {
        return no("runs without end are not those of the timed model", "look for assertions that fail only");
    }
    if model.waits_beside_time() || model.uses.priority || model.uses.enabled || model.uses.lazy {
        let why =
            "`timeout`, `lazy`, priorities and `enabled` ask what is not possible, and with abstract timers more is";
        return no(why, "use --timers exact");
    }
    let others = model.proctypes.iter().flat_map(|p| &p.locs).all(|loc| loc_is_positive(model, loc));
    let provided = model.proctypes.iter().filter_map(|p| p.provided.as_ref()).all(positive);
    if !others || !provided {
        let why = "a timer is asked for elsewhere than in plain conditions, or beside `else` or `unless`";
        return no(why, "ask for `expire(t)` and `on(t)` without negation, or use --timers exact");
    }
    Ok(())
}

/// Whether all conditions on timers at a location only make steps possible.
fn loc_is_positive(model: &Model, loc: &Location) -> bool {
    let all: Vec<_> = loc.out.iter().map(|&t| model.transition(t)).collect();
    let exclusive = all.iter().any(|t| t.stmt.is_else() || t.escape > 0);
    all.iter().all(|t| stmt_is_positive(&t.stmt, !exclusive))
}

fn stmt_is_positive(stmt: &Stmt, plain: bool) -> bool {
    match stmt {
        Stmt::Guard(e) => !reads_timers(e) || plain && positive(e),
        Stmt::Chain(list) => list.iter().all(|s| stmt_is_positive(s, plain)),
        _ => {
            let mut reads = false;
            stmt.walk(&mut |e| reads |= reads_timers(e));
            !reads
        }
    }
}

fn positive(e: &Expr) -> bool {
    match e {
        e if !reads_timers(e) => true,
        e if expired(e).or(running(e)).is_some() => true,
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => positive(a) && positive(b),
        _ => false,
    }
}
