//! Assignments of values of any sort: structured ones are taken apart into numbers.

use super::{Here, Lower};
use crate::ast::*;
use crate::machine::*;
use crate::sorts::{Field, INTEGER, SortId, SortKind};
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
            let (from, other) = self.place(e, here, out)?;
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
    fn mentions(&self, e: &Expr, var: VarId, here: &Here, depth: usize) -> bool {
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
            (ExprKind::List(list), SortKind::List { element, least, most }) => {
                self.assign_list(to, sort, list, (element, least, most), e.span, here, out)
            }
            (ExprKind::Text(t), SortKind::List { element, least, most }) => {
                let list: Vec<Expr> = t.bytes().map(|b| Expr { kind: ExprKind::Int(b.into()), span: e.span }).collect();
                self.assign_list(to, sort, &list, (element, least, most), e.span, here, out)
            }
            (ExprKind::Octets(o, _), SortKind::List { element, least, most }) => {
                let list: Vec<Expr> =
                    o.iter().map(|b| Expr { kind: ExprKind::Int((*b).into()), span: e.span }).collect();
                self.assign_list(to, sort, &list, (element, least, most), e.span, here, out)
            }
            (ExprKind::List(list), SortKind::Array { element, len, .. }) => {
                if list.len() as i64 != len {
                    self.error("sort", e.span, format!("this array has {len} elements, not {}", list.len()));
                    return None;
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
                out.push(Stmt { kind: StmtKind::If { arms: vec![(c, yes)], otherwise: Some(no) }, span: e.span });
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
            (ExprKind::Unary(..) | ExprKind::Binary(..), _) => {
                self.refuse(e.span, "an operation on a whole list", "write a loop");
                None
            }
            _ => {
                let text = format!("a value of sort `{}` must stand here", self.sorts.name(sort));
                self.error("sort", e.span, text);
                None
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn assign_list(
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
            let (mut target, mut source) = (to.clone(), from.clone());
            target.path.extend(x.path.iter().cloned());
            source.path.extend(y.path.iter().cloned());
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
        let (SortKind::List { element, least, most }, SortKind::List { element: e2, most: m2, .. }) =
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

    /// A list without a lower bound of the same elements, to build a value in.
    fn open_list(&mut self, sort: SortId) -> SortId {
        let SortKind::List { element, most, .. } = *self.sorts.kind(sort) else { return sort };
        let kind = SortKind::List { element, least: 0, most: most.max(1) };
        if *self.sorts.kind(sort) == kind {
            return sort;
        }
        match self.sorts.list.iter().position(|s| s.kind == kind) {
            Some(id) => id,
            None => {
                let name = format!("{}_open", self.sorts.name(sort));
                self.sorts.add(&name, kind)
            }
        }
    }

    /// `a // b`, built in a scratch variable: `to` may occur in both.
    #[allow(clippy::too_many_arguments)]
    fn concat(
        &mut self,
        to: &Place,
        sort: SortId,
        a: &Expr,
        b: &Expr,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let open = self.open_list(sort);
        let scratch = Self::place_of(self.scratch(open));
        self.append(&scratch, open, a, here, out)?;
        self.append(&scratch, open, b, here, out)?;
        self.copy(to, sort, &scratch, open, span, out)
    }

    /// Appends a value to a list.
    fn append(&mut self, list: &Place, sort: SortId, e: &Expr, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        if let ExprKind::Binary(Binary::Concat, a, b) = &e.kind {
            self.append(list, sort, a, here, out)?;
            return self.append(list, sort, b, here, out);
        }
        let SortKind::List { element, most, .. } = *self.sorts.kind(sort) else { return None };
        let bytes: Vec<Expr>;
        let items = match &e.kind {
            ExprKind::List(items) => Some(items.as_slice()),
            ExprKind::Octets(o, _) => {
                bytes = o.iter().map(|b| Expr { kind: ExprKind::Int((*b).into()), span: e.span }).collect();
                Some(bytes.as_slice())
            }
            ExprKind::Text(t) => {
                bytes = t.bytes().map(|b| Expr { kind: ExprKind::Int(b.into()), span: e.span }).collect();
                Some(bytes.as_slice())
            }
            _ => None,
        };
        let len = step(list, Step::Len);
        let room = StmtKind::Assert {
            what: Ex::bin(Binary::Lt, Ex::Get(len.clone()), Ex::Num(most)),
            why: format!("a list has no room for more than {most} elements"),
        };
        let next = step(list, Step::At(Ex::Get(len.clone())));
        let more = put(&len, Ex::bin(Binary::Add, Ex::Get(len.clone()), Ex::Num(1)), e.span);
        if let Some(items) = items {
            for v in items {
                out.push(Stmt { kind: room.clone(), span: e.span });
                self.assign(&next, element, v, here, out)?;
                out.push(more.clone());
            }
            return Some(());
        }
        let hint = self.hint(e, here).or(Some(sort));
        let (from, other) = self.value(e, hint, here, out)?;
        let SortKind::List { element: e2, .. } = *self.sorts.kind(other) else {
            self.error("sort", e.span, "a list must stand here".to_string());
            return None;
        };
        let index = Self::place_of(self.scratch(INTEGER));
        let mut body = vec![Stmt { kind: room, span: e.span }];
        self.copy(&next, element, &step(&from, Step::At(Ex::Get(index.clone()))), e2, e.span, &mut body)?;
        body.push(more);
        body.push(put(&index, Ex::bin(Binary::Add, Ex::Get(index.clone()), Ex::Num(1)), e.span));
        let when = Ex::bin(Binary::Lt, Ex::Get(index.clone()), self.length(&from, other));
        out.push(put(&index, Ex::Num(0), e.span));
        out.push(Stmt { kind: StmtKind::While { when, body }, span: e.span });
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
            ExprKind::Name(n) => self.procedure(here.frame, &n.key),
            _ => None,
        };
        let Some((frame, p)) = found else {
            let text = format!("a value of sort `{}` must stand here", self.sorts.name(sort));
            self.error("sort", span, text);
            return None;
        };
        let (place, other) = self.call_value(frame, p, args, span, here, out)?;
        self.copy(to, sort, &place, other, span, out)
    }

    #[allow(clippy::too_many_arguments)]
    fn slice(
        &mut self,
        to: &Place,
        sort: SortId,
        f: &Expr,
        first: &Expr,
        last: &Expr,
        span: Span,
        here: &Here,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (from, other) = self.place(f, here, out)?;
        let SortKind::List { element: e2, .. } = *self.sorts.kind(other) else {
            self.error("sort", f.span, "a list must stand here".to_string());
            return None;
        };
        let a = self.scalar(first, Some(INTEGER), here, out)?;
        let b = self.scalar(last, Some(INTEGER), here, out)?;
        let open = self.open_list(sort);
        let SortKind::List { element, most, .. } = *self.sorts.kind(open) else {
            self.error("sort", span, "a piece of a list cannot stand here".to_string());
            return None;
        };
        let inside = Ex::bin(
            Binary::And,
            Ex::bin(Binary::Ge, a.ex.clone(), Ex::Num(0)),
            Ex::bin(Binary::Lt, b.ex.clone(), self.length(&from, other)),
        );
        out.push(Stmt { kind: StmtKind::Assert { what: inside, why: "index out of range".into() }, span });
        let scratch = Self::place_of(self.scratch(open));
        let (index, end) = (Self::place_of(self.scratch(INTEGER)), Self::place_of(self.scratch(INTEGER)));
        out.push(put(&index, a.ex, span));
        out.push(put(&end, b.ex, span));
        let len = step(&scratch, Step::Len);
        let what = Ex::bin(Binary::Lt, Ex::Get(len.clone()), Ex::Num(most));
        let why = format!("a list has no room for more than {most} elements");
        let mut body = vec![Stmt { kind: StmtKind::Assert { what, why }, span }];
        let source = step(&from, Step::At(Ex::Get(index.clone())));
        self.copy(&step(&scratch, Step::At(Ex::Get(len.clone()))), element, &source, e2, span, &mut body)?;
        body.push(put(&len, Ex::bin(Binary::Add, Ex::Get(len.clone()), Ex::Num(1)), span));
        body.push(put(&index, Ex::bin(Binary::Add, Ex::Get(index.clone()), Ex::Num(1)), span));
        let when = Ex::bin(Binary::Le, Ex::Get(index.clone()), Ex::Get(end));
        out.push(Stmt { kind: StmtKind::While { when, body }, span });
        self.copy(to, sort, &scratch, open, span, out)
    }

    /// A constant or the result of a procedure without parameters.
    fn assign_named(&mut self, to: &Place, sort: SortId, n: &Name, here: &Here, out: &mut Vec<Stmt>) -> Option<()> {
        let key = self.constant_key(&n.key);
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
        self.unknown(n, format!("there is nothing called `{}` here", n.text));
        None
    }
}

fn step(place: &Place, s: Step) -> Place {
    let mut p = place.clone();
    p.path.push(s);
    p
}

fn put(to: &Place, value: Ex, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign { to: to.clone(), value, check: None }, span }
}
