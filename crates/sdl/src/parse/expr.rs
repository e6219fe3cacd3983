//! Expressions, from the weakest operator to the strongest.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;
use starwheel_base::Span;

/// Binary operators of one strength, weakest first.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("=>", Binary::Implies)],
    &[("or", Binary::Or), ("xor", Binary::Xor)],
    &[("and", Binary::And)],
    &[
        ("=", Binary::Eq),
        ("/=", Binary::Ne),
        ("<", Binary::Lt),
        ("<=", Binary::Le),
        (">", Binary::Gt),
        (">=", Binary::Ge),
        ("in", Binary::In),
    ],
    &[("+", Binary::Add), ("-", Binary::Sub), ("//", Binary::Concat)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("mod", Binary::Mod), ("rem", Binary::Rem)],
];

fn make(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Parser<'_> {
    /// An expression, or the value of a choice (`field : value`).
    pub fn expr(&mut self) -> Parsed<Expr> {
        if self.is_name() && self.mark_ahead(1, ":") {
            let name = self.name("a field")?;
            self.bump();
            let value = self.deeper(|p| p.expr())?;
            let span = name.span.to(value.span);
            return Ok(make(ExprKind::Choice(name, Box::new(value)), span));
        }
        self.plain_expr()
    }

    /// An expression where a colon has another meaning.
    pub fn plain_expr(&mut self) -> Parsed<Expr> {
        self.deeper(|p| p.level(0))
    }

    fn level(&mut self, n: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(n) else { return self.unary() };
        let mut left = self.level(n + 1)?;
        // A chain is a tree that grows to the left, and whoever walks it goes that deep.
        for _ in 0..400 {
            let found = operators.iter().find(|(s, _)| self.is_mark(s) || self.is(s));
            let Some(&(_, op)) = found else { return Ok(left) };
            self.bump();
            // IF writes `<>` for SDL's `/=`.
            let op = if self.iff && op == Binary::Lt && self.accept_mark(">") { Binary::Ne } else { op };
            let right = self.level(n + 1)?;
            let span = left.span.to(right.span);
            left = make(ExprKind::Binary(op, Box::new(left), Box::new(right)), span);
        }
        self.error("deep", self.span(), "this expression is too long")
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let op = if self.is("not") {
            Unary::Not
        } else if self.is_mark("-") {
            Unary::Minus
        } else {
            return self.postfix();
        };
        self.bump();
        let e = self.deeper(|p| p.unary())?;
        let span = span.to(e.span);
        Ok(make(ExprKind::Unary(op, Box::new(e)), span))
    }

    /// Something that can be assigned to.
    pub fn place_expr(&mut self) -> Parsed<Expr> {
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut e = self.primary()?;
        for _ in 0..60 {
            if self.is_mark("(") {
                let args = self.args()?;
                let span = e.span.to(self.last());
                e = make(ExprKind::Apply(Box::new(e), args), span);
            } else if self.iff && self.accept_mark("[") {
                let index = self.deeper(|p| p.expr())?;
                self.expect_mark("]")?;
                let span = e.span.to(self.last());
                e = make(ExprKind::Apply(Box::new(e), vec![index]), span);
            } else if self.is_mark("!") || self.is_mark(".") {
                self.bump();
                if self.token().kind != Kind::Name {
                    return self.unexpected("a field");
                }
                let field = self.take_name();
                let span = e.span.to(field.span);
                e = make(ExprKind::Field(Box::new(e), field), span);
            } else {
                return Ok(e);
            }
        }
        self.error("deep", self.span(), "this expression is too long")
    }

    /// Expressions in brackets.
    pub fn args(&mut self) -> Parsed<Vec<Expr>> {
        self.expect_mark("(")?;
        let mut list = Vec::new();
        if self.accept_mark(")") {
            return Ok(list);
        }
        loop {
            list.push(self.deeper(|p| p.expr())?);
            if !self.accept_mark(",") {
                break;
            }
        }
        self.expect_mark(")")?;
        Ok(list)
    }

    /// Expressions in brackets, any of which may be missing.
    pub fn optional_args(&mut self) -> Parsed<Vec<Option<Expr>>> {
        self.expect_mark("(")?;
        let mut list = Vec::new();
        if self.accept_mark(")") {
            return Ok(list);
        }
        loop {
            let missing = self.is_mark(",") || self.is_mark(")");
            list.push(if missing { None } else { Some(self.expr()?) });
            if !self.accept_mark(",") {
                break;
            }
        }
        self.expect_mark(")")?;
        Ok(list)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.token().kind.clone() {
            Kind::Int(n) => {
                self.bump();
                Ok(make(ExprKind::Int(n), span))
            }
            Kind::Octets(list, n) => {
                self.bump();
                Ok(make(ExprKind::Octets(list, n), span))
            }
            Kind::Real => {
                let whole = self.whole_number();
                self.bump();
                Ok(make(whole.map_or(ExprKind::Real, ExprKind::Int), span))
            }
            Kind::Text(t) => {
                self.bump();
                Ok(make(ExprKind::Text(t), span))
            }
            Kind::Mark("(") => {
                self.bump();
                let e = self.deeper(|p| p.expr())?;
                self.expect_mark(")")?;
                Ok(Expr { span: span.to(self.last()), ..e })
            }
            Kind::Mark("(.") => {
                self.bump();
                let list = self.list(".)")?;
                Ok(make(ExprKind::List(list), span.to(self.last())))
            }
            Kind::Mark("{") => self.deeper(|p| p.braces()),
            Kind::Mark("<<") => {
                let name = self.name("a name")?;
                let span = name.span;
                Ok(make(ExprKind::Name(name), span))
            }
            Kind::Name => self.word(),
            _ => self.unexpected("an expression"),
        }
    }

    fn list(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut list = Vec::new();
        if self.accept_mark(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expr()?);
            if !self.accept_mark(",") {
                break;
            }
        }
        self.expect_mark(end)?;
        Ok(list)
    }

    /// `{ a 1, b 2 }` is a record, `{ 1, 2 }` a list.
    fn braces(&mut self) -> Parsed<Expr> {
        let span = self.span();
        self.bump();
        if !self.begins_field() {
            let list = self.list("}")?;
            return Ok(make(ExprKind::List(list), span.to(self.last())));
        }
        let mut fields = Vec::new();
        loop {
            let name = self.name("a field")?;
            fields.push((name, self.expr()?));
            if !self.accept_mark(",") {
                break;
            }
        }
        self.expect_mark("}")?;
        Ok(make(ExprKind::Record(fields), span.to(self.last())))
    }

    /// True where a name is followed by something that cannot go on an expression.
    fn begins_field(&self) -> bool {
        if !self.is_name() || self.is_one_of(&["if", "not", "call", "any", "active", "now"]) {
            return false;
        }
        let next = self.ahead(1);
        match &next.kind {
            Kind::Name => !["and", "or", "xor", "in", "mod", "rem"].contains(&next.word.as_str()),
            Kind::Int(_) | Kind::Octets(..) | Kind::Real | Kind::Text(_) => true,
            Kind::Mark(m) => {
                // `{ a -1 }`: the sign belongs to the number if it touches it.
                let touches = next.span.end == self.ahead(2).span.start && self.span().end < next.span.start;
                matches!(*m, "{" | "(.") || *m == "-" && touches
            }
            Kind::End => false,
        }
    }

    fn word(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let implicit = |i| Ok(make(ExprKind::Implicit(i), span));
        match self.token().word.as_str() {
            "if" => return self.deeper(|p| p.conditional()),
            "call" => {
                self.bump();
                let called = self.deeper(|p| p.postfix())?;
                if self.is("to") {
                    return self.refuse(self.span(), "a remote procedure", "exchange signals instead");
                }
                return Ok(called);
            }
            "any" if self.mark_ahead(1, "(") => {
                self.bump();
                let mut sorts = self.sorts()?;
                let span = span.to(self.last());
                return match sorts.pop() {
                    Some(sort) if sorts.is_empty() => Ok(make(ExprKind::Any(sort), span)),
                    _ => self.error("any", span, "ANY takes one sort"),
                };
            }
            "active" if self.mark_ahead(1, "(") => {
                self.bump();
                self.bump();
                let name = self.name("a timer")?;
                let args = if self.is_mark("(") { self.args()? } else { Vec::new() };
                let timer = TimerName { name, args };
                self.expect_mark(")")?;
                return Ok(make(ExprKind::Active(Box::new(timer)), span.to(self.last())));
            }
            "input" | "output" => {
                let event = self.event()?;
                return Ok(make(ExprKind::Event(Box::new(event)), span.to(self.last())));
            }
            // `make!(a, b)` is `(. a, b .)`.
            "make" if self.mark_ahead(1, "!") && self.mark_ahead(2, "(") => {
                self.bump();
                self.bump();
                let list = self.args()?;
                return Ok(make(ExprKind::List(list), span.to(self.last())));
            }
            "import" | "view" if self.mark_ahead(1, "(") => {
                let what = format!("{} of a variable", self.token().word.to_uppercase());
                return self.refuse(span, &what, "ask its owner for the value with a signal");
            }
            _ => {}
        }
        if !self.is_name() {
            return self.unexpected("an expression");
        }
        let name = self.take_name();
        match name.key.as_str() {
            "now" => Ok(make(ExprKind::Now, span)),
            "self" => implicit(Implicit::SelfPid),
            "sender" => implicit(Implicit::Sender),
            "parent" => implicit(Implicit::Parent),
            "offspring" => implicit(Implicit::Offspring),
            "nil" if self.iff => Ok(make(ExprKind::Null, span)),
            "null" => Ok(make(ExprKind::Null, span)),
            _ => Ok(make(ExprKind::Name(name), span)),
        }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let span = self.span();
        self.bump();
        let condition = self.expr()?;
        self.expect("then")?;
        let yes = self.expr()?;
        self.expect("else")?;
        let no = self.expr()?;
        self.expect("fi")?;
        let kind = ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no));
        Ok(make(kind, span.to(self.last())))
    }
}
