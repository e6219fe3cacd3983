//! What a property looks at, and which models and properties cannot be reduced.
//!
//! **Conditions that may have no value.** A claim may ask for `a[i] == 0` where `i` is out of bounds, which is an error that a
//! reduced search must find whenever the whole one does. It does so for the same reason for which it finds runs that the claim
//! accepts, if each condition has three values in a state: true, false and none.
//!
//! 1. Which of the three it is depends only on what the condition reads: variables, the indices inside it, channels and which of
//!    them exist, and processes (`Life::LOOK`) if it refers to one. Evaluation from left to right may read less than that, never
//!    more. So a step that touches nothing of it is invisible in the stronger sense: it leaves which of the three it is. All
//!    others write something of `out.reads` and count as visible ([`Effect::changes`]).
//! 2. Let the claim go to a place where every run is accepted when it asks for a condition without a value. What it then accepts
//!    is a set of words over letters with three values, and the caller sees to it that repeated letters make no difference to
//!    this set (`claim_automaton.rs` in the workbench decides it, or there is no reduction).
//! 3. A reduction keeps, for every run of the system, one with the same letters up to repetition: that is what invisible steps,
//!    independence and the proviso are for, and they know nothing of what letters mean. So if the claim comes to an error on some
//!    run of the whole system, the reduced system has a run of the same set: the claim accepts it, or comes to an error on it.
//!    Every finite run can be made longer, by repeating its last state if need be. A run that ends because a step of the system
//!    itself goes wrong is no exception, as the search of the system alone finds that, and the verdict is the same.
//!
//! Which of the two is found, and where, may differ: the verdict is the same, the trail may be another one.
//!
//! **Time.** To a claim, `timeout` says that a state is *quiet*: no process can move. A reduction keeps the order of visible steps,
//! not the moment at which the last invisible one of a slice is taken; so a claim that reads `timeout` is not reduced, but for
//! two that only ask whether a run is quiet again and again ([`Property::Quiet`]). Let the model wait for nothing but timers and
//! have no lazy steps; then the tick is the only step of a quiet state, and a function of it.
//!
//! 1. Where steps are left out, those taken are a closed set: some step of it is enabled, and stays so until the set moves, so no
//!    quiet state comes before it moves. Hence in any run that comes to a quiet state, a step of the set is taken before that, and
//!    can be taken first: what follows leads to the same quiet state. By induction over its steps, a slice of the whole system that
//!    ends is a slice of the reduced one between the same two states, with the same visible steps in the same order. So a run with
//!    infinitely many quiet states, or one that ends, has a twin with the same quiet states and the same letters up to repetition:
//!    `[]<> timeout -> f` is kept for every f that does not count repeated states and does not itself speak of `timeout`.
//! 2. Let a run come to quiet states no more. Up to its last quiet state it has a twin by 1. Behind it, if a step of the chosen set
//!    occurs in the run, it can be taken first; if none ever does, it can be taken before all others, which remain possible (A.
//!    Valmari's argument that stubborn sets keep infinite runs). Either way an infinite run without a quiet state follows: the
//!    reduced system has one as well, and it is finite, so it has a cycle. That is what `--zeno` looks for.

use crate::context::Context;
use crate::effect::{Effect, Life};
use crate::fallible::fallible;
use crate::fixed::Known;
use crate::instance::Watched;
use starwheel_model::{Expr, LocId, Location, Model, Proctype, ProctypeId, ProctypeKind, Stmt, TransId, Transition};
use std::collections::BTreeSet;

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// What goes wrong in single steps, and deadlocks.
    Safety,
    /// Runs that pass accept labels again and again.
    AcceptLabels,
    /// Runs that a claim describes, by its own accept labels.
    Claim(ProctypeId),
    /// Runs that a claim describes, by its own accept labels and those of processes.
    ClaimAndLabels(ProctypeId),
    /// Runs that a claim describes that asks by `timeout` only whether a run of a timed model is quiet again and again.
    Quiet(ProctypeId),
}

/// Why there can be no reduction, in words that fit behind «because».
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle(pub String);

fn obstacle<T>(why: &str) -> Result<T, Obstacle> {
    Err(Obstacle(why.to_string()))
}

/// What a property of a model looks at. That the property does not count how often a state is repeated is for the caller
/// to see to, and also that this makes no difference to whether the property asks for a condition where it has no value.
pub fn watched(model: &Model, property: Property) -> Result<Watched, Obstacle> {
    if model.uses.last {
        return obstacle("the model uses `_last`, which tells every order of steps from every other");
    }
    if model.uses.priority {
        return obstacle("the model uses priorities, so that every step depends on all processes");
    }
    let mut out = Watched::default();
    if matches!(property, Property::AcceptLabels | Property::ClaimAndLabels(_)) {
        out.labels.extend(labels(model, |l| l.accept));
    }
    if let Property::Claim(id) | Property::ClaimAndLabels(id) | Property::Quiet(id) = property {
        let quiet = matches!(property, Property::Quiet(_)) && !model.waits_beside_time();
        claim(model, id, quiet, &mut out)?;
    }
    Ok(out)
}

