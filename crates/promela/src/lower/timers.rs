//! Timers: what may be done with them, and what is an error.

use super::Lower;
use crate::ast::{self, TimerQuery};
use starwheel_base::{Diagnostic, Span};
use starwheel_model::time::{LONGEST, OFF};
use starwheel_model::{BinaryOp, Expr, Place, Stmt, Ty};

impl Lower<'_> {
    /// `__set(t, e)` and `__reset(t)`.
    pub fn set_timer(&mut self, timer: &ast::VarRef, slices: Option<&ast::Expr>) -> Option<Stmt> {
        let place = self.timer(timer);
        let value = match slices {
            Some(e) => self.expr(e),
            None => Some(Expr::constant(OFF)),
        };
        let value = value?;
        let constant = slices.and_then(|e| Some((e.span, self.constant_quietly(e)?)));
        if let Some((span, n)) = constant.filter(|(_, n)| !(OFF..=LONGEST).contains(n)) {
            let message = format!("a timer cannot be set to {n}: it holds 0 to {LONGEST} slices, or {OFF} for off");
            let advice = match n > LONGEST {
                true => "let one slice stand for more time: divide all durations by the same number",
                false => "to switch a timer off, write `reset`",
            };
            self.report(Diagnostic::error("timer-range", span, message).advise(advice));
            return None;
        }
        Some(Stmt::Assign(place?, value))
    }

    /// `__expire(t)` and `__on(t)`: a timer that has expired is at zero, and one that runs is not below.
    pub fn ask_timer(&mut self, query: TimerQuery, timer: &ast::VarRef) -> Option<Expr> {
        let place = self.timer(timer)?;
        let op = match query {
            TimerQuery::Expire => BinaryOp::Eq,
            TimerQuery::On => BinaryOp::Ge,
        };
        Some(Expr::Binary(op, Box::new(Expr::Load(Box::new(place))), Box::new(Expr::constant(0))))
    }

    fn timer(&mut self, v: &ast::VarRef) -> Option<Place> {
        let (place, _, symbol) = self.scalar_place(v)?;
        self.symbol_mut(symbol).read = true;
        if place.ty != Ty::Timer {
            let at = self.symbol(symbol).span;
            let message = format!("`{}` is not a timer", place.name.replace("[#]", "[…]"));
            let d = Diagnostic::error("not-a-timer", v.span, message).also(at, "declared here");
            self.report(d.advise("declare it as `timer`, with `#include \"dtime.h\"`"));
            return None;
        }
        Some(place)
    }

    /// Nothing but `set` and `reset` gives a timer a value. True if there was something to say.
    pub fn refuse_timer(&mut self, place: &Place, span: Span) -> bool {
        if place.ty != Ty::Timer {
            return false;
        }
        let name = place.name.replace("[#]", "[…]");
        self.report(
            Diagnostic::error(
                "assign-to-timer",
                span,
                format!("the timer `{name}` cannot be given a value like a variable"),
            )
            .advise(format!("write `set({name}, slices)` or `reset({name})`")),
        );
        true
    }
}
