//! Clocks of IF, said in words of SDL: a timer for each value that a condition compares the clock with.
//!
//! The timer of `c >= k` is active as long as `c` is less than `k`: it expires in the slice before and is off in the next.
//! So nobody counts upwards, a clock stops by itself behind the greatest value that anybody asks for, and time may jump.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::sorts::fold;
use starwheel_base::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The constants of a text, and the clocks of the process that is being read.
#[derive(Debug, Default)]
pub struct Time {
    constants: HashMap<String, i64>,
    /// Variables of the process: a constant of the same name is not seen.
    variables: HashSet<String>,
    /// By key: the name, and the values that are asked for.
    clocks: BTreeMap<String, (Name, BTreeSet<i64>)>,
}

/// `clock >= least`, or the opposite.
#[derive(Debug)]
pub struct Bound {
    clock: Name,
    least: i64,
    reached: bool,
}

impl Time {
    pub fn declare(&mut self, name: &Name, value: Option<&Expr>) {
        if let Some(n) = value.and_then(|e| self.number(e)) {
            self.constants.insert(name.key.clone(), n);
        }
    }

    pub fn add_clock(&mut self, name: Name) {
        self.clocks.insert(name.key.clone(), (name, BTreeSet::new()));
    }

    pub fn add_variable(&mut self, name: &Name) {
        self.variables.insert(name.key.clone());
    }

    pub fn is_clock(&self, key: &str) -> bool {
        self.clocks.contains_key(key)
    }

    /// The value of a constant expression.
    pub fn number(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Name(n) if !self.variables.contains(&n.key) => self.constants.get(&n.key).copied(),
            ExprKind::Unary(Unary::Minus, a) => self.number(a)?.checked_neg(),
            ExprKind::Binary(op, a, b) => fold(*op, self.number(a)?, self.number(b)?),
            _ => None,
        }
    }

    /// `c >= k`, of a clock that runs.
    fn reached(&mut self, clock: &Name, least: i64, span: Span) -> Expr {
        if least <= 0 {
            return truth(true, span);
        }
        if let Some((_, values)) = self.clocks.get_mut(&clock.key) {
            values.insert(least);
        }
        let timer = TimerName { name: timer_name(clock, least, span), args: Vec::new() };
        not(Expr { kind: ExprKind::Active(Box::new(timer)), span })
    }

    /// All of a condition: of a clock that does not run, nothing holds.
    pub fn condition(&mut self, provided: Option<Expr>, when: &[Bound], span: Span) -> Option<Expr> {
        let mut all = provided;
        for b in when {
            let runs = Expr { kind: ExprKind::Name(runs_name(&b.clock, span)), span };
            let reached = self.reached(&b.clock, b.least, span);
            let holds = both(Binary::And, runs, if b.reached { reached } else { not(reached) });
            all = Some(match all {
                Some(e) => both(Binary::And, e, holds),
                None => holds,
            });
        }
        all
    }

    /// The condition holds now and no longer in the next slice of time.
    pub fn about_to_end(&mut self, provided: Option<&Expr>, when: &[Bound], span: Span) -> Option<Expr> {
        let ends: Vec<&Bound> = when.iter().filter(|b| !b.reached).collect();
        let last = ends.into_iter().map(|b| self.reached(&b.clock, b.least - 1, span)).collect::<Vec<_>>();
        let last = last.into_iter().reduce(|a, b| both(Binary::Or, a, b))?;
        let now = self.condition(provided.cloned(), when, span)?;
        Some(both(Binary::And, now, last))
    }

    /// Declares the timers of all clocks of a process, and sets them where its clocks are set.
    pub fn expand(&mut self, items: &mut Vec<Item>, body: &mut Body) {
        let parts = body.states.iter_mut().flat_map(|s| &mut s.parts);
        for part in parts {
            if let StatePart::Input(i) = part {
                self.expand_in(&mut i.trans);
            }
        }
        self.variables.clear();
        for (name, values) in std::mem::take(&mut self.clocks).into_values() {
            let timer =
                |k: i64| Timer { name: timer_name(&name, k, name.span), clock: true, sorts: Vec::new(), default: None };
            items.push(Item::Timers(values.into_iter().map(timer).collect()));
            let boolean = Name { text: "Boolean".into(), key: "boolean".into(), span: name.span };
            let runs = Variable { name: runs_name(&name, name.span), sort: boolean, value: None };
            items.push(Item::Variables(vec![runs]));
        }
    }

    fn expand_in(&self, trans: &mut Trans) {
        for a in std::mem::take(&mut trans.actions) {
            let (clock, to) = match &a.kind {
                ActionKind::Set { timer, after: Some(e) } => (self.clocks.get(&timer.name.key), from_now(e)),
                ActionKind::Reset { timer } => (self.clocks.get(&timer.name.key), None),
                _ => (None, None),
            };
            let Some((clock, values)) = clock else {
                let mut a = a;
                if let ActionKind::Decision(d) = &mut a.kind {
                    d.answers.iter_mut().for_each(|a| self.expand_in(&mut a.trans));
                }
                trans.actions.push(a);
                continue;
            };
            let here = |kind| Action { kind, span: a.span };
            let to = to.and_then(|e| self.number(e));
            let runs = Expr { kind: ExprKind::Name(runs_name(clock, a.span)), span: a.span };
            let value = truth(to.is_some(), a.span);
            trans.actions.push(here(ActionKind::Assign(runs, value)));
            for &k in values {
                let timer = TimerName { name: timer_name(clock, k, a.span), args: Vec::new() };
                trans.actions.push(here(match to {
                    Some(n) if n < k => {
                        let rest = Expr { kind: ExprKind::Int(k - 1 - n), span: a.span };
                        let now = Expr { kind: ExprKind::Now, span: a.span };
                        ActionKind::Set { after: Some(both(Binary::Add, now, rest)), timer }
                    }
                    _ => ActionKind::Reset { timer },
                }));
            }
        }
    }
}

