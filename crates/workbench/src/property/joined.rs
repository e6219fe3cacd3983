//! What the conditions of a formula have in common, be they expressions of the model or of the syntax tree: how a part without
//! temporal operators is one expression again, and which comparisons are each other's opposites.

use starwheel_automata::ltl::{Binary, Unary};
use starwheel_automata::{Formula, Prop};
use starwheel_model::BinaryOp;

/// Expressions of some kind, and what the propositions of a formula stand for.
pub trait Conditions {
    /// An expression.
    type Expr;

    /// What a proposition stands for.
    fn condition(&self, prop: Prop) -> Option<Self::Expr>;

    /// One that is always true, or never.
    fn constant(&self, value: bool) -> Self::Expr;

    /// The opposite.
    fn not(&self, e: Self::Expr) -> Self::Expr;

    /// Two with an operator between them.
    fn two(&self, op: BinaryOp, a: Self::Expr, b: Self::Expr) -> Self::Expr;
}

/// One condition that is true where the formula is, evaluated from left to right, of operators that expressions have; none if
/// the formula has temporal operators.
pub fn join<C: Conditions>(conditions: &C, formula: &Formula) -> Option<C::Expr> {
    Some(match formula {
        Formula::Constant(value) => conditions.constant(*value),
        Formula::Prop(prop) => conditions.condition(*prop)?,
        Formula::Unary(Unary::Not, a) => conditions.not(join(conditions, a)?),
        Formula::Unary(..) => return None,
        Formula::Binary(op, a, b) => {
            let (a, b) = (join(conditions, a)?, join(conditions, b)?);
            match op {
                Binary::And => conditions.two(BinaryOp::And, a, b),
                Binary::Or => conditions.two(BinaryOp::Or, a, b),
                Binary::Implies => conditions.two(BinaryOp::Or, conditions.not(a), b),
                Binary::Equiv => conditions.two(BinaryOp::Eq, conditions.not(a), conditions.not(b)),
                Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => return None,
            }
        }
    })
}

/// Another way to say a comparison, which is also that of its opposite.
pub struct Form {
    /// The operator.
    pub op: BinaryOp,
    /// True if the two sides change places.
    pub exchanged: bool,
    /// True if it is the comparison itself, false if it is the opposite.
    pub itself: bool,
}

/// The form of comparisons with an operator; none where it is the comparison as it stands.
pub fn form(op: BinaryOp) -> Option<Form> {
    let (op, exchanged, itself) = match op {
        BinaryOp::Ne => (BinaryOp::Eq, false, false),
        BinaryOp::Ge => (BinaryOp::Lt, false, false),
        BinaryOp::Gt => (BinaryOp::Lt, true, true),
        BinaryOp::Le => (BinaryOp::Lt, true, false),
        _ => return None,
    };
    Some(Form { op, exchanged, itself })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_the_same_or_the_opposite() {
        use BinaryOp::*;
        for op in [Lt, Le, Gt, Ge, Eq, Ne] {
            let Some(form) = form(op) else { continue };
            assert!(super::form(form.op).is_none(), "{op:?}: a form has no other");
            for (a, b) in [(1, 2), (2, 1), (3, 3), (-1, 0)] {
                let (x, y) = if form.exchanged { (b, a) } else { (a, b) };
                let same = form.op.apply(x, y) == op.apply(a, b);
                assert_eq!(same, form.itself, "{a} {op:?} {b}");
            }
        }
    }
}
