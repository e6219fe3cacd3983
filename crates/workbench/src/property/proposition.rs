//! Formulas of syntax trees as formulas over named propositions: what has no temporal operator is kept as text.

use starwheel_automata::ltl::{Binary, Grain, Unary};
use starwheel_automata::{Formula, Names, Prop};
use starwheel_base::Diagnostic;
use starwheel_promela::ast::{BinaryOp, Expr, ExprKind, UnaryOp, VarRef};
use starwheel_promela::print;

/// A formula taken apart at the operators of logic.
pub struct Taken {
    formula: Formula,
    leaves: Vec<Leaf>,
    /// All of it, which new expressions are made after.
    whole: Expr,
}

/// A condition without operators of logic on the outside.
struct Leaf {
    expr: Expr,
    /// Its text with the operator of which the others are the opposites, and whether it is that itself.
    form: (String, bool),
}

impl Taken {
    /// Takes the formula of an expression apart.
    pub fn new(e: &Expr) -> Result<Taken, Box<Diagnostic>> {
        let mut taken = Taken { formula: Formula::TRUE, leaves: Vec::new(), whole: e.clone() };
        taken.formula = taken.read(e)?;
        Ok(taken)
    }

    /// The formula over propositions, and their texts. A part that might fail when it is looked at alone (`a[i]` in
    /// `i < N && a[i] == 1`) is not taken out of its context.
    pub fn over(&self, grain: Grain) -> (Formula, Names) {
        let parts = self.formula.parts(grain, |prop| !cannot_fail(&self.leaves[prop.0 as usize].expr));
        let mut names = Names::new();
        for part in &parts.parts {
            names.push(&self.join(part).map_or_else(String::new, |e| name(&e)));
        }
        (parts.formula, names)
    }

    fn read(&mut self, e: &Expr) -> Result<Formula, Box<Diagnostic>> {
        match &e.kind {
            ExprKind::Number(n) => return Ok(Formula::Constant(*n != 0)),
            ExprKind::Unary(op, a) => {
                if let Some(op) = unary(*op) {
                    return Ok(Formula::unary(op, self.read(a)?));
                }
            }
            ExprKind::Binary(op, a, b) => {
                if let Some(op) = binary(*op) {
                    let (a, b) = (self.read(a)?, self.read(b)?);
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
        Ok(self.leaf(e))
    }

    fn leaf(&mut self, e: &Expr) -> Formula {
        let form = canonical(e);
        let known = self.leaves.iter().position(|leaf| leaf.form.0 == form.0);
        let number = known.unwrap_or_else(|| {
            self.leaves.push(Leaf { expr: e.clone(), form: form.clone() });
            self.leaves.len() - 1
        });
        let prop = Formula::Prop(Prop(number as u32));
        if self.leaves[number].form.1 == form.1 { prop } else { prop.negated() }
    }

    /// A part without temporal operators as one expression, of operators that expressions have.
    fn join(&self, part: &Formula) -> Option<Expr> {
        let make = |kind| Expr { kind, parens: false, ..self.whole.clone() };
        let not = |e: Expr| make(ExprKind::Unary(UnaryOp::Not, Box::new(e)));
        let two = |op, a: Expr, b: Expr| make(ExprKind::Binary(op, Box::new(a), Box::new(b)));
        Some(match part {
            Formula::Constant(value) => make(ExprKind::Number(i64::from(*value))),
            Formula::Prop(prop) => self.leaves.get(prop.0 as usize)?.expr.clone(),
            Formula::Unary(Unary::Not, a) => not(self.join(a)?),
            Formula::Unary(..) => return None,
            Formula::Binary(op, a, b) => {
                let (a, b) = (self.join(a)?, self.join(b)?);
                match op {
                    Binary::And => two(BinaryOp::And, a, b),
                    Binary::Or => two(BinaryOp::Or, a, b),
                    Binary::Implies => two(BinaryOp::Or, not(a), b),
                    Binary::Equiv => two(BinaryOp::Eq, not(a), not(b)),
                    Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => return None,
                }
            }
        })
    }
}

/// The text of a comparison in one form for it and its opposite, and whether it is the comparison itself.
fn canonical(e: &Expr) -> (String, bool) {
    let compare = |op, a: &Expr, b: &Expr| {
        let kind = ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
        name(&Expr { kind, ..e.clone() })
    };
    match &e.kind {
        ExprKind::Binary(BinaryOp::Ne, a, b) => (compare(BinaryOp::Eq, a, b), false),
        ExprKind::Binary(BinaryOp::Ge, a, b) => (compare(BinaryOp::Lt, a, b), false),
        ExprKind::Binary(BinaryOp::Gt, a, b) => (compare(BinaryOp::Lt, b, a), true),
        ExprKind::Binary(BinaryOp::Le, a, b) => (compare(BinaryOp::Lt, b, a), false),
        _ => (name(e), true),
    }
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

fn binary(op: BinaryOp) -> Option<Binary> {
    Some(match op {
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
        // In Promela `!!` is one sign, which sends.
        ExprKind::Unary(op, a) => {
            ExprKind::Unary(*op, child(a, matches!(a.kind, ExprKind::Binary(..) | ExprKind::Unary(..))))
        }
        ExprKind::Binary(op, a, b) => {
            let apart = |part: &Expr| logic(part) && !matches!(part.kind, ExprKind::Binary(own, ..) if own == *op);
            ExprKind::Binary(*op, child(a, apart(a)), child(b, apart(b)))
        }
        other => other.clone(),
    };
    Expr { kind, ..e.clone() }
}
