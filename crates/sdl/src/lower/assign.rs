//! Assignments of values of any sort: structured ones are taken apart into numbers.

use super::list::numbers;
use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{Field, SortId, SortKind};
use starwheel_base::Span;

impl<'a> Lower<'a> {
    /// Assigns the value of an expression; `None` if something was wrong with it.
    pub fn assign(&mut self, to: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        if !self.spend() {
            return None;
        }
        if self.sorts.is_scalar(sort) {
            if let ExprKind::Any(name) = &e.kind {
                let picked = self.sort(name)?;
                if picked == sort {
                    return self.pick(to, sort, e.span, out);
                }
            }
            let v = self.scalar(e, Some(sort), here, out)?;
            let check = self.bounds_check(&v, sort, e.span)?;
            out.push(Stmt { kind: StmtKind::Assign { to: to.clone(), value: v.ex, check }, span: e.span });
            return Some(());
        }
        if let Some((value, _)) = self.constant_part(e, here) {
            return self.assign(to, sort, &value, here, out);
        }
        if self.is_place(e, here) {
            let (from, other) = self.place_read(e, here, out)?;
            return self.copy(to, sort, &from, other, e.span, out);
        }
        // `x := { x(1), x(0) }` must read all before it writes.
        let literal = matches!(e.kind, ExprKind::List(_) | ExprKind::Record(_) | ExprKind::Choice(..));
        if literal && self.mentions(e, to.var, here, 0) {
            let place = Self::place_of(self.scratch(sort));
            self.assign_new(&place, sort, e, here, out)?;
            return self.copy(to, sort, &place, sort, e.span, out);
        }
        self.assign_new(to, sort, e, here, out)
    }

    /// True if an expression reads a variable.
    pub fn mentions(&self, e: &Expr, var: VarId, here: &Here, depth: usize) -> bool {
        if depth > 500 {
            return true;
        }
        let m = |e: &Expr| self.mentions(e, var, here, depth + 1);
        match &e.kind {
            ExprKind::Name(n) => self.variable(here.frame, &n.key).is_some_and(|v| v.0.var == var),
            ExprKind::Apply(f, args) => m(f) || args.iter().any(m),
            ExprKind::Field(b, _) | ExprKind::Unary(_, b) | ExprKind::Choice(_, b) => m(b),
            ExprKind::Binary(_, a, b) => m(a) || m(b),
            ExprKind::If(a, b, c) => m(a) || m(b) || m(c),
            ExprKind::List(l) => l.iter().any(m),
            ExprKind::Record(f) => f.iter().any(|f| m(&f.1)),
            _ => false,
        }
    }

