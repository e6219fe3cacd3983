//! Timers as they are declared and named: one with parameters is a family, a timer for each of their values.

use super::{FrameId, Here, Lower};
use crate::ast::{Binary, Expr, ExprKind, Item, Stimulus as Written, TimerName, Unary};
use crate::machine::*;
use crate::sorts::{INTEGER, SortId};
use starwheel_base::{Diagnostic, Span};

/// Timers that have a name in common.
#[derive(Clone, Debug)]
pub struct Family {
    first: TimerId,
    /// The sorts of the parameters, with their least and greatest values.
    parameters: Vec<(SortId, i64, i64)>,
}

/// The most timers in a family.
const MOST: i64 = 64;

impl Family {
    fn count(&self) -> i64 {
        self.parameters.iter().map(|(_, lo, hi)| hi - lo + 1).product()
    }

    pub fn members(&self) -> impl Iterator<Item = TimerId> + use<> {
        let first = self.first;
        (0..self.count() as usize).map(move |n| first + n)
    }

    /// The values of the parameters of a member.
    fn values(&self, timer: TimerId) -> Vec<i64> {
        let mut rest = (timer - self.first) as i64;
        let digit = |(_, lo, hi): &(SortId, i64, i64)| {
            let value = lo + rest % (hi - lo + 1);
            rest /= hi - lo + 1;
            value
        };
        self.parameters.iter().map(digit).collect()
    }

    /// The condition that a member is meant by these values; none if it cannot be, and no conditions if it must be.
    fn meant(&self, timer: TimerId, args: &[Ex]) -> Option<Vec<Ex>> {
        let mut out = Vec::new();
        for (arg, value) in args.iter().zip(self.values(timer)) {
            match arg {
                Ex::Num(n) if *n == value => {}
                Ex::Num(_) => return None,
                arg => out.push(Ex::bin(Binary::Eq, arg.clone(), Ex::Num(value))),
            }
        }
        Some(out)
    }
}

impl<'a> Lower<'a> {
    pub fn declare_timer(&mut self, id: FrameId, t: &crate::ast::Timer) {
        let mut parameters = Vec::new();
        for name in &t.sorts {
            let Some(sort) = self.sort(name) else {
                self.refused.insert(t.name.key.clone());
                return;
            };
            match self.sorts.bounds(sort) {
                Some((lo, hi)) if hi - lo < MOST => parameters.push((sort, lo, hi)),
                _ => {
                    self.refused.insert(t.name.key.clone());
                    return self.refuse(
                        t.name.span,
                        "a timer with a parameter of many values",
                        "give it a sort with a range",
                    );
                }
            }
        }
        let family = Family { first: self.process.timers.len(), parameters };
        if family.count() > MOST {
            self.refused.insert(t.name.key.clone());
            return self.refuse(
                t.name.span,
                "a timer whose parameters have more than 64 values",
                "give them small ranges",
            );
        }
        for member in family.members() {
            let values: Vec<String> = family.values(member).iter().map(i64::to_string).collect();
            let name = match values.is_empty() {
                true => t.name.text.clone(),
                false => format!("{}({})", t.name.text, values.join(",")),
            };
            self.process.timers.push(Timer { name, clock: t.clock, queued: false, span: t.name.span });
        }
        self.frames[id].timers.insert(t.name.key.clone(), family);
    }

    /// The timers that a name with its parameters may mean, each with the conditions for that.
    fn timers_meant(&mut self, t: &TimerName, here: &Here, out: &mut Vec<Stmt>) -> Option<Vec<(TimerId, Vec<Ex>)>> {
        let Some(family) = self.timer(here.frame, &t.name.key) else {
            if !self.refused.contains(&t.name.key) {
                self.error("unknown-timer", t.name.span, format!("there is no timer `{}`", t.name.text));
            }
            return None;
        };
        if t.args.len() != family.parameters.len() {
            let text = format!("`{}` has {} parameters, not {}", t.name.text, family.parameters.len(), t.args.len());
            self.error("parameters", t.name.span, text);
            return None;
        }
        let mut args = Vec::new();
        for (e, (sort, ..)) in t.args.iter().zip(&family.parameters) {
            self.scalars(e, *sort, here, out, &mut args);
        }
        if args.len() != t.args.len() {
            return None;
        }
        Some(family.members().filter_map(|id| Some((id, family.meant(id, &args)?))).collect())
    }

