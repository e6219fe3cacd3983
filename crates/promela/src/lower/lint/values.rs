//! Values that do not fit, comparisons whose result is known beforehand, and operators that are easily misread.

use super::Lint;
use super::names::{Referent, Type};
use crate::ast::{self, BinaryOp, Expr, ExprKind, Operator, UnaryOp, VarRef};
use starwheel_base::Diagnostic;
use starwheel_model::text;

/// What a comparison with a constant gives, whatever the variable's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Always,
    Never,
}

impl Lint<'_> {
    /// Warns if a constant does not fit into what it is put into. Bits in an array, and messages of a single bit, are
    /// kept in bytes: these are `roomy`.
    pub fn fits(&mut self, e: &Expr, ty: &Type, roomy: bool) {
        let (Some(n), Some((low, high))) = (self.constant(e), ty.range()) else { return };
        if (low..=high).contains(&n) {
            return;
        }
        let message = format!("{n} does not fit into {}, which holds {low} to {high}", ty.article());
        let advice = if roomy && ty.is_bit() && (0..256).contains(&n) {
            "here it is kept in a byte and not cut; use `byte` to say so".to_string()
        } else {
            format!("it becomes {}; use a wider type such as `{}`", cut(n, ty), wider(n))
        };
        self.report(Diagnostic::warning("value-truncated", e.span, message).advise(advice));
    }

    /// Warns if a constant does not fit into a variable.
    pub fn fits_variable(&mut self, e: &Expr, v: &VarRef) {
        if let Some(Referent { ty, array, .. }) = self.refer(v) {
            self.fits(e, &ty, array.is_some());
        }
    }

    /// Warns about a symbolic constant of one set where one of another set belongs.
    pub fn mixed_sets(&mut self, ty: &Type, e: &Expr) {
        let (Type::Symbol(wanted), Some(given)) = (ty, self.symbol_set(e)) else { return };
        // A plain `mtype` takes values of any set.
        if !wanted.is_empty() && !given.is_empty() && *wanted != given {
            let message = format!("a value of {} is put into a variable of {}", set(&given), set(wanted));
            self.report(
                Diagnostic::warning("mtype-mixture", e.span, message)
                    .advise("each set is numbered from 1, so the value will stand for another name"),
            );
        }
    }

    /// The arguments of `run`.
    pub fn run_arguments(&mut self, name: &ast::Ident, args: &[Expr]) {
        let Some(types) = self.parameters.get(&name.name).cloned() else { return };
        for (e, ty) in args.iter().zip(&types) {
            self.fits(e, ty, false);
            self.mixed_sets(ty, e);
        }
    }

    /// A binary operation.
    pub fn operation(&mut self, e: &Expr, op: Operator, a: &Expr, b: &Expr) {
        match op {
            Operator::Div | Operator::Rem if self.constant(b) == Some(0) => {
                let message = "this divides by zero";
                self.report(
                    Diagnostic::warning("division-by-zero", b.span, message)
                        .advise("it is an error as soon as it is executed"),
                );
            }
            Operator::Shl | Operator::Shr => self.shift(b),
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => self.bits(e, op, a, b),
            _ if relation(op) => {
                self.compared_symbols(e, op, a, b);
                self.known_comparison(e, op, a, b);
                self.negated(e, op, a);
            }
            _ => {}
        }
    }

    fn shift(&mut self, by: &Expr) {
        let Some(n) = self.constant(by).filter(|n| !(0..32).contains(n)) else { return };
        self.report(
            Diagnostic::warning("shift-range", by.span, format!("a value of 32 bits cannot be shifted by {n}"))
                .advise("from 0 to 31 is possible; what else happens depends on the machine"),
        );
    }

    fn bits(&mut self, e: &Expr, op: Operator, a: &Expr, b: &Expr) {
        let inner = |x: &Expr| match x.kind {
            ExprKind::Binary(BinaryOp::Plain(op), ..) if relation(op) && !x.parens => Some(op),
            _ => None,
        };
        let Some(found) = inner(a).or_else(|| inner(b)) else { return };
        let (tight, loose) = (text::binary(found), text::binary(op));
        let message = format!("`{tight}` binds more tightly than `{loose}`");
        self.report(
            Diagnostic::warning("bit-precedence", e.span, message)
                .advise(format!("use parentheses: `(a {loose} b) {tight} c`, or `&&` and `||` for conditions")),
        );
    }

    fn compared_symbols(&mut self, e: &Expr, op: Operator, a: &Expr, b: &Expr) {
        let (left, right) = (self.symbol_set(a), self.symbol_set(b));
        let zero = self.constant(a) == Some(0) || self.constant(b) == Some(0);
        let ordered = !matches!(op, Operator::Eq | Operator::Ne);
        if ordered && !zero && (left.is_some() || right.is_some()) {
            self.report(
                Diagnostic::warning("mtype-order", e.span, "the order of symbolic constants is not what it seems")
                    .advise("they are numbered backwards: in `mtype = { a, b, c }`, a is 3 and c is 1"),
            );
        }
        if let (Some(left), Some(right)) = (left, right)
            && left != right
            && !left.is_empty()
            && !right.is_empty()
        {
            let message = format!("a value of {} is compared with one of {}", set(&left), set(&right));
            self.report(
                Diagnostic::warning("mtype-mixture", e.span, message)
                    .advise("each set is numbered from 1, so different names can be equal"),
            );
        }
    }

    /// Comparisons of a variable with a constant that its type cannot reach.
    fn known_comparison(&mut self, e: &Expr, op: Operator, a: &Expr, b: &Expr) {
        let (v, c, op) = match (&a.kind, &b.kind) {
            (ExprKind::Var(v), _) if self.constant(b).is_some() => (v, b, op),
            (_, ExprKind::Var(v)) if self.constant(a).is_some() => (v, a, mirrored(op)),
            _ => return,
        };
        let (Some(r), Some(n)) = (self.refer(v), self.constant(c)) else { return };
        let Some((low, high)) = stored(&r) else { return };
        let Some(outcome) = outcome(op, n, low, high) else { return };
        // At the very edge of a type, the constant may be a parameter of the model.
        if (low..=high).contains(&n) && self.literal(c).is_none() {
            return;
        }
        let what = if outcome == Outcome::Always { "always" } else { "never" };
        let message = format!("this {what} holds: {} lies between {low} and {high}", r.ty.article());
        self.report(
            Diagnostic::warning("known-comparison", e.span, message)
                .advise("give the variable a type that can hold the value, or change the comparison"),
        );
    }

    /// `!x == y` compares the negation of `x`.
    fn negated(&mut self, e: &Expr, op: Operator, a: &Expr) {
        let ExprKind::Unary(UnaryOp::Not, x) = &a.kind else { return };
        let ExprKind::Var(v) = &x.kind else { return };
        let number = self.refer(v).is_some_and(|r| !r.ty.is_bit());
        if a.parens || x.parens || !number {
            return;
        }
        self.report(
            Diagnostic::warning(
                "not-precedence",
                e.span,
                format!("`!` binds more tightly than `{}`", text::binary(op)),
            )
            .advise(format!("write `!(… {} …)`, or `(!x)` if this is meant", text::binary(op))),
        );
    }

    /// `for (i : 0 .. 255)` with a byte that can never be greater.
    pub fn endless_for(&mut self, var: &VarRef, to: &Expr, body: &ast::Block) {
        if let Some(last) = self.constant(to) {
            self.endless(var, last, to.span, body);
        }
    }

    /// The same for an array with more elements than the counter can count.
    pub fn endless_for_in(&mut self, var: &VarRef, over: &VarRef, body: &ast::Block) {
        if let Some(Referent { array: Some(Some(len)), .. }) = self.refer(over) {
            self.endless(var, len - 1, over.span, body);
        }
    }

    fn endless(&mut self, var: &VarRef, last: i64, span: starwheel_base::Span, body: &ast::Block) {
        let Some(r) = self.refer(var) else { return };
        let Some((_, high)) = stored(&r) else { return };
        if last < high || super::steps::leaves(body) {
            return;
        }
        let name = &var.parts[0].name.name;
        let message = format!("this loop never ends: `{name}` is {} and never exceeds {high}", r.ty.article());
        self.report(
            Diagnostic::warning("endless-for", span, message)
                .advise(format!("declare `{name}` with a wider type such as `{}`", wider(last + 1))),
        );
    }
}