    fn assign_new(&mut self, to: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        let kind = self.sorts.kind(sort).clone();
        match (&e.kind, kind) {
            (_, SortKind::Set { .. }) if self.assign_set(to, sort, e, here, out).is_some_and(|done| done) => Some(()),
            (ExprKind::List(list), SortKind::List { element, least, most, .. }) => {
                self.assign_list(to, sort, list, (element, least, most), e.span, here, out)
            }
            (ExprKind::Text(t), SortKind::List { element, least, most, .. }) => {
                self.assign_list(to, sort, &numbers(t.as_bytes(), e.span), (element, least, most), e.span, here, out)
            }
            (ExprKind::Octets(o, _), SortKind::List { element, least, most, .. }) => {
                self.assign_list(to, sort, &numbers(o, e.span), (element, least, most), e.span, here, out)
            }
            (ExprKind::List(list), SortKind::Array { element, len, .. }) => {
                // One value stands for all elements.
                let one = list.len() == 1;
                if list.len() as i64 != len && !one {
                    self.error("sort", e.span, format!("this array has {len} elements, not {}", list.len()));
                    return None;
                }
                if let ([v], true) = (list.as_slice(), len > 1) {
                    let (value, of) = self.value(v, Some(element), here, out)?;
                    for i in 0..len {
                        self.copy(&step(to, Step::At(Ex::Num(i))), element, &value, of, e.span, out)?;
                    }
                    return Some(());
                }
                for (i, v) in list.iter().enumerate() {
                    self.assign(&step(to, Step::At(Ex::Num(i as i64))), element, v, here, out)?;
                }
                Some(())
            }
            (ExprKind::List(list), SortKind::Struct(fields)) => {
                let optional = fields.iter().filter(|f| f.optional).count();
                if list.len() > fields.len() || list.len() + optional < fields.len() {
                    self.error(
                        "sort",
                        e.span,
                        format!("this structure has {} fields, not {}", fields.len(), list.len()),
                    );
                    return None;
                }
                let values: Vec<(&str, &Expr)> = fields.iter().map(|f| f.key.as_str()).zip(list).collect();
                self.assign_fields(to, &fields, &values, e.span, here, out)
            }
            (ExprKind::Record(values), SortKind::Struct(fields)) => {
                if let Some((n, _)) = values.iter().find(|(n, _)| !fields.iter().any(|f| f.key == n.key)) {
                    let text = format!("`{}` has no field `{}`", self.sorts.name(sort), n.text);
                    self.error("unknown-field", n.span, text);
                    return None;
                }
                let values: Vec<(&str, &Expr)> = values.iter().map(|(n, e)| (n.key.as_str(), e)).collect();
                self.assign_fields(to, &fields, &values, e.span, here, out)
            }
            // ASN.1's NULL has one value.
            (ExprKind::Null, SortKind::Struct(fields)) if fields.is_empty() => Some(()),
            (ExprKind::Choice(name, value), SortKind::Choice(fields)) => {
                let Some(n) = fields.iter().position(|f| f.key == name.key) else {
                    let text = format!("`{}` has no alternative `{}`", self.sorts.name(sort), name.text);
                    self.error("unknown-field", name.span, text);
                    return None;
                };
                for (i, f) in fields.iter().enumerate() {
                    let field = step(to, Step::Field(f.key.clone()));
                    if i == n {
                        self.assign(&field, f.sort, value, here, out)?;
                    } else {
                        self.clear(&field, f.sort, e.span, out);
                    }
                }
                out.push(put(&step(to, Step::Tag), Ex::Num(n as i64), e.span));
                Some(())
            }
            (ExprKind::If(c, a, b), _) => {
                let c = self.condition(c, here, out)?;
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                self.assign(to, sort, a, here, &mut yes)?;
                self.assign(to, sort, b, here, &mut no)?;
                out.push(Stmt {
                    kind: StmtKind::If { any: false, arms: vec![(c, yes)], otherwise: Some(no) },
                    span: e.span,
                });
                Some(())
            }
            (ExprKind::Binary(Binary::Concat, a, b), SortKind::List { .. }) => {
                self.concat(to, sort, a, b, e.span, here, out)
            }
            (ExprKind::Apply(f, args), _) => self.assign_applied(to, sort, f, args, e.span, here, out),
            (ExprKind::Name(n), _) => self.assign_named(to, sort, n, here, out),
            (ExprKind::Any(_), _) => self.pick(to, sort, e.span, out),
            (ExprKind::Real, _) => {
                self.refuse(e.span, "a number with a point (Real)", "count in smaller units");
                None
            }
            (ExprKind::Unary(..) | ExprKind::Binary(..), _) => self.assign_bits(to, sort, e, here, out),
            _ => {
                let text = format!("a value of sort `{}` must stand here", self.sorts.name(sort));
                self.error("sort", e.span, text);
                None
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub fn assign_list(
        &mut self,
        to: &Place,
        sort: SortId,
        list: &[Expr],
        (element, least, most): (SortId, i64, i64),
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let len = list.len() as i64;
        if !(least..=most).contains(&len) {
            let text = format!("`{}` has {least} to {most} elements, not {len}", self.sorts.name(sort));
            self.error("range", span, text);
            return None;
        }
        for (i, v) in list.iter().enumerate() {
            self.assign(&step(to, Step::At(Ex::Num(i as i64))), element, v, here, out)?;
        }
        for i in len..most {
            self.clear(&step(to, Step::At(Ex::Num(i))), element, span, out);
        }
        if least != most {
            out.push(put(&step(to, Step::Len), Ex::Num(len), span));
        }
        Some(())
    }

    fn assign_fields(
        &mut self,
        to: &Place,
        fields: &[Field],
        values: &[(&str, &Expr)],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        for f in fields {
            let place = step(to, Step::Field(f.key.clone()));
            let value = values.iter().find(|v| v.0 == f.key);
            match value {
                Some((_, e)) => self.assign(&place, f.sort, e, here, out)?,
                None => self.clear(&place, f.sort, span, out),
            }
            if f.optional {
                out.push(put(&step(to, Step::Given(f.key.clone())), Ex::Num(i64::from(value.is_some())), span));
            }
        }
        Some(())
    }

    /// Copies a whole value.
    pub fn copy(
        &mut self,
        to: &Place,
        sort: SortId,
        from: &Place,
        other: SortId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (a, b) = (self.leaves(sort), self.leaves(other));
        let same_shape = a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| x.path == y.path);
        if !same_shape {
            return self.copy_list(to, sort, from, other, span, out);
        }
        for (x, y) in a.iter().zip(&b) {
            let (target, source) = (to.leaf(x), from.leaf(y));
            let check = match (self.sorts.bounds(x.sort), self.sorts.bounds(y.sort)) {
                (Some((lo, hi)), Some((l, h))) if l < lo || h > hi => Some((lo, hi)),
                _ => None,
            };
            if target != source {
                out.push(Stmt { kind: StmtKind::Assign { to: target, value: Ex::Get(source), check }, span });
            }
        }
        Some(())
    }

    /// Copies a list to one of another length.
    fn copy_list(
        &mut self,
        to: &Place,
        sort: SortId,
        from: &Place,
        other: SortId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (SortKind::List { element, least, most, .. }, SortKind::List { element: e2, most: m2, .. }) =
            (self.sorts.kind(sort).clone(), self.sorts.kind(other).clone())
        else {
            let text = format!(
                "a value of sort `{}` must stand here, not of `{}`",
                self.sorts.name(sort),
                self.sorts.name(other)
            );
            self.error("sort", span, text);
            return None;
        };
        let len = self.length(from, other);
        let what = super::place::within(&len, least, most);
        out.push(Stmt {
            kind: StmtKind::Assert { what, why: format!("a list has not {least} to {most} elements") },
            span,
        });
        for i in 0..most {
            let target = step(to, Step::At(Ex::Num(i)));
            if i < m2 {
                self.copy(&target, element, &step(from, Step::At(Ex::Num(i))), e2, span, out)?;
            } else {
                self.clear(&target, element, span, out);
            }
        }
        if least != most {
            out.push(put(&step(to, Step::Len), len, span));
        }
        Some(())
    }

    /// The result of a call, or a piece of a list: `list(from, to)`.
    #[allow(clippy::too_many_arguments)]
    fn assign_applied(
        &mut self,
        to: &Place,
        sort: SortId,
        f: &Expr,
        args: &[Expr],
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        if let ([first, last], true) = (args, self.is_place(f, here)) {
            return self.slice(to, sort, f, first, last, span, here, out);
        }
        let found = match &f.kind {
            ExprKind::Name(n) => {
                self.procedure(here.frame, &n.key).or_else(|| self.operator(&n.key, args, Some(sort), here))
            }
            _ => None,
        };
        if found.is_none()
            && let ExprKind::Name(n) = &f.kind
            && let Some(done) = self.string_operator(to, sort, n, args, span, here, out)
        {
            return done;
        }
        let Some((frame, p)) = found else {
            let text = format!("a value of sort `{}` must stand here", self.sorts.name(sort));
            self.error("sort", span, text);
            return None;
        };
        let (place, other) = self.call_value(frame, p, args, span, here, out)?;
        self.copy(to, sort, &place, other, span, out)
    }

    /// A constant or the result of a procedure without parameters.
    fn assign_named(&mut self, to: &Place, sort: SortId, n: &Name, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        let key = self.constant_key(&n.key);
        if self.sorts.is_empty(&key) && matches!(self.sorts.kind(sort), SortKind::List { .. } | SortKind::Set { .. }) {
            self.clear(to, sort, n.span, out);
            return Some(());
        }
        if let Some(Some(value)) = self.sorts.constant_expr(&key, n.span) {
            if matches!(&value.kind, ExprKind::Name(m) if m.key == n.key) {
                return None;
            }
            return self.assign(to, sort, &value, here, out);
        }
        if let Some((frame, p)) = self.procedure(here.frame, &n.key) {
            let (place, other) = self.call_value(frame, p, &[], n.span, here, out)?;
            return self.copy(to, sort, &place, other, n.span, out);
        }
        if let Some((frame, p)) = self.operator(&n.key, &[], Some(sort), here) {
            let (place, other) = self.call_value(frame, p, &[], n.span, here, out)?;
            return self.copy(to, sort, &place, other, n.span, out);
        }
        self.unknown(n, format!("there is nothing called `{}` here", n.text));
        None
    }
}

/// A part of a place.
pub fn step(place: &Place, s: Step) -> Place {
    let mut p = place.clone();
    p.path.push(s);
    p
}

/// An assignment that needs no check.
pub fn put(to: &Place, value: Ex, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign { to: to.clone(), value, check: None }, span }
}
