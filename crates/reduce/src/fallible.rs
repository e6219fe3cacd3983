//! Statements that may turn out to have no meaning when they are executed: an index out of bounds, a division by zero, a
//! bad channel, a timer that cannot run for so long. Never says no of one that may.

use crate::context::Context;
use crate::fixed::Known;
use starwheel_model::{BinaryOp, ChanId, ChannelQuery, DStep, DTrans, Expr, Place, RecvArg, Stmt, TransId, time};

/// Whether the statement of a transition of a process may have no meaning: unless [`crate::ranges`] says otherwise, it may whenever
/// it looks like it.
pub fn fallible(context: &Context<'_>, known: &Known, trans: TransId) -> bool {
    let (check, stmt) = (Check { context, known }, &context.model.transition(trans).stmt);
    let mut blocks = false;
    stmt.walk_stmts(&mut |s| blocks |= matches!(s, Stmt::DStep(d) if !ends(d) || check.offers(d)));
    if context.model.leads_back(trans) {
        return true;
    }
    if blocks || context.ranges.safe(trans) {
        return blocks;
    }
    let mut bad = false;
    stmt.walk(&mut |e| bad |= check.expr(e));
    stmt.walk_stmts(&mut |s| bad |= check.stmt(s));
    bad
}

/// A sequence must not block in the middle, and must come to its end: there is no guard behind the first place, and it
/// never goes back.
fn ends(d: &DStep) -> bool {
    let goes = |s: &Stmt| !matches!(s, Stmt::Guard(_) | Stmt::Send { .. } | Stmt::Receive { .. });
    let forward = |i: usize, t: &DTrans| t.to.is_none_or(|to| to as usize > i) && (i == 0 || goes(&t.stmt));
    d.locs.iter().enumerate().all(|(i, l)| !l.is_empty() && l.iter().all(|t| forward(i, t)))
}

struct Check<'a, 'm> {
    context: &'a Context<'m>,
    known: &'a Known,
}

impl Check<'_, '_> {
    fn stmt(&self, s: &Stmt) -> bool {
        match s {
            Stmt::Send { channel, args, .. } => self.channel(channel, args.len()),
            Stmt::Receive { channel, args, copy, .. } => {
                let bad = |a: &RecvArg| matches!(a, RecvArg::Bind(place) if self.place(place));
                *copy || self.channel(channel, args.len()) || args.iter().any(bad)
            }
            Stmt::Assign(place, e) => {
                let value = self.context.fixed.value(self.context.model, self.known, e);
                self.place(place) || !time::fits(place.ty, value)
            }
            Stmt::AssignArray(place, _) => self.place(place),
            Stmt::SetPriority(..) => true,
            Stmt::Skip(_) | Stmt::Guard(_) | Stmt::Else | Stmt::Assert(_) | Stmt::Printf(..) => false,
            Stmt::Printm(_) | Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => false,
        }
    }

    /// Whether there is a send without slots, which a sequence cannot do.
    fn offers(&self, d: &DStep) -> bool {
        d.locs.iter().flatten().any(|t| match &t.stmt {
            Stmt::Send { channel, .. } => {
                self.global(channel).is_none_or(|c| self.context.model.channel(c).capacity == 0)
            }
            _ => false,
        })
    }

    /// An expression by itself, without those inside it.
    fn expr(&self, e: &Expr) -> bool {
        match e {
            Expr::Load(place) => self.place(place),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => {
                self.context.fixed.value(self.context.model, self.known, b).is_none_or(|v| v == 0)
            }
            Expr::Channel(query, channel) => match query {
                ChannelQuery::Len | ChannelQuery::Empty | ChannelQuery::NotEmpty => self.unknown(channel),
                ChannelQuery::Full | ChannelQuery::NotFull => self.unknown(channel),
            },
            Expr::Run(_) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::RemoteVar { .. } => true,
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority | Expr::NonProgress => false,
            Expr::Timeout | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) | Expr::PcValue(_) => false,
            Expr::GetPriority(_) | Expr::RemoteLabel { .. } => false,
        }
    }

    fn place(&self, place: &Place) -> bool {
        place.dims.iter().any(|d| {
            let index = self.context.fixed.value(self.context.model, self.known, &d.index);
            index.is_none_or(|i| i < 0 || i as u32 >= d.len)
        })
    }

    /// True unless the expression names one global channel.
    fn unknown(&self, channel: &Expr) -> bool {
        self.global(channel).is_none()
    }

    fn channel(&self, channel: &Expr, fields: usize) -> bool {
        self.global(channel).is_none_or(|c| self.context.model.channel(c).fields.len() != fields)
    }

    /// The kind of the one global channel that an expression names.
    fn global(&self, channel: &Expr) -> Option<ChanId> {
        let number = usize::try_from(self.context.fixed.value(self.context.model, self.known, channel)?).ok()?;
        self.context.model.global_channels.get(number.checked_sub(1)?).map(|c| c.channel)
    }
}