impl Parser<'_> {
    /// `c >= 2 and c <= n`: clocks and constants.
    pub fn if_when(&mut self) -> Parsed<Vec<Bound>> {
        let e = self.expr()?;
        let mut out = Vec::new();
        self.bounds(&e, &mut out)?;
        Ok(out)
    }

    fn bounds(&mut self, e: &Expr, out: &mut Vec<Bound>) -> Parsed<()> {
        let advice = "compare clocks with constants, and join that by `and`";
        let ExprKind::Binary(op, a, b) = &e.kind else {
            return self.refuse(e.span, "such a condition on clocks", advice);
        };
        if *op == Binary::And {
            self.bounds(a, out)?;
            return self.bounds(b, out);
        }
        let clock = |e: &Expr| match &e.kind {
            ExprKind::Name(n) if self.time.is_clock(&n.key) => Some(n.clone()),
            _ => None,
        };
        let turned = match op {
            Binary::Ge => Binary::Le,
            Binary::Gt => Binary::Lt,
            Binary::Le => Binary::Ge,
            Binary::Lt => Binary::Gt,
            op => *op,
        };
        let found = match (clock(a), self.time.number(b), clock(b), self.time.number(a)) {
            (Some(c), Some(n), ..) => Some((c, *op, n)),
            (.., Some(c), Some(n)) => Some((c, turned, n)),
            _ => None,
        };
        let mut bound = |clock: &Name, least: i64, reached| out.push(Bound { clock: clock.clone(), least, reached });
        match found {
            Some((c, Binary::Ge, n)) => bound(&c, n, true),
            Some((c, Binary::Gt, n)) => bound(&c, n.saturating_add(1), true),
            Some((c, Binary::Lt, n)) => bound(&c, n, false),
            Some((c, Binary::Le, n)) => bound(&c, n.saturating_add(1), false),
            Some((c, Binary::Eq, n)) => {
                bound(&c, n, true);
                bound(&c, n.saturating_add(1), false);
            }
            _ => return self.refuse(e.span, "such a condition on clocks", advice),
        }
        Ok(())
    }
}

/// What stands behind `now +`.
fn from_now(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Binary(Binary::Add, _, rest) => Some(rest),
        _ => None,
    }
}

/// The timer of a value of a clock; no name of a text has a blank.
fn timer_name(clock: &Name, least: i64, span: Span) -> Name {
    Name { text: format!("{}_{least}", clock.text), key: format!("{} {least}", clock.key), span }
}

/// The variable that says whether a clock runs.
fn runs_name(clock: &Name, span: Span) -> Name {
    Name { text: format!("{}_runs", clock.text), key: format!("{} runs", clock.key), span }
}

fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr { kind: ExprKind::Unary(Unary::Not, Box::new(e)), span }
}

fn both(op: Binary, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span }
}
