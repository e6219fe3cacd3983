//! Arithmetic: operations on numbers, the bounds of their results, and what must hold for them to have one.

use super::expr::{Scalar, number};
use super::place::within;
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{INTEGER, fold};
use starwheel_base::Span;

impl<'a> Lower<'a> {
    /// XOR of two numbers, bit by bit.
    pub fn bitwise(&mut self, a: &Expr, b: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<Scalar> {
        let (x, y) = (self.integer(a, here, out)?, self.integer(b, here, out)?);
        let most = x.hi.max(y.hi).clamp(0, i64::from(i32::MAX));
        let all_ones = (most as u64 + 1).next_power_of_two() as i64 - 1;
        let (lo, hi) = if x.lo >= 0 && y.lo >= 0 { (0, all_ones) } else { (i64::from(i32::MIN), i64::from(i32::MAX)) };
        Some(Scalar { ex: Ex::bin(Binary::Xor, x.ex, y.ex), sort: INTEGER, lo, hi })
    }

    /// The result of an operation; what must hold for it goes to `out`.
    pub fn arithmetic(&mut self, op: Binary, x: Scalar, y: Scalar, at: Span, out: &mut Vec<Stmt>) -> Option<Scalar> {
        use Binary::*;
        if let (Ex::Num(a), Ex::Num(b)) = (&x.ex, &y.ex) {
            let Some(n) = fold(op, *a, *b) else {
                self.error("arithmetic", at, "this has no result".to_string());
                return None;
            };
            return Some(number(n, INTEGER));
        }
        if matches!(op, Div | Mod | Rem) && y.lo <= 0 && y.hi >= 0 {
            let what = Ex::bin(Ne, y.ex.clone(), Ex::Num(0));
            let why = "division by zero".to_string();
            out.push(Stmt { kind: StmtKind::Assert { what, why }, span: at });
        }
        let corners = |f: fn(i64, i64) -> i64| {
            let all = [f(x.lo, y.lo), f(x.lo, y.hi), f(x.hi, y.lo), f(x.hi, y.hi)];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        let largest = y.lo.saturating_abs().max(y.hi.saturating_abs()).saturating_sub(1).max(0);
        let (lo, hi) = match op {
            Add => (x.lo.saturating_add(y.lo), x.hi.saturating_add(y.hi)),
            Sub => (x.lo.saturating_sub(y.hi), x.hi.saturating_sub(y.lo)),
            Mul => corners(i64::saturating_mul),
            Mod => (0, largest),
            Rem if x.lo >= 0 => (0, largest),
            Rem => (-largest, largest),
            _ => {
                let most = x.lo.saturating_abs().max(x.hi.saturating_abs());
                (if x.lo >= 0 && y.lo >= 0 { 0 } else { -most }, most)
            }
        };
        let (mut lo, mut hi) = (lo, hi);
        if lo < -WIDEST - 1 || hi > WIDEST {
            // Integer has no bounds in SDL: that ours has is no secret of the translation.
            if let Some(what) = fits(op, &x.ex, &y.ex) {
                let why = "a number leaves 32 bits".to_string();
                out.push(Stmt { kind: StmtKind::Assert { what, why }, span: at });
            }
            (lo, hi) = (lo.max(-WIDEST - 1), hi.min(WIDEST));
        }
        // MOD is never negative; for what is not negative itself it is the remainder.
        let op = if op == Mod && x.lo >= 0 && y.lo >= 0 { Rem } else { op };
        Some(Scalar { ex: Ex::bin(op, x.ex, y.ex), sort: INTEGER, lo, hi })
    }
}

/// The largest number of 32 bits.
const WIDEST: i64 = i32::MAX as i64;

/// The condition that the result of an operation has 32 bits, asked in such a way that nothing in it has more.
fn fits(op: Binary, x: &Ex, y: &Ex) -> Option<Ex> {
    use Binary::*;
    let at_most = |e: &Ex, n: Ex| Ex::bin(Le, e.clone(), n);
    let at_least = |e: &Ex, n: Ex| Ex::bin(Ge, e.clone(), n);
    let either = |c: Ex, a: Ex, b: Ex| Some(Ex::If(Box::new(c), Box::new(a), Box::new(b)));
    let above = |e: Ex, op: Binary| Ex::bin(op, Ex::Num(WIDEST), e);
    let below = |e: Ex, op: Binary| Ex::bin(op, Ex::Num(-WIDEST), e);
    match (op, x, y) {
        (Add, e, Ex::Num(n)) | (Add, Ex::Num(n), e) => Some(match n {
            0.. => at_most(e, Ex::Num(WIDEST.saturating_sub(*n))),
            _ => at_least(e, Ex::Num((-WIDEST).saturating_sub(*n))),
        }),
        (Sub, e, Ex::Num(n)) => Some(match n {
            0.. => at_least(e, Ex::Num((-WIDEST).saturating_add(*n))),
            _ => at_most(e, Ex::Num(WIDEST.saturating_add(*n))),
        }),
        (Add, ..) => {
            let positive = at_least(y, Ex::Num(0));
            either(positive, at_most(x, above(y.clone(), Sub)), at_least(x, below(y.clone(), Sub)))
        }
        (Sub, ..) => {
            let positive = at_least(y, Ex::Num(0));
            either(positive, at_least(x, below(y.clone(), Add)), at_most(x, above(y.clone(), Add)))
        }
        (Mul, e, Ex::Num(n)) | (Mul, Ex::Num(n), e) => {
            let most = WIDEST / n.saturating_abs().max(1);
            Some(within(e, -most, most))
        }
        (Mul, ..) => {
            let size = |e: &Ex| {
                let minus = Ex::Un(Unary::Minus, Box::new(e.clone()));
                Ex::If(Box::new(Ex::bin(Lt, e.clone(), Ex::Num(0))), Box::new(minus), Box::new(e.clone()))
            };
            let small = Ex::bin(Le, size(x), Ex::bin(Div, Ex::Num(WIDEST), size(y)));
            Some(Ex::bin(Or, y.clone().eq(0), small))
        }
        _ => None,
    }
}
