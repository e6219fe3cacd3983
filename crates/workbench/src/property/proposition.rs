//! Formulas of syntax trees as formulas over named propositions: what has no temporal operator is kept as text.

use crate::property::joined::{Conditions, Form, form, join};
use starwheel_automata::ltl::{Binary, Grain, Unary};
use starwheel_automata::{Formula, Names, Prop};
use starwheel_base::Diagnostic;
use starwheel_promela::ast::{BinaryOp, Expr, ExprKind, Operator, UnaryOp, VarRef};
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
            names.push(&join(self, part).map_or_else(String::new, |e| name(&e)));
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

    /// An expression that stands where the whole formula does.
    fn make(&self, kind: ExprKind) -> Expr {
        Expr { kind, parens: false, ..self.whole.clone() }
    }
}

impl Conditions for Taken {
    type Expr = Expr;

    fn condition(&self, prop: Prop) -> Option<Expr> {
        self.leaves.get(prop.0 as usize).map(|leaf| leaf.expr.clone())
    }

    fn constant(&self, value: bool) -> Expr {
        self.make(ExprKind::Number(i64::from(value)))
    }

    fn not(&self, e: Expr) -> Expr {
        self.make(ExprKind::Unary(UnaryOp::Not, Box::new(e)))
    }

    fn two(&self, op: Operator, a: Expr, b: Expr) -> Expr {
        self.make(ExprKind::Binary(BinaryOp::Plain(op), Box::new(a), Box::new(b)))
    }
}

/// The text of a comparison in one form for it and its opposite, and whether it is the comparison itself.
fn canonical(e: &Expr) -> (String, bool) {
    let ExprKind::Binary(BinaryOp::Plain(op), a, b) = &e.kind else { return (name(e), true) };
    let Some(Form { op, exchanged, itself }) = form(*op) else { return (name(e), true) };
    let (a, b) = if exchanged { (b, a) } else { (a, b) };
    let kind = ExprKind::Binary(BinaryOp::Plain(op), a.clone(), b.clone());
    (name(&Expr { kind, ..e.clone() }), itself)
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
        BinaryOp::Plain(Operator::And) => Binary::And,
        BinaryOp::Plain(Operator::Or) => Binary::Or,
        BinaryOp::Implies => Binary::Implies,
        BinaryOp::Equivalent => Binary::Equiv,
        BinaryOp::Until => Binary::Until,
        BinaryOp::WeakUntil => Binary::WeakUntil,
        BinaryOp::Release => Binary::Release,
        BinaryOp::Plain(_) => return None,
    })
}

fn is_temporal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(op, a) => matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next) || is_temporal(a),
        ExprKind::Binary(op, a, b) => op.plain().is_none() || is_temporal(a) || is_temporal(b),
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
        ExprKind::Binary(BinaryOp::Plain(Operator::Div | Operator::Rem), ..) => false,
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
    let logic = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::Plain(Operator::And | Operator::Or), ..));
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
