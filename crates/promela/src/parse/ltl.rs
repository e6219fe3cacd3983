//! Formulas of linear temporal logic: their operators, how they are read, and warnings where SPIN reads otherwise.
//!
//! SPIN lets temporal operators and `!` bind tighter than comparisons, so that `[] x != 1` means `([] x) != 1`, which
//! nobody wants. Here such an operator takes the whole comparison, and a warning says so.

use super::cursor::{Parse, Parser, Tk};
use super::expr::level;
use super::keyword;
use crate::ast::*;
use crate::print;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

/// How a formula is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// It came from the command line, where propositions may stand in braces.
    pub command_line: bool,
    /// Read it as SPIN does.
    pub spin: bool,
    /// SPIN gives `&&`, `||`, `->` and `<->` one level here: on the command line, outside plain predicates.
    pub flat: bool,
}

impl Parser<'_> {
    /// A formula, up to whatever cannot be part of one.
    pub(super) fn formula(&mut self, command_line: bool) -> Parse<Expr> {
        self.ltl = Some(Mode { command_line, spin: self.formulas.spin, flat: command_line });
        let result = self.binary(level::ANY);
        self.ltl = None;
        let formula = result?;
        self.check_formula_probes(&formula);
        Ok(formula)
    }

    /// The binary operator at the current token that exists in formulas only.
    pub(super) fn ltl_infix(&self) -> Option<BinaryOp> {
        self.ltl?;
        match self.peek() {
            Tk::Punct(Punct::Arrow) => Some(BinaryOp::Implies),
            Tk::Punct(Punct::Equivalent) => Some(BinaryOp::Equivalent),
            Tk::Punct(Punct::And) => Some(BinaryOp::Plain(Operator::And)),
            Tk::Punct(Punct::Or) => Some(BinaryOp::Plain(Operator::Or)),
            Tk::Ident(word) => keyword::ltl_infix(word),
            _ => None,
        }
    }

    /// The unary operator at the current token that exists in formulas only.
    pub(super) fn ltl_prefix(&self) -> Option<UnaryOp> {
        let mode = self.ltl?;
        match self.peek() {
            Tk::Punct(Punct::LeftBracket) if *self.nth(1) == Tk::Punct(Punct::RightBracket) => Some(UnaryOp::Always),
            Tk::Punct(Punct::Diamond) => Some(UnaryOp::Eventually),
            Tk::Punct(Punct::BangBang) => Some(UnaryOp::Not),
            Tk::Ident(word) if mode.command_line && &**word == "not" => Some(UnaryOp::Not),
            Tk::Ident(word) => keyword::ltl_prefix(word),
            _ => None,
        }
    }

    /// A unary operator of formulas and its operand.
    pub(super) fn ltl_unary(&mut self, op: UnaryOp, start: Span, min: u8) -> Parse<Expr> {
        let twice = self.at(Punct::BangBang);
        if self.at(Punct::LeftBracket) {
            self.bump();
        }
        self.bump();
        if twice {
            let inner = self.negated(start, min)?;
            return Ok(self.unary(UnaryOp::Not, start, inner));
        }
        self.temporal_operand(op, start, min)
    }

    /// The operand of `!` in a formula.
    pub(super) fn negated(&mut self, start: Span, min: u8) -> Parse<Expr> {
        self.temporal_operand(UnaryOp::Not, start, min)
    }

    fn temporal_operand(&mut self, op: UnaryOp, start: Span, min: u8) -> Parse<Expr> {
        let spin = self.ltl.is_some_and(|m| m.spin);
        // `!p & q` stays `(!p) & q`: those who write `&` in a formula mean `&&`.
        let from = if spin { level::UNARY } else { level::EQUAL.max(min) };
        let operand = self.nested(|p| p.binary(from))?;
        if !spin && !operand.parens && matches!(operand.kind, ExprKind::Binary(..)) {
            self.warn_about_operand(op, start, &operand);
        }
        Ok(self.unary(op, start, operand))
    }

    fn warn_about_operand(&mut self, op: UnaryOp, start: Span, operand: &Expr) {
        let (op, text) = (print::unary_operator(op), print::source(operand));
        let message =
            format!("`{op}` is applied to all of `{text}` here, but SPIN applies it to the first operand only");
        let d = Diagnostic::warning("ltl-precedence", start.to(operand.span), message);
        self.file(d.advise(format!("write `{op} ({text})`, which both read alike")));
    }

    /// Warns where a formula without parentheses is easily misread, or read otherwise by SPIN.
    pub(super) fn warn_about_reading(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let Some(mode) = self.ltl else { return };
        let span = self.map.cover(left.span, right.span);
        if let Some(inner) = bare_operator(left)
            && chains_confusingly(inner, op)
        {
            let (a, b) = (print::operator(inner), print::operator(op));
            let message = format!("`p {a} q {b} r` is read as `(p {a} q) {b} r`");
            let d = Diagnostic::warning("ltl-associativity", span, message);
            self.file(d.advise("put parentheses around the part that belongs together"));
        }
        let boolean = |op| {
            use BinaryOp::*;
            matches!(op, Plain(Operator::And | Operator::Or) | Implies | Equivalent)
        };
        if let Some(inner) = bare_operator(right)
            && mode.flat
            && !mode.spin
            && boolean(op)
            && boolean(inner)
        {
            let (a, b) = (print::operator(op), print::operator(inner));
            let message = format!("`p {a} q {b} r` is read as `p {a} (q {b} r)`, but SPIN reads `(p {a} q) {b} r`");
            let d = Diagnostic::warning("ltl-precedence", span, message);
            self.file(d.advise("put parentheses around the part that belongs together"));
        }
    }

    /// Called in front of `(` or `{`: within a predicate SPIN uses the rules of ordinary expressions.
    /// Returns the mode to go back to behind it.
    pub(super) fn enter_parens(&mut self) -> Option<Mode> {
        let before = self.ltl;
        if before.is_some_and(|m| m.flat) && self.is_predicate() {
            self.ltl = before.map(|m| Mode { flat: false, ..m });
        }
        before
    }

    /// True if nothing temporal stands between the parenthesis here and the one that closes it.
    fn is_predicate(&self) -> bool {
        use Punct::*;
        let mut nest = 0_usize;
        let tokens = &self.stream.tokens[self.stream.pos..];
        for (i, t) in tokens.iter().enumerate() {
            let next = tokens.get(i + 1).map(|t| &t.kind);
            match &t.kind {
                Tk::Punct(LeftParen | LeftBrace) => nest += 1,
                Tk::Punct(RightParen | RightBrace) if nest <= 1 => break,
                Tk::Punct(RightParen | RightBrace) => nest -= 1,
                Tk::Punct(Arrow | Equivalent | Diamond) => return false,
                Tk::Punct(LeftBracket) if next == Some(&Tk::Punct(RightBracket)) => return false,
                Tk::Ident(w) if keyword::ltl_prefix(w).is_some() || keyword::ltl_infix(w).is_some() => return false,
                _ => {}
            }
        }
        true
    }

    /// Advice for operators as other tools write them, where a formula cannot go on.
    pub(super) fn formula_habit(&self) -> Option<&'static str> {
        let before = self.stream.pos.checked_sub(1).map(|at| &self.stream.tokens[at].kind);
        match (before, self.peek()) {
            (_, Tk::Ident(word)) if matches!(&**word, "and" | "AND") => Some("write `&&` for and"),
            (_, Tk::Ident(word)) if matches!(&**word, "or" | "OR") => Some("write `||` for or"),
            (_, Tk::Punct(Punct::Assign)) if *self.nth(1) == Tk::Punct(Punct::Greater) => {
                Some("write `->` for implies")
            }
            (Some(Tk::Ident(word)), _) => match &**word {
                "G" => Some("write `[]` or `always` for G"),
                "F" => Some("write `<>` or `eventually` for F"),
                "not" | "NOT" => Some("write `!` for not"),
                _ => None,
            },
            _ => None,
        }
    }

    /// `{ e }` in a formula from the command line.
    pub(super) fn braced(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mode = self.enter_parens();
        self.bump();
        let mut e = self.binary(level::ANY)?;
        if !self.at(Punct::RightBrace) {
            let d = Diagnostic::error("syntax", self.span(), format!("expected `}}`, found {}", self.found()));
            return Err(self.report(d.also(start, "opened here")));
        }
        self.bump();
        self.ltl = mode;
        e.parens = true;
        Ok(e)
    }
}

