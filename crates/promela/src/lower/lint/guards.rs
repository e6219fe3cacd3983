//! Options that can never be chosen, assertions that cannot fail, and statements that cannot be reached.

use super::Lint;
use super::steps::leaves;
use crate::ast::{AssignOp, BinaryOp, Block, Expr, ExprKind, Operator, Step, Stmt, StmtKind};
use starwheel_base::{Diagnostic, Span};

impl Lint<'_> {
    /// The options of a selection or of a loop.
    pub fn options(&mut self, s: &Stmt, options: &[Block], guard: bool) {
        if !self.claim {
            self.false_guards(options);
            self.assignment_guards(options);
        }
        self.timeout_with_else(options);
        self.choice_in_d_step(options);
        if let StmtKind::Do(_) = s.kind {
            self.endless_atomic(s, options);
        }
        for o in options {
            self.declaration_before_guard(o, "this option can always be chosen");
            let asked = self.block.asked.len();
            // A single option without an alternative is a condition like any other.
            self.sequence(o, options.len() > 1 || guard);
            self.block.asked.truncate(asked);
        }
    }

    fn false_guards(&mut self, options: &[Block]) {
        let never = |o: &Block| {
            let e = condition(o)?;
            (self.literal(e) == Some(0)).then_some(e.span)
        };
        let found: Vec<_> = options.iter().filter_map(never).collect();
        if found.len() == options.len() {
            if let Some(first) = found.first() {
                self.report(
                    Diagnostic::warning("blocked-selection", *first, "no option here can ever be chosen")
                        .advise("the process stops here for ever; write `false` alone if this is meant"),
                );
            }
            return;
        }
        for span in found {
            self.report(
                Diagnostic::warning("false-guard", span, "this option can never be chosen: its guard is always false")
                    .advise("remove the option, or replace the guard by a condition"),
            );
        }
    }

    /// `:: x = 2 -> …`: an assignment can always be executed, so it is no guard. Behind `;` it is a choice that people make.
    fn assignment_guards(&mut self, options: &[Block]) {
        let has_else = options.iter().any(|o| matches!(first(o), Some(Stmt { kind: StmtKind::Else, .. })));
        for o in options {
            let Some(Stmt { kind: StmtKind::Assign { op: AssignOp::Set(_), .. }, span, .. }) = first(o) else {
                continue;
            };
            if !(has_else || self.is_followed_by_arrow(o)) || self.is_from_macro(*span) {
                continue;
            }
            let message = "this option can always be chosen: `=` assigns, it does not compare";
            let advice = match has_else {
                true => "write `==` to compare; beside an assignment `else` is never chosen",
                false => "write `==` to compare, or `;` instead of `->` if the assignment is meant",
            };
            self.report(Diagnostic::warning("assignment-guard", *span, message).advise(advice));
        }
    }

    /// True if the first two statements of an option have `->` between them.
    fn is_followed_by_arrow(&self, o: &Block) -> bool {
        let [Step::Stmt(a), Step::Stmt(b), ..] = &o.steps[..] else { return false };
        let between = Span { start: a.span.end, end: b.span.start, ..a.span };
        let same = a.span.file == b.span.file && a.span.expansion == b.span.expansion && between.start < between.end;
        same && self.map.text(between).trim_start().starts_with("->")
    }

    fn timeout_with_else(&mut self, options: &[Block]) {
        if !options.iter().any(|o| matches!(first(o), Some(Stmt { kind: StmtKind::Else, .. }))) {
            return;
        }
        for e in options.iter().filter_map(condition).filter(|e| needs_timeout(e)) {
            self.report(
                Diagnostic::warning("timeout-with-else", e.span, "`timeout` can never be chosen beside `else`")
                    .advise("`else` is executable whenever the other options are not, so the system does not time out"),
            );
        }
    }

    /// A declaration in the middle of a body is a step: what stands behind it is no guard.
    pub fn declaration_before_guard(&mut self, block: &Block, consequence: &str) {
        let Some(Step::Decl(d)) = block.steps.first() else { return };
        let next = block.steps.iter().find_map(|s| match s {
            Step::Stmt(s) => Some(s),
            _ => None,
        });
        let waits = next.is_some_and(|s| match &s.kind {
            StmtKind::Expr(e) => self.constant(e).is_none() && !matches!(e.kind, ExprKind::Run { .. }),
            StmtKind::Send { .. } | StmtKind::Receive { .. } | StmtKind::Else => true,
            _ => false,
        });
        if waits {
            let message = format!("{consequence}: the declaration is its first step, not the guard behind it");
            self.report(
                Diagnostic::warning("declaration-before-guard", d.span, message)
                    .advise("move the declaration behind the guard, or to the start of the body"),
            );
        }
    }

    /// `assert(true)`; an assertion that always fails is a way to mark a place that must not be reached.
    pub fn constant_assertion(&mut self, s: &Stmt, e: &Expr) {
        if self.literal(e).is_some_and(|n| n != 0) {
            self.report(
                Diagnostic::warning("constant-assert", s.span, "this assertion can never fail")
                    .advise("assert a condition on variables, or remove it"),
            );
        }
    }

    /// Statements behind a jump or behind a loop that is never left.
    pub fn unreachable_after(&mut self, block: &Block) {
        for pair in block.steps.windows(2) {
            let [Step::Stmt(before), Step::Stmt(s)] = pair else { continue };
            let place = match &before.kind {
                StmtKind::Goto(_) | StmtKind::Break => "behind a jump",
                StmtKind::Do(options) if !options.iter().any(leaves) => "behind a loop without `break`",
                _ => continue,
            };
            if s.labels.is_empty() && !self.is_from_macro(s.span) && !self.is_from_macro(before.span) {
                let message = format!("this statement is never reached: it stands {place}");
                self.report(
                    Diagnostic::warning("unreachable-statement", s.span, message)
                        .advise("remove it, or give it a label to jump to"),
                );
            }
        }
    }
}

/// The first step of an option if it is a statement.
pub fn first(o: &Block) -> Option<&Stmt> {
    match o.steps.first() {
        Some(Step::Stmt(s)) => Some(s),
        _ => None,
    }
}

/// The guard of an option if it is a condition.
fn condition(o: &Block) -> Option<&Expr> {
    match &first(o)?.kind {
        StmtKind::Expr(e) => Some(e),
        _ => None,
    }
}

/// True if a condition can only hold when `timeout` does.
fn needs_timeout(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Timeout => true,
        ExprKind::Binary(BinaryOp::Plain(Operator::And), a, b) => needs_timeout(a) || needs_timeout(b),
        _ => false,
    }
}
