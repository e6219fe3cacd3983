//! `atomic` and `d_step`: what blocks, never ends or is not chosen in them.

use super::Lint;
use super::guards::first;
use crate::ast::*;
use starwheel_base::{Diagnostic, Span};
use std::sync::Arc;

/// What surrounds the statement at which the walk stands.
#[derive(Clone, Default)]
pub struct Surroundings {
    pub d_step: bool,
    pub atomic: bool,
    /// An escape can end what goes on.
    pub interruptible: bool,
    /// Channels whose contents were asked for earlier in the same `d_step`.
    pub asked: Vec<Arc<str>>,
}

impl Lint<'_> {
    /// `atomic` and `d_step`.
    pub fn indivisible(&mut self, s: &Stmt, b: &Block, guard: bool) {
        let outer = self.block.clone();
        let guard = guard || !outer.d_step;
        match s.kind {
            StmtKind::DStep(_) => self.block.d_step = true,
            _ => {
                self.block.atomic = true;
                self.declaration_before_guard(b, "this `atomic` can block in its middle");
            }
        }
        self.enter();
        self.sequence(b, guard);
        self.leave();
        self.block = outer;
    }

    /// `body unless escape`
    pub fn unless(&mut self, body: &Stmt, escape: &Stmt, guard: bool) {
        let outer = std::mem::replace(&mut self.block.interruptible, true);
        self.statement(body, guard);
        self.block.interruptible = outer;
        self.statement(escape, true);
    }

    /// A question about a channel: who asks first knows whether the operation will block.
    pub fn asked(&mut self, v: &VarRef) {
        self.block.asked.push(v.parts[0].name.name.clone());
    }

    /// Warns about a statement that can block where that is an error.
    pub fn may_block(&mut self, s: &Stmt, guard: bool) {
        if !self.block.d_step {
            return;
        }
        match &s.kind {
            StmtKind::Send { channel, .. } if self.rendezvous(channel).is_some() => self.rendezvous_send(s.span),
            StmtKind::Send { channel, .. } | StmtKind::Receive { channel, .. } => {
                let asked = self.block.asked.iter().any(|c| *c == channel.parts[0].name.name);
                let what = if matches!(s.kind, StmtKind::Send { .. }) { "send" } else { "receive" };
                if !guard && !asked {
                    self.block_in_d_step(s.span, what);
                }
            }
            StmtKind::Expr(e) if !guard && self.constant(e).is_none() && !matches!(e.kind, ExprKind::Run { .. }) => {
                self.block_in_d_step(s.span, "condition");
            }
            _ => {}
        }
    }

    fn rendezvous_send(&mut self, span: Span) {
        self.report(
            Diagnostic::warning("rendezvous-in-d_step", span, "a rendezvous send inside a `d_step` is always an error")
                .advise("use `atomic`, or send in front of the `d_step`"),
        );
    }

    fn block_in_d_step(&mut self, span: Span, what: &str) {
        let message = format!("this {what} may block in the middle of a `d_step`, which is an error");
        self.report(
            Diagnostic::warning("may-block-in-d_step", span, message)
                .advise("make it the first statement of the `d_step`, or use `atomic`"),
        );
    }

    /// In a `d_step` the first executable option is taken, always.
    pub fn choice_in_d_step(&mut self, options: &[Block]) {
        if !self.block.d_step {
            return;
        }
        let sure = |o: &Block| first(o).is_none_or(|s| self.always_executable(s));
        let Some(i) = options.iter().position(sure) else { return };
        if let Some(next) = options.get(i + 1) {
            let at = first(next).map_or(next.span, |s| s.span);
            self.never_chosen(at, "this option is never chosen: in a `d_step` the first executable one is taken");
        }
    }

    /// `select` in a `d_step` always gives its first value.
    pub fn select_in_d_step(&mut self, s: &Stmt, from: &Expr, to: &Expr) {
        let one = self.constant(from).is_some() && self.constant(from) == self.constant(to);
        if self.block.d_step && !one {
            self.never_chosen(s.span, "in a `d_step` there is no choice: this `select` always gives the same value");
        }
    }

    fn never_chosen(&mut self, span: Span, message: &str) {
        self.report(
            Diagnostic::warning("choice-in-d_step", span, message).advise("use `atomic` to have all options explored"),
        );
    }

    fn always_executable(&self, s: &Stmt) -> bool {
        match &s.kind {
            StmtKind::Assign { .. } | StmtKind::Assert(_) | StmtKind::Printf { .. } | StmtKind::Printm(_) => true,
            StmtKind::Skip | StmtKind::Select { .. } | StmtKind::SetPriority { .. } | StmtKind::SetTimer { .. } => true,
            StmtKind::Goto(_) | StmtKind::Break => true,
            StmtKind::Expr(e) => self.constant(e).is_some_and(|n| n != 0),
            _ => false,
        }
    }

    /// A loop without an end that no other process can interrupt.
    pub fn endless_atomic(&mut self, s: &Stmt, options: &[Block]) {
        let around = &self.block;
        if !(around.atomic || around.d_step) || around.interruptible || options.iter().any(leaves) {
            return;
        }
        let goes_on = |s: &Step| match s {
            Step::Stmt(s) => self.always_executable(s) || matches!(s.kind, StmtKind::Else),
            _ => true,
        };
        if !options.iter().any(|o| o.steps.iter().all(goes_on)) {
            return;
        }
        let word = if around.d_step { "a `d_step`" } else { "an `atomic`" };
        let at = Span { end: s.span.start + 2, ..s.span };
        self.report(
            Diagnostic::warning("endless-atomic", at, format!("this loop can go on for ever inside {word}"))
                .advise("no other process can move meanwhile; add a `break`, or move the loop out"),
        );
    }
}

/// True if a body contains a `break` of its own loop or any jump.
pub fn leaves(block: &Block) -> bool {
    any_exit(block, true)
}

fn any_exit(block: &Block, own: bool) -> bool {
    block.steps.iter().any(|s| match s {
        Step::Stmt(s) => exits(&s.kind, own),
        _ => false,
    })
}

fn exits(kind: &StmtKind, own: bool) -> bool {
    match kind {
        StmtKind::Goto(_) => true,
        StmtKind::Break => own,
        StmtKind::If(options) => options.iter().any(|o| any_exit(o, own)),
        StmtKind::Do(options) => options.iter().any(|o| any_exit(o, false)),
        StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => any_exit(body, false),
        StmtKind::Atomic(b) | StmtKind::DStep(b) | StmtKind::Block(b) => any_exit(b, own),
        StmtKind::InlineCall { body, .. } => any_exit(body, own),
        StmtKind::Unless { body, escape } => exits(&body.kind, own) || exits(&escape.kind, own),
        _ => false,
    }
}
