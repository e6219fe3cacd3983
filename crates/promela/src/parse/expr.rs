//! Expressions: operators by their binding strength, and the operands they join.

use super::cursor::{Parse, Parser, Tk};
use super::keyword::Kw;
use super::recover::QUERY_ADVICE;
use crate::ast::*;
use crate::print;
use crate::token::Punct;
use starwheel_base::{Diagnostic, Span};

/// How deep the tree of an expression may become; later passes walk it recursively.
const MAX_TREE: u32 = 2000;

/// Binding strengths, weakest first. Everything is left-associative.
pub(super) mod level {
    /// Takes everything.
    pub const ANY: u8 = 0;
    pub const IMPLIES: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const UNTIL: u8 = 7;
    /// The weakest operator of arithmetic.
    pub const BIT_OR: u8 = 9;
    pub const BIT_XOR: u8 = 10;
    pub const BIT_AND: u8 = 11;
    pub const EQUAL: u8 = 12;
    pub const LESS: u8 = 13;
    pub const SHIFT: u8 = 14;
    pub const SUM: u8 = 15;
    pub const PRODUCT: u8 = 16;
    /// Unary operators.
    pub const UNARY: u8 = 18;
}

impl Parser<'_> {
    /// An expression without `full`, `empty` and the like.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let e = self.binary(level::ANY)?;
        self.check_probes(&e, false);
        Ok(e)
    }

    /// An expression in which questions about channels may be joined by `&&` and `||`.
    pub(super) fn full_expr(&mut self) -> Parse<Expr> {
        let e = self.binary(level::ANY)?;
        self.check_probes(&e, true);
        Ok(e)
    }

    /// The rest of a statement that began with this operand.
    pub(super) fn full_expr_from(&mut self, left: Expr) -> Parse<Expr> {
        let e = self.binary_tail(left, level::ANY)?;
        self.check_probes(&e, true);
        Ok(e)
    }

    pub(super) fn binary(&mut self, min: u8) -> Parse<Expr> {
        let left = self.prefix(min)?;
        self.binary_tail(left, min)
    }

    /// Joins operators at least as strong as `min` to a left operand.
    fn binary_tail(&mut self, mut left: Expr, min: u8) -> Parse<Expr> {
        let mut depth = self.tree_depth;
        while let Some(op) = self.infix() {
            let strength = self.strength(op);
            if strength < min {
                break;
            }
            self.refuse_compound_assignment(op)?;
            self.bump();
            let right = self.nested(|p| p.binary(strength + 1))?;
            depth = depth.max(self.tree_depth) + 1;
            if depth > MAX_TREE {
                let d = Diagnostic::error("too-deep", self.span(), "this expression has too many parts");
                return Err(self.report(d.advise("split it with the help of a variable")));
            }
            if self.ltl.is_some() {
                self.warn_about_reading(op, &left, &right);
            }
            let span = self.map.cover(left.span, right.span);
            left = Expr { span, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), parens: false };
        }
        self.tree_depth = depth;
        Ok(left)
    }

    /// The binary operator at the current token.
    fn infix(&self) -> Option<BinaryOp> {
        use Operator as B;
        use Punct as P;
        let p = match self.peek() {
            Tk::Punct(p) => *p,
            _ => return self.ltl_infix(),
        };
        Some(BinaryOp::Plain(match p {
            P::OrOr => B::Or,
            P::AndAnd => B::And,
            P::Bar => B::BitOr,
            P::Caret => B::BitXor,
            P::Ampersand => B::BitAnd,
            P::EqEq => B::Eq,
            P::NotEq => B::Ne,
            P::Less => B::Lt,
            P::Greater => B::Gt,
            P::LessEq => B::Le,
            P::GreaterEq => B::Ge,
            P::ShiftLeft => B::Shl,
            P::ShiftRight => B::Shr,
            P::Plus => B::Add,
            P::Minus => B::Sub,
            P::Star => B::Mul,
            P::Slash => B::Div,
            P::Percent => B::Rem,
            _ => return self.ltl_infix(),
        }))
    }

    /// How strongly an operator binds.
    fn strength(&self, op: BinaryOp) -> u8 {
        use BinaryOp::*;
        use Operator::*;
        match op {
            // On SPIN's command line these four have one level.
            Implies | Equivalent | Plain(Or | And) if self.ltl.is_some_and(|m| m.spin && m.flat) => level::IMPLIES,
            Implies | Equivalent => level::IMPLIES,
            Until | WeakUntil | Release => level::UNTIL,
            Plain(Or) => level::OR,
            Plain(And) => level::AND,
            Plain(BitOr) => level::BIT_OR,
            Plain(BitXor) => level::BIT_XOR,
            Plain(BitAnd) => level::BIT_AND,
            Plain(Eq | Ne) => level::EQUAL,
            Plain(Lt | Le | Gt | Ge) => level::LESS,
            Plain(Shl | Shr) => level::SHIFT,
            Plain(Add | Sub) => level::SUM,
            Plain(Mul | Div | Rem) => level::PRODUCT,
        }
    }

    /// `x += 1` and the like, known from C.
    fn refuse_compound_assignment(&mut self, op: BinaryOp) -> Parse<()> {
        let here = self.raw().span;
        let next = &self.stream.tokens[(self.stream.pos + 1).min(self.stream.tokens.len() - 1)];
        if next.kind != Tk::Punct(Punct::Assign) || next.span.start != here.end {
            return Ok(());
        }
        let text = self.map.text(here).to_string();
        let d = Diagnostic::error("c-habit", here.to(next.span), format!("Promela has no `{text}=`"));
        let op = print::operator(op);
        Err(self.report(d.advise(format!("write `x = x {op} …` instead of `x {op}= …`"))))
    }

    /// A unary operator and its operand, or an operand.
    fn prefix(&mut self, min: u8) -> Parse<Expr> {
        let start = self.span();
        let op = match self.peek() {
            Tk::Punct(Punct::Bang) => UnaryOp::Not,
            Tk::Punct(Punct::Minus) => UnaryOp::Neg,
            Tk::Punct(Punct::Tilde) => UnaryOp::BitNot,
            _ => match self.ltl_prefix() {
                Some(op) => return self.ltl_unary(op, start, min),
                None => return self.primary(),
            },
        };
        self.bump();
        if op == UnaryOp::Not && self.ltl.is_some() {
            return self.negated(start, min);
        }
        let operand = self.nested(|p| p.binary(level::UNARY))?;
        Ok(self.unary(op, start, operand))
    }

    pub(super) fn unary(&mut self, op: UnaryOp, start: Span, operand: Expr) -> Expr {
        self.tree_depth += 1;
        let span = self.map.cover(start, operand.span);
        Expr { span, kind: ExprKind::Unary(op, Box::new(operand)), parens: false }
    }

    /// An operand.
    fn primary(&mut self) -> Parse<Expr> {
        self.tree_depth = 1;
        let start = self.span();
        let kind = match self.peek().clone() {
            Tk::Punct(Punct::LeftParen) => return self.nested(|p| p.parenthesised()),
            Tk::Punct(Punct::LeftBrace) if self.ltl.is_some_and(|m| m.command_line) => {
                return self.nested(|p| p.braced());
            }
            Tk::Ident(_) => return self.name(),
            Tk::Number(n) => self.single(ExprKind::Number(n)),
            Tk::Kw(kw) => self.keyword_operand(kw)?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { span: self.since(start), kind, parens: false })
    }

    /// Consumes the token that is a whole operand.
    fn single(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn keyword_operand(&mut self, kw: Kw) -> Parse<ExprKind> {
        Ok(match kw {
            Kw::True | Kw::Skip => self.single(ExprKind::Number(1)),
            Kw::False => self.single(ExprKind::Number(0)),
            Kw::Timeout => self.single(ExprKind::Timeout),
            Kw::Np => self.single(ExprKind::NonProgress),
            Kw::Len => self.channel_query(ChannelQuery::Len)?,
            Kw::Full => self.channel_query(ChannelQuery::Full)?,
            Kw::Empty => self.channel_query(ChannelQuery::Empty)?,
            Kw::Nfull => self.channel_query(ChannelQuery::NotFull)?,
            Kw::Nempty => self.channel_query(ChannelQuery::NotEmpty)?,
            Kw::TimerExpire => self.timer_query(TimerQuery::Expire)?,
            Kw::TimerOn => self.timer_query(TimerQuery::On)?,
            Kw::Enabled => ExprKind::Enabled(self.argument("enabled")?),
            Kw::PcValue => ExprKind::PcValue(self.argument("pc_value")?),
            Kw::GetPriority => ExprKind::GetPriority(self.argument("get_priority")?),
            Kw::Run => self.run()?,
            Kw::CExpr => ExprKind::Embedded(self.embedded_code()?),
            Kw::Eval => {
                let d = Diagnostic::error("syntax", self.span(), "`eval` can only stand in the message of a receive");
                return Err(self.report(d.advise("drop `eval` here: an expression is evaluated anyway")));
            }
            _ if kw.starts_stmt() || kw.starts_unit() => return Err(self.expected("an expression")),
            _ => return Err(self.reserved(kw, "an expression")),
        })
    }

    /// `( e )` or `( c -> a : b )`
    fn parenthesised(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mode = self.enter_parens();
        self.bump();
        let before_colon = std::mem::replace(&mut self.before_colon, false);
        let mut e = self.binary(level::ANY)?;
        if self.ltl.is_none() && self.at(Punct::Arrow) {
            e = self.conditional(e, start)?;
        }
        if !self.at(Punct::RightParen) {
            return Err(self.unclosed_paren(start));
        }
        self.bump();
        self.before_colon = before_colon;
        self.ltl = mode;
        e.parens = true;
        Ok(e)
    }

    /// `-> a : b`, behind `( c`
    fn conditional(&mut self, test: Expr, start: Span) -> Parse<Expr> {
        let mut depth = self.tree_depth;
        self.bump();
        self.before_colon = true;
        let yes = self.binary(level::ANY)?;
        self.before_colon = false;
        depth = depth.max(self.tree_depth);
        if !self.at(Punct::Colon) {
            let d = Diagnostic::error("syntax", self.span(), format!("expected `:`, found {}", self.found()));
            let d = d.also(start, "the expression begins here");
            return Err(self.report(d.advise(
                "close the parenthesis, or write a conditional expression: `(condition -> value : other value)`",
            )));
        }
        self.bump();
        let no = self.binary(level::ANY)?;
        self.tree_depth = depth.max(self.tree_depth) + 1;
        let span = self.map.cover(test.span, no.span);
        Ok(Expr { span, kind: ExprKind::Cond(Box::new(test), Box::new(yes), Box::new(no)), parens: true })
    }

    fn unclosed_paren(&mut self, start: Span) -> super::cursor::Failed {
        let message = format!("expected `)`, found {}", self.found());
        let code = if self.at(Punct::Assign) { "assign-in-expression" } else { "syntax" };
        let mut d = Diagnostic::error(code, self.span(), message).also(start, "opened here");
        if let Some(advice) = self.formula_habit().filter(|_| self.ltl.is_some()) {
            return self.report(d.advise(advice));
        }
        match self.peek() {
            Tk::Punct(Punct::Assign) => d = d.advise("`=` assigns and `==` compares; use `==` in a condition"),
            Tk::Punct(Punct::Comma) => {
                d = d.advise("messages are written without outer parentheses: `c!a,b` or `c!a(b)`")
            }
            Tk::Punct(Punct::Bang | Punct::BangBang) => {
                d = d.advise("a send is a statement and cannot be part of an expression");
            }
            Tk::Punct(Punct::Query | Punct::QueryQuery) => {
                d = d.advise(QUERY_ADVICE);
            }
            Tk::Punct(Punct::And | Punct::Or) => d = d.advise("outside formulas write `&&` and `||`"),
            _ => {}
        }
        self.report(d)
    }

    /// `len(c)` and the like.
    fn channel_query(&mut self, query: ChannelQuery) -> Parse<ExprKind> {
        self.bump();
        self.expect(Punct::LeftParen, "in front of a channel")?;
        let channel = self.var_ref()?;
        self.expect(Punct::RightParen, "behind the channel")?;
        Ok(ExprKind::Channel(query, channel))
    }

    /// `__expire(t)` and the like.
    fn timer_query(&mut self, query: TimerQuery) -> Parse<ExprKind> {
        self.bump();
        Ok(ExprKind::Timer(query, self.timer_argument()?))
    }

    /// A timer in parentheses.
    pub(super) fn timer_argument(&mut self) -> Parse<VarRef> {
        self.expect(Punct::LeftParen, "in front of a timer")?;
        let timer = self.var_ref()?;
        self.expect(Punct::RightParen, "behind the timer")?;
        Ok(timer)
    }

    /// `enabled(e)` and the like.
    fn argument(&mut self, what: &str) -> Parse<Box<Expr>> {
        self.bump();
        self.expect(Punct::LeftParen, &format!("behind `{what}`"))?;
        let e = self.nested(|p| p.expr())?;
        self.expect(Punct::RightParen, &format!("to end `{what}(…)`"))?;
        self.tree_depth += 1;
        Ok(Box::new(e))
    }

    /// `run P(args) [priority n]`
    fn run(&mut self) -> Parse<ExprKind> {
        self.bump();
        let name = self.ident("the name of a proctype")?;
        self.expect(Punct::LeftParen, "behind the name of the proctype")?;
        let args = if self.at(Punct::RightParen) { Vec::new() } else { self.expr_list()? };
        self.expect(Punct::RightParen, "to end the arguments")?;
        let priority = self.priority()?.map(Box::new);
        self.tree_depth += 1;
        Ok(ExprKind::Run { name, args, priority })
    }

    /// `priority n`, if it is there.
    pub(super) fn priority(&mut self) -> Parse<Option<Expr>> {
        if !self.eat_kw(Kw::Priority) {
            return Ok(None);
        }
        self.constant("a number behind `priority`").map(Some)
    }

    /// A number or a name that may stand for one.
    pub(super) fn constant(&mut self, what: &str) -> Parse<Expr> {
        match self.peek() {
            Tk::Number(_) | Tk::Ident(_) | Tk::Kw(Kw::True | Kw::False | Kw::Skip) => self.primary(),
            _ => Err(self.expected(what)),
        }
    }

    /// One or more expressions with commas between them.
    pub(super) fn expr_list(&mut self) -> Parse<Vec<Expr>> {
        let mut list = Vec::new();
        let mut depth = 0;
        loop {
            list.push(self.nested(|p| p.expr())?);
            depth = depth.max(self.tree_depth);
            if !self.eat(Punct::Comma) {
                self.tree_depth = depth;
                return Ok(list);
            }
        }
    }
}
