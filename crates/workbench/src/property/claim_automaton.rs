//! A claim as an automaton over the conditions that it asks for: can it tell runs apart that differ only in how often a state is
//! repeated?

use starwheel_automata::invariance::{Arrow, invariant};
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

/// Says why if the verdict of a claim may depend on how often a state is repeated. `labels` is true if accept labels of
/// processes count as well as its own.
pub fn stutters(model: &Model, claim: ProctypeId, labels: bool) -> Result<(), Doubt> {
    let locs = &model.proctype(claim).locs;
    let mut reader = Reader { model, locs, conditions: Vec::new() };
    for loc in locs {
        loc.out.iter().try_for_each(|t| reader.read(model.transition(*t)))?;
    }
    let accepts = |p: &starwheel_model::Proctype| {
        matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init) && p.locs.iter().any(|l| l.accept)
    };
    let labels = labels && model.proctypes.iter().any(accepts);
    let count = reader.conditions.len() + usize::from(labels);
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
    match invariant(done + 1, start, &letters) {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(Doubt::Sensitive("it tells runs apart that differ only in how often a state is repeated".to_string()))
        }
        Err(_) => unknown("it is too large"),
    }
}

/// True if a claim that comes to this place has come to its end.
fn over(model: &Model, loc: &Location) -> bool {
    loc.end || loc.out.iter().any(|t| model.transition(*t).stmt == Stmt::End)
}

/// Collects the conditions that cannot be taken apart.
struct Reader<'m> {
    model: &'m Model,
    locs: &'m [Location],
    conditions: Vec<Expr>,
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
            Stmt::Skip(_) | Stmt::Else | Stmt::End | Stmt::Printf(..) | Stmt::Printm(_) => Ok(()),
            _ => unknown("it does more than to look at states"),
        }
    }

    fn collect(&mut self, e: &Expr) {
        match plain(e) {
            Plain::Constant(_) => {}
            Plain::Not(a) => self.collect(a),
            Plain::Two(_, a, b) => [a, b].into_iter().for_each(|e| self.collect(e)),
            Plain::Condition(e, _) => {
                if !self.conditions.contains(&e) {
                    self.conditions.push(e);
                }
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

fn plain(e: &Expr) -> Plain<'_> {
    let compare = |op, a: &Expr, b: &Expr| Expr::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
    match e {
        Expr::Const(value, _) => Plain::Constant(*value != 0),
        Expr::Unary(UnaryOp::Not, a) => Plain::Not(a),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => Plain::Two(*op, a, b),
        Expr::Binary(BinaryOp::Ne, a, b) => Plain::Condition(compare(BinaryOp::Eq, a, b), false),
        Expr::Binary(BinaryOp::Ge, a, b) => Plain::Condition(compare(BinaryOp::Lt, a, b), false),
        Expr::Binary(BinaryOp::Gt, a, b) => Plain::Condition(compare(BinaryOp::Lt, b, a), true),
        Expr::Binary(BinaryOp::Le, a, b) => Plain::Condition(compare(BinaryOp::Lt, b, a), false),
        e => Plain::Condition(e.clone(), true),
    }
}

/// Which conditions hold in a state, as bits, and whether a process is at an accept label.
struct Letter<'r, 'm> {
    reader: &'r Reader<'m>,
    letter: u32,
    label: bool,
}

impl Letter<'_, '_> {
    /// False if it says that a variable has two values.
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
        !values.iter().any(|(a, x)| values.iter().any(|(b, y)| a == b && x != y))
    }

    fn holds(&self, e: &Expr) -> bool {
        match plain(e) {
            Plain::Constant(value) => value,
            Plain::Not(a) => !self.holds(a),
            Plain::Two(BinaryOp::And, a, b) => self.holds(a) && self.holds(b),
            Plain::Two(_, a, b) => self.holds(a) || self.holds(b),
            Plain::Condition(e, wanted) => {
                let at = self.reader.conditions.iter().position(|c| *c == e);
                at.is_some_and(|i| self.letter >> i & 1 == 1) == wanted
            }
        }
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
                Stmt::Else => !moved,
                stmt => *stmt != Stmt::End,
            };
            if ready {
                out.push((at, target(t.to), accepting));
                moved = true;
            }
            if let (true, Stmt::Assert(e)) = (ready, &t.stmt)
                && !self.holds(e)
            {
                // What is wrong has happened, whatever follows.
                out.push((at, done, accepting));
            }
        }
        out
    }
}
