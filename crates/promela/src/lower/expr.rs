//! Expressions: from the syntax tree to the model's, names resolved.

use super::symbols::{Kind, Resolved};
use super::{Lower, RemoteRef};
use crate::ast::{self, ExprKind, RecvArg as AstArg};
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{self as model, Expr, LocId, Place, RecvArg, Region, Shown, Ty};

/// Where an expression stands decides what may occur in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// In a process.
    Process,
    /// In a claim, a formula or a `provided` clause: no side effects.
    Property,
}

impl Lower<'_> {
    /// An expression that is read as a value. On an error (which is reported) the constant 0 stands in.
    pub fn value(&mut self, e: &ast::Expr) -> Expr {
        self.expr(e).unwrap_or_else(|| Expr::constant(0))
    }

    /// An expression; `None` if something is wrong with it, which is reported.
    pub fn expr(&mut self, e: &ast::Expr) -> Option<Expr> {
        Some(match &e.kind {
            ExprKind::Number(n) => Expr::constant(*n as i32),
            ExprKind::Var(v) => return self.variable(v),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    ast::UnaryOp::Not => model::UnaryOp::Not,
                    ast::UnaryOp::Neg => model::UnaryOp::Neg,
                    ast::UnaryOp::BitNot => model::UnaryOp::BitNot,
                    _ => return self.temporal(e.span),
                };
                Expr::Unary(op, Box::new(self.expr(a)?))
            }
            ExprKind::Binary(op, a, b) => {
                let Some(op) = op.plain() else { return self.temporal(e.span) };
                let (a, b) = (self.expr(a), self.expr(b));
                Expr::Binary(op, Box::new(a?), Box::new(b?))
            }
            ExprKind::Cond(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                Expr::Cond(Box::new(c?), Box::new(a?), Box::new(b?))
            }
            ExprKind::Run { name, args, priority } => return self.run(e, name, args, priority.as_deref()),
            ExprKind::Channel(query, v) => {
                let channel = self.channel(v)?;
                Expr::Channel(*query, Box::new(channel))
            }
            ExprKind::Poll { channel, args, random } => {
                let (channel, args) = (self.channel(channel), self.pattern(args, true));
                Expr::Poll { channel: Box::new(channel?), args: args?, random: *random }
            }
            ExprKind::Timer(query, v) => return self.ask_timer(*query, v),
            ExprKind::Timeout => {
                if !self.in_claim {
                    self.model.uses.timeout = true;
                }
                Expr::Timeout
            }
            ExprKind::NonProgress => {
                if !self.in_claim {
                    self.report(Diagnostic::error(
                        "np-outside-claim",
                        e.span,
                        "`np_` can only be used in a claim or a formula",
                    ));
                }
                Expr::NonProgress
            }
            ExprKind::Enabled(p) => {
                self.model.uses.enabled = true;
                Expr::Enabled(Box::new(self.expr(p)?))
            }
            ExprKind::PcValue(p) => {
                self.model.uses.pc_value = true;
                Expr::PcValue(Box::new(self.expr(p)?))
            }
            ExprKind::GetPriority(p) => {
                self.model.uses.priority = true;
                Expr::GetPriority(Box::new(self.expr(p)?))
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                self.model.uses.remote_labels = true;
                let proctype = self.proctype_named(process)?;
                let pid = self.optional(pid.as_deref())?;
                self.remote_refs.push(RemoteRef { proctype, label: label.clone() });
                let label = label.name.clone();
                Expr::RemoteLabel { proctype, pid, loc: LocId(0), label }
            }
            ExprKind::RemoteVar { process, pid, var } => return self.remote_var(process, pid.as_deref(), var),
            ExprKind::Embedded(c) => {
                self.refuse_c(c);
                return None;
            }
        })
    }

    fn optional(&mut self, e: Option<&ast::Expr>) -> Option<Option<Box<Expr>>> {
        match e {
            None => Some(None),
            Some(e) => Some(Some(Box::new(self.expr(e)?))),
        }
    }

    fn temporal(&mut self, span: Span) -> Option<Expr> {
        self.report(
            Diagnostic::error("temporal-operator", span, "a temporal operator can only be used in an `ltl` formula")
                .advise("move the formula to an `ltl name { … }` block"),
        );
        None
    }

    /// A name in an expression: a variable, a symbolic constant or one of the predefined names.
    fn variable(&mut self, v: &ast::VarRef) -> Option<Expr> {
        let first = &v.parts[0].name;
        if v.parts.len() == 1 {
            match &*first.name {
                "_pid" => return Some(Expr::Pid),
                "_nr_pr" => return Some(Expr::NrPr),
                "_last" => {
                    self.model.uses.last = true;
                    return Some(Expr::Last);
                }
                "_priority" => {
                    self.model.uses.priority = true;
                    return Some(Expr::Priority);
                }
                // In an event assertion it stands for any value, as every variable does there.
                "_" if self.in_trace => return Some(Expr::Load(Box::new(self.scratch()))),
                "_" => {
                    self.report(
                        Diagnostic::error("read-of-underscore", first.span, "`_` can only be written to")
                            .advise("`_` throws a value away; use a variable to read it again"),
                    );
                    return None;
                }
                _ => {}
            }
            if self.find(&first.name).is_none()
                && let Some((value, _, _)) = self.mtypes.get(&first.name)
            {
                return Some(Expr::Const(*value, Some(first.name.clone())));
            }
        }
        let (place, _, symbol) = self.scalar_place(v)?;
        if !self.printing {
            self.symbol_mut(symbol).read = true;
        }
        Some(Expr::Load(Box::new(place)))
    }

    /// A reference that must be a channel, as an expression whose value is the channel's number.
    pub fn channel(&mut self, v: &ast::VarRef) -> Option<Expr> {
        let (place, shown, symbol) = self.scalar_place(v)?;
        self.symbol_mut(symbol).read = true;
        if shown != Shown::Channel {
            let s = self.symbol(symbol).span;
            let message = format!("`{}` is not a channel", place.name.replace("[#]", "[…]"));
            self.report(Diagnostic::error("not-a-channel", v.span, message).also(s, "declared here"));
            return None;
        }
        Some(Expr::Load(Box::new(place)))
    }

    fn run(
        &mut self,
        e: &ast::Expr,
        name: &ast::Ident,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
    ) -> Option<Expr> {
        let lowered = self.arguments(args);
        let proctype = self.proctype_named(name)?;
        if self.context == Context::Property {
            self.report(
                Diagnostic::error("side-effect", e.span, "`run` cannot be used in a property")
                    .advise("a property only looks at the system; start the process in `init` or another process"),
            );
            return None;
        }
        if let Some(span) = self.run_seen.replace(e.span) {
            self.report(
                Diagnostic::error("second-run", e.span, "an expression can start only one process")
                    .also(span, "the first one")
                    .advise("start them in two statements"),
            );
        }
        let priority = match priority {
            None => None,
            Some(p) => {
                self.model.uses.priority = true;
                Some(self.priority(p)?)
            }
        };
        let lowered = lowered?;
        self.runs.push((proctype, lowered.len(), e.span));
        Some(Expr::Run(Box::new(model::expr::Run { proctype, args: lowered, priority })))
    }

    /// A constant priority.
    pub fn priority(&mut self, e: &ast::Expr) -> Option<u8> {
        match self.constant(e)? {
            n @ 1..=255 => Some(n as u8),
            n => {
                let message = format!("a priority lies between 1 and 255, not at {n}");
                self.report(Diagnostic::error("priority", e.span, message));
                None
            }
        }
    }

    /// Values for a message or for parameters; a structure counts for all its fields.
    pub fn arguments(&mut self, args: &[ast::Expr]) -> Option<Vec<Expr>> {
        let mut out = Vec::new();
        let mut ok = true;
        for a in args {
            match self.structure(a) {
                Some(r) => {
                    self.symbol_mut(r.symbol).read = true;
                    let flat = self.flatten(&r.place, &r.kind);
                    out.extend(flat.into_iter().map(|(p, _)| Expr::Load(Box::new(p))));
                }
                None => match self.expr(a) {
                    Some(e) => out.push(e),
                    None => ok = false,
                },
            }
        }
        ok.then_some(out)
    }

    /// The structure that an argument names, if it names one.
    fn structure(&mut self, e: &ast::Expr) -> Option<Resolved> {
        let ExprKind::Var(v) = &e.kind else { return None };
        self.structure_ref(v)
    }

    /// Resolves a reference only if it is to a structure.
    pub fn structure_ref(&mut self, v: &ast::VarRef) -> Option<Resolved> {
        let id = self.find(&v.parts[0].name.name)?;
        if !matches!(self.symbol(id).kind, Kind::Struct(_)) {
            return None;
        }
        // Only resolve (and report) here if the whole reference is a structure; a field goes the usual way.
        let mut kind = self.symbol(id).kind.clone();
        for part in &v.parts[1..] {
            let Kind::Struct(s) = kind else { return None };
            kind = self.structs[s].fields.iter().find(|f| f.name == part.name.name)?.kind.clone();
        }
        matches!(kind, Kind::Struct(_)).then(|| self.resolve(v)).flatten()
    }

    /// The pattern of a receive or of a poll.
    pub fn pattern(&mut self, args: &[AstArg], poll: bool) -> Option<Vec<RecvArg>> {
        let mut out = Vec::new();
        let mut ok = true;
        for a in args {
            match a {
                AstArg::Number(n, _) => out.push(RecvArg::Match(Expr::constant(*n as i32))),
                AstArg::Eval(e) => match self.expr(e) {
                    Some(e) => out.push(RecvArg::Match(e)),
                    None => ok = false,
                },
                AstArg::Var(v) => match self.pattern_var(v, poll) {
                    Some(list) => out.extend(list),
                    None => ok = false,
                },
            }
        }
        self.check_bound_once(args, &out);
        ok.then_some(out)
    }

    /// A variable can take only one field of a message.
    fn check_bound_once(&mut self, args: &[AstArg], out: &[RecvArg]) {
        let bound = |a: &RecvArg| match a {
            RecvArg::Bind(p) if p.dims.is_empty() => Some((p.region, p.offset)),
            _ => None,
        };
        for (i, a) in out.iter().enumerate() {
            if bound(a).is_some() && out[..i].iter().any(|b| bound(b) == bound(a)) {
                let span = args.iter().rev().find_map(|a| if let AstArg::Var(v) = a { Some(v.span) } else { None });
                let message = "the same variable stands for two fields of a message";
                self.report(Diagnostic::error("bound-twice", span.unwrap_or_default(), message));
            }
        }
    }

    fn pattern_var(&mut self, v: &ast::VarRef, poll: bool) -> Option<Vec<RecvArg>> {
        let first = &v.parts[0].name;
        if v.parts.len() == 1 {
            if &*first.name == "_" {
                return Some(vec![RecvArg::Discard]);
            }
            if matches!(&*first.name, "_pid" | "_nr_pr" | "_last" | "_priority") {
                self.report(
                    Diagnostic::error(
                        "assign-to-predefined",
                        first.span,
                        format!("a message cannot be put into `{}`", first.name),
                    )
                    .advise(format!("to compare with its value, write `eval({})`", first.name)),
                );
                return None;
            }
            if self.find(&first.name).is_none()
                && let Some((value, _, _)) = self.mtypes.get(&first.name)
            {
                return Some(vec![RecvArg::Match(Expr::Const(*value, Some(first.name.clone())))]);
            }
        }
        if let Some(r) = self.structure_ref(v) {
            self.symbol_mut(r.symbol).read = true;
            let flat = self.flatten(&r.place, &r.kind);
            if !poll && flat.iter().any(|(place, _)| self.refuse_timer(place, v.span)) {
                return None;
            }
            return Some(
                flat.into_iter().map(|(p, _)| if poll { RecvArg::Discard } else { RecvArg::Bind(p) }).collect(),
            );
        }
        let (place, _, symbol) = self.scalar_place(v)?;
        self.symbol_mut(symbol).read = true;
        if self.refuse_timer(&place, v.span) {
            return None;
        }
        Some(vec![if poll { RecvArg::Discard } else { RecvArg::Bind(place) }])
    }

    /// The process type of this name.
    pub fn proctype_named(&mut self, name: &ast::Ident) -> Option<model::ProctypeId> {
        if let Some(&id) = self.proctype_ids.get(&name.name) {
            return Some(id);
        }
        let mut d =
            Diagnostic::error("unknown-proctype", name.span, format!("there is no process type `{}`", name.name));
        if let Some(near) = super::lint::nearest(&name.name, self.proctype_ids.keys().map(|k| &**k)) {
            d = d.advise(format!("did you mean `{near}`?"));
        }
        self.report(d);
        None
    }

    fn remote_var(&mut self, process: &ast::Ident, pid: Option<&ast::Expr>, var: &ast::VarRef) -> Option<Expr> {
        self.model.uses.remote_vars = true;
        let proctype = self.proctype_named(process)?;
        let pid = self.optional(pid)?;
        // The other process's variables may not be known yet: the place is put in when all of them are.
        let part = &var.parts[0];
        let index = self.optional(part.index.as_deref())?;
        if var.parts.len() > 1 {
            self.report(Diagnostic::error("remote-field", var.span, "a remote reference cannot look into a structure"));
            return None;
        }
        let dims = index.into_iter().map(|i| model::Dim { index: *i, len: 0, stride: 0 }).collect();
        let name = part.name.name.clone();
        self.remote_vars.push((proctype, part.name.clone()));
        let place = Place { region: Region::Local, offset: u32::MAX, ty: Ty::Int, dims, name };
        Some(Expr::RemoteVar { proctype, pid, place: Box::new(place) })
    }

    /// The value of a constant expression; reports if it is not constant.
    pub fn constant(&mut self, e: &ast::Expr) -> Option<i32> {
        let value = self.constant_quietly(e);
        if value.is_none() {
            self.report(
                Diagnostic::error("not-constant", e.span, "a constant is needed here")
                    .advise("write a number, or a macro that stands for one: `#define N 3`"),
            );
        }
        value
    }

    /// The value of a constant expression, if it is one.
    pub fn constant_quietly(&self, e: &ast::Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Number(n) => Some(*n as i32),
            ExprKind::Var(v) if v.parts.len() == 1 => self.mtypes.get(&v.parts[0].name.name).map(|(n, _, _)| *n),
            ExprKind::Unary(op, a) => {
                let a = self.constant_quietly(a)?;
                Some(match op {
                    ast::UnaryOp::Neg => a.wrapping_neg(),
                    ast::UnaryOp::BitNot => !a,
                    ast::UnaryOp::Not => i32::from(a == 0),
                    _ => return None,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant_quietly(a)?, self.constant_quietly(b)?);
                op.plain()?.apply(a, b)
            }
            _ => None,
        }
    }
}
