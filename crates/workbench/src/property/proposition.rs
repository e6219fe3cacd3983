//! Formulas of syntax trees as formulas over named propositions: what has no temporal operator is kept as text.

use starwheel_automata::ltl::{Binary, Unary};
use starwheel_automata::{Formula, Names};
use starwheel_base::Diagnostic;
use starwheel_promela::ast::{BinaryOp, Expr, ExprKind, UnaryOp, VarRef};
use starwheel_promela::print;

/// The formula of an expression. Propositions are the largest parts that are not joined by operators of logic; a part
/// that might fail when it is looked at alone (`a[i]` in `i < N && a[i] == 1`) is not taken out of its context.
pub fn formula(e: &Expr, names: &mut Names) -> Result<Formula, Box<Diagnostic>> {
    match &e.kind {
        ExprKind::Number(n) => return Ok(Formula::Constant(*n != 0)),
        ExprKind::Unary(op, a) => {
            if let Some(op) = unary(*op) {
                return Ok(Formula::unary(op, formula(a, names)?));
            }
        }
        ExprKind::Binary(op, a, b) => {
            if let Some(op) = binary(*op, e) {
                let (a, b) = (formula(a, names)?, formula(b, names)?);
                return Ok(Formula::binary(op, a, b));
            }
        }
        _ => {}
    }
    if is_temporal(e) {
        let message = "a temporal operator stands inside an ordinary expression";
        let d = Diagnostic::error("temporal-operator", e.span, message);
        return Err(Box::new(d.advise("put parentheses so that temporal operators are on the outside")));
    }
    Ok(Formula::Prop(names.intern(&name(e))))
}

fn unary(op: UnaryOp) -> Option<Unary> {
    Some(match op {
        UnaryOp::Not => Unary::Not,
        UnaryOp::Next => Unary::Next,
        UnaryOp::Always => Unary::Always,
        UnaryOp::Eventually => Unary::Eventually,
        UnaryOp::Neg | UnaryOp::BitNot => return None,
    })
}

fn binary(op: BinaryOp, whole: &Expr) -> Option<Binary> {
    Some(match op {
        BinaryOp::And | BinaryOp::Or if !is_temporal(whole) && !cannot_fail(whole) => return None,
        BinaryOp::And => Binary::And,
        BinaryOp::Or => Binary::Or,
        BinaryOp::Implies => Binary::Implies,
        BinaryOp::Equivalent => Binary::Equiv,
        BinaryOp::Until => Binary::Until,
        BinaryOp::WeakUntil => Binary::WeakUntil,
        BinaryOp::Release => Binary::Release,
        _ => return None,
    })
}

/// True for operators that ordinary expressions do not have.
fn temporal(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Implies | Equivalent | Until | WeakUntil | Release)
}

fn is_temporal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(op, a) => matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next) || is_temporal(a),
        ExprKind::Binary(op, a, b) => temporal(*op) || is_temporal(a) || is_temporal(b),
        ExprKind::Cond(a, b, c) => [a, b, c].iter().any(|e| is_temporal(e)),
        _ => false,
    }
}

/// True if the value exists in every state, whatever else holds there.
fn cannot_fail(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => true,
        ExprKind::Var(v) => plain(v),
        ExprKind::Unary(_, a) => cannot_fail(a),
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => false,
        ExprKind::Binary(_, a, b) => cannot_fail(a) && cannot_fail(b),
        // The channel of a variable may not exist yet, and a process may have ended.
        _ => false,
    }
}

fn plain(v: &VarRef) -> bool {
    v.parts.iter().all(|part| part.index.is_none())
}

/// The text of a proposition, which means the same wherever it is read as an ordinary expression.
fn name(e: &Expr) -> String {
    print::source(&Expr { parens: false, ..settled(e) })
}

/// The expression with parentheses wherever a formula's rules of precedence differ from those of expressions.
fn settled(e: &Expr) -> Expr {
    let logic = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
    let child = |e: &Expr, apart: bool| {
        let e = settled(e);
        Box::new(Expr { parens: e.parens || apart, ..e })
    };
    let kind = match &e.kind {
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, child(a, matches!(a.kind, ExprKind::Binary(..)))),
        ExprKind::Binary(op, a, b) => {
            let apart = |part: &Expr| logic(part) && !matches!(part.kind, ExprKind::Binary(own, ..) if own == *op);
            ExprKind::Binary(*op, child(a, apart(a)), child(b, apart(b)))
        }
        other => other.clone(),
    };
    Expr { kind, ..e.clone() }
}
