//! A claim as an automaton over the conditions that it asks for: can it tell runs apart that differ only in how often a state is
//! repeated?
//!
//! A condition may be true or false, and some may have no value. A claim that asks for one of these has found an error, and
//! what follows no longer matters: the automaton goes where every run is accepted. So it accepts the runs that are wrong,
//! whichever way. If repeated states change nothing for it, a reduction that keeps runs up to repeated states keeps the
//! verdict, errors in the claim included, although the error may be found at another state or the run be accepted without.

use crate::property::condition::{Risk, canonical};
use starwheel_automata::invariance::{Arrow, invariant};
use starwheel_base::cancel::Token;
use starwheel_model::{BinaryOp, Expr, LocId, Location, Model, ProctypeId, ProctypeKind, Stmt, Transition, UnaryOp};

/// Conditions that are told apart at most.
const CONDITIONS: usize = 12;

/// Why a claim may depend on how often a state is repeated, in words that fit behind «because».
#[derive(Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It does.
    Sensitive(String),
    /// Nobody knows.
    Unknown(String),
}

impl Doubt {
    /// The words.
    pub fn why(self) -> String {
        let (Doubt::Sensitive(why) | Doubt::Unknown(why)) = self;
        why
    }
}

/// Says why if the verdict of a claim may depend on how often a state is repeated. `labels` is true if accept labels of
/// processes count as well as its own. Conditions that are equal to one of `whole` are not taken apart. Nobody knows if the
/// token says stop.
pub fn stutters(model: &Model, claim: ProctypeId, labels: bool, whole: &[Expr], until: &Token) -> Result<(), Doubt> {
    let locs = &model.proctype(claim).locs;
    let mut reader =
        Reader { model, locs, whole, risk: Risk::new(model), conditions: Vec::new(), doubtful: Vec::new() };
    for loc in locs {
        loc.out.iter().try_for_each(|t| reader.read(model.transition(*t)))?;
    }
    let accepts = |p: &starwheel_model::Proctype| {
        matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init) && p.locs.iter().any(|l| l.accept)
    };
    let labels = labels && model.proctypes.iter().any(accepts);
    let count = reader.conditions.len() + reader.doubtful.len() + usize::from(labels);
    let unknown = |why: &str| {
        Err(Doubt::Unknown(format!("it is not known whether it counts how often a state is repeated: {why}")))
    };
    if count > CONDITIONS {
        return unknown("it asks for too many conditions");
    }
    // A last state for claims that have come to their end.
    let done = locs.len();
    let letters: Vec<Vec<Arrow>> = (0..1u32 << count)
        .map(|letter| Letter { reader: &reader, letter, label: labels && letter >> (count - 1) & 1 == 1 })
        .filter(Letter::possible)
        .map(|letter| (0..done).flat_map(|at| letter.arrows(at)).chain([(done, done, true)]).collect())
        .collect();
    let start = model.proctype(claim).start;
    let start = if over(model, &locs[start.index()]) { done } else { start.index() };
    match invariant(done + 1, start, &letters, until) {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(Doubt::Sensitive("it tells runs apart that differ only in how often a state is repeated".to_string()))
        }
        Err(_) => unknown("it is too large"),
    }
}

/// True if a claim asks for something that may have no value.
pub fn asks_risky(model: &Model, claim: ProctypeId) -> bool {
    let risk = Risk::new(model);
    let mut found = false;
    for t in model.transitions.iter().filter(|t| t.proctype == claim) {
        t.stmt.walk(&mut |e| found |= risk.of(e));
    }
    found
}

/// True if a claim that comes to this place has come to its end.
fn over(model: &Model, loc: &Location) -> bool {
    loc.end || loc.out.iter().any(|t| model.transition(*t).stmt == Stmt::End)
}

/// Collects the conditions that cannot be taken apart.
struct Reader<'m> {
    model: &'m Model,
    locs: &'m [Location],
    whole: &'m [Expr],
    risk: Risk<'m>,
    conditions: Vec<Expr>,
    /// The numbers of those that may have no value.
    doubtful: Vec<usize>,
}

