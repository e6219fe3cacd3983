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

    /// A number with the other sign.
    pub fn negative(&mut self, v: Scalar, at: Span, out: &mut Vec<Stmt>) -> Scalar {
        if let Ex::Num(n) = v.ex {
            return number(n.saturating_neg(), v.sort);
        }
        if v.lo < -MOST {
            out.push(leaves(Ex::bin(Binary::Ge, v.ex.clone(), Ex::Num(-MOST)), at));
        }
        let (lo, hi) = (v.hi.saturating_neg(), v.lo.saturating_neg().min(MOST));
        Scalar { ex: Ex::Un(Unary::Minus, Box::new(v.ex)), sort: INTEGER, lo, hi }
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
        if lo < LEAST || hi > MOST {
            // Integer has no bounds in SDL: that ours has is no secret of the translation.
            if let Some(what) = fits(op, &x.ex, &y.ex) {
                out.push(leaves(what, at));
            }
            (lo, hi) = (lo.max(LEAST), hi.min(MOST));
        }
        // MOD is never negative; for what is not negative itself it is the remainder.
        let op = if op == Mod && x.lo >= 0 && y.lo >= 0 { Rem } else { op };
        Some(Scalar { ex: Ex::bin(op, x.ex, y.ex), sort: INTEGER, lo, hi })
    }
}

/// The least and the largest number of 32 bits.
const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

/// The assertion that a number has 32 bits, by its condition.
fn leaves(what: Ex, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assert { what, why: "a number leaves 32 bits".to_string() }, span }
}

/// The condition that the result of an operation has 32 bits, asked in such a way that nothing in it has more.
fn fits(op: Binary, x: &Ex, y: &Ex) -> Option<Ex> {
    use Binary::*;
    let at_most = |e: &Ex, n: Ex| Ex::bin(Le, e.clone(), n);
    let at_least = |e: &Ex, n: Ex| Ex::bin(Ge, e.clone(), n);
    let either = |c: Ex, a: Ex, b: Ex| Ex::If(Box::new(c), Box::new(a), Box::new(b));
    let of_most = |op: Binary, e: &Ex| Ex::bin(op, Ex::Num(MOST), e.clone());
    let of_least = |op: Binary, e: &Ex| Ex::bin(op, Ex::Num(LEAST), e.clone());
    Some(match (op, x, y) {
        (Add, e, Ex::Num(n)) | (Add, Ex::Num(n), e) => match n {
            0.. => at_most(e, Ex::Num(MOST.saturating_sub(*n))),
            _ => at_least(e, Ex::Num(LEAST.saturating_sub(*n))),
        },
        (Sub, e, Ex::Num(n)) => match n {
            0.. => at_least(e, Ex::Num(LEAST.saturating_add(*n))),
            _ => at_most(e, Ex::Num(MOST.saturating_add(*n))),
        },
        (Add, ..) => either(at_least(y, Ex::Num(0)), at_most(x, of_most(Sub, y)), at_least(x, of_least(Sub, y))),
        (Sub, ..) => either(at_least(y, Ex::Num(0)), at_least(x, of_least(Add, y)), at_most(x, of_most(Add, y))),
        (Mul, e, Ex::Num(n)) | (Mul, Ex::Num(n), e) => match n {
            0 => return None,
            1.. => within(e, LEAST / n, MOST / n),
            _ => within(e, MOST / n, LEAST / n),
        },
        (Mul, ..) => {
            let both = |a: Ex, b: Ex| Ex::bin(And, a, b);
            let positive = both(at_least(x, of_least(Div, y)), at_most(x, of_most(Div, y)));
            let negative = both(at_least(x, of_most(Div, y)), at_most(x, of_least(Div, y)));
            // Nothing is divided by 0, and the least number not by -1.
            let small = Ex::bin(Or, y.clone().eq(0), at_least(x, Ex::Num(-MOST)));
            either(at_least(y, Ex::Num(1)), positive, either(at_most(y, Ex::Num(-2)), negative, small))
        }
        (Div, _, Ex::Num(n)) if *n != -1 => return None,
        (Div, ..) => Ex::bin(Or, at_least(x, Ex::Num(-MOST)), Ex::bin(Ne, y.clone(), Ex::Num(-1))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a condition, as a machine of 32 bits computes it; `None` if something in it has more.
    fn value(e: &Ex, x: i64, y: i64) -> Option<i64> {
        let n = match e {
            Ex::Num(n) => *n,
            Ex::Me(Implicit::SelfPid) => x,
            Ex::Me(_) => y,
            Ex::If(c, a, b) => value(if value(c, x, y)? != 0 { a } else { b }, x, y)?,
            Ex::Bin(Binary::Or, a, b) => i64::from(value(a, x, y)? != 0 || value(b, x, y)? != 0),
            Ex::Bin(Binary::And, a, b) => i64::from(value(a, x, y)? != 0 && value(b, x, y)? != 0),
            Ex::Bin(op, a, b) => {
                let (a, b) = (value(a, x, y)?, value(b, x, y)?);
                match op {
                    Binary::Eq => i64::from(a == b),
                    Binary::Ne => i64::from(a != b),
                    Binary::Le => i64::from(a <= b),
                    Binary::Ge => i64::from(a >= b),
                    op => fold(*op, a, b)?,
                }
            }
            _ => return None,
        };
        (LEAST..=MOST).contains(&n).then_some(n)
    }

    #[test]
    fn a_result_of_32_bits_is_told_exactly_and_without_more() {
        let (vx, vy) = (Ex::Me(Implicit::SelfPid), Ex::Me(Implicit::Sender));
        let half = [0, 1, 2, 3, 7, 46340, 46341, 65536, 1 << 30, MOST / 3, MOST / 2, MOST - 1, MOST];
        let some: Vec<i64> = half.iter().flat_map(|n| [*n, -n, -n - 1]).collect();
        for (x, y) in some.iter().flat_map(|x| some.iter().map(move |y| (*x, *y))) {
            for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
                let right = fold(op, x, y).is_none_or(|n| (LEAST..=MOST).contains(&n));
                for (a, b) in [(&vx, &vy), (&vx, &Ex::Num(y)), (&Ex::Num(x), &vy)] {
                    let said = fits(op, a, b).map_or(Some(1), |e| value(&e, x, y));
                    assert!(
                        said == Some(i64::from(right)) || op == Binary::Div && y == 0,
                        "{x} {op:?} {y}: {a:?} {b:?}"
                    );
                }
            }
        }
    }
}
