//! Operands that begin with a name: variables, remote references, and tests of channels.

use super::cursor::{Failed, Parse, Parser, Tk};
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A variable, `c?[…]`, `P@L`, `P[e]@L`, `P:x` or `P[e]:x`.
    pub(super) fn name(&mut self) -> Parse<Expr> {
        let start = self.span();
        self.tree_depth = 1;
        let name = self.ident("a name")?;
        if self.inlines.get(&name.name).is_some() {
            return Err(self.refuse_bare_inline(&name));
        }
        let index = self.index()?;
        let kind = if self.at(Punct::At) {
            self.remote_label(name, index)?
        } else if self.at(Punct::Colon) && self.is_process(&name) {
            self.remote_var(name, index)?
        } else {
            let var = self.fields(start, VarPart { name, index })?;
            self.maybe_poll(var)?
        };
        Ok(Expr { span: self.since(start), kind, parens: false })
    }

    /// The name of an inline where a variable should be.
    fn refuse_bare_inline(&mut self, name: &Ident) -> Failed {
        let (message, advice) = if self.at(Punct::LeftParen) {
            (
                format!("the inline `{}` cannot be called inside an expression", name.name),
                "call it in a statement of its own, or as `x = name(…)`",
            )
        } else {
            (
                format!("the inline `{}` is called without arguments", name.name),
                "write `()` behind the name if it has no parameters",
            )
        };
        self.report(Diagnostic::error("inline-as-value", name.span, message).advise(advice))
    }

    /// True if `name :` begins a remote reference. A name that is declared as a process further down is taken for one
    /// only where the colon cannot belong to a conditional expression.
    fn is_process(&self, name: &Ident) -> bool {
        if self.ltl.is_some() {
            return true;
        }
        let all = self.names.processes.contains(&name.name);
        all && (!self.before_colon || self.names.processes_so_far.contains(&name.name))
    }

    fn remote_label(&mut self, process: Ident, index: Option<Box<Expr>>) -> Parse<ExprKind> {
        self.bump();
        let label = self.ident("a label behind `@`")?;
        Ok(ExprKind::RemoteLabel { process, pid: index, label })
    }

    fn remote_var(&mut self, process: Ident, index: Option<Box<Expr>>) -> Parse<ExprKind> {
        self.bump();
        let start = self.span();
        let name = self.ident("a variable behind `:`")?;
        let part = VarPart { name, index: self.index()? };
        if self.at(Punct::Dot) {
            let d = Diagnostic::error("syntax", self.span(), "a remote reference cannot reach into a structure");
            return Err(self.report(d.advise("copy the field to a variable of its own, or make it global")));
        }
        let var = VarRef { span: self.since(start), parts: vec![part] };
        Ok(ExprKind::RemoteVar { process, pid: index, var })
    }

    /// `?[…]` or `??[…]` behind a variable.
    fn maybe_poll(&mut self, channel: VarRef) -> Parse<ExprKind> {
        let random = match self.peek() {
            Tk::Punct(Punct::Query) => false,
            Tk::Punct(Punct::QueryQuery) => true,
            _ => return Ok(ExprKind::Var(channel)),
        };
        if *self.nth(1) != Tk::Punct(Punct::LeftBracket) {
            return Ok(ExprKind::Var(channel));
        }
        self.bump();
        self.bump();
        let args = self.receive_args()?;
        self.expect(Punct::RightBracket, "to end the test of a receive")?;
        Ok(ExprKind::Poll { channel, args, random })
    }

    /// A variable with its indices and fields.
    pub(super) fn var_ref(&mut self) -> Parse<VarRef> {
        let start = self.span();
        let name = self.ident("the name of a variable")?;
        let index = self.index()?;
        self.fields(start, VarPart { name, index })
    }

    /// `.b[i].c` behind the first part.
    fn fields(&mut self, start: Span, first: VarPart) -> Parse<VarRef> {
        let mut parts = vec![first];
        let mut depth = self.tree_depth;
        while self.eat(Punct::Dot) {
            let name = self.ident("the name of a field")?;
            parts.push(VarPart { name, index: self.index()? });
            depth = depth.max(self.tree_depth);
        }
        self.tree_depth = depth;
        Ok(VarRef { span: self.since(start), parts })
    }

    /// `[e]`, if it is there.
    fn index(&mut self) -> Parse<Option<Box<Expr>>> {
        // In a formula, `[` and `]` side by side are the operator "always".
        if !self.at(Punct::LeftBracket) || (self.ltl.is_some() && *self.nth(1) == Tk::Punct(Punct::RightBracket)) {
            return Ok(None);
        }
        let start = self.span();
        self.bump();
        let before_colon = std::mem::replace(&mut self.before_colon, false);
        let e = self.nested(|p| p.expr())?;
        self.before_colon = before_colon;
        if !self.at(Punct::RightBracket) {
            let d = Diagnostic::error("syntax", self.span(), format!("expected `]`, found {}", self.found()));
            return Err(self.report(d.also(start, "opened here")));
        }
        self.bump();
        self.tree_depth += 1;
        Ok(Some(Box::new(e)))
    }
}