impl Reader<'_> {
    /// The conditions of one step.
    fn read(&mut self, t: &Transition) -> Result<(), Doubt> {
        let unknown = |why: &str| Err(Doubt::Unknown(why.to_string()));
        match &t.stmt {
            _ if t.atomic || t.escape != 0 => unknown("it does more than one thing at a time"),
            Stmt::Guard(e) | Stmt::Assert(e) => {
                self.collect(e);
                Ok(())
            }
            Stmt::Printf(_, args) if args.iter().any(|e| self.risk.of(e)) => {
                unknown("what it prints may have no value")
            }
            Stmt::Printm(e) if self.risk.of(e) => unknown("what it prints may have no value"),
            Stmt::Skip(_) | Stmt::Else | Stmt::End | Stmt::Printf(..) | Stmt::Printm(_) => Ok(()),
            _ => unknown("it does more than to look at states"),
        }
    }

    fn collect(&mut self, e: &Expr) {
        match self.plain(e) {
            Plain::Constant(_) => {}
            Plain::Not(a) => self.collect(a),
            Plain::Two(_, a, b) => [a, b].into_iter().for_each(|e| self.collect(e)),
            Plain::Condition(e, _) => {
                if !self.conditions.contains(&e) {
                    if self.risk.of(&e) {
                        self.doubtful.push(self.conditions.len());
                    }
                    self.conditions.push(e);
                }
            }
        }
    }

    fn plain<'e>(&self, e: &'e Expr) -> Plain<'e> {
        match e {
            e if self.whole.contains(e) => Plain::Condition(e.clone(), true),
            Expr::Const(value, _) => Plain::Constant(*value != 0),
            Expr::Unary(UnaryOp::Not, a) => Plain::Not(a),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => Plain::Two(*op, a, b),
            e => {
                let (e, own) = canonical(e);
                Plain::Condition(e, own)
            }
        }
    }
}

/// How a condition is put together.
enum Plain<'e> {
    Constant(bool),
    Not(&'e Expr),
    Two(BinaryOp, &'e Expr, &'e Expr),
    /// One that cannot be taken apart, or its opposite: false.
    Condition(Expr, bool),
}

/// Which conditions hold in a state, as bits, then which have no value, and whether a process is at an accept label.
struct Letter<'r, 'm> {
    reader: &'r Reader<'m>,
    letter: u32,
    label: bool,
}

impl Letter<'_, '_> {
    /// False if it says that a variable has two values, or that something holds that has no value.
    fn possible(&self) -> bool {
        let equals = |e: &Expr| match e {
            Expr::Binary(BinaryOp::Eq, a, b) => match &**b {
                Expr::Const(value, _) => Some(((**a).clone(), *value)),
                _ => None,
            },
            _ => None,
        };
        let held = self.reader.conditions.iter().enumerate().filter(|(i, _)| self.letter >> i & 1 == 1);
        let values: Vec<(Expr, i32)> = held.filter_map(|(_, e)| equals(e)).collect();
        let vain = |&i: &usize| self.letter >> i & 1 == 1 && self.missing(i);
        !self.reader.doubtful.iter().any(vain)
            && !values.iter().any(|(a, x)| values.iter().any(|(b, y)| a == b && x != y))
    }

    /// True if a condition has no value.
    fn missing(&self, condition: usize) -> bool {
        let place = self.reader.doubtful.iter().position(|&i| i == condition);
        place.is_some_and(|place| self.letter >> (self.reader.conditions.len() + place) & 1 == 1)
    }

    /// Whether a condition holds, evaluated from left to right; none if it has no value.
    fn holds(&self, e: &Expr) -> Option<bool> {
        Some(match self.reader.plain(e) {
            Plain::Constant(value) => value,
            Plain::Not(a) => !self.holds(a)?,
            Plain::Two(BinaryOp::And, a, b) => self.holds(a)? && self.holds(b)?,
            Plain::Two(_, a, b) => self.holds(a)? || self.holds(b)?,
            Plain::Condition(e, wanted) => {
                let at = self.reader.conditions.iter().position(|c| *c == e)?;
                if self.missing(at) {
                    return None;
                }
                (self.letter >> at & 1 == 1) == wanted
            }
        })
    }

    /// What a claim at a place can do in such a state.
    fn arrows(&self, at: usize) -> Vec<Arrow> {
        let Reader { model, locs, .. } = *self.reader;
        let (loc, done) = (&locs[at], locs.len());
        let (mut out, mut moved) = (Vec::new(), false);
        let accepting = loc.accept || self.label;
        let target = |to: LocId| if over(model, &locs[to.index()]) { done } else { to.index() };
        for t in loc.out.iter().map(|t| model.transition(*t)) {
            let ready = match &t.stmt {
                Stmt::Guard(e) => self.holds(e),
                Stmt::Else => Some(!moved),
                stmt => Some(*stmt != Stmt::End),
            };
            let wrong = match (ready, &t.stmt) {
                (Some(true), Stmt::Assert(e)) => self.holds(e) != Some(true),
                (ready, _) => ready.is_none(),
            };
            if wrong {
                // What is wrong has happened, whatever follows.
                out.push((at, done, accepting));
            }
            if ready == Some(true) {
                out.push((at, target(t.to), accepting));
            }
            moved |= ready != Some(false);
        }
        out
    }
}