/// The first part of a formula that speaks of more than one state.
pub(super) fn temporal(e: &Expr) -> Option<&Expr> {
    use {BinaryOp::*, UnaryOp::*};
    match &e.kind {
        ExprKind::Unary(Always | Eventually | Next, _) | ExprKind::Binary(Until | WeakUntil | Release, ..) => Some(e),
        ExprKind::Unary(_, a) => temporal(a),
        ExprKind::Binary(_, a, b) => temporal(a).or_else(|| temporal(b)),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().find_map(|e| temporal(e)),
        _ => None,
    }
}

/// The operator of a binary expression without parentheses around it.
fn bare_operator(e: &Expr) -> Option<BinaryOp> {
    match e.kind {
        ExprKind::Binary(op, ..) if !e.parens => Some(op),
        _ => None,
    }
}

/// True if it matters whether two such operators in a row group to the left or to the right.
fn chains_confusingly(inner: BinaryOp, outer: BinaryOp) -> bool {
    use BinaryOp::*;
    let temporal = |op| matches!(op, Until | WeakUntil | Release);
    let arrow = |op| matches!(op, Implies | Equivalent);
    (temporal(inner) && temporal(outer)) || (arrow(inner) && arrow(outer) && (inner, outer) != (Equivalent, Equivalent))
}
