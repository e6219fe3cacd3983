//! Channels: questions whose answer is known, values that are cut, and partners that do not exist.

use super::Lint;
use super::names::{Type, VarId};
use super::values::stored;
use crate::ast::{self, ChannelQuery, Expr, ExprKind, RecvArg, VarRef};
use starwheel_base::{Diagnostic, Span};

/// Features that SPIN refuses to verify together, each with the place where it is first used.
#[derive(Default)]
pub struct Combinations {
    pub rendezvous: Option<Span>,
    pub priority: Option<Span>,
    pub enabled: Option<Span>,
}

impl Lint<'_> {
    /// The declaration of a channel.
    pub fn rendezvous_declared(&mut self, c: &ast::ChannelInit) {
        if self.constant(&c.capacity) == Some(0) {
            self.combinations.rendezvous.get_or_insert(c.span);
        }
    }

    /// The priority of a process.
    pub fn priority(&mut self, e: Option<&Expr>) {
        if let Some(e) = e {
            self.combinations.priority.get_or_insert(e.span);
            self.expr(e);
        }
    }

    /// A name that may be predefined.
    pub fn predefined(&mut self, v: &VarRef) {
        if &*v.parts[0].name.name == "_priority" {
            self.combinations.priority.get_or_insert(v.span);
        }
    }

    /// Reports combinations that have no defined meaning; SPIN refuses them as well.
    pub fn refused_combinations(&mut self) {
        let Some(rendezvous) = self.combinations.rendezvous else { return };
        let refuse = |code, span, what: &str, advice: &str| {
            Diagnostic::error(code, span, format!("{what} cannot be combined with rendezvous channels"))
                .also(rendezvous, "a rendezvous channel")
                .advise(advice)
        };
        if let Some(span) = self.combinations.priority {
            let advice = "give the channel at least one slot: a handshake has two partners with a priority each";
            self.report(refuse("priority-with-rendezvous", span, "priorities", advice));
        }
        if let Some(span) = self.combinations.enabled {
            let advice = "give the channel at least one slot, or express the condition with variables";
            self.report(refuse("enabled-with-rendezvous", span, "`enabled`", advice));
        }
    }

    /// Where a channel is declared, if it is known to have no slots.
    pub fn rendezvous(&self, v: &VarRef) -> Option<Span> {
        let [part] = &v.parts[..] else { return None };
        let channel = self.var(self.find(&part.name.name)?).channel.as_ref()?;
        (channel.capacity == Some(0)).then_some(channel.span)
    }

    /// `len(c)` and the like on a rendezvous channel.
    pub fn rendezvous_query(&mut self, e: &Expr, query: ChannelQuery, v: &VarRef) {
        let Some(declared) = self.rendezvous(v) else { return };
        let answer = match query {
            ChannelQuery::Len => "is always 0",
            ChannelQuery::Full | ChannelQuery::NotEmpty => "never holds",
            ChannelQuery::Empty | ChannelQuery::NotFull => "always holds",
        };
        let message =
            format!("this {answer}: `{}` is a rendezvous channel, which never holds a message", v.parts[0].name.name);
        self.report(
            Diagnostic::warning("rendezvous-query", e.span, message)
                .also(declared, "no slots")
                .advise("give the channel at least one slot, or do without the question"),
        );
    }

    /// `c?[x]` on a rendezvous channel.
    pub fn rendezvous_poll(&mut self, e: &Expr, v: &VarRef) {
        let Some(declared) = self.rendezvous(v) else { return };
        let message = format!("`{}` is a rendezvous channel: looking into it is an error", v.parts[0].name.name);
        self.report(
            Diagnostic::warning("rendezvous-query", e.span, message)
                .also(declared, "no slots")
                .advise("give the channel at least one slot, or receive the message"),
        );
    }

    /// A send.
    pub fn sent(&mut self, v: &VarRef, args: &[Expr], span: Span) {
        let Some(id) = self.channel(v) else { return };
        self.uses(id).sent.get_or_insert(span);
        let Some((fields, _)) = self.message(id, v) else { return };
        if fields.len() == args.len() {
            for (e, ty) in args.iter().zip(&fields) {
                self.fits(e, ty, fields.len() == 1);
                self.mixed_sets(ty, e);
            }
        }
        self.carry(id, args, &fields);
    }

    /// Notes which values a channel carries.
    fn carry(&mut self, id: VarId, args: &[Expr], fields: &[Type]) {
        let whole = |ty: &Type| ty.range().unwrap_or((0, 255));
        let values: Vec<(i64, i64)> = if args.len() == fields.len() {
            args.iter().zip(fields).map(|(e, ty)| self.extent(e).unwrap_or_else(|| whole(ty))).collect()
        } else {
            fields.iter().map(whole).collect()
        };
        let carried = &mut self.uses(id).carried;
        if carried.is_empty() {
            *carried = values;
            return;
        }
        for (c, (low, high)) in carried.iter_mut().zip(values) {
            *c = (c.0.min(low), c.1.max(high));
        }
    }

    /// The least and greatest value that a model probably means an expression to have: calculations are taken to stay
    /// within the types of the variables in them.
    fn extent(&self, e: &Expr) -> Option<(i64, i64)> {
        if let Some(n) = self.constant(e) {
            return Some((n, n));
        }
        let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        match &e.kind {
            ExprKind::Var(v) => match self.refer(v) {
                Some(r) => stored(&r),
                None => Some((0, 255)),
            },
            ExprKind::Unary(_, a) => self.extent(a),
            ExprKind::Binary(_, a, b) => Some(join(self.extent(a)?, self.extent(b)?)),
            ExprKind::Cond(_, a, b) => Some(join(self.extent(a)?, self.extent(b)?)),
            ExprKind::Run { .. } | ExprKind::Channel(..) => Some((0, 255)),
            _ => None,
        }
    }

    /// A receive.
    pub fn received(&mut self, v: &VarRef, args: &[RecvArg], span: Span) {
        let Some(id) = self.channel(v) else { return };
        self.uses(id).received.get_or_insert(span);
        let Some((fields, declared)) = self.message(id, v) else { return };
        let Some(places) = self.places(args) else { return };
        if places.len() != fields.len() {
            return;
        }
        for (i, (place, field)) in places.into_iter().zip(fields).enumerate() {
            match place {
                Place::Variable(name, ty, Some(range), span) => {
                    self.narrow.push(Narrow { channel: id, index: i, field, name, ty, range, span });
                }
                Place::Number(n, span) => self.unmatched(n, span, &field, declared),
                Place::Variable(..) | Place::Other => {}
            }
        }
    }

    /// The fields of a channel's messages, if they are known.
    fn message(&self, id: VarId, v: &VarRef) -> Option<(Vec<Type>, Span)> {
        let channel = self.var(id).channel.as_ref().filter(|_| v.parts.len() == 1)?;
        Some((channel.fields.clone()?, channel.span))
    }

    /// What stands in the fields of a pattern, structures taken apart.
    fn places(&self, args: &[RecvArg]) -> Option<Vec<Place>> {
        let mut out = Vec::new();
        for a in args {
            match a {
                RecvArg::Number(n, span) => out.push(Place::Number(*n, *span)),
                RecvArg::Eval(_) => out.push(Place::Other),
                RecvArg::Var(v) => match self.refer(v) {
                    None => out.push(Place::Other),
                    Some(r) if matches!(r.ty, Type::Structure(_)) => {
                        let mut types = Vec::new();
                        self.flatten(&r.ty, &mut types)?;
                        // The same type on both sides: there is nothing to compare.
                        out.extend(types.iter().map(|_| Place::Other));
                    }
                    Some(r) => {
                        let name = self.map.text(v.span).to_string();
                        let range = stored(&r);
                        out.push(Place::Variable(name, r.ty, range, v.span));
                    }
                },
            }
        }
        Some(out)
    }

    /// Receives into variables that cannot hold what is sent, one for each field of a channel.
    pub fn narrow_receives(&mut self) {
        let mut seen = std::collections::HashSet::new();
        for n in std::mem::take(&mut self.narrow) {
            let var = self.var(n.channel);
            let (Some(channel), Some(whole)) = (&var.channel, n.field.range()) else { continue };
            let carried = var.uses.carried.get(n.index).copied();
            let (least, most) = if var.uses.shared { whole } else { carried.unwrap_or(n.range) };
            let (low, high) = n.range;
            let fits = |(least, most): (i64, i64)| low <= least && most <= high;
            if fits(whole) || fits((least, most)) || !seen.insert((n.channel, n.index)) {
                continue;
            }
            let (name, ty, field, declared) = (n.name, n.ty.article(), n.field.name(), channel.span);
            let message = format!("`{name}` is {ty}, too narrow for this field of type `{field}`");
            self.report(
                Diagnostic::warning("narrow-receive", n.span, message)
                    .also(declared, "the message")
                    .advise(format!("values outside {low} to {high} are cut; declare `{name}` as `{field}`")),
            );
        }
    }

    fn unmatched(&mut self, n: i64, span: Span, field: &Type, declared: Span) {
        let Some((low, high)) = field.range() else { return };
        if !(low..=high).contains(&n) {
            let message = format!("no message has {n} here: {} lies between {low} and {high}", field.article());
            self.report(
                Diagnostic::warning("known-comparison", span, message)
                    .also(declared, "the message")
                    .advise("give the field a wider type, or change the value"),
            );
        }
    }

    /// What `for (x in …)` goes through.
    pub fn iterated(&mut self, over: &VarRef, span: Span) {
        if let Some(id) = self.channel(over) {
            let uses = self.uses(id);
            uses.sent.get_or_insert(span);
            uses.received.get_or_insert(span);
        }
    }

    /// Channels that are known by one name only and on which one side is missing.
    pub fn one_sided_channels(&mut self) {
        let mut found = Vec::new();
        for v in &self.vars {
            let Some(channel) = v.channel.as_ref().filter(|_| !v.uses.shared) else { continue };
            match (v.uses.sent, v.uses.received) {
                (None, Some(span)) => found.push(
                    Diagnostic::warning(
                        "never-sent",
                        span,
                        format!("nothing is ever sent on `{}`: this receive waits for ever", v.name),
                    )
                    .also(channel.span, "the channel")
                    .advise("let a process send on it, or remove it"),
                ),
                (Some(span), None) if channel.capacity == Some(0) => found.push(
                    Diagnostic::warning(
                        "never-received",
                        span,
                        format!("nobody ever receives from `{}`: this rendezvous send waits for ever", v.name),
                    )
                    .also(channel.span, "the channel")
                    .advise("let a process receive from it, or give it slots"),
                ),
                _ => {}
            }
        }
        found.into_iter().for_each(|d| self.report(d));
    }
}

/// A receive into a variable.
pub struct Narrow {
    channel: VarId,
    index: usize,
    field: Type,
    name: String,
    ty: Type,
    range: (i64, i64),
    span: Span,
}

/// What stands in one field of a pattern.
enum Place {
    /// A variable's name, type, range and place.
    Variable(String, Type, Option<(i64, i64)>, Span),
    Number(i64, Span),
    Other,
}