/// By transition of a model: whether it may turn out to have no meaning when it is executed, by whichever process.
pub fn may_break(model: &Model) -> Vec<bool> {
    let context = Context::new(model);
    let stranger = |t: &Transition| context.stranger(t.proctype);
    model.transitions.iter().enumerate().map(|(i, t)| fallible(&context, &stranger(t), TransId(i as u32))).collect()
}

/// Evidence that no step of a model can turn out to have no meaning, that nothing watches the order of messages, and that it does not
/// matter which of several steps a process takes.
#[derive(Clone, Copy, Debug)]
pub struct NoStepFails(());

/// Looks for such evidence in the text of a model; `ranges` says how.
pub fn no_step_fails(model: &Model) -> Option<NoStepFails> {
    only_deadlocks(model, false).then_some(NoStepFails(()))
}

/// Whether deadlocks are all that can go wrong in a model: no step can turn out to have no meaning, nothing watches the
/// order of messages, and there is no assertion, unless they are ignored.
pub fn only_deadlocks(model: &Model, assertions: bool) -> bool {
    let own = |t: &Transition| matches!(model.proctype(t.proctype).kind, ProctypeKind::Process | ProctypeKind::Init);
    let bad = |(t, breaks): (&Transition, bool)| {
        let mut asserts = false;
        t.stmt.walk_stmts(&mut |s| asserts |= matches!(s, Stmt::Assert(_)));
        own(t) && (breaks || (assertions && asserts))
    };
    let checked = |p: &Proctype| p.deterministic || p.provided.is_some();
    model.trace.is_none()
        && !model.uses.returns
        && !model.proctypes.iter().any(checked)
        && !model.transitions.iter().zip(may_break(model)).any(bad)
}

fn labels(model: &Model, is: impl Fn(&Location) -> bool) -> BTreeSet<(ProctypeId, LocId)> {
    let mut out = BTreeSet::new();
    for (i, p) in model.proctypes.iter().enumerate() {
        let here = p.locs.iter().enumerate().filter(|(_, l)| is(l));
        out.extend(here.map(|(l, _)| (ProctypeId(i as u8), LocId(l as u16))));
    }
    out
}

fn claim(model: &Model, id: ProctypeId, quiet_again: bool, out: &mut Watched) -> Result<(), Obstacle> {
    let context = Context::new(model);
    let known = context.stranger(id);
    let mut reads = Effect::default();
    for t in model.transitions.iter().filter(|t| t.proctype == id) {
        quiet(&t.stmt)?;
        // Also what is not evaluated where a guard in front of it is false: who makes the guard true is seen as well.
        let mut all = Vec::new();
        t.stmt.walk(&mut |e| all.push(e.clone()));
        for e in all.iter().filter(|e| !(quiet_again && **e == Expr::Timeout)) {
            one(model, &context, &known, e, out, &mut reads)?;
        }
    }
    out.reads = Some(reads);
    Ok(())
}

/// A claim must change nothing.
fn quiet(s: &Stmt) -> Result<(), Obstacle> {
    let mut loud = false;
    s.walk_stmts(&mut |s| {
        loud |= !matches!(
            s,
            Stmt::Skip(_)
                | Stmt::Guard(_)
                | Stmt::Else
                | Stmt::Assert(_)
                | Stmt::Printf(..)
                | Stmt::Printm(_)
                | Stmt::Chain(_)
                | Stmt::DStep(_)
                | Stmt::End
        );
    });
    if loud { obstacle("the claim does more than to look at states") } else { Ok(()) }
}

/// What one expression of a claim looks at, without those inside it.
fn one(
    model: &Model,
    context: &Context<'_>,
    known: &Known,
    e: &Expr,
    out: &mut Watched,
    reads: &mut Effect,
) -> Result<(), Obstacle> {
    match e {
        Expr::Timeout => return obstacle("the property uses `timeout`, which depends on every step that is possible"),
        Expr::Enabled(_) => return obstacle("the property uses `enabled`, which depends on all that a process needs"),
        Expr::PcValue(_) => return obstacle("the property uses `pc_value`, so that every step can be seen"),
        Expr::Last | Expr::Priority | Expr::GetPriority(_) => {
            return obstacle("the property looks at the order of steps or at priorities");
        }
        Expr::NonProgress => out.labels.extend(labels(model, |l| l.progress)),
        Expr::RemoteLabel { proctype, pid, loc, .. } => {
            reads.life = reads.life.with(Life::LOOK);
            // The type of a process that is named by its number is not looked at.
            let meant = |i: usize| pid.is_some() || ProctypeId(i as u8) == *proctype;
            let all = (0..model.proctypes.len()).filter(|&i| meant(i));
            out.labels.extend(all.map(|i| (ProctypeId(i as u8), *loc)));
        }
        e => reads.join(&context.watch_one(known, e)),
    }
    Ok(())
}
