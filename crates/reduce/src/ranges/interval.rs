//! Intervals of values, and what operators make of them.

use starwheel_model::{BinaryOp, Ty, UnaryOp};

/// All values from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub lo: i64,
    /// The greatest, not less.
    pub hi: i64,
}

impl Interval {
    /// Zero or one.
    pub const BOOL: Interval = Interval { lo: 0, hi: 1 };
    /// Any number of 32 bits.
    pub const ANY: Interval = Interval { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    /// From one to another.
    pub fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    /// One value.
    pub fn exactly(value: i32) -> Interval {
        Interval::new(value.into(), value.into())
    }

    /// All values of a type.
    pub fn of(ty: Ty) -> Interval {
        match ty {
            Ty::Bit => Interval::BOOL,
            Ty::Byte => Interval::new(0, 255),
            Ty::Short | Ty::Timer => Interval::new(i16::MIN.into(), i16::MAX.into()),
            Ty::Unsigned(n) if n < 32 => Interval::new(0, (1 << n) - 1),
            Ty::Int | Ty::Unsigned(_) => Interval::ANY,
        }
    }

    /// The one value, if there is only one.
    pub fn only(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Whether all values are among those of another.
    pub fn within(self, other: Interval) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    /// The least interval with the values of both.
    pub fn join(self, other: Interval) -> Interval {
        Interval::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The values that both have; none if there are none.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let both = Interval::new(self.lo.max(other.lo), self.hi.min(other.hi));
        (both.lo <= both.hi).then_some(both)
    }

    /// What a variable of a type holds that is given one of the values.
    pub fn stored(self, ty: Ty) -> Interval {
        let all = Interval::of(ty);
        if self.within(all) { self } else { all }
    }

    /// True if no value is zero.
    pub fn is_true(self) -> bool {
        self.lo > 0 || self.hi < 0
    }

    /// True if all values are zero.
    pub fn is_false(self) -> bool {
        self.only() == Some(0)
    }

    /// Arithmetic wraps, so a result beyond 32 bits may be anything.
    fn wrapped(lo: i64, hi: i64) -> Interval {
        let exact = Interval::new(lo, hi);
        if exact.within(Interval::ANY) { exact } else { Interval::ANY }
    }

    fn known(yes: bool, no: bool) -> Interval {
        Interval::new(i64::from(yes), i64::from(!no))
    }

    /// The results of a unary operator.
    pub fn unary(self, op: UnaryOp) -> Interval {
        match op {
            UnaryOp::Not => Interval::known(self.is_false(), self.is_true()),
            UnaryOp::Neg => Interval::wrapped(-self.hi, -self.lo),
            UnaryOp::BitNot => Interval::wrapped(-1 - self.hi, -1 - self.lo),
            UnaryOp::Lazy => self,
        }
    }

    /// The results of a binary operator where it has any.
    pub fn binary(self, op: BinaryOp, b: Interval) -> Interval {
        let a = self;
        match op {
            BinaryOp::Add => Interval::wrapped(a.lo + b.lo, a.hi + b.hi),
            BinaryOp::Sub => Interval::wrapped(a.lo - b.hi, a.hi - b.lo),
            BinaryOp::Mul => corners(a, b, |x, y| x * y),
            // The least number divided by -1 wraps.
            BinaryOp::Div if b.lo > 0 => corners(a, b, |x, y| x / y),
            BinaryOp::Div => Interval::ANY,
            BinaryOp::Rem => a.remainder(b),
            BinaryOp::BitAnd if a.lo >= 0 && b.lo >= 0 => Interval::new(0, a.hi.min(b.hi)),
            BinaryOp::BitAnd if a.lo >= 0 => Interval::new(0, a.hi),
            BinaryOp::BitAnd if b.lo >= 0 => Interval::new(0, b.hi),
            BinaryOp::BitXor | BinaryOp::BitOr if a.lo >= 0 && b.lo >= 0 => {
                let bits = 64 - a.hi.max(b.hi).leading_zeros();
                Interval::new(0, (1 << bits) - 1)
            }
            BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => Interval::ANY,
            BinaryOp::Shl => match b.only() {
                Some(n @ 0..=31) => Interval::wrapped(a.lo << n, a.hi << n),
                _ => Interval::ANY,
            },
            BinaryOp::Shr => match b.only() {
                Some(n @ 0..=31) => Interval::new(a.lo >> n, a.hi >> n),
                _ if a.lo >= 0 => Interval::new(0, a.hi),
                _ => Interval::ANY,
            },
            BinaryOp::Lt => Interval::known(a.hi < b.lo, a.lo >= b.hi),
            BinaryOp::Le => Interval::known(a.hi <= b.lo, a.lo > b.hi),
            BinaryOp::Gt => Interval::known(a.lo > b.hi, a.hi <= b.lo),
            BinaryOp::Ge => Interval::known(a.lo >= b.hi, a.hi < b.lo),
            BinaryOp::Eq => Interval::known(a.only().is_some() && a == b, a.meet(b).is_none()),
            BinaryOp::Ne => Interval::known(a.meet(b).is_none(), a.only().is_some() && a == b),
            BinaryOp::And => Interval::known(a.is_true() && b.is_true(), a.is_false() || b.is_false()),
            BinaryOp::Or => Interval::known(a.is_true() || b.is_true(), a.is_false() && b.is_false()),
        }
    }

    /// A remainder has the sign of the dividend and is less than the divisor.
    fn remainder(self, b: Interval) -> Interval {
        // There is no remainder by zero.
        let most = (b.lo.abs().max(b.hi.abs()) - 1).max(0);
        let (lo, hi) = (if self.lo < 0 { -most } else { 0 }, if self.hi > 0 { most } else { 0 });
        Interval::new(lo.max(self.lo.min(0)), hi.min(self.hi.max(0)))
    }

    /// The values for which a comparison with one of another interval may hold; none if there are none.
    pub fn where_it_compares(self, op: BinaryOp, b: Interval) -> Option<Interval> {
        match op {
            BinaryOp::Lt => self.meet(Interval::new(i64::MIN, b.hi - 1)),
            BinaryOp::Le => self.meet(Interval::new(i64::MIN, b.hi)),
            BinaryOp::Gt => self.meet(Interval::new(b.lo + 1, i64::MAX)),
            BinaryOp::Ge => self.meet(Interval::new(b.lo, i64::MAX)),
            BinaryOp::Eq => self.meet(b),
            BinaryOp::Ne => match b.only() {
                Some(v) if self.only() == Some(v) => None,
                Some(v) if self.lo == v => Some(Interval::new(v + 1, self.hi)),
                Some(v) if self.hi == v => Some(Interval::new(self.lo, v - 1)),
                _ => Some(self),
            },
            _ => Some(self),
        }
    }
}

/// The results of an operator that is monotonous in each operand, where it may be of either sign.
fn corners(a: Interval, b: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
    let all = [op(a.lo, b.lo), op(a.lo, b.hi), op(a.hi, b.lo), op(a.hi, b.hi)];
    let (lo, hi) = all.iter().fold((i64::MAX, i64::MIN), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    Interval::wrapped(lo, hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::BitAnd,
        BinaryOp::BitXor,
        BinaryOp::BitOr,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// Values near zero and near the ends of what fits.
    fn values() -> Vec<i32> {
        let mut all: Vec<i32> = (-4..=9).collect();
        all.extend([i32::MIN, i32::MIN + 1, -40_000, 255, 256, 32_767, 65_536, i32::MAX - 1, i32::MAX]);
        all.sort_unstable();
        all
    }

    #[test]
    fn every_result_is_in_the_interval_of_results() {
        let values = values();
        let intervals: Vec<(usize, usize)> =
            (0..values.len()).flat_map(|i| (i..values.len().min(i + 4)).map(move |j| (i, j))).collect();
        let of = |(i, j): (usize, usize)| Interval::new(values[i].into(), values[j].into());
        for &a in &intervals {
            for &b in &intervals {
                for op in OPS {
                    let all = of(a).binary(op, of(b));
                    for x in &values[a.0..=a.1] {
                        for y in &values[b.0..=b.1] {
                            let Some(v) = op.apply(*x, *y) else { continue };
                            assert!(Interval::exactly(v).within(all), "{x} {op:?} {y} = {v}, not in {all:?}");
                            let may = of(a).where_it_compares(op, of(b));
                            let kept = may.is_some_and(|i| Interval::exactly(*x).within(i));
                            assert!(v == 0 || kept, "{x} {op:?} {y} holds, {may:?}");
                        }
                    }
                }
            }
            for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
                let result = |x: i32| match op {
                    UnaryOp::Not => i32::from(x == 0),
                    UnaryOp::Neg => x.wrapping_neg(),
                    _ => !x,
                };
                let all = of(a).unary(op);
                for x in &values[a.0..=a.1] {
                    assert!(Interval::exactly(result(*x)).within(all), "{op:?} {x}");
                }
            }
            for ty in [Ty::Bit, Ty::Byte, Ty::Short, Ty::Int, Ty::Unsigned(3), Ty::Unsigned(32)] {
                for x in &values[a.0..=a.1] {
                    assert!(Interval::exactly(ty.truncate(*x)).within(of(a).stored(ty)), "{ty:?} {x}");
                }
            }
        }
    }
}