    /// `set (now + e, t)`; without a time the timer's own default is meant.
    pub fn set(&mut self, after: Option<&'a Expr>, timer: &TimerName, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        let Some(meant) = self.timers_meant(timer, here, out) else { return };
        let default = || {
            let items = &self.structure.processes[self.me].text.items;
            let timers = items.iter().filter_map(|i| match i {
                Item::Timers(list) => Some(list),
                _ => None,
            });
            timers.flatten().find(|t| t.name.key == timer.name.key).and_then(|t| t.default.as_ref())
        };
        let duration = match after {
            Some(e) => match after_now(e) {
                Some(d) => d,
                None if self.mentions_refused(e) => return,
                None => {
                    let d = Diagnostic::error("set", e.span, "SET takes `now + duration`");
                    return self.report(d.advise("times that do not count from now would need an unbounded clock"));
                }
            },
            None => match default() {
                Some(d) => Some(d.clone()),
                None => {
                    let text = format!("timer `{}` has no default duration", timer.name.text);
                    return self.error("set", span, text);
                }
            },
        };
        let value = match duration {
            None => Ex::Num(0),
            Some(e) => match self.scalar(&e, Some(INTEGER), here, out) {
                Some(v) => v.ex,
                None => return,
            },
        };
        to_timer(meant, span, out, |timer| StmtKind::Set { timer, after: value.clone() });
    }

    pub fn reset(&mut self, timer: &TimerName, span: Span, here: &Here, out: &mut Vec<Stmt>) {
        if let Some(meant) = self.timers_meant(timer, here, out) {
            to_timer(meant, span, out, |timer| StmtKind::Reset { timer });
        }
    }

    /// `active (t)`.
    pub fn active(&mut self, timer: &TimerName, here: &Here, out: &mut Vec<Stmt>) -> Option<Ex> {
        let meant = self.timers_meant(timer, here, out)?;
        let one = |(id, mut conditions): (TimerId, Vec<Ex>)| {
            conditions.push(Ex::Active(id));
            all(conditions)
        };
        meant.into_iter().filter_map(one).reduce(|a, b| Ex::bin(Binary::Or, a, b))
    }

    /// What an input of a timer with parameters puts into variables; false if something is wrong with it.
    pub fn timer_parameters(&mut self, timer: TimerId, s: &'a Written, here: &Here, code: &mut Vec<Stmt>) -> bool {
        let Some(family) = self.timer(here.frame, &s.name.key) else { return s.into.is_empty() };
        if s.into.len() > family.parameters.len() {
            let text = format!("`{}` has {} parameters, not {}", s.name.text, family.parameters.len(), s.into.len());
            self.error("parameters", s.name.span, text);
            return false;
        }
        for (e, value) in s.into.iter().zip(family.values(timer)) {
            let Some(e) = e else { continue };
            let Some((to, sort)) = self.place_written(e, here, code) else { return false };
            if !self.is_mine(&to, e.span) {
                return false;
            }
            let check = self.sorts.bounds(sort).filter(|(lo, hi)| !(lo..=hi).contains(&&value));
            code.push(Stmt { kind: StmtKind::Assign { to, value: Ex::Num(value), check }, span: e.span });
        }
        true
    }
}

/// The duration in `now + a - b`: `Some(None)` is now itself, `None` a time that does not count from now.
fn after_now(e: &Expr) -> Option<Option<Expr>> {
    let with = |op: Binary, rest: Option<Expr>, b: &Expr| match (op, rest) {
        (Binary::Add, None) => b.clone(),
        (_, None) => Expr { kind: ExprKind::Unary(Unary::Minus, Box::new(b.clone())), span: b.span },
        (op, Some(a)) => Expr { span: e.span, kind: ExprKind::Binary(op, Box::new(a), Box::new(b.clone())) },
    };
    match &e.kind {
        ExprKind::Now => Some(None),
        ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => match (after_now(a), op) {
            (Some(rest), op) => Some(Some(with(*op, rest, b))),
            (None, Binary::Add) => after_now(b).map(|rest| Some(with(Binary::Add, rest, a))),
            _ => None,
        },
        _ => None,
    }
}

/// Does something to the timer that is meant.
fn to_timer(meant: Vec<(TimerId, Vec<Ex>)>, span: Span, out: &mut Vec<Stmt>, what: impl Fn(TimerId) -> StmtKind) {
    let stmt = |id| Stmt { kind: what(id), span };
    if let [(id, conditions)] = meant.as_slice()
        && conditions.is_empty()
    {
        return out.push(stmt(*id));
    }
    let arm = |(id, conditions): (TimerId, Vec<Ex>)| Some((all(conditions)?, vec![stmt(id)]));
    let arms = meant.into_iter().filter_map(arm).collect();
    out.push(Stmt { kind: StmtKind::If { any: false, arms, otherwise: Some(Vec::new()) }, span });
}

fn all(conditions: Vec<Ex>) -> Option<Ex> {
    conditions.into_iter().reduce(|a, b| Ex::bin(Binary::And, a, b))
}
