//! Never claims, formulas and event assertions.

use super::Lower;
use super::expr::Context;
use super::process::Head;
use crate::ast::{self, BinaryOp, ExprKind, Operator, UnaryOp};
use starwheel_base::Diagnostic;
use starwheel_model::{Expr, Formula, ProctypeKind, Property, PropertyKind, Stmt, TraceAssertion};
use std::sync::Arc;

impl Lower<'_> {
    pub fn never(&mut self, n: &ast::Never) {
        let count = self.model.properties.iter().filter(|p| matches!(p.kind, PropertyKind::Never(_))).count();
        let name: Arc<str> = n.name.as_ref().map_or_else(|| format!("never_{count}").into(), |n| n.name.clone());
        self.check_property_name(&name, n.span);
        let head = Head {
            name: name.clone(),
            kind: ProctypeKind::Never,
            span: n.span,
            params: &[],
            body: &n.body,
            deterministic: false,
        };
        self.in_claim = true;
        let context = std::mem::replace(&mut self.context, Context::Property);
        let id = self.body(head, None);
        self.context = context;
        self.in_claim = false;
        self.model.properties.push(Property { name, kind: PropertyKind::Never(id), span: n.span });
    }

    /// Notes where the conditions of a claim's statement stand, taken apart at the operators of logic.
    pub fn note_conditions(&mut self, e: &ast::Expr, value: &Expr) {
        if !self.in_claim {
            return;
        }
        match (&e.kind, value) {
            (ExprKind::Unary(UnaryOp::Not, e), Expr::Unary(starwheel_model::UnaryOp::Not, value)) => {
                self.note_conditions(e, value);
            }
            (ExprKind::Binary(BinaryOp::Plain(Operator::And | Operator::Or), a, b), Expr::Binary(_, x, y)) => {
                self.note_conditions(a, x);
                self.note_conditions(b, y);
            }
            _ => self.model.conditions.push((value.clone(), e.span)),
        }
    }

    pub fn ltl(&mut self, l: &ast::Ltl) {
        let unnamed = self.model.properties.iter().filter(|p| p.name.starts_with("ltl_")).count();
        let name: Arc<str> = l.name.as_ref().map_or_else(|| format!("ltl_{unnamed}").into(), |n| n.name.clone());
        self.check_property_name(&name, l.span);
        self.locals.clear();
        self.scope.clear();
        self.in_claim = true;
        let context = std::mem::replace(&mut self.context, Context::Property);
        let formula = self.formula(&l.formula);
        self.context = context;
        self.in_claim = false;
        if let Some(formula) = formula {
            self.model.properties.push(Property { name, kind: PropertyKind::Ltl(formula), span: l.span });
        }
    }

    fn check_property_name(&mut self, name: &str, span: starwheel_base::Span) {
        if let Some(old) = self.model.properties.iter().find(|p| &*p.name == name) {
            let first = old.span;
            let message = format!("there are two properties with the name `{name}`");
            self.report(Diagnostic::error("duplicate-name", span, message).also(first, "the first one"));
        }
    }

    /// Formulas were lowered last; reports want all properties in source order.
    pub fn order_properties(&mut self) {
        self.model.properties.sort_by_key(|p| {
            let at = self.map.outermost(p.span);
            (at.file, at.start)
        });
    }

    /// A formula: temporal and Boolean operators above, expressions of the language below.
    pub fn formula(&mut self, e: &ast::Expr) -> Option<Formula> {
        let two = |this: &mut Self, a: &ast::Expr, b: &ast::Expr| {
            let (a, b) = (this.formula(a), this.formula(b));
            Some((Box::new(a?), Box::new(b?)))
        };
        if !is_temporal(e) {
            return self.expr(e).map(|condition| Formula::Prop(condition, e.span));
        }
        Some(match &e.kind {
            ExprKind::Unary(op, a) => {
                let a = Box::new(self.formula(a)?);
                match op {
                    UnaryOp::Not => Formula::Not(a),
                    UnaryOp::Next => Formula::Next(a),
                    UnaryOp::Always => Formula::Always(a),
                    UnaryOp::Eventually => Formula::Eventually(a),
                    UnaryOp::Neg | UnaryOp::BitNot => return self.formula_in_expression(e),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = two(self, a, b)?;
                match op {
                    BinaryOp::Plain(Operator::And) => Formula::And(x, y),
                    BinaryOp::Plain(Operator::Or) => Formula::Or(x, y),
                    BinaryOp::Implies => Formula::Implies(x, y),
                    BinaryOp::Equivalent => Formula::Equivalent(x, y),
                    BinaryOp::Until => Formula::Until(x, y),
                    BinaryOp::WeakUntil => Formula::WeakUntil(x, y),
                    BinaryOp::Release => Formula::Release(x, y),
                    BinaryOp::Plain(_) => return self.formula_in_expression(e),
                }
            }
            _ => return self.formula_in_expression(e),
        })
    }

    fn formula_in_expression(&mut self, e: &ast::Expr) -> Option<Formula> {
        self.report(
            Diagnostic::error("temporal-operator", e.span, "a temporal operator stands inside an ordinary expression")
                .advise("put parentheses so that temporal operators are on the outside"),
        );
        None
    }

    pub fn trace(&mut self, t: &ast::Trace) {
        if self.model.trace.is_some() {
            self.report(
                Diagnostic::error("second-trace", t.span, "a model has only one `trace` or `notrace`")
                    .advise("join them in one"),
            );
        }
        let name = if t.forbidden { ":notrace:" } else { ":trace:" };
        let head = Head {
            name: name.into(),
            kind: ProctypeKind::Trace,
            span: t.span,
            params: &[],
            body: &t.body,
            deterministic: true,
        };
        self.in_trace = true;
        let proctype = self.body(head, None);
        self.in_trace = false;
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        let body = &self.bodies[proctype.index()];
        let mut wrong = Vec::new();
        for e in &body.flow.els {
            match &e.node {
                super::flow::Node::Stmt(Stmt::Send { channel, .. }) => watch(&mut sends, channel),
                super::flow::Node::Stmt(Stmt::Receive { channel, .. }) => watch(&mut receives, channel),
                super::flow::Node::Stmt(Stmt::Skip(_)) => {}
                super::flow::Node::Stmt(_) => wrong.push(e.span),
                _ => {}
            }
        }
        for span in wrong {
            let message = "only sends, receives and control flow can stand in a `trace`";
            self.report(
                Diagnostic::error("not-an-event", span, message)
                    .advise("express other conditions as a `never` claim or an `ltl` formula"),
            );
        }
        self.model.trace = Some(TraceAssertion { proctype, forbidden: t.forbidden, sends, receives });
    }
}

fn watch(list: &mut Vec<Expr>, channel: &Expr) {
    if !list.contains(channel) {
        list.push(channel.clone());
    }
}

/// True if a temporal operator (or one that only formulas have) occurs.
fn is_temporal(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(op, a) => matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next) || is_temporal(a),
        ExprKind::Binary(op, a, b) => op.plain().is_none() || is_temporal(a) || is_temporal(b),
        ExprKind::Cond(a, b, c) => is_temporal(a) || is_temporal(b) || is_temporal(c),
        _ => false,
    }
}