/// The least and greatest value that can really be found in a place: bits in arrays are bytes.
pub fn stored(r: &Referent) -> Option<(i64, i64)> {
    if r.array.is_some() && r.ty.is_bit() {
        return Some((0, 255));
    }
    r.ty.range()
}

/// What becomes of a value.
fn cut(n: i64, ty: &Type) -> i64 {
    match ty.range() {
        Some((low, high)) => (n - low).rem_euclid(high - low + 1) + low,
        None => n,
    }
}

/// A type that can hold a value.
fn wider(n: i64) -> &'static str {
    match n {
        0..=255 => "byte",
        -32768..=32767 => "short",
        _ => "int",
    }
}

fn outcome(op: Operator, n: i64, low: i64, high: i64) -> Option<Outcome> {
    let (never, always) = match op {
        Operator::Eq => (n < low || n > high, false),
        Operator::Ne => (false, n < low || n > high),
        Operator::Lt => (n <= low, n > high),
        Operator::Le => (n < low, n >= high),
        Operator::Gt => (n >= high, n < low),
        Operator::Ge => (n > high, n <= low),
        _ => return None,
    };
    match (never, always) {
        (true, _) => Some(Outcome::Never),
        (_, true) => Some(Outcome::Always),
        _ => None,
    }
}

fn relation(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The relation with its sides exchanged.
fn mirrored(op: Operator) -> Operator {
    match op {
        Operator::Lt => Operator::Gt,
        Operator::Le => Operator::Ge,
        Operator::Gt => Operator::Lt,
        Operator::Ge => Operator::Le,
        op => op,
    }
}

fn set(name: &str) -> String {
    format!("`mtype:{name}`")
}
