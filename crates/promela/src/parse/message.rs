//! Statements that begin with a name: assignments, sends, receives, calls of inlines, and plain expressions.

use super::cursor::{Failed, Parse, Parser, Tk};
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::Diagnostic;

impl Parser<'_> {
    pub(super) fn name_statement(&mut self) -> Parse<StmtKind> {
        if *self.nth(1) == Tk::Punct(Punct::LeftParen) {
            return self.call(None);
        }
        let e = self.name()?;
        let target = match &e.kind {
            ExprKind::Var(v) if self.at_statement_operator() => v.clone(),
            _ => return Ok(StmtKind::Expr(self.full_expr_from(e)?)),
        };
        match self.peek() {
            Tk::Punct(Punct::Assign) => self.assignment(target),
            Tk::Punct(Punct::Increment) => Ok(self.step_by_one(target, AssignOp::Increment)),
            Tk::Punct(Punct::Decrement) => Ok(self.step_by_one(target, AssignOp::Decrement)),
            Tk::Punct(Punct::Bang) => self.send(target, false),
            Tk::Punct(Punct::BangBang) => self.send(target, true),
            _ => self.receive(target),
        }
    }

    fn at_statement_operator(&self) -> bool {
        use Punct::*;
        let Tk::Punct(p) = self.peek() else { return false };
        matches!(p, Assign | Increment | Decrement | Bang | BangBang | Query | QueryQuery)
    }

    fn step_by_one(&mut self, target: VarRef, op: AssignOp) -> StmtKind {
        self.bump();
        StmtKind::Assign { target, op }
    }

    fn assignment(&mut self, target: VarRef) -> Parse<StmtKind> {
        self.bump();
        if let Tk::Ident(name) = self.peek()
            && *self.nth(1) == Tk::Punct(Punct::LeftParen)
            && (self.inlines.get(name).is_some() || self.names.inlines.contains(name))
        {
            return self.call(Some(target));
        }
        let value = self.full_expr()?;
        if self.at(Punct::Assign) {
            let d =
                Diagnostic::error("c-habit", self.span(), "an assignment has no value that could be assigned again");
            return Err(self.report(d.advise("write two assignments, or `==` to compare")));
        }
        Ok(StmtKind::Assign { target, op: AssignOp::Set(value) })
    }

    /// `c!a,b` or `c!a(b)`
    fn send(&mut self, channel: VarRef, sorted: bool) -> Parse<StmtKind> {
        self.bump();
        let mut args = vec![self.nested(|p| p.expr())?];
        if self.eat(Punct::LeftParen) {
            args.extend(self.expr_list()?);
            self.expect(Punct::RightParen, "to end the message")?;
        } else if self.eat(Punct::Comma) {
            args.extend(self.expr_list()?);
            if self.at(Punct::LeftParen) {
                let d = Diagnostic::error(
                    "syntax",
                    self.span(),
                    "parentheses can only follow the first value of a message",
                );
                return Err(self.report(d.advise("separate all values by commas")));
            }
        }
        Ok(StmtKind::Send { channel, args, sorted })
    }

    fn receive(&mut self, channel: VarRef) -> Parse<StmtKind> {
        let random = self.at(Punct::QueryQuery);
        self.bump();
        let copy = self.eat(Punct::Less);
        let args = self.receive_args()?;
        if copy {
            self.expect(Punct::Greater, "to end a receive that leaves the message in place")?;
        }
        Ok(StmtKind::Receive { channel, args, random, copy })
    }

    /// The pattern of a receive. `a(b,c)`, `(a,b,c)` and `a,(b,c)` are all the same as `a,b,c`.
    pub(super) fn receive_args(&mut self) -> Parse<Vec<RecvArg>> {
        let mut args = Vec::new();
        let mut depth = 0;
        self.collect_receive_args(&mut args, &mut depth)?;
        self.tree_depth = depth + 1;
        Ok(args)
    }

    fn collect_receive_args(&mut self, args: &mut Vec<RecvArg>, depth: &mut u32) -> Parse<()> {
        loop {
            let grouped = self.at(Punct::LeftParen);
            if !grouped {
                self.tree_depth = 0;
                args.push(self.receive_arg()?);
                *depth = self.tree_depth.max(*depth);
            }
            if self.eat(Punct::LeftParen) {
                self.nested(|p| p.collect_receive_args(args, depth))?;
                self.expect(Punct::RightParen, "to end the message")?;
                return Ok(());
            }
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
    }

    fn receive_arg(&mut self) -> Parse<RecvArg> {
        use super::keyword::Kw;
        let start = self.span();
        let sign = if self.eat(Punct::Minus) { -1 } else { 1 };
        let value = match self.peek() {
            Tk::Number(n) => *n,
            _ if sign < 0 => return Err(self.expected("a number behind `-`")),
            Tk::Kw(Kw::True | Kw::Skip) => 1,
            Tk::Kw(Kw::False) => 0,
            Tk::Kw(Kw::Eval) => return self.eval(),
            Tk::Ident(_) => return self.var_ref().map(RecvArg::Var),
            Tk::Kw(kw) => return Err(self.reserved(*kw, "a variable or a constant")),
            _ => return Err(self.expected("a variable, a constant or `eval(…)`")),
        };
        self.bump();
        Ok(RecvArg::Number(value.wrapping_mul(sign), self.since(start)))
    }

    fn eval(&mut self) -> Parse<RecvArg> {
        self.bump();
        self.expect(Punct::LeftParen, "behind `eval`")?;
        let e = self.nested(|p| p.expr())?;
        self.expect(Punct::RightParen, "to end `eval`")?;
        Ok(RecvArg::Eval(e))
    }

    /// A call of something that is not an inline.
    pub(super) fn unknown_call(&mut self, name: &str) -> Failed {
        let (message, advice) = match name {
            "while" => ("Promela has no `while`".into(), "write `do :: condition -> … :: else -> break od`".into()),
            "switch" => ("Promela has no `switch`".into(), "write `if :: x == 1 -> … :: x == 2 -> … fi`".into()),
            _ if self.names.processes.contains(name) => {
                (format!("`{name}` is a process type"), format!("start a process with `run {name}(…)`"))
            }
            _ if self.names.inlines.contains(name) => {
                (format!("the inline `{name}` is used before its definition"), "move its definition up".into())
            }
            _ => (format!("there is no inline called `{name}`"), format!("define it: `inline {name}(…) {{ … }}`")),
        };
        let code = if matches!(name, "while" | "switch") { "c-habit" } else { "unknown-inline" };
        let d = Diagnostic::error(code, self.span(), message).advise(advice);
        self.report(d)
    }
}
