//! What the grammar alone forbids in expressions: questions about channels in places where they mislead the search.

use super::cursor::Parser;
use crate::ast::*;
use starwheel_base::Diagnostic;
use starwheel_model::text;

impl Parser<'_> {
    /// Refuses `full`, `empty`, `nfull`, `nempty` below anything but `&&` and `||`.
    pub(super) fn check_probes(&mut self, e: &Expr, allowed: bool) {
        // Indices and arguments are expressions of their own and have been checked as such.
        match &e.kind {
            ExprKind::Channel(query, _) if *query != ChannelQuery::Len && !allowed => {
                self.refuse_probe(e, *query, None)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => match inner.kind {
                ExprKind::Channel(query, _) if query != ChannelQuery::Len => {
                    self.refuse_probe(inner, query, Some(opposite(query)));
                }
                _ => self.check_probes(inner, false),
            },
            ExprKind::Unary(_, inner) => self.check_probes(inner, false),
            ExprKind::Binary(op, a, b) => {
                let allowed = allowed && matches!(op, BinaryOp::Plain(Operator::And | Operator::Or));
                self.check_probes(a, allowed);
                self.check_probes(b, allowed);
            }
            ExprKind::Cond(a, b, c) => {
                for part in [a, b, c] {
                    self.check_probes(part, false);
                }
            }
            _ => {}
        }
    }

    /// The same for formulas, where operators of logic and time stand between conditions and may stand before them.
    pub(super) fn check_formula_probes(&mut self, e: &Expr) {
        use {BinaryOp::*, UnaryOp::*};
        match &e.kind {
            ExprKind::Unary(Not | Always | Eventually | Next, a) => self.check_formula_probes(a),
            ExprKind::Binary(
                Plain(Operator::And | Operator::Or) | Implies | Equivalent | Until | WeakUntil | Release,
                a,
                b,
            ) => {
                self.check_formula_probes(a);
                self.check_formula_probes(b);
            }
            _ => self.check_probes(e, true),
        }
    }

    fn refuse_probe(&mut self, e: &Expr, query: ChannelQuery, instead: Option<ChannelQuery>) {
        let name = text::query(query);
        let (message, advice) = match instead {
            Some(other) => {
                (format!("`{name}` cannot be negated"), format!("use `{}` without the `!`", text::query(other)))
            }
            None => (
                format!("`{name}` can only be a condition of its own, or joined to others by `&&` and `||`"),
                "use `len` here: it can be part of any expression".to_string(),
            ),
        };
        self.file(Diagnostic::error("probe", e.span, message).advise(advice));
    }
}

fn opposite(query: ChannelQuery) -> ChannelQuery {
    match query {
        ChannelQuery::Full => ChannelQuery::NotFull,
        ChannelQuery::NotFull => ChannelQuery::Full,
        ChannelQuery::Empty => ChannelQuery::NotEmpty,
        ChannelQuery::NotEmpty => ChannelQuery::Empty,
        ChannelQuery::Len => ChannelQuery::Len,
    }
}
