//! Statements, one by one.

use super::cursor::{Parse, Parser, Tk};
use super::keyword::Kw;
use super::recover::{Closer, Opener};
use crate::ast::*;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A statement without labels.
    pub(super) fn statement(&mut self) -> Parse<StmtKind> {
        let kw = match self.peek() {
            Tk::Kw(kw) => *kw,
            Tk::Punct(Punct::LeftBrace) => return Ok(StmtKind::Block(self.block("this block", "")?)),
            Tk::Ident(_) => return self.name_statement(),
            Tk::Punct(Punct::ColonColon) => return Err(self.stray_option()),
            _ => return Ok(StmtKind::Expr(self.full_expr()?)),
        };
        match kw {
            Kw::If => self.selection(Closer::Fi),
            Kw::Do => self.selection(Closer::Od),
            Kw::For => self.for_loop(),
            Kw::Select => self.select(),
            Kw::Atomic => self.keyword_block("this `atomic`").map(StmtKind::Atomic),
            Kw::DStep => self.keyword_block("this `d_step`").map(StmtKind::DStep),
            Kw::Break => Ok(self.word(StmtKind::Break)),
            Kw::Else => Ok(self.word(StmtKind::Else)),
            Kw::Goto => {
                self.bump();
                Ok(StmtKind::Goto(self.ident("a label behind `goto`")?))
            }
            Kw::Assert => {
                self.bump();
                Ok(StmtKind::Assert(self.full_expr()?))
            }
            Kw::Printf => self.printf(),
            Kw::Printm => self.printm(),
            Kw::SetPriority => self.set_priority(),
            Kw::TimerSet => self.set_timer(),
            Kw::Lazy => {
                self.bump();
                Ok(StmtKind::Lazy(self.full_expr()?))
            }
            Kw::TimerReset => {
                self.bump();
                Ok(StmtKind::SetTimer { timer: self.timer_argument()?, slices: None })
            }
            Kw::Return => self.return_statement(),
            Kw::CCode | Kw::CDecl => Ok(StmtKind::Embedded(self.embedded_code()?)),
            Kw::Fi | Kw::Od => Err(self.stray_closer(kw)),
            _ if kw.starts_expr() => Ok(StmtKind::Expr(self.full_expr()?)),
            _ => Err(self.expected("a statement")),
        }
    }

    fn word(&mut self, kind: StmtKind) -> StmtKind {
        self.bump();
        kind
    }

    fn stray_option(&mut self) -> super::cursor::Failed {
        let d = Diagnostic::error("syntax", self.span(), "`::` can only stand in `if … fi` and `do … od`");
        let failed = self.report(d.advise("is there a `fi`, `od` or `}` too many in front of it?"));
        self.bump_raw();
        failed
    }

    fn stray_closer(&mut self, kw: Kw) -> super::cursor::Failed {
        let opener = if kw == Kw::Fi { "if" } else { "do" };
        let d = Diagnostic::error("syntax", self.span(), format!("this `{}` has no matching `{opener}`", kw.text()));
        let failed = self.report(d);
        self.bump_raw();
        failed
    }

    /// `atomic { … }` and `d_step { … }`
    fn keyword_block(&mut self, what: &'static str) -> Parse<Block> {
        self.bump();
        self.block(what, "to begin the block")
    }

    /// `if … fi` or `do … od`
    fn selection(&mut self, closer: Closer) -> Parse<StmtKind> {
        let start = self.span();
        self.bump();
        let fi = closer == Closer::Fi;
        let what = if fi { "this `if`" } else { "this `do`" };
        if self.at(Punct::LeftParen) && fi && self.is_c_condition() {
            return self.c_selection(start);
        }
        let opener = Opener { closer, span: start, what };
        self.openers.push(opener);
        let mut options = Vec::new();
        if !self.at(Punct::ColonColon) {
            self.missing_option(what);
            if !self.at_sequence_end() {
                options.push(self.option(start));
            }
        }
        while self.raw().kind == Tk::Punct(Punct::ColonColon) {
            let start = self.raw().span;
            self.bump_raw();
            options.push(self.option(start));
        }
        self.close(opener);
        Ok(if fi { StmtKind::If(options) } else { StmtKind::Do(options) })
    }

    fn option(&mut self, start: Span) -> Block {
        let steps = self.sequence(start);
        Block { span: self.since(start), steps }
    }

    fn missing_option(&mut self, what: &str) {
        let message = format!("expected `::` behind {what}, found {}", self.found());
        let mut d = Diagnostic::error("missing-option", self.span(), message);
        if self.at(Punct::LeftBrace) {
            d = d.advise("there are no braces behind `if` and `do`: write `do :: … od`");
        } else {
            d = d.advise("each option begins with `::`, the first one too");
        }
        self.report(d);
    }

    /// True if the parentheses here are followed by something that no guard is followed by.
    fn is_c_condition(&self) -> bool {
        let mut nest = 0_usize;
        for (i, t) in self.stream.tokens[self.stream.pos..].iter().enumerate() {
            match t.kind {
                Tk::Punct(Punct::LeftParen) => nest += 1,
                Tk::Punct(Punct::RightParen) => nest -= 1,
                Tk::Punct(Punct::Semicolon | Punct::ColonColon) => return false,
                _ => {}
            }
            if nest == 0 {
                return match self.nth(i + 1) {
                    Tk::Punct(p) => *p == Punct::LeftBrace,
                    Tk::Kw(k) => k.starts_stmt(),
                    t => matches!(t, Tk::Ident(_)),
                };
            }
        }
        false
    }

    /// `if (c) { … } else { … }`, known from C: reported once, the parts are parsed for errors of their own.
    fn c_selection(&mut self, start: Span) -> Parse<StmtKind> {
        let d = Diagnostic::error("c-habit", start, "`if` is not followed by a condition in parentheses");
        self.report(d.advise("write `if :: condition -> … :: else -> … fi`"));
        self.full_expr()?;
        self.statement_of_c()?;
        if self.raw().kind == Tk::Kw(Kw::Else) {
            self.bump_raw();
            self.statement_of_c()?;
        }
        Ok(StmtKind::Skip)
    }

    fn statement_of_c(&mut self) -> Parse<()> {
        self.stream.implied_taken = true;
        self.nested_statement(|p| p.statement())?;
        if *self.nth(1) == Tk::Kw(Kw::Else) {
            self.eat(Punct::Semicolon);
        }
        Ok(())
    }

    /// `for (i : a .. b) { … }` or `for (x in a) { … }`
    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LeftParen, "behind `for`")?;
        let var = self.var_ref()?;
        let over = match self.peek() {
            Tk::Ident(word) if &**word == "in" => {
                self.bump();
                Some(self.var_ref()?)
            }
            Tk::Punct(Punct::Colon) => None,
            _ => return Err(self.bad_loop_head("for")),
        };
        let range = if over.is_none() { Some(self.range("for")?) } else { None };
        self.expect(Punct::RightParen, "to end the head of the loop")?;
        if self.at(Punct::Semicolon) {
            self.bump();
        }
        let body = self.block("this loop's body", "to begin the body of the loop")?;
        Ok(match (range, over) {
            (Some((from, to)), _) => StmtKind::For { var, from, to, body },
            (None, Some(over)) => StmtKind::ForIn { var, over, body },
            (None, None) => StmtKind::Skip,
        })
    }

    fn bad_loop_head(&mut self, word: &str) -> super::cursor::Failed {
        let d = Diagnostic::error("syntax", self.span(), format!("expected `:` and a range, found {}", self.found()));
        let advice = match word {
            "for" => "write `for (i : 0 .. 9) { … }` or `for (i in array) { … }`",
            _ => "write `select (i : 0 .. 9)`",
        };
        let failed = self.report(d.advise(advice));
        // A head as in C has semicolons of its own.
        while self.stream.parens > 0 && !matches!(self.raw().kind, Tk::Punct(Punct::LeftBrace) | Tk::Eof) {
            self.bump_raw();
        }
        failed
    }

    /// `: a .. b`
    fn range(&mut self, word: &str) -> Parse<(Expr, Expr)> {
        if !self.eat(Punct::Colon) {
            return Err(self.bad_loop_head(word));
        }
        let from = self.expr()?;
        self.expect(Punct::DotDot, "between the bounds")?;
        Ok((from, self.expr()?))
    }

    /// `select (i : a .. b)`
    fn select(&mut self) -> Parse<StmtKind> {
        let literal = self.is_literal_select();
        self.bump();
        self.expect(Punct::LeftParen, "behind `select`")?;
        let var = self.var_ref()?;
        let at = self.span();
        let (from, to) = self.range("select")?;
        if let (true, ExprKind::Number(a), ExprKind::Number(b)) = (literal, &from.kind, &to.kind)
            && a > b
        {
            let d = Diagnostic::error("bad-range", self.since(at), "the lower bound is greater than the upper bound");
            self.file(d);
        }
        self.expect(Punct::RightParen, "to end `select`")?;
        Ok(StmtKind::Select { var, from, to, literal })
    }

    /// SPIN's lexer writes a `select` out as one option per value if its text is simple enough: letters and digits,
    /// a range of digits, all on one line, and not in an inline.
    fn is_literal_select(&self) -> bool {
        let at = self.stream.pos;
        let Some(parts) = self.stream.tokens.get(at + 2..at + 7) else { return false };
        let digits = |t: &super::cursor::Tok| {
            matches!(t.kind, Tk::Number(_)) && self.map.text(t.span).bytes().all(|b| b.is_ascii_digit())
        };
        let plain = |t: &super::cursor::Tok| match &t.kind {
            Tk::Ident(n) => n.bytes().all(|b| b.is_ascii_alphanumeric()),
            _ => false,
        };
        let is = |t: &super::cursor::Tok, p| t.kind == Tk::Punct(p);
        !self.stream.inlining
            && is(&self.stream.tokens[at + 1], Punct::LeftParen)
            && parts.iter().all(|t| !t.starts_line)
            && plain(&parts[0])
            && is(&parts[1], Punct::Colon)
            && digits(&parts[2])
            && is(&parts[3], Punct::DotDot)
            && digits(&parts[4])
            && self.stream.tokens.get(at + 7).is_some_and(|t| is(t, Punct::RightParen) && !t.starts_line)
    }

    fn printf(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LeftParen, "behind `printf`")?;
        let Tk::Str(format) = self.peek().clone() else { return Err(self.expected("a text in double quotes")) };
        self.bump();
        let args = if self.eat(Punct::Comma) { self.expr_list()? } else { Vec::new() };
        self.expect(Punct::RightParen, "to end `printf`")?;
        Ok(StmtKind::Printf { format, args })
    }

    fn printm(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LeftParen, "behind `printm`")?;
        let e = match self.peek() {
            Tk::Ident(_) => self.name()?,
            _ => self.constant("a variable or a symbolic constant")?,
        };
        self.expect(Punct::RightParen, "to end `printm`")?;
        Ok(StmtKind::Printm(e))
    }

    /// `__set(t, e)`
    fn set_timer(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LeftParen, "in front of a timer")?;
        let timer = self.var_ref()?;
        self.expect(Punct::Comma, "and a number of slices")?;
        let slices = self.expr()?;
        self.expect(Punct::RightParen, "behind the number of slices")?;
        Ok(StmtKind::SetTimer { timer, slices: Some(slices) })
    }

    fn set_priority(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LeftParen, "behind `set_priority`")?;
        let pid = self.expr()?;
        self.expect(Punct::Comma, "and a priority")?;
        let priority = self.expr()?;
        self.expect(Punct::RightParen, "to end `set_priority`")?;
        Ok(StmtKind::SetPriority { pid, priority })
    }
}
